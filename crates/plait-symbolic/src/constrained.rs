//! Saturation under a constraint, forward and backward.
//!
//! After Zhao and Ciardo, Symbolic CTL model checking of asynchronous systems using constrained
//! saturation (ATVA 2009). The closure of a set under steps *into* a constraint is what `E[p U q]`
//! asks for (backward from `q`, into `p`). A test of every image against the constraint would destroy
//! locality; here the constraint is walked down together with the set, so that each level looks at its
//! own part of it, and nodes are closed from the bottom up as in `crate::saturation`.
//!
//! Invariant: what `fire` and `close` give at level `k` for the constraint `a` is closed, within `a`, under all
//! events whose top is at most `k`. A union of such sets is such a set.
//!
//! The constraint [`EVERYTHING`] leaves all states: then this is plain saturation.

use plait_dd::stack::deep;
use plait_dd::{Manager, Node, Operation, Root, Stop};

use crate::inverse::{Direction, Moves, Tables};
use crate::relation::{Group, Relation, END};

/// The constraint that all states satisfy.
pub(crate) const EVERYTHING: Node = Node::ONE;

/// What is done with a tail, or with all events: the parts of the range of keys.
const FIRE: u32 = 0;
const IMAGE: u32 = 1;

/// Closing sets under some events in one direction.
pub(crate) struct Constrained<'a> {
    pub relation: &'a mut Relation,
    pub tables: &'a Tables,
    pub moves: &'a Moves,
}

impl Moves {
    /// All events, or those with these tails.
    pub fn new(
        dd: &mut Manager,
        relation: &Relation,
        direction: Direction,
        only: Option<&[u32]>,
    ) -> Moves {
        let copy = |group: &Group, k: usize| {
            let functions = group.functions.iter().copied();
            let functions: Vec<u32> = functions
                .filter(|f| {
                    only.is_none_or(|tails| {
                        tails.iter().any(|t| {
                            let link = relation.tails[*t as usize];
                            (link.level as usize, link.function, link.next) == (k, *f, group.tail)
                        })
                    })
                })
                .collect();
            (!functions.is_empty()).then_some(Group {
                tail: group.tail,
                functions,
            })
        };
        let levels = || relation.levels.iter().enumerate();
        let groups = levels().map(|(k, l)| l.groups.iter().filter_map(|g| copy(g, k)).collect());
        let tests = levels().map(|(k, l)| l.tests.iter().filter_map(|g| copy(g, k)).collect());
        Moves {
            direction,
            groups: groups.collect(),
            tests: tests.collect(),
            first_key: dd.reserve_keys(2 * relation.tails.len() as u32 + 2),
        }
    }
}

/// The part of a constraint below a label.
#[inline]
fn below(dd: &Manager, constraint: Node, label: u32) -> Node {
    if constraint == EVERYTHING {
        EVERYTHING
    } else {
        dd.child(constraint, label as i32)
    }
}

/// Adds a set under a label of the open node; whether that was new.
#[inline]
fn put(dd: &mut Manager, k: usize, label: u32, set: Node) -> Result<bool, Stop> {
    if set.is_zero() {
        return Ok(false);
    }
    let before = dd.open_get(k, label);
    let after = dd.union(before, set)?;
    if after == before {
        return Ok(false);
    }
    dd.open_set(k, label, after);
    Ok(true)
}

