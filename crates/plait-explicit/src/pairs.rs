//! Tree compression: a record of many words as one word.
//!
//! Successive states differ in few words, so most halves of a record have been seen before, most
//! halves of these halves too, and so on. Each word of a record is replaced by its number in a table
//! of all words, two neighbouring numbers make a new word, which is numbered in the same table, and
//! so up to the root, which is the two numbers that are left (Blom, Lisser, van de Pol, Weber, "A
//! database approach to distributed state space generation", 2009; Laarman, van de Pol, Weber,
//! "Parallel recursive state compression for free", SPIN 2011). In the best case a state costs its
//! root; the table grows with the number of different halves, about the square root of the states.
//!
//! Invariant: equal records have equal roots and different ones different roots, since a number
//! stands for one word for ever. That a leaf and an inner node may share an entry does no harm: which
//! of them is meant follows from the place.

use crate::budget::Budget;
use crate::segments::Segments;
use crate::table::{NoMemory, Table};

/// Multiplies the bits of a word to all places; any odd number does.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The table of words.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    words: Segments,
    table: Table,
    /// Working memory: the numbers of one level of the tree.
    level: Vec<u64>,
}

/// The hash of one word.
#[inline]
pub(crate) fn hash(word: u64) -> u64 {
    let mixed = (word ^ (word >> 32)).wrapping_mul(SPREAD);
    (mixed ^ (mixed >> 29)).wrapping_mul(SPREAD)
}

/// Puts the numbers of neighbours together; an odd one out stays alone.
fn pair_up(level: &mut Vec<u64>) {
    let pairs = level.len().div_ceil(2);
    for i in 0..pairs {
        let right = level.get(2 * i + 1).copied().unwrap_or(0);
        level[i] = level[2 * i] | right << 32;
    }
    level.truncate(pairs);
}

impl Pairs {
    pub fn new() -> Result<Pairs, NoMemory> {
        Ok(Pairs {
            words: Segments::new(1),
            table: Table::new()?,
            level: Vec::new(),
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.words.bytes() + self.table.bytes()
    }

    /// The root of a record, whose parts are added where they are new. `held` is what the search
    /// holds besides.
    pub fn fold(
        &mut self,
        record: &[u64],
        held: u64,
        budget: &mut Budget,
    ) -> Result<u64, NoMemory> {
        let mut level = std::mem::take(&mut self.level);
        level.clear();
        level.extend_from_slice(record);
        while level.len() > 1 {
            for word in &mut level {
                *word = u64::from(self.number(*word, held, budget)?);
            }
            pair_up(&mut level);
        }
        let root = level[0];
        self.level = level;
        Ok(root)
    }

    /// The root of a record, if all its parts are there.
    pub fn find(&self, record: &[u64]) -> Option<u64> {
        let mut level = record.to_vec();
        while level.len() > 1 {
            for word in &mut level {
                let found = self.table.find(hash(*word), |n| self.word(n) == *word);
                *word = u64::from(found.ok()?);
            }
            pair_up(&mut level);
        }
        Some(level[0])
    }

    /// Writes the record of so many words that has this root.
    pub fn unfold(&self, root: u64, count: usize, record: &mut Vec<u64>) {
        let mut sizes = vec![count];
        while sizes[sizes.len() - 1] > 1 {
            sizes.push(sizes[sizes.len() - 1].div_ceil(2));
        }
        record.clear();
        record.push(root);
        // From the root downwards: each word holds the numbers of two, of which the last may be one.
        for size in sizes.iter().rev().skip(1) {
            record.resize(*size, 0);
            for i in (0..*size).rev() {
                let number = record[i / 2] >> (32 * (i % 2)) & 0xffff_ffff;
                record[i] = self.word(number as u32);
            }
        }
    }

    #[inline]
    fn word(&self, number: u32) -> u64 {
        self.words.get(number as usize)[0]
    }

    fn number(&mut self, word: u64, held: u64, budget: &mut Budget) -> Result<u32, NoMemory> {
        let words = &self.words;
        let is_it = |n: u32| words.get(n as usize)[0] == word;
        match self.table.find(hash(word), is_it) {
            Ok(number) => Ok(number),
            Err(slot) if words.len() < self.table.limit() => {
                let more = words.bytes_for_next();
                if more > 0 && !budget.allows(held + self.bytes(), more) {
                    return Err(NoMemory);
                }
                let number = self.words.len() as u32;
                if number == u32::MAX || !self.words.push(&[word]) {
                    return Err(NoMemory);
                }
                self.table.fill(slot, hash(word), number);
                Ok(number)
            }
            Err(_) => {
                self.grow(held, budget)?;
                self.number(word, held, budget)
            }
        }
    }

    #[cold]
    fn grow(&mut self, held: u64, budget: &mut Budget) -> Result<(), NoMemory> {
        let more = self.table.larger_bytes() - self.table.bytes();
        if !budget.allows(held + self.bytes(), more) {
            return Err(NoMemory);
        }
        self.table.grow()?;
        for number in 0..self.words.len() as u32 {
            self.table.add(hash(self.word(number)), number);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Words of which many are equal.
    fn word() -> impl Strategy<Value = u64> {
        prop_oneof![3 => 0..3u64, 1 => any::<u64>(), 1 => Just(u64::MAX)]
    }

    proptest! {
        #[test]
        fn roots_are_equal_just_where_records_are_and_unfold_to_them(
            width in 1..20usize,
            rows in prop::collection::vec(prop::collection::vec(word(), 20), 1..60),
        ) {
            let mut pairs = Pairs::new().unwrap();
            let mut budget = Budget::new(None);
            let mut roots: HashMap<u64, Vec<u64>> = HashMap::new();
            for row in &rows {
                let record = &row[..width];
                let known = roots.values().any(|r| r == record);
                prop_assert!(!known || pairs.find(record).is_some());
                let root = pairs.fold(record, 0, &mut budget).unwrap();
                prop_assert_eq!(pairs.find(record), Some(root));
                prop_assert_eq!(roots.contains_key(&root), known);
                roots.insert(root, record.to_vec());
            }
            let mut record = Vec::new();
            for (root, expected) in &roots {
                pairs.unfold(*root, width, &mut record);
                prop_assert_eq!(&record, expected);
            }
        }
    }

    #[test]
    fn the_table_grows_with_the_halves_and_not_with_the_records() {
        let mut pairs = Pairs::new().unwrap();
        let mut budget = Budget::new(None);
        for a in 0..300u64 {
            for b in 0..300u64 {
                pairs.fold(&[a, 7, 8, b], 0, &mut budget).unwrap();
            }
        }
        assert!(pairs.words.len() <= 302 + 600);
    }

    #[test]
    fn a_budget_that_is_used_up_is_an_error_not_an_abort() {
        let mut pairs = Pairs::new().unwrap();
        let mut budget = Budget::new(Some(1));
        assert_eq!(pairs.fold(&[1, 2, 3], 0, &mut budget), Err(NoMemory));
    }
}
