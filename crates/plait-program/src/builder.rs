//! Building a program: every call is checked here, so that everything after can trust ids and sorts.

use std::collections::HashSet;

use crate::arithmetic::{BinaryOp, CompareOp, UnaryOp};
use crate::cells::{Cell, CellSet};
use crate::effects::QueueUse;
use crate::error::BuildError;
use crate::expr::{ExprId, Node, Pool, Sort};
use crate::program::Program;
use crate::statement::{Statement, Statements};

/// An event as it was declared.
#[derive(Clone, Debug)]
pub struct EventDecl {
    /// The title under which traces know it.
    pub name: String,
    /// The conjuncts of its guard.
    pub guard: Vec<ExprId>,
    /// The statements of its body.
    pub body: Vec<u32>,
    /// The label it answers to; without one it is *free*: it can be executed by itself.
    pub label: Option<u32>,
    /// The queues that it uses only as queues.
    pub queues: Vec<QueueUse>,
    /// It is possible only where no free event without this mark is.
    pub idle: bool,
    /// No free event is possible after it.
    pub last: bool,
    /// Nobody can tell whether it has happened.
    pub inert: bool,
}

/// Collects cells, expressions, statements and events; `freeze` makes the `Program`.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    pub(crate) cells: Vec<Cell>,
    pub(crate) pool: Pool,
    pub(crate) statements: Statements,
    pub(crate) labels: u32,
    pub(crate) events: Vec<EventDecl>,
}

type Result<T> = std::result::Result<T, BuildError>;

fn next_id(len: usize, what: &'static str) -> Result<u32> {
    match u32::try_from(len) {
        Ok(id) if id < u32::MAX => Ok(id),
        _ => Err(BuildError::TooMany(what)),
    }
}

impl Builder {
    /// A program without cells.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// A new cell with its initial value and the values that may be assigned to it.
    pub fn cell(&mut self, name: &str, initial: i32, low: i32, high: i32) -> Result<u32> {
        let id = next_id(self.cells.len(), "cells")?;
        if initial < low || initial > high {
            return Err(BuildError::Initial(name.to_owned(), initial, low, high));
        }
        self.cells.push(Cell {
            name: name.to_owned(),
            initial,
            low,
            high,
        });
        Ok(id)
    }

    /// The expressions so far.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The id checked: it exists and has that sort.
    pub fn expect(&self, id: ExprId, sort: Sort) -> Result<ExprId> {
        self.pool.expect(id, sort)
    }

    fn known_cell(&self, cell: u32) -> Result<u32> {
        if (cell as usize) < self.cells.len() {
            Ok(cell)
        } else {
            Err(BuildError::Unknown("cell", u64::from(cell)))
        }
    }

    fn known_array(&self, base: u32, size: u32) -> Result<()> {
        let end = u64::from(base) + u64::from(size);
        if end <= self.cells.len() as u64 {
            Ok(())
        } else {
            Err(BuildError::Array(u64::from(base), end))
        }
    }

    fn integer(&self, id: ExprId) -> Result<ExprId> {
        self.pool.expect(id, Sort::Integer)
    }

    fn condition(&self, id: ExprId) -> Result<ExprId> {
        self.pool.expect(id, Sort::Condition)
    }

    // --- expressions ------------------------------------------------------------------------------

    /// A literal.
    pub fn constant(&mut self, value: i32) -> Result<ExprId> {
        self.pool.add(Node::Const(value))
    }

    /// The value of a cell.
    pub fn load(&mut self, cell: u32) -> Result<ExprId> {
        self.known_cell(cell)?;
        self.pool.add(Node::Load(cell))
    }

    /// The value of cell `base + index`, undefined unless `0 <= index < size`.
    pub fn load_indexed(&mut self, base: u32, size: u32, index: ExprId) -> Result<ExprId> {
        self.known_array(base, size)?;
        let index = self.integer(index)?;
        self.pool.add(match self.pool.node(index) {
            Node::Const(k) if (*k as u32) < size => Node::Load(base + *k as u32),
            _ => Node::LoadIndexed { base, size, index },
        })
    }

    /// `op a`.
    pub fn unary(&mut self, op: &str, a: ExprId) -> Result<ExprId> {
        let op = UnaryOp::parse(op).ok_or_else(|| BuildError::Operator(op.to_owned()))?;
        let node = Node::Unary(op, self.integer(a)?);
        self.pool.add(node)
    }

    /// `a op b`.
    pub fn binary(&mut self, op: &str, a: ExprId, b: ExprId) -> Result<ExprId> {
        let op = BinaryOp::parse(op).ok_or_else(|| BuildError::Operator(op.to_owned()))?;
        let node = Node::Binary(op, self.integer(a)?, self.integer(b)?);
        self.pool.add(node)
    }

    /// 1 when the condition is true, 0 when false.
    pub fn as_integer(&mut self, a: ExprId) -> Result<ExprId> {
        let node = Node::AsInteger(self.condition(a)?);
        self.pool.add(node)
    }

