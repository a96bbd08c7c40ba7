//! Collapsed stores against a plain map of states.

use std::collections::HashMap;

use plait_program::mix::Seed;
use plait_program::{Builder, Program};
use proptest::prelude::*;

use crate::batch::Batch;
use crate::budget::Budget;
use crate::form::Kept;
use crate::hash::{RecordHash, SeededHash};
use crate::store::{Inserted, Store};
use crate::test_support::FewHashes;

const CELLS: usize = 40;

fn program() -> Program {
    let mut builder = Builder::new();
    for number in 0..CELLS {
        let name = format!("x{number}");
        builder.cell(&name, 0, i32::MIN, i32::MAX).unwrap();
    }
    builder.freeze().unwrap()
}

/// A store, and what it should hold.
struct Pair<H> {
    program: Program,
    store: Store<H>,
    numbers: HashMap<Vec<i32>, u32>,
    states: Vec<Vec<i32>>,
}

impl<H: RecordHash> Pair<H> {
    fn new(hash: H) -> Pair<H> {
        let program = program();
        let store = Store::new(&program, hash).unwrap();
        let mut pair = Pair {
            program,
            store,
            numbers: HashMap::new(),
            states: Vec::new(),
        };
        pair.insert(vec![0; CELLS]);
        pair
    }

    fn is_collapsed(&self) -> bool {
        matches!(self.store.kept, Kept::Collapsed(_))
    }

    /// The state packed, whatever the layout must become.
    fn packed(&mut self, state: &[i32]) -> Vec<u64> {
        let mut budget = Budget::new(None);
        if !self.store.layout().fits(state) {
            let grown = self.store.grow_layout(state, &self.program, &mut budget, 0);
            grown.unwrap();
        }
        let mut record = vec![0; self.store.layout().words()];
        self.store.layout().encode(state, &mut record);
        record
    }

    fn expected(&mut self, state: Vec<i32>) -> Inserted {
        let next = self.states.len() as u32;
        if let Some(number) = self.numbers.get(&state) {
            return Inserted::Old(*number);
        }
        self.numbers.insert(state.clone(), next);
        self.states.push(state);
        Inserted::New(next)
    }

    /// One state, as searches that store them one by one do it.
    fn insert(&mut self, state: Vec<i32>) {
        let mut budget = Budget::new(None);
        let record = self.packed(&state);
        let hash = self.store.hash(&record);
        let known = self.store.find(&record, hash);
        let inserted = self.store.insert(&record, hash, usize::MAX, &mut budget);
        let expected = self.expected(state);
        match expected {
            Inserted::Old(number) => assert_eq!(known, Some(number)),
            Inserted::New(_) => assert_eq!(known, None),
        }
        assert_eq!(inserted, Ok(Some(expected)));
    }

    /// The successors of a state, as breadth-first search stores them.
    fn insert_together(&mut self, parent: u32, states: &[Vec<i32>]) {
        for state in states {
            self.packed(state);
        }
        let mut batch = Batch::default();
        for state in states {
            let record = self.packed(state);
            batch.push(&record, parent);
        }
        let mut budget = Budget::new(None);
        let Some(stride) = self.store.fold_all(&mut batch, &mut budget).unwrap() else {
            states.iter().for_each(|state| self.insert(state.clone()));
            return;
        };
        for (folded, state) in batch.folded.chunks_exact(stride).zip(states) {
            let hash = self.store.hash(folded);
            let inserted = self
                .store
                .insert_stored(folded, hash, usize::MAX, &mut budget);
            assert_eq!(inserted, Ok(Some(self.expected(state.clone()))));
        }
    }

    fn keep_better(&mut self) {
        if self.store.may_keep_better() {
            self.store.keep_better(&mut Budget::new(None)).unwrap();
        }
    }

    fn check(&self) {
        assert_eq!(self.store.len(), self.states.len());
        let (mut record, mut cells) = (Vec::new(), vec![0; CELLS]);
        for (number, state) in (0u32..).zip(&self.states) {
            self.store.read(number, &mut record);
            self.store.layout().decode(&record, &mut cells);
            assert_eq!(&cells, state);
        }
    }
}

type Writes = Vec<(usize, i32)>;

fn writes() -> impl Strategy<Value = Writes> {
    let value = prop_oneof![8 => 0..3i32, 3 => -20..300i32, 1 => any::<i32>()];
    prop::collection::vec((0..CELLS, value), 1..6)
}

fn attack<H: RecordHash>(hash: H, steps: &[(prop::sample::Index, bool, Vec<Writes>)]) {
    let mut pair = Pair::new(hash);
    for (from, one_by_one, successors) in steps {
        pair.keep_better();
        let parent = from.index(pair.states.len());
        let after = |writes: &Writes| {
            let mut state = pair.states[parent].clone();
            writes
                .iter()
                .for_each(|(cell, value)| state[*cell] = *value);
            state
        };
        let states: Vec<Vec<i32>> = successors.iter().map(after).collect();
        if *one_by_one {
            states.into_iter().for_each(|state| pair.insert(state));
        } else {
            pair.insert_together(parent as u32, &states);
        }
    }
    pair.check();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_store_that_collapses_states_is_a_set_of_them_through_all_its_growths(
        steps in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<bool>(), prop::collection::vec(writes(), 1..5)), 1..60)
    ) {
        attack(SeededHash::new(Seed(1)), &steps);
        attack(FewHashes(7), &steps);
    }
}

/// The digits of a number, each as the value of some neighbouring cells.
fn digits(mut number: usize) -> Vec<i32> {
    let mut state = Vec::new();
    for _ in 0..5 {
        state.extend([100 * (number % 4) as i32; 8]);
        number /= 4;
    }
    state
}

#[test]
fn states_whose_parts_repeat_are_collapsed_and_stay_so() {
    let mut pair = Pair::new(SeededHash::new(Seed(1)));
    for number in 1..1024 {
        pair.keep_better();
        pair.insert_together(0, &[digits(number), digits(number / 2)]);
    }
    assert!(pair.is_collapsed());
    assert!(pair.store.records.stride() < pair.store.layout().tightened().words());
    pair.check();
}

#[test]
fn states_whose_parts_do_not_repeat_are_packed_again_for_good() {
    let mut pair = Pair::new(SeededHash::new(Seed(1)));
    let mut was_collapsed = false;
    for number in 1..500i32 {
        pair.keep_better();
        was_collapsed |= pair.is_collapsed();
        let cells = 0..CELLS as i32;
        pair.insert(cells.map(|cell| (number * 7919 + cell) % 1021).collect());
    }
    assert!(was_collapsed && !pair.is_collapsed() && !pair.store.may_keep_better());
    pair.check();
}

#[test]
fn without_memory_for_the_numbers_of_parts_the_states_can_still_be_read() {
    let mut pair = Pair::new(SeededHash::new(Seed(1)));
    for number in 1..200 {
        pair.keep_better();
        pair.insert(digits(number));
    }
    assert!(pair.is_collapsed());
    let mut poor = Budget::new(Some(1));
    let refused = (200..1024).any(|number| {
        let record = pair.packed(&digits(number));
        let inserted = pair.store.insert(&record, 0, usize::MAX, &mut poor);
        if inserted.is_ok() {
            pair.expected(digits(number));
        }
        inserted.is_err()
    });
    assert!(refused);
    pair.check();
}
