//! Large expressions and long chains of calls.

use super::*;

const HUGE: usize = 100_000;

#[test]
fn a_sum_of_a_hundred_thousand_terms_is_evaluated_however_it_is_nested() {
    for left in [true, false] {
        let mut builder = Builder::new();
        let cell = builder.cell("x", 3, 0, 9).unwrap();
        let load = builder.load(cell).unwrap();
        let mut sum = builder.load(cell).unwrap();
        for _ in 1..HUGE {
            sum = if left {
                builder.binary("-", sum, load).unwrap()
            } else {
                builder.binary("-", load, sum).unwrap()
            };
        }
        let code = Code::compile(builder.pool(), sum);
        let expected = if left { 3 - 3 * (HUGE as i32 - 1) } else { 0 };
        assert_eq!(code.integer(&[3], &mut Scratch::default()), Some(expected));
    }
}

#[test]
fn a_hundred_thousand_negations_are_evaluated() {
    let mut builder = Builder::new();
    let mut formula = builder.truth(true).unwrap();
    for _ in 0..HUGE {
        formula = builder.negate(formula).unwrap();
    }
    let code = Code::compile(builder.pool(), formula);
    assert_eq!(code.condition(&[], &mut Scratch::default()), Some(true));
}

#[test]
fn an_expression_that_doubles_fifty_times_stays_small() {
    let mut builder = Builder::new();
    let cell = builder.cell("x", 1, 0, 9).unwrap();
    let mut e = builder.load(cell).unwrap();
    for _ in 0..50 {
        e = builder.binary("+", e, e).unwrap();
    }
    let code = Code::compile(builder.pool(), e);
    assert!(code.cost() < 100);
    assert_eq!(code.integer(&[1], &mut Scratch::default()), Some(0));
}

#[test]
fn a_guard_of_a_hundred_thousand_conjuncts_is_a_list() {
    let mut builder = Builder::new();
    let cell = builder.cell("x", 0, i32::MIN, i32::MAX).unwrap();
    let load = builder.load(cell).unwrap();
    let conjuncts: Vec<ExprId> = (1..=HUGE as i32)
        .map(|k| {
            let k = builder.constant(k).unwrap();
            builder.compare("!=", load, k).unwrap()
        })
        .collect();
    let all = builder.conjunction(&conjuncts).unwrap();
    builder.event("e", &[all], &[], None).unwrap();
    let program = builder.freeze().unwrap();
    assert_eq!(successors(&program, &[0]).unwrap().len(), 1);
    assert_eq!(successors(&program, &[HUGE as i32]).unwrap().len(), 0);
}

/// A chain of calls: event i answers label i and calls label i + 1; the last adds one to the cell.
fn call_chain(length: u32, fork: bool) -> Program {
    let mut builder = Builder::new();
    let cell = builder.cell("x", 0, i32::MIN, i32::MAX).unwrap();
    let labels: Vec<u32> = (0..length).map(|_| builder.label().unwrap()).collect();
    for pair in labels.windows(2) {
        let call = builder.call(pair[1]).unwrap();
        let body = if fork {
            let fixpoint = builder.fixpoint(&[]).unwrap();
            vec![call, fixpoint]
        } else {
            vec![call]
        };
        builder.event("link", &[], &body, Some(pair[0])).unwrap();
    }
    let load = builder.load(cell).unwrap();
    let last = *labels.last().unwrap();
    for k in 1..=2 {
        let k = builder.constant(k).unwrap();
        let sum = builder.binary("+", load, k).unwrap();
        let step = builder.assign(cell, sum).unwrap();
        builder.event("last", &[], &[step], Some(last)).unwrap();
    }
    let call = builder.call(labels[0]).unwrap();
    builder.event("first", &[], &[call], None).unwrap();
    builder.freeze().unwrap()
}

#[test]
fn calls_nested_a_hundred_thousand_deep_do_not_need_the_stack() {
    for fork in [false, true] {
        let program = call_chain(if fork { 5_000 } else { HUGE as u32 }, fork);
        let event = program.free()[0];
        let expected = BTreeSet::from([(event, vec![1]), (event, vec![2])]);
        assert_eq!(successors(&program, &[0]), Ok(expected.clone()));
        assert_eq!(successors_on_sets(&program, &[0]), Ok(expected));
    }
}
