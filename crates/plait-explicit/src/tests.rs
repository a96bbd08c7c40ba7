//! The search held against the naive one, and cases of its own.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use plait_program::testing::recipe::{self, Recipe};
use plait_program::testing::{naive, random};
use plait_program::{Builder, Code, Program};

use crate::budget::{Budget, Observer, Progress, Reason, Unobserved};
use crate::explore::explore_with;
use crate::hash::{RecordHash, SeededHash};
use crate::layout::Layout;
use crate::store::{Inserted, Store};
use crate::{explore, Exploration, Options};
use plait_program::mix::Seed;

/// Every record has the same hash, or one of two: all lookups collide.
#[derive(Clone, Debug)]
struct BadHash(u64);

impl RecordHash for BadHash {
    fn prepare(&mut self, _words: usize) {}
    fn hash(&self, record: &[u64]) -> u64 {
        self.hash_words(record.iter().copied())
    }
    fn hash_words(&self, mut words: impl Iterator<Item = u64>) -> u64 {
        (words.next().unwrap_or(0) & self.0).wrapping_neg()
    }
}

type Predicate<'a> = &'a dyn Fn(&[i32]) -> bool;

fn run(program: &Arc<Program>, options: &Options) -> Exploration {
    explore(program, options, &mut Unobserved).unwrap()
}

fn freeze(builder: &Builder) -> Arc<Program> {
    Arc::new(builder.freeze().unwrap())
}

const LIMIT: usize = 400;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_search_finds_what_the_naive_search_finds(recipe in random::recipe()) {
        let program = freeze(&recipe.builder().unwrap());
        let options = Options { max_states: Some(LIMIT as u64), ..Options::default() };
        match recipe.explore(LIMIT) {
            Err(_) => {
                // The naive search may meet its fault beyond the states that the limit allows.
                let found = explore(&program, &options, &mut Unobserved);
                prop_assert!(found.is_err() || found.unwrap().reason() == Some(Reason::States));
            }
            Ok(None) => {
                if let Ok(found) = explore(&program, &options, &mut Unobserved) {
                    prop_assert_eq!(found.reason(), Some(Reason::States));
                    prop_assert_eq!(found.states(), LIMIT);
                }
            }
            Ok(Some(graph)) => {
                let found = run(&program, &options);
                compare(&recipe, &graph, &found)?;
            }
        }
    }

    #[test]
    fn nothing_observable_depends_on_the_hash(recipe in random::recipe()) {
        let program = freeze(&recipe.builder().unwrap());
        let options = Options { max_states: Some(200), ..Options::default() };
        let good = explore(&program, &options, &mut Unobserved);
        for bad in [BadHash(0), BadHash(1)] {
            let bad = explore_with(&program, &options, &mut Unobserved, bad);
            match (&good, bad) {
                (Ok(good), Ok(bad)) => {
                    prop_assert_eq!(good.reason(), bad.reason());
                    prop_assert_eq!(good.figures().arcs, bad.figures().arcs);
                    prop_assert_eq!(good.states(), bad.states());
                    for i in 0..good.states() as u32 {
                        prop_assert_eq!(good.state(i), bad.state(i));
                    }
                }
                (Err(a), Err(b)) => prop_assert_eq!(*a, b),
                _ => prop_assert!(false, "one search failed"),
            }
        }
    }

    #[test]
    fn goals_are_the_first_states_and_bounds_cover_all_states(
        recipe in random::recipe(), goal in random::condition(), bound in random::integer()
    ) {
        let Ok(Some(graph)) = recipe.explore(LIMIT) else { return Ok(()) };
        let mut builder = recipe.builder().unwrap();
        let id = recipe::condition(&mut builder, &goal).unwrap();
        let deadlock = builder.deadlock().unwrap();
        let event = builder.enabled(&[0]).unwrap();
        let goals = [id, deadlock, event].map(|id| Code::compile(builder.pool(), id)).to_vec();
        let id = recipe::integer(&mut builder, &bound).unwrap();
        let bounds = vec![Code::compile(builder.pool(), id)];
        let program = freeze(&builder);

        let found = run(&program, &Options { goals: goals.clone(), bounds, ..Options::default() });
        let holds: [Predicate; 3] = [
            &|s| naive::condition(&goal, s) == Some(true),
            &|s| recipe.successors(s).unwrap().is_empty(),
            &|s| recipe.successors(s).unwrap().iter().any(|(e, _)| *e == 0),
        ];
        for (holds, number) in holds.iter().zip(found.goals()) {
            let first = (0..found.states() as u32).find(|i| holds(&found.state(*i).unwrap()));
            prop_assert_eq!(*number, first);
        }
        let values: Vec<i32> = graph.depth_of.keys().filter_map(|s| naive::integer(&bound, s)).collect();
        let expected = values.iter().min().copied().zip(values.iter().max().copied());
        prop_assert_eq!(found.bounds()[0], expected);

        let options = Options { goals, stop_when_decided: true, ..Options::default() };
        let stopped = run(&program, &options);
        prop_assert_eq!(stopped.goals(), found.goals());
        let decided = found.goals().iter().all(Option::is_some);
        prop_assert_eq!(stopped.reason(), decided.then_some(Reason::Goals));
    }
}

