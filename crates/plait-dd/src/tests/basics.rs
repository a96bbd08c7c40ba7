use num_bigint::BigUint;

use super::{assert_canonical, vectors, Encoding};
use crate::{with_big_stack, Edge, Kind, Manager, Node, Policy, Stop, Value, Weight, Weights};

#[test]
fn three_sequences_share_their_last_step() {
    // covers: I1
    let mut m = Manager::new();
    let sequences = [vec![2, 3, 1], vec![1, 1, 1], vec![1, 2, 3]];
    let set = Encoding::Flat.set(&mut m, &sequences).unwrap();
    assert_eq!(m.count(set), BigUint::from(3u32));
    // x1; x2 after 1, x2 after 2; x3 <- 1 (shared) and x3 <- 3.
    let size = m.size(set);
    assert_eq!((size.integer_nodes, size.edges, size.depth), (5, 7, 3));
    let child = |node: Node, value: i32| {
        let edges = m.edges(node).iter();
        edges.clone().find(|e| e.value() == value).unwrap().child
    };
    assert_eq!(child(child(set, 2), 3), child(child(set, 1), 1));
    assert_eq!(m.states(set).count(), 3);
}

#[test]
fn overlapping_labels_are_refined_and_equal_children_fused() {
    // covers: I3
    let mut m = Manager::new();
    let mut leaf = |values: &[i32]| {
        let edges: Vec<Edge> = values
            .iter()
            .map(|v| Edge::integer(*v, Node::ONE))
            .collect();
        m.integer_node(0, &edges).unwrap()
    };
    let ab = leaf(&[1, 2]);
    let bc = leaf(&[2, 3]);
    let only_a = leaf(&[1]);
    let only_b = leaf(&[2]);
    let only_c = leaf(&[3]);
    let x = leaf(&[7]);
    let y = leaf(&[8]);
    let xy = leaf(&[7, 8]);
    let node = m.set_node(5, &[(ab, x), (bc, y)]).unwrap();
    let edges: std::collections::BTreeSet<(Node, Node)> = m
        .edges(node)
        .iter()
        .map(|e| (e.label_set(), e.child))
        .collect();
    assert_eq!(
        edges,
        [(only_a, x), (only_b, xy), (only_c, y)]
            .into_iter()
            .collect()
    );
    let fused = m.set_node(5, &[(only_a, x), (only_b, x)]).unwrap();
    assert_eq!(m.edges(fused), [Edge::set(ab, x)]);
    assert_canonical(&mut m, node);
}

#[test]
fn incompatible_sequences_are_not_united() {
    // covers: I7
    let mut m = Manager::new();
    let short = m.integers(0, &[1]).unwrap();
    let long = m.integers(0, &[1, 2]).unwrap();
    let other = m.integers(1, &[1]).unwrap();
    assert_eq!(m.union(short, long), Err(Stop::Incompatible));
    assert_eq!(m.union(short, other), Err(Stop::Incompatible));
    assert_eq!(m.union(short, Node::ONE), Err(Stop::Incompatible));
    assert_eq!(m.intersection(short, long), Ok(Node::ZERO));
    assert_eq!(m.difference(long, short), Ok(long));
    // Lists of different lengths stand in one set as long as a label tells them apart.
    let list = m.integers(0, &[2, 5, 6]).unwrap();
    let lists = m.union(short, list).unwrap();
    assert_eq!(vectors(&m, lists), [vec![1], vec![2, 5, 6]].into());
}

