//! Inverses: predecessors within a context.
//!
//! ITS specification, 2.6: the inverse of `h` in the context `P` gives, from a set `d`, the states `x` of
//! `P` with `h({x}) * d != 0`. It is built from the structure of `h`. [`Homs::inverse`] may give states
//! outside `P`; [`Homs::predecessors`] intersects with `P` when it does. After that it is exact for
//! everything built of selectors, steps, tables, relations, opaque events, assignments (also
//! simultaneous, also of elements whose index reads what is written), constants, locals, sums and
//! compositions of these; and for the closure under such terms when `P` is closed under them. For
//! concatenations, projections, intersections of morphisms, other fixpoints and homomorphisms defined
//! outside it is an over-approximation.
//!
//! An assignment `x = e` is undone by asking, of the state after, whether `x` is what `e` gave. If `e` does
//! not read `x`, that is a condition on the state after, and `x` may have been anything; if it does,
//! the values that `x` takes in `P` are tried one by one.

use plait_dd::{Edge, Manager, Node};
use plait_program::arithmetic::CompareOp;

use super::expression::{Expr, Form};
use super::term::{Hom, Target, Term, Write};
use super::{Halt, Homs};

impl Homs {
    /// The inverse in a context, possibly with states outside the context.
    pub fn inverse(&mut self, dd: &mut Manager, h: Hom, context: Node) -> Result<Hom, Halt> {
        self.outermost(dd, context, |homs, dd| homs.inverted(dd, h, context))
    }

    /// The inverse in a context, within the context, for sets of states of the context and of its
    /// image.
    pub fn predecessors(&mut self, dd: &mut Manager, h: Hom, context: Node) -> Result<Hom, Halt> {
        self.outermost(dd, context, |homs, dd| {
            let inverse = homs.inverted(dd, h, context)?;
            let forward = homs.eval(dd, h, context)?;
            dd.push(forward);
            let asked = dd.union(context, forward)?;
            dd.push(asked);
            let image = homs.eval(dd, inverse, asked)?;
            dd.push(image);
            if dd.is_subset(image, context)? {
                return Ok(inverse);
            }
            Ok(homs.meet(dd, inverse, context))
        })
    }

    fn inverted(&mut self, dd: &mut Manager, h: Hom, p: Node) -> Result<Hom, Halt> {
        if p.is_zero() {
            return Ok(Hom::ZERO);
        }
        if self.facts(h).selector {
            return Ok(h);
        }
        plait_dd::stack::deep(|| self.inverted_anew(dd, h, p))
    }

    fn inverted_anew(&mut self, dd: &mut Manager, h: Hom, p: Node) -> Result<Hom, Halt> {
        match self.term(h) {
            Term::Constant(c) => {
                let asked = self.meet(dd, Hom::ID, c);
                let all = self.constant(dd, p);
                Ok(self.compose(all, asked))
            }
            Term::Sum(..) => {
                let (terms, identity) = self.summands(&[h]);
                let mut all = if identity { vec![Hom::ID] } else { Vec::new() };
                for term in terms {
                    all.push(self.inverted(dd, term, p)?);
                }
                Ok(self.sum(&all))
            }
            Term::And(f, g) | Term::Compose(f, g) => {
                let between = self.eval(dd, g, p)?;
                dd.push(between);
                let f = self.inverted(dd, f, between)?;
                let g = self.inverted(dd, g, p)?;
                Ok(self.compose(g, f))
            }
            Term::InTurn(f, g) => {
                let between = self.eval(dd, g, p)?;
                dd.push(between);
                let f = self.inverted(dd, f, between)?;
                let g = self.inverted(dd, g, p)?;
                Ok(self.in_turn(g, f))
            }
            Term::Closure(system, rest) => {
                let context = self.eval(dd, h, p)?;
                dd.push(context);
                let list = self.systems[system as usize].list;
                let back = self.inverted(dd, list, context)?;
                let back = self.meet(dd, back, context);
                let back = self.sum(&[back, Hom::ID]);
                let back = self.fixpoint(back);
                let rest = self.inverted(dd, rest, p)?;
                Ok(self.compose(rest, back))
            }
            Term::Fixpoint(inner) => {
                let back = self.inverted(dd, inner, p)?;
                let back = self.sum(&[back, Hom::ID]);
                Ok(self.fixpoint(back))
            }
            Term::Both(a, b) => {
                let moves = if self.facts(a).selector { b } else { a };
                self.inverted(dd, moves, p)
            }
            Term::Local(inner, variable) => {
                let component = dd.component(p, variable)?;
                dd.push(component);
                let inner = self.inverted(dd, inner, component)?;
                Ok(self.local(inner, variable))
            }
            Term::Step(step) => {
                let domain = dd.domain(p, step.variable).into_iter();
                let pairs = domain.filter(|j| step.interval.contains(*j));
                let pairs: Vec<_> = pairs.map(|j| (step.apply(j), j)).collect();
                Ok(self.table(step.variable, &pairs))
            }
            Term::Table(number) => {
                let (variable, pairs) = self.tables.get(number).clone();
                let back: Vec<_> = pairs.iter().map(|p| (p.1, p.0)).collect();
                Ok(self.table(variable, &back))
            }
            Term::Relation(relation) => {
                let back = self.transposed(dd, relation)?;
                Ok(self.relation(dd, back))
            }
            Term::Opaque(number) => {
                self.learn(dd, number, p)?;
                let relation = self.learned(number);
                let back = self.transposed(dd, relation)?;
                Ok(self.relation(dd, back))
            }
            Term::Assign(number) => {
                let writes = self.assignments.get(number).clone();
                self.inverted_writes(dd, &writes, p)
            }
            _ => Ok(self.constant(dd, p)),
        }
    }

