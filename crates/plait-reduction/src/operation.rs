//! Operations on one cell, and when they disturb each other.
//!
//! An event is seen from each cell that it touches as one *operation*: a set of values where it can
//! be executed, a change, and whether the value matters to the rest of the event (Godefroid's typed
//! objects, of which cells are the ones we have; the tables that he writes by hand are computed here
//! from the meaning of the operations). All relations of the persistent-set algorithms come from the
//! same two questions: does one change whether the other can be executed, and does the order matter?
//!
//! | relation | asked over | used for |
//! |---|---|---|
//! | `enables`, `disables` | all values | enabling and disabling sets |
//! | `accords` | values where both can be executed | enabled events |
//! | `dependent_at` | one value | conditional dependency |
//! | `interferers` | runs of independent operations from one value | conditional stubborn sets |

use std::collections::VecDeque;

use plait_program::{Cell, Effect};

use crate::pieces::{Pieces, HIGHEST, LOWEST};

/// What an event does to one cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// The values where the event can be executed, as far as this cell is concerned.
    pub test: Pieces,
    /// How it changes the cell.
    pub effect: Effect,
    /// The value matters to the rest of the event.
    pub reads: bool,
    /// The value matters, besides the test, to whether the event can be executed.
    pub decides: bool,
}

impl Operation {
    /// Only looks whether the cell has one of these values.
    pub fn test(values: Pieces) -> Operation {
        Operation {
            test: values,
            effect: Effect::Keep,
            reads: false,
            decides: false,
        }
    }
}

/// What is known of a cell: its declared domain and the values it can have at all.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where values may be assigned.
    pub domain: (i64, i64),
    /// A superset of the values that are ever assigned.
    pub range: Pieces,
}

/// Where an interference table would have more values, the static relations are used instead.
pub const TABLE_LIMIT: i64 = 256;

