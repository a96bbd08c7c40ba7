//! The index from hashes to record numbers: open addressing, linear probing, 32 bits a slot.
//!
//! A slot holds a record's number plus one. Numbers up to the capacity do not need all 32 bits; the
//! spare ones hold a *tag*, more bits of the hash, so that probing rarely touches a record that is
//! not the one sought. With four million slots there are ten bits of tag; the tag shrinks as the
//! table grows and is gone when the numbers need all bits.
//!
//! The index can be rebuilt from the records, so growing frees the old one first: the two are never
//! in memory together.
//!
//! Slots are atomic, so that several threads can insert at once, without locks, after Laarman, van de
//! Pol and Weber, "Boosting multi-core reachability performance with shared hash tables" (FMCAD 2010).
//! There a writer locks a bucket until its record is written; here nobody ever waits: a thread
//! writes the record under a number that only it knows, then tries to put the number into the empty
//! slot with one compare-and-swap. Invariants:
//!
//! - While threads insert, a slot changes once, from empty to full. Threads that bring the same
//!   record probe the same slots, pass only slots that hold others, and so meet at the same empty
//!   slot: one of them wins, and the others find the winner's record there. None is there twice.
//! - The swap releases what its thread wrote; whoever reads a number from a slot acquires it. So a
//!   record that can be found has been written, all of it.
//! - There are fewer numbers than slots, so probing ends.
//!
//! One thread alone pays nothing for this: its loads and stores are the ordinary ones.

use std::sync::atomic::Ordering;

use crate::sync::AtomicU32;

/// Below this many slots the table doubles; above it grows by half.
const DOUBLING: usize = 1 << 22;
const SMALLEST: usize = 1 << 10;

/// The index.
#[derive(Debug)]
pub struct Table {
    slots: Box<[AtomicU32]>,
    number_bits: u32,
    /// How many records it may hold before it must be rebuilt larger.
    limit: usize,
}

/// What became of an insertion by one of several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    /// The record was not there; now its number is in this slot.
    New { number: u32, slot: usize },
    /// It is there under this number; the one made for it, if any, was not used.
    Old { number: u32, spare: Option<u32> },
}

/// The allocator refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory;

/// So many numbers that are all 0.
pub(crate) fn zeros<T>(count: usize, zero: impl Fn() -> T) -> Result<Box<[T]>, NoMemory> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(count).map_err(|_| NoMemory)?;
    vector.resize_with(count, zero);
    Ok(vector.into_boxed_slice())
}

impl Clone for Table {
    fn clone(&self) -> Table {
        let slots = self.slots.iter();
        let slots = slots.map(|slot| AtomicU32::new(slot.load(Ordering::Relaxed)));
        Table {
            slots: slots.collect(),
            ..*self
        }
    }
}

impl Table {
    /// An index of the smallest size.
    pub fn new() -> Result<Table, NoMemory> {
        Table::with_slots(SMALLEST)
    }

    /// An empty index of that size.
    pub(crate) fn with_slots(slots: usize) -> Result<Table, NoMemory> {
        let limit = slots / 4 * 3;
        Ok(Table {
            slots: zeros(slots, || AtomicU32::new(0))?,
            number_bits: usize::BITS - limit.leading_zeros(),
            limit,
        })
    }

