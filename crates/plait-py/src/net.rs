//! The class `PlainNet`: a place/transition net as it was read from a file.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use plait_net::{groups, Names, Net, Nodes, Position, Reading, Settled};
use plait_symbolic::order::Effect;
use plait_symbolic::{Event, ProgramNet};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::order::{Hints, Structure};
use crate::program::{guarded, Program};

type Place = (u32, u32);
/// Root, whether safe, how many are announced, where, and the units.
type Section = (String, bool, Option<String>, Place, Vec<Unit>);
/// Name, where, places, units below.
type Unit = (String, Place, Vec<String>, Vec<String>);

/// A net as it stands in a file.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct PlainNet {
    inner: Arc<Net>,
}

fn place(position: Position) -> Place {
    (position.line, position.column)
}

fn owned(names: &Names) -> Vec<String> {
    names.iter().map(str::to_owned).collect()
}

/// A net with these levels of places (bottom first), as diagrams want it.
pub(crate) fn in_levels(net: &Net, levels: Vec<Vec<u32>>) -> ProgramNet {
    let event = |number: usize| Event {
        tests: net.tests(number),
        updates: net.updates(number),
    };
    ProgramNet {
        net: plait_symbolic::Net {
            initial: vec![net.tokens.clone()],
            levels,
            events: (0..net.events.len()).map(event).collect(),
            domains: vec![(0, i32::MAX); net.places.len()],
        },
        owners: (0..net.events.len() as u32).collect(),
        distinct: true, // the names of a file are
    }
}

/// Reads a document; signal handlers run meanwhile, and what they raise ends it.
fn read(py: Python<'_>, source: &mut dyn Read) -> PyResult<Option<PlainNet>> {
    let mut error = None;
    let mut go_on = || {
        error = py.check_signals().err();
        error.is_none()
    };
    let found = guarded(|| plait_net::read(source, &mut go_on))?;
    match (found, error) {
        (_, Some(error)) => Err(error),
        (Reading::Net(net), None) => Ok(Some(PlainNet {
            inner: Arc::from(net),
        })),
        _ => Ok(None),
    }
}

fn positions<'py>(py: Python<'py>, nodes: &Nodes) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, nodes.positions.iter().map(|p| place(*p)))
}

fn comments<'py>(py: Python<'py>, nodes: &Nodes) -> PyResult<Bound<'py, PyList>> {
    let shown = |name: &str| (!name.is_empty()).then(|| PyString::new(py, name));
    PyList::new(py, nodes.comments.iter().map(shown).collect::<Vec<_>>())
}

fn names<'py>(py: Python<'py>, nodes: &Nodes) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, nodes.names.iter().collect::<Vec<_>>())
}

#[pymethods]
impl PlainNet {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Option<PlainNet>> {
        match File::open(path) {
            Ok(mut file) => read(py, &mut file),
            Err(_) => Ok(None),
        }
    }

    #[staticmethod]
    fn parse(py: Python<'_>, data: &[u8]) -> PyResult<Option<PlainNet>> {
        read(py, &mut &data[..])
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    #[getter]
    fn position(&self) -> Place {
        place(self.inner.position)
    }

    #[getter]
    fn width(&self) -> usize {
        self.inner.places.len()
    }

    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.inner.tokens)
    }

    fn place_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        names(py, &self.inner.places)
    }

    fn place_comments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        comments(py, &self.inner.places)
    }

    fn place_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        positions(py, &self.inner.places)
    }

    fn event_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        names(py, &self.inner.events)
    }

    fn event_comments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        comments(py, &self.inner.events)
    }

    fn event_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        positions(py, &self.inner.events)
    }

    /// Of each event, place by place: the place, tokens needed, change, line, column.
    fn effects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let row = |event: usize| {
            let effects = self.inner.event(event).iter();
            let effects = effects.map(|e| {
                let (line, column) = place(e.position);
                (e.place, e.needed, e.change, line, column)
            });
            effects.collect::<Vec<_>>()
        };
        PyList::new(py, (0..self.inner.events.len()).map(row))
    }

    /// Of each event: tokens taken and tokens put, by place.
    #[allow(clippy::type_complexity)]
    fn rows<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Vec<(Bound<'py, PyTuple>, Bound<'py, PyTuple>)>> {
        let mut rows = Vec::with_capacity(self.inner.events.len());
        let (mut pre, mut post) = (Vec::new(), Vec::new());
        for event in 0..self.inner.events.len() {
            let mut effects = self.inner.event(event).to_vec();
            effects.sort_unstable_by_key(|e| e.place);
            pre.clear();
            post.clear();
            for e in effects {
                let after = i64::from(e.needed) + i64::from(e.change);
                if e.needed > 0 {
                    pre.push((e.place, e.needed));
                }
                if after > 0 {
                    post.push((e.place, after));
                }
            }
            rows.push((PyTuple::new(py, &pre)?, PyTuple::new(py, &post)?));
        }
        Ok(rows)
    }

    fn section(&self) -> Option<Section> {
        let found = self.inner.units.as_ref()?;
        let unit = |u: &plait_net::Unit| -> Unit {
            (
                u.name.clone(),
                place(u.position),
                owned(&u.places),
                owned(&u.units),
            )
        };
        Some((
            found.root.clone(),
            found.safe,
            found.count.clone(),
            place(found.position),
            found.units.iter().map(unit).collect(),
        ))
    }

    /// The unit above each unit and the unit of each place, if there are units.
    fn groups(&self) -> Option<Hints> {
        self.inner.groups.clone()
    }

    #[getter]
    fn has_units(&self) -> bool {
        self.inner.groups.is_some()
    }

    /// Whether the file says of its units that the net is safe.
    #[getter]
    fn safe(&self) -> bool {
        self.inner.units.as_ref().is_some_and(|units| units.safe)
    }

    /// The net without impossible events and constant places, and which places are left; `None` when
    /// that is all of it.
    fn settled(&self) -> PyResult<Option<(PlainNet, Vec<u32>)>> {
        let found = guarded(|| Settled::of(&self.inner))?;
        if found.is_all(&self.inner) {
            return Ok(None);
        }
        let net = guarded(|| found.net(&self.inner))?;
        let net = net.map_err(|_| PyMemoryError::new_err("the net is too large"))?;
        let inner = Arc::new(net);
        Ok(Some((PlainNet { inner }, found.places)))
    }

    fn program(&self) -> PyResult<Program> {
        Program::of_net(&self.inner)
    }

    /// The source of variable orders, with groups of places as hints: the units, or those of their names.
    fn structure(&self) -> PyResult<Structure> {
        let units = self.inner.groups.clone();
        let hints = units.unwrap_or_else(|| groups(&self.inner.places.names));
        let event = |number: usize| -> Vec<(u32, Effect)> {
            let effects = self.inner.event(number).iter();
            let effects = effects.map(|e| match e.change {
                0 => (e.place, Effect::Test),
                change => (e.place, Effect::Add(change)),
            });
            effects.collect()
        };
        let events = (0..self.inner.events.len()).map(event);
        Structure::of(self.inner.places.len(), events, Some(hints))
    }

    /// The event and the place in the file of the assignment of that number in the program.
    fn assignment(&self, number: usize) -> Option<(usize, Place)> {
        let (event, effect) = self.inner.assignment(number)?;
        Some((event, place(effect.position)))
    }
}
