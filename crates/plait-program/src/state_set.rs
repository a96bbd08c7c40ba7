//! Sets of states in insertion order: what a body computes on the way to its successors.
//!
//! States lie one after the other in one vector. Small sets are searched linearly; from
//! `LINEAR` states on an open-addressing index finds equal states. The hash is seeded at random,
//! but order and content of a set never depend on it.

use crate::mix::{hash_cells, Seed};

/// Up to this many states no index is kept.
const LINEAR: usize = 8;

/// A set of states, all with the same number of cells.
#[derive(Clone, Debug)]
pub struct StateSet {
    width: usize,
    len: usize,
    cells: Vec<i32>,
    /// Position + 1 of a state in each used slot; empty as long as the set is small.
    index: Vec<u32>,
}

impl StateSet {
    /// The empty set of states with `width` cells.
    pub fn new(width: usize) -> StateSet {
        StateSet {
            width,
            len: 0,
            cells: Vec::new(),
            index: Vec::new(),
        }
    }

    /// The set with one state.
    pub fn single(state: &[i32]) -> StateSet {
        StateSet {
            width: state.len(),
            len: 1,
            cells: state.to_vec(),
            index: Vec::new(),
        }
    }

    /// How many states.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The state at a position.
    #[inline]
    pub fn get(&self, position: usize) -> &[i32] {
        &self.cells[position * self.width..][..self.width]
    }

    /// The states in insertion order.
    pub fn iter(&self) -> impl Iterator<Item = &[i32]> {
        (0..self.len).map(|i| self.get(i))
    }

    /// Removes all states and keeps the memory.
    pub fn clear(&mut self) {
        self.len = 0;
        self.cells.clear();
        self.index.clear();
    }

    /// The position of the state, if it is there.
    pub fn position(&self, state: &[i32]) -> Option<usize> {
        if self.index.is_empty() {
            return (0..self.len).find(|i| self.get(*i) == state);
        }
        self.probe(state).ok()
    }

    /// Whether the state is there.
    pub fn contains(&self, state: &[i32]) -> bool {
        self.position(state).is_some()
    }

    /// Adds the state; says whether it is new. `Err` when memory cannot be had.
    pub fn insert(&mut self, state: &[i32]) -> Result<bool, OutOfMemory> {
        debug_assert_eq!(state.len(), self.width);
        if self.index.is_empty() {
            if self.contains(state) {
                return Ok(false);
            }
            self.push(state)?;
            if self.len > LINEAR {
                self.rebuild()?;
            }
            return Ok(true);
        }
        let Err(slot) = self.probe(state) else {
            return Ok(false);
        };
        self.push(state)?;
        self.index[slot] = self.len as u32;
        if self.len * 2 > self.index.len() {
            self.rebuild()?;
        }
        Ok(true)
    }

    /// Whether the two are equal as sets.
    pub fn same_states(&self, other: &StateSet) -> bool {
        self.len == other.len && self.iter().all(|state| other.contains(state))
    }

    fn push(&mut self, state: &[i32]) -> Result<(), OutOfMemory> {
        if self.len >= u32::MAX as usize / 2 {
            return Err(OutOfMemory);
        }
        self.cells
            .try_reserve(state.len())
            .map_err(|_| OutOfMemory)?;
        self.cells.extend_from_slice(state);
        self.len += 1;
        Ok(())
    }

    /// `Ok(position)` of the state, or `Err(slot)` where it belongs.
    fn probe(&self, state: &[i32]) -> Result<usize, usize> {
        let mask = self.index.len() - 1;
        let mut slot = hash_cells(Seed::of_process(), state) as usize & mask;
        loop {
            match self.index[slot] {
                0 => return Err(slot),
                entry if self.get(entry as usize - 1) == state => return Ok(entry as usize - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn rebuild(&mut self) -> Result<(), OutOfMemory> {
        let size = (self.len * 4).next_power_of_two();
        let mut index = Vec::new();
        index.try_reserve_exact(size).map_err(|_| OutOfMemory)?;
        index.resize(size, 0u32);
        let mask = size - 1;
        for (position, state) in (1u32..).zip(self.iter()) {
            let mut slot = hash_cells(Seed::of_process(), state) as usize & mask;
            while index[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            index[slot] = position;
        }
        self.index = index;
        Ok(())
    }
}

/// The allocator refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn a_state_set_behaves_as_a_hash_set(states in prop::collection::vec([0i32..4, 0i32..4, 0i32..4], 0..80)) {
            let mut set = StateSet::new(3);
            let mut model = HashSet::new();
            for state in &states {
                prop_assert_eq!(set.insert(state), Ok(model.insert(*state)));
            }
            prop_assert_eq!(set.len(), model.len());
            prop_assert!(model.iter().all(|s| set.contains(s)));
            let mut reversed = StateSet::new(3);
            for state in states.iter().rev() {
                reversed.insert(state).unwrap();
            }
            prop_assert!(set.same_states(&reversed));
            prop_assert_eq!(reversed.insert(&[9, 9, 9]), Ok(true));
            prop_assert!(!set.same_states(&reversed));
        }
    }

    #[test]
    fn states_without_cells_are_all_equal() {
        let mut set = StateSet::new(0);
        assert_eq!(set.insert(&[]), Ok(true));
        assert_eq!(set.insert(&[]), Ok(false));
        assert_eq!(set.len(), 1);
    }
}
