//! How many states a set has and how many arcs leave it, without firing any event.
//!
//! An arc is a state and an event that is enabled in it, so their number is a sum over events of the
//! number of states in which the event is enabled. All is computed from the bottom up, level by level:
//! for each node, and for each tail of an event that is of interest there, the number of states in
//! which the tail is enabled; the tail that does nothing counts the states. Numbers of one level are
//! made of those of the level below and of nothing else, so no more than two levels are kept. Many nodes
//! have one edge, and so the number of their child: numbers are shared, not copied.

use std::rc::Rc;

use num_bigint::BigUint;
use plait_dd::{Layers, Manager, Node, Stop};

use crate::local::NONE;
use crate::relation::{Relation, END};

/// A number that nodes may have in common.
type Number = Rc<BigUint>;

/// Numbers of the nodes of one level.
struct Tally {
    /// The tails of interest, in ascending order: `END` first.
    tails: Vec<u32>,
    /// For each tail the states in which it is enabled, by place of the node.
    enabled: Vec<Vec<Number>>,
    /// The arcs of events with top here or below, by place of the node; none when not asked for.
    arcs: Option<Vec<Number>>,
}

impl Tally {
    /// The numbers of the terminal.
    fn terminal(arcs: bool) -> Tally {
        Tally {
            tails: vec![END],
            enabled: vec![vec![Rc::new(BigUint::from(1u32))]],
            arcs: arcs.then(|| vec![Rc::new(BigUint::ZERO)]),
        }
    }

    fn of(&self, tail: u32) -> &[Number] {
        let found = self.tails.binary_search(&tail);
        &self.enabled[found.expect("a tail of interest")]
    }

    fn bytes(&self) -> usize {
        let rows = self.enabled.iter().chain(&self.arcs).flatten();
        rows.map(|n| size_of::<Number>() + size_of::<BigUint>() + n.bits() as usize / 8)
            .sum()
    }
}

impl Relation {
    /// The number of states of a set by level.
    pub fn count(&self, dd: &mut Manager, states: Node) -> Result<BigUint, Stop> {
        let only_states = vec![vec![END]; self.levels.len()];
        let (states, _) = self.tally(dd, states, only_states, false)?;
        Ok(states)
    }

    /// The number of pairs of a state of the set and an event of the net that is enabled in it.
    pub fn arcs(&self, dd: &mut Manager, states: Node) -> Result<BigUint, Stop> {
        let (states, arcs) = self.tally(dd, states, self.tails_by_level(), true)?;
        Ok(arcs + states * self.always_enabled)
    }

    /// The numbers of states and arcs of a set, with the tails of interest of each level.
    fn tally(
        &self,
        dd: &mut Manager,
        states: Node,
        mut tails: Vec<Vec<u32>>,
        with_arcs: bool,
    ) -> Result<(BigUint, BigUint), Stop> {
        if states.is_zero() {
            return Ok((BigUint::ZERO, BigUint::ZERO));
        }
        let layers = dd.layers(states);
        let mut below = Tally::terminal(with_arcs);
        let mut charged = 0;
        let mut tallied = Ok(());
        for (k, tails) in tails.iter_mut().enumerate().skip(1) {
            let here = self.tally_level(dd, &layers, k, std::mem::take(tails), &below);
            match here {
                Ok(here) => below = here,
                Err(stop) => {
                    tallied = Err(stop);
                    break;
                }
            }
            let bytes = below.bytes();
            dd.charge(bytes as isize - charged as isize);
            charged = bytes;
        }
        dd.charge(-(charged as isize));
        tallied?;
        let arcs = below.arcs.and_then(|mut arcs| arcs.pop());
        let states = below.enabled.swap_remove(0).pop();
        let owned = |n: Option<Number>| n.map(Rc::unwrap_or_clone).unwrap_or_default();
        Ok((owned(states), owned(arcs)))
    }

    /// The numbers of level `k` from those below.
    fn tally_level(
        &self,
        dd: &mut Manager,
        layers: &Layers,
        k: usize,
        tails: Vec<u32>,
        below: &Tally,
    ) -> Result<Tally, Stop> {
        let nodes = layers.nodes(k);
        let row = || Vec::with_capacity(nodes.len());
        let mut here = Tally {
            enabled: tails.iter().map(|_| row()).collect(),
            arcs: below.arcs.as_ref().map(|_| row()),
            tails,
        };
        let firings = &self.levels[k].firings;
        let zero: Number = Rc::new(BigUint::ZERO);
        // Labels, and the places of children.
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for node in nodes {
            edges.clear();
            let found = dd.edges(*node).iter();
            edges.extend(found.map(|e| (e.value() as u32, layers.place(e.child) as u32)));
            dd.walk(edges.len() * (here.tails.len() + firings.len() + 1))?;
            let all = |row: &[Number]| sum(edges.iter().map(|(_, at)| &row[*at as usize]), &zero);
            let enabled = |row: &[Number], function: u32| {
                let is_enabled = |label: u32| self.row(k, label)[function as usize] != NONE;
                let edges = edges.iter().filter(|(label, _)| is_enabled(*label));
                sum(edges.map(|(_, at)| &row[*at as usize]), &zero)
            };
            for (tail, row) in here.tails.iter().zip(&mut here.enabled) {
                let link = self.tails[*tail as usize];
                row.push(if link.level as usize == k {
                    enabled(below.of(link.next), link.function)
                } else {
                    all(below.of(*tail))
                });
            }
            if let (Some(here), Some(arcs)) = (&mut here.arcs, &below.arcs) {
                let mut terms = vec![all(arcs)];
                for (function, tail, events) in firings {
                    let once = enabled(below.of(*tail), *function);
                    terms.push(match events {
                        1 => once,
                        _ => Rc::new(&*once * *events),
                    });
                }
                here.push(sum(terms.iter(), &zero));
            }
        }
        Ok(here)
    }

    /// For each level the tails of events that may be asked about a node there, in ascending order.
    fn tails_by_level(&self) -> Vec<Vec<u32>> {
        let mut tails = vec![vec![END]; self.levels.len()];
        for k in (1..self.levels.len()).rev() {
            let mut below: Vec<u32> = vec![END];
            let fired = self.levels[k].firings.iter();
            below.extend(fired.map(|(_, tail, _)| *tail));
            below.extend(tails[k].iter().map(|tail| {
                let link = self.tails[*tail as usize];
                if link.level as usize == k {
                    link.next
                } else {
                    *tail
                }
            }));
            below.sort_unstable();
            below.dedup();
            tails[k - 1] = below;
        }
        tails
    }
}

/// The sum of some numbers; where it is one of them, that one.
fn sum<'n>(numbers: impl Iterator<Item = &'n Number>, zero: &Number) -> Number {
    let mut numbers = numbers.filter(|n| n.bits() > 0);
    let Some(first) = numbers.next() else {
        return Rc::clone(zero);
    };
    let Some(second) = numbers.next() else {
        return Rc::clone(first);
    };
    let mut sum = &**first + &**second;
    for number in numbers {
        sum += &**number;
    }
    Rc::new(sum)
}
