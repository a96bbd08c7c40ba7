//! Saturation in rounds on integer-labelled nodes; see `crate::rounds`, which does the same for nets.
//!
//! The images of a node's edges that have grown are added up as they are, which gives a node; its
//! children are joined to the closed ones, and what has grown is fired in the next round. Set-labelled
//! nodes: `rounds_set`.

use plait_dd::stack::deep;
use plait_dd::{Kind, Manager, Node, Operation};

use super::frame::Added;
use super::term::Hom;
use super::{Halt, Homs};

impl Homs {
    /// Closes the node begun last, whose children are closed; the places to be fired wait.
    pub(super) fn saturate_in_rounds(
        &mut self,
        dd: &mut Manager,
        system: u32,
        w: u32,
    ) -> Result<(), Halt> {
        let mut edges = Vec::new();
        loop {
            while let Some(place) = self.dequeue() {
                edges.push(self.at(dd, place));
            }
            if edges.is_empty() {
                return Ok(());
            }
            let kept = dd.pushed();
            edges.iter().for_each(|(_, child)| dd.push(*child));
            let more = self.images(dd, system, w, &edges)?;
            dd.push(more);
            self.join_edges(dd, system, more)?;
            dd.pop(kept);
            edges.clear();
        }
    }

    /// What the terms of a level make of some edges, not closed.
    fn images(
        &mut self,
        dd: &mut Manager,
        system: u32,
        w: u32,
        edges: &[(i32, Node)],
    ) -> Result<Node, Halt> {
        self.open(dd);
        for &(v, child) in edges {
            self.charge(dd)?;
            for group in 0..self.level_groups(system, w) {
                self.add_images(dd, system, w, group, v, child)?;
            }
            for other in 0..self.level_others(system, w).len() {
                let h = self.level_others(system, w)[other];
                self.fire(dd, h, None, w, v, child)?;
            }
        }
        Ok(self.close(dd, w)?)
    }

    /// Joins the children of a set to those of the node begun last; the places that grow wait.
    fn join_edges(&mut self, dd: &mut Manager, system: u32, more: Node) -> Result<(), Halt> {
        for at in 0..dd.len(more) {
            let edge = dd.edge(more, at);
            let before = self.child(dd, edge.value());
            let after = self.join(dd, system, before, edge.child)?;
            if after != before {
                // The union with what it contains is what it is.
                let kept = dd.pushed();
                dd.push(after);
                if let Added::Grown(place) = self.add(dd, edge.value(), after)? {
                    self.enqueue(place);
                }
                dd.pop(kept);
            }
        }
        Ok(())
    }

    /// The closure of the union of a closed set and another.
    pub(super) fn join(
        &mut self,
        dd: &mut Manager,
        system: u32,
        closed: Node,
        more: Node,
    ) -> Result<Node, Halt> {
        if more.is_zero() || closed == more {
            return Ok(closed);
        }
        let closure = self.closure(system, Hom::ID);
        if closed.is_zero() {
            return self.eval(dd, closure, more);
        }
        if closed.is_terminal() {
            return Ok(closed);
        }
        let w = dd.variable(closed);
        if w < self.systems[system as usize].bottom {
            return Ok(dd.union(closed, more)?);
        }
        if more.is_terminal() || dd.variable(more) != w {
            let kept = dd.pushed();
            let sum = dd.union(closed, more)?;
            dd.push(sum);
            let result = self.eval(dd, closure, sum)?;
            dd.pop(kept);
            return Ok(result);
        }
        let key = self.keys.key(dd, closure.0);
        let operation = Operation::paired(key);
        if let Some(known) = dd.cached_pair(operation, closed, more) {
            return Ok(known);
        }
        dd.step()?;
        let result = deep(|| {
            if dd.kind(closed) == Kind::Set {
                return self.join_set(dd, system, closed, more);
            }
            self.open(dd);
            for at in 0..dd.len(closed) {
                let edge = dd.edge(closed, at);
                self.add(dd, edge.value(), edge.child)?;
            }
            self.join_edges(dd, system, more)?;
            self.saturate_in_rounds(dd, system, w)?;
            Ok::<Node, Halt>(self.close(dd, w)?)
        })?;
        dd.cache_pair(operation, closed, more, result);
        self.note_closed(dd, system, result);
        Ok(result)
    }
}
