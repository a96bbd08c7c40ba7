//! Intervals of 32-bit integers that may wrap around: the cheapest test of a cell.
//!
//! Every comparison of a cell with a constant is such an interval, `!=` included (it starts one
//! above the constant and goes round to one below it). Membership is one subtraction and one
//! unsigned comparison, and the interval can be moved: `v + d` lies in it, with wrap-around,
//! exactly when `v` lies in the interval shifted by `-d`.

use crate::arithmetic::CompareOp;

/// The integers `low, low + 1, ..., low + span`, wrapping at 32 bits; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    low: i32,
    span: u32,
}

impl Interval {
    /// All integers.
    pub const FULL: Interval = Interval {
        low: i32::MIN,
        span: u32::MAX,
    };

    /// The integers from `low` to `high`.
    ///
    /// # Panics
    /// In debug builds, if `low > high`.
    #[inline]
    pub fn new(low: i32, high: i32) -> Interval {
        debug_assert!(low <= high);
        Interval {
            low,
            span: high.wrapping_sub(low) as u32,
        }
    }

    /// The integers `v` with `v op constant`, or `None` when there are none.
    pub fn of(op: CompareOp, constant: i32) -> Option<Interval> {
        let c = constant;
        Some(match op {
            CompareOp::Equal => Interval::new(c, c),
            CompareOp::NotEqual => Interval {
                low: c.wrapping_add(1),
                span: u32::MAX - 1,
            },
            CompareOp::Less => Interval::new(i32::MIN, c.checked_sub(1)?),
            CompareOp::LessEqual => Interval::new(i32::MIN, c),
            CompareOp::Greater => Interval::new(c.checked_add(1)?, i32::MAX),
            CompareOp::GreaterEqual => Interval::new(c, i32::MAX),
        })
    }

    /// The first element.
    pub fn low(self) -> i32 {
        self.low
    }

    /// How many elements come after the first.
    pub fn span(self) -> u32 {
        self.span
    }

    /// Whether the interval contains `value`.
    #[inline]
    pub fn contains(self, value: i32) -> bool {
        value.wrapping_sub(self.low) as u32 <= self.span
    }

    /// The integers `v` such that `v + delta`, wrapped, lies in this interval.
    pub fn shifted_back(self, delta: i32) -> Interval {
        Interval {
            low: self.low.wrapping_sub(delta),
            span: self.span,
        }
    }

    /// The other integers; `None` when there are none.
    pub fn complement(self) -> Option<Interval> {
        (self.span < u32::MAX).then(|| Interval {
            low: self.low.wrapping_add(self.span as i32).wrapping_add(1),
            span: u32::MAX - 1 - self.span,
        })
    }

    /// Least and greatest element, or `None` when the interval wraps around.
    pub fn bounds(self) -> Option<(i32, i32)> {
        let high = self.low.wrapping_add(self.span as i32);
        (self.low <= high).then_some((self.low, high))
    }

    /// The common elements: `Ok(None)` when there are none, `Err` when they are no interval, since
    /// one of the two goes round and leaves out a part from the middle of the other, or both do.
    pub fn intersection(self, other: Interval) -> Result<Option<Interval>, WrapsAround> {
        match (self.bounds(), other.bounds()) {
            (Some(a), Some(b)) => {
                let (low, high) = (a.0.max(b.0), a.1.min(b.1));
                Ok((low <= high).then(|| Interval::new(low, high)))
            }
            (Some(a), None) => other.outside_hole(a),
            (None, Some(b)) => self.outside_hole(b),
            (None, None) => Err(WrapsAround),
        }
    }

    /// The elements from `low` to `high` that this interval, which goes round, does not leave out.
    fn outside_hole(self, (low, high): (i32, i32)) -> Result<Option<Interval>, WrapsAround> {
        let whole = Interval::new(low, high);
        let Some((first, last)) = self.complement().and_then(Interval::bounds) else {
            return Ok(Some(whole));
        };
        match (first <= low, high <= last) {
            _ if high < first || last < low => Ok(Some(whole)),
            (true, true) => Ok(None),
            (true, false) => Ok(Some(Interval::new(last + 1, high))),
            (false, true) => Ok(Some(Interval::new(low, first - 1))),
            (false, false) => Err(WrapsAround),
        }
    }
}

/// The common elements of two intervals are no interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrapsAround;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edgy() -> impl Strategy<Value = i32> {
        prop_oneof![
            any::<i32>(),
            -3..4i32,
            Just(i32::MIN),
            Just(i32::MAX),
            Just(i32::MIN + 1)
        ]
    }

    proptest! {
        #[test]
        fn an_interval_says_what_its_comparison_says(op in 0usize..6, c in edgy(), v in edgy()) {
            let op = CompareOp::ALL[op];
            let said = Interval::of(op, c).is_some_and(|i| i.contains(v));
            prop_assert_eq!(said, op.apply(v, c));
        }

        #[test]
        fn the_complement_of_an_interval_has_the_other_integers(op in 0usize..6, c in edgy(), v in edgy()) {
            if let Some(i) = Interval::of(CompareOp::ALL[op], c) {
                let other = i.complement().is_some_and(|o| o.contains(v));
                prop_assert_eq!(other, !i.contains(v));
            }
        }

        #[test]
        fn a_shifted_interval_asks_about_the_sum(op in 0usize..6, c in edgy(), d in edgy(), v in edgy()) {
            if let Some(i) = Interval::of(CompareOp::ALL[op], c) {
                prop_assert_eq!(i.shifted_back(d).contains(v), i.contains(v.wrapping_add(d)));
            }
        }

        #[test]
        fn an_intersection_contains_the_common_elements(
            p in 0usize..6, q in 0usize..6, c in edgy(), d in edgy(), v in edgy()
        ) {
            let pair = (Interval::of(CompareOp::ALL[p], c), Interval::of(CompareOp::ALL[q], d));
            if let (Some(a), Some(b)) = pair {
                if let Ok(both) = a.intersection(b) {
                    let said = both.is_some_and(|i| i.contains(v));
                    prop_assert_eq!(said, a.contains(v) && b.contains(v));
                }
            }
        }
    }
}
