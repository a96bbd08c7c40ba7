//! The class `Program`: a builder that freezes at its first use.
//!
//! The program of a net is not even built before somebody wants more of it than the initial state: its
//! diagrams are made of the net itself.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

use plait_net::Net;
use plait_program::expr::Pool;
use plait_program::{
    BuildError, Builder, Code, Deferred, ExprId, Failure, Fault, Machine, Sort, StateSet, Value,
    Watch,
};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

create_exception!(
    plait._core,
    ProgramError,
    PyException,
    "The model went wrong when it was executed; args are (kind, event, statement, cell)."
);

/// The Python exception for a builder call that makes no sense.
pub(crate) fn build_error(error: &BuildError) -> PyErr {
    match error {
        BuildError::Sort(..) => PyTypeError::new_err(error.to_string()),
        BuildError::Frozen => PyRuntimeError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The Python exception for an error of the model.
pub(crate) fn fault_error(fault: Fault) -> PyErr {
    ProgramError::new_err((fault.kind.name(), fault.event, fault.statement, fault.cell))
}

/// Runs a computation; a panic becomes a `RuntimeError`.
pub(crate) fn guarded<T>(compute: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(compute))
        .map_err(|_| PyRuntimeError::new_err("internal error in the native core"))
}

/// Lets signal handlers run while Python waits for a single computation.
struct SignalWatch<'py> {
    py: Python<'py>,
    error: Option<PyErr>,
}

impl Watch for SignalWatch<'_> {
    fn go_on(&mut self, _bytes: usize) -> bool {
        if self.error.is_none() {
            self.error = self.py.check_signals().err();
        }
        self.error.is_none()
    }
}

/// A flat model under construction, then in use.
#[pyclass(module = "plait._core")]
#[derive(Default)]
pub(crate) struct Program {
    builder: Builder,
    frozen: Option<Arc<plait_program::Program>>,
    /// The net that it is to be built of; the builder is empty until then.
    net: Option<OfNet>,
}

/// A net, and its program, which diagrams may share.
#[derive(Clone)]
pub(crate) struct OfNet {
    pub net: Arc<Net>,
    pub program: Arc<Deferred>,
}

impl Program {
    /// The program of a net.
    pub(crate) fn of_net(net: &Arc<Net>) -> PyResult<Program> {
        let program = net.deferred().map_err(|e| build_error(&e))?;
        let (net, program) = (Arc::clone(net), Arc::new(program));
        Ok(Program {
            net: Some(OfNet { net, program }),
            ..Program::default()
        })
    }

    /// The net, as long as nobody has asked for more.
    pub(crate) fn unbuilt(&self) -> Option<&OfNet> {
        self.net.as_ref()
    }

    /// Builds what is to be built. With diagrams, the program is theirs.
    fn build(&mut self) -> PyResult<()> {
        let Some(OfNet { net, program }) = self.net.take() else {
            return Ok(());
        };
        if Arc::strong_count(&program) > 1 {
            let made = guarded(|| program.frozen().clone())?;
            (self.builder, self.frozen) = (made.builder, Some(made.program));
        } else {
            self.builder = guarded(|| net.builder())?.map_err(|e| build_error(&e))?;
        }
        Ok(())
    }

    pub(crate) fn freeze(&mut self) -> PyResult<Arc<plait_program::Program>> {
        self.build()?;
        if let Some(program) = &self.frozen {
            return Ok(Arc::clone(program));
        }
        let program = guarded(|| self.builder.freeze())?.map_err(|e| build_error(&e))?;
        let program = Arc::new(program);
        self.frozen = Some(Arc::clone(&program));
        Ok(program)
    }

    /// The program, once it is frozen.
    pub(crate) fn frozen(&self) -> Option<&Arc<plait_program::Program>> {
        self.frozen.as_ref()
    }

    /// All expressions so far.
    pub(crate) fn pool(&self) -> &Pool {
        self.builder.pool()
    }

    /// The expression of that number, checked to have that sort.
    pub(crate) fn expect(&self, id: u32, sort: Sort) -> PyResult<ExprId> {
        self.builder
            .expect(ExprId(id), sort)
            .map_err(|e| build_error(&e))
    }

