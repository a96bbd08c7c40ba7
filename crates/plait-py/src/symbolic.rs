//! The classes `Symbolic` and `StateSet`: a program in decision diagrams.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use num_bigint::BigUint;
use plait_dd::{Node, Root};
use plait_program::Sort;
use plait_symbolic::{Direction, Encoded, Fixpoint, Halt, Locals, TraceStep};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::net::in_levels;
use crate::program::{fault_error, guarded, Program, ProgramError};
use crate::stops::{computed, figures, limit, locked, reason, Raised, StoppedError};
use crate::ways;

/// The most local states of a level when they are computed before the search.
const LOCAL_LIMIT: usize = 1 << 20;

/// A program in diagrams.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct Symbolic {
    encoded: Mutex<Encoded>,
    raised: Raised,
    /// Rounds of the last fixpoint of a temporal operator.
    fixpoint_rounds: AtomicUsize,
}

/// A set of states of one `Symbolic`.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct StateSet {
    root: Root,
}

/// A step of a trace: the event, none for the first, and the state it leads to.
type PyStep<'py> = (Option<u32>, Bound<'py, PyTuple>);

fn steps_of(py: Python<'_>, steps: Vec<TraceStep>) -> PyResult<Vec<PyStep<'_>>> {
    let steps = steps.into_iter();
    let steps = steps.map(|(event, state)| Ok((event, PyTuple::new(py, state)?)));
    steps.collect()
}

/// What stopped a computation as an exception.
fn halt_error(encoded: &Encoded, halt: Halt) -> PyErr {
    match halt {
        Halt::Stop(stop) => StoppedError::new_err((reason(stop),)),
        Halt::Fault(fault) => fault_error(fault),
        Halt::Domain(cells, statement) => ProgramError::new_err((
            "domain",
            None::<u32>,
            statement,
            statement.map_or(cells.first().copied(), |s| encoded.assigned(s)),
        )),
    }
}

/// An error unless the diagrams are of that program.
fn belongs(encoded: &Encoded, program: &Program) -> PyResult<()> {
    let same = program.frozen().is_some_and(|p| encoded.is_of(p));
    let foreign = || PyValueError::new_err("the expression is of another program");
    same.then_some(()).ok_or_else(foreign)
}

impl Symbolic {
    fn lock(&self) -> PyResult<MutexGuard<'_, Encoded>> {
        locked(&self.encoded)
    }

    /// The diagram of a set, which must be one of these diagrams.
    fn own(&self, states: &StateSet) -> PyResult<Node> {
        let owned = self.lock()?.manager().owns(&states.root);
        let foreign = || PyValueError::new_err("the set is of other diagrams");
        owned.then(|| states.root.node()).ok_or_else(foreign)
    }

    fn own_if_given(&self, states: Option<&StateSet>) -> PyResult<Option<Node>> {
        states.map(|states| self.own(states)).transpose()
    }

    /// A state must have a value for each cell.
    fn check_state(&self, state: &[i32]) -> PyResult<()> {
        let fits = self.lock()?.variables().len() == state.len();
        let wrong = || PyValueError::new_err("a state has one value for each cell");
        fits.then_some(()).ok_or_else(wrong)
    }

    /// Runs a computation without holding Python; what stopped it becomes an exception.
    fn compute<T: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Encoded) -> Result<T, Halt> + Send,
    ) -> PyResult<T> {
        let mut encoded = self.lock()?;
        let encoded: &mut Encoded = &mut encoded;
        let outcome = computed(py, &self.raised, || run(encoded))?;
        outcome.map_err(|halt| halt_error(encoded, halt))
    }

    /// A set of states that is computed.
    fn set(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Encoded) -> Result<Root, Halt> + Send,
    ) -> PyResult<StateSet> {
        let root = self.compute(py, run)?;
        Ok(StateSet { root })
    }

    /// A set that a fixpoint has computed, whose rounds are kept.
    fn fixpoint(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Encoded) -> Result<Fixpoint, Halt> + Send,
    ) -> PyResult<StateSet> {
        let found = self.compute(py, run)?;
        self.fixpoint_rounds.store(found.rounds, Ordering::Relaxed);
        Ok(StateSet { root: found.states })
    }

    /// A path that is computed, if there is one.
    fn steps<'py>(
        &self,
        py: Python<'py>,
        run: impl FnOnce(&mut Encoded) -> Result<Option<Vec<TraceStep>>, Halt> + Send,
    ) -> PyResult<Option<Vec<PyStep<'py>>>> {
        let path = self.compute(py, run)?;
        path.map(|steps| steps_of(py, steps)).transpose()
    }
}

