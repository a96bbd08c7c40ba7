//! Stores of every form held against the one of packed records.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;

use plait_program::mix::Seed;
use plait_program::testing::recipe::{self, Recipe};
use plait_program::testing::{naive, random};
use plait_program::{Builder, Code, Program};

use crate::budget::{Reason, Unobserved};
use crate::explore::explore_with;
use crate::hash::SeededHash;
use crate::test_support::is_a_trace;
use crate::{explore, Exploration, Form, Options};

fn options(form: Form, threads: usize) -> Options {
    Options {
        form,
        threads,
        alone: 0,
        max_states: Some(400),
        ..Options::default()
    }
}

/// Everything that a search tells, but what depends on its form or on the clock.
fn told(found: &Exploration) -> String {
    let mut figures = found.figures().clone();
    (figures.bytes, figures.omission, figures.compiled) = (0, 0.0, None);
    let (goals, bounds) = (found.goals(), found.bounds());
    format!("{:?} {figures:?} {goals:?} {bounds:?}", found.reason())
}

/// A trace of the program that ends in a state where the condition is true.
fn leads_to(
    recipe: &Recipe,
    goal: &recipe::CondTree,
    trace: &[crate::Step],
) -> Result<(), TestCaseError> {
    is_a_trace(recipe, trace)?;
    let last = &trace[trace.len() - 1].1;
    prop_assert_eq!(naive::condition(goal, last), Some(true));
    Ok(())
}

