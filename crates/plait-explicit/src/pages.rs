//! Numbers by index, most of them 0, in pages that are allocated when one of theirs is set; and lists
//! of numbers that never move.
//!
//! A label for each state and sub-formula would be far too many where a search looks at few of
//! them. Like `segments` nothing here is ever copied to grow, so memory can be asked for in time.

/// Numbers in a page, as a power of two.
const PAGE_LOG2: u32 = 8;
const PAGE: usize = 1 << PAGE_LOG2;
/// Numbers in a piece of the lists, unless one list has more.
const PIECE: usize = 1 << 16;

/// A number for each index, 0 unless it was set.
#[derive(Clone, Debug)]
pub(crate) struct Pages<T> {
    pages: Vec<Option<Box<[T; PAGE]>>>,
}

impl<T: Copy + Default> Pages<T> {
    pub fn new() -> Pages<T> {
        Pages { pages: Vec::new() }
    }

    #[inline]
    pub fn get(&self, index: u32) -> T {
        match self.pages.get(index as usize >> PAGE_LOG2) {
            Some(Some(page)) => page[index as usize & (PAGE - 1)],
            _ => T::default(),
        }
    }

    /// Sets a number; how many bytes that took.
    #[inline]
    pub fn set(&mut self, index: u32, value: T) -> u64 {
        let number = index as usize >> PAGE_LOG2;
        let mut taken = 0;
        if number >= self.pages.len() {
            let before = self.pages.capacity();
            self.pages.resize(number + 1, None);
            taken += 8 * (self.pages.capacity() - before) as u64;
        }
        let page = self.pages[number].get_or_insert_with(|| {
            taken += (PAGE * std::mem::size_of::<T>()) as u64;
            Box::new([T::default(); PAGE])
        });
        page[index as usize & (PAGE - 1)] = value;
        taken
    }
}

/// Lists of numbers, each known by an index; a list is set once.
#[derive(Clone, Debug)]
pub(crate) struct Lists {
    /// Where each list begins, plus 1: piece and offset.
    places: Pages<u64>,
    /// The length of each list before its numbers.
    pieces: Vec<Vec<u32>>,
}

impl Lists {
    pub fn new() -> Lists {
        Lists {
            places: Pages::new(),
            pieces: Vec::new(),
        }
    }

    /// The list of an index, if it was set.
    #[inline]
    pub fn get(&self, index: u32) -> Option<&[u32]> {
        let place = self.places.get(index).checked_sub(1)?;
        let piece = &self.pieces[(place >> 32) as usize];
        let offset = (place & u64::from(u32::MAX)) as usize;
        let length = piece[offset] as usize;
        Some(&piece[offset + 1..offset + 1 + length])
    }

    /// Sets the list of an index; how many bytes that took.
    pub fn set(&mut self, index: u32, list: &[u32]) -> u64 {
        let needed = list.len() + 1;
        let room = |piece: &Vec<u32>| piece.capacity() - piece.len() >= needed;
        let mut taken = 0;
        if !self.pieces.last().is_some_and(room) {
            let size = PIECE.max(needed);
            taken = 4 * size as u64;
            self.pieces.push(Vec::with_capacity(size));
        }
        let number = self.pieces.len() as u64 - 1;
        if let Some(piece) = self.pieces.last_mut() {
            let place = number << 32 | piece.len() as u64;
            piece.push(list.len() as u32);
            piece.extend_from_slice(list);
            taken += self.places.set(index, place + 1);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_set_is_zero_and_takes_no_page() {
        let mut pages: Pages<u32> = Pages::new();
        assert_eq!(pages.get(u32::MAX), 0);
        let taken = pages.set(100_000, 7);
        assert!(0 < taken && taken < 16_384, "{taken}");
        assert_eq!(pages.set(100_001, 8), 0);
        assert_eq!(
            (pages.get(99_999), pages.get(100_000), pages.get(100_001)),
            (0, 7, 8)
        );
    }

    #[test]
    fn lists_of_any_length_stay_what_they_are() {
        let mut lists = Lists::new();
        let list = |i: u32| vec![i; (i as usize * 37) % 1000];
        for i in (0..1000).rev() {
            lists.set(2 * i, &list(i));
        }
        lists.set(1, &vec![5; 3 * PIECE]);
        assert!((0..1000).all(|i| lists.get(2 * i) == Some(&list(i)[..])));
        assert_eq!(lists.get(1).map(<[u32]>::len), Some(3 * PIECE));
        assert_eq!(lists.get(3), None);
    }
}
