//! The function `local` and the class `LocalGraph`.

use plait_explicit::{FormulaTable, NoFormula, Operator, Options, Quantified, Until};
use plait_program::{Failure, Sort};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::explore::{observed, seconds, size};
use crate::program::{fault_error, guarded, Program};

/// Kind, whether universal, what holds at the end, operands, expression.
type Row = (String, bool, bool, Vec<u32>, Option<u32>);

fn operator(program: &Program, row: Row) -> PyResult<Operator> {
    let (kind, universal, ended, operands, expression) = row;
    let quantified = Quantified { universal, ended };
    let until = || -> PyResult<Until> {
        let [stay, goal] = operands[..] else {
            return Err(PyValueError::new_err(format!("{kind} has two operands")));
        };
        let code = |id: u32| program.code(id, Sort::Integer);
        let measure = expression.map(code).transpose()?;
        Ok(Until {
            stay,
            goal,
            measure,
        })
    };
    Ok(match (kind.as_str(), &operands[..]) {
        ("condition", []) => {
            let id = expression.ok_or_else(|| PyValueError::new_err("no condition"))?;
            Operator::Condition(program.code(id, Sort::Condition)?)
        }
        ("all", _) => Operator::All(operands),
        ("any", _) => Operator::Any(operands),
        ("next", [operand]) => Operator::Next(quantified, *operand),
        ("until", _) => Operator::Until(quantified, until()?),
        ("weak", _) => Operator::WeakUntil(quantified, until()?),
        _ => return Err(PyValueError::new_err(format!("no formula {kind}"))),
    })
}

fn table(program: &Program, rows: Vec<Row>) -> PyResult<FormulaTable> {
    let mut table = FormulaTable::default();
    for row in rows {
        let added = table.add(operator(program, row)?);
        added.map_err(|wrong| match wrong {
            NoFormula::Operand(number) => {
                PyValueError::new_err(format!("there is no operand {number} yet"))
            }
            NoFormula::Sort => PyTypeError::new_err("a measure that asks about events"),
        })?;
    }
    Ok(table)
}

/// CTL formulas in the initial state, on as few states as that takes.
#[pyfunction]
#[pyo3(signature = (program, formulas, roots, *, timeout=None, memory=None, max_states=None,
                    progress=None, interval=0.1))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn local(
    py: Python<'_>,
    program: &Bound<'_, Program>,
    formulas: Vec<Row>,
    roots: Vec<u32>,
    timeout: Option<f64>,
    memory: Option<Bound<'_, PyAny>>,
    max_states: Option<Bound<'_, PyAny>>,
    progress: Option<Py<PyAny>>,
    interval: f64,
) -> PyResult<LocalGraph> {
    let (frozen, table) = {
        let mut program = program.try_borrow_mut()?;
        (program.freeze()?, table(&program, formulas)?)
    };
    if let Some(wrong) = roots.iter().find(|root| **root as usize >= table.len()) {
        return Err(PyIndexError::new_err(format!(
            "there is no formula {wrong}"
        )));
    }
    let options = Options {
        timeout: match timeout {
            Some(value) => seconds(value, "timeout")?,
            None => None,
        },
        memory: size(memory)?,
        max_states: size(max_states)?,
        ..Options::default()
    };
    let found = observed(py, progress, interval, |observer| {
        plait_explicit::decide(&frozen, table, &roots, &options, observer)
    })?
    .map_err(fault_error)?;
    Ok(LocalGraph {
        verdicts: found.verdicts.clone(),
        reason: found.reason.map(plait_explicit::Reason::name),
        states: found.states(),
        visits: found.visits,
        bytes: found.bytes,
        max_sum: found.max_sum,
        undefined: found.undefined.clone(),
        found,
    })
}

/// What a local search found.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct LocalGraph {
    #[pyo3(get)]
    verdicts: Vec<Option<bool>>,
    #[pyo3(get)]
    reason: Option<&'static str>,
    #[pyo3(get)]
    states: usize,
    #[pyo3(get)]
    visits: u64,
    #[pyo3(get)]
    bytes: u64,
    #[pyo3(get)]
    max_sum: i64,
    #[pyo3(get)]
    undefined: Vec<u64>,
    found: plait_explicit::LocalGraph,
}

fn failure_error(failure: Failure) -> PyErr {
    match failure {
        Failure::Fault(fault) => fault_error(fault),
        Failure::Stopped => PyValueError::new_err("a set of states is too large"),
    }
}

impl LocalGraph {
    fn known(&self, number: u32) -> PyResult<u32> {
        if (number as usize) < self.found.states() {
            Ok(number)
        } else {
            Err(PyIndexError::new_err(format!("there is no state {number}")))
        }
    }
}

#[pymethods]
impl LocalGraph {
    fn state<'py>(&self, py: Python<'py>, number: u32) -> PyResult<Bound<'py, PyTuple>> {
        let state = self.found.state(self.known(number)?);
        PyTuple::new(py, state.unwrap_or_default())
    }

    fn successors(&self, number: u32) -> PyResult<Option<Vec<u32>>> {
        let number = self.known(number)?;
        Ok(self.found.successors(number).map(<[u32]>::to_vec))
    }

    fn truth(&self, formula: u32, number: u32) -> PyResult<Option<bool>> {
        let number = self.known(number)?;
        if formula as usize >= self.found.formulas() {
            return Err(PyIndexError::new_err(format!(
                "there is no formula {formula}"
            )));
        }
        guarded(|| self.found.truth(formula, number))?.map_err(failure_error)
    }

    fn event_between(&self, source: u32, target: u32) -> PyResult<Option<u32>> {
        let (source, target) = (self.known(source)?, self.known(target)?);
        guarded(|| self.found.event_between(source, target))?.map_err(failure_error)
    }
}
