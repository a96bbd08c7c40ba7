//! Sizes of sets and of diagrams; domains of variables.
//!
//! All of these walk a diagram once, children before parents, without recursion.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use crate::budget::Stop;
use crate::hash::NodeMap;
use crate::manager::Manager;
use crate::node::{Kind, Node};

/// Nodes of one diagram, by kind, without the terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Integer-labelled nodes, those inside labels included.
    pub integer_nodes: usize,
    /// Set-labelled nodes, those inside labels included.
    pub set_nodes: usize,
    /// Their edges.
    pub edges: usize,
    /// The longest path, not going into labels.
    pub depth: usize,
}

/// Which nodes a walk visits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Children only.
    Children,
    /// Labels that are sets, too.
    ChildrenAndLabels,
}

/// Counts of nodes, each kept until its last use: those of a long diagram have many digits.
struct Tally {
    counts: Vec<BigUint>,
    uses: Vec<u32>,
}

impl Tally {
    fn new(size: usize) -> Tally {
        let mut counts = vec![BigUint::ZERO; size];
        counts[1] = BigUint::from(1u32);
        let uses = vec![0; size];
        Tally { counts, uses }
    }

    fn get(&self, place: u32) -> &BigUint {
        &self.counts[place as usize]
    }

    fn release(&mut self, place: u32) {
        let uses = &mut self.uses[place as usize];
        *uses -= 1;
        if *uses == 0 {
            self.counts[place as usize] = BigUint::ZERO;
        }
    }
}

impl Manager {
    /// The nodes of a diagram, children (and labels) before parents, without the terminals.
    pub(crate) fn bottom_up(&self, root: Node, reach: Reach) -> Vec<Node> {
        let mut order = Vec::new();
        let mut seen = vec![0u64; self.store.numbers().div_ceil(64)];
        let mut visit = |node: Node| {
            let bit = 1 << (node.0 % 64);
            let word = &mut seen[node.0 as usize / 64];
            let new = !node.is_terminal() && *word & bit == 0;
            *word |= bit;
            new
        };
        // A node is on the stack with the number of words of its edges already visited.
        let mut stack: Vec<(Node, usize)> = Vec::new();
        if visit(root) {
            stack.push((root, 0));
        }
        while let Some((node, at)) = stack.last_mut() {
            let into_labels = reach == Reach::ChildrenAndLabels && self.kind(*node) == Kind::Set;
            let words = self.len(*node) * if into_labels { 2 } else { 1 };
            if *at == words {
                order.push(*node);
                stack.pop();
                continue;
            }
            let next = if into_labels && *at % 2 == 1 {
                self.edge(*node, *at / 2).label_set()
            } else {
                self.edge(*node, if into_labels { *at / 2 } else { *at })
                    .child
            };
            *at += 1;
            if visit(next) {
                stack.push((next, 0));
            }
        }
        order
    }

    /// How many sequences a set has.
    pub fn count(&self, set: Node) -> BigUint {
        match set {
            Node::ZERO => return BigUint::ZERO,
            Node::ONE => return BigUint::from(1u32),
            _ => {}
        }
        let order = self.bottom_up(set, Reach::ChildrenAndLabels);
        let mut places = vec![0u32; self.store.numbers()];
        let terminals = [Node::ZERO, Node::ONE];
        for (node, place) in terminals.iter().chain(&order).zip(0..) {
            places[node.0 as usize] = place;
        }
        let place = |node: &Node| places[node.0 as usize];
        let mut tally = Tally::new(order.len() + terminals.len());
        for node in &order {
            self.each_factor(*node, |factors, _| {
                for factor in factors {
                    tally.uses[place(factor) as usize] += 1;
                }
            });
        }
        for node in order {
            let mut sum = BigUint::ZERO;
            self.each_factor(node, |factors, times| match factors {
                [child] if times == 1 => sum += tally.get(place(child)),
                [child] => sum += tally.get(place(child)) * times,
                [label, child] => sum += tally.get(place(label)) * tally.get(place(child)),
                _ => unreachable!("one or two factors"),
            });
            self.each_factor(node, |factors, _| {
                for factor in factors {
                    tally.release(place(factor));
                }
            });
            tally.counts[place(&node) as usize] = sum;
        }
        tally.counts.pop().unwrap_or_default()
    }

