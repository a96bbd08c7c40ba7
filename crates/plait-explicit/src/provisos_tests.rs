//! The other provisos and sleep sets, and trace automata, on random systems of processes.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use plait_program::testing::naive;
use plait_program::testing::recipe::{self, CondTree, Recipe};
use plait_program::{Code, Program};
use plait_reduction::{Algorithm, Dependency};

use crate::budget::Unobserved;
use crate::reduced_tests::{cases, dead, guard, system, truth, LIMIT, SHARED};
use crate::{explore, Exploration, Options, Order, Reduction};

fn run(
    program: &Arc<Program>,
    goals: &[Code],
    order: Order,
    change: impl FnOnce(&mut Reduction),
) -> Exploration {
    let monitors = goals.iter().map(|g| vec![vec![g.clone()]]).collect();
    let mut reduction = Reduction::new(program, &monitors).unwrap();
    change(&mut reduction);
    let options = Options {
        goals: goals.to_vec(),
        order,
        reduction: Some(reduction),
        ..Options::default()
    };
    explore(program, &options, &mut Unobserved).unwrap()
}

fn strong() -> impl Iterator<Item = Algorithm> {
    let all = Algorithm::ALL.into_iter().map(|(_, algorithm)| algorithm);
    all.filter(|algorithm| *algorithm != Algorithm::Weak)
}

fn executed<'r>(recipe: &'r Recipe, found: &Exploration) -> BTreeSet<&'r str> {
    let counted = recipe.events.iter().zip(&found.figures().fired);
    let fired = counted.filter(|(_, count)| **count > 0);
    fired.map(|(event, _)| event.name.as_str()).collect()
}

fn check(recipe: &Recipe, goal: &CondTree) -> Result<(), TestCaseError> {
    let Ok(Some(graph)) = recipe.explore(LIMIT / 2) else {
        return Ok(());
    };
    let mut builder = recipe.builder().unwrap();
    let id = recipe::condition(&mut builder, goal).unwrap();
    let goals = [Code::compile(builder.pool(), id)];
    let program = Arc::new(builder.freeze().unwrap());
    let (fired, deadlocks) = truth(recipe, &graph);
    let mut states = graph.depth_of.keys();
    let reached = states.any(|s| naive::condition(goal, s) == Some(true));
    for algorithm in strong() {
        let found = run(&program, &goals, Order::DepthFirst, |r| {
            (r.persistent, r.proviso, r.components) = (Some(algorithm), true, true);
        });
        prop_assert_eq!(
            &executed(recipe, &found),
            &fired,
            "components, {:?}",
            algorithm
        );
        prop_assert_eq!(
            &dead(recipe, &found),
            &deadlocks,
            "components, {:?}",
            algorithm
        );
        prop_assert_eq!(
            found.goals()[0].is_some(),
            reached,
            "components, {:?}",
            algorithm
        );
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let found = run(&program, &goals, order, |r| {
                (r.persistent, r.proviso, r.prefer_stored) = (Some(algorithm), true, true);
            });
            prop_assert_eq!(&executed(recipe, &found), &fired, "stored, {:?}", algorithm);
            prop_assert_eq!(&dead(recipe, &found), &deadlocks, "stored, {:?}", algorithm);
        }
    }
    let found = run(&program, &goals, Order::DepthFirst, |r| {
        (r.sleep, r.stored) = (true, false);
    });
    prop_assert_eq!(found.states(), graph.depth_of.len(), "sleep sets passed on");
    prop_assert_eq!(&dead(recipe, &found), &deadlocks);
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        for persistent in [None, Some(Algorithm::Overman), Some(Algorithm::Guards)] {
            let found = run(&program, &[], order, |r| {
                (r.persistent, r.sleep, r.conditional) = (persistent, true, true);
            });
            prop_assert_eq!(
                &dead(recipe, &found),
                &deadlocks,
                "conditional, {:?}",
                persistent
            );
            if persistent.is_none() {
                prop_assert_eq!(found.states(), graph.depth_of.len(), "conditional");
                prop_assert!(found.figures().arcs <= graph.arcs);
            }
        }
    }
    Ok(())
}

