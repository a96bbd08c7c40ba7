//! The graph of a program, found as it is asked for: states by number, and their successors.
//!
//! What has been found once is remembered, so that the product of the graph with an automaton, and
//! the products with other automata after it, execute the events of a state once. The successors of
//! a state are distinct; those of a deadlock are the deadlock itself, which repeats for ever.
//!
//! Without reduction, successors are remembered only as long as they take no more than their share of
//! the memory. With one (`ample`) they must be: what was chosen in a state is chosen for ever.
//!
//! Where fairness is asked for (`movers`), each arc also has the bits of those who are satisfied by it,
//! and two arcs to the same state are kept apart when they satisfy different ones.

use plait_program::{Code, Failure, Oracle, Scratch, Value};

use crate::ample::Ample;
use crate::arcs::{Arcs, Lists, NOWHERE};
use crate::batch::{Batch, UNKNOWN};
use crate::budget::Reason;
use crate::expand::holds;
use crate::hash::RecordHash;
use crate::movers::Movers;
use crate::search::{Halt, Search};
use crate::store::Inserted;

/// The graph so far.
pub(crate) struct Kripke<'a, 's, H> {
    pub search: &'a mut Search<'s, H>,
    lists: Lists,
    places: Vec<u64>,
    /// Bytes that remembered successors may take.
    room: u64,
    ample: Option<Ample>,
    pub movers: Option<&'s Movers>,
    /// The event of each successor in the batch, where fairness is asked for.
    owners: Vec<u32>,
    /// The plan of each free event.
    plan_of: Vec<u32>,
    scratch: Scratch,
}

/// Answers which events are enabled in the state just loaded; net-like ones are not executed.
struct Here<'k, 's, H> {
    search: &'k mut Search<'s, H>,
    plan_of: &'k [u32],
}

impl<H: RecordHash> Oracle for Here<'_, '_, H> {
    type Error = Failure;

