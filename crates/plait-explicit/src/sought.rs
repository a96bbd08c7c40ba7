//! What walks look for: states where goals are true, the greatest values, and growth without end.
//!
//! A question is asked again only when a cell changes that it reads. For growth the state is compared
//! with one before it on the run, as Brent looks for cycles: one that is greater in some cell and
//! smaller in none can be met again and again, ever greater.

use plait_program::{Code, Failure, Machine, Program, Scratch, Value};

use crate::budget::Supervisor;
use crate::failing::Failing;
use crate::walk::{Found, WalkOptions};

/// A state of a walk, and what is needed to ask something of it.
pub(crate) struct Visited<'v, 'a> {
    pub program: &'v Program,
    pub cells: &'v [i32],
    pub failing: &'v Failing<'a>,
    /// Whether some events are not net-like.
    pub general: bool,
    pub machine: &'v mut Machine,
    pub supervisor: &'v mut Supervisor<'a>,
    pub scratch: &'v mut Scratch,
    /// Where on its run.
    pub at: Found,
}

impl Visited<'_, '_> {
    fn holds(&mut self, code: &Code) -> Result<bool, Failure> {
        if !code.asks_events() || !self.general {
            return Ok(self.failing.holds(code, self.cells, self.scratch));
        }
        let value = self
            .machine
            .evaluate(self.program, code, self.cells, self.supervisor)?;
        Ok(value == Value::Condition(true))
    }
}

pub(crate) struct Sought<'a> {
    options: &'a WalkOptions,
    pub goals: Vec<Option<Found>>,
    pub values: Vec<Option<(i32, Found)>>,
    pub growth: Option<(Found, Found)>,
    /// How many steps of the run lead to what was found on it.
    pub kept: usize,
    /// Goals and values that read each cell; values are counted after the goals.
    read_by: Vec<Vec<u32>>,
    /// Goals that ask about events: looked at after every step.
    asking: Vec<u32>,
    /// What is to be asked after this step.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    initial: Vec<i32>,
    anchor: Vec<i32>,
    anchor_sum: i64,
    anchor_at: u32,
    /// How much greater the sum of all cells is than in the initial state.
    sum: i64,
}

impl<'a> Sought<'a> {
    pub fn new(options: &'a WalkOptions, initial: Vec<i32>) -> Sought<'a> {
        let mut read_by = vec![Vec::new(); initial.len()];
        let mut asking = Vec::new();
        let questions = options.goals.iter().chain(&options.values);
        for (number, code) in (0u32..).zip(questions) {
            if code.asks_events() {
                asking.push(number);
                continue;
            }
            for (first, end) in code.reads().ranges() {
                for cell in *first..*end {
                    read_by[cell as usize].push(number);
                }
            }
        }
        Sought {
            options,
            goals: vec![None; options.goals.len()],
            values: vec![None; options.values.len()],
            growth: None,
            kept: 0,
            read_by,
            asking,
            touched: Vec::new(),
            is_touched: vec![false; options.goals.len() + options.values.len()],
            anchor: initial.clone(),
            initial,
            anchor_sum: 0,
            anchor_at: 0,
            sum: 0,
        }
    }

    /// A run begins in the initial state.
    pub fn restart(&mut self) {
        self.anchor.copy_from_slice(&self.initial);
        (self.anchor_sum, self.anchor_at, self.sum) = (0, 0, 0);
    }

    /// Whether nothing is left to look for.
    pub fn is_done(&self) -> bool {
        let mut values = self.values.iter().zip(&self.options.enough);
        self.goals.iter().all(Option::is_some)
            && values.all(|(best, enough)| match (best, enough) {
                (Some((value, _)), Some(enough)) => value >= enough,
                _ => false,
            })
            && (!self.options.growth || self.growth.is_some())
    }

    /// A cell has changed.
    #[inline]
    pub fn change(&mut self, cell: usize, old: i32, new: i32) {
        self.sum += i64::from(new) - i64::from(old);
        for question in &self.read_by[cell] {
            if !std::mem::replace(&mut self.is_touched[*question as usize], true) {
                self.touched.push(*question);
            }
        }
    }

    /// Asks everything of the first state.
    pub fn ask_all(&mut self, mut visited: Visited<'_, '_>) -> Result<(), Failure> {
        for number in 0..self.goals.len() + self.values.len() {
            self.ask(number, &mut visited)?;
        }
        Ok(())
    }

    /// Looks at the state just reached.
    pub fn look(&mut self, mut visited: Visited<'_, '_>) -> Result<(), Failure> {
        while let Some(question) = self.touched.pop() {
            self.is_touched[question as usize] = false;
            self.ask(question as usize, &mut visited)?;
        }
        for index in 0..self.asking.len() {
            self.ask(self.asking[index] as usize, &mut visited)?;
        }
        if self.options.growth && self.growth.is_none() {
            self.look_for_growth(visited.cells, visited.at);
        }
        Ok(())
    }

    fn ask(&mut self, number: usize, visited: &mut Visited<'_, '_>) -> Result<(), Failure> {
        if let Some(goal) = self.goals.get(number) {
            if goal.is_none() && visited.holds(&self.options.goals[number])? {
                self.goals[number] = Some(self.keep(visited.at));
            }
            return Ok(());
        }
        let number = number - self.goals.len();
        let code = &self.options.values[number];
        if code.asks_events() {
            return Ok(());
        }
        if let Some(value) = code.integer(visited.cells, visited.scratch) {
            if self.values[number].is_none_or(|(best, _)| value > best) {
                self.values[number] = Some((value, self.keep(visited.at)));
            }
        }
        Ok(())
    }

    /// Something was found here.
    fn keep(&mut self, here: Found) -> Found {
        self.kept = self.kept.max(here.position as usize);
        here
    }

    fn look_for_growth(&mut self, cells: &[i32], here: Found) {
        let mut pairs = cells.iter().zip(&self.anchor);
        if self.sum > self.anchor_sum && pairs.all(|(now, then)| now >= then) {
            let later = self.keep(here);
            let earlier = Found {
                position: self.anchor_at,
                ..later
            };
            self.growth = Some((earlier, later));
        } else if here.position >= 2 * self.anchor_at + 8 {
            self.anchor.copy_from_slice(cells);
            (self.anchor_sum, self.anchor_at) = (self.sum, here.position);
        }
    }
}
