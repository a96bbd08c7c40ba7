//! Arcs by events that share a title.
//!
//! Arcs are told apart by the title of their event and by the state they lead to, so an arc that two
//! events of one title have is one arc. As a rule only one event of a title has successors in a
//! state, for such events are the ends that one block of a program may come to; and the successors of
//! one event are distinct. So the first event's are put aside as they are, packed, and no two are
//! compared before another event of that title has some, too.

use plait_program::StateSet;

use crate::repacking::Repacking;
use crate::table::NoMemory;

/// No event.
const NONE: u32 = u32::MAX;

/// The arcs of one state, as far as their titles are shared.
#[derive(Debug)]
pub(crate) struct SharedTitles {
    /// By title: the event that has had successors first.
    first: Vec<u32>,
    /// The titles that have such an event.
    titles: Vec<u32>,
    /// Rows of a title and a packed successor that have not been compared with others.
    waiting: Vec<i32>,
    /// The other rows.
    seen: StateSet,
    /// Words of a record.
    words: usize,
    row: Vec<i32>,
}

impl SharedTitles {
    /// No arcs; titles are numbers of events, of which there are so many.
    pub fn new(events: usize) -> SharedTitles {
        SharedTitles {
            first: vec![NONE; events],
            titles: Vec::new(),
            waiting: Vec::new(),
            seen: StateSet::new(1),
            words: 0,
            row: Vec::new(),
        }
    }

    /// Another state.
    #[inline]
    pub fn clear(&mut self) {
        if self.titles.is_empty() {
            return;
        }
        for title in self.titles.drain(..) {
            self.first[title as usize] = NONE;
        }
        self.waiting.clear();
        self.seen.clear();
    }

    /// Takes an arc down; whether no other event of the title has had it.
    pub fn insert(&mut self, event: u32, title: u32, record: &[u64]) -> Result<bool, NoMemory> {
        if record.len() != self.words {
            debug_assert!(self.titles.is_empty());
            self.words = record.len();
            self.seen = StateSet::new(row_width(self.words));
        }
        let first = &mut self.first[title as usize];
        if *first == NONE {
            *first = event;
            self.titles.push(title);
        }
        if *first == event {
            extend_row(&mut self.waiting, title as i32, record);
            return Ok(true);
        }
        for row in self.waiting.chunks_exact(row_width(self.words)) {
            self.seen.insert(row).map_err(|_| NoMemory)?;
        }
        self.waiting.clear();
        self.row.clear();
        extend_row(&mut self.row, title as i32, record);
        self.seen.insert(&self.row).map_err(|_| NoMemory)
    }

    /// The layout has changed, in the middle of a state.
    #[cold]
    pub fn repack(&mut self, repacking: &Repacking, words: usize) -> Result<(), NoMemory> {
        let mut record = vec![0; words];
        let mut repacked = |row: &[i32], rows: &mut Vec<i32>| {
            let halves = row[1..].chunks_exact(2);
            let half = |i: i32| u64::from(i as u32);
            let old: Vec<u64> = halves.map(|h| half(h[0]) | half(h[1]) << 32).collect();
            repacking.apply(&old, &mut record);
            extend_row(rows, row[0], &record);
        };
        let mut waiting = Vec::new();
        for row in self.waiting.chunks_exact(row_width(self.words)) {
            repacked(row, &mut waiting);
        }
        let mut seen = StateSet::new(row_width(words));
        for row in self.seen.iter() {
            self.row.clear();
            repacked(row, &mut self.row);
            seen.insert(&self.row).map_err(|_| NoMemory)?;
        }
        (self.waiting, self.seen, self.words) = (waiting, seen, words);
        Ok(())
    }
}

fn row_width(words: usize) -> usize {
    1 + 2 * words
}

#[inline]
fn extend_row(rows: &mut Vec<i32>, title: i32, record: &[u64]) {
    rows.push(title);
    rows.extend(record.iter().flat_map(|w| [*w as i32, (*w >> 32) as i32]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use plait_program::Builder;

    #[test]
    fn an_arc_of_two_events_of_one_title_is_one_also_after_the_layout_has_grown() {
        let mut builder = Builder::new();
        for name in ["x", "y"] {
            builder.cell(name, 0, i32::MIN, i32::MAX).unwrap();
        }
        let program = builder.freeze().unwrap();
        let small = Layout::new(&program).grown_for(&[3, 3], &program);
        let packed = |layout: &Layout, cells: [i32; 2]| {
            let mut record = vec![0; layout.words()];
            layout.encode(&cells, &mut record);
            record
        };
        let mut titles = SharedTitles::new(4);
        let mut layout = small.clone();
        for grown in [layout.grown_for(&[9, -1], &program), small] {
            assert_eq!(titles.insert(0, 0, &packed(&layout, [1, 2])), Ok(true));
            assert_eq!(titles.insert(2, 2, &packed(&layout, [1, 2])), Ok(true));
            assert_eq!(titles.insert(1, 0, &packed(&layout, [2, 1])), Ok(true));
            assert_eq!(titles.insert(1, 0, &packed(&layout, [1, 2])), Ok(false));
            if grown.words() >= layout.words() && grown.bits() > layout.bits() {
                let repacking = Repacking::new(&layout, &grown);
                titles.repack(&repacking, grown.words()).unwrap();
                layout = grown;
            }
            assert_eq!(titles.insert(3, 0, &packed(&layout, [2, 1])), Ok(false));
            assert_eq!(titles.insert(3, 2, &packed(&layout, [1, 2])), Ok(false));
            assert_eq!(titles.insert(3, 2, &packed(&layout, [2, 2])), Ok(true));
            titles.clear();
        }
        assert_eq!(titles.insert(1, 0, &packed(&layout, [1, 2])), Ok(true));
    }
}
