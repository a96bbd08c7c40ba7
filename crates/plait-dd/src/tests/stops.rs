//! Limits: operations stop cleanly and the manager goes on.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use num_bigint::BigUint;

use super::{vectors, ENCODINGS};
use crate::{Budget, Edge, Manager, Node, Policy, Root, Stop};

/// Two sets whose union is much larger than both: pairs of equal bits, under two pairings.
fn pairings(m: &mut Manager, bits: u32) -> Result<(Root, Root), Stop> {
    let near = matched(m, bits, |i| i ^ 1)?;
    let near = m.root(near);
    let far = matched(m, bits, |i| (i + bits / 2) % bits)?;
    Ok((near, m.root(far)))
}

/// Vectors of bits in which each is equal to its partner.
fn matched(m: &mut Manager, bits: u32, partner: impl Fn(u32) -> u32) -> Result<Node, Stop> {
    let mut all = Node::ONE;
    for variable in (0..bits).rev() {
        let edges = [Edge::integer(0, all), Edge::integer(1, all)];
        all = m.integer_node(variable, &edges)?;
    }
    let mut set = m.root(all);
    for i in (0..bits).filter(|i| *i < partner(*i)) {
        let mut sides = Vec::new();
        for value in 0..2 {
            let mut side = Node::ONE;
            for variable in (0..bits).rev() {
                let fixed = variable == i || variable == partner(i);
                let values = if fixed { value..value + 1 } else { 0..2 };
                let edges: Vec<Edge> = values.map(|v| Edge::integer(v, side)).collect();
                side = m.integer_node(variable, &edges)?;
            }
            sides.push(m.root(side));
        }
        let equal = m.union(sides[0].node(), sides[1].node())?;
        let next = m.intersection(set.node(), equal)?;
        set = m.root(next);
    }
    Ok(set.node())
}

#[test]
fn a_memory_cap_stops_a_long_operation_and_the_manager_stays_usable() {
    let mut m = Manager::new();
    let (near, far) = pairings(&mut m, 28).unwrap();
    let base = m.statistics().peak_bytes;
    for cap in [1usize << 20, 2 << 20, 4 << 20] {
        let memory = base + cap;
        m.set_budget(Budget {
            memory,
            ..Budget::default()
        });
        let sum = m.concatenation(far.node(), near.node()).unwrap();
        let wide = far_union(&mut m, sum);
        assert_eq!(wide, Err(Stop::Memory), "{cap}");
        assert!(m.statistics().peak_bytes <= memory);
        // Still right afterwards.
        let common = m.intersection(near.node(), far.node()).unwrap();
        assert_eq!(m.count(common), BigUint::from(2u32).pow(7));
        assert_eq!(m.union(near.node(), near.node()), Ok(near.node()));
    }
    m.set_budget(Budget::default());
    let both = m.union(near.node(), far.node()).unwrap();
    let twice = BigUint::from(2u32).pow(15) - BigUint::from(2u32).pow(7);
    assert_eq!(m.count(both), twice);
}

/// Pairs bits over ever more variables until something stops it.
fn far_union(m: &mut Manager, start: Node) -> Result<Node, Stop> {
    let kept = m.pushed();
    m.push(start);
    let result = (30..64).step_by(2).try_fold(Node::ZERO, |_, bits| {
        let far = matched(m, bits, |i| (i + bits / 2) % bits)?;
        m.push(far);
        Ok(far)
    });
    m.pop(kept);
    result
}

#[test]
fn a_raised_flag_stops_an_operation_and_a_lowered_one_does_not() {
    let mut m = Manager::new();
    let budget = Budget::default();
    let flag = budget.cancel.clone();
    m.set_budget(budget);
    let (near, far) = pairings(&mut m, 26).unwrap();
    m.clear_cache();
    flag.store(true, Ordering::Relaxed);
    m.set_budget(m.budget().clone());
    assert_eq!(m.union(near.node(), far.node()), Err(Stop::Cancelled));
    assert_eq!(m.union(near.node(), far.node()), Err(Stop::Cancelled));
    flag.store(false, Ordering::Relaxed);
    let both = m.union(near.node(), far.node()).unwrap();
    assert!(m.is_subset(near.node(), both).unwrap());
}

#[test]
fn a_deadline_stops_inside_one_long_operation() {
    let mut m = Manager::new();
    let (near, far) = pairings(&mut m, 26).unwrap();
    let deadline = Some(Instant::now() + Duration::from_millis(30));
    m.set_budget(Budget {
        deadline,
        ..Budget::default()
    });
    let start = Instant::now();
    let stopped = far_union(&mut m, Node::ONE);
    assert_eq!(stopped, Err(Stop::Time));
    assert!(start.elapsed() < Duration::from_secs(5));
    m.set_budget(Budget::default());
    assert!(m.union(near.node(), far.node()).is_ok());
}

#[test]
fn every_cap_gives_the_right_set_or_a_clean_stop() {
    let all: Vec<Vec<i32>> = (0..300)
        .map(|i| vec![i % 5, i % 7, i % 11, i % 13])
        .collect();
    for encoding in ENCODINGS {
        let mut stops = 0;
        for step in 0..60 {
            let mut m = Manager::new();
            let first = m.statistics().peak_bytes;
            m.set_policy(if step % 2 == 0 {
                Policy::Lazy
            } else {
                Policy::Strict(50)
            });
            m.set_budget(Budget {
                memory: first + step * 2000,
                ..Budget::default()
            });
            match encoding.set(&mut m, &all) {
                Ok(set) => assert_eq!(vectors(&m, set), all.iter().cloned().collect()),
                Err(stop) => {
                    assert_eq!(stop, Stop::Memory);
                    stops += 1;
                    // Stacks of a few hundred bytes are not asked for in advance.
                    assert!(m.statistics().peak_bytes <= first + step * 2000 + 8192);
                    m.pop(0);
                    m.set_budget(Budget::default());
                    let set = encoding.set(&mut m, &all).unwrap();
                    assert_eq!(vectors(&m, set), all.iter().cloned().collect());
                }
            }
        }
        assert!(stops > 0 && stops < 60, "{stops}");
    }
}
