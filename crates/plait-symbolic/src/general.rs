//! Programs of any kind as homomorphisms on sets with one variable a cell.

use std::sync::Arc;

use plait_program::expr::Pool;
use plait_program::{Failure, Machine, Program, StateSet, Watch};

use crate::hom::{Expr, Hom, Homs};
use crate::translate::Translator;

/// What is known of one free event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventHom {
    pub event: u32,
    /// What it does to a set of states.
    pub hom: Hom,
    /// When it has a successor; `None` when that is no condition.
    pub enabled: Option<Expr>,
    /// It has at most one successor from a state.
    pub deterministic: bool,
}

/// The free events of the program.
pub(crate) fn events_of(
    program: &Arc<Program>,
    pool: &Pool,
    variables: &[u32],
    homs: &mut Homs,
) -> Vec<EventHom> {
    let mut translator = Translator::new(program, pool, variables, homs);
    let mut found = Vec::with_capacity(program.free().len());
    for event in program.free() {
        let hom = translator.event(*event);
        let enabled = translator.enabled(*event);
        let hom = hom.unwrap_or_else(|| opaque(program, *event, variables, translator.homs));
        let declared = &program.events()[*event as usize];
        found.push(EventHom {
            event: *event,
            hom,
            enabled,
            deterministic: declared.variants().is_some_and(|v| v.len() <= 1),
        });
    }
    found
}

/// An event that is executed state by state, on the cells that it may read or write.
pub(crate) fn opaque(
    program: &Arc<Program>,
    event: u32,
    variables: &[u32],
    homs: &mut Homs,
) -> Hom {
    let support = program.support(event);
    let ranges = support.reads.ranges().iter().chain(support.writes.ranges());
    let cells = plait_program::CellSet::from_ranges(ranges.copied().collect());
    let cells = cells.ranges().iter().flat_map(|(first, end)| *first..*end);
    let cells: Vec<usize> = cells.map(|cell| cell as usize).collect();
    let of_cells: Vec<u32> = cells.iter().map(|cell| variables[*cell]).collect();
    let program = Arc::clone(program);
    let mut machine = Machine::new(&program);
    let mut state = program.initial();
    let function = move |values: &[i32], answers: &mut Vec<i32>, watch: &mut dyn Watch| {
        for (cell, value) in cells.iter().zip(values) {
            state[*cell] = *value;
        }
        let mut found = StateSet::new(state.len());
        machine.successors(&program, event, &mut state, watch, &mut found)?;
        for successor in found.iter() {
            answers.extend(cells.iter().map(|cell| successor[*cell]));
        }
        Ok::<(), Failure>(())
    };
    homs.opaque(&of_cells, Box::new(function))
}
