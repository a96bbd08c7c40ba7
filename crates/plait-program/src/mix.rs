//! Hashing of states: multiply, fold, add; seeded at random.
//!
//! Each word is mixed with a key of its own position by a 64 by 64 to 128 bit multiplication whose
//! halves are folded together (the step of wyhash and its kin), and the results are added. The seed
//! is drawn once per process from the standard library's randomness, so that nobody can prepare a
//! model whose states collide; nothing but running time depends on it.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

/// The randomness of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The seed of this process.
    pub fn of_process() -> Seed {
        static SEED: OnceLock<u64> = OnceLock::new();
        Seed(*SEED.get_or_init(|| RandomState::new().build_hasher().finish()))
    }

    /// The `position`-th key, independent of the others (splitmix64).
    #[inline]
    pub fn key(self, position: u64) -> u64 {
        let step = position.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0.wrapping_add(step);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The two halves of the 128-bit product, folded.
#[inline]
pub fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The hash of a state as a list of cells.
pub fn hash_cells(seed: Seed, cells: &[i32]) -> u64 {
    let mut hash = seed.0;
    for pair in cells.chunks(2) {
        let low = u64::from(pair[0] as u32);
        let high = pair.get(1).map_or(0, |c| u64::from(*c as u32)) << 32;
        hash = fold(hash ^ low ^ high, 0x9e37_79b9_7f4a_7c15) ^ seed.0.rotate_left(17);
    }
    hash ^ (hash >> 32)
}

/// The hash of a text, in both halves.
pub fn hash_bytes(seed: Seed, text: &[u8]) -> u64 {
    let mut hash = seed.0 ^ text.len() as u64;
    let mut words = text.chunks_exact(8);
    for word in &mut words {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(word);
        hash = mixed(hash, u64::from_le_bytes(bytes), seed);
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        let mut bytes = [0; 8];
        bytes[..rest.len()].copy_from_slice(rest);
        hash = mixed(hash, u64::from_le_bytes(bytes), seed);
    }
    hash ^ (hash >> 32)
}

/// One more word; what is multiplied with depends on the seed, so that no word is known to make it 0.
#[inline]
fn mixed(hash: u64, word: u64, seed: Seed) -> u64 {
    fold(hash ^ word, 0x9e37_79b9_7f4a_7c15 ^ seed.0.rotate_left(23)) ^ seed.0.rotate_left(17)
}

/// Makes hashers for maps whose keys are texts, numbers, or lists of them.
///
/// Several times faster than the standard one on keys of a few words, and seeded as well.
#[derive(Clone, Copy, Debug)]
pub struct Mixing(Seed);

impl Default for Mixing {
    fn default() -> Mixing {
        Mixing(Seed::of_process())
    }
}

impl BuildHasher for Mixing {
    type Hasher = Mixer;

    fn build_hasher(&self) -> Mixer {
        Mixer {
            hash: self.0 .0,
            seed: self.0,
        }
    }
}

/// A hasher that mixes word by word.
#[derive(Clone, Copy, Debug)]
pub struct Mixer {
    hash: u64,
    seed: Seed,
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.hash
    }

    fn write(&mut self, bytes: &[u8]) {
        self.hash = mixed(self.hash, hash_bytes(self.seed, bytes), self.seed);
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.hash = mixed(self.hash, number, self.seed);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

/// A map with such hashers.
pub type MixedMap<K, V> = std::collections::HashMap<K, V, Mixing>;
/// A set with such hashers.
pub type MixedSet<K> = std::collections::HashSet<K, Mixing>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_small_states_spread_over_the_low_bits() {
        let seed = Seed(42);
        let mut used = std::collections::HashSet::new();
        for a in 0..32 {
            for b in 0..32 {
                used.insert(hash_cells(seed, &[a, b, 0]) & 0xffff);
            }
        }
        assert!(used.len() > 900, "{}", used.len());
    }

    #[test]
    fn hashes_of_names_and_of_keys_spread_over_the_low_bits() {
        let (mut texts, mut keys) = (
            std::collections::HashSet::new(),
            std::collections::HashSet::new(),
        );
        for n in 0..1024u32 {
            texts.insert(hash_bytes(Seed(42), format!("arc-{n}").as_bytes()) & 0xffff);
            keys.insert(Mixing(Seed(42)).hash_one((n / 32, vec![(n % 32, 1u8)])) & 0xffff);
        }
        assert!(texts.len() > 900, "{}", texts.len());
        assert!(keys.len() > 900, "{}", keys.len());
    }

    #[test]
    fn zeros_and_lengths_are_told_apart() {
        let hashes = (0..20).map(|n| hash_bytes(Seed(42), &vec![0; n]));
        let distinct: std::collections::HashSet<u64> = hashes.collect();
        assert_eq!(distinct.len(), 20);
    }
}
