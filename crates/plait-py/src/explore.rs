//! The function `explore` and the class `Exploration`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use plait_explicit::{
    explore_from, Form, Monitors, Observer, Options, Order, Place, Progress, Reduction, Saved,
    Successors,
};
use plait_program::{Code, Failure, Sort};
use plait_reduction::Algorithm;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyIndexError, PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::program::{fault_error, guarded, Program};

/// Runs signal handlers and the progress callback from time to time.
pub(crate) struct PythonObserver {
    progress: Option<Py<PyAny>>,
    interval: Duration,
    reported: Instant,
    /// What a handler or the callback raised.
    pub error: Option<PyErr>,
}

impl PythonObserver {
    /// Tells the callback, if there is one, after each interval.
    pub fn new(progress: Option<Py<PyAny>>, interval: Duration) -> PythonObserver {
        PythonObserver {
            progress,
            interval,
            reported: Instant::now(),
            error: None,
        }
    }

    fn report(&self, py: Python<'_>, progress: &Progress) -> PyResult<()> {
        if let Some(callback) = &self.progress {
            let figures = PyDict::new(py);
            figures.set_item("states", progress.states)?;
            figures.set_item("expanded", progress.expanded)?;
            figures.set_item("arcs", progress.arcs)?;
            figures.set_item("deadlocks", progress.deadlocks)?;
            figures.set_item("depth", progress.depth)?;
            figures.set_item("frontier", progress.states - progress.expanded)?;
            figures.set_item("bytes", progress.bytes)?;
            let memory = plait_explicit::budget::resident().unwrap_or(progress.bytes);
            figures.set_item("memory", memory)?;
            figures.set_item("seconds", progress.seconds)?;
            callback.call1(py, (figures,))?;
        }
        Ok(())
    }
}

impl Observer for PythonObserver {
    fn go_on(&mut self, progress: &Progress) -> bool {
        let outcome = Python::attach(|py| {
            py.check_signals()?;
            if self.reported.elapsed() >= self.interval {
                self.reported = Instant::now();
                self.report(py, progress)?;
            }
            Ok(())
        });
        self.error = outcome.err();
        self.error.is_none()
    }
}

/// Does the work without the interpreter, which the observer calls from time to time; what a handler
/// or the callback raised is raised, but for Ctrl-C, which ends the work quietly.
pub(crate) fn observed<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    interval: f64,
    work: impl FnOnce(&mut PythonObserver) -> T + Send,
) -> PyResult<T> {
    let interval = seconds(interval, "interval")?.unwrap_or(Duration::MAX);
    let mut observer = PythonObserver::new(progress, interval);
    let outcome = py.detach(|| guarded(|| work(&mut observer)));
    match observer.error {
        Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error),
        _ => outcome,
    }
}

create_exception!(
    plait._core,
    CheckpointError,
    PyException,
    "A checkpoint cannot be gone on from; the message says why."
);

create_exception!(
    plait._core,
    TooLargeError,
    PyException,
    "The program is too large for partial-order reduction; the message says in what."
);

pub(crate) fn algorithm(name: &str) -> PyResult<Algorithm> {
    Algorithm::parse(name).ok_or_else(|| {
        let known: Vec<&str> = Algorithm::ALL.iter().map(|(name, _)| *name).collect();
        PyValueError::new_err(format!(
            "no algorithm {name}; there are {}",
            known.join(", ")
        ))
    })
}

/// Reads a checkpoint; a signal handler may end it with an exception.
fn read_saved(
    py: Python<'_>,
    file: &Path,
    program: &plait_program::Program,
    options: &Options,
) -> PyResult<Saved> {
    let mut raised = None;
    let mut go_on = || {
        raised = Python::attach(|py| py.check_signals()).err();
        raised.is_none()
    };
    let outcome = py.detach(|| guarded(|| Saved::read(file, program, options, &mut go_on)))?;
    match raised {
        Some(error) => Err(error),
        None => outcome.map_err(|error| CheckpointError::new_err(error.to_string())),
    }
}

fn form(store: &str, fingerprint: u32, hashes: u32, bit_bytes: u64) -> PyResult<Form> {
    match store {
        "exact" => Ok(Form::Packed),
        "tree" => Ok(Form::Tree),
        "automaton" => Ok(Form::Automaton),
        "hash-compact" => Ok(Form::HashCompact(fingerprint)),
        "bitstate" => Ok(Form::Bitstate(hashes, bit_bytes)),
        _ => Err(PyValueError::new_err(format!("no store {store}"))),
    }
}

fn monitor_codes(program: &Program, monitors: Vec<Vec<Vec<u32>>>) -> PyResult<Monitors> {
    let conjunction = |ids: Vec<u32>| codes(program, &ids, Sort::Condition);
    let goal = |list: Vec<Vec<u32>>| list.into_iter().map(conjunction).collect();
    monitors.into_iter().map(goal).collect()
}

fn codes(program: &Program, ids: &[u32], sort: Sort) -> PyResult<Vec<Code>> {
    ids.iter().map(|id| program.code(*id, sort)).collect()
}

