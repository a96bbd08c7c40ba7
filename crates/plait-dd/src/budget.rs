//! What an operation may use, and why it stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Instant;

/// Why an operation gave up. The manager stays usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The memory of the budget, or of the machine, is used up, after a collection.
    #[error("out of memory")]
    Memory,
    /// The deadline has passed.
    #[error("out of time")]
    Time,
    /// Someone raised the flag.
    #[error("cancelled")]
    Cancelled,
    /// A union of sequences that cannot stand in one set: `1` with a longer one, or sequences that
    /// start with different variables.
    #[error("a union mixes sequences over different variables")]
    Incompatible,
    /// A function that an algorithm applies to labels went wrong; the algorithm knows how.
    #[error("a function of labels went wrong")]
    Fault,
}

/// Limits, looked at every few thousand steps also inside one long operation.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Bytes that nodes, tables and caches may take together.
    pub memory: usize,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Raise it (from any thread) to stop the running operation.
    pub cancel: Arc<AtomicBool>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            memory: usize::MAX,
            deadline: None,
            cancel: Arc::new(AtomicBool::new(false)),
        }
    }
}

impl Budget {
    pub(crate) fn check(&self) -> Result<(), Stop> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::Time),
            _ => Ok(()),
        }
    }
}
