//! Where a question is true: states of a set that satisfy a condition, and the values of integers.

use std::collections::HashMap;

use plait_dd::{Node, Root};
use plait_program::expr::Pool;
use plait_program::ExprId;

use crate::encoded::{Encoded, Halt};
use crate::hom::Expr;
use crate::question::{Part, Question, TooManyCases};
use crate::translate::Translator;

/// Where parts of a question are true, and where they are false, in one set.
type Known = HashMap<(usize, bool), Root>;

impl Encoded {
    /// The question that a condition of the program asks; `pool` holds the condition.
    pub fn question(&mut self, pool: &Pool, id: ExprId) -> Result<Question, TooManyCases> {
        let program = self.source.program();
        let mut translator = Translator::new(program, pool, &self.variables, &mut self.homs);
        Question::new(&mut translator, id)
    }

    /// An integer of the program, over variables; `pool` holds it. `None` if it asks about events.
    pub fn integer(&mut self, pool: &Pool, id: ExprId) -> Option<Expr> {
        let program = self.source.program();
        let mut translator = Translator::new(program, pool, &self.variables, &mut self.homs);
        (!pool.asks_events(id)).then(|| translator.expression(id))
    }

    /// The states of a set where the question is true.
    pub fn select(&mut self, set: Node, question: &Question) -> Result<Root, Halt> {
        let whole = question.parts.len() - 1;
        let set = self.dd.root(set);
        self.truth(question, whole, &set, true, &mut None)
    }

    /// The states of a set where a part of a question is true, or where it is false.
    ///
    /// A part is asked only about the states that the parts before it leave. Not so inside an
    /// equivalence, which asks its sides twice: there all is about one set, and what is `known`
    /// about it is kept, or nested equivalences would take exponential time.
    fn truth(
        &mut self,
        question: &Question,
        at: usize,
        set: &Root,
        wanted: bool,
        known: &mut Option<Known>,
    ) -> Result<Root, Halt> {
        if let Some(root) = known.as_ref().and_then(|k| k.get(&(at, wanted))) {
            return Ok(root.clone());
        }
        let found = plait_dd::stack::deep(|| self.truth_anew(question, at, set, wanted, known))?;
        if let Some(known) = known {
            known.insert((at, wanted), found.clone());
        }
        Ok(found)
    }

    fn truth_anew(
        &mut self,
        question: &Question,
        at: usize,
        set: &Root,
        wanted: bool,
        known: &mut Option<Known>,
    ) -> Result<Root, Halt> {
        match &question.parts[at] {
            Part::Plain(condition) => self.holds(*condition, set, wanted),
            Part::Not(a) => self.truth(question, *a, set, !wanted, known),
            Part::All(parts) | Part::Any(parts) => {
                let all = matches!(question.parts[at], Part::All(_)) == wanted;
                if all {
                    let asked = parts.iter().map(|part| (*part, wanted));
                    return self.narrowed(question, asked, set, known);
                }
                let mut found = self.dd.root(Node::ZERO);
                for part in parts {
                    let more = self.truth(question, *part, set, wanted, known)?;
                    found = self.union(&found, &more)?;
                }
                Ok(found)
            }
            Part::Iff(a, b) => {
                let outermost = known.is_none();
                known.get_or_insert_with(Known::new);
                let mut found = self.dd.root(Node::ZERO);
                for side in [true, false] {
                    let left = self.truth(question, *a, set, side, known)?;
                    let right = self.truth(question, *b, set, side == wanted, known)?;
                    let more = self.intersection(&left, &right)?;
                    found = self.union(&found, &more)?;
                }
                if outermost {
                    *known = None;
                }
                Ok(found)
            }
            Part::Fails(a) => {
                let holds = self.truth(question, *a, set, true, known)?;
                self.these(set, holds, !wanted)
            }
            Part::Enabled(events) => {
                let found = self.one_enabled(events, set)?;
                self.these(set, found, wanted)
            }
            Part::Dead => {
                let dead = self.dead(set.node())?;
                self.these(set, dead, wanted)
            }
            Part::Cases(asked, residues) => {
                let mut found = self.dd.root(Node::ZERO);
                for (truths, residue) in residues.iter().enumerate() {
                    let bits = asked.iter().enumerate();
                    let asked = bits.map(|(bit, part)| (*part, truths >> bit & 1 == 1));
                    let case = self.narrowed(question, asked, set, known)?;
                    let more = self.holds(*residue, &case, wanted)?;
                    found = self.union(&found, &more)?;
                }
                Ok(found)
            }
        }
    }

    /// The states of a set where each of some parts of the question is true, or false, as is said.
    fn narrowed(
        &mut self,
        question: &Question,
        asked: impl Iterator<Item = (usize, bool)>,
        set: &Root,
        known: &mut Option<Known>,
    ) -> Result<Root, Halt> {
        let mut left = set.clone();
        for (at, wanted) in asked {
            left = if known.is_none() {
                self.truth(question, at, &left, wanted, known)?
            } else {
                let everywhere = self.truth(question, at, set, wanted, known)?;
                self.intersection(&left, &everywhere)?
            };
        }
        Ok(left)
    }

    /// Of a set the states that were found, or all others.
    fn these(&mut self, set: &Root, found: Root, wanted: bool) -> Result<Root, Halt> {
        if wanted {
            return Ok(found);
        }
        self.difference(set, &found)
    }

    fn holds(&mut self, condition: Expr, set: &Root, wanted: bool) -> Result<Root, Halt> {
        let condition = if wanted {
            condition
        } else {
            self.homs.pool.not(condition)
        };
        let selector = self.homs.pred(condition);
        self.image(selector, set.node())
    }

    /// The states of a set in which one of the events has a successor.
    ///
    /// Of a net that is one condition, whose residues are kept: a union of the states of each event
    /// would be as many operations on diagrams that may be as large as the set.
    fn one_enabled(&mut self, events: &[u32], set: &Root) -> Result<Root, Halt> {
        if let (Some(net), true) = (&self.net, events.len() > 1) {
            let mut sorted = events.to_vec();
            sorted.sort_unstable();
            let condition = net.one_enabled(&mut self.homs, &self.variables, &sorted);
            return self.holds(condition, set, true);
        }
        let mut found = self.dd.root(Node::ZERO);
        for event in events {
            let more = self.enabled(*event, set.node())?;
            found = self.union(&found, &more)?;
        }
        Ok(found)
    }

    /// The least and the greatest value of an expression over a set, where it is defined.
    pub fn extrema(&mut self, set: Node, e: Expr) -> Result<Option<(i32, i32)>, Halt> {
        let classes = self.homs.partition(&mut self.dd, e, set)?;
        let values = classes.into_iter().filter_map(|(value, _)| value);
        Ok(values.fold(None, |range: Option<(i32, i32)>, value| {
            Some(range.map_or((value, value), |(low, high)| {
                (low.min(value), high.max(value))
            }))
        }))
    }
}
