//! Homomorphisms as hash-consed terms, and what is known of each.
//!
//! Sums, commutative compositions and monotonic fixpoints are lists of cells `(first, rest)` with the
//! term of the greatest *top* (the greatest variable that it does not skip) first. At a node of variable
//! `w` the terms that skip `w` are therefore a suffix of the list, which is itself a term, shared by all
//! levels: a sum of n events costs n cells, however many levels there are.

use std::sync::Arc;

use plait_dd::Node;
use plait_program::interval::Interval;

use super::expression::{Array, Expr};
use super::substitute::Support;
use super::Homs;

/// The number of a homomorphism in its [`Homs`]; equal terms have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hom(pub(crate) u32);

impl Hom {
    /// The homomorphism that maps everything to the empty set.
    pub const ZERO: Hom = Hom(0);
    /// The identity.
    pub const ID: Hom = Hom(1);

    /// Its number; see [`Homs::numbered`].
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The top of what never skips a variable.
pub(crate) const NEVER_SKIPS: u32 = u32::MAX;
/// The number of no statement.
pub const NO_STATEMENT: u32 = u32::MAX;

/// A test and an update of one variable by constants: where the value lies in `interval` it becomes
/// `(value & keep) + amount`; leaving `low..=high` is a fault of `statement`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The variable.
    pub variable: u32,
    /// The values that pass.
    pub interval: Interval,
    /// -1 to add, 0 to store.
    pub keep: i32,
    /// What is added or stored.
    pub amount: i32,
    /// The least value that may be stored.
    pub low: i32,
    /// The greatest value that may be stored.
    pub high: i32,
    /// Whose fault it is otherwise.
    pub statement: u32,
}

impl Step {
    /// The step that keeps the values of an interval.
    pub fn test(variable: u32, interval: Interval) -> Step {
        Step {
            variable,
            interval,
            keep: -1,
            amount: 0,
            low: i32::MIN,
            high: i32::MAX,
            statement: NO_STATEMENT,
        }
    }

    /// The new value of one that passes.
    #[inline]
    pub fn apply(&self, value: i32) -> i32 {
        (value & self.keep).wrapping_add(self.amount)
    }

    /// Whether the value may be stored.
    #[inline]
    pub fn admits(&self, value: i32) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether some value is no fault.
    pub(crate) fn is_restricted(&self) -> bool {
        self.low > i32::MIN || self.high < i32::MAX
    }

    /// Whether values are only tested.
    pub(crate) fn is_test(&self) -> bool {
        self.keep == -1 && self.amount == 0
    }
}

/// Where a value is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A variable.
    Variable(u32),
    /// A cell of an array.
    Element(Array, Expr),
}

/// One assignment of a list that happens at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// Where.
    pub target: Target,
    /// What.
    pub value: Expr,
    /// The least value that may be stored.
    pub low: i32,
    /// The greatest value that may be stored.
    pub high: i32,
    /// The statement that is named by faults and by notes of undefined values, or [`NO_STATEMENT`].
    pub statement: u32,
}

impl Write {
    /// A write without domain and without statement.
    pub fn new(target: Target, value: Expr) -> Write {
        Write {
            target,
            value,
            low: i32::MIN,
            high: i32::MAX,
            statement: NO_STATEMENT,
        }
    }
}

/// A homomorphism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// Everything to the empty set.
    Zero,
    /// Everything to itself.
    Id,
    /// Every set but the empty one to this one.
    Constant(Node),
    /// The intersection with a set.
    Meet(Node),
    /// The difference to a set.
    Minus(Node),
    /// A set, followed by the argument.
    Before(Node),
    /// The argument, followed by a set.
    After(Node),
    /// The union of the first term and the rest.
    Sum(Hom, Hom),
    /// The composition, in any order, of the first term and the rest, which commute.
    And(Hom, Hom),
    /// The first after the second.
    Compose(Hom, Hom),
    /// The first after the second, each on the whole of its argument.
    InTurn(Hom, Hom),
    /// The intersection of two images: an operator on sets, not linear.
    Both(Hom, Hom),
    /// The argument without what a selector keeps.
    Not(Hom),
    /// Applied until nothing changes.
    Fixpoint(Hom),
    /// The closure, under the terms of a system that the node's variable admits, of an image.
    Closure(u32, Hom),
    /// The composition of a list, until nothing changes, lower levels first.
    Monotonic(Hom, Hom),
    /// The labels of a set-labelled variable, mapped.
    Local(Hom, u32),
    /// A test and an update of one variable.
    Step(Step),
    /// A condition.
    Pred(Expr),
    /// Assignments at once, by number.
    Assign(u32),
    /// A stored relation: pairs of before and after.
    Relation(Node),
    /// A finite relation on the values of one variable, by number.
    Table(u32),
    /// The projection on a list of variables, by number.
    Project(u32),
    /// Defined by the user, by number.
    User(u32),
    /// Defined by a function on the values of some variables, by number.
    Opaque(u32),
}

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

/// What a term reads or writes, and what it writes; `None` for all variables.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub all: Support,
    pub writes: Support,
}

impl Homs {
    /// The term of a homomorphism.
    #[inline]
    pub fn term(&self, h: Hom) -> Term {
        *self.terms.get(h.0)
    }

    #[inline]
    pub(crate) fn facts(&self, h: Hom) -> Facts {
        self.facts[h.0 as usize]
    }

    /// The greatest variable that the homomorphism does not skip; 0 if it skips all variables,
    /// `u32::MAX` if it skips none.
    #[inline]
    pub fn top(&self, h: Hom) -> u32 {
        self.facts[h.0 as usize].top
    }

    /// Whether the homomorphism is known only to select: its image is a subset of its argument.
    pub fn is_selector(&self, h: Hom) -> bool {
        self.facts(h).selector
    }

    /// The homomorphism of that number, if there is one.
    pub fn numbered(&self, number: u32) -> Option<Hom> {
        ((number as usize) < self.terms.len()).then_some(Hom(number))
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Never: the identity is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    pub(crate) fn intern(&mut self, term: Term) -> Hom {
        let (number, new) = self.terms.add(term);
        if new {
            let facts = self.facts_of(term);
            self.facts.push(facts);
        }
        Hom(number)
    }

    fn facts_of(&self, term: Term) -> Facts {
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

    // ----- ranges -------------------------------------------------------------------------------

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
        let mut seen = std::collections::HashSet::new();
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
