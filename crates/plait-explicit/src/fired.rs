//! The successors of one state that wait in the batch of a search, event by event.
//!
//! To choose events, some are executed only to see where they lead. What is then executed in earnest
//! is not computed again, and the arcs of the others are not counted.

use std::ops::Range;

use crate::hash::RecordHash;
use crate::search::{Halt, Search};

/// Which successors in the batch are whose.
#[derive(Default)]
pub(crate) struct Fired {
    /// Event, its place in the batch, and how many arcs it counted; in the order of events.
    list: Vec<(u32, Range<usize>, u64)>,
}

impl Fired {
    /// The place in the batch of the event's successors, which are computed once.
    pub fn fire<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        event: u32,
        number: u32,
    ) -> Result<Range<usize>, Halt> {
        let place = match self.list.binary_search_by_key(&event, |f| f.0) {
            Ok(found) => return Ok(self.list[found].1.clone()),
            Err(place) => place,
        };
        let (first, arcs) = (search.batch.len(), search.figures.arcs);
        let plan = search.plans.plans[event as usize];
        search.fire(&plan, number)?;
        let range = first..search.batch.len();
        let counted = search.figures.arcs - arcs;
        self.list.insert(place, (event, range.clone(), counted));
        Ok(range)
    }

    /// Events that were only tried: their arcs do not count.
    pub fn keep_only<H: RecordHash>(
        &mut self,
        search: &mut Search<'_, H>,
        executed: impl Fn(u32) -> bool,
    ) {
        let figures = &mut search.figures;
        let plans = &search.plans.plans;
        self.list.retain(|(event, _, counted)| {
            let kept = executed(*event);
            if !kept {
                figures.arcs -= counted;
                figures.fired[plans[*event as usize].event as usize] -= counted;
            }
            kept
        });
    }

    /// The events, by place in the list of free ones, and where in the batch their successors are.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Range<usize>)> + '_ {
        self.list.iter().map(|(e, range, _)| (*e, range.clone()))
    }

    /// The successors are taken out of the batch.
    pub fn clear(&mut self) {
        self.list.clear();
    }
}
