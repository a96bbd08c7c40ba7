//! The depth-first search by several threads held against that by one, and against the naive one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use plait_program::testing::recipe::{self, CondTree, Recipe};
use plait_program::testing::{naive, random};
use plait_program::Code;
use plait_reduction::Algorithm;

use crate::budget::{Reason, Unobserved};
use crate::explore::explore_with;
use crate::hash::RecordHash;
use crate::reduced_tests::system;
use crate::test_support::{asked, counters, goal_holds, is_a_trace, FewHashes, Impatient};
use crate::{explore, Exploration, Options, Order, Reduction};

const LIMIT: usize = 400;

/// Depth-first by so many threads, nearly from the first state on.
fn by(threads: usize, options: &Options) -> Options {
    Options {
        threads,
        alone: 4,
        order: Order::DepthFirst,
        ..options.clone()
    }
}

fn states<H: RecordHash>(found: &Exploration<H>) -> BTreeSet<Vec<i32>> {
    let numbers = 0..found.states() as u32;
    numbers.map(|n| found.state(n).unwrap()).collect()
}

/// Every trace is a run, from the initial state to the state that was asked for.
fn traces_are_runs<H: RecordHash>(
    recipe: &Recipe,
    found: &Exploration<H>,
) -> Result<(), TestCaseError> {
    for number in 0..found.states() as u32 {
        let trace = found.trace(number).unwrap().unwrap();
        is_a_trace(recipe, &trace)?;
        prop_assert_eq!(&trace[trace.len() - 1].1, &found.state(number).unwrap());
    }
    Ok(())
}

