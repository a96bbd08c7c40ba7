//! The local functions of a relation, read backward.
//!
//! A function of a level gives at most one successor; it may have many predecessors (a place that is
//! emptied may have held anything). Structural model checking, 6.2: the matrices are transposed, level
//! by level, once the local states are known. States that no reachable state has are among the
//! predecessors: whoever goes backward stays inside a set of reachable states.

use crate::local::{FAULT, NONE};
use crate::relation::{Group, Relation};

/// Where each function leads from the states of one space, or from where it leads to them.
struct Table {
    functions: usize,
    /// Where the states for a state and a function begin, by state and function.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Table {
    fn new(relation: &Relation, space: usize, direction: Direction) -> Table {
        let space = &relation.spaces[space];
        let (states, functions) = (space.len(), space.functions());
        let mut pairs: Vec<(usize, u32)> = Vec::new();
        for state in (0..states as u32).filter(|s| space.is_expanded(*s)) {
            for (function, target) in space.row(state).iter().enumerate() {
                let leads = *target != NONE && *target != FAULT && space.is_expanded(*target);
                if leads {
                    let (from, to) = match direction {
                        Direction::Forward => (state, *target),
                        Direction::Backward => (*target, state),
                    };
                    pairs.push((from as usize * functions + function, to));
                }
            }
        }
        pairs.sort_unstable();
        let mut starts = vec![0; states * functions + 1];
        for (place, _) in &pairs {
            starts[*place + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        Table {
            functions,
            starts,
            targets: pairs.into_iter().map(|(_, state)| state).collect(),
        }
    }

    #[inline]
    fn targets(&self, state: u32, function: u32) -> &[u32] {
        let place = state as usize * self.functions + function as usize;
        let (first, end) = (self.starts[place], self.starts[place + 1]);
        &self.targets[first as usize..end as usize]
    }
}

/// The way events are fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From states to their successors.
    Forward,
    /// From states to their predecessors.
    Backward,
}

/// Events of a relation in one direction, sorted by their tops: all of them, or some.
pub(crate) struct Moves {
    pub direction: Direction,
    /// The events whose top is a level, by level.
    pub groups: Vec<Vec<Group>>,
    /// Those that only test.
    pub tests: Vec<Vec<Group>>,
    /// The first of the keys that name operations with these events.
    pub first_key: u32,
}

/// The functions of a relation whose local states are all known, in both directions.
pub(crate) struct Tables {
    /// The space of each level.
    spaces: Vec<usize>,
    forward: Vec<Table>,
    backward: Vec<Table>,
}

impl Tables {
    pub fn new(relation: &Relation) -> Tables {
        let tables = |direction| {
            let spaces = 0..relation.spaces.len();
            spaces.map(|s| Table::new(relation, s, direction)).collect()
        };
        Tables {
            spaces: relation.levels.iter().map(|l| l.local.space).collect(),
            forward: tables(Direction::Forward),
            backward: tables(Direction::Backward),
        }
    }

    /// The states of level `k` that a function leads to, or from which it leads, in a direction.
    #[inline]
    pub fn targets(&self, direction: Direction, k: usize, state: u32, function: u32) -> &[u32] {
        let tables = match direction {
            Direction::Forward => &self.forward,
            Direction::Backward => &self.backward,
        };
        tables[self.spaces[k]].targets(state, function)
    }

    /// Bytes of the tables.
    pub fn bytes(&self) -> usize {
        let tables = self.forward.iter().chain(&self.backward);
        4 * tables
            .map(|t| t.starts.len() + t.targets.len())
            .sum::<usize>()
    }
}
