//! Expressions over the variables of a diagram, hash-consed and simplified as they are built.
//!
//! The meaning is that of `plait_program::expr`: 32-bit integers that wrap around, undefined values
//! (*bottom*: division by zero, a cell outside its array, ...), conditions in strong Kleene logic. What
//! differs is the form, chosen for evaluation down a diagram (ITS specification, 3.2), where the
//! variable substituted next is always the top-most one:
//!
//! - every expression knows its *top*, the greatest variable of its support; an unresolved
//!   `array[index]` supports all cells of the array;
//! - sums are lists `c1*t1 + (c2*t2 + ...)` with the term of the greatest top first and the constant
//!   apart, so that substituting the top-most variable touches only the front of a list, and the rest
//!   is shared.
//!
//! Here are the forms and the integers; conditions are in `condition`. No rule makes an undefined expression defined: `t - t` is 0 only where `t` is never undefined.

use plait_dd::stack::deep;
use plait_program::arithmetic::{BinaryOp, CompareOp, UnaryOp};

use super::intern::{Interned, Lossy, Map};

/// The number of an expression in its [`Pool`]; equal expressions have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expr(pub(crate) u32);

/// The number of an array in its [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Array(pub(crate) u32);

/// One node of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// An integer.
    Constant(i32),
    /// The undefined integer.
    Bottom,
    /// A truth value.
    Truth(bool),
    /// The undefined truth value.
    Undefined,
    /// The value of a variable.
    Read(u32),
    /// The value of a cell of an array; undefined unless the index is in range.
    Element(Array, Expr),
    /// `coefficient * term + rest`: `rest` is such a list, a single term or the constant 0.
    Linear(i32, Expr, Expr),
    /// `constant + rest`, the constant not 0.
    Offset(i32, Expr),
    /// `a op b`, for what sums do not express.
    Binary(BinaryOp, Expr, Expr),
    /// 1 when true, 0 when false, bottom when undefined.
    AsInteger(Expr),
    /// `a op b`; undefined when a side is.
    Compare(CompareOp, Expr, Expr),
    /// Kleene conjunction: a condition, and the rest of the list.
    And(Expr, Expr),
    /// Kleene disjunction: a condition, and the rest of the list.
    Or(Expr, Expr),
    /// `a <-> b`; undefined when a side is.
    Iff(Expr, Expr),
    /// True when the condition is not true, else false: never undefined.
    Fails(Expr),
}

/// What is known of an expression.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// The greatest variable of the support; 0 if none.
    top: u32,
    /// Never undefined.
    total: bool,
    /// A condition that is never true.
    never: bool,
}

/// The cells of an array.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// The variables, by index.
    pub by_index: Box<[u32]>,
    /// The variables in ascending order.
    pub sorted: Box<[u32]>,
}

/// All expressions and arrays of one [`super::Homs`].
#[derive(Clone, Debug)]
pub struct Pool {
    forms: Interned<Form>,
    facts: Vec<Facts>,
    arrays: Vec<Cells>,
    array_numbers: Map<Box<[u32]>, u32>,
    pub(super) negations: Map<Expr, Expr>,
    pub(super) failures: Map<Expr, Expr>,
    pub(super) results: Lossy,
}

impl Default for Pool {
    fn default() -> Pool {
        let mut pool = Pool {
            forms: Interned::default(),
            facts: Vec::new(),
            arrays: Vec::new(),
            array_numbers: Map::default(),
            negations: Map::default(),
            failures: Map::default(),
            results: Lossy::default(),
        };
        pool.intern(Form::Constant(0));
        pool
    }
}

impl Pool {
    /// The constant 0.
    pub(super) const ZERO: Expr = Expr(0);

    /// What an expression looks like.
    #[inline]
    pub fn form(&self, e: Expr) -> Form {
        *self.forms.get(e.0)
    }

    /// How many expressions there are.
    pub fn len(&self) -> usize {
        self.forms.len()
    }

    /// Never: 0 is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The greatest variable that the value depends on; 0 if there is none.
    #[inline]
    pub fn top(&self, e: Expr) -> u32 {
        self.facts[e.0 as usize].top
    }

