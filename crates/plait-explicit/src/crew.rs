//! Work shared out to threads.
//!
//! Threads are started for each piece of work and end with it, so that they can borrow what they
//! work on; a piece takes milliseconds, a thread some ten microseconds. Where the system refuses
//! more threads, those that there are do all the work.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// Does the work on every part, on at most so many threads, this one among them; the results are in
/// the order of the parts.
pub(crate) fn share<T: Send, R: Send>(
    threads: usize,
    parts: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let helpers = threads.min(parts.len()).saturating_sub(1);
    let parts: Vec<Mutex<Option<T>>> = parts.into_iter().map(|p| Mutex::new(Some(p))).collect();
    let next = AtomicUsize::new(0);
    let labour = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(index) else {
                return done;
            };
            let part = part.lock().unwrap_or_else(PoisonError::into_inner).take();
            done.extend(part.map(|part| (index, work(part))));
        }
    };
    let mut done = thread::scope(|scope| {
        let helpers: Vec<_> = (0..helpers)
            .map_while(|_| Builder::new().spawn_scoped(scope, labour).ok())
            .collect();
        let mut done = labour();
        for helper in helpers {
            done.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_worked_on_once_whatever_the_number_of_threads() {
        for threads in [0, 1, 2, 3, 16] {
            let doubled = share(threads, (0..100).collect(), |n: u32| 2 * n);
            assert_eq!(doubled, (0..100).map(|n| 2 * n).collect::<Vec<_>>());
            assert!(share(threads, Vec::<u32>::new(), |n| n).is_empty());
        }
    }

    #[test]
    fn parts_may_be_borrowed_and_changed() {
        let mut numbers = vec![1; 1000];
        share(4, numbers.chunks_mut(7).collect(), |part: &mut [i32]| {
            part.iter_mut().for_each(|n| *n += 1);
        });
        assert!(numbers.iter().all(|n| *n == 2));
    }
}
