//! T22: all subsets of {0,1,2}^2, all pairs, all operations, in all encodings.

use super::{assert_canonical, vectors, Encoding, ENCODINGS};
use crate::{Manager, Node, Policy, Root};

/// The nine vectors of {0,1,2}^2; a set of them is a mask of nine bits.
fn cube() -> Vec<Vec<i32>> {
    (0..9).map(|i| vec![i / 3, i % 3]).collect()
}

fn all_subsets(m: &mut Manager, encoding: Encoding) -> Vec<Root> {
    let cube = cube();
    let subset = |mask: usize| (0..9).filter(move |i| mask >> i & 1 == 1);
    (0..512)
        .map(|mask| {
            let vectors: Vec<_> = subset(mask).map(|i| cube[i].clone()).collect();
            let node = encoding.set(m, &vectors).unwrap();
            let root = m.root(node);
            // The other way round it is the same node.
            let again = encoding.set(m, vectors.iter().rev()).unwrap();
            assert_eq!(again, node);
            root
        })
        .collect()
}

#[test]
fn every_pair_of_subsets_under_every_operation() {
    // covers: I2, I4, S27, S30
    for encoding in ENCODINGS {
        for policy in [Policy::Lazy, Policy::Strict(1000)] {
            let mut m = Manager::new();
            m.set_policy(policy);
            let roots = all_subsets(&mut m, encoding);
            let sets: Vec<Node> = roots.iter().map(Root::node).collect();
            for a in 0..512 {
                if a % 64 == 0 {
                    m.clear_cache();
                }
                for b in 0..512 {
                    let (x, y) = (sets[a], sets[b]);
                    assert_eq!(m.union(x, y), Ok(sets[a | b]));
                    assert_eq!(m.intersection(x, y), Ok(sets[a & b]));
                    assert_eq!(m.difference(x, y), Ok(sets[a & !b]));
                    assert_eq!(m.is_subset(x, y), Ok(a & !b == 0));
                    assert_eq!(m.difference(sets[511], x), Ok(sets[511 & !a]));
                }
            }
            for set in &sets {
                assert_canonical(&mut m, *set);
            }
        }
    }
}

#[test]
fn concatenations_are_products() {
    // covers: I4
    let all = std::env::var_os("PLAIT_SOAK").is_some();
    for encoding in ENCODINGS {
        let mut m = Manager::new();
        let roots = all_subsets(&mut m, encoding);
        for a in (0..512).step_by(if all { 1 } else { 13 }) {
            for b in (0..512).step_by(if all { 1 } else { 17 }) {
                let (x, y) = (roots[a].node(), roots[b].node());
                let product = m.concatenation(x, y).unwrap();
                let expected: std::collections::BTreeSet<Vec<i32>> = vectors(&m, x)
                    .iter()
                    .flat_map(|u| {
                        vectors(&m, y)
                            .into_iter()
                            .map(move |v| [&u[..], &v].concat())
                    })
                    .collect();
                assert_eq!(vectors(&m, product), expected);
                assert_eq!(m.count(product), m.count(x) * m.count(y));
                assert_canonical(&mut m, product);
            }
        }
    }
}
