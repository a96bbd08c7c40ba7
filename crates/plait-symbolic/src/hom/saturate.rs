//! Least fixpoints by saturation.
//!
//! ITS specification, 2.4 and 2.7. `(H + Id)^*`, with `H` a sum of linear terms, is not iterated: at a
//! node of variable `w` the terms fall into those that skip `w` (F), those local to it (L) and the
//! others whose top it is (G), and `(H + Id)^* = (o_g (g + Id) o L* o (F + Id)^*)^*`. A [`System`] is such
//! an `H` with its terms sorted into levels; F of a level are all lower levels, so that no term is
//! ever copied.
//!
//! The unit of evaluation is the term `Closure(S, h)`: the closure of `h(d)` under the terms of `S` whose
//! top is at most the variable of `d`. Its children are closures too, so images are closed from the
//! bottom up while they are built, as in `crate::saturation`; and a union of closed sets is closed,
//! because all terms are linear. Hence the invariant: a node under construction has closed children, and
//! only terms of its own level are left to fire, on the edges that have grown.
//!
//! Set-labelled nodes are closed in `saturate_set`.

use plait_dd::{Kind, Manager, Node};

use super::apply::APPLY;
use super::frame::Added;
use super::intern::Map;
use super::term::{Hom, Step, Term, NEVER_SKIPS};
use super::{Halt, Homs};

/// Events that test and update the variable of the level and then do the same below.
#[derive(Debug)]
struct Group {
    /// What they do to the variable.
    steps: Box<[Step]>,
    /// What they do below, and the same closed.
    tail: Hom,
    rest: Hom,
}

/// The terms of a system with one top.
#[derive(Debug, Default)]
struct Level {
    groups: Vec<Group>,
    /// Terms that are evaluated edge by edge.
    others: Vec<Hom>,
    /// The closure under what is local to a set-labelled variable.
    local: Option<Hom>,
    /// Terms with a part local to the variable and one below.
    synchronised: Vec<Synchronised>,
}

/// A term that maps the label of an edge and its child, each alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Synchronised {
    /// What it does to the label, and the same closed under what is local to the variable.
    pub label: Hom,
    pub closed_label: Hom,
    /// What it does below, and the same closed.
    pub tail: Hom,
    pub rest: Hom,
}

/// A sum of linear terms, sorted into levels.
#[derive(Debug)]
pub(super) struct System {
    /// The sum, without the identity.
    pub list: Hom,
    /// The greatest and the least top.
    pub top: u32,
    pub bottom: u32,
    /// Whether a term has effects.
    pub effects: bool,
    levels: Map<u32, Level>,
}

impl Homs {
    /// `h` applied until nothing changes. The closure under events is `fixpoint(sum(events + Id))`,
    /// which is evaluated by saturation; other arguments are iterated, which need not end.
    pub fn fixpoint(&mut self, h: Hom) -> Hom {
        match self.term(h) {
            Term::Zero | Term::Id | Term::Fixpoint(_) => return h,
            Term::Closure(_, Hom::ID) => return h,
            _ if self.facts(h).selector => return h,
            _ => {}
        }
        if let Some(known) = self.fixpoints.get(&h) {
            return *known;
        }
        let result = plait_dd::stack::deep(|| self.new_fixpoint(h));
        self.fixpoints.insert(h, result);
        result
    }

    fn new_fixpoint(&mut self, h: Hom) -> Hom {
        let (terms, identity) = self.summands(&[h]);
        let fits = |h: &Hom| self.facts(*h).linear && self.top(*h) != NEVER_SKIPS;
        if !identity || !terms.iter().all(fits) {
            return self.intern(Term::Fixpoint(h));
        }
        // (L(h,v) + Id)^* = L((h + Id)^*, v)
        if let [one] = terms[..] {
            if let Term::Local(inner, variable) = self.term(one) {
                let inner = self.with_identity(inner);
                let inner = self.fixpoint(inner);
                return self.local(inner, variable);
            }
        }
        if let Some(constrained) = self.constrained_form(&terms) {
            return constrained;
        }
        self.saturated(&terms)
    }

