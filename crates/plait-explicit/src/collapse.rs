//! Collapsed states: the values of each part of a state are numbered, and a state is the numbers of its
//! parts.
//!
//! A wide state is a few words of cells that lie beside each other in the model, such as those of a
//! process or of a channel (`Layout::together`). Each of these words, a *part*, takes few values
//! compared with the number of states, so its number needs few bits; the numbers are packed like
//! the cells of a small state. This is the collapse compression of SPIN (Holzmann, "State compression
//! in SPIN", 1997) with parts as wide as a word, whatever they mean.
//!
//! Here it saves time too. A successor differs from its parent in a few parts, and only for these is
//! a number looked up, in a table that mostly is small enough for the caches of the processor; what
//! is hashed and compared is short. And when a value does not fit its cell, the states stay as they
//! are: the words of one part are repacked, each under its number.
//!
//! Invariant: equal states have equal numbers, since a number stands for one word for ever.

use plait_program::Cell;

use crate::budget::Budget;
use crate::layout::Layout;
use crate::pairs::hash;
use crate::repacking::Repacking;
use crate::table::{NoMemory, Table};

/// The values of one part, by number.
#[derive(Clone, Debug)]
struct Part {
    words: Vec<u64>,
    table: Table,
}

/// A state and the numbers of its parts.
#[derive(Clone, Debug)]
struct Base {
    words: Vec<u64>,
    numbers: Vec<i32>,
    folded: Vec<u64>,
}

/// A part in which the state folded last differs from the base.
#[derive(Clone, Copy, Debug)]
struct Change {
    part: u32,
    number: i32,
    word: u64,
}

/// The parts of all states.
#[derive(Clone, Debug)]
pub(crate) struct Collapse {
    parts: Vec<Part>,
    /// How the numbers are packed.
    layout: Layout,
    /// The numbers there can be.
    domains: Vec<Cell>,
    /// The state that others are compared with.
    base: Base,
    /// The state folded last.
    folded: Vec<u64>,
    changes: Vec<Change>,
}

impl Part {
    fn new(word: u64) -> Result<Part, NoMemory> {
        let mut table = Table::new()?;
        table.add(hash(word), 0);
        Ok(Part {
            words: vec![word],
            table,
        })
    }

    fn bytes(&self) -> u64 {
        8 * self.words.capacity() as u64 + self.table.bytes()
    }

    #[inline]
    fn find(&self, word: u64) -> Result<u32, usize> {
        let words = &self.words;
        self.table.find(hash(word), |n| words[n as usize] == word)
    }

    /// Numbers a word that has no number yet, and belongs into that slot.
    #[cold]
    fn add(
        &mut self,
        word: u64,
        slot: usize,
        held: u64,
        budget: &mut Budget,
    ) -> Result<(), NoMemory> {
        let number = self.words.len();
        if number == self.words.capacity() {
            if !budget.allows(held, 8 * number as u64) || number > i32::MAX as usize / 4 {
                return Err(NoMemory);
            }
            self.words.try_reserve_exact(number).map_err(|_| NoMemory)?;
        }
        self.words.push(word);
        if number < self.table.limit() {
            self.table.fill(slot, hash(word), number as u32);
            return Ok(());
        }
        if !budget.allows(held, self.table.larger_bytes() - self.table.bytes()) {
            return Err(NoMemory);
        }
        self.table.grow()?;
        self.reindex();
        Ok(())
    }

    /// Fills the empty table.
    fn reindex(&mut self) {
        for (number, word) in (0u32..).zip(&self.words) {
            self.table.add(hash(*word), number);
        }
    }
}

impl Collapse {
    /// The parts of one state.
    pub fn new(record: &[u64]) -> Result<Collapse, NoMemory> {
        let number = Cell {
            name: String::new(),
            initial: 0,
            low: 0,
            high: i32::MAX,
        };
        let domains = vec![number; record.len()];
        let layout = Layout::of(&domains);
        let base = Base {
            words: record.to_vec(),
            numbers: vec![0; record.len()],
            folded: vec![0; layout.words()],
        };
        let parts = record.iter().map(|word| Part::new(*word));
        Ok(Collapse {
            parts: parts.collect::<Result<_, _>>()?,
            layout,
            domains,
            folded: base.folded.clone(),
            base,
            changes: Vec::new(),
        })
    }

    /// Words of a folded state.
    #[inline]
    pub fn stride(&self) -> usize {
        self.layout.words()
    }

