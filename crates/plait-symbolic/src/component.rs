//! A program as a part of a larger system: every event, called or free, as a homomorphism of its own.
//!
//! What calls the events, and how often a part occurs, is decided outside (ITS specification, 5.1): the
//! contract of a type is its initial state and one homomorphism for each label.

use std::sync::Arc;

use plait_program::expr::Pool;
use plait_program::Program;

use crate::general::opaque;
use crate::hom::{Hom, Homs};
use crate::translate::Translator;

/// An event of a component.
#[derive(Clone, Copy, Debug)]
pub struct ComponentEvent {
    /// What it does to a set of states.
    pub hom: Hom,
    /// The selector of the states in which it has no successor; `None` when that is no condition.
    pub blocked: Option<Hom>,
}

/// The events of a program in order, over one variable for each cell. `first_statement` is added to the
/// numbers of statements that faults and notes name.
pub fn component_events(
    program: &Arc<Program>,
    pool: &Pool,
    variables: &[u32],
    first_statement: u32,
    homs: &mut Homs,
) -> Vec<ComponentEvent> {
    let mut translator = Translator::new(program, pool, variables, homs);
    translator.first_statement = first_statement;
    let mut found = Vec::with_capacity(program.events().len());
    for event in 0..program.events().len() as u32 {
        let hom = translator.event(event);
        let enabled = translator.enabled(event);
        let hom = hom.unwrap_or_else(|| opaque(program, event, variables, translator.homs));
        let blocked = enabled.map(|condition| {
            let fails = translator.homs.pool.fails(condition);
            translator.homs.pred(fails)
        });
        found.push(ComponentEvent { hom, blocked });
    }
    found
}
