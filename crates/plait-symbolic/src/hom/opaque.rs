//! Opaque events: a function on the values of some variables, learned as it is used.
//!
//! LTSmin's way: the set is projected on the variables, the function is called once for each projection
//! not met before, and what it answers is added to a stored relation (`stored`), whose image is then
//! taken. The cost is a call for each distinct projection, so this is for events that cannot be
//! written as expressions.

use plait_dd::stack::deep;
use plait_dd::{Edge, Manager, Node, Root, Stop, Value};
use plait_program::{Failure, Watch};

use super::term::{Hom, Term};
use super::{Halt, Homs};

/// The function of an opaque event: from the values of its variables, in the order in which they were
/// given, to the values of all successors, one after the other. The watch knows the manager's limits.
pub type OpaqueFunction =
    dyn FnMut(&[i32], &mut Vec<i32>, &mut dyn Watch) -> Result<(), Failure> + Send;

/// Projections that are learned at a time: no more than these are ever held outside diagrams.
const BATCH: usize = 1 << 12;

/// The limits of a manager, for functions that take long; and what stopped one.
struct Limits<'a> {
    dd: &'a mut Manager,
    stop: Option<Stop>,
}

impl Watch for Limits<'_> {
    fn go_on(&mut self, bytes: usize) -> bool {
        self.dd.charge(bytes as isize);
        let looked = self.dd.look_now();
        self.dd.charge(-(bytes as isize));
        self.stop = looked.err();
        self.stop.is_none()
    }
}

/// An event given by a function.
pub(super) struct Opaque {
    /// The variables, descending.
    pub variables: Box<[u32]>,
    /// Where each of them stands in the order in which they were given.
    places: Box<[usize]>,
    pub top: u32,
    function: Box<OpaqueFunction>,
    projection: Hom,
    known: Option<Root>,
    relation: Option<Root>,
    calls: u64,
}

impl std::fmt::Debug for Opaque {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Opaque({:?})", self.variables)
    }
}

impl Homs {
    /// An event given by a function on the values of distinct variables.
    pub fn opaque(&mut self, variables: &[u32], function: Box<OpaqueFunction>) -> Hom {
        let mut places: Vec<usize> = (0..variables.len()).collect();
        places.sort_unstable_by_key(|p| std::cmp::Reverse(variables[*p]));
        let descending: Box<[u32]> = places.iter().map(|p| variables[*p]).collect();
        let projection = self.projection(&descending);
        let number = self.opaques.len() as u32;
        self.opaques.push(Opaque {
            top: descending.first().copied().unwrap_or(0),
            variables: descending,
            places: places.into(),
            function,
            projection,
            known: None,
            relation: None,
            calls: 0,
        });
        self.intern(Term::Opaque(number))
    }

    /// How often the function of an opaque event was called.
    pub fn opaque_calls(&self, h: Hom) -> u64 {
        match self.term(h) {
            Term::Opaque(number) => self.opaques[number as usize].calls,
            _ => 0,
        }
    }

    /// How often functions of opaque events were called in all.
    pub fn all_opaque_calls(&self) -> u64 {
        self.opaques.iter().map(|opaque| opaque.calls).sum()
    }

    pub(super) fn eval_opaque(
        &mut self,
        dd: &mut Manager,
        number: u32,
        set: Node,
    ) -> Result<Node, Halt> {
        self.learn(dd, number, set)?;
        let relation = self.learned(number);
        let learned = self.relation(dd, relation);
        self.eval(dd, learned, set)
    }

    /// Makes sure that the relation knows all projections of a set.
    pub(super) fn learn(&mut self, dd: &mut Manager, number: u32, set: Node) -> Result<(), Halt> {
        let at = number as usize;
        let kept = dd.pushed();
        let met = self.eval(dd, self.opaques[at].projection, set)?;
        dd.push(met);
        let known = self.opaques[at]
            .known
            .as_ref()
            .map_or(Node::ZERO, Root::node);
        let new = dd.difference(met, known)?;
        let left = dd.hold(new);
        loop {
            let left_over = dd.held(left);
            let tuples: Vec<Vec<i32>> = dd
                .states(left_over)
                .take(BATCH)
                .map(|s| values_of(&s))
                .collect();
            if tuples.is_empty() {
                break;
            }
            let learned = self.learn_batch(dd, at, &tuples)?;
            let rest = dd.difference(left_over, learned)?;
            dd.set_held(left, rest);
            dd.pop(kept);
        }
        dd.release(left);
        dd.pop(kept);
        Ok(())
    }

