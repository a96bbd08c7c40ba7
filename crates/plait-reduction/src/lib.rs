//! Dependency of events, and partial-order reduction on top of it.
//!
//! | module | job |
//! |---|---|
//! | `bits`, `pieces` | sets of events, relations; sets of integers |
//! | `operation` | operations on one cell and when they disturb each other |
//! | `description` | events as guards and operations |
//! | `dependency` | the relations between all events of a program |
//! | `conditional` | whether two events are dependent in one state |
//! | `faults` | which events may be errors of the model |
//! | `processes` | control cells: processes in a flat program |
//! | `stubborn`, `by_process` | persistent sets of a state, by events and by processes |
//! | `local` | events of one process that meet nothing else: they go first |
//! | `choices`, `deletion` | smaller stubborn sets: by choosing enabling sets, by taking events out |
//! | `interference` | what might be the first to interfere from the present values on |
//! | `sleep` | sets of sleeping events, stored once each |

pub mod bits;
mod by_process;
mod choices;
mod conditional;
mod deletion;
pub mod dependency;
pub mod description;
mod faults;
mod interference;
mod local;
pub mod operation;
pub mod pieces;
pub mod processes;
pub mod sleep;
pub mod stubborn;

pub use bits::{BitSet, Matrix};
pub use dependency::{Dependency, TooLarge};
pub use sleep::{SleepId, SleepSets};
pub use stubborn::{Algorithm, Fit, Selector};

#[cfg(test)]
mod tests;
