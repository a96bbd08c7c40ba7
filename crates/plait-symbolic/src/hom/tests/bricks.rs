//! Conditions, assignments and what else works on integers.

use plait_dd::{Budget, Edge, Manager, Node, Stop};
use plait_program::arithmetic::CompareOp;

use super::{array_of, diagram, manager, states_of, Forest, Random, State, States, Tree};
use crate::hom::{Halt, Hom, Homs, Interval, Step, Target, Write};

fn kept(states: &States, keep: impl Fn(&State) -> bool) -> States {
    states.iter().filter(|s| keep(s)).cloned().collect()
}

/// covers: I14, I32, I34
#[test]
fn a_condition_keeps_the_states_in_which_it_is_true() {
    let mut random = Random(3);
    for _ in 0..6000 {
        let forest = Forest::new(&mut random, 5);
        let mut dd = manager(&mut random);
        let mut homs = Homs::new();
        let size = 1 + random.below(4) as u32;
        let tree = forest.condition(&mut random, size);
        let states = random.states(5, 12);
        let set = diagram(&mut dd, &states);
        let _root = dd.root(set);
        let condition = tree.build(&mut homs);
        let selector = homs.pred(condition);
        let image = homs.apply(&mut dd, selector, set).unwrap();
        let expected = kept(&states, |s| tree.value(s) == Some(1));
        assert_eq!(states_of(&dd, image), expected, "{tree:?}");
        let _image = dd.root(image);
        let negation = homs.not(selector).unwrap();
        let rest = homs.apply(&mut dd, negation, set).unwrap();
        let _rest = dd.root(rest);
        assert_eq!(rest, dd.difference(set, image).unwrap(), "{tree:?}");
    }
}

/// A target with its cells, for the explicit side.
fn store(
    target: &(Option<Tree>, Vec<u32>),
    value: Option<i32>,
    from: &State,
    to: &mut State,
) -> bool {
    let cell = match &target.0 {
        None => Some(target.1[0]),
        Some(index) => index
            .value(from)
            .and_then(|i| usize::try_from(i).ok())
            .and_then(|i| target.1.get(i).copied()),
    };
    match (cell, value) {
        (Some(cell), Some(value)) => {
            to[cell as usize - 1] = value;
            true
        }
        _ => false,
    }
}

fn random_write(
    forest: &Forest,
    random: &mut Random,
    homs: &mut Homs,
) -> ((Option<Tree>, Vec<u32>), Tree, Write) {
    let size = random.below(4) as u32;
    let value = forest.integer(random, size);
    let e = value.build(homs);
    let size = random.below(3) as u32;
    let (target, place) = if random.chance(2) {
        let x = forest.variable(random);
        (Target::Variable(x), (None, vec![x]))
    } else {
        let cells = forest.array(random);
        let array = array_of(homs, &cells);
        let index = forest.integer(random, size);
        let i = index.build(homs);
        (Target::Element(array, i), (Some(index), cells))
    };
    (place, value, Write::new(target, e))
}

/// covers: I14, I32, I33, I34, I36
#[test]
fn an_assignment_stores_what_the_interpreter_stores() {
    let mut random = Random(4);
    for _ in 0..6000 {
        let forest = Forest::new(&mut random, 5);
        let mut dd = manager(&mut random);
        let mut homs = Homs::new();
        let (place, value, write) = random_write(&forest, &mut random, &mut homs);
        let states = random.states(5, 12);
        let set = diagram(&mut dd, &states);
        let _root = dd.root(set);
        let assign = homs.assign(write);
        let image = homs.apply(&mut dd, assign, set).unwrap();
        let mut expected = States::new();
        for state in &states {
            let mut next = state.clone();
            if store(&place, value.value(state), state, &mut next) {
                expected.insert(next);
            }
        }
        assert_eq!(states_of(&dd, image), expected, "{place:?} = {value:?}");
    }
}

