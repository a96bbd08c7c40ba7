//! Homomorphisms against explicit sets of states.

mod bricks;
mod events;
mod expressions;
mod hierarchy;
mod in_turn;
mod outside;
mod rules;

use std::collections::BTreeSet;

use plait_dd::{Edge, Manager, Node, Policy, Value};
use plait_program::arithmetic::{BinaryOp, CompareOp, UnaryOp};

use super::{Array, Expr, Hom, Homs};

/// A state: the value of variable `x` at place `x - 1`.
pub(crate) type State = Vec<i32>;
pub(crate) type States = BTreeSet<State>;

/// Random numbers that repeat (splitmix64).
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    pub fn value(&mut self) -> i32 {
        match self.below(24) {
            0 => i32::MAX,
            1 => i32::MIN,
            2 => -1,
            n => (n % 4) as i32,
        }
    }

    pub fn state(&mut self, variables: u32) -> State {
        (0..variables).map(|_| self.value()).collect()
    }

    pub fn states(&mut self, variables: u32, most: u64) -> States {
        let count = 1 + self.below(most);
        (0..count).map(|_| self.state(variables)).collect()
    }
}

/// The diagram of a set of states.
pub(crate) fn diagram(dd: &mut Manager, states: &States) -> Node {
    let Some(first) = states.first() else {
        return Node::ZERO;
    };
    let mut rows: Vec<&State> = states.iter().collect();
    rows.sort_by(|a, b| a.iter().rev().cmp(b.iter().rev()));
    let kept = dd.pushed();
    let node = diagram_of(dd, &rows, first.len());
    dd.pop(kept);
    node
}

fn diagram_of(dd: &mut Manager, rows: &[&State], variable: usize) -> Node {
    if variable == 0 {
        return Node::ONE;
    }
    let mut edges = Vec::new();
    for group in rows.chunk_by(|a, b| a[variable - 1] == b[variable - 1]) {
        let child = diagram_of(dd, group, variable - 1);
        dd.push(child);
        edges.push(Edge::integer(group[0][variable - 1], child));
    }
    dd.integer_node(variable as u32, &edges).unwrap()
}

/// The states of a diagram.
pub(crate) fn states_of(dd: &Manager, set: Node) -> States {
    dd.states(set)
        .map(|steps| {
            let value = |s: &plait_dd::Step| match s.value {
                Value::Integer(value) => value,
                Value::Component(_) => panic!("only integers here"),
            };
            steps.iter().rev().map(value).collect()
        })
        .collect()
}

/// A manager that collects at each node, now and then.
pub(crate) fn manager(random: &mut Random) -> Manager {
    let mut dd = Manager::new();
    if random.chance(4) {
        dd.set_policy(Policy::Strict(1));
    }
    dd
}

/// An expression as a tree, with a meaning of its own.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Constant(i32),
    Read(u32),
    Element(Vec<u32>, Box<Tree>),
    Unary(UnaryOp, Box<Tree>),
    Binary(BinaryOp, Box<Tree>, Box<Tree>),
    AsInteger(Box<Tree>),
    Truth(bool),
    Compare(CompareOp, Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
    And(Box<Tree>, Box<Tree>),
    Or(Box<Tree>, Box<Tree>),
    Iff(Box<Tree>, Box<Tree>),
    Fails(Box<Tree>),
}

impl Tree {
    /// The value: conditions are 1 and 0, `None` is undefined.
    pub fn value(&self, state: &State) -> Option<i32> {
        let truth = |c: &Tree| c.value(state).map(|v| v != 0);
        match self {
            Tree::Constant(k) => Some(*k),
            Tree::Read(x) => Some(state[*x as usize - 1]),
            Tree::Element(cells, index) => {
                let index = usize::try_from(index.value(state)?).ok()?;
                Some(state[*cells.get(index)? as usize - 1])
            }
            Tree::Unary(op, a) => a.value(state).map(|a| op.apply(a)),
            Tree::Binary(op, a, b) => op.apply(a.value(state)?, b.value(state)?),
            Tree::AsInteger(c) => c.value(state),
            Tree::Truth(b) => Some(i32::from(*b)),
            Tree::Compare(op, a, b) => Some(i32::from(op.apply(a.value(state)?, b.value(state)?))),
            Tree::Not(c) => truth(c).map(|b| i32::from(!b)),
            Tree::And(a, b) => match (truth(a), truth(b)) {
                (Some(false), _) | (_, Some(false)) => Some(0),
                (Some(true), Some(true)) => Some(1),
                _ => None,
            },
            Tree::Or(a, b) => match (truth(a), truth(b)) {
                (Some(true), _) | (_, Some(true)) => Some(1),
                (Some(false), Some(false)) => Some(0),
                _ => None,
            },
            Tree::Iff(a, b) => Some(i32::from(truth(a)? == truth(b)?)),
            Tree::Fails(c) => Some(i32::from(truth(c) != Some(true))),
        }
    }

