//! Saturation in rounds on set-labelled nodes; see `crate::rounds` for the idea.
//!
//! What the terms of a level make of the edges that have grown is added up, with children as they are
//! but labels closed under L, what is local to the variable; that gives a node. It is joined to the
//! closed one label by label: where labels of the two meet, the children are joined; where nothing is
//! known, the child is closed.
//!
//! Why that is closed under L again: `K(x)` be what follows `x` in a set `K`. To be closed under L means
//! that `K(x)` is a part of `K(y)` whenever L leads from `x` to `y`. If that is so in both sets it is so in
//! their join, whose children are `join(K(x), M(x))`, since to join is monotone. So labels are closed as
//! they are found, never the fragments into which the comparison cuts them.

use plait_dd::{Edge, Manager, Node};

use super::{Halt, Homs};

impl Homs {
    /// The closure of the union of a closed set-labelled node and another.
    pub(super) fn join_set(
        &mut self,
        dd: &mut Manager,
        system: u32,
        closed: Node,
        more: Node,
    ) -> Result<Node, Halt> {
        let w = dd.variable(closed);
        let kept = dd.pushed();
        let more = self.closed_labels(dd, system, w, more)?;
        dd.push(more);
        let sum = self.join_labels(dd, system, w, closed, more)?;
        dd.push(sum);
        let result = self.saturate_set_in_rounds(dd, system, w, closed, sum)?;
        dd.pop(kept);
        Ok(result)
    }

    /// The closure of a node that is closed under L and whose children are closed; on the edges that
    /// it shares with `fired` the terms of the level find nothing new.
    pub(super) fn saturate_set_in_rounds(
        &mut self,
        dd: &mut Manager,
        system: u32,
        w: u32,
        mut fired: Node,
        mut node: Node,
    ) -> Result<Node, Halt> {
        let synchronised = self.level_synchronised(system, w);
        if synchronised.is_empty() && self.level_others(system, w).is_empty() {
            return Ok(node);
        }
        let kept = dd.pushed();
        loop {
            let grown = new_edges(dd, fired, node);
            if grown.is_empty() {
                return Ok(node);
            }
            dd.push(node);
            let more = self.set_images(dd, system, w, &grown)?;
            dd.push(more);
            fired = node;
            node = self.join_labels(dd, system, w, fired, more)?;
            dd.pop(kept);
        }
    }

    /// What the terms of a level make of some edges: closed under L, with children as they are.
    fn set_images(
        &mut self,
        dd: &mut Manager,
        system: u32,
        w: u32,
        edges: &[Edge],
    ) -> Result<Node, Halt> {
        let local = self.level_local(system, w);
        let kept = dd.pushed();
        let mut pieces = Vec::new();
        for edge in edges {
            dd.step()?;
            self.charge(dd)?;
            for at in 0..self.level_synchronised(system, w).len() {
                let term = self.level_synchronised(system, w)[at];
                let label = self.eval(dd, term.label, edge.label_set())?;
                if !label.is_zero() {
                    dd.push(label);
                    let image = self.eval(dd, term.tail, edge.child)?;
                    self.add_piece(dd, local, label, image, &mut pieces)?;
                }
            }
            for at in 0..self.level_others(system, w).len() {
                let h = self.level_others(system, w)[at];
                let pair = (edge.label_set(), edge.child);
                self.fire_set(dd, h, None, w, pair, local, &mut pieces)?;
            }
        }
        let result = dd.set_node(w, &pieces)?;
        dd.pop(kept);
        Ok(result)
    }

    /// The union of two sets that are closed under L, the first one closed: its children are closed.
    fn join_labels(
        &mut self,
        dd: &mut Manager,
        system: u32,
        w: u32,
        closed: Node,
        more: Node,
    ) -> Result<Node, Halt> {
        let kept = dd.pushed();
        let mut grown = Vec::new();
        for at in 0..dd.len(more) {
            let edge = dd.edge(more, at);
            let mut unknown = edge.label_set();
            for at in 0..dd.len(closed) {
                let known = dd.edge(closed, at);
                let common = dd.intersection(unknown, known.label_set())?;
                if common.is_zero() {
                    continue;
                }
                dd.push(common);
                let child = self.join(dd, system, known.child, edge.child)?;
                if child != known.child {
                    dd.push(child);
                    grown.push((common, child));
                }
                unknown = dd.difference(unknown, common)?;
                dd.push(unknown);
                if unknown.is_zero() {
                    break;
                }
            }
            if !unknown.is_zero() {
                let child = self.join(dd, system, Node::ZERO, edge.child)?;
                dd.push(child);
                grown.push((unknown, child));
            }
        }
        let mut result = closed;
        if !grown.is_empty() {
            let grown = dd.set_node(w, &grown)?;
            dd.push(grown);
            result = dd.union(closed, grown)?;
        }
        dd.pop(kept);
        Ok(result)
    }

    /// The closure of a node under L.
    fn closed_labels(
        &mut self,
        dd: &mut Manager,
        system: u32,
        w: u32,
        node: Node,
    ) -> Result<Node, Halt> {
        let Some(local) = self.level_local(system, w) else {
            return Ok(node);
        };
        let kept = dd.pushed();
        let mut pieces = Vec::new();
        for at in 0..dd.len(node) {
            let edge = dd.edge(node, at);
            self.add_piece(dd, Some(local), edge.label_set(), edge.child, &mut pieces)?;
        }
        let result = dd.set_node(w, &pieces)?;
        dd.pop(kept);
        Ok(result)
    }
}

/// The edges of a set-labelled node that another one does not have.
fn new_edges(dd: &Manager, before: Node, node: Node) -> Vec<Edge> {
    let known = dd.edges(before);
    let is_new = |edge: &&Edge| {
        // Edges are in the order of their labels.
        let at = known.binary_search_by_key(&edge.label_set(), |e| e.label_set());
        at.map_or(true, |at| known[at] != **edge)
    };
    dd.edges(node).iter().filter(is_new).copied().collect()
}