    /// `true` or `false`.
    pub fn truth(&mut self, value: bool) -> Result<ExprId> {
        self.pool.add(Node::Truth(value))
    }

    /// A comparison.
    pub fn compare(&mut self, op: &str, a: ExprId, b: ExprId) -> Result<ExprId> {
        let op = CompareOp::parse(op).ok_or_else(|| BuildError::Operator(op.to_owned()))?;
        let node = Node::Compare(op, self.integer(a)?, self.integer(b)?);
        self.pool.add(node)
    }

    /// Kleene negation.
    pub fn negate(&mut self, a: ExprId) -> Result<ExprId> {
        let node = Node::Not(self.condition(a)?);
        self.pool.add(node)
    }

    /// Kleene conjunction.
    pub fn conjunction(&mut self, operands: &[ExprId]) -> Result<ExprId> {
        let list = self.conditions(operands)?;
        self.pool.add(Node::And(list))
    }

    /// Kleene disjunction.
    pub fn disjunction(&mut self, operands: &[ExprId]) -> Result<ExprId> {
        let list = self.conditions(operands)?;
        self.pool.add(Node::Or(list))
    }

    fn conditions(&self, operands: &[ExprId]) -> Result<Box<[ExprId]>> {
        operands.iter().map(|a| self.condition(*a)).collect()
    }

    /// `a <-> b`.
    pub fn iff(&mut self, a: ExprId, b: ExprId) -> Result<ExprId> {
        let node = Node::Iff(self.condition(a)?, self.condition(b)?);
        self.pool.add(node)
    }

    /// One of these events has a successor.
    pub fn enabled(&mut self, events: &[u32]) -> Result<ExprId> {
        for event in events {
            if *event as usize >= self.events.len() {
                return Err(BuildError::Unknown("event", u64::from(*event)));
            }
        }
        self.pool.add(Node::Enabled(events.into()))
    }

    /// No free event has a successor.
    pub fn deadlock(&mut self) -> Result<ExprId> {
        self.pool.add(Node::Deadlock)
    }

    /// True when the condition is not true, else false.
    pub fn fails(&mut self, a: ExprId) -> Result<ExprId> {
        let node = Node::Fails(self.condition(a)?);
        self.pool.add(node)
    }

    // --- statements -------------------------------------------------------------------------------

    fn inside_event(&self, id: ExprId, sort: Sort) -> Result<ExprId> {
        let id = self.pool.expect(id, sort)?;
        if self.pool.asks_events(id) {
            return Err(BuildError::AsksEvents(id.0));
        }
        Ok(id)
    }

    fn known_label(&self, label: u32) -> Result<u32> {
        if label < self.labels {
            Ok(label)
        } else {
            Err(BuildError::Unknown("label", u64::from(label)))
        }
    }

    fn known_body(&self, body: &[u32]) -> Result<Box<[u32]>> {
        for id in body {
            if *id as usize >= self.statements.len() {
                return Err(BuildError::Unknown("statement", u64::from(*id)));
            }
        }
        Ok(body.into())
    }

    fn statement(&mut self, statement: Statement) -> Result<u32> {
        next_id(self.statements.len(), "statements")?;
        self.statements.add(statement)
    }

    /// `cell = value`.
    pub fn assign(&mut self, cell: u32, value: ExprId) -> Result<u32> {
        let statement = Statement::Assign {
            cell: self.known_cell(cell)?,
            value: self.inside_event(value, Sort::Integer)?,
        };
        self.statement(statement)
    }

    /// `array[index] = value`.
    pub fn assign_indexed(
        &mut self,
        base: u32,
        size: u32,
        index: ExprId,
        value: ExprId,
    ) -> Result<u32> {
        self.known_array(base, size)?;
        let index = self.inside_event(index, Sort::Integer)?;
        let value = self.inside_event(value, Sort::Integer)?;
        self.statement(match self.pool.node(index) {
            Node::Const(k) if (*k as u32) < size => Statement::Assign {
                cell: base + *k as u32,
                value,
            },
            _ => Statement::AssignIndexed {
                base,
                size,
                index,
                value,
            },
        })
    }

    /// Some event of that label is executed.
    pub fn call(&mut self, label: u32) -> Result<u32> {
        let label = self.known_label(label)?;
        self.statement(Statement::Call(label))
    }

    /// `if (condition) { then } else { otherwise }`.
    pub fn choose(&mut self, condition: ExprId, then: &[u32], otherwise: &[u32]) -> Result<u32> {
        let statement = Statement::Choose {
            condition: self.inside_event(condition, Sort::Condition)?,
            then: self.known_body(then)?,
            otherwise: self.known_body(otherwise)?,
        };
        self.statement(statement)
    }

