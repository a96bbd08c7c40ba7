//! Breadth-first search.
//!
//! States are numbered in the order of their discovery; state `n` is expanded after all smaller
//! numbers. Each state is unpacked once; the successors of net-like events are made by adding to the
//! packed words directly, those of other straight lines by executing them in place and patching the
//! words of the cells written, and only events on sets of states pack whole states.
//!
//! Nothing observable depends on the hash, on how successors are batched or on how many threads help
//! (`together`): numbers, counts and traces are those of the plain textbook search that takes events
//! in their order.

use std::collections::HashMap;
use std::sync::Arc;

use plait_program::mix::Seed;
use plait_program::{Failure, Fault, Machine, Program, StateSet, Watch};

use crate::batch::{Batch, UNKNOWN};
use crate::budget::{Budget, Observer, Reason, Supervisor};
use crate::caching::{self, Paths};
use crate::checkpoint::{fingerprint, Saver};
use crate::deepening;
use crate::depth_together;
use crate::exploration::Exploration;
use crate::figures::Figures;
use crate::hash::{RecordHash, SeededHash};
use crate::options::{Options, Order};
use crate::plan::Plans;
use crate::questions::Questions;
use crate::reduced;
use crate::saved::Saved;
use crate::shared_titles::SharedTitles;
use crate::store::{Inserted, Store};
use crate::table::NoMemory;
use crate::tier::Tier;
use crate::together::{Finds, Pace};
use crate::tree::Tree;

/// Successors are looked up when there are this many.
pub(crate) const BATCH: usize = 64;
/// Also in the middle of a state's successors when there are this many.
pub(crate) const LARGE_BATCH: usize = 4096;
/// Work, in tests and cells, between two looks at the clock.
pub(crate) const WORK: usize = 100_000;
/// Numbers of states are 32-bit, and one is set apart.
pub(crate) const MOST_STATES: u64 = u32::MAX as u64 - 1;

