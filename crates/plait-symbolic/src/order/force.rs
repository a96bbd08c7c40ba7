//! FORCE: nodes move to the centres of gravity of their edges.
//!
//! Aloul, Markov, Sakallah, "FORCE: a fast and easy-to-implement variable-ordering heuristic", 2003.
//! In each round an edge's centre is the mean place of its nodes, and each node is moved to the mean of
//! the centres of its edges; then nodes are ranked again. The sum of spans is watched: the best order
//! seen is the result, never worse than the start.
//!
//! Different from the paper: edges count with the number of their events; a run ends after
//! [`PATIENCE`] rounds without progress; with groups, each round gathers them (see `groups`).

use super::cost::sum_of_spans;
use super::deadline::Deadline;
use super::groups::Tree;
use super::structure::Hypergraph;

/// Rounds without a better sum of spans that end a run.
const PATIENCE: usize = 12;

/// The best order found from a start within so many rounds, and in time.
pub(crate) fn force(
    graph: &Hypergraph,
    start: &[u32],
    groups: Option<&Tree>,
    rounds: usize,
    deadline: Deadline,
) -> Vec<u32> {
    let mut best = match groups {
        Some(tree) => tree.gather(&places(start)),
        None => start.to_vec(),
    };
    let mut best_cost = sum_of_spans(graph, &best);
    let mut place = places(&best);
    let mut last = best.clone();
    let mut idle = 0;
    for _ in 0..rounds {
        if deadline.is_over() {
            break;
        }
        let wanted = pulled(graph, &place);
        let order = match groups {
            Some(tree) => tree.gather(&wanted),
            None => ranked(&wanted, last),
        };
        let next = places(&order);
        let cost = sum_of_spans(graph, &order);
        if cost < best_cost {
            best.clone_from(&order);
            (best_cost, idle) = (cost, 0);
        } else {
            idle += 1;
        }
        if idle == PATIENCE || next == place {
            break;
        }
        (place, last) = (next, order);
    }
    best
}

/// The place of each node in an order.
pub(crate) fn places(order: &[u32]) -> Vec<f64> {
    let mut places = vec![0.0; order.len()];
    for (place, node) in order.iter().enumerate() {
        places[*node as usize] = place as f64;
    }
    places
}

/// Where its edges pull each node; nodes that nothing pulls stay.
fn pulled(graph: &Hypergraph, place: &[f64]) -> Vec<f64> {
    let centre = |edge: usize| {
        let ends = graph.edge(edge);
        let sum: f64 = ends.iter().map(|(node, _)| place[*node as usize]).sum();
        sum / ends.len() as f64
    };
    let centres: Vec<f64> = (0..graph.edges()).map(centre).collect();
    let wanted = |node: usize| {
        let (mut sum, mut weights) = (0.0, 0.0);
        for edge in graph.uses(node) {
            let edge = *edge as usize;
            if graph.edge(edge).len() > 1 {
                sum += graph.weight(edge) * centres[edge];
                weights += graph.weight(edge);
            }
        }
        if weights > 0.0 {
            sum / weights
        } else {
            place[node]
        }
    };
    (0..graph.nodes()).map(wanted).collect()
}

/// The nodes of an order by what they want; those that want the same stay as they were. Few of them
/// move far, and a stable sort makes use of that.
fn ranked(wanted: &[f64], mut order: Vec<u32>) -> Vec<u32> {
    order.sort_by(|a, b| wanted[*a as usize].total_cmp(&wanted[*b as usize]));
    order
}
