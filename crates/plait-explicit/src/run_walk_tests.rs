//! Walks for accepted runs on a small ring: what they find is a run, and what there is not they do not
//! find.

use std::sync::Arc;

use plait_program::{Builder, Code, Program};

use crate::budget::Unobserved;
use crate::test_support::arc;
use crate::{run_walk, Buchi, BuchiArc, Walked};

/// Tokens that events move round a ring of three cells, and one event that takes the last away.
fn ring() -> (Arc<Program>, Vec<Code>) {
    let mut builder = Builder::new();
    let cells: Vec<u32> = (0..3)
        .map(|i| {
            let initial = if i == 0 { 2 } else { 0 };
            builder.cell(&format!("c{i}"), initial, 0, 9).unwrap()
        })
        .collect();
    let one = builder.constant(1).unwrap();
    let mut conditions = Vec::new();
    for (i, from) in cells.iter().enumerate() {
        let to = cells[(i + 1) % cells.len()];
        let (a, b) = (builder.load(*from).unwrap(), builder.load(to).unwrap());
        let guard = builder.compare(">=", a, one).unwrap();
        conditions.push(guard);
        let less = builder.binary("-", a, one).unwrap();
        let more = builder.binary("+", b, one).unwrap();
        let take = builder.assign(*from, less).unwrap();
        let put = builder.assign(to, more).unwrap();
        let title = format!("e{i}");
        builder.event(&title, &[guard], &[take, put], None).unwrap();
        if i == 2 {
            builder.event("away", &[guard], &[take], None).unwrap();
        }
    }
    let three = builder.constant(3).unwrap();
    let first = builder.load(cells[0]).unwrap();
    conditions.push(builder.compare(">=", first, three).unwrap());
    let program = Arc::new(builder.clone().freeze().unwrap());
    let codes = conditions.iter().map(|c| Code::compile(builder.pool(), *c));
    (program, codes.collect())
}

fn found(arcs: Vec<Vec<BuchiArc>>, all: u64) -> Option<Walked> {
    let (program, conditions) = ring();
    let automaton = Buchi {
        conditions,
        arcs,
        all,
        at_end: false,
    };
    let mut heard = None;
    let outcome = run_walk(
        &program,
        &[automaton],
        7,
        None,
        4,
        &mut Unobserved,
        &mut |_, walked| {
            heard = Some(walked);
            true
        },
    );
    assert_eq!(outcome, Ok(None));
    heard
}

#[test]
fn a_cycle_that_meets_all_marks_is_found_and_closes() {
    // Again and again c1 and again and again c2.
    let rows = vec![vec![
        arc(&[1], &[], 0, 1),
        arc(&[2], &[], 0, 2),
        arc(&[], &[], 0, 0),
    ]];
    let Some(Walked::Lasso(lasso)) = found(rows, 3) else {
        panic!("no cycle");
    };
    let cycle = &lasso.steps[lasso.repeats..];
    assert_eq!(cycle.first().map(|s| &s.1), cycle.last().map(|s| &s.1));
    assert!(cycle.iter().any(|s| s.1[1] >= 1) && cycle.iter().any(|s| s.1[2] >= 1));
}

#[test]
fn a_deadlock_repeats() {
    // In the end no cell has a token for ever.
    let rows = vec![
        vec![arc(&[], &[], 0, 0), arc(&[], &[0, 1, 2], 1, 0)],
        vec![arc(&[], &[0, 1, 2], 1, 1)],
    ];
    let Some(Walked::Lasso(lasso)) = found(rows, 1) else {
        panic!("no deadlock");
    };
    assert_eq!(lasso.repeats + 1, lasso.steps.len());
    assert_eq!(lasso.steps[lasso.repeats].1, [0, 0, 0]);
}

#[test]
fn a_beginning_that_decides_is_told_with_an_end() {
    let rows = vec![
        vec![arc(&[], &[2], 0, 0), arc(&[2], &[], 1, 0)],
        vec![arc(&[], &[], 1, 1)],
    ];
    match found(rows, 1) {
        Some(Walked::Lasso(lasso)) => assert!(lasso.steps.iter().any(|s| s.1[2] >= 1)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_no_run_does_is_not_found() {
    let rows = vec![
        vec![arc(&[], &[], 0, 0), arc(&[3], &[], 1, 0)],
        vec![arc(&[], &[], 1, 1)],
    ];
    assert!(found(rows, 1).is_none());
}
