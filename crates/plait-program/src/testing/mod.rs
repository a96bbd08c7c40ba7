//! Random programs and a naive semantics, for the tests of this crate and of the engines on it.
//!
//! `recipe` describes programs as plain trees and builds them; `naive` executes the same trees by
//! recursion over sets of vectors, as plainly as possible; `random` draws them.

pub mod naive;
pub mod random;
pub mod recipe;
