//! Homomorphisms as hash-consed terms.
//!
//! Sums, commutative compositions and monotonic fixpoints are lists of cells `(first, rest)` with the
//! term of the greatest *top* (the greatest variable that it does not skip) first. At a node of variable
//! `w` the terms that skip `w` are therefore a suffix of the list, which is itself a term, shared by all
//! levels: a sum of n events costs n cells, however many levels there are.

use plait_dd::Node;
use plait_program::interval::Interval;

use super::expression::{Array, Expr};
use super::facts::Facts;
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
}
