//! Expressions: simplification, substitution, partition.

use std::collections::BTreeMap;

use plait_dd::Manager;
use plait_program::arithmetic::{BinaryOp, CompareOp, UnaryOp};

use super::{diagram, manager, states_of, Forest, Random, States};
use crate::hom::{Form, Homs};

/// covers: I30
#[test]
fn substitution_agrees_with_evaluation_whatever_the_order_of_variables() {
    let mut random = Random(1);
    for _ in 0..6000 {
        let forest = Forest::new(&mut random, 4);
        let mut homs = Homs::new();
        let size = 1 + random.below(4) as u32;
        let tree = if random.chance(2) {
            forest.integer(&mut random, size)
        } else {
            forest.condition(&mut random, size)
        };
        let e = tree.build(&mut homs);
        for _ in 0..3 {
            let state = random.state(4);
            let mut order: Vec<u32> = vec![4, 3, 2, 1];
            if random.chance(2) {
                order.reverse();
            }
            let mut now = e;
            // Again and again: resolving an index may bring a variable back.
            for x in order.iter().cycle().take(32) {
                now = homs.pool.substitute(now, *x, state[*x as usize - 1]);
            }
            let value = homs.pool.constant_value(now);
            assert_eq!(value, Some(tree.value(&state)), "{tree:?} in {state:?}");
            if homs.pool.is_total(e) {
                assert!(tree.value(&state).is_some(), "{tree:?} is not total");
            }
            if homs.pool.is_never(e) && homs.pool.is_condition(e) {
                assert_ne!(tree.value(&state), Some(1), "{tree:?} can be true");
            }
        }
    }
}

/// covers: I30
#[test]
fn a_partial_valuation_leaves_the_residue_of_the_thesis() {
    let mut homs = Homs::new();
    let (a, b) = (homs.pool.read(2), homs.pool.read(1));
    let sum = homs.pool.add(a, b);
    let residue = homs.pool.substitute(sum, 2, 12);
    assert_eq!(homs.pool.form(residue), Form::Offset(12, b));
}

#[test]
fn equal_sums_are_one_expression_however_they_are_written() {
    let mut homs = Homs::new();
    let pool = &mut homs.pool;
    let (x, y, z) = (pool.read(3), pool.read(2), pool.read(1));
    let left = pool.add(x, y);
    let left = pool.add(left, z);
    let right = pool.add(z, y);
    let right = pool.add(right, x);
    assert_eq!(left, right);
    let twice = pool.add(left, right);
    let two = pool.constant(2);
    let doubled = pool.binary(BinaryOp::Multiply, left, two);
    assert_eq!(twice, doubled);
    let nothing = pool.binary(BinaryOp::Subtract, left, right);
    assert_eq!(pool.form(nothing), Form::Constant(0));
}

#[test]
fn what_may_be_undefined_does_not_cancel() {
    let mut homs = Homs::new();
    let pool = &mut homs.pool;
    let (x, y) = (pool.read(2), pool.read(1));
    let quotient = pool.binary(BinaryOp::Divide, x, y);
    let nothing = pool.binary(BinaryOp::Subtract, quotient, quotient);
    let at_zero = pool.substitute(nothing, 2, 5);
    let at_zero = pool.substitute(at_zero, 1, 0);
    assert_eq!(pool.form(at_zero), Form::Bottom);
    let same = pool.compare(CompareOp::Equal, quotient, quotient);
    assert!(!pool.is_total(same));
}

#[test]
fn an_expression_that_is_doubled_fifty_times_stays_small() {
    let mut homs = Homs::new();
    let mut e = homs.pool.read(1);
    let mut c = homs.pool.compare(CompareOp::Less, e, e);
    for k in 0..50 {
        e = homs.pool.add(e, e);
        let k = homs.pool.constant(k);
        let e_now = homs.pool.unary(UnaryOp::Negate, e);
        let other = homs.pool.compare(CompareOp::Less, e_now, k);
        c = homs.pool.iff(other, c);
        c = homs.pool.not(c);
    }
    assert!(homs.pool.len() < 1000, "{}", homs.pool.len());
    let at_one = homs.pool.substitute(e, 1, 1);
    assert_eq!(homs.pool.form(at_one), Form::Constant(0));
}

#[test]
fn a_sum_of_a_hundred_thousand_variables_is_evaluated_from_its_front() {
    let mut homs = Homs::new();
    let terms: Vec<_> = (1..=100_000).map(|x| homs.pool.read(x)).collect();
    let mut sum = homs.pool.sum(&terms);
    let before = homs.pool.len();
    for x in (1..=100_000).rev() {
        sum = homs.pool.substitute(sum, x, 1);
    }
    assert_eq!(homs.pool.form(sum), Form::Constant(100_000));
    assert!(homs.pool.len() - before < 600_000, "each step is cheap");
}

/// covers: I31, I32, I35
#[test]
fn a_partition_has_one_class_for_each_value_also_with_nested_and_overlapping_arrays() {
    let mut random = Random(2);
    for _ in 0..6000 {
        let forest = Forest::new(&mut random, 5);
        let mut dd = manager(&mut random);
        let mut homs = Homs::new();
        let size = 1 + random.below(4) as u32;
        let tree = if random.chance(3) {
            forest.condition(&mut random, size)
        } else {
            forest.integer(&mut random, size)
        };
        let states = random.states(5, 12);
        let mut expected: BTreeMap<Option<i32>, States> = BTreeMap::new();
        for state in &states {
            let class = expected.entry(tree.value(state)).or_default();
            class.insert(state.clone());
        }
        let set = diagram(&mut dd, &states);
        let _root = dd.root(set);
        let e = tree.build(&mut homs);
        let found = homs.partition(&mut dd, e, set).unwrap();
        let found: BTreeMap<Option<i32>, States> = found
            .into_iter()
            .map(|(value, class)| (value, states_of(&dd, class)))
            .collect();
        assert_eq!(found, expected, "{tree:?}");
    }
}

/// The cost of splitting follows the number of classes, not of states.
#[test]
fn the_parity_of_many_variables_is_split_in_linear_time() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let mut set = plait_dd::Node::ONE;
    for x in 1..=200 {
        let edges = [0, 1].map(|v| plait_dd::Edge::integer(v, set));
        set = dd.integer_node(x, &edges).unwrap();
    }
    let terms: Vec<_> = (1..=200).map(|x| homs.pool.read(x)).collect();
    let sum = homs.pool.sum(&terms);
    let one = homs.pool.constant(1);
    let parity = homs.pool.binary(BinaryOp::And, sum, one);
    let classes = homs.partition(&mut dd, parity, set).unwrap();
    let counts: Vec<String> = classes.iter().map(|c| dd.count(c.1).to_string()).collect();
    assert_eq!(classes.len(), 2);
    assert_eq!(counts[0], counts[1]);
    assert!(
        dd.statistics().created < 100_000,
        "{}",
        dd.statistics().created
    );
}
