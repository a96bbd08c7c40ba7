//! Linear bytecode for expressions, and the loop that evaluates it.
//!
//! Each expression becomes one flat sequence of instructions for a stack machine; neither compiling
//! nor evaluating recurses, so a left-nested sum of 100,000 terms costs a vector, not a call stack.
//!
//! **Undefined values cost nothing until they happen.** An undefined integer makes everything up
//! to the enclosing comparison undefined, so the instructions that can fail (`/`, `%`, `**`, shifts,
//! indexing) name a *handler*: where the comparison ends and how high the stack was when it began.
//! Failing is a jump there with "undefined" pushed; the other instructions never look for it.
//! Conditions are numbers ordered as Kleene's truth values, false 0 < undefined 1 < true 2, so that
//! conjunction is the minimum, disjunction the maximum and negation `2 - x`. A conjunction jumps out
//! at the first false, a disjunction at the first true.
//!
//! **Shared sub-expressions.** Normally the DAG is unfolded into the sequence. Where that would blow
//! up (`e = e + e` fifty times) the nodes are evaluated one by one instead, each once: see `shared`.

use std::convert::Infallible;

use crate::arithmetic::{BinaryOp, CompareOp, UnaryOp};
use crate::compile;
use crate::expr::{ExprId, Pool, Sort};
use crate::interval::Interval;
use crate::shared::SharedCode;

/// Kleene's truth values as the code computes them.
pub(crate) const FALSE: i32 = 0;
pub(crate) const UNDEFINED: i32 = 1;
pub(crate) const TRUE: i32 = 2;

/// One instruction. `handler` and `target` are indices into the code's own tables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    Const(i32),
    Load(u32),
    LoadIndexed {
        base: u32,
        size: u32,
        handler: u32,
    },
    Unary(UnaryOp),
    /// An operation that is defined everywhere.
    Total(BinaryOp),
    /// An operation that may be undefined.
    Partial(BinaryOp, u32),
    AddConst(i32),
    AsInteger(u32),
    Compare(CompareOp),
    /// The integer on top lies in the interval.
    Within(Interval),
    /// The cell lies in the interval.
    Test(u32, Interval),
    TestPair(CompareOp, u32, u32),
    Not,
    Fails,
    Minimum,
    Maximum,
    Iff,
    JumpIfFalse(u32),
    JumpIfTrue(u32),
    Enabled(Box<[u32]>),
    Deadlock,
}

/// Where an undefined integer leads: the end of its comparison, and the height of the stack there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handler {
    pub target: u32,
    pub height: u32,
}

/// The compiled form of one expression.
#[derive(Clone, Debug)]
pub struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) handlers: Vec<Handler>,
    pub(crate) depth: usize,
    /// Used instead of `ops` where unfolding the DAG would make it much larger.
    pub(crate) shared: Option<SharedCode>,
    pub(crate) sort: Sort,
    pub(crate) asks_events: bool,
}

/// Working memory of evaluations, to be reused from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    stack: Vec<i32>,
    values: Vec<Option<i32>>,
}

/// Answers what an expression asks about events in the state under evaluation.
pub trait Oracle {
    /// Why there is no answer.
    type Error;
    /// Whether one of these events has a successor.
    fn enabled(&mut self, events: &[u32]) -> Result<bool, Self::Error>;
    /// Whether no free event has a successor.
    fn deadlock(&mut self) -> Result<bool, Self::Error>;
}

/// The oracle of expressions that do not ask about events, as all inside events.
struct Blind;

impl Oracle for Blind {
    type Error = Infallible;
    fn enabled(&mut self, _events: &[u32]) -> Result<bool, Infallible> {
        debug_assert!(false, "an expression inside an event asks about events");
        Ok(false)
    }
    fn deadlock(&mut self) -> Result<bool, Infallible> {
        self.enabled(&[])
    }
}

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// An integer.
    Integer(i32),
    /// A truth value.
    Condition(bool),
    /// Neither.
    Undefined,
}

impl Code {
    /// Compiles one expression of the pool.
    pub fn compile(pool: &Pool, root: ExprId) -> Code {
        compile::compile(pool, root)
    }

    /// What the expression denotes.
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// Whether the expression contains `Enabled` or `Deadlock`.
    pub fn asks_events(&self) -> bool {
        self.asks_events
    }

    /// An upper bound of the work of one evaluation, in instructions.
    #[inline]
    pub fn cost(&self) -> usize {
        match &self.shared {
            None => self.ops.len(),
            Some(shared) => shared.len(),
        }
    }

    /// The integer it denotes in that state, or `None` when undefined.
    #[inline]
    pub fn integer(&self, cells: &[i32], scratch: &mut Scratch) -> Option<i32> {
        debug_assert_eq!(self.sort, Sort::Integer);
        match self.ops.as_slice() {
            [Op::Const(value)] => Some(*value),
            [Op::Load(cell)] => Some(cells[*cell as usize]),
            [Op::Load(cell), Op::AddConst(k)] => Some(cells[*cell as usize].wrapping_add(*k)),
            _ => match self.run(cells, scratch, &mut Blind) {
                Ok(value) => value,
                Err(never) => match never {},
            },
        }
    }

    /// The truth value in that state, or `None` when undefined.
    #[inline]
    pub fn condition(&self, cells: &[i32], scratch: &mut Scratch) -> Option<bool> {
        debug_assert_eq!(self.sort, Sort::Condition);
        match self.run(cells, scratch, &mut Blind) {
            Ok(Some(value)) => (value != UNDEFINED).then_some(value == TRUE),
            Ok(None) => None,
            Err(never) => match never {},
        }
    }

