//! Union, intersection, difference, inclusion and concatenation.
//!
//! On integer-labelled nodes each is a merge of two sorted lists of edges. A result that equals an
//! operand is recognised during the merge, without a look into the unique table. Set-labelled nodes
//! are in `square`. Results are cached under (operation, operands), commutative ones with the operands
//! in order of number.

use std::cmp::Ordering;

use crate::budget::Stop;
use crate::cache::Operation;
use crate::manager::Manager;
use crate::node::{Edge, Head, Kind, Node};
use crate::stack::deep;

impl Manager {
    /// The sequences in either.
    #[inline]
    pub fn union(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        if a == b || b.is_zero() {
            return Ok(a);
        }
        if a.is_zero() {
            return Ok(b);
        }
        self.outermost(&[a, b], |m| m.join(a, b))
    }

    /// The sequences in any.
    pub fn union_all(&mut self, sets: &[Node]) -> Result<Node, Stop> {
        self.outermost(sets, |m| m.join_all(sets))
    }

    /// The sequences in both.
    pub fn intersection(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        self.outermost(&[a, b], |m| m.meet(a, b))
    }

    /// The sequences in `a` but not in `b`.
    pub fn difference(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        self.outermost(&[a, b], |m| m.minus(a, b))
    }

    /// Whether all sequences of `a` are in `b`.
    pub fn is_subset(&mut self, a: Node, b: Node) -> Result<bool, Stop> {
        self.outermost(&[a, b], |m| m.within(a, b))
    }

    /// The sequences of `a`, each followed by each of `b`.
    pub fn concatenation(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        self.outermost(&[a, b], |m| m.then(a, b))
    }

    // ----- union --------------------------------------------------------------------------------

