//! Walks held against the search: whatever a walk finds is reachable, and what it must find it does.

use std::sync::Arc;

use proptest::prelude::*;

use plait_program::testing::random;
use plait_program::{Builder, Code, ExprId, Program};

use crate::budget::{Reason, Unobserved};
use crate::walk::{walk, WalkOptions};
use crate::{explore, Options};

/// `count` cells in a ring, with tokens in the first, each event moving one to the next cell.
fn ring(count: u32, tokens: i32) -> (Builder, Vec<u32>) {
    let mut builder = Builder::new();
    let cells: Vec<u32> = (0..count)
        .map(|i| {
            let initial = if i == 0 { tokens } else { 0 };
            builder
                .cell(&format!("c{i}"), initial, 0, i32::MAX)
                .unwrap()
        })
        .collect();
    for (i, from) in cells.iter().enumerate() {
        let to = cells[(i + 1) % cells.len()];
        let one = builder.constant(1).unwrap();
        let (a, b) = (builder.load(*from).unwrap(), builder.load(to).unwrap());
        let guard = builder.compare(">=", a, one).unwrap();
        let (less, more) = (
            builder.binary("-", a, one).unwrap(),
            builder.binary("+", b, one).unwrap(),
        );
        let body = vec![
            builder.assign(*from, less).unwrap(),
            builder.assign(to, more).unwrap(),
        ];
        builder
            .event(&format!("e{i}"), &[guard], &body, None)
            .unwrap();
    }
    (builder, cells)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_a_walk_finds_the_search_has_too(recipe in random::recipe(), seed in any::<u64>()) {
        let builder = recipe.builder().unwrap();
        let program: Arc<Program> = Arc::new(builder.freeze().unwrap());
        let limit = Options { max_states: Some(300), ..Options::default() };
        let Ok(searched) = explore(&program, &limit, &mut Unobserved) else { return Ok(()) };
        if searched.reason().is_some() { return Ok(()) }
        let states: std::collections::HashSet<Vec<i32>> =
            (0..searched.states() as u32).filter_map(|n| searched.state(n)).collect();
        let mut pool = builder.clone();
        let deadlock = pool.deadlock().unwrap();
        let goals = vec![Code::compile(pool.pool(), deadlock)];
        let values: Vec<Code> = (0..program.cells().len() as u32)
            .map(|c| { let load = pool.load(c).unwrap(); Code::compile(pool.pool(), load) })
            .collect();
        let options = WalkOptions {
            goals, enough: vec![None; values.len()], values, measures: vec![None],
            seed, steps: Some(3000), length: 500, ..WalkOptions::default()
        };
        let Ok(found) = walk(&program, &options, &mut Unobserved) else { return Ok(()) };
        if let Some(place) = found.goals[0] {
            prop_assert!(searched.figures().deadlocks > 0);
            let trace = found.trace(place).unwrap();
            prop_assert!(trace.iter().all(|(_, state)| states.contains(state)));
        }
        for (cell, best) in found.values.iter().enumerate() {
            if let Some((value, place)) = best {
                prop_assert!(*value <= searched.figures().cell_max[cell]);
                let trace = found.trace(*place).unwrap();
                prop_assert_eq!(trace.last().unwrap().1[cell], *value);
                prop_assert!(trace.iter().all(|(_, state)| states.contains(state)));
            }
        }
    }
}

#[test]
fn a_walk_gathers_all_tokens_of_a_ring_in_its_last_cell() {
    let (mut builder, cells) = ring(6, 50);
    let program = Arc::new(builder.freeze().unwrap());
    let last = builder.load(cells[5]).unwrap();
    let all = builder.constant(50).unwrap();
    let goal = builder.compare(">=", last, all).unwrap();
    let away = builder.binary("-", all, last).unwrap();
    let options = WalkOptions {
        goals: vec![Code::compile(builder.pool(), goal)],
        measures: vec![Some(Code::compile(builder.pool(), away))],
        steps: Some(20_000_000),
        length: 1 << 16,
        ..WalkOptions::default()
    };
    let found = walk(&program, &options, &mut Unobserved).unwrap();
    assert_eq!(found.reason, Reason::Goals);
    let trace = found.trace(found.goals[0].unwrap()).unwrap();
    assert_eq!(trace.last().unwrap().1, vec![0, 0, 0, 0, 0, 50]);
}

#[test]
fn a_walk_that_grows_says_from_where_to_where() {
    let mut builder = Builder::new();
    let cell = builder.cell("c", 0, 0, i32::MAX).unwrap();
    let one = builder.constant(1).unwrap();
    let load = builder.load(cell).unwrap();
    let more = builder.binary("+", load, one).unwrap();
    let body = vec![builder.assign(cell, more).unwrap()];
    builder.event("e", &[], &body, None).unwrap();
    let program = Arc::new(builder.freeze().unwrap());
    let options = WalkOptions {
        growth: true,
        steps: Some(1000),
        length: 1000,
        ..WalkOptions::default()
    };
    let found = walk(&program, &options, &mut Unobserved).unwrap();
    let (early, late) = found.growth.unwrap();
    let (a, b) = (found.trace(early).unwrap(), found.trace(late).unwrap());
    assert!(a.last().unwrap().1[0] < b.last().unwrap().1[0]);
    assert_eq!(a[..], b[..a.len()]);
}

