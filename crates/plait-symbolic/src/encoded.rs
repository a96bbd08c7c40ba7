//! A program in diagrams: its reachable states as a set, and questions about sets of states.
//!
//! Sets that are handed out have one variable a cell, with its values on the edges (see `by_cell`),
//! whatever the reachable states were computed with.

use std::sync::Arc;

use num_bigint::BigUint;
use plait_dd::{Manager, Node, Root, Step, Stop, Value};
use plait_program::Program;

use crate::layers::Layers;
use crate::net::{Locals, NetError};
use crate::program::ProgramNet;
use crate::relation::{Relation, Strategy};

/// Why a computation ended without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Out of memory or time, or cancelled.
    Stop(Stop),
    /// Some event leaves the domain of one of these cells.
    Fault(Vec<u32>),
}

/// One step of a trace: the event (none for the initial state) and the values of all cells.
pub type TraceStep = (Option<u32>, Vec<i32>);

/// A program whose events are net-like, in diagrams of its own manager.
pub struct Encoded {
    dd: Manager,
    relation: Relation,
    owners: Vec<u32>,
    distinct: bool,
    /// The variable of each cell.
    variables: Vec<u32>,
    layers: Layers,
    /// The reachable states, by level and by cell.
    reached: Option<(Root, Root)>,
    rounds: usize,
}

impl Encoded {
    /// The program with these levels of cells (bottom first); `None` when it is not net-like.
    pub fn new(
        program: &Arc<Program>,
        levels: Vec<Vec<u32>>,
        locals: &Locals,
    ) -> Result<Option<Encoded>, NetError> {
        let Some(encoded) = ProgramNet::new(program, levels) else {
            return Ok(None);
        };
        let mut dd = Manager::new();
        let relation = Relation::new(&mut dd, &encoded.net, locals)?;
        let variables = relation.variables();
        Ok(Some(Encoded {
            dd,
            relation,
            owners: encoded.owners,
            distinct: encoded.distinct,
            variables,
            layers: Layers::default(),
            reached: None,
            rounds: 0,
        }))
    }

    /// The manager, for limits, observers and questions about single sets.
    pub fn manager(&mut self) -> &mut Manager {
        &mut self.dd
    }

    /// The variable of each cell.
    pub fn variables(&self) -> &[u32] {
        &self.variables
    }

    /// Computes the reachable states, unless they are known.
    pub fn reach(&mut self, strategy: Strategy) -> Result<&Root, Halt> {
        if self.reached.is_none() {
            let reached = self.relation.reach(&mut self.dd, strategy);
            let reached = reached.map_err(|stop| self.halt(stop))?;
            let by_cell = self.relation.by_cell(&mut self.dd, reached.states.node());
            let by_cell = by_cell.map_err(Halt::Stop)?;
            self.rounds = reached.rounds;
            self.reached = Some((reached.states, by_cell));
        }
        self.reachable()
    }

    /// Rounds of the strategy that brought something new.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    fn halt(&self, stop: Stop) -> Halt {
        match (stop, self.relation.fault()) {
            (Stop::Fault, Some(cells)) => Halt::Fault(cells.to_vec()),
            _ => Halt::Stop(stop),
        }
    }

    /// The reachable states; [`Encoded::reach`] computes them.
    fn reachable(&self) -> Result<&Root, Halt> {
        let reached = self.reached.as_ref().map(|(_, by_cell)| by_cell);
        reached.ok_or(Halt::Stop(Stop::Cancelled))
    }

    fn reachable_by_level(&self) -> Result<Node, Halt> {
        let reached = self.reached.as_ref().map(|(by_level, _)| by_level.node());
        reached.ok_or(Halt::Stop(Stop::Cancelled))
    }

    /// The reachable states in which no event is enabled.
    pub fn deadlocks(&mut self) -> Result<Root, Halt> {
        let states = self.reachable_by_level()?;
        let dead = self.relation.deadlocks(&mut self.dd, states);
        let dead = dead.map_err(Halt::Stop)?;
        let by_cell = self.relation.by_cell(&mut self.dd, dead.node());
        by_cell.map_err(Halt::Stop)
    }

    /// The number of arcs of the reachable graph; `None` where events of one title are several, since
    /// then different firings may be one arc.
    pub fn arcs(&mut self) -> Result<Option<BigUint>, Halt> {
        let states = self.reachable_by_level()?;
        if !self.distinct {
            return Ok(None);
        }
        let arcs = self.relation.arcs(&mut self.dd, states);
        arcs.map(Some).map_err(Halt::Stop)
    }

    /// A shortest trace to a state of the set; `None` when none is reachable.
    pub fn trace(&mut self, targets: Node) -> Result<Option<Vec<TraceStep>>, Halt> {
        let kept = self.dd.pushed();
        self.dd.push(targets);
        let found = self.nearest(targets);
        self.dd.pop(kept);
        let Some((distance, state)) = found? else {
            return Ok(None);
        };
        let target = self.relation.labels_of(&state);
        let target = target.expect("a reachable state has known local states");
        let (first, steps) = self
            .layers
            .path_to(&self.dd, &self.relation, distance, target);
        let mut trace = vec![(None, self.relation.cells_of(&first))];
        trace.extend(steps.iter().map(|(event, state)| {
            let owner = self.owners[*event];
            (Some(owner), self.relation.cells_of(state))
        }));
        Ok(Some(trace))
    }

    /// The distance of the nearest state of the set, and that state.
    fn nearest(&mut self, targets: Node) -> Result<Option<(usize, Vec<i32>)>, Halt> {
        for distance in 0.. {
            let layer = self
                .layers
                .get(&mut self.dd, &mut self.relation, distance)
                .map_err(|stop| self.halt(stop))?;
            let Some(layer) = layer else {
                break;
            };
            let layer = self.relation.by_cell(&mut self.dd, layer);
            let layer = layer.map_err(Halt::Stop)?;
            let found = self.dd.intersection(layer.node(), targets);
            if let Some(steps) = self.dd.pick(found.map_err(Halt::Stop)?) {
                return Ok(Some((distance, self.state(&steps))));
            }
        }
        Ok(None)
    }

    /// The values of all cells in a sequence of a set by cell.
    pub fn state(&self, steps: &[Step]) -> Vec<i32> {
        let mut by_variable = vec![0; self.variables.len() + 1];
        for step in steps {
            if let Value::Integer(value) = step.value {
                by_variable[step.variable as usize] = value;
            }
        }
        let cells = self.variables.iter();
        cells
            .map(|variable| by_variable[*variable as usize])
            .collect()
    }
}
