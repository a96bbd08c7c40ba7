//! The classes `Functions` and `Function`: numbers for sequences, as edge-valued diagrams (EV+).
//!
//! A function that is nowhere finite is `None`. Values are kept below 2^31, so that no sum of them on the
//! way of an operation overflows.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use num_bigint::BigUint;
use plait_dd::edge_valued::{EvEdge, Forest, Placement};
use plait_dd::stack::deep;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::program::guarded;

/// The greatest value of a function.
const GREATEST: u32 = i32::MAX as u32;

static NEXT_OWNER: AtomicU64 = AtomicU64::new(0);

/// Functions with shared parts.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct Functions {
    forest: Mutex<Forest>,
    owner: u64,
}

/// A function from sequences to numbers, with its greatest value.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct Function {
    edge: EvEdge,
    greatest: u32,
    owner: u64,
}

impl Functions {
    fn lock(&self) -> PyResult<MutexGuard<'_, Forest>> {
        let locked = self.forest.try_lock();
        locked.map_err(|_| PyRuntimeError::new_err("a computation on these functions is under way"))
    }

    fn own(&self, function: &Function) -> PyResult<EvEdge> {
        if function.owner == self.owner {
            Ok(function.edge)
        } else {
            Err(PyValueError::new_err("a function of another forest"))
        }
    }

    fn function(&self, forest: &Forest, edge: EvEdge) -> Function {
        Function {
            edge,
            greatest: forest.greatest(edge),
            owner: self.owner,
        }
    }

    /// The lesser or the greater of two functions.
    fn merged(
        &self,
        f: Option<&Function>,
        g: Option<&Function>,
        merge: impl FnOnce(&mut Forest, Option<EvEdge>, Option<EvEdge>) -> Option<EvEdge>,
    ) -> PyResult<Option<Function>> {
        let f = f.map(|f| self.own(f)).transpose()?;
        let g = g.map(|g| self.own(g)).transpose()?;
        let mut forest = self.lock()?;
        if let (Some(f), Some(g)) = (f, g) {
            if forest.variable(f.node) != forest.variable(g.node) {
                let message = "functions of different variables";
                return Err(PyValueError::new_err(message));
            }
        }
        let edge = guarded(|| deep(|| merge(&mut forest, f, g)))?;
        Ok(edge.map(|edge| self.function(&forest, edge)))
    }
}

#[pymethods]
impl Functions {
    #[new]
    fn new() -> Functions {
        Functions {
            forest: Mutex::new(Forest::new(Placement::Edges)),
            owner: NEXT_OWNER.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// The number, for the empty sequence.
    fn terminal(&self, value: u32) -> PyResult<Function> {
        if value > GREATEST {
            return Err(PyValueError::new_err("a value is less than 2^31"));
        }
        let mut forest = self.lock()?;
        let edge = forest.terminal(value);
        Ok(self.function(&forest, edge))
    }

    /// The function of the sequences that begin with one of these labels; None if there are none.
    fn node(&self, variable: u32, edges: Vec<(u32, Py<Function>)>) -> PyResult<Option<Function>> {
        let mut forest = self.lock()?;
        let mut list = Vec::with_capacity(edges.len());
        for (label, function) in &edges {
            let edge = self.own(function.get())?;
            // So that functions with the same top have the same variables all the way down.
            if forest.variable(edge.node).checked_add(1) != Some(variable) {
                let message = "an edge leads to a function of the variable one below";
                return Err(PyValueError::new_err(message));
            }
            list.push((*label, edge));
        }
        list.sort_unstable_by_key(|e| e.0);
        if list.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(PyValueError::new_err("a label occurs twice"));
        }
        let edge = forest.node(variable, list);
        Ok(edge.map(|edge| self.function(&forest, edge)))
    }

    /// The function plus a number.
    fn plus(&self, f: &Function, amount: u32) -> PyResult<Function> {
        let edge = self.own(f)?;
        let sum = f.greatest.checked_add(amount);
        if sum.is_none_or(|sum| sum > GREATEST) {
            return Err(PyValueError::new_err("a value is less than 2^31"));
        }
        let mut forest = self.lock()?;
        let edge = forest.plus(edge, amount);
        Ok(self.function(&forest, edge))
    }

    /// The lesser of two functions, sequence by sequence.
    fn minimum(&self, f: Option<&Function>, g: Option<&Function>) -> PyResult<Option<Function>> {
        self.merged(f, g, Forest::min)
    }

    /// The greater of two functions, sequence by sequence: finite where both are.
    fn maximum(&self, f: Option<&Function>, g: Option<&Function>) -> PyResult<Option<Function>> {
        self.merged(f, g, Forest::max)
    }

    /// The value of a sequence, from its first label on; None where it is infinite.
    fn value(&self, f: &Function, labels: Vec<u32>) -> PyResult<Option<u32>> {
        let edge = self.own(f)?;
        let forest = self.lock()?;
        let mut node = edge.node;
        for label in &labels {
            let edges = forest.edges(node);
            let Ok(at) = edges.binary_search_by_key(label, |e| e.0) else {
                return Ok(None);
            };
            node = edges[at].1.node;
        }
        if forest.variable(node) != 0 {
            let message = "a sequence has a label for each variable";
            return Err(PyValueError::new_err(message));
        }
        Ok(forest.value(edge, labels))
    }

    /// How many nodes a function has, terminals not counted.
    fn size(&self, f: &Function) -> PyResult<usize> {
        let edge = self.own(f)?;
        Ok(self.lock()?.size(edge))
    }

    /// The least value, and how many sequences have it and each that is greater, to the greatest.
    fn histogram(&self, f: &Function) -> PyResult<(u32, Vec<BigUint>)> {
        let edge = self.own(f)?;
        let forest = self.lock()?;
        guarded(|| forest.histogram(edge))
    }

    /// A sequence with the least value.
    fn nearest(&self, f: &Function) -> PyResult<Vec<u32>> {
        let edge = self.own(f)?;
        Ok(self.lock()?.nearest(edge))
    }
}

#[pymethods]
impl Function {
    /// The least value.
    #[getter]
    fn least(&self) -> u32 {
        self.edge.value
    }

    /// The greatest finite value.
    #[getter]
    fn greatest(&self) -> u32 {
        self.greatest
    }

    /// Equal functions of one forest are the same node.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Function>();
        other.is_ok_and(|o| (o.get().owner, o.get().edge) == (self.owner, self.edge))
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        (self.owner, self.edge).hash(&mut hasher);
        hasher.finish()
    }
}
