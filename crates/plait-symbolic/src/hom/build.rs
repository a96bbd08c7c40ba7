//! Building homomorphisms: the catalogue, but for sums and compositions.
//!
//! ITS specification, 2.2, 2.9 and 2.11: constants and meets, tests and updates of one variable,
//! conditions and assignments of expressions, locals, and selectors with their negation, which is pushed
//! inwards (rule 5 of 2.8, De Morgan). What can be said more simply is: an assignment of a constant is a
//! step, a test that always holds the identity.

use plait_dd::{Manager, Node};
use plait_program::arithmetic::CompareOp;
use plait_program::interval::Interval;

use super::expression::{Expr, Form};
use super::term::{Hom, Step, Target, Term, Write, NO_STATEMENT};
use super::{Homs, Misuse};

impl Homs {
    // ----- constants ----------------------------------------------------------------------------

    fn rooted(&mut self, dd: &Manager, node: Node) -> Node {
        self.roots.entry(node).or_insert_with(|| dd.root(node));
        node
    }

    /// Every set but the empty one to `c`.
    pub fn constant(&mut self, dd: &Manager, c: Node) -> Hom {
        if c.is_zero() {
            return Hom::ZERO;
        }
        let c = self.rooted(dd, c);
        self.intern(Term::Constant(c))
    }

    /// `h(d) * c`.
    pub fn meet(&mut self, dd: &Manager, h: Hom, c: Node) -> Hom {
        if c.is_zero() {
            return Hom::ZERO;
        }
        let c = self.rooted(dd, c);
        let meet = self.intern(Term::Meet(c));
        self.compose(meet, h)
    }

    /// `h(d) - c`.
    pub fn minus(&mut self, dd: &Manager, h: Hom, c: Node) -> Hom {
        if c.is_zero() {
            return h;
        }
        let c = self.rooted(dd, c);
        let minus = self.intern(Term::Minus(c));
        self.compose(minus, h)
    }

    /// `c . h(d)`: each sequence of `c` followed by each of `h(d)`.
    pub fn before(&mut self, dd: &Manager, c: Node, h: Hom) -> Hom {
        if c.is_zero() {
            return Hom::ZERO;
        }
        if c == Node::ONE {
            return h;
        }
        let c = self.rooted(dd, c);
        let before = self.intern(Term::Before(c));
        self.compose(before, h)
    }

    /// `h(d) . c`: each sequence of `h(d)` followed by each of `c`.
    pub fn after(&mut self, dd: &Manager, h: Hom, c: Node) -> Hom {
        if c.is_zero() {
            return Hom::ZERO;
        }
        if c == Node::ONE {
            return h;
        }
        let c = self.rooted(dd, c);
        let after = self.intern(Term::After(c));
        self.compose(after, h)
    }

    // ----- bricks on integers -------------------------------------------------------------------

    /// Tests and updates one variable by constants.
    pub fn step(&mut self, step: Step) -> Hom {
        let mut step = step;
        if step.is_restricted() && self.stays_within(&step, step.interval) {
            (step.low, step.high) = (i32::MIN, i32::MAX);
        }
        if !step.is_restricted() {
            step.statement = NO_STATEMENT;
        }
        if step.is_test() && step.interval == Interval::FULL && !step.is_restricted() {
            return Hom::ID;
        }
        self.intern(Term::Step(step))
    }

    /// Whether no value of the interval leads to a fault.
    pub(super) fn stays_within(&self, step: &Step, values: Interval) -> bool {
        if step.keep == 0 {
            return step.admits(step.amount);
        }
        let Some((low, high)) = values.bounds() else {
            return false;
        };
        let amount = i64::from(step.amount);
        i64::from(low) + amount >= i64::from(step.low)
            && i64::from(high) + amount <= i64::from(step.high)
    }

    /// `x # k`.
    pub fn compare(&mut self, variable: u32, op: CompareOp, constant: i32) -> Hom {
        match Interval::of(op, constant) {
            Some(interval) => self.step(Step::test(variable, interval)),
            None => Hom::ZERO,
        }
    }

