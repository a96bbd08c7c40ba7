//! A program in diagrams: its reachable states as a set, and questions about sets of states.
//!
//! Sets have one variable a cell, with its values on the edges. Reachable states (`reach`) of net-like
//! programs are computed by the relation of `relation`, those of all others by homomorphisms; every
//! question after that (`truth`) is asked by homomorphisms alone, but for the figures of `space`.

use std::sync::Arc;

use plait_dd::{Manager, Node, Root, Step, Stop, Value};
use plait_program::expr::Pool;
use plait_program::statement::Statement;
use plait_program::{Deferred, Failure, Fault, Program};

use crate::general::{events_of, EventHom};
use crate::hom::{self, Hom, Homs};
use crate::net::{Locals, NetError};
use crate::net_way::NetWay;
use crate::pairs;
use crate::program::ProgramNet;
use crate::steps::Steps;
use crate::trace::Layers;
use crate::translate::Translator;

/// Why a computation ended without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Out of memory or time, or cancelled.
    Stop(Stop),
    /// Some event gives one of these cells a value outside its domain, at that statement. Nets know the
    /// cells, homomorphisms the statement.
    Domain(Vec<u32>, Option<u32>),
    /// An event that was executed state by state went wrong.
    Fault(Fault),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

impl From<hom::Halt> for Halt {
    fn from(halt: hom::Halt) -> Halt {
        match halt {
            hom::Halt::Stop(stop) => Halt::Stop(stop),
            hom::Halt::Fault { statement, .. } => Halt::Domain(Vec::new(), Some(statement)),
            hom::Halt::Opaque(Failure::Fault(fault)) => Halt::Fault(fault),
            hom::Halt::Opaque(Failure::Stopped) | hom::Halt::Diverges { .. } => {
                Halt::Stop(Stop::Memory)
            }
        }
    }
}

/// One step of a trace: the event (none for the initial state) and the values of all cells.
pub type TraceStep = (Option<u32>, Vec<i32>);

/// The program, and the pool that holds its expressions.
pub(crate) enum Source {
    Made(Arc<Program>, Pool),
    /// That of a net, which is counted without it.
    Deferred(Arc<Deferred>),
}

impl Source {
    pub fn program(&self) -> &Arc<Program> {
        match self {
            Source::Made(program, _) => program,
            Source::Deferred(deferred) => &deferred.frozen().program,
        }
    }

    pub fn pool(&self) -> &Pool {
        match self {
            Source::Made(_, pool) => pool,
            Source::Deferred(deferred) => deferred.frozen().builder.pool(),
        }
    }
}

/// A program in diagrams of its own manager.
pub struct Encoded {
    pub(crate) dd: Manager,
    pub(crate) source: Source,
    pub(crate) homs: Homs,
    pub(crate) net: Option<NetWay>,
    /// The free events, as homomorphisms; made when they are first needed.
    events: Option<Vec<EventHom>>,
    /// The variable of each cell.
    pub(crate) variables: Vec<u32>,
    pub(crate) layers: Layers,
    pub(crate) reached: Option<Root>,
    pub(crate) rounds: usize,
    /// What is needed to go backward.
    pub(crate) steps: Steps,
}

impl Encoded {
    /// The program with these levels of cells (bottom first). `pool` holds its expressions.
    pub fn new(
        program: &Arc<Program>,
        pool: &Pool,
        levels: Vec<Vec<u32>>,
        locals: &Locals,
    ) -> Result<Encoded, NetError> {
        let mut dd = Manager::new();
        let variables = variables_of(program.cells().len(), &levels)?;
        let net = match ProgramNet::new(program, levels) {
            Some(net) => Some(NetWay::new(&mut dd, net, locals)?),
            None => None,
        };
        let source = Source::Made(Arc::clone(program), pool.clone());
        Ok(Encoded::with(dd, source, net, variables))
    }

    /// The program of a net, which is made when something is asked that needs it: `net` must be what
    /// [`ProgramNet::new`] would make of it.
    pub fn of_net(
        program: &Arc<Deferred>,
        net: ProgramNet,
        locals: &Locals,
    ) -> Result<Encoded, NetError> {
        let mut dd = Manager::new();
        let variables = variables_of(net.net.cells(), &net.net.levels)?;
        let net = NetWay::new(&mut dd, net, locals)?;
        let source = Source::Deferred(Arc::clone(program));
        Ok(Encoded::with(dd, source, Some(net), variables))
    }

    fn with(dd: Manager, source: Source, net: Option<NetWay>, variables: Vec<u32>) -> Encoded {
        Encoded {
            dd,
            source,
            homs: Homs::new(),
            net,
            events: None,
            variables,
            layers: Layers::default(),
            reached: None,
            rounds: 0,
            steps: Steps::default(),
        }
    }

    /// Whether the reachable states are computed as those of a net.
    pub fn is_net(&self) -> bool {
        self.net.is_some()
    }

    /// The manager, for limits, observers and questions about single sets.
    pub fn manager(&mut self) -> &mut Manager {
        &mut self.dd
    }

    /// Whether this is the program with these frozen events and cells.
    pub fn is_of(&self, program: &Arc<Program>) -> bool {
        Arc::ptr_eq(self.program(), program)
    }

