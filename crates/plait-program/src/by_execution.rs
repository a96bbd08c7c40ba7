//! Questions about events answered by executing them.

use crate::code::{Code, Oracle, Value};
use crate::error::Failure;
use crate::machine::{Machine, Watch};
use crate::program::Program;
use crate::state_set::StateSet;

impl Machine {
    /// Whether the event has a successor. Undefined bodies met on the way are not counted.
    pub fn is_enabled(
        &mut self,
        program: &Program,
        event: u32,
        cells: &mut [i32],
        watch: &mut dyn Watch,
    ) -> Result<bool, Failure> {
        let silent = std::mem::replace(&mut self.silent, true);
        let mut found = StateSet::new(cells.len());
        let outcome = self.successors(program, event, cells, watch, &mut found);
        self.silent = silent;
        outcome.map(|()| !found.is_empty())
    }

    /// The value in that state of an expression that may ask about events.
    pub fn evaluate(
        &mut self,
        program: &Program,
        code: &Code,
        cells: &[i32],
        watch: &mut dyn Watch,
    ) -> Result<Value, Failure> {
        self.spend(code.cost(), watch)?;
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut oracle = ByExecution {
            machine: self,
            program,
            cells: Vec::new(),
            state: cells,
            watch,
        };
        let value = code.value(cells, &mut scratch, &mut oracle);
        self.scratch = scratch;
        value
    }
}

/// Finds out which events are enabled by executing them.
struct ByExecution<'a> {
    machine: &'a mut Machine,
    program: &'a Program,
    /// A copy of the state to execute on, made when first needed.
    cells: Vec<i32>,
    state: &'a [i32],
    watch: &'a mut dyn Watch,
}

impl Oracle for ByExecution<'_> {
    type Error = Failure;

    fn enabled(&mut self, events: &[u32]) -> Result<bool, Failure> {
        self.cells.clear();
        self.cells.extend_from_slice(self.state);
        for event in events {
            if self
                .machine
                .is_enabled(self.program, *event, &mut self.cells, self.watch)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn deadlock(&mut self) -> Result<bool, Failure> {
        let program = self.program;
        Ok(!self.enabled(program.free())?)
    }
}
