//! What tests of several searches share: programs, questions, hashes that collide, impatience.

use std::sync::Arc;

use proptest::prelude::*;

use plait_program::testing::naive;
use plait_program::testing::recipe::{self, CondTree, IntTree, Recipe};
use plait_program::{Builder, Code, Program};

use crate::buchi::BuchiArc;
use crate::budget::{Observer, Progress};
use crate::hash::RecordHash;
use crate::{Options, Step};

/// A program, and a search of it with three goals (a condition, a deadlock, the first event enabled)
/// and a bound.
pub fn asked(recipe: &Recipe, goal: &CondTree, bound: &IntTree) -> (Arc<Program>, Options) {
    let mut builder = recipe.builder().unwrap();
    let ids = [
        recipe::condition(&mut builder, goal).unwrap(),
        builder.deadlock().unwrap(),
        builder.enabled(&[0]).unwrap(),
    ];
    let goals = ids.map(|id| Code::compile(builder.pool(), id)).to_vec();
    let id = recipe::integer(&mut builder, bound).unwrap();
    let bounds = vec![Code::compile(builder.pool(), id)];
    let options = Options {
        goals,
        bounds,
        ..Options::default()
    };
    (Arc::new(builder.freeze().unwrap()), options)
}

/// Whether that goal holds in a state, as the naive semantics says.
pub fn goal_holds(recipe: &Recipe, goal: &CondTree, which: usize, state: &[i32]) -> bool {
    let successors = recipe.successors(state).unwrap();
    match which {
        0 => naive::condition(goal, state) == Some(true),
        1 => successors.is_empty(),
        _ => successors.iter().any(|(event, _)| *event == 0),
    }
}

/// A trace is a run from the initial state.
pub fn is_a_trace(recipe: &Recipe, trace: &[Step]) -> Result<(), TestCaseError> {
    prop_assert_eq!(&trace[0], &(None, recipe.initial()));
    for pair in trace.windows(2) {
        let step = (pair[1].0.unwrap(), pair[1].1.clone());
        prop_assert!(recipe.successors(&pair[0].1).unwrap().contains(&step));
    }
    Ok(())
}

/// An arc of an automaton, for letters with these conditions and without those.
pub fn arc(positive: &[u32], negative: &[u32], target: u32, marks: u64) -> BuchiArc {
    BuchiArc {
        positive: positive.to_vec(),
        negative: negative.to_vec(),
        target,
        marks,
    }
}

/// Each of the cells counts from 0 to `high` on its own, in steps of one.
pub fn counters(cells: u32, high: i32) -> Arc<Program> {
    let mut builder = Builder::new();
    for i in 0..cells {
        let cell = builder.cell("x", 0, i32::MIN, i32::MAX).unwrap();
        let load = builder.load(cell).unwrap();
        let (one, top) = (
            builder.constant(1).unwrap(),
            builder.constant(high).unwrap(),
        );
        let below = builder.compare("<", load, top).unwrap();
        let sum = builder.binary("+", load, one).unwrap();
        let step = builder.assign(cell, sum).unwrap();
        let name = format!("up{i}");
        builder.event(&name, &[below], &[step], None).unwrap();
    }
    Arc::new(builder.freeze().unwrap())
}

/// Every record has one of few hashes: lookups collide, classes and shards are uneven.
#[derive(Clone, Debug)]
pub struct FewHashes(pub u64);

impl RecordHash for FewHashes {
    fn prepare(&mut self, _words: usize) {}
    fn hash(&self, record: &[u64]) -> u64 {
        self.hash_words(record.iter().copied())
    }
    fn hash_words(&self, mut words: impl Iterator<Item = u64>) -> u64 {
        (words.next().unwrap_or(0) & self.0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// Interrupts at the third question.
pub struct Impatient(pub u32);

impl Observer for Impatient {
    fn go_on(&mut self, progress: &Progress) -> bool {
        assert!(progress.states > 0);
        self.0 += 1;
        self.0 < 3
    }
}