    fn enabled(&mut self, events: &[u32]) -> Result<bool, Failure> {
        let search = &mut *self.search;
        for event in events {
            let plan = search
                .plans
                .plans
                .get(self.plan_of[*event as usize] as usize);
            let enabled = match plan {
                Some(plan) if plan.simple => holds(search.plans.tests(plan), &search.cells),
                Some(plan) if !holds(search.plans.tests(plan), &search.cells) => false,
                _ => search.machine.is_enabled(
                    search.program,
                    *event,
                    &mut search.cells,
                    &mut search.supervisor,
                )?,
            };
            if enabled {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn deadlock(&mut self) -> Result<bool, Failure> {
        let program = self.search.program;
        Ok(!self.enabled(program.free())?)
    }
}

impl<'a, 's, H: RecordHash> Kripke<'a, 's, H> {
    /// The graph with its initial state, which has the number 0.
    pub fn new(
        search: &'a mut Search<'s, H>,
        ample: Option<Ample>,
        movers: Option<&'s Movers>,
    ) -> Result<Kripke<'a, 's, H>, Halt> {
        search.store_initial()?;
        let whole = search.options.memory.unwrap_or(u64::MAX);
        let mut plan_of = vec![u32::MAX; search.program.events().len()];
        for (number, plan) in (0u32..).zip(&search.plans.plans) {
            plan_of[plan.event as usize] = number;
        }
        Ok(Kripke {
            search,
            lists: Lists::default(),
            places: Vec::new(),
            room: if ample.is_some() { u64::MAX } else { whole / 4 },
            ample,
            movers,
            owners: Vec::new(),
            plan_of,
            scratch: Scratch::default(),
        })
    }

    /// Bytes held besides the store.
    pub fn bytes(&self) -> u64 {
        self.lists.held + 8 * self.places.capacity() as u64
    }

    /// States in which only some of the enabled events are executed.
    pub fn reduced(&self) -> u64 {
        self.ample.as_ref().map_or(0, |a| a.reduced)
    }

    /// Sets the bits of the conditions that are true in a state.
    pub fn letter(
        &mut self,
        number: u32,
        conditions: &[Code],
        letter: &mut [u64],
    ) -> Result<(), Halt> {
        let search = &mut *self.search;
        search.load(number);
        search.figures.observe_sum(&search.cells);
        letter.fill(0);
        for (bit, code) in conditions.iter().enumerate() {
            search.work += 1 + code.cost() / 4;
            let is_true = if code.asks_events() {
                let cells = search.cells.clone();
                let mut here = Here {
                    search,
                    plan_of: &self.plan_of,
                };
                let value = code.value(&cells, &mut self.scratch, &mut here)?;
                value == Value::Condition(true)
            } else {
                code.holds(&search.cells, &mut self.scratch)
            };
            letter[bit / 64] |= u64::from(is_true) << (bit % 64);
        }
        search.look_up_in_time()
    }

    /// Finds all states and arcs that there are.
    pub fn build(&mut self) -> Result<(), Halt> {
        let mut arcs = Arcs::default();
        let mut number = 0;
        while number < self.search.store.len() {
            self.search.held = self.bytes();
            self.arcs(number as u32, &mut arcs)?;
            number += 1;
        }
        Ok(())
    }

    /// The arcs of a state, in place of those that are there.
    pub fn arcs(&mut self, number: u32, found: &mut Arcs) -> Result<(), Halt> {
        found.clear();
        let place = self.places.get(number as usize).copied();
        match place.filter(|p| *p != NOWHERE) {
            Some(place) => {
                let list = self.lists.get(place);
                found.unpack(list, self.movers.is_some());
                self.search.work += 1 + list.len();
                self.search.look_up_in_time()
            }
            None => {
                self.execute(number, found)?;
                self.remember(number, found)
            }
        }
    }

    fn execute(&mut self, number: u32, found: &mut Arcs) -> Result<(), Halt> {
        self.clear(); // a search that was stopped may have left something
        self.search.compile_in_time();
        let ready = match (self.ample.take(), self.movers) {
            (None, None) => {
                self.search.expand_in_turn(number)?;
                0
            }
            (None, Some(_)) => self.expand_with_owners(number)?,
            (Some(mut ample), movers) => {
                let outcome = ample.expand(self.search, number, &mut self.owners);
                let ready = movers.map_or(0, |m| ample.ready(m, self.search.plans));
                self.ample = Some(ample);
                outcome?;
                ready
            }
        };
        if let Some(movers) = self.movers {
            self.satisfy(movers, ready, &mut found.satisfied);
        }
        self.store_batch(&mut found.targets)?;
        if found.targets.is_empty() {
            found.targets.push(number);
            found.satisfied.extend(self.movers.map(Movers::all));
        }
        found.make_distinct();
        Ok(())
    }

    /// Puts the successors of a state into the batch, with their events; who is ready there.
    fn expand_with_owners(&mut self, number: u32) -> Result<u64, Halt> {
        let search = &mut *self.search;
        search.keep_well()?;
        search.load(number);
        search.work += 1 + search.plans.plans.len() + search.cells.len() / 4;
        search.look_up_in_time()?;
        let plans = search.plans;
        self.owners.clear();
        let mut ready = 0;
        for plan in &plans.plans {
            search.fire(plan, number)?;
            if search.batch.len() > self.owners.len() {
                self.owners.resize(search.batch.len(), plan.event);
                ready |= self.movers.map_or(0, |m| m.of[plan.event as usize]);
            }
        }
        search.repeated.clear();
        Ok(ready)
    }

    /// Appends, for each successor in the batch, who is satisfied by its arc.
    fn satisfy(&mut self, movers: &Movers, ready: u64, found: &mut Vec<u64>) {
        let search = &mut *self.search;
        let stride = search.store.layout().words();
        let mut after = vec![0; search.cells.len()];
        for (index, event) in self.owners.iter().enumerate() {
            if !movers.places.is_empty() {
                let record = search.batch.get(index, stride);
                search.store.layout().decode(record, &mut after);
            }
            let states = (&search.cells[..], &after[..]);
            found.push(movers.satisfied(ready, *event, states, &mut self.scratch));
        }
        search.work += self.owners.len() * (1 + movers.places.len());
    }

    /// Numbers for all states of the batch.
    fn store_batch(&mut self, found: &mut Vec<u32>) -> Result<(), Halt> {
        let mut batch = std::mem::take(&mut self.search.batch);
        let outcome = self.store_all(&mut batch, found);
        batch.clear();
        self.search.batch = batch;
        outcome
    }

    fn store_all(&mut self, batch: &mut Batch, found: &mut Vec<u32>) -> Result<(), Halt> {
        let search = &mut *self.search;
        search.work += batch.len() * search.store.layout().words();
        let folded = search.guess(batch)?;
        for index in 0..batch.len() {
            let guess = batch.guesses[index];
            if guess != UNKNOWN {
                found.push(guess);
                continue;
            }
            let inserted = search.insert_guessed(batch, index, folded)?;
            let (Inserted::Old(state) | Inserted::New(state)) = inserted;
            found.push(state);
        }
        Ok(())
    }

    fn remember(&mut self, number: u32, arcs: &Arcs) -> Result<(), Halt> {
        let packed;
        let list = if arcs.satisfied.is_empty() {
            &arcs.targets
        } else {
            packed = arcs.packed();
            &packed
        };
        let more = self.lists.bytes_for(list.len());
        if more > 0 {
            let held = self.search.store.bytes() + self.search.held;
            let allowed = self.search.supervisor.budget.allows(held, more);
            if !allowed || self.lists.held + more > self.room {
                return self.unless_needed();
            }
        }
        let states = self.search.store.len();
        if self.places.len() < states {
            if self.places.try_reserve(states - self.places.len()).is_err() {
                return self.unless_needed();
            }
            self.places.resize(states, NOWHERE);
        }
        match self.lists.push(list) {
            Some(place) => {
                self.places[number as usize] = place;
                Ok(())
            }
            None => self.unless_needed(),
        }
    }

    /// There is no room to remember successors: without reduction they can be found again.
    fn unless_needed(&self) -> Result<(), Halt> {
        match self.ample {
            None => Ok(()),
            Some(_) => Err(Halt::Stop(Reason::Memory)),
        }
    }

    /// Whether a state has no successor but itself by waiting.
    pub fn is_deadlock(&mut self, number: u32) -> Result<bool, Halt> {
        self.search.load(number);
        let plans = self.search.plans;
        for plan in &plans.plans {
            self.search.fire(plan, number)?;
            if self.search.batch.len() > 0 {
                self.clear();
                return Ok(false);
            }
        }
        self.clear();
        Ok(true)
    }

    /// The event that leads from a state to another, if one does; where fairness is asked for and
    /// `satisfied` is given, one that satisfies just these.
    pub fn event_between(
        &mut self,
        from: u32,
        to: u32,
        satisfied: Option<u64>,
    ) -> Result<Option<u32>, Halt> {
        self.clear();
        let ready = self.expand_with_owners(from)?;
        let mut found = Vec::new();
        if let Some(movers) = self.movers {
            self.satisfy(movers, ready, &mut found);
        }
        let stride = self.search.store.layout().words();
        let mut target = Vec::new();
        self.search.store.read(to, &mut target);
        let place = (0..self.owners.len()).find(|i| {
            let suits = satisfied.is_none_or(|s| found.get(*i).is_none_or(|f| *f == s));
            suits && self.search.batch.get(*i, stride) == target
        });
        self.clear();
        Ok(place.map(|i| self.owners[i]))
    }

    /// The cells of a state.
    pub fn cells(&mut self, number: u32) -> &[i32] {
        self.search.load(number);
        &self.search.cells
    }

    fn clear(&mut self) {
        self.search.batch.clear();
        self.search.repeated.clear();
    }
}