    /// The compiled form of an expression of that sort.
    pub(crate) fn code(&self, id: u32, sort: Sort) -> PyResult<Code> {
        let id = self.expect(id, sort)?;
        guarded(|| Code::compile(self.builder.pool(), id))
    }

    /// Expressions may be added at any time: the frozen program does not depend on them.
    fn expr(
        &mut self,
        add: impl FnOnce(&mut Builder) -> Result<ExprId, BuildError>,
    ) -> PyResult<u32> {
        self.build()?;
        add(&mut self.builder)
            .map(|id| id.0)
            .map_err(|e| build_error(&e))
    }

    fn part(&mut self, add: impl FnOnce(&mut Builder) -> Result<u32, BuildError>) -> PyResult<u32> {
        self.build()?;
        if self.frozen.is_some() {
            return Err(build_error(&BuildError::Frozen));
        }
        add(&mut self.builder).map_err(|e| build_error(&e))
    }
}

fn ids(list: Vec<u32>) -> Vec<ExprId> {
    list.into_iter().map(ExprId).collect()
}

fn check_width(program: &plait_program::Program, state: &[i32]) -> PyResult<()> {
    let width = program.cells().len();
    if state.len() == width {
        Ok(())
    } else {
        Err(PyValueError::new_err(format!(
            "a state has {width} cells, not {}",
            state.len()
        )))
    }
}

fn failure_error(failure: Failure, interrupted: Option<PyErr>) -> PyErr {
    match (failure, interrupted) {
        (_, Some(error)) => error,
        (Failure::Fault(fault), None) => fault_error(fault),
        (Failure::Stopped, None) => PyMemoryError::new_err("a set of states is too large"),
    }
}

#[pymethods]
impl Program {
    #[new]
    fn new() -> Program {
        Program::default()
    }

    fn cell(&mut self, name: &str, initial: i32, low: i32, high: i32) -> PyResult<u32> {
        self.part(|b| b.cell(name, initial, low, high))
    }

    #[pyo3(name = "const")]
    fn constant(&mut self, value: i32) -> PyResult<u32> {
        self.expr(|b| b.constant(value))
    }

    fn load(&mut self, cell: u32) -> PyResult<u32> {
        self.expr(|b| b.load(cell))
    }

    fn load_indexed(&mut self, base: u32, size: u32, index: u32) -> PyResult<u32> {
        self.expr(|b| b.load_indexed(base, size, ExprId(index)))
    }

    fn unary(&mut self, op: &str, a: u32) -> PyResult<u32> {
        self.expr(|b| b.unary(op, ExprId(a)))
    }

    fn binary(&mut self, op: &str, a: u32, b: u32) -> PyResult<u32> {
        self.expr(|builder| builder.binary(op, ExprId(a), ExprId(b)))
    }

    fn as_int(&mut self, condition: u32) -> PyResult<u32> {
        self.expr(|b| b.as_integer(ExprId(condition)))
    }

    fn truth(&mut self, value: bool) -> PyResult<u32> {
        self.expr(|b| b.truth(value))
    }

    fn compare(&mut self, op: &str, a: u32, b: u32) -> PyResult<u32> {
        self.expr(|builder| builder.compare(op, ExprId(a), ExprId(b)))
    }

    fn negate(&mut self, a: u32) -> PyResult<u32> {
        self.expr(|b| b.negate(ExprId(a)))
    }

    fn conjunction(&mut self, operands: Vec<u32>) -> PyResult<u32> {
        self.expr(|b| b.conjunction(&ids(operands)))
    }

    fn disjunction(&mut self, operands: Vec<u32>) -> PyResult<u32> {
        self.expr(|b| b.disjunction(&ids(operands)))
    }

    fn iff(&mut self, a: u32, b: u32) -> PyResult<u32> {
        self.expr(|builder| builder.iff(ExprId(a), ExprId(b)))
    }

    fn enabled(&mut self, events: Vec<u32>) -> PyResult<u32> {
        self.expr(|b| b.enabled(&events))
    }

    fn deadlock(&mut self) -> PyResult<u32> {
        self.expr(Builder::deadlock)
    }

