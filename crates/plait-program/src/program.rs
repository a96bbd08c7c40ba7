//! The frozen program: what engines execute.
//!
//! Each event is compiled to one of two forms. Most become a few *variants*, each a straight line of
//! steps that gives at most one successor (see `variant`); calls are unfolded into them. Events
//! whose meaning needs *sets* of states (fixpoints over calls, settling) keep their statements and
//! are executed by the set machine (see `sets`). Guards stay lists of conjuncts, and the supports
//! of events are known, because reductions live on both.

use std::collections::HashMap;

use crate::builder::{Builder, EventDecl};
use crate::cells::{Cell, CellSet, Support};
use crate::code::Code;
use crate::expr::{ExprId, Node, Pool};
use crate::settling::{self, Settling};
use crate::statement::{Statement, Statements};
use crate::unfold;
use crate::variant::Variant;

/// The index of a compiled expression in its program.
pub(crate) type CodeId = u32;

/// The expressions of one statement, compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatementCodes {
    /// The value of an assignment, or the condition.
    pub main: CodeId,
    /// The index of an indexed assignment.
    pub index: CodeId,
}

/// An event, compiled.
#[derive(Clone, Debug)]
pub struct Event {
    /// As it was declared.
    pub decl: EventDecl,
    /// Which title it has: events with equal names have equal numbers.
    pub title: u32,
    /// Its straight-line forms, or `None` when it must be executed on sets.
    pub(crate) variants: Option<Vec<Variant>>,
    /// How it is executed where it is a straight line and then settles.
    pub(crate) settling: Option<Box<Settling>>,
    /// The conjuncts of its guard, nested conjunctions opened, the cheapest first.
    pub(crate) conjuncts: Vec<(ExprId, CodeId)>,
    /// Its own body (not what it calls) holds a fixpoint, which sees the set that arrives from one
    /// state: when called, such an event is executed on one state at a time.
    pub(crate) one_by_one: bool,
    support: Support,
}

impl Event {
    /// The straight-line forms of the event; a successor of the event is one of these, and two may
    /// give the same. `None` when the event must be executed on sets of states.
    pub fn variants(&self) -> Option<&[Variant]> {
        self.variants.as_deref()
    }

    /// What is executed first: the straight-line forms, or the straight line before it settles. Where
    /// none of their tests and conditions hold, the event has no successor. Empty when unknown.
    pub fn lines(&self) -> &[Variant] {
        match (&self.variants, &self.settling) {
            (Some(variants), _) => variants,
            (None, Some(settling)) => std::slice::from_ref(&settling.line),
            (None, None) => &[],
        }
    }
}

/// A flat model, compiled.
#[derive(Clone, Debug)]
pub struct Program {
    cells: Vec<Cell>,
    events: Vec<Event>,
    free: Vec<u32>,
    /// The events that answer to each label.
    labels: Vec<Vec<u32>>,
    pub(crate) statements: Statements,
    pub(crate) codes: Vec<Code>,
    pub(crate) statement_codes: Vec<StatementCodes>,
}

impl Program {
    /// The cells.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The events, free and labelled.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The free events, in the order of their declaration: what the system can do.
    pub fn free(&self) -> &[u32] {
        &self.free
    }

    /// The events that answer to a label.
    pub fn labelled(&self, label: u32) -> &[u32] {
        &self.labels[label as usize]
    }

    /// The statements, by the ids that bodies name.
    pub fn statements(&self) -> &Statements {
        &self.statements
    }

    /// The initial state.
    pub fn initial(&self) -> Vec<i32> {
        self.cells.iter().map(|c| c.initial).collect()
    }

    #[inline]
    pub(crate) fn code(&self, id: CodeId) -> &Code {
        &self.codes[id as usize]
    }

    pub(crate) fn set_settling(&mut self, event: u32, settling: Settling) {
        self.events[event as usize].settling = Some(Box::new(settling));
    }

    /// Which cells the event may read and write, by itself and through its calls.
    pub fn support(&self, event: u32) -> Support {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let mut seen = vec![false; self.labels.len()];
        let mut stack = vec![event];
        while let Some(event) = stack.pop() {
            let event = &self.events[event as usize];
            reads.extend_from_slice(event.support.reads.ranges());
            writes.extend_from_slice(event.support.writes.ranges());
            self.statements.visit(&event.decl.body, |statement| {
                if let Statement::Call(label) | Statement::Settle { label, .. } = statement {
                    if !std::mem::replace(&mut seen[*label as usize], true) {
                        stack.extend(self.labelled(*label));
                    }
                }
            });
        }
        Support {
            reads: CellSet::from_ranges(reads),
            writes: CellSet::from_ranges(writes),
        }
    }

    /// The cells that some event writes; the others keep their initial value.
    pub fn written(&self) -> CellSet {
        let ranges = self.events.iter().flat_map(|e| e.support.writes.ranges());
        CellSet::from_ranges(ranges.copied().collect())
    }

