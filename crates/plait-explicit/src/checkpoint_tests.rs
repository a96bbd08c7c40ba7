//! Searches that stop, are read back and go on; and checkpoints that must be refused.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use plait_program::testing::random;
use plait_program::testing::recipe;
use plait_program::{Builder, Code, Program};

use crate::budget::{Reason, Unobserved};
use crate::{explore, explore_from, Exploration, Form, Options, Place, Saved, Unusable};

/// A file of its own, removed in the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("plait-checkpoint-{}-{number}", std::process::id());
        Scratch(std::env::temp_dir().join(name))
    }

    fn place(&self) -> Option<Place> {
        Some(Place {
            file: self.0.clone(),
            interval: Duration::ZERO,
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn told(found: &Exploration) -> String {
    let mut figures = found.figures().clone();
    (figures.bytes, figures.checkpoints) = (0, 0);
    figures.compiled = None; // as the clock has it
    let (goals, bounds) = (found.goals(), found.bounds());
    let states: Vec<_> = (0..found.states() as u32).map(|n| found.state(n)).collect();
    let last = found.trace(found.states() as u32 - 1).unwrap();
    format!(
        "{:?} {figures:?} {goals:?} {bounds:?} {states:?} {last:?}",
        found.reason()
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_search_that_goes_on_from_a_checkpoint_ends_as_if_it_had_never_stopped(
        recipe in random::recipe(), goal in random::condition(), bound in random::integer(),
        most in 2..25u64, tree in any::<bool>(), threads in 1..4usize, stop in any::<bool>(),
    ) {
        let mut builder = recipe.builder().unwrap();
        let ids = [recipe::condition(&mut builder, &goal).unwrap(), builder.deadlock().unwrap()];
        let goals = ids.map(|id| Code::compile(builder.pool(), id)).to_vec();
        let id = recipe::integer(&mut builder, &bound).unwrap();
        let bounds = if stop { Vec::new() } else { vec![Code::compile(builder.pool(), id)] };
        let program = Arc::new(builder.freeze().unwrap());
        let whole = Options {
            goals,
            bounds,
            stop_when_decided: stop,
            max_states: Some(300),
            form: if tree { Form::Tree } else { Form::Packed },
            ..Options::default()
        };
        let Ok(expected) = explore(&program, &whole, &mut Unobserved) else { return Ok(()) };
        let scratch = Scratch::new();
        let part = Options { max_states: Some(most), checkpoint: scratch.place(), ..whole.clone() };
        let Ok(found) = explore(&program, &part, &mut Unobserved) else { return Ok(()) };
        prop_assert!(found.figures().checkpoints > 0 && found.figures().checkpoint_error.is_none());
        let saved = Saved::read(&scratch.0, &program, &whole, &mut || true).unwrap();
        let on = Options { threads, alone: 0, ..whole };
        let Ok(found) = explore_from(&program, &on, &mut Unobserved, Some(saved)) else { return Ok(()) };
        prop_assert_eq!(found.reason(), expected.reason());
        if found.reason() != Some(Reason::States) {
            prop_assert_eq!(told(&found), told(&expected));
        }
    }
}

fn counter(high: i32) -> Arc<Program> {
    let mut builder = Builder::new();
    let cell = builder.cell("x", 0, 0, i32::MAX).unwrap();
    let load = builder.load(cell).unwrap();
    let (one, top) = (
        builder.constant(1).unwrap(),
        builder.constant(high).unwrap(),
    );
    let below = builder.compare("<", load, top).unwrap();
    let sum = builder.binary("+", load, one).unwrap();
    let step = builder.assign(cell, sum).unwrap();
    builder.event("up", &[below], &[step], None).unwrap();
    Arc::new(builder.freeze().unwrap())
}

/// Counts to `high`, and keeps some multiples of the count: its states are wide.
fn multiples(high: i32) -> Arc<Program> {
    let mut builder = Builder::new();
    let count = builder.cell("count", 0, 0, i32::MAX).unwrap();
    let load = builder.load(count).unwrap();
    let (one, top) = (
        builder.constant(1).unwrap(),
        builder.constant(high).unwrap(),
    );
    let below = builder.compare("<", load, top).unwrap();
    let sum = builder.binary("+", load, one).unwrap();
    let mut steps = vec![builder.assign(count, sum).unwrap()];
    for factor in [1_000_003, 7, 999_983, 70_001, 11, 500_009] {
        let cell = builder.cell("multiple", 0, 0, i32::MAX).unwrap();
        let load = builder.load(cell).unwrap();
        let factor = builder.constant(factor).unwrap();
        let more = builder.binary("+", load, factor).unwrap();
        steps.push(builder.assign(cell, more).unwrap());
    }
    builder.event("up", &[below], &steps, None).unwrap();
    Arc::new(builder.freeze().unwrap())
}

#[test]
fn a_checkpoint_of_wide_states_can_be_written_before_and_after_they_are_collapsed() {
    let program = multiples(60);
    let whole = Options::default();
    let expected = told(&explore(&program, &whole, &mut Unobserved).unwrap());
    for most in 5..40 {
        let scratch = Scratch::new();
        let part = Options {
            max_states: Some(most),
            checkpoint: scratch.place(),
            ..Options::default()
        };
        explore(&program, &part, &mut Unobserved).unwrap();
        let saved = Saved::read(&scratch.0, &program, &whole, &mut || true).unwrap();
        let found = explore_from(&program, &whole, &mut Unobserved, Some(saved)).unwrap();
        assert_eq!(told(&found), expected);
    }
}

#[test]
fn whatever_is_wrong_with_a_checkpoint_it_is_refused() {
    let scratch = Scratch::new();
    let program = counter(9);
    let options = Options {
        checkpoint: scratch.place(),
        ..Options::default()
    };
    assert_eq!(
        explore(&program, &options, &mut Unobserved)
            .unwrap()
            .states(),
        10
    );
    let good = fs::read(&scratch.0).unwrap();
    assert!(Saved::read(&scratch.0, &program, &options, &mut || true).is_ok());
    let refused = |bytes: &[u8]| {
        fs::write(&scratch.0, bytes).unwrap();
        Saved::read(&scratch.0, &program, &options, &mut || true).unwrap_err()
    };
    for length in 0..good.len() {
        assert!(
            matches!(refused(&good[..length]), Unusable::Damaged),
            "{length}"
        );
    }
    for bit in 0..good.len() * 8 {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        refused(&bad);
    }
    assert!(matches!(
        refused(&[&good[..], &[0; 8]].concat()),
        Unusable::Damaged
    ));
    assert!(matches!(refused(&[7; 64]), Unusable::Foreign));
    fs::write(&scratch.0, &good).unwrap();
    let other = Saved::read(&scratch.0, &counter(8), &options, &mut || true).unwrap_err();
    assert!(matches!(other, Unusable::Other));
    let tree = Options {
        form: Form::Tree,
        ..options.clone()
    };
    assert!(matches!(
        Saved::read(&scratch.0, &program, &tree, &mut || true).unwrap_err(),
        Unusable::Other
    ));
    let hurried = Saved::read(&scratch.0, &program, &options, &mut || false).unwrap_err();
    assert!(matches!(hurried, Unusable::Interrupted));
    let absent = Saved::read(&scratch.0.join("x"), &program, &options, &mut || true).unwrap_err();
    assert!(matches!(absent, Unusable::Unreadable(_)));
}

#[test]
fn a_search_goes_on_when_its_checkpoint_cannot_be_written() {
    let scratch = Scratch::new();
    let options = Options {
        checkpoint: Some(Place {
            file: scratch.0.join("no-such-folder"),
            interval: Duration::ZERO,
        }),
        ..Options::default()
    };
    let found = explore(&counter(9), &options, &mut Unobserved).unwrap();
    assert_eq!((found.states(), found.figures().checkpoints), (10, 0));
    assert!(found.figures().checkpoint_error.is_some());
}
