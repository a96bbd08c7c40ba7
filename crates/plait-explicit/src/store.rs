//! The set of states found so far, numbered in the order of their discovery.
//!
//! Records lie in segments by number, so the breadth-first queue is the store itself. The layout
//! grows when a value does not fit; then all records are repacked and the index is rebuilt, segment
//! by segment, so that old and new are never both in memory.
//!
//! Repacking costs time proportional to the store. To keep the sum of all repackings proportional
//! to the search itself, growth is paid from an allowance that the search earns state by state; when
//! it is used up, the next growth widens every field that can still change by a bit at once.

use plait_program::{CellSet, Program};

use crate::budget::Budget;
use crate::crew;
use crate::hash::RecordHash;
use crate::layout::Layout;
use crate::segments::Segments;
use crate::table::{NoMemory, Shard, Table, FULL};

/// Cells that may be repacked before anything has been earned.
const FIRST_ALLOWANCE: u64 = 10_000_000;
/// Cells that may be repacked for each cell stored.
const ALLOWANCE: u64 = 8;
/// Records hashed together while the index is rebuilt by one thread, and by several.
const WINDOW: usize = 64;
const WIDE_WINDOW: usize = 1 << 18;
/// Shards of the index when several threads fill it, as a power of two.
const SHARDS_LOG2: u32 = 6;

/// What became of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The state is new and has this number.
    New(u32),
    /// The state was there already.
    Old(u32),
}

/// Whether two records of the same length are equal; for records of few words faster than the
/// comparison of slices, which is a call.
#[inline]
pub(crate) fn same(a: &[u64], b: &[u64]) -> bool {
    match (a, b) {
        ([a], [b]) => a == b,
        _ if a.len() < 16 => a.iter().zip(b).all(|(a, b)| a == b),
        _ => a == b,
    }
}

/// A set of states.
#[derive(Clone, Debug)]
pub struct Store<H> {
    layout: Layout,
    records: Segments,
    table: Option<Table>,
    hash: H,
    written: CellSet,
    repacked: u64,
    /// How many threads may work on the index.
    threads: usize,
}

impl<H: RecordHash> Store<H> {
    /// The empty set, for one thread.
    pub fn new(program: &Program, hash: H) -> Result<Store<H>, NoMemory> {
        Store::for_threads(program, hash, 1)
    }

    /// The empty set, whose index so many threads will fill together.
    pub fn for_threads(
        program: &Program,
        mut hash: H,
        threads: usize,
    ) -> Result<Store<H>, NoMemory> {
        let layout = Layout::new(program);
        hash.prepare(layout.words());
        let shards_log2 = if threads > 1 { SHARDS_LOG2 } else { 0 };
        Ok(Store {
            records: Segments::new(layout.words()),
            layout,
            table: Some(Table::sharded(shards_log2)?),
            hash,
            written: program.written(),
            repacked: 0,
            threads: threads.max(1),
        })
    }

