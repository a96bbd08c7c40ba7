//! The functions `linear` and `run_walk`, and the class `LinearAnswer`.

use plait_explicit::{
    Buchi, BuchiArc, LinearError, LinearOptions, Movers, Reason, Step, Successors, Unable, Verdict,
    Walked,
};
use plait_program::Sort;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::explore::{algorithm, observed, seconds, size, TooLargeError};
use crate::program::{fault_error, Program};

/// Conditions that must be true, that must not be, the target, and the marks.
type PyArc = (Vec<u32>, Vec<u32>, u32, u64);
/// The conditions of an automaton, the arcs of each location, how many acceptance sets, and whether
/// deadlocks matter only where a run ends.
type PyAutomaton = (Vec<u32>, Vec<Vec<PyArc>>, u32, bool);
/// How many movers, the bits of each event, and expressions whose change is a move of these bits.
type PyMovers = (u32, Vec<u64>, Vec<(u64, u32)>);

fn automaton(program: &Program, given: PyAutomaton) -> PyResult<Buchi> {
    let (conditions, arcs, acceptances, at_end) = given;
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
        at_end,
    };
    if found.is_sound() {
        Ok(found)
    } else {
        Err(PyValueError::new_err("an automaton with a wrong number"))
    }
}

fn movers(program: &Program, (count, of, places): PyMovers) -> PyResult<Movers> {
    let place = |(bits, id): (u64, u32)| Ok((bits, program.code(id, Sort::Integer)?));
    let places = places.into_iter().map(place).collect::<PyResult<_>>()?;
    Ok(Movers { count, of, places })
}

/// Which automata accept a run of the program.
#[pyfunction]
#[pyo3(signature = (program, automata, answered, *, fair=None, timeout=None, memory=None,
                    max_states=None, progress=None, interval=0.1, successors="auto", ample=None,
                    nested=false, build_first=false))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn linear(
    py: Python<'_>,
    program: &Bound<'_, Program>,
    automata: Vec<PyAutomaton>,
    answered: Py<PyAny>,
    fair: Option<PyMovers>,
    timeout: Option<f64>,
    memory: Option<Bound<'_, PyAny>>,
    max_states: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
    interval: f64,
    successors: &str,
    ample: Option<&str>,
    nested: bool,
    build_first: bool,
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
        nested,
        build_first,
        heedless: false,
    };
    let (frozen, automata, fair) = {
        let mut program = program.try_borrow_mut()?;
        let frozen = program.freeze()?;
        let automata = automata.into_iter().map(|a| automaton(&program, a));
        let fair = fair.map(|given| movers(&program, given)).transpose()?;
        (frozen, automata.collect::<PyResult<Vec<Buchi>>>()?, fair)
    };
    if let Some(fair) = &fair {
        let most = automata.iter().map(|a| a.all.count_ones()).max();
        if !fair.is_sound(&frozen) || most.unwrap_or(0) + fair.count > 64 {
            return Err(PyValueError::new_err("movers that do not fit"));
        }
    }
    let mut raised: Option<PyErr> = None;
    let mut hear = |number: usize, found: plait_explicit::Linear| {
        let told = Python::attach(|py| answered.call1(py, (number, LinearAnswer::from(found))));
        raised = told.err();
        raised.is_none()
    };
    let outcome = observed(py, progress, interval, |observer| {
        plait_explicit::linear(
            &frozen,
            &automata,
            fair.as_ref(),
            &options,
            observer,
            &mut hear,
        )
    });
    if let Some(error) = raised {
        return Err(error);
    }
    outcome?.map_err(|error| match error {
        LinearError::Fault(fault) => fault_error(fault),
        LinearError::TooLarge(error) => TooLargeError::new_err(error.to_string()),
    })
}

