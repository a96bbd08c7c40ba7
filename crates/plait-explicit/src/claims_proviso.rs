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

use std::ops::Range;
use std::sync::Arc;

use plait_program::event_index::marked;
use plait_program::Program;
use plait_reduction::{BitSet, Selector};

use crate::breadth_first::{Halt, Search};
use crate::choice::{certain, is_enabled};
use crate::depth_together::{Visit, Worker};
use crate::expand::holds;
use crate::hash::RecordHash;
use crate::reduction::Reduction;

/// Chooses the events to execute, for one thread.
pub(crate) struct Chooser<'r> {
    reduction: &'r Reduction,
    selector: Option<Selector>,
    enabled: BitSet,
    certain: Vec<bool>,
    /// Events whose successors are in the batch, where, and how many arcs they counted.
    fired: Vec<(u32, Range<usize>, u64)>,
}

impl<'r> Chooser<'r> {
    pub fn new(program: &Program, reduction: &'r Reduction) -> Chooser<'r> {
        let selector = reduction.persistent;
        Chooser {
            reduction,
            selector: selector.map(|a| Selector::new(Arc::clone(&reduction.dependency), a, false)),
            enabled: BitSet::new(reduction.dependency().size()),
            certain: certain(program),
            fired: Vec::new(),
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
        self.find_enabled(worker.search, number)?;
        let deadlock = self.enabled.is_empty();
        worker.search.figures.deadlocks += u64::from(deadlock);
        if worker.search.questions.any_about_expanded_states() {
            worker.search.ask(number, deadlock)?;
        }
        self.fired.clear();
        let mut chosen = self.select(worker, number)?;
        for event in self.reduction.dependency().last.iter() {
            if self.enabled.contains(event) {
                chosen.insert(event); // what was watched for
            }
        }
        for event in chosen.iter() {
            self.fire(worker.search, event, number)?;
        }
        let leads = self.store(worker, &chosen, visit)?;
        let unsure = !leads || worker.carries() || worker.has_grown();
        if self.reduction.proviso && unsure && chosen.len() < self.enabled.len() {
            let mut others = self.enabled.clone();
            others.subtract(&chosen);
            for event in others.iter() {
                self.fire(worker.search, event, number)?;
            }
            self.store(worker, &others, visit)?;
            chosen = self.enabled.clone();
        }
        self.forget_others(worker.search, &chosen);
        worker.search.repeated.clear();
        worker.figures.reduced += u64::from(chosen.len() < self.enabled.len());
        Ok(())
    }

    /// The events that have a successor in the state that was loaded.
    fn find_enabled<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        number: u32,
    ) -> Result<(), Halt> {
        self.enabled.clear();
        let plans = search.plans;
        let mut bits = std::mem::take(&mut search.candidates);
        if !plans.mark(&search.cells, &mut bits) {
            bits.clear();
            bits.resize(plans.plans.len().div_ceil(64), u64::MAX);
        }
        for index in marked(&bits).take_while(|i| *i < plans.plans.len()) {
            let plan = &plans.plans[index];
            let enabled = if plan.simple {
                holds(plans.tests(plan), &search.cells)
            } else {
                is_enabled(search, plan, self.certain[index])?
            };
            if enabled {
                self.enabled.insert(index as u32);
                search.fired_in[plan.event as usize] = number;
            }
        }
        bits.clear();
        search.candidates = bits;
        Ok(())
    }

    /// A persistent set, one that the proviso seems to accept.
    fn select<H: RecordHash>(
        &mut self,
        worker: &mut Worker<'_, '_, H>,
        number: u32,
    ) -> Result<BitSet, Halt> {
        let enabled = self.enabled.clone();
        if enabled.len() <= 1 {
            return Ok(enabled);
        }
        let Some(mut selector) = self.selector.take() else {
            return Ok(enabled);
        };
        let cells = worker.search.cells.clone();
        let mut halt = None;
        let reduction = self.reduction;
        let last = &reduction.dependency().last;
        let chosen = selector.select(&cells, &enabled, |set| {
            if halt.is_some() || !reduction.proviso {
                return halt.is_none();
            }
            // After a last event nothing goes on.
            let mut leading = set.iter().filter(|event| !last.contains(*event));
            leading.any(|event| match self.fire(worker.search, event, number) {
                Ok(mut range) => {
                    worker.has_grown() || range.any(|index| worker.seems_unclaimed(index))
                }
                Err(stop) => {
                    halt = Some(stop);
                    false
                }
            })
        });
        self.selector = Some(selector);
        halt.map_or(Ok(chosen), Err)
    }

    /// The place in the batch of the event's successors, which are computed once.
    fn fire<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        event: u32,
        number: u32,
    ) -> Result<Range<usize>, Halt> {
        if let Some((_, range, _)) = self.fired.iter().find(|f| f.0 == event) {
            return Ok(range.clone());
        }
        let (first, arcs) = (search.batch.len(), search.figures.arcs);
        let plan = search.plans.plans[event as usize];
        search.fire(&plan, number)?;
        let range = first..search.batch.len();
        let counted = search.figures.arcs - arcs;
        self.fired.push((event, range.clone(), counted));
        Ok(range)
    }

    /// Stores the successors of these events, in their order; whether one of them leads on.
    fn store<H: RecordHash>(
        &mut self,
        worker: &mut Worker<'_, '_, H>,
        events: &BitSet,
        visit: Visit,
    ) -> Result<bool, Halt> {
        let mut leads = false;
        self.fired.sort_unstable_by_key(|f| f.0);
        for (event, range, _) in &self.fired {
            if events.contains(*event) {
                let on = worker.store(range.clone(), visit)?;
                leads |= on && !self.reduction.dependency().last.contains(*event);
            }
        }
        Ok(leads)
    }

    /// Events that were only tried for the proviso: their arcs do not count.
    fn forget_others<H: RecordHash>(&self, search: &mut Search<'_, H>, chosen: &BitSet) {
        for (event, _, counted) in &self.fired {
            if !chosen.contains(*event) {
                search.figures.arcs -= counted;
                let event = search.plans.plans[*event as usize].event;
                search.figures.fired[event as usize] -= counted;
            }
        }
    }
}
