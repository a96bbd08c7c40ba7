//! A program in diagrams: its reachable states as a set, and questions about sets of states.
//!
//! Sets have one variable a cell, with its values on the edges. Reachable states of net-like programs
//! are computed by the relation of `relation`, those of all others by homomorphisms; every question
//! after that is asked by homomorphisms alone, but for the figures of `space`.

use std::collections::HashMap;
use std::sync::Arc;

use plait_dd::{Edge, Manager, Node, Root, Step, Stop, Value};
use plait_program::expr::Pool;
use plait_program::statement::Statement;
use plait_program::{Deferred, ExprId, Failure, Fault, Program};

use crate::general::{events_of, EventHom};
use crate::hom::{self, Expr, Hom, Homs};
use crate::net::{Locals, NetError};
use crate::net_way::NetWay;
use crate::pairs;
use crate::program::ProgramNet;
use crate::question::{Part, Question, TooManyCases};
use crate::relation::Strategy;
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

/// Where parts of a question are true, and where they are false, in one set.
type Known = HashMap<(usize, bool), Root>;

/// The program, and the pool that holds its expressions.
enum Source {
    Made(Arc<Program>, Pool),
    /// That of a net, which is counted without it.
    Deferred(Arc<Deferred>),
}

impl Source {
    fn program(&self) -> &Arc<Program> {
        match self {
            Source::Made(program, _) => program,
            Source::Deferred(deferred) => &deferred.frozen().program,
        }
    }

    fn pool(&self) -> &Pool {
        match self {
            Source::Made(_, pool) => pool,
            Source::Deferred(deferred) => deferred.frozen().builder.pool(),
        }
    }
}

/// A program in diagrams of its own manager.
pub struct Encoded {
    pub(crate) dd: Manager,
    source: Source,
    pub(crate) homs: Homs,
    pub(crate) net: Option<NetWay>,
    /// The free events, as homomorphisms; made when they are first needed.
    events: Option<Vec<EventHom>>,
    /// The variable of each cell.
    variables: Vec<u32>,
    pub(crate) layers: Layers,
    reached: Option<Root>,
    rounds: usize,
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

    // ----- reachable states ---------------------------------------------------------------------

    /// Computes the reachable states, unless they are known; those of a net by level.
    pub fn explore(&mut self, strategy: Strategy) -> Result<(), Halt> {
        let Some(net) = &mut self.net else {
            if self.reached.is_none() {
                let (states, rounds) = self.reach_by_homs(strategy)?;
                self.rounds = rounds;
                self.reached = Some(states);
            }
            return Ok(());
        };
        if net.states().is_none() {
            self.rounds = match net.reach(&mut self.dd, strategy) {
                Ok(rounds) => rounds,
                Err(Stop::Fault) => return Err(Halt::Domain(net.fault(), None)),
                Err(stop) => return Err(Halt::Stop(stop)),
            };
        }
        Ok(())
    }

    /// The reachable states by cell, computed unless they are known.
    pub fn reach(&mut self, strategy: Strategy) -> Result<&Root, Halt> {
        self.explore(strategy)?;
        self.reachable()?;
        self.reached.as_ref().ok_or(Halt::Stop(Stop::Cancelled))
    }

    /// The reachable states by cell, which [`Encoded::explore`] must have computed.
    pub(crate) fn reachable(&mut self) -> Result<Node, Halt> {
        if self.reached.is_none() {
            if let Some(net) = &self.net {
                self.reached = net.by_cell(&mut self.dd)?;
            }
        }
        let reached = self.reached.as_ref().map(Root::node);
        reached.ok_or(Halt::Stop(Stop::Cancelled))
    }

    pub(crate) fn initial(&mut self) -> Result<Root, Halt> {
        let mut by_variable = vec![0; self.variables.len() + 1];
        let values = match &self.net {
            Some(net) => net.initial().to_vec(),
            None => self.program().initial(),
        };
        for (variable, value) in self.variables.iter().zip(values) {
            by_variable[*variable as usize] = value;
        }
        let mut node = Node::ONE;
        for (variable, value) in by_variable.into_iter().enumerate().skip(1) {
            let edge = Edge::integer(value, node);
            node = self.dd.integer_node(variable as u32, &[edge])?;
        }
        Ok(self.dd.root(node))
    }

