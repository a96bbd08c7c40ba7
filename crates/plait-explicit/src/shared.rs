//! A set of packed states into which several threads write at once, without locks.
//!
//! Records lie by number in segments that never move, with the number of the state that each was
//! found from and whether somebody has set out to expand it; `table` is the index, and says why no
//! state is stored twice.
//!
//! Invariant: a number that lost its race for a slot is nobody's: its thread keeps it as a *spare* for
//! the next record. A thread has one spare at most; those left over are closed up in the end
//! (`close_up`).
//!
//! Everything else (a larger index, another layout) needs the set for oneself, `&mut`.

use std::sync::atomic::Ordering;

use crate::hash::RecordHash;
use crate::repacking::Repacking;
use crate::segments::Segments;
use crate::store::Inserted;
use crate::sync::{AtomicU32, AtomicU64, OnceLock};
use crate::table::{zeros, Met, NoMemory, Table};

/// Words in a segment, as a power of two, for records that are small enough: one mebibyte. In tests
/// there are many segments, however few the states.
const SEGMENT_WORDS_LOG2: u32 = if cfg!(test) { 3 } else { 17 };
/// Slots of the first index.
const SMALLEST: usize = if cfg!(test) { 1 << 4 } else { 1 << 10 };

/// Why a state could not be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Numbers have run out: the index must grow, or there are as many states as are allowed.
    Full,
    /// Memory has.
    NoMemory,
}

/// Records by number, where each was found from, and whether somebody has set out to expand it.
#[derive(Debug)]
struct Segment {
    words: Box<[AtomicU64]>,
    parents: Box<[AtomicU32]>,
    claims: Box<[AtomicU64]>,
}

impl Segment {
    fn new(records: usize, stride: usize) -> Result<Segment, NoMemory> {
        Ok(Segment {
            words: zeros(records * stride, || AtomicU64::new(0))?,
            parents: zeros(records, || AtomicU32::new(0))?,
            claims: zeros(records.div_ceil(64), || AtomicU64::new(0))?,
        })
    }
}

/// The set.
#[derive(Debug)]
pub(crate) struct Shared {
    stride: usize,
    /// Records in a segment, as a power of two.
    log2: u32,
    /// For all numbers that the index has room for; those in use are there.
    segments: Vec<OnceLock<Segment>>,
    table: Table,
    /// Numbers are smaller than this.
    limit: u32,
    /// And so many are allowed, whatever the index.
    most: u32,
    next: AtomicU32,
    /// Segments that are there.
    made: AtomicU32,
}

/// What a thread has in hand: numbers that it took and did not use.
#[derive(Debug, Default)]
pub(crate) struct Hand {
    pub spares: Vec<u32>,
}

/// A set without spares.
#[derive(Debug)]
pub(crate) struct ClosedUp {
    pub records: Segments,
    /// The parents of all but the first.
    pub parents: Vec<u32>,
    /// States that have other numbers now: the old and the new one.
    pub moved: Vec<(u32, u32)>,
}

impl Shared {
    /// An empty set of records of so many words; never more than `most` of them.
    pub fn new(stride: usize, most: u32) -> Result<Shared, NoMemory> {
        let mut set = Shared {
            stride,
            log2: log2_for(stride),
            segments: Vec::new(),
            table: Table::with_slots(SMALLEST)?,
            limit: 0,
            most,
            next: AtomicU32::new(0),
            made: AtomicU32::new(0),
        };
        set.make_places()?;
        Ok(set)
    }

    /// Makes places for the segments that the index can need.
    fn make_places(&mut self) -> Result<(), NoMemory> {
        self.limit = self.table.limit().min(self.most as usize) as u32;
        let segments = (self.limit as usize >> self.log2) + 1;
        let more = segments.saturating_sub(self.segments.len());
        self.segments.try_reserve(more).map_err(|_| NoMemory)?;
        self.segments.resize_with(segments, OnceLock::new);
        Ok(())
    }

    /// Numbers given out so far, spares among them.
    pub fn numbers(&self) -> usize {
        self.next.load(Ordering::Relaxed) as usize
    }

    /// Whether no number is left however large the index is.
    pub fn is_at_most(&self) -> bool {
        self.numbers() >= self.most as usize
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let segments = u64::from(self.made.load(Ordering::Relaxed));
        segments * self.segment_bytes() + self.index_bytes()
    }

    /// Bytes of the index.
    pub fn index_bytes(&self) -> u64 {
        self.table.bytes()
    }

    /// Bytes of one more segment.
    pub fn segment_bytes(&self) -> u64 {
        (8 * self.stride as u64 + 5) << self.log2
    }

