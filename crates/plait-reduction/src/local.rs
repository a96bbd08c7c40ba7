//! Local events: those that meet nothing but other events of the same process.
//!
//! In a flat program an event belongs to a process by testing a cell for one value, such as a program
//! counter. It is *local* when there is such a cell that every event which depends on it touches too:
//! whatever disturbs or enables it, or is enabled by it, has to do with the same process.
//!
//! Which of several persistent sets is executed is a free choice, and no rule is best on all models. A
//! good one is SPIN's (Holzmann and Peled, An improvement in formal verification, FORTE 1994): while some
//! process has local steps to do, no other moves. Then processes meet only where each of them has come as far as
//! it can by itself, and none of the states in which one of them is in the middle of local steps while
//! others communicate is stored. SPIN takes the first process that it finds. Here it is the local set
//! with the fewest events, so that choices are made as late as possible.
//!
//! Invariant: the order in which sets are tried is all that changes; each is a persistent set by the
//! same algorithm as without.

use crate::bits::BitSet;
use crate::dependency::Dependency;

/// The local events, by number.
pub(crate) fn local_events(dependency: &Dependency) -> BitSet {
    let size = dependency.size();
    let mut touching = std::collections::HashMap::new();
    for (cell, used) in &dependency.cells {
        let mut events = BitSet::new(size);
        used.classes.iter().for_each(|c| events.add(&c.events));
        touching.insert(*cell, events);
    }
    let mut found = BitSet::new(size);
    for event in 0..dependency.events() as u32 {
        let row = dependency.depend.row(event);
        let mut tested = dependency.classes[event as usize]
            .iter()
            .filter(|(cell, class)| {
                let class = &dependency.cells[cell].classes[*class as usize];
                let bounds = class.operation.test.bounds();
                bounds.is_some_and(|(low, high)| low == high)
            });
        if tested.any(|(cell, _)| row.is_within(&touching[cell])) {
            found.insert(event);
        }
    }
    found
}
