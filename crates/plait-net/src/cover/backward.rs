//! Backward search: from the target, what must be there before, until the initial marking has it.
//!
//! The set of all markings from which the target can be covered is the least one that contains the
//! target and what leads into it; it is built from its minimal elements (Abdulla, Cerans, Jonsson and
//! Tsay, "General decidability theorems for infinite-state systems", 1996). That ends, because every
//! sequence of markings has two of which the later one is not below the earlier one (Dickson's lemma);
//! memory and time may end before. Small elements come first, since they make others superfluous; now
//! and then it is the turn of the one of which the initial marking lacks least.
//!
//! What `limits` exclude is not looked at. Whoever adds them may look at the next elements before
//! (`waiting`), so that there is a limit for what can be excluded when its turn comes.
//!
//! Invariant: an element that was expanded has each of its predecessors above an element of the basis or
//! above a limit. So when nothing is left to be expanded, the basis is one of the set above, without
//! what limits exclude; and the initial marking is not in it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use plait_program::Watch;

use super::basis::Basis;
use super::limits::Limit;
use super::net::{check, CoverNet, Demand, Refused};

/// One of so many elements is the one that is nearest to the initial marking.
const NEAREST: u64 = 4;
/// Predecessors between two looks at the limits of the search.
const LOOK: usize = 16;
const NONE: u32 = u32::MAX;

/// How far a search has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// These events lead from the initial marking to the target, on this net.
    Covered(Vec<u32>),
    /// Nothing is left: the target is not covered by any reachable marking.
    Closed,
    /// As many elements were expanded as were asked for.
    Paused,
    /// The watch ended it.
    Stopped,
    /// A number became too large to be told.
    TooLarge,
}

/// A search that can be continued.
pub struct Backward {
    net: CoverNet,
    basis: Basis,
    limits: Vec<Limit>,
    /// For each element the one that it leads to, and by which event.
    leads: Vec<(u32, u32)>,
    /// Elements that are not expanded yet, by what they ask for and by what of it is missing.
    smallest: BinaryHeap<Reverse<(u64, u32)>>,
    nearest: BinaryHeap<Reverse<(u64, u64, u32)>>,
    expanded: Vec<bool>,
    /// What ended it for good.
    end: Option<Outcome>,
    count: u64,
    removed: usize,
    stamps: Vec<u32>,
}

impl Backward {
    /// A search for any of the targets.
    pub fn new(net: CoverNet, targets: &[Demand]) -> Result<Backward, Refused> {
        let (width, events) = (net.width(), net.events.len());
        let mut search = Backward {
            net,
            basis: Basis::new(width),
            limits: Vec::new(),
            leads: Vec::new(),
            smallest: BinaryHeap::new(),
            nearest: BinaryHeap::new(),
            expanded: Vec::new(),
            end: None,
            count: 0,
            removed: 0,
            stamps: vec![NONE; events],
        };
        for target in targets {
            check(target, width)?;
            search.meet(target, NONE, NONE);
        }
        Ok(search)
    }

    /// The number of minimal elements, of elements ever added, and of those that were expanded.
    pub fn figures(&self) -> (usize, usize, u64) {
        (self.basis.len(), self.basis.count(), self.count)
    }

    /// The minimal elements; when the search is `Closed`, what `proof` looks at.
    pub fn elements(&self) -> Vec<Demand> {
        let all = 0..self.basis.count() as u32;
        let live = all.filter(|number| self.basis.is_live(*number));
        live.map(|number| self.demand(number)).collect()
    }

    /// The elements whose turn is next, about so many.
    pub fn waiting(&mut self, count: usize) -> Vec<Demand> {
        let mut taken = Vec::new();
        while taken.len() < count {
            let Some(Reverse((size, number))) = self.smallest.pop() else {
                break;
            };
            if self.is_open(number) {
                taken.push((size, number));
            }
        }
        self.smallest.extend(taken.iter().copied().map(Reverse));
        taken.iter().map(|(_, n)| self.demand(*n)).collect()
    }

