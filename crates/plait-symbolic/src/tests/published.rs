//! The nets of section 9 against their closed forms, tables and regression values.

use num_bigint::BigUint;
use plait_dd::{Manager, Node, Policy};

use super::{explore, explore_in, STRATEGIES};
use crate::models::{
    flexible_manufacturing, kanban, leader, one_place_a_level, philosophers, round_robin,
    slotted_ring, upside_down,
};
use crate::{Locals, Net, Strategy};

const PREGENERATED: Locals = Locals::Pregenerated {
    bounds: None,
    limit: 1 << 16,
};

fn saturated(net: &Net) -> BigUint {
    let x = explore(net, Strategy::Saturation);
    x.dd.count(x.states())
}

fn lucas(n: usize) -> BigUint {
    let mut pair = (BigUint::from(2u32), BigUint::from(1u32));
    for _ in 0..n {
        let sum = &pair.0 + &pair.1;
        pair = (pair.1, sum);
    }
    pair.0
}

fn binomial(n: i64, k: i64) -> BigUint {
    if n < k {
        return BigUint::ZERO;
    }
    (0..k).fold(BigUint::from(1u32), |c, i| {
        c * ((n - i) as u64) / ((i + 1) as u64)
    })
}

/// The sum of C(n - m + k, k) for m = 0..=most, without negative n - m.
fn spread(n: i64, most: i64, k: i64) -> BigUint {
    (0..=most.min(n)).map(|m| binomial(n - m + k, k)).sum()
}

fn manufacturing_states(n: i64) -> BigUint {
    let parts = (0..=n).map(|j| spread(j, 2, 2) * spread(n - j, 3, 4) * spread(n - j, 1, 4));
    binomial(n + 2, 2) * parts.sum::<BigUint>()
}

fn kanban_states(n: i64) -> BigUint {
    let pairs = (0..=n).map(|k| binomial(k + 2, 2).pow(2));
    binomial(n + 3, 3).pow(2) * pairs.sum::<BigUint>()
}

fn ring_states(n: i64) -> BigUint {
    let term = |h: i64| {
        let (four, two) = (BigUint::from(4u32), BigUint::from(2u32));
        binomial(n, h).pow(2) * four.pow(h as u32) * two.pow((n - h) as u32)
    };
    (0..=n).map(term).sum()
}

#[test]
fn counts_are_the_closed_forms() {
    // covers: I39, S24
    for n in [2, 3, 4, 5, 6, 10, 20, 51, 100] {
        assert_eq!(
            saturated(&philosophers(n)),
            lucas(3 * n),
            "philosophers {n}"
        );
    }
    for n in [2, 3, 4, 5, 10, 15, 20] {
        assert_eq!(
            saturated(&slotted_ring(n)),
            ring_states(n as i64),
            "ring {n}"
        );
    }
    for n in [3usize, 5, 6, 8, 10, 15, 30] {
        let states = BigUint::from(9 * n) << (n - 2);
        assert_eq!(saturated(&round_robin(n)), states, "robin {n}");
    }
    for n in [1, 2, 3, 5, 7, 10, 20] {
        assert_eq!(saturated(&kanban(n)), kanban_states(n.into()), "kanban {n}");
        let states = manufacturing_states(n.into());
        assert_eq!(saturated(&flexible_manufacturing(n)), states, "fms {n}");
    }
    for (n, states) in (2..).zip([61u32, 849, 11555, 150_879]) {
        assert_eq!(saturated(&leader(n)), BigUint::from(states), "leader {n}");
    }
}

#[test]
fn ten_thousand_philosophers_are_counted_exactly() {
    // covers: S33
    let count = saturated(&philosophers(10_000));
    assert_eq!(count, lucas(30_000));
    let digits = count.to_string();
    assert_eq!((&digits[..2], digits.len()), ("42", 6270));
}

/// The digits printed in tables 3.1, 3.3 and 4.1, rounded.
#[test]
fn counts_have_the_printed_digits() {
    let rounded = |count: BigUint, digits: usize| {
        let text = count.to_string();
        let head: u64 = text[..digits + 1].parse().unwrap();
        ((head + 5) / 10, text.len() - 1)
    };
    let table: [(Net, u64, usize); 14] = [
        (philosophers(200), 247, 125),
        (philosophers(400), 610, 250),
        (philosophers(1000), 918, 626),
        (slotted_ring(10), 829, 9),
        (slotted_ring(20), 273, 20),
        (slotted_ring(30), 104, 31),
        (round_robin(25), 189, 9),
        (round_robin(50), 127, 17),
        (round_robin(100), 285, 32),
        (flexible_manufacturing(5), 290, 6),
        (flexible_manufacturing(10), 250, 9),
        (flexible_manufacturing(25), 854, 13),
        (flexible_manufacturing(50), 424, 17),
        (kanban(20), 805, 11),
    ];
    for (net, head, exponent) in table {
        assert_eq!(rounded(saturated(&net), 3), (head, exponent));
    }
}

