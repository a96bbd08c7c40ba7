//! What the threads of `plait-explicit` share without locks, under loom (`make loom`).
//!
//! The sources of the index, of the store of the depth-first search and of the rows of the breadth-first
//! search are compiled once more here, with the atomic numbers of loom in place of those of the
//! processor, and with nothing of what else a search needs. Their own tests are not for loom.

#![cfg(all(test, feature = "loom"))]
#![allow(dead_code)] // half of the sources is not called here

mod loom_tests;
#[path = "../../plait-explicit/src/segments.rs"]
mod segments;
#[path = "../../plait-explicit/src/shared.rs"]
mod shared;
#[path = "../../plait-explicit/src/staged.rs"]
mod staged;
#[path = "../../plait-explicit/src/table.rs"]
mod table;

/// In place of the atomic numbers of the processor.
mod sync {
    use std::sync::atomic::Ordering;

    use loom::sync::atomic::AtomicBool;
    pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64};
    use loom::thread::yield_now;

    /// As that of the standard library, whose own synchronisation loom does not see: whoever gets the
    /// value sees what was written before it was set, and whoever could not set it can get it.
    #[derive(Debug)]
    pub(crate) struct OnceLock<T> {
        value: std::sync::OnceLock<T>,
        is_set: AtomicBool,
    }

    impl<T> OnceLock<T> {
        pub fn new() -> OnceLock<T> {
            OnceLock {
                value: std::sync::OnceLock::new(),
                is_set: AtomicBool::new(false),
            }
        }

        pub fn get(&self) -> Option<&T> {
            let is_set = self.is_set.load(Ordering::Acquire);
            self.value.get().filter(|_| is_set)
        }

        pub fn set(&self, value: T) -> Result<(), T> {
            let outcome = self.value.set(value);
            if outcome.is_ok() {
                self.is_set.store(true, Ordering::Release);
            } else {
                while !self.is_set.load(Ordering::Acquire) {
                    yield_now();
                }
            }
            outcome
        }

        pub fn into_inner(self) -> Option<T> {
            self.value.into_inner()
        }
    }
}

/// What the sources name of `hash`.
mod hash {
    pub(crate) trait RecordHash {
        fn hash(&self, record: &[u64]) -> u64;
    }
}

/// What they name of `store`.
mod store {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Inserted {
        New(u32),
        Old(u32),
    }
}

/// What they name of `repacking`; nothing is repacked here.
mod repacking {
    pub(crate) struct Repacking;

    impl Repacking {
        pub fn apply(&self, old: &[u64], new: &mut [u64]) {
            new.copy_from_slice(old);
        }
    }
}
