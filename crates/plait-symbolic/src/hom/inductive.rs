//! Homomorphisms defined outside: by induction on the node (ITS specification, 2.2).
//!
//! `phi` is given by what it makes of the empty sequence and, for each variable `w` and label `s`, by
//! pairs of a new label and a homomorphism to apply below: `phi(w -s-> d)` is the union of all
//! `w -s'-> h(d)`. On set labels it must be linear in `s`.

use std::fmt::Debug;
use std::sync::Arc;

use plait_dd::{Manager, Node};

use super::expand::Piece;
use super::term::{Hom, Term};
use super::{Halt, Homs};

/// The label of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Of an integer-labelled node.
    Integer(i32),
    /// Of a set-labelled node.
    Set(Node),
}

/// A homomorphism defined by induction.
pub trait Inductive: Debug + Send + Sync {
    /// What tells it from others: equal names and parameters must mean the same homomorphism.
    fn name(&self) -> (String, Vec<i64>);

    /// The greatest variable that it does not skip.
    fn top(&self) -> u32;

    /// The variables that it does not skip, ascending, if known: for commutation.
    fn support(&self) -> Option<Vec<u32>> {
        None
    }

    /// Whether it only selects.
    fn is_selector(&self) -> bool {
        false
    }

    /// The image of the empty sequence: `0` or `1`.
    fn at_end(&self) -> Node {
        Node::ONE
    }

    /// What it makes of an edge at a variable that it does not skip. Sets that are made here must be
    /// pushed (`Manager::push`); evaluation pops them.
    fn at(
        &self,
        homs: &mut Homs,
        dd: &mut Manager,
        variable: u32,
        label: Label,
    ) -> Result<Vec<(Label, Hom)>, Halt>;
}

impl Homs {
    /// A homomorphism defined outside.
    pub fn user(&mut self, inductive: Arc<dyn Inductive>) -> Hom {
        let next = self.users.len() as u32;
        let number = *self.user_numbers.entry(inductive.name()).or_insert(next);
        if number == next {
            self.users.push(inductive);
        }
        self.intern(Term::User(number))
    }

    pub(super) fn expand_user(
        &mut self,
        dd: &mut Manager,
        number: u32,
        w: u32,
        v: i32,
        child: Node,
        out: &mut Vec<Piece>,
    ) -> Result<(), Halt> {
        let user = Arc::clone(&self.users[number as usize]);
        for (label, rest) in user.at(self, dd, w, Label::Integer(v))? {
            match label {
                Label::Integer(value) => out.push((value, rest, child)),
                Label::Set(_) => return Err(plait_dd::Stop::Incompatible.into()),
            }
        }
        Ok(())
    }

    pub(super) fn expand_user_set(
        &mut self,
        dd: &mut Manager,
        number: u32,
        w: u32,
        label: Node,
        child: Node,
        out: &mut Vec<(Node, Hom, Node)>,
    ) -> Result<(), Halt> {
        let user = Arc::clone(&self.users[number as usize]);
        for (label, rest) in user.at(self, dd, w, Label::Set(label))? {
            match label {
                Label::Set(set) if set.is_zero() => {}
                Label::Set(set) => out.push((set, rest, child)),
                Label::Integer(_) => return Err(plait_dd::Stop::Incompatible.into()),
            }
        }
        Ok(())
    }
}
