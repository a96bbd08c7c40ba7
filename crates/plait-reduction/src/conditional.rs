//! Conditional dependency: whether two events are dependent in one state.
//!
//! In a state where both are enabled, they are when one disables the other or the order matters; where one
//! is, when it may enable the other; where none is, they are not (definition 3.17 of Godefroid's thesis).
//! Both questions are put to the operations on the cells that the two share, at the values that these have.
//!
//! Invariant: dependent here implies dependent by the constant relation.

use plait_program::Scratch;

use crate::dependency::{Class, Dependency};
use crate::description::Guard;
use crate::operation::Operation;
use crate::pieces::Pieces;

impl Dependency {
    /// Whether the two events may be dependent in the state.
    pub fn dependent_in(&self, a: u32, b: u32, cells: &[i32], scratch: &mut Scratch) -> bool {
        if a == b || !self.depend.related(a, b) || self.idle.contains(a) || self.idle.contains(b) {
            return a == b || self.depend.related(a, b);
        }
        let enabled = [a, b].map(|event| self.guards_hold(event, cells, scratch));
        match enabled {
            [true, true] => self.disturb_in(a, b, cells),
            [true, false] => self.enables_in(a, b, cells, scratch),
            [false, true] => self.enables_in(b, a, cells, scratch),
            [false, false] => false,
        }
    }

    /// All guards of the event hold; its body may block all the same.
    pub fn guards_hold(&self, event: u32, cells: &[i32], scratch: &mut Scratch) -> bool {
        let mut guards = self.guards[event as usize].iter();
        guards.all(|g| self.conjuncts[*g as usize].guard.holds(cells, scratch))
    }

    /// Both are enabled, and one may disable the other, or the order matters.
    fn disturb_in(&self, a: u32, b: u32, cells: &[i32]) -> bool {
        if !self.conflict.related(a, b) {
            return false;
        }
        // What may be an error is not seen in the operations alone.
        let mut wrong = [a, b].into_iter();
        wrong.any(|e| self.faulty.contains(e))
            || self.classes[a as usize].iter().any(|(cell, class)| {
                let (used, value) = (&self.cells[cell], i64::from(cells[*cell as usize]));
                let mine = &used.classes[*class as usize];
                let theirs = self.class_of(b, *cell);
                theirs.is_some_and(|theirs| {
                    let (x, y) = (&mine.operation, &theirs.operation);
                    !mine.exchanges_with(theirs) && used.place.dependent_at(x, y, value)
                })
            })
    }

    /// The first is enabled and the second is not, and every false guard of it may become true.
    fn enables_in(&self, a: u32, b: u32, cells: &[i32], scratch: &mut Scratch) -> bool {
        let mut blocked = true;
        for number in &self.guards[b as usize] {
            let conjunct = &self.conjuncts[*number as usize];
            if conjunct.guard.holds(cells, scratch) {
                continue;
            }
            blocked = false;
            if !conjunct.enablers.contains(a) {
                return false;
            }
            if let Guard::Test(test) = &conjunct.guard {
                let used = &self.cells[&test.cell];
                let asked = Operation::test(Pieces::of(test.interval));
                let value = i64::from(cells[test.cell as usize]);
                let mine = self.class_of(a, test.cell);
                if !mine.is_some_and(|m| used.place.dependent_at(&m.operation, &asked, value)) {
                    return false;
                }
            }
        }
        !blocked || self.touching[b as usize].contains(a)
    }

    /// What the event does to the cell.
    fn class_of(&self, event: u32, cell: u32) -> Option<&Class> {
        let classes = &self.classes[event as usize];
        let place = classes.binary_search_by_key(&cell, |c| c.0).ok()?;
        self.cells[&cell].classes.get(classes[place].1 as usize)
    }
}
