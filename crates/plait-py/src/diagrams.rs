//! The classes `Diagrams` and `Diagram`: sets of sequences and homomorphisms, without any model.
//!
//! Homomorphisms are numbers of their `Diagrams`; 0 maps everything to the empty set, 1 is the identity.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use num_bigint::BigUint;
use plait_dd::stack::deep;
use plait_dd::{Edge, Manager, Node, Root, Step, Stop, Value};
use plait_program::arithmetic::CompareOp;
use plait_program::Failure;
use plait_symbolic::component_events;
use plait_symbolic::hom::{self, Hom, Homs, Misuse};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::inductive::Defined;
use crate::program::{fault_error, guarded, Program, ProgramError};
use crate::stops::{computed, figures, limit, locked, reason, Raised, StoppedError};

/// Variables are numbered from 1 to this.
const VARIABLES: u32 = (1 << 29) - 1;

static NEXT_OWNER: AtomicU64 = AtomicU64::new(0);

struct Engine {
    dd: Manager,
    homs: Homs,
}

/// A manager of diagrams and its homomorphisms.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct Diagrams {
    engine: Mutex<Engine>,
    raised: Raised,
    owner: u64,
}

/// A set of sequences.
#[pyclass(module = "plait._core", frozen)]
pub(crate) struct Diagram {
    root: Root,
    owner: u64,
}

fn misuse(error: Misuse) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn operator(name: &str) -> PyResult<CompareOp> {
    let message = || PyValueError::new_err(format!("no comparison '{name}'"));
    CompareOp::parse(name).ok_or_else(message)
}

pub(crate) fn variable(number: u32) -> PyResult<u32> {
    if (1..=VARIABLES).contains(&number) {
        Ok(number)
    } else {
        let message = format!("variables are numbered from 1 to {VARIABLES}, not {number}");
        Err(PyValueError::new_err(message))
    }
}

impl Diagrams {
    fn lock(&self) -> PyResult<MutexGuard<'_, Engine>> {
        locked(&self.engine)
    }

    /// Runs a computation without holding Python; what stopped it becomes an exception.
    fn compute<T: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Engine) -> Result<T, hom::Halt> + Send,
    ) -> PyResult<T> {
        let mut engine = self.lock()?;
        let engine: &mut Engine = &mut engine;
        computed(py, &self.raised, || run(engine))?.map_err(halt_error)
    }

    fn set(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut Engine) -> Result<Node, hom::Halt> + Send,
    ) -> PyResult<Diagram> {
        let root = self.compute(py, |engine| {
            let node = run(engine)?;
            Ok(engine.dd.root(node))
        })?;
        Ok(Diagram {
            root,
            owner: self.owner,
        })
    }

    fn node(&self, set: &Diagram) -> PyResult<Node> {
        if set.owner == self.owner {
            Ok(set.root.node())
        } else {
            Err(PyValueError::new_err("a set of other diagrams"))
        }
    }

    fn term(
        &self,
        build: impl FnOnce(&mut Engine, &dyn Fn(&Homs, u32) -> PyResult<Hom>) -> PyResult<Hom>,
    ) -> PyResult<u32> {
        let mut engine = self.lock()?;
        let known = |homs: &Homs, number: u32| {
            let message = || PyValueError::new_err(format!("no homomorphism {number}"));
            homs.numbered(number).ok_or_else(message)
        };
        let hom = guarded(|| deep(|| build(&mut engine, &known)))??;
        Ok(hom.number())
    }

    /// The children of a node to be, checked to have smaller variables.
    fn child(&self, engine: &Engine, above: u32, set: &Diagram) -> PyResult<Node> {
        let node = self.node(set)?;
        if engine.dd.variable(node) >= above {
            let message = "along a sequence the numbers of variables decrease";
            return Err(PyValueError::new_err(message));
        }
        Ok(node)
    }
}

fn halt_error(halt: hom::Halt) -> PyErr {
    match halt {
        hom::Halt::Stop(Stop::Incompatible) => {
            PyValueError::new_err("sets or homomorphisms with different variables")
        }
        hom::Halt::Stop(stop) => StoppedError::new_err((reason(stop),)),
        hom::Halt::Fault { statement, .. } => {
            ProgramError::new_err(("domain", None::<u32>, Some(statement), None::<u32>))
        }
        hom::Halt::Opaque(Failure::Fault(fault)) => fault_error(fault),
        hom::Halt::Opaque(Failure::Stopped) => StoppedError::new_err(("memory",)),
        hom::Halt::Diverges { .. } => {
            ProgramError::new_err(("fixpoint", None::<u32>, None::<u32>, None::<u32>))
        }
    }
}