    /// How records are packed at present.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How many states.
    #[inline]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.records.bytes() + self.table.as_ref().map_or(0, Table::bytes)
    }

    /// The packed state of that number.
    #[inline]
    pub fn record(&self, number: u32) -> &[u64] {
        self.records.get(number as usize)
    }

    /// The hash of a record.
    #[inline]
    pub fn hash(&self, record: &[u64]) -> u64 {
        self.hash.hash(record)
    }

    /// The record that a search for the hash would compare first: a guess, to be fetched early.
    #[inline]
    pub fn guess(&self, hash: u64) -> Option<u32> {
        self.table.as_ref()?.guess(hash)
    }

    /// The number of a state, if it is there.
    pub fn find(&self, record: &[u64], hash: u64) -> Option<u32> {
        let table = self.table.as_ref()?;
        table.find(hash, |n| self.record(n) == record).ok()
    }

    /// Adds a packed state, unless there are `most` states already: then `None`.
    #[inline]
    pub fn insert(
        &mut self,
        record: &[u64],
        hash: u64,
        most: usize,
        budget: &mut Budget,
    ) -> Result<Option<Inserted>, NoMemory> {
        let table = self.table.as_mut().ok_or(NoMemory)?;
        let records = &self.records;
        match table.find(hash, |n| same(records.get(n as usize), record)) {
            Ok(number) => Ok(Some(Inserted::Old(number))),
            Err(_) if self.records.len() >= most => Ok(None),
            Err(slot) if self.records.len() < table.limit() && slot != FULL => {
                self.push(record, budget)?;
                let number = (self.records.len() - 1) as u32;
                if let Some(table) = self.table.as_mut() {
                    table.fill(slot, hash, number);
                }
                Ok(Some(Inserted::New(number)))
            }
            Err(_) => {
                self.grow_table(budget)?;
                self.insert(record, hash, most, budget)
            }
        }
    }

    #[inline]
    fn push(&mut self, record: &[u64], budget: &mut Budget) -> Result<(), NoMemory> {
        let bytes = self.records.bytes_for_next();
        if bytes > 0 && !budget.allows(self.bytes(), bytes) {
            return Err(NoMemory);
        }
        if self.records.push(record) {
            Ok(())
        } else {
            Err(NoMemory)
        }
    }

    #[cold]
    fn grow_table(&mut self, budget: &mut Budget) -> Result<(), NoMemory> {
        let table = self.table.as_ref().ok_or(NoMemory)?;
        let more = table.larger_bytes() - table.bytes();
        if !budget.allows(self.bytes(), more) {
            return Err(NoMemory);
        }
        // On failure there is no index any more; the records are still good.
        let mut table = self.table.take().ok_or(NoMemory)?;
        table.grow()?;
        self.reindex(table)
    }

    /// Fills an empty table, or a larger one if a shard of it is too small, and takes it.
    fn reindex(&mut self, mut table: Table) -> Result<(), NoMemory> {
        while !self.index_all(&mut table) {
            table.grow()?;
        }
        self.table = Some(table);
        Ok(())
    }

    /// Enters all records into an empty table; `false` when a shard is full.
    fn index_all(&self, table: &mut Table) -> bool {
        if self.threads == 1 || self.records.len() < WIDE_WINDOW {
            return self.index_alone(table);
        }
        let (count, part) = (self.records.len(), WIDE_WINDOW / self.threads);
        let mut hashes = vec![0; WIDE_WINDOW];
        (0..count).step_by(WIDE_WINDOW).all(|first| {
            let hashes = &mut hashes[..WIDE_WINDOW.min(count - first)];
            let parts = hashes.chunks_mut(part).enumerate().collect();
            crew::share(
                self.threads,
                parts,
                |(index, hashes): (usize, &mut [u64])| {
                    for (number, hash) in (first + index * part..).zip(hashes) {
                        *hash = self.hash.hash(self.records.get(number));
                    }
                },
            );
            enter(table, first as u32, hashes, self.threads)
        })
    }

    /// Hashing a window of records before entering them lets the memory accesses of the window
    /// overlap.
    fn index_alone(&self, table: &mut Table) -> bool {
        let mut hashes = [0; WINDOW];
        let mut first = 0;
        while first < self.records.len() {
            let count = WINDOW.min(self.records.len() - first);
            for (i, hash) in hashes[..count].iter_mut().enumerate() {
                *hash = self.hash.hash(self.records.get(first + i));
            }
            for (number, hash) in (first as u32..).zip(&hashes[..count]) {
                if !table.add(*hash, number) {
                    return false;
                }
            }
            first += count;
        }
        true
    }

    /// Adds records that are known to be new and different, with their hashes, all at once. The caller has made sure that numbers suffice.
    pub(crate) fn append<'r>(
        &mut self,
        records: impl Iterator<Item = &'r [u64]>,
        hashes: &[u64],
        budget: &mut Budget,
    ) -> Result<(), NoMemory> {
        while self.table.as_ref().ok_or(NoMemory)?.limit() < self.len() + hashes.len() {
            self.grow_table(budget)?;
        }
        let first = self.len();
        for record in records {
            self.push(record, budget)?;
        }
        debug_assert_eq!(self.len(), first + hashes.len());
        let table = self.table.as_mut().ok_or(NoMemory)?;
        if !enter(table, first as u32, hashes, self.threads) {
            self.grow_table(budget)?; // which enters everything anew
        }
        Ok(())
    }

    /// Makes the layout hold this state and repacks everything. `beside` says how many records the
    /// caller will have to repack too.
    #[cold]
    pub fn grow_layout(
        &mut self,
        cells: &[i32],
        program: &Program,
        budget: &mut Budget,
        beside: usize,
    ) -> Result<(), NoMemory> {
        let width = cells.len() as u64;
        let stored = (self.len() + beside) as u64 * width;
        let mut layout = self.layout.grown_for(cells, program);
        if self.repacked > FIRST_ALLOWANCE + ALLOWANCE * stored {
            layout = layout.grown_everywhere(program, &self.written);
            self.repacked = ALLOWANCE * stored;
        }
        self.repacked += stored + width;
        let new_bytes = 8 * (layout.words() as u64) * self.len() as u64;
        let more = new_bytes.saturating_sub(self.records.bytes());
        if !budget.allows(self.bytes(), more) {
            return Err(NoMemory);
        }
        self.repack(layout)
    }

    fn repack(&mut self, layout: Layout) -> Result<(), NoMemory> {
        let mut table = self.table.take().ok_or(NoMemory)?;
        self.hash.prepare(layout.words());
        let old_records = std::mem::replace(&mut self.records, Segments::new(layout.words()));
        let old_layout = std::mem::replace(&mut self.layout, layout);
        let mut cells = vec![0; old_layout.fields().len()];
        let mut record = vec![0; self.layout.words()];
        let complete = old_records.drain(|old| {
            old_layout.decode(old, &mut cells);
            self.layout.encode(&cells, &mut record);
            self.records.push(&record)
        });
        if !complete {
            return Err(NoMemory);
        }
        table.clear();
        self.reindex(table)
    }

    /// Frees the index: nothing can be inserted any more, states can still be read.
    pub fn without_index(mut self) -> Store<H> {
        self.table = None;
        self
    }
}

/// Enters records with consecutive numbers into a table, each thread into its own shards; `false`
/// when a shard is full.
fn enter(table: &mut Table, first: u32, hashes: &[u64], threads: usize) -> bool {
    let mut shards = table.shards();
    let each = shards.len().div_ceil(threads);
    let parts = shards.chunks_mut(each).collect();
    let entered = crew::share(threads, parts, |shards: &mut [Shard<'_>]| {
        (first..).zip(hashes).all(|(number, hash)| {
            let distance = shards[0].distance(*hash);
            let shard = shards.get_mut(distance);
            shard.is_none_or(|s| s.add(*hash, number))
        })
    });
    entered.into_iter().all(|all| all)
}
