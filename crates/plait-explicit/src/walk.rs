//! Random walks: many runs from the initial state, without remembering where they have been.
//!
//! A walk needs no memory and so meets in a second what a search that stores states would meet
//! after minutes; it can find a state but never show that there is none. Each run has one of a few
//! policies, because none is good everywhere (Thierry-Mieg, "Structural Reductions Revisited",
//! Petri Nets 2020; West, "Protocol validation by random state exploration", 1986):
//!
//! - *even*: any enabled event, all alike;
//! - *bursts*: an event again and again while it is enabled, for nets with many tokens;
//! - *rare*: of a few enabled events the one that was executed least often so far;
//! - *guided*: of a few enabled events the one after which a goal is nearest, as a measure of the
//!   caller's says, or a value greatest;
//! - *planned*: an enabled event that a plan of the caller's still owes, where there is one, such as
//!   a solution of the state equation, which says how often each event occurs and not in which
//!   order (`planned`).
//!
//! Net-like events are kept in a set of enabled ones (`failing`). Goals and values are looked at only
//! when a cell changes that they read (`sought`).
//!
//! Invariant: `Found { run, position }` is the state after the first `position` steps of that run,
//! and `Walks::trace` executes them again. The same seed gives the same walks unless time ends them.

use std::sync::Arc;
use std::time::Duration;

use plait_program::{Code, Failure, Fault, Machine, Program, StateSet, Unwatched};

use crate::budget::{Observer, Reason};
use crate::exploration::Step;
use crate::plan::Plans;
use crate::walker::Walker;

/// What walks look for, and how long.
#[derive(Clone, Debug, Default)]
pub struct WalkOptions {
    /// Conditions: a state where each is true is sought.
    pub goals: Vec<Code>,
    /// For each goal an integer that is the smaller the nearer the goal is, if there is one.
    pub measures: Vec<Option<Code>>,
    /// For each goal how often events should occur on the way to it, if that is known.
    pub plans: Vec<Option<Vec<(u32, u32)>>>,
    /// Integers whose greatest value is sought.
    pub values: Vec<Code>,
    /// A value from which on nothing more is sought of it, for each of `values`.
    pub enough: Vec<Option<i32>>,
    /// Look for a run from a state to one that is greater in some cell and smaller in none.
    pub growth: bool,
    /// The beginning of all randomness.
    pub seed: u64,
    /// How long at most.
    pub timeout: Option<Duration>,
    /// How many steps at most, all runs together.
    pub steps: Option<u64>,
    /// How many steps a run may have.
    pub length: usize,
}

/// The state after so many steps of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The number of the run among those that were kept.
    pub run: u32,
    /// How many of its steps.
    pub position: u32,
}

/// What walks found.
#[derive(Debug)]
pub struct Walks {
    program: Arc<Program>,
    /// The runs on which something was found: events, and which of their successors.
    runs: Vec<Vec<(u32, u32)>>,
    /// A state where each goal is true.
    pub goals: Vec<Option<Found>>,
    /// The greatest value met of each integer, and where.
    pub values: Vec<Option<(i32, Found)>>,
    /// Two states of a run of which the later is greater in some cell and smaller in none.
    pub growth: Option<(Found, Found)>,
    /// Steps made.
    pub steps: u64,
    /// Runs made.
    pub tried: u64,
    /// Why it ended; `Goals` when all was found.
    pub reason: Reason,
}

impl Walks {
    /// The events on the way to a state that was found; `None` when there is no such state.
    pub fn events(&self, found: Found) -> Option<Vec<u32>> {
        let run = self.runs.get(found.run as usize)?;
        let steps = run.get(..found.position as usize)?;
        Some(steps.iter().map(|(event, _)| *event).collect())
    }

    /// The steps to a state that was found, executed again.
    pub fn trace(&self, found: Found) -> Result<Vec<Step>, Failure> {
        let mut machine = Machine::new(&self.program);
        let mut cells = self.program.initial();
        let mut steps: Vec<Step> = vec![(None, cells.clone())];
        let mut after = StateSet::new(cells.len());
        for (event, choice) in &self.runs[found.run as usize][..found.position as usize] {
            after.clear();
            machine.successors(
                &self.program,
                *event,
                &mut cells,
                &mut Unwatched,
                &mut after,
            )?;
            cells.copy_from_slice(after.get(*choice as usize));
            steps.push((Some(*event), cells.clone()));
        }
        Ok(steps)
    }
}

/// Walks until everything is found or a limit is met; an `Err` is an error of the model.
pub fn walk(
    program: &Arc<Program>,
    options: &WalkOptions,
    observer: &mut dyn Observer,
) -> Result<Walks, Fault> {
    let plans = Plans::new(program);
    let mut walker = Walker::new(program, &plans, options, observer);
    loop {
        match walker.run() {
            Ok(true) => {}
            Ok(false) => break,
            Err(Failure::Fault(fault)) => return Err(fault),
            Err(Failure::Stopped) => break,
        }
        walker.keep_run();
    }
    walker.keep_run();
    let reason = walker.supervisor.stop.unwrap_or(walker.reason);
    Ok(Walks {
        program: Arc::clone(program),
        runs: walker.runs,
        goals: walker.sought.goals,
        values: walker.sought.values,
        growth: walker.sought.growth,
        steps: walker.steps,
        tried: walker.tried,
        reason,
    })
}
