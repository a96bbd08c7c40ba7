//! Conditions over the variables of a diagram, in strong Kleene logic, simplified as they are built.
//!
//! Conjunctions and disjunctions are lists, sorted as the sums of `expression` are, the condition of the
//! greatest top first; negation is pushed to the comparisons. There are two negations: `not`, which is
//! undefined where its operand is, and `fails`, which is true there (ITS specification, 3.2).
//!
//! No rule makes an undefined condition defined: `a == a` is true only where `a` is never undefined.

use plait_dd::stack::deep;
use plait_program::arithmetic::CompareOp;

use super::expression::{Expr, Form, Pool};

impl Pool {
    /// `a op b`.
    pub fn compare(&mut self, op: CompareOp, a: Expr, b: Expr) -> Expr {
        let (fa, fb) = (self.form(a), self.form(b));
        match (fa, fb) {
            (Form::Bottom, _) | (_, Form::Bottom) => return self.undefined(),
            (Form::Constant(x), Form::Constant(y)) => return self.truth(op.apply(x, y)),
            (Form::Constant(_), _) => return self.compare(op.mirrored(), b, a),
            _ => {}
        }
        if a == b && self.is_total(a) {
            return self.truth(op.apply(0, 0));
        }
        if let (Form::AsInteger(c), Form::Constant(k)) = (fa, fb) {
            match (op.apply(0, k), op.apply(1, k)) {
                (false, true) => return c,
                (true, false) => return self.not(c),
                (same, _) if self.is_total(c) => return self.truth(same),
                _ => {}
            }
        }
        let (mut a, mut b) = (a, b);
        if matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            // Equality survives adding the same to both sides, also around the greatest integer.
            let ((ka, ra), (kb, rb)) = (self.offset_of(a), self.offset_of(b));
            a = ra;
            b = self.with_offset(kb.wrapping_sub(ka), rb);
            if self.form(a) == Form::Constant(0) {
                (a, b) = (b, a);
            }
        }
        let constant = matches!(self.form(b), Form::Constant(_));
        if !constant && self.before(b, a) {
            return self.intern(Form::Compare(op.mirrored(), b, a));
        }
        self.intern(Form::Compare(op, a, b))
    }

    /// Kleene negation.
    pub fn not(&mut self, c: Expr) -> Expr {
        match self.form(c) {
            Form::Truth(b) => return self.truth(!b),
            Form::Undefined => return c,
            Form::Compare(op, a, b) => return self.intern(Form::Compare(op.negated(), a, b)),
            Form::Fails(inner) => {
                return match self.form(inner) {
                    Form::Fails(_) => inner,
                    _ => self.intern(Form::Fails(c)),
                };
            }
            _ => {}
        }
        if let Some(known) = self.negations.get(&c) {
            return *known;
        }
        let result = deep(|| match self.form(c) {
            Form::And(a, b) => {
                let (a, b) = (self.not(a), self.not(b));
                self.or(a, b)
            }
            Form::Or(a, b) => {
                let (a, b) = (self.not(a), self.not(b));
                self.and(a, b)
            }
            Form::Iff(a, b) => {
                let a = self.not(a);
                self.iff(a, b)
            }
            other => unreachable!("{other:?} is no condition"),
        });
        self.negations.insert(c, result);
        result
    }

    /// True when the condition is not true, else false.
    pub fn fails(&mut self, c: Expr) -> Expr {
        match self.form(c) {
            Form::Undefined => return self.truth(true),
            _ if self.is_total(c) => return self.not(c),
            Form::Compare(..) | Form::Iff(..) => return self.intern(Form::Fails(c)),
            _ => {}
        }
        if let Some(known) = self.failures.get(&c) {
            return *known;
        }
        let result = deep(|| match self.form(c) {
            Form::And(a, b) => {
                let (a, b) = (self.fails(a), self.fails(b));
                self.or(a, b)
            }
            Form::Or(a, b) => {
                let (a, b) = (self.fails(a), self.fails(b));
                self.and(a, b)
            }
            other => unreachable!("{other:?} is no partial condition"),
        });
        self.failures.insert(c, result);
        result
    }

    /// `a <-> b`.
    pub fn iff(&mut self, a: Expr, b: Expr) -> Expr {
        match (self.form(a), self.form(b)) {
            (Form::Undefined, _) | (_, Form::Undefined) => return self.undefined(),
            (Form::Truth(true), _) => return b,
            (_, Form::Truth(true)) => return a,
            (Form::Truth(false), _) => return self.not(b),
            (_, Form::Truth(false)) => return self.not(a),
            _ => {}
        }
        if a == b && self.is_total(a) {
            return self.truth(true);
        }
        let (a, b) = if self.before(b, a) { (b, a) } else { (a, b) };
        self.intern(Form::Iff(a, b))
    }

    /// Kleene conjunction.
    pub fn and(&mut self, a: Expr, b: Expr) -> Expr {
        self.junction(true, a, b)
    }

    /// Kleene disjunction.
    pub fn or(&mut self, a: Expr, b: Expr) -> Expr {
        self.junction(false, a, b)
    }

    /// The conjunction of many; of none: true.
    pub fn and_all(&mut self, conditions: &[Expr]) -> Expr {
        self.junctions(true, conditions)
    }

    /// The disjunction of many; of none: false.
    pub fn or_all(&mut self, conditions: &[Expr]) -> Expr {
        self.junctions(false, conditions)
    }

    fn junctions(&mut self, is_and: bool, conditions: &[Expr]) -> Expr {
        let mut list = conditions.to_vec();
        // Lists are merged from their ends, so that each merge is short.
        list.sort_by_key(|c| (self.top(*c), *c));
        let neutral = self.truth(is_and);
        list.into_iter()
            .fold(neutral, |all, c| self.junction(is_and, c, all))
    }

    /// The first condition of a list and the rest, if there is any.
    fn first_condition(&self, is_and: bool, e: Expr) -> (Expr, Option<Expr>) {
        match self.form(e) {
            Form::And(a, rest) if is_and => (a, Some(rest)),
            Form::Or(a, rest) if !is_and => (a, Some(rest)),
            _ => (e, None),
        }
    }

    fn junction(&mut self, is_and: bool, a: Expr, b: Expr) -> Expr {
        let (fa, fb) = (self.form(a), self.form(b));
        if a == b || fb == Form::Truth(is_and) {
            return a;
        }
        if fa == Form::Truth(is_and) {
            return b;
        }
        if fa == Form::Truth(!is_and) || fb == Form::Truth(!is_and) {
            return self.truth(!is_and);
        }
        deep(|| {
            let (ca, ra) = self.first_condition(is_and, a);
            let (cb, rb) = self.first_condition(is_and, b);
            let (first, one, other) = if ca == cb {
                (ca, ra, rb)
            } else if self.before(ca, cb) {
                (ca, ra, Some(b))
            } else {
                (cb, Some(a), rb)
            };
            let rest = match (one, other) {
                (Some(one), Some(other)) => self.junction(is_and, one, other),
                (Some(rest), None) | (None, Some(rest)) => rest,
                (None, None) => return first,
            };
            if self.form(rest) == Form::Truth(!is_and) {
                return rest;
            }
            self.intern(if is_and {
                Form::And(first, rest)
            } else {
                Form::Or(first, rest)
            })
        })
    }
}
