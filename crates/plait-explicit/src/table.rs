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
//! The slots may be cut into *shards* of equal size, chosen by the highest bits of the hash; probing
//! stays inside a shard, so that several threads can each fill the shards that are theirs.

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
    /// The number of shards, as a power of two.
    shards_log2: u32,
    /// Slots of a shard.
    shard: usize,
}

/// The slot that `find` names when the shard is full.
pub const FULL: usize = usize::MAX;

/// The allocator refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory;

impl Table {
    /// An index of the smallest size, in one piece.
    pub fn new() -> Result<Table, NoMemory> {
        Table::with_slots(SMALLEST, 0)
    }

    /// An index of the smallest size with that many shards, as a power of two.
    pub fn sharded(shards_log2: u32) -> Result<Table, NoMemory> {
        Table::with_slots(SMALLEST, shards_log2)
    }

    /// An index in one piece for so many records.
    pub fn for_records(count: usize) -> Result<Table, NoMemory> {
        Table::with_slots((count / 3 * 4 + 8).max(16), 0)
    }

    fn with_slots(slots: usize, shards_log2: u32) -> Result<Table, NoMemory> {
        let shard = slots.div_ceil(1 << shards_log2);
        let slots = shard << shards_log2;
        let mut vector = Vec::new();
        vector.try_reserve_exact(slots).map_err(|_| NoMemory)?;
        vector.resize(slots, 0);
        let limit = slots / 4 * 3;
        Ok(Table {
            slots: vector,
            number_bits: usize::BITS - limit.leading_zeros(),
            limit,
            shards_log2,
            shard,
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
        *self = Table::with_slots(size, self.shards_log2)?;
        Ok(())
    }

    /// Empties the index.
    pub fn clear(&mut self) {
        self.slots.fill(0);
    }

    /// The slots of the hash's shard, and the one to begin with.
    #[inline]
    fn home(&self, hash: u64) -> (usize, usize) {
        let first = ((hash >> 1) >> (63 - self.shards_log2)) as usize * self.shard;
        (first, first + place(hash, self.shards_log2, self.shard))
    }

    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        ((hash & 0xffff_ffff) << self.number_bits) as u32
    }

    /// The first record that a search for this hash would compare, if its tag agrees: a guess, good
    /// for fetching the record early.
    #[inline]
    pub fn guess(&self, hash: u64) -> Option<u32> {
        let entry = self.slots[self.home(hash).1];
        self.admit(entry, self.tag(hash))
    }

    /// The number in the entry, if there is one and the tag agrees.
    #[inline]
    fn admit(&self, entry: u32, tag: u32) -> Option<u32> {
        let number_mask = ((1u64 << self.number_bits) - 1) as u32;
        let number = entry & number_mask;
        (number != 0 && entry & !number_mask == tag).then(|| number - 1)
    }

    /// `Ok(number)` of the record that `is_it` recognises, or `Err(slot)` where it belongs, which is
    /// `FULL` when its shard has no room.
    #[inline]
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let tag = self.tag(hash);
        let (first, home) = self.home(hash);
        let mut slot = home;
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
            if slot == first + self.shard {
                slot = first;
            }
            if slot == home {
                return Err(FULL);
            }
        }
    }

    /// Puts a record into the slot that `find` named; at most `limit` records in all.
    #[inline]
    pub fn fill(&mut self, slot: usize, hash: u64, number: u32) {
        debug_assert!((number as usize) < self.limit);
        self.slots[slot] = self.tag(hash) | (number + 1);
    }

    /// Adds a record that is known not to be there; `false` when its shard is full.
    #[inline]
    pub fn add(&mut self, hash: u64, number: u32) -> bool {
        match self.find(hash, |_| false) {
            Ok(_) | Err(FULL) => false,
            Err(slot) => {
                self.fill(slot, hash, number);
                true
            }
        }
    }

    /// The shards, each to be filled on its own.
    pub fn shards(&mut self) -> Vec<Shard<'_>> {
        let (number_bits, shards_log2) = (self.number_bits, self.shards_log2);
        let shards = self.slots.chunks_mut(self.shard).enumerate();
        shards
            .map(|(index, slots)| Shard {
                index: index as u64,
                slots,
                number_bits,
                shards_log2,
            })
            .collect()
    }
}

/// Where a hash belongs in a shard of so many slots.
#[inline]
fn place(hash: u64, shards_log2: u32, slots: usize) -> usize {
    ((u128::from(hash << shards_log2) * slots as u128) >> 64) as usize
}

/// One shard, to be filled by one thread.
#[derive(Debug)]
pub struct Shard<'t> {
    index: u64,
    slots: &'t mut [u32],
    number_bits: u32,
    shards_log2: u32,
}

impl Shard<'_> {
    /// How many shards after this one those records belong that have this hash; huge when before.
    #[inline]
    pub fn distance(&self, hash: u64) -> usize {
        ((hash >> 1) >> (63 - self.shards_log2)).wrapping_sub(self.index) as usize
    }

    /// Adds a record of this shard that is known not to be there; `false` when the shard is full.
    #[inline]
    pub fn add(&mut self, hash: u64, number: u32) -> bool {
        let home = place(hash, self.shards_log2, self.slots.len());
        let tag = ((hash & 0xffff_ffff) << self.number_bits) as u32;
        let (before, after) = self.slots.split_at_mut(home);
        match after.iter_mut().chain(before).find(|slot| **slot == 0) {
            Some(slot) => {
                *slot = tag | (number + 1);
                true
            }
            None => false,
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
            let table = Table::with_slots(slots, 0).unwrap();
            assert!(table.limit < 1 << table.number_bits);
        }
    }

    #[test]
    fn what_is_added_shard_by_shard_is_found_in_the_whole() {
        let hash = |n: u32| u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut table = Table::sharded(3).unwrap();
        assert_eq!(table.shards().len(), 8);
        for shard in &mut table.shards() {
            for n in (0..600)
                .filter(|n| shard.distance(hash(*n)) == 0)
                .collect::<Vec<_>>()
            {
                assert!(shard.add(hash(n), n));
            }
        }
        assert!((0..600).all(|n| table.find(hash(n), |m| m == n) == Ok(n)));
        assert!(table.find(hash(600), |m| m == 600).is_err());
    }

    #[test]
    fn a_full_shard_says_so() {
        let mut table = Table::sharded(6).unwrap();
        let room = (0..100).take_while(|n| table.add(7, *n)).count();
        assert_eq!(room, SMALLEST >> 6);
        assert_eq!(table.find(7, |_| false), Err(FULL));
        assert!(!table.add(7, 99) && !table.shards()[0].add(7, 99));
        assert!(table.add(u64::MAX, 99));
    }
}
