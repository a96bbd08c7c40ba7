//! Breadth-first search by several threads, with the results of one.
//!
//! The states of a level are expanded chunk by chunk. Each thread takes blocks of states from a counter
//! and puts what it finds new into one index without locks, the same for all (`staged`, `table`), so
//! that every state is looked up once for each time it is found, as by one thread. The threads meet
//! at the end of a chunk. Then the new states get the numbers that the search by one thread would
//! have given them, and are appended to the store.
//!
//! Everything unusual (a goal is reached, a value does not fit its field, the model is in error,
//! there are as many states as were allowed, the index is full) makes the chunk void: its states are
//! taken out of the index, its figures are dropped, and one thread does it again. So numbers, figures,
//! traces and errors are those of the search by one thread; only how late a limit is noticed may
//! differ, by less than a chunk.
//!
//! Against numbers in the order of arrival (Laarman, van de Pol, Weber, FMCAD 2010, and the depth-first
//! search here, `depth_together`) this costs a second copy of the states of one chunk, and one more
//! write to the slot of each. In exchange the trace that a user sees never depends on luck, and the
//! breadth-first tree stays at two bits a state.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread::{self, Builder};

use plait_program::Machine;

use crate::batch::{Batch, UNKNOWN};
use crate::breadth_first::BATCH;
use crate::budget::{Observer, Progress, Reason};
use crate::figures::Figures;
use crate::hash::RecordHash;
use crate::questions::Questions;
use crate::search::{owned, Halt, Search};
use crate::shared::Refused;
use crate::staged::{Entry, Run, Sighting, Staged};

/// States that a thread takes at a time.
const BLOCK: usize = 64;
/// The largest chunk.
const LARGEST: usize = 1 << 15;
/// The smallest, unless others shall help from fewer states on.
const SMALLEST: usize = 1 << 10;
/// Words of rows that a chunk may fill, 64 megabytes; it ends when half of them are.
const MOST_WORDS: usize = 1 << 23;
/// The index gets room for so many new states for each state of a chunk, or twice what the last chunk
/// found.
const EXPECTED: usize = 4;

/// How many states to expand together next.
pub(crate) struct Pace {
    threads: usize,
    alone: usize,
    smallest: usize,
    size: usize,
    /// One thread expands the states before this one.
    until: usize,
    /// The rows of the chunks, once there was one.
    staged: Option<Arc<Staged>>,
    /// New states that a chunk may find for each of its states, about.
    expected: usize,
}

impl Pace {
    pub fn new(threads: usize, alone: u64) -> Pace {
        let alone = usize::try_from(alone).unwrap_or(usize::MAX);
        let smallest = (alone / 16).clamp(2, SMALLEST);
        Pace {
            threads,
            alone,
            smallest,
            size: smallest,
            until: 0,
            staged: None,
            expected: EXPECTED,
        }
    }

    /// The end of the next chunk, if the states from `next` to `end` shall be expanded together.
    #[inline]
    pub fn chunk(&self, next: usize, end: usize) -> Option<usize> {
        let together = self.threads > 1
            && next >= self.until
            && end >= self.alone
            && end - next >= self.smallest;
        together.then(|| end.min(next + self.size))
    }

    /// A chunk has been tried, and done up to a state or not at all.
    pub fn after(&mut self, done: Result<usize, usize>) {
        match done {
            Ok(_) => self.size = (self.size * 2).min(LARGEST),
            Err(until) => {
                self.size = self.smallest;
                self.until = until;
            }
        }
    }
}

/// What a thread finds in a chunk.
#[derive(Debug)]
pub(crate) struct Finds {
    staged: Arc<Staged>,
    run: Run,
    entries: Vec<Entry>,
    /// For each block its first state and where its entries begin.
    blocks: Vec<(usize, usize)>,
}

