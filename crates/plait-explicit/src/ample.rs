//! Ample sets for linear time: which enabled events are enough for a formula that cannot tell a state
//! from its repetition.
//!
//! In each state a persistent set is executed instead of all enabled events (C0, C1), if none of its
//! events is *visible*, that is, can change the truth of a condition of the formula (C2), and if no
//! cycle of the reduced graph consists of such states only (C3: a state where everything is executed
//! is on every cycle, so that no event is put off for ever). Every run then has one in the reduced
//! graph that visits the same letters up to repetition (Peled 1994; Clarke, Grumberg, Peled, *Model
//! Checking*, 1999, chapter 10).
//!
//! What is chosen is a function of the state of the program alone, never of where the automaton is:
//! the choice is made when the state is first expanded and remembered for ever. So the search runs in
//! the product of the automaton with one reduced graph, to which the theorem applies. Choosing anew
//! for each pair of state and location is the error that Siegel found in the textbook algorithm
//! (*What's wrong with on-the-fly partial order reduction*, CAV 2019).
//!
//! C3 is kept in whatever order states are expanded: a successor of a reduced state must not have been
//! expanded yet, or must have been expanded fully. Of the states on a cycle of reduced ones, each would
//! have been expanded after the one before it (Bošnački, Leue, Lluch Lafuente, *Partial-order
//! reduction for general state exploring algorithms*, STTT 2009).

use std::sync::Arc;

use plait_program::event_index::marked;
use plait_program::{CellSet, Code, Program};
use plait_reduction::{Algorithm, BitSet, Dependency, Selector, TooLarge};

use crate::breadth_first::{Halt, Search};
use crate::buchi::Buchi;
use crate::choice::{certain, is_enabled};
use crate::expand::holds;
use crate::hash::RecordHash;
use crate::movers::Movers;
use crate::plan::Plans;

/// What has become of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Expansion {
    None,
    Reduced,
    Full,
}

/// Chooses ample sets for one formula.
pub(crate) struct Ample {
    selector: Selector,
    visible: BitSet,
    certain: Vec<bool>,
    expansion: Vec<Expansion>,
    enabled: BitSet,
    /// Whether C3 is kept; without it violations are lost.
    cycle_condition: bool,
    /// States in which only some of the enabled events are executed.
    pub reduced: u64,
}

/// The dependency of a program without monitors, for several formulas.
pub(crate) fn dependency(program: &Program) -> Result<Arc<Dependency>, TooLarge> {
    Ok(Arc::new(Dependency::new(program, &[])?))
}

/// The cells that decide whether a condition is true; `None` when all may.
///
/// Where a condition asks for a deadlock only `at_end`, that decides nothing on the way: a run and the
/// one that stands for it in the reduced graph end in the same state, or neither ends.
fn reads(program: &Program, condition: &Code, at_end: bool) -> Option<CellSet> {
    let mut ranges = condition.reads().ranges().to_vec();
    if condition.asks_events() {
        let asked = condition.asked_events();
        let asked = if at_end {
            asked.or(Some(Vec::new()))
        } else {
            asked
        };
        for event in asked? {
            ranges.extend_from_slice(program.support(event).reads.ranges());
        }
    }
    Some(CellSet::from_ranges(ranges))
}

/// The events that may change the truth of one of the conditions, or whether others are ready; `None`
/// when all may.
pub(crate) fn visible(
    program: &Program,
    dependency: &Dependency,
    automaton: &Buchi,
    movers: Option<&Movers>,
) -> Option<BitSet> {
    let mut found = movers.map_or_else(
        || BitSet::new(dependency.size()),
        |m| m.disturbing(program, dependency),
    );
    for condition in &automaton.conditions {
        found.add(&dependency.writers(&reads(program, condition, automaton.at_end)?));
    }
    Some(found)
}

impl Ample {
    /// Ample sets by an algorithm that gives strong persistent sets.
    pub fn new(
        program: &Program,
        dependency: &Arc<Dependency>,
        algorithm: Algorithm,
        visible: BitSet,
        cycle_condition: bool,
    ) -> Ample {
        debug_assert_ne!(algorithm, Algorithm::Weak);
        Ample {
            selector: Selector::new(Arc::clone(dependency), algorithm, false),
            visible,
            certain: certain(program),
            expansion: Vec::new(),
            enabled: BitSet::new(dependency.size()),
            cycle_condition,
            reduced: 0,
        }
    }

