//! Markings in few bytes, numbered in the order in which they were met.
//!
//! A marking is written as the number of its marked places, then for each of them how many places lie
//! between it and the one before, and its tokens: seven bits a byte, so that a net with many places
//! of which few are marked takes little. Records lie in segments and never move.

use crate::table::{NoMemory, Table};

const SEGMENT: usize = 1 << 20;

/// A set of markings.
pub(crate) struct SparseMarkings {
    segments: Vec<Vec<u8>>,
    /// Where each record begins: its segment and the byte there.
    starts: Vec<(u32, u32)>,
    table: Table,
    scratch: Vec<u8>,
    bytes: u64,
}

impl SparseMarkings {
    pub fn new() -> Result<SparseMarkings, NoMemory> {
        Ok(SparseMarkings {
            segments: Vec::new(),
            starts: Vec::new(),
            table: Table::new()?,
            scratch: Vec::new(),
            bytes: 0,
        })
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes + self.table.bytes() + 8 * self.starts.capacity() as u64
    }

    /// The number of a marking that was not there; `None` when it was.
    pub fn insert(&mut self, marking: &[i32]) -> Result<Option<u32>, NoMemory> {
        let mut record = std::mem::take(&mut self.scratch);
        write(marking, &mut record);
        let inserted = self.enter(&record);
        self.scratch = record;
        inserted
    }

    fn enter(&mut self, record: &[u8]) -> Result<Option<u32>, NoMemory> {
        if self.starts.len() >= self.table.limit() {
            self.table.grow()?;
            for number in 0..self.starts.len() as u32 {
                let rest = self.record(number);
                let hash = hash(&rest[..length(rest)]);
                self.table.add(hash, number);
            }
        }
        let hash = hash(record);
        let is_it = |number: u32| self.record(number).starts_with(record);
        let Err(slot) = self.table.find(hash, is_it) else {
            return Ok(None);
        };
        let number = u32::try_from(self.starts.len()).map_err(|_| NoMemory)?;
        self.keep(record)?;
        self.table.fill(slot, hash, number);
        Ok(Some(number))
    }

    fn keep(&mut self, record: &[u8]) -> Result<(), NoMemory> {
        let room = |s: &Vec<u8>| s.capacity() - s.len() >= record.len();
        if !self.segments.last().is_some_and(room) {
            let mut segment = Vec::new();
            let size = SEGMENT.max(record.len());
            segment.try_reserve_exact(size).map_err(|_| NoMemory)?;
            self.bytes += size as u64;
            self.segments.push(segment);
        }
        let number = self.segments.len() - 1;
        let segment = &mut self.segments[number];
        self.starts.try_reserve(1).map_err(|_| NoMemory)?;
        let start = u32::try_from(segment.len()).map_err(|_| NoMemory)?;
        self.starts.push((number as u32, start));
        segment.extend_from_slice(record);
        Ok(())
    }

    /// A record and what follows it.
    fn record(&self, number: u32) -> &[u8] {
        let (segment, start) = self.starts[number as usize];
        &self.segments[segment as usize][start as usize..]
    }

    /// The marking of that number.
    pub fn read(&self, number: u32, marking: &mut [i32]) {
        marking.fill(0);
        let record = self.record(number);
        let (mut at, mut place) = (0, 0);
        for _ in 0..next(record, &mut at) {
            place += next(record, &mut at) as usize;
            marking[place] = next(record, &mut at) as i32;
            place += 1;
        }
    }
}

fn write(marking: &[i32], record: &mut Vec<u8>) {
    record.clear();
    put(marking.iter().filter(|m| **m != 0).count() as u32, record);
    let mut after = 0;
    for (place, tokens) in marking.iter().enumerate() {
        if *tokens != 0 {
            put((place - after) as u32, record);
            put(*tokens as u32, record);
            after = place + 1;
        }
    }
}

fn put(mut value: u32, record: &mut Vec<u8>) {
    while value >= 0x80 {
        record.push(value as u8 | 0x80);
        value >>= 7;
    }
    record.push(value as u8);
}

fn next(record: &[u8], at: &mut usize) -> u32 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = record[*at];
        *at += 1;
        value |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
        shift += 7;
    }
}

/// The bytes of the record at the beginning.
fn length(record: &[u8]) -> usize {
    let mut at = 0;
    for _ in 0..2 * next(record, &mut at) {
        next(record, &mut at);
    }
    at
}

fn hash(record: &[u8]) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ record.len() as u64;
    for chunk in record.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(word)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        state ^= state >> 32;
    }
    state = state.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    state ^ state >> 29
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn markings() -> impl Strategy<Value = Vec<Vec<i32>>> {
        let tokens = prop_oneof![4 => Just(0), 3 => 1..3, 1 => 0..=i32::MAX];
        prop::collection::vec(prop::collection::vec(tokens, 300), 1..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        #[test]
        fn markings_come_back_as_they_were_and_none_is_there_twice(all in markings()) {
            let mut store = SparseMarkings::new().unwrap();
            let mut known: Vec<Vec<i32>> = Vec::new();
            for marking in all.iter().chain(&all) {
                let expected = (!known.contains(marking)).then_some(known.len() as u32);
                prop_assert_eq!(store.insert(marking).unwrap(), expected);
                if expected.is_some() {
                    known.push(marking.clone());
                }
            }
            let mut read = vec![0; 300];
            for (number, marking) in known.iter().enumerate() {
                store.read(number as u32, &mut read);
                prop_assert_eq!(&read, marking);
            }
            prop_assert_eq!(store.len(), known.len());
        }
    }

    #[test]
    fn many_markings_are_found_again_after_the_index_has_grown() {
        let mut store = SparseMarkings::new().unwrap();
        for i in 0..5_000 {
            assert_eq!(store.insert(&[i % 70, 0, i]).unwrap(), Some(i as u32));
        }
        for i in 0..5_000 {
            assert_eq!(store.insert(&[i % 70, 0, i]).unwrap(), None);
        }
        assert!(store.bytes() > 5_000 * 3);
    }
}
