//! Substitution in expressions, and what it is for: partial evaluation down a diagram.
//!
//! At a node of variable `x` all variables above have been replaced by values, so `x` is in the support
//! exactly when it is the top. After `x` itself has been substituted the top is still `x` only if some
//! `array[index]` with `x` among its cells has an index that reads lower variables. [`Pool::pending`]
//! finds such an index; once its value is known ([`Pool::replace`]), substituting again resolves the
//! cell (ITS specification, 3.4).

use plait_dd::stack::deep;

use super::expression::{Array, Expr, Form, Pool};

/// What an expression or a homomorphism depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// Single variables, ascending.
    pub variables: Vec<u32>,
    /// Arrays of which any cell may be meant, ascending.
    pub arrays: Vec<Array>,
}

impl Support {
    /// The union.
    pub(super) fn add(&mut self, other: &Support) {
        self.variables.extend(&other.variables);
        self.variables.sort_unstable();
        self.variables.dedup();
        self.arrays.extend(&other.arrays);
        self.arrays.sort_unstable();
        self.arrays.dedup();
    }
}

impl Pool {
    /// The expression with a variable replaced by a value.
    pub fn substitute(&mut self, e: Expr, variable: u32, value: i32) -> Expr {
        if self.top(e) < variable {
            return e;
        }
        if let Form::Read(x) = self.form(e) {
            return if x == variable {
                self.constant(value)
            } else {
                e
            };
        }
        if let Some(known) = self.results.get(e.0, variable, value) {
            return Expr(known);
        }
        let result = deep(|| {
            if let Form::Element(array, index) = self.form(e) {
                let index = self.substitute(index, variable, value);
                let cell = self.element(array, index);
                return if self.form(cell) == Form::Read(variable) {
                    self.constant(value)
                } else {
                    cell
                };
            }
            self.rebuild(e, |pool, part| pool.substitute(part, variable, value))
        });
        self.results.put(e.0, variable, value, result.0);
        result
    }

    /// The expression with a part replaced by its value (`None`: undefined).
    pub fn replace(&mut self, e: Expr, part: Expr, value: Option<i32>) -> Expr {
        let constant = match (value, self.is_condition(part)) {
            (Some(k), false) => self.constant(k),
            (None, false) => self.bottom(),
            (Some(k), true) => self.truth(k != 0),
            (None, true) => self.undefined(),
        };
        self.replace_by(e, part, constant)
    }

    fn replace_by(&mut self, e: Expr, part: Expr, constant: Expr) -> Expr {
        if e == part {
            return constant;
        }
        if self.top(e) < self.top(part) {
            return e;
        }
        // Variables are below 2^29, so these keys are no substitution's.
        let key = part.0 | 1 << 31;
        if let Some(known) = self.results.get(e.0, key, constant.0 as i32) {
            return Expr(known);
        }
        let result = deep(|| self.rebuild(e, |pool, p| pool.replace_by(p, part, constant)));
        self.results.put(e.0, key, constant.0 as i32, result.0);
        result
    }

    /// The expression with its operands mapped.
    pub(super) fn rebuild(&mut self, e: Expr, mut f: impl FnMut(&mut Pool, Expr) -> Expr) -> Expr {
        match self.form(e) {
            Form::Constant(_) | Form::Bottom | Form::Truth(_) | Form::Undefined | Form::Read(_) => {
                e
            }
            Form::Element(array, index) => {
                let index = f(self, index);
                self.element(array, index)
            }
            Form::Linear(c, term, rest) => {
                let (term, rest) = (f(self, term), f(self, rest));
                let term = self.scale(c, term);
                self.add(term, rest)
            }
            Form::Offset(k, rest) => {
                let rest = f(self, rest);
                let k = self.constant(k);
                self.add(k, rest)
            }
            Form::Binary(op, a, b) => {
                let (a, b) = (f(self, a), f(self, b));
                self.binary(op, a, b)
            }
            Form::AsInteger(c) => {
                let c = f(self, c);
                self.as_integer(c)
            }
            Form::Compare(op, a, b) => {
                let (a, b) = (f(self, a), f(self, b));
                self.compare(op, a, b)
            }
            Form::And(a, b) => {
                let (a, b) = (f(self, a), f(self, b));
                self.and(a, b)
            }
            Form::Or(a, b) => {
                let (a, b) = (f(self, a), f(self, b));
                self.or(a, b)
            }
            Form::Iff(a, b) => {
                let (a, b) = (f(self, a), f(self, b));
                self.iff(a, b)
            }
            Form::Fails(c) => {
                let c = f(self, c);
                self.fails(c)
            }
        }
    }