#[test]
fn the_same_seed_makes_the_same_walks() {
    let (mut builder, cells) = ring(5, 9);
    let program = Arc::new(builder.freeze().unwrap());
    let load = builder.load(cells[3]).unwrap();
    let options = WalkOptions {
        values: vec![Code::compile(builder.pool(), load)],
        enough: vec![Some(9)],
        seed: 7,
        steps: Some(5000),
        length: 300,
        ..WalkOptions::default()
    };
    let once = walk(&program, &options, &mut Unobserved).unwrap();
    let again = walk(&program, &options, &mut Unobserved).unwrap();
    assert_eq!(once.values, again.values);
    assert_eq!(once.steps, again.steps);
}

#[test]
fn a_walk_ends_its_runs_where_a_value_would_leave_its_domain() {
    let mut builder = Builder::new();
    let cell = builder.cell("c", i32::MAX, 0, i32::MAX).unwrap();
    let one = builder.constant(1).unwrap();
    let load = builder.load(cell).unwrap();
    let more = builder.binary("+", load, one).unwrap();
    let body = vec![builder.assign(cell, more).unwrap()];
    builder.event("e", &[], &body, None).unwrap();
    let program = Arc::new(builder.freeze().unwrap());
    let never = builder.compare("<", load, one).unwrap();
    let options = WalkOptions {
        goals: vec![Code::compile(builder.pool(), never)],
        measures: vec![None],
        steps: Some(1000),
        length: 1000,
        ..WalkOptions::default()
    };
    let found = walk(&program, &options, &mut Unobserved).unwrap();
    assert_eq!((found.reason, found.steps), (Reason::States, 0));
}

/// A token on a ladder: from each rung it may climb to the next, or fall to the ground. The events
/// that climb come first.
fn ladder(rungs: u32) -> (Builder, ExprId) {
    let mut builder = Builder::new();
    let cells: Vec<u32> = (0..=rungs)
        .map(|i| {
            let first = i32::from(i == 0);
            builder.cell(&format!("c{i}"), first, 0, 1).unwrap()
        })
        .collect();
    let (zero, one) = (builder.constant(0).unwrap(), builder.constant(1).unwrap());
    let climbs = (0..rungs).map(|i| (i, i + 1));
    let falls = (1..rungs).map(|i| (i, 0));
    for (n, (from, to)) in climbs.chain(falls).enumerate() {
        let (from, to) = (cells[from as usize], cells[to as usize]);
        let load = builder.load(from).unwrap();
        let guard = builder.compare(">=", load, one).unwrap();
        let body = vec![
            builder.assign(from, zero).unwrap(),
            builder.assign(to, one).unwrap(),
        ];
        builder
            .event(&format!("e{n}"), &[guard], &body, None)
            .unwrap();
    }
    let last = builder.load(cells[rungs as usize]).unwrap();
    let goal = builder.compare(">=", last, one).unwrap();
    (builder, goal)
}

#[test]
fn a_plan_leads_where_chance_does_not() {
    let (builder, goal) = ladder(60);
    let program = Arc::new(builder.freeze().unwrap());
    let options = WalkOptions {
        goals: vec![Code::compile(builder.pool(), goal)],
        measures: vec![None],
        steps: Some(100_000),
        length: 1000,
        ..WalkOptions::default()
    };
    let without = walk(&program, &options, &mut Unobserved).unwrap();
    assert_eq!(without.goals, vec![None]);
    let planned = WalkOptions {
        plans: vec![Some((0..60).map(|event| (event, 1)).collect())],
        ..options
    };
    let found = walk(&program, &planned, &mut Unobserved).unwrap();
    let trace = found.trace(found.goals[0].unwrap()).unwrap();
    assert_eq!(trace.last().unwrap().1[60], 1);
    assert_eq!(trace.len(), 61);
}

#[test]
fn a_plan_that_cannot_be_kept_does_no_harm() {
    let (builder, goal) = ladder(3);
    let program = Arc::new(builder.freeze().unwrap());
    let options = WalkOptions {
        goals: vec![Code::compile(builder.pool(), goal)],
        measures: vec![None],
        plans: vec![Some(vec![(7777, 5)])],
        steps: Some(100_000),
        length: 1000,
        ..WalkOptions::default()
    };
    let found = walk(&program, &options, &mut Unobserved).unwrap();
    assert_eq!(found.reason, Reason::Goals);
}
