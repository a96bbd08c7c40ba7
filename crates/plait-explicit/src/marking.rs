//! A state of a net-like program while events are executed and taken back.
//!
//! Which events are enabled is kept along (`failing`), and a hash of the state, a sum of one key for
//! each cell and its value.
//!
//! Invariant: `hash` depends on `cells` alone.

use plait_program::mix::Seed;
use plait_program::{Code, Program, Scratch};

use crate::failing::Failing;
use crate::members::Members;
use crate::plan::Plans;

pub(crate) struct Marking<'a> {
    program: &'a Program,
    plans: &'a Plans,
    pub cells: Vec<i32>,
    initial: Vec<i32>,
    failing: Failing<'a>,
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
        if !plans.plans.iter().all(|plan| plan.simple) {
            return None;
        }
        let initial = program.initial();
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
            failing: Failing::new(program, plans),
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
        self.failing.restart();
        self.hash = self.first_hash;
        self.undo.clear();
    }

    /// The plans of the enabled events.
    pub fn enabled(&self) -> &Members {
        &self.failing.enabled
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
        self.failing.holds(code, &self.cells, &mut self.scratch)
    }

    fn change(&mut self, cell: usize, new: i32) {
        let old = std::mem::replace(&mut self.cells[cell], new);
        if old == new {
            return;
        }
        let key = self.keys[cell];
        self.hash = self.hash.wrapping_sub(key.key(u64::from(old as u32)));
        self.hash = self.hash.wrapping_add(key.key(u64::from(new as u32)));
        self.failing.change(cell, old, new);
    }
}

fn hash_of(keys: &[Seed], cells: &[i32]) -> u64 {
    let parts = keys.iter().zip(cells);
    parts.fold(0, |hash, (key, cell)| {
        hash.wrapping_add(key.key(u64::from(*cell as u32)))
    })
}
