//! The relations between operations by brute force, and the examples of Godefroid's thesis.

use std::sync::Arc;

use proptest::prelude::*;

use plait_program::interval::Interval;
use plait_program::{Builder, Cell, Effect, Program};

use crate::operation::{Operation, Place};
use crate::pieces::Pieces;
use crate::stubborn::Algorithm;
use crate::{BitSet, Dependency, Selector};

const LOW: i64 = -2;
const HIGH: i64 = 3;

fn operation() -> impl Strategy<Value = Operation> {
    let test = prop_oneof![
        (LOW..=HIGH, LOW..=HIGH).prop_map(|(a, b)| Pieces::new(a.min(b), a.max(b))),
        (LOW..=HIGH).prop_map(|v| Pieces::all().minus(&Pieces::new(v, v))),
        Just(Pieces::all()),
    ];
    let effect = prop_oneof![
        Just(Effect::Keep),
        (-2..3i32).prop_map(|k| if k == 0 { Effect::Keep } else { Effect::Add(k) }),
        (-2..4i32).prop_map(Effect::Set),
        (-2..4i32).prop_map(Effect::Reflect),
    ];
    (test, effect, 0..6u8).prop_map(|(test, effect, reads)| Operation {
        test,
        effect,
        reads: reads == 0,
        decides: false,
    })
}

fn after(operation: &Operation, value: i64) -> i64 {
    match operation.effect {
        Effect::Keep | Effect::Any => value,
        Effect::Add(k) => value + i64::from(k),
        Effect::Set(k) => i64::from(k),
        Effect::Reflect(k) => i64::from(k) - value,
    }
}

/// What is wrong with the two at this value, by executing them; values outside the domain are none.
fn disturbed(a: &Operation, b: &Operation, v: i64) -> (bool, bool, bool) {
    let inside = |v: i64| (LOW..=HIGH).contains(&v);
    let can = |o: &Operation, v: i64| o.test.contains(v);
    let enables = can(a, v) && !can(b, v) && inside(after(a, v)) && can(b, after(a, v));
    let both = can(a, v) && can(b, v);
    let disables = both && inside(after(a, v)) && !can(b, after(a, v));
    let reads = (a.reads && after(b, v) != v) || (b.reads && after(a, v) != v);
    let ends = after(b, after(a, v)) != after(a, after(b, v));
    (enables, disables, both && (reads || ends))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    /// covers: P12
    #[test]
    fn no_relation_between_operations_misses_a_disturbance(a in operation(), b in operation()) {
        let place = Place { domain: (LOW, HIGH), range: Pieces::new(LOW, HIGH) };
        for v in LOW..=HIGH {
            let (enables, disables, order) = disturbed(&a, &b, v);
            let (enabled, disabled, _) = disturbed(&b, &a, v);
            prop_assert!(!enables || place.enables(&a, &b));
            prop_assert!(!disables || place.disables(&a, &b));
            prop_assert!(!order || !place.commutes(&a, &b));
            let any = enables || disables || enabled || disabled || order;
            prop_assert!(!any || place.dependent_at(&a, &b, v), "at {}", v);
            prop_assert!(!any || !place.independent(&a, &b));
            prop_assert!(!(disables || disabled || order) || !place.accords(&a, &b));
        }
    }

    /// An event that leaves the domain is an error: one order must not have it alone.
    #[test]
    fn no_order_of_operations_that_commute_leaves_the_domain_alone(a in operation(), b in operation()) {
        let place = Place { domain: (LOW, HIGH), range: Pieces::new(LOW, HIGH) };
        let leaves = |v: i64| !(LOW..=HIGH).contains(&v);
        for v in (LOW..=HIGH).filter(|v| a.test.contains(*v)) {
            prop_assert!(!leaves(after(&a, v)) || place.may_leave(&a));
            if b.test.contains(v) {
                let [one, other] = [(&a, &b), (&b, &a)].map(|(first, second)| {
                    leaves(after(first, v)) || leaves(after(second, after(first, v)))
                });
                prop_assert!(one == other || !place.commutes(&a, &b), "at {}", v);
            }
        }
    }

    #[test]
    fn the_range_of_a_cell_holds_every_value_it_can_get(
        operations in prop::collection::vec(operation(), 0..5), initial in LOW..=HIGH
    ) {
        let cell = Cell {
            name: "x".to_owned(),
            initial: initial as i32,
            low: LOW as i32,
            high: HIGH as i32,
        };
        let place = Place::of(&cell, operations.iter());
        let mut seen = std::collections::BTreeSet::from([initial]);
        let mut pending = vec![initial];
        while let Some(value) = pending.pop() {
            prop_assert!(place.range.contains(value));
            for o in operations.iter().filter(|o| o.test.contains(value)) {
                let next = after(o, value);
                if (LOW..=HIGH).contains(&next) && seen.insert(next) {
                    pending.push(next);
                }
            }
        }
    }
}

