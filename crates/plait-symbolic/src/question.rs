//! Conditions about states that may ask which events are enabled.
//!
//! An ordinary condition selects states by one homomorphism. `Enabled` and `Deadlock` are sets of
//! their own, so what is built over them is taken apart: a question has the states where it is true and
//! those where it is false (where it is undefined it is neither), and both are computed from those of
//! its parts by Kleene's tables. That one of several events is enabled, or none of them, is one part,
//! however it is spelled: states are selected once for all of them.

use std::collections::HashMap;

use plait_program::expr::{Node as Form, Pool};
use plait_program::ExprId;

use crate::hom::Expr;
use crate::translate::Translator;

/// The most conditions about events that may stand inside one comparison, as numbers.
const CASES: usize = 10;

/// A condition; parts name earlier parts by position, and the last is the whole.
#[derive(Clone, Debug)]
pub struct Question {
    pub(crate) parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A condition on values.
    Plain(Expr),
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
    Iff(usize, usize),
    /// Where the part is not true.
    Fails(usize),
    /// One of these events is enabled.
    Enabled(Vec<u32>),
    /// No free event is enabled.
    Dead,
    /// A comparison in which the truth values of some parts stand as numbers: the comparison for each
    /// of their combinations, the first part in the lowest bit.
    Cases(Vec<usize>, Vec<Expr>),
}

/// A condition that is too large to be taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a comparison counts more than {CASES} conditions about events")]
pub struct TooManyCases;

impl Question {
    /// The question that a condition asks.
    pub(crate) fn new(
        translator: &mut Translator<'_>,
        root: ExprId,
    ) -> Result<Question, TooManyCases> {
        let mut builder = Builder {
            parts: Vec::new(),
            places: HashMap::new(),
        };
        builder.build(translator, root)?;
        Ok(Question {
            parts: builder.parts,
        })
    }
}

struct Builder {
    parts: Vec<Part>,
    places: HashMap<ExprId, usize>,
}

impl Builder {
    fn build(&mut self, translator: &mut Translator<'_>, root: ExprId) -> Result<(), TooManyCases> {
        let pool = translator.pool;
        let mut stack = vec![root];
        while let Some(id) = stack.last().copied() {
            if self.places.contains_key(&id) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            if pool.asks_events(id) {
                let missing = parts_of(pool, id).into_iter();
                stack.extend(missing.filter(|p| !self.places.contains_key(p)));
            }
            if stack.len() == waiting {
                let part = self.part(translator, id)?;
                self.parts.push(part);
                self.places.insert(id, self.parts.len() - 1);
                stack.pop();
            }
        }
        Ok(())
    }

    fn part(&mut self, translator: &mut Translator<'_>, id: ExprId) -> Result<Part, TooManyCases> {
        let pool = translator.pool;
        if !pool.asks_events(id) {
            return Ok(Part::Plain(translator.expression(id)));
        }
        let place = |id: &ExprId| self.places[id];
        Ok(match pool.node(id) {
            Form::Not(a) => Part::Not(place(a)),
            Form::And(list) => {
                let places = list.iter().map(place).collect();
                Part::All(self.with_events_together(places, false))
            }
            Form::Or(list) => {
                let places = list.iter().map(place).collect();
                Part::Any(self.with_events_together(places, true))
            }
            Form::Iff(a, b) => Part::Iff(place(a), place(b)),
            Form::Fails(a) => Part::Fails(place(a)),
            Form::Enabled(events) => Part::Enabled(events.to_vec()),
            Form::Deadlock => Part::Dead,
            _ => {
                let asked = counted(pool, id);
                if asked.len() > CASES {
                    return Err(TooManyCases);
                }
                let residues = (0..1u32 << asked.len()).map(|truths| {
                    let known = asked.iter().enumerate();
                    let known = known.map(|(bit, (number, _))| {
                        let value = (truths >> bit & 1) as i32;
                        (*number, translator.homs.pool.constant(value))
                    });
                    let known = known.collect();
                    translator.residue(id, known)
                });
                let residues = residues.collect();
                Part::Cases(asked.iter().map(|(_, c)| place(c)).collect(), residues)
            }
        })
    }

    /// The parts of a disjunction with one for all events that it asks for; of a conjunction with one
    /// for those of which it asks that none is enabled.
    fn with_events_together(&mut self, places: Vec<usize>, enabled: bool) -> Vec<usize> {
        let (mut events, mut others, mut count) = (Vec::new(), Vec::new(), 0);
        for place in &places {
            let asked = match &self.parts[*place] {
                Part::Enabled(some) if enabled => Some(some),
                Part::Not(a) if !enabled => match &self.parts[*a] {
                    Part::Enabled(some) => Some(some),
                    _ => None,
                },
                _ => None,
            };
            match asked {
                Some(some) => {
                    events.extend_from_slice(some);
                    count += 1;
                }
                None => others.push(*place),
            }
        }
        if count < 2 {
            return places;
        }
        events.sort_unstable();
        events.dedup();
        self.parts.push(Part::Enabled(events));
        if !enabled {
            self.parts.push(Part::Not(self.parts.len() - 1));
        }
        others.push(self.parts.len() - 1);
        others
    }
}

/// The conditions that a question about events is made of.
fn parts_of(pool: &Pool, id: ExprId) -> Vec<ExprId> {
    match pool.node(id) {
        Form::Compare(..) => counted(pool, id).into_iter().map(|(_, c)| c).collect(),
        form => {
            let mut parts = Vec::new();
            form.operands(|a| parts.push(a));
            parts
        }
    }
}

/// The numbers inside a comparison that are truth values of conditions about events, each with its
/// condition.
fn counted(pool: &Pool, id: ExprId) -> Vec<(ExprId, ExprId)> {
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        if !pool.asks_events(id) || !seen.insert(id) {
            continue;
        }
        match pool.node(id) {
            Form::AsInteger(condition) => found.push((id, *condition)),
            form => form.operands(|a| stack.push(a)),
        }
    }
    found.sort_unstable();
    found
}
