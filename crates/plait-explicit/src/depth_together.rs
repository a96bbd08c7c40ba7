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
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::thread::{self, Builder};

use plait_program::{Failure, Machine};

use crate::budget::Reason;
use crate::depth_worker::{Carried, Round, Share, Visit, Worker};
use crate::figures::Figures;
use crate::form::Form;
use crate::hash::RecordHash;
use crate::layout::Layout;
use crate::options::{Options, Order};
use crate::pool::Pool;
use crate::questions::Questions;
use crate::reduction::ReducedFigures;
use crate::repacking::Repacking;
use crate::search::{owned, Halt, Search};
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

/// What a thread that helps gives back after a round.
struct Helped {
    share: Share,
    figures: Figures,
    questions: Questions,
    machine: Machine,
    stop: Option<Reason>,
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
