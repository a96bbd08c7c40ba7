//! One thread of a depth-first search by several, for the length of a round (`depth_together`).
//!
//! It takes states off its stack and expands those that nobody has claimed, until there are none left
//! anywhere or somebody has a reason to end the round.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use plait_program::{Failure, Watch};

use crate::budget::Reason;
use crate::claims_proviso::Chooser;
use crate::hash::RecordHash;
use crate::layout::Layout;
use crate::pool::Pool;
use crate::reduction::ReducedFigures;
use crate::search::{Halt, Search, WORK};
use crate::shared::{Hand, Refused, Shared};
use crate::store::Inserted;

/// A state to be visited, if nobody has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    pub number: u32,
    pub depth: u32,
}

/// A successor that could not be stored.
pub(crate) struct Carried {
    pub parent: Visit,
    pub cells: Vec<i32>,
}

/// What the threads of a round have in common.
pub(crate) struct Round<'r> {
    pub shared: &'r Shared,
    pub pool: &'r Pool<Visit>,
    /// Nobody shall finish the state at hand.
    pub stop: &'r AtomicBool,
    pub layout: &'r Layout,
    /// The round ends when there are so many states.
    pub until: usize,
}

/// What a thread gives back after a round.
pub(crate) struct Share {
    pub stack: Vec<Visit>,
    pub carried: Vec<Carried>,
    pub hand: Hand,
    pub figures: ReducedFigures,
    pub outcome: Result<(), Halt>,
}

/// Ends the round when its thread panics: the others would wait for it.
struct Alarm<'r>(&'r Round<'r>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop.store(true, Ordering::Relaxed);
            self.0.pool.halt();
        }
    }
}

/// One thread in a round.
pub(crate) struct Worker<'w, 's, H> {
    pub search: &'w mut Search<'s, H>,
    round: &'w Round<'w>,
    stack: Vec<Visit>,
    hand: Hand,
    carried: Vec<Carried>,
    /// The index is full.
    full: bool,
    /// A goal was found.
    found: bool,
    pub figures: ReducedFigures,
    chooser: Option<Chooser<'w>>,
    /// Successors of the present state to be visited.
    children: Vec<Visit>,
    record: Vec<u64>,
}

impl<'w, 's, H: RecordHash> Worker<'w, 's, H> {
    pub fn new(
        search: &'w mut Search<'s, H>,
        round: &'w Round<'w>,
        stack: Vec<Visit>,
        hand: Hand,
    ) -> Worker<'w, 's, H> {
        let options = search.options;
        let reduction = options.reduction.as_ref();
        Worker {
            chooser: reduction.map(|r| Chooser::new(search.program, r)),
            search,
            round,
            stack,
            hand,
            carried: Vec::new(),
            full: false,
            found: false,
            figures: ReducedFigures::default(),
            children: Vec::new(),
            record: Vec::new(),
        }
    }

    /// Visits states until there are none left or the round ends.
    pub fn labour(mut self) -> Share {
        let _alarm = Alarm(self.round);
        let outcome = self.visit_all();
        if outcome.is_err() {
            self.round.stop.store(true, Ordering::Relaxed);
        }
        if outcome.is_err() || self.has_reason_to_end() {
            self.round.pool.halt();
        }
        self.search.batch.clear();
        self.search.repeated.clear();
        Share {
            stack: self.stack,
            carried: self.carried,
            hand: self.hand,
            figures: self.figures,
            outcome,
        }
    }

    fn has_reason_to_end(&self) -> bool {
        self.found
            || !self.carried.is_empty()
            || self.search.tier.is_due()
            || (self.round.until < usize::MAX && self.round.shared.numbers() >= self.round.until)
    }

