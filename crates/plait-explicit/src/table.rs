//! The index from hashes to record numbers: open addressing, linear probing, 32 bits a slot.
//!
//! A slot holds a record's number plus one. Numbers up to the capacity do not need all 32 bits; the
//! spare ones hold a *tag*, more bits of the hash, so that probing rarely touches a record that is
//! not the one sought. With four million slots there are ten bits of tag; the tag shrinks as the
//! table grows and is gone when the numbers need all bits.
//!
//! The index can be rebuilt from the records, so growing frees the old one first: the two are never
//! in memory together.

/// Below this many slots the table doubles; above it grows by half.
const DOUBLING: usize = 1 << 22;
const SMALLEST: usize = 1 << 10;

/// The index.
#[derive(Clone, Debug)]
pub struct Table {
    slots: Vec<u32>,
    number_bits: u32,
    /// How many records it may hold before it must be rebuilt larger.
    limit: usize,
}

/// The allocator refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory;

impl Table {
    /// An index of the smallest size.
    pub fn new() -> Result<Table, NoMemory> {
        Table::with_slots(SMALLEST)
    }

    fn with_slots(slots: usize) -> Result<Table, NoMemory> {
        let mut vector = Vec::new();
        vector.try_reserve_exact(slots).map_err(|_| NoMemory)?;
        vector.resize(slots, 0);
        let limit = slots / 4 * 3;
        Ok(Table {
            slots: vector,
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
        self.slots = Vec::new();
        *self = Table::with_slots(size)?;
        Ok(())
    }

    /// Empties the index.
    pub fn clear(&mut self) {
        self.slots.fill(0);
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        ((hash & 0xffff_ffff) << self.number_bits) as u32
    }

    /// The first record that a search for this hash would compare, if its tag agrees: a guess, good
    /// for fetching the record early.
    #[inline]
    pub fn guess(&self, hash: u64) -> Option<u32> {
        let entry = self.slots[self.home(hash)];
        self.admit(entry, self.tag(hash))
    }

    /// The number in the entry, if there is one and the tag agrees.
    #[inline]
    fn admit(&self, entry: u32, tag: u32) -> Option<u32> {
        let number_mask = ((1u64 << self.number_bits) - 1) as u32;
        let number = entry & number_mask;
        (number != 0 && entry & !number_mask == tag).then(|| number - 1)
    }

    /// `Ok(number)` of the record that `is_it` recognises, or `Err(slot)` where it belongs.
    #[inline]
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let tag = self.tag(hash);
        let mut slot = self.home(hash);
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                return Err(slot);
            }
            if let Some(number) = self.admit(entry, tag) {
                if is_it(number) {
                    return Ok(number);
                }
            }
            slot += 1;
            if slot == self.slots.len() {
                slot = 0;
            }
        }
    }

    /// Puts a record into the slot that `find` named; at most `limit` records in all.
    #[inline]
    pub fn fill(&mut self, slot: usize, hash: u64, number: u32) {
        debug_assert!((number as usize) < self.limit);
        self.slots[slot] = self.tag(hash) | (number + 1);
    }

    /// Adds a record that is known not to be there.
    #[inline]
    pub fn add(&mut self, hash: u64, number: u32) {
        if let Err(slot) = self.find(hash, |_| false) {
            self.fill(slot, hash, number);
        }
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
}
