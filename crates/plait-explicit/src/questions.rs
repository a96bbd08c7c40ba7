//! What is asked of states on the way: goals (the first state where a condition is true) and bounds
//! (least and greatest value of an integer).
//!
//! A goal is asked of a state as soon as it is stored, so that a search for it ends a level
//! earlier; only goals that ask which events are enabled wait until the state is expanded, when that
//! is known. Either way states are asked in the order of their numbers.

use std::sync::Arc;

use plait_program::{Code, Failure, Machine, Native, Oracle, Program, Scratch, Value, Watch};

/// The questions and their answers so far.
#[derive(Clone, Debug)]
pub(crate) struct Questions {
    /// The first state where each goal is true.
    pub goals: Vec<Option<u32>>,
    /// Least and greatest value of each bounded expression, where it was defined.
    pub bounds: Vec<Option<(i32, i32)>>,
    goal_codes: Vec<Code>,
    bound_codes: Vec<Code>,
    /// Undecided goals to ask of new states.
    at_once: Vec<usize>,
    /// Undecided goals to ask of expanded states.
    later: Vec<usize>,
    scratch: Scratch,
    /// Compiled forms: of the goals, then of the bounds.
    native: Option<Arc<Native>>,
}

impl Questions {
    pub fn new(goals: &[Code], bounds: &[Code]) -> Questions {
        let (later, at_once) = (0..goals.len()).partition(|i| goals[*i].asks_events());
        Questions {
            goals: vec![None; goals.len()],
            bounds: vec![None; bounds.len()],
            goal_codes: goals.to_vec(),
            bound_codes: bounds.to_vec(),
            at_once,
            later,
            scratch: Scratch::default(),
            native: None,
        }
    }

    /// Goes on with what an earlier search of the same questions has found.
    pub fn restore(&mut self, goals: Vec<Option<u32>>, bounds: Vec<Option<(i32, i32)>>) {
        self.at_once.retain(|i| goals[*i].is_none());
        self.later.retain(|i| goals[*i].is_none());
        self.goals = goals;
        self.bounds = bounds;
    }

    /// How many goals are still sought.
    #[inline]
    pub fn sought(&self) -> usize {
        self.at_once.len() + self.later.len()
    }

    /// How many goals are found.
    pub fn found(&self) -> usize {
        self.goals.iter().flatten().count()
    }

    /// Takes over the bounds of another search of the same questions.
    pub fn absorb_bounds(&mut self, other: &Questions) {
        for (mine, theirs) in self.bounds.iter_mut().zip(&other.bounds) {
            *mine = match (*mine, *theirs) {
                (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
                (mine, theirs) => mine.or(theirs),
            };
        }
    }

    /// The goals, then the bounds.
    pub fn codes(&self) -> Vec<Code> {
        let codes = self.goal_codes.iter().chain(&self.bound_codes);
        codes.cloned().collect()
    }

    /// From now on asks the compiled forms of `codes`, where there are any.
    pub fn use_native(&mut self, native: Arc<Native>) {
        self.native = Some(native);
    }

    #[inline]
    pub fn any_about_new_states(&self) -> bool {
        !self.at_once.is_empty()
    }

    #[inline]
    pub fn any_about_expanded_states(&self) -> bool {
        !self.later.is_empty() || !self.bound_codes.is_empty()
    }

    /// Whether there were goals, all are found, and nothing else is asked.
    pub fn are_decided(&self) -> bool {
        let undecided = self.any_about_new_states() || self.any_about_expanded_states();
        !undecided && !self.goals.is_empty()
    }

    /// An upper bound of the work for one state.
    pub fn cost(&self) -> usize {
        let goals = self.at_once.iter().chain(&self.later);
        let goals: usize = goals.map(|i| self.goal_codes[*i].cost()).sum();
        let bounds: usize = self.bound_codes.iter().map(Code::cost).sum();
        goals + bounds
    }

    /// Asks a state that has just been stored.
    pub fn ask_new(&mut self, number: u32, cells: &[i32]) {
        let (goals, codes, scratch) = (&mut self.goals, &self.goal_codes, &mut self.scratch);
        let native = self.native.as_deref();
        self.at_once.retain(|index| {
            let found = match native.and_then(|n| n.value(*index, cells)) {
                Some(value) => value == Value::Condition(true),
                None => codes[*index].holds(cells, scratch),
            };
            if found {
                goals[*index] = Some(number);
            }
            !found
        });
    }

    /// Asks a state that has just been expanded.
    pub fn ask_expanded(&mut self, number: u32, state: &mut Expanded<'_>) -> Result<(), Failure> {
        let cells = state.cells;
        let mut undecided = Vec::with_capacity(self.later.len());
        for index in std::mem::take(&mut self.later) {
            let code = &self.goal_codes[index];
            match code.value(cells, &mut self.scratch, state)? {
                Value::Condition(true) => self.goals[index] = Some(number),
                _ => undecided.push(index),
            }
        }
        self.later = undecided;
        let native = self.native.as_deref();
        let codes = (self.goals.len()..).zip(&self.bound_codes);
        for ((number, code), bound) in codes.zip(&mut self.bounds) {
            let value = match native.and_then(|n| n.value(number, cells)) {
                Some(value) => value,
                None => code.value(cells, &mut self.scratch, state)?,
            };
            if let Value::Integer(value) = value {
                let (low, high) = bound.unwrap_or((value, value));
                *bound = Some((low.min(value), high.max(value)));
            }
        }
        Ok(())
    }
}

/// A state whose successors are known: answers which events are enabled there.
pub(crate) struct Expanded<'a> {
    pub program: &'a Program,
    pub machine: &'a mut Machine,
    pub watch: &'a mut dyn Watch,
    pub cells: &'a [i32],
    /// The last state in which each free event had a successor.
    pub fired_in: &'a [u32],
    pub number: u32,
    pub deadlock: bool,
}

impl Oracle for Expanded<'_> {
    type Error = Failure;

    fn enabled(&mut self, events: &[u32]) -> Result<bool, Failure> {
        for event in events {
            let free = self.program.events()[*event as usize].decl.label.is_none();
            let enabled = if free {
                self.fired_in[*event as usize] == self.number
            } else {
                let mut cells = self.cells.to_vec();
                self.machine
                    .is_enabled(self.program, *event, &mut cells, self.watch)?
            };
            if enabled {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn deadlock(&mut self) -> Result<bool, Failure> {
        Ok(self.deadlock)
    }
}
