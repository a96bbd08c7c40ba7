//! What every search of a program has: its states, its machine, its figures, its limits.
//!
//! The orders of search (`breadth_first`, `reduced`, `depth_together`, `deepening`, `caching`) and the
//! questions that are answered on the way (`kripke`, `local`) load a state, have it expanded
//! (`expand`), and take its successors out of the batch. What is done once per state whoever asks is
//! here: a state is stored, goals are asked of it, the limits are looked at.

use std::collections::HashMap;
use std::sync::Arc;

use plait_program::{Failure, Fault, Machine, Program, StateSet, Watch};

use crate::batch::Batch;
use crate::budget::{Budget, Observer, Reason, Supervisor};
use crate::caching::Paths;
use crate::checkpoint::Saver;
use crate::figures::Figures;
use crate::hash::RecordHash;
use crate::options::Options;
use crate::plan::Plans;
use crate::questions::Questions;
use crate::shared_titles::SharedTitles;
use crate::store::{Inserted, Store};
use crate::table::NoMemory;
use crate::tier::Tier;
use crate::together::Finds;
use crate::tree::Tree;

/// Work, in tests and cells, between two looks at the clock.
pub(crate) const WORK: usize = 100_000;

/// Why the search cannot go on.
pub(crate) enum Halt {
    Stop(Reason),
    Failure(Failure),
    /// What has come up is not for several threads: one is to do this part of the search again.
    Alone,
}

impl Halt {
    /// Why the search ended, of which `stop` is what its supervisor said; an error of the model is
    /// no such reason.
    pub(crate) fn reason(self, stop: Option<Reason>) -> Result<Reason, Fault> {
        match self {
            Halt::Stop(reason) => Ok(reason),
            Halt::Failure(Failure::Fault(fault)) => Err(fault),
            Halt::Failure(Failure::Stopped) | Halt::Alone => Ok(stop.unwrap_or(Reason::Memory)),
        }
    }
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Halt {
        Halt::Failure(failure)
    }
}

impl From<NoMemory> for Halt {
    fn from(_: NoMemory) -> Halt {
        Halt::Stop(Reason::Memory)
    }
}

/// The level being expanded.
#[derive(Clone)]
pub(crate) struct Level {
    pub(crate) depth: u64,
    /// The number of the first state beyond it.
    pub(crate) end: usize,
}

/// The store, to be changed: only one thread has it now.
pub(crate) fn owned<T>(store: &mut Arc<T>) -> &mut T {
    Arc::get_mut(store).expect("the helpers have gone")
}

pub(crate) struct Search<'s, H> {
    pub(crate) program: &'s Program,
    pub(crate) options: &'s Options,
    /// Shared only while several threads expand states.
    pub(crate) store: Arc<Store<H>>,
    pub(crate) tree: Tree,
    /// Successors may be looked up before all of a state are known.
    pub(crate) batched: bool,
    pub(crate) machine: Machine,
    pub(crate) supervisor: Supervisor<'s>,
    pub(crate) batch: Batch,
    pub(crate) figures: Figures,
    pub(crate) level: Level,
    pub(crate) work: usize,
    /// The state being expanded, packed and unpacked.
    pub(crate) words: Vec<u64>,
    pub(crate) cells: Vec<i32>,
    pub(crate) plans: &'s Plans,
    /// The arcs of this state whose title several events share.
    pub(crate) repeated: SharedTitles,
    /// How often each event was tried whose tests held, but for those that need no compiling.
    pub(crate) tried: Vec<u64>,
    /// The last state in which each event was seen to have a successor.
    pub(crate) fired_in: Vec<u32>,
    /// Working memory: the events to try in a state.
    pub(crate) candidates: Vec<u64>,
    /// A state just stored, unpacked.
    pub(crate) new_cells: Vec<i32>,
    pub(crate) questions: Questions,
    /// Working memory for events on sets.
    pub(crate) found: StateSet,
    /// Where successors go that may be new, while several threads expand states.
    pub(crate) finds: Option<Finds>,
    /// States that a store may forget and a trace will need.
    pub(crate) known: HashMap<u32, Vec<i32>>,
    /// The numbers of states to be known, in descending order; the search ends with the last.
    pub(crate) wanted: Vec<u32>,
    /// When to write a checkpoint, if at all.
    pub(crate) saver: Option<Saver>,
    /// Bytes that a search holds besides the store.
    pub(crate) held: u64,
    /// The states on the way to a goal, where the store cannot tell them.
    pub(crate) paths: Paths,
    pub(crate) tier: Tier,
}