    /// Whether the expression is known never to be undefined.
    #[inline]
    pub fn is_total(&self, e: Expr) -> bool {
        self.facts[e.0 as usize].total
    }

    /// Whether the condition is known never to be true.
    #[inline]
    pub fn is_never(&self, e: Expr) -> bool {
        self.facts[e.0 as usize].never
    }

    /// The value of a constant (`Some(None)`: undefined; conditions: 1 and 0), else `None`.
    #[inline]
    pub fn constant_value(&self, e: Expr) -> Option<Option<i32>> {
        match self.form(e) {
            Form::Constant(k) => Some(Some(k)),
            Form::Truth(b) => Some(Some(i32::from(b))),
            Form::Bottom | Form::Undefined => Some(None),
            _ => None,
        }
    }

    /// Whether the expression is a condition.
    pub fn is_condition(&self, e: Expr) -> bool {
        matches!(
            self.form(e),
            Form::Truth(_)
                | Form::Undefined
                | Form::Compare(..)
                | Form::And(..)
                | Form::Or(..)
                | Form::Iff(..)
                | Form::Fails(_)
        )
    }

    pub(super) fn cells(&self, array: Array) -> &Cells {
        &self.arrays[array.0 as usize]
    }

    pub(super) fn intern(&mut self, form: Form) -> Expr {
        let (number, new) = self.forms.add(form);
        if new {
            let facts = self.facts_of(form);
            self.facts.push(facts);
        }
        Expr(number)
    }

    fn facts_of(&self, form: Form) -> Facts {
        let fact = |e: Expr| self.facts[e.0 as usize];
        let both = |a: Expr, b: Expr| Facts {
            top: fact(a).top.max(fact(b).top),
            total: fact(a).total && fact(b).total,
            never: false,
        };
        let leaf = Facts {
            top: 0,
            total: true,
            never: false,
        };
        match form {
            Form::Constant(_) => leaf,
            Form::Truth(b) => Facts { never: !b, ..leaf },
            Form::Bottom | Form::Undefined => Facts {
                total: false,
                never: true,
                ..leaf
            },
            Form::Read(x) => Facts { top: x, ..leaf },
            Form::Element(array, index) => Facts {
                top: self.array_top(array).max(fact(index).top),
                total: false,
                never: false,
            },
            Form::Linear(_, a, b) | Form::Compare(_, a, b) | Form::Iff(a, b) => both(a, b),
            Form::Offset(_, a) | Form::AsInteger(a) => both(a, a),
            Form::Binary(op, a, b) => Facts {
                total: both(a, b).total && self.is_defined_by(op, b),
                ..both(a, b)
            },
            Form::And(a, b) => Facts {
                never: fact(a).never || fact(b).never,
                ..both(a, b)
            },
            Form::Or(a, b) => Facts {
                never: fact(a).never && fact(b).never,
                ..both(a, b)
            },
            Form::Fails(a) => Facts {
                total: true,
                ..both(a, a)
            },
        }
    }

    /// Whether the right operand alone guarantees that the operation is defined.
    fn is_defined_by(&self, op: BinaryOp, b: Expr) -> bool {
        use BinaryOp::{Divide, Power, Remainder, ShiftLeft, ShiftRight};
        match (op, self.form(b)) {
            (Divide | Remainder | Power | ShiftLeft | ShiftRight, Form::Constant(k)) => {
                op.apply(1, k).is_some()
            }
            (Divide | Remainder | Power | ShiftLeft | ShiftRight, _) => false,
            _ => true,
        }
    }

    fn array_top(&self, array: Array) -> u32 {
        self.cells(array).sorted.last().copied().unwrap_or(0)
    }

    // ----- leaves -------------------------------------------------------------------------------

    /// An integer.
    pub fn constant(&mut self, value: i32) -> Expr {
        self.intern(Form::Constant(value))
    }

    /// The undefined integer.
    pub fn bottom(&mut self) -> Expr {
        self.intern(Form::Bottom)
    }

    /// A truth value.
    pub fn truth(&mut self, value: bool) -> Expr {
        self.intern(Form::Truth(value))
    }

    /// The undefined truth value.
    pub fn undefined(&mut self) -> Expr {
        self.intern(Form::Undefined)
    }