#[test]
fn local_spaces_have_the_sizes_of_the_regression() {
    // covers: S7, S49
    let pairs = explore(&philosophers(7), Strategy::Saturation);
    assert_eq!(pairs.relation.levels(), 4);
    assert_eq!(pairs.local(1), (13, 8));
    assert_eq!([2, 3, 4].map(|k| pairs.local(k)), [(55, 34); 3]);
    let ring = explore(&slotted_ring(6), Strategy::Saturation);
    assert_eq!([1, 3, 6].map(|k| ring.local(k)), [(15, 15); 3]);
    let robin = explore(&round_robin(6), Strategy::Saturation);
    assert_eq!([2, 4, 7].map(|k| robin.local(k)), [(10, 7); 3]);
    let alone = explore_in(
        Manager::new(),
        &round_robin(6),
        Strategy::Saturation,
        &PREGENERATED,
    );
    assert_eq!(alone.local(4), (10, 10));
    let elected = explore(&leader(4), Strategy::Saturation);
    assert_eq!(
        [1, 2, 7, 8].map(|k| elected.local(k)),
        [(22, 13), (9, 9), (22, 13), (9, 9)]
    );
    let parts = explore(&flexible_manufacturing(6), Strategy::Saturation);
    for k in 1..=19 {
        let expected = match k {
            17 => 4,
            12 => 3,
            7 => 2,
            _ => 7,
        };
        assert_eq!(parts.local(k).1, expected, "level {k}");
        if expected == 7 {
            assert_eq!(parts.local(k).0, 8, "level {k}");
        }
    }
    let cards = explore(&kanban(4), Strategy::Saturation);
    assert_eq!([1, 2, 3, 4].map(|k| cards.local(k)), [(35, 35); 4]);
}

#[test]
fn final_nodes_are_those_of_the_prototype() {
    let nodes = |net: &Net| {
        let x = explore(net, Strategy::Saturation);
        x.dd.size(x.states()).integer_nodes
    };
    assert_eq!(
        [3, 5, 10].map(|n| nodes(&flexible_manufacturing(n))),
        [88, 149, 354]
    );
    assert_eq!([3, 4, 5].map(|n| nodes(&leader(n))), [147, 564, 1604]);
    assert_eq!([5, 10].map(|n| nodes(&slotted_ring(n))), [17, 60]);
}

/// Losing locality or sharing changes no count, only these.
#[test]
fn peak_nodes_of_saturation_are_pinned() {
    let peak = |net: &Net| {
        let x = explore(net, Strategy::Saturation);
        x.dd.statistics().peak_nodes
    };
    assert_eq!([10, 20, 100].map(|n| peak(&philosophers(n))), [17, 37, 197]);
    assert_eq!([5, 10, 20].map(|n| peak(&slotted_ring(n))), [63, 342, 2057]);
    assert_eq!([8, 10].map(|n| peak(&round_robin(n))), [79, 110]);
    assert_eq!([3, 5].map(|n| peak(&kanban(n))), [7, 9]);
    assert_eq!(
        [5, 20].map(|n| peak(&flexible_manufacturing(n))),
        [235, 1645]
    );
}

#[test]
fn all_strategies_find_the_same_node_and_breadth_first_counts_distances() {
    // covers: S40, S41, S42, I21, I25
    let nets = [
        (philosophers(4), 8, "2"),
        (philosophers(5), 10, "2"),
        (slotted_ring(3), 18, "0"),
        (slotted_ring(4), 27, "0"),
        (round_robin(5), 34, "0"),
        (kanban(2), 28, "0"),
        (flexible_manufacturing(2), 28, "0"),
        (leader(3), 29, "3"),
    ];
    for (net, distance, deadlocks) in nets {
        let mut dd = Manager::new();
        let mut relation = crate::Relation::new(&mut dd, &net, &Locals::OnTheFly).unwrap();
        let mut reached = Vec::new();
        for strategy in STRATEGIES {
            reached.push(relation.reach(&mut dd, strategy).unwrap());
        }
        for other in &reached {
            assert_eq!(other.states.node(), reached[0].states.node());
        }
        assert_eq!((reached[4].rounds, reached[5].rounds), (distance, distance));
        let dead = relation
            .deadlocks(&mut dd, reached[0].states.node())
            .unwrap();
        assert_eq!(dd.count(dead.node()).to_string(), deadlocks);
    }
}

