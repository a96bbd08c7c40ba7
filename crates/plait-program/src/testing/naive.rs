//! The semantics executed naively: recursion, sets of vectors, no cleverness.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::error::FaultKind;
use crate::fixpoint::FIXPOINT_LIMIT;
use crate::testing::recipe::{CondTree, IntTree, Recipe, StatementTree};

/// A state.
pub type State = Vec<i32>;
/// A set of states, or how the model went wrong.
pub type Outcome = Result<BTreeSet<State>, FaultKind>;

/// The value of an integer expression; `None` is undefined.
pub fn integer(tree: &IntTree, state: &[i32]) -> Option<i32> {
    match tree {
        IntTree::Const(value) => Some(*value),
        IntTree::Load(cell) => Some(state[*cell as usize]),
        IntTree::Indexed(base, size, index) => {
            let index = u32::try_from(integer(index, state)?).ok()?;
            (index < *size).then(|| state[(base + index) as usize])
        }
        IntTree::Unary(op, a) => Some(op.apply(integer(a, state)?)),
        IntTree::Binary(op, a, b) => op.apply(integer(a, state)?, integer(b, state)?),
        IntTree::AsInteger(a) => condition(a, state).map(i32::from),
    }
}

/// The value of a condition in Kleene's strong logic; `None` is undefined.
pub fn condition(tree: &CondTree, state: &[i32]) -> Option<bool> {
    match tree {
        CondTree::Truth(value) => Some(*value),
        CondTree::Compare(op, a, b) => Some(op.apply(integer(a, state)?, integer(b, state)?)),
        CondTree::Not(a) => condition(a, state).map(|value| !value),
        CondTree::And(list) => {
            let values: Vec<_> = list.iter().map(|c| condition(c, state)).collect();
            if values.contains(&Some(false)) {
                Some(false)
            } else {
                (!values.contains(&None)).then_some(true)
            }
        }
        CondTree::Or(list) => {
            let values: Vec<_> = list.iter().map(|c| condition(c, state)).collect();
            if values.contains(&Some(true)) {
                Some(true)
            } else {
                (!values.contains(&None)).then_some(false)
            }
        }
        CondTree::Iff(a, b) => Some(condition(a, state)? == condition(b, state)?),
        CondTree::Fails(a) => Some(condition(a, state) != Some(true)),
    }
}

/// A depth-first search over the states in which a condition holds.
#[derive(Default)]
struct Settling {
    path: BTreeSet<State>,
    done: BTreeSet<State>,
    settled: BTreeSet<State>,
}

impl Recipe {
    /// The initial state.
    pub fn initial(&self) -> State {
        self.cells.iter().map(|c| c.0).collect()
    }

    /// The successors of a state under an event.
    pub fn fire(&self, event: usize, state: &[i32]) -> Outcome {
        let event = &self.events[event];
        if !event
            .guard
            .iter()
            .all(|g| condition(g, state) == Some(true))
        {
            return Ok(BTreeSet::new());
        }
        self.body(&event.body, BTreeSet::from([state.to_vec()]))
    }

    /// Distinct pairs of free event and successor.
    pub fn successors(&self, state: &[i32]) -> Result<BTreeSet<(u32, State)>, FaultKind> {
        let mut pairs = BTreeSet::new();
        for (id, event) in (0u32..).zip(&self.events) {
            if event.label.is_none() {
                let found = self.fire(id as usize, state)?;
                pairs.extend(found.into_iter().map(|s| (id, s)));
            }
        }
        Ok(pairs)
    }

    fn body(&self, body: &[StatementTree], mut set: BTreeSet<State>) -> Outcome {
        for statement in body {
            set = self.statement(statement, &set)?;
        }
        Ok(set)
    }

    fn call(&self, label: u32, state: &[i32]) -> Outcome {
        let mut union = BTreeSet::new();
        for (index, event) in self.events.iter().enumerate() {
            if event.label == Some(label) {
                union.extend(self.fire(index, state)?);
            }
        }
        Ok(union)
    }

    fn assign(&self, state: &State, cell: u32, value: i32) -> Result<State, FaultKind> {
        let (_, low, high) = self.cells[cell as usize];
        if value < low || value > high {
            return Err(FaultKind::Domain);
        }
        let mut next = state.clone();
        next[cell as usize] = value;
        Ok(next)
    }

