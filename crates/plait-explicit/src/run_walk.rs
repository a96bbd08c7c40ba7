//! Walks that look for a run which an automaton accepts: a cycle, a deadlock, or a beginning that no
//! continuation can make good.
//!
//! A search of the product stores every successor of every state on its way; a walk makes one step at a
//! time, and where violations are many it has met one long before. What it must come to is a cycle,
//! and none of the ways to one is good everywhere, so runs take turns:
//!
//! - *even*: any enabled event;
//! - *fixed*: the enabled event that comes first in an order drawn for the run, which starves others
//!   and so comes back soon;
//! - *guided*: of a few events the one after which the automaton is nearest to accept;
//! - *back*: from somewhere on, of a few events the one that leads nearest to the state it was in then;
//! - *bursts*: an event again and again.
//!
//! After a step the automaton (`guide`) must still be somewhere, or the step is taken back. All questions
//! have turns, and rounds double in length: what is near is found first, by short runs. (Grosu and Smolka,
//! *Monte Carlo model checking*, TACAS 2005, for random lassos.)
//!
//! Invariant: what is told was executed again from the initial state, and a cycle ends in the cells
//! that it began with.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use plait_program::mix::Seed;
use plait_program::{Program, Watch};

use crate::buchi::Buchi;
use crate::budget::{Observer, Reason, Supervisor};
use crate::exploration::Step;
use crate::guide::{bits, Guide, Locations};
use crate::lasso::Lasso;
use crate::marking::Marking;
use crate::plan::Plans;

/// Steps of a question's first turn, and the length of its runs; both double from round to round.
const FIRST_TURN: u64 = 4096;
const SHORT: usize = 64;
const MOST_DOUBLINGS: u32 = 12;
/// How many enabled events are compared, or tried before a run is given up.
const SAMPLE: usize = 16;
/// Steps after a beginning that cannot be made good until it is told without an end.
const CONTINUED: usize = 4096;
/// Cells of all states of a run together; a longer one is not written out.
const MOST_CELLS: usize = 4_000_000;

/// What a walk found for an automaton.
#[derive(Clone, Debug)]
pub enum Walked {
    /// A run that is accepted.
    Lasso(Lasso),
    /// The beginning of runs all of which are accepted.
    Beginning(Vec<Step>),
    /// There is one of them, too long to be written out.
    Long,
}

/// No walk is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event is not net-like, or no automaton is small enough")]
pub struct Unable;

