//! Shortest traces: layers of states by distance, and a way back through them.
//!
//! Layer `i` holds the states at distance `i` from the initial one. A trace to a state of layer `n` goes
//! back from it: some event leads to it from a state of layer `n - 1`. What the event leaves alone the
//! state before has too, and what a net-like event adds can be taken off again; so few states come into
//! question, and each is tried by executing the event. Nothing is inverted but synchronous steps, which
//! leave nothing alone (`back`).

use std::collections::HashMap;

use plait_dd::stack::deep;
use plait_dd::{Edge, Manager, Node, Root, Stop};
use plait_program::{Machine, Program, StateSet, Variant, Watch};

use crate::hom::{self, Hom, Homs};

/// The states at each distance from the initial one, as far as they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    layers: Vec<Root>,
    all: Option<Root>,
}

impl Layers {
    /// The layer of that distance; `None` when no state is that far.
    pub fn get(
        &mut self,
        dd: &mut Manager,
        homs: &mut Homs,
        next: Hom,
        initial: Node,
        distance: usize,
    ) -> Result<Option<Node>, hom::Halt> {
        while self.layers.len() <= distance {
            let all = self.all.as_ref().map_or(Node::ZERO, Root::node);
            let layer = match self.layers.last().map(Root::node) {
                None => initial,
                Some(last) if last.is_zero() => return Ok(None),
                Some(last) => {
                    let image = homs.apply(dd, next, last)?;
                    dd.difference(image, all)?
                }
            };
            // Both or none: what is stopped here may be asked again.
            let layer = dd.root(layer);
            let all = dd.union(all, layer.node())?;
            self.all = Some(dd.root(all));
            self.layers.push(layer);
        }
        Ok(Some(self.layers[distance].node()).filter(|layer| !layer.is_zero()))
    }

    /// A layer that [`Layers::get`] has found.
    pub fn at(&self, distance: usize) -> Node {
        self.layers[distance].node()
    }
}

/// Stops an event that takes long, or has many successors, where the budget of diagrams says so.
struct Watched<'a> {
    dd: &'a mut Manager,
    looked: Result<(), Stop>,
}

impl Watch for Watched<'_> {
    fn go_on(&mut self, bytes: usize) -> bool {
        // As much again as there is already.
        let growing = 2 * bytes as isize;
        self.dd.charge(growing);
        self.looked = self.looked.and_then(|()| self.dd.look_now());
        self.dd.charge(-growing);
        self.looked.is_ok()
    }
}

/// What is known of the cells of a state that is looked for: their values, or nothing.
type Pattern = Vec<Option<i32>>;

/// Looks for predecessors of states.
pub(crate) struct StepBack<'a> {
    pub program: &'a Program,
    /// The variable of each cell.
    pub variables: &'a [u32],
    machine: Machine,
    found: StateSet,
    /// Events that are looked at otherwise (`back`).
    pub left_out: Vec<u32>,
}