/// A reduced graph, and the relation by which it was reduced: with sleep sets a constant one, without
/// them that of the state where two events meet.
struct Automaton<'r> {
    recipe: &'r Recipe,
    states: Vec<Vec<i32>>,
    arcs: Vec<Vec<(u32, u32)>>,
    dependency: &'r Dependency,
    constant: bool,
}

impl Automaton<'_> {
    fn dependent(&self, state: &[i32], mine: u32, event: u32) -> bool {
        if self.constant {
            return self.dependency.depend.related(mine, event);
        }
        let enabled = !self.recipe.fire(event as usize, state).unwrap().is_empty();
        !enabled || self.dependency.conflict.related(mine, event)
    }

    /// What is left of a sequence that is to be a prefix of a trace that begins with the event in the
    /// state.
    fn after(&self, state: u32, word: &[u32], event: u32) -> Option<Vec<u32>> {
        let mut here = self.states[state as usize].clone();
        for (place, mine) in word.iter().enumerate() {
            if *mine == event {
                return Some([&word[..place], &word[place + 1..]].concat());
            }
            if self.dependent(&here, *mine, event) {
                return None;
            }
            here = self
                .recipe
                .fire(*mine as usize, &here)
                .unwrap()
                .pop_first()?;
        }
        Some(word.to_vec())
    }

    /// Whether the sequence is a prefix of a member of the trace of a run of the graph.
    fn represents(&self, word: &[u32]) -> bool {
        let mut seen = BTreeSet::from([(0, word.to_vec())]);
        let mut pending = vec![(0, word.to_vec())];
        while let Some((state, left)) = pending.pop() {
            if left.is_empty() {
                return true;
            }
            for (event, target) in &self.arcs[state as usize] {
                if let Some(rest) = self.after(state, &left, *event) {
                    if seen.insert((*target, rest.clone())) {
                        pending.push((*target, rest));
                    }
                }
            }
        }
        false
    }
}

/// Some event sequences of the system, as long as asked for unless they end before.
fn words(recipe: &Recipe, length: usize, most: usize) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    let mut pending = vec![(recipe.initial(), Vec::new())];
    while let Some((state, word)) = pending.pop() {
        let next = recipe.successors(&state).unwrap();
        if next.is_empty() || word.len() == length {
            found.push(word);
            if found.len() == most {
                break;
            }
            continue;
        }
        for (event, state) in next {
            pending.push((state, [&word[..], &[event]].concat()));
        }
    }
    found
}

proptest! {
    #![proptest_config(cases(100))]

    /// covers: P37, P50
    #[test]
    fn the_proviso_of_components_and_sleep_sets_that_are_not_stored_keep_what_they_claim(
        (recipe, goal) in system().prop_flat_map(|r| {
            let processes = r.cells.len() as u32 - SHARED;
            (Just(r), guard(processes))
        })
    ) {
        check(&recipe, &goal)?;
    }

    /// covers: P51
    #[test]
    fn with_the_proviso_the_reduced_graph_is_a_trace_automaton(recipe in system()) {
        let Ok(Some(_)) = recipe.explore(60) else { return Ok(()) };
        let program = Arc::new(recipe.builder().unwrap().freeze().unwrap());
        let words = words(&recipe, 6, 150);
        let analysed = Reduction::new(&program, &Vec::new()).unwrap();
        for algorithm in [Algorithm::Overman, Algorithm::Stubborn, Algorithm::Guards] {
            for sleep in [false, true] {
                let found = run(&program, &[], Order::DepthFirst, |r| {
                    (r.persistent, r.proviso, r.record) = (Some(algorithm), true, true);
                    r.sleep = sleep;
                });
                let numbers = 0..found.states() as u32;
                let mut automaton = Automaton {
                    recipe: &recipe,
                    states: numbers.map(|n| found.state(n).unwrap()).collect(),
                    arcs: vec![Vec::new(); found.states()],
                    dependency: analysed.dependency(),
                    constant: sleep,
                };
                for (from, event, to) in &found.reduced().unwrap().graph {
                    automaton.arcs[*from as usize].push((*event, *to));
                }
                for word in &words {
                    let shown = automaton.represents(word);
                    prop_assert!(shown, "{:?}, sleep {}: {:?}", algorithm, sleep, word);
                }
            }
        }
    }
}
