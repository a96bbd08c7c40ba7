//! Vectors of fixed-size records that grow segment by segment.
//!
//! A `Vec` that doubles holds its content twice while it moves; here nothing ever moves, so memory
//! grows by one segment at a time and the search can ask for each before it is taken.

/// Words in a segment, as a power of two, for records that are small enough: one mebibyte.
const SEGMENT_WORDS_LOG2: u32 = 17;

/// A vector of records of `stride` words each.
#[derive(Clone, Debug)]
pub struct Segments {
    stride: usize,
    /// Records in a segment, as a power of two.
    log2: u32,
    segments: Vec<Vec<u64>>,
    len: usize,
}

impl Segments {
    /// No records yet.
    pub fn new(stride: usize) -> Segments {
        debug_assert!(stride > 0);
        let stride_log2 = stride.next_power_of_two().trailing_zeros();
        Segments {
            stride,
            log2: SEGMENT_WORDS_LOG2.saturating_sub(stride_log2),
            segments: Vec::new(),
            len: 0,
        }
    }

    /// Words of a record.
    #[inline]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// How many records.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.segments.len() as u64 * self.segment_bytes()
    }

    /// Bytes that the next `push` will allocate.
    #[inline]
    pub fn bytes_for_next(&self) -> u64 {
        if self.len == self.segments.len() << self.log2 {
            self.segment_bytes()
        } else {
            0
        }
    }

    fn segment_bytes(&self) -> u64 {
        (8 * self.stride as u64) << self.log2
    }

    /// The record at an index.
    #[inline]
    pub fn get(&self, index: usize) -> &[u64] {
        let offset = (index & ((1 << self.log2) - 1)) * self.stride;
        &self.segments[index >> self.log2][offset..offset + self.stride]
    }

    /// The record at an index, to be changed.
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> &mut [u64] {
        let offset = (index & ((1 << self.log2) - 1)) * self.stride;
        &mut self.segments[index >> self.log2][offset..offset + self.stride]
    }

    /// Adds a record; `false` when memory cannot be had.
    #[inline]
    pub fn push(&mut self, record: &[u64]) -> bool {
        debug_assert_eq!(record.len(), self.stride);
        if self.len == self.segments.len() << self.log2 && !self.grow() {
            return false;
        }
        if let Some(segment) = self.segments.last_mut() {
            segment.extend_from_slice(record);
            self.len += 1;
        }
        true
    }

    #[cold]
    fn grow(&mut self) -> bool {
        let mut segment = Vec::new();
        if self.segments.try_reserve(1).is_err()
            || segment.try_reserve_exact(self.stride << self.log2).is_err()
        {
            return false;
        }
        self.segments.push(segment);
        true
    }

    /// Every record in order, each segment freed once it has been seen.
    pub fn drain(self, mut visit: impl FnMut(&[u64]) -> bool) -> bool {
        for segment in self.segments {
            for record in segment.chunks_exact(self.stride) {
                if !visit(record) {
                    return false;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stay_where_they_are_across_segments() {
        let mut segments = Segments::new(3);
        for i in 0..100_000u64 {
            assert!(segments.push(&[i, i + 1, i + 2]));
        }
        assert_eq!(segments.len(), 100_000);
        assert!((0..100_000).all(|i| segments.get(i)[2] == i as u64 + 2));
        segments.get_mut(77_777)[0] = 5;
        assert_eq!(segments.get(77_777)[0], 5);
        let mut count = 0;
        assert!(segments.drain(|record| {
            count += record.len();
            true
        }));
        assert_eq!(count, 300_000);
    }

    #[test]
    fn a_record_longer_than_a_segment_has_one_of_its_own() {
        let mut segments = Segments::new(1 << 18);
        let record = vec![1; 1 << 18];
        assert_eq!(segments.bytes_for_next(), 8 << 18);
        assert!(segments.push(&record) && segments.push(&record));
        assert_eq!(segments.bytes(), 16 << 18);
    }
}
