//! Straight lines and expressions as machine code, compiled in process with Cranelift.
//!
//! A model checker that generates C and calls a compiler (Holzmann, *The SPIN Model Checker*, 2003;
//! Blom, van de Pol and Weber, *LTSmin*, CAV 2010) pays seconds before its first state. Here the
//! interpreter starts at once, and when a search has shown that it is long, its events are compiled
//! within a budget while it runs. Bytecode (`code`) becomes SSA values by executing its stack
//! symbolically (`expression`), the steps of a variant become one function (`straight_line`).
//!
//! **The interpreter is the meaning.** Compiled code answers the ordinary cases only: the state has
//! a successor, which then stands in the cells with a log of what was overwritten, exactly as the
//! machine leaves it; or a guard does not hold. Wherever something is out of the ordinary (an
//! undefined operation in a body, a value outside a domain) it says so, the log is taken back, and
//! the interpreter executes the same step again and counts or reports what it finds. What is not
//! worth compiling or cannot be (fixpoints, powers, shared expressions, questions about events, very
//! long bodies) has no compiled form, event by event.
//!
//! An event that settles, as the atomic blocks of Promela do, becomes one function too (`block`),
//! where what can follow what is known beforehand (`control_flow`) and there is one way to go on.
//!
//! Compiled code has no calls and no recursion, and its only loops are those of blocks, which count
//! their rounds and leave a long run to the interpreter: it runs in a few registers, so it needs no
//! stack to speak of and no watch.

mod block;
mod control_flow;
mod expression;
mod straight_line;
#[cfg(test)]
mod tests;

use std::fmt;
use std::mem::ManuallyDrop;

use cranelift_codegen::ir::{types, AbiParam, UserFuncName};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::Context;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITMemoryProvider, JITModule};
use cranelift_module::{default_libcall_names, FuncId, Module};

use crate::code::{Code, Value};
use crate::expr::Sort;
use crate::machine::Write;
use crate::program::Program;
use crate::variant::Variant;

use self::control_flow::{ControlFlow, Graph};

/// Instructions of bytecode in one function, at most: longer bodies stay interpreted.
const LONGEST: usize = 4_000;
/// Instructions of bytecode in all, at most; some ten microseconds each.
pub const BUDGET: usize = 50_000;
/// Cells are addressed by 32-bit offsets.
const MOST_CELLS: usize = 1 << 28;

/// A compiled variant: what it makes of the cells, with the overwritten values in the log. The low
/// half of the answer is the length of the log, the high half an `outcome`.
type Line = unsafe extern "C" fn(cells: *mut i32, log: *mut Write) -> u64;
/// A compiled block, likewise. It notes which events it has executed, a byte for each event.
type Whole = unsafe extern "C" fn(cells: *mut i32, log: *mut Write, called: *mut bool) -> u64;
/// A compiled expression: the low half is its value, the high half whether it has one.
type Expression = unsafe extern "C" fn(cells: *const i32) -> u64;

/// What a compiled variant says.
mod outcome {
    /// A guard or condition does not hold, or the body aborts.
    pub const NONE: u64 = 0;
    /// The successor stands in the cells.
    pub const SUCCESSOR: u64 = 1;
    /// Something out of the ordinary: the interpreter knows what.
    pub const ASK: u64 = 2;
}

/// One compiled variant, or one compiled block.
#[derive(Clone, Copy)]
struct Entry<F> {
    function: F,
    /// Entries that the log may get.
    writes: u32,
    /// Instructions of bytecode.
    cost: u32,
}

/// The compiled forms of a program's variants, and of some expressions over its cells.
pub struct Native {
    /// Owns the memory that the entries point into.
    module: ManuallyDrop<JITModule>,
    /// By number of the variant.
    entries: Vec<Option<Entry<Line>>>,
    /// By event.
    blocks: Vec<Option<Entry<Whole>>>,
    expressions: Vec<Option<(Expression, Sort)>>,
    cells: usize,
    bytes: usize,
}