/// The two results agree in every figure, and the traces are real and shortest.
fn compare(
    recipe: &Recipe,
    graph: &naive::NaiveGraph,
    found: &Exploration,
) -> Result<(), TestCaseError> {
    let figures = found.figures();
    prop_assert_eq!(found.reason(), None);
    prop_assert_eq!(found.states(), graph.depth_of.len());
    prop_assert_eq!(figures.arcs, graph.arcs);
    prop_assert_eq!(figures.fired.iter().sum::<u64>(), graph.arcs);
    prop_assert_eq!(figures.deadlocks, graph.deadlocks);
    prop_assert_eq!(
        figures.depth,
        graph.depth_of.values().copied().max().unwrap_or(0)
    );
    for (cell, (low, high)) in figures.cell_min.iter().zip(&figures.cell_max).enumerate() {
        let values = || graph.depth_of.keys().map(|s| s[cell]);
        prop_assert_eq!(Some(*low), values().min());
        prop_assert_eq!(Some(*high), values().max());
    }
    let sum = |s: &Vec<i32>| s.iter().map(|v| i64::from(*v)).sum::<i64>();
    prop_assert_eq!(Some(figures.max_sum), graph.depth_of.keys().map(sum).max());
    let mut numbers = HashSet::new();
    for number in 0..found.states() as u32 {
        let state = found.state(number).unwrap();
        let depth = graph.depth_of[&state];
        prop_assert!(numbers.insert(state.clone()));
        if number % 7 == 0 || number < 5 {
            let trace = found.trace(number).unwrap().unwrap();
            prop_assert_eq!(trace.len() as u64, depth + 1);
            prop_assert_eq!(&trace[0], &(None, recipe.initial()));
            prop_assert_eq!(&trace[trace.len() - 1].1, &state);
            for pair in trace.windows(2) {
                let step = (pair[1].0.unwrap(), pair[1].1.clone());
                prop_assert!(recipe.successors(&pair[0].1).unwrap().contains(&step));
            }
        }
    }
    prop_assert!(found.state(found.states() as u32).is_none());
    prop_assert!(found.trace(found.states() as u32).unwrap().is_none());
    Ok(())
}

/// A program with these domains, all cells starting with 0 where possible, and every cell written.
fn cells_program(domains: &[(i32, i32)]) -> Program {
    let mut builder = Builder::new();
    for (low, high) in domains {
        let cell = builder
            .cell("x", 0.clamp(*low, *high), *low, *high)
            .unwrap();
        let value = builder.constant(*low).unwrap();
        let step = builder.assign(cell, value).unwrap();
        builder.event("e", &[], &[step], None).unwrap();
    }
    builder.freeze().unwrap()
}

