//! Diagrams by variable.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::measure::Reach;
use crate::{Edge, Manager, Node};

/// Vectors as sequences that end with variable 1.
fn set(m: &mut Manager, vectors: &BTreeSet<Vec<i32>>) -> Node {
    let mut set = Node::ZERO;
    for vector in vectors {
        let mut node = Node::ONE;
        for (variable, value) in (1..).zip(vector) {
            let edge = Edge::integer(*value, node);
            node = m.integer_node(variable, &[edge]).unwrap();
        }
        set = m.union(set, node).unwrap();
    }
    set
}

proptest! {
    #[test]
    fn each_node_has_one_place_among_those_of_its_variable(
        vectors in prop::collection::btree_set(prop::collection::vec(-2i32..4, 4), 1..20),
    ) {
        let mut m = Manager::new();
        let set = set(&mut m, &vectors);
        let layers = m.layers(set);
        prop_assert_eq!(layers.nodes(4), &[set]);
        prop_assert_eq!(layers.nodes(0), &[Node::ONE]);
        let mut found = 0;
        for variable in 1..=4 {
            for (place, node) in layers.nodes(variable).iter().enumerate() {
                prop_assert_eq!(m.variable(*node) as usize, variable);
                prop_assert_eq!(layers.place(*node), place);
                found += 1;
            }
        }
        prop_assert_eq!(found, m.bottom_up(set, Reach::Children).len());
    }
}

#[test]
#[should_panic(expected = "a variable is left out")]
fn a_diagram_that_leaves_out_a_variable_has_no_layers() {
    let mut m = Manager::new();
    let low = m.integer_node(1, &[Edge::integer(0, Node::ONE)]).unwrap();
    let high = m.integer_node(3, &[Edge::integer(0, low)]).unwrap();
    m.layers(high);
}
