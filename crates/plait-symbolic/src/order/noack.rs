//! A greedy order along the arcs of a net, in the manner of Noack and of Tovchigrechko.
//!
//! Noack, "A ZBDD package for efficient model checking of Petri nets", 1999; Tovchigrechko, "Model
//! checking using interval decision diagrams", 2008. Nodes are chosen one by one; next comes the one
//! whose events have the largest share of their nodes chosen already. What an event gives counts more
//! than what it takes, so that the order follows the flow of tokens.
//!
//! Weights are kept in a heap and corrected when an event's counts change. In an event with very many
//! nodes they are corrected only when its count has grown by an eighth, which keeps all near-linear.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::deadline::Deadline;
use super::structure::{Hypergraph, GIVES, TAKES};

/// Events with more nodes correct their weights less often.
const LARGE: usize = 16;

/// Which share of an event attracts its other nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attraction {
    /// Noack: what is chosen of the nodes that an event takes from and gives to, weighed 1 : 2.
    Noack,
    /// All chosen nodes of the event alike.
    Plain,
}

struct Entry(f64, u32);

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

/// How many nodes an event takes from and gives to, and how many of them are chosen.
#[derive(Clone, Copy, Default)]
struct Share {
    takes: f64,
    gives: f64,
    chosen_takes: f64,
    chosen_gives: f64,
    chosen: usize,
}

/// An order of all nodes, the first chosen first; those that nobody had time to choose come last.
pub(crate) fn greedy(graph: &Hypergraph, attraction: Attraction, deadline: Deadline) -> Vec<u32> {
    let mut shares: Vec<Share> = (0..graph.edges()).map(|e| share(graph, e)).collect();
    // The shares that the weights of the nodes speak of.
    let mut applied = shares.clone();
    let pull = |share: &Share, role: u8| pull(attraction, share, role);
    let mut weights = vec![0.0; graph.nodes()];
    for (node, weight) in weights.iter_mut().enumerate() {
        for edge in graph.uses(node) {
            let role = role_in(graph, *edge as usize, node as u32);
            *weight += pull(&shares[*edge as usize], role);
        }
        *weight /= graph.uses(node).len().max(1) as f64;
    }
    let mut queue: BinaryHeap<Entry> = (0..).zip(&weights).map(|(n, w)| Entry(*w, n)).collect();
    let mut chosen = vec![false; graph.nodes()];
    let mut order = Vec::with_capacity(graph.nodes());
    // Most of what is in the queue has been corrected since: it is passed over, and in the end left there.
    for step in 0.. {
        let all_chosen = order.len() == graph.nodes();
        if all_chosen || deadline.is_over_at(step) {
            break;
        }
        let Some(Entry(weight, node)) = queue.pop() else {
            break;
        };
        if chosen[node as usize] || weight != weights[node as usize] {
            continue;
        }
        chosen[node as usize] = true;
        order.push(node);
        for edge in graph.uses(node as usize) {
            let edge = *edge as usize;
            let ends = graph.edge(edge);
            let role = role_in(graph, edge, node);
            let after = &mut shares[edge];
            after.chosen += 1;
            after.chosen_takes += f64::from(role & TAKES);
            after.chosen_gives += f64::from((role & GIVES) / GIVES);
            let (after, before) = (*after, applied[edge]);
            if ends.len() > LARGE && after.chosen <= before.chosen + before.chosen / 8 {
                continue;
            }
            applied[edge] = after;
            for (other, role) in ends.iter().filter(|(n, _)| !chosen[*n as usize]) {
                let change = pull(&after, *role) - pull(&before, *role);
                if change != 0.0 {
                    let weight = &mut weights[*other as usize];
                    *weight += change / graph.uses(*other as usize).len() as f64;
                    queue.push(Entry(*weight, *other));
                }
            }
        }
    }
    order.extend((0..graph.nodes() as u32).filter(|n| !chosen[*n as usize]));
    order
}

fn share(graph: &Hypergraph, edge: usize) -> Share {
    let count = |role| graph.edge(edge).iter().filter(|e| e.1 & role != 0).count() as f64;
    Share {
        takes: count(TAKES),
        gives: count(GIVES),
        ..Share::default()
    }
}

fn role_in(graph: &Hypergraph, edge: usize, node: u32) -> u8 {
    let ends = graph.edge(edge);
    match ends.binary_search_by_key(&node, |(n, _)| *n) {
        Ok(at) => ends[at].1,
        Err(_) => 0,
    }
}

/// How much an event pulls a node that it uses in this role.
fn pull(attraction: Attraction, share: &Share, role: u8) -> f64 {
    match attraction {
        Attraction::Plain => {
            let all = (share.takes + share.gives).max(1.0);
            (share.chosen_takes + share.chosen_gives) / all
        }
        Attraction::Noack => {
            let mut sum = 0.0;
            if role & GIVES != 0 && share.takes > 0.0 {
                sum += share.chosen_takes.max(0.1) / share.takes;
                sum += (2.0 * share.chosen_gives).max(0.2) / share.gives.max(1.0);
            }
            if role & TAKES != 0 && share.gives > 0.0 {
                sum += (2.0 * share.chosen_gives).max(0.2) / share.gives;
                sum += share.chosen_takes.max(0.1) / share.takes.max(1.0);
            }
            sum
        }
    }
}