    fn fails(&mut self, a: u32) -> PyResult<u32> {
        self.expr(|b| b.fails(ExprId(a)))
    }

    fn assign(&mut self, cell: u32, value: u32) -> PyResult<u32> {
        self.part(|b| b.assign(cell, ExprId(value)))
    }

    fn assign_indexed(&mut self, base: u32, size: u32, index: u32, value: u32) -> PyResult<u32> {
        self.part(|b| b.assign_indexed(base, size, ExprId(index), ExprId(value)))
    }

    fn call(&mut self, label: u32) -> PyResult<u32> {
        self.part(|b| b.call(label))
    }

    fn choose(&mut self, condition: u32, then: Vec<u32>, otherwise: Vec<u32>) -> PyResult<u32> {
        self.part(|b| b.choose(ExprId(condition), &then, &otherwise))
    }

    fn fixpoint(&mut self, body: Vec<u32>) -> PyResult<u32> {
        self.part(|b| b.fixpoint(&body))
    }

    fn settle(&mut self, condition: u32, label: u32) -> PyResult<u32> {
        self.part(|b| b.settle(ExprId(condition), label))
    }

    fn abort(&mut self) -> PyResult<u32> {
        self.part(Builder::abort)
    }

    fn new_label(&mut self) -> PyResult<u32> {
        self.part(Builder::label)
    }

    fn event(
        &mut self,
        name: &str,
        guard: Vec<u32>,
        body: Vec<u32>,
        label: Option<u32>,
    ) -> PyResult<u32> {
        self.part(|b| b.event(name, &ids(guard), &body, label))
    }

    fn queue_use(&mut self, event: u32, queue: u32, sends: bool, cells: Vec<u32>) -> PyResult<()> {
        self.part(|b| b.queue_use(event, queue, sends, &cells).map(|()| 0))?;
        Ok(())
    }

    fn idle(&mut self, event: u32) -> PyResult<()> {
        self.part(|b| b.idle(event).map(|()| 0))?;
        Ok(())
    }

    fn last(&mut self, event: u32) -> PyResult<()> {
        self.part(|b| b.last(event).map(|()| 0))?;
        Ok(())
    }

    fn inert(&mut self, event: u32) -> PyResult<()> {
        self.part(|b| b.inert(event).map(|()| 0))?;
        Ok(())
    }

    fn initial<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.net {
            Some(unbuilt) => PyTuple::new(py, &unbuilt.net.tokens),
            None => PyTuple::new(py, self.freeze()?.initial()),
        }
    }

    #[allow(clippy::type_complexity)]
    fn successors<'py>(
        &mut self,
        py: Python<'py>,
        mut state: Vec<i32>,
    ) -> PyResult<Vec<(u32, Bound<'py, PyTuple>)>> {
        let program = self.freeze()?;
        check_width(&program, &state)?;
        let mut machine = Machine::new(&program);
        let mut watch = SignalWatch { py, error: None };
        let mut pairs = Vec::new();
        for event in program.free() {
            let mut found = StateSet::new(state.len());
            guarded(|| machine.successors(&program, *event, &mut state, &mut watch, &mut found))?
                .map_err(|failure| failure_error(failure, watch.error.take()))?;
            for successor in found.iter() {
                pairs.push((*event, PyTuple::new(py, successor)?));
            }
        }
        Ok(pairs)
    }

    fn evaluate<'py>(
        &mut self,
        py: Python<'py>,
        expression: u32,
        state: Vec<i32>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let program = self.freeze()?;
        check_width(&program, &state)?;
        let code = match self.code(expression, Sort::Integer) {
            Ok(code) => code,
            Err(_) => self.code(expression, Sort::Condition)?,
        };
        let mut machine = Machine::new(&program);
        let mut watch = SignalWatch { py, error: None };
        let value = guarded(|| machine.evaluate(&program, &code, &state, &mut watch))?
            .map_err(|failure| failure_error(failure, watch.error.take()))?;
        Ok(match value {
            Value::Integer(value) => Some(value.into_pyobject(py)?.into_any()),
            Value::Condition(value) => Some(PyBool::new(py, value).to_owned().into_any()),
            Value::Undefined => None,
        })
    }
}
