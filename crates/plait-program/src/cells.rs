//! Cells, and sets of cells as sorted ranges.
//!
//! The *support* of an event is which cells it may read and which it may write. An indexed access
//! may touch any cell of its array, and an array may have millions, so a support is a list of ranges.

/// One integer variable of the flat model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its name, for messages.
    pub name: String,
    /// Its value in the initial state.
    pub initial: i32,
    /// The least value that may be assigned.
    pub low: i32,
    /// The greatest value that may be assigned.
    pub high: i32,
}

impl Cell {
    /// Whether the value may be assigned.
    #[inline]
    pub fn admits(&self, value: i32) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether every 32-bit value may be assigned.
    #[inline]
    pub fn is_unrestricted(&self) -> bool {
        self.low == i32::MIN && self.high == i32::MAX
    }
}

/// A set of cells: disjoint ranges `(first, end)` in ascending order, never adjacent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellSet {
    ranges: Vec<(u32, u32)>,
}

impl CellSet {
    /// The union of the ranges `(first, end)`; empty ones are allowed.
    pub fn from_ranges(mut ranges: Vec<(u32, u32)>) -> CellSet {
        ranges.retain(|(first, end)| first < end);
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (first, end) in ranges {
            match merged.last_mut() {
                Some(last) if first <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((first, end)),
            }
        }
        CellSet { ranges: merged }
    }

    /// The ranges `(first, end)` in ascending order.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// Whether the set contains the cell.
    pub fn contains(&self, cell: u32) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= cell);
        after > 0 && cell < self.ranges[after - 1].1
    }

    /// Whether the two sets have a cell in common.
    pub fn intersects(&self, other: &CellSet) -> bool {
        let (mut a, mut b) = (self.ranges.iter(), other.ranges.iter());
        let (mut x, mut y) = (a.next(), b.next());
        while let (Some(p), Some(q)) = (x, y) {
            if p.0 < q.1 && q.0 < p.1 {
                return true;
            }
            if p.1 <= q.1 {
                x = a.next();
            } else {
                y = b.next();
            }
        }
        false
    }
}

/// Which cells an event may read and which it may write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// The cells it may read.
    pub reads: CellSet,
    /// The cells it may write.
    pub writes: CellSet,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranges() -> impl Strategy<Value = Vec<(u32, u32)>> {
        prop::collection::vec((0u32..20, 0u32..20), 0..6)
    }

    fn listed(ranges: &[(u32, u32)]) -> Vec<u32> {
        (0..20)
            .filter(|c| ranges.iter().any(|(a, b)| a <= c && c < b))
            .collect()
    }

    proptest! {
        #[test]
        fn a_cell_set_contains_the_cells_of_its_ranges(a in ranges(), b in ranges()) {
            let (x, y) = (CellSet::from_ranges(a.clone()), CellSet::from_ranges(b.clone()));
            let (p, q) = (listed(&a), listed(&b));
            prop_assert_eq!((0..20).filter(|c| x.contains(*c)).collect::<Vec<_>>(), p.clone());
            prop_assert_eq!(x.intersects(&y), p.iter().any(|c| q.contains(c)));
            prop_assert!(x.ranges().windows(2).all(|w| w[0].1 < w[1].0));
        }
    }
}
