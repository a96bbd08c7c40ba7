//! What is known of each homomorphism from its term alone, worked out when the term is made.

use plait_program::interval::Interval;

use super::term::{Hom, Target, Term, Write, NEVER_SKIPS, NO_STATEMENT};
use super::Homs;

/// What is known of a term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// The greatest variable that the term does not skip; 0 if it skips all.
    pub top: u32,
    /// Linear, and gives a subset of its argument.
    pub selector: bool,
    /// The image of a union is the union of the images.
    pub linear: bool,
    /// Can be evaluated edge by edge at its top.
    pub edgewise: bool,
    /// May find a fault or note an undefined value: must not be moved before what could have dropped
    /// the path, nor after what could drop it.
    pub effects: bool,
    /// Drops no path.
    pub keeps_all: bool,
}

impl Homs {
    pub(crate) fn facts_of(&self, term: Term) -> Facts {
        let skips_none = Facts {
            top: NEVER_SKIPS,
            selector: false,
            linear: true,
            edgewise: false,
            effects: false,
            keeps_all: false,
        };
        let brick = |top| Facts {
            top,
            edgewise: true,
            ..skips_none
        };
        match term {
            Term::Zero => Facts {
                selector: true,
                ..brick(0)
            },
            Term::Id => Facts {
                selector: true,
                keeps_all: true,
                ..brick(0)
            },
            Term::Meet(_) | Term::Minus(_) => Facts {
                selector: true,
                ..skips_none
            },
            Term::Constant(_) | Term::Before(_) | Term::After(_) => skips_none,
            Term::Sum(a, b) => {
                let both = self.both_facts(a, b);
                let keeps_all = self.facts(a).keeps_all || self.facts(b).keeps_all;
                Facts { keeps_all, ..both }
            }
            Term::And(a, b) | Term::Compose(a, b) => self.both_facts(a, b),
            Term::InTurn(a, b) => Facts {
                edgewise: false,
                ..self.both_facts(a, b)
            },
            Term::Both(a, b) => Facts {
                selector: false,
                linear: false,
                edgewise: false,
                ..self.both_facts(a, b)
            },
            Term::Not(a) => Facts {
                edgewise: false,
                keeps_all: false,
                ..self.facts(a)
            },
            Term::Fixpoint(a) => Facts {
                selector: false,
                linear: false,
                edgewise: false,
                keeps_all: false,
                ..self.facts(a)
            },
            Term::Monotonic(a, b) => Facts {
                selector: false,
                linear: false,
                edgewise: false,
                ..self.both_facts(a, b)
            },
            Term::Closure(system, a) => {
                let system = &self.systems[system as usize];
                Facts {
                    selector: false,
                    edgewise: false,
                    top: self.top(a).max(system.top),
                    effects: self.facts(a).effects || system.effects,
                    ..self.facts(a)
                }
            }
            Term::Local(a, variable) => Facts {
                top: variable,
                edgewise: self.facts(a).linear,
                ..self.facts(a)
            },
            Term::Step(step) => Facts {
                selector: step.is_test(),
                effects: step.is_restricted(),
                keeps_all: step.interval == Interval::FULL,
                ..brick(step.variable)
            },
            Term::Pred(e) => Facts {
                selector: true,
                ..brick(self.pool.top(e))
            },
            Term::Assign(number) => self.facts_of_writes(self.assignments.get(number), brick(0)),
            Term::Relation(node) => brick(self.relation_top(node)),
            Term::Table(number) => brick(self.tables.get(number).0),
            Term::Project(_) => skips_none,
            Term::User(number) => {
                let user = &self.users[number as usize];
                Facts {
                    selector: user.is_selector(),
                    ..brick(user.top())
                }
            }
            Term::Opaque(number) => Facts {
                effects: true,
                edgewise: false,
                ..brick(self.opaques[number as usize].top)
            },
        }
    }

    fn both_facts(&self, a: Hom, b: Hom) -> Facts {
        let (a, b) = (self.facts(a), self.facts(b));
        Facts {
            top: a.top.max(b.top),
            selector: a.selector && b.selector,
            linear: a.linear && b.linear,
            edgewise: a.edgewise && b.edgewise,
            effects: a.effects || b.effects,
            keeps_all: a.keeps_all && b.keeps_all,
        }
    }

    fn facts_of_writes(&self, list: &[Write], mut facts: Facts) -> Facts {
        facts.keeps_all = true;
        for write in list {
            let index_top = match write.target {
                Target::Variable(x) => x,
                Target::Element(array, index) => {
                    let cells = &self.pool.cells(array).sorted;
                    facts.keeps_all = false;
                    let top = cells.last().copied().unwrap_or(0);
                    top.max(self.pool.top(index))
                }
            };
            facts.top = facts.top.max(index_top).max(self.pool.top(write.value));
            facts.keeps_all &= self.pool.is_total(write.value);
            let noted = write.statement != NO_STATEMENT && !facts.keeps_all;
            facts.effects |= noted || write.low > i32::MIN || write.high < i32::MAX;
        }
        facts
    }
}
