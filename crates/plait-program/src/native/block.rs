//! An event that settles as one function: the graph of its control flow, loops included.
//!
//! At each point the guards of all events that may come next are evaluated. If none holds the event
//! has no successor; if one holds, that event is executed; where two hold there may be several
//! successors, and the interpreter is asked, which searches. So what is compiled here is what a
//! `d_step` promises: one way to go on.
//!
//! Loops are bounded twice, by the number of points passed and by the room of the log. A block that
//! goes on for longer is given to the interpreter, which asks its watch and finds out whether the
//! block comes back to where it was.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{types, Block, InstBuilder, MemFlags, Value};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::control_flow::{Graph, Node, Target, Way};
use super::expression;
use super::straight_line::{self, Body};
use crate::program::{CodeId, Program};
use crate::variant::Step;

/// Points that repeat a label which one execution passes, at most: a fraction of a millisecond.
const MOST_VISITS: i64 = 1 << 16;
/// Writes to arrays, besides one for each assignment: those of loops.
const LOOP_WRITES: usize = 1 << 10;
/// An event that may write more cells than this stays interpreted: each is logged every time.
const MOST_WRITTEN: usize = 128;

/// Whether there is machine code for everything in the graph.
pub(super) fn compilable(program: &Program, graph: &Graph) -> bool {
    let plain = |step| straight_line::is_plain(program, step);
    let code = |id: CodeId| expression::compilable(program.code(id));
    steps(graph).all(plain)
        && codes(graph).all(code)
        && graph.start.guard.iter().copied().all(code)
        && straight_line::registered(program, steps(graph), codes(graph)).len() <= MOST_WRITTEN
}

fn ways(graph: &Graph) -> impl Iterator<Item = &Way> {
    let all = graph.nodes.iter().flat_map(|node| &node.ways);
    std::iter::once(&graph.start).chain(all)
}

fn steps(graph: &Graph) -> impl Iterator<Item = &Step> {
    ways(graph).flat_map(|way| &way.steps)
}

/// All expressions that are evaluated after the first step.
fn codes(graph: &Graph) -> impl Iterator<Item = CodeId> + '_ {
    let nodes = graph.nodes.iter();
    let chosen = nodes.flat_map(|node| {
        let guards = node.ways.iter().flat_map(|way| &way.guard);
        guards.copied().chain(node.settles.map(|(code, _)| code))
    });
    let inner = steps(graph).flat_map(|step| step.codes().into_iter().flatten());
    chosen.chain(inner)
}

/// Builds the function; how many entries its log may get comes back.
pub(super) fn function(builder: &mut FunctionBuilder<'_>, program: &Program, graph: &Graph) -> u32 {
    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let [cells, log, called] = [0, 1, 2].map(|k| builder.block_params(entry)[k]);
    let visits = builder.declare_var(types::I32);
    let zero = builder.ins().iconst(types::I32, 0);
    builder.def_var(visits, zero);
    let nodes = graph.nodes.iter().map(|_| builder.create_block()).collect();
    let end = builder.create_block();
    let room = (steps(graph).count() + LOOP_WRITES) as u32;
    let registered = straight_line::registered(program, steps(graph), codes(graph));
    let mut body = Body::new(builder, program, (cells, log), Some(room));
    body.require(&graph.start.guard);
    body.register(&registered);
    let mut compiler = Compiler {
        body,
        program,
        called,
        visits,
        nodes,
        end,
    };
    compiler.way(&graph.start, false);
    for (number, node) in graph.nodes.iter().enumerate() {
        compiler.node(number, node);
    }
    compiler.body.builder.switch_to_block(end);
    compiler.body.succeed();
    compiler.body.exits();
    room + registered.len() as u32
}

struct Compiler<'a, 'f, 'p> {
    body: Body<'a, 'f, 'p>,
    program: &'p Program,
    /// Where it is noted that an event was called, a byte for each.
    called: Value,
    /// How many points were passed.
    visits: Variable,
    nodes: Vec<Block>,
    end: Block,
}

impl Compiler<'_, '_, '_> {
    fn node(&mut self, number: usize, node: &Node) {
        self.body.builder.switch_to_block(self.nodes[number]);
        if node.repeats {
            self.count();
        }
        if let Some((condition, settled)) = node.settles {
            let truth = self.body.condition(self.program.code(condition));
            let settled = self.block(settled);
            self.body.demand(truth, settled);
        }
        match &node.ways[..] {
            [] => {
                let none = self.body.none;
                self.body.builder.ins().jump(none, &[]);
            }
            [way] if way.guard.is_empty() => self.way(way, true),
            ways => self.choose(ways),
        }
    }

    /// Goes the only way that is open.
    fn choose(&mut self, ways: &[Way]) {
        let open: Vec<Value> = ways.iter().map(|way| self.holds(&way.guard)).collect();
        let ins = |this: &mut Self, a, b| this.body.builder.ins().iadd(a, b);
        let mut count = open[0];
        for other in &open[1..] {
            count = ins(self, count, *other);
        }
        let (none, ask) = (self.body.none, self.body.ask);
        let some = self.body.builder.ins().icmp_imm(IntCC::NotEqual, count, 0);
        self.body.demand(some, none);
        if ways.len() > 1 {
            let one = self.body.builder.ins().icmp_imm(IntCC::Equal, count, 1);
            self.body.demand(one, ask);
        }
        for (number, (way, open)) in ways.iter().zip(open).enumerate() {
            if number + 1 == ways.len() {
                self.way(way, true);
                break;
            }
            let builder = &mut *self.body.builder;
            let (taken, next) = (builder.create_block(), builder.create_block());
            builder.ins().brif(open, taken, &[], next, &[]);
            builder.switch_to_block(taken);
            self.way(way, true);
            self.body.builder.switch_to_block(next);
        }
    }

    /// Whether all conjuncts hold, as a Boolean of one byte.
    fn holds(&mut self, guard: &[CodeId]) -> Value {
        let mut all = None;
        for id in guard {
            let truth = self.body.condition(self.program.code(*id));
            all = Some(match all {
                None => truth,
                Some(before) => self.body.builder.ins().band(before, truth),
            });
        }
        all.unwrap_or_else(|| self.body.builder.ins().iconst(types::I8, 1))
    }

    /// Executes an event, which was called unless the block begins with it.
    fn way(&mut self, way: &Way, called: bool) {
        // As the interpreter notes it: a straight line when it has a successor.
        let straight = self.program.events()[way.event as usize]
            .variants()
            .is_some();
        if called && !straight {
            self.note(way.event);
        }
        if self.body.run(&way.steps) {
            if called && straight {
                self.note(way.event);
            }
            let next = self.block(way.next);
            self.body.builder.ins().jump(next, &[]);
        }
    }

    fn note(&mut self, event: u32) {
        let builder = &mut *self.body.builder;
        let yes = builder.ins().iconst(types::I8, 1);
        let flags = MemFlags::trusted();
        builder.ins().store(flags, yes, self.called, event as i32);
    }

    fn count(&mut self) {
        let builder = &mut *self.body.builder;
        let visits = builder.use_var(self.visits);
        let more = builder.ins().iadd_imm(visits, 1);
        builder.def_var(self.visits, more);
        let compare = IntCC::UnsignedLessThan;
        let few = builder.ins().icmp_imm(compare, visits, MOST_VISITS);
        let ask = self.body.ask;
        self.body.demand(few, ask);
    }

    fn block(&self, target: Target) -> Block {
        match target {
            Target::End => self.end,
            Target::Node(number) => self.nodes[number],
        }
    }
}
