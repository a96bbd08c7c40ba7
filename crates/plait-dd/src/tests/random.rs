//! T22: random sequences of operations on registers, with collections forced.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{assert_canonical, vectors, Encoding, ENCODINGS};
use crate::{Manager, Node, Policy, Root};

#[derive(Clone, Debug)]
enum Action {
    Load(usize, Vec<Vec<i32>>),
    Union(usize, usize, usize),
    UnionAll(usize, Vec<usize>),
    Intersection(usize, usize, usize),
    Difference(usize, usize, usize),
    Collect,
}

const REGISTERS: usize = 5;

fn vector() -> impl Strategy<Value = Vec<i32>> {
    prop::collection::vec(-2i32..4, 4)
}

fn action() -> impl Strategy<Value = Action> {
    let r = || 0..REGISTERS;
    prop_oneof![
        4 => (r(), prop::collection::vec(vector(), 0..12)).prop_map(|(a, v)| Action::Load(a, v)),
        4 => (r(), r(), r()).prop_map(|(a, b, c)| Action::Union(a, b, c)),
        2 => (r(), prop::collection::vec(r(), 0..6)).prop_map(|(a, v)| Action::UnionAll(a, v)),
        2 => (r(), r(), r()).prop_map(|(a, b, c)| Action::Intersection(a, b, c)),
        2 => (r(), r(), r()).prop_map(|(a, b, c)| Action::Difference(a, b, c)),
        1 => Just(Action::Collect),
    ]
}

/// Registers as plain sets and as diagrams.
struct Bench {
    m: Manager,
    encoding: Encoding,
    plain: Vec<BTreeSet<Vec<i32>>>,
    roots: Vec<Root>,
}

impl Bench {
    fn new(encoding: Encoding, policy: Policy) -> Bench {
        let mut m = Manager::new();
        m.set_policy(policy);
        let roots = vec![m.root(Node::ZERO); REGISTERS];
        let plain = vec![BTreeSet::new(); REGISTERS];
        Bench {
            m,
            encoding,
            plain,
            roots,
        }
    }

    fn act(&mut self, action: &Action) {
        let node = |i: &usize| self.roots[*i].node();
        let plain = |i: &usize| &self.plain[*i];
        let m = &mut self.m;
        let (target, set, expected) = match action {
            Action::Load(a, v) => (a, self.encoding.set(m, v), v.iter().cloned().collect()),
            Action::Union(a, b, c) => (a, m.union(node(b), node(c)), plain(b) | plain(c)),
            Action::UnionAll(a, v) => {
                let sets: Vec<Node> = v.iter().map(node).collect();
                let one_by_one = v.iter().flat_map(|i| plain(i).clone()).collect();
                (a, m.union_all(&sets), one_by_one)
            }
            Action::Intersection(a, b, c) => {
                (a, m.intersection(node(b), node(c)), plain(b) & plain(c))
            }
            Action::Difference(a, b, c) => (a, m.difference(node(b), node(c)), plain(b) - plain(c)),
            Action::Collect => {
                m.collect();
                return;
            }
        };
        let set = set.unwrap();
        self.roots[*target] = m.root(set);
        self.plain[*target] = expected;
        self.check(*target);
    }

    fn check(&mut self, register: usize) {
        let node = self.roots[register].node();
        let plain = &self.plain[register];
        assert_eq!(&vectors(&self.m, node), plain);
        // Built anew from its vectors, backwards, it is the same node.
        let again = self.encoding.set(&mut self.m, plain.iter().rev());
        assert_eq!(again, Ok(node));
        assert_canonical(&mut self.m, node);
    }
}

fn run(encoding: usize, strict: u64, actions: &[Action]) {
    let policy = match strict {
        0 => Policy::Lazy,
        n => Policy::Strict(n),
    };
    let mut bench = Bench::new(ENCODINGS[encoding], policy);
    for action in actions {
        bench.act(action);
    }
    let nodes: Vec<Node> = bench.roots.iter().map(Root::node).collect();
    bench.m.collect();
    let needed = bench.m.shared_nodes(&nodes);
    assert_eq!(bench.m.statistics().nodes, needed, "no garbage is left");
    for register in 0..REGISTERS {
        bench.check(register);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        if std::env::var_os("PLAIT_SOAK").is_some() { 1_000_000 } else { 300 }
    ))]

    /// covers: I2, I4, I11
    #[test]
    fn random_sequences_of_operations_agree_with_plain_sets(
        encoding in 0..ENCODINGS.len(),
        strict in 0u64..6,
        actions in prop::collection::vec(action(), 1..40),
    ) {
        run(encoding, strict, &actions);
    }

    /// covers: I5
    #[test]
    fn the_union_of_many_is_any_sequence_of_unions_of_two(
        encoding in 0..ENCODINGS.len(),
        sets in prop::collection::vec(prop::collection::vec(vector(), 0..8), 0..7),
    ) {
        let mut m = Manager::new();
        let encoding = ENCODINGS[encoding];
        let nodes: Vec<Node> = sets.iter().map(|s| encoding.set(&mut m, s).unwrap()).collect();
        let many = m.union_all(&nodes).unwrap();
        let left = nodes.iter().fold(Node::ZERO, |a, b| m.union(a, *b).unwrap());
        let right = nodes.iter().rev().fold(Node::ZERO, |a, b| m.union(*b, a).unwrap());
        prop_assert_eq!(many, left);
        prop_assert_eq!(many, right);
    }
}
