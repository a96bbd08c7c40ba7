//! Persistent sets in a depth-first search by several threads, and a proviso that is safe there.
//!
//! The proviso must see to it that no event is put off for ever round a cycle. That of depth-first
//! search looks at the stack, but with several stacks each thread can leave it to the other. Here a
//! set is accepted when one of its successors has been *claimed* by nobody, looked at after the
//! state itself was claimed. Claims are sequentially consistent, so this successor is claimed later
//! than the state, by whomever. Going on from successor to such a successor, claims get ever later;
//! states are finitely many; so a state is met where all events are executed, and until then an event
//! that was left out stays enabled, or was executed, as with the proviso of breadth-first search, of
//! which this is the form for threads (Bošnački and Holzmann, "Improving Spin's partial-order
//! reduction for breadth-first search", SPIN 2005).
//!
//! While sets are compared, the look is a guess. It counts only after the successors were stored: if
//! by then all of them have been claimed, the other enabled events are executed as well.
//!
//! Which states are kept depends on who comes first, so their number varies from run to run; the
//! answers do not.

use std::sync::Arc;

use plait_program::Program;
use plait_reduction::{BitSet, Fit, Selector};

use crate::depth_worker::{Visit, Worker};
use crate::enabled::Enabled;
use crate::fired::Fired;
use crate::hash::RecordHash;
use crate::reduction::Reduction;
use crate::search::Halt;

/// Chooses the events to execute, for one thread.
pub(crate) struct Chooser<'r> {
    reduction: &'r Reduction,
    selector: Option<Selector>,
    enabled: Enabled,
    fired: Fired,
}

impl<'r> Chooser<'r> {
    pub fn new(program: &Program, reduction: &'r Reduction) -> Chooser<'r> {
        let selector = reduction.persistent;
        Chooser {
            reduction,
            selector: selector
                .map(|a| Selector::new(Arc::clone(&reduction.dependency), a, false).with_inert()),
            enabled: Enabled::new(program, reduction.dependency().size()),
            fired: Fired::default(),
        }
    }

    /// Expands the state that was loaded.
    pub fn expand<H: RecordHash>(
        &mut self,
        worker: &mut Worker<'_, '_, H>,
        visit: Visit,
    ) -> Result<(), Halt> {
        let number = visit.number;
        worker.search.figures.observe(&worker.search.cells);
        self.enabled.find(worker.search, number)?;
        let enabled = self.enabled.events.clone();
        worker.search.expanded(number, enabled.is_empty())?;
        self.fired.clear();
        let mut chosen = self.select(worker, number)?;
        self.reduction.add_watched(&mut chosen, &enabled);
        for event in chosen.iter() {
            self.fired.fire(worker.search, event, number)?;
        }
        let leads = self.store(worker, &chosen, visit)?;
        let unsure = !leads || worker.carries() || worker.has_grown();
        if self.reduction.proviso && unsure && chosen.len() < enabled.len() {
            let mut others = enabled.clone();
            others.subtract(&chosen);
            for event in others.iter() {
                self.fired.fire(worker.search, event, number)?;
            }
            self.store(worker, &others, visit)?;
            chosen = enabled.clone();
        }
        self.fired.keep_only(worker.search, |e| chosen.contains(e));
        worker.search.repeated.clear();
        worker.figures.reduced += u64::from(chosen.len() < enabled.len());
        Ok(())
    }

    /// A persistent set, one that the proviso seems to accept.
    fn select<H: RecordHash>(
        &mut self,
        worker: &mut Worker<'_, '_, H>,
        number: u32,
    ) -> Result<BitSet, Halt> {
        let enabled = &self.enabled.events;
        let Some(selector) = self.selector.as_mut().filter(|_| enabled.len() > 1) else {
            return Ok(enabled.clone());
        };
        let (reduction, fired) = (self.reduction, &mut self.fired);
        let cells = worker.search.cells.clone();
        selector.try_select(&cells, enabled, |set| {
            if !reduction.proviso || !reduction.guess {
                return Ok(Fit::Best);
            }
            // After a last event nothing goes on.
            let last = &reduction.dependency().last;
            for event in set.iter().filter(|event| !last.contains(*event)) {
                let mut range = fired.fire(worker.search, event, number)?;
                if worker.has_grown() || range.any(|index| worker.seems_unclaimed(index)) {
                    return Ok(Fit::Best);
                }
            }
            Ok(Fit::No)
        })
    }

    /// Stores the successors of these events, in their order; whether one of them leads on.
    fn store<H: RecordHash>(
        &mut self,
        worker: &mut Worker<'_, '_, H>,
        events: &BitSet,
        visit: Visit,
    ) -> Result<bool, Halt> {
        let mut leads = false;
        for (event, range) in self.fired.iter().filter(|(e, _)| events.contains(*e)) {
            let on = worker.store(range, visit)?;
            leads |= on && !self.reduction.dependency().last.contains(event);
        }
        Ok(leads)
    }
}
