//! Depth-first search by several threads, on one store without locks.
//!
//! Each thread searches depth-first with a stack of its own; what has been stored (`shared`) and
//! which states somebody has set out to expand are common to all. A state is expanded by whoever
//! *claims* it first, so by exactly one thread; a thread without work gets the oldest half of
//! another's stack (`pool`). With one thread this is the plain depth-first search.
//!
//! The order of the visits depends on the threads' luck, and with it the numbers of states, the
//! depth and which of several violations is found, by which trace. What does not: the set of states,
//! and so its size, arcs, deadlocks, bounds and verdicts. For results that never vary there is the
//! breadth-first search (`together`).
//!
//! Threads work in *rounds*. Whatever needs the store for oneself ends a round, once each thread has
//! finished the state at hand: a value does not fit its field, the index is full, a goal is found,
//! events are to be compiled. Successors that could not be stored are *carried* over, unpacked, and
//! stored by the first thread before the next round. A thread that meets a value that does not fit
//! lets its own copy of the layout grow, finishes the state and carries its successors.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::{self, Builder};

use plait_program::{Failure, Machine, Watch};

use crate::budget::Reason;
use crate::claims_proviso::Chooser;
use crate::figures::Figures;
use crate::form::Form;
use crate::hash::RecordHash;
use crate::layout::Layout;
use crate::options::{Options, Order};
use crate::pool::Pool;
use crate::questions::Questions;
use crate::reduction::ReducedFigures;
use crate::repacking::Repacking;
use crate::search::{owned, Halt, Search, WORK};
use crate::shared::{Hand, Refused, Shared};
use crate::store::Inserted;
use crate::table::NoMemory;
use crate::together::Relay;
use crate::tree::Tree;

/// Whether this search can do what is asked: some parts of a reduction are for one thread (`reduced`), and so is every store
/// but that of packed states. Without a reduction it is the quicker one for one thread, too.
pub(crate) fn suits(options: &Options) -> bool {
    let reduction = options.reduction.as_ref();
    options.order == Order::DepthFirst
        && options.form == Form::Packed
        && reduction.is_none_or(|r| options.threads > 1 && r.suits_threads())
}

/// Runs the search; what it counted comes back in any case.
pub(crate) fn run<H: RecordHash>(search: &mut Search<'_, H>) -> (Result<(), Halt>, ReducedFigures) {
    let most = search.options.most_states().max(1) as u32; // the initial state is always stored
    let layout = search.store.layout().clone();
    let Ok(shared) = Shared::new(layout.words(), most) else {
        return (Err(Halt::Stop(Reason::Memory)), ReducedFigures::default());
    };
    let mut crew = Crew {
        search,
        shared,
        layout,
        stack: Vec::new(),
        carried: Vec::new(),
        hand: Hand::default(),
        figures: ReducedFigures::default(),
    };
    let outcome = crew.run();
    crew.finish(outcome)
}

/// A state to be visited, if nobody has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    pub number: u32,
    pub depth: u32,
}

/// A successor that could not be stored.
struct Carried {
    parent: Visit,
    cells: Vec<i32>,
}

/// What is there between two rounds.
struct Crew<'a, 's, H> {
    search: &'a mut Search<'s, H>,
    shared: Shared,
    /// The layout of what is shared.
    layout: Layout,
    stack: Vec<Visit>,
    carried: Vec<Carried>,
    hand: Hand,
    figures: ReducedFigures,
}

/// What a thread gives back after a round.
struct Share {
    stack: Vec<Visit>,
    carried: Vec<Carried>,
    hand: Hand,
    figures: ReducedFigures,
    outcome: Result<(), Halt>,
}

/// And a thread that helps, besides.
struct Helped {
    share: Share,
    figures: Figures,
    questions: Questions,
    machine: Machine,
    stop: Option<Reason>,
}

/// What the threads of a round have in common.
struct Round<'r> {
    shared: &'r Shared,
    pool: &'r Pool<Visit>,
    /// Nobody shall finish the state at hand.
    stop: &'r AtomicBool,
    layout: &'r Layout,
    /// The round ends when there are so many states.
    until: usize,
}

