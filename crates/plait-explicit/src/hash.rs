//! Hashing of packed records.

use plait_program::mix::{fold, Seed};

/// How a record is hashed. Only speed may depend on it: the tests use one that is constant.
pub trait RecordHash: Clone + Send + Sync {
    /// Called when the number of words of a record changes.
    fn prepare(&mut self, words: usize);
    /// The hash of a record.
    fn hash(&self, record: &[u64]) -> u64;
    /// The hash of words that come one by one.
    fn hash_words(&self, words: impl Iterator<Item = u64>) -> u64;
}

/// The multiplier of the last step; any odd number with bits everywhere does.
const MULTIPLIER: u64 = 0xa076_1d64_78bd_642f;

/// The hash of the product: each word is mixed with a random key of its position (see
/// `plait_program::mix`), and the results are added.
///
/// A sum has no chain of dependent multiplications, so a long record costs one multiplication a
/// word at full throughput. Mixing before adding is what keeps words from cancelling each other.
#[derive(Clone, Debug)]
pub struct SeededHash {
    seed: Seed,
    keys: Vec<u64>,
}

impl SeededHash {
    /// A hash with that seed.
    pub fn new(seed: Seed) -> SeededHash {
        SeededHash {
            seed,
            keys: vec![seed.key(0)],
        }
    }
}

impl RecordHash for SeededHash {
    fn prepare(&mut self, words: usize) {
        let first = self.keys.len() as u64;
        self.keys
            .extend((first..words as u64).map(|i| self.seed.key(i)));
    }

    #[inline]
    fn hash(&self, record: &[u64]) -> u64 {
        self.hash_words(record.iter().copied())
    }

    #[inline]
    fn hash_words(&self, words: impl Iterator<Item = u64>) -> u64 {
        words.zip(&self.keys).fold(0u64, |sum, (word, key)| {
            sum.wrapping_add(fold(word ^ key, MULTIPLIER ^ key.rotate_left(32) | 1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn flipping_the_same_bit_of_two_words_does_not_cancel() {
        let mut hash = SeededHash::new(Seed(7));
        hash.prepare(4);
        let mut seen = HashSet::new();
        for flips in 0..16u64 {
            let record: Vec<u64> = (0..4).map(|i| (flips >> i & 1) << 63).collect();
            seen.insert(hash.hash(&record));
        }
        assert_eq!(seen.len(), 16);
    }

    #[test]
    fn hashes_of_neighbouring_records_differ_in_high_and_low_bits() {
        let hash = SeededHash::new(Seed(7));
        let high: HashSet<u64> = (0..4096).map(|w| hash.hash(&[w]) >> 44).collect();
        let low: HashSet<u64> = (0..4096)
            .map(|w| hash.hash(&[w << 40]) & 0xf_ffff)
            .collect();
        assert!(high.len() > 3900 && low.len() > 3900);
    }
}
