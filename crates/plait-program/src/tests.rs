//! The compiled program held against the naive semantics, and cases of its own.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::arithmetic::{BinaryOp, CompareOp};
use crate::testing::naive;
use crate::testing::random;
use crate::testing::recipe::{self, CondTree, EventTree, IntTree, Recipe, StatementTree};
use crate::{
    BuildError, Builder, Code, ExprId, Failure, FaultKind, Machine, Program, Scratch, Sort,
    StateSet, Unwatched, Value, Watch,
};

fn kind(failure: Failure) -> FaultKind {
    match failure {
        Failure::Fault(fault) => fault.kind,
        Failure::Stopped => panic!("stopped without a watch"),
    }
}

/// The distinct pairs of free event and successor, as the machine finds them.
fn successors(program: &Program, state: &[i32]) -> Result<BTreeSet<(u32, Vec<i32>)>, FaultKind> {
    let mut machine = Machine::new(program);
    let mut pairs = BTreeSet::new();
    let mut cells = state.to_vec();
    for event in program.free() {
        let mut found = StateSet::new(cells.len());
        machine
            .successors(program, *event, &mut cells, &mut Unwatched, &mut found)
            .map_err(kind)?;
        assert_eq!(
            cells, state,
            "executing an event must leave the state as it was"
        );
        pairs.extend(found.iter().map(|s| (*event, s.to_vec())));
    }
    Ok(pairs)
}

/// The same with every event executed on sets.
fn successors_on_sets(
    program: &Program,
    state: &[i32],
) -> Result<BTreeSet<(u32, Vec<i32>)>, FaultKind> {
    let mut machine = Machine::new(program);
    let mut pairs = BTreeSet::new();
    for event in program.free() {
        let found = crate::sets::execute(&mut machine, program, *event, state, &mut Unwatched);
        pairs.extend(found.map_err(kind)?.iter().map(|s| (*event, s.to_vec())));
    }
    Ok(pairs)
}

fn state() -> impl Strategy<Value = Vec<i32>> {
    prop::collection::vec(random::constant(), random::CELLS as usize)
}

