//! Diagrams against plain sets of vectors.

mod basics;
mod checked_in;
mod edge_valued;
mod exhaustive;
mod layers;
mod random;
mod stops;

use std::collections::BTreeSet;

use crate::{Manager, Node, Step, Stop, Value};

/// How a vector of integers is written as a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Integer-labelled nodes only.
    Flat,
    /// Each integer in a component of its own: set-labelled over integer-labelled nodes.
    Components,
    /// The first half in a component of components, the rest likewise: three levels.
    Tree,
}

pub(crate) const ENCODINGS: [Encoding; 3] = [Encoding::Flat, Encoding::Components, Encoding::Tree];

impl Encoding {
    pub fn vector(self, m: &mut Manager, values: &[i32]) -> Result<Node, Stop> {
        match self {
            Encoding::Flat => m.integers(0, values),
            Encoding::Components => components(m, values),
            Encoding::Tree => {
                let (left, right) = values.split_at(values.len() / 2);
                let right = components(m, right)?;
                let after = m.set_node(101, &[(right, Node::ONE)])?;
                let kept = m.pushed();
                m.push(after);
                let left = components(m, left)?;
                m.pop(kept);
                m.set_node(100, &[(left, after)])
            }
        }
    }

    /// A set built vector by vector, in the order given.
    pub fn set<'a>(
        self,
        m: &mut Manager,
        vectors: impl IntoIterator<Item = &'a Vec<i32>>,
    ) -> Result<Node, Stop> {
        let mut set = Node::ZERO;
        for vector in vectors {
            let kept = m.pushed();
            m.push(set);
            let one = self.vector(m, vector)?;
            set = m.union(set, one)?;
            m.pop(kept);
        }
        Ok(set)
    }
}

fn components(m: &mut Manager, values: &[i32]) -> Result<Node, Stop> {
    let mut node = Node::ONE;
    for (position, value) in values.iter().enumerate().rev() {
        let kept = m.pushed();
        m.push(node);
        let label = m.integers(0, &[*value])?;
        node = m.set_node(position as u32, &[(label, node)])?;
        m.pop(kept);
    }
    Ok(node)
}

/// The integers of a sequence, however nested.
pub(crate) fn integers(steps: &[Step]) -> Vec<i32> {
    let mut values = Vec::new();
    for step in steps {
        match &step.value {
            Value::Integer(value) => values.push(*value),
            Value::Component(inner) => values.extend(integers(inner)),
        }
    }
    values
}

pub(crate) fn vectors(m: &Manager, set: Node) -> BTreeSet<Vec<i32>> {
    m.states(set).map(|steps| integers(&steps)).collect()
}

/// What canonicity asks of every node of a diagram.
pub(crate) fn assert_canonical(m: &mut Manager, set: Node) {
    use crate::{measure::Reach, Kind};
    for node in m.bottom_up(set, Reach::ChildrenAndLabels) {
        let edges = m.edges(node).to_vec();
        assert!(!edges.is_empty());
        assert!(edges.iter().all(|e| !e.child.is_zero()));
        if m.kind(node) == Kind::Integer {
            assert!(edges.windows(2).all(|w| w[0].value() < w[1].value()));
            continue;
        }
        for (i, a) in edges.iter().enumerate() {
            assert!(!a.label_set().is_zero());
            for b in &edges[..i] {
                assert_ne!(a.child, b.child, "equal children are fused");
                let common = m.intersection(a.label_set(), b.label_set());
                assert_eq!(common, Ok(Node::ZERO), "labels are disjoint");
            }
        }
    }
}
