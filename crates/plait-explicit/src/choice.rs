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
use plait_program::{Machine, Program, StateSet};
use plait_reduction::{BitSet, Fit, Selector};

use crate::breadth_first::{Halt, Search};
use crate::budget::Reason;
use crate::expand::holds;
use crate::hash::RecordHash;
use crate::independence;
use crate::plan::Plan;
use crate::reduction::{Disturbance, ReducedFigures, Reduction};

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
    enabled: BitSet,
    fired: Fired,
    retired: Vec<bool>,
    /// For each free event: its body always has a successor where its guard holds.
    certain: Vec<bool>,
}

/// The successors of the present state that wait in the batch, event by event.
#[derive(Default)]
struct Fired {
    /// Event, its place in the batch, and how many arcs it counted.
    list: Vec<(u32, Range<usize>, u64)>,
}

impl Fired {
    /// The place in the batch of the event's successors.
    fn fire<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        event: u32,
        number: u32,
    ) -> Result<Range<usize>, Halt> {
        let (first, arcs) = (search.batch.len(), search.figures.arcs);
        let plan = search.plans.plans[event as usize];
        search.fire(&plan, number)?;
        let range = first..search.batch.len();
        let counted = search.figures.arcs - arcs;
        self.list.push((event, range.clone(), counted));
        Ok(range)
    }

    /// The same, computed once.
    fn fire_once<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        event: u32,
        number: u32,
    ) -> Result<Range<usize>, Halt> {
        match self.list.iter().find(|f| f.0 == event) {
            Some((_, range, _)) => Ok(range.clone()),
            None => self.fire(search, event, number),
        }
    }

    /// Events that were only tried: their arcs do not count.
    fn keep_only<H: RecordHash>(&mut self, search: &mut Search<'_, H>, events: &[u32]) {
        let figures = &mut search.figures;
        let plans = &search.plans.plans;
        self.list.retain(|(event, _, counted)| {
            let kept = events.binary_search(event).is_ok();
            if !kept {
                figures.arcs -= counted;
                figures.fired[plans[*event as usize].event as usize] -= counted;
            }
            kept
        });
        self.list.sort_unstable_by_key(|f| f.0);
    }
}

impl<'r> Choice<'r> {
    /// For a search of the program under a reduction, if there is one.
    pub fn new(program: &Program, reduction: Option<&'r Reduction>, goals: usize) -> Choice<'r> {
        let selector = reduction.and_then(|r| {
            let constant = r.sleep && r.proviso;
            let dependency = Arc::clone(&r.dependency);
            Some(Selector::new(dependency, r.persistent?, constant))
        });
        Choice {
            selector,
            enabled: BitSet::new(reduction.map_or(0, |r| r.dependency.size())),
            fired: Fired::default(),
            retired: vec![false; goals],
            certain: certain(program),
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
        self.find_enabled(search, number)?;
        let deadlock = self.enabled.is_empty();
        search.figures.deadlocks += u64::from(deadlock);
        if search.questions.any_about_expanded_states() {
            search.ask(number, deadlock)?;
        }
        if reduction.check {
            check(reduction, search, number, &self.enabled, figures)?;
        }
        self.retire_monitors(search);
        let mut chosen = self.select(search, number, sleeping, look)?;
        for event in reduction.dependency.last.iter() {
            if self.enabled.contains(event) {
                chosen.insert(event); // what was watched for
            }
        }
        let events: Vec<u32> = chosen
            .iter()
            .filter(|e| sleeping.binary_search(e).is_err())
            .collect();
        figures.asleep += (chosen.len() - events.len()) as u64;
        figures.blocked += u64::from(!deadlock && events.is_empty());
        figures.reduced += u64::from(events.len() < self.enabled.len());
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
        let enabled = self.enabled.clone();
        let Some(selector) = self.selector.as_mut().filter(|_| enabled.len() > 1) else {
            return Ok(enabled);
        };
        let cells = search.cells.clone();
        let Some(reduction) = self
            .reduction
            .filter(|r| r.asks_successors() || r.prefer_stored)
        else {
            return Ok(selector.select(&cells, &enabled, |_| true));
        };
        let fired = &mut self.fired;
        let mut halt = None;
        let chosen = selector.select_by(&cells, &enabled, |set| {
            if halt.is_some() {
                return Fit::No;
            }
            judge(reduction, search, fired, (number, sleeping, set), look).unwrap_or_else(|stop| {
                halt = Some(stop);
                Fit::No
            })
        });
        match halt {
            Some(halt) => Err(halt),
            None => Ok(chosen),
        }
    }

    /// The events to go on with in the state just loaded, of which some were executed here and some
    /// elsewhere: a persistent set with an enabled event that was executed nowhere. None without one.
    pub fn go_on<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        number: u32,
        (here, anywhere): (&[u32], &[u32]),
    ) -> Result<Vec<u32>, Halt> {
        self.find_enabled(search, number)?;
        let missing = self.enabled.iter().find(|e| !anywhere.contains(e));
        let (Some(selector), Some(start)) = (self.selector.as_mut(), missing) else {
            return Ok(Vec::new());
        };
        let set = selector.from_start(&search.cells, &self.enabled, start);
        let set = set.as_ref().unwrap_or(&self.enabled);
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
                    if self.reduction.is_some_and(|r| r.proviso || r.prefer_stored) {
                        self.fired.fire_once(search, *event, number)?;
                    } else {
                        self.fired.fire(search, *event, number)?;
                    }
                }
                self.fired.keep_only(search, events);
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
        if !plans.mark(&search.cells, &mut bits) {
            bits.resize(plans.plans.len().div_ceil(64), u64::MAX);
        }
        for event in marked(&bits).take_while(|e| *e < plans.plans.len()) {
            self.fired.fire(search, event as u32, number)?;
        }
        bits.clear();
        search.candidates = bits;
        let deadlock = search.figures.arcs == arcs;
        search.figures.deadlocks += u64::from(deadlock);
        if search.questions.any_about_expanded_states() {
            search.ask(number, deadlock)?;
        }
        Ok(())
    }