#[pymethods]
impl Diagrams {
    #[new]
    fn new() -> Diagrams {
        let engine = Engine {
            dd: Manager::new(),
            homs: Homs::new(),
        };
        Diagrams {
            engine: Mutex::new(engine),
            raised: Raised::default(),
            owner: NEXT_OWNER.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Limits of the computations to come.
    #[pyo3(signature = (*, timeout=None, memory=None, strict=None, progress=None, interval=0.1))]
    fn limit(
        &self,
        timeout: Option<f64>,
        memory: Option<Bound<'_, PyAny>>,
        strict: Option<u64>,
        progress: Option<Py<PyAny>>,
        interval: f64,
    ) -> PyResult<()> {
        let mut engine = self.lock()?;
        let raised = Arc::clone(&self.raised);
        limit(
            &mut engine.dd,
            raised,
            timeout,
            memory,
            strict,
            progress,
            interval,
        )
    }

    // ----- sets ---------------------------------------------------------------------------------

    /// The empty set.
    fn empty(&self, py: Python<'_>) -> PyResult<Diagram> {
        self.set(py, |_| Ok(Node::ZERO))
    }

    /// The set of the empty sequence alone.
    fn unit(&self, py: Python<'_>) -> PyResult<Diagram> {
        self.set(py, |_| Ok(Node::ONE))
    }

    /// The sequences that begin with one of these values of a variable.
    fn integer_node(
        &self,
        py: Python<'_>,
        number: u32,
        edges: Vec<(i32, Py<Diagram>)>,
    ) -> PyResult<Diagram> {
        let number = variable(number)?;
        let mut by_value = std::collections::BTreeMap::new();
        {
            let engine = self.lock()?;
            for (value, set) in &edges {
                let child = self.child(&engine, number, set.get())?;
                if by_value.insert(*value, child).is_some() {
                    let message = format!("the value {value} occurs twice");
                    return Err(PyValueError::new_err(message));
                }
            }
        }
        let edges = by_value
            .into_iter()
            .map(|(value, child)| Edge::integer(value, child));
        let edges: Vec<Edge> = edges.collect();
        self.set(py, |e| Ok(e.dd.integer_node(number, &edges)?))
    }

    /// The sequences that begin with an element of one of these sets.
    fn set_node(
        &self,
        py: Python<'_>,
        number: u32,
        edges: Vec<(Py<Diagram>, Py<Diagram>)>,
    ) -> PyResult<Diagram> {
        let number = variable(number)?;
        let mut pairs = Vec::with_capacity(edges.len());
        {
            let engine = self.lock()?;
            for (label, set) in &edges {
                let label = self.node(label.get())?;
                if label == Node::ONE {
                    let message = "the empty sequence is no value of a variable";
                    return Err(PyValueError::new_err(message));
                }
                pairs.push((label, self.child(&engine, number, set.get())?));
            }
        }
        self.set(py, |e| Ok(e.dd.set_node(number, &pairs)?))
    }

    fn union(&self, py: Python<'_>, a: &Diagram, b: &Diagram) -> PyResult<Diagram> {
        let (a, b) = (self.node(a)?, self.node(b)?);
        self.set(py, |e| Ok(e.dd.union(a, b)?))
    }

    fn intersection(&self, py: Python<'_>, a: &Diagram, b: &Diagram) -> PyResult<Diagram> {
        let (a, b) = (self.node(a)?, self.node(b)?);
        self.set(py, |e| Ok(e.dd.intersection(a, b)?))
    }

    fn difference(&self, py: Python<'_>, a: &Diagram, b: &Diagram) -> PyResult<Diagram> {
        let (a, b) = (self.node(a)?, self.node(b)?);
        self.set(py, |e| Ok(e.dd.difference(a, b)?))
    }

    fn is_subset(&self, py: Python<'_>, a: &Diagram, b: &Diagram) -> PyResult<bool> {
        let (a, b) = (self.node(a)?, self.node(b)?);
        self.compute(py, |e| Ok(e.dd.is_subset(a, b)?))
    }

    fn count(&self, py: Python<'_>, set: &Diagram) -> PyResult<BigUint> {
        let node = self.node(set)?;
        self.compute(py, |e| Ok(e.dd.count(node)))
    }

    /// The decimal logarithm of the count, as a float and a power of ten; none for the empty set.
    fn log10_count(&self, py: Python<'_>, set: &Diagram) -> PyResult<Option<(f64, i64)>> {
        let node = self.node(set)?;
        let log = self.compute(py, |e| Ok(e.dd.log10_count(node)))?;
        Ok(log.map(|log| (log.mantissa, log.exponent)))
    }

    /// The count modulo a number from 1 to 2^63 - 1.
    fn count_modulo(&self, py: Python<'_>, set: &Diagram, modulus: u64) -> PyResult<u64> {
        let node = self.node(set)?;
        if modulus == 0 || modulus >> 63 != 0 {
            let message = "a modulus is at least 1 and less than 2^63";
            return Err(PyValueError::new_err(message));
        }
        self.compute(py, |e| Ok(e.dd.count_modulo(node, modulus)))
    }

    /// Least and greatest integer of all sequences.
    fn integer_bounds(&self, py: Python<'_>, set: &Diagram) -> PyResult<Option<(i32, i32)>> {
        let node = self.node(set)?;
        self.compute(py, |e| Ok(e.dd.integer_bounds(node)))
    }

    /// Nodes by kind, edges, and the longest path.
    fn size<'py>(&self, py: Python<'py>, set: &Diagram) -> PyResult<Bound<'py, PyDict>> {
        let node = self.node(set)?;
        let size = self.compute(py, |e| Ok(e.dd.size(node)))?;
        let found = PyDict::new(py);
        found.set_item("integer_nodes", size.integer_nodes)?;
        found.set_item("set_nodes", size.set_nodes)?;
        found.set_item("edges", size.edges)?;
        found.set_item("depth", size.depth)?;
        Ok(found)
    }

