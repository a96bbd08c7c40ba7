//! Which net-like events are enabled, kept up as cells change.
//!
//! Of each event it is counted how many of its tests fail; when a cell changes, only the tests of that
//! cell are counted again.
//!
//! Invariant: `enabled` are the net-like events no test of which fails in the state whose changes were
//! told.

use std::convert::Infallible;

use plait_program::{Code, Oracle, Program, Scratch, Value};

use crate::members::Members;
use crate::plan::Plans;

/// How many tests of each net-like event fail.
pub(crate) struct Failing<'a> {
    plans: &'a Plans,
    counts: Vec<u32>,
    first_counts: Vec<u32>,
    /// The plans that are enabled.
    pub enabled: Members,
    first_enabled: Members,
    /// The tests of each cell: plan, and the test's place in `plans.tests`.
    tested_by: Vec<Vec<(u32, u32)>>,
    /// The plan of each free event.
    plan_of: Vec<u32>,
}

impl<'a> Failing<'a> {
    /// In the initial state.
    pub fn new(program: &Program, plans: &'a Plans) -> Failing<'a> {
        let initial = program.initial();
        let mut tested_by = vec![Vec::new(); initial.len()];
        let mut counts = vec![0; plans.plans.len()];
        let mut enabled = Members::new(plans.plans.len());
        let mut plan_of = vec![u32::MAX; program.events().len()];
        for (number, plan) in (0u32..).zip(&plans.plans) {
            plan_of[plan.event as usize] = number;
            if !plan.simple {
                continue;
            }
            for (at, test) in (plan.first_test()..).zip(plans.tests(plan)) {
                tested_by[test.cell as usize].push((number, at));
                let fails = !test.interval.contains(initial[test.cell as usize]);
                counts[number as usize] += u32::from(fails);
            }
            if counts[number as usize] == 0 {
                enabled.insert(number);
            }
        }
        Failing {
            plans,
            first_counts: counts.clone(),
            counts,
            first_enabled: enabled.clone(),
            enabled,
            tested_by,
            plan_of,
        }
    }

    /// Back to the initial state.
    pub fn restart(&mut self) {
        self.counts.copy_from_slice(&self.first_counts);
        self.enabled.copy_from(&self.first_enabled);
    }

    /// A cell has changed.
    #[inline]
    pub fn change(&mut self, cell: usize, old: i32, new: i32) {
        for (plan, test) in &self.tested_by[cell] {
            let interval = &self.plans.tests[*test as usize].interval;
            let count = &mut self.counts[*plan as usize];
            match (interval.contains(old), interval.contains(new)) {
                (true, false) => {
                    *count += 1;
                    if *count == 1 {
                        self.enabled.remove(*plan);
                    }
                }
                (false, true) => {
                    *count -= 1;
                    if *count == 0 {
                        self.enabled.insert(*plan);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a condition is true in the state, when all events are net-like.
    pub fn holds(&self, code: &Code, cells: &[i32], scratch: &mut Scratch) -> bool {
        if !code.asks_events() {
            return code.holds(cells, scratch);
        }
        let Ok(value) = code.value(cells, scratch, &mut Known(self));
        value == Value::Condition(true)
    }
}

/// Answers what conditions ask about events, when all are net-like.
struct Known<'a>(&'a Failing<'a>);

impl Oracle for Known<'_> {
    type Error = Infallible;

    fn enabled(&mut self, events: &[u32]) -> Result<bool, Infallible> {
        let plan = |event: &u32| self.0.plan_of[*event as usize];
        Ok(events.iter().any(|e| self.0.enabled.contains(plan(e))))
    }

    fn deadlock(&mut self) -> Result<bool, Infallible> {
        Ok(self.0.enabled.len() == 0)
    }
}
