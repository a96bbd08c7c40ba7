//! The class `Structure`: variable orders of a model without its semantics.

use plait_symbolic::order::{
    self, Candidate, Deadline, Effect, Effort, Groups, SpanReport, StructureError, WHOLE,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::program::guarded;
use crate::stops::deadline;

/// The cells an event tests, and those it writes with the constant that it adds, if it does.
type Support = (Vec<u32>, Vec<(u32, Option<i32>)>);
/// The parent of each group, and the group of each cell.
pub(crate) type Hints = (Vec<Option<u32>>, Vec<Option<u32>>);
/// Name, permutation, figures, other names.
type Ranked = (String, Vec<u32>, Vec<(&'static str, f64)>, Vec<String>);
/// Bot(e) and Top(e) of each event.
type Extents = Vec<Option<(u32, u32)>>;

fn wrong(error: StructureError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Which cells events touch, and which belong together.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct Structure {
    inner: order::Structure,
}

impl Structure {
    /// A structure of events as the cells that they touch.
    pub(crate) fn of(
        cells: usize,
        events: impl IntoIterator<Item = Vec<(u32, Effect)>>,
        groups: Option<Hints>,
    ) -> PyResult<Structure> {
        let whole = |entries: Vec<Option<u32>>| -> Vec<u32> {
            entries.into_iter().map(|e| e.unwrap_or(WHOLE)).collect()
        };
        let groups = groups.map_or_else(Groups::default, |(parents, of_cell)| Groups {
            parents: whole(parents),
            of_cell: whole(of_cell),
        });
        let inner = order::Structure::new(cells, events, groups).map_err(wrong)?;
        Ok(Structure { inner })
    }
}

#[pymethods]
impl Structure {
    #[new]
    #[pyo3(signature = (cells, events, groups = None))]
    fn new(cells: usize, events: Vec<Support>, groups: Option<Hints>) -> PyResult<Structure> {
        let effects = |(tests, writes): Support| -> Vec<(u32, Effect)> {
            let tests = tests.into_iter().map(|cell| (cell, Effect::Test));
            let effect = |amount: Option<i32>| amount.map_or(Effect::Store, Effect::Add);
            let writes = writes.into_iter().map(|(cell, a)| (cell, effect(a)));
            tests.chain(writes).collect()
        };
        Structure::of(cells, events.into_iter().map(effects), groups)
    }

    /// Ranked orders of levels, of those that are made in time.
    #[pyo3(signature = (levels = None, initial = None, limit = None, *, quick = false, timeout = None))]
    fn orders(
        &self,
        py: Python<'_>,
        levels: Option<Vec<Vec<u32>>>,
        initial: Option<Vec<i32>>,
        limit: Option<usize>,
        quick: bool,
        timeout: Option<f64>,
    ) -> PyResult<Vec<Ranked>> {
        let effort = if quick { Effort::Quick } else { Effort::Full };
        let single = || (0..self.inner.cells() as u32).map(|c| vec![c]).collect();
        let levels = levels.unwrap_or_else(single);
        let until = Deadline(deadline(timeout)?);
        let ranked =
            || order::ranked_within(&self.inner, &levels, initial.as_deref(), effort, until);
        let found = py.detach(|| guarded(ranked))?.map_err(wrong)?;
        let figures = |c: Candidate| (c.name, c.order, c.costs.figures(), c.also);
        let found = found.into_iter().take(limit.unwrap_or(usize::MAX));
        Ok(found.map(figures).collect())
    }

    /// The cells as levels, those of each set together; without sets, those of machines.
    #[pyo3(signature = (together, initial, largest))]
    fn levels<'py>(
        &self,
        py: Python<'py>,
        together: Option<Vec<Vec<u32>>>,
        initial: Vec<i32>,
        largest: usize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let levels = py.detach(|| {
            guarded(|| {
                let together = together.unwrap_or_else(|| order::machines(&self.inner, &initial));
                self.inner.levels(together, largest)
            })
        })?;
        let levels = levels.map_err(wrong)?.into_iter();
        let levels: PyResult<Vec<_>> = levels.map(|cells| PyTuple::new(py, cells)).collect();
        PyTuple::new(py, levels?)
    }

    /// Disjoint sets of cells with at most one token.
    fn machines(&self, py: Python<'_>, initial: Vec<i32>) -> PyResult<Vec<Vec<u32>>> {
        py.detach(|| guarded(|| order::machines(&self.inner, &initial)))
    }

    /// Bot and Top of each event, their sum of spans, the sum of tops.
    fn spans(&self, levels: Vec<Vec<u32>>) -> PyResult<(Extents, u64, u64)> {
        let report = SpanReport::new(&self.inner, &levels).map_err(wrong)?;
        Ok((report.events, report.spans, report.tops))
    }
}