impl Finds {
    fn new(staged: &Arc<Staged>) -> Finds {
        Finds {
            staged: Arc::clone(staged),
            run: Run::default(),
            entries: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// The entries of each block after its first state.
    fn by_block(&self) -> impl Iterator<Item = (usize, &[Entry])> {
        let ends = self.blocks.iter().skip(1).map(|(_, start)| *start);
        let ends = ends.chain([self.entries.len()]);
        let blocks = self.blocks.iter().zip(ends);
        blocks.map(|((first, start), end)| (*first, &self.entries[*start..end]))
    }
}

/// The chunk being expanded.
struct Chunk {
    next: AtomicUsize,
    end: usize,
    /// Nobody shall go on.
    stop: AtomicBool,
    staged: Arc<Staged>,
}

/// What one thread has done of a chunk.
struct Share {
    finds: Finds,
    figures: Figures,
    questions: Questions,
    machine: Machine,
    outcome: Result<(), Halt>,
}

/// The observer of a helper: the first thread says when to stop.
pub(crate) struct Relay<'c>(pub &'c AtomicBool);

impl Observer for Relay<'_> {
    fn go_on(&mut self, _progress: &Progress) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

impl<H: RecordHash> Search<'_, H> {
    /// Expands the states of a chunk, or the first of them, and stores their successors; says where
    /// it ended. `Err` within `Ok`: nothing is done, one thread is to expand the states up to there.
    pub(crate) fn expand_together(
        &mut self,
        states: Range<usize>,
        pace: &mut Pace,
    ) -> Result<Result<usize, usize>, Halt> {
        let Some(staged) = self.stage(&states, pace)? else {
            return Ok(Err(states.end));
        };
        let chunk = Chunk {
            next: AtomicUsize::new(states.start),
            end: states.end,
            stop: AtomicBool::new(false),
            staged,
        };
        let shares = self.share_out(&chunk);
        let found = self.questions.found();
        let usual = |s: &Share| s.outcome.is_ok() && s.questions.found() == found;
        let entries: usize = shares.iter().map(|s| s.finds.entries.len()).sum();
        if self.supervisor.stop.is_some()
            || !shares.iter().all(usual)
            || self.store.len() + entries > self.options.most_states()
        {
            if let Some(table) = &self.store.table {
                let finds = shares.iter().map(|s| &s.finds);
                let entries = finds.flat_map(|f| f.entries.iter().copied());
                chunk.staged.withdraw(entries, table);
            }
            return match self.supervisor.stop {
                Some(reason) => Err(Halt::Stop(reason)),
                None => Ok(Err(states.end)),
            };
        }
        let done = chunk.next.into_inner().min(states.end);
        for share in &shares {
            self.figures.absorb(&share.figures, &share.machine);
            self.questions.absorb_bounds(&share.questions);
        }
        let before = self.store.len();
        self.append(&shares)?;
        let new = self.store.len() - before;
        pace.expected = (2 * new).div_ceil((done - states.start).max(1));
        Ok(Ok(done))
    }

    /// Rows for a chunk, and room in the index; none where that would take too much memory.
    fn stage(
        &mut self,
        states: &Range<usize>,
        pace: &mut Pace,
    ) -> Result<Option<Arc<Staged>>, Halt> {
        let stride = self.store.layout().words();
        let budget = &mut self.supervisor.budget;
        let store = owned(&mut self.store);
        let own = (!store.is_packed()).then(|| store.confuses());
        if own.is_none() && !store.make_room(states.len() * pace.expected, budget)? {
            return Ok(None);
        }
        let mut staged = match pace.staged.take().filter(|s| s.stride() == stride) {
            Some(staged) => staged,
            None => Arc::new(Staged::new(stride, own)?),
        };
        let Some(table) = &store.table else {
            return Err(Halt::Stop(Reason::Memory));
        };
        owned(&mut staged).begin(store.len(), table, MOST_WORDS)?;
        pace.staged = Some(Arc::clone(&staged));
        Ok(Some(staged))
    }

    /// Has the chunk expanded by all threads.
    fn share_out(&mut self, chunk: &Chunk) -> Vec<Share> {
        let mut relays: Vec<Relay> = Vec::new();
        relays.resize_with(self.options.threads - 1, || Relay(&chunk.stop));
        let helpers: Vec<Search<'_, H>> = relays.iter_mut().map(|r| self.helper(r)).collect();
        thread::scope(|scope| {
            // Where the system refuses a thread, the others do its work.
            let helpers: Vec<_> = helpers
                .into_iter()
                .map_while(|mut helper| {
                    let labour = move || helper.labour(chunk);
                    Builder::new().spawn_scoped(scope, labour).ok()
                })
                .collect();
            let mut shares = vec![self.labour(chunk)];
            for helper in helpers {
                let share = helper.join().unwrap_or_else(|panic| resume_unwind(panic));
                shares.push(share);
            }
            shares
        })
    }

    /// Expands blocks of the chunk until there are none left; what this search counted before stays
    /// as it was.
    fn labour(&mut self, chunk: &Chunk) -> Share {
        let events = self.program.events().len();
        let fresh = Figures::new(&self.program.initial(), events);
        let figures = std::mem::replace(&mut self.figures, fresh);
        let questions = self.questions.clone();
        let fresh = self.machine.fresh(self.program);
        let machine = std::mem::replace(&mut self.machine, fresh);
        self.finds = Some(Finds::new(&chunk.staged));
        let outcome = self.take_blocks(chunk);
        if outcome.is_err() {
            chunk.stop.store(true, Ordering::Relaxed);
        }
        self.batch.clear();
        self.repeated.clear();
        let finds = self.finds.take();
        Share {
            finds: finds.unwrap_or_else(|| Finds::new(&chunk.staged)),
            figures: std::mem::replace(&mut self.figures, figures),
            questions: std::mem::replace(&mut self.questions, questions),
            machine: std::mem::replace(&mut self.machine, machine),
            outcome,
        }
    }

