//! Symbolic state spaces: sets of states as decision diagrams, closed under events.
//!
//! This is the path for *net-like* models, whose events test cells against constants and add or store
//! constants: Petri nets with inhibitor, reset and read arcs, and all that compiles to such events.
//! The way is SMART's: cells are grouped into levels, each event is a product of local functions, one a
//! level, and saturation fires events inside nodes.
//!
//! | module | job |
//! |---|---|
//! | `net` | the input: cells in levels, events as tests and updates |
//! | `local` | the local states of a level, discovered and confirmed; local functions |
//! | `relation` | events as chains of local functions, shared where equal |
//! | `saturation` | closing nodes from the bottom up |
//! | `sweeps` | breadth-first, chaining, forwarding |
//! | `answers` | bounds of cells, deadlocks |
//! | `models` | the nets of the literature's tables |

pub mod models;

mod answers;
mod local;
mod net;
mod relation;
mod saturation;
mod sweeps;

pub use local::LocalSize;
pub use net::{Event, Locals, Net, NetError};
pub use plait_program::interval::Interval;
pub use plait_program::{Test, Update};
pub use relation::{Reached, Relation, Strategy};

#[cfg(test)]
mod tests;
