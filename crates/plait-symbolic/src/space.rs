//! Figures of the reachable states: how many states, arcs and deadlocks, bounds of cells.
//!
//! The reachable states of a net are a diagram by level, and all of these are computed on it: the
//! diagram by cell, as large again, is made only for questions that need it.

use std::collections::HashMap;

use num_bigint::BigUint;
use plait_dd::{Node, Root, Weight, Weights};

use crate::encoded::{Encoded, Halt};

impl Encoded {
    /// How many states are reachable.
    pub fn count_reachable(&mut self) -> Result<BigUint, Halt> {
        if let Some(net) = &self.net {
            if let Some(states) = net.states() {
                return Ok(net.relation.count(&mut self.dd, states)?);
            }
        }
        let reachable = self.reachable()?;
        Ok(self.dd.count(reachable))
    }

    /// The sum over the reachable states of the product of the weights of their values, tables by cell
    /// and by value from 0; `None` for a program that is no net, or before the states are known.
    pub fn weigh_reachable(&mut self, weights: &[Vec<BigUint>]) -> Result<Option<BigUint>, Halt> {
        let Some((net, states)) = self.net.as_ref().and_then(|n| Some((n, n.states()?))) else {
            return Ok(None);
        };
        Ok(Some(net.relation.weigh(&mut self.dd, states, weights)?))
    }

    /// The greatest sum, over the reachable states, of the figures of their values; `None` as for
    /// [`Encoded::weigh_reachable`], or where no state has figures for all its values.
    pub fn greatest_reachable(
        &mut self,
        figures: &[Vec<Option<i64>>],
    ) -> Result<Option<i64>, Halt> {
        let Some((net, states)) = self.net.as_ref().and_then(|n| Some((n, n.states()?))) else {
            return Ok(None);
        };
        Ok(net.relation.greatest(&mut self.dd, states, figures)?)
    }

    /// How many nodes the diagram of the reachable states has.
    pub fn size_of_reachable(&mut self) -> Result<usize, Halt> {
        let by_level = self.net.as_ref().and_then(|net| net.states());
        let states = match by_level {
            Some(states) => states,
            None => self.reachable()?,
        };
        let size = self.dd.size(states);
        Ok(size.integer_nodes + size.set_nodes)
    }

    /// The least and the greatest value of each cell in the reachable states.
    pub fn bounds_of_reachable(&mut self) -> Result<Vec<(i32, i32)>, Halt> {
        if let Some(net) = &self.net {
            if let Some(states) = net.states() {
                return Ok(net.relation.bounds(&mut self.dd, states)?);
            }
        }
        let reachable = self.reachable()?;
        Ok(self.cell_bounds(reachable))
    }

    /// The least and the greatest value of each cell in a set; 0 where it has none.
    pub fn cell_bounds(&self, set: Node) -> Vec<(i32, i32)> {
        let domains = self.dd.domains(set);
        let bounds = |variable: &u32| {
            let values = domains.get(variable).map_or(&[][..], Vec::as_slice);
            let pair = values.first().zip(values.last());
            pair.map_or((0, 0), |(low, high)| (*low, *high))
        };
        self.variables().iter().map(bounds).collect()
    }

    /// The least and the greatest sum of all cells in the reachable states.
    pub fn sum_bounds_of_reachable(&mut self) -> Result<Option<(i128, i128)>, Halt> {
        if let Some(net) = &self.net {
            if let Some(states) = net.states() {
                return Ok(Some(net.relation.sum_bounds(&mut self.dd, states)?));
            }
        }
        let reachable = self.reachable()?;
        Ok(self.sum_bounds(reachable))
    }

    /// The least and the greatest sum of all cells in a set; `None` for the empty set.
    pub fn sum_bounds(&self, set: Node) -> Option<(i128, i128)> {
        let cells = self.variables().iter();
        let weights = Weights(cells.map(|v| (*v, Weight::Integer(1))).collect());
        self.dd.extrema(set, &weights)
    }

    /// The reachable states in which no event is enabled.
    pub fn deadlocks(&mut self) -> Result<Root, Halt> {
        if let Some(net) = &mut self.net {
            if let Some(dead) = net.deadlocks(&mut self.dd)? {
                return Ok(net.relation.by_cell(&mut self.dd, dead.node())?);
            }
        }
        let reachable = self.reachable()?;
        self.dead(reachable)
    }

    /// How many of the reachable states have no event enabled.
    pub fn count_deadlocks(&mut self) -> Result<BigUint, Halt> {
        if let Some(net) = &mut self.net {
            if let Some(dead) = net.deadlocks(&mut self.dd)? {
                return Ok(net.relation.count(&mut self.dd, dead.node())?);
            }
        }
        let dead = self.deadlocks()?;
        Ok(self.dd.count(dead.node()))
    }

    /// The number of arcs of the reachable graph: triples of a state, a title, a successor.
    pub fn arcs(&mut self) -> Result<BigUint, Halt> {
        if let Some(net) = &mut self.net {
            if let Some(arcs) = net.arcs(&mut self.dd)? {
                return Ok(arcs);
            }
        }
        let reachable = self.reachable()?;
        let mut titles: HashMap<u32, Vec<u32>> = HashMap::new();
        for event in self.program().free() {
            let title = self.program().events()[*event as usize].title;
            titles.entry(title).or_default().push(*event);
        }
        let mut titles: Vec<Vec<u32>> = titles.into_values().collect();
        titles.sort_unstable();
        let mut arcs = BigUint::ZERO;
        for events in titles {
            arcs += self.arcs_of(&events, reachable)?;
        }
        Ok(arcs)
    }

    /// The number of pairs of a reachable state and a successor, by whatever events: the edges of the
    /// graph, where arcs have titles.
    pub fn successor_pairs(&mut self) -> Result<BigUint, Halt> {
        let reachable = self.reachable()?;
        let events = self.program().free().to_vec();
        let steps = self.pairs(&events, reachable)?;
        Ok(self.dd.count(steps.node()))
    }

    /// The arcs of the events of one title.
    fn arcs_of(&mut self, events: &[u32], set: Node) -> Result<BigUint, Halt> {
        if let [event] = events {
            let known = self.events().iter().find(|e| e.event == *event);
            if known.is_some_and(|e| e.deterministic) {
                let enabled = self.enabled(*event, set)?;
                return Ok(self.dd.count(enabled.node()));
            }
        }
        let steps = self.pairs(events, set)?;
        Ok(self.dd.count(steps.node()))
    }
}
