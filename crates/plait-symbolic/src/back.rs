//! One step back from a state, for events of any kind.
//!
//! Most events are executed from the states that come into question (`trace`). A synchronous step leaves
//! no cell alone, so that all states come into question, and may lead from each of them to more states
//! than can be listed: it is inverted.

use plait_dd::Node;

use crate::encoded::{Encoded, Halt};
use crate::hom::Hom;
use crate::trace::StepBack;

/// An event, and the state that it leads from.
type Step = (u32, Vec<i32>);

impl Encoded {
    /// An event that leads from some state of the set to the state, and that state.
    pub(crate) fn before(
        &mut self,
        back: &mut StepBack<'_>,
        set: Node,
        state: &[i32],
    ) -> Result<Option<Step>, Halt> {
        Ok(self.all_before(back, set, state, 1)?.pop())
    }

    /// Events that lead from states of the set to the state, each with that state; at most so many.
    pub(crate) fn all_before(
        &mut self,
        back: &mut StepBack<'_>,
        set: Node,
        state: &[i32],
        limit: usize,
    ) -> Result<Vec<Step>, Halt> {
        let set = self.dd.root(set);
        let wide = self.wide();
        back.left_out = wide.iter().map(|(event, _)| *event).collect();
        let mut found = back.predecessors(&mut self.dd, set.node(), state, limit)?;
        for (event, hom) in wide {
            if found.len() == limit {
                break;
            }
            // The inverse is exact for what the event leads to, and for nothing else.
            let image = self.image(hom, set.node())?;
            if !self.contains(image.node(), state)? {
                continue;
            }
            let inverse = self.homs.predecessors(&mut self.dd, hom, set.node())?;
            let after = self.single(state)?;
            let before = self.image(inverse, after.node())?;
            let some = self.dd.states(before.node()).take(limit - found.len());
            let some: Vec<_> = some.collect();
            found.extend(some.iter().map(|s| (event, self.state(s))));
        }
        Ok(found)
    }

    /// The wide steps.
    fn wide(&mut self) -> Vec<(u32, Hom)> {
        if self.is_net() {
            return Vec::new();
        }
        let wide = self.events().iter().filter(|e| e.wide);
        wide.map(|e| (e.event, e.hom)).collect()
    }
}