    /// The value of a variable (from 1).
    pub fn read(&mut self, variable: u32) -> Expr {
        self.intern(Form::Read(variable))
    }

    /// An array whose cells are these variables; they may stand anywhere, and in several arrays.
    pub fn array(&mut self, cells: &[u32]) -> Array {
        let next = self.arrays.len() as u32;
        let number = *self.array_numbers.entry(cells.into()).or_insert(next);
        if number == next {
            let mut sorted: Box<[u32]> = cells.into();
            sorted.sort_unstable();
            let by_index = cells.into();
            self.arrays.push(Cells { by_index, sorted });
        }
        Array(number)
    }

    /// The variable of a cell, if the index is in range.
    pub fn cell(&self, array: Array, index: i32) -> Option<u32> {
        let cells = &self.cells(array).by_index;
        cells.get(usize::try_from(index).ok()?).copied()
    }

    /// Whether a variable is a cell of an array.
    pub fn contains(&self, array: Array, variable: u32) -> bool {
        self.cells(array).sorted.binary_search(&variable).is_ok()
    }

    /// `array[index]`.
    pub fn element(&mut self, array: Array, index: Expr) -> Expr {
        match self.form(index) {
            Form::Constant(k) => match self.cell(array, k) {
                Some(variable) => self.read(variable),
                None => self.bottom(),
            },
            Form::Bottom => index,
            _ if self.cells(array).by_index.is_empty() => self.bottom(),
            _ => self.intern(Form::Element(array, index)),
        }
    }

    // ----- sums ---------------------------------------------------------------------------------

    /// An integer as constant and rest.
    pub(super) fn offset_of(&self, e: Expr) -> (i32, Expr) {
        match self.form(e) {
            Form::Constant(k) => (k, Pool::ZERO),
            Form::Offset(k, rest) => (k, rest),
            _ => (0, e),
        }
    }

    pub(super) fn with_offset(&mut self, k: i32, rest: Expr) -> Expr {
        if rest == Pool::ZERO {
            self.constant(k)
        } else if k == 0 {
            rest
        } else {
            self.intern(Form::Offset(k, rest))
        }
    }

    /// The first summand of a rest that is not 0.
    fn first_summand(&self, e: Expr) -> (i32, Expr, Expr) {
        match self.form(e) {
            Form::Linear(c, term, rest) => (c, term, rest),
            _ => (1, e, Pool::ZERO),
        }
    }

    fn summand(&mut self, c: i32, term: Expr, rest: Expr) -> Expr {
        if c == 0 && self.is_total(term) {
            rest
        } else if c == 1 && rest == Pool::ZERO {
            term
        } else {
            self.intern(Form::Linear(c, term, rest))
        }
    }

    /// Whether `a` stands before `b` in a list.
    #[inline]
    pub(super) fn before(&self, a: Expr, b: Expr) -> bool {
        (self.top(b), b) < (self.top(a), a)
    }

    /// The sum of two rests.
    fn merge_sums(&mut self, a: Expr, b: Expr) -> Expr {
        if a == Pool::ZERO {
            return b;
        }
        if b == Pool::ZERO {
            return a;
        }
        deep(|| {
            let (ca, ta, ra) = self.first_summand(a);
            let (cb, tb, rb) = self.first_summand(b);
            if ta == tb {
                let rest = self.merge_sums(ra, rb);
                self.summand(ca.wrapping_add(cb), ta, rest)
            } else if self.before(ta, tb) {
                let rest = self.merge_sums(ra, b);
                self.summand(ca, ta, rest)
            } else {
                let rest = self.merge_sums(a, rb);
                self.summand(cb, tb, rest)
            }
        })
    }

    /// `a + b`.
    pub fn add(&mut self, a: Expr, b: Expr) -> Expr {
        if self.form(a) == Form::Bottom || self.form(b) == Form::Bottom {
            return self.bottom();
        }
        let ((ka, a), (kb, b)) = (self.offset_of(a), self.offset_of(b));
        let rest = self.merge_sums(a, b);
        self.with_offset(ka.wrapping_add(kb), rest)
    }

