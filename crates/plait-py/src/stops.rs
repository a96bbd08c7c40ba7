//! What ends a computation on diagrams: limits, interrupts, and what is told of it on the way.
//!
//! A limit that is met becomes a `StoppedError`; what a signal handler or the progress callback raises
//! while diagrams are computed is kept and raised when the computation has come to its end.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use plait_dd::{Budget, Manager, Observer, Policy, Statistics, Stop};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::explore::{seconds, size};
use crate::program::guarded;

create_exception!(
    plait._core,
    StoppedError,
    PyException,
    "A computation used up what it was given; args are (reason,)."
);

/// What a signal handler or the progress callback raised while diagrams were computed.
pub(crate) type Raised = Arc<Mutex<Option<PyErr>>>;

/// The diagrams, which no other computation may be using.
pub(crate) fn locked<T>(diagrams: &Mutex<T>) -> PyResult<MutexGuard<'_, T>> {
    let locked = diagrams.try_lock();
    locked.map_err(|_| PyRuntimeError::new_err("a computation on these diagrams is under way"))
}

/// Runs a computation without holding Python; what was raised meanwhile counts, not its outcome.
pub(crate) fn computed<T: Send>(
    py: Python<'_>,
    raised: &Raised,
    run: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let outcome = py.detach(|| guarded(run))?;
    match raised.lock().ok().and_then(|mut slot| slot.take()) {
        Some(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
            Err(StoppedError::new_err(("interrupted",)))
        }
        Some(error) => Err(error),
        None => Ok(outcome),
    }
}

pub(crate) fn reason(stop: Stop) -> &'static str {
    match stop {
        Stop::Memory => "memory",
        Stop::Time => "timeout",
        Stop::Cancelled => "interrupted",
        Stop::Incompatible | Stop::Fault => "internal error",
    }
}

/// Calls Python now and then: signal handlers, and the callback with the figures so far.
fn observer(raised: Raised, progress: Option<Py<PyAny>>, interval: Duration) -> Observer {
    let started = Instant::now();
    let mut reported = started;
    Box::new(move |statistics: &Statistics| {
        let outcome = Python::attach(|py| -> PyResult<()> {
            py.check_signals()?;
            if let Some(callback) = &progress {
                if reported.elapsed() >= interval {
                    reported = Instant::now();
                    let figures = figures(py, statistics)?;
                    let memory = plait_explicit::budget::resident();
                    figures.set_item("memory", memory.unwrap_or(statistics.peak_bytes as u64))?;
                    figures.set_item("seconds", started.elapsed().as_secs_f64())?;
                    callback.call1(py, (figures,))?;
                }
            }
            Ok(())
        });
        let go_on = outcome.is_ok();
        if let (Err(error), Ok(mut slot)) = (outcome, raised.lock()) {
            *slot = Some(error);
        }
        go_on
    })
}

pub(crate) fn figures<'py>(
    py: Python<'py>,
    statistics: &Statistics,
) -> PyResult<Bound<'py, PyDict>> {
    let figures = PyDict::new(py);
    figures.set_item("nodes", statistics.nodes)?;
    figures.set_item("peak_nodes", statistics.peak_nodes)?;
    figures.set_item("created_nodes", statistics.created)?;
    figures.set_item("edges", statistics.edges)?;
    figures.set_item("collections", statistics.collections)?;
    figures.set_item("cache_lookups", statistics.cache_lookups)?;
    figures.set_item("cache_hits", statistics.cache_hits)?;
    figures.set_item("store_bytes", statistics.store_bytes)?;
    figures.set_item("cache_bytes", statistics.cache_bytes)?;
    figures.set_item("peak_bytes", statistics.peak_bytes)?;
    Ok(figures)
}

/// When so many seconds are over; none or infinitely many have no end.
pub(crate) fn deadline(timeout: Option<f64>) -> PyResult<Option<Instant>> {
    let timeout = match timeout {
        Some(value) => seconds(value, "timeout")?,
        None => None,
    };
    Ok(timeout.and_then(|t| Instant::now().checked_add(t)))
}

/// Limits of the computations to come.
pub(crate) fn limit(
    manager: &mut Manager,
    raised: Raised,
    timeout: Option<f64>,
    memory: Option<Bound<'_, PyAny>>,
    strict: Option<u64>,
    progress: Option<Py<PyAny>>,
    interval: f64,
) -> PyResult<()> {
    let deadline = deadline(timeout)?;
    let held = plait_explicit::budget::resident().unwrap_or(0);
    let memory = size(memory)?.map(|cap| cap.saturating_sub(held) as usize);
    let interval = seconds(interval, "interval")?.unwrap_or(Duration::MAX);
    manager.set_policy(strict.map_or(Policy::Lazy, Policy::Strict));
    manager.set_budget(Budget {
        memory: memory.unwrap_or(usize::MAX),
        deadline,
        ..Budget::default()
    });
    manager.set_observer(Some(observer(raised, progress, interval)));
    Ok(())
}
