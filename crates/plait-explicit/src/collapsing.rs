//! A store that collapses wide states (`collapse`).
//!
//! A search begins with packed records. When there are some thousands and they are wide, each field
//! moves beside its neighbours, and the states are folded. As the store doubles it looks whether this
//! pays; where parts hardly repeat, records are packed again, for good. Neither can be seen from
//! outside, but for the layout: whoever holds records across `keep_better` has to repack them, as when
//! a layout grows.
//!
//! Only one thread can number parts, so stores for several stay packed.

use crate::batch::Batch;
use crate::budget::Budget;
use crate::collapse::Collapse;
use crate::form::Kept;
use crate::hash::RecordHash;
use crate::layout::Layout;
use crate::repacking::Repacking;
use crate::segments::Segments;
use crate::store::{Inserted, Store};
use crate::table::{NoMemory, Table};

/// From so many states on wide records are collapsed.
pub(crate) const COLLAPSED: usize = if cfg!(test) { 8 } else { 1 << 13 };
/// Records with more words are wide. With fewer, looking up the parts takes as long as it saves.
const NARROW: usize = if cfg!(test) { 1 } else { 4 };
/// Whether it pays is asked each time that there are so many times as many states.
const GROWN: usize = if cfg!(test) { 32 } else { 2 };
/// Bytes that a value of a part takes, with its place in the table.
const VALUE: usize = 16;

impl<H: RecordHash> Store<H> {
    /// Whether it is time to think of another form for the states.
    #[inline]
    pub(crate) fn may_keep_better(&self) -> bool {
        self.count >= self.collapse_from
            && match &self.kept {
                Kept::Packed => self.layout.words() > NARROW,
                Kept::Collapsed(_) => true,
                _ => false,
            }
    }

    /// Collapses wide records, or gives that up where it does not pay. The layout may be another one
    /// then.
    #[cold]
    pub(crate) fn keep_better(&mut self, budget: &mut Budget) -> Result<(), NoMemory> {
        self.collapse_from = self.count.saturating_mul(GROWN);
        let tight = self.layout.tightened();
        let packed = 8 * tight.words() * self.count;
        if !budget.allows(self.bytes(), packed as u64) {
            return Ok(());
        }
        match &self.kept {
            Kept::Packed => {
                let layout = self.layout.together();
                let kept = self.collapsed(&layout)?;
                self.keep_as(kept, layout, budget)
            }
            Kept::Collapsed(collapse) => {
                let folded = 8 * collapse.stride() * self.count;
                // A quarter less is too little for the trouble.
                if folded + VALUE * collapse.values() <= packed / 4 * 3 {
                    return Ok(());
                }
                self.collapse_from = usize::MAX;
                self.keep_as(Kept::Packed, tight, budget)
            }
            _ => Ok(()),
        }
    }

    /// A collapse that knows the first state, in that layout.
    pub(crate) fn collapsed(&self, layout: &Layout) -> Result<Kept, NoMemory> {
        let mut first = Vec::new();
        self.read(0, &mut first);
        let mut record = vec![0; layout.words()];
        Repacking::new(&self.layout, layout).apply(&first, &mut record);
        Ok(Kept::Collapsed(Box::new(Collapse::new(&record)?)))
    }

    /// The parts of the states become those of a layout in which all fields stay in their words.
    pub(crate) fn repack_parts(&mut self, layout: Layout) {
        if let Kept::Collapsed(collapse) = &mut self.kept {
            collapse.repack(&Repacking::new(&self.layout, &layout));
        }
        self.layout = layout;
    }

    /// Adds a packed state to a store that collapses them.
    pub(crate) fn insert_collapsed(
        &mut self,
        record: &[u64],
        most: usize,
        budget: &mut Budget,
    ) -> Result<Option<Inserted>, NoMemory> {
        let folded = self.folded(record, budget)?;
        self.insert_stored(&folded, self.hash.hash(&folded), most, budget)
    }

    /// The folded form of a state; the next one is compared with it.
    pub(crate) fn folded(
        &mut self,
        record: &[u64],
        budget: &mut Budget,
    ) -> Result<Vec<u64>, NoMemory> {
        self.fold(record, &mut Vec::new(), budget)?;
        let Kept::Collapsed(collapse) = &mut self.kept else {
            return Ok(record.to_vec());
        };
        collapse.stay();
        Ok(collapse.folded().to_vec())
    }

    /// Folds the states of a batch, each compared with its parent: to so many words, if the store
    /// collapses states.
    pub(crate) fn fold_all(
        &mut self,
        batch: &mut Batch,
        budget: &mut Budget,
    ) -> Result<Option<usize>, NoMemory> {
        if !matches!(self.kept, Kept::Collapsed(_)) {
            return Ok(None);
        }
        batch.folded.clear();
        let records = batch.words.chunks_exact(self.layout.words());
        let mut last = None;
        for (record, parent) in records.zip(&batch.parents) {
            if last != Some(*parent) {
                last = Some(*parent);
                if let Kept::Collapsed(collapse) = &mut self.kept {
                    collapse.stay_at(self.records.get(*parent as usize));
                }
            }
            self.fold(record, &mut batch.folded, budget)?;
            if let Kept::Collapsed(collapse) = &self.kept {
                batch.folded.extend_from_slice(collapse.folded());
            }
        }
        Ok(Some(self.records.stride()))
    }

    /// Folds a state. `others` have been folded and not been stored: they are repacked like those of
    /// the store when there is not room enough for the number of a part.
    #[inline]
    fn fold(
        &mut self,
        record: &[u64],
        others: &mut Vec<u64>,
        budget: &mut Budget,
    ) -> Result<(), NoMemory> {
        let held = self.records.bytes() + self.table.as_ref().map_or(0, Table::bytes);
        let fits = match &mut self.kept {
            Kept::Collapsed(collapse) => collapse.fold(record, held, budget)?,
            _ => true,
        };
        if fits {
            return Ok(());
        }
        self.widen(others, budget)
    }

    /// Gives the numbers of the parts more room.
    #[cold]
    fn widen(&mut self, others: &mut Vec<u64>, budget: &mut Budget) -> Result<(), NoMemory> {
        // At most a word more a state, about. On failure the states can still be read.
        if !budget.allows(self.bytes(), 8 * self.count as u64) {
            return Err(NoMemory);
        }
        let Kept::Collapsed(collapse) = &mut self.kept else {
            return Ok(());
        };
        let (old, repacking) = (collapse.stride(), collapse.widen());
        let stride = collapse.stride();
        self.hash.prepare(stride);
        let mut record = vec![0; stride];
        let mut repacked = Vec::new();
        for other in others.chunks_exact(old) {
            repacking.apply(other, &mut record);
            repacked.extend_from_slice(&record);
        }
        *others = repacked;
        let records = std::mem::replace(&mut self.records, Segments::new(stride));
        let complete = records.drain(|old| {
            repacking.apply(old, &mut record);
            self.records.push(&record)
        });
        if !complete {
            return Err(NoMemory);
        }
        if let Some(mut table) = self.table.take() {
            table.clear();
            self.reindex(table);
        }
        Ok(())
    }
}
