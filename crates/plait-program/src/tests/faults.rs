//! Errors of the model, undefined bodies, and what stops an execution.

use super::*;

fn load(cell: u32) -> Box<IntTree> {
    Box::new(IntTree::Load(cell))
}

fn number(value: i32) -> Box<IntTree> {
    Box::new(IntTree::Const(value))
}

fn free(body: Vec<StatementTree>) -> EventTree {
    EventTree {
        name: "e".to_owned(),
        guard: vec![],
        body,
        label: None,
    }
}

fn run(cells: Vec<(i32, i32, i32)>, events: Vec<EventTree>) -> Result<Vec<Vec<i32>>, FaultKind> {
    let recipe = Recipe {
        cells,
        labels: 2,
        events,
    };
    let program = recipe.builder().unwrap().freeze().unwrap();
    let found = successors(&program, &recipe.initial());
    assert_eq!(
        found.is_err(),
        recipe.successors(&recipe.initial()).is_err()
    );
    found.map(|pairs| pairs.into_iter().map(|(_, s)| s).collect())
}

const ANY: (i32, i32) = (i32::MIN, i32::MAX);

#[test]
fn an_assignment_outside_the_domain_is_a_fault_that_names_the_cell() {
    let mut builder = Builder::new();
    builder.cell("other", 0, 0, 9).unwrap();
    let cell = builder.cell("x", 3, 0, 3).unwrap();
    let load = builder.load(cell).unwrap();
    let one = builder.constant(1).unwrap();
    let sum = builder.binary("+", load, one).unwrap();
    let skip = builder.assign(0, one).unwrap();
    let step = builder.assign(cell, sum).unwrap();
    let event = builder.event("e", &[], &[skip, step], None).unwrap();
    let program = builder.freeze().unwrap();
    let mut found = StateSet::new(2);
    let mut cells = [0, 3];
    let outcome =
        Machine::new(&program).successors(&program, event, &mut cells, &mut Unwatched, &mut found);
    let fault = crate::Fault {
        kind: FaultKind::Domain,
        event,
        statement: step,
        cell: Some(cell),
    };
    assert_eq!(outcome, Err(Failure::Fault(fault)));
    assert_eq!(cells, [0, 3]);
}

#[test]
fn a_place_that_leaves_the_32_bit_integers_is_a_domain_fault() {
    let body = vec![StatementTree::Assign(
        0,
        IntTree::Binary(BinaryOp::Add, load(0), number(1)),
    )];
    assert_eq!(
        run(vec![(i32::MAX, 0, i32::MAX)], vec![free(body.clone())]),
        Err(FaultKind::Domain)
    );
    assert_eq!(
        run(vec![(i32::MAX, ANY.0, ANY.1)], vec![free(body)]),
        Ok(vec![vec![i32::MIN]])
    );
}

#[test]
fn a_fault_before_a_call_that_nobody_answers_is_still_a_fault() {
    let body = vec![
        StatementTree::Assign(0, IntTree::Const(9)),
        StatementTree::Call(0),
    ];
    assert_eq!(
        run(vec![(0, 0, 1)], vec![free(body.clone())]),
        Err(FaultKind::Domain)
    );
    assert_eq!(run(vec![(0, 0, 9)], vec![free(body)]), Ok(vec![]));
}

#[test]
fn a_fixpoint_that_oscillates_is_a_fault_on_one_state_and_settles_on_the_set_of_both() {
    let flip = StatementTree::Assign(0, IntTree::Binary(BinaryOp::Subtract, number(1), load(0)));
    let fixpoint = StatementTree::Fixpoint(vec![flip]);
    let cells = vec![(0, ANY.0, ANY.1)];
    assert_eq!(
        run(cells.clone(), vec![free(vec![fixpoint.clone()])]),
        Err(FaultKind::Fixpoint)
    );
    // Two answers to a call give both states; the set {0, 1} is its own image.
    let answer = |value| EventTree {
        label: Some(0),
        ..free(vec![StatementTree::Assign(0, IntTree::Const(value))])
    };
    let both = free(vec![StatementTree::Call(0), fixpoint]);
    assert_eq!(
        run(cells, vec![both, answer(0), answer(1)]),
        Ok(vec![vec![0], vec![1]])
    );
}

#[test]
fn a_called_fixpoint_sees_the_states_one_by_one() {
    let flip = StatementTree::Assign(0, IntTree::Binary(BinaryOp::Subtract, number(1), load(0)));
    let answer = |label, body| EventTree {
        label: Some(label),
        ..free(body)
    };
    let events = vec![
        free(vec![StatementTree::Call(0), StatementTree::Call(1)]),
        answer(0, vec![StatementTree::Assign(0, IntTree::Const(0))]),
        answer(0, vec![StatementTree::Assign(0, IntTree::Const(1))]),
        answer(1, vec![StatementTree::Fixpoint(vec![flip])]),
    ];
    assert_eq!(
        run(vec![(0, ANY.0, ANY.1)], events),
        Err(FaultKind::Fixpoint)
    );
}

