//! What holds of the orders of every structure, and brute force on small ones.

use proptest::prelude::*;

use super::*;

fn effect() -> impl Strategy<Value = Effect> {
    prop_oneof![
        Just(Effect::Test),
        (-2..3i32).prop_map(Effect::Add),
        Just(Effect::Add(-1)),
        Just(Effect::Add(1)),
        Just(Effect::Store),
    ]
}

fn structure(cells: u32, events: usize) -> impl Strategy<Value = Structure> {
    let arc = (0..cells, effect());
    let event = prop::collection::vec(arc, 0..5);
    let groups = prop::collection::vec((0..4u32, 0..5u32), cells as usize);
    (prop::collection::vec(event, 0..events), groups).prop_map(move |(events, drawn)| {
        let parents: Vec<u32> = (0..5u32)
            .map(|g| drawn.get(g as usize).map_or(0, |d| d.1))
            .zip(0..)
            .map(|(p, g)| if p < g { p } else { WHOLE })
            .collect();
        let of_cell = drawn
            .iter()
            .map(|(g, _)| if *g == 0 { WHOLE } else { *g })
            .collect();
        Structure::new(cells as usize, events, Groups { parents, of_cell }).unwrap()
    })
}

/// The least sum of spans of any order, by trying them all.
fn least_spans(graph: &Hypergraph) -> f64 {
    fn visit(graph: &Hypergraph, order: &mut Vec<u32>, from: usize, least: &mut f64) {
        if from == order.len() {
            *least = least.min(sum_of_spans(graph, order));
        }
        for other in from..order.len() {
            order.swap(from, other);
            visit(graph, order, from + 1, least);
            order.swap(from, other);
        }
    }
    let mut order: Vec<u32> = (0..graph.nodes() as u32).collect();
    let mut least = f64::INFINITY;
    visit(graph, &mut order, 0, &mut least);
    least
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_order_is_a_permutation_and_all_is_deterministic(s in structure(12, 20)) {
        let initial: Vec<i32> = (0..12).map(|c| c % 2).collect();
        let all = ranked(&s, &singles(12), Some(&initial), Effort::Full).unwrap();
        for c in &all {
            prop_assert!(is_permutation(&c.order, 12), "{}", c.name);
        }
        prop_assert_eq!(&all, &ranked(&s, &singles(12), Some(&initial), Effort::Full).unwrap());
        let levels = vec![vec![3, 4, 5], vec![0], vec![2, 1], vec![6, 7, 8, 9, 10, 11]];
        for c in ranked(&s, &levels, Some(&initial), Effort::Full).unwrap() {
            prop_assert!(is_permutation(&c.order, 4), "{}", c.name);
        }
    }

    #[test]
    fn force_is_never_worse_than_its_start(s in structure(15, 25)) {
        // covers: I119
        let graph = graph_of(&s);
        let start = shuffled(15);
        let order = force(&graph, &start, None, 100, Deadline::default());
        prop_assert!(sum_of_spans(&graph, &order) <= sum_of_spans(&graph, &start));
    }

    #[test]
    fn sifting_gains_what_it_says_and_stops_at_its_limit(s in structure(15, 25), work in 0..5000usize) {
        let graph = graph_of(&s);
        let start = shuffled(15);
        let order = sift(&graph, start.clone(), work);
        prop_assert!(is_permutation(&order, 15));
        prop_assert!(sum_of_spans(&graph, &order) <= sum_of_spans(&graph, &start));
    }

    #[test]
    fn orders_by_groups_keep_each_group_together(s in structure(15, 25)) {
        let graph = graph_of(&s);
        let tree = Tree::new(15, s.groups());
        let start = shuffled(15);
        for order in [
            force(&graph, &start, Some(&tree), 50, Deadline::default()),
            tree.supernodes(&graph, |g| greedy(g, Attraction::Noack, Deadline::default())),
            tree.supernodes(&graph, |g| (0..g.nodes() as u32).collect()),
        ] {
            prop_assert!(is_permutation(&order, 15));
            for group in 0..s.groups().parents.len() as u32 {
                let inside = |cell: u32| {
                    let mut at = s.groups().of_cell[cell as usize];
                    while at != WHOLE && at != group {
                        at = s.groups().parents[at as usize];
                    }
                    at == group
                };
                let first = order.iter().position(|c| inside(*c));
                let last = order.iter().rposition(|c| inside(*c));
                if let (Some(first), Some(last)) = (first, last) {
                    prop_assert!(order[first..=last].iter().all(|c| inside(*c)));
                }
            }
        }
    }

    #[test]
    fn the_rank_between_levels_is_that_of_linear_algebra(s in structure(7, 8)) {
        let order = shuffled(7);
        let free = |c: u32| {
            let arcs = (0..s.events()).flat_map(|e| s.event(e));
            arcs.clone().all(|(cell, effect)| *cell != c || *effect != Effect::Store)
        };
        let row = |c: &u32| -> Vec<i128> {
            let change = |e: usize| {
                let arc = s.event(e).iter().find(|(cell, _)| cell == c);
                match arc {
                    Some((_, Effect::Add(amount))) if free(*c) => i128::from(*amount),
                    _ => 0,
                }
            };
            (0..s.events()).map(change).collect()
        };
        let rank = |cells: &[u32]| dense_rank(cells.iter().map(row).collect());
        let levels: Vec<[u32; 1]> = order.iter().map(|c| [*c]).collect();
        let profile = Changes::new(&s).profile(levels.iter().map(|l| &l[..]), 1 << 20).unwrap();
        for (cut, found) in (1..).zip(profile.ranks) {
            let (below, above) = order.split_at(cut);
            prop_assert_eq!(found, rank(below) + rank(above) - rank(&order));
        }
    }

    #[test]
    fn machines_hold_one_token_and_are_disjoint(s in structure(10, 12)) {
        let initial: Vec<i32> = (0..10).map(|c| i32::from(c % 4 == 0)).collect();
        let found = machines(&s, &initial);
        prop_assert!(is_machine_each(&s, &initial, &found));
        let mut all: Vec<u32> = found.concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        prop_assert_eq!(count, all.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_least_sum_of_spans_is_nearly_found(s in structure(7, 9)) {
        let graph = graph_of(&s);
        let all = ranked(&s, &singles(7), None, Effort::Full).unwrap();
        let least = all.iter().map(|c| c.costs.spans).fold(f64::INFINITY, f64::min);
        let possible = least_spans(&graph);
        prop_assert!(least <= 1.25 * possible + 1.0);
        // Ranks have a say in the choice, within reason.
        prop_assert!(all[0].costs.spans <= 2.0 * possible + 2.0);
    }
}