#[test]
fn a_cell_that_wraps_around_has_values_at_both_ends() {
    for (initial, effect) in [
        (i32::MAX, Effect::Add(1)),
        (i32::MIN, Effect::Add(-1)),
        (i32::MIN, Effect::Reflect(1)),
    ] {
        let cell = Cell {
            name: "x".to_owned(),
            initial,
            low: i32::MIN,
            high: i32::MAX,
        };
        let operation = Operation {
            effect,
            ..Operation::test(Pieces::new(initial.into(), initial.into()))
        };
        let next = match effect {
            Effect::Add(amount) => initial.wrapping_add(amount),
            Effect::Reflect(whole) => whole.wrapping_sub(initial),
            _ => unreachable!("no other effect is asked"),
        };
        let place = Place::of(&cell, [&operation].into_iter());
        assert!(place.range.contains(next.into()), "{effect:?}");
    }
}

/// The length of a queue that holds up to `capacity` messages, and what is done to it.
fn queue(capacity: i64) -> (Place, [Operation; 4]) {
    let add = |test: Pieces, amount| Operation {
        effect: Effect::Add(amount),
        ..Operation::test(test)
    };
    let operations = [
        add(Pieces::new(0, capacity - 1), 1),
        add(Pieces::new(1, capacity), -1),
        Operation::test(Pieces::new(0, 0)),
        Operation::test(Pieces::new(capacity, capacity)),
    ];
    let place = Place {
        domain: (0, capacity),
        range: Pieces::new(0, capacity),
    };
    (place, operations)
}

#[test]
fn sending_and_receiving_depend_on_the_length_as_in_the_table_of_the_thesis() {
    for capacity in 1..5 {
        let (place, [send, receive, empty, full]) = queue(capacity);
        for n in 0..=capacity {
            let dependent = |a, b| place.dependent_at(a, b, n);
            assert_eq!(dependent(&send, &receive), n == 0 || n == capacity);
            assert_eq!(dependent(&send, &empty), n == 0);
            assert_eq!(dependent(&send, &full), n == capacity - 1);
            assert_eq!(dependent(&receive, &empty), n == 1);
            assert_eq!(dependent(&receive, &full), n == capacity);
            assert!(!dependent(&empty, &full) && !dependent(&empty, &empty));
        }
        assert!(place.accords(&send, &receive));
        assert!(!place.independent(&send, &receive));
    }
}

/// A system of processes: (process, from, guard on a cell, write, to).
struct System {
    builder: Builder,
    cells: Vec<u32>,
}

