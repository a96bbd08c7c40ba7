//! Saturation at set-labelled nodes.
//!
//! As at integer-labelled nodes (`saturate`) children are closed before the node is, and labels are closed
//! under L, what is local to the variable. A union of closed sets is closed here, too: let `a -> A`
//! and `b -> B` be edges of closed sets. A state of `a - b` with a rest in `A` moves, under L, into `a`,
//! that is into `a - b` with rest `A` or into `a * b` with rest `A + B`; so square union keeps sets closed even
//! where single labels are not.

use plait_dd::{Edge, Manager, Node};

use super::saturate::Synchronised;
use super::term::Hom;
use super::{Halt, Homs};

impl Homs {
    /// The closure of the image of a set-labelled node under `rest`; `h` is the term itself.
    pub(super) fn closure_at_set(
        &mut self,
        dd: &mut Manager,
        system: u32,
        rest: Hom,
        h: Hom,
        set: Node,
    ) -> Result<Node, Halt> {
        let w = dd.variable(set);
        let kept = dd.pushed();
        let local = self.level_local(system, w);
        let skips = self.top(rest) < w;
        let mut pieces: Vec<(Node, Node)> = Vec::new();
        for at in 0..dd.len(set) {
            let edge = dd.edge(set, at);
            if skips {
                let image = self.eval(dd, h, edge.child)?;
                self.add_piece(dd, local, edge.label_set(), image, &mut pieces)?;
            } else {
                let pair = (edge.label_set(), edge.child);
                self.fire_set(dd, rest, Some(system), w, pair, local, &mut pieces)?;
            }
        }
        let node = dd.set_node(w, &pieces)?;
        let cell = dd.hold(node);
        dd.pop(kept);
        let result = if self.in_rounds {
            self.saturate_set_in_rounds(dd, system, w, Node::ZERO, node)?
        } else {
            self.saturate_set(dd, system, w, node)?
        };
        dd.release(cell);
        if self.in_rounds {
            self.note_closed(dd, system, result);
        }
        Ok(result)
    }

    /// The closure of a node whose children and labels are closed.
    fn saturate_set(
        &mut self,
        dd: &mut Manager,
        system: u32,
        w: u32,
        node: Node,
    ) -> Result<Node, Halt> {
        let local = self.level_local(system, w);
        let synchronised = self.level_synchronised(system, w).to_vec();
        let others = self.level_others(system, w).to_vec();
        let kept = dd.pushed();
        let mut result = node;
        let cell = dd.hold(result);
        loop {
            let before = result;
            for term in &synchronised {
                let mut pieces = Vec::new();
                for at in 0..dd.len(result) {
                    let edge = dd.edge(result, at);
                    self.fire_synchronised(dd, term, edge, &mut pieces)?;
                }
                result = self.unite(dd, w, cell, result, &pieces)?;
                dd.pop(kept);
            }
            for other in &others {
                let mut pieces = Vec::new();
                for at in 0..dd.len(result) {
                    let edge = dd.edge(result, at);
                    let pair = (edge.label_set(), edge.child);
                    self.fire_set(dd, *other, Some(system), w, pair, local, &mut pieces)?;
                }
                result = self.unite(dd, w, cell, result, &pieces)?;
                dd.pop(kept);
            }
            if result == before || result.is_zero() {
                break;
            }
        }
        dd.release(cell);
        Ok(result)
    }

    /// Adds the closed image of an edge under a term to `out`.
    fn fire_synchronised(
        &mut self,
        dd: &mut Manager,
        term: &Synchronised,
        edge: Edge,
        out: &mut Vec<(Node, Node)>,
    ) -> Result<(), Halt> {
        // What happens after the step must not go wrong where there is no step.
        let closes_later = self.facts(term.closed_label).effects;
        let first = if closes_later {
            term.label
        } else {
            term.closed_label
        };
        let mut label = self.eval(dd, first, edge.label_set())?;
        if label.is_zero() {
            return Ok(());
        }
        dd.push(label);
        let image = self.eval(dd, term.rest, edge.child)?;
        if image.is_zero() {
            return Ok(());
        }
        dd.push(image);
        if closes_later {
            label = self.eval(dd, term.closed_label, edge.label_set())?;
            dd.push(label);
        }
        out.push((label, image));
        Ok(())
    }

    fn unite(
        &mut self,
        dd: &mut Manager,
        w: u32,
        cell: usize,
        set: Node,
        pieces: &[(Node, Node)],
    ) -> Result<Node, Halt> {
        let more = dd.set_node(w, pieces)?;
        let result = dd.union(set, more)?;
        dd.set_held(cell, result);
        Ok(result)
    }
}
