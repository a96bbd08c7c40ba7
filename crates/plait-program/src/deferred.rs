//! A program that is made when somebody first looks at it.
//!
//! The diagrams of a net are made of its tests and updates; that the net has a program, with compiled
//! guards and statements, matters only to whoever asks more than how many states there are. For a large
//! net the program takes longer to make than its states take to count.
//!
//! Invariant: all who share a `Deferred` see one and the same program.

use std::sync::{Arc, LazyLock};

use crate::builder::Builder;
use crate::program::Program;

/// A program, and the builder that it was made by, which holds its expressions.
#[derive(Clone, Debug)]
pub struct Frozen {
    /// Who made it.
    pub builder: Builder,
    /// What was made.
    pub program: Arc<Program>,
}

/// A program that may not be there yet.
pub struct Deferred(LazyLock<Frozen, Box<dyn FnOnce() -> Frozen + Send>>);

impl Deferred {
    /// The program that `make` makes, once.
    pub fn new(make: impl FnOnce() -> Frozen + Send + 'static) -> Deferred {
        Deferred(LazyLock::new(Box::new(make)))
    }

    /// The program, made if need be.
    pub fn frozen(&self) -> &Frozen {
        &self.0
    }
}