#[pymethods]
impl Symbolic {
    #[new]
    #[pyo3(signature = (program, levels, *, pregenerated=false))]
    fn new(
        program: &Bound<'_, Program>,
        levels: Vec<Vec<u32>>,
        pregenerated: bool,
    ) -> PyResult<Symbolic> {
        let mut program = program.try_borrow_mut()?;
        let locals = if pregenerated {
            Locals::Pregenerated {
                bounds: None,
                limit: LOCAL_LIMIT,
            }
        } else {
            Locals::OnTheFly
        };
        let encoded = if let Some(unbuilt) = program.unbuilt() {
            let encode =
                || Encoded::of_net(&unbuilt.program, in_levels(&unbuilt.net, levels), &locals);
            guarded(encode)?
        } else {
            let frozen = program.freeze()?;
            guarded(|| Encoded::new(&frozen, program.pool(), levels, &locals))?
        };
        let encoded = encoded.map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(Symbolic {
            encoded: Mutex::new(encoded),
            raised: Raised::default(),
            fixpoint_rounds: AtomicUsize::new(0),
        })
    }

    /// Limits of the computations to come.
    #[pyo3(signature = (*, timeout=None, memory=None, strict=None, progress=None, interval=0.1))]
    fn limit(
        &self,
        timeout: Option<f64>,
        memory: Option<Bound<'_, PyAny>>,
        strict: Option<u64>,
        progress: Option<Py<PyAny>>,
        interval: f64,
    ) -> PyResult<()> {
        let mut encoded = self.lock()?;
        let raised = Arc::clone(&self.raised);
        limit(
            encoded.manager(),
            raised,
            timeout,
            memory,
            strict,
            progress,
            interval,
        )
    }

    /// Computes the reachable states, in the form that is found first.
    #[pyo3(signature = (strategy="saturation"))]
    fn explore(&self, py: Python<'_>, strategy: &str) -> PyResult<()> {
        let strategy = ways::strategy(strategy)?;
        self.compute(py, |e| e.explore(strategy))
    }

    /// The reachable states.
    #[pyo3(signature = (strategy="saturation"))]
    fn reach(&self, py: Python<'_>, strategy: &str) -> PyResult<StateSet> {
        let strategy = ways::strategy(strategy)?;
        self.set(py, |e| e.reach(strategy).cloned())
    }

    fn deadlocks(&self, py: Python<'_>) -> PyResult<StateSet> {
        self.set(py, Encoded::deadlocks)
    }

    fn count_deadlocks(&self, py: Python<'_>) -> PyResult<BigUint> {
        self.compute(py, Encoded::count_deadlocks)
    }

    /// The sum over the reachable states of the product of the weights of their values.
    fn weigh(&self, py: Python<'_>, weights: Vec<Vec<BigUint>>) -> PyResult<Option<BigUint>> {
        self.compute(py, |e| e.weigh_reachable(&weights))
    }

    /// The greatest sum, over the reachable states, of the figures of their values.
    fn greatest(&self, py: Python<'_>, figures: Vec<Vec<Option<i64>>>) -> PyResult<Option<i64>> {
        self.compute(py, |e| e.greatest_reachable(&figures))
    }

    fn arcs(&self, py: Python<'_>) -> PyResult<BigUint> {
        self.compute(py, Encoded::arcs)
    }

    /// How many pairs of a reachable state and a successor there are.
    fn successor_pairs(&self, py: Python<'_>) -> PyResult<BigUint> {
        self.compute(py, Encoded::successor_pairs)
    }

    /// The states of a set where a condition of the program is true.
    fn select(
        &self,
        py: Python<'_>,
        program: &Bound<'_, Program>,
        states: &StateSet,
        condition: u32,
    ) -> PyResult<StateSet> {
        let node = self.own(states)?;
        let question = {
            let program = program.try_borrow()?;
            let id = program.expect(condition, Sort::Condition)?;
            let mut encoded = self.lock()?;
            belongs(&encoded, &program)?;
            guarded(|| encoded.question(program.pool(), id))?
        };
        // Too large a question is a limit of ours, not an error of who asks it.
        let question = question.map_err(|e| StoppedError::new_err((e.to_string(),)))?;
        self.set(py, |e| e.select(node, &question))
    }