#[test]
fn counts_go_beyond_any_machine_word() {
    // covers: I8
    let mut m = Manager::new();
    let mut flat = Node::ONE;
    for variable in (0..500).rev() {
        let edges: Vec<Edge> = (-5..5).map(|v| Edge::integer(v, flat)).collect();
        flat = m.integer_node(variable, &edges).unwrap();
    }
    let mut nested = flat;
    for variable in 0..3 {
        nested = m.set_node(variable, &[(nested, nested)]).unwrap();
    }
    assert_eq!(m.count(flat), BigUint::from(10u32).pow(500));
    assert_eq!(m.count(nested), BigUint::from(10u32).pow(4000));
    let size = m.size(nested);
    assert_eq!(
        (size.integer_nodes, size.set_nodes, size.depth),
        (500, 3, 503)
    );
    assert_eq!(m.count(Node::ZERO), BigUint::ZERO);
    assert_eq!(m.count(Node::ONE), BigUint::from(1u32));
}

#[test]
fn states_are_enumerated_up_to_a_limit_and_drawn() {
    // covers: I9
    let mut m = Manager::new();
    let all = [vec![1, 2, 3, 4], vec![1, 2, 5, 6], vec![-7, 8, 9, 9]];
    let set = Encoding::Tree.set(&mut m, &all).unwrap();
    assert_eq!(vectors(&m, set), all.clone().into());
    assert_eq!(m.states(set).take(2).count(), 2);
    let picked = m.pick(set).unwrap();
    assert!(matches!(picked[0].value, Value::Component(_)));
    assert!(all.contains(&super::integers(&picked)));
    assert_eq!(m.pick(Node::ZERO), None);
    assert_eq!(m.pick(Node::ONE), Some(Vec::new()));
    let dot = m.dot(set, |v| format!("x{v}"));
    assert!(dot.starts_with("digraph {") && dot.ends_with("}\n"));
    assert_eq!(dot.matches("style=dotted").count(), {
        let nodes = m.bottom_up(set, crate::measure::Reach::ChildrenAndLabels);
        let sets = nodes.iter().filter(|n| m.kind(**n) == Kind::Set);
        sets.map(|n| m.len(*n)).sum::<usize>()
    });
    let flat = Encoding::Flat.set(&mut m, &all).unwrap();
    assert!(m.contains(flat, &[1, 2, 5, 6]));
    assert!(!m.contains(flat, &[1, 2, 3, 6]));
    assert!(!m.contains(flat, &[1, 2, 3]));
    assert!(m.dot(flat, |v| format!("x{v}")).contains("[label=\"-7\"]"));
}

#[test]
fn domains_and_extrema_of_sums() {
    // covers: I10
    let mut m = Manager::new();
    let all = [vec![1, 2, 3, 4], vec![1, 2, 5, 6], vec![-7, 8, 9, 9]];
    let flat = Encoding::Flat.set(&mut m, &all).unwrap();
    let _flat = m.root(flat);
    assert_eq!(m.domain(flat, 0), [-7, 1]);
    assert_eq!(m.domain(flat, 2), [3, 5, 9]);
    assert_eq!(m.domain(flat, 9), [] as [i32; 0]);
    assert_eq!(m.domains(flat)[&3], [4, 6, 9]);
    let weights = |pairs: &[(u32, i64)]| {
        let weigh = |(v, w): &(u32, i64)| (*v, Weight::Integer(*w));
        Weights(pairs.iter().map(weigh).collect())
    };
    assert_eq!(m.extrema(flat, &Weights::variable(1)), Some((2, 8)));
    assert_eq!(m.extrema(flat, &weights(&[(0, 1), (3, 1)])), Some((2, 7)));
    assert_eq!(m.extrema(flat, &weights(&[(0, -2), (2, 3)])), Some((7, 41)));
    assert_eq!(m.extrema(Node::ZERO, &Weights::variable(0)), None);

    let tree = Encoding::Components.set(&mut m, &all).unwrap();
    let _tree = m.root(tree);
    let second = m.component(tree, 1).unwrap();
    assert_eq!(m.domain(second, 0), [2, 8]);
    let inner = |w| Weight::Component(weights(&[(0, w)]));
    let nested = Weights([(0, inner(-2)), (2, inner(3))].into());
    assert_eq!(m.extrema(tree, &nested), Some((7, 41)));
}

