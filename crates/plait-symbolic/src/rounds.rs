//! Saturation in rounds: what events find is joined to what is closed, and only then closed itself.
//!
//! Saturation (`crate::saturation`) closes every image by itself before it is added to a node. When
//! most of an image is known already, all of that is found once more, in nodes that the union throws
//! away. Here the events of a level are fired on all labels whose child has grown, the images under
//! one label are added up as they are, and the sum is *joined* to the closed child: the closure of
//! a union one part of which is closed. Where both have an edge the join goes on below, and only edges
//! that have grown are fired; of what is known already nothing is done again. That is the order of
//! evaluation of automatic saturation (Hamez, Thierry-Mieg and Kordon 2008), where closing the union is
//! the next round of the nested fixpoint.
//!
//! Images that are not closed are irregular sets, so on models whose closed sets are very regular
//! (rings, counters) this takes up to three times as long; on nets of many small machines that wait
//! for each other it is faster by any factor.

use plait_dd::stack::deep;
use plait_dd::{Manager, Node, Operation, Stop};

use crate::local::NONE;
use crate::relation::Relation;

impl Relation {
    /// Closes the open node of level `k`, whose children are closed; the labels to be fired wait.
    pub(crate) fn saturate_in_rounds(&mut self, dd: &mut Manager, k: usize) -> Result<(), Stop> {
        let mut labels = Vec::new();
        while !self.levels[k].queue.is_empty() {
            std::mem::swap(&mut labels, &mut self.levels[k].queue);
            for label in labels.drain(..) {
                self.levels[k].queued[label as usize] = false;
                dd.step()?;
                self.collect_images(dd, k, label)?;
            }
            self.join_images(dd, k)?;
        }
        Ok(())
    }

    /// The slot of what is found for the open node of a level, by label and not closed.
    pub(crate) fn found(&self, k: usize) -> usize {
        self.levels.len() + k
    }

    /// Adds what the events of a level make of one label of the open node to what is found.
    fn collect_images(&mut self, dd: &mut Manager, k: usize, label: u32) -> Result<(), Stop> {
        let found = self.found(k);
        for group in 0..self.levels[k].groups.len() {
            let row = self.row(k, label);
            let group_of = &self.levels[k].groups[group];
            if group_of.functions.iter().all(|f| row[*f as usize] == NONE) {
                continue;
            }
            let count = group_of.functions.len();
            let child = dd.open_get(k, label);
            let image = self.image(dd, group_of.tail, k - 1, child)?;
            if image.is_zero() {
                continue;
            }
            let kept = dd.pushed();
            dd.push(image);
            for at in 0..count {
                let function = self.levels[k].groups[group].functions[at] as usize;
                let target = self.row(k, label)[function];
                if target != NONE {
                    // Before it is a label: what leaves a domain is none.
                    self.confirm(dd, k, target)?;
                    let before = dd.open_get(found, target);
                    let sum = dd.union(before, image)?;
                    dd.open_set(found, target, sum);
                }
            }
            dd.pop(kept);
        }
        Ok(())
    }

    /// Joins what is found to the open node; labels whose child grows wait to be fired.
    fn join_images(&mut self, dd: &mut Manager, k: usize) -> Result<(), Stop> {
        let found = self.found(k);
        for at in 0..dd.open_len(found) {
            let label = dd.open_label(found, at);
            let before = dd.open_get(k, label);
            let after = self.join(dd, k - 1, before, dd.open_get(found, label))?;
            if after != before {
                dd.open_set(k, label, after);
                self.enqueue(k, label);
            }
        }
        dd.open_clear(found);
        Ok(())
    }

    /// The closure, under the events with top at most `k`, of the union of a closed set and another.
    fn join(&mut self, dd: &mut Manager, k: usize, closed: Node, more: Node) -> Result<Node, Stop> {
        if closed.is_zero() {
            return self.saturate_set(dd, k, more);
        }
        if closed == more || closed.is_terminal() {
            return Ok(closed);
        }
        let operation = Operation::paired(self.first_key);
        if let Some(result) = dd.cached_pair(operation, closed, more) {
            return Ok(result);
        }
        dd.step()?;
        let result = deep(|| {
            for at in 0..dd.len(closed) {
                let edge = dd.edge(closed, at);
                dd.open_set(k, edge.value() as u32, edge.child);
            }
            for at in 0..dd.len(more) {
                let edge = dd.edge(more, at);
                let label = edge.value() as u32;
                let before = dd.open_get(k, label);
                let after = self.join(dd, k - 1, before, edge.child)?;
                if after != before {
                    dd.open_set(k, label, after);
                    self.enqueue(k, label);
                }
            }
            self.saturate_in_rounds(dd, k)?;
            self.seal(dd, k)
        })?;
        dd.cache_pair(operation, closed, more, result);
        self.note_closed(dd, result);
        Ok(result)
    }
}
