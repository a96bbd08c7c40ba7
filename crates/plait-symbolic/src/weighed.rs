//! Sums and maxima over a set of states, where each value of each cell has a weight.
//!
//! A state weighs the product of the weights of its values, a set the sum of its states: so a net whose
//! places stand for several places of another one tells how many states the other one has. The greatest
//! sum of figures is the same computation with another pair of operations. As in `arcs`, the numbers of
//! a level are made of those of the level below and of nothing else.

use num_bigint::BigUint;
use plait_dd::{Manager, Node, Stop};

use crate::relation::Relation;

/// Two operations on numbers: what paths side by side come to, and what the levels of a path come to.
trait Numbers {
    type Number: Clone;

    /// The number of no path.
    fn nothing(&self) -> Self::Number;
    /// The number of the empty path.
    fn empty(&self) -> Self::Number;
    /// The number of a cell with this value.
    fn of(&self, cell: usize, value: i32) -> Self::Number;
    fn beside(&self, all: &mut Self::Number, other: Self::Number);
    fn along(&self, a: &Self::Number, b: &Self::Number) -> Self::Number;
    fn bytes(&self, number: &Self::Number) -> usize;
}

/// What a cell has for a value in a table that begins at 0.
fn entry<T: Clone>(tables: &[Vec<T>], cell: usize, value: i32) -> Option<T> {
    let table = tables.get(cell)?;
    table.get(usize::try_from(value).ok()?).cloned()
}

struct Weights<'a>(&'a [Vec<BigUint>]);

impl Numbers for Weights<'_> {
    type Number = BigUint;

    fn nothing(&self) -> BigUint {
        BigUint::ZERO
    }

    fn empty(&self) -> BigUint {
        BigUint::from(1u32)
    }

    fn of(&self, cell: usize, value: i32) -> BigUint {
        entry(self.0, cell, value).unwrap_or_default()
    }

    fn beside(&self, all: &mut BigUint, other: BigUint) {
        *all += other;
    }

    fn along(&self, a: &BigUint, b: &BigUint) -> BigUint {
        a * b
    }

    fn bytes(&self, number: &BigUint) -> usize {
        size_of::<BigUint>() + number.bits() as usize / 8
    }
}

struct Figures<'a>(&'a [Vec<Option<i64>>]);

impl Numbers for Figures<'_> {
    type Number = Option<i64>;

    fn nothing(&self) -> Option<i64> {
        None
    }

    fn empty(&self) -> Option<i64> {
        Some(0)
    }

    fn of(&self, cell: usize, value: i32) -> Option<i64> {
        entry(self.0, cell, value).flatten()
    }

    fn beside(&self, all: &mut Option<i64>, other: Option<i64>) {
        *all = (*all).max(other);
    }

    fn along(&self, a: &Option<i64>, b: &Option<i64>) -> Option<i64> {
        a.zip(*b).map(|(a, b)| a.saturating_add(b))
    }

    fn bytes(&self, _: &Option<i64>) -> usize {
        size_of::<Option<i64>>()
    }
}

impl Relation {
    /// The sum over the states of a set of the product of the weights of their values. Tables are by
    /// cell, then by value from 0; what is beyond a table weighs nothing.
    pub fn weigh(
        &self,
        dd: &mut Manager,
        states: Node,
        weights: &[Vec<BigUint>],
    ) -> Result<BigUint, Stop> {
        self.evaluate(dd, states, &Weights(weights))
    }

    /// The greatest sum over a state of the set of the figures of its values, in tables as for
    /// [`Relation::weigh`]; states with a value that has no figure are left out.
    pub fn greatest(
        &self,
        dd: &mut Manager,
        states: Node,
        figures: &[Vec<Option<i64>>],
    ) -> Result<Option<i64>, Stop> {
        self.evaluate(dd, states, &Figures(figures))
    }

    fn evaluate<N: Numbers>(
        &self,
        dd: &mut Manager,
        states: Node,
        numbers: &N,
    ) -> Result<N::Number, Stop> {
        if states.is_zero() {
            return Ok(numbers.nothing());
        }
        let layers = dd.layers(states);
        let mut below = vec![numbers.empty()];
        let mut charged = 0;
        for k in 1..self.levels.len() {
            let mut labels: Vec<Option<N::Number>> = Vec::new();
            let mut here = Vec::with_capacity(layers.nodes(k).len());
            for node in layers.nodes(k) {
                if let Err(stop) = dd.walk(dd.len(*node) * 4) {
                    dd.charge(-charged);
                    return Err(stop);
                }
                let mut all = numbers.nothing();
                for edge in dd.edges(*node) {
                    let label = edge.value() as u32;
                    let weight = self.of_label(k, label, numbers, &mut labels);
                    numbers.beside(
                        &mut all,
                        numbers.along(weight, &below[layers.place(edge.child)]),
                    );
                }
                here.push(all);
            }
            below = here;
            let bytes = below.iter().map(|n| numbers.bytes(n)).sum::<usize>() as isize;
            dd.charge(bytes - charged);
            charged = bytes;
        }
        dd.charge(-charged);
        Ok(below.pop().unwrap_or_else(|| numbers.nothing()))
    }

    /// The number of a local state of level `k`, computed once.
    fn of_label<'a, N: Numbers>(
        &self,
        k: usize,
        label: u32,
        numbers: &N,
        known: &'a mut Vec<Option<N::Number>>,
    ) -> &'a N::Number {
        let at = label as usize;
        if known.len() <= at {
            known.resize(at + 1, None);
        }
        known[at].get_or_insert_with(|| {
            let level = &self.levels[k];
            let values = self.spaces[level.local.space].state(label);
            let cells = level.cells.iter().zip(values);
            cells.fold(numbers.empty(), |all, (cell, value)| {
                numbers.along(&all, &numbers.of(*cell as usize, *value))
            })
        })
    }
}
