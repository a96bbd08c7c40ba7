//! Compositions in turn: the same maps as in one term, forward and backward.

use std::collections::BTreeSet;

use super::events::Event;
use super::{diagram, manager, states_of, Forest, Random, States};
use crate::hom::{Hom, Homs, Target, Term, Write};

const VARIABLES: u32 = 5;

fn forward(events: &[Event], states: &States) -> States {
    let mut states = states.clone();
    for event in events {
        states = states.iter().filter_map(|s| event.successor(s)).collect();
    }
    states
}

#[test]
fn a_random_composition_in_turn_is_the_composition() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let forest = Forest::new(&mut random, VARIABLES);
        let events: Vec<Event> = (0..4)
            .map(|_| Event::random(&forest, &mut random))
            .collect();
        let states = random.states(VARIABLES, 12);
        let mut dd = manager(&mut random);
        let mut homs = Homs::new();
        let set = diagram(&mut dd, &states);
        let set = dd.root(set);
        let mut all = Hom::ID;
        for event in &events {
            let event = event.build(&mut homs);
            all = homs.in_turn(event, all);
        }
        let image = homs.apply(&mut dd, all, set.node()).unwrap();
        let image = dd.root(image);
        let expected = forward(&events, &states);
        assert_eq!(states_of(&dd, image.node()), expected, "seed {seed}");
        let back = homs.predecessors(&mut dd, all, set.node()).unwrap();
        let before = homs.apply(&mut dd, back, image.node()).unwrap();
        let one = |s: &&Vec<i32>| !forward(&events, &BTreeSet::from([(*s).clone()])).is_empty();
        let enabled: States = states.iter().filter(one).cloned().collect();
        assert_eq!(states_of(&dd, before), enabled, "seed {seed}");
    }
}

/// `x := y` for each pair, in this order.
fn copies(homs: &mut Homs, pairs: &[(u32, u32)]) -> Vec<Hom> {
    let copy = |(x, y): &(u32, u32)| {
        let value = homs.pool.read(*y);
        homs.assign(Write::new(Target::Variable(*x), value))
    };
    pairs.iter().map(copy).collect()
}

#[test]
fn what_is_under_way_decides_about_the_parts() {
    let mut homs = Homs::new();
    // Each variable from the one far below it: all of them are under way in the middle.
    let far: Vec<_> = (1..=20).map(|x| (x + 20, x)).collect();
    let far = copies(&mut homs, &far);
    let all = homs.compose_in_turn(&far);
    assert!(homs.is_in_turn(all));
    // Pairs side by side have nothing to do with each other, however many they are.
    let near: Vec<_> = (1..=20).map(|x| (2 * x, 2 * x - 1)).collect();
    let near = copies(&mut homs, &near);
    let all = homs.compose_in_turn(&near);
    assert!(matches!(homs.term(all), Term::And(..)));
    // A few that hang together are one term, a long chain is not.
    let chain: Vec<_> = (1..=40).map(|x| (x, x + 1)).collect();
    let chain = copies(&mut homs, &chain);
    let all = homs.compose_in_turn(&chain[..4]);
    assert!(!homs.is_in_turn(all));
}
