//! What a homomorphism makes of one edge.
//!
//! At a node of variable `w`, a linear homomorphism `h` is known by what it makes of single edges:
//! `h(w -v-> d)` is the union of some `w -v'-> r(d')`. Most of the time neither `v'` nor the *residue*
//! `r` depends on `d`; then the list of pairs `(v', r)` is the *row* of `(h, v)`, found once. Otherwise
//! (an index that reads lower variables may mean `w`, or the value for `w` does) `d` must be split
//! first: the row is *complex*, and [`Homs::expand`] does it for the given `d`. And a chain of free
//! choices may make so many pairs that nobody should keep them in a list: such a row is *wide*, and
//! one link of the chain after the other is applied to the edge as a set.
//!
//! **Faults and undefined values.** A composition `f o g` at an edge is the residue of `g`, not yet
//! applied, under which `f` is looked at. An assignment in `f` that would leave its domain is a fault
//! only if some path comes through `g`: before anything is reported, the residue is applied to the
//! child, and only what is left of it counts. That is why hoisting a selector, which is what evaluation
//! at the top variable amounts to, never invents a fault. And since terms with effects commute with
//! nothing that can drop a path (`commute`), and what leads nowhere is kept as a term after a residue
//! with effects (`nothing_after`), no fault is lost to a selector that stands after it.

use plait_dd::{Edge, Manager, Node};

use super::split::classes;
use super::term::{Hom, Target, Term, Write, NO_STATEMENT};
use super::{Halt, Homs};

/// What a homomorphism makes of an edge with a given label, whatever is below it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Row {
    /// Nothing.
    Dead,
    /// One label and residue.
    One(i32, Hom),
    /// Several, from a place in the list of pairs on.
    Many(u32, u32),
    /// It depends on what is below.
    Complex,
    /// Too many of them to keep.
    Wide,
}

/// The most pairs that a composition puts into a row.
const MOST_PAIRS: usize = 1 << 12;

/// A label, a residue, and the set that it is to be applied to.
pub(super) type Piece = (i32, Hom, Node);

impl Homs {
    /// The row of a homomorphism whose top is at most `w`.
    #[inline]
    pub(super) fn row(&mut self, h: Hom, w: u32, v: i32) -> Row {
        if self.top(h) < w {
            return Row::One(v, h);
        }
        match self.term(h) {
            Term::Step(step) => {
                if !step.interval.contains(v) {
                    return Row::Dead;
                }
                let value = step.apply(v);
                if step.admits(value) {
                    Row::One(value, Hom::ID)
                } else {
                    Row::Complex
                }
            }
            Term::And(first, rest) if self.top(rest) < w => match self.row(first, w, v) {
                Row::One(value, Hom::ID) => Row::One(value, rest),
                Row::Dead => Row::Dead,
                _ => self.stored_row(h, w, v),
            },
            _ => self.stored_row(h, w, v),
        }
    }

    fn stored_row(&mut self, h: Hom, w: u32, v: i32) -> Row {
        if let Some(row) = self.rows.get(&(h, v)) {
            return *row;
        }
        let row = plait_dd::stack::deep(|| self.new_row(h, w, v));
        self.rows.insert((h, v), row);
        row
    }

    fn new_row(&mut self, h: Hom, w: u32, v: i32) -> Row {
        if !self.facts(h).edgewise {
            return Row::Complex;
        }
        match self.term(h) {
            Term::And(a, b) => self.row_in_turn(a, b, w, v),
            Term::Compose(f, g) => self.row_in_turn(g, f, w, v),
            Term::Sum(a, b) => {
                let (a, b) = (self.row(a, w, v), self.row(b, w, v));
                self.row_of_both(a, b)
            }
            Term::Pred(e) => {
                let e = self.pool.substitute(e, w, v);
                if self.pool.top(e) == w {
                    return Row::Complex;
                }
                match self.pred(e) {
                    Hom::ZERO => Row::Dead,
                    rest => Row::One(v, rest),
                }
            }
            Term::Assign(number) => {
                let writes = self.assignments.get(number).clone();
                self.row_of_writes(&writes, w, v)
            }
            Term::Table(number) => {
                let table = self.tables.get(number).1.clone();
                let start = table.partition_point(|p| p.0 < v);
                let images = table[start..].iter().take_while(|p| p.0 == v);
                let pairs: Vec<_> = images.map(|p| (p.1, Hom::ID)).collect();
                self.row_of_pairs(&pairs)
            }
            _ => Row::Complex,
        }
    }

