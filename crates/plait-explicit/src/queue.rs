//! The states still to be expanded, for stores that do not keep states.
//!
//! Records lie in segments by number, as in a store that keeps them all; a segment is freed when all
//! its states have been expanded.

use std::collections::VecDeque;

use crate::layout::Layout;
use crate::repacking::Repacking;

/// Words in a segment, about: 256 kibibytes.
const SEGMENT_WORDS: usize = 1 << 15;

/// Packed states with consecutive numbers.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    stride: usize,
    /// Records in a segment.
    each: usize,
    /// The number of the first record of the first segment.
    first: usize,
    segments: VecDeque<Vec<u64>>,
    /// The number of the next record.
    next: usize,
}

impl Queue {
    /// No records; the first will have the number `first`.
    pub fn new(stride: usize, first: usize) -> Queue {
        Queue {
            stride,
            each: (SEGMENT_WORDS / stride).max(1),
            first,
            segments: VecDeque::new(),
            next: first,
        }
    }

    /// How many records are held.
    pub fn len(&self) -> usize {
        self.next - self.first
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (8 * self.stride * self.each * self.segments.len()) as u64
    }

    /// Bytes that the next `push` will allocate.
    pub fn bytes_for_next(&self) -> u64 {
        let full = self.len() == self.each * self.segments.len();
        (8 * self.stride * self.each * usize::from(full)) as u64
    }

    /// The record of that number, if it is still there.
    pub fn get(&self, number: usize) -> Option<&[u64]> {
        let index = number.checked_sub(self.first)?;
        let segment = self.segments.get(index / self.each)?;
        let offset = index % self.each * self.stride;
        segment.get(offset..offset + self.stride)
    }

    /// Adds a record; `false` when memory cannot be had.
    pub fn push(&mut self, record: &[u64]) -> bool {
        debug_assert_eq!(record.len(), self.stride);
        if self.bytes_for_next() > 0 {
            let mut segment = Vec::new();
            if segment.try_reserve_exact(self.stride * self.each).is_err() {
                return false;
            }
            self.segments.push_back(segment);
        }
        if let Some(segment) = self.segments.back_mut() {
            segment.extend_from_slice(record);
            self.next += 1;
        }
        true
    }

    /// Frees what it can of the records before that number.
    pub fn forget(&mut self, before: usize) {
        while self.first + self.each <= before && self.segments.pop_front().is_some() {
            self.first += self.each;
        }
    }

    /// The same states in another layout; `None` when memory cannot be had.
    pub fn repacked(&self, old: &Layout, new: &Layout) -> Option<Queue> {
        let mut queue = Queue::new(new.words(), self.first);
        let repacking = Repacking::new(old, new);
        let mut record = vec![0; new.words()];
        for old_record in self.segments.iter().flat_map(|s| s.chunks(self.stride)) {
            repacking.apply(old_record, &mut record);
            if !queue.push(&record) {
                return None;
            }
        }
        Some(queue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_keep_their_numbers_while_those_before_them_are_freed() {
        for stride in [1, 3, SEGMENT_WORDS * 2] {
            let count = 3 * (SEGMENT_WORDS / stride).max(1) + 2;
            let mut queue = Queue::new(stride, 5);
            let record = |n: usize| vec![n as u64; stride];
            for n in 5..5 + count {
                assert!(queue.push(&record(n)));
            }
            let bytes = queue.bytes();
            let middle = 5 + count / 2;
            queue.forget(middle);
            assert!(queue.bytes() < bytes && queue.get(5).is_none());
            assert!((middle..5 + count).all(|n| queue.get(n) == Some(&record(n)[..])));
            assert!(queue.get(5 + count).is_none());
            assert!(queue.push(&record(7)) && queue.get(5 + count).is_some());
        }
    }
}
