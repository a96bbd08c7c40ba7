//! The directed search against all markings of random nets.

use std::collections::HashSet;

use proptest::prelude::*;

use crate::budget::{Reason, Unobserved};
use crate::directed::{directed, Directed, DirectedOptions};
use crate::directed_net::{DirectedEvent, DirectedGoal, DirectedNet, GoalNode};

const PLACES: usize = 5;
const MOST: usize = 2_000;

fn event() -> impl Strategy<Value = DirectedEvent> {
    let row = || prop::collection::vec((0..PLACES as u32, 1..3), 0..3);
    (row(), row()).prop_map(|(taken, put)| {
        let mut event = DirectedEvent::default();
        for place in 0..PLACES as u32 {
            let of =
                |row: &[(u32, i32)]| row.iter().filter(|(p, _)| *p == place).map(|r| r.1).sum();
            let (pre, post): (i32, i32) = (of(&taken), of(&put));
            if pre > 0 {
                event.pre.push((place, pre));
            }
            if post != pre {
                event.change.push((place, post - pre));
            }
        }
        event
    })
}

fn net() -> impl Strategy<Value = DirectedNet> {
    let tokens = prop::collection::vec(0..4, PLACES);
    let events = prop::collection::vec(event(), 1..8);
    (tokens, events).prop_map(|(initial, events)| DirectedNet::new(initial, events).unwrap())
}

/// Two to six inequalities, and junctions of those before.
fn goal() -> impl Strategy<Value = Vec<GoalNode>> {
    let factor = prop_oneof![-2i64..0, 1i64..3];
    let row = prop::collection::btree_map(0..PLACES as u32, factor, 1..3);
    let atoms = prop::collection::vec((row, -3i64..6), 2..6);
    let junctions = prop::collection::vec(
        (any::<bool>(), prop::collection::vec(0u32..100, 1..4)),
        1..4,
    );
    (atoms, junctions).prop_map(|(atoms, junctions)| {
        let made = |(row, bound): (std::collections::BTreeMap<u32, i64>, i64)| {
            GoalNode::Atom(row.into_iter().collect(), bound)
        };
        let mut nodes: Vec<GoalNode> = atoms.into_iter().map(made).collect();
        for (every, parts) in junctions {
            let count = nodes.len() as u32;
            nodes.push(GoalNode::Junction(
                every,
                parts.iter().map(|p| p % count).collect(),
            ));
        }
        nodes
    })
}

fn holds(nodes: &[GoalNode], marking: &[i32]) -> bool {
    let mut values: Vec<bool> = Vec::new();
    for node in nodes {
        let value = match node {
            GoalNode::Atom(row, bound) => {
                let sum: i64 = row
                    .iter()
                    .map(|(p, c)| c * i64::from(marking[*p as usize]))
                    .sum();
                sum >= *bound
            }
            GoalNode::Junction(true, parts) => parts.iter().all(|p| values[*p as usize]),
            GoalNode::Junction(false, parts) => parts.iter().any(|p| values[*p as usize]),
        };
        values.push(value);
    }
    values[values.len() - 1]
}

fn enables(net: &DirectedNet, marking: &[i32], event: u32) -> bool {
    let pre = &net.events[event as usize].pre;
    pre.iter().all(|(p, n)| marking[*p as usize] >= *n)
}

/// All markings of a net, if there are not too many.
fn markings(net: &DirectedNet) -> Option<Vec<Vec<i32>>> {
    let mut all = vec![net.initial.clone()];
    let mut known: HashSet<Vec<i32>> = all.iter().cloned().collect();
    let mut next = 0;
    while next < all.len() {
        for event in 0..net.events.len() as u32 {
            let mut marking = all[next].clone();
            if enables(net, &marking, event)
                && net.fire(&mut marking, event)
                && known.insert(marking.clone())
            {
                all.push(marking);
            }
        }
        next += 1;
        if all.len() > MOST {
            return None;
        }
    }
    Some(all)
}

fn search(net: &DirectedNet, nodes: &[GoalNode], states: Option<u64>) -> Directed {
    let goal = DirectedGoal::new(net, nodes.to_vec()).unwrap();
    let options = DirectedOptions {
        states,
        ..DirectedOptions::default()
    };
    directed(net, goal, &options, &mut Unobserved)
}

