//! The result of a search: its figures, its states, and a path to each of them.

use std::collections::HashMap;
use std::sync::Arc;

use plait_program::{Failure, Machine, Program};

use crate::budget::Reason;
use crate::caching::Paths;
use crate::figures::Figures;
use crate::hash::{RecordHash, SeededHash};
use crate::reduction::ReducedFigures;
use crate::store::Store;
use crate::successors::{each_successor, event_between};
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
    /// States that the store does not keep.
    pub(crate) known: HashMap<u32, Vec<i32>>,
    /// Paths that the tree does not tell.
    pub(crate) paths: Paths,
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
        (self.figures.states as usize).max(1)
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
        if let Some(cells) = self.known.get(&number) {
            return Some(cells.clone());
        }
        let store = self.store.as_ref().filter(|s| s.keeps(number))?;
        let mut cells = vec![0; self.program.cells().len()];
        let mut record = Vec::new();
        store.read(number, &mut record);
        store.layout().decode(&record, &mut cells);
        Some(cells)
    }

    /// A path from the initial state to the state of that number, if there is one, and a shortest
    /// one after a breadth-first search without reduction: events are found again by executing them on each state of the path.
    pub fn trace(&self, number: u32) -> Result<Option<Vec<Step>>, Failure> {
        if number as usize >= self.states() {
            return Ok(None);
        }
        if let Some(store) = self.store.as_ref().filter(|s| s.confuses()) {
            return self.trace_by_fingerprints(store, &self.tree.path(number));
        }
        let states = match self.paths.get(&number) {
            Some(path) => path.clone(),
            None if number as usize >= self.tree.len() => return Ok(None),
            None => {
                let path = self.tree.path(number).into_iter();
                match path.map(|state| self.state(state)).collect() {
                    Some(states) => states,
                    None => return Ok(None),
                }
            }
        };
        let mut machine = Machine::new(&self.program);
        let mut steps: Vec<Step> = Vec::new();
        for cells in states {
            let event = match steps.last() {
                None => None,
                Some((_, from)) => event_between(&self.program, &mut machine, from, &cells)?,
            };
            steps.push((event, cells));
        }
        Ok(Some(steps))
    }

    /// A path whose states have the stored fingerprints, in their order, and that ends where it was
    /// seen to end. States that share a fingerprint are tried one after the other.
    fn trace_by_fingerprints(
        &self,
        store: &Store<H>,
        path: &[u32],
    ) -> Result<Option<Vec<Step>>, Failure> {
        let mut machine = Machine::new(&self.program);
        let mut steps: Vec<Step> = vec![(None, self.program.initial())];
        // For each step after the first what else it could be.
        let mut others: Vec<Vec<Step>> = Vec::new();
        while steps.len() < path.len() {
            let number = path[steps.len()];
            let mut next = Vec::new();
            let last = &steps[steps.len() - 1].1;
            each_successor(&self.program, &mut machine, last, |event, state| {
                let known = self.known.get(&number);
                if store.resembles(number, state) && known.is_none_or(|k| k == state) {
                    next.push((Some(event), state.to_vec()));
                }
                false
            })?;
            next.reverse(); // the first event first
            others.push(next);
            loop {
                let Some(last) = others.last_mut() else {
                    return Ok(None);
                };
                if let Some(step) = last.pop() {
                    steps.truncate(others.len());
                    steps.push(step);
                    break;
                }
                others.pop();
            }
        }
        Ok(Some(steps))
    }
}
