//! The states that several threads find new in one chunk of a breadth-first search, before they have
//! the numbers of the search.
//!
//! A new state is written to a *row* and entered into the index, without locks (`table`), so that
//! whoever finds it again sees that it is there. Which thread comes first is luck. The numbers of
//! the search are not: one thread would find each state from the *least* of its parents. So a row
//! has the least parent so far, and a thread that comes from a smaller one *takes the state over*.
//! Each thread lists the states that it was first to store or took over, in the order in which it met
//! them. When all are done, an entry of a list counts if its parent is the one in the row, and the
//! entries that count, block after block, are the new states in the order of the search by one thread.
//!
//! Invariant: a state has one entry that counts. The parents in its row only get smaller, each is
//! written by the thread that expands that parent, and that thread lists the state when, and only
//! when, it has written it. The entry of the least parent stands where that parent first led to the
//! state, since before that the row did not have this parent.
//!
//! Packed states are entered into the index of the store itself, under numbers beyond those in use;
//! afterwards they get their own numbers there, or are taken out again (`Table::vacate`). Other forms
//! of states are found in the store by other keys, so theirs are in an index of the chunk.

use std::ops::Range;
use std::sync::atomic::Ordering;

use crate::shared::Refused;
use crate::sync::{AtomicU32, AtomicU64, OnceLock};
use crate::table::{zeros, Met, NoMemory, Table};

/// Words in a segment, as a power of two, for rows that are small enough. In tests there are many
/// segments, however few the states.
const SEGMENT_WORDS_LOG2: u32 = if cfg!(test) { 3 } else { 16 };
/// Rows that a thread takes at a time, so that threads seldom write to the same line of memory.
const RUN: u32 = if cfg!(test) { 2 } else { 64 };
/// Slots of the index of a chunk.
const OWN_SLOTS: usize = 1 << 18;
/// Words of a row before the record: the least parent, and the slot of the index or the hash.
const HEAD: usize = 2;

/// The rows of a chunk.
#[derive(Debug)]
pub(crate) struct Staged {
    /// Words of a row.
    width: usize,
    /// Rows in a segment, as a power of two.
    log2: u32,
    segments: Vec<OnceLock<Box<[AtomicU64]>>>,
    /// Rows given out.
    next: AtomicU32,
    /// Rows that there can be.
    limit: u32,
    /// The number of row 0 in the index.
    base: u32,
    /// The index of the chunk, where it is not that of the store.
    own: Option<Table>,
    /// States are told apart by their hashes.
    by_hash: bool,
    made: AtomicU32,
}

/// A state in the list of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub row: u32,
    pub parent: u32,
}

/// What a state met among the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sighting {
    /// It is new, or was taken over.
    Mine { entry: Entry, new: bool },
    /// It is the store's, or belongs to a smaller parent.
    Others,
    /// Another state with the same fingerprint belongs to a greater parent.
    Confused,
}

/// The rows that a thread has taken and not used.
#[derive(Debug, Default)]
pub(crate) struct Run(Range<u32>);

impl Staged {
    /// No rows, for records of so many words; `own`: with an index of its own, where states are told
    /// apart by their hashes or not.
    pub fn new(stride: usize, own: Option<bool>) -> Result<Staged, NoMemory> {
        let width = stride + HEAD;
        let width_log2 = width.next_power_of_two().trailing_zeros();
        Ok(Staged {
            width,
            log2: SEGMENT_WORDS_LOG2.saturating_sub(width_log2),
            segments: Vec::new(),
            next: AtomicU32::new(0),
            limit: 0,
            base: 0,
            own: match own {
                Some(_) => Some(Table::with_slots(OWN_SLOTS)?),
                None => None,
            },
            by_hash: own == Some(true),
            made: AtomicU32::new(0),
        })
    }

    /// Words of a record.
    pub fn stride(&self) -> usize {
        self.width - HEAD
    }

    /// Makes room for the states of a chunk: at most so many words of rows, and no more rows than
    /// there are numbers from `base` on in the index of the store.
    pub fn begin(&mut self, base: usize, table: &Table, words: usize) -> Result<(), NoMemory> {
        self.next.store(0, Ordering::Relaxed);
        let numbers = match &mut self.own {
            Some(own) => {
                own.clear();
                self.base = 0;
                own.limit()
            }
            None => {
                self.base = base as u32;
                table.limit().saturating_sub(base)
            }
        };
        let rows = numbers.min((words / self.width).max(1));
        self.limit = rows as u32;
        let segments = (rows >> self.log2) + 1;
        let more = segments.saturating_sub(self.segments.len());
        self.segments.try_reserve(more).map_err(|_| NoMemory)?;
        self.segments
            .resize_with(segments.max(self.segments.len()), OnceLock::new);
        Ok(())
    }

    /// Whether more than half of the rows are given out.
    pub fn is_half_full(&self) -> bool {
        self.next.load(Ordering::Relaxed) > self.limit / 2
    }

    /// Whether the states are in the index of the store.
    pub fn is_in_store(&self) -> bool {
        self.own.is_none()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let own = self.own.as_ref().map_or(0, Table::bytes);
        u64::from(self.made.load(Ordering::Relaxed)) * self.segment_bytes() + own
    }

    fn segment_bytes(&self) -> u64 {
        (8 * self.width as u64) << self.log2
    }

