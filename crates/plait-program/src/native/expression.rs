//! Bytecode to SSA values: the stack is executed symbolically, once over the code.
//!
//! A jump and a handler meet the code after them with one value that differs, the top of the stack;
//! it becomes the parameter of a block there. What lies below was computed before the paths parted.
//!
//! In an expression without partial operations nothing is undefined, and conditions are Booleans of
//! one byte; only in the others are they Kleene's numbers, as in the interpreter.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{types, Block, InstBuilder, MemFlags, Type, Value};
use cranelift_frontend::FunctionBuilder;

use crate::arithmetic::{BinaryOp, CompareOp, UnaryOp};
use crate::code::{Code, Op, FALSE, TRUE, UNDEFINED};
use crate::expr::Sort;
use crate::interval::Interval;

/// Where the values of cells come from.
pub(super) trait Cells {
    /// The value of a cell.
    fn read(&mut self, builder: &mut FunctionBuilder<'_>, cell: u32) -> Value;
    /// The address of the first cell; arrays that are read by index lie in memory.
    fn address(&self) -> Value;
}

/// All cells in memory.
pub(super) struct InMemory(pub Value);

impl Cells for InMemory {
    fn read(&mut self, builder: &mut FunctionBuilder<'_>, cell: u32) -> Value {
        load(builder, self.0, cell)
    }

    fn address(&self) -> Value {
        self.0
    }
}

/// The value of a cell in memory.
pub(super) fn load(builder: &mut FunctionBuilder<'_>, cells: Value, cell: u32) -> Value {
    let flags = MemFlags::trusted();
    builder
        .ins()
        .load(types::I32, flags, cells, 4 * cell as i32)
}

/// The address of a cell of an array, by its index as a 32-bit number.
pub(super) fn element(
    builder: &mut FunctionBuilder<'_>,
    cells: Value,
    base: u32,
    index: Value,
) -> Value {
    let index = builder.ins().uextend(types::I64, index);
    let offset = builder.ins().ishl_imm(index, 2);
    let first = builder.ins().iadd_imm(cells, 4 * i64::from(base));
    builder.ins().iadd(first, offset)
}

/// Whether there is machine code for everything in the expression.
pub(super) fn compilable(code: &Code) -> bool {
    let known = |op: &Op| {
        !matches!(
            op,
            Op::Enabled(_) | Op::Deadlock | Op::Partial(BinaryOp::Power, _)
        )
    };
    code.shared.is_none() && code.ops.iter().all(known)
}

/// A function that gives the value of the expression: in the high half of its answer whether it
/// has one, in the low half an integer, or 0 or 1 for a condition.
pub(super) fn function(builder: &mut FunctionBuilder<'_>, code: &Code) {
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let mut cells = InMemory(builder.block_params(entry)[0]);
    let undefined = builder.create_block();
    let value = match code.sort() {
        Sort::Integer => integer(builder, &mut cells, code, undefined),
        Sort::Condition => {
            let (truth, defined) = condition(builder, &mut cells, code);
            if let Some(defined) = defined {
                let next = builder.create_block();
                builder.ins().brif(defined, next, &[], undefined, &[]);
                builder.switch_to_block(next);
            }
            truth
        }
    };
    let value = builder.ins().uextend(types::I64, value);
    let answer = builder.ins().bor_imm(value, 1 << 32);
    builder.ins().return_(&[answer]);
    builder.switch_to_block(undefined);
    let nothing = builder.ins().iconst(types::I64, 0);
    builder.ins().return_(&[nothing]);
}

/// The value of an integer expression; where it is undefined, a jump to that block.
pub(super) fn integer(
    builder: &mut FunctionBuilder<'_>,
    cells: &mut dyn Cells,
    code: &Code,
    undefined: Block,
) -> Value {
    let mut translation = Translation::new(builder, cells, code, Some(undefined));
    translation.run();
    translation.pop_integer()
}

/// Whether a condition is true, and, if it may be undefined, whether it is not; both of one byte.
pub(super) fn condition(
    builder: &mut FunctionBuilder<'_>,
    cells: &mut dyn Cells,
    code: &Code,
) -> (Value, Option<Value>) {
    let mut translation = Translation::new(builder, cells, code, None);
    translation.run();
    let total = translation.total;
    let value = translation.pop_condition();
    if total {
        return (value, None);
    }
    let ins = |b: &mut FunctionBuilder<'_>, cc, k: i32| b.ins().icmp_imm(cc, value, i64::from(k));
    let truth = ins(builder, IntCC::Equal, TRUE);
    (truth, Some(ins(builder, IntCC::NotEqual, UNDEFINED)))
}

/// A value on the stack. The bytecode has one instruction for constants of both sorts.
#[derive(Clone, Copy)]
enum Operand {
    Constant(i32),
    Value(Value),
}

struct Translation<'a, 'f, 'c> {
    builder: &'a mut FunctionBuilder<'f>,
    cells: &'a mut dyn Cells,
    code: &'c Code,
    /// Nothing is undefined: conditions are Booleans.
    total: bool,
    stack: Vec<Operand>,
    /// The blocks that begin at some positions.
    blocks: HashMap<u32, Block>,
    /// Where an undefined integer at the root leads.
    undefined: Option<Block>,
}