    /// `order`: all labels, each after those that its events call.
    pub(crate) fn compile(builder: &Builder, order: &[u32]) -> Program {
        let mut compiler = Compiler {
            pool: &builder.pool,
            codes: Vec::new(),
            known: HashMap::new(),
        };
        let statement_codes = (0..builder.statements.len() as u32)
            .map(|id| compiler.statement(builder.statements.get(id)))
            .collect();
        let mut labels = vec![Vec::new(); builder.labels as usize];
        let mut free = Vec::new();
        for (id, decl) in (0u32..).zip(&builder.events) {
            match decl.label {
                Some(label) => labels[label as usize].push(id),
                None => free.push(id),
            }
        }
        let mut titles: HashMap<&str, u32> = HashMap::new();
        let events = builder
            .events
            .iter()
            .map(|decl| {
                let next = titles.len() as u32;
                let title = *titles.entry(decl.name.as_str()).or_insert(next);
                compiler.event(decl, title, &builder.statements)
            })
            .collect();
        let mut program = Program {
            cells: builder.cells.clone(),
            events,
            free,
            labels,
            statements: builder.statements.clone(),
            codes: compiler.codes,
            statement_codes,
        };
        let small = unfold::expandable(&program, order);
        for id in (0..program.events.len() as u32).filter(|id| small[*id as usize]) {
            program.events[id as usize].variants = unfold::expand(&program, &builder.pool, id);
        }
        settling::prepare(&mut program, &builder.pool);
        for (number, line) in (0u32..).zip(program.events.iter_mut().flat_map(lines_mut)) {
            line.number = number;
        }
        program
    }
}

fn lines_mut(event: &mut Event) -> &mut [Variant] {
    match (&mut event.variants, &mut event.settling) {
        (Some(variants), _) => variants,
        (None, Some(settling)) => std::slice::from_mut(&mut settling.line),
        (None, None) => &mut [],
    }
}

struct Compiler<'a> {
    pool: &'a Pool,
    codes: Vec<Code>,
    known: HashMap<ExprId, CodeId>,
}

impl Compiler<'_> {
    fn code(&mut self, id: ExprId) -> CodeId {
        *self.known.entry(id).or_insert_with(|| {
            self.codes.push(Code::compile(self.pool, id));
            (self.codes.len() - 1) as CodeId
        })
    }

    fn statement(&mut self, statement: &Statement) -> StatementCodes {
        let none = CodeId::MAX;
        match statement {
            Statement::Assign { value, .. } => StatementCodes {
                main: self.code(*value),
                index: none,
            },
            Statement::AssignIndexed { index, value, .. } => StatementCodes {
                main: self.code(*value),
                index: self.code(*index),
            },
            Statement::Choose { condition, .. } | Statement::Settle { condition, .. } => {
                StatementCodes {
                    main: self.code(*condition),
                    index: none,
                }
            }
            Statement::Call(_) | Statement::Fixpoint(_) | Statement::Abort => StatementCodes {
                main: none,
                index: none,
            },
        }
    }

    fn event(&mut self, decl: &EventDecl, title: u32, statements: &Statements) -> Event {
        let mut conjuncts: Vec<(ExprId, CodeId)> = open_conjunctions(self.pool, &decl.guard)
            .into_iter()
            .map(|id| (id, self.code(id)))
            .collect();
        conjuncts.sort_by_key(|(_, code)| self.codes[*code as usize].cost());
        let mut one_by_one = false;
        let (mut roots, mut writes) = (decl.guard.clone(), Vec::new());
        statements.visit(&decl.body, |statement| match statement {
            Statement::Assign { cell, value } => {
                roots.push(*value);
                writes.push((*cell, cell + 1));
            }
            Statement::AssignIndexed {
                base,
                size,
                index,
                value,
            } => {
                roots.extend([*index, *value]);
                writes.push((*base, base + size));
            }
            Statement::Choose { condition, .. } | Statement::Settle { condition, .. } => {
                roots.push(*condition);
            }
            Statement::Fixpoint(_) => one_by_one = true,
            Statement::Call(_) | Statement::Abort => {}
        });
        Event {
            decl: decl.clone(),
            title,
            variants: None,
            settling: None,
            conjuncts,
            one_by_one,
            support: Support {
                reads: reads(self.pool, roots),
                writes: CellSet::from_ranges(writes),
            },
        }
    }
}

/// The conjuncts with nested conjunctions opened and `true` dropped, in order.
fn open_conjunctions(pool: &Pool, guard: &[ExprId]) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut stack: Vec<ExprId> = guard.iter().rev().copied().collect();
    while let Some(id) = stack.pop() {
        match pool.node(id) {
            Node::And(list) => stack.extend(list.iter().rev()),
            Node::Truth(true) => {}
            _ => found.push(id),
        }
    }
    found
}

/// The cells that the expressions may read.
pub fn reads(pool: &Pool, mut stack: Vec<ExprId>) -> CellSet {
    let mut seen: std::collections::HashSet<ExprId> = stack.iter().copied().collect();
    let mut ranges = Vec::new();
    while let Some(id) = stack.pop() {
        let node = pool.node(id);
        match node {
            Node::Load(cell) => ranges.push((*cell, cell + 1)),
            Node::LoadIndexed { base, size, .. } => ranges.push((*base, base + size)),
            _ => {}
        }
        node.operands(|a| {
            if seen.insert(a) {
                stack.push(a);
            }
        });
    }
    CellSet::from_ranges(ranges)
}
