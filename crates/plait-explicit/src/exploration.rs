//! The result of a search: its figures, its states, and a path to each of them.

use std::sync::Arc;

use plait_program::{Failure, Machine, Program, StateSet, Unwatched};

use crate::budget::Reason;
use crate::figures::Figures;
use crate::hash::{RecordHash, SeededHash};
use crate::reduced::ReducedFigures;
use crate::store::Store;
use crate::tree::Tree;

/// One step of a trace: the event (none before the first state) and the state it leads to.
pub type Step = (Option<u32>, Vec<i32>);

/// What a search found.
#[derive(Debug)]
pub struct Exploration<H = SeededHash> {
    pub(crate) program: Arc<Program>,
    /// Absent only when there was no memory for the first state.
    pub(crate) store: Option<Store<H>>,
    pub(crate) tree: Tree,
    pub(crate) reduced: Option<ReducedFigures>,
    pub(crate) figures: Figures,
    pub(crate) bounds: Vec<Option<(i32, i32)>>,
    pub(crate) goals: Vec<Option<u32>>,
    pub(crate) reason: Option<Reason>,
}

impl<H: RecordHash> Exploration<H> {
    /// Why the search stopped early; `None` when it is complete.
    pub fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// The program that was searched.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How many states were found; the initial one always is.
    pub fn states(&self) -> usize {
        self.store.as_ref().map_or(1, Store::len).max(1)
    }

    /// What a reduced or depth-first search counted besides.
    pub fn reduced(&self) -> Option<&ReducedFigures> {
        self.reduced.as_ref()
    }

    /// What was counted.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// Least and greatest value of each bounded expression over the expanded states where it is
    /// defined.
    pub fn bounds(&self) -> &[Option<(i32, i32)>] {
        &self.bounds
    }

    /// The number of the first state where each goal is true.
    pub fn goals(&self) -> &[Option<u32>] {
        &self.goals
    }

    /// Bits that the cells of one packed state take.
    pub fn bits_per_state(&self) -> u64 {
        self.store.as_ref().map_or(0, |s| s.layout().bits())
    }

    /// Bytes that states, index and tree held together at the end of the search.
    pub fn bytes(&self) -> u64 {
        self.figures.bytes
    }

    /// The state of that number, if there is one.
    pub fn state(&self, number: u32) -> Option<Vec<i32>> {
        if number == 0 {
            return Some(self.program.initial());
        }
        let store = self.store.as_ref()?;
        if number as usize >= store.len() {
            return None;
        }
        let mut cells = vec![0; self.program.cells().len()];
        store.layout().decode(store.record(number), &mut cells);
        Some(cells)
    }

    /// A path from the initial state to the state of that number, if there is one, and a shortest
    /// one after a breadth-first search without reduction: events are found again by executing them on each state of the path.
    pub fn trace(&self, number: u32) -> Result<Option<Vec<Step>>, Failure> {
        if number as usize >= self.states() {
            return Ok(None);
        }
        let mut machine = Machine::new(&self.program);
        let mut steps: Vec<Step> = Vec::new();
        for state in self.tree.path(number) {
            let Some(cells) = self.state(state) else {
                return Ok(None);
            };
            let event = match steps.last() {
                None => None,
                Some((_, from)) => self.event_between(&mut machine, from, &cells)?,
            };
            steps.push((event, cells));
        }
        Ok(Some(steps))
    }

    /// The first event that leads from one state to the other.
    fn event_between(
        &self,
        machine: &mut Machine,
        from: &[i32],
        to: &[i32],
    ) -> Result<Option<u32>, Failure> {
        let mut cells = from.to_vec();
        let mut found = StateSet::new(cells.len());
        for event in self.program.free() {
            found.clear();
            machine.successors(
                &self.program,
                *event,
                &mut cells,
                &mut Unwatched,
                &mut found,
            )?;
            if found.contains(to) {
                return Ok(Some(*event));
            }
        }
        Ok(None)
    }
}
