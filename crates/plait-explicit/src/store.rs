//! The set of states found so far, numbered in the order of their discovery.
//!
//! Records lie in segments by number, so the breadth-first queue is the store itself. Instead of
//! records there may be other forms of states (`form`), which cost less. When a value does not fit,
//! everything is repacked (`growth`), and records that have become wide are collapsed (`collapsing`).

use std::ops::Range;

use plait_program::{CellSet, Program};

use crate::budget::Budget;
use crate::collapsing::COLLAPSED;
use crate::crew;
use crate::form::{fingerprint, Form, Kept};
use crate::hash::RecordHash;
use crate::layout::Layout;
use crate::segments::Segments;
use crate::table::{NoMemory, Table};

/// Records hashed together while the index is rebuilt.
const WINDOW: usize = 64;
/// Records that a thread enters at a time when several do.
const PART: usize = if cfg!(test) { 100 } else { 1 << 16 };

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
    pub(crate) layout: Layout,
    /// For each state its record, its root or its fingerprint; nothing in a bitstate store.
    pub(crate) records: Segments,
    pub(crate) kept: Kept,
    pub(crate) count: usize,
    pub(crate) table: Option<Table>,
    pub(crate) hash: H,
    pub(crate) written: CellSet,
    pub(crate) repacked: u64,
    /// How many threads may work on the index.
    pub(crate) threads: usize,
    /// From so many states on wide records are collapsed, or it is asked whether that pays.
    pub(crate) collapse_from: usize,
}

impl<H: RecordHash> Store<H> {
    /// The empty set, for one thread.
    pub fn new(program: &Program, hash: H) -> Result<Store<H>, NoMemory> {
        Store::with_form(program, hash, Form::Packed, 1)
    }

