//! Searches with compiled events held against interpreted ones.

use std::sync::Arc;

use proptest::prelude::*;

use plait_program::testing::{random, recipe};
use plait_program::{Code, Fault, Program};

use crate::budget::Unobserved;
use crate::options::Order;
use crate::tier::{Successors, Tier};
use crate::{explore, Exploration, Options};

fn same(a: &Exploration, b: &Exploration) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.reason(), b.reason());
    prop_assert_eq!(a.states(), b.states());
    prop_assert_eq!(a.goals(), b.goals());
    prop_assert_eq!(a.bounds(), b.bounds());
    let (x, y) = (a.figures(), b.figures());
    prop_assert_eq!(
        (x.arcs, x.deadlocks, x.depth, x.max_sum),
        (y.arcs, y.deadlocks, y.depth, y.max_sum)
    );
    prop_assert_eq!((&x.fired, &x.undefined), (&y.fired, &y.undefined));
    prop_assert_eq!(&x.called, &y.called);
    for number in 0..a.states() as u32 {
        prop_assert_eq!(a.state(number), b.state(number));
    }
    Ok(())
}

type Outcome = Result<Exploration, Fault>;

fn search(program: &Arc<Program>, options: &Options, successors: Successors) -> Outcome {
    let options = Options {
        successors,
        ..options.clone()
    };
    explore(program, &options, &mut Unobserved)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_search_with_compiled_events_finds_what_an_interpreted_one_finds(
        recipe in random::recipe(),
        goals in prop::collection::vec(random::condition(), 0..3),
        bounds in prop::collection::vec(random::integer(), 0..3),
        depth_first in any::<bool>(),
    ) {
        let mut builder = recipe.builder().unwrap();
        let mut options = Options { max_states: Some(200), ..Options::default() };
        if depth_first {
            options.order = Order::DepthFirst;
        }
        for goal in &goals {
            let id = recipe::condition(&mut builder, goal).unwrap();
            options.goals.push(Code::compile(builder.pool(), id));
        }
        for bound in &bounds {
            let id = recipe::integer(&mut builder, bound).unwrap();
            options.bounds.push(Code::compile(builder.pool(), id));
        }
        let program = Arc::new(builder.freeze().unwrap());
        let plain = search(&program, &options, Successors::Interpreted);
        match (plain, search(&program, &options, Successors::Compiled)) {
            (Ok(plain), Ok(fast)) => {
                prop_assert!(plain.figures().compiled.is_none());
                same(&plain, &fast)?;
            }
            (Err(plain), Err(fast)) => prop_assert_eq!(plain, fast),
            _ => prop_assert!(false, "one search failed"),
        }
    }
}

#[test]
fn a_search_compiles_when_its_time_has_come_and_once() {
    let mut tier = Tier::new(Successors::Auto);
    tier.tick();
    assert!(!tier.is_due() && !tier.is_time_for(50_000));
    let mut tier = Tier::new(Successors::Compiled);
    assert!(tier.is_due());
    tier.tick();
    assert!(tier.is_due() && tier.is_time_for(50_000));
    for mut tier in [Tier::new(Successors::Interpreted), Tier::over()] {
        tier.tick();
        assert!(!tier.is_due());
    }
}

#[test]
fn the_names_of_the_ways_are_known() {
    for (name, successors) in Successors::ALL {
        assert_eq!(Successors::parse(name), Some(successors));
    }
    assert_eq!(Successors::parse("guessed"), None);
}