    fn reach_by_homs(&mut self, strategy: Strategy) -> Result<(Root, usize), Halt> {
        let initial = self.initial()?;
        let homs: Vec<Hom> = self.events().iter().map(|e| e.hom).collect();
        let (states, rounds) = match strategy {
            Strategy::Saturation | Strategy::Rounds | Strategy::Forwarding => {
                let mut with_id = homs;
                with_id.push(Hom::ID);
                let sum = self.homs.sum(&with_id);
                let closure = self.homs.fixpoint(sum);
                // What finds the states is what answers questions about them, too.
                self.homs.close_in_rounds(strategy == Strategy::Rounds);
                let states = self.homs.apply(&mut self.dd, closure, initial.node())?;
                (self.dd.root(states), 1)
            }
            Strategy::BreadthFirst { frontier } => {
                let next = self.homs.sum(&homs);
                self.sweep(initial, frontier, |homs, dd, set| homs.apply(dd, next, set))?
            }
            Strategy::Chaining { frontier } => {
                self.sweep(initial, frontier, |engine, dd, set| {
                    let mut all = dd.root(set);
                    for hom in &homs {
                        let image = engine.apply(dd, *hom, all.node())?;
                        let sum = dd.union(all.node(), image)?;
                        all = dd.root(sum);
                    }
                    Ok(all.node())
                })?
            }
        };
        Ok((states, rounds))
    }

    /// Rounds of a step on all states or on the new ones, until nothing is new.
    fn sweep(
        &mut self,
        initial: Root,
        frontier: bool,
        step: impl Fn(&mut Homs, &mut Manager, Node) -> Result<Node, hom::Halt>,
    ) -> Result<(Root, usize), Halt> {
        let mut all = initial.clone();
        let mut last = initial;
        for rounds in 0.. {
            let image = step(&mut self.homs, &mut self.dd, last.node())?;
            let image = self.dd.root(image);
            let sum = self.dd.union(all.node(), image.node())?;
            let sum = self.dd.root(sum);
            if sum.node() == all.node() {
                return Ok((all, rounds));
            }
            last = if frontier {
                let new = self.dd.difference(image.node(), all.node())?;
                self.dd.root(new)
            } else {
                sum.clone()
            };
            all = sum;
        }
        unreachable!("the loop has no end of its own")
    }

    pub(crate) fn events(&mut self) -> &[EventHom] {
        self.events.get_or_insert_with(|| {
            let (program, pool) = (self.source.program(), self.source.pool());
            events_of(program, pool, &self.variables, &mut self.homs)
        })
    }

    // ----- questions ----------------------------------------------------------------------------

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

