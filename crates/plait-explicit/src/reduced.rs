//! Depth-first search, and searches in either order that leave events out.
//!
//! One search with three parts that can each be off: *persistent sets* choose which of the enabled
//! events of a state are executed at all; *sleep sets* leave out those that an earlier branch has
//! executed; the *proviso* sees to it that no event is put off for ever. What is kept depends on the
//! parts (Godefroid's thesis, table of section 8):
//!
//! | parts | keeps |
//! |---|---|
//! | none, sleep sets alone | every state |
//! | persistent sets, with or without sleep sets | every deadlock |
//! | with the proviso | also which events are ever executed, and goals that have a monitor |
//!
//! Depth-first, a set satisfies the proviso when one of its successors is not on the stack (the state
//! itself is); breadth-first, when one of its successors has not been expanded: of the states that
//! are reachable from a state in the reduced graph, the one that is left first (expanded last) is
//! then expanded fully. With sleep sets and the proviso together the order must be depth-first, a
//! state on the stack is visited again only after it was left, and the dependency relation is the
//! constant one (sections 5.3 and 5.4).
//!
//! Every successor of a visited state is stored, and so numbered, at once; the stack holds numbers.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use plait_program::event_index::marked;
use plait_program::{Code, Machine, Program, StateSet};
use plait_reduction::{Algorithm, BitSet, Dependency, Selector, SleepId, SleepSets, TooLarge};

use crate::breadth_first::{owned, Halt, Search, MOST_STATES};
use crate::budget::Reason;
use crate::expand::holds;
use crate::hash::RecordHash;
use crate::independence;
use crate::options::Order;
use crate::plan::Plan;
use crate::store::Inserted;

/// For each goal of a search its monitors: a disjunction of conjunctions. A goal that is only asked
/// of deadlocks has none.
pub type Monitors = Vec<Vec<Vec<Code>>>;

/// What may be left out.
#[derive(Clone, Debug)]
pub struct Reduction {
    dependency: Arc<Dependency>,
    /// The monitors of each goal, by number.
    monitors: Vec<std::ops::Range<usize>>,
    /// Persistent sets by this algorithm.
    pub persistent: Option<Algorithm>,
    /// Sleep sets.
    pub sleep: bool,
    /// The proviso.
    pub proviso: bool,
    /// Claimed independences are tested on every state.
    pub check: bool,
}

impl Reduction {
    /// No part on yet; the dependency of the program is worked out here.
    pub fn new(program: &Program, monitors: &Monitors) -> Result<Reduction, TooLarge> {
        Reduction::by(program, monitors, Dependency::new)
    }

    /// The same, with last events only watched for: that needs the proviso, and not all states to
    /// which they lead are kept.
    pub fn watching(program: &Program, monitors: &Monitors) -> Result<Reduction, TooLarge> {
        Reduction::by(program, monitors, Dependency::watching)
    }

    fn by(
        program: &Program,
        monitors: &Monitors,
        analyse: fn(&Program, &[Vec<Code>]) -> Result<Dependency, TooLarge>,
    ) -> Result<Reduction, TooLarge> {
        let mut ranges = Vec::with_capacity(monitors.len());
        let mut all: Vec<Vec<Code>> = Vec::new();
        for goal in monitors {
            ranges.push(all.len()..all.len() + goal.len());
            all.extend(goal.iter().cloned());
        }
        Ok(Reduction {
            dependency: Arc::new(analyse(program, &all)?),
            monitors: ranges,
            persistent: None,
            sleep: false,
            proviso: false,
            check: false,
        })
    }

    /// Turns the proviso on when events may be errors of the model, or are watched for, which
    /// persistent sets alone would be free to miss; whether it did. Where that cannot be combined with other parts, they
    /// go off.
    pub fn keep_errors(&mut self, order: Order) -> bool {
        let safe = self.persistent.is_none() || self.proviso;
        let none = self.dependency.faulty.is_empty() && self.dependency.last.is_empty();
        if safe || none {
            return false;
        }
        self.proviso = true;
        self.sleep &= order == Order::DepthFirst;
        if self.persistent == Some(Algorithm::Weak) {
            self.persistent = Some(Algorithm::Guards);
        }
        true
    }

    /// The dependency that the reduction rests on.
    pub fn dependency(&self) -> &Dependency {
        &self.dependency
    }
}

/// Two events that were taken to be independent and are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disturbance {
    /// In which state.
    pub state: u32,
    /// The events.
    pub events: (u32, u32),
    /// What went wrong.
    pub what: &'static str,
}