    /// The events just executed, by place in the list of free ones, and where in the batch of the
    /// search their successors are.
    pub fn fired(&self) -> impl Iterator<Item = (u32, Range<usize>)> + '_ {
        self.fired
            .list
            .iter()
            .map(|(e, range, _)| (*e, range.clone()))
    }

    /// The successors have been taken out of the batch.
    pub fn forget<H: RecordHash>(&mut self, search: &mut Search<'_, H>) {
        self.fired.list.clear();
        search.batch.clear();
    }

    /// The events that have a successor in the state just loaded.
    fn find_enabled<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        number: u32,
    ) -> Result<(), Halt> {
        self.enabled.clear();
        let plans = search.plans;
        let mut bits = std::mem::take(&mut search.candidates);
        if plans.mark(&search.cells, &mut bits) {
            for index in marked(&bits) {
                self.try_event(search, index, number)?;
            }
        } else {
            for index in 0..plans.plans.len() {
                self.try_event(search, index, number)?;
            }
        }
        search.candidates = bits;
        Ok(())
    }

    fn try_event<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        index: usize,
        number: u32,
    ) -> Result<(), Halt> {
        let plan = &search.plans.plans[index];
        let enabled = if plan.simple {
            holds(search.plans.tests(plan), &search.cells)
        } else {
            is_enabled(search, plan, self.certain[index])?
        };
        if enabled {
            self.enabled.insert(index as u32);
            search.fired_in[plan.event as usize] = number;
        }
        Ok(())
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
        let range = fired.fire_once(search, event, number)?;
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

/// For each free event, whether its body always has a successor where its guard holds.
pub(crate) fn certain(program: &Program) -> Vec<bool> {
    let sure = |event: &u32| match program.summaries(*event) {
        Some(variants) => !variants.iter().any(|v| v.blocks),
        None => false,
    };
    program.free().iter().map(sure).collect()
}

/// Whether the event has a successor in the state just loaded.
pub(crate) fn is_enabled<H: RecordHash>(
    search: &mut Search<'_, H>,
    plan: &Plan,
    certain: bool,
) -> Result<bool, Halt> {
    let variants = search.program.events()[plan.event as usize].variants();
    if let (Some(variants), true) = (variants, certain) {
        for variant in variants {
            if !holds(variant.tests(), &search.cells) {
                continue;
            }
            let machine: &mut Machine = &mut search.machine;
            let watch = &mut search.supervisor;
            if machine.conditions_hold(search.program, variant, &search.cells, watch)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    let mut found = std::mem::replace(&mut search.found, StateSet::new(search.cells.len()));
    found.clear();
    search.machine.successors(
        search.program,
        plan.event,
        &mut search.cells,
        &mut search.supervisor,
        &mut found,
    )?;
    let enabled = !found.is_empty();
    search.found = found;
    Ok(enabled)
}