impl<'s, H: RecordHash> Search<'s, H> {
    /// A search of the whole program that has not begun.
    pub(crate) fn new(
        program: &'s Program,
        options: &'s Options,
        plans: &'s Plans,
        supervisor: Supervisor<'s>,
        store: Store<H>,
    ) -> Search<'s, H> {
        Search::on(program, options, plans, supervisor, Arc::new(store))
    }

    /// The same on a store that another search may have, too.
    fn on(
        program: &'s Program,
        options: &'s Options,
        plans: &'s Plans,
        supervisor: Supervisor<'s>,
        store: Arc<Store<H>>,
    ) -> Search<'s, H> {
        let plain = options.is_plain();
        let cells = program.initial();
        Search {
            program,
            options,
            words: vec![0; store.layout().words()],
            store,
            tree: Tree::new(plain),
            batched: plain,
            machine: Machine::new(program),
            supervisor,
            batch: Batch::default(),
            figures: Figures::new(&cells, program.events().len()),
            level: Level { depth: 0, end: 1 },
            work: WORK, // the limits are looked at before the first state is expanded
            plans,
            repeated: SharedTitles::new(program.events().len()),
            tried: vec![0; program.events().len()],
            fired_in: vec![u32::MAX; program.events().len()],
            candidates: Vec::new(),
            new_cells: vec![0; cells.len()],
            questions: Questions::new(&options.goals, &options.bounds),
            found: StateSet::new(cells.len()),
            finds: None,
            known: HashMap::new(),
            wanted: Vec::new(),
            saver: None,
            tier: Tier::new(options.successors),
            held: 0,
            paths: Paths::new(),
            cells,
        }
    }

    /// A search for another thread, on the same store.
    pub(crate) fn helper<'h>(&self, relay: &'h mut dyn Observer) -> Search<'h, H>
    where
        Self: 'h,
    {
        let supervisor = self.supervisor.helper(relay);
        let store = Arc::clone(&self.store);
        Search {
            machine: self.machine.fresh(self.program),
            level: self.level.clone(),
            work: 0,
            questions: self.questions.clone(),
            tier: Tier::over(),
            ..Search::on(self.program, self.options, self.plans, supervisor, store)
        }
    }
}

impl<H: RecordHash> Search<'_, H> {
    /// The initial state is stored whatever the limits say.
    pub(crate) fn store_initial(&mut self) -> Result<(), Halt> {
        let record = self.words.clone();
        let hash = self.store.hash(&record);
        owned(&mut self.store).insert(&record, hash, 1, &mut Budget::new(None))?;
        self.settle(0, 0, &record)
    }

    /// Stores a packed state, if it is new and there may be one more.
    #[inline]
    pub(crate) fn insert(&mut self, record: &[u64], hash: u64) -> Result<Inserted, Halt> {
        let most = self.options.most_states();
        let budget = &mut self.supervisor.budget;
        let inserted = owned(&mut self.store).insert(record, hash, most, budget)?;
        inserted.ok_or(Halt::Stop(Reason::States))
    }

    /// Expands a state, and looks at the limits from time to time.
    pub(crate) fn expand_in_turn(&mut self, number: u32) -> Result<(), Halt> {
        self.keep_well()?;
        self.load(number);
        self.expand_taken(number)
    }

    /// The same for the state that stands there already.
    pub(crate) fn expand_taken(&mut self, number: u32) -> Result<(), Halt> {
        self.work += 1 + self.program.free().len() + self.cells.len() / 4;
        self.look_up_in_time()?;
        self.expand_loaded(number)
    }

    /// A state has been stored.
    pub(crate) fn settle(&mut self, number: u32, parent: u32, record: &[u64]) -> Result<(), Halt> {
        if number > 0 && !self.tree.push(parent) {
            return Err(Halt::Stop(Reason::Memory));
        }
        if self.ask_new(number, record) {
            self.remember(number, self.new_cells.clone());
            self.stop_if_decided()?;
        }
        Ok(())
    }

    /// Asks a state that has just been stored for goals; whether one was found.
    #[inline]
    pub(crate) fn ask_new(&mut self, number: u32, record: &[u64]) -> bool {
        if !self.questions.any_about_new_states() {
            return false;
        }
        self.store.layout().decode(record, &mut self.new_cells);
        let sought = self.questions.sought();
        self.questions.ask_new(number, &self.new_cells);
        self.work += self.questions.cost();
        self.questions.sought() < sought
    }

    /// Keeps a state where a goal is true, if the store may forget it.
    pub(crate) fn remember(&mut self, number: u32, cells: Vec<i32>) {
        if self.options.form.forgets() {
            self.known.insert(number, cells);
            self.supervisor.reserve_a_repetition();
        }
    }

    pub(crate) fn stop_if_decided(&self) -> Result<(), Halt> {
        if self.options.stop_when_decided && self.questions.are_decided() {
            return Err(Halt::Stop(Reason::Goals));
        }
        Ok(())
    }

    /// Time, memory and observer, when enough work has been done since the last look.
    pub(crate) fn look_up_in_time(&mut self) -> Result<(), Halt> {
        if self.work < WORK {
            return Ok(());
        }
        self.work = 0;
        self.look_up()
    }

    /// Time, memory, observer.
    fn look_up(&mut self) -> Result<(), Halt> {
        self.tier.tick();
        let depth = self.depth();
        let progress = &mut self.supervisor.progress;
        progress.states = self.figures.states.max(self.store.len() as u64);
        progress.expanded = self.figures.expanded;
        progress.arcs = self.figures.arcs;
        progress.deadlocks = self.figures.deadlocks;
        progress.depth = depth;
        progress.bytes = self.store.bytes() + self.tree.bytes() + self.held;
        if let Some(saver) = &mut self.saver {
            saver.look();
        }
        if self.supervisor.go_on(0) {
            Ok(())
        } else {
            Err(Halt::Failure(Failure::Stopped))
        }
    }

    pub(crate) fn depth(&self) -> u64 {
        self.level.depth + u64::from(self.store.len() > self.level.end)
    }
}
