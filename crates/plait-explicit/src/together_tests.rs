//! The search by several threads held against the search by one.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use plait_program::testing::random;
use plait_program::testing::recipe;
use plait_program::{Code, Fault};

use crate::budget::{Reason, Unobserved};
use crate::explore::explore_with;
use crate::hash::RecordHash;
use crate::test_support::{counters, FewHashes, Impatient};
use crate::{explore, Exploration, Options};

/// Several threads from the first state on.
fn together(threads: usize, options: &Options) -> Options {
    Options {
        threads,
        alone: 0,
        ..options.clone()
    }
}

fn same_results<A: RecordHash, B: RecordHash>(
    one: Result<Exploration<A>, Fault>,
    many: Result<Exploration<B>, Fault>,
) -> Result<(), TestCaseError> {
    let (one, many) = match (one, many) {
        (Ok(one), Ok(many)) => (one, many),
        // Successors are stored some time after they were computed, so an error and the limit of
        // states can come in either order.
        (Ok(found), Err(_)) => {
            prop_assert_eq!(found.reason(), Some(Reason::States));
            return Ok(());
        }
        (Err(_), Ok(found)) => {
            prop_assert_eq!(found.reason(), Some(Reason::States));
            return Ok(());
        }
        (Err(one), Err(many)) => {
            prop_assert_eq!(one, many);
            return Ok(());
        }
    };
    prop_assert_eq!(one.reason(), many.reason());
    prop_assert_eq!(one.states(), many.states());
    if one.reason() == Some(Reason::States) {
        return Ok(());
    }
    prop_assert_eq!(one.goals(), many.goals());
    prop_assert_eq!(one.bounds(), many.bounds());
    prop_assert_eq!(one.bits_per_state(), many.bits_per_state());
    let (mut a, mut b) = (one.figures().clone(), many.figures().clone());
    (a.bytes, b.bytes) = (0, 0);
    (a.compiled, b.compiled) = (None, None); // as the clock has it
    prop_assert_eq!(format!("{a:?}"), format!("{b:?}"));
    for number in 0..one.states() as u32 {
        prop_assert_eq!(one.state(number), many.state(number));
        if number % 16 == 3 {
            prop_assert_eq!(one.trace(number).unwrap(), many.trace(number).unwrap());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn the_number_of_threads_changes_nothing_that_can_be_seen(
        recipe in random::recipe(), goal in random::condition(), bound in random::integer(),
        threads in 2..5usize, most in 20..400u64, stop in any::<bool>(),
    ) {
        let mut builder = recipe.builder().unwrap();
        let id = recipe::condition(&mut builder, &goal).unwrap();
        let goals = [id, builder.deadlock().unwrap(), builder.enabled(&[0]).unwrap()];
        let goals = goals.map(|id| Code::compile(builder.pool(), id)).to_vec();
        let id = recipe::integer(&mut builder, &bound).unwrap();
        let bounds = vec![Code::compile(builder.pool(), id)];
        let program = Arc::new(builder.freeze().unwrap());
        let options = Options {
            goals,
            bounds: if stop { Vec::new() } else { bounds },
            stop_when_decided: stop,
            max_states: Some(most),
            ..Options::default()
        };
        let many = explore(&program, &together(threads, &options), &mut Unobserved);
        same_results(explore(&program, &options, &mut Unobserved), many)?;
    }

    #[test]
    fn threads_agree_also_when_hashes_collide(recipe in random::recipe(), mask in 0..8u64) {
        let program = Arc::new(recipe.builder().unwrap().freeze().unwrap());
        let options = Options { max_states: Some(150), ..Options::default() };
        let many = explore_with(&program, &together(3, &options), &mut Unobserved, FewHashes(mask));
        same_results(explore(&program, &options, &mut Unobserved), many)?;
    }
}

#[test]
fn large_levels_are_shared_out_and_every_number_stays_the_same() {
    let program = counters(4, 22);
    let one = explore(&program, &Options::default(), &mut Unobserved);
    for threads in [2, 7] {
        let options = Options {
            threads,
            ..Options::default()
        };
        let many = explore(&program, &options, &mut Unobserved);
        same_results(
            explore(&program, &Options::default(), &mut Unobserved),
            many,
        )
        .unwrap();
    }
    assert_eq!(one.unwrap().states(), 23 * 23 * 23 * 23);
}

#[test]
fn limits_stop_all_threads_and_keep_consistent_figures() {
    let program = counters(6, 1000);
    let base = Options {
        threads: 3,
        ..Options::default()
    };
    let found = explore(&program, &base, &mut Impatient(0)).unwrap();
    assert_eq!(found.reason(), Some(Reason::Interrupted));
    let resident = crate::budget::resident().unwrap_or(0);
    let limits = [
        (Some(Duration::from_millis(200)), None, Reason::Timeout),
        (None, Some(resident + (96 << 20)), Reason::Memory),
    ];
    for (timeout, memory, reason) in limits {
        let options = Options {
            timeout,
            memory,
            ..base.clone()
        };
        let found = explore(&program, &options, &mut Unobserved).unwrap();
        assert_eq!(found.reason(), Some(reason));
        // How far a search comes in its time depends on the machine.
        assert!(found.states() > 20_000 || reason == Reason::Timeout);
        assert!(found.figures().expanded < found.states() as u64);
        assert!(found.bytes() < 96 << 20 || reason == Reason::Timeout);
        let last = found.states() as u32 - 1;
        let trace = found.trace(last).unwrap().unwrap();
        let sum: i32 = trace.last().unwrap().1.iter().sum();
        assert_eq!(sum as usize, trace.len() - 1);
    }
}
