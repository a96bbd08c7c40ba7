//! Edge-valued diagrams against tables of values.

use crate::edge_valued::{EvEdge, Forest, Placement};

/// The function with these values on all words of `length` bits (first bit most significant); `None`
/// is infinite.
fn function(forest: &mut Forest, length: u32, values: &[Option<u32>]) -> Option<EvEdge> {
    if length == 0 {
        return values[0].map(|v| forest.terminal(v));
    }
    let (low, high) = values.split_at(values.len() / 2);
    let mut edges = Vec::new();
    for (label, half) in [(0, low), (1, high)] {
        if let Some(edge) = function(forest, length - 1, half) {
            edges.push((label, edge));
        }
    }
    forest.node(length, edges)
}

fn table(forest: &Forest, length: u32, f: Option<EvEdge>) -> Vec<Option<u32>> {
    let bits = |word: u32| (0..length).rev().map(move |b| word >> b & 1);
    let words = 0..1 << length;
    words
        .map(|w| f.and_then(|f| forest.value(f, bits(w))))
        .collect()
}

/// covers: S84
#[test]
fn the_example_of_the_dissertation_has_five_nodes() {
    let mut forest = Forest::new(Placement::Edges);
    let values = [0, 2, 3, 2, 2, 4, 1, 0].map(Some);
    let f = function(&mut forest, 3, &values).unwrap();
    assert_eq!(f.value, 0);
    assert_eq!(forest.size(f), 5);
    assert_eq!(table(&forest, 3, Some(f)), values);
}

fn random(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// covers: S85, S86, S87, S88
#[test]
fn least_and_greatest_agree_with_tables_and_equal_functions_are_one_node() {
    let mut seed = 7;
    for placement in [Placement::Edges, Placement::Terminals] {
        let mut forest = Forest::new(placement);
        for _ in 0..300 {
            let mut values = || -> Vec<Option<u32>> {
                let infinite = random(&mut seed) % 5;
                let one = |seed: &mut u64| {
                    let value = random(seed) % 6;
                    (value >= infinite).then_some(value as u32)
                };
                (0..16).map(|_| one(&mut seed)).collect()
            };
            let (a, b) = (values(), values());
            let pairs = || a.iter().zip(&b);
            let least: Vec<_> = pairs()
                .map(|(x, y)| x.iter().chain(y).min().copied())
                .collect();
            let greatest: Vec<_> = pairs().map(|(x, y)| Some((*x)?.max((*y)?))).collect();
            let f = function(&mut forest, 4, &a);
            let g = function(&mut forest, 4, &b);
            let min = forest.min(f, g);
            let max = forest.max(f, g);
            assert_eq!(table(&forest, 4, min), least);
            assert_eq!(table(&forest, 4, max), greatest);
            // Canonical: the same function built directly is the same edge.
            assert_eq!(min, function(&mut forest, 4, &least));
            assert_eq!(max, function(&mut forest, 4, &greatest));
            // A shifted problem has a shifted answer.
            let up = |forest: &mut Forest, f: Option<EvEdge>| f.map(|f| forest.plus(f, 3));
            let (f3, g3) = (up(&mut forest, f), up(&mut forest, g));
            let shifted = forest.min(f3, g3);
            assert_eq!(shifted, up(&mut forest, min));
            if let Some(min) = min {
                let finite: Vec<u32> = least.iter().flatten().copied().collect();
                assert_eq!(Some(&forest.greatest(min)), finite.iter().max());
                let (first, counts) = forest.histogram(min);
                for (at, count) in counts.iter().enumerate() {
                    let value = first + at as u32;
                    let known = finite.iter().filter(|v| **v == value).count();
                    assert_eq!(*count, known.into());
                }
                if placement == Placement::Edges {
                    let nearest = forest.nearest(min);
                    let value = forest.value(min, nearest);
                    assert_eq!(value.as_ref(), finite.iter().min());
                }
            }
        }
    }
}
