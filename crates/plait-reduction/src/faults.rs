//! Which events may go wrong: leave the domain of a cell, or repeat for ever.
//!
//! A reduction that keeps only deadlocks may miss such an event, so it must be known whether there is
//! one. An assignment is harmless when the bounds of its value, worked out from the values that the
//! cells can have and from what the event tests, lie in the domain of its target. Going over the
//! greatest integer where the domain has no other end does not count: that is a limit of ours, and a
//! search that does not meet it is right.

use std::collections::HashMap;

use plait_program::ranges::{Bounds, ANY};
use plait_program::{Program, Summary};

use crate::dependency::CellUse;
use crate::pieces::Pieces;

/// Whether executing the event may be an error of the model.
pub(crate) fn may_fail(program: &Program, event: u32, cells: &HashMap<u32, CellUse>) -> bool {
    match program.summaries(event) {
        Some(variants) => variants
            .iter()
            .any(|v| v.repeats || leaves(program, v, cells)),
        None => true,
    }
}

/// Whether a straight-line form of the event may leave the domain of a cell.
pub(crate) fn may_leave(program: &Program, event: u32, cells: &HashMap<u32, CellUse>) -> bool {
    let variants = program.summaries(event);
    variants.is_some_and(|variants| variants.iter().any(|v| leaves(program, v, cells)))
}

fn leaves(program: &Program, variant: &Summary, cells: &HashMap<u32, CellUse>) -> bool {
    let domain = |cell: u32| -> Bounds {
        let cell = &program.cells()[cell as usize];
        (i64::from(cell.low), i64::from(cell.high))
    };
    let mut written: Vec<(u32, u32)> = Vec::new();
    for ((first, end), value) in &variant.stores {
        let known = |cell: u32| -> Bounds {
            if written.iter().any(|(a, b)| *a <= cell && cell < *b) {
                return domain(cell); // a value on the way
            }
            let (Some(used), Some(access)) = (cells.get(&cell), variant.accesses.get(&cell)) else {
                return domain(cell);
            };
            let here = Pieces::of(access.test).and(&used.place.range);
            here.bounds().unwrap_or_else(|| domain(cell))
        };
        let (low, high) = program.condition(*value).range(&known);
        for cell in *first..*end {
            let (least, most) = domain(cell);
            let up = most == ANY.1 && (low, high) == ANY && counts_up(program, *value, cell, least);
            if !up && (low < least || high > most) {
                return true;
            }
        }
        written.push((*first, *end));
    }
    false
}

/// The value is the cell itself plus a positive constant, and the domain ends with the integers.
fn counts_up(program: &Program, value: u32, cell: u32, least: i64) -> bool {
    let add = program.condition(value).increment_of(cell);
    add.is_some_and(|amount| amount > 0) && least >= 0
}
