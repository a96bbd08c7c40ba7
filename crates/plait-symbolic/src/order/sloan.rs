//! Sloan's order: from one end of the graph to the other with a small wavefront.
//!
//! Sloan, "A FORTRAN program for profile and wavefront reduction", 1989. Vertices are numbered by
//! priority, which grows with the distance from the far end and falls with the number of new vertices
//! that numbering would draw into the wavefront. Near-linear: each vertex is drawn in once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::deadline::Deadline;
use super::graph::{Graph, FAR};

/// What distance, and what degree count for.
const DISTANCE: i64 = 1;
const DEGREE: i64 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Inactive,
    Preactive,
    Active,
    Numbered,
}

struct Front<'g> {
    graph: &'g Graph,
    status: Vec<Status>,
    priority: Vec<i64>,
    queue: BinaryHeap<(i64, Reverse<u32>)>,
    order: Vec<u32>,
    deadline: Deadline,
}

/// An order of all vertices of the graph; those that nobody had time to number come last.
pub(crate) fn sloan(graph: &Graph, deadline: Deadline) -> Vec<u32> {
    let mut front = Front {
        graph,
        status: vec![Status::Inactive; graph.len()],
        priority: vec![0; graph.len()],
        queue: BinaryHeap::new(),
        order: Vec::with_capacity(graph.len()),
        deadline,
    };
    let mut distances = vec![FAR; graph.len()];
    for component in graph.components() {
        let first = component.iter().min_by_key(|v| (graph.degree(**v), **v));
        let (start, end) = graph.rim(*first.unwrap_or(&component[0]), &mut distances);
        for vertex in graph.search(end, &mut distances) {
            let distance = i64::from(distances[vertex as usize]);
            front.priority[vertex as usize] =
                DISTANCE * distance - DEGREE * (graph.degree(vertex) as i64 + 1);
        }
        front.number_from(start);
    }
    let left = |vertex: &u32| front.status[*vertex as usize] != Status::Numbered;
    let left: Vec<u32> = (0..graph.len() as u32).filter(left).collect();
    front.order.extend(left);
    front.order
}

impl Front<'_> {
    fn number_from(&mut self, start: u32) {
        self.status[start as usize] = Status::Preactive;
        self.push(start);
        for step in 0.. {
            let Some((priority, Reverse(vertex))) = self.queue.pop() else {
                return;
            };
            if self.deadline.is_over_at(step) {
                return;
            }
            let at = vertex as usize;
            if self.status[at] == Status::Numbered || self.priority[at] != priority {
                continue;
            }
            let graph = self.graph;
            if self.status[at] == Status::Preactive {
                graph.neighbours(vertex).iter().for_each(|n| self.raise(*n));
            }
            self.status[at] = Status::Numbered;
            self.order.push(vertex);
            for neighbour in graph.neighbours(vertex) {
                if self.status[*neighbour as usize] == Status::Preactive {
                    self.raise(*neighbour);
                    self.status[*neighbour as usize] = Status::Active;
                    let around = graph.neighbours(*neighbour).iter();
                    around.for_each(|n| self.raise(*n));
                }
            }
        }
    }

    /// A vertex comes one step nearer to being numbered.
    fn raise(&mut self, vertex: u32) {
        let at = vertex as usize;
        if self.status[at] == Status::Numbered {
            return;
        }
        if self.status[at] == Status::Inactive {
            self.status[at] = Status::Preactive;
        }
        self.priority[at] += DEGREE;
        self.push(vertex);
    }

    fn push(&mut self, vertex: u32) {
        self.queue
            .push((self.priority[vertex as usize], Reverse(vertex)));
    }
}
