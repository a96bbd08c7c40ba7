//! Evaluation: the image of a set.
//!
//! ITS specification, 2.3. A homomorphism that skips the variable of a node is passed on to the
//! children; one that does not is evaluated edge by edge (`expand`), or as its definition says when it
//! is not of that kind. Results are cached under (homomorphism, node). Only results that were found in
//! full are cached: whatever stops an evaluation leaves no trace but garbage.

use plait_dd::stack::deep;
use plait_dd::{Edge, Kind, Manager, Node, Operation};

use super::expand::Row;
use super::term::{Hom, Term, NEVER_SKIPS};
use super::{Halt, Homs};

pub(super) const APPLY: Operation = Operation::keyed(9);

impl Homs {
    /// The image of a set. The result is kept alive by nothing: root it.
    pub fn apply(&mut self, dd: &mut Manager, h: Hom, set: Node) -> Result<Node, Halt> {
        self.outermost(dd, set, |homs, dd| homs.eval(dd, h, set))
    }

    /// Runs an evaluation that keeps `set`, and leaves all stacks as they were, whatever happens.
    pub(super) fn outermost<R>(
        &mut self,
        dd: &mut Manager,
        set: Node,
        run: impl FnOnce(&mut Homs, &mut Manager) -> Result<R, Halt>,
    ) -> Result<R, Halt> {
        let (kept, held, depth) = (dd.pushed(), dd.held_cells(), self.depth);
        dd.push(set);
        let result = run(self, dd);
        dd.pop(kept);
        dd.release(held);
        self.depth = depth;
        for frame in &mut self.frames[depth..] {
            frame.discharge(dd);
        }
        result
    }

    /// The image of a set that the caller keeps.
    pub(super) fn eval(&mut self, dd: &mut Manager, h: Hom, set: Node) -> Result<Node, Halt> {
        if set.is_zero() {
            return Ok(set);
        }
        match self.term(h) {
            Term::Id => return Ok(set),
            Term::Zero => return Ok(Node::ZERO),
            Term::Constant(c) => return Ok(c),
            Term::Meet(c) => return Ok(dd.intersection(set, c)?),
            Term::Minus(c) => return Ok(dd.difference(set, c)?),
            Term::Before(c) => return Ok(dd.concatenation(c, set)?),
            Term::After(c) => return Ok(dd.concatenation(set, c)?),
            // Below all levels of the system there is nothing to close.
            Term::Closure(system, rest)
                if dd.variable(set) < self.systems[system as usize].bottom =>
            {
                return self.eval(dd, rest, set);
            }
            _ => {}
        }
        let key = self.keys.key(dd, h.0);
        if let Some(known) = dd.cached(APPLY, key, set) {
            return Ok(known);
        }
        dd.step()?;
        self.charge(dd)?;
        let result = deep(|| self.eval_anew(dd, h, set))?;
        dd.cache(APPLY, key, set, result);
        Ok(result)
    }

    fn eval_anew(&mut self, dd: &mut Manager, h: Hom, set: Node) -> Result<Node, Halt> {
        if set == Node::ONE {
            return self.eval_one(dd, h);
        }
        let variable = dd.variable(set);
        let facts = self.facts(h);
        debug_assert!(
            facts.top <= variable || facts.top == NEVER_SKIPS,
            "variable {} is not in the diagram",
            facts.top
        );
        debug_assert!(dd
            .edges(set)
            .iter()
            .all(|e| dd.variable(e.child) < variable));
        if let Term::Closure(system, rest) = self.term(h) {
            return self.closure_at(dd, system, rest, h, set);
        }
        if facts.top < variable {
            return self.eval_below(dd, h, set);
        }
        if facts.top > variable && facts.top != NEVER_SKIPS {
            return Ok(Node::ZERO);
        }
        if facts.edgewise {
            return match dd.kind(set) {
                Kind::Set => self.eval_set_edges(dd, h, set),
                _ => self.eval_edges(dd, h, set),
            };
        }
        self.eval_whole(dd, h, set)
    }

    /// The image of the empty sequence: what needs a variable has none.
    fn eval_one(&mut self, dd: &mut Manager, h: Hom) -> Result<Node, Halt> {
        match self.term(h) {
            Term::Step(_) | Term::Pred(_) | Term::Assign(_) | Term::Local(..) | Term::Table(_) => {
                debug_assert!(false, "variable {} is not in the diagram", self.top(h));
                Ok(Node::ZERO)
            }
            Term::Relation(_) | Term::Opaque(_) => Ok(Node::ZERO),
            Term::User(number) => Ok(self.users[number as usize].clone().at_end()),
            Term::Closure(_, rest) => self.eval(dd, rest, Node::ONE),
            Term::Project(_) => Ok(Node::ONE),
            _ => self.eval_whole(dd, h, Node::ONE),
        }
    }

