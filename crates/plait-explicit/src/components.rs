//! The proviso of components: no event is put off for ever in a part of the graph that nothing leaves.
//!
//! Tarjan's algorithm runs along a depth-first search. When the root of a strongly connected component is
//! left, and no arc leads out of the component, every event that is enabled in the root must have been
//! executed somewhere in it; otherwise the search goes on from the root with a persistent set that has one
//! of those that were not. An event that persistent sets put off stays enabled, so asking the root is
//! enough (Valmari; definition 6.15 and theorem 6.16 of Godefroid's thesis).
//!
//! Nothing is expanded fully where a component is left anyway, which the proviso of the stack cannot know;
//! in return a number is kept for each state, and sleep sets cannot be combined with it: what sleeps in a
//! state of the component may have been executed in another one.
//!
//! Invariant: the open states are those on the stack and those that reach one of them.

use plait_reduction::SleepSets;

use crate::hash::RecordHash;
use crate::reduced::{Frame, Reduced};
use crate::search::Halt;

/// Where a state stands.
#[derive(Clone, Copy, Default)]
struct Place {
    /// In the order of discovery, from 1.
    index: u32,
    /// The least that it is known to lead back to.
    low: u32,
    /// Its component is not complete.
    open: bool,
    /// An arc leads out of its component.
    leaves: bool,
}

#[derive(Default)]
struct Components {
    places: Vec<Place>,
    /// Open states, each with the events executed there.
    open: Vec<(u32, Vec<u32>)>,
    entered: u32,
}

impl Components {
    fn enter(&mut self, frame: &Frame) {
        let number = frame.number as usize;
        if number >= self.places.len() {
            self.places.resize(number + 1, Place::default());
        }
        self.entered += 1;
        self.places[number] = Place {
            index: self.entered,
            low: self.entered,
            open: true,
            leaves: false,
        };
        let events = frame.successors.iter().map(|s| s.0).collect();
        self.open.push((frame.number, events));
    }

    fn at(&mut self, number: u32) -> &mut Place {
        &mut self.places[number as usize]
    }

    /// Where the component of that root begins among the open states.
    fn first(&self, root: u32) -> usize {
        let found = self.open.iter().rposition(|(n, _)| *n == root);
        found.unwrap_or(self.open.len())
    }

    /// An arc that leads to a state that was met before.
    fn arc(&mut self, from: u32, to: u32, last: bool) {
        let target = *self.at(to);
        let source = self.at(from);
        if target.open {
            source.low = source.low.min(target.index);
        } else if !last {
            source.leaves = true; // after a last event nothing goes on
        }
    }

    /// The state is left; `last` says that a last event led to it.
    fn leave(&mut self, number: u32, parent: Option<u32>, last: bool) {
        let place = *self.at(number);
        let complete = place.low == place.index;
        if complete {
            let first = self.first(number);
            for (member, _) in self.open.split_off(first) {
                self.at(member).open = false;
            }
        }
        if let Some(parent) = parent {
            let parent = self.at(parent);
            parent.low = parent.low.min(place.low);
            parent.leaves |= if complete { !last } else { place.leaves };
        }
    }
}

impl<H: RecordHash> Reduced<'_, '_, H> {
    /// Depth-first search with the proviso of components.
    pub(crate) fn by_components(&mut self) -> Result<(), Halt> {
        self.search.store_initial()?;
        let mut components = Components::default();
        let mut stack: Vec<Frame> = Vec::new();
        if let Some(frame) = self.visit(0, SleepSets::EMPTY)? {
            components.enter(&frame);
            stack.push(frame);
        }
        while let Some(frame) = stack.last_mut() {
            let number = frame.number;
            let Some(&(event, next)) = frame.successors.get(frame.next) else {
                if self.go_on(frame, &mut components)? {
                    continue;
                }
                stack.pop();
                let parent = stack.last();
                let by = parent.map(|f| f.successors[f.next - 1].0);
                let last = by.is_some_and(|e| self.is_last(e));
                components.leave(number, parent.map(|f| f.number), last);
                continue;
            };
            frame.next += 1;
            if self.expanded.get(next) {
                self.figures.matched += 1;
                components.arc(number, next, self.is_last(event));
            } else if let Some(frame) = self.visit(next, SleepSets::EMPTY)? {
                components.enter(&frame);
                stack.push(frame);
                self.figures.depth = self.figures.depth.max(stack.len() as u64 - 1);
            }
        }
        Ok(())
    }

    fn is_last(&self, event: u32) -> bool {
        self.reduction
            .is_some_and(|r| r.dependency.last.contains(event))
    }

    /// Whether the root of a component that nothing leaves has more to execute; then the frame has it.
    fn go_on(&mut self, frame: &mut Frame, components: &mut Components) -> Result<bool, Halt> {
        let place = *components.at(frame.number);
        if place.low != place.index || place.leaves {
            return Ok(false);
        }
        let first = components.first(frame.number);
        let here = components.open[first].1.clone();
        let mut anywhere: Vec<u32> = Vec::new();
        for (_, events) in &components.open[first..] {
            anywhere.extend(events);
        }
        self.search.work += anywhere.len();
        self.search.look_up_in_time()?;
        self.search.load(frame.number);
        let events = self
            .choice
            .go_on(self.search, frame.number, (&here, &anywhere))?;
        if events.is_empty() {
            return Ok(false);
        }
        self.choice
            .execute(self.search, frame.number, Some(&events))?;
        frame.successors = self.store_successors(frame.number)?;
        frame.next = 0;
        self.choice.forget(self.search);
        components.open[first].1.extend(events);
        Ok(true)
    }
}
