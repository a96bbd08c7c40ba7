//! Records moved from one layout to another.
//!
//! A layout grows because one cell needs another bit; nearly everything else keeps its neighbours. So
//! a record is not unpacked: bits that go from the same word to the same word by the same distance
//! move together, masked and shifted at once, and fields whose base changes get the difference added.
//!
//! Invariant: a value that fits its old field fits the new one, above its base, so that the sum of the
//! moved bits and the differences never carries out of a field.

use crate::layout::Layout;

/// Bits that move together.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: u32,
    to: u32,
    /// Which bits of the old word.
    mask: u64,
    /// How far to the left; a rotation, in which nothing goes round.
    by: u32,
    /// Another move to the same word, or `NONE`; a word has few.
    other: u32,
}

const NONE: u32 = u32::MAX;

/// How records of one layout become records of another.
#[derive(Debug)]
pub(crate) struct Repacking {
    moves: Vec<Move>,
    /// What changes of base add to each new word.
    constant: Vec<u64>,
    /// The move to each new word that was added last.
    latest: Vec<u32>,
}

impl Repacking {
    /// From one layout to one that has grown from it.
    pub fn new(old: &Layout, new: &Layout) -> Repacking {
        let mut repacking = Repacking {
            moves: Vec::new(),
            constant: vec![0; new.words()],
            latest: vec![NONE; new.words()],
        };
        for (old, new) in old.fields().iter().zip(new.fields()) {
            let difference = old.base().wrapping_sub(new.base()) as u32;
            let word = &mut repacking.constant[new.word as usize];
            *word = word.wrapping_add(u64::from(difference) << new.shift);
            if old.mask() > 0 {
                repacking.add(Move {
                    from: old.word,
                    to: new.word,
                    mask: u64::from(old.mask()) << old.shift,
                    by: new.shift.wrapping_sub(old.shift) % u64::BITS,
                    other: repacking.latest[new.word as usize],
                });
            }
        }
        repacking
    }

    /// Adds the move of a field to one like it, or to the list of its word.
    fn add(&mut self, field: Move) {
        let mut at = field.other;
        while let Some(m) = self.moves.get_mut(at as usize) {
            if (m.from, m.by) == (field.from, field.by) {
                m.mask |= field.mask;
                return;
            }
            at = m.other;
        }
        self.latest[field.to as usize] = self.moves.len() as u32;
        self.moves.push(field);
    }

    /// The new form of one word, all of whose fields stay in it.
    pub fn apply_to_word(&self, word: usize, old: u64) -> u64 {
        let mut new = self.constant[word];
        let mut at = self.latest[word];
        while let Some(m) = self.moves.get(at as usize) {
            debug_assert_eq!(m.from as usize, word);
            new = new.wrapping_add((old & m.mask).rotate_left(m.by));
            at = m.other;
        }
        new
    }

    /// Whether one word stays as it is, whatever it is, with all its fields.
    pub fn keeps_word(&self, word: usize) -> bool {
        let moved = |at: u32| self.moves.get(at as usize);
        self.constant[word] == 0
            && moved(self.latest[word])
                .is_none_or(|m| m.by == 0 && m.from as usize == word && m.other == NONE)
    }

    /// Writes the new form of a record.
    #[inline]
    pub fn apply(&self, old: &[u64], new: &mut [u64]) {
        new.copy_from_slice(&self.constant);
        for m in &self.moves {
            let bits = old[m.from as usize] & m.mask;
            let word = &mut new[m.to as usize];
            *word = word.wrapping_add(bits.rotate_left(m.by));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plait_program::{Builder, Program};
    use proptest::prelude::*;

    fn program(cells: &[(i32, i32, i32)]) -> Program {
        let mut builder = Builder::new();
        for (number, (initial, low, high)) in cells.iter().enumerate() {
            builder
                .cell(&format!("x{number}"), *initial, *low, *high)
                .unwrap();
        }
        builder.freeze().unwrap()
    }

    fn domain() -> impl Strategy<Value = (i32, i32, i32)> {
        prop_oneof![
            Just((0, i32::MIN, i32::MAX)),
            Just((5, 0, 255)),
            Just((-1, -4, 3)),
            Just((0, 0, 0)),
        ]
    }

    proptest! {
        #[test]
        fn a_repacked_record_is_the_state_packed_anew(
            cells in prop::collection::vec(domain(), 0..40),
            steps in prop::collection::vec(prop::collection::vec((0..40usize, any::<i32>()), 1..4), 1..8)
        ) {
            let program = program(&cells);
            let mut layout = Layout::new(&program);
            let mut states = vec![program.initial()];
            let mut records = vec![vec![0; layout.words()]];
            layout.encode(&states[0], &mut records[0]);
            for step in &steps {
                let mut state = states[states.len() - 1].clone();
                for (cell, value) in step {
                    if let Some((_, low, high)) = cells.get(*cell) {
                        let small = value.rem_euclid(1 << (cell % 30));
                        state[*cell] = small.clamp(*low, *high);
                    }
                }
                let grown = layout.grown_for(&state, &program);
                let repacking = Repacking::new(&layout, &grown);
                for (record, state) in records.iter_mut().zip(&states) {
                    let (mut moved, mut fresh) = (vec![0; grown.words()], vec![0; grown.words()]);
                    repacking.apply(record, &mut moved);
                    grown.encode(state, &mut fresh);
                    prop_assert_eq!(&moved, &fresh);
                    *record = moved;
                }
                layout = grown;
                let mut record = vec![0; layout.words()];
                layout.encode(&state, &mut record);
                records.push(record);
                states.push(state);
            }
        }
    }
}