/// Seconds as a duration: negative is none at all, infinite is no limit.
pub(crate) fn seconds(value: f64, what: &str) -> PyResult<Option<Duration>> {
    if value.is_nan() {
        return Err(PyValueError::new_err(format!("{what} is not a number")));
    }
    Ok(Duration::try_from_secs_f64(value.max(0.0)).ok())
}

/// A size that may be any Python integer: negative is none at all, a huge one is no limit.
pub(crate) fn size(value: Option<Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
    let Some(value) = value else {
        return Ok(None);
    };
    if value.lt(0)? {
        return Ok(Some(0));
    }
    if value.gt(u64::MAX)? {
        return Ok(None);
    }
    value.extract().map(Some)
}

/// Search of the reachable states.
#[pyfunction]
#[pyo3(signature = (program, *, goals, bounds, stop_when_decided, timeout=None, memory=None,
                    max_states=None, progress=None, interval=0.1, depth_first=false,
                    persistent=None, sleep=false, proviso=false, components=false, unstored=false,
                    conditional=false, prefer_stored=false, record=false, monitors=None, watching=false, check=false,
                    threads=1, alone=None, store="exact", fingerprint=64, hashes=3,
                    bit_bytes=0, deepening=false, cache=None, checkpoint=None,
                    checkpoint_interval=60.0, resume=false, successors="auto"))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn explore(
    py: Python<'_>,
    program: &Bound<'_, Program>,
    goals: Vec<u32>,
    bounds: Vec<u32>,
    stop_when_decided: bool,
    timeout: Option<f64>,
    memory: Option<Bound<'_, PyAny>>,
    max_states: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
    interval: f64,
    depth_first: bool,
    persistent: Option<&str>,
    sleep: bool,
    proviso: bool,
    components: bool,
    unstored: bool,
    conditional: bool,
    prefer_stored: bool,
    record: bool,
    monitors: Option<Vec<Vec<Vec<u32>>>>,
    watching: bool,
    check: bool,
    threads: usize,
    alone: Option<u64>,
    store: &str,
    fingerprint: u32,
    hashes: u32,
    bit_bytes: u64,
    deepening: bool,
    cache: Option<usize>,
    checkpoint: Option<PathBuf>,
    checkpoint_interval: f64,
    resume: bool,
    successors: &str,
) -> PyResult<Exploration> {
    let successors = Successors::parse(successors)
        .ok_or_else(|| PyValueError::new_err(format!("no successors {successors}")))?;
    let algorithm = persistent.map(algorithm).transpose()?;
    let order = match cache {
        Some(capacity) => Order::Caching(capacity),
        None if deepening => Order::Deepening,
        None if depth_first => Order::DepthFirst,
        None => Order::BreadthFirst,
    };
    let (frozen, goals, bounds, monitors) = {
        let mut program = program.try_borrow_mut()?;
        let frozen = program.freeze()?;
        let goals = codes(&program, &goals, Sort::Condition)?;
        let bounds = codes(&program, &bounds, Sort::Integer)?;
        let monitors = monitor_codes(&program, monitors.unwrap_or_default())?;
        (frozen, goals, bounds, monitors)
    };
    let mut widened = false;
    let reduction = if algorithm.is_some() || sleep || proviso || check || record {
        let mut reduction = py
            .detach(|| {
                guarded(|| match watching {
                    true => Reduction::watching(&frozen, &monitors),
                    false => Reduction::new(&frozen, &monitors),
                })
            })?
            .map_err(|error| TooLargeError::new_err(error.to_string()))?;
        reduction.persistent = algorithm;
        reduction.sleep = sleep;
        reduction.proviso = proviso;
        reduction.components = components;
        reduction.stored = !unstored;
        reduction.conditional = conditional;
        reduction.prefer_stored = prefer_stored;
        reduction.record = record;
        reduction.check = check;
        widened = reduction.keep_errors(order);
        Some(reduction)
    } else {
        None
    };
    let options = Options {
        goals,
        bounds,
        stop_when_decided,
        timeout: match timeout {
            Some(value) => seconds(value, "timeout")?,
            None => None,
        },
        memory: size(memory)?,
        max_states: size(max_states)?,
        threads,
        alone: alone.unwrap_or(plait_explicit::ALONE),
        form: form(store, fingerprint, hashes, bit_bytes)?,
        checkpoint: match checkpoint {
            Some(file) => Some(Place {
                file,
                interval: seconds(checkpoint_interval, "interval")?.unwrap_or(Duration::MAX),
            }),
            None => None,
        },
        order,
        reduction,
        successors,
    };
    let saved = match &options.checkpoint {
        Some(place) if resume => Some(read_saved(py, &place.file, &frozen, &options)?),
        _ => None,
    };
    let found = observed(py, progress, interval, |observer| {
        explore_from(&frozen, &options, observer, saved)
    })?
    .map_err(fault_error)?;
    Ok(Exploration { found, widened })
}

/// What a search found.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct Exploration {
    found: plait_explicit::Exploration,
    /// The proviso was turned on because events may be errors of the model.
    widened: bool,
}

fn missing(number: u32) -> PyErr {
    PyIndexError::new_err(format!("there is no state {number}"))
}