#[test]
fn a_fixpoint_may_take_just_the_rounds_that_are_allowed() {
    let count_to = |limit: i32| {
        let below = CondTree::Compare(CompareOp::Less, load(0), number(limit));
        let step = StatementTree::Assign(0, IntTree::Binary(BinaryOp::Add, load(0), number(1)));
        free(vec![StatementTree::Fixpoint(vec![StatementTree::Choose(
            below,
            vec![step],
            vec![],
        )])])
    };
    let cells = vec![(0, ANY.0, ANY.1)];
    assert_eq!(
        run(cells.clone(), vec![count_to(99_999)]),
        Ok(vec![vec![99_999]])
    );
    assert_eq!(
        run(cells, vec![count_to(100_000)]),
        Err(FaultKind::Fixpoint)
    );
}

#[test]
fn settling_goes_on_until_the_condition_fails_and_a_cycle_is_a_fault() {
    let positive = CondTree::Compare(CompareOp::Greater, load(0), number(0));
    let settle = free(vec![StatementTree::Settle(positive, 0)]);
    let answer = |k| EventTree {
        label: Some(0),
        ..free(vec![StatementTree::Assign(
            0,
            IntTree::Binary(BinaryOp::Add, load(0), number(k)),
        )])
    };
    let cells = vec![(5, ANY.0, ANY.1)];
    assert_eq!(
        run(cells.clone(), vec![settle.clone(), answer(-1), answer(-2)]),
        Ok(vec![vec![-1], vec![0]])
    );
    assert_eq!(
        run(cells.clone(), vec![settle.clone(), answer(-1), answer(0)]),
        Err(FaultKind::Settle)
    );
    assert_eq!(run(cells, vec![settle]), Ok(vec![]));
}

#[test]
fn undefined_bodies_are_counted_for_the_event_that_holds_them() {
    let mut builder = Builder::new();
    let cell = builder.cell("x", 0, i32::MIN, i32::MAX).unwrap();
    let label = builder.label().unwrap();
    let load = builder.load(cell).unwrap();
    let quotient = builder.binary("/", load, load).unwrap();
    let bad = builder.assign(cell, quotient).unwrap();
    let answer = builder.event("answer", &[], &[bad], Some(label)).unwrap();
    let call = builder.call(label).unwrap();
    let caller = builder.event("caller", &[], &[call], None).unwrap();
    let program = builder.freeze().unwrap();
    let mut machine = Machine::new(&program);
    let mut found = StateSet::new(1);
    machine
        .successors(&program, caller, &mut [0], &mut Unwatched, &mut found)
        .unwrap();
    assert!(found.is_empty());
    assert_eq!(machine.undefined()[answer as usize], 1);
    assert_eq!(machine.undefined()[caller as usize], 0);
    assert_eq!(
        machine.is_enabled(&program, caller, &mut [0], &mut Unwatched),
        Ok(false)
    );
    assert_eq!(
        machine.undefined()[answer as usize],
        1,
        "asking does not count"
    );
}

#[test]
fn enabled_and_deadlock_are_found_out_by_execution() {
    let mut builder = Builder::new();
    let cell = builder.cell("x", 0, 0, 9).unwrap();
    let load = builder.load(cell).unwrap();
    let two = builder.constant(2).unwrap();
    let low = builder.compare("<", load, two).unwrap();
    let abort = builder.abort().unwrap();
    let up = builder.event("up", &[low], &[], None).unwrap();
    let never = builder.event("never", &[], &[abort], None).unwrap();
    let enabled = builder.enabled(&[never, up]).unwrap();
    let deadlock = builder.deadlock().unwrap();
    let stuck = builder.enabled(&[never]).unwrap();
    let program = builder.freeze().unwrap();
    let mut machine = Machine::new(&program);
    for (id, at_1, at_2) in [
        (enabled, true, false),
        (deadlock, false, true),
        (stuck, false, false),
    ] {
        let code = Code::compile(builder.pool(), id);
        for (value, expected) in [(1, at_1), (2, at_2)] {
            let found = machine.evaluate(&program, &code, &[value], &mut Unwatched);
            assert_eq!(found, Ok(Value::Condition(expected)));
        }
    }
}

/// Stops at the n-th question.
struct StopAt(u32);

impl Watch for StopAt {
    fn go_on(&mut self, _bytes: usize) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

#[test]
fn a_watch_stops_long_executions_and_the_state_is_as_before() {
    let step = StatementTree::Assign(0, IntTree::Binary(BinaryOp::Add, load(0), number(1)));
    let endless = free(vec![StatementTree::Fixpoint(vec![step])]);
    let recipe = Recipe {
        cells: vec![(0, ANY.0, ANY.1)],
        labels: 0,
        events: vec![endless],
    };
    let program = recipe.builder().unwrap().freeze().unwrap();
    let mut machine = Machine::new(&program);
    let mut cells = [0];
    let mut found = StateSet::new(1);
    let outcome = machine.successors(&program, 0, &mut cells, &mut StopAt(2), &mut found);
    assert_eq!(outcome, Err(Failure::Stopped));
    assert_eq!(cells, [0]);
}
