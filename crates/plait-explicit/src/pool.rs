//! Work passed from threads that have too much to threads that have none.
//!
//! Each thread of a search has a stack of its own, which nobody else sees. A thread whose stack is
//! empty says that it is hungry and waits; one that sees somebody hungry puts the older half of its
//! stack, the states nearest to the beginning, on the shelf. While nobody is hungry, which is most of
//! the time, all that this costs is one look at a number that does not change.
//!
//! Invariant: the work is done when all threads are hungry and the shelf is empty, since only a
//! thread that is not hungry puts anything there.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a hungry thread waits before it looks at the limits of the search.
const PATIENCE: Duration = Duration::from_millis(20);

/// The shelf, and who is hungry.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    shelf: Mutex<Shelf<T>>,
    bell: Condvar,
    hungry: AtomicUsize,
    /// Nobody shall go on.
    halt: AtomicBool,
}

#[derive(Debug)]
struct Shelf<T> {
    work: Vec<T>,
    workers: usize,
}

impl<T> Pool<T> {
    /// For so many threads.
    pub fn new(workers: usize) -> Pool<T> {
        Pool {
            shelf: Mutex::new(Shelf {
                work: Vec::new(),
                workers,
            }),
            bell: Condvar::new(),
            hungry: AtomicUsize::new(0),
            halt: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shelf<T>> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes all threads end.
    pub fn halt(&self) {
        let _shelf = self.lock(); // so that nobody is between a look and the wait
        self.halt.store(true, Ordering::Relaxed);
        self.bell.notify_all();
    }

    /// Whether all threads shall end.
    #[inline]
    pub fn is_halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed)
    }

    /// A thread could not be had.
    pub fn lose_a_worker(&self) {
        self.lock().workers -= 1;
        self.bell.notify_all();
    }

    /// Puts the older half of a stack on the shelf, if somebody is hungry.
    #[inline]
    pub fn share(&self, stack: &mut Vec<T>) {
        if self.hungry.load(Ordering::Relaxed) > 0 && stack.len() > 1 {
            let half = stack.len() / 2;
            self.lock().work.extend(stack.drain(..half));
            self.bell.notify_all();
        }
    }

    /// Waits for work and puts it on the empty stack; `false` when there will be none. `go_on` is
    /// asked from time to time.
    pub fn wait(&self, stack: &mut Vec<T>, mut go_on: impl FnMut() -> bool) -> bool {
        let mut shelf = self.lock();
        let hungry = self.hungry.fetch_add(1, Ordering::Relaxed) + 1;
        if hungry == shelf.workers {
            self.bell.notify_all(); // perhaps all is done
        }
        loop {
            if self.is_halted() {
                return false;
            }
            if !shelf.work.is_empty() {
                self.hungry.fetch_sub(1, Ordering::Relaxed);
                let hungry = self.hungry.load(Ordering::Relaxed);
                let keep = shelf.work.len() * hungry / (hungry + 1);
                stack.extend(shelf.work.drain(keep..));
                return true;
            }
            if self.hungry.load(Ordering::Relaxed) >= shelf.workers {
                return false;
            }
            let waited = self.bell.wait_timeout(shelf, PATIENCE);
            shelf = waited.unwrap_or_else(PoisonError::into_inner).0;
            if !go_on() {
                self.halt.store(true, Ordering::Relaxed);
                self.bell.notify_all();
                return false;
            }
        }
    }

    /// What lies on the shelf, when all threads have ended.
    pub fn into_work(self) -> Vec<T> {
        let shelf = self.shelf.into_inner();
        shelf.unwrap_or_else(PoisonError::into_inner).work
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;
    use std::thread;

    #[test]
    fn a_tree_is_walked_once_by_any_number_of_threads() {
        for workers in 1..5 {
            let pool = Pool::new(workers);
            let seen = AtomicU64::new(0);
            let labour = |mut stack: Vec<u32>| loop {
                if stack.is_empty() && !pool.wait(&mut stack, || true) {
                    return;
                }
                let Some(depth) = stack.pop() else { continue };
                seen.fetch_add(1, Ordering::Relaxed);
                if depth < 12 {
                    stack.extend([depth + 1, depth + 1]);
                }
                pool.share(&mut stack);
            };
            thread::scope(|scope| {
                for _ in 1..workers {
                    scope.spawn(|| labour(Vec::new()));
                }
                labour(vec![0]);
            });
            assert_eq!(seen.into_inner(), (1 << 13) - 1);
            assert!(pool.into_work().is_empty());
        }
    }

    #[test]
    fn whoever_waits_ends_when_all_shall_end_or_when_told_so() {
        let pool = Pool::<u32>::new(2);
        assert!(!pool.wait(&mut Vec::new(), || false));
        assert!(pool.is_halted());
        let pool = Pool::<u32>::new(3);
        thread::scope(|scope| {
            let one = scope.spawn(|| pool.wait(&mut Vec::new(), || true));
            pool.halt();
            assert!(!one.join().unwrap());
        });
    }

    #[test]
    fn the_work_is_over_also_when_a_thread_could_not_be_had() {
        let pool = Pool::<u32>::new(2);
        pool.lose_a_worker();
        assert!(!pool.wait(&mut Vec::new(), || true));
        assert!(!pool.is_halted());
    }
}