fn five_cells() -> Builder {
    let mut builder = Builder::new();
    for i in 0..5 {
        builder
            .cell(&format!("x{i}"), 0, i32::MIN, i32::MAX)
            .unwrap();
    }
    builder
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn bytecode_computes_what_the_naive_evaluator_computes(
        int in random::integer(), cond in random::condition(), state in state()
    ) {
        let mut builder = five_cells();
        let mut scratch = Scratch::default();
        let id = recipe::integer(&mut builder, &int).unwrap();
        let code = Code::compile(builder.pool(), id);
        prop_assert_eq!(code.integer(&state, &mut scratch), naive::integer(&int, &state));
        let id = recipe::condition(&mut builder, &cond).unwrap();
        let code = Code::compile(builder.pool(), id);
        let expected = naive::condition(&cond, &state);
        prop_assert_eq!(code.condition(&state, &mut scratch), expected);
        prop_assert_eq!(code.holds(&state, &mut scratch), expected == Some(true));
    }

    #[test]
    fn shared_evaluation_agrees_with_unfolded_evaluation(
        int in random::integer(), cond in random::condition(), state in state()
    ) {
        // Doubling the expression seven times makes the unfolded form more than four times larger.
        let mut builder = five_cells();
        let mut a = recipe::integer(&mut builder, &int).unwrap();
        let mut c = recipe::condition(&mut builder, &cond).unwrap();
        let mut expected = naive::integer(&int, &state);
        for _ in 0..12 {
            a = builder.binary("+", a, a).unwrap();
            c = builder.conjunction(&[c, c]).unwrap();
            expected = expected.map(|v| v.wrapping_add(v));
        }
        let mut scratch = Scratch::default();
        let code = Code::compile(builder.pool(), a);
        prop_assert!(code.cost() < 1000);
        prop_assert_eq!(code.integer(&state, &mut scratch), expected);
        let code = Code::compile(builder.pool(), c);
        prop_assert!(code.cost() < 1000);
        prop_assert_eq!(code.condition(&state, &mut scratch), naive::condition(&cond, &state));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn events_lead_where_the_naive_semantics_leads(recipe in random::recipe()) {
        let program = recipe.builder().unwrap().freeze().unwrap();
        let mut pending = vec![recipe.initial()];
        let mut seen: BTreeSet<Vec<i32>> = pending.iter().cloned().collect();
        while let Some(state) = pending.pop() {
            let expected = recipe.successors(&state);
            prop_assert_eq!(&successors(&program, &state), &expected);
            // Which fault is met first may differ between the orders of execution; that one is met
            // may not.
            let on_sets = successors_on_sets(&program, &state);
            prop_assert_eq!(on_sets.is_err(), expected.is_err());
            let Ok(pairs) = expected else { break };
            prop_assert_eq!(on_sets, Ok(pairs.clone()));
            for (_, next) in pairs {
                if seen.len() < 12 && seen.insert(next.clone()) {
                    pending.push(next);
                }
            }
        }
    }

    #[test]
    fn net_like_variants_say_what_their_steps_do(recipe in random::recipe(), state in state()) {
        let program = recipe.builder().unwrap().freeze().unwrap();
        let mut state = state;
        for (value, (_, low, high)) in state.iter_mut().zip(&recipe.cells) {
            *value = (*value).clamp(*low, *high);
        }
        let mut machine = Machine::new(&program);
        for event in program.events() {
            for variant in event.variants().unwrap_or(&[]) {
                let Some(updates) = variant.net() else { continue };
                let mut cells = state.clone();
                let outcome = machine.execute(&program, variant, &mut cells, &mut Unwatched);
                let holds = variant.tests().iter().all(|t| t.interval.contains(state[t.cell as usize]))
                    && machine.conditions_hold(&program, variant, &state, &mut Unwatched).unwrap();
                let mut expected = state.clone();
                for update in updates {
                    expected[update.cell as usize] = update.apply(state[update.cell as usize]);
                }
                let admitted = program.cells().iter().zip(&expected).all(|(c, v)| c.admits(*v));
                match outcome {
                    Ok(fired) => {
                        prop_assert_eq!(fired, holds);
                        if fired {
                            prop_assert!(admitted);
                            prop_assert_eq!(cells, expected);
                        }
                    }
                    Err(failure) => {
                        prop_assert_eq!(kind(failure), FaultKind::Domain);
                        prop_assert!(holds && !admitted);
                    }
                }
            }
        }
    }

    #[test]
    fn what_an_event_writes_is_in_its_support(recipe in random::recipe()) {
        let program = recipe.builder().unwrap().freeze().unwrap();
        let state = recipe.initial();
        if let Ok(pairs) = recipe.successors(&state) {
            for (event, next) in pairs {
                let support = program.support(event);
                for (cell, (old, new)) in (0u32..).zip(state.iter().zip(&next)) {
                    prop_assert!(old == new || support.writes.contains(cell));
                }
            }
        }
    }
}

// --- size -----------------------------------------------------------------------------------------

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

// --- faults ---------------------------------------------------------------------------------------

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

// --- the builder ----------------------------------------------------------------------------------

#[test]
fn the_builder_refuses_what_makes_no_sense() {
    let mut b = Builder::new();
    let cell = b.cell("x", 0, 0, 3).unwrap();
    let x = b.load(cell).unwrap();
    let t = b.truth(true).unwrap();
    let deadlock = b.deadlock().unwrap();
    assert_eq!(
        b.cell("y", 4, 0, 3),
        Err(BuildError::Initial("y".to_owned(), 4, 0, 3))
    );
    assert_eq!(
        b.cell("y", 0, 3, 0),
        Err(BuildError::Initial("y".to_owned(), 0, 3, 0))
    );
    assert_eq!(b.load(1), Err(BuildError::Unknown("cell", 1)));
    assert_eq!(b.load_indexed(0, 2, x), Err(BuildError::Array(0, 2)));
    assert_eq!(
        b.load_indexed(u32::MAX, u32::MAX, x),
        Err(BuildError::Array(4_294_967_295, 8_589_934_590))
    );
    assert_eq!(
        b.binary("+", x, t),
        Err(BuildError::Sort(t.0, Sort::Integer))
    );
    assert_eq!(
        b.conjunction(&[t, x]),
        Err(BuildError::Sort(x.0, Sort::Condition))
    );
    assert_eq!(
        b.binary("&&", x, x),
        Err(BuildError::Operator("&&".to_owned()))
    );
    assert_eq!(
        b.negate(ExprId(99)),
        Err(BuildError::Unknown("expression", 99))
    );
    assert_eq!(b.enabled(&[0]), Err(BuildError::Unknown("event", 0)));
    assert_eq!(b.call(0), Err(BuildError::Unknown("label", 0)));
    assert_eq!(b.fixpoint(&[7]), Err(BuildError::Unknown("statement", 7)));
    assert_eq!(
        b.event("e", &[deadlock], &[], None),
        Err(BuildError::AsksEvents(deadlock.0))
    );
    assert_eq!(
        b.event("e", &[], &[], Some(0)),
        Err(BuildError::Unknown("label", 0))
    );
}

#[test]
fn equal_expressions_have_equal_ids_and_constants_are_folded() {
    let mut b = Builder::new();
    let (two, three) = (b.constant(2).unwrap(), b.constant(3).unwrap());
    assert_eq!(b.constant(2), Ok(two));
    let sum = b.binary("+", two, three).unwrap();
    assert_eq!(b.constant(5), Ok(sum));
    let zero = b.constant(0).unwrap();
    let undefined = b.binary("/", two, zero).unwrap();
    assert_eq!(
        Code::compile(b.pool(), undefined).integer(&[], &mut Scratch::default()),
        None
    );
}

#[test]
fn a_label_that_calls_itself_is_refused_also_through_others() {
    let mut b = Builder::new();
    let (p, q) = (b.label().unwrap(), b.label().unwrap());
    let call_q = b.call(q).unwrap();
    let t = b.truth(true).unwrap();
    let nested = b.choose(t, &[call_q], &[]).unwrap();
    b.event("p", &[], &[nested], Some(p)).unwrap();
    assert!(b.freeze().is_ok());
    let settle = b.settle(t, p).unwrap();
    b.event("q", &[], &[settle], Some(q)).unwrap();
    assert!(matches!(b.freeze(), Err(BuildError::Recursive(_))));
}

#[test]
fn statements_nested_too_deep_are_refused() {
    let mut b = Builder::new();
    let t = b.truth(true).unwrap();
    let mut inner = b.abort().unwrap();
    let outcome = (0..2000).try_for_each(|_| {
        inner = b.choose(t, &[inner], &[])?;
        Ok(())
    });
    assert_eq!(outcome, Err(BuildError::TooDeep(1000)));
    b.event("e", &[], &[inner], None).unwrap();
    let program = b.freeze().unwrap();
    assert_eq!(successors(&program, &[]), Ok(BTreeSet::new()));
}
