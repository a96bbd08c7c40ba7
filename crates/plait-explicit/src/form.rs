//! In what form a store keeps its states.
//!
//! | form | a state costs | exact |
//! |---|---|---|
//! | packed | its record, or the numbers of its parts where records are wide (`collapse`) | yes |
//! | tree | one word, and its share of the table of `pairs` | yes |
//! | automaton | its share of the nodes of an automaton that accepts the states (`automaton`) | yes |
//! | hash compaction | a fingerprint | no: two states with one fingerprint are taken for one |
//! | bitstate | a few bits of an array | no: a state whose bits others have set is taken for old |
//!
//! The automaton cannot tell a state by its number, so states are kept until they are expanded, and
//! found again for a trace by repeating the search. The last two (Wolper and Leroy, "Reliable hashing without collision detection", CAV 1993; Holzmann,
//! "On limits and possibilities of automated protocol analysis", 1987) forget the states themselves
//! once they are expanded. They can miss states, so they can show a state but not the absence of
//! one. Their fingerprints are of the cells, not of the packed record, which changes when fields grow.

use crate::automaton_store::AutomatonStore;
use crate::collapse::Collapse;
use crate::hash::RecordHash;
use crate::layout::Layout;
use crate::pairs::Pairs;
use crate::queue::Queue;
use crate::table::NoMemory;

/// What is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Packed records.
    #[default]
    Packed,
    /// Tree compression.
    Tree,
    /// A minimal automaton that accepts the states.
    Automaton,
    /// Hash compaction with so many bits, at most 64.
    HashCompact(u32),
    /// So many bits for each state, in an array of so many bytes.
    Bitstate(u32, u64),
}

impl Form {
    /// Whether states can be missed.
    pub fn is_approximate(self) -> bool {
        matches!(self, Form::HashCompact(_) | Form::Bitstate(..))
    }

    /// Whether states cannot be read any more once they are expanded.
    pub fn forgets(self) -> bool {
        self == Form::Automaton || self.is_approximate()
    }

    /// Whether a search by several threads can use it.
    pub(crate) fn suits_threads(self) -> bool {
        !matches!(self, Form::Automaton | Form::Bitstate(..))
    }

    /// Whether a trace needs the search once more: nothing is left of a state.
    pub(crate) fn needs_repetition(self) -> bool {
        !self.suits_threads()
    }
}

/// What a form keeps besides the words of each state.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    Packed,
    /// The numbers of the parts: what becomes of packed records that are wide.
    Collapsed(Box<Collapse>),
    Tree(Box<Pairs>),
    Automaton {
        states: Box<AutomatonStore>,
        queue: Queue,
    },
    Fingerprints {
        mask: u64,
        queue: Queue,
    },
    Bits {
        bits: Bits,
        queue: Queue,
    },
}

impl Kept {
    pub fn new(form: Form, layout: &Layout) -> Result<Kept, NoMemory> {
        let queue = Queue::new(layout.words(), 0);
        Ok(match form {
            Form::Packed => Kept::Packed,
            Form::Tree => Kept::Tree(Box::new(Pairs::new()?)),
            Form::Automaton => Kept::Automaton {
                states: Box::new(AutomatonStore::new(layout)?),
                queue,
            },
            Form::HashCompact(bits) => Kept::Fingerprints {
                // The highest bits, since these choose the slot.
                mask: u64::MAX << (64 - bits.clamp(1, 64)),
                queue,
            },
            Form::Bitstate(each, bytes) => Kept::Bits {
                bits: Bits::new(each, bytes)?,
                queue,
            },
        })
    }

    pub fn bytes(&self) -> u64 {
        match self {
            Kept::Packed => 0,
            Kept::Collapsed(collapse) => collapse.bytes(),
            Kept::Tree(pairs) => pairs.bytes(),
            Kept::Automaton { states, queue } => states.bytes() + queue.bytes(),
            Kept::Fingerprints { queue, .. } => queue.bytes(),
            Kept::Bits { bits, queue } => bits.bytes() + queue.bytes(),
        }
    }