impl<'a, 'f, 'c> Translation<'a, 'f, 'c> {
    fn new(
        builder: &'a mut FunctionBuilder<'f>,
        cells: &'a mut dyn Cells,
        code: &'c Code,
        undefined: Option<Block>,
    ) -> Self {
        let mut translation = Translation {
            builder,
            cells,
            code,
            total: is_total(code),
            stack: Vec::new(),
            blocks: HashMap::new(),
            undefined,
        };
        let kind = translation.kind();
        let jumps = code.ops.iter().filter_map(|op| match op {
            Op::JumpIfFalse(target) | Op::JumpIfTrue(target) => Some(*target),
            _ => None,
        });
        let handlers = code.handlers.iter().map(|handler| handler.target);
        for target in jumps.chain(handlers) {
            let builder = &mut *translation.builder;
            translation.blocks.entry(target).or_insert_with(|| {
                let block = builder.create_block();
                builder.append_block_param(block, kind);
                block
            });
        }
        translation
    }

    /// The type of conditions.
    fn kind(&self) -> Type {
        if self.total {
            types::I8
        } else {
            types::I32
        }
    }

    fn run(&mut self) {
        let code = self.code;
        for (position, op) in (0u32..).zip(&code.ops) {
            self.arrive(position);
            self.op(position as usize, op);
        }
        self.arrive(code.ops.len() as u32);
    }

    /// If paths meet at the position, the top of the stack becomes the parameter of a block.
    fn arrive(&mut self, position: u32) {
        if let Some(block) = self.blocks.get(&position).copied() {
            let top = self.pop_condition();
            self.builder.ins().jump(block, &[top.into()]);
            self.builder.switch_to_block(block);
            let parameter = self.builder.block_params(block)[0];
            self.push(parameter);
        }
    }

    fn push(&mut self, value: Value) {
        self.stack.push(Operand::Value(value));
    }

    fn pop(&mut self) -> Operand {
        self.stack.pop().unwrap_or(Operand::Constant(0))
    }

    fn pop_integer(&mut self) -> Value {
        match self.pop() {
            Operand::Value(value) => value,
            Operand::Constant(k) => self.builder.ins().iconst(types::I32, i64::from(k)),
        }
    }

    fn pop_condition(&mut self) -> Value {
        match self.pop() {
            Operand::Value(value) => value,
            Operand::Constant(k) => self.constant_condition(k),
        }
    }

    fn constant_condition(&mut self, k: i32) -> Value {
        let k = if self.total { k / TRUE } else { k };
        let kind = self.kind();
        self.builder.ins().iconst(kind, i64::from(k))
    }

    /// Pushes a Boolean as a condition.
    fn push_truth(&mut self, truth: Value) {
        let value = if self.total {
            truth
        } else {
            let wide = self.builder.ins().uextend(types::I32, truth);
            self.builder.ins().ishl_imm(wide, 1)
        };
        self.push(value);
    }

    /// Goes on where the Boolean holds; elsewhere the integer is undefined.
    fn demand(&mut self, defined: Value, handler: u32) {
        let next = self.builder.create_block();
        match self.code.handlers.get(handler as usize) {
            Some(handler) => {
                let target = self.blocks[&handler.target];
                let value = self.constant_condition(UNDEFINED);
                let ins = self.builder.ins();
                ins.brif(defined, next, &[], target, &[value.into()]);
            }
            None => {
                if let Some(target) = self.undefined {
                    self.builder.ins().brif(defined, next, &[], target, &[]);
                } else {
                    self.builder.ins().jump(next, &[]); // only integers are undefined at the root
                }
            }
        }
        self.builder.switch_to_block(next);
    }

