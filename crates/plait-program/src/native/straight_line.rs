//! A variant as one function: its conditions, its steps, and its writes.
//!
//! Cells that the steps write at a constant place live in registers and are stored, each once, when
//! the end is reached; so a body that does not succeed has changed nothing. Only the cells of an
//! array that the steps access by a computed index are written in memory at once, because a later
//! access may mean them; their old values are logged one by one, also on paths that fail, and the
//! caller takes them back.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{types, Block, InstBuilder, MemFlags, Value};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::expression::{self, element, load, within, Cells};
use super::outcome;
use crate::cells::{Cell, CellSet};
use crate::code::{Code, Op};
use crate::interval::Interval;
use crate::machine::Write;
use crate::program::{CodeId, Program};
use crate::variant::{Step, Variant};

/// All expressions of a variant.
fn all_codes<'p>(program: &'p Program, variant: &'p Variant) -> impl Iterator<Item = &'p Code> {
    let conditions = variant.conditions.iter().map(|id| program.code(*id));
    let codes = variant.steps.iter().flat_map(Step::codes).flatten();
    conditions.chain(codes.map(|id| program.code(id)))
}

/// How much there is to compile, and to execute.
pub(super) fn cost(program: &Program, variant: &Variant) -> usize {
    let codes: usize = all_codes(program, variant).map(Code::cost).sum();
    1 + variant.steps.len() + codes
}

/// Whether there is machine code for everything in the variant, and it is worth it: a net-like one
/// without conditions is two short loops already.
pub(super) fn compilable(program: &Program, variant: &Variant) -> bool {
    let worth = variant.net.is_none() || variant.has_conditions();
    worth
        && variant.steps.iter().all(|step| is_plain(program, step))
        && all_codes(program, variant).all(expression::compilable)
}

/// Whether there is machine code for the step itself.
pub(super) fn is_plain(program: &Program, step: &Step) -> bool {
    match step {
        Step::Enter | Step::Repeat { .. } => false,
        Step::AssignIndexed { base, size, .. } => common_domain(program, *base, *size).is_some(),
        _ => true,
    }
}

/// The domain of the cells of an array, if all have the same.
fn common_domain(program: &Program, base: u32, size: u32) -> Option<Interval> {
    let cells = program.cells().get(base as usize..)?.get(..size as usize)?;
    let (first, rest) = cells.split_first()?;
    let same = |c: &Cell| (c.low, c.high) == (first.low, first.high);
    rest.iter()
        .all(same)
        .then(|| Interval::new(first.low, first.high))
}

/// Where cells are while the steps run.
struct Registers {
    cells: Value,
    /// The cells written at a constant place, with their values.
    written: BTreeMap<u32, Variable>,
}

impl Cells for Registers {
    fn read(&mut self, builder: &mut FunctionBuilder<'_>, cell: u32) -> Value {
        match self.written.get(&cell) {
            Some(variable) => builder.use_var(*variable),
            None => load(builder, self.cells, cell),
        }
    }

    fn address(&self) -> Value {
        self.cells
    }
}

/// Steps on their way into a function.
pub(super) struct Body<'a, 'f, 'p> {
    pub builder: &'a mut FunctionBuilder<'f>,
    program: &'p Program,
    registers: Registers,
    log: Value,
    /// How long the log is, on this path.
    logged: Variable,
    /// How long it may get before its end; `None` when it cannot get too long.
    room: Option<u32>,
    /// Where a path leads that has no successor.
    pub none: Block,
    /// Where a path leads about which the interpreter is asked.
    pub ask: Block,
    /// The blocks that begin at some steps.
    blocks: HashMap<u32, Block>,
}

/// Builds the function; how many entries its log may get comes back.
pub(super) fn function(
    builder: &mut FunctionBuilder<'_>,
    program: &Program,
    variant: &Variant,
) -> u32 {
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let (cells, log) = (
        builder.block_params(entry)[0],
        builder.block_params(entry)[1],
    );
    let mut body = Body::new(builder, program, (cells, log), None);
    body.require(&variant.conditions);
    let codes = variant.steps.iter().flat_map(Step::codes).flatten();
    body.register(&registered(program, variant.steps.iter(), codes));
    if body.run(&variant.steps) {
        body.succeed();
    }
    body.exits();
    let assignments = |s: &&Step| matches!(s, Step::Assign { .. } | Step::AssignIndexed { .. });
    variant.steps.iter().filter(assignments).count() as u32
}

