//! The events that are enabled in a state: those that have a successor there.
//!
//! What an index of the guards leaves is tried event by event. A guard is enough for events whose
//! bodies always have a successor; others are executed to see.

use plait_program::event_index::marked;
use plait_program::{Machine, Program, StateSet};
use plait_reduction::BitSet;

use crate::expand::holds;
use crate::hash::RecordHash;
use crate::plan::Plan;
use crate::search::{Halt, Search};

/// Finds the enabled events of one state after another.
pub(crate) struct Enabled {
    /// Those of the last state, by place in the list of free events.
    pub events: BitSet,
    /// For each free event: its body always has a successor where its guard holds.
    certain: Vec<bool>,
}

impl Enabled {
    /// For sets of `size` events, of which the first are the free ones.
    pub fn new(program: &Program, size: usize) -> Enabled {
        let sure = |event: &u32| match program.summaries(*event) {
            Some(variants) => !variants.iter().any(|v| v.blocks),
            None => false,
        };
        Enabled {
            events: BitSet::new(size),
            certain: program.free().iter().map(sure).collect(),
        }
    }

    /// Finds them in the state just loaded, and leaves word of them for questions about events.
    pub fn find<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        number: u32,
    ) -> Result<(), Halt> {
        self.events.clear();
        let plans = search.plans;
        let mut bits = std::mem::take(&mut search.candidates);
        plans.mark_possible(&search.cells, &mut bits);
        for index in marked(&bits) {
            let plan = &plans.plans[index];
            let enabled = if plan.simple {
                holds(plans.tests(plan), &search.cells)
            } else {
                is_enabled(search, plan, self.certain[index])?
            };
            if enabled {
                self.events.insert(index as u32);
                search.fired_in[plan.event as usize] = number;
            }
        }
        search.candidates = bits;
        Ok(())
    }
}

/// Whether the event has a successor in the state just loaded.
fn is_enabled<H: RecordHash>(
    search: &mut Search<'_, H>,
    plan: &Plan,
    certain: bool,
) -> Result<bool, Halt> {
    let variants = search.program.events()[plan.event as usize].variants();
    if let (Some(variants), true) = (variants, certain) {
        for variant in variants {
            if !holds(variant.tests(), &search.cells) {
                continue;
            }
            let machine: &mut Machine = &mut search.machine;
            let watch = &mut search.supervisor;
            if machine.conditions_hold(search.program, variant, &search.cells, watch)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    let mut found = std::mem::replace(&mut search.found, StateSet::new(search.cells.len()));
    found.clear();
    search.machine.successors(
        search.program,
        plan.event,
        &mut search.cells,
        &mut search.supervisor,
        &mut found,
    )?;
    let enabled = !found.is_empty();
    search.found = found;
    Ok(enabled)
}