/// Random walks for runs that automata accept. `answered` hears the number of an automaton, the steps of
/// a run, and where it goes back to: without steps it is too long, without a place all goes. Why it
/// ended: `done`, `unable`, or the limit.
#[pyfunction]
#[pyo3(signature = (program, automata, answered, *, seed=0, timeout=None, rounds=u32::MAX,
                    progress=None, interval=0.1))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn run_walk(
    py: Python<'_>,
    program: &Bound<'_, Program>,
    automata: Vec<PyAutomaton>,
    answered: Py<PyAny>,
    seed: u64,
    timeout: Option<f64>,
    rounds: u32,
    progress: Option<Py<PyAny>>,
    interval: f64,
) -> PyResult<&'static str> {
    let timeout = match timeout {
        Some(value) => seconds(value, "timeout")?,
        None => None,
    };
    let (frozen, automata) = {
        let mut program = program.try_borrow_mut()?;
        let frozen = program.freeze()?;
        let automata = automata.into_iter().map(|a| automaton(&program, a));
        (frozen, automata.collect::<PyResult<Vec<Buchi>>>()?)
    };
    let mut raised: Option<PyErr> = None;
    let mut hear = |number: usize, found: Walked| {
        let told = Python::attach(|py| {
            let (steps, repeats) = match found {
                Walked::Lasso(lasso) => (Some(lasso.steps), Some(lasso.repeats)),
                Walked::Beginning(steps) => (Some(steps), None),
                Walked::Long => (None, None),
            };
            let steps = steps.map(|s| py_steps(py, &s)).transpose()?;
            answered.call1(py, (number, steps, repeats))
        });
        raised = told.err();
        raised.is_none()
    };
    let outcome = observed(py, progress, interval, |observer| {
        plait_explicit::run_walk(
            &frozen, &automata, seed, timeout, rounds, observer, &mut hear,
        )
    });
    if let Some(error) = raised {
        return Err(error);
    }
    Ok(match outcome? {
        Ok(stop) => stop.map_or("done", Reason::name),
        Err(Unable) => "unable",
    })
}

type PySteps<'py> = Vec<(Option<u32>, Bound<'py, PyTuple>)>;

fn py_steps<'py>(py: Python<'py>, steps: &[Step]) -> PyResult<PySteps<'py>> {
    let steps = steps.iter();
    let steps = steps.map(|(event, state)| Ok((*event, PyTuple::new(py, state)?)));
    steps.collect()
}

/// The answer of one automaton.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct LinearAnswer {
    verdict: Verdict,
    #[pyo3(get)]
    nodes: u64,
    #[pyo3(get)]
    arcs: u64,
    #[pyo3(get)]
    expansions: u64,
    #[pyo3(get)]
    letters: u64,
    #[pyo3(get)]
    states: u64,
    #[pyo3(get)]
    depth: u64,
    #[pyo3(get)]
    reduced: u64,
    #[pyo3(get)]
    reducible: bool,
    #[pyo3(get)]
    max_sum: i64,
    #[pyo3(get)]
    undefined: Vec<u64>,
    #[pyo3(get)]
    bytes: u64,
}

impl From<plait_explicit::Linear> for LinearAnswer {
    fn from(found: plait_explicit::Linear) -> LinearAnswer {
        LinearAnswer {
            verdict: found.verdict,
            nodes: found.nodes,
            arcs: found.arcs,
            expansions: found.expansions,
            letters: found.letters,
            states: found.states,
            depth: found.depth,
            reduced: found.reduced,
            reducible: found.reducible,
            max_sum: found.max_sum,
            undefined: found.undefined,
            bytes: found.bytes,
        }
    }
}

#[pymethods]
impl LinearAnswer {
    #[getter]
    fn accepting(&self) -> Option<bool> {
        match self.verdict {
            Verdict::Empty => Some(false),
            Verdict::Accepting(_) => Some(true),
            Verdict::Stopped(_) => None,
        }
    }

    #[getter]
    fn reason(&self) -> Option<&'static str> {
        match self.verdict {
            Verdict::Stopped(reason) => Some(reason.name()),
            _ => None,
        }
    }

    /// Events and states of an accepted run, and the place where it goes back to.
    #[getter]
    fn lasso<'py>(&self, py: Python<'py>) -> PyResult<Option<(PySteps<'py>, usize)>> {
        let Verdict::Accepting(Some(lasso)) = &self.verdict else {
            return Ok(None);
        };
        Ok(Some((py_steps(py, &lasso.steps)?, lasso.repeats)))
    }
}
