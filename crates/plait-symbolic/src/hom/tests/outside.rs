//! Homomorphisms by stored relations, by functions on values, and defined outside.

use std::sync::Arc;

use plait_dd::{Edge, Manager, Node};
use plait_program::arithmetic::CompareOp;

use super::rules::setting;
use super::{diagram, states_of, States};
use crate::hom::{Halt, Hom, Homs, Inductive, Label};

#[test]
fn an_opaque_event_is_called_once_for_each_projection() {
    for seed in 5000..5200 {
        let mut s = setting(seed);
        let (states, d) = s.set();
        // Both successors of (x4, x2): sum and difference exchanged.
        let function = |v: &[i32], out: &mut Vec<i32>, _: &mut dyn plait_program::Watch| {
            if v[0] > v[1] {
                out.extend([v[0].wrapping_sub(v[1]), v[1], v[1], v[0]]);
            }
            Ok(())
        };
        let opaque = s.homs.opaque(&[2, 4], Box::new(function));
        let image = s.apply(opaque, &d);
        let mut expected = States::new();
        let mut projections = std::collections::BTreeSet::new();
        for x in &states {
            projections.insert((x[1], x[3]));
            if x[1] > x[3] {
                let (mut a, mut b) = (x.clone(), x.clone());
                a[1] = x[1].wrapping_sub(x[3]);
                (b[1], b[3]) = (x[3], x[1]);
                expected.extend([a, b]);
            }
        }
        assert_eq!(states_of(&s.dd, image.node()), expected);
        assert_eq!(s.homs.opaque_calls(opaque), projections.len() as u64);
        let back = s.homs.predecessors(&mut s.dd, opaque, d.node()).unwrap();
        let found = s.homs.apply(&mut s.dd, back, image.node()).unwrap();
        let moving: States = states.iter().filter(|x| x[1] > x[3]).cloned().collect();
        assert_eq!(states_of(&s.dd, found), moving);
    }
}

/// covers: I28
#[test]
fn a_stored_relation_gives_its_image() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    // Variable 2: 0 -> 1 and 0 -> 2; variable 1 is left alone.
    let after = [1, 2].map(|v| Edge::integer(v, Node::ONE));
    let after = dd.integer_node(3, &after).unwrap();
    let relation = dd.integer_node(4, &[Edge::integer(0, after)]).unwrap();
    let h = homs.relation(&dd, relation);
    let set = diagram(&mut dd, &[vec![9, 0], vec![8, 5]].into_iter().collect());
    let image = homs.apply(&mut dd, h, set).unwrap();
    let expected: States = [vec![9, 1], vec![9, 2]].into_iter().collect();
    assert_eq!(states_of(&dd, image), expected);
}

/// Exchanging two variables that differ is no product of functions on each of them. That event alone is
/// a stored relation; the others stay steps of one variable.
///
/// covers: S120
#[test]
fn one_event_may_be_a_stored_relation_among_products_of_local_functions() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let most = 4;
    let mut swap = Node::ZERO;
    for (x, y) in (0..=most).flat_map(|x| (0..=most).map(move |y| (x, y))) {
        if x == y {
            continue;
        }
        // Variables 2 (before and after) and 1 (before and after), top first.
        let mut pair = Node::ONE;
        for (variable, value) in (1..).zip([x, y, y, x]) {
            let edge = Edge::integer(value, pair);
            pair = dd.integer_node(variable, &[edge]).unwrap();
        }
        swap = dd.union(swap, pair).unwrap();
    }
    let swap = homs.relation(&dd, swap);
    let guard = homs.compare(2, CompareOp::Less, most);
    let up = homs.increment(2, 1);
    let up = homs.compose(up, guard);
    let (down, positive) = (
        homs.increment(1, -1),
        homs.compare(1, CompareOp::Greater, 1),
    );
    let down = homs.compose(down, positive);
    let third = homs.compare_variables(3, CompareOp::Less, 2);
    let third_up = homs.increment(3, 1);
    let third = homs.compose(third_up, third);
    let step = homs.sum(&[swap, up, down, third, Hom::ID]);
    let reach = homs.fixpoint(step);
    let set = diagram(&mut dd, &[vec![3, 2, 0]].into_iter().collect());
    let reached = homs.apply(&mut dd, reach, set).unwrap();
    let mut expected = States::new();
    let mut queue = vec![vec![3, 2, 0]];
    while let Some(s) = queue.pop() {
        if !expected.insert(s.clone()) {
            continue;
        }
        if s[0] != s[1] {
            queue.push(vec![s[1], s[0], s[2]]);
        }
        if s[1] < most {
            queue.push(vec![s[0], s[1] + 1, s[2]]);
        }
        if s[0] > 1 {
            queue.push(vec![s[0] - 1, s[1], s[2]]);
        }
        if s[2] < s[1] {
            queue.push(vec![s[0], s[1], s[2] + 1]);
        }
    }
    assert_eq!(states_of(&dd, reached), expected);
}

/// `x <= k`, defined outside.
#[derive(Debug)]
struct AtMost(u32, i32);

impl Inductive for AtMost {
    fn name(&self) -> (String, Vec<i64>) {
        ("at most".into(), vec![i64::from(self.0), i64::from(self.1)])
    }

    fn top(&self) -> u32 {
        self.0
    }

    fn support(&self) -> Option<Vec<u32>> {
        Some(vec![self.0])
    }

    fn is_selector(&self) -> bool {
        true
    }

    fn at(
        &self,
        _homs: &mut Homs,
        _dd: &mut Manager,
        _variable: u32,
        label: Label,
    ) -> Result<Vec<(Label, Hom)>, Halt> {
        match label {
            Label::Integer(v) if v <= self.1 => Ok(vec![(label, Hom::ID)]),
            _ => Ok(Vec::new()),
        }
    }
}

#[test]
fn a_homomorphism_defined_outside_composes_with_the_others() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let set = diagram(&mut dd, &[vec![0, 0, 0, 0]].into_iter().collect());
    let leq = homs.user(Arc::new(AtMost(1, 2)));
    assert_eq!(leq, homs.user(Arc::new(AtMost(1, 2))));
    let inc = homs.increment(1, 1);
    let f = homs.compose(leq, inc);
    let step = homs.sum(&[f, Hom::ID]);
    let reach = homs.fixpoint(step);
    let reached = homs.apply(&mut dd, reach, set).unwrap();
    assert_eq!(dd.domain(reached, 1), vec![0, 1, 2]);
}
