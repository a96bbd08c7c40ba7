//! How many arcs leave a set of states, without firing any event.
//!
//! An arc is a state and an event that is enabled in it, so their number is a sum over events of the
//! number of states in which the event is enabled. Both are computed from the bottom up, per node and
//! per tail of an event, and shared as diagrams and tails share them.

use std::collections::HashMap;

use num_bigint::BigUint;
use plait_dd::stack::deep;
use plait_dd::{Manager, Node, Stop};

use crate::local::NONE;
use crate::relation::{Relation, END};

/// What is known so far about nodes.
#[derive(Default)]
struct Tally {
    arcs: HashMap<Node, BigUint>,
    enabled: HashMap<(u32, Node), BigUint>,
    bytes: usize,
}

impl Tally {
    fn charge(&mut self, dd: &mut Manager, number: &BigUint) {
        let bytes = 64 + number.bits() as usize / 8;
        self.bytes += bytes;
        dd.charge(bytes as isize);
    }
}

impl Relation {
    /// The number of pairs of a state of the set and an event of the net that is enabled in it.
    pub fn arcs(&self, dd: &mut Manager, states: Node) -> Result<BigUint, Stop> {
        let mut tally = Tally::default();
        let kept = dd.pushed();
        dd.push(states);
        let arcs = self.arcs_below(dd, &mut tally, states);
        let everywhere = self.enabled_below(dd, &mut tally, END, self.levels(), states);
        dd.pop(kept);
        dd.charge(-(tally.bytes as isize));
        Ok(arcs? + everywhere? * self.always_enabled)
    }

    /// The arcs of events with top at most the level of the node.
    fn arcs_below(&self, dd: &mut Manager, tally: &mut Tally, set: Node) -> Result<BigUint, Stop> {
        if set.is_terminal() {
            return Ok(BigUint::ZERO);
        }
        if let Some(known) = tally.arcs.get(&set) {
            return Ok(known.clone());
        }
        dd.step()?;
        let k = dd.variable(set) as usize;
        let mut sum = BigUint::ZERO;
        for at in 0..dd.len(set) {
            let edge = dd.edge(set, at);
            sum += deep(|| self.arcs_below(dd, tally, edge.child))?;
            for (function, tail, events) in &self.levels[k].firings {
                if self.row(k, edge.value() as u32)[*function as usize] != NONE {
                    sum += self.enabled_below(dd, tally, *tail, k - 1, edge.child)? * *events;
                }
            }
        }
        tally.charge(dd, &sum);
        tally.arcs.insert(set, sum.clone());
        Ok(sum)
    }

    /// In how many states of the set the event with this tail is enabled.
    fn enabled_below(
        &self,
        dd: &mut Manager,
        tally: &mut Tally,
        tail: u32,
        k: usize,
        set: Node,
    ) -> Result<BigUint, Stop> {
        if set.is_terminal() {
            return Ok(BigUint::from(set.index()));
        }
        if let Some(known) = tally.enabled.get(&(tail, set)) {
            return Ok(known.clone());
        }
        dd.step()?;
        let link = self.tails[tail as usize];
        let mut sum = BigUint::ZERO;
        for at in 0..dd.len(set) {
            let edge = dd.edge(set, at);
            let mut below = tail;
            if tail != END && link.level as usize == k {
                if self.row(k, edge.value() as u32)[link.function as usize] == NONE {
                    continue;
                }
                below = link.next;
            }
            sum += deep(|| self.enabled_below(dd, tally, below, k - 1, edge.child))?;
        }
        tally.charge(dd, &sum);
        tally.enabled.insert((tail, set), sum.clone());
        Ok(sum)
    }
}
