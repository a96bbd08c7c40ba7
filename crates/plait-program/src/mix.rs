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
}
