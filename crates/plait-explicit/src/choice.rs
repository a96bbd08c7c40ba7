//! Which events of a state are executed.
//!
//! On the first visit of a state: of its enabled events a persistent set, one that the proviso accepts,
//! without those that sleep, and with the last events that are only watched for. The search says what
//! the proviso is: what it knows of a successor (`Ahead`). Successors that were computed to ask that are
//! kept, and not computed again.
//!
//! Invariant: after `execute` the batch of the search holds the successors of the events that were
//! executed, in their order, and `fired` says which are whose; the figures count these and no others.

use std::ops::Range;
use std::sync::Arc;

use plait_program::event_index::marked;
use plait_program::Program;
use plait_reduction::{BitSet, Fit, Selector};

use crate::budget::Reason;
use crate::enabled::Enabled;
use crate::fired::Fired;
use crate::hash::RecordHash;
use crate::independence;
use crate::reduction::{Disturbance, ReducedFigures, Reduction};
use crate::search::{Halt, Search};

/// What a search knows of a successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// It is not stored.
    New,
    /// It is stored, and satisfies the proviso.
    Known,
    /// It is stored, and does not satisfy the proviso.
    Closed,
}

/// Says that of a successor that is packed as in the batch of the search.
pub(crate) type Look<'a, H> = &'a dyn Fn(&Search<'_, H>, &[u64]) -> Ahead;

/// Chooses and executes events, state after state.
pub(crate) struct Choice<'r> {
    reduction: Option<&'r Reduction>,
    selector: Option<Selector>,
    enabled: Enabled,
    fired: Fired,
    retired: Vec<bool>,
}

impl<'r> Choice<'r> {
    /// For a search of the program under a reduction, if there is one.
    pub fn new(program: &Program, reduction: Option<&'r Reduction>, goals: usize) -> Choice<'r> {
        let selector = reduction.and_then(|r| {
            let constant = r.sleep && r.proviso;
            let dependency = Arc::clone(&r.dependency);
            let selector = Selector::new(dependency, r.persistent?, constant);
            Some(match r.asks_of_all_runs() {
                true => selector,
                false => selector.with_inert(),
            })
        });
        Choice {
            selector,
            enabled: Enabled::new(program, reduction.map_or(0, |r| r.dependency.size())),
            fired: Fired::default(),
            retired: vec![false; goals],
            reduction,
        }
    }

    /// The events to execute in the state just loaded, on its first visit; `None` for all.
    pub fn choose<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        number: u32,
        sleeping: &[u32],
        look: Look<'_, H>,
        figures: &mut ReducedFigures,
    ) -> Result<Option<Vec<u32>>, Halt> {
        let Some(reduction) = self.reduction else {
            return Ok(None);
        };
        self.enabled.find(search, number)?;
        let deadlock = self.enabled.events.is_empty();
        search.expanded(number, deadlock)?;
        if reduction.check {
            check(reduction, search, number, &self.enabled.events, figures)?;
        }
        self.retire_monitors(search);
        let mut chosen = self.select(search, number, sleeping, look)?;
        reduction.add_watched(&mut chosen, &self.enabled.events);
        let events: Vec<u32> = chosen
            .iter()
            .filter(|e| sleeping.binary_search(e).is_err())
            .collect();
        figures.asleep += (chosen.len() - events.len()) as u64;
        figures.blocked += u64::from(!deadlock && events.is_empty());
        figures.reduced += u64::from(events.len() < self.enabled.events.len());
        Ok(Some(events))
    }

