//! Which events of a list a state calls for.
//!
//! Events of processes all test a program counter for one value, so that of thousands of events a
//! state enables five. The events are indexed by a cell that many of them compare with constants; a
//! state tries only those that its values call for, in the order of the list.

use std::collections::{HashMap, HashSet};

use crate::program::Program;

/// The events of a list, by the values of a few cells.
#[derive(Clone, Debug, Default)]
pub struct EventIndex {
    /// A bit for each event that is tried in every state.
    always: Vec<u64>,
    cells: Vec<IndexedCell>,
    /// How many events are not tried in every state.
    indexed: usize,
}

/// The events that need a cell to have a certain value.
#[derive(Clone, Debug)]
struct IndexedCell {
    cell: u32,
    /// For the values from `low` on, in a row; those that lie far off are in the map.
    low: i32,
    near: Vec<Vec<u32>>,
    far: HashMap<i32, Vec<u32>>,
}

/// How many values lie near.
const NEAR: usize = 1 << 16;

impl IndexedCell {
    fn new(cell: u32, low: i32) -> IndexedCell {
        IndexedCell {
            cell,
            low,
            near: Vec::new(),
            far: HashMap::new(),
        }
    }

    fn add(&mut self, value: i32, event: u32) {
        let offset = i64::from(value) - i64::from(self.low);
        if (0..NEAR as i64).contains(&offset) {
            let offset = offset as usize;
            if self.near.len() <= offset {
                self.near.resize_with(offset + 1, Vec::new);
            }
            self.near[offset].push(event);
        } else {
            self.far.entry(value).or_default().push(event);
        }
    }

    #[inline]
    fn events(&self, value: i32) -> &[u32] {
        let offset = value.wrapping_sub(self.low) as u32 as usize;
        match self.near.get(offset) {
            Some(events) => events,
            None if self.far.is_empty() => &[],
            None => self.far.get(&value).map_or(&[], Vec::as_slice),
        }
    }
}

impl EventIndex {
    /// The index over a list of events, unless none compares a cell with a constant.
    pub fn new(program: &Program, events: &[u32]) -> Option<EventIndex> {
        let needed: Vec<HashMap<u32, Vec<i32>>> =
            events.iter().map(|e| needed_values(program, *e)).collect();
        // The more values of a cell are asked for, the more it tells apart.
        let mut values: HashMap<u32, HashSet<i32>> = HashMap::new();
        for (cell, wanted) in needed.iter().flatten() {
            values.entry(*cell).or_default().extend(wanted);
        }
        let mut index = EventIndex {
            always: vec![0; events.len().div_ceil(64)],
            cells: Vec::new(),
            indexed: 0,
        };
        let mut place: HashMap<u32, usize> = HashMap::new();
        for (event, needed) in (0u32..).zip(&needed) {
            let told = |cell: &u32| (values[cell].len(), std::cmp::Reverse(*cell));
            let best = needed.keys().copied().max_by_key(told);
            let Some(cell) = best.filter(|c| values[c].len() > 1) else {
                index.always[event as usize / 64] |= 1 << (event % 64);
                continue;
            };
            index.indexed += 1;
            let at = *place.entry(cell).or_insert_with(|| {
                let low = values[&cell].iter().copied().min().unwrap_or(0);
                index.cells.push(IndexedCell::new(cell, low));
                index.cells.len() - 1
            });
            for value in &needed[&cell] {
                index.cells[at].add(*value, event);
            }
        }
        (index.indexed > 0).then_some(index)
    }

    /// Whether it is faster than trying all: looking up a cell costs as much as a few tests.
    pub fn is_worth_it(&self) -> bool {
        self.indexed > 8 * self.cells.len()
    }

    /// Marks in `bits` the places of the events that the state does not rule out at a glance.
    #[inline]
    pub fn mark(&self, cells: &[i32], bits: &mut Vec<u64>) {
        bits.clear();
        bits.extend_from_slice(&self.always);
        for indexed in &self.cells {
            for event in indexed.events(cells[indexed.cell as usize]) {
                bits[*event as usize / 64] |= 1 << (event % 64);
            }
        }
    }
}

/// The numbers of the bits that are set, in ascending order.
#[inline]
pub fn marked(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    bits.iter().enumerate().flat_map(|(place, word)| {
        let mut word = *word;
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                place * 64 + bit
            })
        })
    })
}

/// The cells that must have one of a few values for the event to be executed, with these values.
fn needed_values(program: &Program, event: u32) -> HashMap<u32, Vec<i32>> {
    let mut found: HashMap<u32, Vec<i32>> = HashMap::new();
    let lines = program.events()[event as usize].lines();
    for (number, variant) in lines.iter().enumerate() {
        let mut here: HashMap<u32, i32> = HashMap::new();
        for test in variant.tests() {
            if let Some((value, high)) = test.interval.bounds() {
                if value == high {
                    here.insert(test.cell, value);
                }
            }
        }
        if number == 0 {
            found = here.into_iter().map(|(cell, v)| (cell, vec![v])).collect();
            continue;
        }
        found.retain(|cell, values| {
            let value = here.get(cell);
            if let Some(value) = value.filter(|v| !values.contains(v)) {
                values.push(*value);
            }
            value.is_some()
        });
    }
    found
}
