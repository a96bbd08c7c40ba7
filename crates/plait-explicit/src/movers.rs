//! Weak fairness: whoever is ready for ever moves again and again.
//!
//! A *mover* is a process, or a part of a composition. It is *ready* in a state where one of its events
//! is enabled. A run is weakly fair when no mover is ready from some state on for ever and yet never
//! moves again. That is one more acceptance set of the product for each mover: the arcs by which it
//! moves, and all arcs that leave a state where it is not ready. (Choueka's construction, as SPIN has it,
//! copies the states once for each process to wait for one after the other, and the *null step* of a
//! process that is not ready leads to the next copy. The search for components needs no copies, since
//! any number of acceptance sets costs it the same.)
//!
//! An atomic block may hand the control over to another process. So a process moves, too, when a step
//! changes its location, whoever began the step.

use plait_program::{CellSet, Code, Program, Scratch};
use plait_reduction::{BitSet, Dependency};

/// Who moves by which event.
#[derive(Clone, Debug, Default)]
pub struct Movers {
    /// How many there are.
    pub count: u32,
    /// Whose moves an event is, as bits, by the number of the event.
    pub of: Vec<u64>,
    /// Whoever these bits are moves when the value of this expression changes.
    pub places: Vec<(u64, Code)>,
}

impl Movers {
    /// The bits of all.
    pub fn all(&self) -> u64 {
        match self.count {
            64.. => u64::MAX,
            count => (1 << count) - 1,
        }
    }

    /// Whether every event has its bits, and no other bits are there.
    pub fn is_sound(&self, program: &Program) -> bool {
        let bits = self.of.iter().chain(self.places.iter().map(|(bit, _)| bit));
        let mut known = bits.map(|b| b & !self.all() == 0);
        self.count <= 64 && self.of.len() == program.events().len() && known.all(|k| k)
    }

    /// Of a step between these states by this event: who moves, or was not ready.
    pub(crate) fn satisfied(
        &self,
        ready: u64,
        event: u32,
        (before, after): (&[i32], &[i32]),
        scratch: &mut Scratch,
    ) -> u64 {
        let mut found = self.of[event as usize] | (self.all() & !ready);
        for (bit, place) in &self.places {
            if found & bit == 0 && place.integer(before, scratch) != place.integer(after, scratch) {
                found |= bit;
            }
        }
        found
    }

    /// The events that may change whether somebody is ready who does not move by them.
    ///
    /// With these visible, ample sets keep weak fairness. Let a fair run be given. The run of the
    /// reduced graph that stands for it executes the same events in an order that keeps dependent
    /// ones, and visible ones, as they were; it may execute more, each of which was enabled for ever
    /// and never executed. So who moves for ever still does. Who moves for the last time and is not
    /// ready again and again is so in the new run too: after its last move only the visible events of
    /// others change whether it is ready, and they come in the same order.
    pub(crate) fn disturbing(&self, program: &Program, dependency: &Dependency) -> BitSet {
        let mut found = BitSet::new(dependency.size());
        for number in 0..self.count {
            let moves = |event: &u32| self.of[*event as usize] >> number & 1 == 1;
            let own = program.free().iter().filter(|event| moves(event));
            let ranges = own.flat_map(|event| program.support(*event).reads.ranges().to_vec());
            let writers = dependency.writers(&CellSet::from_ranges(ranges.collect()));
            for writer in writers.iter() {
                if program
                    .free()
                    .get(writer as usize)
                    .is_some_and(|e| !moves(e))
                {
                    found.insert(writer);
                }
            }
        }
        found
    }
}
