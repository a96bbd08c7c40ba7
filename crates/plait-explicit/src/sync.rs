//! What several threads write at once is made of these. The crate `plait-loom` has others in their
//! place, which try every order in which threads can see each other's writes.

pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64};
pub(crate) use std::sync::OnceLock;
