//! Claimed independences put to the test on a state.
//!
//! Two enabled events that are said to accord must close the diamond: each stays possible after the
//! other, and both orders lead to the same states. An event that is said not to enable another must
//! not do so, and no guard may become true by an event that is not among its enablers. The analysis
//! is static and the test executes, so the two have nothing in common but the program.
//!
//! What was promised of marked events is tested too: after a last one nothing is possible, and beside
//! an idle one nothing without that mark. A last event that is only watched for is said to change
//! nothing; then the other event of a pair must not disable it, and that is all.

use plait_program::{Failure, Machine, Program, Scratch, StateSet, Watch};
use plait_reduction::{BitSet, Dependency};

/// A test of one state.
pub(crate) struct Check<'a> {
    pub program: &'a Program,
    pub dependency: &'a Dependency,
    pub machine: &'a mut Machine,
    pub watch: &'a mut dyn Watch,
    /// Pairs tested.
    pub tested: u64,
}

/// Two events and what is wrong with them.
type Wrong = (u32, u32, &'static str);

impl Check<'_> {
    /// The first pair of free events that the state refutes.
    pub fn state(&mut self, cells: &[i32], enabled: &BitSet) -> Result<Option<Wrong>, Failure> {
        let events: Vec<u32> = enabled.iter().collect();
        let after: Vec<StateSet> = events
            .iter()
            .map(|e| self.successors(*e, cells))
            .collect::<Result<_, _>>()?;
        if let Some(wrong) = self.idle(enabled) {
            return Ok(Some(wrong));
        }
        for (i, a) in events.iter().enumerate() {
            for (j, b) in events.iter().enumerate().skip(i + 1) {
                if !self.dependency.conflict.related(*a, *b) {
                    self.tested += 1;
                    if let Some(what) = self.pair((*a, &after[i]), (*b, &after[j]))? {
                        return Ok(Some((*a, *b, what)));
                    }
                }
            }
        }
        for (a, states) in events.iter().zip(&after) {
            if self.dependency.last.contains(*a) {
                if let Some(b) = self.after_last(states)? {
                    return Ok(Some((*a, b, "the second is possible after a last event")));
                }
                continue;
            }
            if let Some((b, what)) = self.enabling(*a, cells, enabled, states)? {
                return Ok(Some((*a, b, what)));
            }
        }
        Ok(None)
    }

    /// Whether two events that are enabled in the state close the diamond there: conditional
    /// independence, by executing both orders. What goes wrong on the way does not.
    pub fn accord_in(&mut self, cells: &[i32], a: u32, b: u32) -> Result<bool, Failure> {
        let outcome = self.successors(a, cells).and_then(|after_a| {
            let after_b = self.successors(b, cells)?;
            let both = !after_a.is_empty() && !after_b.is_empty();
            Ok(both && self.diamond((a, &after_a), (b, &after_b))?.is_none())
        });
        match outcome {
            Err(Failure::Fault(_)) => Ok(false),
            outcome => outcome,
        }
    }

    fn successors(&mut self, event: u32, cells: &[i32]) -> Result<StateSet, Failure> {
        let mut found = StateSet::new(cells.len());
        let mut cells = cells.to_vec();
        let event = self.program.free()[event as usize];
        self.machine
            .successors(self.program, event, &mut cells, self.watch, &mut found)?;
        Ok(found)
    }

    /// An idle event and one without that mark that are possible in the same state.
    fn idle(&self, enabled: &BitSet) -> Option<Wrong> {
        let dependency = self.dependency;
        let idle = enabled.iter().find(|e| dependency.idle.contains(*e))?;
        let event = |e: u32| &self.program.events()[self.program.free()[e as usize] as usize];
        let marked = |e: &u32| event(*e).decl.idle || event(*e).decl.last;
        let other = enabled.iter().find(|e| !marked(e))?;
        Some((idle, other, "the first should wait for the second"))
    }

    /// An event that is possible after a last one.
    fn after_last(&mut self, states: &StateSet) -> Result<Option<u32>, Failure> {
        for b in 0..self.dependency.events() as u32 {
            for state in states.iter() {
                self.tested += 1;
                if !self.successors(b, state)?.is_empty() {
                    return Ok(Some(b));
                }
            }
        }
        Ok(None)
    }

    /// Two events that are said to accord.
    fn pair(
        &mut self,
        a: (u32, &StateSet),
        b: (u32, &StateSet),
    ) -> Result<Option<&'static str>, Failure> {
        let last = |e: u32| self.dependency.last.contains(e);
        let (watched, other) = match (last(a.0), last(b.0)) {
            (true, true) => return Ok(None),
            (true, false) => (a.0, b.1),
            (false, true) => (b.0, a.1),
            (false, false) => return self.diamond(a, b),
        };
        for state in other.iter() {
            if self.successors(watched, state)?.is_empty() {
                return Ok(Some("one disables the other, a last event"));
            }
        }
        Ok(None)
    }

    fn diamond(
        &mut self,
        (a, after_a): (u32, &StateSet),
        (b, after_b): (u32, &StateSet),
    ) -> Result<Option<&'static str>, Failure> {
        let mut ends: [Vec<Vec<i32>>; 2] = [Vec::new(), Vec::new()];
        for (ends, (states, then)) in ends.iter_mut().zip([(after_a, b), (after_b, a)]) {
            for state in states.iter() {
                let next = self.successors(then, state)?;
                if next.is_empty() {
                    return Ok(Some("one disables the other"));
                }
                ends.extend(next.iter().map(<[i32]>::to_vec));
            }
            ends.sort_unstable();
            ends.dedup();
        }
        Ok((ends[0] != ends[1]).then_some("the two orders lead to different states"))
    }

    fn enabling(
        &mut self,
        a: u32,
        cells: &[i32],
        enabled: &BitSet,
        states: &StateSet,
    ) -> Result<Option<(u32, &'static str)>, Failure> {
        let mut scratch = Scratch::default();
        for conjunct in &self.dependency.conjuncts {
            if !conjunct.enablers.contains(a) && !conjunct.guard.holds(cells, &mut scratch) {
                self.tested += 1;
                if states.iter().any(|s| conjunct.guard.holds(s, &mut scratch)) {
                    return Ok(Some((a, "a guard became true that it should not touch")));
                }
            }
        }
        for b in (0..self.dependency.events() as u32).filter(|b| !enabled.contains(*b)) {
            if !self.dependency.depend.related(a, b) {
                self.tested += 1;
                for state in states.iter() {
                    if !self.successors(b, state)?.is_empty() {
                        return Ok(Some((b, "the first enables the second")));
                    }
                }
            }
        }
        Ok(None)
    }
}
