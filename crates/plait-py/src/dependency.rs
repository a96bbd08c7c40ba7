//! The function `dependency`: the relations between the events of a program, to be looked at.

use plait_program::{Effect, Scratch};
use plait_reduction::operation::Operation;
use plait_reduction::processes::Processes;
use plait_reduction::{Dependency, Matrix};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::explore::TooLargeError;
use crate::program::{guarded, Program};

/// What an event does to a cell: cell, values where it can, effect, amount, whether it reads.
type Row = (u32, Vec<(i64, i64)>, &'static str, Option<i32>, bool);

/// The dependency of the free events.
#[pyfunction]
#[pyo3(signature = (program, state=None))]
pub(crate) fn dependency<'py>(
    py: Python<'py>,
    program: &Bound<'py, Program>,
    state: Option<Vec<i32>>,
) -> PyResult<Bound<'py, PyDict>> {
    let frozen = program.try_borrow_mut()?.freeze()?;
    let (found, processes) = py
        .detach(|| {
            guarded(|| {
                let found = Dependency::new(&frozen, &[])?;
                let processes = Processes::new(&found);
                Ok::<_, plait_reduction::TooLarge>((found, processes))
            })
        })?
        .map_err(|error| TooLargeError::new_err(error.to_string()))?;
    let document = PyDict::new(py);
    document.set_item("events", frozen.free().to_vec())?;
    document.set_item("conflict", rows(&found.conflict))?;
    document.set_item("depend", rows(&found.depend))?;
    document.set_item("controls", &processes.controls)?;
    document.set_item("shared", rows(&processes.shared))?;
    document.set_item("active", processes.active.clone())?;
    let here = match state {
        Some(cells) if cells.len() != frozen.cells().len() => {
            return Err(PyValueError::new_err(
                "a state has as many values as there are cells",
            ));
        }
        Some(cells) => Some(rows_in(&found, &cells)),
        None => None,
    };
    document.set_item("here", here)?;
    document.set_item("faulty", found.faulty.iter().collect::<Vec<_>>())?;
    let operations: Vec<Vec<Row>> = (0..found.events())
        .map(|event| {
            let classes = found.classes[event].iter();
            classes
                .map(|(cell, class)| {
                    let used = &found.cells[cell];
                    row(*cell, &used.classes[*class as usize].operation)
                })
                .collect()
        })
        .collect();
    document.set_item("operations", operations)?;
    Ok(document)
}

/// For each event those that are dependent with it in the state.
fn rows_in(found: &Dependency, cells: &[i32]) -> Vec<Vec<u32>> {
    let events = found.events() as u32;
    let mut scratch = Scratch::default();
    (0..events)
        .map(|a| {
            let others = (0..events).filter(|b| found.dependent_in(a, *b, cells, &mut scratch));
            others.collect()
        })
        .collect()
}

fn rows(matrix: &Matrix) -> Vec<Vec<u32>> {
    (0..matrix.size() as u32)
        .map(|event| matrix.row(event).iter().collect())
        .collect()
}

fn row(cell: u32, operation: &Operation) -> Row {
    let (effect, amount) = match operation.effect {
        Effect::Keep => ("keep", None),
        Effect::Add(amount) => ("add", Some(amount)),
        Effect::Set(value) => ("set", Some(value)),
        Effect::Reflect(whole) => ("reflect", Some(whole)),
        Effect::Any => ("write", None),
    };
    let test = operation.test.list().to_vec();
    (cell, test, effect, amount, operation.reads)
}
