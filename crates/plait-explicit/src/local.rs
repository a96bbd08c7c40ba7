//! Local model checking of CTL: of the states and sub-formulas only those that the answer needs.
//!
//! Whether a sub-formula holds in a state depends on its operands there and, for path operators, on
//! the same sub-formula in the next states: pairs of state and sub-formula are the nodes of a
//! dependency graph (Liu and Smolka 1998), which is built while it is searched. The search is depth
//! first, an operator at a time, and linear in the part of the graph that it sees (Vergauwen and
//! Lewi 1993):
//!
//! - `A W` and `E W` are the complements of `E U` and `A U`, so only least solutions are sought;
//! - for `E U` the states that are *open*, on the path or in a strongly connected component with one
//!   that is (Tarjan), all lead to whatever is found next: a goal decides them all at once. A
//!   component that is left without one can never reach any: all of it is decided too;
//! - for `A U` a state with a successor that fails, or that lies on the path already (a cycle
//!   without a goal), fails with all of the path; one whose successors all succeed does.
//!
//! A search ends as soon as what was asked is decided. Since depth first may run far away from an
//! answer that is near, it is given up after some visits and begun again with another preference
//! among the successors, with four times the visits when all were tried; what was decided stays.
//!
//! Invariant: a label says what is true of the whole model, whatever was left out; an open state has
//! no label once the search is given up.

use std::sync::Arc;

use plait_program::mix::Seed;
use plait_program::{Fault, Program};

use crate::budget::{Observer, Reason, Supervisor};
use crate::formula_table::{FormulaTable, Operator, Quantified, Until};
use crate::hash::{RecordHash, SeededHash};
use crate::local_graph::{label, LocalGraph, FALSE, OPEN, TRUE, UNKNOWN};
use crate::local_states::LocalStates;
use crate::options::{Options, Order};
use crate::plan::Plans;
use crate::search::{Halt, Search};
use crate::store::Store;

/// Visits of a formula before its first search is given up.
const FIRST_QUOTA: u64 = 1_000;
/// How many more there are when all preferences were tried.
const LARGER: u64 = 4;

/// Which successor is tried first.
#[derive(Clone, Copy, Debug)]
enum Preference {
    First,
    Nearest,
    Random(u64),
}

/// What a sub-formula waits for in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Operands,
    Goal,
    Stay,
    Onward,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    formula: u32,
    state: u32,
    stage: Stage,
    /// The operand or successor that is looked at.
    position: u32,
    /// The successor that is looked at first.
    first: u32,
    /// The place among the open states, and the lowest that is known to be reached from here.
    place: u32,
    low: u32,
}

/// What to do next.
enum Flow {
    Ask(u32, u32),
    Answer(bool),
    /// Go on with the frame on top.
    Onward,
    /// Leave the frame on top, all of whose successors are known or open.
    Exhausted,
    /// The frame on top, and all that is open for its formula, has this value.
    Decisive(bool),
    /// The frame on top has this value, and nothing else follows from it.
    Settled(bool),
}

/// Decides formulas of the table in the initial state; an `Err` is an error of the model.
///
/// Of the options only the limits count.
pub fn decide(
    program: &Arc<Program>,
    table: FormulaTable,
    roots: &[u32],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<LocalGraph, Fault> {
    let hash = SeededHash::new(Seed::of_process());
    decide_with(program, table, roots, options, observer, hash)
}

/// As `decide`, with any hash.
pub(crate) fn decide_with<H: RecordHash>(
    program: &Arc<Program>,
    table: FormulaTable,
    roots: &[u32],
    options: &Options,
    observer: &mut dyn Observer,
    hash: H,
) -> Result<LocalGraph<H>, Fault> {
    let options = Options {
        goals: Vec::new(),
        bounds: Vec::new(),
        order: Order::DepthFirst,
        ..options.clone()
    };
    let supervisor = Supervisor::new(observer, options.timeout, options.memory);
    let mut found = LocalGraph::new(program, table, roots.len());
    let Ok(store) = Store::new(program, hash) else {
        found.reason = Some(Reason::Memory);
        return Ok(found);
    };
    let plans = Plans::new(program);
    let search = Search::new(program, &options, &plans, supervisor, store);
    let count = found.table.len();
    let mut local = Local {
        states: LocalStates::new(search),
        open: vec![Vec::new(); count],
        frames: Vec::new(),
        preference: Preference::First,
        left: 0,
        graph: found,
    };
    let outcome = local.run(roots);
    local.graph.reason = match outcome {
        Ok(()) => None,
        Err(halt) => Some(halt.reason(local.states.search.supervisor.stop)?),
    };
    local.give_up();
    let (mut found, states) = (local.graph, local.states);
    let mut search = states.search;
    search.figures.absorb_machine(&search.machine);
    found.max_sum = states.max_sum.max(search.figures.max_sum);
    found.undefined = search.figures.undefined;
    found.bytes = search.store.bytes() + search.held;
    found.arcs = states.arcs;
    found.store = Arc::into_inner(search.store).map(Store::without_index);
    Ok(found)
}

struct Local<'s, H> {
    states: LocalStates<'s, H>,
    graph: LocalGraph<H>,
    /// For each formula the states that are open: its search is at most one at a time.
    open: Vec<Vec<u32>>,
    frames: Vec<Frame>,
    preference: Preference,
    /// Visits before the search is given up.
    left: u64,
}

