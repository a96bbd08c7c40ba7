//! Plain graphs made from hypergraphs, and the distances in them.
//!
//! The *bipartite* graph has the nodes and the edges of the hypergraph as its vertices: it is never
//! larger than the input. The *clique* graph joins the nodes of each edge directly, as long as
//! that is affordable. (Meijer, van de Pol, "Bandwidth and wavefront reduction for static variable
//! ordering in symbolic reachability analysis", 2016, compare both.)

use std::collections::VecDeque;

use super::structure::Hypergraph;

/// No distance: not reached.
pub(crate) const FAR: u32 = u32::MAX;
/// Rounds of the search for a vertex at the rim.
const RIM_ROUNDS: usize = 8;

/// An undirected graph; neighbours ascend.
pub(crate) struct Graph {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// Nodes first, then edges, each joined to its nodes. Edges with one node join nothing.
    pub fn bipartite(hypergraph: &Hypergraph) -> Graph {
        let nodes = hypergraph.nodes();
        let mut graph = Graph {
            starts: vec![0],
            neighbours: Vec::with_capacity(2 * hypergraph.ends()),
        };
        for node in 0..nodes {
            let uses = hypergraph.uses(node).iter();
            let joined = uses.filter(|e| hypergraph.edge(**e as usize).len() > 1);
            graph.neighbours.extend(joined.map(|e| nodes as u32 + e));
            graph.close();
        }
        for edge in 0..hypergraph.edges() {
            let ends = hypergraph.edge(edge);
            if ends.len() > 1 {
                graph.neighbours.extend(ends.iter().map(|(node, _)| *node));
            }
            graph.close();
        }
        graph
    }

    /// Nodes of one edge are neighbours; nothing when that needs more than `limit` pairs.
    pub fn cliques(hypergraph: &Hypergraph, limit: usize) -> Option<Graph> {
        let pairs = |edge| hypergraph.edge(edge).len().pow(2);
        let total: usize = (0..hypergraph.edges()).map(pairs).sum();
        if total > limit {
            return None;
        }
        let mut graph = Graph {
            starts: vec![0],
            neighbours: Vec::with_capacity(total),
        };
        let mut joined: Vec<u32> = Vec::new();
        for node in 0..hypergraph.nodes() {
            joined.clear();
            for edge in hypergraph.uses(node) {
                let ends = hypergraph.edge(*edge as usize).iter();
                joined.extend(ends.map(|(n, _)| *n).filter(|n| *n as usize != node));
            }
            joined.sort_unstable();
            joined.dedup();
            graph.neighbours.extend_from_slice(&joined);
            graph.close();
        }
        Some(graph)
    }

    fn close(&mut self) {
        self.starts.push(self.neighbours.len() as u32);
    }

    /// How many vertices there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.neighbours[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    pub fn degree(&self, vertex: u32) -> usize {
        self.neighbours(vertex).len()
    }

    /// The vertices reached from one, nearest first; their distances are written, the others kept.
    pub fn search(&self, from: u32, distances: &mut [u32]) -> Vec<u32> {
        let mut reached = vec![from];
        distances[from as usize] = 0;
        let mut next = 0;
        while let Some(vertex) = reached.get(next).copied() {
            next += 1;
            for neighbour in self.neighbours(vertex) {
                if distances[*neighbour as usize] == FAR {
                    distances[*neighbour as usize] = distances[vertex as usize] + 1;
                    reached.push(*neighbour);
                }
            }
        }
        reached
    }

    /// Two vertices of the component of `from` that are about as far apart as any: the pair of
    /// George and Liu. `distances` is used for scratch and left [`FAR`] everywhere in the component.
    pub fn rim(&self, from: u32, distances: &mut [u32]) -> (u32, u32) {
        let (mut near, mut far, mut depth) = (from, from, 0);
        for _ in 0..RIM_ROUNDS {
            let reached = self.search(far, distances);
            let last = reached.last().map_or(0, |v| distances[*v as usize]);
            let at_rim = reached.iter().filter(|v| distances[**v as usize] == last);
            let next = at_rim.min_by_key(|v| (self.degree(**v), **v)).copied();
            for vertex in &reached {
                distances[*vertex as usize] = FAR;
            }
            if last <= depth && depth > 0 {
                break;
            }
            (near, far, depth) = (far, next.unwrap_or(far), last);
        }
        (near, far)
    }

    /// The vertices of each connected component, the component of vertex 0 first.
    pub fn components(&self) -> Vec<Vec<u32>> {
        let mut distances = vec![FAR; self.len()];
        let mut components = Vec::new();
        for vertex in 0..self.len() as u32 {
            if distances[vertex as usize] == FAR {
                components.push(self.search(vertex, &mut distances));
            }
        }
        components
    }
}

/// A breadth-first numbering of one component in which a vertex's new neighbours come by degree.
pub(crate) fn by_degree(graph: &Graph, from: u32, numbered: &mut [bool], order: &mut Vec<u32>) {
    let mut queue = VecDeque::from([from]);
    numbered[from as usize] = true;
    let mut fresh: Vec<u32> = Vec::new();
    while let Some(vertex) = queue.pop_front() {
        order.push(vertex);
        fresh.clear();
        let neighbours = graph.neighbours(vertex).iter();
        fresh.extend(neighbours.filter(|n| !numbered[**n as usize]));
        fresh.sort_unstable_by_key(|n| (graph.degree(*n), *n));
        for neighbour in &fresh {
            numbered[*neighbour as usize] = true;
            queue.push_back(*neighbour);
        }
    }
}