/// What such a search counts besides.
#[derive(Clone, Debug, Default)]
pub struct ReducedFigures {
    /// The longest path that was on the stack, or the distance of the farthest state.
    pub depth: u64,
    /// States of which only some of the enabled events were executed.
    pub reduced: u64,
    /// Visits of a state that was there already.
    pub matched: u64,
    /// Pairs of events tested for independence.
    pub tested: u64,
    /// States in the cache at the end.
    pub stored: u64,
    /// States that a cache has forgotten.
    pub cleared: u64,
    /// Successors that a search with a cache has visited.
    pub executed: u64,
    /// A claimed independence that does not hold.
    pub disturbance: Option<Disturbance>,
}

/// A state on the stack.
struct Frame {
    number: u32,
    /// Its sleeping events, in ascending order.
    sleep: Vec<u32>,
    /// The events executed, by place in the list of free ones, with their successors.
    successors: Vec<(u32, u32)>,
    next: usize,
}

/// A bit for each state.
#[derive(Default)]
struct Marks(Vec<u64>);

impl Marks {
    fn get(&self, number: u32) -> bool {
        let word = self.0.get(number as usize / 64).copied().unwrap_or(0);
        word >> (number % 64) & 1 == 1
    }

    fn set(&mut self, number: u32, value: bool) {
        let word = number as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] &= !(1 << (number % 64));
        self.0[word] |= u64::from(value) << (number % 64);
    }
}

/// The successors of the present state that wait in the batch, event by event.
#[derive(Default)]
struct Fired {
    /// Event, its place in the batch, and how many arcs it counted.
    list: Vec<(u32, std::ops::Range<usize>, u64)>,
}

struct Reduced<'a, 's, H> {
    search: &'a mut Search<'s, H>,
    reduction: Option<&'a Reduction>,
    selector: Option<Selector>,
    figures: ReducedFigures,
    expanded: Marks,
    stacked: Marks,
    sets: SleepSets,
    /// The stored sleep set of each expanded state.
    slept: Vec<SleepId>,
    enabled: BitSet,
    fired: Fired,
    retired: Vec<bool>,
    /// For each free event: its body always has a successor where its guard holds.
    certain: Vec<bool>,
    record: Vec<u64>,
}

/// Runs the search; what it counted comes back in any case.
pub(crate) fn run<H: RecordHash>(search: &mut Search<'_, H>) -> (Result<(), Halt>, ReducedFigures) {
    let options = search.options;
    let reduction = options.reduction.as_ref();
    let constant = |r: &Reduction| r.sleep && r.proviso;
    let selector = reduction.and_then(|r| {
        let algorithm = r.persistent?;
        Some(Selector::new(
            Arc::clone(&r.dependency),
            algorithm,
            constant(r),
        ))
    });
    let mut reduced = Reduced {
        selector,
        figures: ReducedFigures::default(),
        expanded: Marks::default(),
        stacked: Marks::default(),
        sets: SleepSets::default(),
        slept: Vec::new(),
        enabled: BitSet::new(reduction.map_or(0, |r| r.dependency.size())),
        fired: Fired::default(),
        retired: vec![false; options.goals.len()],
        certain: certain(search.program),
        record: Vec::new(),
        reduction,
        search,
    };
    let outcome = match options.order {
        Order::DepthFirst => reduced.depth_first(),
        _ => reduced.breadth_first(),
    };
    (outcome, reduced.figures)
}

/// For each free event, whether its body always has a successor where its guard holds.
pub(crate) fn certain(program: &Program) -> Vec<bool> {
    let sure = |event: &u32| match program.summaries(*event) {
        Some(variants) => !variants.iter().any(|v| v.blocks),
        None => false,
    };
    program.free().iter().map(sure).collect()
}

impl<H: RecordHash> Reduced<'_, '_, H> {
    fn sleeps(&self) -> bool {
        self.reduction.is_some_and(|r| r.sleep)
    }

