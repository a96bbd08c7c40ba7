//! Decision diagrams and nothing else: sets of sequences, stored once, compared by identity.
//!
//! A [`Manager`] holds nodes of two kinds in one hash-consed store. An *integer-labelled* node
//! (DDD, MDD) has edges `value -> child`; a *set-labelled* node (SDD) has edges `set -> child` where
//! the set is itself a diagram, which gives hierarchy to any depth. A node without edges is the empty
//! set `0`; `1` is the set of the empty sequence. Two equal sets are the same [`Node`], so that
//! equality costs nothing.
//!
//! | module | job |
//! |---|---|
//! | `node`, `store` | handles and edges; arenas, unique table, sweep and compaction |
//! | `cache` | results of operations: bounded, lossy |
//! | `budget`, `limits`, `stack` | memory, time, cancellation; recursion of any depth |
//! | `roots`, `open`, `manager` | what a collection must keep; collections |
//! | `operations`, `square` | union, intersection, difference, inclusion, concatenation; on sets of labels |
//! | [`edge_valued`] | functions to numbers: EV+ and multi-terminal diagrams |
//! | `measure`, `layers`, `linear`, `states`, `dot` | counting, level by level, domains, extrema, enumeration, pictures |
//!
//! # Threads
//! A manager is [`Send`] but not [`Sync`]: one thread works with it at a time, and nothing is locked
//! on the way of an operation. Parallel users hold a manager each. Only the flag that cancels
//! ([`Budget::cancel`]) and the external roots ([`Root`]) may be touched from other threads.
//!
//! # Collections and handles
//! A [`Node`] is a plain number and keeps nothing alive. A collection may happen inside any operation
//! that creates nodes; it keeps what is reachable from [`Root`]s, from the operands of the running
//! operations, from open nodes ([`Manager::open_set`]) and from [`Manager::push`]ed temporaries.
//! Hold a `Root` (or push) for each diagram that must outlive the next operation it is not part of.
//!
//! # Stopping
//! Operations return `Result<_, Stop>`. After any [`Stop`] the manager is as before the call, but for
//! garbage: all nodes that were rooted are valid and further operations are right.
//!
//! # Depth
//! Recursion is as deep as the diagram is long; the operations move to a fresh segment of stack when
//! the present one runs out (`stack`), so that 100,000 variables need no special thread.

#![forbid(unsafe_code)]

mod budget;
mod cache;
mod dot;
pub mod edge_valued;
mod hash;
mod layers;
mod limits;
mod linear;
mod magnitude;
mod manager;
mod measure;
mod node;
mod open;
mod operations;
mod roots;
mod square;
pub mod stack;
mod states;
mod store;

pub use budget::{Budget, Stop};
pub use cache::Operation;
pub use layers::Layers;
pub use limits::{Observer, Policy, Statistics};
pub use linear::{Weight, Weights};
pub use magnitude::Magnitude;
pub use manager::Manager;
pub use measure::Size;
pub use node::{Edge, Kind, Node};
pub use roots::Root;
pub use stack::with_big_stack;
pub use states::{States, Step, Value};

#[cfg(test)]
mod tests;
