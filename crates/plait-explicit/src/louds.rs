//! The breadth-first tree in two bits a state: a level-order unary degree sequence (LOUDS,
//! Jacobson 1989).
//!
//! States are numbered in the order in which breadth-first search finds them, so parents come in
//! ascending order: for each parent in turn the sequence has a one for every child and then a zero.
//! State j (from 1; the root 0 has no parent) is the j-th one, and its parent is the number of
//! zeros before it. A path to the root visits ones at ever smaller positions, so a single backward
//! pass over the sequence reads off the whole path.

use std::io;

use crate::checkpoint::{Reader, Unusable, Writer};
use crate::segments::Segments;

/// Words taken together as one record of the segments.
const WORD_BITS: u64 = 64;

/// The tree.
#[derive(Clone, Debug)]
pub struct Louds {
    words: Segments,
    /// The word being filled, and how many of its bits are used.
    last: u64,
    used: u32,
    /// Zeros so far: the parent that the next one belongs to.
    parent: u32,
    ones: u64,
}

impl Default for Louds {
    fn default() -> Louds {
        Louds {
            words: Segments::new(1),
            last: 0,
            used: 0,
            parent: 0,
            ones: 0,
        }
    }
}

impl Louds {
    /// The next state is a child of `parent`, which is not smaller than any parent before.
    /// `false` when memory cannot be had.
    #[inline]
    pub fn push(&mut self, parent: u32) -> bool {
        debug_assert!(parent >= self.parent);
        while self.parent < parent {
            if !self.bit(0) {
                return false;
            }
            self.parent += 1;
        }
        self.ones += 1;
        self.bit(1)
    }

    #[inline]
    fn bit(&mut self, bit: u64) -> bool {
        self.last |= bit << self.used;
        self.used += 1;
        if u64::from(self.used) == WORD_BITS {
            if !self.words.push(&[self.last]) {
                return false;
            }
            self.last = 0;
            self.used = 0;
        }
        true
    }

    /// How many states there are, the root among them.
    pub(crate) fn len(&self) -> usize {
        self.ones as usize + 1
    }

    /// Writes the tree to a checkpoint.
    pub(crate) fn write(&self, writer: &mut Writer) -> io::Result<()> {
        let small = [u64::from(self.used), u64::from(self.parent)];
        for word in [self.last, small[0], small[1], self.ones] {
            writer.word(word)?;
        }
        writer.list((0..self.words.len()).map(|i| self.words.get(i)[0]))
    }

    /// Reads what `write` has written.
    pub(crate) fn read(reader: &mut Reader) -> Result<Louds, Unusable> {
        let mut louds = Louds {
            last: reader.word()?,
            used: reader.small()?,
            parent: reader.small()?,
            ones: reader.word()?,
            ..Louds::default()
        };
        for _ in 0..reader.word()? {
            if !louds.words.push(&[reader.word()?]) {
                return Err(Unusable::Unreadable(io::ErrorKind::OutOfMemory.into()));
            }
        }
        Ok(louds)
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.words.bytes()
    }

    /// Bytes that pushing may allocate, at most.
    pub fn bytes_for_next(&self) -> u64 {
        self.words.bytes_for_next()
    }

    /// The states from the root to `state`, which must be 0 or have been pushed.
    pub fn path(&self, state: u32) -> Vec<u32> {
        let mut path = vec![state];
        let mut sought = u64::from(state);
        let mut word = self.words.len();
        let mut bits = self.last;
        let mut ones_before = self.ones - u64::from(bits.count_ones());
        while sought > 0 {
            if sought > ones_before {
                let position = select(bits, (sought - ones_before) as u32);
                let zeros = word as u64 * WORD_BITS + u64::from(position) - (sought - 1);
                path.push(zeros as u32);
                sought = zeros;
            } else {
                word -= 1;
                bits = self.words.get(word)[0];
                ones_before -= u64::from(bits.count_ones());
            }
        }
        path.reverse();
        path
    }
}

/// The position of the `rank`-th one (from 1) in a word.
fn select(mut bits: u64, rank: u32) -> u32 {
    for _ in 1..rank {
        bits &= bits - 1;
    }
    bits.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn paths_in_the_tree_follow_the_parents(degrees in prop::collection::vec(0u32..6, 1..200)) {
            let mut louds = Louds::default();
            let mut parents = vec![0u32];
            for (parent, degree) in (0u32..).zip(&degrees) {
                if parent as usize >= parents.len() {
                    break;
                }
                for _ in 0..*degree {
                    prop_assert!(louds.push(parent));
                    parents.push(parent);
                }
            }
            for state in 0..parents.len() as u32 {
                let mut expected = vec![state];
                while expected[expected.len() - 1] != 0 {
                    expected.push(parents[expected[expected.len() - 1] as usize]);
                }
                expected.reverse();
                prop_assert_eq!(louds.path(state), expected);
            }
        }
    }

    #[test]
    fn a_chain_has_a_path_through_every_state() {
        let mut louds = Louds::default();
        for parent in 0..100_000 {
            assert!(louds.push(parent));
        }
        assert_eq!(louds.path(100_000), (0..=100_000).collect::<Vec<_>>());
    }
}