#[pymethods]
impl Exploration {
    #[getter]
    fn complete(&self) -> bool {
        self.found.reason().is_none()
    }

    #[getter]
    fn reason(&self) -> Option<&'static str> {
        self.found.reason().map(plait_explicit::Reason::name)
    }

    #[getter]
    fn states(&self) -> usize {
        self.found.states()
    }

    #[getter]
    fn arcs(&self) -> u64 {
        self.found.figures().arcs
    }

    #[getter]
    fn deadlocks(&self) -> u64 {
        self.found.figures().deadlocks
    }

    #[getter]
    fn depth(&self) -> u64 {
        self.found.figures().depth
    }

    #[getter]
    fn max_value(&self) -> i32 {
        self.found.figures().max_value()
    }

    #[getter]
    fn max_sum(&self) -> i64 {
        self.found.figures().max_sum
    }

    #[getter]
    fn bounds(&self) -> Vec<Option<(i32, i32)>> {
        self.found.bounds().to_vec()
    }

    #[getter]
    fn goals(&self) -> Vec<Option<u32>> {
        self.found.goals().to_vec()
    }

    #[getter]
    fn fired(&self) -> Vec<u64> {
        self.found.figures().fired.clone()
    }

    #[getter]
    fn called(&self) -> Vec<bool> {
        self.found.figures().called.clone()
    }

    #[getter]
    fn undefined(&self) -> Vec<u64> {
        self.found.figures().undefined.clone()
    }

    #[getter]
    fn bits_per_state(&self) -> u64 {
        self.found.bits_per_state()
    }

    #[getter]
    fn stored(&self) -> u64 {
        self.found.reduced().map_or(0, |r| r.stored)
    }

    #[getter]
    fn cleared(&self) -> u64 {
        self.found.reduced().map_or(0, |r| r.cleared)
    }

    #[getter]
    fn executed(&self) -> u64 {
        self.found.reduced().map_or(0, |r| r.executed)
    }

    #[getter]
    fn checkpoints(&self) -> u64 {
        self.found.figures().checkpoints
    }

    #[getter]
    fn checkpoint_error(&self) -> Option<&str> {
        self.found.figures().checkpoint_error.as_deref()
    }

    #[getter]
    fn omission(&self) -> f64 {
        self.found.figures().omission
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.found.bytes()
    }

    #[getter]
    fn compiled(&self) -> Option<(usize, usize, f64)> {
        let compiled = self.found.figures().compiled?;
        Some((compiled.variants, compiled.bytes, compiled.seconds))
    }

    #[getter]
    fn reduced(&self) -> u64 {
        self.found.reduced().map_or(0, |r| r.reduced)
    }

    #[getter]
    fn widened(&self) -> bool {
        self.widened
    }

    #[getter]
    fn matched(&self) -> u64 {
        self.found.reduced().map_or(0, |r| r.matched)
    }

    /// The arcs of the reduced graph, if they were to be recorded: state, event, successor.
    #[getter]
    fn graph(&self) -> Vec<(u32, u32, u32)> {
        let event = |index: u32| self.found.program().free()[index as usize];
        let arcs = self.found.reduced().map_or(&[][..], |r| &r.graph);
        arcs.iter().map(|(a, e, b)| (*a, event(*e), *b)).collect()
    }

    #[getter]
    fn asleep(&self) -> u64 {
        self.found.reduced().map_or(0, |r| r.asleep)
    }

    #[getter]
    fn blocked(&self) -> u64 {
        self.found.reduced().map_or(0, |r| r.blocked)
    }

    #[getter]
    fn tested(&self) -> u64 {
        self.found.reduced().map_or(0, |r| r.tested)
    }

    #[getter]
    fn disturbance(&self) -> Option<(u32, u32, u32, &'static str)> {
        let found = self.found.reduced()?.disturbance.as_ref()?;
        let event = |index: u32| self.found.program().free()[index as usize];
        let (a, b) = (event(found.events.0), event(found.events.1));
        Some((found.state, a, b, found.what))
    }

    fn state<'py>(&self, py: Python<'py>, number: u32) -> PyResult<Bound<'py, PyTuple>> {
        let state = self.found.state(number).ok_or_else(|| missing(number))?;
        PyTuple::new(py, state)
    }

    #[allow(clippy::type_complexity)]
    fn trace<'py>(
        &self,
        py: Python<'py>,
        number: u32,
    ) -> PyResult<Option<Vec<(Option<u32>, Bound<'py, PyTuple>)>>> {
        if number as usize >= self.found.states() {
            return Err(missing(number));
        }
        let steps = match py.detach(|| guarded(|| self.found.trace(number)))? {
            Ok(Some(steps)) => steps,
            Ok(None) => return Ok(None),
            Err(Failure::Fault(fault)) => return Err(fault_error(fault)),
            Err(failure @ Failure::Stopped) => {
                return Err(PyValueError::new_err(failure.to_string()));
            }
        };
        let steps = steps.into_iter();
        let steps = steps.map(|(event, state)| Ok((event, PyTuple::new(py, state)?)));
        steps.collect::<PyResult<_>>().map(Some)
    }
}
