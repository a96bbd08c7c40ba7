//! The free events, laid out for the inner loop.
//!
//! Most events of most models have one net-like variant. Their tests and updates lie in two flat
//! arrays, one event after the other, so that trying all events of a state is a walk forward
//! through memory; an event that is not enabled usually costs one test.
//!
//! Even that is too much for a model with thousands of events, of which a state enables five; these
//! are found by an index over the values that they ask for.

use plait_program::event_index::EventIndex;
use plait_program::{Program, Test, Update};

/// How a free event is executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub event: u32,
    /// One net-like variant without conditions, and a title of its own.
    pub simple: bool,
    /// Where its tests are, if it has one form, and its updates, if it is simple.
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
    index: Option<EventIndex>,
}

/// With fewer events the walk through all is as fast as the index.
const INDEXED: usize = 48;

impl Plans {
    pub fn new(program: &Program) -> Plans {
        let mut plans = Plans {
            shared_title: shared_titles(program),
            ..Plans::default()
        };
        for &event in program.free() {
            let (test, update) = (plans.tests.len() as u32, plans.updates.len() as u32);
            let compiled = &program.events()[event as usize];
            if let [line] = compiled.lines() {
                plans.tests.extend_from_slice(line.tests());
            }
            let mut simple = false;
            if let Some([variant]) = compiled.variants() {
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
            let index = EventIndex::new(program, program.free());
            plans.index = index.filter(|index| cfg!(test) || index.is_worth_it());
        }
        plans
    }

    /// Marks in `bits` the plans that the state does not rule out at a glance; `false` when there is
    /// no index, and all are to be tried.
    #[inline]
    pub fn mark(&self, cells: &[i32], bits: &mut Vec<u64>) -> bool {
        match &self.index {
            Some(index) => {
                index.mark(cells, bits);
                true
            }
            None => false,
        }
    }

    /// Marks in `bits` the plans to try in the state: what it does not rule out at a glance, or all.
    pub fn mark_possible(&self, cells: &[i32], bits: &mut Vec<u64>) {
        if self.mark(cells, bits) {
            return;
        }
        let count = self.plans.len();
        bits.clear();
        bits.resize(count.div_ceil(64), u64::MAX);
        if let (Some(last), 1..) = (bits.last_mut(), count % 64) {
            *last = (1 << (count % 64)) - 1;
        }
    }

    /// The tests of an event with one form; none of others.
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

fn shared_titles(program: &Program) -> Vec<bool> {
    let mut count = vec![0u32; program.events().len()];
    for event in program.free() {
        count[program.events()[*event as usize].title as usize] += 1;
    }
    let shared = |e: &plait_program::Event| count[e.title as usize] > 1;
    program.events().iter().map(shared).collect()
}
