//! Reachable states of a program that is a net: saturation inside nodes, by levels.

use num_bigint::BigUint;
use plait_dd::{Manager, Node, Root, Stop};
use plait_program::arithmetic::CompareOp;
use plait_program::interval::Interval;

use crate::hom::{Expr, Hom, Homs, Step};
use crate::net::{Locals, NetError};
use crate::program::ProgramNet;
use crate::relation::{Relation, Strategy};

/// A net-like program as a relation on levels.
pub(crate) struct NetWay {
    pub relation: Relation,
    net: ProgramNet,
    /// The reachable states by level.
    states: Option<Root>,
}

impl NetWay {
    pub fn new(dd: &mut Manager, net: ProgramNet, locals: &Locals) -> Result<NetWay, NetError> {
        Ok(NetWay {
            relation: Relation::new(dd, &net.net, locals)?,
            net,
            states: None,
        })
    }

    /// The initial state.
    pub fn initial(&self) -> &[i32] {
        &self.net.net.initial[0]
    }

    /// Computes the reachable states; the rounds it took.
    pub fn reach(&mut self, dd: &mut Manager, strategy: Strategy) -> Result<usize, Stop> {
        let reached = self.relation.reach(dd, strategy)?;
        self.states = Some(reached.states);
        Ok(reached.rounds)
    }

    /// The reachable states by level; `None` before they are known.
    pub fn states(&self) -> Option<Node> {
        self.states.as_ref().map(Root::node)
    }

    /// The reachable states by cell; `None` before they are known.
    pub fn by_cell(&self, dd: &mut Manager) -> Result<Option<Root>, Stop> {
        let states = self.states();
        states.map(|s| self.relation.by_cell(dd, s)).transpose()
    }

    /// The event of the program that an event of the net belongs to.
    pub fn owner(&self, event: usize) -> u32 {
        self.net.owners[event]
    }

    /// The cells one of which left its domain, after [`Stop::Fault`].
    pub fn fault(&self) -> Vec<u32> {
        self.relation.fault().map_or_else(Vec::new, <[u32]>::to_vec)
    }

    /// The reachable states without successor, by level; `None` before they are known.
    pub fn deadlocks(&mut self, dd: &mut Manager) -> Result<Option<Root>, Stop> {
        let states = self.states();
        states.map(|s| self.relation.deadlocks(dd, s)).transpose()
    }

    /// The arcs of the reachable graph, where an event of the net is an arc.
    pub fn arcs(&mut self, dd: &mut Manager) -> Result<Option<BigUint>, Stop> {
        match &self.states {
            Some(states) if self.net.distinct => self.relation.arcs(dd, states.node()).map(Some),
            _ => Ok(None),
        }
    }

    /// The selector of the states in which an event of the program is enabled.
    pub fn enabled(&self, homs: &mut Homs, variables: &[u32], event: u32) -> Hom {
        let owned = self.net.owners.iter().zip(&self.net.net.events);
        let ways: Vec<Hom> = owned
            .filter(|(owner, _)| **owner == event)
            .map(|(_, event)| {
                let tests = event.tests.iter();
                let tests: Vec<Hom> = tests
                    .map(|t| homs.step(Step::test(variables[t.cell as usize], t.interval)))
                    .collect();
                homs.compose_all(&tests)
            })
            .collect();
        homs.sum(&ways)
    }

    /// The condition that one of these events of the program is enabled; they are sorted.
    pub fn one_enabled(&self, homs: &mut Homs, variables: &[u32], events: &[u32]) -> Expr {
        let mut ways = Vec::new();
        for (owner, event) in self.net.owners.iter().zip(&self.net.net.events) {
            if events.binary_search(owner).is_err() {
                continue;
            }
            let tests = event.tests.iter();
            let needs: Vec<Expr> = tests
                .map(|t| lies_in(homs, variables[t.cell as usize], t.interval))
                .collect();
            ways.push(homs.pool.and_all(&needs));
        }
        homs.pool.or_all(&ways)
    }
}

/// The condition that a variable lies in an interval, which may go around.
fn lies_in(homs: &mut Homs, variable: u32, interval: Interval) -> Expr {
    let first = interval.low();
    let last = first.wrapping_add(interval.span() as i32);
    let value = homs.pool.read(variable);
    let (low, high) = (homs.pool.constant(first), homs.pool.constant(last));
    let mut ends = Vec::with_capacity(2);
    if first > i32::MIN {
        ends.push(homs.pool.compare(CompareOp::GreaterEqual, value, low));
    }
    if last < i32::MAX {
        ends.push(homs.pool.compare(CompareOp::LessEqual, value, high));
    }
    match interval.bounds() {
        Some(_) => homs.pool.and_all(&ends),
        None => homs.pool.or_all(&ends),
    }
}
