//! The run that the specification spells out (structural, section 4.7).

use plait_dd::{Edge, Node};

use super::{explore, explore_in};
use crate::models::{Builder, Transition};
use crate::{Locals, Net, NetError, Relation, Strategy};

/// a: p -> q + r, inhibited by r; b: q -> p; c: r + s -> t; d: t -> s.
pub(super) fn producer_consumer() -> Net {
    let mut b = Builder::default();
    let [p, q, r, s, t] = [1, 0, 0, 1, 0].map(|tokens| b.place(tokens));
    b.add(Transition::new(&[p], &[q, r]).inhibited(r, 1));
    b.transition(&[q], &[p]);
    b.transition(&[r, s], &[t]);
    b.transition(&[t], &[s]);
    b.level(&[s, t]);
    b.level(&[q, r]);
    b.level(&[p]);
    b.net()
}

#[test]
fn the_golden_run_is_reproduced_node_by_node() {
    // covers: S46, S47
    let mut x = explore(&producer_consumer(), Strategy::Saturation);
    assert_eq!(x.count(), "8");
    assert_eq!(x.deadlocks(), "0");
    let relation = &x.relation;
    let states = |level: usize, numbers: std::ops::Range<u32>| -> Vec<Vec<i32>> {
        numbers
            .map(|n| relation.local_state(level, n).1.to_vec())
            .collect()
    };
    assert_eq!(states(3, 0..3), [[1], [0], [2]]);
    assert_eq!(states(2, 0..5), [[0, 0], [1, 1], [0, 1], [1, 0], [2, 1]]);
    assert_eq!(states(1, 0..2), [[1, 0], [0, 1]]);
    // p2 and q2r1 are discovered and never confirmed: no place is ever known to hold two tokens.
    assert_eq!([3, 2, 1].map(|k| x.local(k)), [(3, 2), (5, 4), (2, 2)]);
    let unconfirmed = |level: usize, number: u32| {
        let local = &relation.levels[level].local;
        !local.is_confirmed(number)
    };
    assert!(unconfirmed(3, 2) && unconfirmed(2, 4));
    let reached = x.reached.states.node();
    let bounds = x.relation.bounds(&mut x.dd, reached).unwrap();
    assert_eq!(bounds, [(0, 1); 5]);
    // Created: <1|2>, <1|3>; <2|2> to <2|6>; the root. Final: <1|3>, <2|5>, <2|6>, the root.
    let mut fresh = plait_dd::Manager::new();
    let mut again = Relation::new(&mut fresh, &producer_consumer(), &Locals::OnTheFly).unwrap();
    again.reach(&mut fresh, Strategy::Saturation).unwrap();
    assert_eq!(fresh.statistics().created, 8);
    assert_eq!(x.dd.size(x.states()).integer_nodes, 4);
    let edges = |node: Node| -> Vec<(i32, Node)> {
        let edges = x.dd.edges(node).iter();
        edges.map(|e: &Edge| (e.value(), e.child)).collect()
    };
    let [(0, n26), (1, n25)] = edges(x.states())[..] else {
        panic!("the root has the arcs 0 and 1");
    };
    let [(1, n13), (3, n13_again)] = edges(n25)[..] else {
        panic!("<2|5> has the arcs 1 and 3");
    };
    assert_eq!(n13, n13_again);
    assert_eq!(edges(n26), [(0, n13), (2, n13)]);
    assert_eq!(edges(n13), [(0, Node::ONE), (1, Node::ONE)]);
}

#[test]
fn matrices_of_the_golden_run() {
    // covers: S13
    let x = explore(&producer_consumer(), Strategy::Saturation);
    let rows = |level: usize| {
        let local = &x.relation.levels[level].local;
        let space = &x.relation.spaces[local.space];
        let confirmed = (0..space.len() as u32).filter(|i| local.is_confirmed(*i));
        let functions = space.row(0).len();
        let entries = |f: usize| {
            let entries = confirmed.clone().map(move |i| (i, space.row(i)[f]));
            entries.filter(|(_, j)| *j != u32::MAX && local.is_confirmed(*j))
        };
        (0..functions)
            .map(|f| entries(f).collect())
            .collect::<Vec<Vec<(u32, u32)>>>()
    };
    assert_eq!(rows(3), [vec![(0, 1)], vec![(1, 0)]]);
    assert_eq!(
        rows(2),
        [vec![(0, 1)], vec![(1, 2), (3, 0)], vec![(1, 3), (2, 0)]]
    );
    assert_eq!(rows(1), [vec![(0, 1)], vec![(1, 0)]]);
}

