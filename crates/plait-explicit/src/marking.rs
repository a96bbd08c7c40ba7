//! A state of a net-like program while events are executed and taken back.
//!
//! Of each event it is counted how many of its tests fail; executing an event recounts only the tests
//! of the cells that it changes, and so does taking it back. A hash of the state is kept along, a sum
//! of one key for each cell and its value.
//!
//! Invariant: `enabled` are the events all of whose tests hold in `cells`, and `hash` depends on
//! `cells` alone.

use plait_program::mix::Seed;
use plait_program::{Code, Program, Scratch, Value};

use crate::members::{Known, Members};
use crate::plan::Plans;

pub(crate) struct Marking<'a> {
    program: &'a Program,
    plans: &'a Plans,
    pub cells: Vec<i32>,
    initial: Vec<i32>,
    failing: Vec<u32>,
    first_failing: Vec<u32>,
    pub enabled: Members,
    first_enabled: Members,
    /// The tests of each cell: plan, and the test's place in `plans.tests`.
    tested_by: Vec<Vec<(u32, u32)>>,
    /// The plan of each free event.
    plan_of: Vec<u32>,
    pub hash: u64,
    first_hash: u64,
    keys: Vec<Seed>,
    scratch: Scratch,
    /// Cells and old values of the event executed last.
    undo: Vec<(u32, i32)>,
}

impl<'a> Marking<'a> {
    /// The initial state; none when some event is not net-like.
    pub fn new(program: &'a Program, plans: &'a Plans) -> Option<Marking<'a>> {
        let initial = program.initial();
        let mut tested_by = vec![Vec::new(); initial.len()];
        let mut failing = vec![0; plans.plans.len()];
        let mut enabled = Members::new(plans.plans.len());
        let mut plan_of = vec![u32::MAX; program.events().len()];
        for (number, plan) in (0u32..).zip(&plans.plans) {
            if !plan.simple {
                return None;
            }
            plan_of[plan.event as usize] = number;
            for (at, test) in (plan.first_test()..).zip(plans.tests(plan)) {
                tested_by[test.cell as usize].push((number, at));
                let fails = !test.interval.contains(initial[test.cell as usize]);
                failing[number as usize] += u32::from(fails);
            }
            if failing[number as usize] == 0 {
                enabled.insert(number);
            }
        }
        let seed = Seed::of_process();
        let keys: Vec<Seed> = (0..initial.len() as u64)
            .map(|c| Seed(seed.key(c)))
            .collect();
        let hash = hash_of(&keys, &initial);
        Some(Marking {
            program,
            plans,
            cells: initial.clone(),
            initial,
            first_failing: failing.clone(),
            failing,
            first_enabled: enabled.clone(),
            enabled,
            tested_by,
            plan_of,
            hash,
            first_hash: hash,
            keys,
            scratch: Scratch::default(),
            undo: Vec::new(),
        })
    }

    /// Back to the initial state.
    pub fn restart(&mut self) {
        self.cells.copy_from_slice(&self.initial);
        self.failing.copy_from_slice(&self.first_failing);
        self.enabled.copy_from(&self.first_enabled);
        self.hash = self.first_hash;
        self.undo.clear();
    }

    pub fn event(&self, plan: u32) -> u32 {
        self.plans.plans[plan as usize].event
    }

    /// Executes an enabled event; false when a cell does not admit its new value.
    pub fn fire(&mut self, plan: u32) -> bool {
        let plans = self.plans;
        let updates = plans.updates(&plans.plans[plan as usize]);
        let admitted = updates.iter().all(|update| {
            let new = update.apply(self.cells[update.cell as usize]);
            self.program.cells()[update.cell as usize].admits(new)
        });
        if !admitted {
            return false;
        }
        self.undo.clear();
        for update in updates {
            let old = self.cells[update.cell as usize];
            self.undo.push((update.cell, old));
            self.change(update.cell as usize, update.apply(old));
        }
        true
    }

    /// Takes back the event executed last.
    pub fn take_back(&mut self) {
        while let Some((cell, old)) = self.undo.pop() {
            self.change(cell as usize, old);
        }
    }

    /// By how much an event brings the state nearer to another (a negative number: farther away).
    pub fn nearer(&self, plan: u32, goal: &[i32]) -> i64 {
        let updates = self.plans.updates(&self.plans.plans[plan as usize]);
        let gain = |cell: usize, new: i32| {
            let far = |value: i32| i64::from(value).abs_diff(i64::from(goal[cell])) as i64;
            far(self.cells[cell]) - far(new)
        };
        let gains = updates.iter().map(|u| {
            let cell = u.cell as usize;
            gain(cell, u.apply(self.cells[cell]))
        });
        gains.sum()
    }

    /// Whether a condition is true here.
    pub fn holds(&mut self, code: &Code) -> bool {
        if !code.asks_events() {
            return code.holds(&self.cells, &mut self.scratch);
        }
        let mut known = Known {
            enabled: &self.enabled,
            plan_of: &self.plan_of,
        };
        let Ok(value) = code.value(&self.cells, &mut self.scratch, &mut known);
        value == Value::Condition(true)
    }

    fn change(&mut self, cell: usize, new: i32) {
        let old = std::mem::replace(&mut self.cells[cell], new);
        if old == new {
            return;
        }
        let key = self.keys[cell];
        self.hash = self.hash.wrapping_sub(key.key(u64::from(old as u32)));
        self.hash = self.hash.wrapping_add(key.key(u64::from(new as u32)));
        for (plan, test) in &self.tested_by[cell] {
            let interval = &self.plans.tests[*test as usize].interval;
            let failing = &mut self.failing[*plan as usize];
            match (interval.contains(old), interval.contains(new)) {
                (true, false) => {
                    *failing += 1;
                    if *failing == 1 {
                        self.enabled.remove(*plan);
                    }
                }
                (false, true) => {
                    *failing -= 1;
                    if *failing == 0 {
                        self.enabled.insert(*plan);
                    }
                }
                _ => {}
            }
        }
    }
}

fn hash_of(keys: &[Seed], cells: &[i32]) -> u64 {
    let parts = keys.iter().zip(cells);
    parts.fold(0, |hash, (key, cell)| {
        hash.wrapping_add(key.key(u64::from(*cell as u32)))
    })
}
