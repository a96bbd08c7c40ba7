//! The catalogue and its rewriting, each by its equation.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use plait_dd::{Edge, Manager, Node, Policy};
use plait_program::arithmetic::CompareOp;

use super::events::{explicit, net_events, net_initial, Event};
use super::{diagram, manager, states_of, Forest, Random, State, States};
use crate::hom::{Halt, Hom, Homs, Misuse, Term};
use crate::models;

/// Random events over four variables, a set, and what they are applied to.
pub(super) struct Setting {
    pub dd: Manager,
    pub homs: Homs,
    pub random: Random,
    pub events: Vec<Event>,
    pub built: Vec<Hom>,
}

pub(super) fn setting(seed: u64) -> Setting {
    let mut random = Random(seed);
    let forest = Forest::new(&mut random, 4);
    let dd = manager(&mut random);
    let mut homs = Homs::new();
    let events: Vec<Event> = (0..3)
        .map(|_| Event::random(&forest, &mut random))
        .collect();
    let built = events.iter().map(|e| e.build(&mut homs)).collect();
    Setting {
        dd,
        homs,
        random,
        events,
        built,
    }
}

impl Setting {
    pub fn set(&mut self) -> (States, plait_dd::Root) {
        let states = self.random.states(4, 10);
        let set = diagram(&mut self.dd, &states);
        (states, self.dd.root(set))
    }

    pub fn apply(&mut self, h: Hom, set: &plait_dd::Root) -> plait_dd::Root {
        let image = self.homs.apply(&mut self.dd, h, set.node()).unwrap();
        self.dd.root(image)
    }
}

/// covers: I14, I16, I18
#[test]
fn every_entry_of_the_catalogue_satisfies_its_equation() {
    for seed in 100..500 {
        let mut s = setting(seed);
        let (_, d) = s.set();
        let (_, e) = s.set();
        let (_, c) = s.set();
        let (f, g) = (s.built[0], s.built[1]);
        let (fd, gd) = (s.apply(f, &d), s.apply(g, &d));
        let both = s.dd.union(d.node(), e.node()).unwrap();
        let both = s.dd.root(both);
        // Linearity.
        let (fe, fboth) = (s.apply(f, &e), s.apply(f, &both));
        assert_eq!(fboth.node(), s.dd.union(fd.node(), fe.node()).unwrap());
        let sum = s.homs.sum(&[f, g]);
        let image = s.apply(sum, &d);
        assert_eq!(image.node(), s.dd.union(fd.node(), gd.node()).unwrap());
        let chain = s.homs.compose(f, g);
        let image = s.apply(chain, &d);
        assert_eq!(image.node(), s.apply(f, &gd).node());
        let meet = s.homs.meet(&s.dd, f, c.node());
        let image = s.apply(meet, &d);
        assert_eq!(
            image.node(),
            s.dd.intersection(fd.node(), c.node()).unwrap()
        );
        let minus = s.homs.minus(&s.dd, f, c.node());
        let image = s.apply(minus, &d);
        assert_eq!(image.node(), s.dd.difference(fd.node(), c.node()).unwrap());
        let constant = s.homs.constant(&s.dd, c.node());
        assert_eq!(s.apply(constant, &d).node(), c.node());
        // Selectors.
        let guard = s.events[0].guard.build(&mut s.homs);
        let selector = s.homs.pred(guard);
        let kept = s.apply(selector, &d);
        let not = s.homs.not(selector).unwrap();
        let dropped = s.apply(not, &d);
        assert_eq!(
            dropped.node(),
            s.dd.difference(d.node(), kept.node()).unwrap()
        );
        let ite = s.homs.if_then_else(selector, f, g).unwrap();
        let (t, o) = (s.apply(f, &kept), s.apply(g, &dropped));
        let image = s.apply(ite, &d);
        assert_eq!(image.node(), s.dd.union(t.node(), o.node()).unwrap());
        let both = s.homs.intersection(f, selector).unwrap();
        let image = s.apply(both, &d);
        assert_eq!(
            image.node(),
            s.dd.intersection(fd.node(), kept.node()).unwrap()
        );
        if !s.homs.is_selector(f) {
            assert_eq!(s.homs.not(f), Err(Misuse::NotASelector));
        }
        // Images.
        for h in [f, g, sum, chain, meet, minus, selector, not, ite, both] {
            let image = s.apply(h, &d);
            let some = s.homs.has_image(&mut s.dd, h, d.node()).unwrap();
            assert_eq!(some.is_zero(), image.node().is_zero());
            assert!(s.dd.is_subset(some, image.node()).unwrap());
        }
    }
}