// SAFETY: after `compile` nothing is written any more, neither through the module, which is only
// kept to free its memory, nor in the code, which is mapped read-only.
unsafe impl Send for Native {}
// SAFETY: as above.
unsafe impl Sync for Native {}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lines, blocks) = (self.variants(), self.blocks());
        let bytes = self.bytes;
        write!(
            f,
            "Native({lines} variants, {blocks} blocks, {bytes} bytes)"
        )
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        // SAFETY: the module is taken once, here; the function pointers are private, are called
        // only by methods of `self`, and so not after this.
        unsafe { ManuallyDrop::take(&mut self.module).free_memory() }
    }
}

impl Native {
    /// Compiles the program's variants, those of the events that matter most first and not those
    /// that do not, and the expressions, until `budget` instructions of bytecode are used up. `None` when nothing could
    /// be compiled: an unknown processor, no memory that may be executed, nothing worth it.
    pub fn compile(
        program: &Program,
        expressions: &[Code],
        matters: &[u64],
        budget: usize,
    ) -> Option<Native> {
        Native::compile_with(program, expressions, matters, budget, None)
    }

    /// As `compile`, with memory from any provider.
    fn compile_with(
        program: &Program,
        expressions: &[Code],
        matters: &[u64],
        budget: usize,
        memory: Option<Box<dyn JITMemoryProvider>>,
    ) -> Option<Native> {
        if program.cells().len() > MOST_CELLS {
            return None;
        }
        let mut compiler = Compiler::new(memory)?;
        let found = compiler.all(program, expressions, matters, budget);
        if found.is_none() {
            // SAFETY: no function of the module has been given to anybody.
            unsafe { compiler.module.free_memory() };
            return None;
        }
        let found = found?;
        Some(Native {
            module: ManuallyDrop::new(compiler.module),
            entries: found.entries,
            blocks: found.blocks,
            expressions: found.expressions,
            cells: program.cells().len(),
            bytes: compiler.bytes,
        })
    }

    /// How many instructions of bytecode there are to compile of the events that matter, at most.
    pub fn work(program: &Program, matters: &[u64]) -> usize {
        let events = by_importance(program, matters).into_iter();
        let variants = events.flat_map(|event| program.events()[event as usize].lines());
        let lines = variants.map(|v| straight_line::cost(program, v));
        lines.filter(|cost| *cost <= LONGEST).sum()
    }

    /// Bytes of machine code.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many variants have a compiled form.
    pub fn variants(&self) -> usize {
        self.entries.iter().flatten().count()
    }

    /// How many events that settle have a compiled form.
    pub fn blocks(&self) -> usize {
        self.blocks.iter().flatten().count()
    }

    /// What compiled code makes of the cells, if the variant has any and the case is an ordinary
    /// one: whether there is a successor, which then stands in `cells` with `log` to take it back.
    /// Otherwise, and when there is no successor, `cells` is as before. The tests of the variant
    /// are the caller's, its conditions are not. `None`: ask the interpreter.
    #[inline]
    pub(crate) fn execute(
        &self,
        variant: &Variant,
        cells: &mut [i32],
        log: &mut Vec<Write>,
    ) -> Option<bool> {
        let entry = self.entries.get(variant.number as usize)?.as_ref()?;
        if cells.len() != self.cells {
            return None;
        }
        log.clear();
        log.reserve(entry.writes as usize);
        // SAFETY: the code was compiled by `straight_line` for states of `self.cells` cells, and
        // touches memory in two ways: at constant or checked places among these cells, and in the
        // log, at most `entry.writes` entries from its start, each of which it fills. It calls
        // nothing. The length it gives back is the number of entries that it filled.
        let said = unsafe {
            let said = (entry.function)(cells.as_mut_ptr(), log.as_mut_ptr());
            log.set_len(said as u32 as usize);
            said
        };
        answer(said, cells, log)
    }

    /// As `execute`, for an event that settles: `called` gets to know which events it has executed
    /// besides, and the event's own guard is not the caller's. With what it costs, as `cost` says.
    #[inline]
    pub(crate) fn execute_block(
        &self,
        event: u32,
        cells: &mut [i32],
        log: &mut Vec<Write>,
        called: &mut [bool],
    ) -> Option<(usize, Option<bool>)> {
        let entry = self.blocks.get(event as usize)?.as_ref()?;
        if cells.len() != self.cells || called.len() != self.blocks.len() {
            return None;
        }
        log.clear();
        log.reserve(entry.writes as usize);
        // SAFETY: the code was compiled by `block` for states of `self.cells` cells and a program of
        // `called.len()` events. It touches the cells and the log as that of variants does, with at
        // most `entry.writes` entries, which it counts; and it writes a 1, which is a Boolean, at the
        // places of events in `called`.
        let said = unsafe {
            let said = (entry.function)(cells.as_mut_ptr(), log.as_mut_ptr(), called.as_mut_ptr());
            log.set_len(said as u32 as usize);
            said
        };
        Some((entry.cost as usize, answer(said, cells, log)))
    }

