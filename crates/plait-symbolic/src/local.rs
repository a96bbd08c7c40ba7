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
/// No local state: a function is enabled, but leaves the domain of a cell.
pub(crate) const FAULT: u32 = u32::MAX - 1;

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

/// What the cells of a level may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Limits {
    /// Nothing beyond is explored.
    pub bounds: Option<Vec<(i32, i32)>>,
    /// Anything beyond is a fault.
    pub domains: Option<Vec<(i32, i32)>>,
}

fn is_within(limits: Option<&Vec<(i32, i32)>>, state: &[i32]) -> bool {
    let Some(limits) = limits else {
        return true;
    };
    let mut pairs = limits.iter().zip(state);
    pairs.all(|((low, high), value)| low <= value && value <= high)
}

/// Local states and what functions make of them; shared by levels with the same functions and the same
/// first state.
pub(crate) struct Space {
    width: usize,
    functions: Vec<Function>,
    limits: Limits,
    values: Vec<i32>,
    index: Vec<u32>,
    /// Whether the row of a state is there.
    expanded: Vec<bool>,
    /// For each state the successor under each function, or [`NONE`].
    rows: Vec<u32>,
    scratch: Vec<i32>,
}

/// The local states of one level.
#[derive(Default)]
pub(crate) struct Local {
    /// The number of its space.
    pub space: usize,
    confirmed: Vec<bool>,
    confirmed_count: usize,
}

impl Local {
    #[inline]
    pub fn is_confirmed(&self, number: u32) -> bool {
        self.confirmed.get(number as usize) == Some(&true)
    }

    /// Notes that a state occurs, and makes sure of its row; about how many bytes that took.
    #[cold]
    pub fn confirm(&mut self, space: &mut Space, number: u32) -> usize {
        let at = number as usize;
        if self.confirmed.len() <= at {
            self.confirmed.resize(at + 1, false);
        }
        if std::mem::replace(&mut self.confirmed[at], true) {
            return 0;
        }
        self.confirmed_count += 1;
        space.expand(number)
    }

    pub fn size(&self, space: &Space) -> LocalSize {
        LocalSize {
            discovered: space.len(),
            confirmed: self.confirmed_count,
        }
    }

    pub fn bytes(&self) -> usize {
        self.confirmed.capacity()
    }
}

impl Space {
    pub fn new(width: usize, functions: Vec<Function>, limits: Limits) -> Space {
        Space {
            width,
            functions,
            limits,
            values: Vec::new(),
            index: vec![NONE; 8],
            expanded: Vec::new(),
            rows: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// How many states are discovered.
    pub fn len(&self) -> usize {
        self.expanded.len()
    }

    pub fn state(&self, number: u32) -> &[i32] {
        &self.values[number as usize * self.width..][..self.width]
    }

    pub fn bytes(&self) -> usize {
        let words = self.values.capacity() + self.index.capacity() + self.rows.capacity();
        4 * words + self.expanded.capacity()
    }

    /// The successors of a state, which must be confirmed somewhere, under each function.
    #[inline]
    pub fn row(&self, number: u32) -> &[u32] {
        let functions = self.functions.len();
        &self.rows[number as usize * functions..][..functions]
    }

    /// Where in the index a state is, or would be.
    fn slot(&self, state: &[i32]) -> usize {
        let mask = self.index.len() - 1;
        let mut slot = hash(state) & mask;
        while self.index[slot] != NONE && self.state(self.index[slot]) != state {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// The number of a local state, new if need be.
    pub fn discover(&mut self, state: &[i32]) -> u32 {
        let slot = self.slot(state);
        if self.index[slot] != NONE {
            return self.index[slot];
        }
        let number = self.len() as u32;
        self.values.extend_from_slice(state);
        self.expanded.push(false);
        self.index[slot] = number;
        if self.len() * 2 > self.index.len() {
            self.grow_index();
        }
        number
    }

    /// The number of a local state that was discovered.
    pub fn find(&self, state: &[i32]) -> Option<u32> {
        let number = self.index[self.slot(state)];
        (number != NONE).then_some(number)
    }

    /// How many functions there are.
    pub fn functions(&self) -> usize {
        self.functions.len()
    }

    /// Whether the row of a state is there.
    pub fn is_expanded(&self, number: u32) -> bool {
        self.expanded[number as usize]
    }

    fn grow_index(&mut self) {
        let mask = self.index.len() * 2 - 1;
        let mut index = vec![NONE; mask + 1];
        for number in 0..self.len() as u32 {
            let mut slot = hash(self.state(number)) & mask;
            while index[slot] != NONE {
                slot = (slot + 1) & mask;
            }
            index[slot] = number;
        }
        self.index = index;
    }

    /// Asks what every function makes of a state; may discover states.
    fn expand(&mut self, number: u32) -> usize {
        let at = number as usize;
        if std::mem::replace(&mut self.expanded[at], true) {
            return 0;
        }
        let (before, functions) = (self.len(), self.functions.len());
        if self.rows.len() < (at + 1) * functions {
            self.rows.resize((at + 1) * functions, NONE);
        }
        let mut result = std::mem::take(&mut self.scratch);
        for f in 0..functions {
            let enabled = self.functions[f].apply(self.state(number), &mut result);
            if !enabled || !is_within(self.limits.bounds.as_ref(), &result) {
                continue;
            }
            self.rows[at * functions + f] =
                if is_within(self.limits.domains.as_ref(), &result) && !self.wraps(f, number) {
                    self.discover(&result)
                } else {
                    FAULT
                };
        }
        self.scratch = result;
        (self.len() - before) * (4 * self.width + 13) + 4 * functions
    }

    /// Whether a function leaves the 32-bit integers where a cell has a domain.
    fn wraps(&self, function: usize, state: u32) -> bool {
        let domains = self.limits.domains.as_ref();
        let state = self.state(state);
        domains.is_some_and(|domains| {
            let wraps = |(slot, keep, amount): &(u32, i32, i32)| {
                let slot = *slot as usize;
                let free = domains[slot] == (i32::MIN, i32::MAX);
                !free && (state[slot] & keep).checked_add(*amount).is_none()
            };
            self.functions[function].updates.iter().any(wraps)
        })
    }

    /// Whether a function is enabled in all states.
    pub fn is_total(&self, function: u32) -> bool {
        self.functions[function as usize].tests.is_empty() && self.limits.bounds.is_none()
    }

    /// Expands all states that can be discovered from the known ones; false beyond the limit.
    pub fn close(&mut self, limit: usize) -> bool {
        let mut number = 0;
        while (number as usize) < self.len() {
            if self.len() > limit {
                return false;
            }
            self.expand(number);
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
