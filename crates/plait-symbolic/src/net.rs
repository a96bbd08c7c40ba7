//! Net-like models as plain data.

use plait_program::{Test, Update};

/// Cells in levels, initial states, and events.
#[derive(Clone, Debug, Default)]
pub struct Net {
    /// Initial states: the values of all cells; at least one.
    pub initial: Vec<Vec<i32>>,
    /// The cells of each level of the diagram, bottom first. Each cell stands in one level.
    pub levels: Vec<Vec<u32>>,
    /// What can happen.
    pub events: Vec<Event>,
    /// Least and greatest value that each cell may be given: an update beyond is a fault, which ends
    /// the search. Empty for no restriction at all.
    pub domains: Vec<(i32, i32)>,
}

/// An event: where all tests hold, all updates are made at once, with 32-bit wrap-around.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Tests on the values before; several may name one cell.
    pub tests: Vec<Test>,
    /// Updates of distinct cells.
    pub updates: Vec<Update>,
}

/// How the local states of levels are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locals {
    /// While states are found: only those that occur in a reachable state are ever confirmed.
    OnTheFly,
    /// Before: each level alone, under the parts of the events that concern it. Needs no confirming,
    /// but may find states that no reachable state has, even without end.
    Pregenerated {
        /// Least and greatest value of each cell, if known: nothing beyond is explored.
        bounds: Option<Vec<(i32, i32)>>,
        /// The most local states that a level may have.
        limit: usize,
    },
}

/// Why a net cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// There is no initial state, or one with another number of cells.
    #[error("initial state {0} does not give a value to each cell")]
    Initial(usize),
    /// A cell is in no level or in several, or a level names a cell that does not exist.
    #[error("cell {0} does not stand in exactly one level")]
    Cell(u32),
    /// A level has no cells.
    #[error("level {0} has no cells")]
    Empty(usize),
    /// An event tests or updates a cell that does not exist, or updates a cell twice.
    #[error("event {event}: cell {cell} does not exist or is updated twice")]
    Event {
        /// The event.
        event: usize,
        /// The cell.
        cell: u32,
    },
    /// Pregeneration found more local states than allowed: the level alone may be unbounded.
    #[error("level {0} alone has more local states than the limit")]
    Unbounded(usize),
}

impl Net {
    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.initial.first().map_or(0, Vec::len)
    }

    /// The level (from 1, bottom first) and the place in it of each cell.
    pub(crate) fn places(&self) -> Result<Vec<(u32, u32)>, NetError> {
        let cells = self.cells();
        if self.initial.is_empty() {
            return Err(NetError::Initial(0));
        }
        if let Some(wrong) = self.initial.iter().position(|s| s.len() != cells) {
            return Err(NetError::Initial(wrong));
        }
        let mut places = vec![(0, 0); cells];
        for (level, group) in (1..).zip(&self.levels) {
            if group.is_empty() {
                return Err(NetError::Empty(level as usize));
            }
            for (slot, cell) in (0..).zip(group) {
                match places.get_mut(*cell as usize) {
                    Some(place) if place.0 == 0 => *place = (level, slot),
                    _ => return Err(NetError::Cell(*cell)),
                }
            }
        }
        match places.iter().position(|p| p.0 == 0) {
            Some(cell) => Err(NetError::Cell(cell as u32)),
            None => Ok(places),
        }
    }
}