impl Place {
    /// The values of a cell, given everything that is done to it.
    ///
    /// A value above the initial one was stored, or reached by an addition from a value where that
    /// addition was allowed: so the greatest of these is a bound, and no iteration is needed.
    pub fn of<'a>(cell: &Cell, operations: impl Iterator<Item = &'a Operation>) -> Place {
        let domain = (i64::from(cell.low), i64::from(cell.high));
        let first = i64::from(cell.initial);
        let (mut low, mut high) = (first, first);
        for operation in operations {
            let Some((least, greatest)) = operation.test.bounds() else {
                continue;
            };
            match operation.effect {
                Effect::Keep => {}
                Effect::Set(value) => {
                    low = low.min(value.into());
                    high = high.max(value.into());
                }
                Effect::Any => (low, high) = domain,
                Effect::Reflect(whole) => {
                    let whole = i64::from(whole);
                    let least = whole - least.max(domain.0);
                    let greatest = whole - greatest.min(domain.1);
                    if least > HIGHEST || greatest < LOWEST {
                        (low, high) = domain; // it may wrap around, or leave the domain
                    }
                    low = low.min(greatest);
                    high = high.max(least);
                }
                Effect::Add(amount) => {
                    let amount = i64::from(amount);
                    let least = least.max(domain.0) + amount;
                    let greatest = greatest.min(domain.1) + amount;
                    if least < LOWEST || greatest > HIGHEST {
                        (low, high) = domain; // it may wrap around, or leave the domain
                    }
                    low = low.min(least);
                    high = high.max(greatest);
                }
            }
        }
        Place {
            domain,
            range: Pieces::new(low.max(domain.0), high.min(domain.1)),
        }
    }

    /// Whether executing the operation may leave the domain; over the greatest integer does not
    /// count, since that is a limit of ours and not a rule of the model.
    pub fn may_leave(&self, operation: &Operation) -> bool {
        let inside = |value: i64| self.domain.0 <= value && value <= self.domain.1;
        if self.domain == (LOWEST, HIGHEST) {
            return false;
        }
        match operation.effect {
            Effect::Keep => false,
            Effect::Set(value) => !inside(value.into()),
            Effect::Any => true,
            Effect::Reflect(whole) => {
                let here = operation.test.and(&self.range).bounds();
                let whole = i64::from(whole);
                here.is_some_and(|(low, high)| !(inside(whole - high) && inside(whole - low)))
            }
            Effect::Add(amount) => {
                let Some((low, high)) = operation.test.and(&self.range).bounds() else {
                    return false;
                };
                let (low, high) = (low + i64::from(amount), high + i64::from(amount));
                !(inside(low) && (inside(high) || self.domain.1 == HIGHEST))
            }
        }
    }

    /// The values after the operation from these.
    fn image(&self, effect: Effect, from: &Pieces) -> Pieces {
        match effect {
            _ if from.is_empty() => from.clone(),
            Effect::Keep => from.clone(),
            Effect::Set(value) => Pieces::new(value.into(), value.into()),
            Effect::Any => self.range.clone(),
            Effect::Reflect(whole) => from.reflected(whole).unwrap_or_else(|| self.range.clone()),
            Effect::Add(amount) if self.domain == (LOWEST, HIGHEST) => from.plus(amount),
            Effect::Add(amount) => {
                let within = Pieces::new(
                    LOWEST.max(LOWEST - i64::from(amount)),
                    HIGHEST.min(HIGHEST - i64::from(amount)),
                );
                from.and(&within).plus(amount) // beyond is a fault, not a value
            }
        }
    }

    /// The first may make it possible to execute the second.
    pub fn enables(&self, a: &Operation, b: &Operation) -> bool {
        if b.decides && a.effect != Effect::Keep {
            return true;
        }
        let only = a.test.and(&self.range).minus(&b.test);
        !self.image(a.effect, &only).and(&b.test).is_empty()
    }

    /// The first may make it impossible to execute the second, where both can be.
    pub fn disables(&self, a: &Operation, b: &Operation) -> bool {
        let both = self.both(a, b);
        !self.image(a.effect, &both).minus(&b.test).is_empty()
    }

    /// Values where both can be executed.
    pub fn both(&self, a: &Operation, b: &Operation) -> Pieces {
        a.test.and(&b.test).and(&self.range)
    }

    /// Where both can be executed, the order does not matter (apart from disabling).
    pub fn commutes(&self, a: &Operation, b: &Operation) -> bool {
        use Effect::{Add, Any, Keep, Reflect, Set};
        if (a.reads && b.effect != Keep) || (b.reads && a.effect != Keep) {
            return false;
        }
        match (a.effect, b.effect) {
            (Keep, _) | (_, Keep) => true,
            (Add(_), Add(_)) => !self.may_leave(a) && !self.may_leave(b),
            (Set(x), Set(y)) => x == y,
            (Reflect(x), Reflect(y)) => x == y && !self.may_leave(a) && !self.may_leave(b),
            (Any, _) | (_, Any) | (Reflect(_), _) | (_, Reflect(_)) => false,
            (Set(_), Add(_)) | (Add(_), Set(_)) => false,
        }
    }

    /// Wherever both can be executed, they commute and neither disables the other.
    pub fn accords(&self, a: &Operation, b: &Operation) -> bool {
        self.both(a, b).is_empty()
            || (self.commutes(a, b) && !self.disables(a, b) && !self.disables(b, a))
    }

    /// They disturb each other in no value: they accord and neither enables the other.
    pub fn independent(&self, a: &Operation, b: &Operation) -> bool {
        self.accords(a, b) && !self.enables(a, b) && !self.enables(b, a)
    }

    /// The two are dependent where the cell has this value.
    pub fn dependent_at(&self, a: &Operation, b: &Operation, value: i64) -> bool {
        let here = Pieces::new(value, value);
        let changes = |x: &Operation, y: &Operation| {
            let after = self.image(x.effect, &here.and(&x.test));
            let possible = y.test.contains(value);
            let kept = after.and(&y.test);
            !after.is_empty()
                && if possible {
                    kept != after
                } else {
                    !kept.is_empty()
                }
        };
        let both = a.test.contains(value) && b.test.contains(value);
        let decides = |x: &Operation, y: &Operation| {
            y.decides && x.effect != Effect::Keep && x.test.contains(value)
        };
        decides(a, b)
            || decides(b, a)
            || changes(a, b)
            || changes(b, a)
            || (both && !self.commutes(a, b))
    }

    /// Whether tables of this cell's values are small enough to compute.
    pub fn is_small(&self) -> bool {
        self.range
            .bounds()
            .is_some_and(|(a, b)| b - a < TABLE_LIMIT)
    }

    /// Which of the operations might be the first to interfere with `operation` from `value` on:
    /// dependent with it in a value that operations independent of it lead to (Godefroid's
    /// definition 4.26, computed on the values of the cell). The cell must be small.
    pub fn interferers(&self, operation: &Operation, value: i64, all: &[Operation]) -> Vec<bool> {
        let (low, high) = self.range.bounds().unwrap_or((value, value));
        let mut seen = vec![false; (high - low + 1) as usize];
        let mut found = vec![false; all.len()];
        let mut queue = VecDeque::from([value]);
        while let Some(now) = queue.pop_front() {
            match seen.get_mut((now - low) as usize) {
                Some(mark) if !*mark => *mark = true,
                _ => continue,
            }
            for (other, found) in all.iter().zip(&mut found) {
                let possible = other.test.contains(now);
                if self.dependent_at(operation, other, now) {
                    *found |= possible;
                } else if possible {
                    let next = self.image(other.effect, &Pieces::new(now, now));
                    for (a, b) in next.and(&self.range).list() {
                        queue.extend(*a..=*b);
                    }
                }
            }
        }
        found
    }
}