/// The cells that steps write at a constant place and nothing accesses by a computed index, neither
/// the steps nor the expressions.
pub(super) fn registered<'s>(
    program: &Program,
    steps: impl Iterator<Item = &'s Step>,
    codes: impl Iterator<Item = CodeId>,
) -> BTreeSet<u32> {
    let mut written = BTreeSet::new();
    let mut indexed = Vec::new();
    for step in steps {
        match step {
            Step::Assign { cell, .. } => {
                written.insert(*cell);
            }
            Step::AssignIndexed { base, size, .. } => indexed.push((*base, base + size)),
            _ => {}
        }
    }
    for op in codes.flat_map(|id| &program.code(id).ops) {
        if let Op::LoadIndexed { base, size, .. } = op {
            indexed.push((*base, base + size));
        }
    }
    let indexed = CellSet::from_ranges(indexed);
    written.retain(|cell| !indexed.contains(*cell));
    written
}

impl<'a, 'f, 'p> Body<'a, 'f, 'p> {
    /// Begins at the point where the builder is.
    pub fn new(
        builder: &'a mut FunctionBuilder<'f>,
        program: &'p Program,
        (cells, log): (Value, Value),
        room: Option<u32>,
    ) -> Self {
        let logged = builder.declare_var(types::I32);
        let zero = builder.ins().iconst(types::I32, 0);
        builder.def_var(logged, zero);
        let written = BTreeMap::new();
        Body {
            registers: Registers { cells, written },
            none: builder.create_block(),
            ask: builder.create_block(),
            builder,
            program,
            log,
            logged,
            room,
            blocks: HashMap::new(),
        }
    }

    /// Goes on only where all these conditions hold.
    pub fn require(&mut self, conditions: &[CodeId]) {
        for id in conditions {
            let truth = self.condition(self.program.code(*id));
            self.demand(truth, self.none);
        }
    }

    /// Gives each of these cells a variable, with the value at the start.
    pub fn register(&mut self, cells: &BTreeSet<u32>) {
        for cell in cells {
            let variable = self.builder.declare_var(types::I32);
            let value = load(self.builder, self.registers.cells, *cell);
            self.builder.def_var(variable, value);
            self.registers.written.insert(*cell, variable);
        }
    }

    /// Executes the steps; whether the point behind them can be reached.
    pub fn run(&mut self, steps: &[Step]) -> bool {
        self.blocks.clear();
        let mut reachable = true;
        for (position, step) in (0u32..).zip(steps) {
            reachable = self.arrive(position, reachable);
            if reachable {
                reachable = self.step(step);
            }
        }
        self.arrive(steps.len() as u32, reachable)
    }

    /// If a branch leads to the position, its block begins. Whether the position can be reached.
    fn arrive(&mut self, position: u32, reachable: bool) -> bool {
        let Some(block) = self.blocks.get(&position).copied() else {
            return reachable;
        };
        if reachable {
            self.builder.ins().jump(block, &[]);
        }
        self.builder.switch_to_block(block);
        true
    }

    fn block_at(&mut self, position: u32) -> Block {
        let builder = &mut *self.builder;
        let block = self.blocks.entry(position);
        *block.or_insert_with(|| builder.create_block())
    }

    /// Whether the next step can be reached from this one.
    fn step(&mut self, step: &Step) -> bool {
        match step {
            Step::Assign { cell, value, .. } => {
                let value = self.integer(self.program.code(*value));
                self.assign(*cell, value);
            }
            Step::AssignIndexed {
                base,
                size,
                index,
                value,
                ..
            } => {
                let index = self.integer(self.program.code(*index));
                let value = self.integer(self.program.code(*value));
                self.assign_indexed((*base, *size), index, value);
            }
            Step::Require(condition) => {
                let truth = self.condition(self.program.code(*condition));
                self.demand(truth, self.none);
            }
            Step::Branch {
                condition,
                otherwise,
                ..
            } => {
                let code = self.program.code(*condition);
                let (truth, defined) =
                    expression::condition(self.builder, &mut self.registers, code);
                if let Some(defined) = defined {
                    self.demand(defined, self.ask);
                }
                let otherwise = self.block_at(*otherwise);
                self.demand(truth, otherwise);
            }
            Step::Jump(target) => {
                let target = self.block_at(*target);
                self.builder.ins().jump(target, &[]);
                return false;
            }
            Step::Abort | Step::Enter | Step::Repeat { .. } => {
                // The last two are not compilable.
                self.builder.ins().jump(self.none, &[]);
                return false;
            }
        }
        true
    }

    fn integer(&mut self, code: &Code) -> Value {
        expression::integer(self.builder, &mut self.registers, code, self.ask)
    }

    /// Whether a condition is true, as a Boolean of one byte.
    pub fn condition(&mut self, code: &Code) -> Value {
        expression::condition(self.builder, &mut self.registers, code).0
    }

