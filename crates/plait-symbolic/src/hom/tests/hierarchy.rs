//! Locals, hierarchy, recursive folding.

use std::collections::{HashMap, VecDeque};

use num_bigint::BigUint;
use plait_dd::stack::deep;
use plait_dd::{Manager, Node, Value};
use plait_program::arithmetic::CompareOp;

use super::events::Event;
use super::{diagram, manager, Forest, Random, State, States};
use crate::hom::{Halt, Hom, Homs, Target, Term, Write};

const PARTS: usize = 3;
const WIDTH: usize = 2;

/// The states of composites, flat: part `v` at places `(v - 1) * WIDTH` on.
fn composite(dd: &mut Manager, states: &States) -> Node {
    let kept = dd.pushed();
    let mut all = Node::ZERO;
    for state in states {
        let mut node = Node::ONE;
        for part in 0..PARTS {
            let cells = state[part * WIDTH..][..WIDTH].to_vec();
            let label = diagram(dd, &[cells].into_iter().collect());
            dd.push(label);
            node = dd.set_node(part as u32 + 1, &[(label, node)]).unwrap();
            dd.push(node);
        }
        all = dd.union(all, node).unwrap();
        dd.push(all);
    }
    dd.pop(kept);
    all
}

fn flat(dd: &Manager, set: Node) -> States {
    let value = |v: &Value| match v {
        Value::Integer(value) => *value,
        Value::Component(_) => panic!("two levels only"),
    };
    dd.states(set)
        .map(|steps| {
            let mut state = State::new();
            for step in steps.iter().rev() {
                let Value::Component(cells) = &step.value else {
                    panic!("parts are components");
                };
                state.extend(cells.iter().rev().map(|c| value(&c.value)));
            }
            state
        })
        .collect()
}

/// Events of single parts that happen together.
fn successor(sync: &[(usize, Event)], state: &State) -> Option<State> {
    let mut next = state.clone();
    for (part, event) in sync {
        let cells = next[part * WIDTH..][..WIDTH].to_vec();
        let moved = event.successor(&cells)?;
        next[part * WIDTH..][..WIDTH].copy_from_slice(&moved);
    }
    Some(next)
}

/// covers: I14, I21, I22, I83
#[test]
fn synchronised_parts_reach_what_explicit_search_reaches() {
    let mut random = Random(21);
    for round in 0..400 {
        let forest = Forest::new(&mut random, WIDTH as u32);
        let mut syncs: Vec<Vec<(usize, Event)>> = Vec::new();
        for _ in 0..2 + random.below(4) {
            let count = 1 + random.below(3);
            let part = |r: &mut Random| r.below(PARTS as u64) as usize;
            let one = |r: &mut Random| (part(r), Event::random(&forest, r));
            syncs.push((0..count).map(|_| one(&mut random)).collect());
        }
        let initial = random.states((PARTS * WIDTH) as u32, 3);
        let mut seen = initial.clone();
        let mut queue: VecDeque<State> = seen.iter().cloned().collect();
        while let Some(state) = queue.pop_front() {
            for next in syncs.iter().filter_map(|s| successor(s, &state)) {
                if seen.insert(next.clone()) {
                    queue.push_back(next);
                }
            }
        }
        let mut dd = manager(&mut random);
        let mut homs = Homs::new();
        let set = composite(&mut dd, &initial);
        let _root = dd.root(set);
        let mut all = vec![Hom::ID];
        for sync in &syncs {
            let mut chain = Hom::ID;
            for (part, event) in sync {
                let inner = event.build(&mut homs);
                let local = homs.local(inner, *part as u32 + 1);
                chain = homs.compose(local, chain);
            }
            let image = homs.apply(&mut dd, chain, set).unwrap();
            let _image = dd.root(image);
            let once = initial.iter().filter_map(|s| successor(sync, s));
            assert_eq!(flat(&dd, image), once.collect(), "round {round}");
            let some = homs.has_image(&mut dd, chain, set).unwrap();
            assert_eq!(some.is_zero(), image.is_zero());
            assert!(dd.is_subset(some, image).unwrap());
            all.push(chain);
        }
        let step = homs.sum(&all);
        let reach = homs.fixpoint(step);
        for in_rounds in [false, true] {
            dd.clear_cache();
            homs.close_in_rounds(in_rounds);
            let reached = homs.apply(&mut dd, reach, set).unwrap();
            assert_eq!(flat(&dd, reached), seen, "round {round}: {syncs:?}");
        }
    }
}

/// A part jumps from 0 to 1 together with the one above, which stays, and goes on to 2 alone.
#[test]
fn a_part_goes_on_alone_where_something_of_it_is_known() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let [zero, one] = [0, 1].map(|v| homs.compare(1, CompareOp::Equal, v));
    let up = homs.increment(1, 1);
    let (jump, step) = (homs.compose(up, zero), homs.compose(up, one));
    let (above, below) = (homs.local(zero, 2), homs.local(jump, 1));
    let together = homs.compose(above, below);
    let alone = homs.local(step, 1);
    let step = homs.sum(&[together, alone, Hom::ID]);
    let reach = homs.fixpoint(step);
    let label = diagram(&mut dd, &[vec![0]].into_iter().collect());
    let below = dd.set_node(1, &[(label, Node::ONE)]).unwrap();
    let set = dd.set_node(2, &[(label, below)]).unwrap();
    let _root = dd.root(set);
    for in_rounds in [false, true] {
        dd.clear_cache();
        homs.close_in_rounds(in_rounds);
        let reached = homs.apply(&mut dd, reach, set).unwrap();
        assert_eq!(dd.count(reached), BigUint::from(3u32));
    }
}

