//! How a state is packed into words.
//!
//! Each cell has a *field*: some bits of one word that hold its value minus a base. All fields
//! start with no bits at all, the base being the initial value, so a cell that never changes costs
//! nothing; when a value does not fit, its field grows to the bits that the values so far need, and
//! the store is repacked. Declared domains do not set the width, they only bound it: a `byte` that
//! stays below four costs two bits.
//!
//! A field never crosses the border of a word, so reading is a shift and a mask, and adding to a
//! cell is adding to its word, shifted, as long as the sum fits: no borrow can leave the field.
//! Fields are placed widest first into the fullest word that still has room; or, for states that are
//! collapsed (`collapse`), in the order of the cells into words that are left half empty, where they
//! stay when they grow.

use plait_program::interval::Interval;
use plait_program::{Cell, CellSet, Program};

/// Where a cell lives in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The word.
    pub word: u32,
    /// The lowest bit.
    pub shift: u32,
    /// As many ones as the field has bits.
    mask: u32,
    /// What the value 0 of the field stands for.
    base: i32,
    /// The values that fit and may be assigned.
    pub fit: Interval,
    bits: u32,
}

impl Field {
    /// As many ones as the field has bits.
    #[inline]
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// What the value 0 of the field stands for.
    #[inline]
    pub fn base(&self) -> i32 {
        self.base
    }

    /// The value of the cell in a record.
    #[inline]
    pub fn read(&self, record: &[u64]) -> i32 {
        let raw = (record[self.word as usize] >> self.shift) as u32 & self.mask;
        self.base.wrapping_add(raw as i32)
    }

    /// Replaces the value of the cell in a record; it must fit.
    #[inline]
    pub fn write(&self, record: &mut [u64], value: i32) {
        debug_assert!(self.fit.contains(value));
        let word = &mut record[self.word as usize];
        let raw = value.wrapping_sub(self.base) as u32;
        *word &= !(u64::from(self.mask) << self.shift);
        *word |= u64::from(raw) << self.shift;
    }

    /// Moves the value of the cell from `old` to `new`; both must fit.
    #[inline]
    pub fn add(&self, record: &mut [u64], old: i32, new: i32) {
        debug_assert!(self.fit.contains(old) && self.fit.contains(new));
        let difference = (i64::from(new) - i64::from(old)) as u64;
        let word = &mut record[self.word as usize];
        *word = word.wrapping_add(difference << self.shift);
    }
}

/// Bits of a word that fields are placed in when there shall be room for them to grow.
const HALF: u32 = if cfg!(test) { 8 } else { 32 };

/// Where fields are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    /// In as few words as possible.
    Tight,
    /// Beside their neighbours: cells of one process, or of one channel, change together.
    Together,
}

/// The fields of all cells.
#[derive(Clone, Debug)]
pub struct Layout {
    fields: Vec<Field>,
    /// Words of a record; at least one.
    words: usize,
    /// Bits of all fields.
    bits: u64,
    placement: Placement,
}

impl Layout {
    /// No bits for anybody: only the initial state fits.
    pub fn new(program: &Program) -> Layout {
        Layout::of(program.cells())
    }

    /// The same for any cells.
    pub(crate) fn of(cells: &[Cell]) -> Layout {
        let fields = cells.iter().map(|cell| Field {
            word: 0,
            shift: 0,
            mask: 0,
            base: cell.initial,
            fit: Interval::new(cell.initial, cell.initial),
            bits: 0,
        });
        Layout {
            fields: fields.collect(),
            words: 1,
            bits: 0,
            placement: Placement::Tight,
        }
    }

    /// Base and bits of each field: all that a layout is made from.
    pub(crate) fn parts(&self) -> Vec<(i32, u32)> {
        self.fields.iter().map(|f| (f.base, f.bits)).collect()
    }

    /// The layout with these parts; `None` when they cannot be of this program.
    pub(crate) fn from_parts(program: &Program, parts: &[(i32, u32)]) -> Option<Layout> {
        let mut fields = Layout::new(program).fields;
        if fields.len() != parts.len() {
            return None;
        }
        for ((field, cell), (base, bits)) in fields.iter_mut().zip(program.cells()).zip(parts) {
            let reach = (1i64 << (*bits).min(33)) - 1;
            let high = (i64::from(*base) + reach).min(i64::from(cell.high));
            if *bits > 32 || *base < cell.low || i64::from(cell.initial) > high {
                return None;
            }
            field.base = *base;
            field.bits = *bits;
            field.mask = reach as u32;
            field.fit = Interval::new(*base, high as i32);
        }
        Some(Layout::tight(fields))
    }

    /// The same fields in as few words as possible.
    pub(crate) fn tightened(&self) -> Layout {
        Layout::tight(self.fields.clone())
    }

    /// The same fields, each beside its neighbours, in words with room to grow.
    pub(crate) fn together(&self) -> Layout {
        Layout::placed_together(self.fields.clone())
    }

    /// Whether each field is in the word where it is in the other layout.
    pub(crate) fn has_words_of(&self, other: &Layout) -> bool {
        let mut pairs = self.fields.iter().zip(&other.fields);
        self.words == other.words && pairs.all(|(mine, its)| mine.word == its.word)
    }

    /// The fields, in the order of the cells.
    #[inline]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Words of a record.
    #[inline]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Bits that the fields of a record take.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Whether every value fits.
    pub fn fits(&self, cells: &[i32]) -> bool {
        let mut pairs = self.fields.iter().zip(cells);
        pairs.all(|(field, value)| field.fit.contains(*value))
    }

    /// Unpacks a record.
    #[inline]
    pub fn decode(&self, record: &[u64], cells: &mut [i32]) {
        for (field, cell) in self.fields.iter().zip(cells) {
            *cell = field.read(record);
        }
    }