    /// `x # y`.
    pub fn compare_variables(&mut self, x: u32, op: CompareOp, y: u32) -> Hom {
        let (x, y) = (self.pool.read(x), self.pool.read(y));
        let condition = self.pool.compare(op, x, y);
        self.pred(condition)
    }

    /// `x += k`, wrapping.
    pub fn increment(&mut self, variable: u32, amount: i32) -> Hom {
        self.step(Step {
            amount,
            ..Step::test(variable, Interval::FULL)
        })
    }

    /// `x = k`.
    pub fn store(&mut self, variable: u32, value: i32) -> Hom {
        self.step(Step {
            keep: 0,
            amount: value,
            ..Step::test(variable, Interval::FULL)
        })
    }

    /// Keeps the states in which the condition is true.
    pub fn pred(&mut self, condition: Expr) -> Hom {
        let mut list = Vec::new();
        let mut at = condition;
        if self.pool.is_never(condition) {
            return Hom::ZERO;
        }
        while let Form::And(first, rest) = self.pool.form(at) {
            list.push(first);
            at = rest;
        }
        list.push(at);
        // Lowest first: each is put in front of those below.
        list.into_iter().rev().fold(Hom::ID, |all, c| {
            let c = self.pred_of_one(c);
            self.compose(c, all)
        })
    }

    fn pred_of_one(&mut self, c: Expr) -> Hom {
        match self.pool.form(c) {
            Form::Truth(true) => Hom::ID,
            Form::Compare(op, a, b) => match (self.pool.form(a), self.pool.form(b)) {
                (Form::Read(x), Form::Constant(k)) => self.compare(x, op, k),
                _ => self.intern(Term::Pred(c)),
            },
            _ => self.intern(Term::Pred(c)),
        }
    }

    /// Stores a value; paths on which it, or the index, is undefined are dropped.
    pub fn assign(&mut self, write: Write) -> Hom {
        self.assign_all(&[write])
    }

    /// Stores values at once: all expressions are evaluated before anything is stored. Where two
    /// targets are the same cell the later one wins.
    pub fn assign_all(&mut self, writes: &[Write]) -> Hom {
        let mut list: Vec<Write> = Vec::with_capacity(writes.len());
        for write in writes {
            list.push(self.resolved(*write));
        }
        let silent = |w: &Write| w.statement == NO_STATEMENT;
        if list.iter().any(|w| silent(w) && self.is_impossible(w)) {
            return Hom::ZERO;
        }
        let idle = |w: &Write| match w.target {
            Target::Variable(x) => {
                let free = w.low == i32::MIN && w.high == i32::MAX;
                free && self.pool.form(w.value) == Form::Read(x)
            }
            Target::Element(..) => false,
        };
        // Among several, storing the old value may undo an earlier write to the same cell.
        let alone = |w: &Write, list: &[Write]| {
            let others = list.iter().filter(|o| *o != w);
            others.fold(true, |ok, o| {
                ok && o.target != w.target && matches!(o.target, Target::Variable(_))
            })
        };
        let before = list.clone();
        list.retain(|w| !idle(w) || !alone(w, &before));
        if let [write] = list[..] {
            if let Some(step) = self.step_of(&write) {
                return self.step(step);
            }
        }
        if list.is_empty() {
            return Hom::ID;
        }
        let (number, _) = self.assignments.add(list.into());
        self.intern(Term::Assign(number))
    }

    /// The write with an element of a constant index replaced by its variable.
    fn resolved(&mut self, mut write: Write) -> Write {
        if let Target::Element(array, index) = write.target {
            if let Some(Some(k)) = self.pool.constant_value(index) {
                if let Some(x) = self.pool.cell(array, k) {
                    write.target = Target::Variable(x);
                }
            }
        }
        write
    }

    fn is_impossible(&self, write: &Write) -> bool {
        let index = match write.target {
            Target::Variable(_) => false,
            Target::Element(_, index) => self.pool.constant_value(index).is_some(),
        };
        index || self.pool.form(write.value) == Form::Bottom
    }

