//! Recursion of any depth.
//!
//! The recursive operations call themselves through [`deep`], which moves to a new segment of stack
//! (from the heap, given back on return) when less than the red zone is left. A frame takes 100 to
//! 300 bytes, so a diagram of 100,000 variables needs some ten megabytes, for as long as the
//! operation lasts. A segment costs about a microsecond; the test for the red zone about a nanosecond.

/// What every recursive step may count on.
const RED_ZONE: usize = 64 << 10;
/// The size of a new segment.
const SEGMENT: usize = 4 << 20;
/// The stack of [`with_big_stack`].
const BIG: usize = 256 << 20;

/// Runs `f` with at least the red zone of stack left.
#[inline(always)]
pub fn deep<R>(f: impl FnOnce() -> R) -> R {
    if stacker::remaining_stack().is_some_and(|left| left >= RED_ZONE) {
        f()
    } else {
        stacker::grow(SEGMENT, f)
    }
}

/// Runs `f` on this thread with 256 MB of stack (of address space: pages are taken when touched), so
/// that even deep recursion stays in one segment. Never needed for correctness.
pub fn with_big_stack<R>(f: impl FnOnce() -> R) -> R {
    stacker::grow(BIG, f)
}