    /// Packs a state whose values all fit.
    pub fn encode(&self, cells: &[i32], record: &mut [u64]) {
        record.fill(0);
        for (field, cell) in self.fields.iter().zip(cells) {
            debug_assert!(field.fit.contains(*cell));
            let raw = cell.wrapping_sub(field.base) as u32;
            record[field.word as usize] |= u64::from(raw) << field.shift;
        }
    }

    /// The layout in which the fields that are too small for this state have grown.
    pub fn grown_for(&self, cells: &[i32], program: &Program) -> Layout {
        self.grown_within(cells, program.cells())
    }

    /// The same for cells of these domains.
    pub(crate) fn grown_within(&self, cells: &[i32], domains: &[Cell]) -> Layout {
        let mut fields = self.fields.clone();
        for ((field, value), cell) in fields.iter_mut().zip(cells).zip(domains) {
            if !field.fit.contains(*value) {
                grow(field, *value, cell);
            }
        }
        self.placed(fields)
    }

    /// The layout in which every field has grown by a bit, where the cell can change and its domain
    /// has more values.
    pub fn grown_everywhere(&self, program: &Program, written: &CellSet) -> Layout {
        let mut fields = self.fields.clone();
        for ((number, field), cell) in (0u32..).zip(&mut fields).zip(program.cells()) {
            let Some((low, high)) = field.fit.bounds() else {
                continue;
            };
            if written.contains(number) {
                // Upwards first: most cells count from 0, and downwards they would have to grow again.
                if high < cell.high {
                    grow(field, high + 1, cell);
                } else if low > cell.low {
                    grow(field, low - 1, cell);
                }
            }
        }
        self.placed(fields)
    }

    /// Gives fields that have grown their places.
    fn placed(&self, fields: Vec<Field>) -> Layout {
        match self.placement {
            Placement::Tight => Layout::tight(fields),
            Placement::Together => {
                Layout::in_their_words(fields, self.words).unwrap_or_else(Layout::placed_together)
            }
        }
    }

    /// Gives every field its place in the word where it is; the fields, where there is no room.
    fn in_their_words(fields: Vec<Field>, words: usize) -> Result<Layout, Vec<Field>> {
        let mut used = vec![0; words];
        for field in &fields {
            used[field.word as usize] += field.bits;
        }
        if used.iter().any(|bits| *bits > u64::BITS) {
            return Err(fields);
        }
        used.fill(0);
        let mut layout = Layout {
            bits: 0,
            fields,
            words,
            placement: Placement::Together,
        };
        for field in layout.fields.iter_mut().filter(|f| f.bits > 0) {
            let used = &mut used[field.word as usize];
            field.shift = *used;
            *used += field.bits;
            layout.bits += u64::from(field.bits);
        }
        Ok(layout)
    }

    /// Gives every field its place in the order of the cells, half a word at a time.
    fn placed_together(mut fields: Vec<Field>) -> Layout {
        let (mut word, mut used, mut bits) = (0, 0, 0);
        for field in &mut fields {
            if used > 0 && used + field.bits > HALF {
                (word, used) = (word + 1, 0);
            }
            field.word = word;
            field.shift = if field.bits > 0 { used } else { 0 };
            used += field.bits;
            bits += u64::from(field.bits);
        }
        Layout {
            fields,
            words: word as usize + 1,
            bits,
            placement: Placement::Together,
        }
    }

    /// Gives every field its place: best fit, widest first.
    fn tight(mut fields: Vec<Field>) -> Layout {
        let mut by_width: Vec<Vec<u32>> = vec![Vec::new(); 33];
        for (number, field) in (0u32..).zip(&mut fields) {
            by_width[field.bits as usize].push(number);
            (field.word, field.shift) = (0, 0); // where those without bits stay
        }
        // open[r]: the words that have r bits left.
        let mut open: Vec<Vec<u32>> = vec![Vec::new(); 65];
        let mut words = 0;
        for bits in (1..=32usize).rev() {
            for number in &by_width[bits] {
                let left = (bits..=64).find(|left| !open[*left].is_empty());
                let (word, left) = match left.and_then(|l| open[l].pop().map(|w| (w, l))) {
                    Some(found) => found,
                    None => {
                        words += 1;
                        (words - 1, 64)
                    }
                };
                let field = &mut fields[*number as usize];
                field.word = word;
                field.shift = (64 - left) as u32;
                open[left - bits].push(word);
            }
        }
        Layout {
            bits: fields.iter().map(|f| u64::from(f.bits)).sum(),
            fields,
            words: words.max(1) as usize,
            placement: Placement::Tight,
        }
    }
}

/// Makes the field hold `value` besides what it holds, which it did not.
fn grow(field: &mut Field, value: i32, cell: &Cell) {
    let value = i64::from(value);
    let old_low = i64::from(field.base);
    let old_high = old_low + i64::from(field.mask);
    let domain = (i64::from(cell.low), i64::from(cell.high));
    let (low, high) = (
        old_low.min(value).max(domain.0),
        old_high.max(value).min(domain.1),
    );
    let bits = 64 - ((high - low) as u64).leading_zeros();
    let reach = (1i64 << bits) - 1;
    // The slack goes to the side on which the values have been leaving, within the domain.
    let mut base = if value < old_low { high - reach } else { low };
    if base + reach > domain.1 {
        base = domain.1 - reach;
    }
    base = base.max(domain.0);
    field.base = base as i32;
    field.mask = reach as u32;
    field.bits = bits;
    field.fit = Interval::new(base as i32, (base + reach).min(domain.1) as i32);
}
