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
        let folded = self.guess(batch)?;
        for index in 0..batch.len() {
            if batch.guesses[index] != UNKNOWN {
                continue; // most successors are old, and recognised already
            }
            if let Inserted::New(number) = self.insert_guessed(batch, index, folded)? {
                let record = batch.get(index, stride);
                self.settle(number, batch.parents[index], record)?;
            }
        }
        Ok(())
    }
}
