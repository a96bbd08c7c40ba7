//! Reverse Cuthill-McKee: a breadth-first numbering from the rim, for a small bandwidth.
//!
//! Cuthill, McKee 1969; reversed by George 1971. From a vertex at the rim of each component, vertices
//! are numbered breadth first, those with few neighbours earlier; then all is read backwards.

use super::graph::{by_degree, Graph, FAR};

/// An order of all vertices of the graph.
pub(crate) fn reverse_cuthill_mckee(graph: &Graph) -> Vec<u32> {
    let mut order = Vec::with_capacity(graph.len());
    let mut numbered = vec![false; graph.len()];
    let mut distances = vec![FAR; graph.len()];
    for vertex in 0..graph.len() as u32 {
        if !numbered[vertex as usize] {
            let (start, _) = graph.rim(vertex, &mut distances);
            by_degree(graph, start, &mut numbered, &mut order);
        }
    }
    order.reverse();
    order
}
