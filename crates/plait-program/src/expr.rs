//! Expressions as a hash-consed DAG.
//!
//! Equal expressions have equal ids, so comparing, caching and counting them is comparing numbers.
//! A node's operands always have smaller ids than the node itself: a loop over ids in ascending
//! order visits operands first, and nothing needs recursion, however deep the expression is.
//!
//! Two sorts, as in the semantic core: integers (32 bits, or undefined) and conditions (true, false
//! or undefined, combined by strong Kleene logic).

use std::fmt;

use indexmap::IndexSet;

use crate::arithmetic::{BinaryOp, CompareOp, UnaryOp};
use crate::error::BuildError;

/// The number of an expression in its `Pool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// What an expression denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A 32-bit integer, or undefined.
    Integer,
    /// True, false or undefined.
    Condition,
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sort::Integer => "an integer",
            Sort::Condition => "a condition",
        })
    }
}

/// One node of the DAG.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A literal.
    Const(i32),
    /// The value of a cell.
    Load(u32),
    /// The value of cell `base + index`; undefined unless `0 <= index < size`.
    LoadIndexed {
        /// The first cell of the array.
        base: u32,
        /// How many cells the array has.
        size: u32,
        /// Which of them.
        index: ExprId,
    },
    /// `op a`.
    Unary(UnaryOp, ExprId),
    /// `a op b`.
    Binary(BinaryOp, ExprId, ExprId),
    /// 1 when the condition is true, 0 when false, undefined when undefined.
    AsInteger(ExprId),
    /// `true` or `false`.
    Truth(bool),
    /// `a op b`; undefined when a side is.
    Compare(CompareOp, ExprId, ExprId),
    /// Kleene negation.
    Not(ExprId),
    /// Kleene conjunction (of nothing: true).
    And(Box<[ExprId]>),
    /// Kleene disjunction (of nothing: false).
    Or(Box<[ExprId]>),
    /// `a <-> b`; undefined when a side is.
    Iff(ExprId, ExprId),
    /// One of these events has a successor in this state.
    Enabled(Box<[u32]>),
    /// No free event has a successor in this state.
    Deadlock,
    /// True when the condition is not true, else false: never undefined.
    Fails(ExprId),
}

impl Node {
    /// The sort of this node.
    pub fn sort(&self) -> Sort {
        match self {
            Node::Const(_)
            | Node::Load(_)
            | Node::LoadIndexed { .. }
            | Node::Unary(..)
            | Node::Binary(..)
            | Node::AsInteger(_) => Sort::Integer,
            _ => Sort::Condition,
        }
    }

    /// Calls `visit` with each operand, left to right.
    pub fn operands(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            Node::Const(_) | Node::Load(_) | Node::Truth(_) | Node::Enabled(_) | Node::Deadlock => {
            }
            Node::LoadIndexed { index: a, .. }
            | Node::Unary(_, a)
            | Node::AsInteger(a)
            | Node::Not(a)
            | Node::Fails(a) => visit(*a),
            Node::Binary(_, a, b) | Node::Compare(_, a, b) | Node::Iff(a, b) => {
                visit(*a);
                visit(*b);
            }
            Node::And(list) | Node::Or(list) => list.iter().copied().for_each(visit),
        }
    }
}

/// All expressions of one program.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    nodes: IndexSet<Node>,
    /// Whether the expression asks which events are enabled; such a one cannot stand in an event.
    asks_events: Vec<bool>,
}

impl Pool {
    /// The node of that id.
    ///
    /// # Panics
    /// If the id is of another pool; ids from outside are checked by `expect`.
    #[inline]
    pub fn node(&self, id: ExprId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Number of distinct expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no expression yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether the expression contains `Enabled` or `Deadlock`.
    pub fn asks_events(&self, id: ExprId) -> bool {
        self.asks_events[id.0 as usize]
    }

    /// The id checked: it exists and has that sort.
    pub fn expect(&self, id: ExprId, sort: Sort) -> Result<ExprId, BuildError> {
        match self.nodes.get_index(id.0 as usize) {
            None => Err(BuildError::Unknown("expression", u64::from(id.0))),
            Some(node) if node.sort() != sort => Err(BuildError::Sort(id.0, sort)),
            Some(_) => Ok(id),
        }
    }

    /// The id of a node whose operands are already in the pool and have the right sorts.
    /// An operation on constants is replaced by its result, unless it is undefined.
    pub(crate) fn add(&mut self, node: Node) -> Result<ExprId, BuildError> {
        let node = self.fold(node);
        let mut asks = matches!(node, Node::Enabled(_) | Node::Deadlock);
        node.operands(|a| asks |= self.asks_events[a.0 as usize]);
        let (index, new) = self.nodes.insert_full(node);
        if new {
            self.asks_events.push(asks);
        }
        u32::try_from(index)
            .map(ExprId)
            .map_err(|_| BuildError::TooMany("expressions"))
    }

    fn constant(&self, id: ExprId) -> Option<i32> {
        match self.node(id) {
            Node::Const(value) => Some(*value),
            _ => None,
        }
    }

    fn fold(&self, node: Node) -> Node {
        match node {
            Node::Unary(op, a) => match self.constant(a) {
                Some(a) => Node::Const(op.apply(a)),
                None => node,
            },
            Node::Binary(op, a, b) => match (self.constant(a), self.constant(b)) {
                (Some(a), Some(b)) => op.apply(a, b).map_or(node, Node::Const),
                _ => node,
            },
            Node::Compare(op, a, b) => match (self.constant(a), self.constant(b)) {
                (Some(a), Some(b)) => Node::Truth(op.apply(a, b)),
                _ => node,
            },
            other => other,
        }
    }
}