    /// As [`Homs::fixpoint`], without a look for constraints.
    pub(super) fn plain_fixpoint(&mut self, h: Hom) -> Hom {
        let (terms, identity) = self.summands(&[h]);
        let fits = |h: &Hom| self.facts(*h).linear && self.top(*h) != NEVER_SKIPS;
        if identity && !terms.is_empty() && terms.iter().all(fits) {
            self.saturated(&terms)
        } else if terms.is_empty() || self.facts(h).selector {
            h
        } else {
            self.intern(Term::Fixpoint(h))
        }
    }

    fn saturated(&mut self, terms: &[Hom]) -> Hom {
        let list = self.sum(terms);
        let system = self.system(list);
        self.closure(system, Hom::ID)
    }

    /// The closure under a system of an image.
    #[inline]
    pub(super) fn closure(&mut self, system: u32, h: Hom) -> Hom {
        if h == Hom::ZERO {
            return h;
        }
        if let Some(known) = self.closures.get(system, h.0, 0) {
            return Hom(known);
        }
        let closure = self.intern(Term::Closure(system, h));
        self.closures.put(system, h.0, 0, closure.0);
        closure
    }

    /// The system of a sum without the identity.
    fn system(&mut self, list: Hom) -> u32 {
        if let Some(number) = self.system_numbers.get(&list) {
            return *number;
        }
        let (terms, _) = self.summands(&[list]);
        let number = self.systems.len() as u32;
        self.system_numbers.insert(list, number);
        self.systems.push(System {
            list,
            top: self.top(list),
            bottom: terms.iter().map(|h| self.top(*h)).min().unwrap_or(0),
            effects: self.facts(list).effects,
            levels: Map::default(),
        });
        let mut by_top: Map<u32, Vec<Hom>> = Map::default();
        for h in terms {
            by_top.entry(self.top(h)).or_default().push(h);
        }
        for (top, mut terms) in by_top {
            terms.sort_unstable();
            let level = self.level(number, top, terms);
            self.systems[number as usize].levels.insert(top, level);
        }
        number
    }

    /// Sorts the terms of one top: L, and the kinds of G.
    fn level(&mut self, system: u32, top: u32, terms: Vec<Hom>) -> Level {
        let mut level = Level::default();
        let mut steps: Vec<(Hom, Step)> = Vec::new();
        let mut parts: Vec<(Hom, Hom)> = Vec::new();
        for h in terms {
            let (first, rest) = match self.term(h) {
                Term::And(first, rest) if self.top(rest) < top => (first, rest),
                _ => (h, Hom::ID),
            };
            match self.term(first) {
                Term::Step(step) if !step.is_restricted() => steps.push((rest, step)),
                Term::Local(inner, _) if rest == Hom::ID => {
                    let inner = self.with_identity(inner);
                    level.local = Some(self.fixpoint(inner));
                }
                Term::Local(inner, _) => parts.push((inner, rest)),
                _ => level.others.push(h),
            }
        }
        steps.sort_by_key(|p| p.0);
        for group in steps.chunk_by(|a, b| a.0 == b.0) {
            level.groups.push(Group {
                steps: group.iter().map(|p| p.1).collect(),
                tail: group[0].0,
                rest: self.closure(system, group[0].0),
            });
        }
        for (label, tail) in self.factored(parts) {
            level.synchronised.push(Synchronised {
                label,
                closed_label: self.closed_label(level.local, label),
                tail,
                rest: self.closure(system, tail),
            });
        }
        level
    }

    /// How many terms of a system skip a variable, are local to it, and have it as their top otherwise.
    #[cfg(test)]
    pub(super) fn sorted_terms(&self, system: u32, variable: u32) -> [usize; 3] {
        let levels = &self.systems[system as usize].levels;
        let others = |level: &Level| {
            let steps: usize = level.groups.iter().map(|g| g.steps.len()).sum();
            steps + level.others.len() + level.synchronised.len()
        };
        let local = |level: &Level| usize::from(level.local.is_some());
        let below = levels.iter().filter(|(top, _)| **top < variable);
        let here = levels.get(&variable);
        [
            below.map(|(_, l)| others(l) + local(l)).sum(),
            here.map_or(0, local),
            here.map_or(0, others),
        ]
    }