    /// `fixpoint { body }`.
    pub fn fixpoint(&mut self, body: &[u32]) -> Result<u32> {
        let body = self.known_body(body)?;
        self.statement(Statement::Fixpoint(body))
    }

    /// While the condition holds, the state is replaced by its successors under the label.
    pub fn settle(&mut self, condition: ExprId, label: u32) -> Result<u32> {
        let statement = Statement::Settle {
            condition: self.inside_event(condition, Sort::Condition)?,
            label: self.known_label(label)?,
        };
        self.statement(statement)
    }

    /// No successor.
    pub fn abort(&mut self) -> Result<u32> {
        self.statement(Statement::Abort)
    }

    // --- events -----------------------------------------------------------------------------------

    /// A new label, which events answer to and statements call.
    pub fn label(&mut self) -> Result<u32> {
        let id = next_id(self.labels as usize, "labels")?;
        self.labels += 1;
        Ok(id)
    }

    /// A new event.
    pub fn event(
        &mut self,
        name: &str,
        guard: &[ExprId],
        body: &[u32],
        label: Option<u32>,
    ) -> Result<u32> {
        let id = next_id(self.events.len(), "events")?;
        let guard = guard
            .iter()
            .map(|g| self.inside_event(*g, Sort::Condition))
            .collect::<Result<_>>()?;
        let body = self.known_body(body)?.into_vec();
        let label = label.map(|l| self.known_label(l)).transpose()?;
        self.events.push(EventDecl {
            name: name.to_owned(),
            guard,
            body,
            label,
            queues: Vec::new(),
            idle: false,
            last: false,
            inert: false,
        });
        Ok(id)
    }

    /// The event touches these cells, the messages of a queue, only by one send (or one receive).
    /// A promise that `plait_reduction` relies on; nothing else looks at it.
    pub fn queue_use(&mut self, event: u32, queue: u32, sends: bool, cells: &[u32]) -> Result<()> {
        let mut ranges = Vec::with_capacity(cells.len());
        for cell in cells {
            let cell = self.known_cell(*cell)?;
            ranges.push((cell, cell + 1));
        }
        self.known_event(event)?.queues.push(QueueUse {
            queue,
            sends,
            slots: CellSet::from_ranges(ranges),
        });
        Ok(())
    }

    /// The event has a successor only in states where no event without this mark has one. A
    /// promise, as above.
    pub fn idle(&mut self, event: u32) -> Result<()> {
        self.known_event(event)?.idle = true;
        Ok(())
    }

    /// In the successors of the event no free event has a successor, and every question that is asked
    /// has one answer there, whatever else has happened. A promise, as above.
    pub fn last(&mut self, event: u32) -> Result<()> {
        self.known_event(event)?.last = true;
        Ok(())
    }

    /// Whatever leads from a state where the event is possible to a deadlock, or to a state that is
    /// asked for, leads from its successor to one that is as good, by as many events that are not
    /// inert; and no run has infinitely many inert events. A promise, as above.
    pub fn inert(&mut self, event: u32) -> Result<()> {
        self.known_event(event)?.inert = true;
        Ok(())
    }

    fn known_event(&mut self, event: u32) -> Result<&mut EventDecl> {
        self.events
            .get_mut(event as usize)
            .ok_or(BuildError::Unknown("event", u64::from(event)))
    }

    /// The program; refused when a label calls itself.
    pub fn freeze(&self) -> Result<Program> {
        let order = self.call_order()?;
        Ok(Program::compile(self, &order))
    }

    /// All labels, each after those that its events call: depth-first search of the call graph,
    /// which must have no cycle.
    fn call_order(&self) -> Result<Vec<u32>> {
        let mut calls: Vec<Vec<u32>> = vec![Vec::new(); self.labels as usize];
        for event in &self.events {
            if let Some(label) = event.label {
                let mut seen = HashSet::new();
                self.statements.visit(&event.body, |statement| {
                    if let Statement::Call(l) | Statement::Settle { label: l, .. } = statement {
                        if seen.insert(*l) {
                            calls[label as usize].push(*l);
                        }
                    }
                });
            }
        }
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut colour = vec![NEW; calls.len()];
        let mut order = Vec::with_capacity(calls.len());
        for root in 0..self.labels {
            let mut path: Vec<(u32, usize)> = Vec::new();
            if colour[root as usize] == NEW {
                colour[root as usize] = OPEN;
                path.push((root, 0));
            }
            while let Some((label, next)) = path.last_mut() {
                let Some(&callee) = calls[*label as usize].get(*next) else {
                    colour[*label as usize] = DONE;
                    order.push(*label);
                    path.pop();
                    continue;
                };
                *next += 1;
                match colour[callee as usize] {
                    NEW => {
                        colour[callee as usize] = OPEN;
                        path.push((callee, 0));
                    }
                    OPEN => return Err(BuildError::Recursive(callee)),
                    _ => {}
                }
            }
        }
        Ok(order)
    }
}
