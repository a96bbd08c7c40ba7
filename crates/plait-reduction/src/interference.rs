//! What might be the first to interfere with an event from the present values on: `▷s` of Godefroid's
//! thesis (definition 4.26), worked out cell by cell and remembered for each value.
//!
//! Where a cell has too many values, or holds messages of a queue, the static relation takes its place:
//! for enabled events that they do not accord, for disabled ones that they can be dependent. The second is
//! needed there: what enables an event accords with it, since the two are never enabled together.

use crate::bits::BitSet;
use crate::dependency::{Class, Dependency};
use crate::operation::Operation;
use crate::stubborn::Selector;

/// Whether the event that is asked about is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    Enabled,
    Disabled,
}

impl Selector {
    /// The events that might be the first to interfere with those of the class.
    pub(crate) fn interferers(
        &mut self,
        dependency: &Dependency,
        (cell, class): (u32, u32),
        value: i32,
        asked: Asked,
    ) -> &BitSet {
        let found = self.interferers.entry((cell, class, value, asked));
        found.or_insert_with(|| {
            let used = &dependency.cells[&cell];
            let mine = &used.classes[class as usize];
            if mine.is_plain() {
                let own = Some(mine);
                if let Some(found) = interferers_of(dependency, cell, &mine.operation, value, own) {
                    return found;
                }
            }
            let mut found = BitSet::new(dependency.size());
            for other in &used.classes {
                let (a, b) = (&mine.operation, &other.operation);
                let apart = match asked {
                    Asked::Enabled => used.place.accords(a, b) || mine.exchanges_with(other),
                    Asked::Disabled => used.place.independent(a, b),
                };
                if !apart {
                    found.add(&other.events);
                }
            }
            found
        })
    }
}

/// The events that might be the first to interfere with an operation on the cell from its present
/// value on; `None` when the cell has too many values for that. The operation is that of the events of
/// the class `own`; a single event does not interfere with itself.
pub(crate) fn interferers_of(
    dependency: &Dependency,
    cell: u32,
    operation: &Operation,
    value: i32,
    own: Option<&Class>,
) -> Option<BitSet> {
    let used = dependency.cells.get(&cell)?;
    if !used.place.is_small() || !used.place.range.contains(value.into()) {
        return None;
    }
    let alone = own.filter(|c| c.events.len() == 1);
    let is_alone = |c: &&Class| alone.is_some_and(|own| std::ptr::eq(own, *c));
    let others: Vec<&Class> = used.classes.iter().filter(|c| !is_alone(c)).collect();
    let all: Vec<Operation> = others.iter().map(|c| c.operation.clone()).collect();
    let found = used.place.interferers(operation, value.into(), &all);
    let mut events = BitSet::new(dependency.size());
    for (class, found) in others.into_iter().zip(found) {
        if found {
            events.add(&class.events);
        }
    }
    Some(events)
}