type Write = Option<(usize, Effect)>;
type Step = (usize, i32, Option<(usize, &'static str, i32)>, Write, i32);

impl System {
    fn new(initial: &[i32]) -> System {
        let mut system = System {
            builder: Builder::new(),
            cells: Vec::new(),
        };
        for value in initial {
            let cell = system.builder.cell("x", *value, 0, 9).unwrap();
            system.cells.push(cell);
        }
        system
    }

    fn program(initial: &[i32], steps: &[Step]) -> Arc<Program> {
        let mut system = System::new(initial);
        for step in steps {
            system.event(step);
        }
        Arc::new(system.builder.freeze().unwrap())
    }

    fn event(&mut self, (process, from, guard, write, to): &Step) {
        let b = &mut self.builder;
        let mut compare = |cell: u32, op: &str, value: i32| {
            let (load, value) = (b.load(cell).unwrap(), b.constant(value).unwrap());
            b.compare(op, load, value).unwrap()
        };
        let mut guards = vec![compare(self.cells[*process], "==", *from)];
        if let Some((cell, op, value)) = guard {
            guards.push(compare(self.cells[*cell], op, *value));
        }
        let target = b.constant(*to).unwrap();
        let mut body = vec![b.assign(self.cells[*process], target).unwrap()];
        if let Some((cell, effect)) = write {
            let cell = self.cells[*cell];
            let value = match effect {
                Effect::Set(value) => b.constant(*value).unwrap(),
                Effect::Add(amount) => {
                    let (load, amount) = (b.load(cell).unwrap(), b.constant(*amount).unwrap());
                    b.binary("+", load, amount).unwrap()
                }
                _ => unreachable!("an example of the thesis stores or adds"),
            };
            body.push(b.assign(cell, value).unwrap());
        }
        b.event("t", &guards, &body, None).unwrap();
    }
}

fn holds(step: &Step, state: &[i32]) -> bool {
    let (process, from, guard, _, _) = step;
    state[*process] == *from
        && guard.is_none_or(|(cell, op, value)| match op {
            "==" => state[cell] == value,
            ">" => state[cell] > value,
            _ => unreachable!("no step compares otherwise"),
        })
}

fn moved(step: &Step, state: &[i32]) -> Vec<i32> {
    let (process, _, _, write, to) = step;
    let mut next = state.to_vec();
    next[*process] = *to;
    if let Some((cell, Effect::Set(value))) = write {
        next[*cell] = *value;
    }
    next
}

/// What disturbs a set of events, by the definition of a persistent set: an event outside of it,
/// where others outside of it led, after which one of the set is not what it was.
fn disturbing(steps: &[Step], state: &[i32], set: &BitSet) -> Option<usize> {
    let outside: Vec<usize> = (0..steps.len())
        .filter(|t| !set.contains(*t as u32))
        .collect();
    let mut seen = std::collections::BTreeSet::from([state.to_vec()]);
    let mut pending = vec![state.to_vec()];
    while let Some(here) = pending.pop() {
        for t in outside.iter().copied().filter(|t| holds(&steps[*t], &here)) {
            let after = moved(&steps[t], &here);
            for e in set.iter() {
                let e = &steps[e as usize];
                let other = moved(e, &here);
                let kept = holds(e, &after) && holds(&steps[t], &other);
                if !kept || moved(e, &after) != moved(&steps[t], &other) {
                    return Some(t);
                }
            }
            if seen.insert(after.clone()) {
                pending.push(after);
            }
        }
    }
    None
}

fn step() -> impl Strategy<Value = Step> {
    let guard = prop::option::of((3..6usize, prop::sample::select(vec!["==", ">"]), 0..2i32));
    let write = prop::option::of((3..6usize, (0..3i32).prop_map(Effect::Set)));
    (0..3usize, 0..2i32, guard, write, 0..2i32)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2500))]

    /// Three processes and three shared cells; the states of a random walk.
    #[test]
    fn selected_sets_are_persistent_by_definition(
        steps in prop::collection::vec(step(), 3..14), walk in prop::collection::vec(0..14usize, 0..4)
    ) {
        let mut state = vec![0; 6];
        for choice in walk {
            let step = &steps[choice % steps.len()];
            if holds(step, &state) {
                state = moved(step, &state);
            }
        }
        let program = System::program(&[0; 6], &steps);
        let dependency = Arc::new(Dependency::new(&program, &[]).unwrap());
        let mut enabled = BitSet::new(dependency.size());
        (0..steps.len()).filter(|t| holds(&steps[*t], &state)).for_each(|t| enabled.insert(t as u32));
        // Of a weak stubborn set only one event, its key, must stay undisturbed.
        let strong = Algorithm::ALL.into_iter().filter(|(_, a)| *a != Algorithm::Weak);
        for (name, algorithm) in strong {
            let mut selector = Selector::new(Arc::clone(&dependency), algorithm, false);
            let set = selector.select(&state, &enabled, |_| true);
            prop_assert!(set.is_within(&enabled) && set.is_empty() == enabled.is_empty(), "{}", name);
            let found = disturbing(&steps, &state, &set);
            prop_assert!(found.is_none(), "{}: {:?} by {:?}", name, set, found);
        }
    }
}