    // ----- assignments --------------------------------------------------------------------------

    fn inverted_writes(
        &mut self,
        dd: &mut Manager,
        writes: &[Write],
        p: Node,
    ) -> Result<Hom, Halt> {
        let targets: Vec<u32> = writes
            .iter()
            .filter_map(|w| match w.target {
                Target::Variable(x) => Some(x),
                Target::Element(..) => None,
            })
            .collect();
        // An index must be known when it decides what is written, or whether what is written is read.
        let open = writes.iter().find_map(|w| match w.target {
            Target::Element(array, index) => Some((array, index)),
            Target::Variable(_) => self.element_of(w.value, &targets),
        });
        if let Some((array, index)) = open {
            let size = self.pool.cells(array).by_index.len() as i32;
            let mut all = Vec::new();
            for k in 0..size {
                let constant = self.pool.constant(k);
                let here = self.pool.compare(CompareOp::Equal, index, constant);
                let here = self.pred(here);
                let known = self.with_index(writes, index, k);
                let back = self.inverted_writes(dd, &known, p)?;
                all.push(self.compose(here, back));
            }
            return Ok(self.sum(&all));
        }
        let mut last: Vec<(u32, Expr)> = Vec::new();
        let mut defined = Hom::ID;
        for write in writes {
            let Target::Variable(x) = write.target else {
                unreachable!("elements are resolved");
            };
            last.retain(|l| l.0 != x);
            last.push((x, write.value));
            let same = self
                .pool
                .compare(CompareOp::Equal, write.value, write.value);
            let same = self.pred(same);
            defined = self.compose(same, defined);
        }
        let reads = last.iter().any(|l| {
            let support = self.pool.support(l.1);
            last.iter()
                .any(|m| support.variables.binary_search(&m.0).is_ok())
        });
        let back = if reads {
            self.tried_back(dd, &last, p)?
        } else {
            self.freed(dd, &last, p)
        };
        Ok(self.compose(defined, back))
    }

