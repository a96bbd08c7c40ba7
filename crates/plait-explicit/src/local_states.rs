//! The states of a local search: stored when they are met, expanded when their successors are needed,
//! and asked for the truth of conditions.

use plait_program::{Code, Scratch, Value};

use crate::budget::Reason;
use crate::hash::RecordHash;
use crate::pages::Lists;
use crate::search::{Halt, Search};
use crate::store::Inserted;

/// The states met so far.
pub(crate) struct LocalStates<'s, H> {
    pub search: Search<'s, H>,
    /// The successors of the expanded states.
    pub arcs: Lists,
    /// The greatest sum of all cells in a state that was asked something.
    pub max_sum: i64,
    /// The state that was asked last, packed and unpacked.
    loaded: Option<u32>,
    words: Vec<u64>,
    cells: Vec<i32>,
    scratch: Scratch,
}

impl<'s, H: RecordHash> LocalStates<'s, H> {
    /// For a search that has not begun.
    pub fn new(search: Search<'s, H>) -> LocalStates<'s, H> {
        LocalStates {
            arcs: Lists::new(),
            max_sum: i64::MIN,
            loaded: None,
            words: Vec::new(),
            cells: search.cells.clone(),
            scratch: Scratch::default(),
            search,
        }
    }

    /// So many bytes more are held, or soon will be.
    pub fn hold(&mut self, bytes: u64) -> Result<(), Halt> {
        if bytes == 0 {
            return Ok(());
        }
        let held = self.search.store.bytes() + self.search.held;
        if !self.search.supervisor.budget.allows(held, bytes) {
            return Err(Halt::Stop(Reason::Memory));
        }
        self.search.held += bytes;
        Ok(())
    }

    /// The successors of a state that was expanded.
    pub fn successors(&self, state: u32) -> &[u32] {
        self.arcs.get(state).unwrap_or(&[])
    }

    /// Finds the successors of a state, once.
    pub fn expand(&mut self, state: u32) -> Result<(), Halt> {
        if self.arcs.get(state).is_some() {
            return Ok(());
        }
        let search = &mut self.search;
        search.compile_in_time();
        search.expand_in_turn(state)?;
        let stride = search.store.layout().words();
        let mut batch = std::mem::take(&mut search.batch);
        let mut successors = Vec::with_capacity(batch.len());
        for index in 0..batch.len() {
            let record = batch.get(index, stride);
            let hash = search.store.hash(record);
            let (Inserted::Old(number) | Inserted::New(number)) = search.insert(record, hash)?;
            successors.push(number);
        }
        search.work += batch.len() * stride;
        batch.clear();
        search.batch = batch;
        let taken = self.arcs.set(state, &successors);
        self.hold(taken)
    }

    /// Makes a state the one that is asked.
    fn load(&mut self, state: u32) {
        if self.loaded != Some(state) {
            let store = &self.search.store;
            store.read(state, &mut self.words);
            store.layout().decode(&self.words, &mut self.cells);
            self.loaded = Some(state);
            let sum = self.cells.iter().map(|c| i64::from(*c)).sum();
            self.max_sum = self.max_sum.max(sum);
        }
    }

    /// Whether a condition is true in a state.
    pub fn holds(&mut self, code: &Code, state: u32) -> Result<bool, Halt> {
        self.load(state);
        let search = &mut self.search;
        search.work += code.cost();
        if !code.asks_events() {
            return Ok(code.holds(&self.cells, &mut self.scratch));
        }
        let watch = &mut search.supervisor;
        let value = search
            .machine
            .evaluate(search.program, code, &self.cells, watch)?;
        Ok(value == Value::Condition(true))
    }

    /// The value of an integer in a state, the greatest there is where it is undefined.
    pub fn measure(&mut self, code: &Code, state: u32) -> i64 {
        self.load(state);
        self.search.work += code.cost();
        let value = code.integer(&self.cells, &mut self.scratch);
        value.map_or(i64::MAX, i64::from)
    }
}