    fn visit_all(&mut self) -> Result<(), Halt> {
        let (pool, shared) = (self.round.pool, self.round.shared);
        while !self.has_reason_to_end() && !pool.is_halted() {
            let Some(visit) = self.stack.pop() else {
                let supervisor = &mut self.search.supervisor;
                if !pool.wait(&mut self.stack, || supervisor.go_on(0)) {
                    return match supervisor.stop {
                        Some(_) => Err(Halt::Failure(Failure::Stopped)),
                        None => Ok(()),
                    };
                }
                continue;
            };
            if !shared.claim(visit.number) {
                self.figures.matched += 1;
                continue;
            }
            self.figures.depth = self.figures.depth.max(u64::from(visit.depth));
            self.expand(visit)?;
            pool.share(&mut self.stack);
        }
        Ok(())
    }

    /// Executes events in a state that was claimed, and stores the successors.
    fn expand(&mut self, visit: Visit) -> Result<(), Halt> {
        let shared = self.round.shared;
        let search = &mut *self.search;
        search.work += 1 + search.program.free().len() + search.cells.len() / 4;
        if search.work >= WORK {
            search.figures.states = shared.numbers() as u64;
            search.level.depth = self.figures.depth;
            search.held = shared.bytes() + 8 * self.stack.capacity() as u64;
        }
        search.look_up_in_time()?;
        shared.read(visit.number, &mut search.words);
        search
            .store
            .layout()
            .decode(&search.words, &mut search.cells);
        match self.chooser.take() {
            None => {
                self.search.expand_loaded(visit.number)?;
                self.store(0..self.search.batch.len(), visit)?;
            }
            Some(mut chooser) => {
                let outcome = chooser.expand(self, visit);
                self.chooser = Some(chooser);
                outcome?;
            }
        }
        self.search.batch.clear();
        self.stack.extend(self.children.drain(..).rev());
        Ok(())
    }

    /// Whether a value did not fit, so that nothing can be stored in this round any more.
    pub fn has_grown(&self) -> bool {
        self.search.store.layout().bits() != self.round.layout.bits()
    }

    /// Whether successors of the present state had to be carried over.
    pub fn carries(&self) -> bool {
        !self.carried.is_empty()
    }

    /// Whether the state at that place of the batch is not stored, or nobody has claimed it; a guess,
    /// since others are at work.
    pub fn seems_unclaimed(&self, index: usize) -> bool {
        let search = &*self.search;
        let record = search.batch.get(index, search.store.layout().words());
        let hash = search.store.hash(record);
        let found = self.round.shared.find(record, hash);
        found.is_none_or(|number| !self.round.shared.is_claimed(number))
    }

    /// Stores successors of the state that are in the batch, or carries them; whether one of those
    /// stored was claimed by nobody afterwards.
    pub fn store(&mut self, places: Range<usize>, visit: Visit) -> Result<bool, Halt> {
        let shared = self.round.shared;
        let grown = self.has_grown();
        let stride = self.search.store.layout().words();
        let mut leads = false;
        for index in places {
            let search = &mut *self.search;
            self.record.clear();
            self.record
                .extend_from_slice(search.batch.get(index, stride));
            if grown || self.full {
                self.carry(visit);
                continue;
            }
            let hash = search.store.hash(&self.record);
            let budget = &mut search.supervisor.budget;
            let allows = |held: u64, more: u64| budget.allows(held, more);
            let hand = &mut self.hand;
            let number = match shared.insert(&self.record, hash, visit.number, hand, allows) {
                Ok(Inserted::New(number)) => {
                    self.found |= search.ask_new(number, &self.record);
                    number
                }
                Ok(Inserted::Old(number)) => number,
                Err(Refused::NoMemory) => return Err(Halt::Stop(Reason::Memory)),
                Err(Refused::Full) => {
                    self.full = true;
                    self.carry(visit);
                    continue;
                }
            };
            if shared.is_claimed(number) {
                self.figures.matched += 1;
            } else {
                leads = true;
                let depth = visit.depth + 1;
                self.children.push(Visit { number, depth });
            }
        }
        Ok(leads)
    }

    fn carry(&mut self, parent: Visit) {
        let mut cells = vec![0; self.search.cells.len()];
        self.search.store.layout().decode(&self.record, &mut cells);
        self.carried.push(Carried { parent, cells });
    }
}
