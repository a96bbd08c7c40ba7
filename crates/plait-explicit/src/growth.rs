//! A store whose layout grows.
//!
//! When a value does not fit, all records are repacked and the index is rebuilt, segment by segment,
//! so that old and new are never both in memory.
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
            Kept::Tree(pairs) => pairs.bytes(), // both tables are there for a while
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
        let mut table = self.table.take().ok_or(NoMemory)?;
        let packed = matches!(self.kept, Kept::Packed);
        let stride = if packed { layout.words() } else { 1 };
        let old_records = std::mem::replace(&mut self.records, Segments::new(stride));
        let old_layout = std::mem::replace(&mut self.layout, layout);
        let mut old_pairs = match &mut self.kept {
            Kept::Tree(pairs) => Some(std::mem::replace(pairs, Box::new(Pairs::new()?))),
            _ => None,
        };
        let repacking = Repacking::new(&old_layout, &self.layout);
        let mut record = vec![0; self.layout.words()];
        let mut unfolded = Vec::new();
        let complete = old_records.drain(|old| {
            if let Some(pairs) = &mut old_pairs {
                pairs.unfold(old[0], old_layout.words(), &mut unfolded);
                repacking.apply(&unfolded, &mut record);
                let word = self.word_for(&record, 0, budget);
                return word.is_ok_and(|word| self.records.push(&[word]));
            }
            repacking.apply(old, &mut record);
            self.records.push(&record)
        });
        if !complete {
            return Err(NoMemory);
        }
        table.clear();
        self.reindex(table);
        Ok(())
    }
}