    /// From now on demands above this limit are left out, and those that are there are removed.
    pub fn add(&mut self, limit: Limit) {
        let mut demand = Vec::new();
        for number in 0..self.basis.count() as u32 {
            if self.basis.is_live(number) {
                self.basis.demand(number, &mut demand);
                if limit.excludes(&demand) {
                    self.basis.remove(number);
                }
            }
        }
        self.limits.push(limit);
    }

    /// Expands up to so many elements.
    pub fn expand(&mut self, count: u64, watch: &mut dyn Watch) -> Outcome {
        let mut demand = Vec::new();
        let mut before = Vec::new();
        for _ in 0..count {
            if let Some(end) = &self.end {
                return end.clone();
            }
            let Some(number) = self.next() else {
                return Outcome::Closed;
            };
            self.basis.demand(number, &mut demand);
            for i in 0..demand.len() {
                for k in 0..self.net.raising(demand[i].0).len() {
                    let event = self.net.raising(demand[i].0)[k];
                    if std::mem::replace(&mut self.stamps[event as usize], number) == number {
                        continue;
                    }
                    let bytes = self.basis.growth();
                    if (bytes > 0 || k % LOOK == 0) && !watch.go_on(bytes) {
                        // The element is begun again when the search goes on.
                        self.stamps[event as usize] = NONE;
                        self.put_back(number, &demand);
                        return Outcome::Stopped;
                    }
                    match self.net.before(event, &demand, &mut before) {
                        None => self.end = Some(Outcome::TooLarge),
                        Some(true) => self.meet(&before, number, event),
                        Some(false) => {}
                    }
                }
            }
            self.count += 1;
        }
        self.end.clone().unwrap_or(Outcome::Paused)
    }

    /// The next element to be expanded, which counts as such from now on.
    fn next(&mut self) -> Option<u32> {
        loop {
            let nearest = if self.count.is_multiple_of(NEAREST) {
                self.nearest.pop().map(|Reverse((_, _, number))| number)
            } else {
                None
            };
            let smallest = || self.smallest.pop().map(|Reverse((_, number))| number);
            let number = nearest.or_else(smallest)?;
            if self.is_open(number) {
                self.expanded[number as usize] = true;
                return Some(number);
            }
        }
    }

    fn is_open(&self, number: u32) -> bool {
        self.basis.is_live(number) && !self.expanded[number as usize]
    }

    fn put_back(&mut self, number: u32, demand: &[(u32, u64)]) {
        self.expanded[number as usize] = false;
        self.stamps.fill(NONE);
        self.push(number, demand);
    }

    fn push(&mut self, number: u32, demand: &[(u32, u64)]) {
        let size = demand.iter().map(|(_, n)| *n).fold(0, u64::saturating_add);
        self.smallest.push(Reverse((size, number)));
        self.nearest
            .push(Reverse((self.net.missing(demand), size, number)));
    }

    /// Takes in a demand from which the event leads to an element, unless it is nothing new.
    fn meet(&mut self, demand: &[(u32, u64)], from: u32, event: u32) {
        if self.end.is_some() {
            return;
        }
        if self.net.has(demand) {
            self.end = Some(Outcome::Covered(self.run(from, event)));
            return;
        }
        if self.basis.covers(demand) {
            return;
        }
        if let Some(which) = self.limits.iter().position(|limit| limit.excludes(demand)) {
            // Those that exclude most come to the front.
            self.limits.swap(which, which / 2);
            return;
        }
        if self.basis.count() >= NONE as usize {
            self.end = Some(Outcome::TooLarge);
            return;
        }
        let number = self.basis.add(demand);
        self.leads.push((from, event));
        self.expanded.push(false);
        self.push(number, demand);
        let gone = self.basis.count() - self.basis.len();
        if gone > 1000 && gone - self.removed > self.basis.len() {
            self.removed = gone;
            self.basis.tidy();
        }
    }

    /// The events from the initial marking on.
    fn run(&self, from: u32, event: u32) -> Vec<u32> {
        let mut events = Vec::new();
        let (mut number, mut by) = (from, event);
        while number != NONE {
            events.push(by);
            (number, by) = self.leads[number as usize];
        }
        events
    }

    fn demand(&self, number: u32) -> Demand {
        let mut demand = Vec::new();
        self.basis.demand(number, &mut demand);
        demand
    }
}
