//! Packed states as the words of an automaton.
//!
//! The letters of a state are the bytes of its record, without those that no field uses. When a field
//! grows, the bytes of all states change: the words are read off one automaton and put into another.

use crate::automaton::Automaton;
use crate::budget::Budget;
use crate::layout::Layout;
use crate::repacking::Repacking;
use crate::table::NoMemory;

/// A set of packed states.
#[derive(Clone, Debug)]
pub(crate) struct AutomatonStore {
    automaton: Automaton,
    /// How many bytes of each word of a record are used.
    used: Vec<usize>,
    /// Working memory: the letters of a state.
    word: Vec<u8>,
}

impl AutomatonStore {
    /// No states; their records will have this layout.
    pub fn new(layout: &Layout) -> Result<AutomatonStore, NoMemory> {
        let mut used = vec![0; layout.words()];
        used[0] = 1; // no word is empty
        for field in layout.fields() {
            let bits = field.shift + field.mask().count_ones();
            let bytes = &mut used[field.word as usize];
            *bytes = (*bytes).max(bits.div_ceil(8) as usize);
        }
        Ok(AutomatonStore {
            automaton: Automaton::new()?,
            used,
            word: Vec::new(),
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.automaton.bytes()
    }

    fn spell(&mut self, record: &[u64]) {
        self.word.clear();
        for (word, used) in record.iter().zip(&self.used) {
            self.word.extend_from_slice(&word.to_le_bytes()[..*used]);
        }
    }

    /// Whether a state is there.
    pub fn contains(&mut self, record: &[u64]) -> bool {
        self.spell(record);
        self.automaton.contains(&self.word)
    }

    /// Adds a state; whether it is new. `held` is what the search holds besides.
    pub fn insert(
        &mut self,
        record: &[u64],
        held: u64,
        budget: &mut Budget,
    ) -> Result<bool, NoMemory> {
        self.spell(record);
        self.automaton.insert(&self.word, held, budget)
    }

    /// The same states in another layout.
    pub fn repacked(
        &self,
        old: &Layout,
        new: &Layout,
        held: u64,
        budget: &mut Budget,
    ) -> Result<AutomatonStore, NoMemory> {
        let mut store = AutomatonStore::new(new)?;
        let repacking = Repacking::new(old, new);
        let (mut before, mut after) = (vec![0; old.words()], vec![0; new.words()]);
        let held = held + self.bytes();
        let all = self.automaton.each(self.used.iter().sum(), |letters| {
            let mut rest = letters;
            for (word, used) in before.iter_mut().zip(&self.used) {
                let (mine, others) = rest.split_at(*used);
                let mut bytes = [0; 8];
                bytes[..*used].copy_from_slice(mine);
                *word = u64::from_le_bytes(bytes);
                rest = others;
            }
            repacking.apply(&before, &mut after);
            store.insert(&after, held, budget).is_ok()
        });
        if all {
            Ok(store)
        } else {
            Err(NoMemory)
        }
    }
}