/// Walks until each automaton has a run or a limit is met, which is told; hears what is found. Only for
/// programs whose events are all net-like and automata that are not too large: else an error.
pub fn run_walk(
    program: &Arc<Program>,
    automata: &[Buchi],
    seed: u64,
    timeout: Option<Duration>,
    rounds: u32,
    observer: &mut dyn Observer,
    answered: &mut (dyn FnMut(usize, Walked) -> bool + Send),
) -> Result<Option<Reason>, Unable> {
    let plans = Plans::new(program);
    let marking = Marking::new(program, &plans).ok_or(Unable)?;
    let mut open: Vec<(usize, Guide<'_>)> = automata
        .iter()
        .enumerate()
        .filter_map(|(number, automaton)| Some((number, Guide::new(automaton)?)))
        .collect();
    if open.is_empty() && !automata.is_empty() {
        return Err(Unable);
    }
    let anchor = marking.cells.clone();
    let mut walk = Walk {
        marking,
        random: Seed(seed),
        drawn: 0,
        steps: 0,
        turn: 0,
        trail: Vec::new(),
        letters: Vec::new(),
        sets: Vec::new(),
        places: HashMap::new(),
        order: Seed(0),
        anchor,
        returning: false,
        letter: Vec::new(),
        supervisor: Supervisor::new(observer, timeout, None),
    };
    for round in 0..rounds {
        if open.is_empty() {
            break;
        }
        let mut left = Vec::new();
        for (number, mut guide) in open {
            match walk.turn(&mut guide, round.min(MOST_DOUBLINGS)) {
                Some(found) => {
                    if !answered(number, found) {
                        return Ok(None);
                    }
                }
                None => left.push((number, guide)),
            }
            if walk.supervisor.stop.is_some() {
                return Ok(walk.supervisor.stop);
            }
        }
        open = left;
    }
    Ok(None)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Policy {
    Even,
    Fixed,
    Guided,
    Back,
    Bursts,
}

const POLICIES: [Policy; 5] = [
    Policy::Fixed,
    Policy::Even,
    Policy::Guided,
    Policy::Back,
    Policy::Bursts,
];

/// Where a run that is accepted goes back to, or that it need not.
enum End {
    Repeats(usize),
    Open,
}

struct Walk<'a> {
    marking: Marking<'a>,
    random: Seed,
    drawn: u64,
    steps: u64,
    turn: usize,
    /// The plans executed.
    trail: Vec<u32>,
    /// The letter of each state so far, and where the automaton may be before it is read.
    letters: Vec<u32>,
    sets: Vec<Locations>,
    /// Where a state of that hash was.
    places: HashMap<u64, usize>,
    order: Seed,
    anchor: Vec<i32>,
    returning: bool,
    letter: Vec<u64>,
    supervisor: Supervisor<'a>,
}

impl Walk<'_> {
    /// Some runs for one automaton.
    fn turn(&mut self, guide: &mut Guide<'_>, doublings: u32) -> Option<Walked> {
        let end = self.steps + (FIRST_TURN << doublings);
        let longest = SHORT << doublings;
        while self.steps < end && self.supervisor.go_on(0) {
            let policy = POLICIES[self.turn % POLICIES.len()];
            self.turn += 1;
            self.steps += SHORT as u64 / 4; // to begin costs something, too
            let length = (longest >> self.below(4)).max(SHORT);
            if let Some(found) = self.run(guide, policy, length) {
                return Some(found);
            }
        }
        None
    }

    /// One run from the initial state.
    fn run(&mut self, guide: &mut Guide<'_>, policy: Policy, length: usize) -> Option<Walked> {
        self.begin(guide);
        let mut met = vec![0usize; guide.automaton.all.count_ones() as usize];
        loop {
            let at = self.trail.len();
            let (from, letter) = (self.sets[at], self.letters[at]);
            if from & guide.universal != 0 {
                return self.told(End::Open);
            }
            let (next, marks) = guide.after(from, letter);
            if next == 0 {
                return None;
            }
            if self.marking.enabled().len() == 0 {
                let accepted = guide.accepts(from, &[letter]);
                return accepted.then(|| self.told(End::Repeats(at)))?;
            }
            if let Some(start) = self.come_back(at) {
                // Position + 1 of the last arc with each mark: all must lie on the cycle.
                let whole = met.iter().all(|last| *last > start);
                if whole && guide.accepts(self.sets[start], &self.letters[start..at]) {
                    return self.told(End::Repeats(start));
                }
            }
            for mark in bits(marks) {
                met[mark as usize] = at + 1;
            }
            if at >= length || !self.look_up() {
                return None;
            }
            let may_turn = policy == Policy::Back && !self.returning && guide.rank(from) == 0;
            if may_turn && self.below(32) == 0 {
                self.returning = true;
                self.anchor.copy_from_slice(&self.marking.cells);
            }
            if !self.step(guide, policy, next, length) {
                return None;
            }
        }
    }

    fn begin(&mut self, guide: &mut Guide<'_>) {
        self.marking.restart();
        self.trail.clear();
        self.letters.clear();
        self.sets.clear();
        self.places.clear();
        self.returning = false;
        self.order = Seed(self.next());
        let letter = self.read(guide);
        self.letters.push(letter);
        self.sets.push(1);
    }

    /// The letter of the state.
    fn read(&mut self, guide: &mut Guide<'_>) -> u32 {
        let conditions = &guide.automaton.conditions;
        self.letter.clear();
        self.letter.resize(conditions.len().div_ceil(64), 0);
        for (bit, code) in conditions.iter().enumerate() {
            let holds = self.marking.holds(code);
            self.letter[bit / 64] |= u64::from(holds) << (bit % 64);
        }
        guide.letters.number(&self.letter)
    }

    /// Where the run was in this state before, if it was; the place is remembered.
    fn come_back(&mut self, at: usize) -> Option<usize> {
        let keep_old = self.below(2) == 0;
        let place = self.places.entry(self.marking.hash);
        match place {
            std::collections::hash_map::Entry::Occupied(mut known) => {
                let start = *known.get();
                if !keep_old {
                    known.insert(at);
                }
                Some(start)
            }
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(at);
                None
            }
        }
    }

    fn look_up(&mut self) -> bool {
        !self.steps.is_multiple_of(256) || self.supervisor.go_on(0)
    }

    /// One step, in a burst several; false when none keeps the automaton going.
    fn step(
        &mut self,
        guide: &mut Guide<'_>,
        policy: Policy,
        next: Locations,
        length: usize,
    ) -> bool {
        let count = self.marking.enabled().len();
        let random = matches!(policy, Policy::Even | Policy::Bursts) || self.below(16) == 0;
        let mut tried: Vec<(i64, u32)> = Vec::with_capacity(SAMPLE);
        if policy == Policy::Fixed && !random {
            let all = (0..count).filter_map(|at| self.marking.enabled().get(at));
            tried.extend(all.map(|plan| ((self.order.key(u64::from(plan)) >> 1) as i64, plan)));
            if tried.len() > SAMPLE {
                tried.select_nth_unstable(SAMPLE);
                tried.truncate(SAMPLE);
            }
            tried.sort_unstable();
        } else {
            for _ in 0..SAMPLE.min(2 * count) {
                let at = self.below(count);
                if let Some(plan) = self.marking.enabled().get(at) {
                    let back = policy == Policy::Back && self.returning && !random;
                    let cost = if back {
                        -self.marking.nearer(plan, &self.anchor)
                    } else {
                        0
                    };
                    tried.push((cost, plan));
                }
            }
            tried.sort_by_key(|(cost, _)| *cost);
        }
        self.steps += 1;
        let mut best: Option<(u32, u32)> = None;
        for (_, plan) in tried {
            let Some((letter, rank)) = self.try_out(guide, plan, next) else {
                continue;
            };
            if policy == Policy::Guided && !random && rank > 0 {
                if best.is_none_or(|(least, _)| rank < least) {
                    best = Some((rank, plan));
                }
                self.marking.take_back();
                continue;
            }
            self.make(plan, letter, next);
            if policy == Policy::Bursts {
                self.burst(guide, plan, length);
            }
            return true;
        }
        let Some((_, plan)) = best else {
            return false;
        };
        match self.try_out(guide, plan, next) {
            Some((letter, _)) => {
                self.make(plan, letter, next);
                true
            }
            None => false,
        }
    }

    /// Executes an event, unless the automaton is nowhere then: the letter there, and its rank.
    fn try_out(&mut self, guide: &mut Guide<'_>, plan: u32, next: Locations) -> Option<(u32, u32)> {
        self.steps += 1;
        if !self.marking.fire(plan) {
            return None;
        }
        let letter = self.read(guide);
        let (after, _) = guide.after(next, letter);
        if after == 0 && next & guide.universal == 0 {
            self.marking.take_back();
            return None;
        }
        Some((letter, guide.rank(after)))
    }

    fn make(&mut self, plan: u32, letter: u32, next: Locations) {
        self.trail.push(plan);
        self.letters.push(letter);
        self.sets.push(next);
    }

    /// The event again, as long as nothing can be seen by it.
    fn burst(&mut self, guide: &mut Guide<'_>, plan: u32, length: usize) {
        for _ in 0..1usize << self.below(12) {
            let at = self.trail.len();
            let (from, letter) = (self.sets[at], self.letters[at]);
            let (next, _) = guide.after(from, letter);
            let quiet = next == from && next & guide.universal == 0;
            let enabled = self.marking.enabled().contains(plan);
            if !quiet || !enabled || at >= length || self.come_back(at).is_some() {
                return;
            }
            match self.try_out(guide, plan, next) {
                Some((letter, _)) => self.make(plan, letter, next),
                None => return,
            }
        }
    }

    /// What is told of the run: executed again, and with an end if one is found.
    fn told(&mut self, end: End) -> Option<Walked> {
        let end = match end {
            End::Open => self.go_on(),
            known => known,
        };
        let cells = self.marking.cells.len();
        let long = (self.trail.len() + 1) * cells.max(1) > MOST_CELLS;
        let trail = std::mem::take(&mut self.trail);
        self.marking.restart();
        let mut steps: Vec<Step> = vec![(None, self.marking.cells.clone())];
        let mut knot = match end {
            End::Repeats(0) => Some(self.marking.cells.clone()),
            _ => None,
        };
        for (place, plan) in trail.iter().enumerate() {
            if !self.marking.enabled().contains(*plan) || !self.marking.fire(*plan) {
                return None;
            }
            if matches!(end, End::Repeats(start) if start == place + 1) {
                knot = Some(self.marking.cells.clone());
            }
            if !long {
                let event = self.marking.event(*plan);
                steps.push((Some(event), self.marking.cells.clone()));
            }
        }
        match end {
            End::Repeats(start) => {
                // States of the same hash need not be the same.
                let ends = start == trail.len() && self.marking.enabled().len() == 0;
                let closed = start < trail.len() && knot.as_ref() == Some(&self.marking.cells);
                if !ends && !closed {
                    return None;
                }
                if long {
                    return Some(Walked::Long);
                }
                Some(Walked::Lasso(Lasso {
                    steps,
                    repeats: start,
                }))
            }
            End::Open if long => Some(Walked::Long),
            End::Open => Some(Walked::Beginning(steps)),
        }
    }

    /// An end for a run all of whose continuations are accepted, if one is near.
    fn go_on(&mut self) -> End {
        let kept = self.trail.len();
        let until = kept + CONTINUED;
        loop {
            let at = self.trail.len();
            let count = self.marking.enabled().len();
            if count == 0 {
                return End::Repeats(at);
            }
            // The state where the walk stopped was not looked for yet.
            if let Some(start) = self.come_back(at) {
                if start < at {
                    return End::Repeats(start);
                }
            }
            if at >= until {
                break;
            }
            let all = (0..count).filter_map(|at| self.marking.enabled().get(at));
            let first = all.min_by_key(|plan| self.order.key(u64::from(*plan)));
            let plan = if self.below(8) == 0 {
                let at = self.below(count);
                self.marking.enabled().get(at)
            } else {
                first
            };
            self.steps += 1;
            let Some(plan) = plan.filter(|plan| self.marking.fire(*plan)) else {
                break;
            };
            self.trail.push(plan);
        }
        self.trail.truncate(kept);
        End::Open
    }

    fn next(&mut self) -> u64 {
        self.drawn += 1;
        self.random.key(self.drawn)
    }

    fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }
}
