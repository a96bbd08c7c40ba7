//! What a search counts on its way.

use crate::tier::Compiled;
use plait_program::Machine;

/// The figures of a search. Minima and maxima are over the states whose successors have
/// been computed: all of them when the search is complete.
#[derive(Clone, Debug)]
pub struct Figures {
    /// States whose successors have been computed.
    pub expanded: u64,
    /// Triples of state, event title and distinct successor.
    pub arcs: u64,
    /// States without successor.
    pub deadlocks: u64,
    /// The greatest distance from the initial state.
    pub depth: u64,
    /// Bytes held by states, index and tree at the end.
    pub bytes: u64,
    /// States found.
    pub states: u64,
    /// Checkpoints written.
    pub checkpoints: u64,
    /// Why the last checkpoint could not be written.
    pub checkpoint_error: Option<String>,
    /// The probability that states were missed, at most about; 0 when the store is exact.
    pub omission: f64,
    /// The greatest sum of all cells in one state.
    pub max_sum: i64,
    /// The least value of each cell.
    pub cell_min: Vec<i32>,
    /// The greatest value of each cell.
    pub cell_max: Vec<i32>,
    /// Arcs of each event.
    pub fired: Vec<u64>,
    /// How often each event had no successor because something in it was undefined.
    pub undefined: Vec<u64>,
    /// Which events were executed by a call.
    pub called: Vec<bool>,
    /// What was compiled, if anything.
    pub compiled: Option<Compiled>,
}

impl Figures {
    /// Nothing counted yet.
    pub fn new(initial: &[i32], events: usize) -> Figures {
        Figures {
            expanded: 0,
            arcs: 0,
            deadlocks: 0,
            depth: 0,
            bytes: 0,
            states: 0,
            checkpoints: 0,
            checkpoint_error: None,
            omission: 0.0,
            max_sum: sum(initial),
            cell_min: initial.to_vec(),
            cell_max: initial.to_vec(),
            fired: vec![0; events],
            undefined: vec![0; events],
            called: vec![false; events],
            compiled: None,
        }
    }

    /// Takes a state into account.
    #[inline]
    pub fn observe(&mut self, cells: &[i32]) {
        self.expanded += 1;
        for (low, value) in self.cell_min.iter_mut().zip(cells) {
            *low = (*low).min(*value);
        }
        for (high, value) in self.cell_max.iter_mut().zip(cells) {
            *high = (*high).max(*value);
        }
        self.observe_sum(cells);
    }

    /// Takes the sum of a state's cells into account.
    #[inline]
    pub(crate) fn observe_sum(&mut self, cells: &[i32]) {
        self.max_sum = self.max_sum.max(sum(cells));
    }

    /// Adds what another search has counted of the same program on other states, and what its
    /// machine has.
    pub(crate) fn absorb(&mut self, other: &Figures, machine: &Machine) {
        self.expanded += other.expanded;
        self.arcs += other.arcs;
        self.deadlocks += other.deadlocks;
        self.max_sum = self.max_sum.max(other.max_sum);
        for (mine, theirs) in self.cell_min.iter_mut().zip(&other.cell_min) {
            *mine = (*mine).min(*theirs);
        }
        for (mine, theirs) in self.cell_max.iter_mut().zip(&other.cell_max) {
            *mine = (*mine).max(*theirs);
        }
        for (mine, theirs) in self.fired.iter_mut().zip(&other.fired) {
            *mine += theirs;
        }
        self.absorb_machine(machine);
    }

    /// Adds what a machine has counted.
    pub(crate) fn absorb_machine(&mut self, machine: &Machine) {
        for (mine, theirs) in self.undefined.iter_mut().zip(machine.undefined()) {
            *mine += theirs;
        }
        for (mine, theirs) in self.called.iter_mut().zip(machine.called()) {
            *mine |= theirs;
        }
    }

    /// The greatest value of any cell; 0 when there are no cells.
    pub fn max_value(&self) -> i32 {
        self.cell_max.iter().copied().max().unwrap_or(0)
    }
}

#[inline]
fn sum(cells: &[i32]) -> i64 {
    cells.iter().map(|c| i64::from(*c)).sum()
}
