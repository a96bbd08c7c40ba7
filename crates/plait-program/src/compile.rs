//! From the expression DAG to bytecode, with an explicit stack of things still to do.

use crate::arithmetic::{BinaryOp, CompareOp};
use crate::code::{Code, Handler, Op, FALSE, TRUE};
use crate::expr::{ExprId, Node, Pool};
use crate::interval::Interval;
use crate::shared::SharedCode;

/// No handler: an undefined integer at the root is the answer itself.
const ROOT: u32 = u32::MAX;

/// Something still to be done, last first.
enum Task {
    Visit(ExprId),
    Emit(Op),
    /// The jump target of that number is here.
    Bind(u32),
    /// The innermost comparison ends here.
    CloseHandler,
}

struct Compiler<'a> {
    pool: &'a Pool,
    tasks: Vec<Task>,
    ops: Vec<Op>,
    handlers: Vec<Handler>,
    /// The handlers of the comparisons that are open, innermost last.
    open: Vec<u32>,
    targets: Vec<u32>,
    height: usize,
    depth: usize,
}

/// Compiles the expression `root`.
pub(crate) fn compile(pool: &Pool, root: ExprId) -> Code {
    let shared = SharedCode::if_smaller(pool, root);
    let mut compiler = Compiler {
        pool,
        tasks: Vec::new(),
        ops: Vec::new(),
        handlers: Vec::new(),
        open: Vec::new(),
        targets: Vec::new(),
        height: 0,
        depth: 0,
    };
    if shared.is_none() {
        compiler.tasks.push(Task::Visit(root));
    }
    while let Some(task) = compiler.tasks.pop() {
        compiler.perform(task);
    }
    let mut ops = compiler.ops;
    for op in &mut ops {
        if let Op::JumpIfFalse(t) | Op::JumpIfTrue(t) = op {
            *t = compiler.targets[*t as usize];
        }
    }
    Code {
        ops,
        handlers: compiler.handlers,
        depth: compiler.depth,
        shared,
        sort: pool.node(root).sort(),
        asks_events: pool.asks_events(root),
    }
}

impl Compiler<'_> {
    fn perform(&mut self, task: Task) {
        match task {
            Task::Visit(id) => self.visit(id),
            Task::Emit(op) => self.emit(op),
            Task::Bind(target) => self.targets[target as usize] = self.ops.len() as u32,
            Task::CloseHandler => {
                if let Some(handler) = self.open.pop() {
                    self.handlers[handler as usize].target = self.ops.len() as u32;
                }
            }
        }
    }

    fn emit(&mut self, op: Op) {
        self.height = match &op {
            Op::Const(_)
            | Op::Load(_)
            | Op::Test(..)
            | Op::TestPair(..)
            | Op::Enabled(_)
            | Op::Deadlock => self.height + 1,
            Op::Total(_)
            | Op::Partial(..)
            | Op::Compare(_)
            | Op::Minimum
            | Op::Maximum
            | Op::Iff => self.height - 1,
            _ => self.height,
        };
        self.depth = self.depth.max(self.height);
        self.ops.push(op);
    }

    fn target(&mut self) -> u32 {
        self.targets.push(0);
        (self.targets.len() - 1) as u32
    }

    fn handler(&self) -> u32 {
        self.open.last().copied().unwrap_or(ROOT)
    }

    fn visit(&mut self, id: ExprId) {
        match self.pool.node(id) {
            Node::Const(value) => self.emit(Op::Const(*value)),
            Node::Load(cell) => self.emit(Op::Load(*cell)),
            Node::LoadIndexed { base, size, index } => {
                let handler = self.handler();
                self.apply(
                    Op::LoadIndexed {
                        base: *base,
                        size: *size,
                        handler,
                    },
                    &[*index],
                );
            }
            Node::Unary(op, a) => self.apply(Op::Unary(*op), &[*a]),
            Node::Binary(op, a, b) => self.visit_binary(*op, *a, *b),
            Node::AsInteger(a) => {
                let handler = self.handler();
                self.apply(Op::AsInteger(handler), &[*a]);
            }
            Node::Truth(value) => self.emit(Op::Const(if *value { TRUE } else { FALSE })),
            Node::Compare(op, a, b) => self.visit_compare(*op, *a, *b),
            Node::Not(a) => self.apply(Op::Not, &[*a]),
            Node::Fails(a) => self.apply(Op::Fails, &[*a]),
            Node::Iff(a, b) => self.apply(Op::Iff, &[*a, *b]),
            Node::And(list) => self.visit_list(list, TRUE, &Op::Minimum, Op::JumpIfFalse),
            Node::Or(list) => self.visit_list(list, FALSE, &Op::Maximum, Op::JumpIfTrue),
            Node::Enabled(events) => self.emit(Op::Enabled(events.clone())),
            Node::Deadlock => self.emit(Op::Deadlock),
        }
    }

    /// The operands left to right, then the operation.
    fn apply(&mut self, op: Op, operands: &[ExprId]) {
        self.tasks.push(Task::Emit(op));
        self.tasks
            .extend(operands.iter().rev().map(|a| Task::Visit(*a)));
    }

    fn visit_binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) {
        let (left, right) = (self.pool.node(a), self.pool.node(b));
        match (op, left, right) {
            (BinaryOp::Add, _, Node::Const(k)) => self.apply(Op::AddConst(*k), &[a]),
            (BinaryOp::Add, Node::Const(k), _) => self.apply(Op::AddConst(*k), &[b]),
            (BinaryOp::Subtract, _, Node::Const(k)) => {
                self.apply(Op::AddConst(k.wrapping_neg()), &[a]);
            }
            (
                BinaryOp::Divide
                | BinaryOp::Remainder
                | BinaryOp::Power
                | BinaryOp::ShiftLeft
                | BinaryOp::ShiftRight,
                ..,
            ) => {
                let handler = self.handler();
                self.apply(Op::Partial(op, handler), &[a, b]);
            }
            _ => self.apply(Op::Total(op), &[a, b]),
        }
    }

    fn visit_compare(&mut self, op: CompareOp, a: ExprId, b: ExprId) {
        let (op, a, b) = match self.pool.node(a) {
            Node::Const(_) => (op.mirrored(), b, a), // the constant stands right from here on
            _ => (op, a, b),
        };
        let interval = match self.pool.node(b) {
            Node::Const(k) => Interval::of(op, *k),
            _ => None,
        };
        match (self.pool.node(a), interval, self.pool.node(b)) {
            (Node::Load(cell), Some(interval), _) => self.emit(Op::Test(*cell, interval)),
            (Node::Load(x), None, Node::Load(y)) => self.emit(Op::TestPair(op, *x, *y)),
            _ => {
                let handler = self.handlers.len() as u32;
                self.handlers.push(Handler {
                    target: 0,
                    height: self.height as u32,
                });
                self.open.push(handler);
                self.tasks.push(Task::CloseHandler);
                match interval {
                    Some(interval) => self.apply(Op::Within(interval), &[a]),
                    None => self.apply(Op::Compare(op), &[a, b]),
                }
            }
        }
    }

    fn visit_list(&mut self, list: &[ExprId], unit: i32, join: &Op, jump: fn(u32) -> Op) {
        let Some((first, rest)) = list.split_first() else {
            return self.emit(Op::Const(unit));
        };
        let end = self.target();
        self.tasks.push(Task::Bind(end));
        for operand in rest.iter().rev() {
            self.tasks.push(Task::Emit(join.clone()));
            self.tasks.push(Task::Visit(*operand));
            self.tasks.push(Task::Emit(jump(end)));
        }
        self.tasks.push(Task::Visit(*first));
    }
}