#[test]
fn two_places_that_exchange_a_token_are_bounded_only_together() {
    // covers: S48
    let mut b = Builder::default();
    let [x, y] = [1, 0].map(|tokens| b.place(tokens));
    b.transition(&[x], &[y]);
    b.transition(&[y], &[x]);
    b.level(&[x]);
    b.level(&[y]);
    let net = b.net();
    let alone = Locals::Pregenerated {
        bounds: None,
        limit: 10_000,
    };
    let mut dd = plait_dd::Manager::new();
    let refused = Relation::new(&mut dd, &net, &alone).err();
    assert_eq!(refused, Some(NetError::Unbounded(1)));
    let together = explore(&net, Strategy::Saturation);
    assert_eq!(together.count(), "2");
    assert_eq!((together.local(1).1, together.local(2).1), (2, 2));
    let known = Locals::Pregenerated {
        bounds: Some(vec![(0, 1); 2]),
        limit: 10,
    };
    let bounded = explore_in(dd, &net, Strategy::Saturation, &known);
    assert_eq!(bounded.count(), "2");
}

#[test]
fn growing_a_level_adds_nothing_to_old_sets() {
    // covers: S34, S62
    let mut dd = plait_dd::Manager::new();
    let old = [[0, 0, 2], [0, 1, 2], [1, 0, 2], [1, 1, 2], [3, 0, 2]];
    let mut set = dd.root(Node::ZERO);
    for state in old.iter().chain([&[3, 2, 2]]) {
        let one = dd.integers(0, state).unwrap();
        let sum = dd.union(set.node(), one).unwrap();
        set = dd.root(sum);
    }
    assert!(dd.contains(set.node(), &[3, 2, 2]));
    assert!(!dd.contains(set.node(), &[0, 2, 2]));
    assert!(!dd.contains(set.node(), &[1, 2, 2]));
    assert_eq!(dd.states(set.node()).count(), 6);
}

#[test]
fn events_that_change_nothing_matter_for_deadlocks_only() {
    // covers: S12
    let net = || {
        let mut b = Builder::default();
        let [p, q] = [2, 0].map(|tokens| b.place(tokens));
        b.transition(&[p], &[q]);
        b.level(&[p]);
        b.level(&[q]);
        (b, q)
    };
    let (b, _) = net();
    let mut plain = explore(&b.net(), Strategy::Saturation);
    assert_eq!((plain.count(), plain.deadlocks()), ("3".into(), "1".into()));
    let (mut b, q) = net();
    b.add(Transition::default().reads(&[q]));
    let mut tested = explore(&b.net(), Strategy::Saturation);
    assert_eq!(
        (tested.count(), tested.deadlocks()),
        ("3".into(), "0".into())
    );
    let (mut b, _) = net();
    b.add(Transition::default());
    let mut always = explore(&b.net(), Strategy::Saturation);
    assert_eq!(
        (always.count(), always.deadlocks()),
        ("3".into(), "0".into())
    );
}

#[test]
fn wrong_nets_are_refused() {
    let sound = producer_consumer;
    let refuse = |net: Net| {
        let mut dd = plait_dd::Manager::new();
        Relation::new(&mut dd, &net, &Locals::OnTheFly).err()
    };
    assert_eq!(refuse(sound()), None);
    let mut net = sound();
    net.levels[0].push(4);
    assert_eq!(refuse(net), Some(NetError::Cell(4)));
    let mut net = sound();
    net.levels.pop();
    assert_eq!(refuse(net), Some(NetError::Cell(0)));
    let mut net = sound();
    net.levels.push(Vec::new());
    assert_eq!(refuse(net), Some(NetError::Empty(4)));
    let mut net = sound();
    net.initial.push(vec![0]);
    assert_eq!(refuse(net), Some(NetError::Initial(1)));
    let mut net = sound();
    net.initial.clear();
    assert_eq!(refuse(net), Some(NetError::Initial(0)));
    let mut net = sound();
    let update = net.events[1].updates[0];
    net.events[1].updates.push(update);
    let cell = update.cell;
    assert_eq!(refuse(net), Some(NetError::Event { event: 1, cell }));
    let mut net = sound();
    net.events[2].tests[0].cell = 9;
    assert_eq!(refuse(net), Some(NetError::Event { event: 2, cell: 9 }));
}
