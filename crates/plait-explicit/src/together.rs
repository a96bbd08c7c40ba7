//! Breadth-first search by several threads, with the results of one.
//!
//! The states of a level are expanded chunk by chunk. While a chunk is expanded nobody writes to the
//! store: each thread takes blocks of states from a counter, looks their successors up, and keeps
//! those that are not there in a *sieve*, a list for each block. Then the sieves, put in the order of
//! the blocks, hold what the search by one thread would have stored, in the same order, with some
//! states more than once. The repetitions are found by hash classes, a thread each; what is left is
//! appended to the store, and the threads enter it into the index, each into its own shards.
//!
//! Everything unusual (a goal is reached, a value does not fit its field, the model is in error,
//! there are as many states as were allowed) makes the chunk void: its figures are dropped and one
//! thread does it again. So numbers, figures, traces and errors are those of the search by one
//! thread; only how late a limit is noticed may differ, by less than a chunk.
//!
//! Against a store with atomic slots (Laarman, van de Pol, Weber, FMCAD 2010) this costs a second
//! list of new states and two meetings of the threads a chunk. In exchange numbers do not depend on
//! who came first, the breadth-first tree stays at two bits a state, and there is no memory ordering
//! to argue about: threads share what nobody writes, and write what nobody shares.

use std::collections::HashMap;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread::{self, Builder};

use plait_program::{Machine, StateSet};

use crate::batch::{Batch, UNKNOWN};
use crate::breadth_first::{owned, Halt, Level, Search, BATCH, MOST_STATES};
use crate::budget::{Observer, Progress, Reason};
use crate::crew;
use crate::figures::Figures;
use crate::hash::RecordHash;
use crate::questions::Questions;
use crate::store::same;
use crate::table::{NoMemory, Table};
use crate::tier::Tier;
use crate::tree::Tree;

/// States that a thread takes at a time.
const BLOCK: usize = 64;
/// The largest chunk.
const LARGEST: usize = 1 << 15;
/// The smallest, unless others shall help from fewer states on.
const SMALLEST: usize = 1 << 10;
/// When the sieves hold this many words, the chunk ends: 32 megabytes.
const MOST_WORDS: usize = 1 << 22;