/// The marking after events that must be enabled one after the other.
fn after(net: &DirectedNet, events: &[u32]) -> Vec<i32> {
    let mut marking = net.initial.clone();
    for event in events {
        assert!(enables(net, &marking, *event) && net.fire(&mut marking, *event));
    }
    marking
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_goal_is_found_exactly_when_some_marking_satisfies_it(net in net(), nodes in goal()) {
        let all = markings(&net);
        let found = search(&net, &nodes, Some(MOST as u64));
        if let Some(events) = &found.found {
            prop_assert!(holds(&nodes, &after(&net, events)));
        }
        if let Some(all) = all {
            let reachable = all.iter().any(|m| holds(&nodes, m));
            prop_assert_eq!(found.found.is_some(), reachable);
            prop_assert_eq!(found.reason.is_some(), reachable);
            prop_assert!(found.states <= all.len() as u64);
        } else if found.reason.is_none() {
            prop_assert!(found.found.is_none());
        }
    }
}

/// So many pairs of places, in each of which a token goes to and fro.
fn switches(count: u32) -> DirectedNet {
    let step = |from, to| DirectedEvent {
        pre: vec![(from, 1)],
        change: vec![(from, -1), (to, 1)],
    };
    let events = (0..count).flat_map(|i| [step(2 * i, 2 * i + 1), step(2 * i + 1, 2 * i)]);
    DirectedNet::new([1, 0].repeat(count as usize), events.collect()).unwrap()
}

#[test]
fn what_the_goal_does_not_call_for_is_not_executed() {
    let net = switches(40);
    let never = [
        GoalNode::Atom(vec![(0, 1), (1, 1)], 2),
        GoalNode::Atom(vec![(3, 1)], 1),
        GoalNode::Junction(true, vec![0, 1]),
    ];
    let found = search(&net, &never, None);
    assert!(found.found.is_none() && found.reason.is_none());
    assert!(found.states <= 4, "{} of 2^40 states", found.states);
    let all: Vec<GoalNode> = (0..40)
        .map(|i| GoalNode::Atom(vec![(2 * i + 1, 1)], 1))
        .collect();
    let every = [all, vec![GoalNode::Junction(true, (0..40).collect())]].concat();
    let found = search(&net, &every, None);
    assert_eq!(found.found.map(|events| events.len()), Some(40));
}

#[test]
fn tokens_by_the_thousand_are_moved_without_a_detour() {
    // Three at a time there, one at a time back, over a place in between.
    let events = vec![
        DirectedEvent {
            pre: vec![(0, 3)],
            change: vec![(0, -3), (1, 3)],
        },
        DirectedEvent {
            pre: vec![(1, 1)],
            change: vec![(1, -1), (2, 1)],
        },
        DirectedEvent {
            pre: vec![(2, 1)],
            change: vec![(2, -1), (0, 1)],
        },
        DirectedEvent {
            pre: vec![(2, 2)],
            change: vec![(2, -2), (3, 1)],
        },
    ];
    let net = DirectedNet::new(vec![9_000, 0, 0, 0], events).unwrap();
    let goal = [
        GoalNode::Atom(vec![(3, 1)], 2_000),
        GoalNode::Atom(vec![(2, 1), (1, -1)], 500),
        GoalNode::Junction(true, vec![0, 1]),
    ];
    let found = search(&net, &goal, Some(200_000));
    let events = found.found.expect("a way to the goal");
    assert!(holds(&goal, &after(&net, &events)));
}

#[test]
fn costs_that_no_number_holds_are_not_taken_for_infinite() {
    // Each place needs a billion tokens of the one before, so the last costs 10^9 to the 60th.
    let step = |i| DirectedEvent {
        pre: vec![(i, 1_000_000_000)],
        change: vec![(i, -1_000_000_000), (i + 1, 1)],
    };
    let source = DirectedEvent {
        pre: vec![],
        change: vec![(0, 1)],
    };
    let events = (0..60).map(step).chain([source]).collect();
    let net = DirectedNet::new(vec![0; 61], events).unwrap();
    let mut goal = vec![GoalNode::Atom(vec![(60, 1)], 1)];
    for part in 0..1_100 {
        goal.push(GoalNode::Junction(true, vec![part, part]));
    }
    let found = search(&net, &goal, Some(50));
    assert_eq!((found.states, found.reason), (50, Some(Reason::States)));
}

