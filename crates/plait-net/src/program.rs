//! A net as a program: one cell a place, one event an event.
//!
//! Guards and assignments follow the effects, in their order: `place >= needed` where tokens are needed,
//! `place = place + change` where something changes. So the assignments of all events are numbered as
//! [`Net::assignment`] counts them.
//!
//! What the program compiles an event to, tests and updates, is known without it ([`Net::tests`],
//! [`Net::updates`]): who needs no more does not have it built ([`Net::deferred`]).

use std::sync::Arc;

use plait_program::arithmetic::CompareOp;
use plait_program::interval::Interval;
use plait_program::{BuildError, Builder, Deferred, Frozen, Test, Update};

use crate::net::Net;

impl Net {
    /// The builder of the net's program.
    pub fn builder(&self) -> Result<Builder, BuildError> {
        let mut builder = Builder::new();
        for (name, tokens) in self.places.names.iter().zip(&self.tokens) {
            builder.cell(name, *tokens, 0, i32::MAX)?;
        }
        let (mut guard, mut body) = (Vec::new(), Vec::new());
        for (number, name) in self.events.names.iter().enumerate() {
            guard.clear();
            body.clear();
            for effect in self.event(number).iter().filter(|e| e.needed > 0) {
                let (place, needed) = (
                    builder.load(effect.place)?,
                    builder.constant(effect.needed)?,
                );
                guard.push(builder.compare(">=", place, needed)?);
            }
            for effect in self.event(number).iter().filter(|e| e.change != 0) {
                let place = builder.load(effect.place)?;
                let op = if effect.change > 0 { "+" } else { "-" };
                // A change is a difference of natural numbers, so its opposite is one too.
                let amount = builder.constant(effect.change.abs())?;
                let value = builder.binary(op, place, amount)?;
                body.push(builder.assign(effect.place, value)?);
            }
            builder.event(name, &guard, &body, None)?;
        }
        Ok(builder)
    }

    /// The program, built when it is first looked at; an error when it would be too large.
    pub fn deferred(self: &Arc<Net>) -> Result<Deferred, BuildError> {
        // A place is loaded and a constant is named once; an effect is at most a comparison and a sum.
        let most = 2 * self.places.len() + 4 * self.arcs();
        if u32::try_from(most).is_err() {
            return Err(BuildError::TooMany("expressions"));
        }
        let net = Arc::clone(self);
        Ok(Deferred::new(move || {
            let builder = net.builder().expect("names and numbers of a net fit");
            let program = Arc::new(builder.freeze().expect("a net calls nothing"));
            Frozen { builder, program }
        }))
    }

    /// What an event tests.
    pub fn tests(&self, event: usize) -> Vec<Test> {
        let needed = self.event(event).iter().filter(|e| e.needed > 0);
        let tests = needed.filter_map(|e| {
            let interval = Interval::of(CompareOp::GreaterEqual, e.needed)?;
            let cell = e.place;
            Some(Test { cell, interval })
        });
        tests.collect()
    }

    /// What an event changes, place by place, ascending.
    pub fn updates(&self, event: usize) -> Vec<Update> {
        let changing = self.event(event).iter().filter(|e| e.change != 0);
        let updates = changing.map(|e| Update {
            cell: e.place,
            keep: -1,
            amount: e.change,
        });
        let mut updates: Vec<Update> = updates.collect();
        updates.sort_unstable_by_key(|u| u.cell);
        updates
    }
}