    fn op(&mut self, position: usize, op: &Op) {
        match op {
            Op::Const(value) => self.stack.push(Operand::Constant(*value)),
            Op::Load(cell) => self.read(*cell),
            Op::LoadIndexed {
                base,
                size,
                handler,
            } => {
                let index = self.pop_integer();
                let compare = IntCC::UnsignedLessThan;
                let inside = self
                    .builder
                    .ins()
                    .icmp_imm(compare, index, i64::from(*size));
                self.demand(inside, *handler);
                let place = element(self.builder, self.cells.address(), *base, index);
                let flags = MemFlags::trusted();
                let value = self.builder.ins().load(types::I32, flags, place, 0);
                self.push(value);
            }
            Op::Unary(op) => {
                let a = self.pop_integer();
                let value = match op {
                    UnaryOp::Negate => self.builder.ins().ineg(a),
                    UnaryOp::Complement => self.builder.ins().bnot(a),
                };
                self.push(value);
            }
            Op::Total(op) => {
                let (b, a) = (self.pop_integer(), self.pop_integer());
                let ins = self.builder.ins();
                let value = match op {
                    BinaryOp::Add => ins.iadd(a, b),
                    BinaryOp::Subtract => ins.isub(a, b),
                    BinaryOp::Multiply => ins.imul(a, b),
                    BinaryOp::And => ins.band(a, b),
                    BinaryOp::Or => ins.bor(a, b),
                    _ => ins.bxor(a, b),
                };
                self.push(value);
            }
            Op::Partial(op, handler) => self.partial(*op, *handler, harmless(self.code, position)),
            Op::AddConst(k) => {
                let a = self.pop_integer();
                let value = self.builder.ins().iadd_imm(a, i64::from(*k));
                self.push(value);
            }
            Op::Enabled(_) | Op::Deadlock => self.stack.push(Operand::Constant(FALSE)),
            _ => self.logical(op),
        }
    }

    fn read(&mut self, cell: u32) {
        let value = self.cells.read(self.builder, cell);
        self.push(value);
    }

    /// An operation that may be undefined; `harmless` when its right side is a constant with which
    /// it is not.
    fn partial(&mut self, op: BinaryOp, handler: u32, harmless: Option<i32>) {
        let (b, a) = (self.pop_integer(), self.pop_integer());
        let shifts = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        if harmless.is_none() {
            let defined = if shifts {
                let compare = IntCC::UnsignedLessThan;
                self.builder.ins().icmp_imm(compare, b, 32)
            } else {
                self.builder.ins().icmp_imm(IntCC::NotEqual, b, 0)
            };
            self.demand(defined, handler);
        }
        let value = match op {
            BinaryOp::ShiftLeft => self.builder.ins().ishl(a, b),
            BinaryOp::ShiftRight => self.builder.ins().sshr(a, b),
            _ => self.divide(op, a, b, harmless),
        };
        self.push(value);
    }

    /// Division and remainder by what is not 0. The processor traps on the least integer divided
    /// by -1, so a division by -1 becomes one by 1, negated; both have remainder 0.
    fn divide(&mut self, op: BinaryOp, a: Value, b: Value, constant: Option<i32>) -> Value {
        let remainder = op == BinaryOp::Remainder;
        let ins = self.builder.ins();
        if constant.is_some_and(|k| k != -1) {
            return if remainder {
                ins.srem(a, b)
            } else {
                ins.sdiv(a, b)
            };
        }
        let minus = ins.icmp_imm(IntCC::Equal, b, -1);
        let one = self.builder.ins().iconst(types::I32, 1);
        let b = self.builder.ins().select(minus, one, b);
        if remainder {
            return self.builder.ins().srem(a, b);
        }
        let quotient = self.builder.ins().sdiv(a, b);
        let negated = self.builder.ins().ineg(quotient);
        self.builder.ins().select(minus, negated, quotient)
    }