#[test]
fn places_that_would_overflow_make_a_search_incomplete() {
    let grow = DirectedEvent {
        pre: vec![(0, 1)],
        change: vec![(0, 1)],
    };
    let net = DirectedNet::new(vec![i32::MAX, 0], vec![grow]).unwrap();
    let goal = [GoalNode::Atom(vec![(0, 1)], i64::from(i32::MAX) + 1)];
    let found = search(&net, &goal, None);
    assert!(found.found.is_none() && found.reason.is_some());
}

#[test]
fn numbers_that_stand_for_nothing_are_refused() {
    let event = |pre: &[(u32, i32)], change: &[(u32, i32)]| DirectedEvent {
        pre: pre.to_vec(),
        change: change.to_vec(),
    };
    for (initial, events) in [
        (vec![1], vec![event(&[(1, 1)], &[])]),
        (vec![1], vec![event(&[(0, 0)], &[])]),
        (vec![1], vec![event(&[], &[(0, -1)])]),
        (vec![1], vec![event(&[], &[(0, 0)])]),
        (vec![1], vec![event(&[], &[(3, 1)])]),
        (vec![-1], vec![]),
    ] {
        assert!(DirectedNet::new(initial, events).is_err());
    }
    let net = switches(1);
    for nodes in [
        vec![],
        vec![GoalNode::Junction(true, vec![0])],
        vec![GoalNode::Atom(vec![(2, 1)], 1)],
        vec![GoalNode::Atom(vec![(0, 0)], 1)],
    ] {
        assert!(DirectedGoal::new(&net, nodes).is_err());
    }
}

#[test]
fn a_goal_whose_parts_are_shared_is_looked_at_part_by_part() {
    let event = DirectedEvent {
        pre: vec![(0, 1)],
        change: vec![(0, -1), (1, 1)],
    };
    let net = DirectedNet::new(vec![1, 0, 0], vec![event]).unwrap();
    // Nobody marks the last place; what stands beside it always holds.
    let mut nodes = vec![
        GoalNode::Atom(vec![(1, 1)], 2),
        GoalNode::Atom(vec![(0, 1)], 0),
        GoalNode::Atom(vec![(1, 1)], 0),
    ];
    let mut last = 0;
    for _ in 0..60 {
        let number = nodes.len() as u32;
        nodes.push(GoalNode::Junction(true, vec![last, 1]));
        nodes.push(GoalNode::Junction(true, vec![last, 2]));
        nodes.push(GoalNode::Junction(false, vec![number, number + 1]));
        last = number + 2;
    }
    let found = search(&net, &nodes, None);
    assert_eq!((found.found, found.reason), (None, None));
}

#[test]
fn the_limits_are_looked_at_between_the_successors_of_one_marking() {
    const MANY: u32 = 3_000;
    let step = |place| DirectedEvent {
        pre: vec![(place, 1)],
        change: vec![(place, -1), (MANY, 1)],
    };
    let mut tokens = vec![1; MANY as usize];
    tokens.push(0);
    let net = DirectedNet::new(tokens, (0..MANY).map(step).collect()).unwrap();
    // All events together make as many tokens, and no more.
    let nodes = vec![GoalNode::Atom(vec![(MANY, 1)], i64::from(MANY) + 1)];
    let goal = DirectedGoal::new(&net, nodes).unwrap();
    let options = DirectedOptions {
        timeout: Some(std::time::Duration::from_millis(1)),
        ..DirectedOptions::default()
    };
    let found = directed(&net, goal, &options, &mut Unobserved);
    // The successors of the first marking alone take nine million looks at events.
    assert_eq!(found.reason, Some(Reason::Timeout));
    assert!(found.states <= u64::from(MANY), "{}", found.states);
}
