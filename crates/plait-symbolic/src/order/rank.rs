//! The rank of an order: how many independent sums a diagram must remember between its levels.
//!
//! In a net, linear invariants bind the cells: the tokens below a level and those above it are not free
//! of each other. A node has to remember each partial sum of an invariant that is not complete there.
//! With C the matrix of constant changes (a row a cell, a column an event) and its rows split into
//! those below a level and those above, the number of independent invariants that cross is
//!
//! ```text
//! rank(C below) + rank(C above) - rank(C)
//! ```
//!
//! because invariants are the vectors y with y C = 0: all, minus those wholly below, minus those wholly
//! above. So no invariant is ever computed: two eliminations, from the bottom and from the top, give the
//! ranks of all prefixes. (The idea that this count foretells sizes: Amparore, Ciardo, Donatelli, Miner,
//! "iRank: a variable order metric for DEDS subject to linear invariants", 2019.)
//!
//! A cell that some event changes by an amount that is not constant is in no invariant; it is left out.
//!
//! Elimination is modulo a prime and sparse; a row's pivot is the column that is complete first, so
//! that in good orders little fills up. Beyond a limit of work the rank is unknown: it is a figure for
//! choosing, not a promise.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::structure::{Effect, Structure};

const PRIME: u64 = (1 << 31) - 1;

/// The columns of the change matrix, without repetitions, by cell.
pub(crate) struct Changes {
    columns: usize,
    starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

/// The ranks between all levels: entry k is for the cut above level k.
pub(crate) struct Profile {
    pub ranks: Vec<u32>,
}

impl Changes {
    pub fn new(structure: &Structure) -> Changes {
        let cells = structure.cells();
        let mut free = vec![false; cells];
        for event in 0..structure.events() {
            for (cell, effect) in structure.event(event) {
                free[*cell as usize] |= *effect == Effect::Store;
            }
        }
        let mut values: Vec<(u32, u32)> = Vec::new();
        let mut columns: Vec<Range<usize>> = Vec::new();
        for event in 0..structure.events() {
            let start = values.len();
            let mut sign = 1;
            for (cell, effect) in structure.event(event) {
                if let (Effect::Add(amount @ (..=-1 | 1..)), false) = (effect, free[*cell as usize])
                {
                    // An event and its reverse are one column.
                    if values.len() == start {
                        sign = i64::from(*amount).signum();
                    }
                    let value = (sign * i64::from(*amount)).rem_euclid(PRIME as i64);
                    values.push((*cell, value as u32));
                }
            }
            if values.len() > start {
                columns.push(start..values.len());
            }
        }
        let of = |column: &Range<usize>| &values[column.clone()];
        columns.sort_unstable_by(|a, b| of(a).cmp(of(b)));
        columns.dedup_by(|a, b| of(a) == of(b));
        let mut starts = vec![0u32; cells + 1];
        for (cell, _) in columns.iter().flat_map(of) {
            starts[*cell as usize + 1] += 1;
        }
        for cell in 0..cells {
            starts[cell + 1] += starts[cell];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0); starts[cells] as usize];
        for (number, column) in columns.iter().enumerate() {
            for (cell, value) in of(column) {
                let slot = &mut next[*cell as usize];
                entries[*slot as usize] = (number as u32, *value);
                *slot += 1;
            }
        }
        Changes {
            columns: columns.len(),
            starts,
            entries,
        }
    }

    fn row(&self, cell: u32) -> &[(u32, u32)] {
        let cell = cell as usize;
        &self.entries[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// The ranks between levels, bottom first; nothing when that is more work than the limit.
    pub fn profile<'l>(
        &self,
        levels: impl DoubleEndedIterator<Item = &'l [u32]> + Clone,
        limit: u64,
    ) -> Option<Profile> {
        let below = self.prefix_ranks(levels.clone(), limit)?;
        let mut above = self.prefix_ranks(levels.rev(), limit)?;
        above.reverse();
        let all = *below.last()?;
        let above = above[1..].iter().chain(&[0]);
        let ranks = below.iter().zip(above).map(|(b, a)| b + a - all).collect();
        Some(Profile { ranks })
    }

    /// The rank of the rows of the first level, of the first two, and so on.
    fn prefix_ranks<'l>(
        &self,
        levels: impl Iterator<Item = &'l [u32]> + Clone,
        limit: u64,
    ) -> Option<Vec<u32>> {
        let mut complete = vec![0u32; self.columns];
        for (time, cell) in (0..).zip(levels.clone().flatten()) {
            for (column, _) in self.row(*cell) {
                complete[*column as usize] = time;
            }
        }
        let mut elimination = Elimination {
            complete,
            pivots: vec![NONE; self.columns],
            starts: vec![0],
            entries: Vec::new(),
            dense: vec![0; self.columns],
            touched: vec![false; self.columns],
            columns: Vec::new(),
            waiting: BinaryHeap::new(),
            work: limit,
        };
        let mut ranks = Vec::new();
        for level in levels {
            for cell in level {
                elimination.add(self.row(*cell))?;
            }
            ranks.push(elimination.rank());
        }
        Some(ranks)
    }
}