impl<H: RecordHash> Crew<'_, '_, H> {
    fn run(&mut self) -> Result<(), Halt> {
        let record = self.search.words.clone();
        let hash = self.search.store.hash(&record);
        let stored = self
            .shared
            .insert(&record, hash, 0, &mut self.hand, |_, _| true);
        stored.map_err(|_| Halt::Stop(Reason::Memory))?;
        self.search.settle(0, 0, &record)?;
        self.stack.push(Visit {
            number: 0,
            depth: 0,
        });
        while !self.stack.is_empty() || !self.carried.is_empty() {
            self.search.compile_in_time();
            self.store_carried()?;
            self.round()?;
            self.search.stop_if_decided()?;
        }
        Ok(())
    }

    /// One round; whoever is first to see a reason ends it.
    fn round(&mut self) -> Result<(), Halt> {
        let (threads, alone) = (self.search.options.threads, self.search.options.alone);
        let alone = usize::try_from(alone).unwrap_or(usize::MAX);
        let few = self.shared.numbers() < alone || self.shared.is_at_most();
        let threads = if few { 1 } else { threads.max(1) };
        let pool = Pool::new(threads);
        let stop = AtomicBool::new(false);
        let round = Round {
            shared: &self.shared,
            pool: &pool,
            stop: &stop,
            layout: &self.layout,
            until: if few && !self.shared.is_at_most() {
                alone
            } else {
                usize::MAX
            },
        };
        let mut relays: Vec<Relay> = Vec::new();
        relays.resize_with(threads - 1, || Relay(&stop));
        let helpers: Vec<Search<'_, H>> = relays
            .iter_mut()
            .map(|relay| {
                let mut helper = self.search.helper(relay);
                // Its own layout, which may grow.
                helper.store = Arc::new((*self.search.store).clone());
                helper
            })
            .collect();
        let (stack, hand) = (
            std::mem::take(&mut self.stack),
            std::mem::take(&mut self.hand),
        );
        let search = &mut *self.search;
        let (mine, helped) = thread::scope(|scope| {
            let round = &round;
            let mut threads = Vec::new();
            for helper in helpers {
                let labour = move || help(helper, round);
                match Builder::new().spawn_scoped(scope, labour) {
                    Ok(thread) => threads.push(thread),
                    Err(_) => pool.lose_a_worker(), // the others do its work
                }
            }
            let mine = Worker::new(search, round, stack, hand).labour();
            let helped: Vec<Helped> = threads
                .into_iter()
                .map(|t| t.join().unwrap_or_else(|panic| resume_unwind(panic)))
                .collect();
            (mine, helped)
        });
        self.stack = pool.into_work();
        self.gather(mine, helped)
    }

    /// Puts together what the threads of a round have found. An error of the model comes first.
    fn gather(&mut self, mine: Share, helped: Vec<Helped>) -> Result<(), Halt> {
        let mut outcomes = Vec::new();
        let mut goals = self.search.questions.goals.clone();
        for thread in helped {
            let search = &mut *self.search;
            search.figures.absorb(&thread.figures, &thread.machine);
            search.questions.absorb_bounds(&thread.questions);
            for (goal, found) in goals.iter_mut().zip(&thread.questions.goals) {
                *goal = goal.or(*found);
            }
            // A helper that was told to stop does not know why.
            let own = thread.stop.filter(|reason| *reason != Reason::Interrupted);
            search.supervisor.stop = search.supervisor.stop.or(own);
            outcomes.push(self.take(thread.share));
        }
        outcomes.insert(0, self.take(mine));
        let bounds = self.search.questions.bounds.clone();
        self.search.questions.restore(goals, bounds);
        let wrong = |o: &Result<(), Halt>| matches!(o, Err(Halt::Failure(Failure::Fault(_))));
        if let Some(index) = outcomes.iter().position(wrong) {
            return outcomes.swap_remove(index);
        }
        outcomes.into_iter().collect()
    }

    fn take(&mut self, share: Share) -> Result<(), Halt> {
        self.stack.extend(share.stack);
        self.carried.extend(share.carried);
        self.hand.spares.extend(share.hand.spares);
        self.figures.depth = self.figures.depth.max(share.figures.depth);
        self.figures.matched += share.figures.matched;
        self.figures.reduced += share.figures.reduced;
        share.outcome
    }

    /// Stores what was carried over, in a layout in which all of it fits.
    fn store_carried(&mut self) -> Result<(), Halt> {
        let carried = std::mem::take(&mut self.carried);
        let numbers = self.shared.numbers();
        for one in &carried {
            let search = &mut *self.search;
            if !search.store.layout().fits(&one.cells) {
                let budget = &mut search.supervisor.budget;
                let store = owned(&mut search.store);
                store.grow_layout(&one.cells, search.program, budget, numbers)?;
            }
        }
        self.take_layout()?;
        let mut record = vec![0; self.layout.words()];
        let mut children = Vec::with_capacity(carried.len());
        for one in &carried {
            self.layout.encode(&one.cells, &mut record);
            children.extend(self.store_one(&record, one.parent)?);
        }
        self.stack.extend(children.into_iter().rev());
        Ok(())
    }

