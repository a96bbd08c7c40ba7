//! The function `walk` and the class `Walks`.

use std::time::{Duration, Instant};

use plait_explicit::{Found, Observer, Progress, WalkOptions};
use plait_program::{Failure, Sort};
use pyo3::exceptions::{PyIndexError, PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::explore::{seconds, size};
use crate::program::{fault_error, guarded, Program};

/// Runs signal handlers now and then.
pub(crate) struct Signals {
    pub asked: Instant,
    pub error: Option<PyErr>,
}

impl Observer for Signals {
    fn go_on(&mut self, _progress: &Progress) -> bool {
        if self.asked.elapsed() >= Duration::from_millis(50) {
            self.asked = Instant::now();
            self.error = Python::attach(|py| py.check_signals()).err();
        }
        self.error.is_none()
    }
}

/// Random walks from the initial state.
#[pyfunction]
#[pyo3(signature = (program, *, goals, measures, values, enough, plans=Vec::new(), growth=false,
                    seed=0, timeout=None, steps=None, length=1_000_000))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn walk(
    py: Python<'_>,
    program: &Bound<'_, Program>,
    goals: Vec<u32>,
    measures: Vec<Option<u32>>,
    values: Vec<u32>,
    enough: Vec<Option<i32>>,
    plans: Vec<Option<Vec<(u32, u32)>>>,
    growth: bool,
    seed: u64,
    timeout: Option<f64>,
    steps: Option<Bound<'_, PyAny>>,
    length: usize,
) -> PyResult<Walks> {
    let planned = plans.is_empty() || plans.len() == goals.len();
    if goals.len() != measures.len() || values.len() != enough.len() || !planned {
        return Err(PyValueError::new_err(
            "a measure and a plan for each goal, and for each value what is enough",
        ));
    }
    let (frozen, options) = {
        let mut program = program.try_borrow_mut()?;
        let frozen = program.freeze()?;
        let code = |id: &u32, sort| program.code(*id, sort);
        let options = WalkOptions {
            goals: goals
                .iter()
                .map(|id| code(id, Sort::Condition))
                .collect::<PyResult<_>>()?,
            measures: measures
                .iter()
                .map(|id| id.as_ref().map(|id| code(id, Sort::Integer)).transpose())
                .collect::<PyResult<_>>()?,
            values: values
                .iter()
                .map(|id| code(id, Sort::Integer))
                .collect::<PyResult<_>>()?,
            enough,
            plans,
            growth,
            seed,
            timeout: match timeout {
                Some(value) => seconds(value, "timeout")?,
                None => None,
            },
            steps: size(steps)?,
            length: length.min(u32::MAX as usize),
        };
        (frozen, options)
    };
    let mut observer = Signals {
        asked: Instant::now(),
        error: None,
    };
    let outcome = py.detach(|| guarded(|| plait_explicit::walk(&frozen, &options, &mut observer)));
    if let Some(error) = observer.error {
        if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
            return Err(error);
        }
    }
    Ok(Walks {
        found: outcome?.map_err(fault_error)?,
    })
}

/// What random walks found.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct Walks {
    found: plait_explicit::Walks,
}

type Place = (u32, u32);

fn place(found: Found) -> Place {
    (found.run, found.position)
}

#[pymethods]
impl Walks {
    #[getter]
    fn goals(&self) -> Vec<Option<Place>> {
        self.found.goals.iter().map(|g| g.map(place)).collect()
    }

    #[getter]
    fn values(&self) -> Vec<Option<(i32, Place)>> {
        let shown = |(value, found): (i32, Found)| (value, place(found));
        self.found.values.iter().map(|v| v.map(shown)).collect()
    }

    #[getter]
    fn growth(&self) -> Option<(Place, Place)> {
        self.found.growth.map(|(a, b)| (place(a), place(b)))
    }

    #[getter]
    fn steps(&self) -> u64 {
        self.found.steps
    }

    #[getter]
    fn tried(&self) -> u64 {
        self.found.tried
    }

    #[getter]
    fn reason(&self) -> &'static str {
        self.found.reason.name()
    }

    /// The events on the way to a state that was found.
    fn events(&self, run: u32, position: u32) -> PyResult<Vec<u32>> {
        let events = self.found.events(Found { run, position });
        events.ok_or_else(|| {
            PyIndexError::new_err(format!("there is no step {position} of run {run}"))
        })
    }

    /// The events on the way to a state that was found, each with the state after it.
    #[allow(clippy::type_complexity)]
    fn trace<'py>(
        &self,
        py: Python<'py>,
        run: u32,
        position: u32,
    ) -> PyResult<Vec<(Option<u32>, Bound<'py, PyTuple>)>> {
        self.events(run, position)?;
        let steps = match py.detach(|| guarded(|| self.found.trace(Found { run, position })))? {
            Ok(steps) => steps,
            Err(Failure::Fault(fault)) => return Err(fault_error(fault)),
            Err(failure @ Failure::Stopped) => {
                return Err(PyValueError::new_err(failure.to_string()));
            }
        };
        steps
            .into_iter()
            .map(|(event, state)| Ok((event, PyTuple::new(py, state)?)))
            .collect()
    }
}
