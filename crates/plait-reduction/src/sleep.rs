//! Sleep sets: events that a visit of a state need not execute, because an earlier branch did.
//!
//! Every visit of a state carries such a set, and the set of its first visit is stored with it.
//! Most sets occur again and again, so each is stored once and known by a number.
//!
//! Source: Godefroid's thesis, chapter 5.

use std::collections::HashMap;

/// The number of a sleep set.
pub type SleepId = u32;

/// All sleep sets of a search: sorted lists of events.
#[derive(Clone, Debug)]
pub struct SleepSets {
    lists: Vec<Box<[u32]>>,
    numbers: HashMap<Box<[u32]>, SleepId>,
}

impl Default for SleepSets {
    fn default() -> SleepSets {
        SleepSets {
            lists: vec![Box::new([])],
            numbers: HashMap::from([(Box::from([]), 0)]),
        }
    }
}

impl SleepSets {
    /// The number of the empty set.
    pub const EMPTY: SleepId = 0;

    /// The number of a set, given in ascending order.
    pub fn number(&mut self, events: &[u32]) -> SleepId {
        debug_assert!(events.windows(2).all(|w| w[0] < w[1]));
        if let Some(number) = self.numbers.get(events) {
            return *number;
        }
        let number = self.lists.len() as SleepId;
        self.lists.push(events.into());
        self.numbers.insert(events.into(), number);
        number
    }

    /// The events of a set, in ascending order.
    pub fn events(&self, number: SleepId) -> &[u32] {
        &self.lists[number as usize]
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> u64 {
        let events: usize = self.lists.iter().map(|l| l.len()).sum();
        (self.lists.len() * 80 + events * 8) as u64
    }
}

/// The events of a sorted list that are not in another.
pub fn without(list: &[u32], other: &[u32]) -> Vec<u32> {
    let mut left = list.to_vec();
    left.retain(|e| other.binary_search(e).is_err());
    left
}

/// Adds an event to a sorted list.
pub fn fall_asleep(sleep: &mut Vec<u32>, event: u32) {
    if let Err(place) = sleep.binary_search(&event) {
        sleep.insert(place, event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sleep_sets_have_equal_numbers() {
        let mut sets = SleepSets::default();
        assert_eq!(sets.number(&[]), SleepSets::EMPTY);
        let a = sets.number(&[1, 5]);
        assert_eq!(sets.number(&[1, 5]), a);
        assert_ne!(sets.number(&[1]), a);
        assert_eq!(sets.events(a), [1, 5]);
    }
}
