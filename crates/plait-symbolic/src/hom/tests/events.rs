//! Sums, compositions and fixpoints: random systems of events against explicit search.

use std::collections::VecDeque;

use plait_dd::{Manager, Node};
use plait_program::{Test, Update};

use super::{diagram, manager, states_of, Forest, Random, State, States, Tree};
use crate::hom::{Hom, Homs, Interval, Step, Target, Write};
use crate::{models, Locals, Net, Relation, Strategy};

/// A guard and assignments, one after the other.
#[derive(Debug)]
pub(crate) struct Event {
    pub guard: Tree,
    pub writes: Vec<(Option<Tree>, Vec<u32>, Tree)>,
}

impl Event {
    pub fn random(forest: &Forest, random: &mut Random) -> Event {
        let size = 1 + random.below(2) as u32;
        let guard = forest.condition(random, size);
        let count = 1 + random.below(3);
        let write = |r: &mut Random| {
            let size = r.below(3) as u32;
            // Small values: the state space shall be finite in practice.
            let three = Tree::Constant(3);
            let op = plait_program::arithmetic::BinaryOp::And;
            let value = Tree::Binary(op, Box::new(forest.integer(r, size)), Box::new(three));
            if r.chance(2) {
                (None, vec![forest.variable(r)], value)
            } else {
                (Some(forest.integer(r, 1)), forest.array(r), value)
            }
        };
        let writes = (0..count).map(|_| write(random)).collect();
        Event { guard, writes }
    }

    pub fn successor(&self, state: &State) -> Option<State> {
        if self.guard.value(state) != Some(1) {
            return None;
        }
        let mut state = state.clone();
        for (index, cells, value) in &self.writes {
            let cell = match index {
                None => cells[0],
                Some(index) => *cells.get(usize::try_from(index.value(&state)?).ok()?)?,
            };
            state[cell as usize - 1] = value.value(&state)?;
        }
        Some(state)
    }

    pub fn build(&self, homs: &mut Homs) -> Hom {
        let guard = self.guard.build(homs);
        let mut event = homs.pred(guard);
        for (index, cells, value) in &self.writes {
            let value = value.build(homs);
            let target = match index {
                None => Target::Variable(cells[0]),
                Some(index) => {
                    let index = index.build(homs);
                    Target::Element(homs.pool.array(cells), index)
                }
            };
            let assign = homs.assign(Write::new(target, value));
            event = homs.compose(assign, event);
        }
        event
    }
}

/// All states that can be reached, or `None` beyond a limit.
pub(crate) fn explicit(events: &[Event], initial: &States, limit: usize) -> Option<States> {
    let mut seen = initial.clone();
    let mut queue: VecDeque<State> = seen.iter().cloned().collect();
    while let Some(state) = queue.pop_front() {
        for next in events.iter().filter_map(|e| e.successor(&state)) {
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some(seen)
}

/// covers: I14, I21, I32, I33
#[test]
fn saturation_finds_what_explicit_search_finds() {
    let mut random = Random(11);
    let mut checked = 0;
    for _ in 0..1500 {
        let forest = Forest::new(&mut random, 4);
        let count = 1 + random.below(4);
        let events: Vec<Event> = (0..count)
            .map(|_| Event::random(&forest, &mut random))
            .collect();
        let initial = random.states(4, 3);
        let Some(expected) = explicit(&events, &initial, 600) else {
            continue;
        };
        checked += 1;
        let mut dd = manager(&mut random);
        let mut homs = Homs::new();
        let set = diagram(&mut dd, &initial);
        let _root = dd.root(set);
        let built: Vec<Hom> = events.iter().map(|e| e.build(&mut homs)).collect();
        // One step.
        let next = homs.sum(&built);
        let image = homs.apply(&mut dd, next, set).unwrap();
        let once = initial
            .iter()
            .flat_map(|s| events.iter().filter_map(move |e| e.successor(s)));
        assert_eq!(
            states_of(&dd, image),
            once.collect::<States>(),
            "{events:?}"
        );
        // The closure, saturated and by iteration.
        let step = homs.sum(&[next, Hom::ID]);
        let reach = homs.fixpoint(step);
        let reached = homs.apply(&mut dd, reach, set).unwrap();
        assert_eq!(states_of(&dd, reached), expected, "{events:?}");
        let _reached = dd.root(reached);
        let mut now = dd.root(set);
        loop {
            let after = homs.apply(&mut dd, step, now.node()).unwrap();
            if after == now.node() {
                break;
            }
            now = dd.root(after);
        }
        assert_eq!(now.node(), reached);
    }
    assert!(checked > 1000, "{checked}");
}

/// A net with one place a level, as homomorphisms.
pub(crate) fn net_events(homs: &mut Homs, net: &Net) -> Vec<Hom> {
    let mut variables = vec![0; net.cells()];
    for (variable, level) in (1..).zip(&net.levels) {
        assert_eq!(level.len(), 1);
        variables[level[0] as usize] = variable;
    }
    let step = |homs: &mut Homs, test: &Test| {
        let variable = variables[test.cell as usize];
        homs.step(Step::test(variable, test.interval))
    };
    let update = |homs: &mut Homs, update: &Update| {
        homs.step(Step {
            keep: update.keep,
            amount: update.amount,
            ..Step::test(variables[update.cell as usize], Interval::FULL)
        })
    };
    let event = |homs: &mut Homs, event: &crate::Event| {
        let mut chain = Hom::ID;
        for test in &event.tests {
            let test = step(homs, test);
            chain = homs.compose(test, chain);
        }
        for change in &event.updates {
            let change = update(homs, change);
            chain = homs.compose(change, chain);
        }
        chain
    };
    net.events.iter().map(|e| event(homs, e)).collect()
}

pub(crate) fn net_initial(dd: &mut Manager, net: &Net) -> Node {
    let states = net.initial.iter().map(|s| {
        let levels = net.levels.iter();
        levels.map(|l| s[l[0] as usize]).collect::<State>()
    });
    let states: States = states.collect();
    diagram(dd, &states)
}

/// covers: I21, I39
#[test]
fn the_nets_of_the_literature_have_the_states_that_their_relations_have() {
    for net in [
        models::philosophers(10),
        models::slotted_ring(4),
        models::kanban(3),
        models::flexible_manufacturing(3),
        models::round_robin(6),
        models::leader(3),
    ] {
        let net = models::one_place_a_level(net);
        let mut dd = Manager::new();
        let mut relation = Relation::new(&mut dd, &net, &Locals::OnTheFly).unwrap();
        let expected = relation.reach(&mut dd, Strategy::Saturation).unwrap();
        let expected_count = dd.count(expected.states.node());
        let mut dd = Manager::new();
        let mut homs = Homs::new();
        let events = net_events(&mut homs, &net);
        let set = net_initial(&mut dd, &net);
        let sum = homs.sum(&events);
        let step = homs.sum(&[sum, Hom::ID]);
        let reach = homs.fixpoint(step);
        let reached = homs.apply(&mut dd, reach, set).unwrap();
        assert_eq!(dd.count(reached), expected_count);
    }
}
