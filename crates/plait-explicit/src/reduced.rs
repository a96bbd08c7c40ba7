//! Depth-first search, and searches in either order that leave events out.
//!
//! One search with the parts of a `Reduction`, each of which can be off. Here are the orders, the visits
//! of states and the sleep sets; `choice` says which events of a state are executed.
//!
//! Depth-first, a set satisfies the proviso when one of its successors is not on the stack (the state
//! itself is); breadth-first, when one of its successors has not been expanded: of the states that
//! are reachable from a state in the reduced graph, the one that is left first (expanded last) is
//! then expanded fully. With sleep sets and the proviso together the order must be depth-first, and a
//! state on the stack is visited again only after it was left (sections 5.3 and 5.4 of Godefroid's
//! thesis).
//!
//! Every successor of a visited state is stored, and so numbered, at once; the stack holds numbers.

use std::collections::{HashMap, VecDeque};

use plait_reduction::sleep::{fall_asleep, without};
use plait_reduction::{SleepId, SleepSets};

use crate::choice::{Ahead, Choice};
use crate::hash::RecordHash;
use crate::marks::Marks;
use crate::options::Order;
use crate::reduction::{ReducedFigures, Reduction};
use crate::search::{Halt, Search};
use crate::store::Inserted;

/// A state on the stack.
pub(crate) struct Frame {
    pub number: u32,
    /// Its sleeping events, in ascending order.
    sleep: Vec<u32>,
    /// The events executed, by place in the list of free ones, with their successors.
    pub successors: Vec<(u32, u32)>,
    pub next: usize,
}

pub(crate) struct Reduced<'a, 's, H> {
    pub search: &'a mut Search<'s, H>,
    pub reduction: Option<&'a Reduction>,
    pub choice: Choice<'a>,
    pub figures: ReducedFigures,
    pub expanded: Marks,
    stacked: Marks,
    sets: SleepSets,
    /// The stored sleep set of each expanded state.
    slept: Vec<SleepId>,
    record: Vec<u64>,
}

/// Runs the search; what it counted comes back in any case.
pub(crate) fn run<H: RecordHash>(search: &mut Search<'_, H>) -> (Result<(), Halt>, ReducedFigures) {
    let options = search.options;
    let reduction = options.reduction.as_ref();
    let mut reduced = Reduced {
        choice: Choice::new(search.program, reduction, options.goals.len()),
        figures: ReducedFigures::default(),
        expanded: Marks::default(),
        stacked: Marks::default(),
        sets: SleepSets::default(),
        slept: Vec::new(),
        record: Vec::new(),
        reduction,
        search,
    };
    let components = reduction.is_some_and(|r| r.components);
    let outcome = match options.order {
        Order::DepthFirst if components => reduced.by_components(),
        Order::DepthFirst => reduced.depth_first(),
        _ => reduced.breadth_first(),
    };
    (outcome, reduced.figures)
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
        self.stacked.set(0);
        match self.visit(0, SleepSets::EMPTY)? {
            Some(frame) => stack.push(frame),
            None => return Ok(()),
        }
        while let Some(frame) = stack.last_mut() {
            let Some(&(event, number)) = frame.successors.get(frame.next) else {
                let number = frame.number;
                self.stacked.clear(number);
                stack.pop();
                while let Some(sleep) = delayed.get_mut(&number).and_then(Vec::pop) {
                    self.stacked.set(number);
                    if let Some(frame) = self.visit(number, sleep)? {
                        stack.push(frame);
                        break; // the other visits wait for this one
                    }
                    self.stacked.clear(number);
                }
                continue;
            };
            let sleep = self.inherited(frame.number, &frame.sleep, event)?;
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
            self.stacked.set(number);
            match self.visit(number, sleep)? {
                Some(frame) => stack.push(frame),
                None if there => {}
                None => self.stacked.clear(number),
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
                let sleep = self.inherited(number, &frame.sleep, *event)?;
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
    fn inherited(&mut self, number: u32, sleep: &[u32], event: u32) -> Result<SleepId, Halt> {
        let Some(reduction) = self.reduction.filter(|r| r.sleep) else {
            return Ok(SleepSets::EMPTY);
        };
        let load = |search: &mut Search<'_, H>| {
            search.load(number);
            search.cells.clone()
        };
        let kept = reduction.inherited(self.search, load, (sleep, event))?;
        Ok(self.sets.number(&kept))
    }

    /// Visits a state; `None` when there is nothing to execute.
    pub fn visit(&mut self, number: u32, sleep: SleepId) -> Result<Option<Frame>, Halt> {
        self.search.work += 1 + self.search.cells.len() / 4 + self.search.plans.plans.len() / 2;
        self.search.look_up_in_time()?;
        self.search.compile_in_time();
        self.search.keep_well()?;
        let mut sleeping = self.sets.events(sleep).to_vec();
        let events = if self.expanded.get(number) {
            self.figures.matched += 1;
            if !self.reduction.is_some_and(Reduction::stores_sleep) {
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
            self.expanded.set(number);
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
        self.choice
            .execute(self.search, number, events.as_deref())?;
        let successors = self.store_successors(number)?;
        self.choice.forget(self.search);
        Ok(Some(Frame {
            number,
            sleep: sleeping,
            successors,
            next: 0,
        }))
    }

    /// The events to execute in the state just loaded, on its first visit; `None` for all.
    fn choose(&mut self, number: u32, sleeping: &[u32]) -> Result<Option<Vec<u32>>, Halt> {
        let depth_first = self.search.options.order == Order::DepthFirst;
        let (stacked, expanded) = (&self.stacked, &self.expanded);
        let ahead = |search: &Search<'_, H>, record: &[u64]| {
            let hash = search.store.hash(record);
            match search.store.find(record, hash) {
                None => Ahead::New,
                Some(found) if depth_first && stacked.get(found) => Ahead::Closed,
                Some(found) if !depth_first && expanded.get(found) => Ahead::Closed,
                Some(_) => Ahead::Known,
            }
        };
        self.choice
            .choose(self.search, number, sleeping, &ahead, &mut self.figures)
    }

    pub fn store_successors(&mut self, number: u32) -> Result<Vec<(u32, u32)>, Halt> {
        let search = &mut *self.search;
        let stride = search.store.layout().words();
        let recorded = self.reduction.is_some_and(|r| r.record);
        let mut successors = Vec::with_capacity(search.batch.len());
        for (event, range) in self.choice.fired() {
            for index in range {
                self.record.clear();
                self.record
                    .extend_from_slice(search.batch.get(index, stride));
                let hash = search.store.hash(&self.record);
                match search.insert(&self.record, hash)? {
                    Inserted::Old(found) => successors.push((event, found)),
                    Inserted::New(found) => {
                        successors.push((event, found));
                        search.settle(found, number, &self.record)?;
                    }
                }
            }
        }
        if recorded {
            let arcs = successors.iter().map(|(event, to)| (number, *event, *to));
            self.figures.graph.extend(arcs);
        }
        Ok(successors)
    }
}
