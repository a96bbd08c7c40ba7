//! T15: every larger allocation fails once, and the manager is used again afterwards.
//!
//! The allocator of this test program refuses the k-th allocation of more than 4 KiB of a thread that
//! asked for it, for k = 1, 2, ... until a workload needs no k-th one. Small allocations succeed: no
//! program of this kind survives when those fail. What must hold at every point: no abort, and after
//! `Stop::Memory` the same manager gives the right answer.

mod refusing;

use plait_dd::{Manager, Node, Root, Stop};

use refusing::LEFT;

/// All vectors x y of `2 * bits` bits with y = x: as many nodes as there are vectors.
fn equal_halves(m: &mut Manager, bits: u32) -> Result<Root, Stop> {
    let mut set = m.root(Node::ZERO);
    for number in 0..1i32 << bits {
        let half = (0..bits).map(|i| number >> i & 1);
        let values: Vec<i32> = half.clone().chain(half).collect();
        let one = m.integers(0, &values)?;
        let sum = m.union(set.node(), one)?;
        set = m.root(sum);
    }
    Ok(set)
}

/// One node with very many edges.
fn wide(m: &mut Manager, bits: u32) -> Result<Root, Stop> {
    let mut set = m.root(Node::ZERO);
    for value in 0..4i32 << bits {
        let one = m.integers(0, &[value, value % 7])?;
        let sum = m.union(set.node(), one)?;
        set = m.root(sum);
    }
    Ok(set)
}

/// Intersections and differences of large sets, and the union that puts them together again.
fn parts(m: &mut Manager, bits: u32) -> Result<Root, Stop> {
    let all = equal_halves(m, bits)?;
    let fewer = equal_halves(m, bits - 1)?;
    let mut front = m.root(Node::ZERO);
    for vector in [[0, 0], [1, 1]] {
        let one = m.integers(2 * (bits - 1), &vector)?;
        let sum = m.union(front.node(), one)?;
        front = m.root(sum);
    }
    let product = m.concatenation(fewer.node(), front.node())?;
    let product = m.root(product);
    let common = m.intersection(all.node(), product.node())?;
    let common = m.root(common);
    let rest = m.difference(all.node(), common.node())?;
    let rest = m.root(rest);
    let sum = m.union(common.node(), rest.node())?;
    Ok(m.root(sum))
}

type Workload = fn(&mut Manager, u32) -> Result<Root, Stop>;

/// How often an allocation of the workload was refused.
fn points(workload: Workload, bits: u32) -> u64 {
    let mut fresh = Manager::new();
    let expected = workload(&mut fresh, bits).expect("there is memory");
    let count = fresh.count(expected.node());
    for k in 1.. {
        let mut m = Manager::new();
        LEFT.set(k);
        let result = workload(&mut m, bits);
        let refused = LEFT.replace(0) == 0;
        match result {
            Ok(set) => assert_eq!(m.count(set.node()), count),
            Err(stop) => assert_eq!(stop, Stop::Memory),
        }
        let again = workload(&mut m, bits).expect("there is memory again");
        assert_eq!(m.count(again.node()), count);
        m.collect();
        assert_eq!(m.count(again.node()), count);
        if !refused {
            return k - 1;
        }
    }
    unreachable!("a workload needs finitely many allocations")
}

#[test]
fn any_allocation_may_fail_and_the_manager_stays_right() {
    let soak = std::env::var_os("PLAIT_SOAK").is_some();
    for (workload, least) in [(equal_halves as Workload, 20), (wide, 5), (parts, 20)] {
        let mut refused = 0;
        for bits in if soak { 3..=13 } else { 8..=9 } {
            refused += points(workload, bits);
        }
        assert!(refused >= least, "only {refused} allocations were refused");
    }
}
