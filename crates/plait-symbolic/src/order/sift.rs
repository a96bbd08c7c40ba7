//! Sifting: each node is carried through the order and left where the sum of spans is least.
//!
//! Rudell, "Dynamic variable ordering for ordered binary decision diagrams", 1993, with the sum of spans
//! in place of the size of a diagram, which makes each step cheap: an exchange of neighbours only changes
//! the spans of the edges that hold one of them.
//!
//! Nodes with many edges go first. Rounds end when nothing is gained, or at a limit of work.
//! Invariant: the sum of spans never grows.

use super::structure::Hypergraph;

/// How far a node is carried each way.
const WINDOW: usize = 200;

struct Order<'g> {
    graph: &'g Hypergraph,
    order: Vec<u32>,
    place: Vec<u32>,
    work: usize,
}

/// The order after sifting, looking at so many ends of edges at most.
pub(crate) fn sift(graph: &Hypergraph, order: Vec<u32>, work: usize) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    for (position, node) in (0..).zip(&order) {
        place[*node as usize] = position;
    }
    let mut nodes = order.clone();
    nodes.sort_by_key(|node| std::cmp::Reverse(graph.uses(*node as usize).len()));
    let mut sifted = Order {
        graph,
        order,
        place,
        work,
    };
    loop {
        let mut gained = false;
        for node in &nodes {
            gained |= sifted.carry(*node);
        }
        if !gained || sifted.work == 0 {
            return sifted.order;
        }
    }
}

impl Order<'_> {
    /// Carries a node down and up and back to its best place; whether that is a better one.
    fn carry(&mut self, node: u32) -> bool {
        let start = self.place[node as usize] as usize;
        let low = start.saturating_sub(WINDOW);
        let high = (start + WINDOW).min(self.order.len() - 1);
        let (mut cost, mut best) = (0.0, (0.0, start));
        for at in (low..start).rev() {
            if self.work == 0 {
                break;
            }
            cost += self.exchange(at);
            if cost < best.0 {
                best = (cost, at);
            }
        }
        self.bring(node, start);
        cost = 0.0;
        for at in start..high {
            if self.work == 0 {
                break;
            }
            cost += self.exchange(at);
            if cost < best.0 {
                best = (cost, at + 1);
            }
        }
        self.bring(node, best.1);
        best.1 != start
    }

    /// Exchanges the nodes at this place and the next; how the sum of spans changes.
    fn exchange(&mut self, at: usize) -> f64 {
        let (lower, upper) = (self.order[at], self.order[at + 1]);
        let before = self.spans(lower, upper);
        self.order.swap(at, at + 1);
        self.place[lower as usize] += 1;
        self.place[upper as usize] -= 1;
        self.spans(lower, upper) - before
    }

    /// The sum of the spans of the edges that hold one of two nodes.
    fn spans(&mut self, a: u32, b: u32) -> f64 {
        let mut sum = 0.0;
        for (node, other) in [(a, b), (b, a)] {
            for edge in self.graph.uses(node as usize) {
                let ends = self.graph.edge(*edge as usize);
                self.work = self.work.saturating_sub(ends.len());
                let (mut low, mut high, mut both) = (u32::MAX, 0, false);
                for (end, _) in ends {
                    let place = self.place[*end as usize];
                    (low, high) = (low.min(place), high.max(place));
                    both |= *end == other;
                }
                if !both {
                    sum += self.graph.weight(*edge as usize) * f64::from(high - low);
                }
            }
        }
        sum
    }

    /// Moves a node to a place; those between make room.
    fn bring(&mut self, node: u32, to: usize) {
        let from = self.place[node as usize] as usize;
        if from < to {
            self.order[from..=to].rotate_left(1);
        } else {
            self.order[to..=from].rotate_right(1);
        }
        for at in from.min(to)..=from.max(to) {
            self.place[self.order[at] as usize] = at as u32;
        }
    }
}
