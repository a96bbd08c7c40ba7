//! Searches with a cache under every reduction, held against the naive search and against the same
//! reduction with room for everything.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use plait_program::testing::naive;
use plait_program::testing::recipe::{self, CondTree, Recipe};
use plait_program::{Code, Program};
use plait_reduction::Algorithm;

use crate::budget::{Reason, Unobserved};
use crate::reduced_tests::{cases, guard, system, SHARED};
use crate::{explore, Exploration, Options, Order, Reduction};

type Parts = (Option<Algorithm>, bool, bool);

fn parts() -> Vec<Parts> {
    let mut found = vec![(None, false, false), (None, true, false)];
    for algorithm in [
        Algorithm::Overman,
        Algorithm::Guards,
        Algorithm::Conditional,
    ] {
        for sleep in [false, true] {
            for proviso in [false, true] {
                found.push((Some(algorithm), sleep, proviso));
            }
        }
    }
    found
}

fn run(program: &Arc<Program>, parts: Parts, order: Order, goals: &[Code]) -> Exploration {
    let monitors = match parts.2 {
        true => vec![vec![vec![goals[0].clone()]], Vec::new()],
        false => vec![Vec::new(); goals.len()],
    };
    let mut reduction = Reduction::new(program, &monitors).unwrap();
    (reduction.persistent, reduction.sleep, reduction.proviso) = parts;
    let options = Options {
        goals: goals.to_vec(),
        order,
        reduction: Some(reduction),
        max_states: Some(3000),
        ..Options::default()
    };
    explore(program, &options, &mut Unobserved).unwrap()
}

/// A path of the naive graph that ends in a state where the goal is true.
fn is_shown(recipe: &Recipe, found: &Exploration, goal: usize, holds: impl Fn(&[i32]) -> bool) {
    let Some(number) = found.goals()[goal] else {
        return;
    };
    let trace = found.trace(number).unwrap().unwrap();
    for pair in trace.windows(2) {
        let step = (pair[1].0.unwrap(), pair[1].1.clone());
        assert!(recipe.successors(&pair[0].1).unwrap().contains(&step));
    }
    assert!(holds(&trace[trace.len() - 1].1));
}

fn executed<'r>(recipe: &'r Recipe, found: &Exploration) -> BTreeSet<&'r str> {
    let counted = recipe.events.iter().zip(&found.figures().fired);
    counted
        .filter(|(_, count)| **count > 0)
        .map(|(event, _)| event.name.as_str())
        .collect()
}

fn check(recipe: &Recipe, goal: &CondTree, capacity: usize) -> Result<(), TestCaseError> {
    let Ok(Some(graph)) = recipe.explore(80) else {
        return Ok(());
    };
    let mut builder = recipe.builder().unwrap();
    let ids = [
        recipe::condition(&mut builder, goal).unwrap(),
        builder.deadlock().unwrap(),
    ];
    let goals = ids.map(|id| Code::compile(builder.pool(), id));
    let program = Arc::new(builder.freeze().unwrap());
    let states = graph.depth_of.keys();
    let reached = states
        .clone()
        .any(|s| naive::condition(goal, s) == Some(true));
    let events: BTreeSet<&str> = states
        .flat_map(|s| recipe.successors(s).unwrap())
        .map(|(event, _)| recipe.events[event as usize].name.as_str())
        .collect();
    for parts in parts() {
        let stored = run(&program, parts, Order::DepthFirst, &goals);
        for room in [capacity, 10_000] {
            let found = run(&program, parts, Order::Caching(room), &goals);
            let cache = found.reduced().unwrap();
            is_shown(recipe, &found, 0, |s| {
                naive::condition(goal, s) == Some(true)
            });
            is_shown(recipe, &found, 1, |s| {
                recipe.successors(s).unwrap().is_empty()
            });
            match found.reason() {
                None => {}
                Some(Reason::Cache) => {
                    prop_assert!(room > 0 && room < graph.depth_of.len());
                    continue;
                }
                other => {
                    prop_assert_eq!(other, Some(Reason::States));
                    continue;
                }
            }
            let all = cache.stored + cache.cleared + cache.matched;
            prop_assert_eq!(all, cache.executed + 1, "{:?} {}", parts, room);
            prop_assert_eq!(
                found.goals()[1].is_some(),
                graph.deadlocks > 0,
                "{:?} {}",
                parts,
                room
            );
            if parts.0.is_none() || parts.2 {
                prop_assert_eq!(found.goals()[0].is_some(), reached, "{:?} {}", parts, room);
                prop_assert_eq!(&executed(recipe, &found), &events, "{:?} {}", parts, room);
            }
            if cache.cleared == 0 {
                prop_assert_eq!(found.figures().deadlocks, graph.deadlocks);
            }
            // A goal is asked of states when they are stored, or when they are visited, and its monitor
            // takes part until it is reached.
            if cache.cleared == 0 && !(parts.2 && reached) {
                prop_assert_eq!(found.states(), stored.states(), "{:?} {}", parts, room);
                prop_assert_eq!(
                    &found.figures().fired,
                    &stored.figures().fired,
                    "{:?}",
                    parts
                );
            }
            if room == 0 {
                prop_assert_eq!(cache.stored, 0);
            } else {
                prop_assert!(cache.stored <= room as u64);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(150))]

    /// covers: P64, P65
    #[test]
    fn a_cache_changes_nothing_that_a_reduction_keeps(
        (recipe, goal) in system().prop_flat_map(|r| {
            let processes = r.cells.len() as u32 - SHARED;
            (Just(r), guard(processes))
        }),
        capacity in 0..25usize,
    ) {
        check(&recipe, &goal, capacity)?;
    }
}
