//! Steps by some of the events only, from sets that need not be reachable states all of them.
//!
//! What searches with partial-order reduction are made of (Vander Meulen, *Combining Partial Order
//! Reduction with Symbolic Model Checking*, 2012): the image of a set under the events of one process,
//! and the states of a set in which one of them is enabled. Unlike `steps` nothing here needs the
//! reachable states: that they are not computed is the point. Sets are by cell, and events are
//! homomorphisms, also those of nets.

use std::collections::HashSet;
use std::sync::Arc;

use plait_dd::{Node, Root, Stop};

use crate::encoded::{Encoded, Halt, TraceStep};
use crate::hom::Hom;
use crate::trace::StepBack;

impl Encoded {
    /// The states that one of the events leads to from the set.
    pub fn image_under(&mut self, events: &[u32], set: Node) -> Result<Root, Halt> {
        let set = self.dd.root(set);
        let chosen: HashSet<u32> = events.iter().copied().collect();
        let known = self.events().iter().filter(|e| chosen.contains(&e.event));
        let homs: Vec<Hom> = known.map(|e| e.hom).collect();
        let sum = self.homs.sum(&homs);
        self.image(sum, set.node())
    }

    /// The states of the set in which one of the events has a successor.
    pub fn enabled_under(&mut self, events: &[u32], set: Node) -> Result<Root, Halt> {
        let mut left = self.dd.root(set);
        let mut found = self.dd.root(Node::ZERO);
        for event in events {
            let enabled = self.enabled(*event, left.node())?;
            found = self.union(&found, &enabled)?;
            left = self.difference(&left, &enabled)?;
        }
        Ok(found)
    }

    /// A shortest path from the initial state to the goal all of whose states are in `inside`; `None`
    /// when there is none.
    pub fn path_inside(
        &mut self,
        inside: Node,
        goal: Node,
    ) -> Result<Option<Vec<TraceStep>>, Halt> {
        let (inside, goal) = (self.dd.root(inside), self.dd.root(goal));
        let goal = self.intersection(&goal, &inside)?;
        let events = self.program().free().to_vec();
        let initial = self.initial()?;
        let mut last = self.intersection(&initial, &inside)?;
        let mut left = self.difference(&inside, &last)?;
        let mut layers: Vec<Root> = Vec::new();
        while !last.node().is_zero() {
            let met = self.intersection(&last, &goal)?;
            if !met.node().is_zero() {
                return self.back(&layers, &met).map(Some);
            }
            let image = self.image_under(&events, last.node())?;
            layers.push(last);
            last = self.intersection(&image, &left)?;
            left = self.difference(&left, &last)?;
        }
        Ok(None)
    }

    /// A state of the set from which a step leads to a state, with the event; `None` if there is none.
    ///
    /// The set need not be one of reachable states.
    pub fn step_back(&mut self, set: Node, state: &[i32]) -> Result<Option<(u32, Vec<i32>)>, Halt> {
        let set = self.dd.root(set);
        let program = Arc::clone(self.program());
        let variables = self.variables().to_vec();
        let mut back = StepBack::new(&program, &variables);
        self.before(&mut back, set.node(), state)
    }

    /// A path through the layers, one state of each, to one of the last states.
    fn back(&mut self, layers: &[Root], ends: &Root) -> Result<Vec<TraceStep>, Halt> {
        let picked = self.dd.pick(ends.node()).unwrap_or_default();
        let mut state = self.state(&picked);
        let program = Arc::clone(self.program());
        let variables = self.variables().to_vec();
        let mut back = StepBack::new(&program, &variables);
        let mut steps = Vec::with_capacity(layers.len() + 1);
        for layer in layers.iter().rev() {
            let found = self.before(&mut back, layer.node(), &state)?;
            let (event, before) = found.ok_or(Halt::Stop(Stop::Incompatible))?;
            steps.push((Some(event), std::mem::replace(&mut state, before)));
        }
        steps.push((None, state));
        steps.reverse();
        Ok(steps)
    }
}
