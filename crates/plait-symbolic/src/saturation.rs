//! Saturation: a node is closed under the events below its level before anyone sees it.
//!
//! After Ciardo, Marmorstein and Siminiscu; structural model checking, sections 4.4 and 4.6. Invariant:
//! every node that is closed (hash-consed, cached) at level `k` encodes a set closed under all events
//! whose top is at most `k`. Firing the tail of an event in such a node therefore gives, after closing
//! the result in turn, the closure of its image, which can be cached for good.
//!
//! What is different here: an open node keeps a list of labels whose child has grown since they were
//! last fired, and fires all events on a label taken from it; so no event is fired twice on the same
//! child, and the end is the empty list (the rule of |E_k| fruitless firings, label by label). Events
//! that share the tail below the level are fired together. Each level has one open node at a time, in
//! the slot of its number; while it is open only lower levels are worked on.

use plait_dd::stack::deep;
use plait_dd::{Manager, Node, Operation, Stop};

use crate::local::{FAULT, NONE};
use crate::relation::{Relation, END};

const FIRE: Operation = Operation::keyed(0);
const SATURATE: Operation = Operation::keyed(1);

impl Relation {
    /// The closure of the initial states.
    pub(crate) fn saturate_initial(&mut self, dd: &mut Manager) -> Result<Node, Stop> {
        let mut states: Vec<Vec<u32>> = self.initial.clone();
        states.sort_unstable_by(|a, b| b.iter().rev().cmp(a.iter().rev()));
        self.saturate_states(dd, self.levels(), &states)
    }

    /// The closure of explicit states that agree above level `k` and are sorted, last level first.
    fn saturate_states(
        &mut self,
        dd: &mut Manager,
        k: usize,
        states: &[Vec<u32>],
    ) -> Result<Node, Stop> {
        if k == 0 {
            return Ok(Node::ONE);
        }
        deep(|| {
            for group in states.chunk_by(|a, b| a[k] == b[k]) {
                let child = self.saturate_states(dd, k - 1, group)?;
                dd.open_set(k, group[0][k], child);
            }
            self.closed(dd, k)
        })
    }

    /// The states that can be reached from a set of states, whose local states are all known.
    pub fn closure(&mut self, dd: &mut Manager, states: Node) -> Result<plait_dd::Root, Stop> {
        let kept = dd.pushed();
        dd.push(states);
        let result = self.saturate_set(dd, self.levels(), states);
        dd.pop(kept);
        self.settle(dd, result.is_err());
        result.map(|states| dd.root(states))
    }

    pub(crate) fn saturate_set(
        &mut self,
        dd: &mut Manager,
        k: usize,
        set: Node,
    ) -> Result<Node, Stop> {
        if set.is_terminal() {
            return Ok(set);
        }
        if let Some(result) = dd.cached(SATURATE, self.first_key, set) {
            return Ok(result);
        }
        dd.step()?;
        let result = deep(|| {
            for at in 0..dd.len(set) {
                let edge = dd.edge(set, at);
                let child = self.saturate_set(dd, k - 1, edge.child)?;
                dd.open_set(k, edge.value() as u32, child);
            }
            self.closed(dd, k)
        })?;
        dd.cache(SATURATE, self.first_key, set, result);
        self.note_closed(dd, result);
        Ok(result)
    }

    /// Caches that a set is its own closure.
    #[inline]
    pub(crate) fn note_closed(&mut self, dd: &mut Manager, set: Node) {
        dd.cache(SATURATE, self.first_key, set, set);
    }

    /// The node that the open one of level `k` becomes, once it is closed under the events below.
    #[inline]
    fn closed(&mut self, dd: &mut Manager, k: usize) -> Result<Node, Stop> {
        self.saturate(dd, k)?;
        self.seal(dd, k)
    }

    /// The node that the open one of level `k` is, which is closed.
    #[inline]
    pub(crate) fn seal(&mut self, dd: &mut Manager, k: usize) -> Result<Node, Stop> {
        let node = dd.open_close(k, k as u32)?;
        // Where allocations are refused, nobody looks at this list.
        #[cfg(test)]
        if self.closed_nodes.try_reserve(1).is_ok() {
            self.closed_nodes.push((k, node));
        }
        Ok(node)
    }

    /// Closes the open node of level `k`, whose children are closed.
    pub(crate) fn saturate(&mut self, dd: &mut Manager, k: usize) -> Result<(), Stop> {
        if self.levels[k].groups.is_empty() {
            return Ok(());
        }
        debug_assert!(self.levels[k].queue.is_empty());
        for at in (0..dd.open_len(k)).rev() {
            self.enqueue(k, dd.open_label(k, at));
        }
        if self.in_rounds {
            return self.saturate_in_rounds(dd, k);
        }
        while let Some(label) = self.levels[k].queue.pop() {
            self.levels[k].queued[label as usize] = false;
            dd.step()?;
            for group in 0..self.levels[k].groups.len() {
                self.fire_group(dd, k, group, label)?;
            }
        }
        Ok(())
    }

