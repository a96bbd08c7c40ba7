//! Executing events on one state.
//!
//! Straight lines run in place: the state is changed cell by cell, every old value is logged, and
//! the caller takes the log back (`undo`) once it has looked at the successor. The cost of an event
//! is what it does, not the size of the state. Events that need sets of states go to `sets`.
//!
//! Long executions ask their `Watch` from time to time whether to go on; `fuel` counts the work in
//! instructions, so the watch is asked every fraction of a millisecond however the work is spread.

use crate::code::{Code, Scratch};
use crate::error::{Failure, Fault, FaultKind};
use crate::fixpoint::{Fixpoint, Round};
use crate::native::Native;
use crate::program::{CodeId, Program};
use crate::settling::Settler;
use crate::state_set::StateSet;
use crate::variant::{Step, Variant};
use std::sync::Arc;

/// Instructions between two questions to the watch.
const FUEL: i64 = 50_000;

/// Decides whether a long execution may go on.
pub trait Watch {
    /// Whether to go on; `bytes` are about to be allocated besides what is in use.
    fn go_on(&mut self, bytes: usize) -> bool;
}

/// The watch that never stops anything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn go_on(&mut self, _bytes: usize) -> bool {
        true
    }
}

/// A cell that was written, with the value it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)] // compiled code writes it
pub struct Write {
    /// The cell.
    pub cell: u32,
    /// Its value before.
    pub old: i32,
}

/// Executes events; holds the working memory, so keep it from one state to the next.
#[derive(Debug, Default)]
pub struct Machine {
    pub(crate) scratch: Scratch,
    /// Old values of the cells that the last straight line has written, in order.
    pub(crate) log: Vec<Write>,
    fixpoints: Vec<Fixpoint>,
    fuel: i64,
    undefined: Vec<u64>,
    called: Vec<bool>,
    /// Undefined bodies are not counted for now, nor are calls noted.
    pub(crate) silent: bool,
    /// Where compiled code notes calls that are not to be noted.
    unnoted: Vec<bool>,
    /// Compiled forms of variants; those without are interpreted.
    native: Option<Arc<Native>>,
    settler: Settler,
}

impl Machine {
    /// A machine for that program.
    pub fn new(program: &Program) -> Machine {
        Machine {
            fuel: FUEL,
            undefined: vec![0; program.events().len()],
            called: vec![false; program.events().len()],
            unnoted: vec![false; program.events().len()],
            ..Machine::default()
        }
    }

    /// A machine for the same program that has counted nothing yet.
    pub fn fresh(&self, program: &Program) -> Machine {
        Machine {
            native: self.native.clone(),
            ..Machine::new(program)
        }
    }

    /// From now on executes the compiled forms of variants where there are any, for the program
    /// they were compiled from. Nothing observable changes but the speed.
    pub fn use_native(&mut self, native: Arc<Native>) {
        self.native = Some(native);
    }

    /// How often each event had no successor because something in its body was undefined.
    pub fn undefined(&self) -> &[u64] {
        &self.undefined
    }

    /// Which events were executed by a call, where their guard held and, as a rule, with a successor.
    pub fn called(&self) -> &[bool] {
        &self.called
    }

    /// The variant was executed, and with it the events that it calls.
    pub fn note_calls(&mut self, variant: &Variant) {
        for event in &variant.calls {
            self.note_call(*event);
        }
    }

    pub(crate) fn was_called(&self, event: u32) -> bool {
        self.called[event as usize]
    }

    pub(crate) fn note_call(&mut self, event: u32) {
        self.called[event as usize] |= !self.silent;
    }

    pub(crate) fn count_undefined(&mut self, event: u32) {
        if !self.silent {
            self.undefined[event as usize] += 1;
        }
    }

    /// Accounts for work; `Err` when the watch says stop.
    #[inline]
    pub(crate) fn spend(&mut self, work: usize, watch: &mut dyn Watch) -> Result<(), Failure> {
        self.fuel -= work as i64;
        if self.fuel < 0 {
            self.fuel = FUEL;
            if !watch.go_on(0) {
                return Err(Failure::Stopped);
            }
        }
        Ok(())
    }

    /// Whether the conditions of the variant hold (its tests are the caller's).
    #[inline]
    pub fn conditions_hold(
        &mut self,
        program: &Program,
        variant: &Variant,
        cells: &[i32],
        watch: &mut dyn Watch,
    ) -> Result<bool, Failure> {
        self.all_hold(program, variant.conditions.iter().copied(), cells, watch)
    }

