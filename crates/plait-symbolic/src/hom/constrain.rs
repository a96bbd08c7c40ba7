//! Fixpoints under a constraint.
//!
//! ITS specification, 2.10. In `(s o H + Id)^*` (test after the step) and `(H o s + Id)^*` (test before)
//! the selector stands in the way of saturation: its range makes it the top of everything. Only the
//! terms of `H` that do not commute with `s` need it. With `T = (C + s o N + Id)^*`, where `C` are the
//! terms that commute and `N` the others:
//!
//! - `(s o H + Id)^* = Id + T o s o (N + Id)`
//! - `(H o s + Id)^* = Id + (N + Id) o T o s`
//!
//! If `s` is a conjunction, a term of `N` is followed only by the conjuncts that it does not commute
//! with: on states that satisfy the others, it preserves them.
//!
//! With terms that have effects nothing is rewritten: `C` would not be tried on states outside `s`.

use super::term::{Hom, Term};
use super::{Homs, Misuse};

impl Homs {
    /// `(s o H + Id)^*`: steps whose result must satisfy the selector.
    pub fn closure_testing_after(&mut self, s: Hom, h: Hom) -> Result<Hom, Misuse> {
        self.constrained(s, h, true)
    }

    /// `(H o s + Id)^*`: steps from states that satisfy the selector.
    pub fn closure_testing_before(&mut self, s: Hom, h: Hom) -> Result<Hom, Misuse> {
        self.constrained(s, h, false)
    }

    fn constrained(&mut self, s: Hom, h: Hom, after: bool) -> Result<Hom, Misuse> {
        if !self.is_selector(s) {
            return Err(Misuse::NotASelector);
        }
        if let Some(form) = self.constrained_by(s, h, after) {
            return Ok(form);
        }
        let step = if after {
            self.compose(s, h)
        } else {
            self.compose(h, s)
        };
        let step = self.sum(&[step, Hom::ID]);
        Ok(self.plain_fixpoint(step))
    }

    /// Recognises the patterns among the terms of `(... + Id)^*`.
    pub(super) fn constrained_form(&mut self, terms: &[Hom]) -> Option<Hom> {
        let [one] = terms else {
            return None;
        };
        let Term::Compose(a, b) = self.term(*one) else {
            return None;
        };
        let is_sum = |h: Hom| matches!(self.term(h), Term::Sum(..));
        if self.is_selector(a) && is_sum(b) {
            self.constrained_by(a, b, true)
        } else if self.is_selector(b) && is_sum(a) {
            self.constrained_by(b, a, false)
        } else {
            None
        }
    }

    /// The rewritten form, when some term commutes with some conjunct of the selector.
    fn constrained_by(&mut self, s: Hom, h: Hom, after: bool) -> Option<Hom> {
        let facts = self.facts(h);
        if facts.effects || !facts.linear {
            return None;
        }
        let (terms, _) = self.summands(&[h]);
        let conjuncts = self.blocks(s);
        let mut closing = vec![Hom::ID];
        let mut others = vec![Hom::ID];
        let mut gained = false;
        for term in terms {
            let mut needed = Vec::new();
            for conjunct in &conjuncts {
                if !self.commute(term, *conjunct) {
                    needed.push(*conjunct);
                }
            }
            gained |= needed.len() < conjuncts.len();
            if !needed.is_empty() {
                others.push(term);
            }
            let needed = self.and_of(needed);
            closing.push(self.compose(needed, term));
        }
        if !gained {
            return None;
        }
        let closing = self.sum(&closing);
        let closing = self.plain_fixpoint(closing);
        let others = self.sum(&others);
        let chain = if after {
            let tested = self.compose(s, others);
            self.compose(closing, tested)
        } else {
            let closed = self.compose(closing, s);
            self.compose(others, closed)
        };
        Some(self.sum(&[chain, Hom::ID]))
    }
}
