//! Iterative deepening and state-space caching held against the naive search.

use std::sync::Arc;

use proptest::prelude::*;

use plait_program::testing::random;
use plait_program::Program;

use crate::budget::{Reason, Unobserved};
use crate::test_support::{asked, counters, goal_holds, is_a_trace};
use crate::{explore, Exploration, Options, Order};

const LIMIT: usize = 300;

fn run(program: &Arc<Program>, order: Order, options: &Options) -> Exploration {
    let options = Options {
        order,
        ..options.clone()
    };
    explore(program, &options, &mut Unobserved).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn deepening_counts_like_breadth_first_search_and_its_traces_are_shortest(
        recipe in random::recipe(), goal in random::condition(), bound in random::integer(),
    ) {
        let Ok(Some(graph)) = recipe.explore(LIMIT) else { return Ok(()) };
        let (program, options) = asked(&recipe, &goal, &bound);
        let wide = run(&program, Order::BreadthFirst, &options);
        let deep = run(&program, Order::Deepening, &options);
        prop_assert_eq!(deep.reason(), None);
        prop_assert_eq!(deep.bounds(), wide.bounds());
        let (mut a, mut b) = (wide.figures().clone(), deep.figures().clone());
        (a.bytes, b.bytes) = (0, 0);
        (a.compiled, b.compiled) = (None, None); // as the clock has it
        prop_assert_eq!(format!("{a:?}"), format!("{b:?}"));
        for (which, (a, b)) in wide.goals().iter().zip(deep.goals()).enumerate() {
            prop_assert_eq!(a.is_some(), b.is_some());
            let Some(number) = b else { continue };
            let trace = deep.trace(*number).unwrap().unwrap();
            is_a_trace(&recipe, &trace)?;
            let near = graph.depth_of.iter().filter(|(s, _)| goal_holds(&recipe, &goal, which, s));
            prop_assert_eq!(near.map(|(_, d)| *d).min(), Some(trace.len() as u64 - 1));
        }
        let stopped = Options { bounds: Vec::new(), stop_when_decided: true, ..options };
        let stopped = run(&program, Order::Deepening, &stopped);
        prop_assert_eq!(stopped.goals(), deep.goals());
    }

    #[test]
    fn a_cache_that_holds_the_stack_changes_no_verdict(
        recipe in random::recipe(), goal in random::condition(), bound in random::integer(),
        capacity in 1..40usize,
    ) {
        let Ok(Some(graph)) = recipe.explore(60) else { return Ok(()) };
        let (program, options) = asked(&recipe, &goal, &bound);
        let options = Options { max_states: Some(20_000), ..options };
        let wide = run(&program, Order::BreadthFirst, &options);
        let found = run(&program, Order::Caching(capacity), &options);
        let cache = found.reduced().unwrap();
        prop_assert!(cache.stored <= capacity as u64);
        for (which, number) in found.goals().iter().enumerate() {
            let Some(number) = number else { continue };
            let trace = found.trace(*number).unwrap().unwrap();
            is_a_trace(&recipe, &trace)?;
            prop_assert!(goal_holds(&recipe, &goal, which, &trace[trace.len() - 1].1));
        }
        match found.reason() {
            None => {
                prop_assert_eq!(cache.stored + cache.cleared + cache.matched, cache.executed + 1);
                prop_assert_eq!(found.bounds(), wide.bounds());
                prop_assert_eq!(&found.figures().cell_max, &wide.figures().cell_max);
                prop_assert_eq!(&found.figures().cell_min, &wide.figures().cell_min);
                for (a, b) in wide.goals().iter().zip(found.goals()) {
                    prop_assert_eq!(a.is_some(), b.is_some());
                }
                prop_assert!(found.states() >= graph.depth_of.len());
                if cache.cleared == 0 {
                    prop_assert_eq!(found.states(), graph.depth_of.len());
                    prop_assert_eq!(found.figures().arcs, graph.arcs);
                    prop_assert_eq!(found.figures().deadlocks, graph.deadlocks);
                }
            }
            // A stack of as many states as there are always fits.
            Some(Reason::Cache) => prop_assert!(capacity < graph.depth_of.len()),
            other => prop_assert_eq!(other, Some(Reason::States)),
        }
    }
}

/// covers: P64, P65
#[test]
fn a_small_cache_visits_every_state_at_the_cost_of_visiting_some_again() {
    let program = counters(2, 12);
    let found = run(&program, Order::Caching(27), &Options::default());
    let cache = found.reduced().unwrap();
    assert_eq!(found.reason(), None);
    assert_eq!(found.figures().cell_max, vec![12, 12]);
    assert!(found.states() > 169 && cache.cleared > 0 && cache.stored <= 27);
    assert_eq!(cache.stored + cache.cleared, found.states() as u64);
    assert_eq!(
        cache.stored + cache.cleared + cache.matched,
        cache.executed + 1
    );
}

/// covers: P66
#[test]
fn a_cache_smaller_than_the_stack_says_so() {
    let found = run(&counters(1, 100), Order::Caching(50), &Options::default());
    assert_eq!(found.reason(), Some(Reason::Cache));
    assert_eq!(found.states(), 50);
    let room = run(&counters(1, 100), Order::Caching(101), &Options::default());
    assert_eq!((room.reason(), room.states()), (None, 101));
}
