//! Distances of the states of a program that is a net: what `distance` computes, in its own terms.

use num_bigint::BigUint;
use plait_dd::edge_valued::Placement;
use plait_dd::{Node, Root};

use crate::distance::Distances;
use crate::encoded::{Encoded, Halt, TraceStep};
use crate::inverse::Tables;
use crate::relation::END;

/// How distances are encoded and found (table 6.1 of the dissertation).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Values on edges (EV+).
    Edges {
        /// By saturation; if not, breadth-first.
        saturation: bool,
    },
    /// Values in terminals (ADD).
    Terminals {
        /// By saturation; if not, breadth-first.
        saturation: bool,
    },
    /// A set of states for each distance, breadth-first.
    Layers,
}

/// What is known about a distance function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistanceFigures {
    /// The greatest distance.
    pub greatest: u32,
    /// How many states there are at each distance, if that was asked.
    pub histogram: Option<Vec<BigUint>>,
    /// Nodes of the result, terminals not counted.
    pub final_nodes: usize,
    /// Nodes made on the way.
    pub created_nodes: usize,
}

impl Encoded {
    /// The distances of all reachable states; `None` for programs that are not nets.
    pub fn distances(
        &mut self,
        encoding: Encoding,
        histogram: bool,
    ) -> Result<Option<DistanceFigures>, Halt> {
        if self.net.is_none() {
            return Ok(None);
        }
        let (placement, saturation) = match encoding {
            Encoding::Edges { saturation } => (Placement::Edges, saturation),
            Encoding::Terminals { saturation } => (Placement::Terminals, saturation),
            Encoding::Layers => return self.layered(histogram).map(Some),
        };
        let found = self.distance_function(placement, saturation)?;
        Ok(found.map(|d| {
            let counted = histogram.then(|| {
                let (least, counts) = d.forest.histogram(d.function);
                let mut all = vec![BigUint::ZERO; least as usize];
                all.extend(counts);
                all
            });
            DistanceFigures {
                greatest: d.forest.greatest(d.function),
                histogram: counted,
                final_nodes: d.forest.size(d.function),
                created_nodes: d.forest.len(),
            }
        }))
    }

    fn distance_function(
        &mut self,
        placement: Placement,
        saturation: bool,
    ) -> Result<Option<Distances>, Halt> {
        let Some(net) = &mut self.net else {
            return Ok(None);
        };
        let found = net
            .relation
            .distances(&mut self.dd, placement, saturation)?;
        Ok(Some(found))
    }

    /// One set for each distance, all of them kept.
    fn layered(&mut self, histogram: bool) -> Result<DistanceFigures, Halt> {
        let before = self.dd.statistics().created;
        let all = self.inner_reachable()?;
        let initial = self.inner_initial()?;
        let mut left = self.difference(&all, &initial)?;
        let mut layers: Vec<Root> = vec![initial];
        while let Some(last) = layers.last().cloned() {
            let next = self.step(crate::inverse::Direction::Forward, &left, &last)?;
            if next.node().is_zero() {
                break;
            }
            left = self.difference(&left, &next)?;
            layers.push(next);
        }
        let nodes: Vec<Node> = layers.iter().map(Root::node).collect();
        let mut seen = std::collections::HashSet::new();
        let mut stack = nodes.clone();
        while let Some(node) = stack.pop() {
            if !node.is_terminal() && seen.insert(node) {
                stack.extend(self.dd.edges(node).iter().map(|e| e.child));
            }
        }
        Ok(DistanceFigures {
            greatest: layers.len() as u32 - 1,
            histogram: histogram.then(|| nodes.iter().map(|n| self.dd.count(*n)).collect()),
            final_nodes: seen.len(),
            created_nodes: (self.dd.statistics().created - before) as usize,
        })
    }

    /// A shortest trace to a state of the set, from the distance function; `None` when no state of it
    /// is reachable, or when the program is not a net.
    pub fn trace_by_distance(&mut self, targets: Node) -> Result<Option<Vec<TraceStep>>, Halt> {
        let targets = self.dd.root(targets);
        let targets = self.inner(targets.node())?;
        let Some(mut distances) = self.distance_function(Placement::Edges, true)? else {
            return Ok(None);
        };
        let Some((distance, state)) = distances.nearest(&self.dd, targets.node()) else {
            return Ok(None);
        };
        let Some(net) = &self.net else {
            return Ok(None);
        };
        let relation = &net.relation;
        let tables = Tables::new(relation);
        let Some(steps) = distances.back(relation, &tables, distance, state) else {
            return Ok(None);
        };
        let mut trace = Vec::with_capacity(steps.len());
        for (tail, labels) in steps {
            let event = relation.tail_of.iter().position(|t| *t == tail);
            let event = event.filter(|_| tail != END).map(|at| net.owner(at));
            let mut state = vec![0; relation.cells()];
            for (k, label) in labels.iter().enumerate().skip(1) {
                let (cells, values) = relation.local_state(k, *label);
                for (cell, value) in cells.iter().zip(values) {
                    state[*cell as usize] = *value;
                }
            }
            trace.push((event, state));
        }
        Ok(Some(trace))
    }
}
