//! Between which values an expression lies, given that for each cell.
//!
//! The abstract counterpart of evaluation, on the same code: one pair of bounds for each value on the
//! stack. It need not be sharp, only never too narrow; where an operation could wrap around, or the
//! code jumps, the answer is "any value". Reductions use it to see that an assignment can never leave
//! the domain of its cell.

use crate::arithmetic::{BinaryOp, UnaryOp};
use crate::code::{Code, Op};

/// Least and greatest value.
pub type Bounds = (i64, i64);

/// All 32-bit integers.
pub const ANY: Bounds = (i32::MIN as i64, i32::MAX as i64);

impl Code {
    /// The bounds of the integer that the expression denotes, where it is defined.
    pub fn range(&self, cell: &dyn Fn(u32) -> Bounds) -> Bounds {
        if self.shared.is_some() {
            return ANY;
        }
        let mut stack: Vec<Bounds> = Vec::new();
        for op in &self.ops {
            let Some(value) = step(op, cell, &mut stack) else {
                return ANY;
            };
            stack.push(value);
        }
        match stack.as_slice() {
            [only] => *only,
            _ => ANY,
        }
    }
}

/// The bounds of what the instruction pushes, its operands taken off; `None` when it is not followed.
fn step(op: &Op, cell: &dyn Fn(u32) -> Bounds, stack: &mut Vec<Bounds>) -> Option<Bounds> {
    Some(match op {
        Op::Const(value) => (i64::from(*value), i64::from(*value)),
        Op::Load(from) => cell(*from),
        Op::LoadIndexed { base, size, .. } => {
            stack.pop()?;
            let all = (*base..base + size).map(cell);
            all.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?
        }
        Op::Unary(op) => {
            let (low, high) = stack.pop()?;
            wrapped(match op {
                UnaryOp::Negate => (-high, -low),
                UnaryOp::Complement => (-high - 1, -low - 1),
            })
        }
        Op::AddConst(amount) => {
            let (low, high) = stack.pop()?;
            wrapped((low + i64::from(*amount), high + i64::from(*amount)))
        }
        Op::Total(op) | Op::Partial(op, _) => {
            let b = stack.pop()?;
            let a = stack.pop()?;
            wrapped(binary(*op, a, b))
        }
        Op::AsInteger(_) => {
            stack.pop()?;
            (0, 1)
        }
        // A condition: its value is never asked for but by `AsInteger`.
        Op::Compare(_) | Op::Minimum | Op::Maximum | Op::Iff => {
            stack.pop()?;
            stack.pop()?;
            ANY
        }
        Op::Within(_) | Op::Not | Op::Fails => {
            stack.pop()?;
            ANY
        }
        Op::Test(..) | Op::TestPair(..) => ANY,
        Op::JumpIfFalse(_) | Op::JumpIfTrue(_) | Op::Enabled(_) | Op::Deadlock => return None,
    })
}

fn wrapped(bounds: Bounds) -> Bounds {
    if bounds.0 < ANY.0 || bounds.1 > ANY.1 {
        ANY
    } else {
        bounds
    }
}

fn binary(op: BinaryOp, a: Bounds, b: Bounds) -> Bounds {
    let corners = |f: fn(i64, i64) -> i64| {
        let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        let low = all.iter().copied().min().unwrap_or(ANY.0);
        let high = all.iter().copied().max().unwrap_or(ANY.1);
        (low, high)
    };
    let bits = |value: i64| (1i64 << (64 - value.leading_zeros())) - 1;
    match op {
        BinaryOp::Add => (a.0 + b.0, a.1 + b.1),
        BinaryOp::Subtract => (a.0 - b.1, a.1 - b.0),
        BinaryOp::Multiply => corners(|x, y| x * y),
        BinaryOp::And if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        BinaryOp::And if a.0 >= 0 => (0, a.1),
        BinaryOp::And if b.0 >= 0 => (0, b.1),
        BinaryOp::Or | BinaryOp::Xor if a.0 >= 0 && b.0 >= 0 => (0, bits(a.1.max(b.1))),
        BinaryOp::Divide if b.0 > 0 => corners(|x, y| x / y),
        BinaryOp::Remainder => {
            let most = b.0.abs().max(b.1.abs()) - 1;
            let low = if a.0 >= 0 { 0 } else { -most.min(-a.0) };
            let high = if a.1 <= 0 { 0 } else { most.min(a.1) };
            (low.min(high), high)
        }
        BinaryOp::ShiftRight => (a.0.min(0), a.1.max(0)),
        _ => ANY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{naive, random, recipe};
    use crate::Builder;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn a_value_lies_between_its_bounds(
            tree in random::integer(),
            bounds in prop::collection::vec((-6..6i32, 0..5i32), random::CELLS as usize),
            share in prop::collection::vec(0..5i32, random::CELLS as usize),
        ) {
            let mut builder = Builder::new();
            let mut state = Vec::new();
            for ((low, span), share) in bounds.iter().zip(&share) {
                builder.cell("x", *low, i32::MIN, i32::MAX).unwrap();
                state.push(low + (*share).min(*span));
            }
            let id = recipe::integer(&mut builder, &tree).unwrap();
            let code = Code::compile(builder.pool(), id);
            let cell = |c: u32| {
                let (low, span) = bounds[c as usize];
                (i64::from(low), i64::from(low + span))
            };
            let (low, high) = code.range(&cell);
            if let Some(value) = naive::integer(&tree, &state) {
                let value = i64::from(value);
                prop_assert!(low <= value && value <= high, "{} not in {}..{}", value, low, high);
            }
        }
    }
}
