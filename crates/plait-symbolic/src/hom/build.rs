//! Building homomorphisms: the catalogue, with the rewriting that is done at once.
//!
//! ITS specification, 2.2, 2.8, 2.9 and 2.11: `0` and the identity are absorbed, sums are flattened,
//! sorted and freed of doubles, locals of one variable are fused (rules 1 and 2 of 2.8), steps of one
//! variable too, compositions of commuting terms become lists that are sorted by their tops (rule 3),
//! and negations are pushed inwards (rule 5, De Morgan). The rewriting is heuristic and linear in the
//! number of blocks for each composition.

use plait_dd::{Manager, Node};
use plait_program::arithmetic::CompareOp;
use plait_program::interval::Interval;

use super::expression::{Expr, Form};
use super::term::{Hom, Step, Target, Term, Write, NO_STATEMENT};
use super::{Homs, Misuse};

impl Homs {
    // ----- constants ----------------------------------------------------------------------------

    fn rooted(&mut self, dd: &Manager, node: Node) -> Node {
        self.roots.entry(node).or_insert_with(|| dd.root(node));
        node
    }

    /// Every set but the empty one to `c`.
    pub fn constant(&mut self, dd: &Manager, c: Node) -> Hom {
        if c.is_zero() {
            return Hom::ZERO;
        }
        let c = self.rooted(dd, c);
        self.intern(Term::Constant(c))
    }

    /// `h(d) * c`.
    pub fn meet(&mut self, dd: &Manager, h: Hom, c: Node) -> Hom {
        if c.is_zero() {
            return Hom::ZERO;
        }
        let c = self.rooted(dd, c);
        let meet = self.intern(Term::Meet(c));
        self.compose(meet, h)
    }

    /// `h(d) - c`.
    pub fn minus(&mut self, dd: &Manager, h: Hom, c: Node) -> Hom {
        if c.is_zero() {
            return h;
        }
        let c = self.rooted(dd, c);
        let minus = self.intern(Term::Minus(c));
        self.compose(minus, h)
    }

    /// `c . h(d)`: each sequence of `c` followed by each of `h(d)`.
    pub fn before(&mut self, dd: &Manager, c: Node, h: Hom) -> Hom {
        if c.is_zero() {
            return Hom::ZERO;
        }
        if c == Node::ONE {
            return h;
        }
        let c = self.rooted(dd, c);
        let before = self.intern(Term::Before(c));
        self.compose(before, h)
    }

    /// `h(d) . c`: each sequence of `h(d)` followed by each of `c`.
    pub fn after(&mut self, dd: &Manager, h: Hom, c: Node) -> Hom {
        if c.is_zero() {
            return Hom::ZERO;
        }
        if c == Node::ONE {
            return h;
        }
        let c = self.rooted(dd, c);
        let after = self.intern(Term::After(c));
        self.compose(after, h)
    }

    // ----- bricks on integers -------------------------------------------------------------------

    /// Tests and updates one variable by constants.
    pub fn step(&mut self, step: Step) -> Hom {
        let mut step = step;
        if step.is_restricted() && self.stays_within(&step, step.interval) {
            (step.low, step.high) = (i32::MIN, i32::MAX);
        }
        if !step.is_restricted() {
            step.statement = NO_STATEMENT;
        }
        if step.is_test() && step.interval == Interval::FULL && !step.is_restricted() {
            return Hom::ID;
        }
        self.intern(Term::Step(step))
    }

    /// Whether no value of the interval leads to a fault.
    fn stays_within(&self, step: &Step, values: Interval) -> bool {
        if step.keep == 0 {
            return step.admits(step.amount);
        }
        let Some((low, high)) = values.bounds() else {
            return false;
        };
        let amount = i64::from(step.amount);
        i64::from(low) + amount >= i64::from(step.low)
            && i64::from(high) + amount <= i64::from(step.high)
    }

    /// `x # k`.
    pub fn compare(&mut self, variable: u32, op: CompareOp, constant: i32) -> Hom {
        match Interval::of(op, constant) {
            Some(interval) => self.step(Step::test(variable, interval)),
            None => Hom::ZERO,
        }
    }