    pub(crate) fn join(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        if a == b || b.is_zero() {
            return Ok(a);
        }
        if a.is_zero() {
            return Ok(b);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if let Some(result) = self.cache.get(Operation::UNION, a.0, b.0) {
            return Ok(Node(result));
        }
        self.step()?;
        let head = self.store.head(a);
        if head != self.store.head(b) {
            return Err(Stop::Incompatible);
        }
        let result = match head.kind() {
            Kind::Integer => deep(|| self.join_integer(head, a, b))?,
            _ => deep(|| self.join_set(head, &[a, b]))?,
        };
        self.cache.put(Operation::UNION, a.0, b.0, result.0);
        Ok(result)
    }

    pub(crate) fn join_all(&mut self, sets: &[Node]) -> Result<Node, Stop> {
        let mut rest: Vec<Node> = sets.iter().copied().filter(|n| !n.is_zero()).collect();
        rest.sort_unstable();
        rest.dedup();
        match rest[..] {
            [] => return Ok(Node::ZERO),
            [a] => return Ok(a),
            [a, b] => return self.join(a, b),
            _ => {}
        }
        let head = self.store.head(rest[0]);
        if head.kind() == Kind::Set {
            if rest.iter().any(|n| self.store.head(*n) != head) {
                return Err(Stop::Incompatible);
            }
            return deep(|| self.join_set(head, &rest));
        }
        // In pairs: the operands of each union are of like size.
        let kept = self.pushed();
        while rest.len() > 1 {
            let mut next = Vec::with_capacity(rest.len().div_ceil(2));
            for pair in rest.chunks(2) {
                let united = self.join(pair[0], *pair.last().unwrap_or(&pair[0]))?;
                self.push(united);
                next.push(united);
            }
            rest = next;
        }
        self.pop(kept);
        Ok(rest[0])
    }

    fn join_integer(&mut self, head: Head, a: Node, b: Node) -> Result<Node, Stop> {
        let base = self.scratch.len();
        let (a_len, b_len) = (self.store.len(a), self.store.len(b));
        self.room_in_scratch(a_len + b_len)?;
        let (mut a_start, mut b_start) = (self.store.offset(a), self.store.offset(b));
        let (mut i, mut j) = (0, 0);
        let (mut is_a, mut is_b) = (true, true);
        while i < a_len && j < b_len {
            let (x, y) = (self.store.at(a_start + i), self.store.at(b_start + j));
            match x.value().cmp(&y.value()) {
                Ordering::Less => {
                    self.scratch.push(x);
                    is_b = false;
                    i += 1;
                }
                Ordering::Greater => {
                    self.scratch.push(y);
                    is_a = false;
                    j += 1;
                }
                Ordering::Equal => {
                    let mut child = x.child;
                    if x.child != y.child {
                        child = self.join(x.child, y.child)?;
                        a_start = self.store.offset(a);
                        b_start = self.store.offset(b);
                        is_a &= child == x.child;
                        is_b &= child == y.child;
                    }
                    let label = x.label;
                    self.scratch.push(Edge { label, child });
                    i += 1;
                    j += 1;
                }
            }
        }
        is_b &= i == a_len;
        is_a &= j == b_len;
        if is_a || is_b {
            self.scratch.truncate(base);
            return Ok(if is_a { a } else { b });
        }
        self.scratch.extend_from_slice(&self.store.edges(a)[i..]);
        self.scratch.extend_from_slice(&self.store.edges(b)[j..]);
        self.finish(head, base)
    }

    // ----- intersection -------------------------------------------------------------------------

    pub(crate) fn meet(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        if a == b {
            return Ok(a);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let head = self.store.head(a);
        if a.is_terminal() || head != self.store.head(b) {
            return Ok(Node::ZERO);
        }
        if let Some(result) = self.cache.get(Operation::INTERSECTION, a.0, b.0) {
            return Ok(Node(result));
        }
        self.step()?;
        let result = match head.kind() {
            Kind::Integer => deep(|| self.meet_integer(head, a, b))?,
            _ => deep(|| self.meet_set(head, a, b))?,
        };
        self.cache.put(Operation::INTERSECTION, a.0, b.0, result.0);
        Ok(result)
    }

    fn meet_integer(&mut self, head: Head, a: Node, b: Node) -> Result<Node, Stop> {
        let base = self.scratch.len();
        let (a_len, b_len) = (self.store.len(a), self.store.len(b));
        self.room_in_scratch(a_len.min(b_len))?;
        let (mut i, mut j) = (0, 0);
        let (mut is_a, mut is_b) = (true, true);
        while i < a_len && j < b_len {
            let (x, y) = (self.edge(a, i), self.edge(b, j));
            match x.value().cmp(&y.value()) {
                Ordering::Less => i += 1,
                Ordering::Greater => j += 1,
                Ordering::Equal => {
                    let child = self.meet(x.child, y.child)?;
                    is_a &= child == x.child;
                    is_b &= child == y.child;
                    if !child.is_zero() {
                        let label = x.label;
                        self.scratch.push(Edge { label, child });
                    }
                    i += 1;
                    j += 1;
                }
            }
        }
        let len = self.scratch.len() - base;
        self.finish_like(
            head,
            base,
            [(a, is_a && len == a_len), (b, is_b && len == b_len)],
        )
    }

    // ----- difference ---------------------------------------------------------------------------

    pub(crate) fn minus(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        if a == b || a.is_zero() {
            return Ok(Node::ZERO);
        }
        let head = self.store.head(a);
        if b.is_zero() || head != self.store.head(b) {
            return Ok(a);
        }
        if let Some(result) = self.cache.get(Operation::DIFFERENCE, a.0, b.0) {
            return Ok(Node(result));
        }
        self.step()?;
        let result = match head.kind() {
            Kind::Integer => deep(|| self.minus_integer(head, a, b))?,
            _ => deep(|| self.minus_set(head, a, b))?,
        };
        self.cache.put(Operation::DIFFERENCE, a.0, b.0, result.0);
        Ok(result)
    }

    fn minus_integer(&mut self, head: Head, a: Node, b: Node) -> Result<Node, Stop> {
        let base = self.scratch.len();
        let (a_len, b_len) = (self.store.len(a), self.store.len(b));
        self.room_in_scratch(a_len)?;
        let mut j = 0;
        let mut is_a = true;
        for i in 0..a_len {
            let x = self.edge(a, i);
            while j < b_len && self.edge(b, j).value() < x.value() {
                j += 1;
            }
            let mut child = x.child;
            if j < b_len && self.edge(b, j).label == x.label {
                child = self.minus(x.child, self.edge(b, j).child)?;
                is_a &= child == x.child;
            }
            if !child.is_zero() {
                let label = x.label;
                self.scratch.push(Edge { label, child });
            }
        }
        self.finish_like(head, base, [(a, is_a), (b, false)])
    }

    /// The node on the scratch stack, known to equal one of the operands when its flag is set.
    fn finish_like(
        &mut self,
        head: Head,
        base: usize,
        operands: [(Node, bool); 2],
    ) -> Result<Node, Stop> {
        for (node, same) in operands {
            if same {
                self.scratch.truncate(base);
                return Ok(node);
            }
        }
        self.finish(head, base)
    }

    // ----- inclusion ----------------------------------------------------------------------------

    fn within(&mut self, a: Node, b: Node) -> Result<bool, Stop> {
        if a == b || a.is_zero() {
            return Ok(true);
        }
        let head = self.store.head(a);
        if b.is_zero() || head != self.store.head(b) {
            return Ok(false);
        }
        if head.kind() == Kind::Set {
            return Ok(self.minus(a, b)?.is_zero());
        }
        if self.store.len(a) > self.store.len(b) {
            return Ok(false);
        }
        if let Some(result) = self.cache.get(Operation::SUBSET, a.0, b.0) {
            return Ok(result == 1);
        }
        self.step()?;
        let result = deep(|| self.within_integer(a, b))?;
        self.cache
            .put(Operation::SUBSET, a.0, b.0, u32::from(result));
        Ok(result)
    }

    fn within_integer(&mut self, a: Node, b: Node) -> Result<bool, Stop> {
        let mut j = 0;
        for i in 0..self.store.len(a) {
            let x = self.edge(a, i);
            while j < self.store.len(b) && self.edge(b, j).value() < x.value() {
                j += 1;
            }
            if j == self.store.len(b)
                || self.edge(b, j).label != x.label
                || !self.within(x.child, self.edge(b, j).child)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    // ----- concatenation ------------------------------------------------------------------------

    pub(crate) fn then(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        if a.is_zero() || b.is_zero() {
            return Ok(Node::ZERO);
        }
        if a == Node::ONE {
            return Ok(b);
        }
        if b == Node::ONE {
            return Ok(a);
        }
        if let Some(result) = self.cache.get(Operation::CONCATENATION, a.0, b.0) {
            return Ok(Node(result));
        }
        self.step()?;
        let head = self.store.head(a);
        let result = match head.kind() {
            Kind::Integer => deep(|| self.then_integer(head, a, b))?,
            _ => deep(|| self.then_set(head, a, b))?,
        };
        self.cache.put(Operation::CONCATENATION, a.0, b.0, result.0);
        Ok(result)
    }

    fn then_integer(&mut self, head: Head, a: Node, b: Node) -> Result<Node, Stop> {
        let base = self.scratch.len();
        self.room_in_scratch(self.store.len(a))?;
        for i in 0..self.store.len(a) {
            let Edge { label, child } = self.edge(a, i);
            let child = self.then(child, b)?;
            self.scratch.push(Edge { label, child });
        }
        self.finish(head, base)
    }
}
