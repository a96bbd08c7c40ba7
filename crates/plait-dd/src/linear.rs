//! Least and greatest value of a weighted sum of variables over a set.

use std::collections::{BTreeMap, HashMap};

use crate::manager::Manager;
use crate::measure::Reach;
use crate::node::{Kind, Node};

/// The weights of variables; those not named weigh 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights(pub BTreeMap<u32, Weight>);

/// The weight of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Of an integer variable.
    Integer(i64),
    /// Of the variables inside the labels of a set-labelled variable.
    Component(Weights),
}

impl Weights {
    /// Weight 1 for one integer variable.
    pub fn variable(variable: u32) -> Weights {
        Weights(BTreeMap::from([(variable, Weight::Integer(1))]))
    }
}

impl Manager {
    /// The least and the greatest value of the sum over a set; `None` for the empty set.
    pub fn extrema(&self, set: Node, weights: &Weights) -> Option<(i128, i128)> {
        if set.is_zero() {
            return None;
        }
        let mut best: HashMap<Node, (i128, i128)> = HashMap::from([(Node::ONE, (0, 0))]);
        let mut inner: HashMap<(u32, Node), (i128, i128)> = HashMap::new();
        for node in self.bottom_up(set, Reach::Children) {
            let variable = self.variable(node);
            let weight = weights.0.get(&variable);
            let mut range: Option<(i128, i128)> = None;
            for edge in self.edges(node) {
                let (low, high) = best[&edge.child];
                let (a, b) = match (weight, self.kind(node)) {
                    (Some(Weight::Integer(w)), Kind::Integer) => {
                        let term = i128::from(*w) * i128::from(edge.value());
                        (term, term)
                    }
                    (Some(Weight::Component(weights)), Kind::Set) => *inner
                        .entry((variable, edge.label_set()))
                        .or_insert_with(|| {
                            self.extrema(edge.label_set(), weights)
                                .expect("labels are not empty")
                        }),
                    _ => (0, 0),
                };
                let (low, high) = (low + a, high + b);
                range = Some(range.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
            }
            best.insert(node, range.expect("nodes have edges"));
        }
        best.get(&set).copied()
    }
}