    /// The image under what skips the variable of the node: the same node over the children's images.
    pub(super) fn eval_below(&mut self, dd: &mut Manager, h: Hom, set: Node) -> Result<Node, Halt> {
        let variable = dd.variable(set);
        let kept = dd.pushed();
        let count = dd.len(set);
        let mut images = Vec::with_capacity(count);
        let mut same = true;
        for at in 0..count {
            let child = dd.edge(set, at).child;
            let image = self.eval(dd, h, child)?;
            same &= image == child;
            dd.push(image);
            images.push(image);
        }
        let result = if same {
            set
        } else if dd.kind(set) == Kind::Set {
            let labels = dd.edges(set).iter().map(|e| e.label_set());
            let pieces: Vec<(Node, Node)> = labels.zip(images).collect();
            dd.set_node(variable, &pieces)?
        } else {
            let pairs = dd.edges(set).iter().zip(images);
            let edges = pairs.map(|(e, image)| Edge::integer(e.value(), image));
            let edges: Vec<Edge> = edges.filter(|e| !e.child.is_zero()).collect();
            if edges.is_empty() {
                Node::ZERO
            } else {
                dd.sorted_node(variable, &edges)?
            }
        };
        dd.pop(kept);
        Ok(result)
    }

    fn eval_edges(&mut self, dd: &mut Manager, h: Hom, set: Node) -> Result<Node, Halt> {
        let variable = dd.variable(set);
        self.open(dd);
        for at in 0..dd.len(set) {
            let edge = dd.edge(set, at);
            self.fire(dd, h, None, variable, edge.value(), edge.child)?;
        }
        Ok(self.close(dd, variable)?)
    }

    /// Adds the image of an edge, closed under a system if there is one, to the node begun last.
    pub(super) fn fire(
        &mut self,
        dd: &mut Manager,
        h: Hom,
        system: Option<u32>,
        w: u32,
        v: i32,
        child: Node,
    ) -> Result<(), Halt> {
        dd.step()?;
        self.charge(dd)?;
        match self.row(h, w, v) {
            Row::Dead => Ok(()),
            Row::One(value, rest) => self.fire_one(dd, (value, rest, child), system),
            Row::Many(start, len) => {
                for at in start..start + len {
                    let (value, rest) = self.row_pairs[at as usize];
                    self.fire_one(dd, (value, rest, child), system)?;
                }
                Ok(())
            }
            Row::Complex | Row::Wide => {
                let kept = dd.pushed();
                let mut pieces = Vec::new();
                self.expand(dd, h, w, v, Hom::ID, child, &mut pieces)?;
                for piece in pieces {
                    self.fire_one(dd, piece, system)?;
                }
                dd.pop(kept);
                Ok(())
            }
        }
    }

    #[inline]
    fn fire_one(
        &mut self,
        dd: &mut Manager,
        (value, rest, child): (i32, Hom, Node),
        system: Option<u32>,
    ) -> Result<(), Halt> {
        let rest = match system {
            None => rest,
            Some(system) => self.closure(system, rest),
        };
        let image = self.eval(dd, rest, child)?;
        if image.is_zero() {
            return Ok(());
        }
        let kept = dd.pushed();
        dd.push(image);
        self.add(dd, value, image)?;
        dd.pop(kept);
        Ok(())
    }

    /// The image as the definition of the term says, on the whole of the set.
    fn eval_whole(&mut self, dd: &mut Manager, h: Hom, set: Node) -> Result<Node, Halt> {
        let kept = dd.pushed();
        let result = match self.term(h) {
            Term::Sum(a, b) => {
                let a = self.eval(dd, a, set)?;
                dd.push(a);
                let b = self.eval(dd, b, set)?;
                dd.union(a, b)?
            }
            Term::And(f, g) | Term::Compose(f, g) | Term::InTurn(f, g) => {
                let between = self.eval(dd, g, set)?;
                dd.push(between);
                self.eval(dd, f, between)?
            }
            Term::Both(a, b) => {
                let a = self.eval(dd, a, set)?;
                dd.push(a);
                let b = self.eval(dd, b, set)?;
                dd.intersection(a, b)?
            }
            Term::Not(s) => {
                let kept = self.eval(dd, s, set)?;
                dd.difference(set, kept)?
            }
            Term::Fixpoint(h) => self.iterate(dd, set, |homs, dd, set| homs.eval(dd, h, set))?,
            Term::Monotonic(..) => self.eval_monotonic(dd, h, set)?,
            Term::Project(number) => self.eval_projection(dd, h, number, set)?,
            Term::Opaque(number) => self.eval_opaque(dd, number, set)?,
            Term::Local(..) => return Err(plait_dd::Stop::Incompatible.into()),
            other => unreachable!("{other:?} is evaluated elsewhere"),
        };
        dd.pop(kept);
        Ok(result)
    }

    /// Applies until nothing changes; an error when an earlier set comes back, or after too many
    /// rounds.
    pub(super) fn iterate(
        &mut self,
        dd: &mut Manager,
        set: Node,
        mut round: impl FnMut(&mut Homs, &mut Manager, Node) -> Result<Node, Halt>,
    ) -> Result<Node, Halt> {
        // Brent's cycle detection: sets are equal when their nodes are, as long as the anchor lives.
        let (mut anchor, mut rounds, mut move_at) = (set, 0u64, 1u64);
        let cells = dd.hold(anchor);
        let current = dd.hold(set);
        let mut before = set;
        loop {
            let after = round(self, dd, before)?;
            if after == before {
                dd.release(cells);
                return Ok(after);
            }
            rounds += 1;
            if after == anchor || rounds > self.round_limit {
                return Err(Halt::Diverges { rounds });
            }
            dd.set_held(current, after);
            if rounds == move_at {
                anchor = after;
                dd.set_held(cells, anchor);
                move_at *= 2;
            }
            before = after;
        }
    }
}