#[test]
fn levels_may_be_cut_and_ordered_otherwise() {
    for net in [
        philosophers(5),
        slotted_ring(4),
        round_robin(5),
        kanban(3),
        leader(3),
    ] {
        let count = saturated(&net);
        assert_eq!(saturated(&one_place_a_level(net.clone())), count);
        assert_eq!(saturated(&upside_down(net.clone())), count);
        assert_eq!(saturated(&upside_down(one_place_a_level(net))), count);
    }
    for net in [philosophers(6), slotted_ring(5), round_robin(6), kanban(3)] {
        let mut x = explore(&net, Strategy::Saturation);
        let states = x.reached.states.node();
        let known = Locals::Pregenerated {
            bounds: Some(x.relation.bounds(&mut x.dd, states).unwrap()),
            limit: 1 << 16,
        };
        let y = explore_in(Manager::new(), &net, Strategy::Saturation, &known);
        assert_eq!(y.count(), x.count());
    }
}

/// The values of all cells in all states.
fn markings(x: &super::Explored) -> Vec<Vec<i32>> {
    let decode = |steps: Vec<plait_dd::Step>| {
        let mut marking = vec![0; x.relation.cells()];
        for step in steps {
            let plait_dd::Value::Integer(label) = step.value else {
                panic!("levels hold integers");
            };
            let local = x.relation.local_state(step.variable as usize, label as u32);
            for (cell, value) in local.0.iter().zip(local.1) {
                marking[*cell as usize] = *value;
            }
        }
        marking
    };
    x.dd.states(x.states()).map(decode).collect()
}

#[test]
fn four_philosophers_are_smaller_as_components() {
    // covers: I12
    let x = explore(&philosophers(4), Strategy::Saturation);
    let mut dd = Manager::new();
    let (mut flat, mut nested) = (Node::ZERO, Node::ZERO);
    // The lazy policy collects nothing at this size, so that no roots are needed.
    for marking in markings(&x) {
        let one = dd.integers(0, &marking).unwrap();
        flat = dd.union(flat, one).unwrap();
        let mut seats = Node::ONE;
        for (seat, places) in marking.chunks(6).enumerate() {
            let label = dd.integers(0, places).unwrap();
            seats = dd.set_node(seat as u32, &[(label, seats)]).unwrap();
        }
        nested = dd.union(nested, seats).unwrap();
    }
    assert_eq!(dd.count(flat), BigUint::from(322u32));
    assert_eq!(dd.count(nested), BigUint::from(322u32));
    let (flat, nested) = (dd.size(flat), dd.size(nested));
    assert!(nested.integer_nodes + nested.set_nodes < flat.integer_nodes);
}

#[test]
fn bounds_of_places_are_those_of_the_nets() {
    // covers: I10
    let mut x = explore(&flexible_manufacturing(4), Strategy::Saturation);
    let states = x.reached.states.node();
    let bounds = x.relation.bounds(&mut x.dd, states).unwrap();
    // Three kinds of parts, three kinds of machines, then parts under way.
    assert_eq!(
        bounds[..6],
        [(0, 4), (0, 4), (0, 4), (0, 3), (0, 1), (0, 2)]
    );
    assert!(bounds[6..].iter().all(|(low, _)| *low == 0));
    assert_eq!(bounds[7], (0, 3));
}

#[test]
fn collection_policies_change_memory_only() {
    // covers: S56, S57
    // Small sizes: the strictest policy forgets nearly all cached results.
    for net in [
        philosophers(8),
        slotted_ring(5),
        round_robin(6),
        flexible_manufacturing(3),
    ] {
        let run = |policy| {
            let mut dd = Manager::new();
            dd.set_policy(policy);
            let mut x = explore_in(dd, &net, Strategy::Saturation, &Locals::OnTheFly);
            let dead = x.deadlocks();
            (x.count(), x.dd.size(x.states()), dead, x.dd.statistics())
        };
        let lazy = run(Policy::Lazy);
        assert_eq!((lazy.3.collections, lazy.3.collected), (0, 0));
        for n in [1, 10, 100] {
            let strict = run(Policy::Strict(n));
            assert_eq!(
                (&strict.0, &strict.1, &strict.2),
                (&lazy.0, &lazy.1, &lazy.2)
            );
            assert!(strict.3.peak_nodes <= lazy.3.peak_nodes);
        }
    }
}

#[test]
fn the_strictest_collection_leaves_a_constant_above_the_final_size() {
    // covers: S58
    let excess = |n| {
        let mut dd = Manager::new();
        dd.set_policy(Policy::Strict(1));
        let net = flexible_manufacturing(n);
        let x = explore_in(dd, &net, Strategy::Saturation, &Locals::OnTheFly);
        x.dd.statistics().peak_nodes - x.dd.size(x.states()).integer_nodes
    };
    assert_eq!([3, 5, 8].map(excess), [excess(4); 3]);
}