    /// The expression.
    pub fn build(&self, homs: &mut Homs) -> Expr {
        match self {
            Tree::Constant(k) => homs.pool.constant(*k),
            Tree::Read(x) => homs.pool.read(*x),
            Tree::Element(cells, index) => {
                let index = index.build(homs);
                let array = homs.pool.array(cells);
                homs.pool.element(array, index)
            }
            Tree::Unary(op, a) => {
                let a = a.build(homs);
                homs.pool.unary(*op, a)
            }
            Tree::Binary(op, a, b) => {
                let (a, b) = (a.build(homs), b.build(homs));
                homs.pool.binary(*op, a, b)
            }
            Tree::AsInteger(c) => {
                let c = c.build(homs);
                homs.pool.as_integer(c)
            }
            Tree::Truth(b) => homs.pool.truth(*b),
            Tree::Compare(op, a, b) => {
                let (a, b) = (a.build(homs), b.build(homs));
                homs.pool.compare(*op, a, b)
            }
            Tree::Not(c) => {
                let c = c.build(homs);
                homs.pool.not(c)
            }
            Tree::And(a, b) => {
                let (a, b) = (a.build(homs), b.build(homs));
                homs.pool.and(a, b)
            }
            Tree::Or(a, b) => {
                let (a, b) = (a.build(homs), b.build(homs));
                homs.pool.or(a, b)
            }
            Tree::Iff(a, b) => {
                let (a, b) = (a.build(homs), b.build(homs));
                homs.pool.iff(a, b)
            }
            Tree::Fails(c) => {
                let c = c.build(homs);
                homs.pool.fails(c)
            }
        }
    }
}

/// Random trees over some variables, with overlapping arrays.
pub(crate) struct Forest {
    pub variables: u32,
    pub arrays: Vec<Vec<u32>>,
}

impl Forest {
    pub fn new(random: &mut Random, variables: u32) -> Forest {
        let cell = |r: &mut Random| 1 + r.below(u64::from(variables)) as u32;
        let array = |r: &mut Random| {
            let size = 2 + r.below(3);
            (0..size).map(|_| cell(r)).collect()
        };
        let arrays = (0..3).map(|_| array(random)).collect();
        Forest { variables, arrays }
    }

    pub fn variable(&self, random: &mut Random) -> u32 {
        1 + random.below(u64::from(self.variables)) as u32
    }

    pub fn array(&self, random: &mut Random) -> Vec<u32> {
        self.arrays[random.below(self.arrays.len() as u64) as usize].clone()
    }

    pub fn integer(&self, random: &mut Random, size: u32) -> Tree {
        if size == 0 {
            return match random.below(3) {
                0 => Tree::Constant(random.value()),
                _ => Tree::Read(self.variable(random)),
            };
        }
        let part = |r: &mut Random| Box::new(self.integer(r, size - 1));
        match random.below(8) {
            0 | 1 => Tree::Element(self.array(random), part(random)),
            2 => {
                let op = [UnaryOp::Negate, UnaryOp::Complement][random.below(2) as usize];
                Tree::Unary(op, part(random))
            }
            3 => Tree::AsInteger(Box::new(self.condition(random, size - 1))),
            4 => Tree::Read(self.variable(random)),
            _ => {
                let op = BinaryOp::ALL[random.below(11) as usize];
                Tree::Binary(op, part(random), part(random))
            }
        }
    }

    pub fn condition(&self, random: &mut Random, size: u32) -> Tree {
        let integer = |r: &mut Random| Box::new(self.integer(r, size.saturating_sub(1)));
        let part = |r: &mut Random| Box::new(self.condition(r, size.saturating_sub(1)));
        match random.below(if size == 0 { 4 } else { 9 }) {
            0..=3 => {
                let op = CompareOp::ALL[random.below(6) as usize];
                Tree::Compare(op, integer(random), integer(random))
            }
            4 => Tree::And(part(random), part(random)),
            5 => Tree::Or(part(random), part(random)),
            6 => Tree::Not(part(random)),
            7 => Tree::Iff(part(random), part(random)),
            _ if random.chance(6) => Tree::Truth(random.chance(2)),
            _ => Tree::Fails(part(random)),
        }
    }
}

pub(crate) fn array_of(homs: &mut Homs, cells: &[u32]) -> Array {
    homs.pool.array(cells)
}

#[test]
fn a_counter_counts_to_its_bound() {
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    // x (variable 2) above y (variable 1): one state, x = 0 and y = 5.
    let y = dd.integer_node(1, &[Edge::integer(5, Node::ONE)]).unwrap();
    let states = dd.integer_node(2, &[Edge::integer(0, y)]).unwrap();
    // x < y: x = x + 1
    let (x, y) = (homs.pool.read(2), homs.pool.read(1));
    let guard = homs.pool.compare(CompareOp::Less, x, y);
    let guard = homs.pred(guard);
    let step = homs.increment(2, 1);
    let event = homs.compose(step, guard);
    let next = homs.sum(&[event, Hom::ID]);
    let reach = homs.fixpoint(next);
    let reached = homs.apply(&mut dd, reach, states).unwrap();
    assert_eq!(dd.count(reached).to_string(), "6");
}
