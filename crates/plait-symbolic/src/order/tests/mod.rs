//! Orders: known optima, limits, what is refused; properties on random structures (`random`).

mod random;

use super::cost::{costs, sum_of_spans};
use super::cuthill_mckee::reverse_cuthill_mckee;
use super::force::force;
use super::graph::Graph;
use super::groups::Tree;
use super::noack::{greedy, Attraction};
use super::rank::Changes;
use super::sift::sift;
use super::sloan::sloan;
use super::structure::Hypergraph;
use super::*;
use crate::models;

fn tests_of(cells: &[u32]) -> Vec<(u32, Effect)> {
    cells.iter().map(|c| (*c, Effect::Test)).collect()
}

fn plain(cells: usize, events: &[Vec<u32>]) -> Structure {
    let events = events.iter().map(|e| tests_of(e));
    Structure::new(cells, events, Groups::default()).unwrap()
}

fn graph_of(structure: &Structure) -> Hypergraph {
    let level_of: Vec<u32> = (0..structure.cells() as u32).collect();
    Hypergraph::of_levels(structure, &level_of, structure.cells())
}

fn singles(cells: usize) -> Vec<Vec<u32>> {
    (0..cells as u32).map(|c| vec![c]).collect()
}

/// A fixed permutation that tears neighbours apart.
fn shuffled(cells: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..cells as u32).collect();
    let mut state = 0x1234_5678_u64;
    for i in (1..cells).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

fn is_permutation(order: &[u32], nodes: usize) -> bool {
    let mut seen = vec![false; nodes];
    order.len() == nodes
        && order
            .iter()
            .all(|n| !std::mem::replace(&mut seen[*n as usize], true))
}

fn path(cells: usize) -> Structure {
    let names = shuffled(cells);
    let events: Vec<Vec<u32>> = names.windows(2).map(<[u32]>::to_vec).collect();
    plain(cells, &events)
}

fn ring(cells: usize) -> Structure {
    let names = shuffled(cells);
    let pair = |i: usize| vec![names[i], names[(i + 1) % cells]];
    plain(cells, &(0..cells).map(pair).collect::<Vec<_>>())
}

fn best(structure: &Structure) -> Candidate {
    let levels = singles(structure.cells());
    ranked(structure, &levels, None, Effort::Full)
        .unwrap()
        .swap_remove(0)
}

#[test]
fn a_quick_look_finds_the_same_orders_of_a_small_structure() {
    for net in [models::kanban(3), models::philosophers(6)] {
        let structure = Structure::of_net(&net, Groups::default()).unwrap();
        let levels = singles(net.cells());
        let initial = Some(&net.initial[0][..]);
        let full = ranked(&structure, &levels, initial, Effort::Full).unwrap();
        let quick = ranked(&structure, &levels, initial, Effort::Quick).unwrap();
        assert_eq!(quick[0].order, full[0].order);
        // Fewer of them are sifted; the others are the same.
        let same = |q: &Candidate, f: &Candidate| (&q.name, &q.order) == (&f.name, &f.order);
        assert!(quick.iter().all(|q| full.iter().any(|f| same(q, f))));
    }
}

#[test]
fn a_quick_look_at_a_large_structure_ends_with_an_order_that_none_beats_by_much() {
    let structure = ring(2000);
    let levels = singles(2000);
    let quick = ranked(&structure, &levels, None, Effort::Quick).unwrap();
    // Each of the 2000 events spans at least one level, and one of them closes the ring.
    assert!(quick[0].costs.spans <= 2.0 * 2000.0 + 1999.0);
    let made = |all: &[Candidate], name: &str| all.iter().any(|c| c.name.contains(name));
    assert!(made(&quick, "noack"));
    assert!(!made(&quick, "sloan") && !made(&quick, "sift"));
    // Events between cells that have nothing else in common are never all short.
    let ends = (shuffled(2000), shuffled(1999));
    let pairs = ends.0.iter().zip(&ends.1).filter(|(a, b)| a != b);
    let pairs: Vec<Vec<u32>> = pairs.map(|(a, b)| vec![*a, *b, (a + b) % 2000]).collect();
    let quick = ranked(&plain(2000, &pairs), &levels, None, Effort::Quick).unwrap();
    assert!(made(&quick, "sloan") && made(&quick, "sift"));
    assert!(!made(&quick, "greedy") && !made(&quick, "cuthill"));
}

