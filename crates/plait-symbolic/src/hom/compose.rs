//! Sums and compositions, with the rewriting that is done as they are built.
//!
//! ITS specification, 2.8: `0` and the identity are absorbed, sums are flattened, sorted and freed of
//! doubles, locals of one variable are fused (rules 1 and 2), steps of one variable too, and compositions
//! of commuting terms become lists that are sorted by their tops (rule 3). The rewriting is heuristic and
//! linear in the number of blocks for each composition. Invariant: what is built denotes the same map.

use plait_program::interval::Interval;

use super::term::{Hom, Step, Term};
use super::Homs;

impl Homs {
    // ----- sums ---------------------------------------------------------------------------------

    /// The terms of a list of sums, without `0`; whether the identity was among them.
    pub(crate) fn summands(&self, list: &[Hom]) -> (Vec<Hom>, bool) {
        let mut identity = false;
        let mut terms = Vec::new();
        let mut stack = list.to_vec();
        while let Some(h) = stack.pop() {
            match self.term(h) {
                Term::Zero => {}
                Term::Id => identity = true,
                Term::Sum(a, b) => stack.extend([a, b]),
                _ => terms.push(h),
            }
        }
        (terms, identity)
    }

    /// The union of images.
    pub fn sum(&mut self, list: &[Hom]) -> Hom {
        let (mut terms, identity) = self.summands(list);
        if identity {
            // What a selector keeps is there already.
            terms.retain(|h| !self.facts(*h).selector);
        }
        terms.sort_unstable();
        terms.dedup();
        self.fuse_locals(&mut terms, identity);
        terms.sort_unstable_by_key(|h| (self.top(*h), *h));
        let mut terms = terms.into_iter();
        let first = if identity {
            Hom::ID
        } else {
            terms.next().unwrap_or(Hom::ZERO)
        };
        terms.fold(first, |rest, h| self.intern(Term::Sum(h, rest)))
    }

    /// `L(h,v) + L(h',v) = L(h+h',v)`; beside the identity `L(h,v)` is `L(h+Id,v)`.
    fn fuse_locals(&mut self, terms: &mut Vec<Hom>, identity: bool) {
        let mut locals: Vec<(u32, Hom)> = Vec::new();
        terms.retain(|h| match self.term(*h) {
            Term::Local(inner, variable) => {
                locals.push((variable, inner));
                false
            }
            _ => true,
        });
        locals.sort_unstable();
        for group in locals.chunk_by(|a, b| a.0 == b.0) {
            let mut inner = match group {
                // In order already; looking again would double the work at each level of nesting.
                [one] => one.1,
                _ => {
                    let inner: Vec<Hom> = group.iter().map(|p| p.1).collect();
                    self.label_sum(inner)
                }
            };
            if identity {
                inner = self.with_identity(inner);
            }
            let local = self.local(inner, group[0].0);
            if local != Hom::ID || !identity {
                terms.push(local);
            }
        }
    }

    /// `h + Id`. Remembered: nested locals that share their insides would be walked again and again.
    pub(super) fn with_identity(&mut self, h: Hom) -> Hom {
        if let Some(known) = self.with_identities.get(&h) {
            return *known;
        }
        let result = plait_dd::stack::deep(|| self.sum(&[h, Hom::ID]));
        self.with_identities.insert(h, result);
        result
    }

    /// The sum of what is applied to one label. Remembered: the levels of a hierarchy share their parts,
    /// so that going through them again and again would take exponential time.
    pub(super) fn label_sum(&mut self, list: Vec<Hom>) -> Hom {
        let list = list.into_boxed_slice();
        if let Some(known) = self.label_sums.get(&list) {
            return *known;
        }
        let sum = self.sum(&list);
        self.label_sums.insert(list, sum);
        sum
    }

    /// The composition of what is applied to one label, remembered for the same reason.
    fn label_composition(&mut self, f: Hom, g: Hom) -> Hom {
        if let Some(known) = self.label_compositions.get(&(f, g)) {
            return *known;
        }
        let composition = self.compose(f, g);
        self.label_compositions.insert((f, g), composition);
        composition
    }

    // ----- compositions -------------------------------------------------------------------------

    /// The blocks of a commutative composition.
    pub(crate) fn blocks(&self, h: Hom) -> Vec<Hom> {
        let mut list = Vec::new();
        let mut at = h;
        while let Term::And(first, rest) = self.term(at) {
            list.push(first);
            at = rest;
        }
        if at != Hom::ID {
            list.push(at);
        }
        list
    }

    /// The commutative composition of blocks that are known to commute.
    pub(crate) fn and_of(&mut self, mut blocks: Vec<Hom>) -> Hom {
        if blocks.contains(&Hom::ZERO) {
            return Hom::ZERO;
        }
        // The greatest top first; there, selectors first.
        blocks.sort_unstable_by_key(|h| (self.top(*h), !self.facts(*h).selector, *h));
        blocks.dedup_by(|a, b| a == b && self.facts(*a).selector);
        let mut blocks = blocks.into_iter();
        let Some(first) = blocks.next() else {
            return Hom::ID;
        };
        blocks.fold(first, |rest, h| self.intern(Term::And(h, rest)))
    }

    /// What leads nowhere, after `g`: nothing, but a fault that `g` may find is still to be found.
    pub(super) fn nothing_after(&mut self, g: Hom) -> Hom {
        if self.facts(g).effects {
            self.intern(Term::Compose(Hom::ZERO, g))
        } else {
            Hom::ZERO
        }
    }