    /// Least and greatest value of an integer of the program over a set, where it is defined.
    fn extrema(
        &self,
        py: Python<'_>,
        program: &Bound<'_, Program>,
        states: &StateSet,
        expression: u32,
    ) -> PyResult<Option<(i32, i32)>> {
        let node = self.own(states)?;
        let expression = {
            let program = program.try_borrow()?;
            let id = program.expect(expression, Sort::Integer)?;
            let mut encoded = self.lock()?;
            belongs(&encoded, &program)?;
            guarded(|| encoded.integer(program.pool(), id))?
        };
        let expression = expression.ok_or_else(|| {
            let reason = "the bounds of a number of enabled events are not computed";
            StoppedError::new_err((reason,))
        })?;
        self.compute(py, |e| e.extrema(node, expression))
    }

    /// How many states a set has, or how many are reachable.
    #[pyo3(signature = (states=None))]
    fn count(&self, py: Python<'_>, states: Option<&StateSet>) -> PyResult<BigUint> {
        match self.own_if_given(states)? {
            Some(node) => self.compute(py, |e| Ok(e.manager().count(node))),
            None => self.compute(py, Encoded::count_reachable),
        }
    }

    /// Least and greatest value of each cell in a set that is not empty, or in the reachable states.
    #[pyo3(signature = (states=None))]
    fn cell_bounds(&self, py: Python<'_>, states: Option<&StateSet>) -> PyResult<Vec<(i32, i32)>> {
        match self.own_if_given(states)? {
            Some(node) => self.compute(py, |e| Ok(e.cell_bounds(node))),
            None => self.compute(py, Encoded::bounds_of_reachable),
        }
    }

    /// The greatest value that a cell has in a reachable state; none without cells.
    fn max_value(&self, py: Python<'_>) -> PyResult<Option<i32>> {
        let bounds = self.compute(py, Encoded::bounds_of_reachable)?;
        Ok(bounds.into_iter().map(|(_, high)| high).max())
    }

    /// Least and greatest sum of all cells in a set (none for the empty set) or in the reachable
    /// states.
    #[pyo3(signature = (states=None))]
    fn sum_bounds(
        &self,
        py: Python<'_>,
        states: Option<&StateSet>,
    ) -> PyResult<Option<(i128, i128)>> {
        match self.own_if_given(states)? {
            Some(node) => self.compute(py, |e| Ok(e.sum_bounds(node))),
            None => self.compute(py, Encoded::sum_bounds_of_reachable),
        }
    }

    /// The initial state alone.
    fn initial(&self, py: Python<'_>) -> PyResult<StateSet> {
        self.set(py, Encoded::initial_states)
    }

    /// The reachable states with a successor in a set.
    fn predecessors(&self, py: Python<'_>, states: &StateSet) -> PyResult<StateSet> {
        let node = self.own(states)?;
        self.set(py, |e| e.neighbours(Direction::Backward, node))
    }

    /// The states with a predecessor in a set of reachable states.
    fn successors(&self, py: Python<'_>, states: &StateSet) -> PyResult<StateSet> {
        let node = self.own(states)?;
        self.set(py, |e| e.neighbours(Direction::Forward, node))
    }

    /// The states of `stay` from which a path inside leads to the goal, and the goal.
    #[pyo3(signature = (stay, goal, *, way="constrained", forward=false, decide=false))]
    fn eventually(
        &self,
        py: Python<'_>,
        stay: &StateSet,
        goal: &StateSet,
        way: &str,
        forward: bool,
        decide: bool,
    ) -> PyResult<StateSet> {
        let way = ways::until(way)?;
        let direction = if forward {
            Direction::Forward
        } else {
            Direction::Backward
        };
        let sets = (self.own(stay)?, self.own(goal)?);
        self.fixpoint(py, |e| e.until(direction, way, sets, decide))
    }

    /// The states of `stay` from which some maximal path stays there, or does until the goal.
    #[pyo3(signature = (stay, goal, *, way="traditional", maximal=true, decide=false))]
    fn invariantly(
        &self,
        py: Python<'_>,
        stay: &StateSet,
        goal: &StateSet,
        way: &str,
        maximal: bool,
        decide: bool,
    ) -> PyResult<StateSet> {
        let way = ways::always(way)?;
        let sets = (self.own(stay)?, self.own(goal)?);
        self.fixpoint(py, |e| e.always(way, sets, maximal, decide))
    }

