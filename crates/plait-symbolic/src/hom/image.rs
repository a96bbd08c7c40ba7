//! Is there an image? Some part of it, found as soon as possible.
//!
//! ITS specification, 2.5: `has_image(h, d)` is `0` exactly when `h(d)` is, and else a subset of `h(d)` that
//! is not empty. Sums stop at the first term, nodes at the first edge that has one.

use plait_dd::stack::deep;
use plait_dd::{Edge, Kind, Manager, Node, Operation};

use super::term::{Hom, Term};
use super::{Halt, Homs};

const IMAGE: Operation = Operation::keyed(10);

impl Homs {
    /// Some part of the image of a set, empty only if the image is.
    pub fn has_image(&mut self, dd: &mut Manager, h: Hom, set: Node) -> Result<Node, Halt> {
        self.outermost(dd, set, |homs, dd| homs.some_image(dd, h, set))
    }

    fn some_image(&mut self, dd: &mut Manager, h: Hom, set: Node) -> Result<Node, Halt> {
        if set.is_terminal() {
            return self.eval(dd, h, set);
        }
        match self.term(h) {
            // A closure contains what it closes.
            Term::Closure(_, rest) => return self.some_image(dd, rest, set),
            Term::Sum(_, Hom::ID) => return Ok(set),
            _ if self.top(h) == 0 => return self.eval(dd, h, set),
            _ => {}
        }
        let key = self.keys.key(dd, h.0);
        if let Some(known) = dd.cached(IMAGE, key, set) {
            return Ok(known);
        }
        dd.step()?;
        let kept = dd.pushed();
        let result = deep(|| self.some_image_anew(dd, h, set))?;
        dd.pop(kept);
        dd.cache(IMAGE, key, set, result);
        Ok(result)
    }

    fn some_image_anew(&mut self, dd: &mut Manager, h: Hom, set: Node) -> Result<Node, Halt> {
        let w = dd.variable(set);
        let facts = self.facts(h);
        match self.term(h) {
            Term::Sum(a, b) => {
                let image = self.some_image(dd, a, set)?;
                return if image.is_zero() {
                    self.some_image(dd, b, set)
                } else {
                    Ok(image)
                };
            }
            Term::Not(s) if self.some_image(dd, s, set)?.is_zero() => return Ok(set),
            _ => {}
        }
        if !facts.linear || !(facts.top < w || (facts.top == w && facts.edgewise)) {
            return self.eval(dd, h, set);
        }
        for at in 0..dd.len(set) {
            let edge = dd.edge(set, at);
            if dd.kind(set) == Kind::Set {
                let mut pieces = Vec::new();
                let piece = (edge.label_set(), Hom::ID, edge.child);
                self.expand_set(dd, h, w, piece, &mut pieces)?;
                for (label, rest, below) in pieces {
                    let image = self.some_image(dd, rest, below)?;
                    if !image.is_zero() {
                        return Ok(dd.set_node(w, &[(label, image)])?);
                    }
                }
            } else {
                let mut pieces = Vec::new();
                self.expand(dd, h, w, edge.value(), Hom::ID, edge.child, &mut pieces)?;
                for (value, rest, below) in pieces {
                    let image = self.some_image(dd, rest, below)?;
                    if !image.is_zero() {
                        return Ok(dd.sorted_node(w, &[Edge::integer(value, image)])?);
                    }
                }
            }
        }
        Ok(Node::ZERO)
    }
}
