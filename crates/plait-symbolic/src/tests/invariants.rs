//! What holds of every run: closed nodes, the order of the strategies, sparse nodes, and relations of
//! twice as many levels.

use plait_dd::{Edge, Manager, Node, Value};

use super::explore;
use super::golden::producer_consumer;
use crate::hom::{Hom, Homs};
use crate::models::{
    flexible_manufacturing, kanban, leader, philosophers, round_robin, slotted_ring,
};
use crate::{Net, Strategy};

fn nets() -> Vec<Net> {
    vec![
        producer_consumer(),
        philosophers(5),
        slotted_ring(4),
        round_robin(5),
        kanban(2),
        flexible_manufacturing(2),
        leader(3),
    ]
}

#[test]
fn every_node_that_saturation_makes_is_closed_under_the_events_below_its_level() {
    // covers: S43
    for net in nets() {
        let mut x = explore(&net, Strategy::Saturation);
        assert_eq!(x.dd.statistics().collections, 0);
        let nodes = std::mem::take(&mut x.relation.closed_nodes);
        let nodes: Vec<_> = (nodes.into_iter().map(|(k, node)| (k, x.dd.root(node)))).collect();
        assert!(nodes.len() >= x.relation.levels());
        let (mut fired, events) = (0, x.relation.events.clone());
        for (level, node) in &nodes {
            for &event in &events {
                if x.relation.tails[event as usize].level as usize > *level {
                    continue;
                }
                let set = node.node();
                let image = x.relation.image(&mut x.dd, event, *level, set).unwrap();
                assert!(x.dd.is_subset(image, set).unwrap());
                fired += usize::from(!image.is_zero());
            }
        }
        assert!(fired > 0);
    }
}

#[test]
fn each_strategy_needs_fewer_nodes_than_the_one_before_it() {
    // covers: S106
    for net in [slotted_ring(8), round_robin(12), philosophers(24)] {
        let [breadth, chaining, forwarding, saturation] = [
            Strategy::BreadthFirst { frontier: false },
            Strategy::Chaining { frontier: false },
            Strategy::Forwarding,
            Strategy::Saturation,
        ]
        .map(|strategy| {
            let x = explore(&net, strategy);
            let figures = x.dd.statistics();
            // Lookups are what time goes by.
            (figures.peak_nodes, figures.cache_lookups)
        });
        assert!(breadth.0 > chaining.0 && breadth.1 > chaining.1);
        assert!(chaining.0 > forwarding.0 && chaining.1 > forwarding.1);
        assert!(forwarding.0 > saturation.0 && forwarding.1 > saturation.1);
    }
}

#[test]
fn sparse_nodes_are_smaller_than_full_ones_where_levels_have_many_states() {
    // covers: S63
    let x = explore(&flexible_manufacturing(150), Strategy::Saturation);
    let (nodes, edges) = {
        let size = x.dd.size(x.states());
        (size.integer_nodes, size.edges)
    };
    // A full node has a child for each of the 151 local states of its level, an edge also a label.
    let full: usize = (1..=19).map(|k| x.local(k).1).sum::<usize>() * nodes / 19 * 4;
    assert!(8 * edges < full, "{edges} edges, {nodes} nodes");
}

/// The values of a path, top first.
fn labels(steps: &[plait_dd::Step]) -> Vec<i32> {
    let value = |s: &plait_dd::Step| match s.value {
        Value::Integer(value) => value,
        Value::Component(_) => panic!("levels hold integers"),
    };
    steps.iter().map(value).collect()
}

#[test]
fn a_relation_of_twice_as_many_levels_gives_the_images_of_local_functions() {
    // covers: S36
    for net in [producer_consumer(), philosophers(3), kanban(1), leader(2)] {
        let mut x = explore(&net, Strategy::Saturation);
        let levels = x.relation.levels() as u32;
        let reached = x.states();
        let paths: Vec<Vec<i32>> = x.dd.states(reached).map(|s| labels(&s)).collect();
        let single = |dd: &mut Manager, path: &[i32]| {
            let mut node = Node::ONE;
            for (k, label) in (1..).zip(path.iter().rev()) {
                let edge = Edge::integer(*label, node);
                node = dd.integer_node(k, &[edge]).unwrap();
            }
            node
        };
        let mut homs = Homs::new();
        let mut relations = Vec::new();
        for event in x.relation.events.clone() {
            // The lazy policy collects nothing at this size, so that no roots are needed.
            let mut relation = Node::ZERO;
            for path in &paths {
                let state = single(&mut x.dd, path);
                let next = x.relation.image(&mut x.dd, event, levels as usize, state);
                let next = next.unwrap();
                let nexts: Vec<Vec<i32>> = x.dd.states(next).map(|s| labels(&s)).collect();
                for after in nexts {
                    let mut pair = Node::ONE;
                    for k in 1..=levels {
                        let at = (levels - k) as usize;
                        let edge = Edge::integer(after[at], pair);
                        pair = x.dd.integer_node(2 * k - 1, &[edge]).unwrap();
                        let edge = Edge::integer(path[at], pair);
                        pair = x.dd.integer_node(2 * k, &[edge]).unwrap();
                    }
                    relation = x.dd.union(relation, pair).unwrap();
                }
            }
            let hom = homs.relation(&x.dd, relation);
            relations.push(hom);
            let mut some = Node::ZERO;
            for path in paths.iter().step_by(2) {
                let state = single(&mut x.dd, path);
                some = x.dd.union(some, state).unwrap();
            }
            let expected = x.relation.image(&mut x.dd, event, levels as usize, some);
            let found = homs.apply(&mut x.dd, hom, some).unwrap();
            assert_eq!(found, expected.unwrap());
        }
        relations.push(Hom::ID);
        let step = homs.sum(&relations);
        let reach = homs.fixpoint(step);
        let mut initial = vec![0; levels as usize];
        for (k, label) in x.relation.initial[0][1..].iter().enumerate() {
            initial[levels as usize - 1 - k] = *label as i32;
        }
        let first = single(&mut x.dd, &initial);
        assert_eq!(homs.apply(&mut x.dd, reach, first).unwrap(), reached);
    }
}