/// The sets of Algorithms 1 to 4 from a start; the trivial set where one gives up.
fn sets(program: &Arc<Program>, state: &[i32], enabled: &[u32], start: u32) -> Vec<Vec<u32>> {
    let dependency = Arc::new(Dependency::new(program, &[]).unwrap());
    let mut set = BitSet::new(dependency.size());
    enabled.iter().for_each(|e| set.insert(*e));
    Algorithm::ALL[..4]
        .iter()
        .map(|(_, algorithm)| {
            let mut selector = Selector::new(Arc::clone(&dependency), *algorithm, false);
            let found = selector.from_start(state, &set, start);
            found.unwrap_or_else(|| set.clone()).iter().collect()
        })
        .collect()
}

const SET0: Effect = Effect::Set(0);
const SET1: Effect = Effect::Set(1);

// Cells: 0 and 1 are the program counters of A and B, 2 is x, 3 is y or the queue.

/// covers: P19, P22
#[test]
fn the_four_algorithms_give_the_sets_of_the_examples_of_the_thesis() {
    // Example 4.8, from t1.
    let program = System::program(
        &[0, 0, 0, 0],
        &[
            (0, 0, None, Some((2, SET1)), 1),
            (0, 1, None, Some((3, SET0)), 2),
            (1, 0, None, Some((3, SET1)), 1),
        ],
    );
    let found = sets(&program, &[0, 0, 0, 0], &[0, 2], 0);
    assert_eq!(found, [vec![0], vec![0], vec![0], vec![0]]);

    // Example 4.11: Algorithm 1 meets the disabled t2 and gives up.
    let program = System::program(
        &[0, 0, 0, 0],
        &[
            (0, 0, None, Some((2, SET1)), 1),
            (0, 0, Some((2, "==", 1)), Some((2, SET0)), 3),
            (0, 1, None, Some((3, SET0)), 2),
            (1, 0, None, Some((3, SET1)), 1),
        ],
    );
    let found = sets(&program, &[0, 0, 0, 0], &[0, 3], 0);
    assert_eq!(found, [vec![0, 3], vec![0], vec![0], vec![0]]);

    // Example 4.19, from t4: only the stubborn sets see that t1 cannot come back.
    let program = System::program(
        &[0, 0, 0, 0],
        &[
            (0, 0, None, Some((2, SET1)), 1),
            (0, 1, None, Some((3, SET0)), 2),
            (1, 0, None, Some((3, SET1)), 1),
            (1, 1, None, Some((2, SET0)), 0),
        ],
    );
    let found = sets(&program, &[1, 1, 1, 1], &[1, 3], 3);
    assert_eq!(found, [vec![1, 3], vec![1, 3], vec![3], vec![3]]);

    // Example 4.30, from t1: the queue of 5 holds 3, and cannot be empty after one receive.
    let program = System::program(
        &[0, 0, 0, 3],
        &[
            (0, 0, Some((3, ">", 0)), Some((3, Effect::Add(-1))), 1),
            (0, 1, None, Some((2, SET0)), 0),
            (1, 0, None, Some((2, SET1)), 1),
            (1, 1, Some((3, "==", 0)), None, 2),
            (1, 1, Some((3, ">", 0)), None, 3),
        ],
    );
    let found = sets(&program, &[0, 0, 0, 3], &[0, 2], 0);
    assert_eq!(found, [vec![0, 2], vec![0, 2], vec![0, 2], vec![0]]);

    // Example 5.1: there is only one persistent set.
    let program = System::program(
        &[0, 0, 0, 0],
        &[
            (0, 0, None, Some((2, SET0)), 1),
            (0, 1, None, Some((3, SET0)), 2),
            (1, 0, None, Some((3, SET1)), 1),
            (1, 1, None, Some((2, SET1)), 2),
        ],
    );
    for start in [0, 2] {
        let found = sets(&program, &[0, 0, 0, 0], &[0, 2], start);
        assert_eq!(found, vec![vec![0, 2]; 4]);
    }
}