    /// `x # y`.
    pub fn compare_variables(&mut self, x: u32, op: CompareOp, y: u32) -> Hom {
        let (x, y) = (self.pool.read(x), self.pool.read(y));
        let condition = self.pool.compare(op, x, y);
        self.pred(condition)
    }

    /// `x += k`, wrapping.
    pub fn increment(&mut self, variable: u32, amount: i32) -> Hom {
        self.step(Step {
            amount,
            ..Step::test(variable, Interval::FULL)
        })
    }

    /// `x = k`.
    pub fn store(&mut self, variable: u32, value: i32) -> Hom {
        self.step(Step {
            keep: 0,
            amount: value,
            ..Step::test(variable, Interval::FULL)
        })
    }

    /// Keeps the states in which the condition is true.
    pub fn pred(&mut self, condition: Expr) -> Hom {
        let mut list = Vec::new();
        let mut at = condition;
        if self.pool.is_never(condition) {
            return Hom::ZERO;
        }
        while let Form::And(first, rest) = self.pool.form(at) {
            list.push(first);
            at = rest;
        }
        list.push(at);
        // Lowest first: each is put in front of those below.
        list.into_iter().rev().fold(Hom::ID, |all, c| {
            let c = self.pred_of_one(c);
            self.compose(c, all)
        })
    }

    fn pred_of_one(&mut self, c: Expr) -> Hom {
        match self.pool.form(c) {
            Form::Truth(true) => Hom::ID,
            Form::Compare(op, a, b) => match (self.pool.form(a), self.pool.form(b)) {
                (Form::Read(x), Form::Constant(k)) => self.compare(x, op, k),
                _ => self.intern(Term::Pred(c)),
            },
            _ => self.intern(Term::Pred(c)),
        }
    }

    /// Stores a value; paths on which it, or the index, is undefined are dropped.
    pub fn assign(&mut self, write: Write) -> Hom {
        self.assign_all(&[write])
    }

    /// Stores values at once: all expressions are evaluated before anything is stored. Where two
    /// targets are the same cell the later one wins.
    pub fn assign_all(&mut self, writes: &[Write]) -> Hom {
        let mut list: Vec<Write> = Vec::with_capacity(writes.len());
        for write in writes {
            list.push(self.resolved(*write));
        }
        let silent = |w: &Write| w.statement == NO_STATEMENT;
        if list.iter().any(|w| silent(w) && self.is_impossible(w)) {
            return Hom::ZERO;
        }
        let idle = |w: &Write| match w.target {
            Target::Variable(x) => {
                let free = w.low == i32::MIN && w.high == i32::MAX;
                free && self.pool.form(w.value) == Form::Read(x)
            }
            Target::Element(..) => false,
        };
        // Among several, storing the old value may undo an earlier write to the same cell.
        let alone = |w: &Write, list: &[Write]| {
            let others = list.iter().filter(|o| *o != w);
            others.fold(true, |ok, o| {
                ok && o.target != w.target && matches!(o.target, Target::Variable(_))
            })
        };
        let before = list.clone();
        list.retain(|w| !idle(w) || !alone(w, &before));
        if let [write] = list[..] {
            if let Some(step) = self.step_of(&write) {
                return self.step(step);
            }
        }
        if list.is_empty() {
            return Hom::ID;
        }
        let (number, _) = self.assignments.add(list.into());
        self.intern(Term::Assign(number))
    }

    /// The write with an element of a constant index replaced by its variable.
    fn resolved(&mut self, mut write: Write) -> Write {
        if let Target::Element(array, index) = write.target {
            if let Some(Some(k)) = self.pool.constant_value(index) {
                if let Some(x) = self.pool.cell(array, k) {
                    write.target = Target::Variable(x);
                }
            }
        }
        write
    }

    fn is_impossible(&self, write: &Write) -> bool {
        let index = match write.target {
            Target::Variable(_) => false,
            Target::Element(_, index) => self.pool.constant_value(index).is_some(),
        };
        index || self.pool.form(write.value) == Form::Bottom
    }

