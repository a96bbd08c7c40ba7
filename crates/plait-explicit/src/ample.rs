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

use plait_program::{CellSet, Code, Program};
use plait_reduction::{Algorithm, BitSet, Dependency, Fit, Selector, TooLarge};

use crate::buchi::Buchi;
use crate::enabled::Enabled;
use crate::hash::RecordHash;
use crate::movers::Movers;
use crate::plan::Plans;
use crate::search::{Halt, Search};

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
    expansion: Vec<Expansion>,
    enabled: Enabled,
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
            expansion: Vec::new(),
            enabled: Enabled::new(program, dependency.size()),
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
        search.keep_well()?;
        search.load(number);
        search.work += 1 + search.cells.len() / 4 + search.plans.plans.len() / 2;
        search.look_up_in_time()?;
        let cells = search.cells.clone();
        search.figures.observe(&cells);
        self.enabled.find(search, number)?;
        let enabled = self.enabled.events.clone();
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
        let events = self
            .enabled
            .events
            .iter()
            .map(|e| plans.plans[e as usize].event);
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
        self.selector.try_select(cells, enabled, |set| {
            if set.meets(visible) {
                return Ok(Fit::No);
            }
            for event in set.iter().filter(|_| !heedless) {
                if !leads_on(search, event, number, expansion)? {
                    return Ok(Fit::No);
                }
            }
            Ok(Fit::Best)
        })
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