    pub fn queue(&self) -> Option<&Queue> {
        match self {
            Kept::Packed | Kept::Collapsed(_) | Kept::Tree(_) => None,
            Kept::Automaton { queue, .. }
            | Kept::Fingerprints { queue, .. }
            | Kept::Bits { queue, .. } => Some(queue),
        }
    }

    pub fn queue_mut(&mut self) -> Option<&mut Queue> {
        match self {
            Kept::Packed | Kept::Collapsed(_) | Kept::Tree(_) => None,
            Kept::Automaton { queue, .. }
            | Kept::Fingerprints { queue, .. }
            | Kept::Bits { queue, .. } => Some(queue),
        }
    }
}

/// The hash of the cells of a record, whatever its layout: two cells make a word.
pub(crate) fn fingerprint<H: RecordHash>(hash: &H, layout: &Layout, record: &[u64]) -> u64 {
    let words = layout.fields().chunks(2).map(|pair| {
        let value = |i: usize| pair.get(i).map_or(0, |f| f.read(record) as u32);
        u64::from(value(0)) | u64::from(value(1)) << 32
    });
    hash.hash_words(words)
}

/// An array of bits in which each state sets a few.
#[derive(Clone, Debug)]
pub(crate) struct Bits {
    words: Vec<u64>,
    each: u32,
    set: u64,
}

impl Bits {
    fn new(each: u32, bytes: u64) -> Result<Bits, NoMemory> {
        let count = usize::try_from(bytes / 8).unwrap_or(usize::MAX).max(1);
        let mut trial: Vec<u64> = Vec::new();
        trial.try_reserve_exact(count).map_err(|_| NoMemory)?;
        drop(trial);
        Ok(Bits {
            // Unlike resizing the trial, this touches no page before a bit is set in it.
            words: vec![0; count],
            each: each.max(1),
            set: 0,
        })
    }

    fn bytes(&self) -> u64 {
        8 * self.words.len() as u64
    }

    /// Sets the bits of a hash; whether one of them was not set yet.
    pub fn insert(&mut self, hash: u64) -> bool {
        let before = self.set;
        // A second hash of the first: the sequence h, h + s, h + 2s, ... behaves like independent
        // hashes (Kirsch and Mitzenmacher 2006).
        let step = (hash ^ (hash >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1;
        let total = 64 * self.words.len() as u128;
        let mut h = hash;
        for _ in 0..self.each {
            let place = ((u128::from(h) * total) >> 64) as usize;
            let word = &mut self.words[place / 64];
            let bit = 1 << (place % 64);
            self.set += u64::from(*word & bit == 0);
            *word |= bit;
            h = h.wrapping_add(step);
        }
        self.set > before
    }

    /// The chance that a new state would be taken for an old one now.
    pub fn chance(&self) -> f64 {
        let filled = self.set as f64 / (64.0 * self.words.len() as f64);
        filled.powi(self.each as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::SeededHash;
    use plait_program::mix::Seed;

    #[test]
    fn a_bit_array_never_calls_an_old_state_new_and_rarely_a_new_one_old() {
        let mut bits = Bits::new(3, 1 << 16).unwrap();
        let hash = SeededHash::new(Seed(3));
        let lost = (0..20_000u64)
            .filter(|n| !bits.insert(hash.hash(&[*n])))
            .count();
        assert!(lost < 400, "{lost}");
        assert!((0..20_000u64).all(|n| !bits.insert(hash.hash(&[n]))));
        assert!(bits.chance() > 0.0 && bits.chance() < 0.05);
    }

    #[test]
    fn a_tiny_array_fills_up_and_then_everything_is_old() {
        let mut bits = Bits::new(2, 1).unwrap();
        let hash = SeededHash::new(Seed(3));
        let new = (0..10_000u64)
            .filter(|n| bits.insert(hash.hash(&[*n])))
            .count();
        assert!(new <= 64 && bits.chance() == 1.0);
    }
}