    /// What an execution of the variant costs, in instructions of bytecode, if it is compiled.
    #[inline]
    pub(crate) fn cost(&self, variant: &Variant) -> Option<usize> {
        let entry = self.entries.get(variant.number as usize)?.as_ref()?;
        Some(entry.cost as usize)
    }

    /// The value in that state of the expression of that number, if it is compiled.
    #[inline]
    pub fn value(&self, number: usize, cells: &[i32]) -> Option<Value> {
        let (function, sort) = (*self.expressions.get(number)?)?;
        if cells.len() != self.cells {
            return None;
        }
        // SAFETY: the code was compiled by `expression` for states of `self.cells` cells and reads
        // constant or checked places among them; it writes and calls nothing.
        let said = unsafe { function(cells.as_ptr()) };
        let value = said as u32 as i32;
        Some(match (said >> 32, sort) {
            (0, _) => Value::Undefined,
            (_, Sort::Integer) => Value::Integer(value),
            (_, Sort::Condition) => Value::Condition(value != 0),
        })
    }
}

/// What the answer of compiled code means; where there is no successor, the log is taken back.
#[inline]
fn answer(said: u64, cells: &mut [i32], log: &mut Vec<Write>) -> Option<bool> {
    if said >> 32 == outcome::SUCCESSOR {
        return Some(true);
    }
    for write in log.drain(..).rev() {
        cells[write.cell as usize] = write.old;
    }
    (said >> 32 == outcome::NONE).then_some(false)
}

/// The events of the program that matter, most first.
fn by_importance(program: &Program, matters: &[u64]) -> Vec<u32> {
    let mut events: Vec<u32> = (0..program.events().len() as u32).collect();
    let matters = |event: &u32| matters.get(*event as usize).copied().unwrap_or(1);
    events.retain(|event| matters(event) > 0);
    events.sort_by_key(|event| std::cmp::Reverse(matters(event)));
    events
}

/// Functions on their way into memory.
struct Compiler {
    module: JITModule,
    context: Context,
    builder: FunctionBuilderContext,
    bytes: usize,
}

/// What was compiled.
struct Found {
    entries: Vec<Option<Entry<Line>>>,
    blocks: Vec<Option<Entry<Whole>>>,
    expressions: Vec<Option<(Expression, Sort)>>,
}

/// A function that is not executable yet, with the number of what it is compiled from.
struct Pending {
    number: usize,
    cost: usize,
    id: FuncId,
    writes: u32,
}

impl Pending {
    fn entry<F>(&self, function: F) -> Entry<F> {
        Entry {
            function,
            writes: self.writes,
            cost: self.cost as u32,
        }
    }
}

impl Compiler {
    fn new(memory: Option<Box<dyn JITMemoryProvider>>) -> Option<Compiler> {
        let mut flags = settings::builder();
        let verify = if cfg!(any(test, debug_assertions)) {
            "true"
        } else {
            "false"
        };
        for (name, value) in [
            // The optimiser gains nothing on such short code, and in this series it takes a division
            // by the least integer for one by a power of two.
            ("opt_level", "none"),
            ("is_pic", "false"),
            ("enable_verifier", verify),
        ] {
            flags.set(name, value).ok()?;
        }
        let isa = cranelift_native::builder().ok()?;
        let isa = isa.finish(settings::Flags::new(flags)).ok()?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        if let Some(memory) = memory {
            builder.memory_provider(memory);
        }
        let module = JITModule::new(builder);
        Some(Compiler {
            context: module.make_context(),
            module,
            builder: FunctionBuilderContext::new(),
            bytes: 0,
        })
    }

