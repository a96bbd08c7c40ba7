//! What a token more or less on a place costs, as if no event took anything away.
//!
//! From a marking, an event costs 1 and what the tokens cost that it lacks; a token on a place costs
//! what the cheapest event costs that puts one there. That is the additive heuristic of planning
//! (Bonet and Geffner, "Planning as heuristic search", 2001), computed after Knuth's generalisation
//! of Dijkstra's algorithm: events in the order of their costs, each once.
//!
//! Invariant: a cost is infinite exactly when even without taking away anything the event can never
//! occur, or no such event raises (lowers) the place; then none ever does from this marking on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::directed_net::DirectedNet;

/// What an event costs at most, if it can occur: so nothing that is added up becomes infinite.
const MOST: f64 = 1e100;

/// Costs in one marking; keeps its working memory from marking to marking.
pub(crate) struct TokenCost {
    up: Vec<f64>,
    event: Vec<f64>,
    /// For each event the places on which it still lacks tokens, and what those cost that it lacked.
    lacking: Vec<u32>,
    owed: Vec<f64>,
    queue: BinaryHeap<(Reverse<u64>, u32)>,
}

impl TokenCost {
    pub fn new(net: &DirectedNet) -> TokenCost {
        TokenCost {
            up: vec![f64::INFINITY; net.initial.len()],
            event: vec![f64::INFINITY; net.events.len()],
            lacking: vec![0; net.events.len()],
            owed: vec![0.0; net.events.len()],
            queue: BinaryHeap::new(),
        }
    }

    /// Works out the costs in a marking.
    pub fn look(&mut self, net: &DirectedNet, marking: &[i32]) {
        self.up.fill(f64::INFINITY);
        self.event.fill(f64::INFINITY);
        self.queue.clear();
        for (number, event) in net.events.iter().enumerate() {
            let lacks = event.pre.iter().filter(|(p, n)| marking[*p as usize] < *n);
            self.lacking[number] = lacks.count() as u32;
            self.owed[number] = 1.0;
            if self.lacking[number] == 0 {
                self.push(number as u32);
            }
        }
        while let Some((Reverse(cost), number)) = self.queue.pop() {
            let cost = f64::from_bits(cost);
            self.event[number as usize] = cost;
            for (place, change) in &net.events[number as usize].change {
                if *change > 0 && self.up[*place as usize].is_infinite() {
                    self.up[*place as usize] = cost;
                    self.pay(net, marking, *place, cost);
                }
            }
        }
    }

    /// A token on the place has its price: events that lack some may be affordable now.
    fn pay(&mut self, net: &DirectedNet, marking: &[i32], place: u32, cost: f64) {
        let here = marking[place as usize];
        for (event, needed) in &net.needing[place as usize] {
            if here < *needed {
                self.owed[*event as usize] += f64::from(needed - here) * cost;
                self.lacking[*event as usize] -= 1;
                if self.lacking[*event as usize] == 0 {
                    self.push(*event);
                }
            }
        }
    }

    fn push(&mut self, event: u32) {
        // Costs are not negative, so their bits are in the order of their values.
        let cost = self.owed[event as usize].min(MOST);
        self.queue.push((Reverse(cost.to_bits()), event));
    }

    /// The cost of a token more, or less, on a place.
    pub fn of(&self, net: &DirectedNet, place: u32, more: bool) -> f64 {
        if more {
            return self.up[place as usize];
        }
        let events = net.lowering[place as usize].iter();
        events
            .map(|e| self.event[*e as usize])
            .fold(f64::INFINITY, f64::min)
    }
}
