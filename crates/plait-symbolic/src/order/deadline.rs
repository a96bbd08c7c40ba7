//! When orders must be there.
//!
//! All heuristics are near-linear, but a structure may have any size. When the time is over none is begun
//! any more, and one that is at work ends with what it has: an order is one however it was made.

use std::time::Instant;

/// Steps of a queue between two looks at the clock.
const GLANCE: usize = 1024;

/// The end of the time for orders, if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadline(pub Option<Instant>);

impl Deadline {
    pub(crate) fn is_over(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }

    /// The same, looked at in some of the steps only, the first among them.
    pub(crate) fn is_over_at(self, step: usize) -> bool {
        step.is_multiple_of(GLANCE) && self.is_over()
    }
}