    fn depth_first(&mut self) -> Result<(), Halt> {
        self.search.store_initial()?;
        let mut stack: Vec<Frame> = Vec::new();
        let mut delayed: HashMap<u32, Vec<SleepId>> = HashMap::new();
        let delays = self.reduction.is_some_and(|r| r.sleep && r.proviso);
        self.stacked.set(0, true);
        match self.visit(0, SleepSets::EMPTY)? {
            Some(frame) => stack.push(frame),
            None => return Ok(()),
        }
        while let Some(frame) = stack.last_mut() {
            let Some(&(event, number)) = frame.successors.get(frame.next) else {
                let number = frame.number;
                self.stacked.set(number, false);
                stack.pop();
                if let Some(sleep) = delayed.get_mut(&number).and_then(Vec::pop) {
                    self.stacked.set(number, true);
                    match self.visit(number, sleep)? {
                        Some(frame) => stack.push(frame),
                        None => self.stacked.set(number, false),
                    }
                }
                continue;
            };
            let sleep = self.inherited(&frame.sleep, event);
            frame.next += 1;
            if frame
                .successors
                .get(frame.next)
                .is_none_or(|s| s.0 != event)
            {
                fall_asleep(&mut frame.sleep, event);
            }
            if delays && self.stacked.get(number) {
                let list = delayed.entry(number).or_default();
                if !list.contains(&sleep) {
                    list.push(sleep);
                }
                continue;
            }
            let there = self.stacked.get(number);
            self.stacked.set(number, true);
            match self.visit(number, sleep)? {
                Some(frame) => stack.push(frame),
                None => self.stacked.set(number, there),
            }
            self.figures.depth = self.figures.depth.max(stack.len() as u64 - 1);
        }
        Ok(())
    }

    fn breadth_first(&mut self) -> Result<(), Halt> {
        self.search.store_initial()?;
        let mut queue: VecDeque<(u32, SleepId, u64)> = VecDeque::from([(0, SleepSets::EMPTY, 0)]);
        while let Some((number, sleep, depth)) = queue.pop_front() {
            let stored = self.search.store.len() as u32;
            let Some(mut frame) = self.visit(number, sleep)? else {
                continue;
            };
            self.figures.depth = self.figures.depth.max(depth);
            let mut newest = stored;
            for (index, (event, next)) in frame.successors.iter().enumerate() {
                let new = *next >= newest;
                if new {
                    newest = next + 1;
                }
                let sleep = self.inherited(&frame.sleep, *event);
                if new || self.would_do_something(*next, sleep) {
                    queue.push_back((*next, sleep, depth + 1));
                }
                if frame
                    .successors
                    .get(index + 1)
                    .is_none_or(|s| s.0 != *event)
                {
                    fall_asleep(&mut frame.sleep, *event);
                }
            }
        }
        Ok(())
    }

    /// Whether visiting a stored state with this sleep set may execute anything.
    fn would_do_something(&self, number: u32, sleep: SleepId) -> bool {
        if !self.sleeps() {
            return false;
        }
        if !self.expanded.get(number) {
            return true;
        }
        let stored = self.sets.events(self.slept[number as usize]);
        let sleep = self.sets.events(sleep);
        stored.iter().any(|e| sleep.binary_search(e).is_err())
    }

    /// The sleep set of a successor under the event: what is independent of it.
    fn inherited(&mut self, sleep: &[u32], event: u32) -> SleepId {
        let Some(reduction) = self.reduction.filter(|r| r.sleep) else {
            return SleepSets::EMPTY;
        };
        let dependency = &reduction.dependency;
        let matrix = if reduction.proviso {
            &dependency.depend
        } else {
            &dependency.conflict
        };
        let row = matrix.row(event);
        let kept: Vec<u32> = sleep
            .iter()
            .copied()
            .filter(|e| !row.contains(*e))
            .collect();
        self.sets.number(&kept)
    }

    /// Visits a state; `None` when there is nothing to execute.
    fn visit(&mut self, number: u32, sleep: SleepId) -> Result<Option<Frame>, Halt> {
        self.search.work += 1 + self.search.cells.len() / 4 + self.search.plans.plans.len() / 2;
        self.search.look_up_in_time()?;
        self.search.compile_in_time();
        let mut sleeping = self.sets.events(sleep).to_vec();
        let events = if self.expanded.get(number) {
            self.figures.matched += 1;
            if !self.sleeps() {
                return Ok(None);
            }
            let stored = self.sets.events(self.slept[number as usize]);
            let awake: Vec<u32> = without(stored, &sleeping);
            sleeping.retain(|e| stored.binary_search(e).is_ok());
            self.slept[number as usize] = self.sets.number(&sleeping);
            if awake.is_empty() {
                return Ok(None);
            }
            self.search.load(number);
            Some(awake)
        } else {
            self.expanded.set(number, true);
            if self.sleeps() {
                let states = self.search.store.len();
                self.slept.resize(states, SleepSets::EMPTY);
                self.slept[number as usize] = sleep;
            }
            self.search.load(number);
            let search = &mut *self.search;
            search.figures.observe(&search.cells);
            self.choose(number, &sleeping)?
        };
        let successors = self.execute(number, events.as_deref())?;
        Ok(Some(Frame {
            number,
            sleep: sleeping,
            successors,
            next: 0,
        }))
    }

