//! Reduced searches held against the naive one, on random systems of processes.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use plait_program::arithmetic::{BinaryOp, CompareOp};
use plait_program::testing::naive;
use plait_program::testing::random;
use plait_program::testing::recipe::{self, CondTree, EventTree, IntTree, Recipe, StatementTree};
use plait_program::{Code, Program};
use plait_reduction::{Algorithm, BitSet, Dependency, Selector};

use crate::budget::{Reason, Unobserved};
use crate::{explore, Exploration, Options, Order, Reduction};

/// Cells behind the program counters.
pub(crate) const SHARED: u32 = 3;

fn load(cell: u32) -> Box<IntTree> {
    Box::new(IntTree::Load(cell))
}

fn constant(value: i32) -> Box<IntTree> {
    Box::new(IntTree::Const(value))
}

fn test(processes: u32) -> impl Strategy<Value = CondTree> {
    let cell = prop_oneof![4 => processes..processes + SHARED, 1 => 0..processes];
    (0..6usize, cell, 0..3i32)
        .prop_map(|(op, cell, k)| CondTree::Compare(CompareOp::ALL[op], load(cell), constant(k)))
}

pub(crate) fn guard(processes: u32) -> impl Strategy<Value = CondTree> {
    let pair = (0..6usize, 0..SHARED, 0..SHARED).prop_map(move |(op, a, b)| {
        let (a, b) = (load(processes + a), load(processes + b));
        CondTree::Compare(CompareOp::ALL[op], a, b)
    });
    prop_oneof![
        6 => test(processes),
        2 => prop::collection::vec(test(processes), 2..4).prop_map(CondTree::Or),
        1 => (test(processes), test(processes)).prop_map(|(a, b)| CondTree::Iff(a.into(), b.into())),
        1 => test(processes).prop_map(|a| CondTree::Not(a.into())),
        1 => pair,
    ]
}

/// Shared counters, constants, copies, remainders, and an index that may leave its array.
fn step(processes: u32) -> impl Strategy<Value = Vec<StatementTree>> {
    let cell = move || processes..processes + SHARED;
    let update = (cell(), -1..2i32).prop_map(|(cell, k)| {
        let sum = IntTree::Binary(BinaryOp::Add, load(cell), constant(k));
        StatementTree::Assign(cell, sum)
    });
    let store =
        (cell(), 0..3i32).prop_map(|(cell, k)| StatementTree::Assign(cell, IntTree::Const(k)));
    let copy = (cell(), cell()).prop_map(|(a, b)| {
        let value = IntTree::Binary(BinaryOp::Remainder, load(b), constant(3));
        StatementTree::Assign(a, value)
    });
    let indexed = (cell(), 0..3i32).prop_map(move |(i, k)| {
        StatementTree::AssignIndexed(processes, 2, *load(i), IntTree::Const(k))
    });
    let reflect = (cell(), 0..3i32).prop_map(|(cell, k)| {
        let rest = IntTree::Binary(BinaryOp::Subtract, constant(k), load(cell));
        StatementTree::Assign(cell, rest)
    });
    let choose = (test(processes), cell(), 0..3i32).prop_map(|(c, cell, k)| {
        let then = vec![StatementTree::Assign(cell, IntTree::Const(k))];
        StatementTree::Choose(c, then, vec![])
    });
    let one =
        prop_oneof![5 => update, 3 => store, 1 => copy, 1 => indexed, 1 => choose, 1 => reflect];
    prop::collection::vec(one, 0..3)
}