    /// Goes on where the Boolean holds, and to that block elsewhere.
    pub fn demand(&mut self, holds: Value, otherwise: Block) {
        let next = self.builder.create_block();
        self.builder.ins().brif(holds, next, &[], otherwise, &[]);
        self.builder.switch_to_block(next);
    }

    fn check(&mut self, value: Value, domain: Interval) {
        if domain != Interval::FULL {
            let admitted = within(self.builder, value, domain);
            self.demand(admitted, self.ask);
        }
    }

    fn assign(&mut self, cell: u32, value: Value) {
        let declared = &self.program.cells()[cell as usize];
        self.check(value, Interval::new(declared.low, declared.high));
        match self.registers.written.get(&cell) {
            Some(variable) => self.builder.def_var(*variable, value),
            None => {
                let cells = self.registers.cells;
                let place = self.builder.ins().iadd_imm(cells, 4 * i64::from(cell));
                let number = self.builder.ins().iconst(types::I32, i64::from(cell));
                self.write(number, place, value);
            }
        }
    }

    fn assign_indexed(&mut self, (base, size): (u32, u32), index: Value, value: Value) {
        let compare = IntCC::UnsignedLessThan;
        let inside = self.builder.ins().icmp_imm(compare, index, i64::from(size));
        self.demand(inside, self.ask);
        let domain = common_domain(self.program, base, size).unwrap_or(Interval::FULL);
        self.check(value, domain);
        let place = element(self.builder, self.registers.cells, base, index);
        let number = self.builder.ins().iadd_imm(index, i64::from(base));
        self.write(number, place, value);
    }

    /// Writes a cell in memory, and its old value behind the log.
    fn write(&mut self, cell: Value, place: Value, value: Value) {
        let flags = MemFlags::trusted();
        let logged = self.builder.use_var(self.logged);
        if let Some(room) = self.room {
            let compare = IntCC::UnsignedLessThan;
            let fits = self
                .builder
                .ins()
                .icmp_imm(compare, logged, i64::from(room));
            self.demand(fits, self.ask);
        }
        let old = self.builder.ins().load(types::I32, flags, place, 0);
        let size = std::mem::size_of::<Write>() as i64;
        let offset = self.builder.ins().uextend(types::I64, logged);
        let offset = self.builder.ins().imul_imm(offset, size);
        let entry = self.builder.ins().iadd(self.log, offset);
        self.log_entry(entry, 0, cell, old);
        self.builder.ins().store(flags, value, place, 0);
        let logged = self.builder.ins().iadd_imm(logged, 1);
        self.builder.def_var(self.logged, logged);
    }

    fn log_entry(&mut self, entry: Value, number: usize, cell: Value, old: Value) {
        let at = |field: usize| (number * std::mem::size_of::<Write>() + field) as i32;
        let (cell_at, old_at) = (
            at(std::mem::offset_of!(Write, cell)),
            at(std::mem::offset_of!(Write, old)),
        );
        let flags = MemFlags::trusted();
        self.builder.ins().store(flags, cell, entry, cell_at);
        self.builder.ins().store(flags, old, entry, old_at);
    }

    /// The end is reached: what is in registers goes to memory.
    pub fn succeed(&mut self) {
        let written = std::mem::take(&mut self.registers.written);
        let logged = self.builder.use_var(self.logged);
        let size = std::mem::size_of::<Write>() as i64;
        let offset = self.builder.ins().uextend(types::I64, logged);
        let offset = self.builder.ins().imul_imm(offset, size);
        let entry = self.builder.ins().iadd(self.log, offset);
        let flags = MemFlags::trusted();
        for (number, (cell, variable)) in written.iter().enumerate() {
            let old = load(self.builder, self.registers.cells, *cell);
            let name = self.builder.ins().iconst(types::I32, i64::from(*cell));
            self.log_entry(entry, number, name, old);
            let value = self.builder.use_var(*variable);
            let cells = self.registers.cells;
            self.builder
                .ins()
                .store(flags, value, cells, 4 * *cell as i32);
        }
        let logged = self.builder.ins().iadd_imm(logged, written.len() as i64);
        self.answer(outcome::SUCCESSOR, logged);
    }

    /// The ends of all paths that do not succeed.
    pub fn exits(&mut self) {
        self.exit(self.none, outcome::NONE);
        self.exit(self.ask, outcome::ASK);
    }

    fn exit(&mut self, block: Block, outcome: u64) {
        self.builder.switch_to_block(block);
        let logged = self.builder.use_var(self.logged);
        self.answer(outcome, logged);
    }

    fn answer(&mut self, outcome: u64, logged: Value) {
        let length = self.builder.ins().uextend(types::I64, logged);
        let answer = self.builder.ins().bor_imm(length, (outcome << 32) as i64);
        self.builder.ins().return_(&[answer]);
    }
}