    /// How many records it may hold.
    #[inline]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        4 * self.slots.len() as u64
    }

    fn larger(&self) -> usize {
        if self.slots.len() < DOUBLING {
            self.slots.len() * 2
        } else {
            self.slots.len() / 2 * 3
        }
    }

    /// Bytes of the table that `grow` would make.
    pub fn larger_bytes(&self) -> u64 {
        4 * self.larger() as u64
    }

    /// Frees the index and makes a larger empty one.
    pub fn grow(&mut self) -> Result<(), NoMemory> {
        let size = self.larger();
        self.slots = Box::default();
        *self = Table::with_slots(size)?;
        Ok(())
    }

    /// Empties the index.
    pub fn clear(&mut self) {
        for slot in &self.slots {
            slot.store(0, Ordering::Relaxed);
        }
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    #[inline]
    fn after(&self, slot: usize) -> usize {
        if slot + 1 == self.slots.len() {
            0
        } else {
            slot + 1
        }
    }

    #[inline]
    fn mask(&self) -> u32 {
        ((1u64 << self.number_bits) - 1) as u32
    }

    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        ((hash & 0xffff_ffff) << self.number_bits) as u32
    }

    /// The first record that a search for this hash would compare, if its tag agrees: a guess, good
    /// for fetching the record early.
    #[inline]
    pub fn guess(&self, hash: u64) -> Option<u32> {
        let entry = self.slots[self.home(hash)].load(Ordering::Acquire);
        self.admit(entry, self.tag(hash))
    }

    /// The number in the entry, if there is one and the tag agrees.
    #[inline]
    fn admit(&self, entry: u32, tag: u32) -> Option<u32> {
        let number = entry & self.mask();
        (number != 0 && entry & !self.mask() == tag).then(|| number - 1)
    }

    /// `Ok(number)` of the record that `is_it` recognises, or `Err(slot)` where it belongs. Others
    /// may insert: then a record that is not there may be there just afterwards.
    #[inline]
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let tag = self.tag(hash);
        let mut slot = self.home(hash);
        loop {
            let entry = self.slots[slot].load(Ordering::Acquire);
            if entry == 0 {
                return Err(slot);
            }
            if let Some(number) = self.admit(entry, tag) {
                if is_it(number) {
                    return Ok(number);
                }
            }
            slot = self.after(slot);
        }
    }

    /// Puts a record into the slot that `find` named; at most `limit` records in all.
    #[inline]
    pub fn fill(&mut self, slot: usize, hash: u64, number: u32) {
        debug_assert!((number as usize) < self.limit);
        self.slots[slot].store(self.tag(hash) | (number + 1), Ordering::Relaxed);
    }

    /// Adds a record that is known not to be there.
    #[inline]
    pub fn add(&mut self, hash: u64, number: u32) {
        if let Err(slot) = self.find(hash, |_| false) {
            self.fill(slot, hash, number);
        }
    }

    /// Finds a record or inserts it, while other threads do the same. `write` is called once at most,
    /// where an empty slot is met: it writes the record under a number that nobody else knows.
    #[inline]
    pub(crate) fn insert<E>(
        &self,
        hash: u64,
        mut is_it: impl FnMut(u32) -> bool,
        write: impl FnOnce() -> Result<u32, E>,
    ) -> Result<Met, E> {
        let tag = self.tag(hash);
        let mut slot = self.home(hash);
        let (mut write, mut spare) = (Some(write), None);
        loop {
            let mut entry = self.slots[slot].load(Ordering::Acquire);
            if entry == 0 {
                if let Some(write) = write.take() {
                    spare = Some(write()?);
                }
                if let Some(number) = spare {
                    match self.swap(slot, tag | (number + 1)) {
                        Ok(()) => return Ok(Met::New { number, slot }),
                        Err(other) => entry = other,
                    }
                }
            }
            if let Some(number) = self.admit(entry, tag) {
                if is_it(number) {
                    return Ok(Met::Old { number, spare });
                }
            }
            slot = self.after(slot);
        }
    }

    /// Adds a record that is known not to be there, while other threads add others.
    pub(crate) fn enter(&self, hash: u64, number: u32) {
        let entry = self.tag(hash) | (number + 1);
        let mut slot = self.home(hash);
        while self.swap(slot, entry).is_err() {
            slot = self.after(slot);
        }
    }

    /// Fills a slot if it is empty; what is there otherwise.
    #[inline]
    fn swap(&self, slot: usize, entry: u32) -> Result<(), u32> {
        self.slots[slot]
            .compare_exchange(0, entry, Ordering::Release, Ordering::Acquire)
            .map(|_| ())
    }

    /// Gives the record in a slot another number; nobody looks for it meanwhile.
    #[inline]
    pub(crate) fn rename(&self, slot: usize, number: u32) {
        let tag = self.slots[slot].load(Ordering::Relaxed) & !self.mask();
        self.slots[slot].store(tag | (number + 1), Ordering::Relaxed);
    }

    /// Takes the record out of a slot. Those found after it are lost: it must be among the last that
    /// were inserted, and all of these must go.
    pub(crate) fn vacate(&self, slot: usize) {
        self.slots[slot].store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_finds_what_was_added_also_when_all_hashes_are_equal() {
        for hash in [|_: u32| 0u64, |_| u64::MAX, |n: u32| u64::from(n) << 40] {
            let mut table = Table::new().unwrap();
            for n in 0..500 {
                let found = table.find(hash(n), |m| m == n);
                table.fill(found.unwrap_err(), hash(n), n);
            }
            assert!((0..500).all(|n| table.find(hash(n), |m| m == n) == Ok(n)));
            assert!(table.find(hash(600), |m| m == 600).is_err());
        }
    }

    #[test]
    fn growing_empties_the_table_and_raises_its_limit() {
        let mut table = Table::new().unwrap();
        table.add(1, 0);
        let (limit, bytes) = (table.limit(), table.larger_bytes());
        table.grow().unwrap();
        assert!(table.limit() > limit && table.bytes() == bytes);
        assert!(table.find(1, |_| true).is_err());
    }

    #[test]
    fn the_numbers_of_a_table_leave_room_for_the_empty_mark() {
        for slots in [1 << 10, 3 << 20, 1 << 22] {
            let table = Table::with_slots(slots).unwrap();
            assert!(table.limit < 1 << table.number_bits);
        }
    }

    #[test]
    fn what_was_inserted_last_can_be_taken_out_again_whatever_the_hashes() {
        for hash in [|_: u32| 7u64, |n: u32| u64::from(n % 5) << 61] {
            let mut table = Table::new().unwrap();
            (0..300).for_each(|n| table.add(hash(n), n));
            let mut slots = Vec::new();
            for n in 300..500 {
                let met = table.insert(hash(n), |m| m == n, || Ok::<u32, ()>(n));
                let Ok(Met::New { number, slot }) = met else {
                    panic!("{met:?}")
                };
                assert_eq!(number, n);
                slots.push(slot);
            }
            table.rename(slots[0], 700);
            assert_eq!(table.find(hash(300), |m| m == 700), Ok(700));
            assert_eq!(
                table.insert(hash(3), |m| m == 3, || Err(())),
                Ok(Met::Old {
                    number: 3,
                    spare: None
                })
            );
            slots.iter().for_each(|slot| table.vacate(*slot));
            assert!((0..300).all(|n| table.find(hash(n), |m| m == n) == Ok(n)));
            assert!((300..500).all(|n| table.find(hash(n), |m| m == n).is_err()));
        }
    }
}