/// What does not depend on the order of the visits.
fn same<A: RecordHash, B: RecordHash>(
    one: &Exploration<A>,
    many: &Exploration<B>,
) -> Result<(), TestCaseError> {
    let (a, b) = (one.figures(), many.figures());
    prop_assert_eq!(one.reason(), many.reason());
    prop_assert_eq!(states(one), states(many));
    prop_assert_eq!((a.states, a.expanded), (b.states, b.expanded));
    prop_assert_eq!((a.arcs, a.deadlocks), (b.arcs, b.deadlocks));
    prop_assert_eq!(&a.fired, &b.fired);
    prop_assert_eq!(&a.undefined, &b.undefined);
    prop_assert_eq!(&a.called, &b.called);
    prop_assert_eq!((&a.cell_min, &a.cell_max), (&b.cell_min, &b.cell_max));
    prop_assert_eq!(a.max_sum, b.max_sum);
    prop_assert_eq!(one.bounds(), many.bounds());
    let found = |e: &[Option<u32>]| e.iter().map(Option::is_some).collect::<Vec<_>>();
    prop_assert_eq!(found(one.goals()), found(many.goals()));
    let matched = |r: Option<&crate::ReducedFigures>| r.map(|r| r.matched);
    prop_assert_eq!(matched(one.reduced()), matched(many.reduced()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn threads_visit_the_states_of_one_once_each(
        recipe in random::recipe(), goal in random::condition(), bound in random::integer(),
        threads in 2..5usize,
    ) {
        if !matches!(recipe.explore(LIMIT), Ok(Some(_))) {
            return Ok(());
        }
        let (program, options) = asked(&recipe, &goal, &bound);
        let one = explore(&program, &by(1, &options), &mut Unobserved).unwrap();
        let many = explore(&program, &by(threads, &options), &mut Unobserved).unwrap();
        same(&one, &many)?;
        traces_are_runs(&recipe, &many)?;
        for (which, found) in many.goals().iter().enumerate() {
            if let Some(number) = found {
                let state = many.state(*number).unwrap();
                prop_assert!(goal_holds(&recipe, &goal, which, &state));
            }
        }
    }

    #[test]
    fn threads_stop_when_all_goals_are_found_and_only_then(
        recipe in random::recipe(), goal in random::condition(), bound in random::integer(),
        threads in 2..4usize,
    ) {
        let Ok(Some(graph)) = recipe.explore(LIMIT) else {
            return Ok(());
        };
        let (program, options) = asked(&recipe, &goal, &bound);
        let options = Options { bounds: Vec::new(), stop_when_decided: true, ..options };
        let found = explore(&program, &by(threads, &options), &mut Unobserved).unwrap();
        let reached = |which: usize| {
            graph.depth_of.keys().any(|s| goal_holds(&recipe, &goal, which, s))
        };
        let all = (0..3).all(reached);
        prop_assert_eq!(found.reason(), all.then_some(Reason::Goals));
        for which in 0..3 {
            prop_assert_eq!(found.goals()[which].is_some(), reached(which), "goal {}", which);
        }
        traces_are_runs(&recipe, &found)?;
    }

    #[test]
    fn an_error_of_the_model_and_the_limit_of_states_are_met_by_threads_too(
        recipe in random::recipe(), threads in 2..4usize, most in 1..60u64,
    ) {
        let program = Arc::new(recipe.builder().unwrap().freeze().unwrap());
        let options = Options { max_states: Some(most), ..Options::default() };
        let graph = recipe.explore(LIMIT);
        match (explore(&program, &by(threads, &options), &mut Unobserved), graph) {
            (Err(_), graph) => prop_assert!(!matches!(graph, Ok(Some(_)))),
            (Ok(found), Ok(Some(graph))) => {
                let whole = graph.depth_of.len() as u64;
                prop_assert_eq!(found.reason(), (whole > most).then_some(Reason::States));
                prop_assert_eq!(found.states() as u64, whole.min(most));
                traces_are_runs(&recipe, &found)?;
            }
            (Ok(found), _) => prop_assert_eq!(found.reason(), Some(Reason::States)),
        }
    }

    #[test]
    fn threads_agree_also_when_nearly_all_hashes_are_equal(
        recipe in random::recipe(), mask in 0..8u64,
    ) {
        if !matches!(recipe.explore(150), Ok(Some(_))) {
            return Ok(());
        }
        let program = Arc::new(recipe.builder().unwrap().freeze().unwrap());
        let options = Options::default();
        let one = explore(&program, &by(1, &options), &mut Unobserved).unwrap();
        let many = explore_with(&program, &by(3, &options), &mut Unobserved, FewHashes(mask));
        same(&one, &many.unwrap())?;
    }

    #[test]
    fn persistent_sets_of_several_threads_keep_deadlocks_events_and_goals(
        recipe in system(), goal in 0..3i32, threads in 2..4usize, guess in any::<bool>(),
    ) {
        let Ok(Some(graph)) = recipe.explore(LIMIT) else {
            return Ok(());
        };
        let tree = CondTree::Compare(
            plait_program::arithmetic::CompareOp::Equal,
            Box::new(recipe::IntTree::Load(recipe.cells.len() as u32 - 1)),
            Box::new(recipe::IntTree::Const(goal)),
        );
        let mut builder = recipe.builder().unwrap();
        let id = recipe::condition(&mut builder, &tree).unwrap();
        let code = Code::compile(builder.pool(), id);
        let program = Arc::new(builder.freeze().unwrap());
        let all = graph.depth_of.keys();
        let dead: BTreeSet<Vec<i32>> = all
            .clone()
            .filter(|s| recipe.successors(s).unwrap().is_empty())
            .cloned()
            .collect();
        let fired: BTreeSet<u32> = all
            .flat_map(|s| recipe.successors(s).unwrap())
            .map(|(event, _)| event)
            .collect();
        for (_, algorithm) in Algorithm::ALL {
            for proviso in [false, true] {
                if proviso && algorithm == Algorithm::Weak {
                    continue;
                }
                let monitors = if proviso { vec![vec![vec![code.clone()]]] } else { vec![vec![]] };
                let mut reduction = Reduction::new(&program, &monitors).unwrap();
                reduction.persistent = Some(algorithm);
                reduction.proviso = proviso;
                // Where others were faster every guess is wrong.
                reduction.guess = guess;
                let options = Options {
                    goals: vec![code.clone()],
                    reduction: Some(reduction),
                    ..Options::default()
                };
                let found = explore(&program, &by(threads, &options), &mut Unobserved).unwrap();
                prop_assert_eq!(found.reason(), None);
                let kept = states(&found);
                prop_assert!(kept.iter().all(|s| graph.depth_of.contains_key(s)));
                prop_assert_eq!(found.figures().expanded as usize, kept.len());
                prop_assert_eq!(found.figures().deadlocks as usize, dead.len());
                prop_assert!(dead.is_subset(&kept), "{algorithm:?} {proviso}");
                if proviso {
                    let executed = (0u32..).zip(&found.figures().fired);
                    let executed = executed.filter(|(_, n)| **n > 0).map(|(e, _)| e);
                    prop_assert_eq!(&executed.collect::<BTreeSet<_>>(), &fired, "{:?}", algorithm);
                    let reached = graph.depth_of.keys();
                    let mut reached = reached.filter(|s| naive::condition(&tree, s) == Some(true));
                    prop_assert_eq!(found.goals()[0].is_some(), reached.next().is_some());
                }
                traces_are_runs(&recipe, &found)?;
            }
        }
    }
}

#[test]
fn a_large_graph_is_counted_exactly_by_any_number_of_threads_and_again_and_again() {
    let program = counters(4, 11);
    let whole = 12u64.pow(4);
    for threads in [2, 2, 3, 7] {
        let options = Options {
            alone: 1000,
            ..by(threads, &Options::default())
        };
        let found = explore(&program, &options, &mut Unobserved).unwrap();
        assert_eq!(found.states() as u64, whole);
        let figures = found.figures();
        assert_eq!((figures.expanded, figures.deadlocks), (whole, 1));
        assert_eq!(figures.arcs, 4 * 11 * 12u64.pow(3));
        assert_eq!(figures.cell_max, [11; 4]);
        assert_eq!(states(&found).len() as u64, whole);
        // Two words of state and parent, and the index: it counts, though it is gone.
        assert!(figures.bytes > whole * (8 + 4 + 4), "{}", figures.bytes);
    }
}

#[test]
fn limits_stop_all_threads_of_a_depth_first_search() {
    let program = counters(6, 1000);
    let base = by(3, &Options::default());
    let found = explore(&program, &base, &mut Impatient(0)).unwrap();
    assert_eq!(found.reason(), Some(Reason::Interrupted));
    let resident = crate::budget::resident().unwrap_or(0);
    let limits = [
        (Some(Duration::from_millis(200)), None, Reason::Timeout),
        (None, Some(resident + (24 << 20)), Reason::Memory),
    ];
    for (timeout, memory, reason) in limits {
        let options = Options {
            timeout,
            memory,
            ..base.clone()
        };
        let found = explore(&program, &options, &mut Unobserved).unwrap();
        assert_eq!(found.reason(), Some(reason));
        assert!(found.figures().expanded <= found.states() as u64);
        let last = found.states() as u32 - 1;
        let trace = found.trace(last).unwrap().unwrap();
        let sum: i32 = trace.last().unwrap().1.iter().sum();
        assert_eq!(sum as usize, trace.len() - 1);
    }
}