    /// How many values the parts have had.
    pub fn values(&self) -> usize {
        self.parts.iter().map(|part| part.words.len()).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(Part::bytes).sum()
    }

    /// The state folded last.
    #[inline]
    pub fn folded(&self) -> &[u64] {
        &self.folded
    }

    /// States to be folded will be compared with the one folded last.
    #[inline]
    pub fn stay(&mut self) {
        for change in self.changes.drain(..) {
            self.base.words[change.part as usize] = change.word;
            self.base.numbers[change.part as usize] = change.number;
        }
        self.base.folded.copy_from_slice(&self.folded);
    }

    /// States to be folded will be compared with this folded one.
    #[inline]
    pub fn stay_at(&mut self, folded: &[u64]) {
        self.base.folded.copy_from_slice(folded);
        let fields = self.layout.fields().iter().zip(&self.parts);
        let known = self.base.words.iter_mut().zip(&mut self.base.numbers);
        for ((field, part), (word, number)) in fields.zip(known) {
            *number = field.read(folded);
            *word = part.words[*number as usize];
        }
    }

    /// Folds a state, and numbers what is new in it; `false` when a number does not fit: then `widen`
    /// is to be called. `held` is what the search holds besides.
    #[inline]
    pub fn fold(
        &mut self,
        record: &[u64],
        held: u64,
        budget: &mut Budget,
    ) -> Result<bool, NoMemory> {
        self.changes.clear();
        self.folded.copy_from_slice(&self.base.folded);
        let mut fits = true;
        for (index, (word, known)) in record.iter().zip(&self.base.words).enumerate() {
            if word == known {
                continue;
            }
            let number = match self.parts[index].find(*word) {
                Ok(number) => number,
                Err(slot) => {
                    let held = held + self.bytes();
                    let part = &mut self.parts[index];
                    part.add(*word, slot, held, budget)?;
                    part.words.len() as u32 - 1
                }
            };
            let (old, new) = (self.base.numbers[index], number as i32);
            let field = &self.layout.fields()[index];
            self.changes.push(Change {
                part: index as u32,
                number: new,
                word: *word,
            });
            if field.fit.contains(new) {
                field.add(&mut self.folded, old, new);
            } else {
                fits = false;
            }
        }
        Ok(fits)
    }

    /// The folded form of a state, if all its parts are there.
    pub fn find(&self, record: &[u64]) -> Option<Vec<u64>> {
        let mut folded = self.base.folded.clone();
        for (index, word) in record.iter().enumerate() {
            if *word != self.base.words[index] {
                let new = self.parts[index].find(*word).ok()? as i32;
                let field = &self.layout.fields()[index];
                if !field.fit.contains(new) {
                    return None;
                }
                field.add(&mut folded, self.base.numbers[index], new);
            }
        }
        Some(folded)
    }

    /// Writes the packed state of a folded one.
    #[inline]
    pub fn unfold(&self, folded: &[u64], record: &mut Vec<u64>) {
        record.clear();
        let parts = self.parts.iter().zip(self.layout.fields());
        record.extend(parts.map(|(part, field)| part.words[field.read(folded) as usize]));
    }

    /// Gives room to twice the numbers in use, so that not every part has all folded states repacked each
    /// time it needs another bit. How they are to be repacked.
    pub fn widen(&mut self) -> Repacking {
        let most = |part: &Part| (2 * part.words.len() - 1) as i32;
        let numbers: Vec<i32> = self.parts.iter().map(most).collect();
        let layout = self.layout.grown_within(&numbers, &self.domains);
        let repacking = Repacking::new(&self.layout, &layout);
        self.layout = layout;
        let mut numbers = self.base.numbers.clone();
        self.base.folded.resize(self.layout.words(), 0);
        self.layout.encode(&numbers, &mut self.base.folded);
        for change in &self.changes {
            numbers[change.part as usize] = change.number;
        }
        self.folded.resize(self.layout.words(), 0);
        self.layout.encode(&numbers, &mut self.folded);
        repacking
    }

    /// Repacks the parts, all of whose cells stay in them.
    pub fn repack(&mut self, repacking: &Repacking) {
        self.changes.clear();
        self.folded.copy_from_slice(&self.base.folded);
        for (index, part) in self.parts.iter_mut().enumerate() {
            if repacking.keeps_word(index) {
                continue;
            }
            for word in &mut part.words {
                *word = repacking.apply_to_word(index, *word);
            }
            part.table.clear();
            part.reindex();
            let word = &mut self.base.words[index];
            *word = repacking.apply_to_word(index, *word);
        }
    }
}
