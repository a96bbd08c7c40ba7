//! A fixpoint under way on one state: Brent's cycle detection, exact, in constant memory.
//!
//! Since a round is a function of the state, a state that comes back will come back for ever. The
//! anchor is moved at rounds 1, 2, 4, ...; once it lies on the cycle and the cycle is shorter than
//! the distance to the next move, the state meets it again.

/// Rounds after which a fixpoint that has not settled is an error of the model.
pub const FIXPOINT_LIMIT: u64 = 100_000;

/// The state before the last round, and one that may come back.
#[derive(Debug)]
pub(crate) struct Fixpoint {
    before: Vec<i32>,
    anchor: Vec<i32>,
    rounds: u64,
}

/// What follows a round.
pub(crate) enum Round {
    Again,
    Settled,
    Never,
}

impl Fixpoint {
    /// Begins in a state.
    pub fn new(cells: &[i32]) -> Fixpoint {
        Fixpoint {
            before: cells.to_vec(),
            anchor: cells.to_vec(),
            rounds: 0,
        }
    }

    /// A round has come to a state.
    pub fn next_round(&mut self, cells: &[i32]) -> Round {
        self.rounds += 1;
        if self.before == cells {
            return Round::Settled;
        }
        if self.rounds >= FIXPOINT_LIMIT || self.anchor == cells {
            return Round::Never;
        }
        self.before.copy_from_slice(cells);
        if self.rounds.is_power_of_two() {
            self.anchor.copy_from_slice(cells);
        }
        Round::Again
    }
}