    /// The operands, first and second.
    pub(super) fn parts(&self, e: Expr) -> [Option<Expr>; 2] {
        match self.form(e) {
            Form::Constant(_) | Form::Bottom | Form::Truth(_) | Form::Undefined | Form::Read(_) => {
                [None, None]
            }
            Form::Element(_, a) | Form::Offset(_, a) | Form::AsInteger(a) | Form::Fails(a) => {
                [Some(a), None]
            }
            Form::Linear(_, a, b)
            | Form::Binary(_, a, b)
            | Form::Compare(_, a, b)
            | Form::And(a, b)
            | Form::Or(a, b)
            | Form::Iff(a, b) => [Some(a), Some(b)],
        }
    }

    /// In an expression whose top is `variable`, which has been substituted: an index, of variables
    /// below only, of an array with `variable` among its cells.
    pub(super) fn pending(&self, e: Expr, variable: u32) -> Option<Expr> {
        let mut at = e;
        loop {
            if self.top(at) != variable {
                return None;
            }
            if let Form::Element(_, index) = self.form(at) {
                if self.top(index) < variable {
                    return Some(index);
                }
            }
            let mut parts = self.parts(at).into_iter().flatten();
            at = parts.find(|p| self.top(*p) == variable)?;
        }
    }

    /// All that the value depends on.
    pub fn support(&self, e: Expr) -> Support {
        let mut support = Support::default();
        let mut seen = std::collections::HashSet::new();
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            match self.form(e) {
                Form::Read(x) => support.variables.push(x),
                Form::Element(array, _) => support.arrays.push(array),
                _ => {}
            }
            stack.extend(self.parts(e).into_iter().flatten());
        }
        support.add(&Support::default());
        support
    }

    /// Whether two supports have nothing in common.
    pub(super) fn are_disjoint(&self, a: &Support, b: &Support) -> bool {
        let (few, many) = if a.variables.len() <= b.variables.len() {
            (a, b)
        } else {
            (b, a)
        };
        let shares = |x: &u32| many.variables.binary_search(x).is_ok();
        if few.variables.iter().any(shares) {
            return false;
        }
        let into = |a: &Support, b: &Support| {
            let mut pairs = a
                .variables
                .iter()
                .flat_map(|x| b.arrays.iter().map(move |t| (x, t)));
            pairs.any(|(x, t)| self.contains(*t, *x))
        };
        if into(a, b) || into(b, a) {
            return false;
        }
        let mut pairs = a
            .arrays
            .iter()
            .flat_map(|s| b.arrays.iter().map(move |t| (*s, *t)));
        !pairs.any(|(s, t)| {
            s == t || {
                let (s, t) = if self.cells(s).sorted.len() <= self.cells(t).sorted.len() {
                    (s, t)
                } else {
                    (t, s)
                };
                self.cells(s).sorted.iter().any(|x| self.contains(t, *x))
            }
        })
    }

    /// All variables of a support, ascending.
    pub fn variables_of(&self, support: &Support) -> Vec<u32> {
        let mut all = support.variables.clone();
        for array in &support.arrays {
            all.extend(self.cells(*array).sorted.iter());
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}
