//! Questions about a set of states by level: bounds of cells and of their sum, deadlocks.

use plait_dd::stack::deep;
use plait_dd::{Manager, Node, Operation, Root, Stop};

use crate::local::NONE;
use crate::relation::{Relation, END};

const DEAD: Operation = Operation::keyed(4);
const DISABLED: Operation = Operation::keyed(5);

impl Relation {
    /// The least and the greatest value of each cell in a set of states that is not empty.
    pub fn bounds(&self, dd: &mut Manager, states: Node) -> Result<Vec<(i32, i32)>, Stop> {
        let mut bounds = vec![(i32::MAX, i32::MIN); self.cells()];
        let layers = dd.layers(states);
        for k in 1..=self.levels() {
            let mut occurs = vec![false; self.discovered(k)];
            for node in layers.nodes(k) {
                dd.walk(dd.len(*node))?;
                for edge in dd.edges(*node) {
                    occurs[edge.value() as usize] = true;
                }
            }
            for label in (0..)
                .zip(occurs)
                .filter_map(|(l, occurs)| occurs.then_some(l))
            {
                let (cells, values) = self.local_state(k, label);
                for (cell, value) in cells.iter().zip(values) {
                    let (low, high) = &mut bounds[*cell as usize];
                    *low = (*low).min(*value);
                    *high = (*high).max(*value);
                }
            }
        }
        Ok(bounds)
    }

    /// The least and the greatest sum of all cells in a set of states that is not empty.
    pub fn sum_bounds(&self, dd: &mut Manager, states: Node) -> Result<(i128, i128), Stop> {
        let layers = dd.layers(states);
        let mut below = vec![(0, 0)];
        for k in 1..=self.levels() {
            let sum = |label| {
                self.local_state(k, label)
                    .1
                    .iter()
                    .map(|v| i128::from(*v))
                    .sum()
            };
            let sums: Vec<i128> = (0..self.discovered(k) as u32).map(sum).collect();
            let mut here = Vec::with_capacity(layers.nodes(k).len());
            for node in layers.nodes(k) {
                dd.walk(dd.len(*node))?;
                let mut range = (i128::MAX, i128::MIN);
                for edge in dd.edges(*node) {
                    let (low, high) = below[layers.place(edge.child)];
                    let more = sums[edge.value() as usize];
                    range = (range.0.min(low + more), range.1.max(high + more));
                }
                here.push(range);
            }
            below = here;
        }
        Ok(below[0])
    }

    /// The states of a set in which no event is enabled, also none that changes nothing.
    ///
    /// Events are taken away where their top is: children first, so that an event is looked at in the
    /// nodes of the levels that it spans and nowhere above.
    pub fn deadlocks(&mut self, dd: &mut Manager, states: Node) -> Result<Root, Stop> {
        if self.always_enabled > 0 {
            return Ok(dd.root(Node::ZERO));
        }
        let kept = dd.pushed();
        dd.push(states);
        let result = self.dead(dd, self.levels(), states);
        dd.pop(kept);
        self.settle(dd, result.is_err());
        result.map(|dead| dd.root(dead))
    }

    /// The states of a set in which no event with top at most `k` is enabled.
    fn dead(&self, dd: &mut Manager, k: usize, set: Node) -> Result<Node, Stop> {
        if set.is_terminal() {
            return Ok(set);
        }
        if let Some(result) = dd.cached(DEAD, self.first_key, set) {
            return Ok(result);
        }
        dd.step()?;
        let firings = &self.levels[k].firings;
        let result = deep(|| {
            for at in 0..dd.len(set) {
                let edge = dd.edge(set, at);
                let label = edge.value() as u32;
                let row = self.row(k, label);
                let is_enabled = |(function, ..): &(u32, u32, u32)| row[*function as usize] != NONE;
                let same_needs = firings.chunk_by(|a, b| a.1 == b.1);
                let enabled = same_needs.filter(|same| same.iter().any(is_enabled));
                let mut enabled = enabled.map(|same| same[0].1).peekable();
                // Where an event needs nothing of what is below, no state is dead.
                if enabled.peek() == Some(&END) {
                    continue;
                }
                let mut child = self.dead(dd, k - 1, edge.child)?;
                while let (false, Some(tail)) = (child.is_zero(), enabled.next()) {
                    let kept = dd.pushed();
                    dd.push(child);
                    child = self.disabled(dd, tail, k - 1, child)?;
                    dd.pop(kept);
                }
                if !child.is_zero() {
                    dd.open_set(k, label, child);
                }
            }
            dd.open_close(k, k as u32)
        })?;
        dd.cache(DEAD, self.first_key, set, result);
        Ok(result)
    }

    /// The states of a set in which the event with this tail, one of [`Relation::needs`], is not enabled.
    fn disabled(&self, dd: &mut Manager, tail: u32, k: usize, set: Node) -> Result<Node, Stop> {
        if tail == END || set.is_zero() {
            return Ok(Node::ZERO);
        }
        let key = self.first_key + tail;
        if let Some(result) = dd.cached(DISABLED, key, set) {
            return Ok(result);
        }
        dd.step()?;
        let link = self.tails[tail as usize];
        let result = deep(|| {
            for at in 0..dd.len(set) {
                let edge = dd.edge(set, at);
                let label = edge.value() as u32;
                let child = if link.level as usize != k {
                    self.disabled(dd, tail, k - 1, edge.child)?
                } else {
                    if self.row(k, label)[link.function as usize] == NONE {
                        edge.child
                    } else {
                        self.disabled(dd, self.needs[link.next as usize], k - 1, edge.child)?
                    }
                };
                if !child.is_zero() {
                    dd.open_set(k, label, child);
                }
            }
            dd.open_close(k, k as u32)
        })?;
        dd.cache(DISABLED, key, set, result);
        Ok(result)
    }
}