/// How many states to expand together next.
pub(crate) struct Pace {
    threads: usize,
    alone: usize,
    smallest: usize,
    size: usize,
    /// One thread expands the states before this one.
    until: usize,
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

/// Successors that were not in the store, of the states of one block.
#[derive(Debug, Default)]
pub(crate) struct Sieve {
    /// The first state of the block.
    first: usize,
    words: Vec<u64>,
    parents: Vec<u32>,
    hashes: Vec<u64>,
}

/// The chunk being expanded.
struct Chunk {
    next: AtomicUsize,
    end: usize,
    /// Nobody shall go on.
    stop: AtomicBool,
    /// Words in all sieves.
    words: AtomicUsize,
}

/// What one thread has done of a chunk.
struct Share {
    sieves: Vec<Sieve>,
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
    ) -> Result<Result<usize, usize>, Halt> {
        let chunk = Chunk {
            next: AtomicUsize::new(states.start),
            end: states.end,
            stop: AtomicBool::new(false),
            words: AtomicUsize::new(0),
        };
        let shares = self.share_out(&chunk);
        if let Some(reason) = self.supervisor.stop {
            return Err(Halt::Stop(reason));
        }
        let found = self.questions.found();
        let usual = |s: &Share| s.outcome.is_ok() && s.questions.found() == found;
        if !shares.iter().all(usual) {
            return Ok(Err(states.end));
        }
        let mut sieves = Vec::new();
        let mut shares = shares;
        shares.iter_mut().for_each(|s| sieves.append(&mut s.sieves));
        sieves.sort_unstable_by_key(|s| s.first);
        let same = Sameness {
            stride: self.store.layout().words(),
            hashes_suffice: self.store.confuses(),
        };
        let new = distinct(&sieves, same, self.options.threads)?;
        let most = self.options.max_states.unwrap_or(MOST_STATES);
        if (self.store.len() + new.len()) as u64 > most.min(MOST_STATES) {
            return Ok(Err(states.end));
        }
        for share in shares {
            self.figures.absorb(&share.figures, &share.machine);
            self.questions.absorb_bounds(&share.questions);
        }
        self.append(&sieves, &new)?;
        Ok(Ok(chunk.next.into_inner().min(states.end)))
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

    /// A search for another thread, on the same store.
    pub(crate) fn helper<'h>(&self, relay: &'h mut Relay<'_>) -> Search<'h, H>
    where
        Self: 'h,
    {
        let events = self.program.events().len();
        let cells = self.program.cells().len();
        Search {
            program: self.program,
            options: self.options,
            store: Arc::clone(&self.store),
            tree: Tree::new(true),
            batched: true,
            machine: self.machine.fresh(self.program),
            supervisor: self.supervisor.helper(relay),
            batch: Batch::default(),
            figures: Figures::new(&self.program.initial(), events),
            level: Level {
                depth: self.level.depth,
                end: self.level.end,
            },
            work: 0,
            words: vec![0; self.store.layout().words()],
            cells: vec![0; cells],
            plans: self.plans,
            repeated: StateSet::new(cells + 1),
            fired_in: vec![u32::MAX; events],
            candidates: Vec::new(),
            new_cells: vec![0; cells],
            questions: self.questions.clone(),
            found: StateSet::new(cells),
            sieve: None,
            known: HashMap::new(),
            wanted: Vec::new(),
            saver: None,
            tier: Tier::over(),
            held: 0,
            paths: HashMap::new(),
        }
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
        let mut sieves = Vec::new();
        let outcome = self.take_blocks(chunk, &mut sieves);
        if outcome.is_err() {
            chunk.stop.store(true, Ordering::Relaxed);
        }
        self.sieve = None;
        self.batch.clear();
        self.repeated.clear();
        Share {
            sieves,
            figures: std::mem::replace(&mut self.figures, figures),
            questions: std::mem::replace(&mut self.questions, questions),
            machine: std::mem::replace(&mut self.machine, machine),
            outcome,
        }
    }

    fn take_blocks(&mut self, chunk: &Chunk, sieves: &mut Vec<Sieve>) -> Result<(), Halt> {
        while chunk.words.load(Ordering::Relaxed) < MOST_WORDS {
            let first = chunk.next.fetch_add(BLOCK, Ordering::Relaxed);
            if first >= chunk.end {
                break;
            }
            self.sieve = Some(Sieve {
                first,
                ..Sieve::default()
            });
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
            if let Some(sieve) = self.sieve.take() {
                chunk.words.fetch_add(sieve.words.len(), Ordering::Relaxed);
                sieves.push(sieve);
            }
        }
        Ok(())
    }

    /// Appends to the store the states of the sieves that have these places.
    fn append(&mut self, sieves: &[Sieve], new: &[usize]) -> Result<(), Halt> {
        let stride = self.store.layout().words();
        let places = Places::new(sieves);
        let hashes: Vec<u64> = new.iter().map(|p| places.get(*p).hash()).collect();
        let records = new.iter().map(|p| places.get(*p).record(stride));
        let budget = &mut self.supervisor.budget;
        let before = self.store.len();
        let outcome = owned(&mut self.store).append(records, hashes, budget);
        // What was stored before memory ran out has its place in the tree too.
        for place in &new[..self.store.len() - before] {
            if !self.tree.push(places.get(*place).parent()) {
                return Err(Halt::Stop(Reason::Memory));
            }
        }
        Ok(outcome?)
    }
}

impl<H: RecordHash> Search<'_, H> {
    /// Keeps of the batch what is not in the store, and asks it for goals.
    pub(crate) fn sift(&mut self, batch: &mut Batch, sieve: &mut Sieve) {
        self.guess(batch);
        let stride = self.store.layout().words();
        for (index, (hash, guess)) in batch.hashes.iter().zip(&batch.guesses).enumerate() {
            let record = batch.get(index, stride);
            if *guess != UNKNOWN || self.store.find(record, *hash).is_some() {
                continue;
            }
            sieve.words.extend_from_slice(record);
            sieve.parents.push(batch.parents[index]);
            sieve.hashes.push(*hash);
            if self.questions.any_about_new_states() {
                self.store.layout().decode(record, &mut self.new_cells);
                self.questions.ask_new(UNKNOWN, &self.new_cells);
                self.work += self.questions.cost();
            }
        }
    }
}

