//! Which variables a homomorphism looks at and which it writes, and which two may be exchanged.

use std::collections::HashSet;
use std::sync::Arc;

use super::substitute::Support;
use super::term::{Hom, Target, Term};
use super::Homs;

/// What a term reads or writes, and what it writes; `None` for all variables.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub all: Support,
    pub writes: Support,
}

impl Homs {
    /// What a homomorphism reads or writes; `None` when it may be anything.
    pub fn support(&mut self, h: Hom) -> Option<Support> {
        self.range(h).map(|range| range.all.clone())
    }

    pub(crate) fn range(&mut self, h: Hom) -> Option<Arc<Range>> {
        if let Some(known) = self.ranges.get(&h) {
            return known.clone();
        }
        let range = self.find_range(h).map(Arc::new);
        self.ranges.insert(h, range.clone());
        range
    }

    fn find_range(&mut self, h: Hom) -> Option<Range> {
        let mut all = Support::default();
        let mut writes = Support::default();
        let mut seen = HashSet::new();
        let mut stack = vec![h];
        while let Some(h) = stack.pop() {
            if !seen.insert(h) {
                continue;
            }
            match self.term(h) {
                Term::Zero | Term::Id => {}
                Term::Constant(_)
                | Term::Meet(_)
                | Term::Minus(_)
                | Term::Before(_)
                | Term::After(_)
                | Term::Project(_) => return None,
                Term::Sum(a, b)
                | Term::And(a, b)
                | Term::Compose(a, b)
                | Term::InTurn(a, b)
                | Term::Both(a, b)
                | Term::Monotonic(a, b) => stack.extend([a, b]),
                Term::Not(a) | Term::Fixpoint(a) => stack.push(a),
                Term::Closure(system, a) => stack.extend([self.systems[system as usize].list, a]),
                Term::Local(a, variable) => {
                    all.variables.push(variable);
                    if !self.facts(a).selector {
                        writes.variables.push(variable);
                    }
                }
                Term::Step(step) => {
                    all.variables.push(step.variable);
                    if !step.is_test() {
                        writes.variables.push(step.variable);
                    }
                }
                Term::Pred(e) => all.add(&self.pool.support(e)),
                Term::Assign(number) => {
                    for write in self.assignments.get(number).iter() {
                        let mut target = Support::default();
                        match write.target {
                            Target::Variable(x) => target.variables.push(x),
                            Target::Element(array, index) => {
                                target.arrays.push(array);
                                all.add(&self.pool.support(index));
                            }
                        }
                        all.add(&target);
                        all.add(&self.pool.support(write.value));
                        writes.add(&target);
                    }
                }
                Term::Relation(node) => {
                    let variables = self.relation_variables(node)?;
                    all.variables.extend(&variables);
                    writes.variables.extend(variables);
                }
                Term::Table(number) => {
                    all.variables.push(self.tables.get(number).0);
                    writes.variables.push(self.tables.get(number).0);
                }
                Term::User(number) => {
                    let support = self.users[number as usize].support()?;
                    all.variables.extend(&support);
                    if !self.users[number as usize].is_selector() {
                        writes.variables.extend(support);
                    }
                }
                Term::Opaque(number) => {
                    let variables = &self.opaques[number as usize].variables;
                    all.variables.extend(variables.iter());
                    writes.variables.extend(variables.iter());
                }
            }
        }
        all.add(&Support::default());
        writes.add(&Support::default());
        Some(Range { all, writes })
    }

    /// Whether the two can be exchanged in a composition: each leaves alone what the other looks at,
    /// and neither could drop a path before the other finds a fault.
    pub fn commute(&mut self, a: Hom, b: Hom) -> bool {
        let (fa, fb) = (self.facts(a), self.facts(b));
        if (fa.effects && !fb.keeps_all) || (fb.effects && !fa.keeps_all) {
            return false;
        }
        if fa.selector && fb.selector {
            return true;
        }
        let (Some(a), Some(b)) = (self.range(a), self.range(b)) else {
            return false;
        };
        self.pool.are_disjoint(&a.writes, &b.all) && self.pool.are_disjoint(&b.writes, &a.all)
    }
}
