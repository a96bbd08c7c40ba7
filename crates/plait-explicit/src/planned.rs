//! Walks with a plan: how often each event should occur on a run, in whatever order they can.
//!
//! A solution of the state equation of a net says how often events occur, and no run need occur as
//! it says. A walk that prefers what the plan still owes often gets there all the same, with a few
//! other events in between where nothing of the plan is enabled (Thierry-Mieg, "Structural
//! Reductions Revisited", 2020, calls these Parikh walks). When nothing is owed any more the plan
//! begins again.
//!
//! Invariant: `total` is the sum of `owed`.

/// What is still owed of a plan.
#[derive(Debug, Default)]
pub(crate) struct Owed {
    owed: Vec<u32>,
    total: u64,
}

impl Owed {
    /// Begins with a plan: events, each with how often it should occur.
    pub fn begin(&mut self, events: usize, plan: &[(u32, u32)]) {
        self.owed.clear();
        self.owed.resize(events, 0);
        self.total = 0;
        for (event, times) in plan {
            if let Some(owed) = self.owed.get_mut(*event as usize) {
                self.total -= u64::from(*owed);
                *owed = *times;
                self.total += u64::from(*times);
            }
        }
    }

    /// How often an event should still occur.
    pub fn of(&self, event: u32) -> u32 {
        self.owed.get(event as usize).copied().unwrap_or(0)
    }

    /// An event has occurred.
    pub fn pay(&mut self, event: u32) {
        if let Some(owed) = self.owed.get_mut(event as usize) {
            if *owed > 0 {
                *owed -= 1;
                self.total -= 1;
            }
        }
    }

    /// Whether everything has occurred.
    pub fn is_paid(&self) -> bool {
        self.total == 0
    }
}

#[cfg(test)]
mod tests {
    use super::Owed;

    #[test]
    fn what_occurs_is_owed_less_and_never_less_than_nothing() {
        let mut owed = Owed::default();
        owed.begin(3, &[(0, 2), (2, 1), (9, 7)]);
        assert_eq!(
            (owed.of(0), owed.of(1), owed.of(2), owed.of(9)),
            (2, 0, 1, 0)
        );
        owed.pay(0);
        owed.pay(1);
        owed.pay(2);
        owed.pay(2);
        assert!(!owed.is_paid());
        owed.pay(0);
        assert!(owed.is_paid());
        owed.begin(1, &[(0, 1), (0, 3)]);
        assert_eq!(owed.of(0), 3);
        for _ in 0..3 {
            assert!(!owed.is_paid());
            owed.pay(0);
        }
        assert!(owed.is_paid());
    }
}
