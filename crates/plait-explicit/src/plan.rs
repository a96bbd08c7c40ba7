//! The free events, laid out for the inner loop.
//!
//! Most events of most models have one net-like variant. Their tests and updates lie in two flat
//! arrays, one event after the other, so that trying all events of a state is a walk forward
//! through memory; an event that is not enabled usually costs one test.
//!
//! Even that is too much for a model with thousands of events, of which a state enables five. Events
//! of processes all test a program counter for one value: so the plans are indexed by a cell that
//! many of them compare with constants, and a state tries only those that its values call for, in
//! the same order as before.

use std::collections::HashMap;

use plait_program::{Program, Test, Update};

/// How a free event is executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub event: u32,
    /// One net-like variant without conditions, and a title of its own.
    pub simple: bool,
    /// Where its tests are, if it has one variant, and its updates, if it is simple.
    tests: (u32, u32),
    updates: (u32, u32),
}

impl Plan {
    /// Where the tests of a simple event begin among all tests.
    #[inline]
    pub fn first_test(&self) -> u32 {
        self.tests.0
    }
}

/// All free events in order.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    pub plans: Vec<Plan>,
    pub tests: Vec<Test>,
    pub updates: Vec<Update>,
    /// For each event, whether another free event has the same title; arcs are told apart by title.
    pub shared_title: Vec<bool>,
    /// Which plans to try in a state; without one, all.
    index: Option<Index>,
}

/// With fewer events the walk through all is as fast as the index.
const INDEXED: usize = 48;

/// The plans by the values of a few cells.
#[derive(Debug, Default)]
struct Index {
    /// A bit for each plan that is tried in every state.
    always: Vec<u64>,
    cells: Vec<IndexedCell>,
}

/// The plans that need a cell to have a certain value.
#[derive(Debug)]
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

    fn add(&mut self, value: i32, plan: u32) {
        let offset = i64::from(value) - i64::from(self.low);
        if (0..NEAR as i64).contains(&offset) {
            let offset = offset as usize;
            if self.near.len() <= offset {
                self.near.resize_with(offset + 1, Vec::new);
            }
            self.near[offset].push(plan);
        } else {
            self.far.entry(value).or_default().push(plan);
        }
    }

    #[inline]
    fn plans(&self, value: i32) -> &[u32] {
        let offset = value.wrapping_sub(self.low) as u32 as usize;
        match self.near.get(offset) {
            Some(plans) => plans,
            None if self.far.is_empty() => &[],
            None => self.far.get(&value).map_or(&[], Vec::as_slice),
        }
    }
}

/// The numbers of the bits that are set, in ascending order.
#[inline]
pub(crate) fn marked(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
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

impl Plans {
    pub fn new(program: &Program) -> Plans {
        let mut plans = Plans {
            shared_title: shared_titles(program),
            ..Plans::default()
        };
        for &event in program.free() {
            let (test, update) = (plans.tests.len() as u32, plans.updates.len() as u32);
            let variants = program.events()[event as usize].variants();
            let mut simple = false;
            if let Some([variant]) = variants {
                plans.tests.extend_from_slice(variant.tests());
                if let (Some(updates), false) = (variant.net(), variant.has_conditions()) {
                    simple = !plans.shared_title[event as usize];
                    if simple {
                        plans.updates.extend_from_slice(updates);
                    }
                }
            }
            plans.plans.push(Plan {
                event,
                simple,
                tests: (test, plans.tests.len() as u32),
                updates: (update, plans.updates.len() as u32),
            });
        }
        // In tests half of the programs are indexed, however small they are.
        let many = if cfg!(test) {
            plans.plans.len().is_multiple_of(2)
        } else {
            plans.plans.len() >= INDEXED
        };
        if many {
            plans.index = Index::new(program);
        }
        plans
    }

    /// Marks in `bits` the plans that the state does not rule out at a glance; `false` when there is
    /// no index, and all are to be tried.
    #[inline]
    pub fn mark(&self, cells: &[i32], bits: &mut Vec<u64>) -> bool {
        let Some(index) = &self.index else {
            return false;
        };
        bits.clear();
        bits.extend_from_slice(&index.always);
        for indexed in &index.cells {
            for plan in indexed.plans(cells[indexed.cell as usize]) {
                bits[*plan as usize / 64] |= 1 << (plan % 64);
            }
        }
        true
    }

    /// The tests of an event with one variant; none of others.
    #[inline]
    pub fn tests(&self, plan: &Plan) -> &[Test] {
        &self.tests[plan.tests.0 as usize..plan.tests.1 as usize]
    }

    /// The updates of a simple event.
    #[inline]
    pub fn updates(&self, plan: &Plan) -> &[Update] {
        &self.updates[plan.updates.0 as usize..plan.updates.1 as usize]
    }
}

impl Index {
    /// The index, unless too few events compare a cell with a constant.
    fn new(program: &Program) -> Option<Index> {
        let needed: Vec<HashMap<u32, Vec<i32>>> = program
            .free()
            .iter()
            .map(|e| needed_values(program, *e))
            .collect();
        // The more values of a cell are asked for, the more it tells apart.
        let mut values: HashMap<u32, std::collections::HashSet<i32>> = HashMap::new();
        for (cell, wanted) in needed.iter().flatten() {
            values.entry(*cell).or_default().extend(wanted);
        }
        let mut index = Index {
            always: vec![0; program.free().len().div_ceil(64)],
            cells: Vec::new(),
        };
        let mut place: HashMap<u32, usize> = HashMap::new();
        let mut indexed = 0;
        for (plan, needed) in (0u32..).zip(&needed) {
            let told = |cell: &u32| (values[cell].len(), std::cmp::Reverse(*cell));
            let best = needed.keys().copied().max_by_key(told);
            let Some(cell) = best.filter(|c| values[c].len() > 1) else {
                index.always[plan as usize / 64] |= 1 << (plan % 64);
                continue;
            };
            indexed += 1;
            let at = *place.entry(cell).or_insert_with(|| {
                let low = values[&cell].iter().copied().min().unwrap_or(0);
                index.cells.push(IndexedCell::new(cell, low));
                index.cells.len() - 1
            });
            for value in &needed[&cell] {
                index.cells[at].add(*value, plan);
            }
        }
        // Looking up a cell costs as much as a few tests.
        (cfg!(test) || indexed > 8 * index.cells.len()).then_some(index)
    }
}

/// The cells that must have one of a few values for the event to be executed, with these values.
fn needed_values(program: &Program, event: u32) -> HashMap<u32, Vec<i32>> {
    let mut found: HashMap<u32, Vec<i32>> = HashMap::new();
    let Some(variants) = program.events()[event as usize].variants() else {
        return found;
    };
    for (number, variant) in variants.iter().enumerate() {
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

fn shared_titles(program: &Program) -> Vec<bool> {
    let mut count = vec![0u32; program.events().len()];
    for event in program.free() {
        count[program.events()[*event as usize].title as usize] += 1;
    }
    let shared = |e: &plait_program::Event| count[e.title as usize] > 1;
    program.events().iter().map(shared).collect()
}