    /// A persistent set of the state just loaded, one that the proviso accepts.
    fn select<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        number: u32,
        sleeping: &[u32],
        look: Look<'_, H>,
    ) -> Result<BitSet, Halt> {
        let enabled = &self.enabled.events;
        let Some(selector) = self.selector.as_mut().filter(|_| enabled.len() > 1) else {
            return Ok(enabled.clone());
        };
        let cells = search.cells.clone();
        let Some(reduction) = self
            .reduction
            .filter(|r| r.asks_successors() || r.prefer_stored)
        else {
            return Ok(selector.select(&cells, enabled, |_| true));
        };
        let fired = &mut self.fired;
        selector.try_select(&cells, enabled, |set| {
            judge(reduction, search, fired, (number, sleeping, set), look)
        })
    }

    /// The events to go on with in the state just loaded, of which some were executed here and some
    /// elsewhere: a persistent set with an enabled event that was executed nowhere. None without one.
    pub fn go_on<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        number: u32,
        (here, anywhere): (&[u32], &[u32]),
    ) -> Result<Vec<u32>, Halt> {
        self.enabled.find(search, number)?;
        let enabled = &self.enabled.events;
        let missing = enabled.iter().find(|e| !anywhere.contains(e));
        let (Some(selector), Some(start)) = (self.selector.as_mut(), missing) else {
            return Ok(Vec::new());
        };
        let set = selector.from_start(&search.cells, enabled, start);
        let set = set.as_ref().unwrap_or(enabled);
        Ok(set.iter().filter(|e| !here.contains(e)).collect())
    }

    /// Executes the events (all of them, without a list): their successors are in the batch then.
    pub fn execute<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        number: u32,
        events: Option<&[u32]>,
    ) -> Result<(), Halt> {
        match events {
            Some(events) => {
                for event in events {
                    self.fired.fire(search, *event, number)?;
                }
                let executed = |event: u32| events.binary_search(&event).is_ok();
                self.fired.keep_only(search, executed);
            }
            None => self.execute_all(search, number)?,
        }
        search.repeated.clear();
        Ok(())
    }

    fn execute_all<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        number: u32,
    ) -> Result<(), Halt> {
        let arcs = search.figures.arcs;
        let plans = search.plans;
        let mut bits = std::mem::take(&mut search.candidates);
        plans.mark_possible(&search.cells, &mut bits);
        for event in marked(&bits) {
            self.fired.fire(search, event as u32, number)?;
        }
        search.candidates = bits;
        search.expanded(number, search.figures.arcs == arcs)
    }

    /// The events just executed, by place in the list of free ones, and where in the batch of the
    /// search their successors are.
    pub fn fired(&self) -> impl Iterator<Item = (u32, Range<usize>)> + '_ {
        self.fired.iter()
    }

    /// The successors have been taken out of the batch.
    pub fn forget<H: RecordHash>(&mut self, search: &mut Search<'_, H>) {
        self.fired.clear();
        search.batch.clear();
    }

    fn retire_monitors<H: RecordHash>(&mut self, search: &Search<'_, H>) {
        let (Some(selector), Some(reduction)) = (&mut self.selector, self.reduction) else {
            return;
        };
        let goals = search.questions.goals.iter().zip(&mut self.retired);
        for ((found, retired), monitors) in goals.zip(&reduction.monitors) {
            if found.is_some() && !*retired {
                *retired = true;
                monitors.clone().for_each(|m| selector.retire(m));
            }
        }
    }
}

/// Whether the proviso accepts a set, and whether it leads to stored states only, if that is preferred.
fn judge<H: RecordHash>(
    reduction: &Reduction,
    search: &mut Search<'_, H>,
    fired: &mut Fired,
    (number, sleeping, set): (u32, &[u32], &BitSet),
    look: Look<'_, H>,
) -> Result<Fit, Halt> {
    let (mut leads_on, mut stored) = (!reduction.asks_successors(), true);
    for event in set.iter().filter(|e| sleeping.binary_search(e).is_err()) {
        let range = fired.fire(search, event, number)?;
        let stride = search.store.layout().words();
        for index in range {
            let ahead = look(search, search.batch.get(index, stride));
            // After a last event nothing goes on.
            leads_on |= ahead != Ahead::Closed && !reduction.dependency.last.contains(event);
            stored &= ahead != Ahead::New;
        }
        if leads_on && !reduction.prefer_stored {
            break;
        }
    }
    Ok(match (leads_on, stored || !reduction.prefer_stored) {
        (false, _) => Fit::No,
        (true, false) => Fit::Yes,
        (true, true) => Fit::Best,
    })
}

/// Tests the claimed independences in the state just loaded.
fn check<H: RecordHash>(
    reduction: &Reduction,
    search: &mut Search<'_, H>,
    number: u32,
    enabled: &BitSet,
    figures: &mut ReducedFigures,
) -> Result<(), Halt> {
    let mut test = independence::Check {
        program: search.program,
        dependency: &reduction.dependency,
        machine: &mut search.machine,
        watch: &mut search.supervisor,
        tested: 0,
    };
    let found = test.state(&search.cells, enabled);
    figures.tested += test.tested;
    if let Some((a, b, what)) = found? {
        figures.disturbance = Some(Disturbance {
            state: number,
            events: (a, b),
            what,
        });
        return Err(Halt::Stop(Reason::Dependent));
    }
    Ok(())
}