fn event(processes: u32) -> impl Strategy<Value = EventTree> {
    let guards = prop::collection::vec(guard(processes), 0..2);
    let who = (0..processes, 0..3i32, 0..3i32, 0..8u8);
    (who, guards, step(processes)).prop_map(
        move |((process, from, to, kind), mut guard, mut body)| {
            if kind < 7 {
                let at = CondTree::Compare(CompareOp::Equal, load(process), constant(from));
                guard.insert(0, at);
                body.push(StatementTree::Assign(process, IntTree::Const(to)));
            }
            // Counters stay small.
            let counted: Vec<u32> = body
                .iter()
                .filter_map(|s| match s {
                    StatementTree::Assign(cell, IntTree::Binary(BinaryOp::Add, ..)) => Some(*cell),
                    _ => None,
                })
                .collect();
            for cell in counted {
                guard.push(CondTree::Compare(CompareOp::Less, load(cell), constant(3)));
                guard.push(CondTree::Compare(
                    CompareOp::Greater,
                    load(cell),
                    constant(-2),
                ));
            }
            EventTree {
                name: String::new(),
                guard,
                body,
                label: None,
            }
        },
    )
}

/// A few processes with program counters, and cells that they share.
pub(crate) fn system() -> impl Strategy<Value = Recipe> {
    (2..4u32).prop_flat_map(|processes| {
        prop::collection::vec(event(processes), 2..9).prop_map(move |mut events| {
            for (number, event) in events.iter_mut().enumerate() {
                event.name = format!("e{number}");
            }
            let mut cells = vec![(0, i32::MIN, i32::MAX); processes as usize];
            cells.push((0, -8, 8));
            cells.push((1, i32::MIN, i32::MAX));
            cells.push((2, 0, i32::MAX));
            Recipe {
                cells,
                labels: 0,
                events,
            }
        })
    })
}

/// All ways to reduce that keep deadlocks: parts and order.
fn ways() -> Vec<(Option<Algorithm>, bool, bool, Order)> {
    let mut found = Vec::new();
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        for sleep in [false, true] {
            found.push((None, sleep, false, order));
            for (_, algorithm) in Algorithm::ALL {
                found.push((
                    Some(algorithm),
                    sleep && algorithm != Algorithm::Weak,
                    false,
                    order,
                ));
                let provable = algorithm != Algorithm::Weak;
                if provable && (!sleep || order == Order::DepthFirst) {
                    found.push((Some(algorithm), sleep, true, order));
                }
            }
        }
    }
    found
}

fn run(
    program: &Arc<Program>,
    (persistent, sleep, proviso, order): (Option<Algorithm>, bool, bool, Order),
    goals: &[Code],
    monitors: bool,
) -> Result<Exploration, plait_program::Fault> {
    let monitors = if monitors {
        goals.iter().map(|g| vec![vec![g.clone()]]).collect()
    } else {
        vec![Vec::new(); goals.len()]
    };
    let mut reduction = Reduction::new(program, &monitors).unwrap();
    reduction.persistent = persistent;
    reduction.sleep = sleep;
    reduction.proviso = proviso;
    reduction.check = true;
    let options = Options {
        goals: goals.to_vec(),
        order,
        reduction: Some(reduction),
        ..Options::default()
    };
    explore(program, &options, &mut Unobserved)
}

pub(crate) const LIMIT: usize = 400;

/// The titles of events that are executed in the full graph, and the states without successor.
pub(crate) fn truth<'r>(
    recipe: &'r Recipe,
    graph: &naive::NaiveGraph,
) -> (BTreeSet<&'r str>, BTreeSet<Vec<i32>>) {
    let (mut fired, mut dead) = (BTreeSet::new(), BTreeSet::new());
    for state in graph.depth_of.keys() {
        let next = recipe.successors(state).unwrap();
        fired.extend(
            next.iter()
                .map(|(e, _)| recipe.events[*e as usize].name.as_str()),
        );
        if next.is_empty() {
            dead.insert(state.clone());
        }
    }
    (fired, dead)
}

pub(crate) fn dead(recipe: &Recipe, found: &Exploration) -> BTreeSet<Vec<i32>> {
    (0..found.states() as u32)
        .map(|n| found.state(n).unwrap())
        .filter(|s| recipe.successors(s).unwrap().is_empty())
        .collect()
}