fn domain() -> impl Strategy<Value = (i32, i32)> {
    prop_oneof![
        Just((i32::MIN, i32::MAX)),
        Just((0, i32::MAX)),
        Just((i32::MIN, 0)),
        Just((-3, 3)),
        Just((5, 5)),
        (any::<i32>(), any::<i32>()).prop_map(|(a, b)| (a.min(b), a.max(b))),
    ]
}

/// Values of which most are small, to be clamped to a domain.
fn value() -> impl Strategy<Value = i32> {
    prop_oneof![4 => -2..3i32, 2 => -300..300i32, 1 => any::<i32>(), 1 => Just(i32::MAX), 1 => Just(i32::MIN)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_packed_store_is_a_set_of_states_through_all_its_growths(
        domains in prop::collection::vec(domain(), 1..12),
        rows in prop::collection::vec(prop::collection::vec(value(), 12), 1..120),
    ) {
        let program = cells_program(&domains);
        let mut store = Store::new(&program, SeededHash::new(Seed(1))).unwrap();
        let mut budget = Budget::new(None);
        let mut model: HashMap<Vec<i32>, u32> = HashMap::new();
        let mut order = Vec::new();
        for row in rows {
            let state: Vec<i32> = row.iter().zip(&domains).map(|(v, d)| (*v).clamp(d.0, d.1)).collect();
            if !store.layout().fits(&state) {
                store.grow_layout(&state, &program, &mut budget, 0).unwrap();
                prop_assert!(store.layout().fits(&state));
            }
            let mut record = vec![0; store.layout().words()];
            store.layout().encode(&state, &mut record);
            let hash = store.hash(&record);
            let next = model.len() as u32;
            let expected = match model.get(&state) {
                Some(number) => Inserted::Old(*number),
                None => Inserted::New(next),
            };
            prop_assert_eq!(store.insert(&record, hash, usize::MAX, &mut budget), Ok(Some(expected)));
            if expected == Inserted::New(next) {
                model.insert(state.clone(), next);
                order.push(state);
            }
        }
        let mut cells = vec![0; domains.len()];
        for (number, state) in (0u32..).zip(&order) {
            let mut record = Vec::new();
            store.read(number, &mut record);
            store.layout().decode(&record, &mut cells);
            prop_assert_eq!(&cells, state);
        }
    }

    #[test]
    fn a_layout_reads_back_what_it_packed_and_changes_only_the_cell_it_is_told(
        domains in prop::collection::vec(domain(), 1..20),
        rows in prop::collection::vec(prop::collection::vec(value(), 20), 1..10),
    ) {
        let program = cells_program(&domains);
        let mut layout = Layout::new(&program);
        let states: Vec<Vec<i32>> = rows.iter()
            .map(|row| row.iter().zip(&domains).map(|(v, d)| (*v).clamp(d.0, d.1)).collect())
            .collect();
        for state in &states {
            layout = layout.grown_for(state, &program);
            prop_assert!(layout.bits() <= 64 * layout.words() as u64);
        }
        if states.len().is_multiple_of(2) {
            layout = layout.grown_everywhere(&program, &program.written());
        }
        let mut record = vec![0; layout.words()];
        let mut cells = vec![0; domains.len()];
        for pair in states.windows(2) {
            layout.encode(&pair[0], &mut record);
            for (cell, field) in layout.fields().iter().enumerate() {
                let (old, new) = (pair[0][cell], pair[1][cell]);
                if cell % 2 == 0 {
                    field.add(&mut record, old, new);
                } else {
                    field.write(&mut record, new);
                }
                layout.decode(&record, &mut cells);
                let expected: Vec<i32> = (0..cells.len())
                    .map(|c| if c <= cell { pair[1][c] } else { pair[0][c] })
                    .collect();
                prop_assert_eq!(&cells, &expected);
            }
        }
    }
}

/// Counts from `low` to `high` one by one, in each of `cells` cells independently.
fn counters(cells: u32, low: i32, high: i32) -> Builder {
    let mut builder = Builder::new();
    for i in 0..cells {
        let cell = builder
            .cell(&format!("x{i}"), low, i32::MIN, i32::MAX)
            .unwrap();
        let load = builder.load(cell).unwrap();
        let one = builder.constant(1).unwrap();
        let top = builder.constant(high).unwrap();
        let below = builder.compare("<", load, top).unwrap();
        let sum = builder.binary("+", load, one).unwrap();
        let step = builder.assign(cell, sum).unwrap();
        builder
            .event(&format!("up{i}"), &[below], &[step], None)
            .unwrap();
    }
    builder
}

#[test]
fn the_layout_grows_with_the_values_and_the_counts_stay_right() {
    let found = run(&freeze(&counters(3, -20, 20)), &Options::default());
    assert_eq!(found.states(), 41 * 41 * 41);
    assert_eq!(found.figures().arcs, 3 * 40 * 41 * 41);
    assert_eq!(found.figures().deadlocks, 1);
    assert_eq!(found.figures().depth, 120);
    assert_eq!(found.bits_per_state(), 18);
    assert_eq!(found.figures().max_sum, 60);
    assert_eq!(found.figures().cell_min, vec![-20; 3]);
}

#[test]
fn many_cells_that_grow_late_do_not_repack_the_store_each_time() {
    // 2000 cells change one after the other: without an allowance this would repack 2000 times.
    let mut builder = Builder::new();
    let cells: Vec<u32> = (0..2000)
        .map(|_| builder.cell("x", 0, i32::MIN, i32::MAX).unwrap())
        .collect();
    let one = builder.constant(1).unwrap();
    for pair in cells.windows(2) {
        let before = builder.load(pair[0]).unwrap();
        let after = builder.load(pair[1]).unwrap();
        let zero = builder.constant(0).unwrap();
        let guard = [
            builder.compare("==", before, one).unwrap(),
            builder.compare("==", after, zero).unwrap(),
        ];
        let step = builder.assign(pair[1], one).unwrap();
        builder.event("next", &guard, &[step], None).unwrap();
    }
    let step = builder.assign(cells[0], one).unwrap();
    builder.event("first", &[], &[step], None).unwrap();
    let found = run(&freeze(&builder), &Options::default());
    assert_eq!(found.states(), 2001);
    let trace = found.trace(2000).unwrap().unwrap();
    assert_eq!(trace.len(), 2001);
}

#[test]
fn a_program_without_cells_has_one_state() {
    let mut builder = Builder::new();
    let program = freeze(&builder);
    let found = run(&program, &Options::default());
    assert_eq!((found.states(), found.figures().deadlocks), (1, 1));
    builder.event("loop", &[], &[], None).unwrap();
    let found = run(&freeze(&builder), &Options::default());
    assert_eq!((found.states(), found.figures().arcs), (1, 1));
    assert_eq!(
        (found.figures().deadlocks, found.figures().max_value()),
        (0, 0)
    );
}

#[test]
fn a_state_with_fifty_thousand_successors_is_expanded() {
    let mut builder = Builder::new();
    let cell = builder.cell("x", 0, i32::MIN, i32::MAX).unwrap();
    let label = builder.label().unwrap();
    let load = builder.load(cell).unwrap();
    let zero = builder.constant(0).unwrap();
    let guard = builder.compare("==", load, zero).unwrap();
    for k in 1..=50_000 {
        let k = builder.constant(k).unwrap();
        let step = builder.assign(cell, k).unwrap();
        builder.event("answer", &[], &[step], Some(label)).unwrap();
    }
    let call = builder.call(label).unwrap();
    builder.event("choose", &[guard], &[call], None).unwrap();
    let found = run(&freeze(&builder), &Options::default());
    assert_eq!(found.states(), 50_001);
    assert_eq!(found.figures().arcs, 50_000);
}

#[test]
fn arcs_are_told_apart_by_title_and_successor() {
    let mut builder = Builder::new();
    let cell = builder.cell("x", 0, 0, 9).unwrap();
    let one = builder.constant(1).unwrap();
    let step = builder.assign(cell, one).unwrap();
    for title in ["a", "b", "a"] {
        builder.event(title, &[], &[step], None).unwrap();
    }
    let found = run(&freeze(&builder), &Options::default());
    assert_eq!((found.states(), found.figures().arcs), (2, 4));
    assert_eq!(found.figures().fired, vec![2, 2, 0]);
}

// --- limits ---------------------------------------------------------------------------------------

#[test]
fn a_search_stops_at_the_states_allowed_and_is_complete_when_they_just_suffice() {
    let program = freeze(&counters(1, 0, 9));
    let limited = |most| {
        run(
            &program,
            &Options {
                max_states: Some(most),
                ..Options::default()
            },
        )
    };
    assert_eq!(limited(10).reason(), None);
    let found = limited(9);
    assert_eq!((found.reason(), found.states()), (Some(Reason::States), 9));
    assert_eq!(limited(0).states(), 1);
}

#[test]
fn a_timeout_of_nothing_gives_the_first_state() {
    let options = Options {
        timeout: Some(Duration::ZERO),
        ..Options::default()
    };
    let found = run(&freeze(&counters(4, 0, 1000)), &options);
    assert_eq!(found.reason(), Some(Reason::Timeout));
    assert_eq!(found.states(), 1);
    assert_eq!(found.state(0), Some(vec![0; 4]));
}

#[test]
fn a_timeout_is_kept_also_inside_an_event() {
    // The call of a label that doubles the set each time: 2^30 states inside one event.
    let mut builder = Builder::new();
    let mut calls = Vec::new();
    for _ in 0..30 {
        let cell = builder.cell("x", 0, 0, 1).unwrap();
        let label = builder.label().unwrap();
        for k in 0..2 {
            let k = builder.constant(k).unwrap();
            let step = builder.assign(cell, k).unwrap();
            builder.event("set", &[], &[step], Some(label)).unwrap();
        }
        calls.push(builder.call(label).unwrap());
    }
    builder.event("all", &[], &calls, None).unwrap();
    let program = freeze(&builder);
    let started = Instant::now();
    let options = Options {
        timeout: Some(Duration::from_millis(100)),
        ..Options::default()
    };
    let found = run(&program, &options);
    assert_eq!(found.reason(), Some(Reason::Timeout));
    assert!(started.elapsed() < Duration::from_secs(5));
    let options = Options {
        memory: Some(crate::budget::resident().unwrap_or(0) + (64 << 20)),
        ..Options::default()
    };
    let found = run(&program, &options);
    assert_eq!(found.reason(), Some(Reason::Memory));
}

/// Interrupts at the second question.
struct Impatient(u32);

impl Observer for Impatient {
    fn go_on(&mut self, progress: &Progress) -> bool {
        assert!(progress.states > 0 && progress.seconds > 0.0);
        self.0 += 1;
        self.0 < 2
    }
}

#[test]
fn an_observer_can_interrupt_and_keeps_the_partial_figures() {
    let program = freeze(&counters(4, 0, 1000));
    let mut observer = Impatient(0);
    let found = explore(&program, &Options::default(), &mut observer).unwrap();
    assert_eq!(found.reason(), Some(Reason::Interrupted));
    assert!(found.states() > 1 && found.figures().arcs > 0);
}

#[test]
fn a_domain_fault_ends_the_search() {
    let mut builder = Builder::new();
    let cell = builder.cell("x", 0, 0, 3).unwrap();
    let load = builder.load(cell).unwrap();
    let one = builder.constant(1).unwrap();
    let sum = builder.binary("+", load, one).unwrap();
    let step = builder.assign(cell, sum).unwrap();
    let event = builder.event("up", &[], &[step], None).unwrap();
    let program = freeze(&builder);
    let fault = explore(&program, &Options::default(), &mut Unobserved).unwrap_err();
    assert_eq!(
        (fault.event, fault.statement, fault.cell),
        (event, step, Some(cell))
    );
}