    /// The states of a set to which a path that never began leads inside the set.
    fn with_endless_past(&self, py: Python<'_>, states: &StateSet) -> PyResult<StateSet> {
        let node = self.own(states)?;
        self.fixpoint(py, |e| e.with_endless_past(node))
    }

    /// Rounds of the last fixpoint of a temporal operator.
    #[getter]
    fn fixpoint_rounds(&self) -> usize {
        self.fixpoint_rounds.load(Ordering::Relaxed)
    }

    /// How many events are dead, safe and unsafe on the way back to the goal inside `stay`.
    fn classified(
        &self,
        py: Python<'_>,
        stay: &StateSet,
        goal: &StateSet,
    ) -> PyResult<(usize, usize, usize)> {
        let (stay, goal) = (self.own(stay)?, self.own(goal)?);
        let [dead, safe, others] = self.compute(py, |e| e.classified(stay, goal))?;
        Ok((dead, safe, others))
    }

    /// The states that one of the events leads to from a set.
    fn image(&self, py: Python<'_>, states: &StateSet, events: Vec<u32>) -> PyResult<StateSet> {
        let node = self.own(states)?;
        self.set(py, |e| e.image_under(&events, node))
    }

    /// The states of a set in which one of the events has a successor.
    fn enabled(&self, py: Python<'_>, states: &StateSet, events: Vec<u32>) -> PyResult<StateSet> {
        let node = self.own(states)?;
        self.set(py, |e| e.enabled_under(&events, node))
    }