    /// `f` after `g`.
    pub fn compose(&mut self, f: Hom, g: Hom) -> Hom {
        if g == Hom::ZERO {
            return Hom::ZERO;
        }
        if f == Hom::ZERO {
            return self.nothing_after(g);
        }
        if f == Hom::ID {
            return g;
        }
        if g == Hom::ID {
            return f;
        }
        match self.term(f) {
            Term::Compose(a, b) => {
                let g = self.compose(b, g);
                self.compose(a, g)
            }
            Term::And(..) => {
                let blocks = self.blocks(f);
                blocks
                    .into_iter()
                    .rev()
                    .fold(g, |g, block| self.compose(block, g))
            }
            _ => self.compose_block(f, g),
        }
    }

    /// `f`, which is one block, after `g`.
    fn compose_block(&mut self, f: Hom, g: Hom) -> Hom {
        let blocks = self.blocks(g);
        let f = self.discharge(f, &blocks);
        if let Some(merged) = self.merge(f, &blocks) {
            return merged;
        }
        let (mut alike, mut others) = (Vec::new(), Vec::new());
        for block in blocks {
            if self.commute(f, block) {
                alike.push(block);
            } else {
                others.push(block);
            }
        }
        if others.is_empty() {
            alike.push(f);
        } else {
            let others = self.and_of(others);
            alike.push(self.intern(Term::Compose(f, others)));
        }
        self.and_of(alike)
    }

    /// A step without the domain that a test before it guarantees.
    fn discharge(&mut self, f: Hom, blocks: &[Hom]) -> Hom {
        let Term::Step(step) = self.term(f) else {
            return f;
        };
        if !step.is_restricted() {
            return f;
        }
        for block in blocks {
            if let Term::Step(before) = self.term(*block) {
                let same = before.variable == step.variable && before.is_test();
                if same && self.stays_within(&step, before.interval) {
                    return self.step(Step {
                        low: i32::MIN,
                        high: i32::MAX,
                        ..step
                    });
                }
            }
        }
        f
    }

    /// `f` after the blocks, one of which is of its kind and variable, if they fuse.
    fn merge(&mut self, f: Hom, blocks: &[Hom]) -> Option<Hom> {
        for (at, block) in blocks.iter().enumerate() {
            let fused = match (self.term(f), self.term(*block)) {
                (Term::Local(h, v), Term::Local(inner, w)) if v == w => {
                    let inner = self.label_composition(h, inner);
                    self.local(inner, v)
                }
                (Term::Step(after), Term::Step(before)) => match self.fuse(&after, &before) {
                    Some(fused) => fused,
                    None => continue,
                },
                _ => continue,
            };
            if fused == Hom::ZERO {
                let before = self.and_of(blocks.to_vec());
                return Some(self.nothing_after(before));
            }
            let mut rest = blocks.to_vec();
            rest.swap_remove(at);
            if rest.iter().all(|other| self.commute(fused, *other)) {
                if fused != Hom::ID {
                    rest.push(fused);
                }
                return Some(self.and_of(rest));
            }
        }
        None
    }

    /// Two steps of one variable in a row as one.
    fn fuse(&mut self, after: &Step, before: &Step) -> Option<Hom> {
        if after.variable != before.variable || after.is_restricted() || before.is_restricted() {
            return None;
        }
        let asked = if before.keep != 0 {
            after.interval.shifted_back(before.amount)
        } else if after.interval.contains(before.amount) {
            Interval::FULL
        } else {
            return Some(Hom::ZERO);
        };
        let interval = if asked == Interval::FULL {
            before.interval
        } else if before.interval == Interval::FULL || before.interval == asked {
            asked
        } else {
            match common(before.interval, asked) {
                [None, None] => return Some(Hom::ZERO),
                [Some(one), None] | [None, Some(one)] => one,
                [Some(_), Some(_)] => return None,
            }
        };
        let (keep, amount) = if after.keep == 0 {
            (0, after.amount)
        } else {
            (before.keep, before.amount.wrapping_add(after.amount))
        };
        Some(self.step(Step {
            interval,
            keep,
            amount,
            ..*after
        }))
    }

    /// The composition of a list, the last one applied first.
    pub fn compose_all(&mut self, list: &[Hom]) -> Hom {
        list.iter()
            .rev()
            .fold(Hom::ID, |below, h| self.compose(*h, below))
    }
}

/// The common elements of two intervals that are not both wrapped around, in two parts at most; of two
/// that are, the second itself is in the way: two parts that mean "no single interval".
fn common(a: Interval, b: Interval) -> [Option<Interval>; 2] {
    let (plain, other) = if a.bounds().is_some() { (a, b) } else { (b, a) };
    let meet = |low: i32, high: i32| match plain.bounds() {
        Some((l, h)) if l.max(low) <= h.min(high) => Some(Interval::new(l.max(low), h.min(high))),
        _ => None,
    };
    if plain.bounds().is_none() {
        return [Some(a), Some(b)];
    }
    if let Some((low, high)) = other.bounds() {
        return [meet(low, high), None];
    }
    // What a wrapped interval leaves out is not wrapped.
    match other.complement().and_then(Interval::bounds) {
        Some((low, high)) => [meet(i32::MIN, low - 1), meet(high + 1, i32::MAX)],
        None => [Some(plain), None],
    }
}
