//! A Büchi automaton in native form, and the letters that it reads.
//!
//! A *letter* says which of the automaton's conditions are true in a state. Many states have the same
//! letter, so letters are numbered as they are met, and for each letter and location the moves of the
//! automaton are worked out once.

use std::collections::HashMap;

use plait_program::Code;

/// An arc: taken where the letter has all of the positive bits and none of the negative ones.
#[derive(Clone, Debug)]
pub struct BuchiArc {
    /// Conditions that must be true.
    pub positive: Vec<u32>,
    /// Conditions that must not be.
    pub negative: Vec<u32>,
    /// Where it leads.
    pub target: u32,
    /// The acceptance sets that it belongs to.
    pub marks: u64,
}

/// A generalised Büchi automaton with acceptance on arcs; it begins in location 0.
#[derive(Clone, Debug)]
pub struct Buchi {
    /// What is asked of states.
    pub conditions: Vec<Code>,
    /// The arcs of each location.
    pub arcs: Vec<Vec<BuchiArc>>,
    /// All acceptance sets.
    pub all: u64,
    /// What conditions say of deadlocks matters only in the state, if any, where a run ends; such
    /// conditions ask about no other events.
    pub at_end: bool,
}

impl Buchi {
    /// Whether every number is in range: conditions, locations and acceptance sets.
    pub fn is_sound(&self) -> bool {
        let condition = |c: &u32| (*c as usize) < self.conditions.len();
        !self.arcs.is_empty()
            && self.arcs.iter().flatten().all(|arc| {
                (arc.target as usize) < self.arcs.len()
                    && arc.marks & !self.all == 0
                    && arc.positive.iter().chain(&arc.negative).all(condition)
            })
    }
}

/// Where the automaton goes, and with which marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub target: u32,
    pub marks: u64,
}

/// The letters met so far, and what the automaton does on them.
#[derive(Debug, Default)]
pub(crate) struct Letters {
    numbers: HashMap<Box<[u64]>, u32>,
    letters: Vec<Box<[u64]>>,
    /// For a letter and a location, the place of its turns in `list`.
    known: HashMap<(u32, u32), (u32, u32)>,
    list: Vec<Turn>,
}

/// Turns that are remembered at most; then all are forgotten.
const MOST_TURNS: usize = 1 << 20;

impl Letters {
    /// The number of a letter.
    pub fn number(&mut self, letter: &[u64]) -> u32 {
        if let Some(number) = self.numbers.get(letter) {
            return *number;
        }
        let number = self.letters.len() as u32;
        self.letters.push(letter.into());
        self.numbers.insert(letter.into(), number);
        number
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> u64 {
        let each = 80 + 16 * self.letters.first().map_or(0, |l| l.len()) as u64;
        self.letters.len() as u64 * each
            + self.known.capacity() as u64 * 24
            + self.list.capacity() as u64 * 16
    }

    /// The turns of a location on a letter.
    pub fn turns(&mut self, automaton: &Buchi, letter: u32, location: u32) -> &[Turn] {
        if self.list.len() > MOST_TURNS {
            self.known.clear();
            self.list.clear();
        }
        let key = (letter, location);
        let (first, end) = match self.known.get(&key) {
            Some(range) => *range,
            None => {
                let range = self.work_out(automaton, letter, location);
                self.known.insert(key, range);
                range
            }
        };
        &self.list[first as usize..end as usize]
    }

    fn work_out(&mut self, automaton: &Buchi, letter: u32, location: u32) -> (u32, u32) {
        let bits = &self.letters[letter as usize];
        let is_set = |c: &u32| bits[*c as usize / 64] >> (c % 64) & 1 == 1;
        let first = self.list.len();
        for arc in &automaton.arcs[location as usize] {
            if arc.positive.iter().all(is_set) && !arc.negative.iter().any(is_set) {
                let turn = Turn {
                    target: arc.target,
                    marks: arc.marks,
                };
                if !self.list[first..].contains(&turn) {
                    self.list.push(turn);
                }
            }
        }
        // The last is tried first: the one with the most marks.
        self.list[first..].sort_by_key(|turn| turn.marks.count_ones());
        (first as u32, self.list.len() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::arc;

    #[test]
    fn turns_are_those_that_the_letter_allows_the_one_with_most_marks_last() {
        let automaton = Buchi {
            conditions: Vec::new(),
            arcs: vec![vec![
                arc(&[0], &[], 0, 3),
                arc(&[], &[70], 0, 1),
                arc(&[70], &[0], 0, 0),
                arc(&[0], &[], 0, 3),
            ]],
            all: 3,
            at_end: false,
        };
        let mut letters = Letters::default();
        let (one, other) = (letters.number(&[1, 0]), letters.number(&[0, 1 << 6]));
        assert_eq!(letters.number(&[1, 0]), one);
        let marks = |turns: &[Turn]| turns.iter().map(|t| t.marks).collect::<Vec<_>>();
        assert_eq!(marks(letters.turns(&automaton, one, 0)), [1, 3]);
        assert_eq!(marks(letters.turns(&automaton, other, 0)), [0]);
        assert_eq!(marks(letters.turns(&automaton, one, 0)), [1, 3]);
    }

    #[test]
    fn an_automaton_with_a_number_out_of_range_is_not_sound() {
        let automaton = |arc| Buchi {
            conditions: Vec::new(),
            arcs: vec![vec![arc]],
            all: 1,
            at_end: false,
        };
        assert!(automaton(arc(&[], &[], 0, 1)).is_sound());
        assert!(!automaton(arc(&[0], &[], 0, 1)).is_sound());
        assert!(!automaton(arc(&[], &[], 1, 1)).is_sound());
        assert!(!automaton(arc(&[], &[], 0, 2)).is_sound());
    }
}
