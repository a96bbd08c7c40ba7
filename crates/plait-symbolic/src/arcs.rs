//! How many states a set has and how many arcs leave it, without firing any event.
//!
//! An arc is a state and an event that is enabled in it, so their number is a sum over events of the
//! number of states in which the event is enabled; what it only updates does not matter. All is computed
//! from the bottom up, level by level: for each node, and for each tail of an event that is of interest
//! there, the number of states in which the tail is enabled; the tail that does nothing counts the
//! states. Numbers of one level are made of those of the level below and of nothing else, so no more
//! than two levels are kept. Many nodes have one edge, and so the number of their child: numbers are
//! shared, not copied.

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
        let zero: Number = Rc::new(BigUint::ZERO);
        // For each tail of interest, and for the rest of each event that has its top here: the numbers
        // of the children, and the function that must be enabled on the label, if there is one.
        let tails: Vec<(&[Number], Option<u32>)> = (here.tails.iter())
            .map(|tail| {
                let link = self.tails[*tail as usize];
                if link.level as usize == k {
                    (
                        below.of(self.needs[link.next as usize]),
                        Some(link.function),
                    )
                } else {
                    (below.of(*tail), None)
                }
            })
            .collect();
        let firings: Vec<(&[Number], u32, u32)> = match below.arcs {
            Some(_) => (self.levels[k].firings.iter())
                .map(|(function, tail, events)| (below.of(*tail), *function, *events))
                .collect(),
            None => Vec::new(),
        };
        // What the functions make of each label, and the places of children.
        let mut edges: Vec<(&[u32], u32)> = Vec::new();
        for node in nodes {
            edges.clear();
            for edge in dd.edges(*node) {
                let row = self.row(k, edge.value() as u32);
                edges.push((row, layers.place(edge.child) as u32));
            }
            dd.walk(edges.len() * (tails.len() + firings.len() + 1))?;
            let enabled = |function: u32| {
                let edges = edges.iter();
                edges.filter(move |(row, _)| row[function as usize] != NONE)
            };
            for ((numbers, function), row) in tails.iter().zip(&mut here.enabled) {
                let mut sum = Sum::default();
                match function {
                    Some(function) => {
                        enabled(*function).for_each(|(_, at)| sum.add(&numbers[*at as usize]));
                    }
                    None => edges
                        .iter()
                        .for_each(|(_, at)| sum.add(&numbers[*at as usize])),
                }
                row.push(sum.total(&zero));
            }
            if let (Some(here), Some(arcs)) = (&mut here.arcs, &below.arcs) {
                let mut sum = Sum::default();
                edges
                    .iter()
                    .for_each(|(_, at)| sum.add(&arcs[*at as usize]));
                for (numbers, function, events) in &firings {
                    for (_, at) in enabled(*function) {
                        sum.add_times(&numbers[*at as usize], *events);
                    }
                }
                here.push(sum.total(&zero));
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
                    self.needs[link.next as usize]
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

/// A sum of numbers; where it is one of them, that one.
#[derive(Default)]
enum Sum<'n> {
    #[default]
    Zero,
    One(&'n Number),
    Many(BigUint),
}

impl<'n> Sum<'n> {
    fn add(&mut self, number: &'n Number) {
        if number.bits() == 0 {
            return;
        }
        match self {
            Sum::Zero => *self = Sum::One(number),
            Sum::One(first) => *self = Sum::Many(&***first + &**number),
            Sum::Many(total) => *total += &**number,
        }
    }

    fn add_times(&mut self, number: &'n Number, times: u32) {
        if times == 1 {
            return self.add(number);
        }
        let product = &**number * times;
        *self = Sum::Many(match std::mem::take(self) {
            Sum::Zero => product,
            Sum::One(first) => product + &**first,
            Sum::Many(total) => total + product,
        });
    }

    fn total(self, zero: &Number) -> Number {
        match self {
            Sum::Zero => Rc::clone(zero),
            Sum::One(number) => Rc::clone(number),
            Sum::Many(total) => Rc::new(total),
        }
    }
}
