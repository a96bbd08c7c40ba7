//! Evaluation node by node, for expressions whose sharing must not be unfolded.
//!
//! A DAG of n nodes may stand for a tree of 2^n. Such expressions are evaluated eagerly, operands
//! first, each node once; there is no short circuit, which strong Kleene logic does not notice.

use std::collections::HashMap;

use crate::code::{truth, Oracle, FALSE, TRUE, UNDEFINED};
use crate::expr::{ExprId, Node, Pool};

/// The nodes of one expression, operands first; the operands' ids are positions in this list.
#[derive(Clone, Debug)]
pub(crate) struct SharedCode {
    nodes: Vec<Node>,
}

impl SharedCode {
    /// The shared form when the unfolded one would be much larger, else `None`.
    pub(crate) fn if_smaller(pool: &Pool, root: ExprId) -> Option<SharedCode> {
        if matches!(pool.node(root), Node::Const(_) | Node::Load(_)) {
            return None;
        }
        let order = reachable(pool, root);
        let position: HashMap<ExprId, u32> = order.iter().copied().zip(0..).collect();
        let mut size: Vec<u64> = Vec::with_capacity(order.len());
        for id in &order {
            let mut total = 1u64;
            pool.node(*id)
                .operands(|a| total = total.saturating_add(size[position[&a] as usize]));
            size.push(total);
        }
        if *size.last()? <= 4 * order.len() as u64 + 64 {
            return None;
        }
        let at = |id: &ExprId| ExprId(position[id]);
        let nodes = order.iter().map(|id| moved(pool.node(*id), at)).collect();
        Some(SharedCode { nodes })
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The cells that the nodes may read, as ranges.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            Node::Load(cell) => Some((*cell, cell + 1)),
            Node::LoadIndexed { base, size, .. } => Some((*base, base + size)),
            _ => None,
        })
    }

    /// The events that the nodes ask about; `None` when they ask about all.
    pub(crate) fn asked_events(&self) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        for node in &self.nodes {
            match node {
                Node::Enabled(events) => found.extend_from_slice(events),
                Node::Deadlock => return None,
                _ => {}
            }
        }
        Some(found)
    }

    /// The value of the last node; `None` for an undefined integer.
    pub(crate) fn run<O: Oracle>(
        &self,
        cells: &[i32],
        values: &mut Vec<Option<i32>>,
        oracle: &mut O,
    ) -> Result<Option<i32>, O::Error> {
        values.clear();
        for node in &self.nodes {
            let value = step(node, cells, values, oracle)?;
            values.push(value);
        }
        Ok(values.last().copied().flatten())
    }
}

/// The nodes below `root`, operands first.
fn reachable(pool: &Pool, root: ExprId) -> Vec<ExprId> {
    let mut seen = std::collections::HashSet::from([root]);
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        pool.node(id).operands(|a| {
            if seen.insert(a) {
                stack.push(a);
            }
        });
    }
    let mut order: Vec<ExprId> = seen.into_iter().collect();
    order.sort_unstable();
    order
}

/// The node with its operands renamed.
fn moved(node: &Node, at: impl Fn(&ExprId) -> ExprId) -> Node {
    match node {
        Node::LoadIndexed { base, size, index } => Node::LoadIndexed {
            base: *base,
            size: *size,
            index: at(index),
        },
        Node::Unary(op, a) => Node::Unary(*op, at(a)),
        Node::Binary(op, a, b) => Node::Binary(*op, at(a), at(b)),
        Node::AsInteger(a) => Node::AsInteger(at(a)),
        Node::Compare(op, a, b) => Node::Compare(*op, at(a), at(b)),
        Node::Not(a) => Node::Not(at(a)),
        Node::And(list) => Node::And(list.iter().map(at).collect()),
        Node::Or(list) => Node::Or(list.iter().map(at).collect()),
        Node::Iff(a, b) => Node::Iff(at(a), at(b)),
        Node::Fails(a) => Node::Fails(at(a)),
        Node::Const(_) | Node::Load(_) | Node::Truth(_) | Node::Enabled(_) | Node::Deadlock => {
            node.clone()
        }
    }
}

/// One node, given the values of those before it. Conditions are never `None`.
fn step<O: Oracle>(
    node: &Node,
    cells: &[i32],
    values: &[Option<i32>],
    oracle: &mut O,
) -> Result<Option<i32>, O::Error> {
    let integer = |a: &ExprId| values[a.0 as usize];
    let condition = |a: &ExprId| values[a.0 as usize].unwrap_or(UNDEFINED);
    let both = |a: &ExprId, b: &ExprId| integer(a).zip(integer(b));
    Ok(match node {
        Node::Const(value) => Some(*value),
        Node::Load(cell) => Some(cells[*cell as usize]),
        Node::LoadIndexed { base, size, index } => integer(index)
            .filter(|index| (*index as u32) < *size)
            .map(|index| cells[(*base + index as u32) as usize]),
        Node::Unary(op, a) => integer(a).map(|a| op.apply(a)),
        Node::Binary(op, a, b) => both(a, b).and_then(|(a, b)| op.apply(a, b)),
        Node::AsInteger(a) => match condition(a) {
            UNDEFINED => None,
            value => Some(value / TRUE),
        },
        Node::Truth(value) => Some(truth(*value)),
        Node::Compare(op, a, b) => {
            Some(both(a, b).map_or(UNDEFINED, |(a, b)| truth(op.apply(a, b))))
        }
        Node::Not(a) => Some(TRUE - condition(a)),
        Node::And(list) => Some(list.iter().map(condition).min().unwrap_or(TRUE)),
        Node::Or(list) => Some(list.iter().map(condition).max().unwrap_or(FALSE)),
        Node::Iff(a, b) => Some(match (condition(a), condition(b)) {
            (UNDEFINED, _) | (_, UNDEFINED) => UNDEFINED,
            (a, b) => truth(a == b),
        }),
        Node::Enabled(events) => Some(truth(oracle.enabled(events)?)),
        Node::Deadlock => Some(truth(oracle.deadlock()?)),
        Node::Fails(a) => Some(truth(condition(a) != TRUE)),
    })
}