    fn row(&self, row: u32) -> Option<&[AtomicU64]> {
        let segment = self.segments.get(row as usize >> self.log2)?.get()?;
        let index = row as usize & ((1 << self.log2) - 1);
        segment.get(index * self.width..(index + 1) * self.width)
    }

    /// The row of a number in the index of the store, if it is one.
    #[inline]
    pub fn row_of(&self, number: u32) -> Option<u32> {
        number.checked_sub(self.base)
    }

    /// Whether the state in a row is this one.
    #[inline]
    pub fn is(&self, row: u32, record: &[u64], hash: u64) -> bool {
        self.row(row).is_some_and(|words| {
            if self.by_hash {
                return words[1].load(Ordering::Relaxed) == hash;
            }
            let mut pairs = words[HEAD..].iter().zip(record);
            pairs.all(|(mine, word)| mine.load(Ordering::Relaxed) == *word)
        })
    }

    /// Stores a state that is not among the older ones of the store, or finds it. `is_older` says
    /// whether it is the one of a number of the store.
    #[inline]
    pub fn insert(
        &self,
        table: &Table,
        is_older: impl Fn(u32) -> bool,
        (record, hash, parent): (&[u64], u64, u32),
        run: &mut Run,
        mut allows: impl FnMut(u64, u64) -> bool,
    ) -> Result<Sighting, Refused> {
        let is_it = |number: u32| match self.row_of(number) {
            Some(row) => self.is(row, record, hash),
            None => is_older(number),
        };
        let write = || self.write(record, hash, parent, run, &mut allows);
        let table = self.own.as_ref().unwrap_or(table);
        match table.insert(hash, is_it, write)? {
            Met::New { number, slot } => {
                let row = number - self.base;
                if let (None, Some(words)) = (&self.own, self.row(row)) {
                    words[1].store(slot as u64, Ordering::Relaxed);
                }
                let entry = Entry { row, parent };
                Ok(Sighting::Mine { entry, new: true })
            }
            Met::Old { number, spare } => {
                // The row taken last is the one before those that are left.
                run.0.start -= u32::from(spare.is_some());
                let row = self.row_of(number);
                Ok(row.map_or(Sighting::Others, |row| self.meet(row, record, parent)))
            }
        }
    }

    /// A state was found in a row, from that parent.
    #[inline]
    pub fn meet(&self, row: u32, record: &[u64], parent: u32) -> Sighting {
        let Some(words) = self.row(row) else {
            return Sighting::Others;
        };
        let mine = u64::from(parent);
        if words[0].load(Ordering::Relaxed) <= mine
            || words[0].fetch_min(mine, Ordering::Relaxed) <= mine
        {
            return Sighting::Others;
        }
        let mut pairs = words[HEAD..].iter().zip(record);
        if self.by_hash && pairs.any(|(mine, word)| mine.load(Ordering::Relaxed) != *word) {
            return Sighting::Confused;
        }
        let entry = Entry { row, parent };
        Sighting::Mine { entry, new: false }
    }

    /// Writes a state to a row that nobody else has; its number.
    #[inline]
    fn write(
        &self,
        record: &[u64],
        hash: u64,
        parent: u32,
        run: &mut Run,
        allows: &mut impl FnMut(u64, u64) -> bool,
    ) -> Result<u32, Refused> {
        if run.0.is_empty() {
            let next = |n: u32| (n < self.limit).then(|| self.limit.min(n + RUN));
            let taken = self
                .next
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
            let start = taken.map_err(|_| Refused::Full)?;
            run.0 = start..self.limit.min(start + RUN);
        }
        let row = run.0.start;
        if self.row(row).is_none() {
            self.add_segment(row, allows)
                .map_err(|_| Refused::NoMemory)?;
        }
        let words = self.row(row).ok_or(Refused::NoMemory)?;
        words[0].store(u64::from(parent), Ordering::Relaxed);
        words[1].store(hash, Ordering::Relaxed);
        for (mine, word) in words[HEAD..].iter().zip(record) {
            mine.store(*word, Ordering::Relaxed);
        }
        run.0.start += 1;
        Ok(self.base + row)
    }

    #[cold]
    fn add_segment(
        &self,
        row: u32,
        allows: &mut impl FnMut(u64, u64) -> bool,
    ) -> Result<(), NoMemory> {
        if !allows(self.bytes(), self.segment_bytes()) {
            return Err(NoMemory);
        }
        let segment = zeros(self.width << self.log2, || AtomicU64::new(0))?;
        // Two threads may both have made one; the first is taken.
        if self.segments[row as usize >> self.log2]
            .set(segment)
            .is_ok()
        {
            self.made.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// When all threads have ended: the state of an entry, if the entry counts, and its slot in the
    /// index of the store.
    #[inline]
    pub fn read(&self, entry: Entry, record: &mut Vec<u64>) -> Option<usize> {
        let words = self.row(entry.row)?;
        if words[0].load(Ordering::Relaxed) != u64::from(entry.parent) {
            return None;
        }
        record.clear();
        let stored = words[HEAD..].iter();
        record.extend(stored.map(|word| word.load(Ordering::Relaxed)));
        Some(words[1].load(Ordering::Relaxed) as usize)
    }

    /// Takes the states of these entries out of the index of the store.
    pub fn withdraw(&self, entries: impl Iterator<Item = Entry>, table: &Table) {
        if !self.is_in_store() {
            return;
        }
        for words in entries.filter_map(|entry| self.row(entry.row)) {
            table.vacate(words[1].load(Ordering::Relaxed) as usize);
        }
    }
}
