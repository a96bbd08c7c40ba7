//! What a local search found: verdicts, and the part of the dependency graph that it has seen.
//!
//! Labels are true of the whole model; a state without successors in the list was not expanded, and
//! a sub-formula without a label was not needed there.

use std::sync::Arc;

use plait_program::{Failure, Machine, Program, Unwatched, Value};

use crate::budget::Reason;
use crate::formula_table::{FormulaTable, Operator};
use crate::hash::{RecordHash, SeededHash};
use crate::pages::{Lists, Pages};
use crate::store::Store;
use crate::successors::event_between;

/// What a label says; from `OPEN` on its place among the open states.
pub(crate) const UNKNOWN: u32 = 0;
pub(crate) const FALSE: u32 = 1;
pub(crate) const TRUE: u32 = 2;
pub(crate) const OPEN: u32 = 3;

/// The label of a decided state.
pub(crate) fn label(value: bool) -> u32 {
    if value {
        TRUE
    } else {
        FALSE
    }
}

/// What a label says, if it says something.
fn value_of(label: u32) -> Option<bool> {
    match label {
        FALSE => Some(false),
        TRUE => Some(true),
        _ => None,
    }
}

/// The result of a local search.
#[derive(Debug)]
pub struct LocalGraph<H = SeededHash> {
    pub(crate) program: Arc<Program>,
    pub(crate) table: Arc<FormulaTable>,
    /// Absent only when there was no memory for the first state.
    pub(crate) store: Option<Store<H>>,
    pub(crate) labels: Vec<Pages<u32>>,
    pub(crate) arcs: Lists,
    /// Whether each formula that was asked holds initially, where that was decided.
    pub verdicts: Vec<Option<bool>>,
    /// Why the search ended early; `None` when all is decided.
    pub reason: Option<Reason>,
    /// Pairs of state and sub-formula that were looked at, in all searches together.
    pub visits: u64,
    /// How often each event had no successor because something in it was undefined.
    pub undefined: Vec<u64>,
    /// The greatest sum of all cells in a state of which something was asked.
    pub max_sum: i64,
    /// Bytes that states, arcs and labels held together.
    pub bytes: u64,
}

impl<H: RecordHash> LocalGraph<H> {
    pub(crate) fn new(program: &Arc<Program>, table: FormulaTable, roots: usize) -> LocalGraph<H> {
        LocalGraph {
            program: Arc::clone(program),
            labels: vec![Pages::new(); table.len()],
            table: Arc::new(table),
            store: None,
            arcs: Lists::new(),
            verdicts: vec![None; roots],
            reason: None,
            visits: 0,
            undefined: Vec::new(),
            max_sum: i64::MIN,
            bytes: 0,
        }
    }

    /// How many states were met; the initial one always is.
    pub fn states(&self) -> usize {
        self.store.as_ref().map_or(1, |s| s.len().max(1))
    }

    /// The state of that number, if there is one.
    pub fn state(&self, number: u32) -> Option<Vec<i32>> {
        if number == 0 {
            return Some(self.program.initial());
        }
        let store = self.store.as_ref().filter(|s| s.keeps(number))?;
        let mut cells = vec![0; self.program.cells().len()];
        let mut record = Vec::new();
        store.read(number, &mut record);
        store.layout().decode(&record, &mut cells);
        Some(cells)
    }

    /// The successors of a state, if it was expanded.
    pub fn successors(&self, number: u32) -> Option<&[u32]> {
        self.arcs.get(number)
    }

    /// Whether a sub-formula holds in a state: conditions are asked, the rest is known or not.
    pub fn truth(&self, formula: u32, number: u32) -> Result<Option<bool>, Failure> {
        let Operator::Condition(code) = self.table.get(formula) else {
            return Ok(value_of(self.labels[formula as usize].get(number)));
        };
        let Some(cells) = self.state(number) else {
            return Ok(None);
        };
        let mut machine = Machine::new(&self.program);
        let value = machine.evaluate(&self.program, code, &cells, &mut Unwatched)?;
        Ok(Some(value == Value::Condition(true)))
    }

    /// The first event that leads from one state to another, if one does.
    pub fn event_between(&self, from: u32, to: u32) -> Result<Option<u32>, Failure> {
        let (Some(from), Some(to)) = (self.state(from), self.state(to)) else {
            return Ok(None);
        };
        let mut machine = Machine::new(&self.program);
        event_between(&self.program, &mut machine, &from, &to)
    }

    /// How many sub-formulas there are.
    pub fn formulas(&self) -> usize {
        self.table.len()
    }
}