    fn step_of(&self, write: &Write) -> Option<Step> {
        let Target::Variable(variable) = write.target else {
            return None;
        };
        let (keep, amount) = match self.pool.form(write.value) {
            Form::Constant(k) => (0, k),
            Form::Read(x) if x == variable => (-1, 0),
            Form::Offset(k, rest) if self.pool.form(rest) == Form::Read(variable) => (-1, k),
            _ => return None,
        };
        Some(Step {
            variable,
            interval: Interval::FULL,
            keep,
            amount,
            low: write.low,
            high: write.high,
            statement: write.statement,
        })
    }

    /// Exchanges the values of two variables.
    pub fn swap(&mut self, x: u32, y: u32) -> Hom {
        let (a, b) = (self.pool.read(x), self.pool.read(y));
        self.assign_all(&[
            Write::new(Target::Variable(x), b),
            Write::new(Target::Variable(y), a),
        ])
    }

    // ----- hierarchy ----------------------------------------------------------------------------

    /// Maps the labels of a set-labelled variable by `h`, which must be linear.
    pub fn local(&mut self, h: Hom, variable: u32) -> Hom {
        match h {
            Hom::ZERO | Hom::ID => h,
            _ => self.intern(Term::Local(h, variable)),
        }
    }

    // ----- selectors ----------------------------------------------------------------------------

    fn expect_selector(&self, s: Hom) -> Result<(), Misuse> {
        if self.is_selector(s) {
            Ok(())
        } else {
            Err(Misuse::NotASelector)
        }
    }

    /// `d - s(d)`, for a selector.
    pub fn not(&mut self, s: Hom) -> Result<Hom, Misuse> {
        self.expect_selector(s)?;
        Ok(self.negated(s))
    }

    fn negated(&mut self, s: Hom) -> Hom {
        match self.term(s) {
            Term::Zero => Hom::ID,
            Term::Id => Hom::ZERO,
            Term::Not(inner) => inner,
            Term::Pred(condition) => {
                let fails = self.pool.fails(condition);
                self.pred(fails)
            }
            Term::Step(step) => match step.interval.complement() {
                Some(interval) => self.step(Step { interval, ..step }),
                None => Hom::ZERO,
            },
            Term::Meet(c) => self.intern(Term::Minus(c)),
            Term::Minus(c) => self.intern(Term::Meet(c)),
            Term::Local(inner, variable) => {
                let inner = self.negated(inner);
                self.local(inner, variable)
            }
            Term::And(a, b) | Term::Compose(a, b) => {
                let (a, b) = (self.negated(a), self.negated(b));
                self.sum(&[a, b])
            }
            Term::Sum(..) => {
                let (terms, _) = self.summands(&[s]);
                terms.into_iter().fold(Hom::ID, |all, term| {
                    let term = self.negated(term);
                    self.compose(term, all)
                })
            }
            _ => self.intern(Term::Not(s)),
        }
    }

    /// `t` where the selector holds, `f` elsewhere.
    pub fn if_then_else(&mut self, s: Hom, t: Hom, f: Hom) -> Result<Hom, Misuse> {
        let otherwise = self.not(s)?;
        let (t, f) = (self.compose(t, s), self.compose(f, otherwise));
        Ok(self.sum(&[t, f]))
    }

    /// `h(d) * h'(d)`; one must be a selector, or the identity. Linear only if both are selectors:
    /// otherwise an operator on sets, which is evaluated on the whole of its argument (ITS
    /// specification, 2.2).
    pub fn intersection(&mut self, a: Hom, b: Hom) -> Result<Hom, Misuse> {
        if self.is_selector(a) && self.is_selector(b) {
            return Ok(self.compose(a, b));
        }
        if a == Hom::ZERO || b == Hom::ZERO {
            return Ok(Hom::ZERO);
        }
        if !self.is_selector(a) && !self.is_selector(b) {
            return Err(Misuse::NotASelector);
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        Ok(self.intern(Term::Both(a, b)))
    }
}
