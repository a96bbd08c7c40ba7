//! Weights and figures of values against the states one by one.

use num_bigint::BigUint;
use plait_dd::{Step, Value};

use super::explore;
use crate::models::kanban;
use crate::Strategy;

#[test]
fn weights_and_figures_are_summed_and_compared_over_all_states() {
    let mut net = kanban(2);
    // Two cells in one level, too.
    let moved = net.levels.remove(3);
    net.levels[2].extend(moved);
    let mut x = explore(&net, Strategy::Saturation);
    let set = x.states();
    let cells = net.cells();
    let decode = |steps: Vec<Step>| {
        let mut values = vec![0; cells];
        for step in steps {
            let Value::Integer(label) = step.value else {
                panic!("levels hold integers");
            };
            let level = step.variable as usize;
            let (places, found) = x.relation.local_state(level, label as u32);
            for (cell, value) in places.iter().zip(found) {
                values[*cell as usize] = *value as usize;
            }
        }
        values
    };
    let states: Vec<Vec<usize>> = x.dd.states(set).map(decode).collect();
    assert_eq!(states.len().to_string(), x.count());
    let weight = |cell: usize, value: usize| (cell * 7 + value * 3) % 5;
    let weights: Vec<Vec<BigUint>> = (0..cells)
        .map(|cell| (0..3).map(|v| BigUint::from(weight(cell, v))).collect())
        .collect();
    let expected: BigUint = states
        .iter()
        .map(|s| {
            let values = s.iter().enumerate();
            values
                .map(|(c, v)| BigUint::from(weight(c, *v)))
                .product::<BigUint>()
        })
        .sum();
    assert_eq!(x.relation.weigh(&mut x.dd, set, &weights), Ok(expected));
    // A value without figure leaves out its states; tables may be too short.
    let figure = |cell: usize, value: usize| {
        (cell != 2 || value != 1).then_some((cell * 5 + value * 11) as i64 % 7 - 3)
    };
    let figures: Vec<Vec<Option<i64>>> = (0..cells)
        .map(|cell| (0..2).map(|v| figure(cell, v)).collect())
        .collect();
    let expected = states
        .iter()
        .filter(|s| s.iter().all(|v| *v < 2))
        .filter_map(|s| {
            let values = s.iter().enumerate();
            values.map(|(c, v)| figure(c, *v)).sum::<Option<i64>>()
        })
        .max();
    assert!(expected.is_some());
    assert_eq!(x.relation.greatest(&mut x.dd, set, &figures), Ok(expected));
}