    /// The program.
    pub(crate) fn program(&self) -> &Arc<Program> {
        self.source.program()
    }

    /// The variable of each cell.
    pub fn variables(&self) -> &[u32] {
        &self.variables
    }

    /// Rounds of the strategy that brought something new.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// Bytes of the local states of a net and of what events make of them; 0 for other programs.
    pub fn matrix_bytes(&self) -> usize {
        let relation = self.net.as_ref().map(|net| &net.relation);
        relation.map_or(0, crate::relation::Relation::bytes)
    }

    /// How often an event was executed on values of single states: what no diagram could do.
    pub fn explicit_calls(&self) -> u64 {
        self.homs.all_opaque_calls()
    }

    /// The cell that a statement assigns to, if it is always the same.
    pub fn assigned(&self, statement: u32) -> Option<u32> {
        match self.program().statements().get(statement) {
            Statement::Assign { cell, .. } => Some(*cell),
            _ => None,
        }
    }

    /// The statements that were undefined on the way.
    pub fn undefined_statements(&self) -> Vec<u32> {
        self.homs.undefined_statements().iter().copied().collect()
    }

    pub(crate) fn events(&mut self) -> &[EventHom] {
        self.events.get_or_insert_with(|| {
            let (program, pool) = (self.source.program(), self.source.pool());
            events_of(program, pool, &self.variables, &mut self.homs)
        })
    }

    /// The states of a set in which no event is enabled.
    pub(crate) fn dead(&mut self, set: Node) -> Result<Root, Halt> {
        let mut left = self.dd.root(set);
        for at in 0..self.program().free().len() {
            if left.node().is_zero() {
                break;
            }
            let event = self.program().free()[at];
            let enabled = self.enabled(event, left.node())?;
            let rest = self.dd.difference(left.node(), enabled.node())?;
            left = self.dd.root(rest);
        }
        Ok(left)
    }

    /// The states of a set in which the event has a successor.
    pub(crate) fn enabled(&mut self, event: u32, set: Node) -> Result<Root, Halt> {
        if let Some(net) = &self.net {
            let selector = net.enabled(&mut self.homs, &self.variables, event);
            return self.image(selector, set);
        }
        let known = self.events().iter().find(|e| e.event == event);
        if let Some(condition) = known.and_then(|e| e.enabled) {
            let selector = self.homs.pred(condition);
            return self.image(selector, set);
        }
        if let Some(hom) = known.filter(|e| e.wide).map(|e| e.hom) {
            // Pairs would be as many as the steps.
            let set = self.dd.root(set);
            let after = self.image(hom, set.node())?;
            let back = self.homs.predecessors(&mut self.dd, hom, set.node())?;
            return self.image(back, after.node());
        }
        let steps = self.pairs(&[event], set)?;
        Ok(pairs::first(&mut self.dd, steps.node())?)
    }

    /// The pairs of a state of the set and a successor under one of the events.
    pub(crate) fn pairs(&mut self, events: &[u32], set: Node) -> Result<Root, Halt> {
        let after: Vec<u32> = self.variables.iter().map(|v| pairs::after(*v)).collect();
        let mut homs = Vec::with_capacity(events.len());
        for event in events {
            let (program, pool) = (self.source.program(), self.source.pool());
            let mut translator = Translator::new(program, pool, &after, &mut self.homs);
            let hom = translator.event(*event);
            homs.push(match hom {
                Some(hom) => hom,
                None => crate::general::opaque(program, *event, &after, &mut self.homs),
            });
        }
        let sum = self.homs.sum(&homs);
        let diagonal = pairs::diagonal(&mut self.dd, set)?;
        self.image(sum, diagonal.node())
    }

    pub(crate) fn image(&mut self, hom: Hom, set: Node) -> Result<Root, Halt> {
        let image = self.homs.apply(&mut self.dd, hom, set)?;
        Ok(self.dd.root(image))
    }

    pub(crate) fn union(&mut self, a: &Root, b: &Root) -> Result<Root, Halt> {
        let union = self.dd.union(a.node(), b.node())?;
        Ok(self.dd.root(union))
    }

    pub(crate) fn intersection(&mut self, a: &Root, b: &Root) -> Result<Root, Halt> {
        let intersection = self.dd.intersection(a.node(), b.node())?;
        Ok(self.dd.root(intersection))
    }

    pub(crate) fn difference(&mut self, a: &Root, b: &Root) -> Result<Root, Halt> {
        let difference = self.dd.difference(a.node(), b.node())?;
        Ok(self.dd.root(difference))
    }

    /// The values of all cells in a sequence of a set.
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

/// The variable of each cell: 1 for the last cell of the lowest level, and so on upwards.
fn variables_of(cells: usize, levels: &[Vec<u32>]) -> Result<Vec<u32>, NetError> {
    let mut variables = vec![0; cells];
    let from_below = levels.iter().flat_map(|level| level.iter().rev());
    for (variable, cell) in (1..).zip(from_below) {
        match variables.get_mut(*cell as usize) {
            Some(place) if *place == 0 => *place = variable,
            _ => return Err(NetError::Cell(*cell)),
        }
    }
    match variables.iter().position(|v| *v == 0) {
        Some(cell) => Err(NetError::Cell(cell as u32)),
        None => Ok(variables),
    }
}