    /// Bytes of the index that `grow` would make.
    pub fn larger_bytes(&self) -> u64 {
        self.table.larger_bytes()
    }

    fn segment(&self, number: u32) -> Option<(&Segment, usize)> {
        let segment = self.segments.get(number as usize >> self.log2)?.get()?;
        Some((segment, number as usize & ((1 << self.log2) - 1)))
    }

    /// The packed state of that number, which somebody has stored.
    #[inline]
    pub fn read(&self, number: u32, record: &mut Vec<u64>) {
        record.clear();
        if let Some((segment, index)) = self.segment(number) {
            let words = &segment.words[index * self.stride..][..self.stride];
            record.extend(words.iter().map(|w| w.load(Ordering::Relaxed)));
        }
    }

    /// Whether the state of that number is this one.
    #[inline]
    fn is(&self, number: u32, record: &[u64]) -> bool {
        self.segment(number).is_some_and(|(segment, index)| {
            let words = &segment.words[index * self.stride..][..self.stride];
            let mut pairs = words.iter().zip(record);
            pairs.all(|(mine, word)| mine.load(Ordering::Relaxed) == *word)
        })
    }

    /// The number of a state, if it is seen to be there; another thread may just be storing it.
    #[inline]
    pub fn find(&self, record: &[u64], hash: u64) -> Option<u32> {
        self.table.find(hash, |number| self.is(number, record)).ok()
    }

    /// Adds a packed state found from `parent`; of several threads that bring it, one is told that
    /// it is new. `allows` is asked before a segment is made.
    pub fn insert(
        &self,
        record: &[u64],
        hash: u64,
        parent: u32,
        hand: &mut Hand,
        mut allows: impl FnMut(u64, u64) -> bool,
    ) -> Result<Inserted, Refused> {
        let is_it = |number: u32| self.is(number, record);
        let write = || self.write(record, parent, hand, &mut allows);
        match self.table.insert(hash, is_it, write)? {
            Met::New { number, .. } => Ok(Inserted::New(number)),
            Met::Old { number, spare } => {
                hand.spares.extend(spare);
                Ok(Inserted::Old(number))
            }
        }
    }

    /// Writes a record under a number that nobody else has.
    #[inline]
    fn write(
        &self,
        record: &[u64],
        parent: u32,
        hand: &mut Hand,
        allows: &mut impl FnMut(u64, u64) -> bool,
    ) -> Result<u32, Refused> {
        let number = match hand.spares.pop() {
            Some(spare) => spare,
            None => {
                let next = |n: u32| (n < self.limit).then(|| n + 1);
                self.next
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
                    .map_err(|_| Refused::Full)?
            }
        };
        if self.segment(number).is_none() && self.add_segment(number, allows).is_err() {
            hand.spares.push(number);
            return Err(Refused::NoMemory);
        }
        if let Some((segment, index)) = self.segment(number) {
            let words = &segment.words[index * self.stride..][..self.stride];
            for (mine, word) in words.iter().zip(record) {
                mine.store(*word, Ordering::Relaxed);
            }
            segment.parents[index].store(parent, Ordering::Relaxed);
        }
        Ok(number)
    }

