//! Coverability: whether a marking can be reached that has at least so many tokens, on any net.
//!
//! What a target asks for, that places have at least so many tokens, stays true with more tokens: its
//! markings are *upward closed*, and so are those from which an event leads into an upward-closed set.
//! Such a set is a finite *basis* of minimal elements, even where the net has no bound.
//!
//! | module | job |
//! |---|---|
//! | `net` | events, and what must be there before one for something to be there after it |
//! | `basis` | minimal elements, and which of them another one is above or below |
//! | `limits` | what is known of all reachable markings, as sums that have a greatest value |
//! | `backward` | the search: from the target back to the initial marking, or until nothing is new |
//! | `proof` | an independent look at a basis: that it does show what it is to show |

mod backward;
mod basis;
mod limits;
mod net;
mod proof;
#[cfg(test)]
mod tests;

pub use backward::{Backward, Outcome};
pub use limits::Limit;
pub use net::{CoverEvent, CoverNet, Refused};
pub use proof::shows;