    /// Everything within the budget, executable; `None` when there is nothing or it cannot be.
    fn all(
        &mut self,
        program: &Program,
        expressions: &[Code],
        matters: &[u64],
        budget: usize,
    ) -> Option<Found> {
        let mut left = budget;
        let mut codes = Vec::new();
        for (number, code) in expressions.iter().enumerate() {
            if code.cost() <= LONGEST.min(left) && expression::compilable(code) {
                left -= code.cost();
                codes.push((number, self.expression(code)?));
            }
        }
        let (mut lines, mut blocks) = (Vec::new(), Vec::new());
        let mut flow = ControlFlow::new(program);
        for event in by_importance(program, matters) {
            let compiled = &program.events()[event as usize];
            if compiled.variants().is_none() && compiled.decl.label.is_none() {
                let graph = flow.graph(event).filter(|graph| graph.cost <= left);
                if let Some(graph) = graph.filter(|graph| block::compilable(program, graph)) {
                    left -= graph.cost;
                    blocks.push(self.block(program, event, &graph)?);
                }
            }
            for variant in compiled.lines() {
                let cost = straight_line::cost(program, variant);
                if cost <= LONGEST.min(left) && straight_line::compilable(program, variant) {
                    left -= cost;
                    lines.push(self.line(program, variant, cost)?);
                }
            }
        }
        if codes.is_empty() && lines.is_empty() && blocks.is_empty() {
            return None;
        }
        self.module.finalize_definitions().ok()?;
        let mut found = Found {
            entries: vec![None; lines.iter().map(|p| p.number + 1).max().unwrap_or(0)],
            blocks: vec![None; program.events().len()],
            expressions: vec![None; expressions.len()],
        };
        for (number, id) in codes {
            let code = self.module.get_finalized_function(id);
            // SAFETY: `expression` gives its function this signature and the C convention.
            let function = unsafe { std::mem::transmute::<*const u8, Expression>(code) };
            found.expressions[number] = Some((function, expressions[number].sort()));
        }
        for pending in lines {
            let code = self.module.get_finalized_function(pending.id);
            // SAFETY: `line` gives its function this signature and the C convention.
            let function = unsafe { std::mem::transmute::<*const u8, Line>(code) };
            found.entries[pending.number] = Some(pending.entry(function));
        }
        for pending in blocks {
            let code = self.module.get_finalized_function(pending.id);
            // SAFETY: `block` gives its function this signature and the C convention.
            let function = unsafe { std::mem::transmute::<*const u8, Whole>(code) };
            found.blocks[pending.number] = Some(pending.entry(function));
        }
        Some(found)
    }

    fn expression(&mut self, code: &Code) -> Option<FuncId> {
        let id = self.declare(1)?;
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        expression::function(&mut builder, code);
        builder.seal_all_blocks();
        builder.finalize();
        self.define(id)
    }

    fn line(&mut self, program: &Program, variant: &Variant, cost: usize) -> Option<Pending> {
        let id = self.declare(2)?;
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let writes = straight_line::function(&mut builder, program, variant);
        builder.seal_all_blocks();
        builder.finalize();
        let (number, id) = (variant.number as usize, self.define(id)?);
        Some(Pending {
            number,
            cost,
            id,
            writes,
        })
    }

    fn block(&mut self, program: &Program, event: u32, graph: &Graph) -> Option<Pending> {
        let id = self.declare(3)?;
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let writes = block::function(&mut builder, program, graph);
        builder.seal_all_blocks();
        builder.finalize();
        let (number, id) = (event as usize, self.define(id)?);
        Some(Pending {
            number,
            cost: graph.cost,
            id,
            writes,
        })
    }

    /// Begins a function from some pointers to a 64-bit answer, with the convention of C.
    fn declare(&mut self, pointers: usize) -> Option<FuncId> {
        let mut signature = self.module.make_signature();
        let pointer = self.module.target_config().pointer_type();
        signature.params = vec![AbiParam::new(pointer); pointers];
        signature.returns = vec![AbiParam::new(types::I64)];
        let id = self.module.declare_anonymous_function(&signature).ok()?;
        self.context.func.signature = signature;
        self.context.func.name = UserFuncName::user(0, id.as_u32());
        Some(id)
    }

    fn define(&mut self, id: FuncId) -> Option<FuncId> {
        self.module.define_function(id, &mut self.context).ok()?;
        let code = self.context.compiled_code();
        self.bytes += code.map_or(0, |code| code.code_buffer().len());
        self.module.clear_context(&mut self.context);
        Some(id)
    }
}
