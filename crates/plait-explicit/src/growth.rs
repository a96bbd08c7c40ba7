//! A store whose layout grows.
//!
//! When a value does not fit, all records are repacked and the index is rebuilt, segment by segment,
//! so that old and new are never both in memory. Records that have become wide are collapsed
//! (`collapse`); from then on mostly the parts are repacked, and the states stay as they are.
//!
//! Repacking costs time proportional to the store. To keep the sum of all repackings proportional
//! to the search itself, growth is paid from an allowance that the search earns state by state; when
//! it is used up, the next growth widens every field that can still change by a bit at once.

use plait_program::Program;

use crate::budget::Budget;
use crate::form::Kept;
use crate::hash::RecordHash;
use crate::layout::Layout;
use crate::pairs::Pairs;
use crate::queue::Queue;
use crate::repacking::Repacking;
use crate::segments::Segments;
use crate::store::Store;
use crate::table::NoMemory;

/// Cells that may be repacked before anything has been earned.
const FIRST_ALLOWANCE: u64 = 10_000_000;
/// Cells that may be repacked for each cell stored.
const ALLOWANCE: u64 = 8;

impl<H: RecordHash> Store<H> {
    /// Makes the layout hold this state and repacks everything. `beside` says how many records the
    /// caller will have to repack too.
    #[cold]
    pub fn grow_layout(
        &mut self,
        cells: &[i32],
        program: &Program,
        budget: &mut Budget,
        beside: usize,
    ) -> Result<(), NoMemory> {
        let width = cells.len() as u64;
        let records = match &self.kept {
            Kept::Automaton { .. } => self.count,
            kept => kept.queue().map_or(self.count, Queue::len),
        };
        let stored = (records + beside) as u64 * width;
        let mut layout = self.layout.grown_for(cells, program);
        if matches!(self.kept, Kept::Collapsed(_)) && layout.has_words_of(&self.layout) {
            self.repack_parts(layout);
            return Ok(());
        }
        if self.repacked > FIRST_ALLOWANCE + ALLOWANCE * stored {
            layout = layout.grown_everywhere(program, &self.written);
            self.repacked = ALLOWANCE * stored;
        }
        self.repacked += stored + width;
        let more = self.bytes_to_repack(&layout, records);
        if !budget.allows(self.bytes(), more) {
            return Err(NoMemory);
        }
        self.repack(layout, budget)
    }

    /// Bytes that repacking takes besides what is held.
    fn bytes_to_repack(&self, layout: &Layout, records: usize) -> u64 {
        let new_bytes = 8 * (layout.words() as u64) * records as u64;
        match &self.kept {
            Kept::Packed => new_bytes.saturating_sub(self.records.bytes()),
            // Both tables are there for a while.
            Kept::Collapsed(collapse) => collapse.bytes(),
            Kept::Tree(pairs) => pairs.bytes(),
            Kept::Automaton { states, queue } => {
                states.bytes() + 8 * (layout.words() * queue.len()) as u64
            }
            Kept::Fingerprints { .. } | Kept::Bits { .. } => new_bytes,
        }
    }

    fn repack(&mut self, layout: Layout, budget: &mut Budget) -> Result<(), NoMemory> {
        self.hash.prepare(layout.words());
        if let Kept::Automaton { states, queue } = &mut self.kept {
            let held = queue.bytes();
            **states = states.repacked(&self.layout, &layout, held, budget)?;
        }
        if let Some(queue) = self.kept.queue_mut() {
            *queue = queue.repacked(&self.layout, &layout).ok_or(NoMemory)?;
            self.layout = layout;
            return Ok(());
        }
        let kept = match &self.kept {
            Kept::Tree(_) => Kept::Tree(Box::new(Pairs::new()?)),
            Kept::Collapsed(_) => self.collapsed(&layout)?,
            _ => Kept::Packed,
        };
        self.keep_as(kept, layout, budget)
    }

    /// Keeps all states in another form, in which there are none yet, and another layout. What a
    /// collapse takes has been asked for before.
    pub(crate) fn keep_as(
        &mut self,
        kept: Kept,
        layout: Layout,
        budget: &mut Budget,
    ) -> Result<(), NoMemory> {
        self.hash.prepare(layout.words());
        let mut table = self.table.take().ok_or(NoMemory)?;
        let stride = match &kept {
            Kept::Packed => layout.words(),
            Kept::Collapsed(collapse) => collapse.stride(),
            _ => 1,
        };
        let old_records = std::mem::replace(&mut self.records, Segments::new(stride));
        let old_layout = std::mem::replace(&mut self.layout, layout);
        let old_kept = std::mem::replace(&mut self.kept, kept);
        let repacking = Repacking::new(&old_layout, &self.layout);
        let mut record = vec![0; self.layout.words()];
        let mut unfolded = Vec::new();
        let complete = old_records.drain(|old| {
            let old = match &old_kept {
                Kept::Tree(pairs) => {
                    pairs.unfold(old[0], old_layout.words(), &mut unfolded);
                    &unfolded
                }
                Kept::Collapsed(collapse) => {
                    collapse.unfold(old, &mut unfolded);
                    &unfolded
                }
                _ => old,
            };
            repacking.apply(old, &mut record);
            self.push_as_kept(&record, budget).is_ok()
        });
        if !complete {
            return Err(NoMemory);
        }
        table.clear();
        self.reindex(table);
        Ok(())
    }

    /// Adds a record to those that are kept, in their form; there is no index.
    fn push_as_kept(&mut self, record: &[u64], budget: &mut Budget) -> Result<(), NoMemory> {
        let pushed = match &self.kept {
            Kept::Collapsed(_) => {
                let folded = self.folded(record, &mut Budget::new(None))?;
                self.records.push(&folded)
            }
            Kept::Tree(_) => {
                let word = self.word_for(record, 0, budget)?;
                self.records.push(&[word])
            }
            _ => self.records.push(record),
        };
        pushed.then_some(()).ok_or(NoMemory)
    }
}
