//! Local states of a level, and what events do to them.
//!
//! The states of a level are numbered as they are *discovered*; a state is *confirmed* when it occurs
//! in a reachable state. Only confirmed states have rows (what each function makes of them), and only
//! confirmed states label edges. States that are discovered but never confirmed form a thin rim.
//! (Structural model checking, section 4.6 of the specification.)

use plait_program::interval::Interval;
use plait_program::mix::fold;
use plait_program::Update;

/// No local state: a function is not enabled.
pub(crate) const NONE: u32 = u32::MAX;

/// Numbers of local states of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalSize {
    /// States found as a possible successor.
    pub discovered: usize,
    /// States that occur.
    pub confirmed: usize,
}

/// What an event does to a level: tests and updates of places in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Function {
    pub tests: Vec<(u32, Interval)>,
    pub updates: Vec<(u32, i32, i32)>,
}

impl Function {
    pub fn update(&mut self, slot: u32, update: Update) {
        if update.keep != -1 || update.amount != 0 {
            self.updates.push((slot, update.keep, update.amount));
        }
    }

    fn apply(&self, state: &[i32], result: &mut Vec<i32>) -> bool {
        let holds = |(slot, interval): &(u32, Interval)| interval.contains(state[*slot as usize]);
        if !self.tests.iter().all(holds) {
            return false;
        }
        result.clear();
        result.extend_from_slice(state);
        for (slot, keep, amount) in &self.updates {
            let value = &mut result[*slot as usize];
            *value = (*value & keep).wrapping_add(*amount);
        }
        true
    }
}

/// The local space of a level.
pub(crate) struct Local {
    width: usize,
    values: Vec<i32>,
    index: Vec<u32>,
    confirmed: Vec<bool>,
    confirmed_count: usize,
    functions: Vec<Function>,
    /// For each function and each state its successor or [`NONE`]; complete for confirmed states.
    pub rows: Vec<Vec<u32>>,
    bounds: Option<Vec<(i32, i32)>>,
    scratch: Vec<i32>,
}

impl Local {
    pub fn new(width: usize, bounds: Option<Vec<(i32, i32)>>) -> Local {
        Local {
            width,
            values: Vec::new(),
            index: vec![NONE; 8],
            confirmed: Vec::new(),
            confirmed_count: 0,
            functions: Vec::new(),
            rows: Vec::new(),
            bounds,
            scratch: Vec::new(),
        }
    }

    /// The number of a function; equal ones share it. (Levels have few.)
    pub fn function(&mut self, function: Function) -> u32 {
        debug_assert!(self.confirmed_count == 0);
        let known = self.functions.iter().position(|f| *f == function);
        known.unwrap_or_else(|| {
            self.functions.push(function);
            self.rows.push(Vec::new());
            self.functions.len() - 1
        }) as u32
    }

    pub fn has_effect(&self, function: u32) -> bool {
        !self.functions[function as usize].updates.is_empty()
    }

    pub fn size(&self) -> LocalSize {
        LocalSize {
            discovered: self.confirmed.len(),
            confirmed: self.confirmed_count,
        }
    }

    pub fn state(&self, number: u32) -> &[i32] {
        &self.values[number as usize * self.width..][..self.width]
    }

    pub fn bytes(&self) -> usize {
        let rows: usize = self.rows.iter().map(Vec::capacity).sum();
        4 * (self.values.capacity() + self.index.capacity() + rows) + self.confirmed.capacity()
    }

    #[inline]
    pub fn is_confirmed(&self, number: u32) -> bool {
        self.confirmed[number as usize]
    }

    /// The number of a local state, new if need be.
    pub fn discover(&mut self, state: &[i32]) -> u32 {
        let mask = self.index.len() - 1;
        let mut slot = hash(state) & mask;
        loop {
            let number = self.index[slot];
            if number == NONE {
                break;
            }
            if self.state(number) == state {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        let number = self.confirmed.len() as u32;
        self.values.extend_from_slice(state);
        self.confirmed.push(false);
        self.index[slot] = number;
        if self.confirmed.len() * 2 > self.index.len() {
            self.grow_index();
        }
        number
    }

    fn grow_index(&mut self) {
        let mask = self.index.len() * 2 - 1;
        let mut index = vec![NONE; mask + 1];
        for number in 0..self.confirmed.len() as u32 {
            let mut slot = hash(self.state(number)) & mask;
            while index[slot] != NONE {
                slot = (slot + 1) & mask;
            }
            index[slot] = number;
        }
        self.index = index;
    }

    /// Asks what every function makes of a state. May discover states; confirms only this one. About
    /// how many bytes that took.
    #[cold]
    pub fn confirm(&mut self, number: u32) -> usize {
        if std::mem::replace(&mut self.confirmed[number as usize], true) {
            return 0;
        }
        let before = self.confirmed.len();
        self.confirmed_count += 1;
        let mut result = std::mem::take(&mut self.scratch);
        for f in 0..self.functions.len() {
            let enabled = self.functions[f].apply(self.state(number), &mut result);
            let successor = if enabled && self.is_within(&result) {
                self.discover(&result)
            } else {
                NONE
            };
            let row = &mut self.rows[f];
            if row.len() <= number as usize {
                row.resize(number as usize + 1, NONE);
            }
            row[number as usize] = successor;
        }
        self.scratch = result;
        let discovered = self.confirmed.len() - before;
        discovered * (4 * self.width + 13) + 4 * self.functions.len()
    }

    fn is_within(&self, state: &[i32]) -> bool {
        let Some(bounds) = &self.bounds else {
            return true;
        };
        let mut pairs = bounds.iter().zip(state);
        pairs.all(|((low, high), value)| low <= value && value <= high)
    }

    /// Confirms all states that can be discovered from the known ones; false beyond the limit.
    pub fn close(&mut self, limit: usize) -> bool {
        let mut number = 0;
        while (number as usize) < self.confirmed.len() {
            if self.confirmed.len() > limit {
                return false;
            }
            self.confirm(number);
            number += 1;
        }
        true
    }
}

fn hash(state: &[i32]) -> usize {
    let mut hash = 0x51_7cc1_b727_220a_u64;
    for pair in state.chunks(2) {
        let high = pair.get(1).map_or(0, |v| u64::from(*v as u32));
        let word = u64::from(pair[0] as u32) | high << 32;
        hash = fold(hash ^ word, 0x9e37_79b9_7f4a_7c15);
    }
    (hash ^ (hash >> 32)) as usize
}