    /// Fires the events of a group on one label of the open node.
    #[inline]
    fn fire_group(
        &mut self,
        dd: &mut Manager,
        k: usize,
        group: usize,
        label: u32,
    ) -> Result<(), Stop> {
        let row = self.row(k, label);
        let group_of = &self.levels[k].groups[group];
        if group_of.functions.iter().all(|f| row[*f as usize] == NONE) {
            return Ok(());
        }
        let count = group_of.functions.len();
        let child = dd.open_get(k, label);
        let image = self.fire(dd, group_of.tail, k - 1, child)?;
        if image.is_zero() {
            return Ok(());
        }
        for at in 0..count {
            let function = self.levels[k].groups[group].functions[at] as usize;
            let target = self.row(k, label)[function];
            if target != NONE && self.add(dd, k, target, image)? {
                self.enqueue(k, target);
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn enqueue(&mut self, k: usize, label: u32) {
        let level = &mut self.levels[k];
        let at = label as usize;
        if level.queued.len() <= at {
            level.queued.resize((at + 1).next_power_of_two(), false);
        }
        if !std::mem::replace(&mut level.queued[at], true) {
            level.queue.push(label);
        }
    }

    /// Adds a set (not `0`) under a label of the open node; whether that was new. Confirms the label.
    ///
    /// The set need not be kept: the union keeps its operands, and nothing else here makes nodes.
    #[inline]
    pub(crate) fn add(
        &mut self,
        dd: &mut Manager,
        k: usize,
        label: u32,
        set: Node,
    ) -> Result<bool, Stop> {
        let before = dd.open_get(k, label);
        if before.is_zero() {
            self.confirm(dd, k, label)?;
        }
        let after = dd.union(before, set)?;
        if after == before {
            return Ok(false);
        }
        dd.open_set(k, label, after);
        Ok(true)
    }

    /// Notes that a local state of a level occurs.
    #[inline]
    pub(crate) fn confirm(&mut self, dd: &mut Manager, k: usize, label: u32) -> Result<(), Stop> {
        let local = &mut self.levels[k].local;
        if !local.is_confirmed(label) {
            if label == FAULT {
                self.fault = Some(k);
                return Err(Stop::Fault);
            }
            let bytes = local.confirm(&mut self.spaces[local.space], label);
            dd.charge(bytes as isize);
        }
        Ok(())
    }

    /// The closure, under the events with top at most `k`, of what a tail makes of a closed set.
    pub(crate) fn fire(
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
        if let Some(result) = dd.cached(FIRE, key, set) {
            return Ok(result);
        }
        dd.step()?;
        let result = deep(|| self.fire_anew(dd, tail, k, set))?;
        dd.cache(FIRE, key, set, result);
        Ok(result)
    }

    fn fire_anew(
        &mut self,
        dd: &mut Manager,
        tail: u32,
        k: usize,
        set: Node,
    ) -> Result<Node, Stop> {
        self.image_into_open(dd, tail, k, set, Relation::fire)?;
        if dd.open_len(k) == 0 {
            return Ok(Node::ZERO);
        }
        self.closed(dd, k)
    }

    /// Writes the image of a set under a tail into the open node of level `k`; `below` gives images
    /// of children.
    #[inline(always)]
    pub(crate) fn image_into_open(
        &mut self,
        dd: &mut Manager,
        tail: u32,
        k: usize,
        set: Node,
        below: impl Fn(&mut Relation, &mut Manager, u32, usize, Node) -> Result<Node, Stop>,
    ) -> Result<(), Stop> {
        let link = self.tails[tail as usize];
        let edges = dd.len(set);
        dd.walk(edges)?;
        if link.level as usize != k {
            for at in 0..edges {
                let edge = dd.edge(set, at);
                let image = below(self, dd, tail, k - 1, edge.child)?;
                if !image.is_zero() {
                    dd.open_set(k, edge.value() as u32, image);
                }
            }
            return Ok(());
        }
        let function = link.function as usize;
        for at in 0..edges {
            let edge = dd.edge(set, at);
            let target = self.row(k, edge.value() as u32)[function];
            if target == NONE {
                continue;
            }
            let image = below(self, dd, link.next, k - 1, edge.child)?;
            if !image.is_zero() {
                self.add(dd, k, target, image)?;
            }
        }
        Ok(())
    }
}