/// The states in the sieves, numbered through in the order of the search.
struct Places<'a> {
    sieves: &'a [Sieve],
    /// The number of the first state of each sieve.
    starts: Vec<usize>,
}

/// One of them.
struct Place<'a> {
    sieve: &'a Sieve,
    index: usize,
}

impl<'a> Place<'a> {
    fn hash(&self) -> u64 {
        self.sieve.hashes[self.index]
    }

    fn parent(&self) -> u32 {
        self.sieve.parents[self.index]
    }

    fn record(&self, stride: usize) -> &'a [u64] {
        &self.sieve.words[self.index * stride..][..stride]
    }
}

impl<'a> Places<'a> {
    fn new(sieves: &'a [Sieve]) -> Places<'a> {
        let mut count = 0;
        let starts = sieves.iter().map(|sieve| {
            count += sieve.hashes.len();
            count - sieve.hashes.len()
        });
        Places {
            starts: starts.collect(),
            sieves,
        }
    }

    fn len(&self) -> usize {
        self.sieves.iter().map(|s| s.hashes.len()).sum()
    }

    fn get(&self, place: usize) -> Place<'a> {
        let sieve = self.starts.partition_point(|start| *start <= place) - 1;
        Place {
            sieve: &self.sieves[sieve],
            index: place - self.starts[sieve],
        }
    }
}

/// What makes two states in the sieves one.
#[derive(Clone, Copy)]
struct Sameness {
    /// Words of a record.
    stride: usize,
    /// The store tells states apart by their hashes only.
    hashes_suffice: bool,
}

impl Sameness {
    fn holds(self, a: &Place<'_>, b: &Place<'_>) -> bool {
        if self.hashes_suffice {
            return a.hash() == b.hash();
        }
        same(a.record(self.stride), b.record(self.stride))
    }
}

/// The places of the states in the sieves, of equal ones only the first, in order. Each thread looks
/// after the hashes of one class.
fn distinct(sieves: &[Sieve], equal: Sameness, threads: usize) -> Result<Vec<usize>, NoMemory> {
    let places = Places::new(sieves);
    if places.len() >= UNKNOWN as usize {
        return Err(NoMemory);
    }
    let classes: Vec<u64> = (0..threads as u64).collect();
    let found = crew::share(threads, classes, |class| {
        distinct_of(&places, equal, class, threads as u64)
    });
    let mut new = Vec::new();
    for class in found {
        new.append(&mut class?);
    }
    new.sort_unstable();
    Ok(new)
}

fn distinct_of(
    places: &Places<'_>,
    equal: Sameness,
    class: u64,
    classes: u64,
) -> Result<Vec<usize>, NoMemory> {
    // The class is chosen by the lowest bits of the hash, and the table goes by the highest.
    let mut table = Table::for_records(places.len())?;
    let mut new = Vec::new();
    for (start, sieve) in places.starts.iter().zip(places.sieves) {
        for (index, hash) in sieve.hashes.iter().enumerate() {
            if ((hash & 0xffff_ffff) * classes) >> 32 != class {
                continue;
            }
            let place = Place { sieve, index };
            let is_it = |other: u32| equal.holds(&places.get(other as usize), &place);
            if let Err(slot) = table.find(*hash, is_it) {
                table.fill(slot, *hash, (start + index) as u32);
                new.push(start + index);
            }
        }
    }
    Ok(new)
}