/// covers: I38
#[test]
fn simultaneous_assignments_read_the_state_before() {
    let mut random = Random(5);
    for _ in 0..3000 {
        let forest = Forest::new(&mut random, 5);
        let mut dd = manager(&mut random);
        let mut homs = Homs::new();
        let count = 2 + random.below(2);
        let writes: Vec<_> = (0..count)
            .map(|_| random_write(&forest, &mut random, &mut homs))
            .collect();
        let states = random.states(5, 10);
        let set = diagram(&mut dd, &states);
        let _root = dd.root(set);
        let list: Vec<Write> = writes.iter().map(|w| w.2).collect();
        let assign = homs.assign_all(&list);
        let image = homs.apply(&mut dd, assign, set).unwrap();
        let mut expected = States::new();
        for state in &states {
            let mut next = state.clone();
            let all = writes.iter().fold(true, |ok, w| {
                store(&w.0, w.1.value(state), state, &mut next) & ok
            });
            if all {
                expected.insert(next);
            }
        }
        assert_eq!(states_of(&dd, image), expected, "{writes:?}");
    }
}

/// covers: I29
#[test]
fn a_swap_exchanges_two_variables() {
    let mut random = Random(6);
    for _ in 0..300 {
        let mut dd = manager(&mut random);
        let mut homs = Homs::new();
        let states = random.states(4, 10);
        let set = diagram(&mut dd, &states);
        let _root = dd.root(set);
        let (x, y) = (1 + random.below(4) as u32, 1 + random.below(4) as u32);
        let swap = homs.swap(x, y);
        let image = homs.apply(&mut dd, swap, set).unwrap();
        let exchanged = |s: &State| {
            let mut s = s.clone();
            s.swap(x as usize - 1, y as usize - 1);
            s
        };
        assert_eq!(
            states_of(&dd, image),
            states.iter().map(exchanged).collect()
        );
        let _image = dd.root(image);
        assert_eq!(homs.apply(&mut dd, swap, image).unwrap(), set);
    }
}

/// covers: I14
#[test]
fn tests_and_steps_of_one_variable_do_what_they_say() {
    let mut random = Random(7);
    for _ in 0..2000 {
        let mut dd = manager(&mut random);
        let mut homs = Homs::new();
        let states = random.states(3, 10);
        let set = diagram(&mut dd, &states);
        let _root = dd.root(set);
        let mut chain = Hom::ID;
        let mut expected = states.clone();
        for _ in 0..1 + random.below(4) {
            let x = 1 + random.below(3) as u32;
            let at = x as usize - 1;
            let k = random.value();
            let op = CompareOp::ALL[random.below(6) as usize];
            let (step, after): (Hom, States) = match random.below(3) {
                0 => (
                    homs.compare(x, op, k),
                    kept(&expected, |s| op.apply(s[at], k)),
                ),
                kind => {
                    let change = |s: &State| {
                        let mut s = s.clone();
                        s[at] = if kind == 1 { s[at].wrapping_add(k) } else { k };
                        s
                    };
                    let hom = if kind == 1 {
                        homs.increment(x, k)
                    } else {
                        homs.store(x, k)
                    };
                    (hom, expected.iter().map(change).collect())
                }
            };
            chain = homs.compose(step, chain);
            expected = after;
        }
        let image = homs.apply(&mut dd, chain, set).unwrap();
        assert_eq!(states_of(&dd, image), expected);
    }
}

#[test]
fn steps_of_one_variable_fuse_into_one_term() {
    let mut homs = Homs::new();
    let test = homs.compare(2, CompareOp::Less, 5);
    let up = homs.increment(2, 1);
    let bounded = homs.compare(2, CompareOp::LessEqual, 3);
    let chain = homs.compose_all(&[bounded, up, test]);
    let expected = homs.step(Step {
        amount: 1,
        ..Step::test(2, Interval::new(i32::MIN, 2))
    });
    assert_eq!(chain, expected);
    let zero = homs.store(2, 9);
    assert_eq!(homs.compose(test, zero), Hom::ZERO);
}