#[test]
fn diagrams_may_be_a_hundred_thousand_variables_deep() {
    let mut m = Manager::new();
    let deep = 100_000;
    let a = m.integers(0, &vec![1; deep]).unwrap();
    let _a = m.root(a);
    let b = m.integers(0, &vec![2; deep]).unwrap();
    let _b = m.root(b);
    let both = m.union(a, b).unwrap();
    let _both = m.root(both);
    assert_eq!(m.count(both), BigUint::from(2u32));
    assert_eq!(m.difference(both, a).unwrap(), b);
    assert_eq!(m.is_subset(a, both), Ok(true));
    assert_eq!(
        with_big_stack(|| m.concatenation(both, b)).map(|_| ()),
        Ok(())
    );
    m.collect();
    assert_eq!(m.size(both).depth, deep);
    assert_eq!(m.states(both).count(), 2);
}

#[test]
fn collections_free_what_nothing_keeps_and_move_nothing_else() {
    // covers: I11
    let mut m = Manager::new();
    let kept: Vec<_> = (0..50)
        .map(|i| {
            let node = m.integers(0, &[i, 2 * i, 3 * i]).unwrap();
            m.root(node)
        })
        .collect();
    for i in 0..1000 {
        m.integers(0, &[i, i, i, i]).unwrap();
    }
    let before = m.statistics();
    let freed = m.collect();
    let after = m.statistics();
    assert!(freed > 1000);
    assert_eq!(before.nodes - freed, after.nodes);
    assert_eq!((after.collections, after.collected), (1, freed as u64));
    assert_eq!(after.peak_nodes, before.nodes);
    for (i, root) in (0..50).zip(&kept) {
        assert!(m.contains(root.node(), &[i, 2 * i, 3 * i]));
        assert_eq!(m.integers(0, &[i, 2 * i, 3 * i]), Ok(root.node()));
    }
    drop(kept);
    m.collect();
    assert_eq!(m.statistics().nodes, 0);
}

#[test]
fn lazy_frees_nothing_below_its_threshold_and_strict_keeps_the_store_small() {
    let run = |policy| {
        let mut m = Manager::new();
        m.set_policy(policy);
        let mut set = m.root(Node::ZERO);
        for i in 0..400 {
            let one = m.integers(0, &[i % 7, i % 11, i % 13, i % 17]).unwrap();
            let node = m.union(set.node(), one).unwrap();
            set = m.root(node);
        }
        let count = m.count(set.node());
        let size = m.size(set.node());
        (count, size, m.statistics())
    };
    let lazy = run(Policy::Lazy);
    assert_eq!((lazy.2.collections, lazy.2.collected), (0, 0));
    for n in [1, 100] {
        let strict = run(Policy::Strict(n));
        assert_eq!((&strict.0, strict.1), (&lazy.0, lazy.1));
        assert!(strict.2.collections > 0);
        assert!(strict.2.peak_nodes < lazy.2.peak_nodes);
    }
}

#[test]
fn repeated_operations_hit_the_cache() {
    // covers: S31
    let mut m = Manager::new();
    let a = Encoding::Flat
        .set(&mut m, &[vec![1, 2], vec![3, 4]])
        .unwrap();
    let b = Encoding::Flat
        .set(&mut m, &[vec![1, 3], vec![3, 4]])
        .unwrap();
    let first = m.union(a, b).unwrap();
    let hits = m.statistics().cache_hits;
    assert_eq!(m.union(b, a).unwrap(), first);
    assert_eq!(m.statistics().cache_hits, hits + 1);
    m.clear_cache();
    assert_eq!(m.union(b, a).unwrap(), first);
}

#[test]
fn managers_move_between_threads() {
    let mut m = Manager::new();
    let node = m.integers(0, &[1, 2, 3]).unwrap();
    let root = m.root(node);
    let m = std::thread::spawn(move || {
        let mut m = m;
        drop(root);
        m.collect();
        m
    })
    .join()
    .unwrap();
    assert_eq!(m.statistics().nodes, 0);
}