    #[inline]
    fn all_hold(
        &mut self,
        program: &Program,
        conditions: impl Iterator<Item = CodeId>,
        cells: &[i32],
        watch: &mut dyn Watch,
    ) -> Result<bool, Failure> {
        for id in conditions {
            let code = program.code(id);
            self.spend(code.cost(), watch)?;
            if !code.holds(cells, &mut self.scratch) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the guard of the event holds.
    pub(crate) fn guard_holds(
        &mut self,
        program: &Program,
        event: u32,
        cells: &[i32],
        watch: &mut dyn Watch,
    ) -> Result<bool, Failure> {
        let conjuncts = &program.events()[event as usize].conjuncts;
        self.all_hold(program, conjuncts.iter().map(|(_, id)| *id), cells, watch)
    }

    /// Executes a variant in place. `true`: `cells` is the successor, `written` says which cells
    /// changed, and `undo` must be called. Otherwise `cells` is as before.
    pub fn execute(
        &mut self,
        program: &Program,
        variant: &Variant,
        cells: &mut [i32],
        watch: &mut dyn Watch,
    ) -> Result<bool, Failure> {
        let tests = variant.tests.iter();
        if !tests.fold(true, |ok, t| {
            ok & t.interval.contains(cells[t.cell as usize])
        }) {
            return Ok(false);
        }
        self.execute_tested(program, variant, cells, watch)
    }

    /// As `execute`, when the tests are known to hold.
    #[inline]
    pub fn execute_tested(
        &mut self,
        program: &Program,
        variant: &Variant,
        cells: &mut [i32],
        watch: &mut dyn Watch,
    ) -> Result<bool, Failure> {
        if let Some(answer) = self.execute_native(variant, cells, watch)? {
            return Ok(answer);
        }
        if !self.conditions_hold(program, variant, cells, watch)? {
            return Ok(false);
        }
        self.execute_steps(program, variant, cells, watch)
    }

    /// As `execute_tested`, where compiled code has the answer.
    #[inline]
    pub fn execute_native(
        &mut self,
        variant: &Variant,
        cells: &mut [i32],
        watch: &mut dyn Watch,
    ) -> Result<Option<bool>, Failure> {
        let Some(native) = &self.native else {
            return Ok(None);
        };
        let Some(cost) = native.cost(variant) else {
            return Ok(None);
        };
        let answer = native.execute(variant, cells, &mut self.log);
        self.account(cost, cells, watch)?;
        Ok(answer)
    }

    /// Executes an event that settles in place, as `execute` does a variant, where compiled code has
    /// the answer; its guard is checked too.
    #[inline]
    pub fn execute_block(
        &mut self,
        event: u32,
        cells: &mut [i32],
        watch: &mut dyn Watch,
    ) -> Result<Option<bool>, Failure> {
        let Some(native) = &self.native else {
            return Ok(None);
        };
        let called = if self.silent {
            &mut self.unnoted
        } else {
            &mut self.called
        };
        let executed = native.execute_block(event, cells, &mut self.log, called);
        let Some((cost, answer)) = executed else {
            return Ok(None);
        };
        self.account(cost, cells, watch)?;
        Ok(answer)
    }

    /// Accounts for what compiled code has done to the cells.
    #[inline]
    fn account(
        &mut self,
        cost: usize,
        cells: &mut [i32],
        watch: &mut dyn Watch,
    ) -> Result<(), Failure> {
        self.fuel -= cost as i64;
        if self.fuel < 0 {
            // Before the watch may stop everything, the cells must be as they were.
            if let Err(stopped) = self.spend(0, watch) {
                self.undo(cells);
                return Err(stopped);
            }
        }
        Ok(())
    }

    /// As `execute`, when tests and conditions are known to hold.
    pub fn execute_steps(
        &mut self,
        program: &Program,
        variant: &Variant,
        cells: &mut [i32],
        watch: &mut dyn Watch,
    ) -> Result<bool, Failure> {
        self.log.clear();
        self.fixpoints.clear();
        let outcome = self.steps(program, &variant.steps, cells, watch);
        if outcome != Ok(true) {
            self.undo(cells);
        }
        outcome
    }

    /// The cells written by the last execution with their old values, in order of writing.
    pub fn written(&self) -> &[Write] {
        &self.log
    }

    /// Takes the last execution back.
    pub fn undo(&mut self, cells: &mut [i32]) {
        for write in self.log.iter().rev() {
            cells[write.cell as usize] = write.old;
        }
        self.log.clear();
    }

    fn steps(
        &mut self,
        program: &Program,
        steps: &[Step],
        cells: &mut [i32],
        watch: &mut dyn Watch,
    ) -> Result<bool, Failure> {
        let mut pc = 0;
        while let Some(step) = steps.get(pc) {
            pc += 1;
            match step {
                Step::Assign {
                    cell,
                    value,
                    event,
                    statement,
                } => {
                    let Some(value) = self.integer(program.code(*value), cells, watch)? else {
                        self.count_undefined(*event);
                        return Ok(false);
                    };
                    self.write(program, *cell, value, (*event, *statement), cells)?;
                }
                Step::AssignIndexed {
                    base,
                    size,
                    index,
                    value,
                    event,
                    statement,
                } => {
                    let index = self.integer(program.code(*index), cells, watch)?;
                    let value = self.integer(program.code(*value), cells, watch)?;
                    match (index, value) {
                        (Some(index), Some(value)) if (index as u32) < *size => {
                            let cell = *base + index as u32;
                            self.write(program, cell, value, (*event, *statement), cells)?;
                        }
                        _ => {
                            self.count_undefined(*event);
                            return Ok(false);
                        }
                    }
                }
                Step::Require(condition) => {
                    let code = program.code(*condition);
                    self.spend(code.cost(), watch)?;
                    if !code.holds(cells, &mut self.scratch) {
                        return Ok(false);
                    }
                }
                Step::Branch {
                    condition,
                    otherwise,
                    event,
                } => {
                    let code = program.code(*condition);
                    self.spend(code.cost(), watch)?;
                    match code.condition(cells, &mut self.scratch) {
                        Some(true) => {}
                        Some(false) => pc = *otherwise as usize,
                        None => {
                            self.count_undefined(*event);
                            return Ok(false);
                        }
                    }
                }
                Step::Jump(target) => pc = *target as usize,
                Step::Abort => return Ok(false),
                Step::Enter => self.fixpoints.push(Fixpoint::new(cells)),
                Step::Repeat {
                    start,
                    event,
                    statement,
                } => {
                    self.spend(cells.len() + 1, watch)?;
                    match self.fixpoints.last_mut().map(|f| f.next_round(cells)) {
                        Some(Round::Again) => pc = *start as usize,
                        Some(Round::Settled) | None => {
                            self.fixpoints.pop();
                        }
                        Some(Round::Never) => {
                            return Err(fault(FaultKind::Fixpoint, *event, *statement, None));
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    #[inline]
    pub(crate) fn integer(
        &mut self,
        code: &Code,
        cells: &[i32],
        watch: &mut dyn Watch,
    ) -> Result<Option<i32>, Failure> {
        self.spend(code.cost(), watch)?;
        Ok(code.integer(cells, &mut self.scratch))
    }

    #[inline]
    fn write(
        &mut self,
        program: &Program,
        cell: u32,
        value: i32,
        (event, statement): (u32, u32),
        cells: &mut [i32],
    ) -> Result<(), Failure> {
        if !program.cells()[cell as usize].admits(value) {
            return Err(fault(FaultKind::Domain, event, statement, Some(cell)));
        }
        let old = std::mem::replace(&mut cells[cell as usize], value);
        self.log.push(Write { cell, old });
        Ok(())
    }

    /// Adds the successors of the state under the event to `found`. The state is unchanged after.
    pub fn successors(
        &mut self,
        program: &Program,
        event: u32,
        cells: &mut [i32],
        watch: &mut dyn Watch,
        found: &mut StateSet,
    ) -> Result<(), Failure> {
        let compiled = &program.events()[event as usize];
        if let Some(variants) = &compiled.variants {
            for variant in variants {
                if self.execute(program, variant, cells, watch)? {
                    self.note_calls(variant);
                    self.take_successor(cells, found)?;
                }
            }
            return Ok(());
        }
        match self.execute_block(event, cells, watch)? {
            Some(true) => self.take_successor(cells, found),
            Some(false) => Ok(()),
            None => self.successors_on_sets(program, event, cells, watch, found),
        }
    }

    /// Adds the successor that stands in the cells, and takes the execution back.
    fn take_successor(&mut self, cells: &mut [i32], found: &mut StateSet) -> Result<(), Failure> {
        let inserted = found.insert(cells);
        self.undo(cells);
        inserted.map_err(|_| Failure::Stopped)?;
        Ok(())
    }

    /// As `successors`, for an event without straight-line forms, by the interpreter.
    pub fn successors_on_sets(
        &mut self,
        program: &Program,
        event: u32,
        cells: &mut [i32],
        watch: &mut dyn Watch,
        found: &mut StateSet,
    ) -> Result<(), Failure> {
        match &program.events()[event as usize].settling {
            Some(settling) => {
                let mut settler = std::mem::take(&mut self.settler);
                let outcome =
                    settler.execute(self, program, (event, settling), cells, watch, found);
                self.settler = settler;
                outcome?;
            }
            None => {
                let set = crate::sets::execute(self, program, event, cells, watch)?;
                for state in set.iter() {
                    found.insert(state).map_err(|_| Failure::Stopped)?;
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn fault(kind: FaultKind, event: u32, statement: u32, cell: Option<u32>) -> Failure {
    Failure::Fault(Fault {
        kind,
        event,
        statement,
        cell,
    })
}