    #[cold]
    fn add_segment(
        &self,
        number: u32,
        allows: &mut impl FnMut(u64, u64) -> bool,
    ) -> Result<(), NoMemory> {
        if !allows(self.bytes(), self.segment_bytes()) {
            return Err(NoMemory);
        }
        let segment = Segment::new(1 << self.log2, self.stride)?;
        // Two threads may both have made one; the first is taken.
        if self.segments[number as usize >> self.log2]
            .set(segment)
            .is_ok()
        {
            self.made.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Sets out to expand a state; whether this is the first to do so.
    ///
    /// Claims and `is_claimed` are sequentially consistent: all threads see them in one order, on
    /// which the proviso rests.
    #[inline]
    pub fn claim(&self, number: u32) -> bool {
        self.segment(number).is_some_and(|(segment, index)| {
            let bit = 1 << (index % 64);
            segment.claims[index / 64].fetch_or(bit, Ordering::SeqCst) & bit == 0
        })
    }

    /// Whether somebody has set out to expand the state.
    #[inline]
    pub fn is_claimed(&self, number: u32) -> bool {
        self.segment(number).is_some_and(|(segment, index)| {
            segment.claims[index / 64].load(Ordering::SeqCst) >> (index % 64) & 1 == 1
        })
    }

    /// Makes a larger index. The spares of all threads are nobody's states.
    pub fn grow<H: RecordHash>(&mut self, hash: &H, spares: &[u32]) -> Result<(), NoMemory> {
        self.table.grow()?;
        self.make_places()?;
        self.reindex(hash, spares);
        Ok(())
    }

    /// Enters all records into an empty index.
    fn reindex<H: RecordHash>(&mut self, hash: &H, spares: &[u32]) {
        let mut record = Vec::with_capacity(self.stride);
        for number in (0..self.next.load(Ordering::Relaxed)).filter(|n| !spares.contains(n)) {
            self.read(number, &mut record);
            self.table.add(hash.hash(&record), number);
        }
    }

    /// Gives all records another form; each old segment is freed when it has been seen.
    pub fn repack<H: RecordHash>(
        &mut self,
        repacking: &Repacking,
        stride: usize,
        hash: &H,
        spares: &[u32],
    ) -> Result<(), NoMemory> {
        let old_log2 = std::mem::replace(&mut self.log2, log2_for(stride));
        let old_stride = std::mem::replace(&mut self.stride, stride);
        let old = std::mem::take(&mut self.segments);
        self.made.store(0, Ordering::Relaxed);
        self.table.clear();
        self.make_places()?;
        let mut record = vec![0; stride];
        let mut before = vec![0; old_stride];
        let count = self.next.load(Ordering::Relaxed);
        for (first, segment) in (0u32..).step_by(1 << old_log2).zip(old) {
            let Some(segment) = segment.into_inner() else {
                continue;
            };
            for number in first..count.min(first + (1 << old_log2)) {
                let index = (number - first) as usize;
                let words = &segment.words[index * old_stride..][..old_stride];
                for (word, mine) in before.iter_mut().zip(words) {
                    *word = mine.load(Ordering::Relaxed);
                }
                repacking.apply(&before, &mut record);
                let parent = segment.parents[index].load(Ordering::Relaxed);
                let claims = segment.claims[index / 64].load(Ordering::Relaxed);
                let claimed = claims >> (index % 64) & 1 == 1;
                self.put(number, &record, parent, claimed)?;
            }
        }
        self.reindex(hash, spares);
        Ok(())
    }

    fn put(
        &mut self,
        number: u32,
        record: &[u64],
        parent: u32,
        claimed: bool,
    ) -> Result<(), NoMemory> {
        if self.segment(number).is_none() {
            self.add_segment(number, &mut |_, _| true)?;
        }
        if let Some((segment, index)) = self.segment(number) {
            let words = &segment.words[index * self.stride..][..self.stride];
            for (mine, word) in words.iter().zip(record) {
                mine.store(*word, Ordering::Relaxed);
            }
            segment.parents[index].store(parent, Ordering::Relaxed);
            let bit = u64::from(claimed) << (index % 64);
            segment.claims[index / 64].fetch_or(bit, Ordering::Relaxed);
        }
        Ok(())
    }

    fn parent(&self, number: u32) -> u32 {
        self.segment(number)
            .map_or(0, |(s, index)| s.parents[index].load(Ordering::Relaxed))
    }

    /// What is stored, when all is over: the last states take the numbers of the spares.
    pub fn close_up(mut self, mut spares: Vec<u32>) -> Result<ClosedUp, NoMemory> {
        let numbers = self.next.load(Ordering::Relaxed);
        spares.sort_unstable();
        let count = numbers - spares.len() as u32;
        let holes = spares.iter().copied().filter(|n| *n < count);
        let late = (count..numbers).filter(|n| spares.binary_search(n).is_err());
        let moved: Vec<(u32, u32)> = late.zip(holes).collect();
        let mut record = Vec::new();
        for (old, new) in &moved {
            self.read(*old, &mut record);
            let parent = self.parent(*old);
            self.put(*new, &record, parent, true)?;
        }
        let renamed = |n: u32| match moved.iter().find(|(old, _)| *old == n) {
            Some((_, new)) if n >= count => *new,
            _ => n,
        };
        let mut parents = Vec::new();
        parents
            .try_reserve_exact(count as usize)
            .map_err(|_| NoMemory)?;
        let mut records = Segments::new(self.stride);
        for number in 0..count {
            self.read(number, &mut record);
            if !records.push(&record) {
                return Err(NoMemory);
            }
            if number > 0 {
                parents.push(renamed(self.parent(number)));
            }
            let index = number as usize + 1;
            if index.is_multiple_of(1 << self.log2) {
                self.segments[(index >> self.log2) - 1] = OnceLock::new(); // freed as we go
            }
        }
        Ok(ClosedUp {
            records,
            parents,
            moved,
        })
    }
}

fn log2_for(stride: usize) -> u32 {
    let stride_log2 = stride.next_power_of_two().trailing_zeros();
    SEGMENT_WORDS_LOG2.saturating_sub(stride_log2)
}
