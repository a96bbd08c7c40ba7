//! Sets of events as bits, and relations as rows of them.

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set of numbers below `size`.
    pub fn new(size: usize) -> BitSet {
        BitSet {
            words: vec![0; size.div_ceil(64)],
        }
    }

    /// All numbers below `size`.
    pub fn full(size: usize) -> BitSet {
        let mut set = BitSet::new(size);
        (0..size as u32).for_each(|i| set.insert(i));
        set
    }

    /// Adds a number.
    #[inline]
    pub fn insert(&mut self, number: u32) {
        self.words[number as usize / 64] |= 1 << (number % 64);
    }

    /// Takes a number out.
    #[inline]
    pub fn remove(&mut self, number: u32) {
        self.words[number as usize / 64] &= !(1 << (number % 64));
    }

    /// Whether the number is there.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        self.words[number as usize / 64] >> (number % 64) & 1 == 1
    }

    /// Takes everything out.
    #[inline]
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }

    /// How many numbers.
    #[inline]
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// How many numbers are in both sets.
    #[inline]
    pub fn common(&self, other: &BitSet) -> usize {
        let pairs = self.words.iter().zip(&other.words);
        pairs.map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// Whether a number is in both sets.
    #[inline]
    pub fn meets(&self, other: &BitSet) -> bool {
        let mut pairs = self.words.iter().zip(&other.words);
        pairs.any(|(a, b)| a & b != 0)
    }

    /// Whether all numbers of this set are in the other.
    pub fn is_within(&self, other: &BitSet) -> bool {
        let mut pairs = self.words.iter().zip(&other.words);
        pairs.all(|(a, b)| a & !b == 0)
    }

    /// Adds another set.
    #[inline]
    pub fn add(&mut self, other: &BitSet) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a |= b;
        }
    }

    /// Keeps what is in the other set too.
    pub fn keep(&mut self, other: &BitSet) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a &= b;
        }
    }

    /// Takes another set out.
    pub fn subtract(&mut self, other: &BitSet) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a &= !b;
        }
    }

    /// Becomes a copy of the other set, without a new allocation.
    #[inline]
    pub fn copy_from(&mut self, other: &BitSet) {
        self.words.clear();
        self.words.extend_from_slice(&other.words);
    }

    /// The words, lowest numbers first.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Adds the numbers of `other` that are new and in `of`, and calls `visit` with each.
    #[inline]
    pub fn absorb(&mut self, other: &BitSet, of: &BitSet, mut visit: impl FnMut(u32)) {
        let sources = other.words.iter().zip(&of.words);
        for (index, (word, (add, mask))) in self.words.iter_mut().zip(sources).enumerate() {
            let mut new = add & mask & !*word;
            *word |= new;
            while new != 0 {
                visit(index as u32 * 64 + new.trailing_zeros());
                new &= new - 1;
            }
        }
    }

    /// How many numbers of this set that are in `of` are not in `known`: those in `weighed`, and all.
    #[inline]
    pub fn news(&self, of: &BitSet, known: &BitSet, weighed: &BitSet) -> (usize, usize) {
        let sources = of.words.iter().zip(&known.words).zip(&weighed.words);
        let mut counts = (0, 0);
        for (word, ((of, known), weighed)) in self.words.iter().zip(sources) {
            let new = word & of & !known;
            counts.0 += (new & weighed).count_ones() as usize;
            counts.1 += new.count_ones() as usize;
        }
        counts
    }

    /// Whether all numbers of this set that are in `of` are in `other`.
    #[inline]
    pub fn is_within_of(&self, other: &BitSet, of: &BitSet) -> bool {
        let sources = other.words.iter().zip(&of.words);
        let mut words = self.words.iter().zip(sources);
        words.all(|(word, (other, of))| word & of & !other == 0)
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut word = *word;
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros();
                    word &= word - 1;
                    index as u32 * 64 + bit
                })
            })
        })
    }
}

/// A relation between events: a row of bits for each.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    rows: Vec<BitSet>,
}

impl Matrix {
    /// The empty relation on `size` events.
    pub fn new(size: usize) -> Matrix {
        Matrix {
            rows: vec![BitSet::new(size); size],
        }
    }

    /// The events related to this one.
    #[inline]
    pub fn row(&self, event: u32) -> &BitSet {
        &self.rows[event as usize]
    }

    /// The same, to be changed.
    pub fn row_mut(&mut self, event: u32) -> &mut BitSet {
        &mut self.rows[event as usize]
    }

    /// Whether the two are related.
    #[inline]
    pub fn related(&self, a: u32, b: u32) -> bool {
        self.rows[a as usize].contains(b)
    }

    /// Relates each event of one set with each of the other, in this direction.
    pub fn relate(&mut self, from: &BitSet, to: &BitSet) {
        for event in from.iter() {
            self.rows[event as usize].add(to);
        }
    }

    /// Takes another relation out.
    pub fn subtract(&mut self, other: &Matrix) {
        for (row, out) in self.rows.iter_mut().zip(&other.rows) {
            row.subtract(out);
        }
    }

    /// Adds another relation.
    pub fn add(&mut self, other: &Matrix) {
        for (row, more) in self.rows.iter_mut().zip(&other.rows) {
            row.add(more);
        }
    }

    /// The relation the other way round.
    pub fn transposed(&self) -> Matrix {
        let mut turned = Matrix::new(self.rows.len());
        for (from, row) in (0u32..).zip(&self.rows) {
            row.iter()
                .for_each(|to| turned.rows[to as usize].insert(from));
        }
        turned
    }

    /// Events on either side.
    pub fn size(&self) -> usize {
        self.rows.len()
    }
}
