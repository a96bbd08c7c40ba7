//! The function `linear` and the class `LinearAnswer`.

use std::time::Duration;

use plait_explicit::{Buchi, BuchiArc, LinearError, LinearOptions, Successors, Verdict};
use plait_program::Sort;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::explore::{algorithm, seconds, size, PythonObserver, TooLargeError};
use crate::program::{fault_error, guarded, Program};

/// Conditions that must be true, that must not be, the target, and the marks.
type PyArc = (Vec<u32>, Vec<u32>, u32, u64);
/// The conditions of an automaton, the arcs of each location, and how many acceptance sets.
type PyAutomaton = (Vec<u32>, Vec<Vec<PyArc>>, u32);

fn automaton(program: &Program, (conditions, arcs, acceptances): PyAutomaton) -> PyResult<Buchi> {
    let all = match acceptances {
        0..=63 => (1 << acceptances) - 1,
        64 => u64::MAX,
        _ => return Err(PyValueError::new_err("more than 64 acceptance sets")),
    };
    let arc = |(positive, negative, target, marks): PyArc| BuchiArc {
        positive,
        negative,
        target,
        marks,
    };
    let found = Buchi {
        conditions: conditions
            .iter()
            .map(|id| program.code(*id, Sort::Condition))
            .collect::<PyResult<_>>()?,
        arcs: arcs
            .into_iter()
            .map(|row| row.into_iter().map(arc).collect())
            .collect(),
        all,
    };
    if found.is_sound() {
        Ok(found)
    } else {
        Err(PyValueError::new_err("an automaton with a wrong number"))
    }
}

/// Which automata accept a run of the program.
#[pyfunction]
#[pyo3(signature = (program, automata, answered, *, timeout=None, memory=None, max_states=None,
                    progress=None, interval=0.1, successors="auto", ample=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn linear(
    py: Python<'_>,
    program: &Bound<'_, Program>,
    automata: Vec<PyAutomaton>,
    answered: Py<PyAny>,
    timeout: Option<f64>,
    memory: Option<Bound<'_, PyAny>>,
    max_states: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
    interval: f64,
    successors: &str,
    ample: Option<&str>,
) -> PyResult<()> {
    let options = LinearOptions {
        timeout: match timeout {
            Some(value) => seconds(value, "timeout")?,
            None => None,
        },
        memory: size(memory)?,
        max_states: size(max_states)?,
        successors: Successors::parse(successors)
            .ok_or_else(|| PyValueError::new_err(format!("no successors {successors}")))?,
        ample: ample.map(algorithm).transpose()?,
    };
    let (frozen, automata) = {
        let mut program = program.try_borrow_mut()?;
        let frozen = program.freeze()?;
        let automata = automata.into_iter().map(|a| automaton(&program, a));
        (frozen, automata.collect::<PyResult<Vec<Buchi>>>()?)
    };
    let interval = seconds(interval, "interval")?.unwrap_or(Duration::MAX);
    let mut observer = PythonObserver::new(progress, interval);
    let mut raised: Option<PyErr> = None;
    let mut hear = |number: usize, found: plait_explicit::Linear| {
        let told = Python::attach(|py| answered.call1(py, (number, LinearAnswer { found })));
        raised = told.err();
        raised.is_none()
    };
    let outcome = py.detach(|| {
        guarded(|| plait_explicit::linear(&frozen, &automata, &options, &mut observer, &mut hear))
    });
    if let Some(error) = raised {
        return Err(error);
    }
    if let Some(error) = observer.error {
        if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
            return Err(error);
        }
    }
    outcome?.map_err(|error| match error {
        LinearError::Fault(fault) => fault_error(fault),
        LinearError::TooLarge(error) => TooLargeError::new_err(error.to_string()),
    })
}

/// The answer of one automaton.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct LinearAnswer {
    found: plait_explicit::Linear,
}

#[pymethods]
impl LinearAnswer {
    #[getter]
    fn accepting(&self) -> Option<bool> {
        match self.found.verdict {
            Verdict::Empty => Some(false),
            Verdict::Accepting(_) => Some(true),
            Verdict::Stopped(_) => None,
        }
    }

    #[getter]
    fn reason(&self) -> Option<&'static str> {
        match self.found.verdict {
            Verdict::Stopped(reason) => Some(reason.name()),
            _ => None,
        }
    }

    /// Events and states of an accepted run, and the place where it goes back to.
    #[getter]
    #[allow(clippy::type_complexity)]
    fn lasso<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Vec<(Option<u32>, Bound<'py, PyTuple>)>, usize)>> {
        let Verdict::Accepting(Some(lasso)) = &self.found.verdict else {
            return Ok(None);
        };
        let steps = lasso.steps.iter();
        let steps = steps.map(|(event, state)| Ok((*event, PyTuple::new(py, state)?)));
        Ok(Some((steps.collect::<PyResult<_>>()?, lasso.repeats)))
    }

    #[getter]
    fn nodes(&self) -> u64 {
        self.found.nodes
    }

    #[getter]
    fn arcs(&self) -> u64 {
        self.found.arcs
    }

    #[getter]
    fn letters(&self) -> u64 {
        self.found.letters
    }

    #[getter]
    fn states(&self) -> u64 {
        self.found.states
    }

    #[getter]
    fn depth(&self) -> u64 {
        self.found.depth
    }

    #[getter]
    fn reduced(&self) -> u64 {
        self.found.reduced
    }

    #[getter]
    fn reducible(&self) -> bool {
        self.found.reducible
    }

    #[getter]
    fn max_sum(&self) -> i64 {
        self.found.max_sum
    }

    #[getter]
    fn undefined(&self) -> Vec<u64> {
        self.found.undefined.clone()
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.found.bytes
    }
}
