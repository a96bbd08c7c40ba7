//! Random nets against explicit search.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use plait_dd::edge_valued::Placement;
use plait_dd::{Manager, Node, Policy};
use proptest::prelude::*;

use super::{explore, explore_in, Explored, STRATEGIES};
use crate::{Event, Interval, Locals, Net, Relation, Strategy as Way, Test, Update};

const CELLS: u32 = 5;
const LIMIT: usize = 1500;

fn test() -> impl Strategy<Value = Test> {
    (0..CELLS, 0..3i32, 0..6i32).prop_map(|(cell, bound, kind)| Test {
        cell,
        interval: match kind {
            0 => Interval::new(bound, bound),
            1 | 2 => Interval::new(i32::MIN, bound),
            _ => Interval::new(bound, i32::MAX),
        },
    })
}

fn update() -> impl Strategy<Value = Update> {
    (0..CELLS, -2..3i32, 0..4u8).prop_map(|(cell, amount, kind)| Update {
        cell,
        keep: if kind == 0 { 0 } else { -1 },
        amount,
    })
}

fn event() -> impl Strategy<Value = Event> {
    let tests = prop::collection::vec(test(), 0..3);
    let updates = prop::collection::vec(update(), 0..4);
    (tests, updates, 0..5u8).prop_map(|(mut tests, mut updates, guarded)| {
        updates.sort_by_key(|u| u.cell);
        updates.dedup_by_key(|u| u.cell);
        for update in updates.iter().filter(|u| guarded > 0 && u.keep == -1) {
            tests.push(Test {
                cell: update.cell,
                interval: Interval::new(-update.amount.min(0), 3 - update.amount.max(0)),
            });
        }
        Event { tests, updates }
    })
}

fn net() -> impl Strategy<Value = Net> {
    let initial = prop::collection::vec(prop::collection::vec(0..3i32, CELLS as usize), 1..4);
    let events = prop::collection::vec(event(), 1..8);
    let order = Just((0..CELLS).collect::<Vec<u32>>()).prop_shuffle();
    (initial, events, order, 1..4usize).prop_map(|(initial, events, order, group)| Net {
        initial,
        levels: order.chunks(group).map(<[u32]>::to_vec).collect(),
        events,
        domains: Vec::new(),
    })
}

fn successor(event: &Event, state: &[i32]) -> Option<Vec<i32>> {
    let holds = |t: &Test| t.interval.contains(state[t.cell as usize]);
    event.tests.iter().all(holds).then(|| {
        let mut next = state.to_vec();
        for update in &event.updates {
            next[update.cell as usize] = update.apply(state[update.cell as usize]);
        }
        next
    })
}

