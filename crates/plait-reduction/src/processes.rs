//! Processes, found in the cells of a flat program.
//!
//! Godefroid's first two algorithms speak of processes and their local states. In a flat program a
//! process is a *control cell*: every event that touches it tests it for one value and stores a
//! constant, or nothing. The value is the local state, and an event is *active* in the processes
//! whose control cells it tests. An event without a control cell is a process with one local state.

use std::collections::HashMap;

use plait_program::Effect;

use crate::bits::{BitSet, Matrix};
use crate::dependency::{CellUse, Dependency};

/// The processes of a program and what the events have to do with them.
#[derive(Clone, Debug)]
pub struct Processes {
    /// The control cell of each process; the processes behind them are single events.
    pub controls: Vec<u32>,
    /// The processes that each event is active in, with the local state it leaves.
    pub active: Vec<Vec<(u32, i32)>>,
    /// The same as sets.
    pub actives: Vec<BitSet>,
    /// Events that touch an object (a cell that is no control cell) in ways that can be dependent, or
    /// of which one may be an error of the model where the other decides it.
    pub shared: Matrix,
    /// Events that two processes choose between, or that share an object: Algorithm 1's step.
    pub neighbours: Matrix,
    /// The events that can leave a local state of a process.
    pub leaving: HashMap<(u32, i32), Vec<u32>>,
}

impl Processes {
    /// The processes of the analysed program.
    pub fn new(dependency: &Dependency) -> Processes {
        let mut controls: Vec<u32> = Vec::new();
        controls.extend(
            dependency
                .cells
                .iter()
                .filter(|(_, used)| is_control(used))
                .map(|(cell, _)| *cell),
        );
        controls.sort_unstable();
        let size = dependency.size();
        let mut active: Vec<Vec<(u32, i32)>> = vec![Vec::new(); size];
        for (process, cell) in (0u32..).zip(&controls) {
            for class in &dependency.cells[cell].classes {
                let value = class.operation.test.bounds().map_or(0, |(v, _)| v as i32);
                class
                    .events
                    .iter()
                    .for_each(|e| active[e as usize].push((process, value)));
            }
        }
        let mut processes = controls.len() as u32;
        for list in active.iter_mut().filter(|l| l.is_empty()) {
            list.push((processes, 0));
            processes += 1;
        }
        let mut leaving: HashMap<(u32, i32), Vec<u32>> = HashMap::new();
        let mut actives = Vec::with_capacity(size);
        for (event, list) in (0u32..).zip(&active) {
            let mut set = BitSet::new(processes as usize);
            for place in list {
                set.insert(place.0);
                leaving.entry(*place).or_default().push(event);
            }
            actives.push(set);
        }
        let shared = shared(dependency, &controls);
        let mut found = Processes {
            controls,
            active,
            actives,
            neighbours: Matrix::new(size),
            shared,
            leaving,
        };
        found.find_neighbours();
        found
    }

    /// How many processes.
    pub fn len(&self) -> usize {
        self.actives.first().map_or(0, |a| a.words().len() * 64)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.actives.is_empty()
    }

    /// The local state of a process.
    pub fn local(&self, process: u32, cells: &[i32]) -> i32 {
        match self.controls.get(process as usize) {
            Some(cell) => cells[*cell as usize],
            None => 0,
        }
    }

    /// Whether no process is active in both.
    pub fn parallel(&self, a: u32, b: u32) -> bool {
        !self.actives[a as usize].meets(&self.actives[b as usize])
    }

    fn find_neighbours(&mut self) {
        for a in 0..self.active.len() as u32 {
            let row: Vec<u32> = self.shared.row(a).iter().collect();
            let mut near: Vec<u32> = row.into_iter().filter(|b| self.parallel(a, *b)).collect();
            for place in &self.active[a as usize] {
                near.extend(&self.leaving[place]); // in conflict: a choice of the same process
            }
            near.iter()
                .for_each(|b| self.neighbours.row_mut(a).insert(*b));
        }
    }
}

/// Every operation tests for one value and stores a constant or nothing, and the cell is moved at
/// least as often as it is only looked at.
fn is_control(used: &CellUse) -> bool {
    let simple = |c: &crate::dependency::Class| {
        let one = c.operation.test.bounds().is_some_and(|(a, b)| a == b);
        one && !c.operation.reads && c.operation.effect != Effect::Any
    };
    if !used.classes.iter().all(simple) {
        return false;
    }
    let count = |moves: bool| -> usize {
        let classes = used.classes.iter();
        classes
            .filter(|c| (c.operation.effect != Effect::Keep) == moves)
            .map(|c| c.events.len())
            .sum()
    };
    count(true) >= count(false)
}

fn shared(dependency: &Dependency, controls: &[u32]) -> Matrix {
    let mut found = dependency.errors.clone();
    for (cell, used) in &dependency.cells {
        if controls.binary_search(cell).is_ok() {
            continue;
        }
        for a in &used.classes {
            for b in &used.classes {
                if !used.place.independent(&a.operation, &b.operation) && !a.exchanges_with(b) {
                    found.relate(&a.events, &b.events);
                }
            }
        }
    }
    found
}
