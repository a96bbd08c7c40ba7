//! What is known of all reachable markings: weighted sums, of weights above 0, that have a limit.
//!
//! A demand whose own weighted sum is above the limit is met by no reachable marking, and with it
//! nothing above it: it need not be looked at. Sums whose limits the state equation shows are what makes
//! backward search practical (Blondin, Finkel, Haase and Haddad, "Approaching the coverability problem
//! continuously", 2016; Geffroy, Leroux and Sutre, "Occam's razor applied to the Petri net coverability
//! problem", 2018). They are believed here: whoever adds one has its proof.

use super::net::{Refused, LARGEST};

/// A sum of places with weights, and what it never exceeds.
#[derive(Clone, Debug)]
pub struct Limit {
    weights: Vec<(u32, u64)>,
    most: u64,
}

impl Limit {
    /// Places, ascending, with weights above 0.
    pub fn new(weights: Vec<(u32, u64)>, most: u64, width: usize) -> Result<Limit, Refused> {
        super::net::check(&weights, width)?;
        if most >= LARGEST {
            return Err(Refused("a limit is too large"));
        }
        Ok(Limit { weights, most })
    }

    /// Whether no reachable marking has all of this.
    pub(crate) fn excludes(&self, demand: &[(u32, u64)]) -> bool {
        let mut rest = self.weights.as_slice();
        let mut sum = 0u128;
        for (place, needed) in demand {
            let skipped = rest.partition_point(|(p, _)| p < place);
            rest = &rest[skipped..];
            if let Some((_, weight)) = rest.first().filter(|(p, _)| p == place) {
                // A weight is below 2^40 and a demand below 2^64: no sum of rows is too large.
                sum = sum.saturating_add(u128::from(*weight) * u128::from(*needed));
                if sum > u128::from(self.most) {
                    return true;
                }
            }
        }
        false
    }
}