    /// The sum that counts a node, term by term: the nodes whose counts are multiplied, and how often
    /// the term occurs. Neighbouring edges of integer-labelled nodes often lead to one child: one term.
    pub(crate) fn each_factor(&self, node: Node, mut visit: impl FnMut(&[Node], usize)) {
        if self.kind(node) == Kind::Set {
            for edge in self.edges(node) {
                visit(&[edge.label_set(), edge.child], 1);
            }
            return;
        }
        for run in self.edges(node).chunk_by(|a, b| a.child == b.child) {
            visit(&[run[0].child], run.len());
        }
    }

    /// How large a diagram is.
    pub fn size(&self, set: Node) -> Size {
        let mut size = Size::default();
        for node in self.bottom_up(set, Reach::ChildrenAndLabels) {
            match self.kind(node) {
                Kind::Integer => size.integer_nodes += 1,
                _ => size.set_nodes += 1,
            }
            size.edges += self.len(node);
        }
        let mut depths: NodeMap<usize> = NodeMap::default();
        for node in self.bottom_up(set, Reach::Children) {
            let below = self.edges(node).iter();
            let below = below.map(|e| depths.get(&e.child).copied().unwrap_or(0));
            let depth = 1 + below.max().unwrap_or(0);
            depths.insert(node, depth);
            size.depth = depth;
        }
        size
    }

    /// How many nodes several diagrams have together, without the terminals.
    pub fn shared_nodes(&self, sets: &[Node]) -> usize {
        let nodes = sets
            .iter()
            .flat_map(|set| self.bottom_up(*set, Reach::ChildrenAndLabels));
        nodes.collect::<BTreeSet<Node>>().len()
    }

    /// The values that an integer variable takes in a set, in ascending order; not inside labels.
    pub fn domain(&self, set: Node, variable: u32) -> Vec<i32> {
        let mut values = Vec::new();
        for node in self.bottom_up(set, Reach::Children) {
            if self.kind(node) == Kind::Integer && self.variable(node) == variable {
                values.extend(self.edges(node).iter().map(|e| e.value()));
                // Few values, many nodes: keep the list short.
                if values.len() > 1 << 16 {
                    values.sort_unstable();
                    values.dedup();
                }
            }
        }
        values.sort_unstable();
        values.dedup();
        values
    }

    /// The values that all integer variables take in a set, in one walk; not inside labels.
    pub fn domains(&self, set: Node) -> std::collections::BTreeMap<u32, Vec<i32>> {
        let mut all: std::collections::BTreeMap<u32, Vec<i32>> = Default::default();
        for node in self.bottom_up(set, Reach::Children) {
            if self.kind(node) == Kind::Integer {
                let values = all.entry(self.variable(node)).or_default();
                values.extend(self.edges(node).iter().map(|e| e.value()));
                if values.len() > 1 << 12 && values.len() >= values.capacity() {
                    values.sort_unstable();
                    values.dedup();
                }
            }
        }
        for values in all.values_mut() {
            values.sort_unstable();
            values.dedup();
        }
        all
    }

    /// The union of the labels of a set-labelled variable in a set: the domain of a component.
    pub fn component(&mut self, set: Node, variable: u32) -> Result<Node, Stop> {
        let mut labels = BTreeSet::new();
        for node in self.bottom_up(set, Reach::Children) {
            if self.kind(node) == Kind::Set && self.variable(node) == variable {
                labels.extend(self.edges(node).iter().map(|e| e.label_set()));
            }
        }
        let labels: Vec<Node> = labels.into_iter().collect();
        self.outermost(&[set], |m| m.join_all(&labels))
    }
}