    /// `l && f1 + l && f2 = l && (f1 + f2)`, then `l1 && f + l2 && f = (l1 + l2) && f`.
    fn factored(&mut self, mut parts: Vec<(Hom, Hom)>) -> Vec<(Hom, Hom)> {
        parts.sort_unstable();
        let mut once: Vec<(Hom, Hom)> = Vec::new();
        for group in parts.chunk_by(|a, b| a.0 == b.0) {
            let rests: Vec<Hom> = group.iter().map(|p| p.1).collect();
            once.push((group[0].0, self.sum(&rests)));
        }
        once.sort_unstable_by_key(|p| (p.1, p.0));
        let mut twice = Vec::new();
        for group in once.chunk_by(|a, b| a.1 == b.1) {
            let firsts: Vec<Hom> = group.iter().map(|p| p.0).collect();
            twice.push((self.sum(&firsts), group[0].1));
        }
        twice
    }

    /// What maps a label and closes the result under what is local to the variable.
    fn closed_label(&mut self, local: Option<Hom>, inner: Hom) -> Hom {
        match local.map(|l| self.term(l)) {
            None => inner,
            Some(Term::Closure(system, Hom::ID)) => self.closure(system, inner),
            Some(_) => {
                let local = local.unwrap_or(Hom::ID);
                self.compose(local, inner)
            }
        }
    }

    // ----- evaluation ---------------------------------------------------------------------------

    /// The closure, under the terms of a system that the node admits, of the image of a set under
    /// `rest`; `h` is the term itself.
    pub(super) fn closure_at(
        &mut self,
        dd: &mut Manager,
        system: u32,
        rest: Hom,
        h: Hom,
        set: Node,
    ) -> Result<Node, Halt> {
        let w = dd.variable(set);
        let skips = self.top(rest) < w;
        let here = &self.systems[system as usize];
        if skips && !here.levels.contains_key(&w) {
            return self.eval_below(dd, h, set);
        }
        if !skips && !self.facts(rest).edgewise {
            let kept = dd.pushed();
            let image = self.eval(dd, rest, set)?;
            dd.push(image);
            let closed = self.closure(system, Hom::ID);
            let result = self.eval(dd, closed, image)?;
            dd.pop(kept);
            return Ok(result);
        }
        if dd.kind(set) == Kind::Set {
            return self.closure_at_set(dd, system, rest, h, set);
        }
        self.open(dd);
        for at in 0..dd.len(set) {
            let edge = dd.edge(set, at);
            if skips {
                let image = self.eval(dd, h, edge.child)?;
                self.add(dd, edge.value(), image)?;
            } else {
                self.fire(dd, rest, Some(system), w, edge.value(), edge.child)?;
            }
        }
        self.saturate(dd, system, w)?;
        let result = self.close(dd, w)?;
        if self.in_rounds {
            self.note_closed(dd, system, result);
        }
        Ok(result)
    }

    /// Caches that a set is its own closure.
    pub(super) fn note_closed(&mut self, dd: &mut Manager, system: u32, set: Node) {
        let closed = self.closure(system, Hom::ID);
        let key = self.keys.key(dd, closed.0);
        dd.cache(APPLY, key, set, set);
    }

    /// Closes the node begun last, whose children are closed.
    fn saturate(&mut self, dd: &mut Manager, system: u32, w: u32) -> Result<(), Halt> {
        let Some(level) = self.systems[system as usize].levels.get(&w) else {
            return Ok(());
        };
        let (groups, others) = (level.groups.len(), level.others.len());
        self.enqueue_all();
        if self.in_rounds {
            return self.saturate_in_rounds(dd, system, w);
        }
        while let Some(place) = self.dequeue() {
            dd.step()?;
            self.charge(dd)?;
            for group in 0..groups {
                self.fire_group(dd, system, w, group, place)?;
            }
            for other in 0..others {
                let h = self.systems[system as usize].levels[&w].others[other];
                let (v, child) = self.at(dd, place);
                self.fire_closed(dd, h, system, w, v, child)?;
            }
        }
        Ok(())
    }