#[test]
fn concatenations_put_sets_before_and_after() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let low = diagram(&mut dd, &[vec![1], vec![2]].into_iter().collect());
    let up = dd.integer_node(2, &[Edge::integer(7, Node::ONE)]).unwrap();
    let before = homs.before(&dd, up, Hom::ID);
    let image = homs.apply(&mut dd, before, low).unwrap();
    let expected: States = [vec![1, 7], vec![2, 7]].into_iter().collect();
    assert_eq!(states_of(&dd, image), expected);
    let after = homs.after(&dd, Hom::ID, low);
    let image = homs.apply(&mut dd, after, up).unwrap();
    assert_eq!(states_of(&dd, image), expected);
}

/// The map `d -> h(d) * d` is not linear, and is evaluated as written: `(Next * Id)^*` finds what lies on
/// infinite paths.
#[test]
fn an_intersection_with_the_identity_is_an_operator_on_sets() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    // 0 <-> 1 in variable 1, whatever variable 2 is.
    let swap = homs.table(1, &[(0, 1), (1, 0), (2, 1)]);
    let both = homs.intersection(swap, Hom::ID).unwrap();
    let greatest = homs.fixpoint(both);
    let one = diagram(&mut dd, &[vec![0, 5]].into_iter().collect());
    assert_eq!(homs.apply(&mut dd, both, one).unwrap(), Node::ZERO);
    let all: States = [vec![0, 5], vec![1, 5], vec![2, 5]].into_iter().collect();
    let set = diagram(&mut dd, &all);
    let image = homs.apply(&mut dd, greatest, set).unwrap();
    let expected: States = [vec![0, 5], vec![1, 5]].into_iter().collect();
    assert_eq!(states_of(&dd, image), expected);
}

/// covers: I17
#[test]
fn predecessors_are_those_of_the_transposed_relation() {
    for seed in 600..1400 {
        let mut s = setting(seed);
        let (states, p) = s.set();
        let mut onto: BTreeMap<State, States> = BTreeMap::new();
        for (event, h) in s.events.iter().zip(s.built.clone()) {
            onto.clear();
            for state in &states {
                if let Some(next) = event.successor(state) {
                    onto.entry(next).or_default().insert(state.clone());
                }
            }
            let back = s.homs.predecessors(&mut s.dd, h, p.node()).unwrap();
            let mut targets: Vec<State> = onto.keys().cloned().collect();
            targets.extend(states.iter().cloned());
            for target in targets {
                let set = diagram(&mut s.dd, &[target.clone()].into_iter().collect());
                let set = s.dd.root(set);
                let found = s.homs.apply(&mut s.dd, back, set.node()).unwrap();
                let expected = onto.get(&target).cloned().unwrap_or_default();
                assert_eq!(states_of(&s.dd, found), expected, "{event:?} to {target:?}");
            }
        }
    }
}

/// covers: I17
#[test]
fn on_reachable_states_the_inverse_of_the_sum_is_the_transposed_step() {
    let mut checked = 0;
    for seed in 2000..2300 {
        let mut s = setting(seed);
        let initial = s.random.states(4, 2);
        let Some(reach) = explicit(&s.events, &initial, 200) else {
            continue;
        };
        checked += 1;
        let set = diagram(&mut s.dd, &reach);
        let set = s.dd.root(set);
        let next = s.homs.sum(&s.built.clone());
        let back = s.homs.predecessors(&mut s.dd, next, set.node()).unwrap();
        let found = s.homs.apply(&mut s.dd, back, set.node()).unwrap();
        let moves = |x: &&State| s.events.iter().any(|e| e.successor(x).is_some());
        let expected: States = reach.iter().filter(moves).cloned().collect();
        assert_eq!(states_of(&s.dd, found), expected);
    }
    assert!(checked > 150, "{checked}");
}

