//! Programs of any kind as homomorphisms on sets with one variable a cell.

use std::sync::Arc;

use plait_program::expr::Pool;
use plait_program::{Failure, Machine, Program, StateSet, Variant, Watch};

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
    /// It is a wide step: too many states come into question before one, or follow one, to be listed.
    pub wide: bool,
}

/// The most statements of an event that is no wide step for their number.
const MANY: usize = 12;

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
        let wide =
            hom.is_some_and(|hom| translator.homs.is_in_turn(hom) || is_wide(program, *event));
        let hom = hom.unwrap_or_else(|| opaque(program, *event, variables, translator.homs));
        let declared = &program.events()[*event as usize];
        found.push(EventHom {
            event: *event,
            hom,
            wide,
            enabled,
            deterministic: declared.variants().is_some_and(|v| v.len() <= 1),
        });
    }
    found
}

fn is_wide(program: &Program, event: u32) -> bool {
    let declared = &program.events()[event as usize];
    let is_net = |v: &Variant| v.net().is_some();
    let variants = declared.variants();
    declared.decl.body.len() > MANY && !variants.is_some_and(|list| list.iter().all(is_net))
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
