//! EquivSplit: the partition of a set of states by the value of an expression.
//!
//! ITS specification, 3.4. Going down a diagram the expression is evaluated partially; below a node its
//! residues are split in turn, and the pieces put under their edges again. The cost depends on the
//! number of distinct residues and values, not on states or declared domains.
//!
//! A partition is itself stored as a node, so that cache and collections treat it as any other: an
//! integer-labelled node of the variable [`CLASSES`] with an edge from each value to its class; if some
//! states have no value, a node of the variable [`BOTTOM`] above it with an edge 0 to the rest, an
//! edge 1 to those.

use plait_dd::stack::deep;
use plait_dd::{Edge, Kind, Manager, Node, Operation};

use super::expression::Expr;
use super::{Halt, Homs};

const SPLIT: Operation = Operation::keyed(8);
/// The variable of partitions.
const CLASSES: u32 = (1 << 29) - 1;
/// The variable of partitions with undefined values.
const BOTTOM: u32 = (1 << 29) - 2;

/// A class: the value (`None`: undefined), a label, and what is below the label.
struct Piece {
    value: Option<i32>,
    label: u32,
    below: Node,
}

impl Homs {
    /// The classes of a set by the value of an expression (conditions: 1 and 0), the undefined one
    /// last. They are kept alive by nothing.
    pub fn partition(
        &mut self,
        dd: &mut Manager,
        e: Expr,
        set: Node,
    ) -> Result<Vec<(Option<i32>, Node)>, Halt> {
        if set.is_zero() {
            return Ok(Vec::new());
        }
        let kept = dd.pushed();
        dd.push(set);
        let result = self.split(dd, e, set);
        dd.pop(kept);
        Ok(classes(dd, result?))
    }

    /// The partition of a set that is not empty, as a node.
    pub(super) fn split(&mut self, dd: &mut Manager, e: Expr, set: Node) -> Result<Node, Halt> {
        if let Some(value) = self.pool.constant_value(e) {
            return partition_of_one(dd, value, set);
        }
        let variable = dd.variable(set);
        let top = self.pool.top(e);
        if set == Node::ONE || top > variable {
            debug_assert!(
                false,
                "variable {top} of an expression is not in the diagram"
            );
            return partition_of_one(dd, None, set);
        }
        let key = self.expression_keys.key(dd, e.0);
        if let Some(known) = dd.cached(SPLIT, key, set) {
            return Ok(known);
        }
        dd.step()?;
        let result = deep(|| self.split_anew(dd, e, set))?;
        dd.cache(SPLIT, key, set, result);
        Ok(result)
    }

    fn split_anew(&mut self, dd: &mut Manager, e: Expr, set: Node) -> Result<Node, Halt> {
        let variable = dd.variable(set);
        let kind = dd.kind(set);
        let kept = dd.pushed();
        let mut pieces = Vec::new();
        for at in 0..dd.len(set) {
            let edge = dd.edge(set, at);
            if self.pool.top(e) < variable {
                let label = match kind {
                    Kind::Set => edge.label_set().index(),
                    _ => edge.value() as u32,
                };
                self.split_below(dd, e, None, label, edge.child, &mut pieces)?;
            } else {
                let value = edge.value();
                let known = Some((variable, value));
                self.split_below(dd, e, known, value as u32, edge.child, &mut pieces)?;
            }
        }
        let result = gather(dd, kind, variable, pieces)?;
        dd.pop(kept);
        Ok(result)
    }

    /// Splits what is below one edge: `known` is the variable just passed and its value, if the
    /// expression still depends on it.
    fn split_below(
        &mut self,
        dd: &mut Manager,
        e: Expr,
        known: Option<(u32, i32)>,
        label: u32,
        below: Node,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Halt> {
        let mut e = e;
        if let Some((variable, value)) = known {
            e = self.pool.substitute(e, variable, value);
            if let Some(index) = self.pool.pending(e, variable) {
                // An unresolved index may still mean the variable just passed: look ahead.
                let parts = self.split(dd, index, below)?;
                dd.push(parts);
                for (k, part) in classes(dd, parts) {
                    let residue = self.pool.replace(e, index, k);
                    self.split_below(dd, residue, known, label, part, pieces)?;
                }
                return Ok(());
            }
        }
        if let Some(value) = self.pool.constant_value(e) {
            pieces.push(Piece {
                value,
                label,
                below,
            });
            return Ok(());
        }
        let parts = self.split(dd, e, below)?;
        dd.push(parts);
        let found = classes(dd, parts).into_iter();
        pieces.extend(found.map(|(value, below)| Piece {
            value,
            label,
            below,
        }));
        Ok(())
    }
}

/// The classes of a partition, the undefined one last.
pub(super) fn classes(dd: &Manager, partition: Node) -> Vec<(Option<i32>, Node)> {
    let list = |node: Node| dd.edges(node).iter().map(|e| (Some(e.value()), e.child));
    if dd.variable(partition) == CLASSES {
        return list(partition).collect();
    }
    let mut all = Vec::new();
    for edge in dd.edges(partition) {
        match edge.value() {
            0 => all.extend(list(edge.child)),
            _ => all.push((None, edge.child)),
        }
    }
    all
}

fn partition_of_one(dd: &mut Manager, value: Option<i32>, set: Node) -> Result<Node, Halt> {
    let (variable, label) = value.map_or((BOTTOM, 1), |k| (CLASSES, k));
    Ok(dd.sorted_node(variable, &[Edge::integer(label, set)])?)
}

/// The partition of the sets made of labels and what is below them; its parts are kept by the caller.
fn gather(
    dd: &mut Manager,
    kind: Kind,
    variable: u32,
    mut pieces: Vec<Piece>,
) -> Result<Node, Halt> {
    // Undefined last.
    let key = |p: &Piece| (p.value.is_none(), p.value, p.label as i32);
    pieces.sort_by_key(key);
    let mut edges: Vec<Edge> = Vec::new();
    let mut undefined = None;
    for class in pieces.chunk_by(|a, b| a.value == b.value) {
        let node = if kind == Kind::Set {
            let list = class.iter().map(|p| (Node::from_index(p.label), p.below));
            let list: Vec<(Node, Node)> = list.collect();
            dd.set_node(variable, &list)?
        } else {
            let mut list = Vec::with_capacity(class.len());
            for same in class.chunk_by(|a, b| a.label == b.label) {
                let below: Vec<Node> = same.iter().map(|p| p.below).collect();
                let below = dd.union_all(&below)?;
                dd.push(below);
                list.push(Edge::integer(same[0].label as i32, below));
            }
            dd.sorted_node(variable, &list)?
        };
        dd.push(node);
        match class[0].value {
            Some(value) => edges.push(Edge::integer(value, node)),
            None => undefined = Some(node),
        }
    }
    let defined = if edges.is_empty() {
        Node::ZERO
    } else {
        dd.sorted_node(CLASSES, &edges)?
    };
    let Some(undefined) = undefined else {
        return Ok(defined);
    };
    let edges = [Edge::integer(0, defined), Edge::integer(1, undefined)];
    let first = usize::from(defined.is_zero());
    Ok(dd.sorted_node(BOTTOM, &edges[first..])?)
}