    /// Adds what the function answers for some projections; their set, which is known from now on.
    fn learn_batch(
        &mut self,
        dd: &mut Manager,
        at: usize,
        tuples: &[Vec<i32>],
    ) -> Result<Node, Halt> {
        let mut pairs = Vec::new();
        for tuple in tuples {
            dd.step()?;
            let opaque = &mut self.opaques[at];
            let mut given = vec![0; tuple.len()];
            for (value, place) in tuple.iter().zip(&opaque.places) {
                given[*place] = *value;
            }
            let mut answers = Vec::new();
            opaque.calls += 1;
            let mut limits = Limits { dd, stop: None };
            let called = (opaque.function)(&given, &mut answers, &mut limits);
            if let Some(stop) = limits.stop {
                return Err(stop.into());
            }
            called?;
            for answer in answers.chunks_exact(tuple.len().max(1)) {
                let after = opaque.places.iter().map(|p| answer[*p]);
                pairs.push((tuple.clone(), after.collect::<Vec<i32>>()));
            }
        }
        let variables = self.opaques[at].variables.clone();
        let more = relation_of(dd, &variables, pairs)?;
        dd.push(more);
        let mut rows = tuples.to_vec();
        rows.sort_unstable();
        let batch = relation_from(dd, &variables, &rows, 0)?;
        dd.push(batch);
        let of = |root: &Option<Root>| root.as_ref().map_or(Node::ZERO, Root::node);
        let relation = dd.union(of(&self.opaques[at].relation), more)?;
        dd.push(relation);
        let known = dd.union(of(&self.opaques[at].known), batch)?;
        self.opaques[at].relation = Some(dd.root(relation));
        self.opaques[at].known = Some(dd.root(known));
        Ok(batch)
    }

    /// The relation that an opaque event has learned.
    pub(super) fn learned(&self, number: u32) -> Node {
        let relation = self.opaques[number as usize].relation.as_ref();
        relation.map_or(Node::ZERO, Root::node)
    }

    // ----- projection ---------------------------------------------------------------------------

    /// The projection on some variables: the others are left out of the sequences.
    pub fn projection(&mut self, variables: &[u32]) -> Hom {
        let mut variables = variables.to_vec();
        variables.sort_unstable();
        variables.dedup();
        let (number, _) = self.projections.add(variables.into());
        self.intern(Term::Project(number))
    }

    pub(super) fn eval_projection(
        &mut self,
        dd: &mut Manager,
        h: Hom,
        number: u32,
        set: Node,
    ) -> Result<Node, Halt> {
        let variables = self.projections.get(number);
        let w = dd.variable(set);
        if variables.first().is_none_or(|lowest| *lowest > w) {
            return Ok(Node::ONE);
        }
        if variables.binary_search(&w).is_ok() {
            return self.eval_below(dd, h, set);
        }
        let mut images = Vec::with_capacity(dd.len(set));
        for at in 0..dd.len(set) {
            let image = self.eval(dd, h, dd.edge(set, at).child)?;
            dd.push(image);
            images.push(image);
        }
        Ok(dd.union_all(&images)?)
    }
}

/// The integers of a sequence without components.
pub(super) fn values_of(steps: &[plait_dd::Step]) -> Vec<i32> {
    let value = |s: &plait_dd::Step| match s.value {
        Value::Integer(value) => value,
        Value::Component(_) => unreachable!("opaque events are on integers"),
    };
    steps.iter().map(value).collect()
}

/// The relation with these pairs over descending variables.
fn relation_of(
    dd: &mut Manager,
    variables: &[u32],
    mut pairs: Vec<(Vec<i32>, Vec<i32>)>,
) -> Result<Node, Halt> {
    let interleaved = |p: &(Vec<i32>, Vec<i32>)| {
        let both = p.0.iter().zip(&p.1);
        both.flat_map(|(a, b)| [*a, *b]).collect::<Vec<i32>>()
    };
    let mut rows: Vec<Vec<i32>> = pairs.iter().map(interleaved).collect();
    pairs.clear();
    rows.sort_unstable();
    rows.dedup();
    let halves: Vec<u32> = variables.iter().flat_map(|x| [2 * x, 2 * x - 1]).collect();
    if rows.is_empty() {
        return Ok(Node::ZERO);
    }
    let kept = dd.pushed();
    let result = relation_from(dd, &halves, &rows, 0);
    dd.pop(kept);
    result
}

fn relation_from(
    dd: &mut Manager,
    halves: &[u32],
    rows: &[Vec<i32>],
    at: usize,
) -> Result<Node, Halt> {
    let Some(variable) = halves.get(at) else {
        return Ok(Node::ONE);
    };
    let mut edges = Vec::new();
    for group in rows.chunk_by(|a, b| a[at] == b[at]) {
        let child = deep(|| relation_from(dd, halves, group, at + 1))?;
        dd.push(child);
        edges.push(Edge::integer(group[0][at], child));
    }
    Ok(dd.sorted_node(*variable, &edges)?)
}
