//! Stubborn sets made minimal by deletion: enabled events are taken out again, one after the other, with
//! everything that cannot stay without them, as long as an enabled event is left (Varpaaniemi; Laarman,
//! Pater, van de Pol, Hansen: Guard-based partial-order reduction, STTT 2016).
//!
//! Invariant: what is left is closed under what its events need, and has an enabled event.

use std::sync::Arc;

use crate::bits::BitSet;
use crate::dependency::Dependency;
use crate::stubborn::Selector;

impl Selector {
    /// Takes enabled events out of the best set again, one after the other, with everything that
    /// cannot stay without them, as long as an enabled event is left.
    pub(crate) fn delete(&mut self) -> BitSet {
        let dependency = Arc::clone(&self.dependency);
        let mut kept = self.best.clone();
        let order: Vec<u32> = kept.iter().filter(|e| self.enabled.contains(*e)).collect();
        for event in order {
            if kept.contains(event) {
                let mut fewer = kept.clone();
                fewer.remove(event);
                if self.settle(&dependency, &mut fewer) {
                    kept = fewer;
                }
            }
        }
        kept.keep(&self.enabled);
        kept
    }

    /// Removes what cannot stay; whether an enabled event is left.
    fn settle(&mut self, dependency: &Dependency, set: &mut BitSet) -> bool {
        loop {
            let members: Vec<u32> = set.iter().collect();
            let mut changed = false;
            for event in members {
                if !self.may_stay(dependency, event, set) {
                    set.remove(event);
                    changed = true;
                }
            }
            if !set.meets(&self.enabled) {
                return false;
            }
            if !changed {
                return true;
            }
        }
    }

    fn may_stay(&mut self, dependency: &Dependency, event: u32, set: &BitSet) -> bool {
        if self.enabled.contains(event) {
            let row = self.row(dependency, event, true);
            return row.is_within_of(set, &self.present);
        }
        let mut blocked = true;
        for number in &dependency.guards[event as usize] {
            if !self.holds(dependency, *number) {
                blocked = false;
                for source in self.candidates(dependency, *number).into_iter().flatten() {
                    let needed = self.source(dependency, event, source);
                    if needed.is_within_of(set, &self.present) {
                        return true;
                    }
                }
            }
        }
        blocked && dependency.touching[event as usize].is_within_of(set, &self.present)
    }
}
