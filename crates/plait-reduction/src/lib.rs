//! Dependency of events, and partial-order reduction on top of it.
//!
//! | module | job |
//! |---|---|
//! | `bits`, `pieces` | sets of events, relations; sets of integers |
//! | `operation` | operations on one cell and when they disturb each other |
//! | `description` | events as guards and operations |
//! | `dependency` | the relations between all events of a program |
//! | `faults` | which events may be errors of the model |
//! | `processes` | control cells: processes in a flat program |
//! | `stubborn` | persistent sets of a state by seven algorithms |
//! | `sleep` | sets of sleeping events, stored once each |

pub mod bits;
pub mod dependency;
pub mod description;
mod faults;
pub mod operation;
pub mod pieces;
pub mod processes;
pub mod sleep;
pub mod stubborn;

pub use bits::{BitSet, Matrix};
pub use dependency::{Dependency, TooLarge};
pub use sleep::{SleepId, SleepSets};
pub use stubborn::{Algorithm, Selector};

#[cfg(test)]
mod tests;
