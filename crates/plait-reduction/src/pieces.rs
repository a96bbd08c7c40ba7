//! Sets of integers as a few intervals: what a test admits, where a cell can be.
//!
//! A comparison with a constant admits one interval, `!=` two. The algebra here is exact, so that
//! "this increment can never make that test false" is a question about empty sets.

use plait_program::interval::Interval;

/// The least and the greatest 32-bit integer.
pub const LOWEST: i64 = i32::MIN as i64;
/// The greatest 32-bit integer.
pub const HIGHEST: i64 = i32::MAX as i64;

/// Disjoint intervals of 32-bit integers in ascending order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pieces(Vec<(i64, i64)>);

impl Pieces {
    /// The integers from `low` to `high`; none when `low > high`.
    pub fn new(low: i64, high: i64) -> Pieces {
        Pieces::from_list(vec![(low, high)])
    }

    /// All integers.
    pub fn all() -> Pieces {
        Pieces::new(LOWEST, HIGHEST)
    }

    /// The integers of an interval, which may wrap around.
    pub fn of(interval: Interval) -> Pieces {
        match interval.bounds() {
            Some((low, high)) => Pieces::new(low.into(), high.into()),
            None => {
                // It goes over the greatest integer: what is left out is an interval.
                let low = i64::from(interval.low());
                let high = i64::from(interval.low().wrapping_add(interval.span() as i32));
                Pieces::from_list(vec![(LOWEST, high), (low, HIGHEST)])
            }
        }
    }

    fn from_list(mut list: Vec<(i64, i64)>) -> Pieces {
        list.retain(|(low, high)| low <= high);
        list.sort_unstable();
        let mut merged: Vec<(i64, i64)> = Vec::with_capacity(list.len());
        for (low, high) in list {
            match merged.last_mut() {
                Some(last) if low <= last.1 + 1 => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        Pieces(merged)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the integer is among them.
    pub fn contains(&self, value: i64) -> bool {
        self.0.iter().any(|(a, b)| *a <= value && value <= *b)
    }

    /// The intervals.
    pub fn list(&self) -> &[(i64, i64)] {
        &self.0
    }

    /// The least and the greatest, if there are any.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    /// The common ones.
    pub fn and(&self, other: &Pieces) -> Pieces {
        let mut list = Vec::new();
        for (a, b) in &self.0 {
            for (c, d) in &other.0 {
                list.push((*a.max(c), *b.min(d)));
            }
        }
        Pieces::from_list(list)
    }

    /// Those of either.
    pub fn or(&self, other: &Pieces) -> Pieces {
        Pieces::from_list(self.0.iter().chain(&other.0).copied().collect())
    }

    /// Those that are not in the other set.
    pub fn minus(&self, other: &Pieces) -> Pieces {
        let mut left = self.0.clone();
        for (c, d) in &other.0 {
            left = left
                .into_iter()
                .flat_map(|(a, b)| [(a, b.min(c - 1)), (a.max(d + 1), b)])
                .filter(|(a, b)| a <= b)
                .collect();
        }
        Pieces::from_list(left)
    }

    /// Each taken from `whole`; `None` when one of the differences is no 32-bit integer.
    pub fn reflected(&self, whole: i32) -> Option<Pieces> {
        let turn = |(a, b): &(i64, i64)| (i64::from(whole) - b, i64::from(whole) - a);
        let list: Vec<(i64, i64)> = self.0.iter().map(turn).collect();
        let fits = list.iter().all(|(a, b)| *a >= LOWEST && *b <= HIGHEST);
        fits.then(|| Pieces::from_list(list))
    }

    /// Each with `amount` added, wrapping at 32 bits.
    pub fn plus(&self, amount: i32) -> Pieces {
        let mut list = Vec::new();
        for (a, b) in &self.0 {
            let (a, b) = (a + i64::from(amount), b + i64::from(amount));
            list.push((a.max(LOWEST), b.min(HIGHEST)));
            let turn = 1i64 << 32;
            list.push(((a + turn).max(LOWEST), (b + turn).min(HIGHEST)));
            list.push(((a - turn).max(LOWEST), (b - turn).min(HIGHEST)));
        }
        Pieces::from_list(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plait_program::arithmetic::CompareOp;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = i32> {
        prop_oneof![-4..5i32, Just(i32::MIN), Just(i32::MAX), Just(i32::MAX - 1)]
    }

    fn pieces() -> impl Strategy<Value = Pieces> {
        (0..6usize, value()).prop_map(|(op, k)| {
            Interval::of(CompareOp::ALL[op], k).map_or(Pieces::new(1, 0), Pieces::of)
        })
    }

    proptest! {
        #[test]
        fn the_algebra_is_that_of_sets(a in pieces(), b in pieces(), k in value(), v in value()) {
            let x = i64::from(v);
            prop_assert_eq!(a.and(&b).contains(x), a.contains(x) && b.contains(x));
            prop_assert_eq!(a.or(&b).contains(x), a.contains(x) || b.contains(x));
            prop_assert_eq!(a.minus(&b).contains(x), a.contains(x) && !b.contains(x));
            prop_assert_eq!(a.plus(k).contains(i64::from(v.wrapping_add(k))), a.contains(x));
            if let Some(turned) = a.reflected(k) {
                let back = i64::from(k) - x;
                prop_assert_eq!(turned.contains(back), a.contains(x));
            }
            prop_assert_eq!(a.bounds().is_none(), a.is_empty());
        }
    }
}