/// Statement 7 stores x + 1 in 0..3, once y is 1.
fn guarded(homs: &mut Homs, first: CompareOp) -> Hom {
    let x = homs.pool.read(2);
    let one = homs.pool.constant(1);
    let next = homs.pool.add(x, one);
    let assign = homs.assign(Write {
        low: 0,
        high: 3,
        statement: 7,
        ..Write::new(Target::Variable(2), next)
    });
    let guard = homs.compare(1, first, 1);
    homs.compose(assign, guard)
}

#[test]
fn leaving_a_domain_is_a_fault_only_on_paths_that_come_there() {
    let mut dd = plait_dd::Manager::new();
    let mut homs = Homs::new();
    let event = guarded(&mut homs, CompareOp::Equal);
    let fine = diagram(&mut dd, &[vec![0, 3], vec![1, 2]].into_iter().collect());
    let image = homs.apply(&mut dd, event, fine).unwrap();
    assert_eq!(states_of(&dd, image), [vec![1, 3]].into_iter().collect());
    let bad = diagram(&mut dd, &[vec![1, 3], vec![1, 2]].into_iter().collect());
    let fault = homs.apply(&mut dd, event, bad);
    let expected = Halt::Fault {
        statement: 7,
        value: 4,
    };
    assert_eq!(fault, Err(expected));
    // A test after the statement does not hide it.
    let guard = homs.compare(1, CompareOp::Equal, 0);
    let later = guarded(&mut homs, CompareOp::GreaterEqual);
    let later = homs.compose(guard, later);
    assert_eq!(homs.apply(&mut dd, later, bad), Err(expected));
    // A test before it that guarantees the domain makes it safe, and one brick.
    let safe = homs.compare(2, CompareOp::Less, 3);
    let x = homs.pool.read(2);
    let one = homs.pool.constant(1);
    let next = homs.pool.add(x, one);
    let assign = homs.assign(Write {
        low: 0,
        high: 3,
        statement: 7,
        ..Write::new(Target::Variable(2), next)
    });
    let positive = homs.compare(2, CompareOp::GreaterEqual, 0);
    let safe = homs.compose(positive, safe);
    let safe = homs.compose(assign, safe);
    assert!(matches!(homs.term(safe), crate::hom::Term::Step(_)));
    assert!(homs.apply(&mut dd, safe, bad).is_ok());
    // Nor does a statement that leads nowhere, at this variable, at another one, or at none.
    let statement = guarded(&mut homs, CompareOp::GreaterEqual);
    for (variable, value) in [(2, 9), (1, 9)] {
        let never = homs.compare(variable, CompareOp::Equal, value);
        let ending = homs.compose(never, statement);
        assert_eq!(homs.apply(&mut dd, ending, bad), Err(expected));
    }
    for ending in [
        homs.compose(Hom::ZERO, statement),
        homs.in_turn(Hom::ZERO, statement),
    ] {
        assert_eq!(homs.apply(&mut dd, ending, bad), Err(expected));
        assert_eq!(homs.apply(&mut dd, ending, fine), Ok(Node::ZERO));
        // Before it, everything ends.
        assert_eq!(homs.compose(statement, Hom::ZERO), Hom::ZERO);
    }
}