    pub(super) fn pairs(&self, row: Row) -> Vec<(i32, Hom)> {
        match row {
            Row::Dead | Row::Complex | Row::Wide => Vec::new(),
            Row::One(value, rest) => vec![(value, rest)],
            Row::Many(start, len) => self.row_pairs[start as usize..][..len as usize].to_vec(),
        }
    }

    /// The pairs of a row that is applied after something else; of a dead one, what leads nowhere:
    /// what comes before it may find a fault.
    fn pairs_or_nothing(&self, row: Row, value: i32) -> Vec<(i32, Hom)> {
        match row {
            Row::Dead => vec![(value, Hom::ZERO)],
            _ => self.pairs(row),
        }
    }

    fn row_of_pairs(&mut self, pairs: &[(i32, Hom)]) -> Row {
        match *pairs {
            [] => Row::Dead,
            [(value, rest)] => Row::One(value, rest),
            _ => {
                let start = self.row_pairs.len() as u32;
                self.row_pairs.extend_from_slice(pairs);
                Row::Many(start, pairs.len() as u32)
            }
        }
    }

    fn row_of_both(&mut self, a: Row, b: Row) -> Row {
        match (a, b) {
            (Row::Complex, _) | (_, Row::Complex) => Row::Complex,
            (Row::Wide, _) | (_, Row::Wide) => Row::Wide,
            (Row::Dead, row) | (row, Row::Dead) => row,
            _ => {
                let mut pairs = self.pairs(a);
                pairs.extend(self.pairs(b));
                pairs.sort_unstable();
                pairs.dedup();
                self.row_of_pairs(&pairs)
            }
        }
    }

