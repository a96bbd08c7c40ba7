//! The strategies before saturation: breadth-first search, chaining, forwarding.
//!
//! Structural model checking, sections 4.2 and 4.3. They work on the same relation and the same
//! diagrams, so that their results are the same node, and their cost can be compared.
//!
//! Forwarding fires, in each node, the events whose top is the node's level, as long as they bring
//! something (full pipelining), and lets a sweep rebuild the parents; the arc that forwards from a node
//! to its update is the cached result of the sweep.

use plait_dd::stack::deep;
use plait_dd::{Edge, Manager, Node, Operation, Stop};

use crate::local::NONE;
use crate::relation::{Relation, END};

const IMAGE: Operation = Operation::keyed(2);
const FORWARD: Operation = Operation::keyed(3);

impl Relation {
    /// The initial states as a diagram.
    pub(crate) fn initial_states(&mut self, dd: &mut Manager) -> Result<Node, Stop> {
        let mut all = Node::ZERO;
        for state in 0..self.initial.len() {
            let kept = dd.pushed();
            dd.push(all);
            let mut node = Node::ONE;
            for k in 1..=self.levels() {
                let label = self.initial[state][k] as i32;
                node = dd.integer_node(k as u32, &[Edge::integer(label, node)])?;
            }
            all = dd.union(all, node)?;
            dd.pop(kept);
        }
        Ok(all)
    }

    pub(crate) fn breadth_first(
        &mut self,
        dd: &mut Manager,
        frontier: bool,
    ) -> Result<(Node, usize), Stop> {
        self.sweep(dd, frontier, |relation, dd, last| {
            relation.fire_all(dd, Node::ZERO, |_| last)
        })
    }

    pub(crate) fn chaining(
        &mut self,
        dd: &mut Manager,
        frontier: bool,
    ) -> Result<(Node, usize), Stop> {
        self.sweep(dd, frontier, |relation, dd, last| {
            relation.fire_all(dd, last, |found| found)
        })
    }

    /// Adds the image of every event to `found`; `on` says, of what is found so far, which set it is
    /// fired on.
    fn fire_all(
        &mut self,
        dd: &mut Manager,
        mut found: Node,
        on: impl Fn(Node) -> Node,
    ) -> Result<Node, Stop> {
        for event in 0..self.events.len() {
            let kept = dd.pushed();
            dd.push(found);
            let image = self.image(dd, self.events[event], self.levels(), on(found))?;
            found = dd.union(found, image)?;
            dd.pop(kept);
        }
        Ok(found)
    }

    /// Rounds of a step on all states or on those found last, until nothing is new.
    fn sweep(
        &mut self,
        dd: &mut Manager,
        frontier: bool,
        step: impl Fn(&mut Relation, &mut Manager, Node) -> Result<Node, Stop>,
    ) -> Result<(Node, usize), Stop> {
        let base = dd.pushed();
        let mut all = self.initial_states(dd)?;
        let mut last = all;
        let mut rounds = 0;
        loop {
            dd.pop(base);
            dd.push(all);
            dd.push(last);
            let next = step(self, dd, last)?;
            dd.push(next);
            let sum = dd.union(all, next)?;
            if sum == all {
                return Ok((all, rounds));
            }
            rounds += 1;
            dd.push(sum);
            last = if frontier {
                dd.difference(next, all)?
            } else {
                sum
            };
            all = sum;
        }
    }

    /// What the event with this tail makes of a set, not closed.
    pub(crate) fn image(
        &mut self,
        dd: &mut Manager,
        tail: u32,
        k: usize,
        set: Node,
    ) -> Result<Node, Stop> {
        if tail == END {
            return Ok(set);
        }
        let key = self.first_key + tail;
        if let Some(result) = dd.cached(IMAGE, key, set) {
            return Ok(result);
        }
        dd.step()?;
        let result = deep(|| {
            self.image_into_open(dd, tail, k, set, Relation::image)?;
            dd.open_close(k, k as u32)
        })?;
        dd.cache(IMAGE, key, set, result);
        Ok(result)
    }

    pub(crate) fn forwarding(&mut self, dd: &mut Manager) -> Result<(Node, usize), Stop> {
        let base = dd.pushed();
        let mut all = self.initial_states(dd)?;
        let mut rounds = 0;
        loop {
            dd.pop(base);
            dd.push(all);
            let next = self.forward(dd, self.levels(), all)?;
            if next == all {
                return Ok((all, rounds));
            }
            rounds += 1;
            all = next;
        }
    }

    /// One sweep through a diagram: children first, then the events of this level.
    fn forward(&mut self, dd: &mut Manager, k: usize, set: Node) -> Result<Node, Stop> {
        if set.is_terminal() {
            return Ok(set);
        }
        if let Some(result) = dd.cached(FORWARD, self.first_key, set) {
            return Ok(result);
        }
        dd.step()?;
        let result = deep(|| {
            for at in 0..dd.len(set) {
                let edge = dd.edge(set, at);
                let child = self.forward(dd, k - 1, edge.child)?;
                dd.open_set(k, edge.value() as u32, child);
            }
            for group in 0..self.levels[k].groups.len() {
                self.pipeline(dd, k, group)?;
            }
            dd.open_close(k, k as u32)
        })?;
        dd.cache(FORWARD, self.first_key, set, result);
        Ok(result)
    }

    /// Fires the events of a group in the open node until they bring nothing new.
    fn pipeline(&mut self, dd: &mut Manager, k: usize, group: usize) -> Result<(), Stop> {
        for at in 0..dd.open_len(k) {
            self.enqueue(k, dd.open_label(k, at));
        }
        while let Some(label) = self.levels[k].queue.pop() {
            self.levels[k].queued[label as usize] = false;
            dd.step()?;
            for at in 0..self.levels[k].groups[group].functions.len() {
                let group = &self.levels[k].groups[group];
                let target = self.row(k, label)[group.functions[at] as usize];
                if target == NONE {
                    continue;
                }
                let child = dd.open_get(k, label);
                let image = self.image(dd, group.tail, k - 1, child)?;
                let kept = dd.pushed();
                dd.push(image);
                if !image.is_zero() && self.add(dd, k, target, image)? {
                    self.enqueue(k, target);
                }
                dd.pop(kept);
            }
        }
        Ok(())
    }
}