    /// `c * a`.
    pub fn scale(&mut self, c: i32, a: Expr) -> Expr {
        if c == 1 || self.form(a) == Form::Bottom {
            return a;
        }
        let (k, rest) = self.offset_of(a);
        let rest = self.scale_rest(c, rest);
        self.with_offset(k.wrapping_mul(c), rest)
    }

    fn scale_rest(&mut self, c: i32, rest: Expr) -> Expr {
        if rest == Pool::ZERO {
            return rest;
        }
        deep(|| {
            let (d, term, rest) = self.first_summand(rest);
            let rest = self.scale_rest(c, rest);
            self.summand(c.wrapping_mul(d), term, rest)
        })
    }

    /// The sum of many: sorted once.
    pub fn sum(&mut self, terms: &[Expr]) -> Expr {
        let mut level = terms.to_vec();
        if level.is_empty() {
            return Pool::ZERO;
        }
        while level.len() > 1 {
            let pairs = level.chunks(2).map(|p| (p[0], p.get(1).copied()));
            let pairs: Vec<_> = pairs.collect();
            level = pairs
                .into_iter()
                .map(|(a, b)| b.map_or(a, |b| self.add(a, b)))
                .collect();
        }
        level[0]
    }

    // ----- other operations on integers ---------------------------------------------------------

    /// `op a`.
    pub fn unary(&mut self, op: UnaryOp, a: Expr) -> Expr {
        let negated = self.scale(-1, a);
        match op {
            UnaryOp::Negate => negated,
            // In two's complement ~a is -a - 1.
            UnaryOp::Complement => {
                let one = self.constant(-1);
                self.add(negated, one)
            }
        }
    }

    /// `a op b`.
    pub fn binary(&mut self, op: BinaryOp, a: Expr, b: Expr) -> Expr {
        use BinaryOp::{Add, And, Multiply, Or, Subtract, Xor};
        let (fa, fb) = (self.form(a), self.form(b));
        if fa == Form::Bottom || fb == Form::Bottom {
            return self.bottom();
        }
        match (op, fa, fb) {
            (Add, _, _) => return self.add(a, b),
            (Subtract, _, _) => {
                let b = self.scale(-1, b);
                return self.add(a, b);
            }
            (Multiply, Form::Constant(k), _) => return self.scale(k, b),
            (Multiply, _, Form::Constant(k)) => return self.scale(k, a),
            (_, Form::Constant(x), Form::Constant(y)) => {
                return match op.apply(x, y) {
                    Some(value) => self.constant(value),
                    None => self.bottom(),
                };
            }
            _ => {}
        }
        let commutes = matches!(op, And | Or | Xor | Multiply);
        // A constant second, else the greater top first.
        let (a, b) = match (fa, fb) {
            (Form::Constant(_), _) if commutes => (b, a),
            (_, Form::Constant(_)) => (a, b),
            _ if commutes && self.before(b, a) => (b, a),
            _ => (a, b),
        };
        if let Form::Constant(k) = self.form(b) {
            if let Some(simple) = self.binary_constant(op, a, k) {
                return simple;
            }
        }
        self.intern(Form::Binary(op, a, b))
    }

    /// `a op k` where the constant decides.
    fn binary_constant(&mut self, op: BinaryOp, a: Expr, k: i32) -> Option<Expr> {
        use BinaryOp::{And, Divide, Or, Power, Remainder, ShiftLeft, ShiftRight, Xor};
        match (op, k) {
            (Divide | Power, 1) | (ShiftLeft | ShiftRight | Or | Xor, 0) | (And, -1) => Some(a),
            (And, 0) | (Remainder, 1 | -1) if self.is_total(a) => Some(Pool::ZERO),
            (Power, 0) if self.is_total(a) => Some(self.constant(1)),
            (ShiftLeft, 1..=31) => Some(self.scale(1i32.wrapping_shl(k as u32), a)),
            _ if op.apply(1, k).is_none() => Some(self.bottom()),
            _ => None,
        }
    }

    /// 1 when the condition is true, 0 when false.
    pub fn as_integer(&mut self, c: Expr) -> Expr {
        match self.form(c) {
            Form::Truth(b) => self.constant(i32::from(b)),
            Form::Undefined => self.bottom(),
            _ => self.intern(Form::AsInteger(c)),
        }
    }
}