    /// The events to execute in the state just loaded, on its first visit; `None` for all.
    fn choose(&mut self, number: u32, sleeping: &[u32]) -> Result<Option<Vec<u32>>, Halt> {
        let Some(reduction) = self.reduction else {
            return Ok(None);
        };
        self.find_enabled(number)?;
        let deadlock = self.enabled.is_empty();
        self.search.figures.deadlocks += u64::from(deadlock);
        if self.search.questions.any_about_expanded_states() {
            self.search.ask(number, deadlock)?;
        }
        if reduction.check {
            self.check(number)?;
        }
        self.retire_monitors();
        let chosen = match self.selector.take() {
            None => self.enabled.clone(),
            Some(mut selector) => {
                let outcome = self.select(&mut selector, number, sleeping);
                self.selector = Some(selector);
                outcome?
            }
        };
        let mut chosen = chosen;
        for event in reduction.dependency.last.iter() {
            if self.enabled.contains(event) {
                chosen.insert(event); // what was watched for
            }
        }
        let events: Vec<u32> = chosen
            .iter()
            .filter(|e| sleeping.binary_search(e).is_err())
            .collect();
        self.figures.reduced += u64::from(events.len() < self.enabled.len());
        Ok(Some(events))
    }

    /// A persistent set of the state just loaded, one that the proviso accepts.
    fn select(
        &mut self,
        selector: &mut Selector,
        number: u32,
        sleeping: &[u32],
    ) -> Result<BitSet, Halt> {
        let enabled = self.enabled.clone();
        if enabled.len() <= 1 {
            return Ok(enabled);
        }
        let cells = self.search.cells.clone();
        let Some(reduction) = self.reduction.filter(|r| r.proviso) else {
            return Ok(selector.select(&cells, &enabled, |_| true));
        };
        let last = &reduction.dependency.last;
        let mut halt = None;
        let chosen = selector.select(&cells, &enabled, |set| {
            if halt.is_some() {
                return false;
            }
            // After a last event nothing goes on.
            let leads = |e: &u32| sleeping.binary_search(e).is_err() && !last.contains(*e);
            let mut awake = set.iter().filter(leads);
            awake.any(|event| match self.leads_on(event, number) {
                Ok(yes) => yes,
                Err(stop) => {
                    halt = Some(stop);
                    false
                }
            })
        });
        match halt {
            Some(halt) => Err(halt),
            None => Ok(chosen),
        }
    }