    /// The instructions that make or use conditions.
    fn logical(&mut self, op: &Op) {
        match op {
            Op::AsInteger(handler) => self.as_integer(*handler),
            Op::Compare(op) => {
                let (b, a) = (self.pop_integer(), self.pop_integer());
                let truth = self.builder.ins().icmp(comparison(*op), a, b);
                self.push_truth(truth);
            }
            Op::Within(interval) => {
                let a = self.pop_integer();
                let truth = within(self.builder, a, *interval);
                self.push_truth(truth);
            }
            Op::Test(cell, interval) => {
                let a = self.cells.read(self.builder, *cell);
                let truth = within(self.builder, a, *interval);
                self.push_truth(truth);
            }
            Op::TestPair(op, a, b) => {
                let a = self.cells.read(self.builder, *a);
                let b = self.cells.read(self.builder, *b);
                let truth = self.builder.ins().icmp(comparison(*op), a, b);
                self.push_truth(truth);
            }
            Op::Not | Op::Fails if self.total => {
                let a = self.pop_condition();
                let value = self.builder.ins().bxor_imm(a, 1);
                self.push(value);
            }
            Op::Not => {
                let a = self.pop_condition();
                let value = self.builder.ins().irsub_imm(a, i64::from(TRUE));
                self.push(value);
            }
            Op::Fails => {
                let a = self.pop_condition();
                let compare = IntCC::NotEqual;
                let truth = self.builder.ins().icmp_imm(compare, a, i64::from(TRUE));
                self.push_truth(truth);
            }
            Op::Minimum | Op::Maximum => {
                let (b, a) = (self.pop_condition(), self.pop_condition());
                let ins = self.builder.ins();
                let value = match (op, self.total) {
                    (Op::Minimum, true) => ins.band(a, b),
                    (Op::Minimum, false) => ins.smin(a, b),
                    (_, true) => ins.bor(a, b),
                    (_, false) => ins.smax(a, b),
                };
                self.push(value);
            }
            Op::Iff => self.iff(),
            Op::JumpIfFalse(target) => self.jump(*target, FALSE),
            Op::JumpIfTrue(target) => self.jump(*target, TRUE),
            _ => {}
        }
    }

    fn as_integer(&mut self, handler: u32) {
        let a = self.pop_condition();
        if self.total {
            let value = self.builder.ins().uextend(types::I32, a);
            return self.push(value);
        }
        let compare = IntCC::NotEqual;
        let defined = self
            .builder
            .ins()
            .icmp_imm(compare, a, i64::from(UNDEFINED));
        self.demand(defined, handler);
        let value = self.builder.ins().ushr_imm(a, 1);
        self.push(value);
    }

    fn iff(&mut self) {
        let (b, a) = (self.pop_condition(), self.pop_condition());
        let equal = self.builder.ins().icmp(IntCC::Equal, a, b);
        self.push_truth(equal);
        if self.total {
            return;
        }
        let value = self.pop_condition();
        let unknown = self.constant_condition(UNDEFINED);
        let mut open = |a| {
            let ins = self.builder.ins();
            ins.icmp_imm(IntCC::Equal, a, i64::from(UNDEFINED))
        };
        let (a, b) = (open(a), open(b));
        let either = self.builder.ins().bor(a, b);
        let value = self.builder.ins().select(either, unknown, value);
        self.push(value);
    }

    /// Leaves with the top of the stack where it has that truth value; it stays on the stack.
    fn jump(&mut self, target: u32, when: i32) {
        let top = self.pop_condition();
        let target = self.blocks[&target];
        let next = self.builder.create_block();
        let when = i64::from(if self.total { when / TRUE } else { when });
        let leaves = self.builder.ins().icmp_imm(IntCC::Equal, top, when);
        let ins = self.builder.ins();
        ins.brif(leaves, target, &[top.into()], next, &[]);
        self.builder.switch_to_block(next);
        self.push(top);
    }
}

/// Whether nothing in the expression can be undefined.
fn is_total(code: &Code) -> bool {
    let total = |(position, op): (usize, &Op)| match op {
        Op::LoadIndexed { .. } => false,
        Op::Partial(..) => harmless(code, position).is_some(),
        _ => true,
    };
    code.ops.iter().enumerate().all(total)
}

/// The right side of the partial operation at a position, if it is a constant with which the
/// operation is defined. The right side is what was pushed last.
fn harmless(code: &Code, position: usize) -> Option<i32> {
    let (Some(Op::Const(k)), Op::Partial(op, _)) =
        (code.ops.get(position.wrapping_sub(1)), &code.ops[position])
    else {
        return None;
    };
    op.apply(1, *k).map(|_| *k)
}

fn comparison(op: CompareOp) -> IntCC {
    match op {
        CompareOp::Equal => IntCC::Equal,
        CompareOp::NotEqual => IntCC::NotEqual,
        CompareOp::Less => IntCC::SignedLessThan,
        CompareOp::LessEqual => IntCC::SignedLessThanOrEqual,
        CompareOp::Greater => IntCC::SignedGreaterThan,
        CompareOp::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
    }
}

/// Whether the value lies in the interval, as a Boolean.
pub(super) fn within(builder: &mut FunctionBuilder<'_>, value: Value, interval: Interval) -> Value {
    let (low, span) = (interval.low(), interval.span());
    if span == 0 {
        let ins = builder.ins();
        return ins.icmp_imm(IntCC::Equal, value, i64::from(low));
    }
    let offset = builder.ins().iadd_imm(value, -i64::from(low));
    let span = builder.ins().iconst(types::I32, i64::from(span));
    let compare = IntCC::UnsignedLessThanOrEqual;
    builder.ins().icmp(compare, offset, span)
}