/// covers: I24
#[test]
fn fixpoints_under_a_constraint_keep_their_meaning() {
    let mut rewritten = 0;
    for seed in 3000..3400 {
        let mut s = setting(seed);
        let initial = s.random.states(4, 3);
        if explicit(&s.events, &initial, 400).is_none() {
            continue;
        }
        let guard = s.events[0].guard.build(&mut s.homs);
        let low = s.homs.compare(1, CompareOp::Less, 2);
        let guard = s.homs.pred(guard);
        let selector = s.homs.compose(guard, low);
        let next = s.homs.sum(&s.built[1..]);
        for after in [true, false] {
            let holds = |x: &State| s.events[0].guard.value(x) == Some(1) && x[0] < 2;
            let mut seen = initial.clone();
            let mut queue: Vec<State> = initial.iter().cloned().collect();
            while let Some(state) = queue.pop() {
                for event in &s.events[1..] {
                    let Some(next) = event.successor(&state) else {
                        continue;
                    };
                    let passes = if after { holds(&next) } else { holds(&state) };
                    if passes && seen.insert(next.clone()) {
                        queue.push(next);
                    }
                }
            }
            let closure = if after {
                s.homs.closure_testing_after(selector, next).unwrap()
            } else {
                s.homs.closure_testing_before(selector, next).unwrap()
            };
            rewritten += usize::from(matches!(s.homs.term(closure), Term::Sum(..)));
            let set = diagram(&mut s.dd, &initial);
            let set = s.dd.root(set);
            let found = s.homs.apply(&mut s.dd, closure, set.node()).unwrap();
            assert_eq!(states_of(&s.dd, found), seen, "seed {seed}, after {after}");
        }
    }
    assert!(rewritten > 50, "{rewritten}");
}

/// covers: I23
#[test]
fn commuting_terms_become_one_block_and_others_keep_their_order() {
    let mut homs = Homs::new();
    let (a, b) = (homs.increment(3, 1), homs.increment(1, 1));
    let ab = homs.compose(a, b);
    assert_eq!(ab, homs.compose(b, a));
    assert!(matches!(homs.term(ab), Term::And(..)));
    let x_less_y = homs.compare_variables(3, CompareOp::Less, 1);
    let (one, other) = (homs.compose(x_less_y, a), homs.compose(a, x_less_y));
    assert_ne!(one, other);
    assert!(matches!(homs.term(one), Term::Compose(..)));
}

/// Four variables, one state; the lowest is counted up to 2.
/// covers: I19
#[test]
fn the_toy_of_the_thesis_builds_no_node_of_the_variables_above() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let set = diagram(&mut dd, &[vec![0, 0, 0, 0]].into_iter().collect());
    let (inc, leq) = (
        homs.increment(1, 1),
        homs.compare(1, CompareOp::LessEqual, 2),
    );
    let f = homs.compose(leq, inc);
    let step = homs.sum(&[f, Hom::ID]);
    let reach = homs.fixpoint(step);
    let before = dd.statistics().created;
    let reached = homs.apply(&mut dd, reach, set).unwrap();
    assert_eq!(dd.domain(reached, 1), vec![0, 1, 2]);
    // One new node for each variable: the final ones.
    assert_eq!(dd.statistics().created - before, 4);
}

/// covers: I27
#[test]
fn a_fixpoint_that_does_not_settle_is_an_error() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let set = diagram(&mut dd, &[vec![0]].into_iter().collect());
    let flip = homs.table(1, &[(0, 1), (1, 0)]);
    let never = homs.fixpoint(flip);
    assert!(matches!(
        homs.apply(&mut dd, never, set),
        Err(Halt::Diverges { .. })
    ));
    let up = homs.increment(1, 1);
    let never = homs.fixpoint(up);
    homs.set_round_limit(50);
    assert!(matches!(
        homs.apply(&mut dd, never, set),
        Err(Halt::Diverges { rounds: 51 })
    ));
}

/// A stopped evaluation leaves nothing behind that a later one could trip over.
#[test]
fn a_stopped_evaluation_can_be_repeated() {
    let net = models::one_place_a_level(models::slotted_ring(5));
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let events = net_events(&mut homs, &net);
    let set = net_initial(&mut dd, &net);
    let _set = dd.root(set);
    let mut all = events;
    all.push(Hom::ID);
    let step = homs.sum(&all);
    let reach = homs.fixpoint(step);
    let mut budget = plait_dd::Budget::default();
    budget.cancel.store(true, Ordering::Relaxed);
    dd.set_budget(budget.clone());
    let stopped = homs.apply(&mut dd, reach, set);
    assert_eq!(stopped, Err(Halt::Stop(plait_dd::Stop::Cancelled)));
    budget = plait_dd::Budget::default();
    dd.set_budget(budget);
    dd.set_policy(Policy::Strict(50));
    let reached = homs.apply(&mut dd, reach, set).unwrap();
    assert_eq!(dd.count(reached).to_string(), "53856");
    assert_eq!(dd.pushed() + dd.held_cells(), 0);
}