/// The model goes wrong somewhere: reductions that keep more than deadlocks meet that too.
fn errors_are_found(recipe: &Recipe) -> Result<(), TestCaseError> {
    let program = Arc::new(recipe.builder().unwrap().freeze().unwrap());
    for way in ways() {
        let mut reduction = Reduction::new(&program, &Vec::new()).unwrap();
        (reduction.persistent, reduction.sleep, reduction.proviso) = (way.0, way.1, way.2);
        let widened = reduction.keep_errors(way.3);
        prop_assert!(
            widened || way.0.is_none() || way.2,
            "{:?} is not seen to be faulty",
            way
        );
        let options = Options {
            order: way.3,
            reduction: Some(reduction),
            max_states: Some(4 * LIMIT as u64),
            ..Options::default()
        };
        if let Ok(found) = explore(&program, &options, &mut Unobserved) {
            prop_assert_eq!(found.reason(), Some(Reason::States), "{:?}", way);
        }
    }
    Ok(())
}

fn check_all(recipe: &Recipe, goal: &CondTree) -> Result<(), TestCaseError> {
    let graph = match recipe.explore(LIMIT) {
        Ok(Some(graph)) => graph,
        Ok(None) => return Ok(()),
        Err(_) => return errors_are_found(recipe),
    };
    let mut builder = recipe.builder().unwrap();
    let id = recipe::condition(&mut builder, goal).unwrap();
    let goals = [Code::compile(builder.pool(), id)];
    let program = Arc::new(builder.freeze().unwrap());
    let (fired, deadlocks) = truth(recipe, &graph);
    let reached = graph
        .depth_of
        .keys()
        .any(|s| naive::condition(goal, s) == Some(true));
    for way in ways() {
        let found = run(&program, way, &goals, way.2).unwrap();
        let wrong = found.reduced().and_then(|r| r.disturbance.clone());
        prop_assert_eq!(wrong, None, "{:?}", way);
        prop_assert_eq!(found.reason(), None, "{:?}", way);
        prop_assert_eq!(&dead(recipe, &found), &deadlocks, "deadlocks {:?}", way);
        prop_assert_eq!(
            found.figures().deadlocks as usize,
            deadlocks.len(),
            "{:?}",
            way
        );
        prop_assert!(found.states() <= graph.depth_of.len());
        if way.0.is_none() {
            prop_assert_eq!(found.states(), graph.depth_of.len(), "states {:?}", way);
            prop_assert!(found.figures().arcs <= graph.arcs);
        }
        if way.0.is_none() || way.2 {
            prop_assert_eq!(found.goals()[0].is_some(), reached, "goal {:?}", way);
        }
        if way.2 {
            let executed: BTreeSet<&str> = recipe
                .events
                .iter()
                .zip(&found.figures().fired)
                .filter(|(_, count)| **count > 0)
                .map(|(event, _)| event.name.as_str())
                .collect();
            prop_assert_eq!(&executed, &fired, "executed events {:?}", way);
        }
        for number in 0..found.states() as u32 {
            let state = found.state(number).unwrap();
            prop_assert!(graph.depth_of.contains_key(&state), "{:?} {:?}", way, state);
            if number % 5 == 0 {
                let trace = found.trace(number).unwrap().unwrap();
                prop_assert_eq!(&trace[trace.len() - 1].1, &state);
                for pair in trace.windows(2) {
                    let step = (pair[1].0.unwrap(), pair[1].1.clone());
                    prop_assert!(recipe.successors(&pair[0].1).unwrap().contains(&step));
                }
            }
        }
    }
    Ok(())
}

fn enabled(recipe: &Recipe, state: &[i32], size: usize) -> BitSet {
    let mut set = BitSet::new(size);
    for (event, _) in recipe.successors(state).unwrap() {
        set.insert(event);
    }
    set
}