    /// The states of a set in which one of the events has a successor.
    ///
    /// Of a net that is one condition, whose residues are kept: a union of the states of each event
    /// would be as many operations on diagrams that may be as large as the set.
    fn one_enabled(&mut self, events: &[u32], set: &Root) -> Result<Root, Halt> {
        if let (Some(net), true) = (&self.net, events.len() > 1) {
            let mut sorted = events.to_vec();
            sorted.sort_unstable();
            let condition = net.one_enabled(&mut self.homs, &self.variables, &sorted);
            return self.holds(condition, set, true);
        }
        let mut found = self.dd.root(Node::ZERO);
        for event in events {
            let more = self.enabled(*event, set.node())?;
            found = self.union(&found, &more)?;
        }
        Ok(found)
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

    /// The question that a condition of the program asks; `pool` holds the condition.
    pub fn question(&mut self, pool: &Pool, id: ExprId) -> Result<Question, TooManyCases> {
        let program = self.source.program();
        let mut translator = Translator::new(program, pool, &self.variables, &mut self.homs);
        Question::new(&mut translator, id)
    }

    /// An integer of the program, over variables; `pool` holds it. `None` if it asks about events.
    pub fn integer(&mut self, pool: &Pool, id: ExprId) -> Option<Expr> {
        let program = self.source.program();
        let mut translator = Translator::new(program, pool, &self.variables, &mut self.homs);
        (!pool.asks_events(id)).then(|| translator.expression(id))
    }

    /// The states of a set where the question is true.
    pub fn select(&mut self, set: Node, question: &Question) -> Result<Root, Halt> {
        let whole = question.parts.len() - 1;
        let set = self.dd.root(set);
        self.truth(question, whole, &set, true, &mut None)
    }

    /// The states of a set where a part of a question is true, or where it is false.
    ///
    /// A part is asked only about the states that the parts before it leave. Not so inside an
    /// equivalence, which asks its sides twice: there all is about one set, and what is `known`
    /// about it is kept, or nested equivalences would take exponential time.
    fn truth(
        &mut self,
        question: &Question,
        at: usize,
        set: &Root,
        wanted: bool,
        known: &mut Option<Known>,
    ) -> Result<Root, Halt> {
        if let Some(root) = known.as_ref().and_then(|k| k.get(&(at, wanted))) {
            return Ok(root.clone());
        }
        let found = plait_dd::stack::deep(|| self.truth_anew(question, at, set, wanted, known))?;
        if let Some(known) = known {
            known.insert((at, wanted), found.clone());
        }
        Ok(found)
    }

    fn truth_anew(
        &mut self,
        question: &Question,
        at: usize,
        set: &Root,
        wanted: bool,
        known: &mut Option<Known>,
    ) -> Result<Root, Halt> {
        match &question.parts[at] {
            Part::Plain(condition) => self.holds(*condition, set, wanted),
            Part::Not(a) => self.truth(question, *a, set, !wanted, known),
            Part::All(parts) | Part::Any(parts) => {
                let all = matches!(question.parts[at], Part::All(_)) == wanted;
                let mut found = if all {
                    set.clone()
                } else {
                    self.dd.root(Node::ZERO)
                };
                for part in parts {
                    if all {
                        found = self.narrowed(question, *part, (set, &found), wanted, known)?;
                    } else {
                        let more = self.truth(question, *part, set, wanted, known)?;
                        found = self.union(&found, &more)?;
                    }
                }
                Ok(found)
            }
            Part::Iff(a, b) => {
                let outermost = known.is_none();
                known.get_or_insert_with(Known::new);
                let mut found = self.dd.root(Node::ZERO);
                for side in [true, false] {
                    let left = self.truth(question, *a, set, side, known)?;
                    let right = self.truth(question, *b, set, side == wanted, known)?;
                    let more = self.intersection(&left, &right)?;
                    found = self.union(&found, &more)?;
                }
                if outermost {
                    *known = None;
                }
                Ok(found)
            }
            Part::Fails(a) => {
                let holds = self.truth(question, *a, set, true, known)?;
                if wanted {
                    self.difference(set, &holds)
                } else {
                    Ok(holds)
                }
            }
            Part::Enabled(events) => {
                let found = self.one_enabled(events, set)?;
                if wanted {
                    Ok(found)
                } else {
                    self.difference(set, &found)
                }
            }
            Part::Dead => {
                let dead = self.dead(set.node())?;
                if wanted {
                    Ok(dead)
                } else {
                    self.difference(set, &dead)
                }
            }
            Part::Cases(asked, residues) => {
                let mut found = self.dd.root(Node::ZERO);
                for (truths, residue) in residues.iter().enumerate() {
                    let mut case = set.clone();
                    for (bit, part) in asked.iter().enumerate() {
                        let asked = truths >> bit & 1 == 1;
                        case = self.narrowed(question, *part, (set, &case), asked, known)?;
                    }
                    let more = self.holds(*residue, &case, wanted)?;
                    found = self.union(&found, &more)?;
                }
                Ok(found)
            }
        }
    }

    /// The states of a part of a set where a part of the question is true, or where it is false.
    fn narrowed(
        &mut self,
        question: &Question,
        at: usize,
        (set, part): (&Root, &Root),
        wanted: bool,
        known: &mut Option<Known>,
    ) -> Result<Root, Halt> {
        if known.is_none() {
            return self.truth(question, at, part, wanted, known);
        }
        let everywhere = self.truth(question, at, set, wanted, known)?;
        self.intersection(part, &everywhere)
    }

    fn holds(&mut self, condition: Expr, set: &Root, wanted: bool) -> Result<Root, Halt> {
        let condition = if wanted {
            condition
        } else {
            self.homs.pool.not(condition)
        };
        let selector = self.homs.pred(condition);
        self.image(selector, set.node())
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

    /// The least and the greatest value of an expression over a set, where it is defined.
    pub fn extrema(&mut self, set: Node, e: Expr) -> Result<Option<(i32, i32)>, Halt> {
        let classes = self.homs.partition(&mut self.dd, e, set)?;
        let values = classes.into_iter().filter_map(|(value, _)| value);
        Ok(values.fold(None, |range: Option<(i32, i32)>, value| {
            Some(range.map_or((value, value), |(low, high)| {
                (low.min(value), high.max(value))
            }))
        }))
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