    /// The empty set in some form, whose index so many threads will fill together.
    pub fn with_form(
        program: &Program,
        mut hash: H,
        form: Form,
        threads: usize,
    ) -> Result<Store<H>, NoMemory> {
        let layout = Layout::new(program);
        hash.prepare(layout.words().max(program.cells().len().div_ceil(2)));
        let stride = if form == Form::Packed {
            layout.words()
        } else {
            1
        };
        Ok(Store {
            records: Segments::new(stride),
            kept: Kept::new(form, &layout)?,
            count: 0,
            layout,
            table: Some(Table::new()?),
            hash,
            written: program.written(),
            repacked: 0,
            threads: threads.max(1),
            // Several threads cannot number the same parts.
            collapse_from: if threads > 1 { usize::MAX } else { COLLAPSED },
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
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let table = self.table.as_ref().map_or(0, Table::bytes);
        self.records.bytes() + self.kept.bytes() + table
    }

    /// The probability that states are missing, at most about; 0 for an exact store.
    pub fn omission(&self) -> f64 {
        let count = self.count as f64;
        match &self.kept {
            Kept::Packed | Kept::Collapsed(_) | Kept::Tree(_) | Kept::Automaton { .. } => 0.0,
            // Each pair of states has the same fingerprint with probability 2^-bits.
            Kept::Fingerprints { mask, .. } => {
                let all = 2f64.powi(mask.count_ones() as i32);
                (count * (count - 1.0) / 2.0 / all).min(1.0)
            }
            Kept::Bits { bits, .. } => (bits.chance() * count).min(1.0),
        }
    }

    /// The packed state of that number. Only states that wait to be expanded are there in a store
    /// that forgets the others: they come out as zeros.
    #[inline]
    pub fn read(&self, number: u32, record: &mut Vec<u64>) {
        match &self.kept {
            Kept::Packed => {
                record.clear();
                record.extend_from_slice(self.records.get(number as usize));
            }
            Kept::Collapsed(collapse) => {
                collapse.unfold(self.records.get(number as usize), record);
            }
            Kept::Tree(pairs) => {
                let root = self.records.get(number as usize)[0];
                pairs.unfold(root, self.layout.words(), record);
            }
            Kept::Automaton { queue, .. }
            | Kept::Fingerprints { queue, .. }
            | Kept::Bits { queue, .. } => {
                record.clear();
                record.extend_from_slice(queue.get(number as usize).unwrap_or(&[]));
                record.resize(self.layout.words(), 0);
            }
        }
    }

    /// Whether states are told apart by their hashes only.
    pub(crate) fn confuses(&self) -> bool {
        matches!(self.kept, Kept::Fingerprints { .. })
    }

    /// Whether this state would be taken for the one of that number; only for fingerprints.
    pub(crate) fn resembles(&self, number: u32, cells: &[i32]) -> bool {
        let Kept::Fingerprints { mask, .. } = &self.kept else {
            return false;
        };
        let words = cells.chunks(2).map(|pair| {
            let value = |i: usize| pair.get(i).map_or(0, |v| *v as u32);
            u64::from(value(0)) | u64::from(value(1)) << 32
        });
        self.hash.hash_words(words) & mask == self.records.get(number as usize)[0]
    }

    /// Whether the state of that number can be read.
    pub fn keeps(&self, number: u32) -> bool {
        let there = (number as usize) < self.count;
        let queue = self.kept.queue();
        there && queue.is_none_or(|q| q.get(number as usize).is_some())
    }

    /// The states before that number will not be read any more.
    pub fn forget(&mut self, before: usize) {
        if let Some(queue) = self.kept.queue_mut() {
            queue.forget(before);
        }
    }

    /// The hash of a record, or of a folded one.
    #[inline]
    pub fn hash(&self, record: &[u64]) -> u64 {
        match &self.kept {
            Kept::Packed | Kept::Collapsed(_) | Kept::Tree(_) => self.hash.hash(record),
            Kept::Automaton { .. } => 0, // nobody asks for it
            Kept::Fingerprints { mask, .. } => fingerprint(&self.hash, &self.layout, record) & mask,
            Kept::Bits { .. } => fingerprint(&self.hash, &self.layout, record),
        }
    }

    /// The state that a search for the hash would compare first: a guess, to be fetched early.
    #[inline]
    pub fn guess(&self, hash: u64) -> Option<u32> {
        match &self.kept {
            Kept::Packed | Kept::Collapsed(_) | Kept::Fingerprints { .. } => {
                self.table.as_ref()?.guess(hash)
            }
            Kept::Tree(_) | Kept::Automaton { .. } | Kept::Bits { .. } => None,
        }
    }

    /// Whether the state of that number is this one, folded where states are; only for a number
    /// that was guessed.
    #[inline]
    pub fn is(&self, number: u32, record: &[u64], hash: u64) -> bool {
        let stored = self.records.get(number as usize);
        match &self.kept {
            Kept::Packed | Kept::Collapsed(_) => same(stored, record),
            _ => stored[0] == hash,
        }
    }

    /// The number of a state, if it is there; a bitstate store and an automaton do not know.
    pub fn find(&self, record: &[u64], hash: u64) -> Option<u32> {
        let table = self.table.as_ref()?;
        let word = match &self.kept {
            Kept::Packed => {
                let is_it = |n: u32| same(self.records.get(n as usize), record);
                return table.find(hash, is_it).ok();
            }
            Kept::Collapsed(collapse) => {
                let folded = collapse.find(record)?;
                let is_it = |n: u32| same(self.records.get(n as usize), &folded);
                return table.find(self.hash.hash(&folded), is_it).ok();
            }
            Kept::Tree(pairs) => pairs.find(record)?,
            Kept::Fingerprints { .. } => hash,
            Kept::Automaton { .. } | Kept::Bits { .. } => return None,
        };
        let is_it = |n: u32| self.records.get(n as usize)[0] == word;
        table.find(self.hash_of(&[word]), is_it).ok()
    }

    /// The hash by which the index knows what is stored of a state.
    #[inline]
    fn hash_of(&self, stored: &[u64]) -> u64 {
        match &self.kept {
            Kept::Packed | Kept::Collapsed(_) | Kept::Tree(_) => self.hash.hash(stored),
            Kept::Automaton { .. } | Kept::Fingerprints { .. } | Kept::Bits { .. } => stored[0],
        }
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
        if matches!(self.kept, Kept::Packed) {
            return self.insert_stored(record, hash, most, budget);
        }
        if matches!(self.kept, Kept::Collapsed(_)) {
            return self.insert_collapsed(record, most, budget);
        }
        if matches!(self.kept, Kept::Automaton { .. }) {
            return self.insert_letters(record, most, budget);
        }
        if let Kept::Bits { bits, .. } = &mut self.kept {
            if self.count >= most {
                return Ok(None);
            }
            if !bits.insert(hash) {
                return Ok(Some(Inserted::Old(0)));
            }
            self.enqueue(record, budget)?;
            self.count += 1;
            return Ok(Some(Inserted::New(self.count as u32 - 1)));
        }
        let word = self.word_for(record, hash, budget)?;
        let hash = self.hash_of(&[word]);
        let inserted = self.insert_stored(&[word], hash, most, budget)?;
        if let Some(Inserted::New(_)) = inserted {
            self.enqueue(record, budget)?;
        }
        Ok(inserted)
    }

    /// Adds a packed state to an automaton; the number of an old one is not known.
    fn insert_letters(
        &mut self,
        record: &[u64],
        most: usize,
        budget: &mut Budget,
    ) -> Result<Option<Inserted>, NoMemory> {
        let held = self.table.as_ref().map_or(0, Table::bytes);
        let Kept::Automaton { states, queue } = &mut self.kept else {
            return Ok(None);
        };
        if self.count >= most {
            return Ok(states.contains(record).then_some(Inserted::Old(0)));
        }
        if !states.insert(record, held + queue.bytes(), budget)? {
            return Ok(Some(Inserted::Old(0)));
        }
        self.enqueue(record, budget)?;
        self.count += 1;
        Ok(Some(Inserted::New(self.count as u32 - 1)))
    }

    /// The word that is stored of a state in a tree or as a fingerprint.
    pub(crate) fn word_for(
        &mut self,
        record: &[u64],
        hash: u64,
        budget: &mut Budget,
    ) -> Result<u64, NoMemory> {
        let held = self.records.bytes() + self.table.as_ref().map_or(0, Table::bytes);
        match &mut self.kept {
            Kept::Tree(pairs) => pairs.fold(record, held, budget),
            _ => Ok(hash),
        }
    }

    /// Keeps a new state until it is expanded, where the store does not keep it for ever.
    fn enqueue(&mut self, record: &[u64], budget: &mut Budget) -> Result<(), NoMemory> {
        let held = self.bytes();
        let Some(queue) = self.kept.queue_mut() else {
            return Ok(());
        };
        let more = queue.bytes_for_next();
        if more > 0 && !budget.allows(held, more) || !queue.push(record) {
            return Err(NoMemory);
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn insert_stored(
        &mut self,
        stored: &[u64],
        hash: u64,
        most: usize,
        budget: &mut Budget,
    ) -> Result<Option<Inserted>, NoMemory> {
        let table = self.table.as_mut().ok_or(NoMemory)?;
        let records = &self.records;
        match table.find(hash, |n| same(records.get(n as usize), stored)) {
            Ok(number) => Ok(Some(Inserted::Old(number))),
            Err(_) if self.count >= most => Ok(None),
            Err(slot) if self.count < table.limit() => {
                self.push(stored, budget)?;
                let number = (self.count - 1) as u32;
                if let Some(table) = self.table.as_mut() {
                    table.fill(slot, hash, number);
                }
                Ok(Some(Inserted::New(number)))
            }
            Err(_) => {
                self.grow_table(budget)?;
                self.insert_stored(stored, hash, most, budget)
            }
        }
    }

    #[inline]
    fn push(&mut self, stored: &[u64], budget: &mut Budget) -> Result<(), NoMemory> {
        let bytes = self.records.bytes_for_next();
        if bytes > 0 && !budget.allows(self.bytes(), bytes) {
            return Err(NoMemory);
        }
        if self.records.push(stored) {
            self.count += 1;
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
        self.reindex(table);
        Ok(())
    }

    /// Fills an empty table with the records, and takes it.
    pub(crate) fn reindex(&mut self, mut table: Table) {
        let count = self.records.len();
        if self.threads == 1 || count < 2 * PART {
            self.hash_each(0..count, |hash, number| table.add(hash, number));
        } else {
            let starts = (0..count).step_by(PART);
            let parts = starts.map(|s| s..count.min(s + PART)).collect();
            crew::share(self.threads, parts, |part: Range<usize>| {
                self.hash_each(part, |hash, number| table.enter(hash, number));
            });
        }
        self.table = Some(table);
    }

    /// Shows the hashes of these records. Hashing a window of them before using any hash lets the
    /// memory accesses of the window overlap.
    fn hash_each(&self, numbers: Range<usize>, mut visit: impl FnMut(u64, u32)) {
        let mut hashes = [0; WINDOW];
        let mut first = numbers.start;
        while first < numbers.end {
            let count = WINDOW.min(numbers.end - first);
            for (i, hash) in hashes[..count].iter_mut().enumerate() {
                *hash = self.hash_of(self.records.get(first + i));
            }
            for (number, hash) in (first as u32..).zip(&hashes[..count]) {
                visit(*hash, number);
            }
            first += count;
        }
    }

    /// Whether states are kept as packed records.
    pub(crate) fn is_packed(&self) -> bool {
        matches!(self.kept, Kept::Packed)
    }

    /// Makes the index so large that this many states more can be inserted; `false` when that would
    /// take too much memory.
    pub(crate) fn make_room(&mut self, more: usize, budget: &mut Budget) -> Result<bool, NoMemory> {
        loop {
            let table = self.table.as_ref().ok_or(NoMemory)?;
            if table.limit() >= self.count + more {
                return Ok(true);
            }
            if !budget.allows(self.bytes(), table.larger_bytes() - table.bytes()) {
                return Ok(false);
            }
            self.grow_table(budget)?;
        }
    }

    /// Adds a packed state that is in the index already, under another number.
    #[inline]
    pub(crate) fn append(
        &mut self,
        record: &[u64],
        slot: usize,
        budget: &mut Budget,
    ) -> Result<(), NoMemory> {
        if let Err(full) = self.push(record, budget) {
            self.table = None; // it has numbers of states that will not come
            return Err(full);
        }
        if let Some(table) = &self.table {
            table.rename(slot, self.count as u32 - 1);
        }
        Ok(())
    }

    /// Cells repacked so far, which decide how the layout grows.
    pub(crate) fn repacked(&self) -> u64 {
        self.repacked
    }

    /// Becomes the set of these packed states, all different; the store was empty, and keeps states.
    pub(crate) fn restore(
        &mut self,
        layout: Layout,
        records: Segments,
        repacked: u64,
        budget: &mut Budget,
    ) -> Result<(), NoMemory> {
        self.hash.prepare(layout.words());
        self.repacked = repacked;
        self.layout = layout;
        let count = records.len();
        if matches!(self.kept, Kept::Packed) {
            self.records = records; // if they are wide, they will soon be collapsed
        } else {
            let folded = records.drain(|record| {
                let word = self.word_for(record, 0, budget);
                word.is_ok_and(|word| self.records.push(&[word]))
            });
            if !folded {
                return Err(NoMemory);
            }
        }
        self.count = count;
        let mut table = self.table.take().ok_or(NoMemory)?;
        while table.limit() < count {
            if !budget.allows(self.bytes(), table.larger_bytes()) {
                return Err(NoMemory);
            }
            table.grow()?;
        }
        self.reindex(table);
        Ok(())
    }

    /// Frees the index: nothing can be inserted any more, states can still be read.
    pub fn without_index(mut self) -> Store<H> {
        self.table = None;
        self
    }
}