/// All reachable states, or `None` beyond the limit.
fn explicit(net: &Net) -> Option<BTreeSet<Vec<i32>>> {
    let mut seen: BTreeSet<Vec<i32>> = net.initial.iter().cloned().collect();
    let mut queue: VecDeque<Vec<i32>> = seen.iter().cloned().collect();
    while let Some(state) = queue.pop_front() {
        for next in net.events.iter().filter_map(|e| successor(e, &state)) {
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
        if seen.len() > LIMIT {
            return None;
        }
    }
    Some(seen)
}

/// The states of a diagram in terms of cells.
fn decoded(x: &Explored, set: plait_dd::Node) -> BTreeSet<Vec<i32>> {
    let decode = |steps: Vec<plait_dd::Step>| {
        let mut state = vec![0; CELLS as usize];
        for step in steps {
            let plait_dd::Value::Integer(label) = step.value else {
                panic!("levels hold integers");
            };
            let local = x.relation.local_state(step.variable as usize, label as u32);
            for (cell, value) in local.0.iter().zip(local.1) {
                state[*cell as usize] = *value;
            }
        }
        state
    };
    x.dd.states(set).map(decode).collect()
}

/// The states of a diagram by cell.
fn by_values(x: &Explored, set: Node) -> BTreeSet<Vec<i32>> {
    let variables = x.relation.variables();
    let decode = |steps: Vec<plait_dd::Step>| {
        let value = |variable: &u32| {
            let step = &steps[steps.len() - *variable as usize];
            assert_eq!(step.variable, *variable);
            match step.value {
                plait_dd::Value::Integer(value) => value,
                plait_dd::Value::Component(_) => panic!("cells hold integers"),
            }
        };
        variables.iter().map(value).collect()
    };
    x.dd.states(set).map(decode).collect()
}

/// The distance of each state.
fn distances(net: &Net) -> BTreeMap<Vec<i32>, usize> {
    let mut seen: BTreeMap<Vec<i32>, usize> = BTreeMap::new();
    let mut queue: VecDeque<(Vec<i32>, usize)> =
        net.initial.iter().map(|s| (s.clone(), 0)).collect();
    while let Some((state, distance)) = queue.pop_front() {
        if seen.contains_key(&state) {
            continue;
        }
        let next = net.events.iter().filter_map(|e| successor(e, &state));
        queue.extend(next.map(|s| (s, distance + 1)));
        seen.insert(state, distance);
    }
    seen
}

fn check(net: &Net, strict: u64) -> Result<(), TestCaseError> {
    let Some(states) = explicit(net) else {
        return Ok(());
    };
    for strategy in STRATEGIES {
        let mut dd = Manager::new();
        if strict > 0 {
            dd.set_policy(Policy::Strict(strict));
        }
        let mut x = explore_in(dd, net, strategy, &Locals::OnTheFly);
        prop_assert_eq!(&decoded(&x, x.states()), &states);
        let dead = x
            .relation
            .deadlocks(&mut x.dd, x.reached.states.node())
            .unwrap();
        let no_event = |s: &&Vec<i32>| net.events.iter().all(|e| successor(e, s).is_none());
        let expected: BTreeSet<Vec<i32>> = states.iter().filter(no_event).cloned().collect();
        prop_assert_eq!(decoded(&x, dead.node()), expected);
        let bounds = x
            .relation
            .bounds(&mut x.dd, x.reached.states.node())
            .unwrap();
        for (cell, (low, high)) in bounds.iter().enumerate() {
            prop_assert_eq!(states.iter().map(|s| s[cell]).min(), Some(*low));
            prop_assert_eq!(states.iter().map(|s| s[cell]).max(), Some(*high));
        }
        let all = x.reached.states.node();
        let counted = x.relation.count(&mut x.dd, all).unwrap();
        prop_assert_eq!(counted.to_string(), states.len().to_string());
        let sum = |s: &Vec<i32>| s.iter().map(|v| i128::from(*v)).sum();
        let sums: BTreeSet<i128> = states.iter().map(sum).collect();
        let bounds = x.relation.sum_bounds(&mut x.dd, all).unwrap();
        prop_assert_eq!(
            (sums.first(), sums.last()),
            (Some(&bounds.0), Some(&bounds.1))
        );
        let arcs = states
            .iter()
            .flat_map(|s| net.events.iter().map(|e| successor(e, s)));
        let arcs = arcs.filter(Option::is_some).count();
        let counted = x.relation.arcs(&mut x.dd, x.reached.states.node()).unwrap();
        prop_assert_eq!(counted.to_string(), arcs.to_string());
        let by_cell = x
            .relation
            .by_cell(&mut x.dd, x.reached.states.node())
            .unwrap();
        prop_assert_eq!(&by_values(&x, by_cell.node()), &states);
        // Confirmed local states are the projections.
        for (level, cells) in net.levels.iter().enumerate() {
            let local = |s: &Vec<i32>| cells.iter().map(|c| s[*c as usize]).collect();
            let projection: BTreeSet<Vec<i32>> = states.iter().map(local).collect();
            prop_assert_eq!(x.relation.local_sizes()[level].confirmed, projection.len());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        if std::env::var_os("PLAIT_SOAK").is_some() { 20_000 } else { 300 }
    ))]

    /// covers: I21, I39, I48, S2, S6, S41, S42, S50
    #[test]
    fn every_strategy_agrees_with_explicit_search(net in net(), strict in 0..4u64) {
        check(&net, strict)?;
    }

    /// covers: S44
    #[test]
    fn the_order_of_events_does_not_matter(
        (net, shuffled) in net().prop_flat_map(|net| {
            let events = Just(net.events.clone()).prop_shuffle();
            (Just(net), events)
        }),
    ) {
        if explicit(&net).is_none() {
            return Ok(());
        }
        let mut dd = Manager::new();
        let mut first = Relation::new(&mut dd, &net, &Locals::OnTheFly).unwrap();
        let states = first.reach(&mut dd, Way::Saturation).unwrap();
        let net = Net { events: shuffled, ..net };
        let x = explore_in(Manager::new(), &net, Way::Saturation, &Locals::OnTheFly);
        prop_assert_eq!(dd.count(states.states.node()).to_string(), x.count());
        let (a, b) = (dd.size(states.states.node()), x.dd.size(x.states()));
        prop_assert_eq!(a, b);
    }

    /// covers: S53
    #[test]
    fn the_closure_of_a_set_is_what_its_states_reach(net in net()) {
        if explicit(&net).is_none() {
            return Ok(());
        }
        let mut x = explore_in(Manager::new(), &net, Way::Saturation, &Locals::OnTheFly);
        let states = x.states();
        let again = x.relation.closure(&mut x.dd, states).unwrap();
        prop_assert_eq!(again.node(), states);
        // The closure of some of the states, as a diagram: explicit search from them.
        x.dd.set_policy(Policy::Strict(3));
        let paths: Vec<Vec<plait_dd::Step>> = x.dd.states(states).step_by(3).collect();
        let mut some = x.dd.root(Node::ZERO);
        for path in paths {
            let mut node = Node::ONE;
            for step in path.iter().rev() {
                let plait_dd::Value::Integer(label) = step.value else {
                    panic!("levels hold integers");
                };
                let edge = plait_dd::Edge::integer(label, node);
                node = x.dd.integer_node(step.variable, &[edge]).unwrap();
            }
            let sum = x.dd.union(some.node(), node).unwrap();
            some = x.dd.root(sum);
        }
        let initial = decoded(&x, some.node()).into_iter().collect();
        let expected = explicit(&Net { initial, ..net }).unwrap();
        let closed = x.relation.closure(&mut x.dd, some.node()).unwrap();
        prop_assert_eq!(decoded(&x, closed.node()), expected);
    }

    /// covers: S40
    #[test]
    fn breadth_first_search_takes_as_many_rounds_as_the_farthest_state_is_away(net in net()) {
        if explicit(&net).is_none() {
            return Ok(());
        }
        let x = explore(&net, Way::BreadthFirst { frontier: true });
        let distances = distances(&net);
        prop_assert_eq!(distances.values().max(), Some(&x.reached.rounds));
    }

    /// covers: S95
    #[test]
    fn distances_are_those_from_the_nearest_initial_state(net in net()) {
        if explicit(&net).is_none() {
            return Ok(());
        }
        let expected = distances(&net);
        let mut x = explore(&net, Way::Saturation);
        let paths: Vec<Vec<plait_dd::Step>> = x.dd.states(x.states()).step_by(3).collect();
        for placement in [Placement::Edges, Placement::Terminals] {
            for saturation in [true, false] {
                let found = x.relation.distances(&mut x.dd, placement, saturation).unwrap();
                for steps in &paths {
                    let mut labels = vec![0; net.levels.len() + 1];
                    let mut state = vec![0; CELLS as usize];
                    for step in steps {
                        let plait_dd::Value::Integer(label) = step.value else {
                            panic!("levels hold integers");
                        };
                        let level = step.variable as usize;
                        labels[level] = label as u32;
                        let (cells, values) = x.relation.local_state(level, label as u32);
                        for (cell, value) in cells.iter().zip(values) {
                            state[*cell as usize] = *value;
                        }
                    }
                    let distance = expected.get(&state).map(|d| *d as u32);
                    prop_assert_eq!(found.of(&labels), distance);
                }
            }
        }
    }

    #[test]
    fn a_domain_that_is_left_is_a_fault_and_one_that_is_not_is_none(
        net in net(),
        high in 0..4i32,
    ) {
        let Some(states) = explicit(&net) else {
            return Ok(());
        };
        let domain = (-1, high);
        let leaves = states.iter().any(|s| net.events.iter().any(|e| {
            successor(e, s).is_some_and(|next| {
                let updated = e.updates.iter().map(|u| next[u.cell as usize]);
                updated.into_iter().any(|v| v < domain.0 || v > domain.1)
            })
        }));
        let initial_within = net.initial.iter().flatten().all(|v| *v <= high);
        if !initial_within {
            return Ok(());
        }
        let net = Net { domains: vec![domain; CELLS as usize], ..net };
        for way in STRATEGIES {
            let mut dd = Manager::new();
            let mut relation = Relation::new(&mut dd, &net, &Locals::OnTheFly).unwrap();
            let outcome = relation.reach(&mut dd, way);
            prop_assert_eq!(outcome.is_err(), leaves);
            prop_assert_eq!(relation.fault().is_some(), leaves);
        }
    }
}