    /// The row of `second` after `first`.
    fn row_in_turn(&mut self, first: Hom, second: Hom, w: u32, v: i32) -> Row {
        let row = self.row(first, w, v);
        if matches!(row, Row::Complex | Row::Wide) {
            return row;
        }
        let mut all = Vec::new();
        for (value, residue) in self.pairs(row) {
            let row = self.row(second, w, value);
            if matches!(row, Row::Complex | Row::Wide) {
                return row;
            }
            for (value, rest) in self.pairs_or_nothing(row, value) {
                let rest = self.compose(rest, residue);
                if rest != Hom::ZERO {
                    all.push((value, rest));
                }
            }
            if all.len() > 2 * MOST_PAIRS {
                all.sort_unstable();
                all.dedup();
                if all.len() > MOST_PAIRS {
                    return Row::Wide;
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        self.row_of_pairs(&all)
    }

    /// The writes with `w` known to be `v`.
    fn substituted(&mut self, writes: &[Write], w: u32, v: i32) -> Vec<Write> {
        let mut list = writes.to_vec();
        for write in &mut list {
            write.value = self.pool.substitute(write.value, w, v);
            if let Target::Element(array, index) = write.target {
                let index = self.pool.substitute(index, w, v);
                write.target = Target::Element(array, index);
                if let Some(Some(k)) = self.pool.constant_value(index) {
                    if let Some(x) = self.pool.cell(array, k) {
                        write.target = Target::Variable(x);
                    }
                }
            }
        }
        list
    }

    fn row_of_writes(&mut self, writes: &[Write], w: u32, v: i32) -> Row {
        let mut list = self.substituted(writes, w, v);
        let mut value = v;
        for write in &list {
            let constant = self.pool.constant_value(write.value);
            if constant == Some(None) {
                return Row::Complex;
            }
            if self.pool.top(write.value) == w {
                return Row::Complex;
            }
            match write.target {
                Target::Variable(x) if x == w => match constant {
                    Some(Some(k)) if write.low <= k && k <= write.high => value = k,
                    _ => return Row::Complex,
                },
                Target::Variable(_) => {}
                Target::Element(array, index) => {
                    if self.pool.constant_value(index).is_some()
                        || self.pool.top(index) == w
                        || self.pool.contains(array, w)
                    {
                        return Row::Complex;
                    }
                }
            }
        }
        list.retain(|write| write.target != Target::Variable(w));
        match self.assign_all(&list) {
            Hom::ZERO => Row::Dead,
            rest => Row::One(value, rest),
        }
    }

    // ----- complex rows -------------------------------------------------------------------------

    /// What `h` makes of the edge `w -v-> prefix(child)`, added to `out`; new nodes are pushed.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn expand(
        &mut self,
        dd: &mut Manager,
        h: Hom,
        w: u32,
        v: i32,
        prefix: Hom,
        child: Node,
        out: &mut Vec<Piece>,
    ) -> Result<(), Halt> {
        let row = self.row(h, w, v);
        if !matches!(row, Row::Complex | Row::Wide) {
            for (value, residue) in self.pairs_or_nothing(row, v) {
                let residue = self.compose(residue, prefix);
                if residue != Hom::ZERO {
                    out.push((value, residue, child));
                }
            }
            return Ok(());
        }
        let (first, second) = match self.term(h) {
            Term::Sum(a, b) => {
                self.expand(dd, a, w, v, prefix, child, out)?;
                return self.expand(dd, b, w, v, prefix, child, out);
            }
            Term::And(a, b) => (a, b),
            Term::Compose(f, g) => (g, f),
            _ => {
                let child = self.eval(dd, prefix, child)?;
                if child.is_zero() {
                    return Ok(());
                }
                dd.push(child);
                return self.expand_brick(dd, h, w, v, child, out);
            }
        };
        if !self.facts(h).linear {
            let child = self.eval(dd, prefix, child)?;
            dd.push(child);
            return self.expand_whole(dd, h, w, v, child, out);
        }
        if matches!(row, Row::Wide) {
            let child = self.eval(dd, prefix, child)?;
            if child.is_zero() {
                return Ok(());
            }
            dd.push(child);
            let edge = dd.sorted_node(w, &[Edge::integer(v, child)])?;
            dd.push(edge);
            let between = self.eval(dd, first, edge)?;
            dd.push(between);
            let image = self.eval(dd, second, between)?;
            dd.push(image);
            return pieces_of(dd, w, image, out);
        }
        let mut between = Vec::new();
        self.expand(dd, first, w, v, prefix, child, &mut between)?;
        for (value, residue, below) in between {
            self.expand(dd, second, w, value, residue, below, out)?;
        }
        Ok(())
    }

    fn expand_brick(
        &mut self,
        dd: &mut Manager,
        h: Hom,
        w: u32,
        v: i32,
        child: Node,
        out: &mut Vec<Piece>,
    ) -> Result<(), Halt> {
        match self.term(h) {
            Term::Step(step) => Err(Halt::Fault {
                statement: step.statement,
                value: step.apply(v),
            }),
            Term::Pred(e) => {
                let e = self.pool.substitute(e, w, v);
                let Some(index) = self.pool.pending(e, w) else {
                    return self.keep_if(e, v, child, out);
                };
                let parts = self.split(dd, index, child)?;
                dd.push(parts);
                for (k, part) in classes(dd, parts) {
                    let residue = self.pool.replace(e, index, k);
                    let residue = self.pool.substitute(residue, w, v);
                    let selector = self.pred(residue);
                    self.expand(dd, selector, w, v, Hom::ID, part, out)?;
                }
                Ok(())
            }
            Term::Assign(number) => {
                let writes = self.assignments.get(number).clone();
                self.expand_writes(dd, &writes, w, v, child, out)
            }
            Term::Relation(node) => self.expand_relation(dd, node, w, v, child, out),
            Term::User(number) => self.expand_user(dd, number, w, v, child, out),
            // A variable cannot hold integers here and sets there.
            Term::Local(..) => Err(plait_dd::Stop::Incompatible.into()),
            _ => self.expand_whole(dd, h, w, v, child, out),
        }
    }

    fn keep_if(
        &mut self,
        e: super::Expr,
        v: i32,
        child: Node,
        out: &mut Vec<Piece>,
    ) -> Result<(), Halt> {
        let rest = self.pred(e);
        if rest != Hom::ZERO {
            out.push((v, rest, child));
        }
        Ok(())
    }

    /// Evaluates on the edge as a node of its own.
    fn expand_whole(
        &mut self,
        dd: &mut Manager,
        h: Hom,
        w: u32,
        v: i32,
        child: Node,
        out: &mut Vec<Piece>,
    ) -> Result<(), Halt> {
        let edge = dd.sorted_node(w, &[Edge::integer(v, child)])?;
        dd.push(edge);
        let image = self.eval(dd, h, edge)?;
        dd.push(image);
        pieces_of(dd, w, image, out)
    }

    /// Assignments at an edge whose child (not empty) is known: whatever must be known is split.
    fn expand_writes(
        &mut self,
        dd: &mut Manager,
        writes: &[Write],
        w: u32,
        v: i32,
        child: Node,
        out: &mut Vec<Piece>,
    ) -> Result<(), Halt> {
        let list = self.substituted(writes, w, v);
        // A path with an undefined value or index is dropped.
        for write in &list {
            let bad_index = match write.target {
                Target::Variable(_) => false,
                Target::Element(_, index) => self.pool.constant_value(index).is_some(),
            };
            if bad_index || self.pool.constant_value(write.value) == Some(None) {
                if write.statement != NO_STATEMENT {
                    self.undefined.insert(write.statement);
                }
                return Ok(());
            }
        }
        if let Some(part) = list.iter().find_map(|write| self.needed(write, w)) {
            let parts = self.split(dd, part, child)?;
            dd.push(parts);
            for (k, below) in classes(dd, parts) {
                let mut known = list.clone();
                for write in &mut known {
                    write.value = self.pool.replace(write.value, part, k);
                    if let Target::Element(array, index) = write.target {
                        let index = self.pool.replace(index, part, k);
                        write.target = Target::Element(array, index);
                    }
                }
                self.expand_writes(dd, &known, w, v, below, out)?;
            }
            return Ok(());
        }
        let mut value = v;
        for write in list.iter().filter(|x| x.target == Target::Variable(w)) {
            let Some(Some(k)) = self.pool.constant_value(write.value) else {
                unreachable!("what is stored at the node is known");
            };
            if k < write.low || k > write.high {
                return Err(Halt::Fault {
                    statement: write.statement,
                    value: k,
                });
            }
            value = k;
        }
        let mut rest = list;
        rest.retain(|write| write.target != Target::Variable(w));
        let rest = self.assign_all(&rest);
        if rest != Hom::ZERO {
            out.push((value, rest, child));
        }
        Ok(())
    }

    /// What must be known of the rest of the path before a write can go below `w`.
    fn needed(&self, write: &Write, w: u32) -> Option<super::Expr> {
        if let Some(index) = self.pool.pending(write.value, w) {
            return Some(index);
        }
        match write.target {
            Target::Variable(x) if x == w => {
                let known = self.pool.constant_value(write.value).is_some();
                (!known).then_some(write.value)
            }
            Target::Variable(_) => None,
            Target::Element(array, index) => {
                let pending = self.pool.pending(index, w);
                pending.or_else(|| self.pool.contains(array, w).then_some(index))
            }
        }
    }
}

/// The edges of an image, with nothing left to apply below them.
fn pieces_of(dd: &mut Manager, w: u32, image: Node, out: &mut Vec<Piece>) -> Result<(), Halt> {
    if image.is_zero() {
        return Ok(());
    }
    if dd.variable(image) != w {
        return Err(plait_dd::Stop::Incompatible.into());
    }
    // They may be what fills the memory.
    let bytes = ((out.len() + dd.len(image)) * std::mem::size_of::<Piece>()) as isize;
    dd.charge(bytes);
    let looked = dd.walk(dd.len(image));
    dd.charge(-bytes);
    looked?;
    let edges = dd.edges(image).iter();
    out.extend(edges.map(|e| (e.value(), Hom::ID, e.child)));
    Ok(())
}