    fn fire_group(
        &mut self,
        dd: &mut Manager,
        system: u32,
        w: u32,
        group: usize,
        place: u32,
    ) -> Result<(), Halt> {
        let (v, child) = self.at(dd, place);
        let events = &self.systems[system as usize].levels[&w].groups[group];
        if !events.steps.iter().any(|s| s.interval.contains(v)) {
            return Ok(());
        }
        let (count, rest) = (events.steps.len(), events.rest);
        // The child is closed: if nothing happens below, it is its own closed image.
        let image = match self.term(rest) {
            Term::Closure(_, Hom::ID) => child,
            _ => self.eval(dd, rest, child)?,
        };
        if image.is_zero() {
            return Ok(());
        }
        let kept = dd.pushed();
        dd.push(image);
        for at in 0..count {
            let step = &self.systems[system as usize].levels[&w].groups[group].steps[at];
            if step.interval.contains(v) {
                let value = step.apply(v);
                if let Added::Grown(place) = self.add(dd, value, image)? {
                    self.enqueue(place);
                }
            }
        }
        dd.pop(kept);
        Ok(())
    }

    /// The closure under what is local to a set-labelled variable, if anything is.
    pub(super) fn level_local(&self, system: u32, w: u32) -> Option<Hom> {
        let level = self.systems[system as usize].levels.get(&w);
        level.and_then(|l| l.local)
    }

    /// The terms whose top it is and that map labels and children alone.
    pub(super) fn level_synchronised(&self, system: u32, w: u32) -> &[Synchronised] {
        let level = self.systems[system as usize].levels.get(&w);
        level.map_or(&[], |l| &l.synchronised)
    }

    /// How many groups of events there are whose top is a variable.
    pub(super) fn level_groups(&self, system: u32, w: u32) -> usize {
        let level = self.systems[system as usize].levels.get(&w);
        level.map_or(0, |l| l.groups.len())
    }

    /// The other terms whose top it is, which are evaluated edge by edge.
    pub(super) fn level_others(&self, system: u32, w: u32) -> &[Hom] {
        let level = self.systems[system as usize].levels.get(&w);
        level.map_or(&[], |l| &l.others)
    }

    /// Adds what a group of events makes of an edge, not closed, to the node begun last.
    pub(super) fn add_images(
        &mut self,
        dd: &mut Manager,
        system: u32,
        w: u32,
        group: usize,
        v: i32,
        child: Node,
    ) -> Result<(), Halt> {
        let events = &self.systems[system as usize].levels[&w].groups[group];
        if !events.steps.iter().any(|s| s.interval.contains(v)) {
            return Ok(());
        }
        let (count, tail) = (events.steps.len(), events.tail);
        let image = self.eval(dd, tail, child)?;
        if image.is_zero() {
            return Ok(());
        }
        let kept = dd.pushed();
        dd.push(image);
        for at in 0..count {
            let step = &self.systems[system as usize].levels[&w].groups[group].steps[at];
            if step.interval.contains(v) {
                let value = step.apply(v);
                self.add(dd, value, image)?;
            }
        }
        dd.pop(kept);
        Ok(())
    }

    /// Fires a term on an edge of the node begun last, and queues what grows.
    fn fire_closed(
        &mut self,
        dd: &mut Manager,
        h: Hom,
        system: u32,
        w: u32,
        v: i32,
        child: Node,
    ) -> Result<(), Halt> {
        let kept = dd.pushed();
        dd.push(child);
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        let expanded = self.expand(dd, h, w, v, Hom::ID, child, &mut pieces);
        let result = expanded.and_then(|()| {
            for &(value, rest, below) in &pieces {
                let closed = self.closure(system, rest);
                let image = match rest {
                    Hom::ID if below == child => child,
                    _ => self.eval(dd, closed, below)?,
                };
                dd.push(image);
                if let Added::Grown(place) = self.add(dd, value, image)? {
                    self.enqueue(place);
                }
            }
            Ok(())
        });
        self.pieces = pieces;
        dd.pop(kept);
        result
    }
}
