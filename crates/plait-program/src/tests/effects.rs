//! What is said of a variant cell by cell, held against what executions make of states.

use proptest::prelude::*;

use super::{state, successors};
use crate::testing::random;
use crate::testing::recipe::Recipe;
use crate::{Access, Effect, Summary};

/// Whether the variant may have led from the one state to the other, by its account of the cells.
fn explains(summary: &Summary, from: &[i32], to: &[i32]) -> bool {
    (0u32..).zip(from.iter().zip(to)).all(|(cell, (old, new))| {
        let access = summary.accesses.get(&cell).unwrap_or(&Access::NONE);
        let changed = match access.effect {
            Effect::Keep => new == old,
            Effect::Add(amount) => *new == old.wrapping_add(amount),
            Effect::Set(value) => *new == value,
            Effect::Reflect(whole) => *new == whole.wrapping_sub(*old),
            Effect::Any => true,
        };
        changed && access.test.contains(*old)
    })
}

fn every_step_is_explained(recipe: &Recipe, from: &[i32]) -> Result<(), TestCaseError> {
    let program = recipe.builder().unwrap().freeze().unwrap();
    let Ok(pairs) = successors(&program, from) else {
        return Ok(()); // the model goes wrong here
    };
    for (event, to) in pairs {
        if let Some(variants) = program.summaries(event) {
            let explained = variants.iter().any(|v| explains(v, from, &to));
            prop_assert!(explained, "event {event} leads to {to:?}: {variants:?}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn summaries_tell_how_cells_change(recipe in random::recipe(), state in state()) {
        every_step_is_explained(&recipe, &state)?;
    }

    #[test]
    fn summaries_of_blocks_tell_how_cells_change(recipe in random::block(), state in state()) {
        every_step_is_explained(&recipe, &state)?;
    }
}