/// An observer ends a fixpoint in its midst, later at each attempt; what was half done is not taken for
/// a result by the attempt after it.
///
/// covers: I26
#[test]
fn a_fixpoint_that_an_observer_ended_can_be_repeated() {
    let net = models::one_place_a_level(models::slotted_ring(10));
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let mut all = net_events(&mut homs, &net);
    all.push(Hom::ID);
    let step = homs.sum(&all);
    let reach = homs.fixpoint(step);
    let set = net_initial(&mut dd, &net);
    let _set = dd.root(set);
    let calls = Arc::new(AtomicUsize::new(0));
    for patience in 1..4 {
        let seen = Arc::clone(&calls);
        let mut left = patience;
        dd.set_observer(Some(Box::new(move |figures| {
            // Whoever is slow is asked again at the next look, however fast the machine is.
            std::thread::sleep(std::time::Duration::from_millis(60));
            seen.fetch_add(1, Ordering::Relaxed);
            assert!(figures.nodes > 0);
            left -= 1;
            left > 0
        })));
        std::thread::sleep(std::time::Duration::from_millis(60));
        dd.set_budget(plait_dd::Budget::default());
        let stopped = homs.apply(&mut dd, reach, set);
        assert_eq!(stopped, Err(Halt::Stop(plait_dd::Stop::Cancelled)));
    }
    assert_eq!(calls.load(Ordering::Relaxed), 1 + 2 + 3);
    dd.set_observer(None);
    let reached = homs.apply(&mut dd, reach, set).unwrap();
    assert_eq!(dd.count(reached).to_string(), "8291791872");
    assert_eq!(dd.pushed() + dd.held_cells(), 0);
}

/// At each variable the terms of a sum fall into those that skip it, those local to it and the rest, and
/// how they do is worked out once.
///
/// covers: I20
#[test]
fn the_terms_of_a_sum_are_sorted_by_variable_once() {
    for seed in 700..900 {
        let mut s = setting(seed);
        let (_, d) = s.set();
        let sum = s.homs.sum(&s.built);
        let (terms, _) = s.homs.summands(&[sum]);
        let step = s.homs.sum(&[sum, Hom::ID]);
        let reach = s.homs.fixpoint(step);
        let Term::Closure(system, Hom::ID) = s.homs.term(reach) else {
            continue;
        };
        let systems = s.homs.systems.len();
        let mut below = 0;
        for variable in 1..=4 {
            let here = terms.iter().filter(|t| s.homs.top(**t) == variable);
            let [skipping, local, others] = s.homs.sorted_terms(system, variable);
            assert_eq!((skipping, local), (below, 0));
            assert_eq!(others, here.count());
            below += others;
        }
        assert_eq!(below, terms.len());
        s.apply(reach, &d);
        assert_eq!(s.homs.fixpoint(step), reach);
        assert_eq!(s.homs.systems.len(), systems);
    }
}

/// covers: I29, I72
#[test]
fn adjacent_swaps_sort_every_state() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let permutations = [
        [1, 2, 3],
        [1, 3, 2],
        [2, 1, 3],
        [2, 3, 1],
        [3, 1, 2],
        [3, 2, 1],
    ];
    let mut states: States = permutations.iter().map(|p| p.to_vec()).collect();
    states.insert(vec![3, 3, 1]);
    let set = diagram(&mut dd, &states);
    let mut list = Vec::new();
    for x in [1, 2] {
        let reduces = homs.compare_variables(x, CompareOp::Greater, x + 1);
        let swap = homs.swap(x, x + 1);
        list.push(homs.if_then_else(reduces, swap, Hom::ID).unwrap());
    }
    let canonize = homs.monotonic(&list);
    let image = homs.apply(&mut dd, canonize, set).unwrap();
    let expected: States = [vec![1, 2, 3], vec![1, 3, 3]].into_iter().collect();
    assert_eq!(states_of(&dd, image), expected);
}

/// A sum of ten thousand events over as many variables is as many cells, and so is its closure.
#[test]
fn levels_share_the_terms_that_skip_them() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let mut all = vec![Hom::ID];
    let mut set = Node::ONE;
    for x in 1..=10_000 {
        let test = homs.compare(x, CompareOp::Less, 1);
        let up = homs.increment(x, 1);
        all.push(homs.compose(up, test));
        set = dd.integer_node(x, &[Edge::integer(0, set)]).unwrap();
    }
    let before = homs.len();
    let step = homs.sum(&all);
    let reach = homs.fixpoint(step);
    let reached = homs.apply(&mut dd, reach, set).unwrap();
    assert!(homs.len() - before < 40_000, "{}", homs.len() - before);
    assert_eq!(dd.size(reached).integer_nodes, 10_000);
    assert_eq!(dd.size(reached).edges, 20_000);
    assert!(dd.statistics().created <= 20_000);
}
