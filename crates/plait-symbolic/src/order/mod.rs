//! Static variable orders: where in a diagram the cells of a model should stand.
//!
//! The size of a diagram hangs on the order of its levels. An optimal order is out of reach, so many
//! heuristics make candidates and a cheap measure ranks them. All is deterministic and near-linear in
//! the number of arcs.
//!
//! | module | job |
//! |---|---|
//! | `structure` | the input: which cells events touch; hypergraphs made from it |
//! | `groups` | cells that belong together; orders that keep them so |
//! | `force`, `sloan`, `cuthill_mckee`, `noack`, `sift` | the heuristics |
//! | `cost`, `rank` | the measures |
//! | `machines` | cells to put in one level |
//! | `candidates` | all orders, ranked |
//! | `deadline` | when they must be there |

mod candidates;
mod cost;
mod cuthill_mckee;
mod deadline;
mod force;
mod graph;
mod groups;
mod machines;
mod noack;
mod rank;
mod sift;
mod sloan;
mod structure;

pub use candidates::{ranked, ranked_within, Candidate, Effort};
pub use cost::{Costs, SpanReport};
pub use deadline::Deadline;
pub use groups::{Groups, WHOLE};
pub use machines::machines;
pub use structure::{Effect, Structure, StructureError};

#[cfg(test)]
mod tests;
