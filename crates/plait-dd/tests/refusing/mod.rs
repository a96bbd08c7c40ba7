//! An allocator that refuses the k-th large block of a thread that asked for it.
//!
//! Small blocks are never refused: no program of this kind survives that.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

const LARGE: usize = 4096;

thread_local! {
    /// How many large allocations of this thread are left until one fails; 0 when none shall.
    pub static LEFT: Cell<u64> = const { Cell::new(0) };
}

struct Refusing;

impl Refusing {
    fn refuses(size: usize) -> bool {
        let counted = |left: &Cell<u64>| {
            if size <= LARGE || left.get() == 0 {
                return false;
            }
            left.set(left.get() - 1);
            left.get() == 0
        };
        // While a thread ends its cells are gone; nothing is refused then.
        LEFT.try_with(counted).unwrap_or(false)
    }
}

// SAFETY: every call goes to the system's allocator unchanged, or is answered by a null pointer, which
// the contract of `GlobalAlloc` allows at any time; a refused `realloc` leaves the old block alone.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Refusing::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if Refusing::refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if Refusing::refuses(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;