    /// Whether the condition is true in that state (false and undefined both say no).
    #[inline]
    pub fn holds(&self, cells: &[i32], scratch: &mut Scratch) -> bool {
        match self.ops.as_slice() {
            [Op::Test(cell, interval)] => interval.contains(cells[*cell as usize]),
            [Op::TestPair(op, a, b)] => op.apply(cells[*a as usize], cells[*b as usize]),
            _ => self.condition(cells, scratch) == Some(true),
        }
    }

    /// The value in that state of an expression that may ask about events.
    pub fn value<O: Oracle>(
        &self,
        cells: &[i32],
        scratch: &mut Scratch,
        oracle: &mut O,
    ) -> Result<Value, O::Error> {
        Ok(match (self.run(cells, scratch, oracle)?, self.sort) {
            (None, _) | (Some(UNDEFINED), Sort::Condition) => Value::Undefined,
            (Some(value), Sort::Integer) => Value::Integer(value),
            (Some(value), Sort::Condition) => Value::Condition(value == TRUE),
        })
    }

    /// The machine: `None` only for an undefined integer at the root.
    fn run<O: Oracle>(
        &self,
        cells: &[i32],
        scratch: &mut Scratch,
        oracle: &mut O,
    ) -> Result<Option<i32>, O::Error> {
        if scratch.stack.len() < self.depth {
            scratch.stack.resize(self.depth, 0);
        }
        if let Some(shared) = &self.shared {
            return shared.run(cells, &mut scratch.values, oracle);
        }
        let stack = scratch.stack.as_mut_slice();
        let mut top = 0usize; // number of values on the stack
        let mut pc = 0usize;
        macro_rules! push {
            ($value:expr) => {{
                let value = $value;
                stack[top] = value;
                top += 1;
            }};
        }
        macro_rules! pop {
            () => {{
                top -= 1;
                stack[top]
            }};
        }
        macro_rules! fail {
            ($handler:expr) => {{
                match self.handlers.get(*$handler as usize) {
                    None => return Ok(None),
                    Some(handler) => {
                        top = handler.height as usize;
                        push!(UNDEFINED);
                        pc = handler.target as usize;
                        continue;
                    }
                }
            }};
        }
        while let Some(op) = self.ops.get(pc) {
            pc += 1;
            match op {
                Op::Const(value) => push!(*value),
                Op::Load(cell) => push!(cells[*cell as usize]),
                Op::LoadIndexed {
                    base,
                    size,
                    handler,
                } => {
                    let index = pop!() as u32; // a negative index becomes a huge one
                    if index >= *size {
                        fail!(handler);
                    }
                    push!(cells[(*base + index) as usize]);
                }
                Op::Unary(op) => stack[top - 1] = op.apply(stack[top - 1]),
                Op::Total(op) => {
                    let b = pop!();
                    let a = stack[top - 1];
                    stack[top - 1] = match op {
                        BinaryOp::Add => a.wrapping_add(b),
                        BinaryOp::Subtract => a.wrapping_sub(b),
                        BinaryOp::Multiply => a.wrapping_mul(b),
                        BinaryOp::And => a & b,
                        BinaryOp::Or => a | b,
                        _ => a ^ b,
                    };
                }
                Op::Partial(op, handler) => {
                    let b = pop!();
                    match op.apply(stack[top - 1], b) {
                        Some(value) => stack[top - 1] = value,
                        None => fail!(handler),
                    }
                }
                Op::AddConst(k) => stack[top - 1] = stack[top - 1].wrapping_add(*k),
                Op::AsInteger(handler) => match stack[top - 1] {
                    UNDEFINED => fail!(handler),
                    value => stack[top - 1] = value / TRUE,
                },
                Op::Compare(op) => {
                    let b = pop!();
                    stack[top - 1] = truth(op.apply(stack[top - 1], b));
                }
                Op::Within(interval) => stack[top - 1] = truth(interval.contains(stack[top - 1])),
                Op::Test(cell, interval) => {
                    push!(truth(interval.contains(cells[*cell as usize])));
                }
                Op::TestPair(op, a, b) => {
                    push!(truth(op.apply(cells[*a as usize], cells[*b as usize])));
                }
                Op::Not => stack[top - 1] = TRUE - stack[top - 1],
                Op::Fails => stack[top - 1] = truth(stack[top - 1] != TRUE),
                Op::Minimum => {
                    let b = pop!();
                    stack[top - 1] = stack[top - 1].min(b);
                }
                Op::Maximum => {
                    let b = pop!();
                    stack[top - 1] = stack[top - 1].max(b);
                }
                Op::Iff => {
                    let b = pop!();
                    let a = stack[top - 1];
                    stack[top - 1] = if a == UNDEFINED || b == UNDEFINED {
                        UNDEFINED
                    } else {
                        truth(a == b)
                    };
                }
                Op::JumpIfFalse(target) => {
                    if stack[top - 1] == FALSE {
                        pc = *target as usize;
                    }
                }
                Op::JumpIfTrue(target) => {
                    if stack[top - 1] == TRUE {
                        pc = *target as usize;
                    }
                }
                Op::Enabled(events) => push!(truth(oracle.enabled(events)?)),
                Op::Deadlock => push!(truth(oracle.deadlock()?)),
            }
        }
        debug_assert_eq!(top, 1);
        Ok(Some(stack[0]))
    }
}

#[inline]
pub(crate) fn truth(value: bool) -> i32 {
    if value {
        TRUE
    } else {
        FALSE
    }
}