impl<H: RecordHash> Local<'_, H> {
    fn run(&mut self, roots: &[u32]) -> Result<(), Halt> {
        self.states.search.store_initial()?;
        let (mut quota, mut round) = (FIRST_QUOTA, 0u64);
        loop {
            let preferences = [
                Preference::First,
                Preference::Nearest,
                Preference::Random(round),
            ];
            for preference in preferences {
                self.preference = preference;
                for (index, root) in roots.iter().enumerate() {
                    if self.graph.verdicts[index].is_none() {
                        self.left = quota;
                        self.graph.verdicts[index] = self.decide(*root)?;
                    }
                }
                if self.graph.verdicts.iter().all(Option::is_some) {
                    return Ok(());
                }
            }
            quota = quota.saturating_mul(LARGER);
            round += 1;
        }
    }

    /// Whether a formula holds initially; `None` when the search is given up.
    fn decide(&mut self, root: u32) -> Result<Option<bool>, Halt> {
        let mut flow = Flow::Ask(root, 0);
        loop {
            flow = match flow {
                Flow::Ask(formula, state) => {
                    if self.left == 0 {
                        self.give_up();
                        return Ok(None);
                    }
                    self.ask(formula, state)?
                }
                Flow::Answer(value) if self.frames.is_empty() => return Ok(Some(value)),
                Flow::Answer(value) => self.take(value)?,
                Flow::Onward => self.onward()?,
                Flow::Exhausted => self.leave()?,
                Flow::Decisive(value) => self.decisive(value)?,
                Flow::Settled(value) => self.settled(value)?,
            };
        }
    }

    /// Forgets the search, not what it decided.
    fn give_up(&mut self) {
        self.frames.clear();
        for (formula, open) in self.open.iter_mut().enumerate() {
            for state in open.drain(..) {
                self.graph.labels[formula].set(state, UNKNOWN);
            }
        }
    }

    /// Asks for the value of a formula in a state, of which it is not open.
    fn ask(&mut self, formula: u32, state: u32) -> Result<Flow, Halt> {
        match self.graph.labels[formula as usize].get(state) {
            FALSE => return Ok(Flow::Answer(false)),
            TRUE => return Ok(Flow::Answer(true)),
            _ => {}
        }
        let table = Arc::clone(&self.graph.table);
        let (stage, flow) = match table.get(formula) {
            Operator::Condition(code) => {
                return Ok(Flow::Answer(self.states.holds(code, state)?));
            }
            Operator::All(operands) | Operator::Any(operands) if operands.is_empty() => {
                let empty = matches!(table.get(formula), Operator::All(_));
                return Ok(Flow::Answer(empty));
            }
            Operator::All(operands) | Operator::Any(operands) => {
                (Stage::Operands, Flow::Ask(operands[0], state))
            }
            Operator::Next(..) => (Stage::Onward, Flow::Onward),
            Operator::Until(_, until) | Operator::WeakUntil(_, until) => {
                (Stage::Goal, Flow::Ask(until.goal, state))
            }
        };
        if stage == Stage::Onward {
            self.states.expand(state)?;
        }
        let first = self.first_of(formula, state, stage)?;
        self.push(Frame {
            formula,
            state,
            stage,
            position: 0,
            first,
            place: 0,
            low: 0,
        })?;
        Ok(flow)
    }

    fn push(&mut self, frame: Frame) -> Result<(), Halt> {
        self.left = self.left.saturating_sub(1);
        self.graph.visits += 1;
        self.states.search.work += 4;
        self.states.search.look_up_in_time()?;
        if self.frames.len() == self.frames.capacity() {
            let more = self.frames.len().max(1024);
            self.states
                .hold((more * std::mem::size_of::<Frame>()) as u64)?;
            if self.frames.try_reserve_exact(more).is_err() {
                return Err(Halt::Stop(Reason::Memory));
            }
        }
        self.frames.push(frame);
        Ok(())
    }

    fn top(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn set(&mut self, formula: u32, state: u32, label: u32) -> Result<(), Halt> {
        let taken = self.graph.labels[formula as usize].set(state, label);
        self.states.hold(taken)
    }

    /// The value of an operand of the frame on top has come.
    fn take(&mut self, value: bool) -> Result<Flow, Halt> {
        let frame = *self.top();
        let table = Arc::clone(&self.graph.table);
        match (table.get(frame.formula), frame.stage) {
            (Operator::All(operands) | Operator::Any(operands), _) => {
                let all = matches!(table.get(frame.formula), Operator::All(_));
                let next = frame.position as usize + 1;
                if value != all || next == operands.len() {
                    return Ok(Flow::Settled(value));
                }
                self.top().position += 1;
                Ok(Flow::Ask(operands[next], frame.state))
            }
            (Operator::Next(quantified, _), _) => {
                if value == quantified.universal {
                    return Ok(Flow::Onward);
                }
                Ok(Flow::Settled(value))
            }
            (_, Stage::Goal) if value => Ok(self.known(true)),
            (Operator::Until(_, until) | Operator::WeakUntil(_, until), Stage::Goal) => {
                self.top().stage = Stage::Stay;
                Ok(Flow::Ask(until.stay, frame.state))
            }
            _ if !value => Ok(self.known(false)),
            _ => {
                self.open_top()?;
                Ok(Flow::Onward)
            }
        }
    }

    /// The until on top has this value by its operands alone.
    fn known(&mut self, value: bool) -> Flow {
        let formula = self.top().formula;
        let (seeks_one, refutes) = self.sought(formula);
        if (value != refutes) == seeks_one {
            Flow::Decisive(value)
        } else {
            Flow::Settled(value)
        }
    }

    /// Of an until: whether one successor decides it, and whether its complement is sought.
    fn sought(&self, formula: u32) -> (bool, bool) {
        match self.graph.table.get(formula) {
            Operator::WeakUntil(quantified, _) => (quantified.universal, true),
            Operator::Until(quantified, _) => (!quantified.universal, false),
            _ => (false, false),
        }
    }

    /// The until on top goes on to its successors.
    fn open_top(&mut self) -> Result<(), Halt> {
        let Frame { formula, state, .. } = *self.top();
        self.states.expand(state)?;
        let first = self.first_of(formula, state, Stage::Onward)?;
        let open = &mut self.open[formula as usize];
        let place = open.len() as u32;
        let before = open.capacity();
        open.push(state);
        let taken = 4 * (open.capacity() - before) as u64;
        self.states.hold(taken)?;
        self.set(formula, state, OPEN.saturating_add(place))?;
        let frame = self.top();
        (frame.stage, frame.first, frame.place, frame.low) = (Stage::Onward, first, place, place);
        Ok(())
    }

    /// Looks at the next successors of the frame on top.
    fn onward(&mut self) -> Result<Flow, Halt> {
        let frame = *self.top();
        let table = Arc::clone(&self.graph.table);
        let count = self.states.successors(frame.state).len() as u32;
        let (quantified, operand) = match table.get(frame.formula) {
            Operator::Next(quantified, operand) => (*quantified, Some(*operand)),
            Operator::Until(quantified, _) | Operator::WeakUntil(quantified, _) => {
                (*quantified, None)
            }
            _ => return Ok(Flow::Settled(false)),
        };
        let (seeks_one, refutes) = self.sought(frame.formula);
        for position in frame.position..count {
            let at = ((u64::from(frame.first) + u64::from(position)) % u64::from(count)) as usize;
            let state = self.states.successors(frame.state)[at];
            self.top().position = position + 1;
            self.states.search.work += 1;
            if let Some(operand) = operand {
                return Ok(Flow::Ask(operand, state));
            }
            match self.graph.labels[frame.formula as usize].get(state) {
                UNKNOWN => return Ok(Flow::Ask(frame.formula, state)),
                value @ (FALSE | TRUE) => {
                    let value = value == TRUE;
                    if (value != refutes) == seeks_one {
                        return Ok(Flow::Decisive(value));
                    }
                }
                // Not yet known to reach a goal, or a cycle on which there is none.
                open if seeks_one => {
                    let low = open - OPEN;
                    self.top().low = self.top().low.min(low);
                }
                _ => return Ok(Flow::Decisive(refutes)),
            }
        }
        Ok(self.at_the_end(frame, quantified, count, operand.is_some()))
    }

    /// All successors of the frame on top were looked at, and none decides.
    fn at_the_end(&mut self, frame: Frame, quantified: Quantified, count: u32, next: bool) -> Flow {
        let value = match count {
            0 => quantified.ended,
            _ => quantified.universal,
        };
        if next {
            return Flow::Settled(value);
        }
        let (seeks_one, refutes) = self.sought(frame.formula);
        if count == 0 && (value != refutes) == seeks_one {
            return Flow::Decisive(value);
        }
        Flow::Exhausted
    }

    /// Leaves an until whose successors do not decide it: with its component, if that is complete.
    fn leave(&mut self) -> Result<Flow, Halt> {
        let Some(frame) = self.frames.pop() else {
            return Ok(Flow::Answer(false));
        };
        let (seeks_one, refutes) = self.sought(frame.formula);
        let value = seeks_one == refutes;
        if frame.low == frame.place {
            self.close(frame.formula, frame.place as usize, value)?;
        }
        Ok(match self.frames.last_mut() {
            Some(below) if below.formula == frame.formula => {
                below.low = below.low.min(frame.low);
                Flow::Onward
            }
            _ => Flow::Answer(value),
        })
    }

    /// Gives all states that are open for a formula from a place on their value.
    fn close(&mut self, formula: u32, from: usize, value: bool) -> Result<(), Halt> {
        let labels = &mut self.graph.labels[formula as usize];
        let open = &mut self.open[formula as usize];
        self.states.search.work += open.len() - from;
        for state in open.drain(from..) {
            labels.set(state, label(value));
        }
        self.states.search.look_up_in_time()
    }

    /// The frame on top, with all that is open for its formula, has this value: its search ends.
    fn decisive(&mut self, value: bool) -> Result<Flow, Halt> {
        let Frame { formula, state, .. } = *self.top();
        self.set(formula, state, label(value))?;
        while self.frames.last().is_some_and(|f| f.formula == formula) {
            self.frames.pop();
        }
        self.close(formula, 0, value)?;
        Ok(Flow::Answer(value))
    }

    /// The frame on top has this value; it was not open.
    fn settled(&mut self, value: bool) -> Result<Flow, Halt> {
        let Some(frame) = self.frames.pop() else {
            return Ok(Flow::Answer(value));
        };
        self.set(frame.formula, frame.state, label(value))?;
        Ok(match self.frames.last() {
            Some(below) if below.formula == frame.formula => Flow::Onward,
            _ => Flow::Answer(value),
        })
    }

    /// The successor to be looked at first.
    fn first_of(&mut self, formula: u32, state: u32, stage: Stage) -> Result<u32, Halt> {
        let count = self.states.successors(state).len() as u32;
        if stage != Stage::Onward || count < 2 {
            return Ok(0);
        }
        match self.preference {
            Preference::First => Ok(0),
            Preference::Random(round) => {
                let key = u64::from(state) << 32 | u64::from(formula);
                Ok((Seed(round).key(key) % u64::from(count)) as u32)
            }
            Preference::Nearest => self.nearest(formula, state, count),
        }
    }

    fn nearest(&mut self, formula: u32, state: u32, count: u32) -> Result<u32, Halt> {
        let table = Arc::clone(&self.graph.table);
        let measure = match table.get(formula) {
            Operator::Until(_, Until { measure, .. })
            | Operator::WeakUntil(_, Until { measure, .. }) => measure.as_ref(),
            _ => None,
        };
        let Some(measure) = measure else {
            return Ok(count - 1); // another than the first
        };
        let mut best = (i64::MAX, 0);
        for at in 0..count {
            let next = self.states.successors(state)[at as usize];
            best = best.min((self.states.measure(measure, next), at));
        }
        Ok(best.1)
    }
}