/// Whatever happens outside of the set from the state on, is independent, where it happens, of every
/// event in the set: these stay enabled, and both orders lead to the same states.
fn is_persistent(recipe: &Recipe, state: &[i32], set: &BitSet) -> bool {
    let fire = |event: u32, state: &[i32]| recipe.fire(event as usize, state).unwrap();
    let mut seen = BTreeSet::from([state.to_vec()]);
    let mut pending = vec![state.to_vec()];
    while let Some(here) = pending.pop() {
        for (event, next) in recipe.successors(&here).unwrap() {
            if set.contains(event) {
                continue;
            }
            for member in set.iter() {
                let after: BTreeSet<Vec<i32>> = fire(event, &here)
                    .iter()
                    .flat_map(|s| fire(member, s))
                    .collect();
                let before: BTreeSet<Vec<i32>> = fire(member, &here)
                    .iter()
                    .flat_map(|s| fire(event, s))
                    .collect();
                if after.is_empty() || after != before {
                    return false;
                }
            }
            if seen.insert(next.clone()) {
                pending.push(next);
            }
        }
    }
    true
}

/// As many for every run, and fifty times as many for `make soak`.
pub(crate) fn cases(few: u32) -> ProptestConfig {
    let soak = std::env::var_os("PLAIT_SOAK").is_some();
    ProptestConfig::with_cases(if soak { 50 * few } else { few })
}

proptest! {
    #![proptest_config(cases(200))]

    /// covers: P28, P30, P31, P33, P35, P42, P45, P46, P47
    #[test]
    fn every_reduction_keeps_what_it_claims_on_systems_of_processes(
        (recipe, goal) in system().prop_flat_map(|r| {
            let processes = r.cells.len() as u32 - SHARED;
            (Just(r), guard(processes))
        })
    ) {
        check_all(&recipe, &goal)?;
    }

    /// covers: P20, P21, P23, P24, P25, P26, P29
    #[test]
    fn selected_sets_are_persistent_by_definition(recipe in system()) {
        let Ok(Some(graph)) = recipe.explore(60) else { return Ok(()) };
        let program = Arc::new(recipe.builder().unwrap().freeze().unwrap());
        let dependency = Arc::new(Dependency::new(&program, &[]).unwrap());
        let strong = Algorithm::ALL.into_iter().filter(|a| a.1 != Algorithm::Weak);
        let mut sets: Vec<Selector> = strong
            .map(|(_, algorithm)| Selector::new(Arc::clone(&dependency), algorithm, false))
            .collect();
        for state in graph.depth_of.keys().take(20) {
            let enabled = enabled(&recipe, state, dependency.size());
            for (number, selector) in sets.iter_mut().enumerate() {
                let set = selector.select(state, &enabled, |_| true);
                prop_assert_eq!(set.is_empty(), enabled.is_empty());
                prop_assert!(is_persistent(&recipe, state, &set), "{} {:?}", number, state);
            }
            let least = sets[10].select(state, &enabled, |_| true);
            for start in enabled.iter() {
                let first = sets[0].from_start(state, &enabled, start);
                let second = sets[1].from_start(state, &enabled, start);
                let second = second.unwrap_or_else(|| enabled.clone());
                prop_assert!(second.is_within(&first.unwrap_or_else(|| enabled.clone())));
                let mut from = |index: usize| -> BitSet {
                    let found = sets[index].from_start(state, &enabled, start);
                    found.unwrap_or_else(|| enabled.clone())
                };
                // Without `Weak`: 0 to 5 as named, then those that ask the values, then the choices.
                prop_assert!(from(6).is_within(&from(0)), "the values make Algorithm 1 no larger");
                prop_assert!(from(7).is_within(&from(1)), "the values make Algorithm 2 no larger");
                let all_choices = from(9).len();
                prop_assert!(all_choices <= from(2).len() && all_choices <= from(8).len());
                prop_assert!(least.len() <= from(10).len(), "one start is smaller than the least");
                let fresh = Selector::new(Arc::clone(&dependency), Algorithm::Overman, false)
                    .from_start(state, &enabled, start);
                prop_assert_eq!(fresh.unwrap_or_else(|| enabled.clone()), from(1));
                for selector in &mut sets {
                    if let Some(set) = selector.from_start(state, &enabled, start) {
                        prop_assert!(is_persistent(&recipe, state, &set));
                    }
                }
            }
        }
    }

    #[test]
    fn every_reduction_keeps_what_it_claims_on_any_program(
        recipe in random::recipe(), goal in random::condition()
    ) {
        check_all(&recipe, &goal)?;
    }
}