    fn take_blocks(&mut self, chunk: &Chunk) -> Result<(), Halt> {
        while !chunk.staged.is_half_full() {
            let first = chunk.next.fetch_add(BLOCK, Ordering::Relaxed);
            if first >= chunk.end {
                break;
            }
            if let Some(finds) = &mut self.finds {
                finds.blocks.push((first, finds.entries.len()));
            }
            for number in first..chunk.end.min(first + BLOCK) {
                if chunk.stop.load(Ordering::Relaxed) {
                    return Ok(()); // the chunk is void
                }
                self.expand_in_turn(number as u32)?;
                if self.batch.len() >= BATCH {
                    self.flush()?;
                }
            }
            self.flush()?;
        }
        Ok(())
    }

    /// Appends to the store what all threads have found, in the order of the search.
    fn append(&mut self, shares: &[Share]) -> Result<(), Halt> {
        let finds = shares.iter().map(|s| &s.finds);
        let mut blocks: Vec<(usize, &[Entry], &Staged)> = finds
            .flat_map(|f| {
                f.by_block()
                    .map(|(first, entries)| (first, entries, &*f.staged))
            })
            .collect();
        blocks.sort_unstable_by_key(|(first, ..)| *first);
        let store = owned(&mut self.store);
        let budget = &mut self.supervisor.budget;
        let mut record = Vec::new();
        for (_, entries, staged) in blocks {
            for entry in entries {
                let Some(key) = staged.read(*entry, &mut record) else {
                    continue;
                };
                if staged.is_in_store() {
                    store.append(&record, key, budget)?;
                } else {
                    store.insert(&record, key as u64, usize::MAX, budget)?;
                }
                if !self.tree.push(entry.parent) {
                    return Err(Halt::Stop(Reason::Memory));
                }
            }
        }
        Ok(())
    }
}

impl<H: RecordHash> Search<'_, H> {
    /// Stores what is new in the batch among the states of the chunk, and asks it for goals.
    pub(crate) fn sift(&mut self, batch: &mut Batch, finds: &mut Finds) -> Result<(), Halt> {
        let staged = &*finds.staged;
        let stride = self.store.layout().words();
        self.guess_where(batch, None, |number, record, hash| {
            match staged.row_of(number) {
                Some(row) if staged.is_in_store() => staged.is(row, record, hash),
                _ => self.store.is(number, record, hash),
            }
        });
        for index in 0..batch.len() {
            let record = batch.get(index, stride);
            let (hash, parent) = (batch.hashes[index], batch.parents[index]);
            let sighting = match batch.guesses[index] {
                UNKNOWN => self.place(record, hash, parent, finds)?,
                number => match finds.staged.row_of(number) {
                    Some(row) if finds.staged.is_in_store() => {
                        finds.staged.meet(row, record, parent)
                    }
                    _ => Sighting::Others,
                },
            };
            match sighting {
                Sighting::Others => {}
                Sighting::Confused => return Err(Halt::Alone),
                Sighting::Mine { entry, new } => {
                    finds.entries.push(entry);
                    if new {
                        self.ask_new(UNKNOWN, record);
                    }
                }
            }
        }
        Ok(())
    }

    /// Looks for a state in the store and among those of the chunk, and stores it there.
    #[inline]
    fn place(
        &mut self,
        record: &[u64],
        hash: u64,
        parent: u32,
        finds: &mut Finds,
    ) -> Result<Sighting, Halt> {
        let store = &*self.store;
        let staged = &*finds.staged;
        if !staged.is_in_store() && store.find(record, hash).is_some() {
            return Ok(Sighting::Others);
        }
        let Some(table) = &store.table else {
            return Err(Halt::Stop(Reason::Memory));
        };
        let held = store.bytes() + self.tree.bytes();
        let budget = &mut self.supervisor.budget;
        let allows = |rows: u64, more: u64| budget.allows(held + rows, more);
        let is_older = |number: u32| store.is(number, record, hash);
        let state = (record, hash, parent);
        match staged.insert(table, is_older, state, &mut finds.run, allows) {
            Ok(sighting) => Ok(sighting),
            // There may be room for one thread.
            Err(Refused::Full | Refused::NoMemory) => Err(Halt::Alone),
        }
    }
}
