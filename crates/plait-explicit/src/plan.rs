//! The free events, laid out for the inner loop.
//!
//! Most events of most models have one net-like variant. Their tests and updates lie in two flat
//! arrays, one event after the other, so that trying all events of a state is a walk forward
//! through memory; an event that is not enabled usually costs one test.

use plait_program::{Program, Test, Update};

/// How a free event is executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub event: u32,
    /// One net-like variant without conditions, and a title of its own.
    pub simple: bool,
    /// Where its tests and updates are.
    tests: (u32, u32),
    updates: (u32, u32),
}

/// All free events in order.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    pub plans: Vec<Plan>,
    pub tests: Vec<Test>,
    pub updates: Vec<Update>,
    /// For each event, whether another free event has the same title; arcs are told apart by title.
    pub shared_title: Vec<bool>,
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
                if let (Some(updates), false) = (variant.net(), variant.has_conditions()) {
                    simple = !plans.shared_title[event as usize];
                    if simple {
                        plans.tests.extend_from_slice(variant.tests());
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
        plans
    }

    /// The tests of a simple event.
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
