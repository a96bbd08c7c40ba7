//! Tables that give equal things equal numbers.
//!
//! Hashing is multiply and fold with fixed constants: runs repeat exactly.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use plait_program::mix::fold;

/// The hasher of this module's tables.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mixer(u64);

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Mixer {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = fold(self.0 ^ word ^ 0xd6e8_feb8_6659_fd93, FACTOR);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u8(&mut self, n: u8) {
        self.add(u64::from(n));
    }

    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.add(u64::from(n));
    }

    #[inline]
    fn write_i32(&mut self, n: i32) {
        self.add(u64::from(n as u32));
    }

    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    #[inline]
    fn write_isize(&mut self, n: isize) {
        self.add(n as u64);
    }
}

/// A map with that hasher.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// Things numbered from 0 in the order of their first appearance.
#[derive(Clone, Debug)]
pub(crate) struct Interned<T> {
    list: Vec<T>,
    numbers: Map<T, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Interned {
            list: Vec::new(),
            numbers: Map::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Interned<T> {
    /// The number of a thing, and whether it is new.
    #[inline]
    pub fn add(&mut self, thing: T) -> (u32, bool) {
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(thing.clone()).or_insert(next);
        if number == next {
            assert!(next < u32::MAX, "fewer than 2^32 terms");
            self.list.push(thing);
        }
        (number, number == next)
    }

    /// The thing with a number.
    #[inline]
    pub fn get(&self, number: u32) -> &T {
        &self.list[number as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }
}

/// Results that may be forgotten: one place for each hash.
#[derive(Clone, Debug)]
pub(crate) struct Lossy {
    entries: Vec<(u32, u32, i32, u32)>,
}

const NOTHING: u32 = u32::MAX;

impl Default for Lossy {
    fn default() -> Lossy {
        Lossy {
            entries: vec![(NOTHING, 0, 0, 0); 1 << 14],
        }
    }
}

impl Lossy {
    #[inline]
    fn place(&self, a: u32, b: u32, c: i32) -> usize {
        let word = u64::from(a) | u64::from(b) << 32;
        let hash = fold(word ^ FACTOR, 0xd6e8_feb8_6659_fd93 ^ u64::from(c as u32));
        hash as usize & (self.entries.len() - 1)
    }

    /// The result for a key, if it is still known.
    #[inline]
    pub fn get(&self, a: u32, b: u32, c: i32) -> Option<u32> {
        let entry = self.entries[self.place(a, b, c)];
        (entry.0 == a && entry.1 == b && entry.2 == c).then_some(entry.3)
    }

    /// Notes the result for a key.
    #[inline]
    pub fn put(&mut self, a: u32, b: u32, c: i32, result: u32) {
        let place = self.place(a, b, c);
        self.entries[place] = (a, b, c, result);
    }
}