impl Constrained<'_> {
    fn key(&self, part: u32, tail: u32) -> Operation {
        let tails = self.relation.tails.len() as u32;
        Operation::paired(self.moves.first_key + part * tails + tail)
    }

    /// Of the two operations on all events: closing, and one step.
    fn whole(&self, part: u32) -> Operation {
        let tails = self.relation.tails.len() as u32;
        Operation::paired(self.moves.first_key + 2 * tails + part)
    }

    fn outermost(
        &mut self,
        dd: &mut Manager,
        operands: [Node; 2],
        run: impl FnOnce(&mut Self, &mut Manager) -> Result<Node, Stop>,
    ) -> Result<Root, Stop> {
        let kept = dd.pushed();
        operands.into_iter().for_each(|n| dd.push(n));
        let result = run(self, dd);
        dd.pop(kept);
        self.relation.settle(dd, result.is_err());
        result.map(|states| dd.root(states))
    }

    /// The set, and all that steps into the constraint lead to from it.
    pub fn closure(&mut self, dd: &mut Manager, constraint: Node, set: Node) -> Result<Root, Stop> {
        let top = self.relation.levels();
        self.outermost(dd, [constraint, set], |me, dd| {
            me.close(dd, top, constraint, set)
        })
    }

    /// The states of the constraint that one step leads to from the set, also one that changes nothing.
    pub fn step(&mut self, dd: &mut Manager, constraint: Node, set: Node) -> Result<Root, Stop> {
        let top = self.relation.levels();
        self.outermost(dd, [constraint, set], |me, dd| {
            let moved = me.step_at(dd, top, constraint, set)?;
            if me.relation.always_enabled == 0 {
                return Ok(moved);
            }
            dd.push(moved);
            let same = me.within(dd, constraint, set)?;
            dd.union(moved, same)
        })
    }

    /// The states of the constraint that the event with this tail leads to from the set.
    pub fn event(
        &mut self,
        dd: &mut Manager,
        tail: u32,
        constraint: Node,
        set: Node,
    ) -> Result<Root, Stop> {
        let top = self.relation.levels();
        self.outermost(dd, [constraint, set], |me, dd| {
            me.image(dd, tail, top, constraint, set)
        })
    }

    fn within(&self, dd: &mut Manager, constraint: Node, set: Node) -> Result<Node, Stop> {
        if constraint == EVERYTHING {
            Ok(set)
        } else {
            dd.intersection(set, constraint)
        }
    }

    // ----- closing ------------------------------------------------------------------------------

    fn close(&mut self, dd: &mut Manager, k: usize, a: Node, set: Node) -> Result<Node, Stop> {
        // Nothing can be added where the constraint is empty.
        if set.is_terminal() || a.is_zero() {
            return Ok(set);
        }
        let key = self.whole(0);
        if let Some(result) = dd.cached_pair(key, a, set) {
            return Ok(result);
        }
        dd.step()?;
        let result = deep(|| {
            for at in 0..dd.len(set) {
                let edge = dd.edge(set, at);
                let label = edge.value() as u32;
                let child = self.close(dd, k - 1, below(dd, a, label), edge.child)?;
                dd.open_set(k, label, child);
            }
            self.saturate(dd, k, a)?;
            dd.open_close(k, k as u32)
        })?;
        dd.cache_pair(key, a, set, result);
        if self.relation.in_rounds {
            dd.cache_pair(key, a, result, result);
        }
        Ok(result)
    }

    /// Closes the open node of level `k`, whose children are closed.
    fn saturate(&mut self, dd: &mut Manager, k: usize, a: Node) -> Result<(), Stop> {
        if self.moves.groups[k].is_empty() {
            return Ok(());
        }
        for at in (0..dd.open_len(k)).rev() {
            self.relation.enqueue(k, dd.open_label(k, at));
        }
        if self.relation.in_rounds {
            return self.saturate_in_rounds(dd, k, a);
        }
        while let Some(label) = self.relation.levels[k].queue.pop() {
            self.relation.levels[k].queued[label as usize] = false;
            dd.step()?;
            let moves = self.moves;
            for group in &moves.groups[k] {
                for function in &group.functions {
                    self.fire_in_open(dd, k, a, label, (group.tail, *function))?;
                }
            }
        }
        Ok(())
    }

    /// The same in rounds (`crate::rounds`), as the states were found.
    fn saturate_in_rounds(&mut self, dd: &mut Manager, k: usize, a: Node) -> Result<(), Stop> {
        let found = self.relation.found(k);
        let mut labels = Vec::new();
        while !self.relation.levels[k].queue.is_empty() {
            std::mem::swap(&mut labels, &mut self.relation.levels[k].queue);
            for label in labels.drain(..) {
                self.relation.levels[k].queued[label as usize] = false;
                dd.step()?;
                self.collect_images(dd, k, a, label)?;
            }
            for at in 0..dd.open_len(found) {
                let label = dd.open_label(found, at);
                let before = dd.open_get(k, label);
                let sum = dd.union(before, dd.open_get(found, label))?;
                if sum != before {
                    dd.open_set(found, label, sum);
                    let closed = self.close(dd, k - 1, below(dd, a, label), sum)?;
                    dd.open_set(k, label, closed);
                    self.relation.enqueue(k, label);
                }
            }
            dd.open_clear(found);
        }
        Ok(())
    }

    /// Adds what the events of a level make of one label of the open node to what is found.
    fn collect_images(
        &mut self,
        dd: &mut Manager,
        k: usize,
        a: Node,
        label: u32,
    ) -> Result<(), Stop> {
        let (tables, moves) = (self.tables, self.moves);
        let found = self.relation.found(k);
        let child = dd.open_get(k, label);
        for group in &moves.groups[k] {
            for function in &group.functions {
                for target in tables.targets(moves.direction, k, label, *function) {
                    let inside = below(dd, a, *target);
                    let image = self.image(dd, group.tail, k - 1, inside, child)?;
                    put(dd, found, *target, image)?;
                }
            }
        }
        Ok(())
    }

    /// Fires an event on one label of the open node.
    fn fire_in_open(
        &mut self,
        dd: &mut Manager,
        k: usize,
        a: Node,
        label: u32,
        (tail, function): (u32, u32),
    ) -> Result<(), Stop> {
        let tables = self.tables;
        let here = below(dd, a, label);
        for target in tables.targets(self.moves.direction, k, label, function) {
            let inside = below(dd, a, *target);
            if inside.is_zero() {
                continue;
            }
            let child = dd.open_get(k, label);
            let image = self.fire(dd, tail, k - 1, (here, inside), child)?;
            if put(dd, k, *target, image)? {
                self.relation.enqueue(k, *target);
            }
        }
        Ok(())
    }

    /// The closure of what a tail makes of a set that is closed within the constraint `here`; all of it
    /// inside the constraint `a`.
    fn fire(
        &mut self,
        dd: &mut Manager,
        tail: u32,
        k: usize,
        (here, a): (Node, Node),
        set: Node,
    ) -> Result<Node, Stop> {
        if tail == END {
            let inside = self.within(dd, a, set)?;
            if here == a {
                return Ok(inside);
            }
            let kept = dd.pushed();
            dd.push(inside);
            let closed = self.close(dd, k, a, inside)?;
            dd.pop(kept);
            return Ok(closed);
        }
        let key = self.key(FIRE, tail);
        if let Some(result) = dd.cached_pair(key, a, set) {
            return Ok(result);
        }
        dd.step()?;
        let result = deep(|| {
            self.image_in_open(
                dd,
                tail,
                k,
                a,
                set,
                |me, dd, tail, k, label, a_below, child| {
                    let here = below(dd, here, label);
                    me.fire(dd, tail, k, (here, a_below), child)
                },
            )?;
            if dd.open_len(k) == 0 {
                return Ok(Node::ZERO);
            }
            self.saturate(dd, k, a)?;
            dd.open_close(k, k as u32)
        })?;
        dd.cache_pair(key, a, set, result);
        Ok(result)
    }

    // ----- one step -----------------------------------------------------------------------------

    /// One step of the events with top at most `k`: children first, so that an event is looked at in
    /// the levels that it spans and nowhere above.
    fn step_at(&mut self, dd: &mut Manager, k: usize, a: Node, set: Node) -> Result<Node, Stop> {
        if set.is_terminal() || a.is_zero() {
            return Ok(Node::ZERO);
        }
        let key = self.whole(1);
        if let Some(result) = dd.cached_pair(key, a, set) {
            return Ok(result);
        }
        dd.step()?;
        let result = deep(|| {
            for at in 0..dd.len(set) {
                let edge = dd.edge(set, at);
                let label = edge.value() as u32;
                let child = self.step_at(dd, k - 1, below(dd, a, label), edge.child)?;
                put(dd, k, label, child)?;
                self.step_from(dd, k, a, label, edge.child)?;
            }
            dd.open_close(k, k as u32)
        })?;
        dd.cache_pair(key, a, set, result);
        Ok(result)
    }

    /// Adds one step of the events with top `k` from one edge to the open node.
    fn step_from(
        &mut self,
        dd: &mut Manager,
        k: usize,
        a: Node,
        label: u32,
        child: Node,
    ) -> Result<(), Stop> {
        let (tables, moves) = (self.tables, self.moves);
        for group in moves.groups[k].iter().chain(&moves.tests[k]) {
            for function in &group.functions {
                for target in tables.targets(moves.direction, k, label, *function) {
                    let inside = below(dd, a, *target);
                    let image = self.image(dd, group.tail, k - 1, inside, child)?;
                    put(dd, k, *target, image)?;
                }
            }
        }
        Ok(())
    }

    /// What the event with this tail makes of a set, inside the constraint.
    fn image(
        &mut self,
        dd: &mut Manager,
        tail: u32,
        k: usize,
        a: Node,
        set: Node,
    ) -> Result<Node, Stop> {
        if a.is_zero() || set.is_zero() {
            return Ok(Node::ZERO);
        }
        if tail == END {
            return self.within(dd, a, set);
        }
        let key = self.key(IMAGE, tail);
        if let Some(result) = dd.cached_pair(key, a, set) {
            return Ok(result);
        }
        dd.step()?;
        let result = deep(|| {
            self.image_in_open(dd, tail, k, a, set, |me, dd, tail, k, _, a, child| {
                me.image(dd, tail, k, a, child)
            })?;
            dd.open_close(k, k as u32)
        })?;
        dd.cache_pair(key, a, set, result);
        Ok(result)
    }

    /// Writes the image of a set under a tail into the open node of level `k`; `image` gives images of
    /// children, of a tail, below a label, inside a part of the constraint.
    #[inline(always)]
    fn image_in_open(
        &mut self,
        dd: &mut Manager,
        tail: u32,
        k: usize,
        a: Node,
        set: Node,
        image: impl Fn(&mut Self, &mut Manager, u32, usize, u32, Node, Node) -> Result<Node, Stop>,
    ) -> Result<(), Stop> {
        let link = self.relation.tails[tail as usize];
        let (tables, direction) = (self.tables, self.moves.direction);
        for at in 0..dd.len(set) {
            let edge = dd.edge(set, at);
            let label = edge.value() as u32;
            if link.level as usize != k {
                let inside = below(dd, a, label);
                if !inside.is_zero() {
                    let found = image(self, dd, tail, k - 1, label, inside, edge.child)?;
                    if !found.is_zero() {
                        dd.open_set(k, label, found);
                    }
                }
                continue;
            }
            for target in tables.targets(direction, k, label, link.function) {
                let inside = below(dd, a, *target);
                if inside.is_zero() {
                    continue;
                }
                let found = image(self, dd, link.next, k - 1, label, inside, edge.child)?;
                put(dd, k, *target, found)?;
            }
        }
        Ok(())
    }
}