    fn statement(&self, statement: &StatementTree, set: &BTreeSet<State>) -> Outcome {
        let mut result = BTreeSet::new();
        match statement {
            StatementTree::Assign(cell, value) => {
                for state in set {
                    if let Some(value) = integer(value, state) {
                        result.insert(self.assign(state, *cell, value)?);
                    }
                }
            }
            StatementTree::AssignIndexed(base, size, index, value) => {
                for state in set {
                    let index = integer(index, state).and_then(|i| u32::try_from(i).ok());
                    if let (Some(index), Some(value)) = (index, integer(value, state)) {
                        if index < *size {
                            result.insert(self.assign(state, base + index, value)?);
                        }
                    }
                }
            }
            StatementTree::Call(label) => {
                for state in set {
                    result.extend(self.call(*label, state)?);
                }
            }
            StatementTree::Choose(cond, then, otherwise) => {
                let select = |wanted| {
                    set.iter()
                        .filter(move |s| condition(cond, s) == Some(wanted))
                        .cloned()
                        .collect()
                };
                result = self.body(then, select(true))?;
                result.extend(self.body(otherwise, select(false))?);
            }
            StatementTree::Fixpoint(body) => result = self.fixpoint(body, set)?,
            StatementTree::Settle(cond, label) => {
                for state in set {
                    let mut search = Settling::default();
                    self.settle(cond, *label, state, &mut search)?;
                    result.extend(search.settled);
                }
            }
            StatementTree::Abort => {}
        }
        Ok(result)
    }

    fn fixpoint(&self, body: &[StatementTree], set: &BTreeSet<State>) -> Outcome {
        let mut current = set.clone();
        let mut seen = BTreeSet::from([current.clone()]);
        for _ in 0..FIXPOINT_LIMIT {
            let next = self.body(body, current.clone())?;
            if next == current {
                return Ok(current);
            }
            if !seen.insert(next.clone()) {
                return Err(FaultKind::Fixpoint);
            }
            current = next;
        }
        Err(FaultKind::Fixpoint)
    }

    fn settle(
        &self,
        cond: &CondTree,
        label: u32,
        state: &State,
        search: &mut Settling,
    ) -> Result<(), FaultKind> {
        if condition(cond, state) != Some(true) {
            search.settled.insert(state.clone());
            return Ok(());
        }
        if search.path.contains(state) {
            return Err(FaultKind::Settle);
        }
        if search.done.contains(state) {
            return Ok(());
        }
        search.path.insert(state.clone());
        for next in self.call(label, state)? {
            self.settle(cond, label, &next, search)?;
        }
        search.path.remove(state);
        search.done.insert(state.clone());
        Ok(())
    }

    /// Breadth-first search; `None` when there are more than `limit` states.
    pub fn explore(&self, limit: usize) -> Result<Option<NaiveGraph>, FaultKind> {
        let initial = self.initial();
        let mut graph = NaiveGraph {
            depth_of: HashMap::from([(initial.clone(), 0)]),
            arcs: 0,
            deadlocks: 0,
            fired: BTreeMap::new(),
        };
        let mut level = vec![initial];
        let mut depth = 0;
        while !level.is_empty() {
            depth += 1;
            let mut next = Vec::new();
            for state in &level {
                let pairs = self.successors(state)?;
                let arcs: BTreeSet<(&str, &State)> = pairs
                    .iter()
                    .map(|(e, s)| (self.events[*e as usize].name.as_str(), s))
                    .collect();
                graph.arcs += arcs.len() as u64;
                graph.deadlocks += u64::from(arcs.is_empty());
                for (event, successor) in &pairs {
                    *graph.fired.entry(*event).or_default() += 1u64;
                    if !graph.depth_of.contains_key(successor) {
                        graph.depth_of.insert(successor.clone(), depth);
                        next.push(successor.clone());
                    }
                }
                if graph.depth_of.len() > limit {
                    return Ok(None);
                }
            }
            level = next;
        }
        Ok(Some(graph))
    }
}

/// What the naive search finds.
#[derive(Clone, Debug)]
pub struct NaiveGraph {
    /// All reachable states with their distances from the initial one.
    pub depth_of: HashMap<State, u64>,
    /// Triples of state, title, successor.
    pub arcs: u64,
    /// States without successor.
    pub deadlocks: u64,
    /// Pairs of state and successor for each event.
    pub fired: BTreeMap<u32, u64>,
}