fn with_goal(recipe: &Recipe, goal: &recipe::CondTree) -> (Arc<Program>, Vec<Code>) {
    let mut builder = recipe.builder().unwrap();
    let id = recipe::condition(&mut builder, goal).unwrap();
    let codes = [id, builder.deadlock().unwrap()].map(|id| Code::compile(builder.pool(), id));
    (Arc::new(builder.freeze().unwrap()), codes.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// covers: A45
    #[test]
    fn trees_automata_and_long_fingerprints_find_what_packed_records_find(
        recipe in random::recipe(), goal in random::condition(), threads in 1..4usize,
    ) {
        let (program, goals) = with_goal(&recipe, &goal);
        let asked = |form, threads| Options { goals: goals.clone(), ..options(form, threads) };
        let packed = explore(&program, &asked(Form::Packed, 1), &mut Unobserved);
        for form in [Form::Tree, Form::Automaton, Form::HashCompact(64)] {
            let other = explore(&program, &asked(form, threads), &mut Unobserved);
            match (&packed, &other) {
                (Ok(a), Ok(b)) if a.reason() != Some(Reason::States) => {
                    prop_assert_eq!(told(a), told(b));
                    prop_assert_eq!(b.figures().omission > 0.0, form.is_approximate() && b.states() > 1);
                    for number in a.goals().iter().flatten() {
                        prop_assert_eq!(a.trace(*number).unwrap(), b.trace(*number).unwrap());
                    }
                    if form == Form::Tree {
                        for number in 0..a.states() as u32 {
                            prop_assert_eq!(a.state(number), b.state(number));
                        }
                    }
                }
                (Err(a), Err(b)) => prop_assert_eq!(a, b),
                (a, b) => {
                    let limited = |f: &Result<Exploration, _>| f.as_ref().is_ok_and(|f| f.reason() == Some(Reason::States));
                    prop_assert!(limited(a) || limited(b));
                }
            }
        }
    }

    #[test]
    fn a_store_that_confuses_states_still_gives_true_traces(
        recipe in random::recipe(), goal in random::condition(), seed in any::<u64>(),
        bits in 2..13u32, threads in 1..4usize,
    ) {
        let (program, goals) = with_goal(&recipe, &goal);
        let Ok(exact) = explore(&program, &options(Form::Packed, 1), &mut Unobserved) else { return Ok(()) };
        for form in [Form::HashCompact(bits), Form::Bitstate(2, u64::from(bits))] {
            let options = Options { goals: goals.clone(), ..options(form, threads) };
            let hash = SeededHash::new(Seed(seed));
            let Ok(found) = explore_with(&program, &options, &mut Unobserved, hash) else { continue };
            prop_assert!(exact.reason().is_some() || found.states() <= exact.states());
            prop_assert!(found.states() < 2 || found.figures().omission > 0.0);
            for (number, ask) in found.goals().iter().zip([true, false]) {
                let Some(number) = number else { continue };
                let trace = found.trace(*number).unwrap();
                prop_assert!(trace.is_some());
                let trace = trace.unwrap();
                if ask {
                    leads_to(&recipe, &goal, &trace)?;
                } else {
                    let last = &trace[trace.len() - 1].1;
                    prop_assert!(recipe.successors(last).unwrap().is_empty());
                }
            }
        }
    }
}

/// Cells that each take the values 0 and 1 in any order: all combinations.
fn switches(count: u32) -> Arc<Program> {
    let mut builder = Builder::new();
    for i in 0..count {
        let cell = builder.cell("x", 0, 0, i32::MAX).unwrap();
        let load = builder.load(cell).unwrap();
        let one = builder.constant(1).unwrap();
        let flipped = builder.binary("-", one, load).unwrap();
        let step = builder.assign(cell, flipped).unwrap();
        builder.event(&format!("e{i}"), &[], &[step], None).unwrap();
    }
    Arc::new(builder.freeze().unwrap())
}

#[test]
fn trees_and_collapsed_states_cost_less_than_packed_records_of_many_words() {
    // 16 switches of 1 bit, and 300 cells that never change back: 5 words once they have moved.
    let mut builder = Builder::new();
    let mut moved = Vec::new();
    for i in 0..316 {
        let high = if i < 16 { 1 } else { 1 << 20 };
        let cell = builder.cell("x", 0, 0, high).unwrap();
        let load = builder.load(cell).unwrap();
        let to = builder.constant(high).unwrap();
        let below = builder.compare("<", load, to).unwrap();
        let step = builder.assign(cell, to).unwrap();
        if i < 16 {
            builder
                .event(&format!("e{i}"), &[below], &[step], None)
                .unwrap();
        } else {
            moved.push(step);
        }
    }
    let first = builder.load(16).unwrap();
    let zero = builder.constant(0).unwrap();
    let unmoved = builder.compare("==", first, zero).unwrap();
    builder.event("move", &[unmoved], &moved, None).unwrap();
    let program = Arc::new(builder.freeze().unwrap());
    let run = |form| {
        let options = Options {
            form,
            ..Options::default()
        };
        explore(&program, &options, &mut Unobserved).unwrap()
    };
    let (packed, tree) = (run(Form::Packed), run(Form::Tree));
    assert_eq!((packed.states(), tree.states()), (1 << 17, 1 << 17));
    let records = (packed.bits_per_state() / 8) << 17;
    for (form, found, times) in [("tree", &tree, 10), ("collapsed", &packed, 5)] {
        let bytes = found.bytes();
        assert!(times * bytes < records, "{form}: {bytes} of {records}");
    }
}

#[test]
fn approximate_stores_are_small_and_nearly_complete() {
    let program = switches(16);
    for (form, bytes) in [
        (Form::HashCompact(64), 3 << 20),
        (Form::Bitstate(3, 1 << 18), 2 << 20),
    ] {
        let options = Options {
            form,
            ..Options::default()
        };
        let found = explore(&program, &options, &mut Unobserved).unwrap();
        assert!(
            found.states() > 64_000 && found.states() <= 1 << 16,
            "{}",
            found.states()
        );
        assert!(found.bytes() < bytes, "{}", found.bytes());
        assert!(found.figures().omission > 0.0);
    }
    let few = Options {
        form: Form::HashCompact(12),
        ..Options::default()
    };
    let found = explore(&program, &few, &mut Unobserved).unwrap();
    assert!(found.states() <= 4096 && found.figures().omission == 1.0);
    let distinct: HashSet<_> = (0..found.states() as u32)
        .filter_map(|n| found.state(n))
        .collect();
    assert!(!distinct.is_empty());
}