/// covers: I22
#[test]
fn locals_fuse_commute_and_take_fixpoints_inside() {
    let mut homs = Homs::new();
    let (a, b) = (homs.increment(1, 1), homs.compare(1, CompareOp::Less, 9));
    let (la, lb) = (homs.local(a, 2), homs.local(b, 2));
    let lc = homs.local(a, 1);
    let inside = homs.compose(a, b);
    assert_eq!(homs.compose(la, lb), homs.local(inside, 2));
    let inside = homs.sum(&[a, b]);
    assert_eq!(homs.sum(&[la, lb]), homs.local(inside, 2));
    assert_eq!(homs.compose(la, lc), homs.compose(lc, la));
    let inside = homs.compose(a, b);
    let local = homs.local(inside, 2);
    let outside = homs.sum(&[local, Hom::ID]);
    let outside = homs.fixpoint(outside);
    let inside = homs.sum(&[inside, Hom::ID]);
    let inside = homs.fixpoint(inside);
    assert_eq!(outside, homs.local(inside, 2));
    let negated = homs.not(lb).unwrap();
    let inside = homs.not(b).unwrap();
    assert_eq!(negated, homs.local(inside, 2));
    assert_eq!(homs.local(Hom::ID, 3), Hom::ID);
    assert_eq!(homs.local(Hom::ZERO, 3), Hom::ZERO);
    assert!(matches!(homs.term(la), Term::Local(..)));
}

#[test]
fn a_fault_inside_a_part_counts_only_if_the_other_parts_let_a_path_through() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let x = homs.pool.read(1);
    let one = homs.pool.constant(1);
    let next = homs.pool.add(x, one);
    let assign = homs.assign(Write {
        low: 0,
        high: 3,
        statement: 7,
        ..Write::new(Target::Variable(1), next)
    });
    let guard = homs.compare(1, CompareOp::Equal, 1);
    let (assign, guard) = (homs.local(assign, 2), homs.local(guard, 1));
    let event = homs.compose(assign, guard);
    for (y, faulty) in [(0, false), (1, true)] {
        let (full, other) = ([vec![3]], [vec![y]]);
        let full = diagram(&mut dd, &full.into_iter().collect());
        let other = diagram(&mut dd, &other.into_iter().collect());
        let low = dd.set_node(1, &[(other, Node::ONE)]).unwrap();
        let set = dd.set_node(2, &[(full, low)]).unwrap();
        let image = homs.apply(&mut dd, event, set);
        assert_eq!(
            matches!(
                image,
                Err(Halt::Fault {
                    statement: 7,
                    value: 4
                })
            ),
            faulty
        );
        assert!(faulty || image == Ok(Node::ZERO));
    }
}

#[test]
fn a_fault_inside_a_part_is_found_although_another_part_lets_nothing_through_afterwards() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let five = homs.pool.constant(5);
    let assign = homs.assign(Write {
        low: 0,
        high: 3,
        statement: 7,
        ..Write::new(Target::Variable(1), five)
    });
    let never = homs.compare(1, CompareOp::Equal, 9);
    let part = diagram(&mut dd, &[vec![0], vec![3]].into_iter().collect());
    let low = dd.set_node(1, &[(part, Node::ONE)]).unwrap();
    let set = dd.set_node(2, &[(part, low)]).unwrap();
    for (first, second) in [(1, 2), (2, 1), (1, 1), (2, 2)] {
        let (before, after) = (homs.local(assign, first), homs.local(never, second));
        let event = homs.compose(after, before);
        let image = homs.apply(&mut dd, event, set);
        assert!(matches!(
            image,
            Err(Halt::Fault {
                statement: 7,
                value: 5
            })
        ));
        let event = homs.compose(before, after);
        assert_eq!(homs.apply(&mut dd, event, set), Ok(Node::ZERO));
    }
}

/// A block of philosophers: what it does alone and at its two ends.
struct Block {
    initial: Node,
    alone: Hom,
    first_takes: Hom,
    first_returns: Hom,
    last_takes: Hom,
    last_finishes: Hom,
}