    /// Whether the event has a successor that satisfies the proviso.
    fn leads_on(&mut self, event: u32, number: u32) -> Result<bool, Halt> {
        let range = self.fire(event, number)?;
        let depth_first = self.search.options.order == Order::DepthFirst;
        let stride = self.search.store.layout().words();
        for index in range {
            let record = self.search.batch.get(index, stride);
            let hash = self.search.store.hash(record);
            let on = match self.search.store.find(record, hash) {
                None => true,
                Some(found) if depth_first => !self.stacked.get(found),
                Some(found) => !self.expanded.get(found),
            };
            if on {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The place in the batch of the event's successors, which are computed once.
    fn fire(&mut self, event: u32, number: u32) -> Result<std::ops::Range<usize>, Halt> {
        if self.reduction.is_some_and(|r| r.proviso) {
            if let Some((_, range, _)) = self.fired.list.iter().find(|f| f.0 == event) {
                return Ok(range.clone());
            }
        }
        let (first, arcs) = (self.search.batch.len(), self.search.figures.arcs);
        let plan = self.search.plans.plans[event as usize];
        self.search.fire(&plan, number)?;
        let range = first..self.search.batch.len();
        let counted = self.search.figures.arcs - arcs;
        self.fired.list.push((event, range.clone(), counted));
        Ok(range)
    }

    /// Executes the events (all of them, without a list) and stores the successors.
    fn execute(&mut self, number: u32, events: Option<&[u32]>) -> Result<Vec<(u32, u32)>, Halt> {
        let arcs = self.search.figures.arcs;
        match events {
            Some(events) => {
                for event in events {
                    self.fire(*event, number)?;
                }
                self.forget_others(events);
            }
            None => {
                let plans = self.search.plans;
                let mut bits = std::mem::take(&mut self.search.candidates);
                if !plans.mark(&self.search.cells, &mut bits) {
                    bits.resize(plans.plans.len().div_ceil(64), u64::MAX);
                }
                for event in marked(&bits).take_while(|e| *e < plans.plans.len()) {
                    self.fire(event as u32, number)?;
                }
                bits.clear();
                self.search.candidates = bits;
                let deadlock = self.search.figures.arcs == arcs;
                self.search.figures.deadlocks += u64::from(deadlock);
                if self.search.questions.any_about_expanded_states() {
                    self.search.ask(number, deadlock)?;
                }
            }
        }
        self.search.repeated.clear();
        let successors = self.store_successors(number)?;
        self.fired.list.clear();
        self.search.batch.clear();
        Ok(successors)
    }

    /// Events that were only tried for the proviso: their arcs do not count.
    fn forget_others(&mut self, events: &[u32]) {
        let figures = &mut self.search.figures;
        let plans = &self.search.plans.plans;
        self.fired.list.retain(|(event, _, counted)| {
            let kept = events.binary_search(event).is_ok();
            if !kept {
                figures.arcs -= counted;
                figures.fired[plans[*event as usize].event as usize] -= counted;
            }
            kept
        });
        self.fired.list.sort_unstable_by_key(|f| f.0);
    }

    fn store_successors(&mut self, number: u32) -> Result<Vec<(u32, u32)>, Halt> {
        let search = &mut *self.search;
        let stride = search.store.layout().words();
        let most = search.options.max_states.unwrap_or(MOST_STATES);
        let most = most.min(MOST_STATES) as usize;
        let mut successors = Vec::with_capacity(search.batch.len());
        for (event, range, _) in &self.fired.list {
            for index in range.clone() {
                self.record.clear();
                self.record
                    .extend_from_slice(search.batch.get(index, stride));
                let hash = search.store.hash(&self.record);
                let budget = &mut search.supervisor.budget;
                match owned(&mut search.store).insert(&self.record, hash, most, budget)? {
                    Some(Inserted::Old(found)) => successors.push((*event, found)),
                    Some(Inserted::New(found)) => {
                        successors.push((*event, found));
                        search.settle(found, number, &self.record)?;
                    }
                    None => return Err(Halt::Stop(Reason::States)),
                }
            }
        }
        Ok(successors)
    }

    /// The events that have a successor in the state just loaded.
    fn find_enabled(&mut self, number: u32) -> Result<(), Halt> {
        self.enabled.clear();
        let plans = self.search.plans;
        let mut bits = std::mem::take(&mut self.search.candidates);
        if plans.mark(&self.search.cells, &mut bits) {
            for index in marked(&bits) {
                self.try_event(index, number)?;
            }
        } else {
            for index in 0..plans.plans.len() {
                self.try_event(index, number)?;
            }
        }
        self.search.candidates = bits;
        Ok(())
    }

    fn try_event(&mut self, index: usize, number: u32) -> Result<(), Halt> {
        let search = &mut *self.search;
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

    fn retire_monitors(&mut self) {
        let (Some(selector), Some(reduction)) = (&mut self.selector, self.reduction) else {
            return;
        };
        let goals = self.search.questions.goals.iter().zip(&mut self.retired);
        for ((found, retired), monitors) in goals.zip(&reduction.monitors) {
            if found.is_some() && !*retired {
                *retired = true;
                monitors.clone().for_each(|m| selector.retire(m));
            }
        }
    }

    fn check(&mut self, number: u32) -> Result<(), Halt> {
        let Some(reduction) = self.reduction else {
            return Ok(());
        };
        let search = &mut *self.search;
        let mut test = independence::Check {
            program: search.program,
            dependency: &reduction.dependency,
            machine: &mut search.machine,
            watch: &mut search.supervisor,
            tested: 0,
        };
        let found = test.state(&search.cells, &self.enabled);
        self.figures.tested += test.tested;
        if let Some((a, b, what)) = found? {
            self.figures.disturbance = Some(Disturbance {
                state: number,
                events: (a, b),
                what,
            });
            return Err(Halt::Stop(Reason::Dependent));
        }
        Ok(())
    }
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

/// The elements of a sorted list that are not in another.
fn without(list: &[u32], other: &[u32]) -> Vec<u32> {
    let mut left = list.to_vec();
    left.retain(|e| other.binary_search(e).is_err());
    left
}

fn fall_asleep(sleep: &mut Vec<u32>, event: u32) {
    if let Err(place) = sleep.binary_search(&event) {
        sleep.insert(place, event);
    }
}
