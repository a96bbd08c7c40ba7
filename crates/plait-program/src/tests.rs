//! The compiled program held against the naive semantics, and cases of its own.

mod builder;
mod effects;
mod faults;
mod size;

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
    fn an_event_that_settles_does_without_sets_what_it_does_on_sets(
        recipe in random::recipe(), test in random::condition(), states in prop::collection::vec(state(), 4)
    ) {
        let mut recipe = recipe;
        let called = |s: &StatementTree| matches!(s, StatementTree::Call(_));
        for event in recipe.events.iter_mut().filter(|e| e.label.is_none()) {
            event.body.retain(|s| !called(s));
            event.body.push(StatementTree::Settle(test.clone(), random::LABELS - 1));
        }
        let program = recipe.builder().unwrap().freeze().unwrap();
        let (mut fast, mut plain) = (Machine::new(&program), Machine::new(&program));
        for state in &states {
            let mut cells = state.clone();
            for event in program.free() {
                let mut found = StateSet::new(cells.len());
                let outcome = fast.successors(&program, *event, &mut cells, &mut Unwatched, &mut found);
                prop_assert_eq!(&cells, state);
                let found = outcome.map(|()| found.iter().map(<[i32]>::to_vec).collect::<Vec<_>>());
                let set = crate::sets::execute(&mut plain, &program, *event, state, &mut Unwatched);
                let set = set.map(|set| set.iter().map(<[i32]>::to_vec).collect::<Vec<_>>());
                prop_assert_eq!(found, set);
            }
            prop_assert_eq!(fast.undefined(), plain.undefined());
            prop_assert_eq!(fast.called(), plain.called());
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