    fn step_of(&self, write: &Write) -> Option<Step> {
        let Target::Variable(variable) = write.target else {
            return None;
        };
        let (keep, amount) = match self.pool.form(write.value) {
            Form::Constant(k) => (0, k),
            Form::Read(x) if x == variable => (-1, 0),
            Form::Offset(k, rest) if self.pool.form(rest) == Form::Read(variable) => (-1, k),
            _ => return None,
        };
        Some(Step {
            variable,
            interval: Interval::FULL,
            keep,
            amount,
            low: write.low,
            high: write.high,
            statement: write.statement,
        })
    }

    /// Exchanges the values of two variables.
    pub fn swap(&mut self, x: u32, y: u32) -> Hom {
        let (a, b) = (self.pool.read(x), self.pool.read(y));
        self.assign_all(&[
            Write::new(Target::Variable(x), b),
            Write::new(Target::Variable(y), a),
        ])
    }

    // ----- hierarchy ----------------------------------------------------------------------------

    /// Maps the labels of a set-labelled variable by `h`, which must be linear.
    pub fn local(&mut self, h: Hom, variable: u32) -> Hom {
        match h {
            Hom::ZERO | Hom::ID => h,
            _ => self.intern(Term::Local(h, variable)),
        }
    }

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

    /// `f` after `g`.
    pub fn compose(&mut self, f: Hom, g: Hom) -> Hom {
        if f == Hom::ZERO || g == Hom::ZERO {
            return Hom::ZERO;
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
                return Some(fused);
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

    // ----- selectors ----------------------------------------------------------------------------

    fn expect_selector(&self, s: Hom) -> Result<(), Misuse> {
        if self.is_selector(s) {
            Ok(())
        } else {
            Err(Misuse::NotASelector)
        }
    }

    /// `d - s(d)`, for a selector.
    pub fn not(&mut self, s: Hom) -> Result<Hom, Misuse> {
        self.expect_selector(s)?;
        Ok(self.negated(s))
    }

    fn negated(&mut self, s: Hom) -> Hom {
        match self.term(s) {
            Term::Zero => Hom::ID,
            Term::Id => Hom::ZERO,
            Term::Not(inner) => inner,
            Term::Pred(condition) => {
                let fails = self.pool.fails(condition);
                self.pred(fails)
            }
            Term::Step(step) => match step.interval.complement() {
                Some(interval) => self.step(Step { interval, ..step }),
                None => Hom::ZERO,
            },
            Term::Meet(c) => self.intern(Term::Minus(c)),
            Term::Minus(c) => self.intern(Term::Meet(c)),
            Term::Local(inner, variable) => {
                let inner = self.negated(inner);
                self.local(inner, variable)
            }
            Term::And(a, b) | Term::Compose(a, b) => {
                let (a, b) = (self.negated(a), self.negated(b));
                self.sum(&[a, b])
            }
            Term::Sum(..) => {
                let (terms, _) = self.summands(&[s]);
                terms.into_iter().fold(Hom::ID, |all, term| {
                    let term = self.negated(term);
                    self.compose(term, all)
                })
            }
            _ => self.intern(Term::Not(s)),
        }
    }

    /// `t` where the selector holds, `f` elsewhere.
    pub fn if_then_else(&mut self, s: Hom, t: Hom, f: Hom) -> Result<Hom, Misuse> {
        let otherwise = self.not(s)?;
        let (t, f) = (self.compose(t, s), self.compose(f, otherwise));
        Ok(self.sum(&[t, f]))
    }

    /// `h(d) * h'(d)`; one must be a selector, or the identity. Linear only if both are selectors:
    /// otherwise an operator on sets, which is evaluated on the whole of its argument (ITS
    /// specification, 2.2).
    pub fn intersection(&mut self, a: Hom, b: Hom) -> Result<Hom, Misuse> {
        if self.is_selector(a) && self.is_selector(b) {
            return Ok(self.compose(a, b));
        }
        if a == Hom::ZERO || b == Hom::ZERO {
            return Ok(Hom::ZERO);
        }
        if !self.is_selector(a) && !self.is_selector(b) {
            return Err(Misuse::NotASelector);
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        Ok(self.intern(Term::Both(a, b)))
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
