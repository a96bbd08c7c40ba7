//! Shortest paths between given states, inside a set: the segments of witnesses for CTL.
//!
//! As `trace`, but from any reachable state: layers of states by their distance from it, forward until
//! a layer meets the goal, and back through them by executing events.

use std::sync::Arc;

use plait_dd::{Edge, Node, Root, Stop};

use crate::encoded::{Encoded, Halt, TraceStep};
use crate::inverse::Direction;
use crate::trace::StepBack;

impl Encoded {
    /// The set of one state, by cell.
    pub fn single(&mut self, state: &[i32]) -> Result<Root, Halt> {
        let mut by_variable = vec![0; self.variables().len() + 1];
        for (variable, value) in self.variables().iter().zip(state) {
            by_variable[*variable as usize] = *value;
        }
        let mut node = Node::ONE;
        for (variable, value) in by_variable.into_iter().enumerate().skip(1) {
            let edge = Edge::integer(value, node);
            node = self.dd.integer_node(variable as u32, &[edge])?;
        }
        Ok(self.dd.root(node))
    }

    /// Whether a state is in a set.
    pub fn contains(&mut self, set: Node, state: &[i32]) -> Result<bool, Halt> {
        let set = self.dd.root(set);
        let state = self.single(state)?;
        self.includes(&set, &state)
    }

    /// A shortest path from a reachable state to the goal, all of whose states before the last are in
    /// `stay`; with `moved`, of at least one step. `None` when there is none.
    pub fn path(
        &mut self,
        from: &[i32],
        (stay, goal): (Node, Node),
        moved: bool,
    ) -> Result<Option<Vec<TraceStep>>, Halt> {
        let (stay, goal) = (self.dd.root(stay), self.dd.root(goal));
        let start = self.single(from)?;
        if !moved && self.includes(&goal, &start)? {
            return Ok(Some(vec![(None, from.to_vec())]));
        }
        let (stay, goal) = (self.inner(stay.node())?, self.inner(goal.node())?);
        let start = self.inner(start.node())?;
        let mut left = self.inner_reachable()?;
        if !moved {
            left = self.difference(&left, &start)?;
        }
        let mut layers: Vec<Root> = Vec::new();
        let mut last = start;
        loop {
            let here = self.intersection(&last, &stay)?;
            last = self.step(Direction::Forward, &left, &here)?;
            layers.push(here);
            if last.node().is_zero() {
                return Ok(None);
            }
            let met = self.intersection(&last, &goal)?;
            if !met.node().is_zero() {
                return self.back_through(&layers, &met).map(Some);
            }
            left = self.difference(&left, &last)?;
        }
    }

    /// A path through the layers, one state of each, to one of the last states.
    fn back_through(&mut self, layers: &[Root], ends: &Root) -> Result<Vec<TraceStep>, Halt> {
        let ends = self.outer(ends)?;
        let picked = self.dd.pick(ends.node()).unwrap_or_default();
        let mut state = self.state(&picked);
        let program = Arc::clone(self.program());
        let variables = self.variables().to_vec();
        let mut back = StepBack::new(&program, &variables);
        let mut steps = Vec::with_capacity(layers.len() + 1);
        for layer in layers.iter().rev() {
            let layer = self.outer(layer)?;
            let found = self.before(&mut back, layer.node(), &state)?;
            let (event, before) = found.ok_or(Halt::Stop(Stop::Incompatible))?;
            steps.push((Some(event), std::mem::replace(&mut state, before)));
        }
        steps.push((None, state));
        steps.reverse();
        Ok(steps)
    }
}
