//! The successors of one state, event by event: for those who look for the way after the search.

use plait_program::{Failure, Machine, Program, StateSet, Unwatched};

/// Shows each event with each of its successors, until the visitor has seen enough.
pub(crate) fn each_successor(
    program: &Program,
    machine: &mut Machine,
    from: &[i32],
    mut visit: impl FnMut(u32, &[i32]) -> bool,
) -> Result<(), Failure> {
    let mut cells = from.to_vec();
    let mut found = StateSet::new(cells.len());
    for event in program.free() {
        found.clear();
        machine.successors(program, *event, &mut cells, &mut Unwatched, &mut found)?;
        if found.iter().any(|state| visit(*event, state)) {
            break;
        }
    }
    Ok(())
}

/// The first event that leads from one state to the other, if one does.
pub(crate) fn event_between(
    program: &Program,
    machine: &mut Machine,
    from: &[i32],
    to: &[i32],
) -> Result<Option<u32>, Failure> {
    let mut first = None;
    each_successor(program, machine, from, |event, state| {
        first = (state == to).then_some(event);
        first.is_some()
    })?;
    Ok(first)
}