/// Idle, waits left, waits right, has left, has right, fork: variables 6 to 1.
fn philosopher(dd: &mut Manager, homs: &mut Homs) -> Block {
    let mut event = |inputs: &[u32], outputs: &[u32]| {
        let mut chain = Hom::ID;
        for x in inputs {
            let test = homs.compare(*x, CompareOp::GreaterEqual, 1);
            chain = homs.compose(test, chain);
        }
        for (x, k) in inputs
            .iter()
            .map(|x| (x, -1))
            .chain(outputs.iter().map(|x| (x, 1)))
        {
            let change = homs.increment(*x, k);
            chain = homs.compose(change, chain);
        }
        chain
    };
    let hungry = event(&[6], &[5, 4]);
    let takes_right = event(&[4, 1], &[2]);
    let first_takes = event(&[1], &[]);
    let first_returns = event(&[], &[1]);
    let last_takes = event(&[5], &[3]);
    let last_finishes = event(&[3, 2], &[6, 1]);
    Block {
        initial: diagram(dd, &[vec![1, 0, 0, 0, 0, 1]].into_iter().collect()),
        alone: homs.sum(&[hungry, takes_right]),
        first_takes,
        first_returns,
        last_takes,
        last_finishes,
    }
}

/// Two blocks side by side: the first in variable 2.
fn doubled(dd: &mut Manager, homs: &mut Homs, block: &Block) -> Block {
    let second = dd.set_node(1, &[(block.initial, Node::ONE)]).unwrap();
    let initial = dd.set_node(2, &[(block.initial, second)]).unwrap();
    let mut both = |left: Hom, right: Hom| {
        let (left, right) = (homs.local(left, 2), homs.local(right, 1));
        homs.compose(left, right)
    };
    let take = both(block.last_takes, block.first_takes);
    let finish = both(block.last_finishes, block.first_returns);
    let (left, right) = (homs.local(block.alone, 2), homs.local(block.alone, 1));
    Block {
        initial,
        alone: homs.sum(&[left, right, take, finish]),
        first_takes: homs.local(block.first_takes, 2),
        first_returns: homs.local(block.first_returns, 2),
        last_takes: homs.local(block.last_takes, 1),
        last_finishes: homs.local(block.last_finishes, 1),
    }
}

/// The reachable states of a ring of 2^n philosophers.
fn folded(dd: &mut Manager, n: u32) -> Node {
    let mut homs = Homs::new();
    let mut block = philosopher(dd, &mut homs);
    for _ in 0..n {
        block = doubled(dd, &mut homs, &block);
    }
    let take = homs.compose(block.last_takes, block.first_takes);
    let finish = homs.compose(block.last_finishes, block.first_returns);
    let next = homs.sum(&[block.alone, take, finish, Hom::ID]);
    let reach = homs.fixpoint(next);
    homs.apply(dd, reach, block.initial).unwrap()
}

fn lucas(n: u64) -> BigUint {
    let (mut a, mut b) = (BigUint::from(2u32), BigUint::from(1u32));
    for _ in 0..n {
        (a, b) = (b.clone(), a + b);
    }
    a
}

/// covers: I13
#[test]
fn folded_philosophers_have_lucas_many_states_and_a_constant_price_for_each_doubling() {
    let mut sizes = Vec::new();
    for n in 1..=12 {
        let mut dd = Manager::new();
        let states = folded(&mut dd, n);
        assert_eq!(dd.count(states), lucas(3 << n), "2^{n} philosophers");
        let size = dd.size(states);
        sizes.push(size.set_nodes + size.integer_nodes);
    }
    let growth: Vec<usize> = sizes.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(growth[2..].windows(2).all(|w| w[0] == w[1]), "{sizes:?}");
    assert!(growth[5] <= 8, "{sizes:?}");
}

/// How many states a set has, modulo a prime.
fn count_modulo(dd: &Manager, set: Node, prime: u64, known: &mut HashMap<Node, u64>) -> u64 {
    if set.is_terminal() {
        return u64::from(set == Node::ONE);
    }
    if let Some(count) = known.get(&set) {
        return *count;
    }
    let count = deep(|| {
        dd.edges(set).iter().fold(0, |sum, edge| {
            let below = count_modulo(dd, edge.child, prime, known);
            let label = match dd.kind(set) {
                plait_dd::Kind::Set => count_modulo(dd, edge.label_set(), prime, known),
                _ => 1,
            };
            let product = u128::from(below) * u128::from(label) % u128::from(prime);
            (sum + product as u64) % prime
        })
    });
    known.insert(set, count);
    count
}

/// `Lucas(3 * 2^n)` modulo a prime: `L(2k) = L(k)^2 - 2` for even k.
fn lucas_modulo(n: u32, prime: u64) -> u64 {
    // L(6) = 18 for n = 1.
    (1..n).fold(18 % prime, |l, _| {
        let square = u128::from(l) * u128::from(l) % u128::from(prime);
        ((square as u64) + prime - 2) % prime
    })
}

/// The number has more digits than there are atoms: it is compared modulo primes.
/// covers: I13
#[test]
fn two_to_the_thousand_philosophers_are_counted() {
    let mut dd = Manager::new();
    let states = folded(&mut dd, 1000);
    for prime in [2_305_843_009_213_693_951, 4_294_967_291, 1_000_000_007] {
        let count = count_modulo(&dd, states, prime, &mut HashMap::new());
        assert_eq!(count, lucas_modulo(1000, prime));
    }
    let size = dd.size(states);
    assert!(size.set_nodes < 10_000, "{size:?}");
}