#[test]
fn tests_that_contradict_each_other_are_never_enabled_together() {
    let program = System::program(
        &[0, 0, 0, 0],
        &[
            (0, 0, Some((2, "<", 2)), Some((3, SET0)), 1),
            (1, 0, Some((2, ">", 4)), Some((3, SET1)), 1),
            (1, 0, Some((2, "!=", 4)), Some((3, SET1)), 1),
        ],
    );
    let dependency = Dependency::new(&program, &[]).unwrap();
    assert!(!dependency.conflict.related(0, 1));
    assert!(dependency.conflict.related(0, 2));
    let test = Interval::new(5, 9);
    assert!(dependency.conjuncts.iter().any(
        |c| matches!(&c.guard, crate::description::Guard::Test(t) if t.interval.contains(test.low()))
    ));
}

#[test]
fn local_events_go_first_though_a_set_that_meets_others_is_smaller() {
    // A sends; B chooses between two steps of its own, after one of which it waits for what A sent.
    let program = System::program(
        &[0, 0, 0, 0],
        &[
            (0, 0, Some((2, "<", 5)), Some((2, Effect::Add(1))), 1),
            (1, 0, None, None, 1),
            (1, 0, None, None, 2),
            (1, 1, Some((2, ">", 0)), None, 0),
        ],
    );
    let dependency = Arc::new(Dependency::new(&program, &[]).unwrap());
    let local = crate::local::local_events(&dependency);
    assert_eq!(local.iter().collect::<Vec<_>>(), [1, 2]);
    let mut enabled = BitSet::new(dependency.size());
    [0, 1, 2].into_iter().for_each(|e| enabled.insert(e));
    let chosen = |algorithm, refused: &[u32]| -> Vec<u32> {
        let mut selector = Selector::new(Arc::clone(&dependency), algorithm, false);
        let accept = |set: &BitSet| !refused.iter().any(|e| set.contains(*e));
        let set = selector.select(&[0, 0, 0, 0], &enabled, accept);
        set.iter().collect()
    };
    assert_eq!(chosen(Algorithm::Stubborn, &[]), [0]);
    assert_eq!(chosen(Algorithm::Guards, &[]), [1, 2]);
    assert_eq!(
        chosen(Algorithm::Guards, &[1]),
        [0],
        "where the proviso refuses them"
    );
    assert_eq!(chosen(Algorithm::Guards, &[0, 1]), [0, 1, 2]);
}

#[test]
fn inert_events_go_first_and_alone_the_latest_before_all() {
    // Three processes store what differs in one cell; the steps of two are said to be inert.
    let steps: Vec<Step> = (0..3)
        .map(|p: i32| (p as usize, 0, None, Some((3, Effect::Set(p))), 1))
        .collect();
    let program = |inert: &[u32]| {
        let mut system = System::new(&[0, 0, 0, 0]);
        steps.iter().for_each(|step| system.event(step));
        inert
            .iter()
            .for_each(|event| system.builder.inert(*event).unwrap());
        Arc::new(system.builder.freeze().unwrap())
    };
    let chosen = |inert: &[u32], asked: bool, refused: &[u32]| -> Vec<u32> {
        let dependency = Arc::new(Dependency::new(&program(inert), &[]).unwrap());
        let mut enabled = BitSet::new(dependency.size());
        (0..3).for_each(|event| enabled.insert(event));
        let selector = Selector::new(dependency, Algorithm::Conflicts, false);
        let mut selector = match asked {
            true => selector.with_inert(),
            false => selector,
        };
        let accept = |set: &BitSet| !refused.iter().any(|e| set.contains(*e));
        selector
            .select(&[0, 0, 0, 0], &enabled, accept)
            .iter()
            .collect()
    };
    assert_eq!(chosen(&[], true, &[]), [0, 1, 2]);
    assert_eq!(
        chosen(&[0, 1], false, &[]),
        [0, 1, 2],
        "where nobody asks for them"
    );
    assert_eq!(chosen(&[0, 1], true, &[]), [1]);
    assert_eq!(
        chosen(&[0, 1], true, &[1]),
        [0],
        "where the proviso refuses it"
    );
    assert_eq!(chosen(&[0, 1], true, &[0, 1]), [0, 1, 2]);
}
