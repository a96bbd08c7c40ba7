//! Breadth-first layers and shortest traces.
//!
//! Layer `i` holds the states at distance `i` from the initial ones. A shortest trace to a state of
//! layer `n` goes back from it: some event leads to it from a state of layer `n - 1`, which is looked
//! for in that layer's diagram, level by level: the event's function must lead from the label on the
//! edge to the label of the target. No predecessor relation is built.

use std::collections::HashSet;

use plait_dd::{Manager, Node, Root, Stop};

use crate::relation::{Relation, END};

/// The states at each distance from the initial ones, as far as they were asked for.
#[derive(Debug, Default)]
pub struct Layers {
    layers: Vec<Root>,
    all: Option<Root>,
}

/// A state of a relation: the local state of each level; 0 is not used.
pub type Labels = Vec<u32>;

impl Layers {
    /// The layer of that distance; `None` when no state is that far.
    pub fn get(
        &mut self,
        dd: &mut Manager,
        relation: &mut Relation,
        distance: usize,
    ) -> Result<Option<Node>, Stop> {
        while self.layers.len() <= distance {
            let next = match self.layers.last() {
                None => relation.initial_states(dd)?,
                Some(last) if last.node().is_zero() => return Ok(None),
                Some(last) => {
                    let last = last.node();
                    let image = relation.successors(dd, last)?;
                    let all = self.all.as_ref().map_or(Node::ZERO, Root::node);
                    dd.difference(image, all)?
                }
            };
            let layer = dd.root(next);
            let all = self.all.as_ref().map_or(Node::ZERO, Root::node);
            let all = dd.union(all, next)?;
            self.all = Some(dd.root(all));
            self.layers.push(layer);
        }
        Ok(Some(self.layers[distance].node()).filter(|n| !n.is_zero()))
    }

    /// A path to a state of the layer of that distance, which must be there: the initial state, then
    /// each event of the net with the state it leads to.
    pub fn path_to(
        &self,
        dd: &Manager,
        relation: &Relation,
        distance: usize,
        target: Labels,
    ) -> (Labels, Vec<(usize, Labels)>) {
        let mut steps = Vec::with_capacity(distance);
        let mut state = target;
        for layer in self.layers[..distance].iter().rev() {
            let (event, before) = relation
                .predecessor(dd, layer.node(), &state)
                .expect("every state of a layer has a predecessor in the one before");
            steps.push((event, std::mem::replace(&mut state, before)));
        }
        steps.reverse();
        (state, steps)
    }
}

impl Relation {
    /// The union of what all events make of a set.
    fn successors(&mut self, dd: &mut Manager, set: Node) -> Result<Node, Stop> {
        let base = dd.pushed();
        dd.push(set);
        let mut next = Node::ZERO;
        let mut result = Ok(());
        for event in 0..self.events.len() {
            let kept = dd.pushed();
            dd.push(next);
            result = self
                .image(dd, self.events[event], self.levels(), set)
                .and_then(|image| dd.union(next, image))
                .map(|sum| next = sum);
            dd.pop(kept);
            if result.is_err() {
                break;
            }
        }
        dd.pop(base);
        self.settle(dd, result.is_err());
        result.map(|()| next)
    }

    /// An event of the net that leads from some state of the set to the state, and that state.
    fn predecessor(&self, dd: &Manager, set: Node, state: &Labels) -> Option<(usize, Labels)> {
        let mut before = vec![0; state.len()];
        (0..self.tail_of.len()).find_map(|event| {
            let mut hopeless = HashSet::new();
            self.step_back(
                dd,
                self.tail_of[event],
                set,
                state,
                &mut before,
                &mut hopeless,
            )
            .then(|| (event, before.clone()))
        })
    }

    /// Whether the event with this tail leads from a state below the node to the state; finds it.
    ///
    /// The walk keeps its own stack: there are as many levels as places.
    fn step_back(
        &self,
        dd: &Manager,
        tail: u32,
        set: Node,
        state: &Labels,
        before: &mut Labels,
        hopeless: &mut HashSet<Node>,
    ) -> bool {
        // (node, tail at the node, next edge)
        let mut stack = vec![(set, tail, 0)];
        while let Some((node, tail, at)) = stack.last_mut() {
            let (node, tail) = (*node, *tail);
            if node == Node::ONE {
                return true;
            }
            if *at == dd.len(node) || hopeless.contains(&node) {
                hopeless.insert(node);
                stack.pop();
                continue;
            }
            let edge = dd.edge(node, *at);
            *at += 1;
            let (k, label) = (dd.variable(node) as usize, edge.value() as u32);
            let link = self.tails[tail as usize];
            let (leads, below) = if tail != END && link.level as usize == k {
                (self.row(k, label)[link.function as usize], link.next)
            } else {
                (label, tail)
            };
            if leads == state[k] {
                before[k] = label;
                stack.push((edge.child, below, 0));
            }
        }
        false
    }

    /// The local states of a state given by cells; `None` when one was never discovered.
    pub fn labels_of(&self, cells: &[i32]) -> Option<Labels> {
        let mut labels = vec![0; self.levels.len()];
        for (label, level) in labels.iter_mut().zip(&self.levels).skip(1) {
            let local: Vec<i32> = level.cells.iter().map(|c| cells[*c as usize]).collect();
            *label = self.spaces[level.local.space].find(&local)?;
        }
        Some(labels)
    }

    /// The cells of a state given by local states.
    pub fn cells_of(&self, labels: &Labels) -> Vec<i32> {
        let mut cells = vec![0; self.cells()];
        for (k, label) in labels.iter().enumerate().skip(1) {
            let (places, values) = self.local_state(k, *label);
            for (cell, value) in places.iter().zip(values) {
                cells[*cell as usize] = *value;
            }
        }
        cells
    }
}