    /// Some sequences, at most so many: tuples of integers and, for set-labelled variables, of tuples.
    fn pick<'py>(
        &self,
        py: Python<'py>,
        set: &Diagram,
        limit: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let node = self.node(set)?;
        let found: Vec<Vec<Step>> =
            self.compute(py, |e| Ok(e.dd.states(node).take(limit).collect()))?;
        found.iter().map(|steps| sequence(py, steps)).collect()
    }

    /// The diagram for Graphviz.
    fn dot(&self, py: Python<'_>, set: &Diagram, names: Vec<(u32, String)>) -> PyResult<String> {
        let node = self.node(set)?;
        let names: std::collections::HashMap<u32, String> = names.into_iter().collect();
        let name = |v: u32| names.get(&v).cloned().unwrap_or_else(|| format!("x{v}"));
        self.compute(py, |e| Ok(e.dd.dot(node, name)))
    }

    // ----- homomorphisms ------------------------------------------------------------------------

    /// Keeps the sequences in which a comparison with a constant holds.
    fn compare(&self, number: u32, op: &str, constant: i32) -> PyResult<u32> {
        let (number, op) = (variable(number)?, operator(op)?);
        self.term(|e, _| Ok(e.homs.compare(number, op, constant)))
    }

    /// Keeps the sequences in which a comparison of two variables holds.
    fn compare_variables(&self, x: u32, op: &str, y: u32) -> PyResult<u32> {
        let (x, op, y) = (variable(x)?, operator(op)?, variable(y)?);
        self.term(|e, _| Ok(e.homs.compare_variables(x, op, y)))
    }

    fn increment(&self, number: u32, amount: i32) -> PyResult<u32> {
        let number = variable(number)?;
        self.term(|e, _| Ok(e.homs.increment(number, amount)))
    }

    fn store(&self, number: u32, value: i32) -> PyResult<u32> {
        let number = variable(number)?;
        self.term(|e, _| Ok(e.homs.store(number, value)))
    }

    /// Maps the value of a set-labelled variable.
    fn local(&self, h: u32, number: u32) -> PyResult<u32> {
        let number = variable(number)?;
        self.term(|e, known| {
            let h = known(&e.homs, h)?;
            Ok(e.homs.local(h, number))
        })
    }

    /// The intersection with a set.
    fn meet(&self, set: &Diagram) -> PyResult<u32> {
        let node = self.node(set)?;
        self.term(|e, _| Ok(e.homs.meet(&e.dd, Hom::ID, node)))
    }

    /// A homomorphism that an object of Python defines.
    fn inductive(&self, object: &Bound<'_, PyAny>) -> PyResult<u32> {
        let defined = Defined::new(object, &self.raised, u32::MAX)?;
        self.term(|e, _| Ok(defined.hom(&mut e.homs)))
    }

    fn sum(&self, terms: Vec<u32>) -> PyResult<u32> {
        self.term(|e, known| {
            let terms: PyResult<Vec<Hom>> = terms.iter().map(|t| known(&e.homs, *t)).collect();
            Ok(e.homs.sum(&terms?))
        })
    }

    /// The composition; the last is applied first.
    fn compose(&self, terms: Vec<u32>) -> PyResult<u32> {
        self.term(|e, known| {
            let terms: PyResult<Vec<Hom>> = terms.iter().map(|t| known(&e.homs, *t)).collect();
            Ok(e.homs.compose_all(&terms?))
        })
    }

    fn fixpoint(&self, h: u32) -> PyResult<u32> {
        self.term(|e, known| {
            let h = known(&e.homs, h)?;
            Ok(e.homs.fixpoint(h))
        })
    }

    /// Keeps what a selector drops.
    fn negate(&self, selector: u32) -> PyResult<u32> {
        self.term(|e, known| {
            let selector = known(&e.homs, selector)?;
            e.homs.not(selector).map_err(misuse)
        })
    }

    fn is_selector(&self, h: u32) -> PyResult<bool> {
        let engine = self.lock()?;
        let hom = engine.homs.numbered(h);
        Ok(hom.is_some_and(|h| engine.homs.is_selector(h)))
    }

    /// The events of a program over one variable for each cell: what each does, and the selector of
    /// where it has no successor, if there is one.
    fn events(
        &self,
        program: &Bound<'_, Program>,
        variables: Vec<u32>,
        first_statement: u32,
    ) -> PyResult<Vec<(u32, Option<u32>)>> {
        let mut program = program.try_borrow_mut()?;
        let frozen = program.freeze()?;
        if variables.len() != frozen.cells().len() {
            return Err(PyValueError::new_err(
                "one variable for each cell is needed",
            ));
        }
        for number in &variables {
            variable(*number)?;
        }
        let mut engine = self.lock()?;
        let pool = program.pool();
        let found = guarded(|| {
            component_events(&frozen, pool, &variables, first_statement, &mut engine.homs)
        })?;
        let numbers = found.iter();
        Ok(numbers
            .map(|e| (e.hom.number(), e.blocked.map(Hom::number)))
            .collect())
    }

    /// The image of a set; with `rounds` fixpoints are found by saturation in rounds.
    #[pyo3(signature = (h, set, *, rounds=false))]
    fn apply(&self, py: Python<'_>, h: u32, set: &Diagram, rounds: bool) -> PyResult<Diagram> {
        let node = self.node(set)?;
        let hom = self.lock()?.homs.numbered(h);
        let hom = hom.ok_or_else(|| PyValueError::new_err(format!("no homomorphism {h}")))?;
        self.set(py, |e| {
            e.homs.close_in_rounds(rounds);
            deep(|| e.homs.apply(&mut e.dd, hom, node))
        })
    }

    /// Sizes and counts so far.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let engine = self.lock()?;
        figures(py, &engine.dd.statistics())
    }

    /// The statements that were undefined on some path.
    fn undefined(&self) -> PyResult<Vec<u32>> {
        let engine = self.lock()?;
        Ok(engine.homs.undefined_statements().iter().copied().collect())
    }
}

fn sequence<'py>(py: Python<'py>, steps: &[Step]) -> PyResult<Bound<'py, PyTuple>> {
    let values = steps.iter().map(|step| match &step.value {
        Value::Integer(value) => Ok(value.into_pyobject(py)?.into_any()),
        Value::Component(inner) => deep(|| sequence(py, inner)).map(Bound::into_any),
    });
    let values: PyResult<Vec<Bound<'py, PyAny>>> = values.collect();
    PyTuple::new(py, values?)
}

#[pymethods]
impl Diagram {
    fn __bool__(&self) -> bool {
        !self.root.node().is_zero()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Diagram>();
        other.is_ok_and(|o| {
            let other = o.get();
            other.owner == self.owner && other.root.node() == self.root.node()
        })
    }

    fn __hash__(&self) -> u64 {
        (self.owner << 32) ^ u64::from(self.root.node().index())
    }
}