/// Why the search cannot go on.
pub(crate) enum Halt {
    Stop(Reason),
    Failure(Failure),
    /// What has come up is not for several threads: one is to do this part of the search again.
    Alone,
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

/// Searches the reachable states; an `Err` is an error of the model.
pub fn explore(
    program: &Arc<Program>,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Exploration, Fault> {
    explore_from(program, options, observer, None)
}

/// As `explore`, going on from a checkpoint if there is one.
pub fn explore_from(
    program: &Arc<Program>,
    options: &Options,
    observer: &mut dyn Observer,
    saved: Option<Saved>,
) -> Result<Exploration, Fault> {
    let hash = SeededHash::new(Seed::of_process());
    search_with(program, options, observer, hash, saved)
}

/// As `explore`, with any hash.
#[cfg(test)]
pub(crate) fn explore_with<H: RecordHash>(
    program: &Arc<Program>,
    options: &Options,
    observer: &mut dyn Observer,
    hash: H,
) -> Result<Exploration<H>, Fault> {
    search_with(program, options, observer, hash, None)
}

fn search_with<H: RecordHash>(
    program: &Arc<Program>,
    options: &Options,
    observer: &mut dyn Observer,
    hash: H,
    saved: Option<Saved>,
) -> Result<Exploration<H>, Fault> {
    let supervisor = Supervisor::new(observer, options.timeout, options.memory);
    let plain = options.order == Order::BreadthFirst && options.reduction.is_none();
    let shared = plain && options.form.suits_threads();
    let threads = if shared { options.threads } else { 1 };
    let store = Store::with_form(program, hash.clone(), options.form, threads);
    let initial = program.initial();
    let figures = Figures::new(&initial, program.events().len());
    let Ok(store) = store else {
        let questions = Questions::new(&options.goals, &options.bounds);
        return Ok(Exploration {
            program: Arc::clone(program),
            store: None,
            tree: Tree::new(true),
            reduced: None,
            figures,
            bounds: questions.bounds,
            goals: questions.goals,
            reason: Some(Reason::Memory),
            known: HashMap::new(),
            paths: HashMap::new(),
        });
    };
    let plans = Plans::new(program);
    let mut search = Search::new(program, options, &plans, supervisor, store);
    let mut reduced = None;
    let outcome = if plain {
        if !options.form.forgets() {
            let place = options.checkpoint.clone();
            search.saver = place.map(|p| Saver::new(p, fingerprint(program, options)));
        }
        search.run(threads, saved)
    } else {
        let (outcome, figures) = match options.order {
            Order::Deepening => deepening::run(&mut search),
            Order::Caching(capacity) => caching::run(&mut search, capacity),
            Order::DepthFirst if depth_together::suits(options) => depth_together::run(&mut search),
            Order::BreadthFirst | Order::DepthFirst => reduced::run(&mut search),
        };
        reduced = Some(figures);
        outcome
    };
    let reason = match outcome {
        Ok(()) => None,
        Err(Halt::Stop(reason)) => Some(reason),
        Err(Halt::Failure(Failure::Fault(fault))) => return Err(fault),
        Err(Halt::Failure(Failure::Stopped) | Halt::Alone) => {
            Some(search.supervisor.stop.unwrap_or(Reason::Memory))
        }
    };
    search.figures.depth = match &reduced {
        Some(figures) => figures.depth,
        None => search.depth(),
    };
    search.figures.bytes = search.store.bytes() + search.tree.bytes() + search.held;
    search.figures.omission = search.store.omission();
    search.figures.states = search.figures.states.max(search.store.len() as u64);
    if let Some(saver) = &mut search.saver {
        search.figures.checkpoints = saver.written;
        search.figures.checkpoint_error = saver.error.take();
    }
    search.figures.absorb_machine(&search.machine);
    let mut found = Exploration {
        program: Arc::clone(program),
        store: Arc::into_inner(search.store).map(Store::without_index),
        tree: search.tree,
        reduced,
        figures: search.figures,
        bounds: search.questions.bounds,
        goals: search.questions.goals,
        reason,
        known: search.known,
        paths: search.paths,
    };
    if options.form.needs_repetition() && reason != Some(Reason::Interrupted) {
        let supervisor = &mut search.supervisor;
        find_paths_again(program, options, &plans, supervisor, hash, &mut found);
    }
    Ok(found)
}

/// Repeats a search whose store keeps nothing of a state, to see the states on the paths to the goals.
fn find_paths_again<H: RecordHash>(
    program: &Arc<Program>,
    options: &Options,
    plans: &Plans,
    supervisor: &mut Supervisor<'_>,
    hash: H,
    found: &mut Exploration<H>,
) {
    let goals = found.goals.iter().flatten();
    let mut wanted: Vec<u32> = goals.flat_map(|goal| found.tree.path(*goal)).collect();
    wanted.retain(|number| *number > 0 && !found.known.contains_key(number));
    wanted.sort_unstable_by(|a, b| b.cmp(a));
    wanted.dedup();
    if wanted.is_empty() {
        return;
    }
    let options = Options {
        goals: Vec::new(),
        bounds: Vec::new(),
        ..options.clone()
    };
    found.store = None; // there is no room for two
    let Ok(store) = Store::with_form(program, hash, options.form, 1) else {
        return;
    };
    let repetition = supervisor.repetition();
    let mut search = Search::new(program, &options, plans, repetition, store);
    search.wanted = wanted;
    let _ = search.run(1, None); // what was not found again has no trace
    found.known.extend(search.known);
}

/// The level being expanded.
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
        let plain = options.order == Order::BreadthFirst && options.reduction.is_none();
        let cells = program.initial();
        Search {
            program,
            options,
            words: vec![0; store.layout().words()],
            store: Arc::new(store),
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
}

impl<H: RecordHash> Search<'_, H> {
    fn run(&mut self, threads: usize, saved: Option<Saved>) -> Result<(), Halt> {
        let mut next = match saved {
            Some(saved) => self.restore(saved)?,
            None => {
                self.store_initial()?;
                0
            }
        };
        let mut pace = Pace::new(threads, self.options.alone);
        loop {
            self.compile_in_time();
            if self.batch.len() >= BATCH || next >= self.level.end || next >= self.store.len() {
                self.flush()?;
                owned(&mut self.store).forget(next);
                if next >= self.store.len() {
                    return Ok(());
                }
                if next >= self.level.end {
                    self.level.depth += 1;
                    self.level.end = self.store.len();
                }
            }
            if self.saver.as_ref().is_some_and(|s| s.due) {
                self.flush()?;
                self.save_in_time(next);
            }
            if let Some(end) = pace.chunk(next, self.level.end) {
                self.flush()?;
                let done = self.expand_together(next..end, &mut pace)?;
                pace.after(done);
                next = done.unwrap_or(next);
            } else {
                self.expand_in_turn(next as u32)?;
                self.note_wanted(next as u32)?;
                next += 1;
            }
        }
    }

    /// Expands a state, and looks at the limits from time to time.
    pub(crate) fn expand_in_turn(&mut self, number: u32) -> Result<(), Halt> {
        self.load(number);
        self.expand_taken(number)
    }

    /// The same for the state that stands there already.
    pub(crate) fn expand_taken(&mut self, number: u32) -> Result<(), Halt> {
        self.work += 1 + self.program.free().len() + self.cells.len() / 4;
        self.look_up_in_time()?;
        self.expand_loaded(number)
    }

    /// Keeps the state just expanded if a trace will need it.
    fn note_wanted(&mut self, number: u32) -> Result<(), Halt> {
        if self.wanted.last() == Some(&number) {
            self.wanted.pop();
            self.known.insert(number, self.cells.clone());
            if self.wanted.is_empty() {
                return Err(Halt::Stop(Reason::Goals));
            }
        }
        Ok(())
    }

    /// Keeps a state where a goal is true, if the store may forget it.
    pub(crate) fn remember(&mut self, number: u32, cells: Vec<i32>) {
        if self.options.form.forgets() {
            self.known.insert(number, cells);
            self.supervisor.reserve_a_repetition();
        }
    }

    /// The initial state is stored whatever the limits say.
    pub(crate) fn store_initial(&mut self) -> Result<(), Halt> {
        let record = self.words.clone();
        let hash = self.store.hash(&record);
        owned(&mut self.store).insert(&record, hash, 1, &mut Budget::new(None))?;
        self.settle(0, 0, &record)
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

    /// Looks the batch up; new states are stored, and goals asked of them.
    pub(crate) fn flush(&mut self) -> Result<(), Halt> {
        let mut batch = std::mem::take(&mut self.batch);
        // Wide states with many successors cost more than their expansion tells.
        self.work += batch.len() * self.store.layout().words();
        let outcome = match self.finds.take() {
            None => self.flush_batch(&mut batch),
            Some(mut finds) => {
                let outcome = self.sift(&mut batch, &mut finds);
                self.finds = Some(finds);
                outcome
            }
        };
        batch.clear();
        self.batch = batch;
        outcome?;
        self.look_up_in_time()
    }

    /// Time, memory and observer, when enough work has been done since the last look.
    pub(crate) fn look_up_in_time(&mut self) -> Result<(), Halt> {
        if self.work < WORK {
            return Ok(());
        }
        self.work = 0;
        self.look_up()
    }

    fn flush_batch(&mut self, batch: &mut Batch) -> Result<(), Halt> {
        let stride = self.store.layout().words();
        let most = self.options.max_states.unwrap_or(MOST_STATES);
        let most = most.min(MOST_STATES) as usize;
        self.guess(batch);
        for (index, (hash, guess)) in batch.hashes.iter().zip(&batch.guesses).enumerate() {
            if *guess != UNKNOWN {
                continue; // most successors are old, and recognised already
            }
            let record = &batch.words[index * stride..][..stride];
            let budget = &mut self.supervisor.budget;
            match owned(&mut self.store).insert(record, *hash, most, budget)? {
                Some(Inserted::Old(_)) => {}
                Some(Inserted::New(number)) => self.settle(number, batch.parents[index], record)?,
                None => return Err(Halt::Stop(Reason::States)),
            }
        }
        Ok(())
    }

    /// Looks at the likely place of each successor, in the store.
    pub(crate) fn guess(&self, batch: &mut Batch) {
        self.guess_where(batch, |number, record, hash| {
            self.store.is(number, record, hash)
        });
    }

    /// The same where `is_it` says whether a state is the one of a number: three short loops whose
    /// iterations do not wait for each other, so that the processor overlaps their accesses to memory.
    #[inline]
    pub(crate) fn guess_where(&self, batch: &mut Batch, is_it: impl Fn(u32, &[u64], u64) -> bool) {
        let stride = self.store.layout().words();
        let records = batch.words.chunks_exact(stride);
        batch.hashes.clear();
        batch.hashes.extend(records.map(|r| self.store.hash(r)));
        batch.guesses.clear();
        let guess = |hash: &u64| self.store.guess(*hash).unwrap_or(UNKNOWN);
        batch.guesses.extend(batch.hashes.iter().map(guess));
        let records = batch.words.chunks_exact(stride).zip(&batch.hashes);
        for (guess, (record, hash)) in batch.guesses.iter_mut().zip(records) {
            if *guess != UNKNOWN && !is_it(*guess, record, *hash) {
                *guess = UNKNOWN;
            }
        }
    }

    /// A state has been stored.
    pub(crate) fn settle(&mut self, number: u32, parent: u32, record: &[u64]) -> Result<(), Halt> {
        if number > 0 && !self.tree.push(parent) {
            return Err(Halt::Stop(Reason::Memory));
        }
        if self.questions.any_about_new_states() {
            self.store.layout().decode(record, &mut self.new_cells);
            let sought = self.questions.sought();
            self.questions.ask_new(number, &self.new_cells);
            if self.questions.sought() < sought {
                self.remember(number, self.new_cells.clone());
            }
            self.work += self.questions.cost();
            self.stop_if_decided()?;
        }
        Ok(())
    }

    pub(crate) fn stop_if_decided(&self) -> Result<(), Halt> {
        if self.options.stop_when_decided && self.questions.are_decided() {
            return Err(Halt::Stop(Reason::Goals));
        }
        Ok(())
    }
}