    /// An innermost `array[index]` that may mean one of the variables.
    fn element_of(&self, e: Expr, variables: &[u32]) -> Option<(super::Array, Expr)> {
        let mut found = None;
        let mut seen = std::collections::HashSet::new();
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            if let Form::Element(array, index) = self.pool.form(e) {
                if variables.iter().any(|x| self.pool.contains(array, *x)) {
                    // Whatever stands inside is nearer to the inside.
                    found = Some((array, index));
                    stack.clear();
                }
                stack.push(index);
                continue;
            }
            stack.extend(self.pool.parts(e).into_iter().flatten());
        }
        found
    }

    fn with_index(&mut self, writes: &[Write], index: Expr, k: i32) -> Vec<Write> {
        let mut list = writes.to_vec();
        for write in &mut list {
            write.value = self.pool.replace(write.value, index, Some(k));
            if let Target::Element(array, i) = write.target {
                let i = self.pool.replace(i, index, Some(k));
                write.target = match self.pool.constant_value(i).flatten() {
                    Some(k) => self
                        .pool
                        .cell(array, k)
                        .map_or(Target::Element(array, i), Target::Variable),
                    None => Target::Element(array, i),
                };
            }
        }
        list
    }

    /// `x_i == e_i` for all, as a selector.
    fn stored(&mut self, writes: &[(u32, Expr)]) -> Hom {
        let mut all = Hom::ID;
        for (x, e) in writes {
            let x = self.pool.read(*x);
            let equal = self.pool.compare(CompareOp::Equal, x, *e);
            let equal = self.pred(equal);
            all = self.compose(equal, all);
        }
        all
    }

    /// The inverse when no value reads what is written: the variables may have been anything.
    fn freed(&mut self, dd: &Manager, writes: &[(u32, Expr)], p: Node) -> Hom {
        let mut back = self.stored(writes);
        for (x, _) in writes {
            let domain = dd.domain(p, *x);
            let any: Vec<Hom> = domain.into_iter().map(|j| self.store(*x, j)).collect();
            let any = self.sum(&any);
            back = self.compose(any, back);
        }
        back
    }

    /// The inverse when values read what is written: what the variables were in the context is tried.
    fn tried_back(
        &mut self,
        dd: &mut Manager,
        writes: &[(u32, Expr)],
        p: Node,
    ) -> Result<Hom, Halt> {
        let mut variables: Vec<u32> = writes.iter().map(|w| w.0).collect();
        variables.sort_unstable_by(|a, b| b.cmp(a));
        let projection = self.projection(&variables);
        let tuples = self.eval(dd, projection, p)?;
        let tuples: Vec<Vec<i32>> = dd
            .states(tuples)
            .map(|s| super::opaque::values_of(&s))
            .collect();
        let mut all = Vec::new();
        for tuple in tuples {
            dd.step()?;
            let mut known = writes.to_vec();
            for (_, e) in &mut known {
                for (x, j) in variables.iter().zip(&tuple) {
                    *e = self.pool.substitute(*e, *x, *j);
                }
            }
            let mut back = self.stored(&known);
            for (x, j) in variables.iter().zip(&tuple) {
                let before = self.store(*x, *j);
                back = self.compose(before, back);
            }
            all.push(back);
        }
        Ok(self.sum(&all))
    }

    // ----- relations ----------------------------------------------------------------------------

    /// The relation with before and after exchanged.
    pub(super) fn transposed(&mut self, dd: &mut Manager, relation: Node) -> Result<Node, Halt> {
        let mut known = super::intern::Map::default();
        let kept = dd.pushed();
        let result = self.transpose(dd, relation, &mut known);
        dd.pop(kept);
        result
    }

    fn transpose(
        &mut self,
        dd: &mut Manager,
        relation: Node,
        known: &mut super::intern::Map<Node, Node>,
    ) -> Result<Node, Halt> {
        if relation.is_terminal() {
            return Ok(relation);
        }
        if let Some(result) = known.get(&relation) {
            return Ok(*result);
        }
        let variable = dd.variable(relation);
        let mut pairs = Vec::new();
        for at in 0..dd.len(relation) {
            let before = dd.edge(relation, at);
            for to in 0..dd.len(before.child) {
                let after = dd.edge(before.child, to);
                let below = plait_dd::stack::deep(|| self.transpose(dd, after.child, known))?;
                pairs.push((after.value(), before.value(), below));
            }
        }
        pairs.sort_unstable();
        let mut edges = Vec::new();
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            let list: Vec<Edge> = group.iter().map(|p| Edge::integer(p.1, p.2)).collect();
            let after = dd.sorted_node(variable - 1, &list)?;
            dd.push(after);
            edges.push(Edge::integer(group[0].0, after));
        }
        let result = dd.sorted_node(variable, &edges)?;
        // Pushed until the end: the map names it.
        dd.push(result);
        known.insert(relation, result);
        Ok(result)
    }
}
