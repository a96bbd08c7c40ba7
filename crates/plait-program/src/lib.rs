//! The compiled form of a flat model: cells, expressions, statements, events; and its interpreter.
//!
//! `Builder` takes a model piece by piece and checks it; `Builder::freeze` gives the `Program`;
//! a `Machine` executes events and evaluates expressions. The meaning is that of the semantic core:
//! 32-bit wrap-around integers, undefined values, bodies as functions on sets of states.
//!
//! | module | job |
//! |---|---|
//! | `arithmetic`, `interval` | the integers; tests of a cell against a constant |
//! | `expr` | hash-consed expressions |
//! | `code`, `compile`, `shared` | expressions as bytecode, evaluated without recursion |
//! | `cells`, `statement`, `builder` | the declared program, checked |
//! | `program`, `unfold`, `variant` | the frozen program; events as straight lines, net-like where possible |
//! | `deferred` | a program that is made when it is first looked at |
//! | `effects`, `ranges` | what an event does to each cell, and within which bounds, for reductions |
//! | `machine`, `fixpoint`, `by_execution` | executing events on a state, and questions answered by that |
//! | `sets`, `state_set` | executing them on sets of states |
//! | `settling` | events that settle, without sets |
//! | `event_index` | which events of a list a state calls for |
//! | `native` | events and expressions as machine code |
//! | `mix` | hashing |

pub mod arithmetic;
pub mod builder;
mod by_execution;
pub mod cells;
pub mod code;
mod compile;
pub mod deferred;
pub mod effects;
pub mod error;
pub mod event_index;
pub mod expr;
mod fixpoint;
pub mod interval;
pub mod machine;
pub mod mix;
pub mod native;
pub mod program;
pub mod ranges;
mod sets;
mod settling;
mod shared;
pub mod state_set;
pub mod statement;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod unfold;
pub mod variant;

pub use builder::Builder;
pub use cells::{Cell, CellSet, Support};
pub use code::{Code, Oracle, Scratch, Value};
pub use deferred::{Deferred, Frozen};
pub use effects::{Access, Effect, QueueUse, Summary};
pub use error::{BuildError, Failure, Fault, FaultKind};
pub use expr::{ExprId, Sort};
pub use fixpoint::FIXPOINT_LIMIT;
pub use machine::{Machine, Unwatched, Watch, Write};
pub use native::Native;
pub use program::{Event, Program};
pub use state_set::StateSet;
pub use variant::{Test, Update, Variant};

#[cfg(test)]
mod tests;