#[test]
fn when_the_time_is_over_what_is_there_is_ranked() {
    let over = Deadline(Some(std::time::Instant::now()));
    let structure = ring(200);
    let levels = singles(200);
    for effort in [Effort::Quick, Effort::Full] {
        let found = ranked_within(&structure, &levels, None, effort, over).unwrap();
        let mut names: Vec<&str> = found.iter().map(|c| c.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["declared", "declared down"]);
    }
    let graph = graph_of(&structure);
    // What stands at the end was not chosen, but no node is missing.
    let declared: Vec<u32> = (0..200).collect();
    assert_eq!(greedy(&graph, Attraction::Noack, over), declared);
    let cliques = Graph::cliques(&graph, 1000).unwrap();
    assert_eq!(sloan(&cliques, over), declared);
    assert_ne!(sloan(&cliques, Deadline::default()), declared);
    assert_eq!(
        force(&graph, &shuffled(200), None, 100, over),
        shuffled(200)
    );
    assert_ne!(
        greedy(&graph, Attraction::Noack, Deadline::default()),
        declared
    );
}

#[test]
fn an_order_that_several_heuristics_made_has_all_their_names() {
    // The declared order of a path that is straight cannot be improved.
    let structure = plain(6, &(0..5).map(|i| vec![i, i + 1]).collect::<Vec<_>>());
    let all = ranked(&structure, &singles(6), None, Effort::Full).unwrap();
    let straight = all.iter().find(|c| c.name == "declared").unwrap();
    assert_eq!(straight.order, [0, 1, 2, 3, 4, 5]);
    assert!(straight.also.iter().any(|name| name == "force"));
    let names = |c: &Candidate| 1 + c.also.len();
    let orders: Vec<&Vec<u32>> = all.iter().map(|c| &c.order).collect();
    let distinct: std::collections::HashSet<&Vec<u32>> = orders.iter().copied().collect();
    assert_eq!(orders.len(), distinct.len());
    // Every heuristic that knows of no groups is there, both ways.
    let heuristics = [
        "declared",
        "force",
        "sloan",
        "cuthill-mckee",
        "noack",
        "greedy",
    ];
    for name in heuristics {
        let down = format!("{name} down");
        for wanted in [name, &down] {
            let known = |c: &&Candidate| c.name == wanted || c.also.iter().any(|n| n == wanted);
            assert_eq!(all.iter().filter(known).count(), 1, "{wanted}");
        }
    }
    assert!(all.iter().map(names).sum::<usize>() > all.len());
}

#[test]
fn a_shuffled_path_is_straightened() {
    for cells in [2, 3, 10, 500] {
        assert_eq!(best(&path(cells)).costs.spans, (cells - 1) as f64);
    }
}

#[test]
fn cuthill_mckee_and_sloan_straighten_a_path_by_themselves() {
    let graph = graph_of(&path(300));
    let cliques = Graph::cliques(&graph, 10_000).unwrap();
    assert_eq!(
        sum_of_spans(&graph, &reverse_cuthill_mckee(&cliques)),
        299.0
    );
    assert_eq!(
        sum_of_spans(&graph, &sloan(&cliques, Deadline::default())),
        299.0
    );
}

#[test]
fn a_shuffled_ring_is_folded_once() {
    // The least sum of spans of a ring: n - 1 steps there and the same way back.
    for cells in [3, 10, 201] {
        assert_eq!(best(&ring(cells)).costs.spans, 2.0 * (cells - 1) as f64);
    }
}

#[test]
fn after_sifting_no_single_move_gains() {
    let names = shuffled(24);
    let triple = |i: usize| vec![names[i], names[(5 * i + 1) % 24], names[(i + 2) % 24]];
    let graph = graph_of(&plain(24, &(0..24).map(triple).collect::<Vec<_>>()));
    let order = sift(&graph, (0..24).collect(), usize::MAX);
    let reached = sum_of_spans(&graph, &order);
    assert!(reached < sum_of_spans(&graph, &names));
    for from in 0..24 {
        for to in 0..24 {
            let mut moved = order.clone();
            let node = moved.remove(from);
            moved.insert(to, node);
            assert!(sum_of_spans(&graph, &moved) >= reached);
        }
    }
}

