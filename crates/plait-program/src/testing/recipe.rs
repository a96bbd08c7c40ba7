//! Programs as plain trees.

use crate::arithmetic::{BinaryOp, CompareOp, UnaryOp};
use crate::builder::Builder;
use crate::error::BuildError;
use crate::expr::{ExprId, Node};

/// An expression of integer sort.
#[derive(Clone, Debug)]
pub enum IntTree {
    /// A literal.
    Const(i32),
    /// A cell.
    Load(u32),
    /// A cell of an array: base, size, index.
    Indexed(u32, u32, Box<IntTree>),
    /// `op a`.
    Unary(UnaryOp, Box<IntTree>),
    /// `a op b`.
    Binary(BinaryOp, Box<IntTree>, Box<IntTree>),
    /// A condition as a number.
    AsInteger(Box<CondTree>),
}

/// A condition.
#[derive(Clone, Debug)]
pub enum CondTree {
    /// A constant.
    Truth(bool),
    /// A comparison.
    Compare(CompareOp, Box<IntTree>, Box<IntTree>),
    /// Negation.
    Not(Box<CondTree>),
    /// Conjunction.
    And(Vec<CondTree>),
    /// Disjunction.
    Or(Vec<CondTree>),
    /// Equivalence.
    Iff(Box<CondTree>, Box<CondTree>),
    /// Not true.
    Fails(Box<CondTree>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum StatementTree {
    /// `cell = value`.
    Assign(u32, IntTree),
    /// Base, size, index, value.
    AssignIndexed(u32, u32, IntTree, IntTree),
    /// Call of a label.
    Call(u32),
    /// If.
    Choose(CondTree, Vec<StatementTree>, Vec<StatementTree>),
    /// Fixpoint.
    Fixpoint(Vec<StatementTree>),
    /// Settle.
    Settle(CondTree, u32),
    /// Abort.
    Abort,
}

/// An event.
#[derive(Clone, Debug)]
pub struct EventTree {
    /// Its title.
    pub name: String,
    /// Conjuncts.
    pub guard: Vec<CondTree>,
    /// Statements.
    pub body: Vec<StatementTree>,
    /// Free without one.
    pub label: Option<u32>,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Recipe {
    /// Initial value, low, high.
    pub cells: Vec<(i32, i32, i32)>,
    /// How many labels.
    pub labels: u32,
    /// The events.
    pub events: Vec<EventTree>,
}

impl Recipe {
    /// The recipe as a builder.
    pub fn builder(&self) -> Result<Builder, BuildError> {
        let mut builder = Builder::new();
        for (index, (initial, low, high)) in self.cells.iter().enumerate() {
            builder.cell(&format!("x{index}"), *initial, *low, *high)?;
        }
        for _ in 0..self.labels {
            builder.label()?;
        }
        for event in &self.events {
            let guard = event
                .guard
                .iter()
                .map(|g| condition(&mut builder, g))
                .collect::<Result<Vec<_>, _>>()?;
            let body = body(&mut builder, &event.body)?;
            builder.event(&event.name, &guard, &body, event.label)?;
        }
        Ok(builder)
    }
}

/// Adds an integer expression.
pub fn integer(builder: &mut Builder, tree: &IntTree) -> Result<ExprId, BuildError> {
    let node = match tree {
        IntTree::Const(value) => Node::Const(*value),
        IntTree::Load(cell) => return builder.load(*cell),
        IntTree::Indexed(base, size, index) => {
            let index = integer(builder, index)?;
            return builder.load_indexed(*base, *size, index);
        }
        IntTree::Unary(op, a) => Node::Unary(*op, integer(builder, a)?),
        IntTree::Binary(op, a, b) => Node::Binary(*op, integer(builder, a)?, integer(builder, b)?),
        IntTree::AsInteger(a) => Node::AsInteger(condition(builder, a)?),
    };
    builder.pool.add(node)
}

/// Adds a condition.
pub fn condition(builder: &mut Builder, tree: &CondTree) -> Result<ExprId, BuildError> {
    let node = match tree {
        CondTree::Truth(value) => Node::Truth(*value),
        CondTree::Compare(op, a, b) => {
            Node::Compare(*op, integer(builder, a)?, integer(builder, b)?)
        }
        CondTree::Not(a) => Node::Not(condition(builder, a)?),
        CondTree::And(list) => Node::And(conditions(builder, list)?),
        CondTree::Or(list) => Node::Or(conditions(builder, list)?),
        CondTree::Iff(a, b) => Node::Iff(condition(builder, a)?, condition(builder, b)?),
        CondTree::Fails(a) => Node::Fails(condition(builder, a)?),
    };
    builder.pool.add(node)
}

fn conditions(builder: &mut Builder, list: &[CondTree]) -> Result<Box<[ExprId]>, BuildError> {
    list.iter().map(|c| condition(builder, c)).collect()
}

fn body(builder: &mut Builder, list: &[StatementTree]) -> Result<Vec<u32>, BuildError> {
    list.iter().map(|s| statement(builder, s)).collect()
}

fn statement(builder: &mut Builder, tree: &StatementTree) -> Result<u32, BuildError> {
    match tree {
        StatementTree::Assign(cell, value) => {
            let value = integer(builder, value)?;
            builder.assign(*cell, value)
        }
        StatementTree::AssignIndexed(base, size, index, value) => {
            let index = integer(builder, index)?;
            let value = integer(builder, value)?;
            builder.assign_indexed(*base, *size, index, value)
        }
        StatementTree::Call(label) => builder.call(*label),
        StatementTree::Choose(cond, then, otherwise) => {
            let cond = condition(builder, cond)?;
            let then = body(builder, then)?;
            let otherwise = body(builder, otherwise)?;
            builder.choose(cond, &then, &otherwise)
        }
        StatementTree::Fixpoint(inner) => {
            let inner = body(builder, inner)?;
            builder.fixpoint(&inner)
        }
        StatementTree::Settle(cond, label) => {
            let cond = condition(builder, cond)?;
            builder.settle(cond, *label)
        }
        StatementTree::Abort => builder.abort(),
    }
}
