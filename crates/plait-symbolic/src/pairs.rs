//! Pairs of states in one diagram: exact predecessors of any event, without inverting it.
//!
//! In a diagram of pairs the variable `k` of a state occurs twice: `2k` holds the value before and
//! `2k - 1` the value after. The diagonal of a set has each of its states twice; an event that is
//! written for the variables after maps it to the pairs of a state and its successor. From them come the
//! states that have a successor and the number of arcs, whatever the event
//! computes. It costs a diagram of twice the length, so it is the last resort.

use std::collections::HashMap;

use plait_dd::stack::deep;
use plait_dd::{Edge, Manager, Node, Root, Stop};

/// The variable that holds, after an event, what `variable` held before.
pub(crate) fn after(variable: u32) -> u32 {
    2 * variable - 1
}

/// Results of one walk by node; they stay pushed until the walk is over.
type Done = HashMap<Node, Node>;

/// Runs a walk over diagrams with its results kept.
fn walk(
    dd: &mut Manager,
    set: Node,
    run: impl FnOnce(&mut Manager, &mut Done) -> Result<Node, Stop>,
) -> Result<Root, Stop> {
    let kept = dd.pushed();
    dd.push(set);
    let result = run(dd, &mut Done::new());
    dd.pop(kept);
    result.map(|node| dd.root(node))
}

/// Each state of the set, paired with itself.
pub(crate) fn diagonal(dd: &mut Manager, set: Node) -> Result<Root, Stop> {
    walk(dd, set, |dd, done| twice(dd, done, set))
}

fn twice(dd: &mut Manager, done: &mut Done, set: Node) -> Result<Node, Stop> {
    if set.is_terminal() {
        return Ok(set);
    }
    if let Some(known) = done.get(&set) {
        return Ok(*known);
    }
    dd.step()?;
    let variable = dd.variable(set);
    let mut edges = Vec::with_capacity(dd.len(set));
    for at in 0..dd.len(set) {
        let edge = dd.edge(set, at);
        let child = deep(|| twice(dd, done, edge.child))?;
        let copy = dd.integer_node(after(variable), &[Edge::integer(edge.value(), child)])?;
        dd.push(copy);
        edges.push(Edge::integer(edge.value(), copy));
    }
    let node = dd.integer_node(2 * variable, &edges)?;
    keep(dd, done, set, node);
    Ok(node)
}

fn keep(dd: &mut Manager, done: &mut Done, set: Node, result: Node) {
    dd.push(result);
    done.insert(set, result);
}

/// The first states of pairs.
pub(crate) fn first(dd: &mut Manager, pairs: Node) -> Result<Root, Stop> {
    walk(dd, pairs, |dd, done| project(dd, done, pairs))
}

fn project(dd: &mut Manager, done: &mut Done, pairs: Node) -> Result<Node, Stop> {
    if pairs.is_terminal() {
        return Ok(pairs);
    }
    if let Some(known) = done.get(&pairs) {
        return Ok(*known);
    }
    dd.step()?;
    let variable = dd.variable(pairs) / 2;
    let mut edges = Vec::with_capacity(dd.len(pairs));
    for at in 0..dd.len(pairs) {
        let edge = dd.edge(pairs, at);
        let mut union = Node::ZERO;
        for next in 0..dd.len(edge.child) {
            let after = dd.edge(edge.child, next);
            let below = deep(|| project(dd, done, after.child))?;
            union = dd.union(union, below)?;
            dd.push(union);
        }
        edges.push(Edge::integer(edge.value(), union));
    }
    let node = dd.integer_node(variable, &edges)?;
    keep(dd, done, pairs, node);
    Ok(node)
}