#[test]
fn components_stand_side_by_side() {
    let left: Vec<Vec<u32>> = (0..9).map(|i| vec![2 * i, 2 * i + 2]).collect();
    let right: Vec<Vec<u32>> = (0..9).map(|i| vec![2 * i + 1, 2 * i + 3]).collect();
    assert_eq!(best(&plain(20, &[left, right].concat())).costs.spans, 18.0);
}

#[test]
fn an_order_and_its_mirror_image_have_one_score_and_follow_each_other() {
    let net = models::slotted_ring(6);
    let structure = Structure::of_net(&net, Groups::default()).unwrap();
    let all = ranked(
        &structure,
        &singles(net.cells()),
        Some(&net.initial[0]),
        Effort::Full,
    )
    .unwrap();
    let mirror: Vec<u32> = all[0].order.iter().rev().copied().collect();
    let twin = all.iter().position(|c| c.order == mirror).unwrap();
    assert_eq!(all[0].costs.score(), all[twin].costs.score());
    assert!(all[0].costs.tops <= all[twin].costs.tops);
    let between = all[..twin].iter();
    assert!(between
        .map(|c| c.costs.score())
        .all(|s| s == all[0].costs.score()));
}

#[test]
fn nothing_is_too_small() {
    for structure in [
        plain(0, &[]),
        plain(0, &[vec![]]),
        plain(1, &[]),
        plain(3, &[]),
        plain(3, &[vec![], vec![1], vec![1, 1]]),
    ] {
        let levels = singles(structure.cells());
        for initial in [None, Some(&[1, 1, 1][..structure.cells()])] {
            let all = ranked(&structure, &levels, initial, Effort::Full).unwrap();
            assert!(!all.is_empty());
            let valid = |c: &Candidate| is_permutation(&c.order, structure.cells());
            assert!(all.iter().all(valid));
        }
        assert!(SpanReport::new(&structure, &levels).is_ok());
    }
    // Levels without cells, and one level for all.
    let structure = plain(2, &[vec![0, 1]]);
    let levels = vec![vec![], vec![0, 1], vec![]];
    assert_eq!(
        ranked(&structure, &levels, None, Effort::Full).unwrap()[0]
            .costs
            .spans,
        0.0
    );
}

#[test]
fn nonsense_is_refused() {
    let events = vec![tests_of(&[0, 5])];
    let error = Structure::new(2, events, Groups::default()).unwrap_err();
    assert_eq!(error, StructureError::Event { event: 0, cell: 5 });
    let groups = |parents: &[u32], of_cell: &[u32]| Groups {
        parents: parents.to_vec(),
        of_cell: of_cell.to_vec(),
    };
    for (groups, error) in [
        (groups(&[0], &[0, 0]), StructureError::Parent(0)),
        (
            groups(&[WHOLE, 2, WHOLE], &[0, 0]),
            StructureError::Parent(1),
        ),
        (groups(&[WHOLE], &[0]), StructureError::Member(1)),
        (groups(&[WHOLE], &[0, 1]), StructureError::Member(1)),
    ] {
        assert_eq!(Structure::new(2, vec![], groups).unwrap_err(), error);
    }
    let structure = plain(2, &[]);
    for levels in [
        vec![vec![0]],
        vec![vec![0, 1], vec![1]],
        vec![vec![0, 1, 2]],
    ] {
        assert!(ranked(&structure, &levels, None, Effort::Full).is_err());
        assert!(SpanReport::new(&structure, &levels).is_err());
    }
}

