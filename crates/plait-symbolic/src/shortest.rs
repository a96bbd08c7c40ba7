//! Shortest traces of a program to a set of its states: one, or several that differ.
//!
//! The layers of `trace` tell how far the nearest state of the set is. From there every step back leads
//! to a state one layer nearer to the initial one, and every state of a layer has such a step; so a walk
//! back through the layers that tries all steps in turn meets all shortest traces and no dead end.

use std::sync::Arc;

use plait_dd::{Node, Root, Stop};

use crate::encoded::{Encoded, Halt, TraceStep};
use crate::hom::Hom;
use crate::trace::StepBack;

impl Encoded {
    /// A shortest trace to a state of the set; `None` when none is reachable.
    pub fn trace(&mut self, targets: Node) -> Result<Option<Vec<TraceStep>>, Halt> {
        Ok(self.traces(targets, 1)?.pop())
    }

    /// Shortest traces to states of the set, no two of them the same, at most so many; none when no state
    /// is reachable. Traces differ in an event or in a state.
    pub fn traces(&mut self, targets: Node, limit: usize) -> Result<Vec<Vec<TraceStep>>, Halt> {
        let targets = self.dd.root(targets);
        let Some((distance, nearest)) = self.nearest(targets.node())? else {
            return Ok(Vec::new());
        };
        let ends: Vec<_> = self.dd.states(nearest.node()).take(limit).collect();
        let ends = ends.iter().rev().map(|s| (None, self.state(s)));
        // For each step from the end what may stand there: an event, and the state that it leads from.
        let mut choices: Vec<Vec<TraceStep>> = vec![ends.collect()];
        let mut way: Vec<TraceStep> = Vec::with_capacity(distance + 1);
        let mut traces = Vec::new();
        let program = Arc::clone(self.program());
        let variables = self.variables().to_vec();
        let mut back = StepBack::new(&program, &variables);
        while let Some(here) = choices.last_mut() {
            let Some(step) = here.pop() else {
                choices.pop();
                way.pop();
                continue;
            };
            way.push(step);
            if way.len() > distance {
                traces.push(forward(&way));
                if traces.len() == limit {
                    break;
                }
                way.pop();
                continue;
            }
            let layer = self.layers.at(distance - way.len());
            let state = &way[way.len() - 1].1;
            let left = limit - traces.len();
            let mut before = self.all_before(&mut back, layer, state, left)?;
            if before.is_empty() {
                return Err(Halt::Stop(Stop::Incompatible));
            }
            before.reverse();
            let before = before.into_iter();
            choices.push(before.map(|(event, s)| (Some(event), s)).collect());
        }
        Ok(traces)
    }

    /// The least distance of a state of the set, and all of its states at that distance.
    fn nearest(&mut self, targets: Node) -> Result<Option<(usize, Root)>, Halt> {
        let initial = self.initial()?;
        let homs: Vec<Hom> = self.events().iter().map(|e| e.hom).collect();
        let next = self.homs.sum(&homs);
        for distance in 0.. {
            let layer =
                self.layers
                    .get(&mut self.dd, &mut self.homs, next, initial.node(), distance)?;
            let Some(layer) = layer else {
                break;
            };
            let found = self.dd.intersection(layer, targets)?;
            if !found.is_zero() {
                return Ok(Some((distance, self.dd.root(found))));
            }
        }
        Ok(None)
    }
}

/// A trace from what was found on the way back: there an event stands beside the state before it.
fn forward(way: &[TraceStep]) -> Vec<TraceStep> {
    let events = way.iter().skip(1).map(|step| step.0).chain([None]);
    let states = way.iter().map(|step| step.1.clone());
    let mut steps: Vec<TraceStep> = events.zip(states).collect();
    steps.reverse();
    steps
}