const NONE: u32 = u32::MAX;

/// Rows in echelon form: each has a pivot column in which it is 1 and later rows are 0.
struct Elimination {
    /// When the last row with this column comes.
    complete: Vec<u32>,
    /// The row whose pivot is this column.
    pivots: Vec<u32>,
    /// Where each row begins, and where the last one ends; the pivot comes first.
    starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
    /// The row at hand, and which of its columns have been seen.
    dense: Vec<u64>,
    touched: Vec<bool>,
    columns: Vec<u32>,
    /// The rows to subtract from it.
    waiting: BinaryHeap<Reverse<u32>>,
    work: u64,
}

impl Elimination {
    /// How many rows there are.
    fn rank(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Adds a row; nothing when the limit of work is reached.
    fn add(&mut self, row: &[(u32, u32)]) -> Option<()> {
        for (column, value) in row {
            self.dense[*column as usize] = u64::from(*value);
            self.note(*column);
        }
        // Rows found later may be nonzero in the pivots of earlier ones only if they were added
        // before: reducing by row number, ascending, meets each pivot once.
        while let Some(Reverse(number)) = self.waiting.pop() {
            let number = number as usize;
            let (start, end) = (
                self.starts[number] as usize,
                self.starts[number + 1] as usize,
            );
            let factor = self.dense[self.entries[start].0 as usize];
            if factor != 0 {
                self.work = self.work.checked_sub((end - start) as u64)?;
                for at in start..end {
                    let (column, value) = self.entries[at];
                    let entry = &mut self.dense[column as usize];
                    *entry = (*entry + (PRIME - factor) * u64::from(value)) % PRIME;
                    self.note(column);
                }
            }
        }
        self.keep();
        Some(())
    }

    /// Sees a column of the row at hand; if it is a pivot, its row is to be subtracted.
    fn note(&mut self, column: u32) {
        let at = column as usize;
        if !std::mem::replace(&mut self.touched[at], true) {
            self.columns.push(column);
            if self.pivots[at] != NONE {
                self.waiting.push(Reverse(self.pivots[at]));
            }
        }
    }

    /// Makes a new row of what is left, and clears the scratch.
    fn keep(&mut self) {
        let left = self
            .columns
            .iter()
            .filter(|c| self.dense[**c as usize] != 0);
        let pivot = left.min_by_key(|c| (self.complete[**c as usize], **c));
        if let Some(pivot) = pivot.copied() {
            let scale = inverse(self.dense[pivot as usize]);
            self.pivots[pivot as usize] = self.rank();
            self.entries.push((pivot, 1));
            for column in self.columns.iter().filter(|c| **c != pivot) {
                let value = self.dense[*column as usize] * scale % PRIME;
                if value != 0 {
                    self.entries.push((*column, value as u32));
                }
            }
            self.starts.push(self.entries.len() as u32);
        }
        for column in self.columns.drain(..) {
            self.dense[column as usize] = 0;
            self.touched[column as usize] = false;
        }
    }
}

/// The inverse modulo the prime, by Fermat.
fn inverse(value: u64) -> u64 {
    if value == 1 || value == PRIME - 1 {
        return value;
    }
    let (mut result, mut power, mut exponent) = (1, value % PRIME, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * power % PRIME;
        }
        power = power * power % PRIME;
        exponent >>= 1;
    }
    result
}

impl Profile {
    /// The mean rank of a level.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.ranks.iter().map(|r| f64::from(*r)).sum();
        sum / self.ranks.len().max(1) as f64
    }

    /// The logarithm (base 2) of the sum over levels of 2^rank.
    pub fn peak(&self) -> f64 {
        let most = f64::from(self.ranks.iter().max().copied().unwrap_or(0));
        let share = |r: &u32| (f64::from(*r) - most).exp2();
        most + self.ranks.iter().map(share).sum::<f64>().max(1.0).log2()
    }
}