impl<'a> StepBack<'a> {
    pub fn new(program: &'a Program, variables: &'a [u32]) -> StepBack<'a> {
        StepBack {
            program,
            variables,
            machine: Machine::new(program),
            found: StateSet::new(variables.len()),
            left_out: Vec::new(),
        }
    }

    /// Events that lead from states of the set to the state, each with that state; at most so many.
    pub fn predecessors(
        &mut self,
        dd: &mut Manager,
        set: Node,
        state: &[i32],
        limit: usize,
    ) -> Result<Vec<(u32, Vec<i32>)>, Stop> {
        let kept = dd.pushed();
        dd.push(set);
        let mut found = Vec::new();
        for event in self.program.free() {
            if self.left_out.contains(event) {
                continue;
            }
            for pattern in self.patterns(*event, state) {
                let looked = self.matching(dd, set, (*event, state), &pattern, limit, &mut found);
                if looked.is_err() || found.len() == limit {
                    dd.pop(kept);
                    return looked.map(|()| found);
                }
            }
        }
        dd.pop(kept);
        Ok(found)
    }

    /// What states before the event can look like.
    fn patterns(&self, event: u32, state: &[i32]) -> Vec<Pattern> {
        let declared = &self.program.events()[event as usize];
        let net_like = declared.variants().filter(|variants| {
            let is_net = |v: &Variant| v.net().is_some();
            variants.iter().all(is_net)
        });
        let Some(variants) = net_like else {
            let mut pattern: Pattern = state.iter().copied().map(Some).collect();
            for (first, end) in self.program.support(event).writes.ranges() {
                pattern[*first as usize..*end as usize].fill(None);
            }
            return vec![pattern];
        };
        let patterns = variants.iter();
        patterns.filter_map(|v| undone(v, state)).collect()
    }

    /// Adds the states of the set with that pattern from which the event leads to the state.
    fn matching(
        &mut self,
        dd: &mut Manager,
        set: Node,
        (event, state): (u32, &[i32]),
        pattern: &Pattern,
        limit: usize,
        found: &mut Vec<(u32, Vec<i32>)>,
    ) -> Result<(), Stop> {
        let mut by_variable: Pattern = vec![None; pattern.len() + 1];
        for (variable, value) in self.variables.iter().zip(pattern) {
            by_variable[*variable as usize] = *value;
        }
        let kept = dd.pushed();
        let restricted = restrict(dd, &mut HashMap::new(), &by_variable, set);
        dd.pop(kept);
        let restricted = dd.root(restricted?);
        let mut values = vec![0; pattern.len() + 1];
        let mut cells = vec![0; pattern.len()];
        // Two variants of an event may come from the same state.
        let mut add = |cells: &[i32]| {
            if !found.iter().any(|(e, s)| *e == event && s == cells) {
                found.push((event, cells.to_vec()));
            }
            found.len() == limit
        };
        if restricted.node() == Node::ONE && self.leads(dd, event, &mut cells, state)? {
            add(&cells);
            return Ok(());
        }
        // A way down the diagram, each node with its next edge; there may be many states, so that the
        // budget is looked at between them.
        let mut way = vec![(restricted.node(), 0)];
        while let Some((node, at)) = way.last_mut() {
            if node.is_terminal() || *at == dd.len(*node) {
                way.pop();
                continue;
            }
            let edge = dd.edge(*node, *at);
            values[dd.variable(*node) as usize] = edge.value();
            *at += 1;
            if !edge.child.is_terminal() {
                way.push((edge.child, 0));
                continue;
            }
            dd.step()?;
            for (cell, variable) in cells.iter_mut().zip(self.variables) {
                *cell = values[*variable as usize];
            }
            if self.leads(dd, event, &mut cells, state)? && add(&cells) {
                break;
            }
        }
        Ok(())
    }

    fn leads(
        &mut self,
        dd: &mut Manager,
        event: u32,
        from: &mut [i32],
        to: &[i32],
    ) -> Result<bool, Stop> {
        self.found = StateSet::new(to.len());
        let looked = Ok(());
        let mut watch = Watched { dd, looked };
        let executed =
            self.machine
                .successors(self.program, event, from, &mut watch, &mut self.found);
        watch.looked?;
        Ok(executed.is_ok() && self.found.iter().any(|s| s == to))
    }
}

/// The pattern of the states that a net-like variant leads from to the state; `None` if there are none.
fn undone(variant: &Variant, state: &[i32]) -> Option<Pattern> {
    let updates = variant.net()?;
    let mut pattern: Pattern = state.iter().copied().map(Some).collect();
    for update in updates {
        let after = state[update.cell as usize];
        pattern[update.cell as usize] = if update.keep == 0 {
            (after == update.amount).then_some(None)?
        } else {
            Some(after.wrapping_sub(update.amount))
        };
    }
    let holds = |test: &plait_program::Test| {
        let value = pattern[test.cell as usize];
        value.is_none_or(|v| test.interval.contains(v))
    };
    variant.tests().iter().all(holds).then_some(pattern)
}

/// The states of the set with that pattern, by variable.
fn restrict(
    dd: &mut Manager,
    done: &mut HashMap<Node, Node>,
    pattern: &Pattern,
    set: Node,
) -> Result<Node, Stop> {
    if set.is_terminal() {
        return Ok(set);
    }
    if let Some(known) = done.get(&set) {
        return Ok(*known);
    }
    dd.step()?;
    let variable = dd.variable(set);
    let mut edges = Vec::new();
    for at in 0..dd.len(set) {
        let edge = dd.edge(set, at);
        if pattern[variable as usize].is_some_and(|value| value != edge.value()) {
            continue;
        }
        let child = deep(|| restrict(dd, done, pattern, edge.child))?;
        if !child.is_zero() {
            edges.push(Edge::integer(edge.value(), child));
        }
    }
    let node = dd.integer_node(variable, &edges)?;
    dd.push(node);
    done.insert(set, node);
    Ok(node)
}
