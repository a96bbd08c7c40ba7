//! The atomic numbers of what several threads write at once.

pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::table::NoMemory;

/// So many atomic numbers that are all 0.
pub(crate) fn zeros<T>(count: usize, zero: impl Fn() -> T) -> Result<Box<[T]>, NoMemory> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(count).map_err(|_| NoMemory)?;
    vector.resize_with(count, zero);
    Ok(vector.into_boxed_slice())
}