/// covers: I34
#[test]
fn undefined_values_drop_the_path_and_are_noted_where_a_path_really_comes() {
    let mut dd = plait_dd::Manager::new();
    let mut homs = Homs::new();
    let (x, one) = (homs.pool.read(2), homs.pool.constant(1));
    let inverse = homs
        .pool
        .binary(plait_program::arithmetic::BinaryOp::Divide, one, x);
    let assign = homs.assign(Write {
        statement: 3,
        ..Write::new(Target::Variable(2), inverse)
    });
    let guard = homs.compare(1, CompareOp::Equal, 1);
    let event = homs.compose(assign, guard);
    let set = diagram(&mut dd, &[vec![0, 0], vec![1, 1]].into_iter().collect());
    let image = homs.apply(&mut dd, event, set).unwrap();
    assert_eq!(states_of(&dd, image), [vec![1, 1]].into_iter().collect());
    assert!(homs.undefined_statements().is_empty());
    let set = diagram(&mut dd, &[vec![1, 0], vec![1, 1]].into_iter().collect());
    let image = homs.apply(&mut dd, event, set).unwrap();
    assert_eq!(states_of(&dd, image), [vec![1, 1]].into_iter().collect());
    assert!(homs.undefined_statements().contains(&3));
}

/// A condition on a weighted sum has a residue for each partial sum, but the diagrams stay tiny.
#[test]
fn terms_made_on_the_way_are_charged_to_the_budget() {
    use plait_program::arithmetic::BinaryOp;
    let weighted = |memory: usize| {
        let mut dd = plait_dd::Manager::new();
        let mut homs = Homs::new();
        let mut all = Node::ONE;
        let mut sum = homs.pool.constant(0);
        for x in 1..=6u32 {
            let edges: Vec<_> = (0..6).map(|v| plait_dd::Edge::integer(v, all)).collect();
            all = dd.integer_node(x, &edges).unwrap();
            let (read, weight) = (homs.pool.read(x), homs.pool.constant(6i32.pow(x)));
            let product = homs.pool.binary(BinaryOp::Multiply, read, weight);
            sum = homs.pool.binary(BinaryOp::Add, sum, product);
        }
        let _kept = dd.root(all);
        let wanted = homs.pool.constant(6i32.pow(4));
        let condition = homs.pool.compare(CompareOp::Equal, sum, wanted);
        let selector = homs.pred(condition);
        dd.set_budget(plait_dd::Budget {
            memory,
            ..plait_dd::Budget::default()
        });
        let image = homs.apply(&mut dd, selector, all);
        image.map(|set| dd.count(set).to_string())
    };
    assert_eq!(weighted(usize::MAX).unwrap(), "1");
    assert!(matches!(
        weighted(1 << 20),
        Err(Halt::Stop(plait_dd::Stop::Memory))
    ));
}

/// covers: I37
#[test]
fn incrementing_many_variables_costs_linear_time() {
    let mut dd = plait_dd::Manager::new();
    let mut homs = Homs::new();
    let mut set = Node::ONE;
    for x in 1..=500 {
        let edges = [0, 1, 2].map(|v| plait_dd::Edge::integer(v, set));
        set = dd.integer_node(x, &edges).unwrap();
    }
    let steps: Vec<Hom> = (1..=500).map(|x| homs.increment(x, 1)).collect();
    let all = homs.compose_all(&steps);
    let image = homs.apply(&mut dd, all, set).unwrap();
    assert_eq!(dd.count(image), dd.count(set));
    assert_eq!(dd.domain(image, 250), vec![1, 2, 3]);
    assert!(dd.statistics().created < 2000);
}

#[test]
fn what_one_wide_node_makes_of_terms_is_charged_before_the_next_look_is_due() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let child = dd.integer_node(1, &[Edge::integer(0, Node::ONE)]).unwrap();
    let edges: Vec<Edge> = (0..1000).map(|v| Edge::integer(v, child)).collect();
    let wide = dd.integer_node(2, &edges).unwrap();
    let _root = dd.root(wide);
    let smaller = homs.compare_variables(2, CompareOp::Less, 1);
    dd.look_now().unwrap();
    dd.set_budget(Budget {
        memory: dd.statistics().peak_bytes + (200 << 10),
        ..Budget::default()
    });
    // a condition on the other variable, a term and a row for each of the labels
    let stopped = homs.apply(&mut dd, smaller, wide);
    assert!(
        matches!(stopped, Err(Halt::Stop(Stop::Memory))),
        "{stopped:?}"
    );
}
