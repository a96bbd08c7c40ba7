//! Breadth-first search.
//!
//! States are numbered in the order of their discovery; state `n` is expanded after all smaller
//! numbers. Each state is unpacked once; the successors of net-like events are made by adding to the
//! packed words directly, those of other straight lines by executing them in place and patching the
//! words of the cells written, and only events on sets of states pack whole states.
//!
//! Nothing observable depends on the hash, on how successors are batched or on how many threads help
//! (`together`): numbers, counts and traces are those of the plain textbook search that takes events
//! in their order.

use crate::batch::{Batch, UNKNOWN};
use crate::budget::Reason;
use crate::hash::RecordHash;
use crate::saved::Saved;
use crate::search::{owned, Halt, Search};
use crate::store::Inserted;
use crate::together::Pace;

/// Successors are looked up when there are this many.
pub(crate) const BATCH: usize = 64;
/// Also in the middle of a state's successors when there are this many.
pub(crate) const LARGE_BATCH: usize = 4096;

impl<H: RecordHash> Search<'_, H> {
    /// Searches from the initial state or from a checkpoint, with so many threads.
    pub(crate) fn run(&mut self, threads: usize, saved: Option<Saved>) -> Result<(), Halt> {
        let mut next = match saved {
            Some(saved) => self.restore(saved)?,
            None => {
                self.store_initial()?;
                0
            }
        };
        let mut pace = Pace::new(threads, self.options.alone);
        loop {
            self.compile_in_time();
            if self.batch.len() >= BATCH || next >= self.level.end || next >= self.store.len() {
                self.flush()?;
                owned(&mut self.store).forget(next);
                if next >= self.store.len() {
                    return Ok(());
                }
                if next >= self.level.end {
                    self.level.depth += 1;
                    self.level.end = self.store.len();
                }
            }
            if self.saver.as_ref().is_some_and(|s| s.due) {
                self.flush()?;
                self.save_in_time(next);
            }
            if let Some(end) = pace.chunk(next, self.level.end) {
                self.flush()?;
                let done = self.expand_together(next..end, &mut pace)?;
                pace.after(done);
                next = done.unwrap_or(next);
            } else {
                self.expand_in_turn(next as u32)?;
                self.note_wanted(next as u32)?;
                next += 1;
            }
        }
    }

    /// Keeps the state just expanded if a trace will need it.
    fn note_wanted(&mut self, number: u32) -> Result<(), Halt> {
        if self.wanted.last() == Some(&number) {
            self.wanted.pop();
            self.known.insert(number, self.cells.clone());
            if self.wanted.is_empty() {
                return Err(Halt::Stop(Reason::Goals));
            }
        }
        Ok(())
    }

    /// Looks the batch up; new states are stored, and goals asked of them.
    pub(crate) fn flush(&mut self) -> Result<(), Halt> {
        let mut batch = std::mem::take(&mut self.batch);
        // Wide states with many successors cost more than their expansion tells.
        self.work += batch.len() * self.store.layout().words();
        let outcome = match self.finds.take() {
            None => self.flush_batch(&mut batch),
            Some(mut finds) => {
                let outcome = self.sift(&mut batch, &mut finds);
                self.finds = Some(finds);
                outcome
            }
        };
        batch.clear();
        self.batch = batch;
        outcome?;
        self.look_up_in_time()
    }

    fn flush_batch(&mut self, batch: &mut Batch) -> Result<(), Halt> {
        let stride = self.store.layout().words();
        self.guess(batch);
        for (index, (hash, guess)) in batch.hashes.iter().zip(&batch.guesses).enumerate() {
            if *guess != UNKNOWN {
                continue; // most successors are old, and recognised already
            }
            let record = &batch.words[index * stride..][..stride];
            if let Inserted::New(number) = self.insert(record, *hash)? {
                self.settle(number, batch.parents[index], record)?;
            }
        }
        Ok(())
    }

    /// Looks at the likely place of each successor, in the store.
    pub(crate) fn guess(&self, batch: &mut Batch) {
        self.guess_where(batch, |number, record, hash| {
            self.store.is(number, record, hash)
        });
    }

    /// The same where `is_it` says whether a state is the one of a number: three short loops whose
    /// iterations do not wait for each other, so that the processor overlaps their accesses to memory.
    #[inline]
    pub(crate) fn guess_where(&self, batch: &mut Batch, is_it: impl Fn(u32, &[u64], u64) -> bool) {
        let stride = self.store.layout().words();
        let records = batch.words.chunks_exact(stride);
        batch.hashes.clear();
        batch.hashes.extend(records.map(|r| self.store.hash(r)));
        batch.guesses.clear();
        let guess = |hash: &u64| self.store.guess(*hash).unwrap_or(UNKNOWN);
        batch.guesses.extend(batch.hashes.iter().map(guess));
        let records = batch.words.chunks_exact(stride).zip(&batch.hashes);
        for (guess, (record, hash)) in batch.guesses.iter_mut().zip(records) {
            if *guess != UNKNOWN && !is_it(*guess, record, *hash) {
                *guess = UNKNOWN;
            }
        }
    }
}
