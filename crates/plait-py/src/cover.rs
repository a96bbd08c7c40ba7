//! The class `Backward`: coverability of a net, asked in as many turns as it takes.

use std::time::Instant;

use plait_explicit::budget::Supervisor;
use plait_net::cover::{self, CoverEvent, CoverNet, Limit, Outcome, Refused};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

use crate::explore::{seconds, size};
use crate::program::guarded;
use crate::walk::Signals;

type Row = Vec<(u32, u64)>;

/// A backward search, with what its proof is about.
#[pyclass(module = "plait._core")]
pub(crate) struct Backward {
    net: CoverNet,
    targets: Vec<Row>,
    limits: Vec<Limit>,
    search: cover::Backward,
}

fn refuse(refusal: Refused) -> PyErr {
    PyValueError::new_err(refusal.to_string())
}

/// Runs something under limits of time and memory, with signals looked at; why it ended early.
fn limited<T: Send>(
    py: Python<'_>,
    timeout: Option<f64>,
    memory: Option<Bound<'_, PyAny>>,
    run: impl FnOnce(&mut Supervisor<'_>) -> T + Send,
) -> PyResult<(T, Option<&'static str>)> {
    let timeout = match timeout {
        Some(value) => seconds(value, "timeout")?,
        None => None,
    };
    let memory = size(memory)?;
    let mut observer = Signals {
        asked: Instant::now(),
        error: None,
    };
    let (found, reason) = py.detach(|| {
        guarded(|| {
            let mut supervisor = Supervisor::new(&mut observer, timeout, memory);
            let found = run(&mut supervisor);
            (found, supervisor.stop)
        })
    })?;
    if let Some(error) = observer.error {
        if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
            return Err(error);
        }
    }
    Ok((found, reason.map(|reason| reason.name())))
}

#[pymethods]
impl Backward {
    /// `events` are tokens taken, tokens put, and places that are emptied in between.
    #[new]
    fn new(
        initial: Vec<u64>,
        events: Vec<(Row, Row, Vec<u32>)>,
        targets: Vec<Row>,
    ) -> PyResult<Self> {
        let event = |(pre, post, reset)| CoverEvent { pre, post, reset };
        let events = events.into_iter().map(event).collect();
        let net = CoverNet::new(initial, events).map_err(refuse)?;
        let search = cover::Backward::new(net.clone(), &targets).map_err(refuse)?;
        Ok(Backward {
            net,
            targets,
            limits: Vec::new(),
            search,
        })
    }

    /// The demands whose turn is next, about so many.
    fn waiting(&mut self, count: usize) -> Vec<Row> {
        self.search.waiting(count)
    }

    /// No reachable marking has more of this weighted sum, by a proof that the caller has.
    fn limit(&mut self, weights: Row, most: u64) -> PyResult<()> {
        let limit = Limit::new(weights, most, self.net.width()).map_err(refuse)?;
        self.search.add(limit.clone());
        self.limits.push(limit);
        Ok(())
    }

    /// Goes on for up to so many demands: `covered` with a run, `closed`, `paused`, `too large`, or why it
    /// was stopped.
    #[pyo3(signature = (count, *, timeout=None, memory=None))]
    fn expand(
        &mut self,
        py: Python<'_>,
        count: u64,
        timeout: Option<f64>,
        memory: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(&'static str, Vec<u32>)> {
        let search = &mut self.search;
        let (outcome, reason) = limited(py, timeout, memory, |watch| search.expand(count, watch))?;
        Ok(match outcome {
            Outcome::Covered(events) => ("covered", events),
            Outcome::Closed => ("closed", Vec::new()),
            Outcome::Paused => ("paused", Vec::new()),
            Outcome::TooLarge => ("too large", Vec::new()),
            Outcome::Stopped => (reason.unwrap_or("timeout"), Vec::new()),
        })
    }

    /// Whether a second look at the minimal demands confirms that no target is covered; `None` and why if
    /// that takes too long.
    #[pyo3(signature = (*, timeout=None, memory=None))]
    fn shown(
        &self,
        py: Python<'_>,
        timeout: Option<f64>,
        memory: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(Option<bool>, Option<&'static str>)> {
        limited(py, timeout, memory, |watch| {
            let basis = self.search.elements();
            cover::shows(&self.net, &self.targets, &basis, &self.limits, watch)
        })
    }

    /// The minimal demands.
    fn elements(&self) -> Vec<Row> {
        self.search.elements()
    }

    /// How many demands are minimal, were ever met, and were expanded.
    #[getter]
    fn figures(&self) -> (usize, usize, u64) {
        self.search.figures()
    }
}
