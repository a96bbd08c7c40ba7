//! Monotonic fixpoints: `(h_1 o ... o h_n)^*`, level by level.
//!
//! For canonisation (ITS specification, 2.2 and 4.8): every `h_i` replaces states by smaller ones, so
//! the order does not matter for the result, and the terms that skip a variable are iterated below it
//! first. Not linear in general.

use plait_dd::{Manager, Node};

use super::term::{Hom, Term};
use super::{Halt, Homs};

impl Homs {
    /// The composition of the list, iterated; the order of the list is not kept.
    pub fn monotonic(&mut self, list: &[Hom]) -> Hom {
        let mut list = list.to_vec();
        if list.contains(&Hom::ZERO) {
            return Hom::ZERO;
        }
        list.retain(|h| *h != Hom::ID);
        list.sort_unstable_by_key(|h| (self.top(*h), *h));
        list.dedup();
        list.into_iter()
            .fold(Hom::ID, |rest, h| self.intern(Term::Monotonic(h, rest)))
    }

    pub(super) fn eval_monotonic(
        &mut self,
        dd: &mut Manager,
        h: Hom,
        set: Node,
    ) -> Result<Node, Halt> {
        let variable = dd.variable(set);
        let mut here = Vec::new();
        let mut at = h;
        while let Term::Monotonic(first, rest) = self.term(at) {
            if self.top(first) < variable {
                break;
            }
            here.push(first);
            at = rest;
        }
        let below = at;
        self.iterate(dd, set, |homs, dd, set| {
            let mut set = homs.eval(dd, below, set)?;
            let cell = dd.hold(set);
            for h in &here {
                set = homs.eval(dd, *h, set)?;
                dd.set_held(cell, set);
            }
            dd.release(cell);
            Ok(set)
        })
    }
}
