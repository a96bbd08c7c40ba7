//! Evaluation at set-labelled nodes: locals and what is made of them.
//!
//! Edges are mapped one by one, as at integer-labelled nodes, but labels are sets: images may overlap,
//! and making the node refines and fuses them (square union).

use plait_dd::{Manager, Node};

use super::term::{Hom, Term};
use super::{Halt, Homs};

/// A label, a residue, and what it is to be applied to.
pub(super) type Piece = (Node, Hom, Node);

impl Homs {
    pub(super) fn eval_set_edges(
        &mut self,
        dd: &mut Manager,
        h: Hom,
        set: Node,
    ) -> Result<Node, Halt> {
        let w = dd.variable(set);
        let kept = dd.pushed();
        let mut pieces = Vec::new();
        for at in 0..dd.len(set) {
            let edge = dd.edge(set, at);
            let pair = (edge.label_set(), edge.child);
            self.fire_set(dd, h, None, w, pair, None, &mut pieces)?;
        }
        let result = dd.set_node(w, &pieces)?;
        dd.pop(kept);
        Ok(result)
    }

    /// Adds the image of an edge to `out`: closed below under a system, and its labels under `local`.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn fire_set(
        &mut self,
        dd: &mut Manager,
        h: Hom,
        system: Option<u32>,
        w: u32,
        (label, child): (Node, Node),
        local: Option<Hom>,
        out: &mut Vec<(Node, Node)>,
    ) -> Result<(), Halt> {
        let mut pieces = Vec::new();
        self.expand_set(dd, h, w, (label, Hom::ID, child), &mut pieces)?;
        for (label, rest, below) in pieces {
            let rest = match system {
                None => rest,
                Some(system) => self.closure(system, rest),
            };
            let image = self.eval(dd, rest, below)?;
            self.add_piece(dd, local, label, image, out)?;
        }
        Ok(())
    }

    /// Adds an edge whose label is closed first.
    pub(super) fn add_piece(
        &mut self,
        dd: &mut Manager,
        local: Option<Hom>,
        label: Node,
        image: Node,
        out: &mut Vec<(Node, Node)>,
    ) -> Result<(), Halt> {
        if image.is_zero() {
            return Ok(());
        }
        dd.push(image);
        let label = match local {
            None => label,
            Some(local) => self.eval(dd, local, label)?,
        };
        dd.push(label);
        out.push((label, image));
        Ok(())
    }

    /// What `h` makes of one edge; new nodes are pushed.
    pub(super) fn expand_set(
        &mut self,
        dd: &mut Manager,
        h: Hom,
        w: u32,
        (label, prefix, child): Piece,
        out: &mut Vec<Piece>,
    ) -> Result<(), Halt> {
        if self.top(h) < w {
            let rest = self.compose(h, prefix);
            if rest != Hom::ZERO {
                out.push((label, rest, child));
            }
            return Ok(());
        }
        let in_turn = match self.term(h) {
            Term::Local(inner, _) => {
                let (mut prefix, mut child) = (prefix, child);
                if prefix != Hom::ID && self.facts(inner).effects {
                    // A fault inside counts only if some path comes here.
                    child = self.eval(dd, prefix, child)?;
                    if child.is_zero() {
                        return Ok(());
                    }
                    dd.push(child);
                    prefix = Hom::ID;
                }
                let label = self.eval(dd, inner, label)?;
                if !label.is_zero() {
                    dd.push(label);
                    out.push((label, prefix, child));
                } else if self.facts(prefix).effects {
                    // No path comes through, but what was before may find a fault below.
                    self.eval(dd, prefix, child)?;
                }
                return Ok(());
            }
            Term::Sum(a, b) => {
                self.expand_set(dd, a, w, (label, prefix, child), out)?;
                return self.expand_set(dd, b, w, (label, prefix, child), out);
            }
            Term::And(a, b) => Some((a, b)),
            Term::Compose(f, g) => Some((g, f)),
            Term::User(number) => {
                let child = self.eval(dd, prefix, child)?;
                dd.push(child);
                return self.expand_user_set(dd, number, w, label, child, out);
            }
            _ => None,
        };
        if let Some((first, second)) = in_turn.filter(|_| self.facts(h).linear) {
            let mut between = Vec::new();
            self.expand_set(dd, first, w, (label, prefix, child), &mut between)?;
            for piece in between {
                self.expand_set(dd, second, w, piece, out)?;
            }
            return Ok(());
        }
        if self.facts(h).edgewise {
            // A variable cannot hold integers here and sets there.
            return Err(plait_dd::Stop::Incompatible.into());
        }
        let child = self.eval(dd, prefix, child)?;
        dd.push(child);
        let edge = dd.set_node(w, &[(label, child)])?;
        dd.push(edge);
        let image = self.eval(dd, h, edge)?;
        if image.is_zero() {
            return Ok(());
        }
        dd.push(image);
        if dd.variable(image) != w {
            return Err(plait_dd::Stop::Incompatible.into());
        }
        let edges = dd.edges(image).iter();
        out.extend(edges.map(|e| (e.label_set(), Hom::ID, e.child)));
        Ok(())
    }
}
