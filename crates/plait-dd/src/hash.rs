//! Hashing of nodes and of operations: multiply and fold.
//!
//! The constants are fixed: sizes of caches decide which results are found again, hence how many
//! nodes a run creates, and runs must repeat exactly.

use std::hash::{BuildHasherDefault, Hasher};

use crate::node::{Edge, Head, Node};

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xd6e8_feb8_6659_fd93;

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The hash of an operation and its two operands. Operations on neighbouring second operands are
/// neighbours: nodes of one path are often created in a row, and a recursion walks down paths.
#[inline]
pub(crate) fn operation(operation: u32, a: u32, b: u32) -> u64 {
    let first = u64::from(a) | u64::from(operation) << 32;
    fold(first ^ SECOND, FIRST).wrapping_add(u64::from(b))
}

/// The hash of a node.
#[inline]
pub(crate) fn node(head: Head, edges: &[Edge]) -> u32 {
    let word = |e: &Edge| u64::from(e.label) | u64::from(e.child.0) << 32;
    let mut hash = u64::from(head.0).wrapping_mul(SECOND);
    // Two lanes: the multiplications of long nodes overlap.
    let mut pairs = edges.chunks_exact(2);
    let mut other = SECOND;
    for pair in &mut pairs {
        hash = fold(hash ^ word(&pair[0]), FIRST);
        other = fold(other ^ word(&pair[1]), SECOND);
    }
    for edge in pairs.remainder() {
        hash = fold(hash ^ word(edge), FIRST);
    }
    let hash = fold(hash ^ other.rotate_left(32), FIRST ^ SECOND);
    (hash ^ (hash >> 32)) as u32
}

/// A hasher for single numbers.
#[derive(Clone, Copy, Default)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = fold(self.0 ^ u64::from(*byte), FIRST);
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = fold(self.0 ^ u64::from(number) ^ SECOND, FIRST);
    }
}

/// A map from nodes.
pub(crate) type NodeMap<T> = std::collections::HashMap<Node, T, BuildHasherDefault<NumberHasher>>;