#[test]
fn a_span_report_names_top_and_bottom_of_each_event() {
    // covers: S11
    let structure = plain(4, &[vec![0, 3], vec![1], vec![], vec![2, 1, 3]]);
    let report = SpanReport::new(&structure, &singles(4)).unwrap();
    let expected = vec![Some((1, 4)), Some((2, 2)), None, Some((2, 4))];
    assert_eq!(
        (report.events, report.spans, report.tops),
        (expected, 5, 10)
    );
    let merged = SpanReport::new(&structure, &[vec![1, 2, 3], vec![0]]).unwrap();
    assert_eq!((merged.spans, merged.tops), (1, 4));
}

#[test]
fn the_proposed_order_reports_its_spans_before_and_after() {
    // covers: S119
    let structure = path(50);
    let before = SpanReport::new(&structure, &singles(50)).unwrap();
    let levels: Vec<Vec<u32>> = best(&structure).order.iter().map(|c| vec![*c]).collect();
    let after = SpanReport::new(&structure, &levels).unwrap();
    assert!(before.spans > 5 * after.spans);
    assert_eq!(after.spans, 49);
}

#[test]
fn the_figures_of_a_small_order_are_those_computed_by_hand() {
    let structure = plain(4, &[vec![0, 1], vec![0, 1], vec![1, 3]]);
    let graph = graph_of(&structure);
    let [c, mirrored] = costs(&graph, &[0, 1, 2, 3]);
    assert_eq!(mirrored, costs(&graph, &[3, 2, 1, 0])[0]);
    assert_eq!(mirrored.tops, 4.0 + 4.0 + 3.0);
    assert_eq!((c.spans, c.tops, c.bandwidth), (4.0, 8.0, 2.0));
    assert_eq!(c.event_span, (2.0 + 2.0 + 3.0) / 3.0 / 4.0);
    assert_eq!(
        c.weighted_span,
        (2.0 * 2.0 + 2.0 * 2.0 + 3.0 * 4.0) / 3.0 / 4.0 / 2.0
    );
    assert_eq!(c.points, (1.0 + 1.0 + 2.0) / 6.0 / 4.0);
}

// --- ranks ----------------------------------------------------------------------------------------

#[test]
fn the_rank_counts_the_machines_that_a_cut_divides() {
    // Two cycles of two cells each, side by side and interleaved.
    let moves = |from: u32, to: u32| vec![(from, Effect::Add(-1)), (to, Effect::Add(1))];
    let events = [moves(0, 1), moves(1, 0), moves(2, 3), moves(3, 2)];
    let structure = Structure::new(4, events, Groups::default()).unwrap();
    let changes = Changes::new(&structure);
    let ranks = |order: [u32; 4]| {
        let levels: Vec<[u32; 1]> = order.iter().map(|c| [*c]).collect();
        let profile = changes.profile(levels.iter().map(|l| &l[..]), 1000);
        profile.unwrap().ranks
    };
    assert_eq!(ranks([0, 1, 2, 3]), [1, 0, 1, 0]);
    assert_eq!(ranks([0, 2, 1, 3]), [1, 2, 1, 0]);
}

#[test]
fn a_rank_that_is_too_much_work_is_unknown() {
    let net = models::slotted_ring(20);
    let structure = Structure::of_net(&net, Groups::default()).unwrap();
    let order = shuffled(structure.cells());
    let levels: Vec<[u32; 1]> = order.iter().map(|c| [*c]).collect();
    let changes = Changes::new(&structure);
    assert!(changes.profile(levels.iter().map(|l| &l[..]), 10).is_none());
}

/// The rank of integer rows by fraction-free elimination.
fn dense_rank(mut rows: Vec<Vec<i128>>) -> u32 {
    let (mut rank, columns) = (0, rows.first().map_or(0, Vec::len));
    for column in 0..columns {
        let Some(pivot) = (rank..rows.len()).find(|r| rows[*r][column] != 0) else {
            continue;
        };
        rows.swap(rank, pivot);
        let pivot = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let factor = row[column];
            for (value, above) in row.iter_mut().zip(&pivot) {
                *value = *value * pivot[column] - above * factor;
            }
        }
        rank += 1;
    }
    rank as u32
}

// --- machines -------------------------------------------------------------------------------------

