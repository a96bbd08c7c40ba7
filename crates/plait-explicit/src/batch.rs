//! Successors waiting to be looked up together.
//!
//! A lookup touches the index and then a record, both far away in memory. One after the other each
//! would wait for both; looked up in rounds (first the index for all, then the records for all)
//! the processor overlaps the waits. The order of the batch is the order of discovery.

/// Packed successors with their parents.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub words: Vec<u64>,
    /// The same folded, where the store collapses them.
    pub folded: Vec<u64>,
    pub parents: Vec<u32>,
    pub hashes: Vec<u64>,
    /// Where the index guesses each to be; `UNKNOWN` when it has no guess.
    pub guesses: Vec<u32>,
}

/// No guess, or a wrong one.
pub(crate) const UNKNOWN: u32 = u32::MAX;

impl Batch {
    #[inline]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    #[inline]
    pub fn get(&self, index: usize, stride: usize) -> &[u64] {
        &self.words[index * stride..][..stride]
    }

    /// Adds a copy of `record` and gives it back to be changed.
    #[inline]
    pub fn push(&mut self, record: &[u64], parent: u32) -> &mut [u64] {
        let start = self.words.len();
        match record {
            [word] => self.words.push(*word),
            _ => self.words.extend_from_slice(record),
        }
        self.parents.push(parent);
        &mut self.words[start..]
    }

    /// Takes the last successor back.
    #[inline]
    pub fn pop(&mut self, stride: usize) {
        self.parents.pop();
        self.words.truncate(self.parents.len() * stride);
    }

    /// Whether the last successor equals one of those from index `first` on.
    pub fn last_is_repeated(&self, first: usize, stride: usize) -> bool {
        let last = self.len() - 1;
        (first..last).any(|i| self.get(i, stride) == self.get(last, stride))
    }

    pub fn clear(&mut self) {
        self.words.clear();
        self.parents.clear();
    }
}
