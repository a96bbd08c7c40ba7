//! A batch of successors looked up in the store, in rounds (`batch`).

use crate::batch::{Batch, UNKNOWN};
use crate::budget::Reason;
use crate::hash::RecordHash;
use crate::search::{owned, Halt, Search};
use crate::store::Inserted;

impl<H: RecordHash> Search<'_, H> {
    /// Stores a successor whose place was not guessed; `folded` is what `guess` said.
    #[inline]
    pub(crate) fn insert_guessed(
        &mut self,
        batch: &Batch,
        index: usize,
        folded: Option<usize>,
    ) -> Result<Inserted, Halt> {
        let hash = batch.hashes[index];
        let Some(stride) = folded else {
            return self.insert(batch.get(index, self.store.layout().words()), hash);
        };
        let record = &batch.folded[index * stride..][..stride];
        let (most, budget) = (self.options.most_states(), &mut self.supervisor.budget);
        let inserted = owned(&mut self.store).insert_stored(record, hash, most, budget)?;
        inserted.ok_or(Halt::Stop(Reason::States))
    }

    /// Looks at the likely place of each successor, in the store. Where states are collapsed, these
    /// are folded first, to so many words.
    pub(crate) fn guess(&mut self, batch: &mut Batch) -> Result<Option<usize>, Halt> {
        let budget = &mut self.supervisor.budget;
        let folded = owned(&mut self.store).fold_all(batch, budget)?;
        self.guess_where(batch, folded, |number, record, hash| {
            self.store.is(number, record, hash)
        });
        Ok(folded)
    }

    /// The same where `is_it` says whether a state is the one of a number: three short loops whose
    /// iterations do not wait for each other, so that the processor overlaps their accesses to memory.
    #[inline]
    pub(crate) fn guess_where(
        &self,
        batch: &mut Batch,
        folded: Option<usize>,
        is_it: impl Fn(u32, &[u64], u64) -> bool,
    ) {
        let (words, stride) = match folded {
            Some(stride) => (&batch.folded, stride),
            None => (&batch.words, self.store.layout().words()),
        };
        let records = words.chunks_exact(stride);
        batch.hashes.clear();
        batch.hashes.extend(records.map(|r| self.store.hash(r)));
        batch.guesses.clear();
        let guess = |hash: &u64| self.store.guess(*hash).unwrap_or(UNKNOWN);
        batch.guesses.extend(batch.hashes.iter().map(guess));
        let records = words.chunks_exact(stride).zip(&batch.hashes);
        for (guess, (record, hash)) in batch.guesses.iter_mut().zip(records) {
            if *guess != UNKNOWN && !is_it(*guess, record, *hash) {
                *guess = UNKNOWN;
            }
        }
    }
}
