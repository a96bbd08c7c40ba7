//! A net as a program: one cell a place, one event an event.
//!
//! Guards and assignments follow the effects, in their order: `place >= needed` where tokens are needed,
//! `place = place + change` where something changes. So the assignments of all events are numbered as
//! [`Net::assignment`] counts them.

use plait_program::{BuildError, Builder};

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
}