    /// Puts the successors of a state under an ample set into the batch, and their events into
    /// `owners`.
    pub fn expand<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        number: u32,
        owners: &mut Vec<u32>,
    ) -> Result<(), Halt> {
        search.load(number);
        search.work += 1 + search.cells.len() / 4 + search.plans.plans.len() / 2;
        search.look_up_in_time()?;
        let cells = search.cells.clone();
        search.figures.observe(&cells);
        self.find_enabled(search)?;
        let enabled = self.enabled.clone();
        search.figures.deadlocks += u64::from(enabled.is_empty());
        if self.expansion.len() <= number as usize {
            let states = search.store.len().max(number as usize + 1);
            self.expansion.resize(states, Expansion::None);
        }
        // Itself, while it is being decided, must not be a successor.
        self.expansion[number as usize] = Expansion::Reduced;
        let chosen = self.choose(search, &cells, &enabled, number)?;
        if chosen.len() == enabled.len() {
            self.expansion[number as usize] = Expansion::Full;
        } else {
            self.reduced += 1;
        }
        clear(search);
        owners.clear();
        for event in chosen.iter() {
            let plan = search.plans.plans[event as usize];
            search.fire(&plan, number)?;
            owners.resize(search.batch.len(), plan.event);
        }
        search.repeated.clear();
        Ok(())
    }

    /// Who is ready in the state just expanded.
    pub fn ready(&self, movers: &Movers, plans: &Plans) -> u64 {
        let events = self.enabled.iter().map(|e| plans.plans[e as usize].event);
        events.fold(0, |ready, event| ready | movers.of[event as usize])
    }

    fn choose<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        cells: &[i32],
        enabled: &BitSet,
        number: u32,
    ) -> Result<BitSet, Halt> {
        if enabled.len() < 2 {
            return Ok(enabled.clone());
        }
        let (visible, expansion) = (&self.visible, &self.expansion);
        let heedless = !self.cycle_condition;
        let mut halt = None;
        let chosen = self.selector.select(cells, enabled, |set| {
            let hidden = !set.iter().any(|e| visible.contains(e));
            halt.is_none()
                && hidden
                && set.iter().all(|event| {
                    heedless
                        || leads_on(search, event, number, expansion).unwrap_or_else(|stop| {
                            halt = Some(stop);
                            false
                        })
                })
        });
        match halt {
            Some(halt) => Err(halt),
            None => Ok(chosen),
        }
    }

    /// The events that have a successor in the state just loaded.
    fn find_enabled<H: RecordHash>(&mut self, search: &mut Search<'_, H>) -> Result<(), Halt> {
        self.enabled.clear();
        let plans = search.plans;
        let mut bits = std::mem::take(&mut search.candidates);
        if !plans.mark(&search.cells, &mut bits) {
            bits.clear();
            bits.resize(plans.plans.len().div_ceil(64), u64::MAX);
        }
        for index in marked(&bits).take_while(|i| *i < plans.plans.len()) {
            let plan = &plans.plans[index];
            let enabled = if plan.simple {
                holds(plans.tests(plan), &search.cells)
            } else {
                is_enabled(search, plan, self.certain[index])?
            };
            if enabled {
                self.enabled.insert(index as u32);
            }
        }
        bits.clear();
        search.candidates = bits;
        Ok(())
    }
}

/// Whether all successors under an event are such that the state may be reduced.
fn leads_on<H: RecordHash>(
    search: &mut Search<'_, H>,
    event: u32,
    number: u32,
    expansion: &[Expansion],
) -> Result<bool, Halt> {
    clear(search);
    let plan = search.plans.plans[event as usize];
    search.fire(&plan, number)?;
    let stride = search.store.layout().words();
    let all = (0..search.batch.len()).all(|index| {
        let record = search.batch.get(index, stride);
        let found = search.store.find(record, search.store.hash(record));
        let expanded = found.and_then(|n| expansion.get(n as usize));
        expanded != Some(&Expansion::Reduced)
    });
    clear(search);
    Ok(all)
}

fn clear<H>(search: &mut Search<'_, H>) {
    search.batch.clear();
    search.repeated.clear();
}
