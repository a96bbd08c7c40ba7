//! The graph of a program, found as it is asked for: states by number, and their successors.
//!
//! What has been found once is remembered, so that the product of the graph with an automaton, and
//! the products with other automata after it, execute the events of a state once. The successors of
//! a state are distinct; those of a deadlock are the deadlock itself, which repeats for ever.
//!
//! Without reduction, successors are remembered only as long as they take no more than their share of
//! the memory. With one (`ample`) they must be: what was chosen in a state is chosen for ever.

use plait_program::{Code, Failure, Oracle, Scratch, Value};

use crate::ample::Ample;
use crate::batch::{Batch, UNKNOWN};
use crate::breadth_first::{owned, Halt, Search, MOST_STATES};
use crate::budget::Reason;
use crate::expand::holds;
use crate::hash::RecordHash;
use crate::store::Inserted;

/// Successors in a chunk.
const CHUNK: usize = 1 << 18;
/// The place of a list that is not there.
const NOWHERE: u64 = u64::MAX;

/// Lists of numbers that never move.
#[derive(Debug, Default)]
struct Lists {
    chunks: Vec<Vec<u32>>,
    held: u64,
}

impl Lists {
    /// Bytes that a list of that length would allocate.
    fn bytes_for(&self, length: usize) -> u64 {
        let fits = |c: &Vec<u32>| c.len() + length < c.capacity();
        if self.chunks.last().is_some_and(fits) {
            return 0;
        }
        4 * CHUNK.max(length + 1) as u64
    }

    /// Its place; `None` when memory cannot be had.
    fn push(&mut self, list: &[u32]) -> Option<u64> {
        let bytes = self.bytes_for(list.len());
        if bytes > 0 {
            let mut chunk = Vec::new();
            chunk.try_reserve_exact(bytes as usize / 4).ok()?;
            self.chunks.try_reserve(1).ok()?;
            self.chunks.push(chunk);
            self.held += bytes;
        }
        let number = self.chunks.len() - 1;
        let chunk = &mut self.chunks[number];
        let place = (number as u64) << 32 | chunk.len() as u64;
        chunk.push(list.len() as u32);
        chunk.extend_from_slice(list);
        Some(place)
    }

    fn get(&self, place: u64) -> &[u32] {
        let chunk = &self.chunks[(place >> 32) as usize];
        let at = (place & 0xffff_ffff) as usize;
        &chunk[at + 1..][..chunk[at] as usize]
    }
}

/// The graph so far.
pub(crate) struct Kripke<'a, 's, H> {
    pub search: &'a mut Search<'s, H>,
    lists: Lists,
    places: Vec<u64>,
    /// Bytes that remembered successors may take.
    room: u64,
    ample: Option<Ample>,
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

    /// Appends the successors of a state.
    pub fn successors(&mut self, number: u32, found: &mut Vec<u32>) -> Result<(), Halt> {
        let place = self.places.get(number as usize).copied();
        match place.filter(|p| *p != NOWHERE) {
            Some(place) => {
                let list = self.lists.get(place);
                found.extend_from_slice(list);
                self.search.work += 1 + list.len();
                self.search.look_up_in_time()
            }
            None => {
                let first = found.len();
                self.execute(number, found)?;
                self.remember(number, &found[first..])
            }
        }
    }

    fn execute(&mut self, number: u32, found: &mut Vec<u32>) -> Result<(), Halt> {
        self.clear(); // a search that was stopped may have left something
        self.search.compile_in_time();
        match self.ample.take() {
            None => self.search.expand_in_turn(number)?,
            Some(mut ample) => {
                let outcome = ample.expand(self.search, number);
                self.ample = Some(ample);
                outcome?;
            }
        }
        let first = found.len();
        self.store_batch(found)?;
        if found.len() == first {
            found.push(number);
        }
        if found.len() - first > 1 {
            found[first..].sort_unstable();
            let kept = first + dedup(&mut found[first..]);
            found.truncate(kept);
        }
        Ok(())
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
        let stride = search.store.layout().words();
        let most = search.options.max_states.unwrap_or(MOST_STATES);
        let most = most.min(MOST_STATES) as usize;
        search.work += batch.len() * stride;
        search.guess(batch);
        for (index, (hash, guess)) in batch.hashes.iter().zip(&batch.guesses).enumerate() {
            if *guess != UNKNOWN {
                found.push(*guess);
                continue;
            }
            let budget = &mut search.supervisor.budget;
            let record = batch.get(index, stride);
            match owned(&mut search.store).insert(record, *hash, most, budget)? {
                Some(Inserted::Old(state) | Inserted::New(state)) => found.push(state),
                None => return Err(Halt::Stop(Reason::States)),
            }
        }
        Ok(())
    }

    fn remember(&mut self, number: u32, list: &[u32]) -> Result<(), Halt> {
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

    /// The event that leads from a state to another, if one does.
    pub fn event_between(&mut self, from: u32, to: u32) -> Result<Option<u32>, Halt> {
        let mut target = Vec::new();
        self.search.load(from);
        let plans = self.search.plans;
        for plan in &plans.plans {
            let first = self.search.batch.len();
            self.search.fire(plan, from)?;
            let stride = self.search.store.layout().words();
            self.search.store.read(to, &mut target);
            let mut records = first..self.search.batch.len();
            if records.any(|i| self.search.batch.get(i, stride) == target) {
                self.clear();
                return Ok(Some(plan.event));
            }
        }
        self.clear();
        Ok(None)
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

/// Moves the distinct numbers of a sorted list to its front; how many there are.
fn dedup(list: &mut [u32]) -> usize {
    let mut kept = 0;
    for index in 0..list.len() {
        if kept == 0 || list[kept - 1] != list[index] {
            list[kept] = list[index];
            kept += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stay_where_they_are_across_chunks() {
        let mut lists = Lists::default();
        let list = |i: u32| (0..i % 50).map(|k| k * i).collect::<Vec<_>>();
        let places: Vec<_> = (0..30_000).map(|i| lists.push(&list(i))).collect();
        assert!(lists.chunks.len() > 1);
        for (i, place) in (0..).zip(places) {
            assert_eq!(place.map(|p| lists.get(p).to_vec()), Some(list(i)));
        }
        let long = vec![7; 3 * CHUNK];
        let place = lists.push(&long);
        assert_eq!(place.map(|p| lists.get(p).len()), Some(3 * CHUNK));
    }

    #[test]
    fn distinct_numbers_of_a_sorted_list_come_first() {
        let mut list = [1, 1, 2, 5, 5, 5, 9];
        let kept = dedup(&mut list);
        assert_eq!(list[..kept], [1, 2, 5, 9]);
        assert_eq!(dedup(&mut []), 0);
    }
}