    /// The shared states get the layout of the search.
    fn take_layout(&mut self) -> Result<(), Halt> {
        let search = &mut *self.search;
        let new = search.store.layout().clone();
        if new.bits() == self.layout.bits() {
            return Ok(());
        }
        let repacking = Repacking::new(&self.layout, &new);
        let more = 8 * (self.shared.numbers() * new.words()) as u64;
        let more = more.saturating_sub(self.shared.bytes());
        let budget = &mut search.supervisor.budget;
        if !budget.allows(self.shared.bytes(), more) {
            return Err(Halt::Stop(Reason::Memory));
        }
        let store = owned(&mut search.store);
        store.repacked += (self.shared.numbers() * search.cells.len()) as u64;
        let spares = &self.hand.spares;
        self.shared
            .repack(&repacking, new.words(), &store.hash, spares)?;
        self.layout = new;
        Ok(())
    }

    /// Stores a state that was carried over; what there is to visit then.
    fn store_one(&mut self, record: &[u64], parent: Visit) -> Result<Option<Visit>, Halt> {
        let hash = self.search.store.hash(record);
        loop {
            let budget = &mut self.search.supervisor.budget;
            let allows = |held: u64, more: u64| budget.allows(held, more);
            let (shared, hand) = (&self.shared, &mut self.hand);
            let depth = parent.depth + 1;
            match shared.insert(record, hash, parent.number, hand, allows) {
                Ok(Inserted::New(number)) => {
                    self.search.ask_new(number, record);
                    self.search.stop_if_decided()?;
                    return Ok(Some(Visit { number, depth }));
                }
                Ok(Inserted::Old(number)) if self.shared.is_claimed(number) => {
                    self.figures.matched += 1;
                    return Ok(None);
                }
                Ok(Inserted::Old(number)) => return Ok(Some(Visit { number, depth })),
                Err(Refused::NoMemory) => return Err(Halt::Stop(Reason::Memory)),
                Err(Refused::Full) if self.shared.is_at_most() => {
                    return Err(Halt::Stop(Reason::States));
                }
                Err(Refused::Full) => self.grow_index()?,
            }
        }
    }

    fn grow_index(&mut self) -> Result<(), Halt> {
        let budget = &mut self.search.supervisor.budget;
        if !budget.allows(self.shared.bytes(), self.shared.larger_bytes()) {
            return Err(Halt::Stop(Reason::Memory));
        }
        let hash = &self.search.store.hash;
        Ok(self.shared.grow(hash, &self.hand.spares)?)
    }

    /// Hands the states over in the form in which searches by one thread do.
    fn finish(self, outcome: Result<(), Halt>) -> (Result<(), Halt>, ReducedFigures) {
        let search = self.search;
        let numbers = self.shared.numbers() - self.hand.spares.len();
        search.figures.states = numbers as u64;
        search.held = self.shared.index_bytes(); // it goes, but it was needed
        let mut outcome = outcome;
        match self.shared.close_up(self.hand.spares) {
            Ok(closed) => {
                for goal in search.questions.goals.iter_mut().flatten() {
                    let new = closed.moved.iter().find(|(old, _)| old == goal);
                    *goal = new.map_or(*goal, |(_, new)| *new);
                }
                let store = owned(&mut search.store);
                store.layout = self.layout;
                store.count = closed.records.len();
                store.records = closed.records;
                store.table = None;
                search.tree = Tree::Parents(closed.parents);
            }
            Err(NoMemory) => outcome = outcome.and(Err(Halt::Stop(Reason::Memory))),
        }
        (outcome, self.figures)
    }
}

/// The work of a thread that helps.
fn help<H: RecordHash>(mut search: Search<'_, H>, round: &Round<'_>) -> Helped {
    let share = Worker::new(&mut search, round, Vec::new(), Hand::default()).labour();
    Helped {
        share,
        figures: search.figures,
        questions: search.questions,
        machine: search.machine,
        stop: search.supervisor.stop,
    }
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
    fn new(
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
    fn labour(mut self) -> Share {
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
    pub fn store(&mut self, places: std::ops::Range<usize>, visit: Visit) -> Result<bool, Halt> {
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
