//! What happens to nodes when they are closed, dropped, found again in a cache and collected.

use super::{vectors, Encoding};
use crate::{Edge, Manager, Node};

fn leaf(m: &mut Manager, values: &[i32]) -> Node {
    let edges = values.iter().map(|v| Edge::integer(*v, Node::ONE));
    let edges: Vec<Edge> = edges.collect();
    m.integer_node(1, &edges).unwrap()
}

#[test]
fn a_node_without_edges_is_the_empty_set_and_takes_no_room() {
    // covers: S28
    let mut m = Manager::new();
    m.open_slots(2);
    assert_eq!(m.open_close(1, 7), Ok(Node::ZERO));
    assert_eq!(m.integer_node(7, &[]), Ok(Node::ZERO));
    let label = leaf(&mut m, &[1, 2]);
    assert_eq!(m.set_node(8, &[(label, Node::ZERO)]), Ok(Node::ZERO));
    assert_eq!(m.set_node(8, &[(Node::ZERO, label)]), Ok(Node::ZERO));
    // Only the label was ever made; and the slot of the open node may be used again.
    assert_eq!((m.statistics().created, m.statistics().edges), (1, 2));
    m.open_set(1, 3, Node::ONE);
    let node = m.open_close(1, 7).unwrap();
    assert_eq!(m.edges(node), [Edge::integer(3, Node::ONE)]);
}

#[test]
fn a_node_is_the_same_however_its_edges_were_written_down() {
    // covers: S29
    let mut m = Manager::new();
    m.open_slots(3);
    let expected = leaf(&mut m, &[0, 1, 3]);
    // A full array, read from the left to the right.
    for label in [3, 0, 1] {
        m.open_set(0, label, Node::ONE);
    }
    assert_eq!(m.open_close(0, 1), Ok(expected));
    // An array with room for a thousand labels more, of which three are listed and sorted.
    m.open_set(1, 1000, Node::ONE);
    m.open_clear(1);
    for label in [1, 3, 0] {
        m.open_set(1, label, Node::ONE);
    }
    assert_eq!(m.open_close(1, 1), Ok(expected));
    // Piece by piece.
    let (low, high) = (leaf(&mut m, &[0, 1]), leaf(&mut m, &[3]));
    assert_eq!(m.union(low, high), Ok(expected));
    let more = leaf(&mut m, &[0, 1, 3, 1000]);
    let last = leaf(&mut m, &[1000]);
    assert_eq!(m.difference(more, last), Ok(expected));
    assert_eq!(m.statistics().created, 5);
}

#[test]
fn a_dropped_node_is_found_in_the_cache_until_a_collection() {
    // covers: S59
    let mut m = Manager::new();
    let a = Encoding::Flat.set(&mut m, &[vec![1, 2], vec![3, 4]]);
    let b = Encoding::Flat.set(&mut m, &[vec![1, 3], vec![5, 4]]);
    let (a, b) = (m.root(a.unwrap()), m.root(b.unwrap()));
    m.collect();
    let before = m.statistics();
    let first = m.union(a.node(), b.node()).unwrap();
    let made = m.statistics().created - before.created;
    assert!(made > 0);
    // Nobody holds the union now, and yet it is found again, and can be kept.
    let again = m.union(a.node(), b.node()).unwrap();
    assert_eq!(again, first);
    assert_eq!(m.statistics().created, before.created + made);
    assert_eq!(m.statistics().cache_hits, before.cache_hits + 1);
    let revived = m.root(again);
    m.collect();
    assert_eq!(m.union(a.node(), b.node()), Ok(revived.node()));
    assert_eq!(vectors(&m, revived.node()).len(), 4);
    // Without a root the collection takes it and what the cache said of it.
    drop(revived);
    m.collect();
    let hits = m.statistics().cache_hits;
    let anew = m.union(a.node(), b.node()).unwrap();
    assert_eq!(m.statistics().cache_hits, hits);
    assert_eq!(m.statistics().created, before.created + 2 * made);
    assert_eq!(vectors(&m, anew).len(), 4);
}

#[test]
fn holes_are_closed_when_they_are_many_and_no_node_changes_its_number() {
    // covers: S60
    let mut m = Manager::new();
    let sets: Vec<_> = (0..100)
        .map(|i| {
            let values: Vec<i32> = (0..=i).map(|k| 1000 * i + k).collect();
            let node = leaf(&mut m, &values);
            m.root(node)
        })
        .collect();
    let kept_of = |every: usize, sets: Vec<crate::Root>| -> Vec<crate::Root> {
        let kept = sets.into_iter().enumerate();
        kept.filter(|(i, _)| i % every != 3).map(|p| p.1).collect()
    };
    let contents = |m: &Manager, sets: &[crate::Root]| -> Vec<(Node, Vec<Edge>)> {
        let sets = sets.iter();
        sets.map(|r| (r.node(), m.edges(r.node()).to_vec()))
            .collect()
    };
    // A tenth of the edges: the holes may stay.
    let sets = kept_of(10, sets);
    let before = contents(&m, &sets);
    m.collect();
    assert!(m.store.holes() > 0);
    assert_eq!(contents(&m, &sets), before);
    // A third of what is left: they are closed.
    let sets = kept_of(4, sets);
    let before = contents(&m, &sets);
    m.collect();
    assert_eq!(m.store.holes(), 0);
    assert_eq!(contents(&m, &sets), before);
    // The unique table still knows all of them.
    for (node, edges) in before {
        assert_eq!(m.integer_node(1, &edges), Ok(node));
    }
}

#[test]
fn a_membership_is_one_way_down_the_diagram() {
    // covers: S37
    let mut m = Manager::new();
    let levels = 2000;
    let mut set = Node::ONE;
    for variable in 0..levels {
        let edges = [0, 1, 5].map(|v| Edge::integer(v, set));
        set = m.integer_node(variable, &edges).unwrap();
    }
    let _kept = m.root(set);
    // 3^2000 states: what is decided is decided without making or looking up anything.
    let before = m.statistics();
    let mut state = vec![5; levels as usize];
    assert!(m.contains(set, &state));
    for place in [0, 999, 1999] {
        state[place] = 2;
        assert!(!m.contains(set, &state));
        state[place] = 1;
        assert!(m.contains(set, &state));
    }
    let after = m.statistics();
    assert_eq!(after.created, before.created);
    assert_eq!(after.cache_lookups, before.cache_lookups);
    assert_eq!(m.size(set).depth, levels as usize);
}