#[test]
fn the_machines_of_a_slotted_ring_cover_half_of_it() {
    let net = models::slotted_ring(6);
    let structure = Structure::of_net(&net, Groups::default()).unwrap();
    let found = machines(&structure, &net.initial[0]);
    assert!(is_machine_each(&structure, &net.initial[0], &found));
    let covered: usize = found.iter().map(Vec::len).sum();
    assert!(covered >= net.cells() / 2, "{covered} of {}", net.cells());
}

#[test]
fn a_cycle_with_one_token_is_a_machine_and_with_two_it_is_not() {
    let moves = |i: u32| vec![(i, Effect::Add(-1)), ((i + 1) % 5, Effect::Add(1))];
    let structure = Structure::new(5, (0..5).map(moves), Groups::default()).unwrap();
    assert_eq!(machines(&structure, &[1, 0, 0, 0, 0]), [[0, 1, 2, 3, 4]]);
    assert!(machines(&structure, &[1, 0, 1, 0, 0]).is_empty());
    assert!(machines(&structure, &[2, 0, 0, 0, 0]).is_empty());
}

/// Whether no event takes or gives more than one token of a set, and none takes without giving, for
/// supersets of the sets that are machines.
fn is_machine_each(structure: &Structure, initial: &[i32], sets: &[Vec<u32>]) -> bool {
    sets.iter().all(|set| {
        let inside = |c: &u32| set.contains(c);
        let tokens: i32 = set.iter().map(|c| initial[*c as usize]).sum();
        let at_most_one = |event: usize| {
            let sum = |sign: i32| {
                let arcs = structure.event(event).iter();
                let mine = arcs.filter(|(c, _)| inside(c)).map(|(_, e)| match e {
                    Effect::Add(a) if a.signum() == sign => a.abs(),
                    Effect::Store => 2,
                    _ => 0,
                });
                mine.sum::<i32>()
            };
            sum(-1) <= 1 && sum(1) <= 1
        };
        tokens <= 1 && (0..structure.events()).all(at_most_one)
    })
}

// --- size -----------------------------------------------------------------------------------------

#[test]
fn a_hundred_thousand_cells_and_half_a_million_arcs_are_ordered() {
    let cells = 100_000u32;
    let names = shuffled(cells as usize);
    let grid = |i: u32| {
        let near = [
            i,
            (i + 1) % cells,
            (i + 316) % cells,
            (i + 2) % cells,
            (i + 7) % cells,
        ];
        let change = |(k, c): (usize, u32)| {
            let effect = if k == 0 {
                Effect::Add(-1)
            } else {
                Effect::Add(1)
            };
            (names[c as usize], effect)
        };
        near.into_iter().enumerate().map(change).collect::<Vec<_>>()
    };
    // And one event that touches very many cells.
    let wide: Vec<u32> = (0..cells).step_by(10).collect();
    let events = (0..cells).map(grid).chain([tests_of(&wide)]);
    let pairs: Vec<Vec<u32>> = (0..cells).step_by(2).map(|c| vec![c, c + 1]).collect();
    let structure =
        Structure::new(cells as usize, events, Groups::flat(cells as usize, &pairs)).unwrap();
    let initial: Vec<i32> = (0..cells as i32).map(|c| i32::from(c % 50 == 0)).collect();
    let all = ranked(
        &structure,
        &singles(cells as usize),
        Some(&initial),
        Effort::Full,
    )
    .unwrap();
    assert!(all.iter().all(|c| is_permutation(&c.order, cells as usize)));
    let declared = SpanReport::new(&structure, &singles(cells as usize)).unwrap();
    assert!(all[0].costs.spans * 10.0 < declared.spans as f64);
}

#[test]
fn groups_a_hundred_thousand_deep_are_no_problem() {
    let depth = 100_000u32;
    let groups = Groups {
        parents: std::iter::once(WHOLE).chain(0..depth - 1).collect(),
        of_cell: (0..depth).collect(),
    };
    let events = (1..depth).map(|c| tests_of(&[c - 1, c]));
    let structure = Structure::new(depth as usize, events, groups).unwrap();
    let levels = singles(depth as usize);
    let all = ranked(&structure, &levels, None, Effort::Full).unwrap();
    assert!(all.iter().all(|c| is_permutation(&c.order, depth as usize)));
}
