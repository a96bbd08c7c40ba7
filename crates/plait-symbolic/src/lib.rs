//! Symbolic state spaces: sets of states as decision diagrams, closed under events.
//!
//! This is the path for *net-like* models, whose events test cells against constants and add or store
//! constants: Petri nets with inhibitor, reset and read arcs, and all that compiles to such events.
//! The way is SMART's: cells are grouped into levels, each event is a product of local functions, one a
//! level, and saturation fires events inside nodes. Everything else runs on homomorphisms ([`hom`]).
//!
//! | module | job |
//! |---|---|
//! | `net`, `program` | the input: cells in levels, events as tests and updates; programs that are nets |
//! | `local` | the local states of a level, discovered and confirmed; local functions |
//! | `relation` | events as chains of local functions, shared where equal |
//! | `saturation` | closing nodes from the bottom up |
//! | `sweeps` | breadth-first, chaining, forwarding |
//! | `answers`, `arcs`, `space` | bounds of cells, deadlocks; how many states and arcs; for programs |
//! | `weighed` | sums and maxima over states whose values have weights |
//! | `encoded`, `reach` | a program in diagrams of its own, and its reachable states |
//! | `question`, `truth` | conditions and integers asked of sets of states |
//! | `by_cell` | sets of states with one variable a cell |
//! | `inverse`, `constrained` | events backward; saturation inside a constraint |
//! | `net_ctl`, `steps`, `ctl` | CTL: steps and closures both ways; E X, E U, E G |
//! | `partial` | steps by some events only, for searches that leave events out |
//! | `distance`, `distances` | distances of all states as one diagram |
//! | `trace`, `shortest`, `path` | shortest traces; shortest paths inside a set |
//! | `component` | the events of a program that is a part of a larger system |
//! | [`hom`] | homomorphisms: events with expressions, hierarchy; saturation by rewriting |
//! | `models` | the nets of the literature's tables |
//! | `order` | static variable orders, ranked |

#![cfg_attr(not(test), forbid(unsafe_code))]

pub mod hom;
pub mod models;
pub mod order;

mod answers;
mod arcs;
mod back;
mod by_cell;
mod component;
mod constrained;
mod ctl;
mod distance;
mod distances;
mod enabled;
mod encoded;
mod general;
mod inverse;
mod local;
mod net;
mod net_ctl;
mod net_way;
mod pairs;
mod partial;
mod path;
mod program;
mod question;
mod reach;
mod relation;
mod rounds;
mod saturation;
mod shortest;
mod space;
mod steps;
mod sweeps;
mod trace;
mod translate;
mod truth;
mod weighed;

pub use component::{component_events, ComponentEvent};
pub use ctl::{Always, Class, Fixpoint, Until};
pub use distance::Distances;
pub use distances::{DistanceFigures, Encoding};
pub use encoded::{Encoded, Halt, TraceStep};
pub use inverse::Direction;
pub use local::LocalSize;
pub use net::{Event, Locals, Net, NetError};
pub use plait_program::interval::Interval;
pub use plait_program::{Test, Update};
pub use program::ProgramNet;
pub use question::{Question, TooManyCases};
pub use relation::{Reached, Relation, Strategy};

#[cfg(test)]
mod tests;