    /// A shortest path from the initial state to the goal inside a set.
    fn path_inside<'py>(
        &self,
        py: Python<'py>,
        inside: &StateSet,
        goal: &StateSet,
    ) -> PyResult<Option<Vec<PyStep<'py>>>> {
        let (inside, goal) = (self.own(inside)?, self.own(goal)?);
        self.steps(py, |e| e.path_inside(inside, goal))
    }

    /// A state of any set with a step to a state, and the event of the step.
    fn step_back<'py>(
        &self,
        py: Python<'py>,
        states: &StateSet,
        state: Vec<i32>,
    ) -> PyResult<Option<(u32, Bound<'py, PyTuple>)>> {
        let node = self.own(states)?;
        self.check_state(&state)?;
        let Some((event, before)) = self.compute(py, |e| e.step_back(node, &state))? else {
            return Ok(None);
        };
        Ok(Some((event, PyTuple::new(py, before)?)))
    }

    fn union(&self, py: Python<'_>, a: &StateSet, b: &StateSet) -> PyResult<StateSet> {
        let (a, b) = (self.own(a)?, self.own(b)?);
        self.set(py, |e| e.united(a, b))
    }

    fn intersection(&self, py: Python<'_>, a: &StateSet, b: &StateSet) -> PyResult<StateSet> {
        let (a, b) = (self.own(a)?, self.own(b)?);
        self.set(py, |e| e.common(a, b))
    }

    fn difference(&self, py: Python<'_>, a: &StateSet, b: &StateSet) -> PyResult<StateSet> {
        let (a, b) = (self.own(a)?, self.own(b)?);
        self.set(py, |e| e.without(a, b))
    }

    /// Whether the initial state is in a set.
    fn holds_initially(&self, py: Python<'_>, states: &StateSet) -> PyResult<bool> {
        let node = self.own(states)?;
        self.compute(py, |e| e.holds_initially(node))
    }

    /// A shortest path from the initial state (event None) to a state of the set.
    fn trace<'py>(
        &self,
        py: Python<'py>,
        targets: &StateSet,
    ) -> PyResult<Option<Vec<PyStep<'py>>>> {
        let node = self.own(targets)?;
        self.steps(py, |e| e.trace(node))
    }

    /// Shortest paths as `trace` finds one, no two of them the same, at most so many.
    fn traces<'py>(
        &self,
        py: Python<'py>,
        targets: &StateSet,
        limit: usize,
    ) -> PyResult<Vec<Vec<PyStep<'py>>>> {
        let node = self.own(targets)?;
        let traces = self.compute(py, |e| e.traces(node, limit))?;
        traces.into_iter().map(|t| steps_of(py, t)).collect()
    }

    /// The distances of all states of a net from the initial one; none for other programs.
    #[pyo3(signature = (encoding="edges", *, saturation=true, histogram=true))]
    fn distances<'py>(
        &self,
        py: Python<'py>,
        encoding: &str,
        saturation: bool,
        histogram: bool,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let encoding = ways::encoding(encoding, saturation)?;
        let Some(found) = self.compute(py, |e| e.distances(encoding, histogram))? else {
            return Ok(None);
        };
        let figures = PyDict::new(py);
        figures.set_item("greatest", found.greatest)?;
        figures.set_item("histogram", found.histogram)?;
        figures.set_item("final_nodes", found.final_nodes)?;
        figures.set_item("created_nodes", found.created_nodes)?;
        Ok(Some(figures))
    }

    /// As `trace`, from the distance function; none also for programs that are not nets.
    fn trace_by_distance<'py>(
        &self,
        py: Python<'py>,
        targets: &StateSet,
    ) -> PyResult<Option<Vec<PyStep<'py>>>> {
        let node = self.own(targets)?;
        self.steps(py, |e| e.trace_by_distance(node))
    }

    /// A shortest path from a state through `stay` to the goal; with `moved` of at least one step.
    #[pyo3(signature = (state, stay, goal, *, moved=false))]
    fn path<'py>(
        &self,
        py: Python<'py>,
        state: Vec<i32>,
        stay: &StateSet,
        goal: &StateSet,
        moved: bool,
    ) -> PyResult<Option<Vec<PyStep<'py>>>> {
        let sets = (self.own(stay)?, self.own(goal)?);
        self.check_state(&state)?;
        self.steps(py, |e| e.path(&state, sets, moved))
    }

    /// The set of one state.
    fn single(&self, py: Python<'_>, state: Vec<i32>) -> PyResult<StateSet> {
        self.check_state(&state)?;
        self.set(py, |e| e.single(&state))
    }

    /// Whether a state is in a set.
    fn contains(&self, py: Python<'_>, states: &StateSet, state: Vec<i32>) -> PyResult<bool> {
        let node = self.own(states)?;
        self.check_state(&state)?;
        self.compute(py, |e| e.contains(node, &state))
    }

    /// Some states of a set, at most so many.
    fn pick<'py>(
        &self,
        py: Python<'py>,
        states: &StateSet,
        limit: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let node = self.own(states)?;
        let picked = self.compute(py, |e| {
            let steps: Vec<_> = e.manager().states(node).take(limit).collect();
            Ok(steps.iter().map(|s| e.state(s)).collect::<Vec<_>>())
        })?;
        picked.into_iter().map(|s| PyTuple::new(py, s)).collect()
    }

    /// Nodes of the diagram of a set, or of the reachable states.
    #[pyo3(signature = (states=None))]
    fn size(&self, py: Python<'_>, states: Option<&StateSet>) -> PyResult<usize> {
        let Some(node) = self.own_if_given(states)? else {
            return self.compute(py, Encoded::size_of_reachable);
        };
        self.compute(py, |e| {
            let size = e.manager().size(node);
            Ok(size.integer_nodes + size.set_nodes)
        })
    }

    /// Sizes and counts of the diagrams so far.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut encoded = self.lock()?;
        let figures = figures(py, &encoded.manager().statistics())?;
        figures.set_item("rounds", encoded.rounds())?;
        figures.set_item("matrix_bytes", encoded.matrix_bytes())?;
        figures.set_item("explicit_calls", encoded.explicit_calls())?;
        Ok(figures)
    }

    /// Whether the reachable states are computed as those of a net.
    #[getter]
    fn is_net(&self) -> PyResult<bool> {
        Ok(self.lock()?.is_net())
    }

    /// The statements that were undefined in some reachable state.
    fn undefined(&self) -> PyResult<Vec<u32>> {
        Ok(self.lock()?.undefined_statements())
    }
}

#[pymethods]
impl StateSet {
    fn __bool__(&self) -> bool {
        !self.root.node().is_zero()
    }

    /// Equal sets of the same diagrams are the same node.
    fn __eq__(&self, other: &StateSet) -> bool {
        self.root == other.root
    }

    fn __hash__(&self) -> u64 {
        u64::from(self.root.node().index())
    }
}
