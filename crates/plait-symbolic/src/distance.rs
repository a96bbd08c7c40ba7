//! The distance of every reachable state from the initial ones, as one edge-valued diagram.
//!
//! Structural model checking, 7.5: saturation with values. A node is closed under the events below its
//! level before anyone sees it; a firing costs 1, added where its top is, so that values below a node
//! are distances under lower events alone. The traps of the printed algorithm are avoided: nodes are
//! normalised before they are stored, and results are cached without the value that comes from above.
//! The same with values in the terminals, and breadth-first, are the baselines of table 6.1.

use std::collections::{BTreeMap, HashMap};

use plait_dd::edge_valued::{EvEdge, EvNode, Forest, Labelled, Placement};
use plait_dd::stack::deep;
use plait_dd::{Manager, Node, Stop};

use crate::inverse::{Direction, Tables};
use crate::local::{FAULT, NONE};
use crate::relation::{Relation, END};

/// A node under construction.
type Open = BTreeMap<u32, EvEdge>;

/// The distances of the reachable states of a net.
pub struct Distances {
    /// The diagram; labels are numbers of local states.
    pub forest: Forest,
    /// The distance function.
    pub function: EvEdge,
    /// Rounds of the search; 1 for saturation.
    pub rounds: usize,
}

/// What is being computed.
struct Search<'a> {
    relation: &'a mut Relation,
    forest: Forest,
    /// What tails make of nodes: closed images for saturation, plain ones for breadth-first search.
    fired: HashMap<(u32, EvNode), Option<EvEdge>>,
    saturating: bool,
    charged: usize,
}

impl Relation {
    /// The distances from the initial states.
    pub fn distances(
        &mut self,
        dd: &mut Manager,
        placement: Placement,
        saturation: bool,
    ) -> Result<Distances, Stop> {
        let mut search = Search {
            relation: self,
            forest: Forest::new(placement),
            fired: HashMap::new(),
            saturating: saturation,
            charged: 0,
        };
        let result = if saturation {
            search.by_saturation(dd).map(|f| (f, 1))
        } else {
            search.breadth_first(dd)
        };
        dd.charge(-(search.charged as isize));
        let (function, rounds) = result?;
        let function = function.ok_or(Stop::Incompatible)?;
        Ok(Distances {
            forest: search.forest,
            function,
            rounds,
        })
    }
}

impl Search<'_> {
    /// Looks at the budget, with what the forest takes.
    fn step(&mut self, dd: &mut Manager) -> Result<(), Stop> {
        let bytes = self.forest.bytes() + self.fired.len() * 40;
        dd.charge(bytes as isize - self.charged as isize);
        self.charged = bytes;
        dd.step()
    }

    fn by_saturation(&mut self, dd: &mut Manager) -> Result<Option<EvEdge>, Stop> {
        let mut all = None;
        for state in 0..self.relation.initial.len() {
            let mut edge = Some(self.forest.terminal(0));
            for k in 1..=self.relation.levels() {
                let label = self.relation.initial[state][k];
                let mut open: Open = edge.map(|e| (label, e)).into_iter().collect();
                self.saturate(dd, k, &mut open)?;
                edge = self.close(k, open);
            }
            all = self.forest.min(all, edge);
        }
        Ok(all)
    }

    fn close(&mut self, k: usize, open: Open) -> Option<EvEdge> {
        let edges: Vec<Labelled> = open.into_iter().collect();
        self.forest.node(k as u32, edges)
    }

    /// Makes sure that a local state has a row.
    fn confirm(&mut self, dd: &mut Manager, k: usize, label: u32) -> Result<(), Stop> {
        let local = &mut self.relation.levels[k].local;
        if !local.is_confirmed(label) {
            if label == FAULT {
                return Err(Stop::Fault);
            }
            let bytes = local.confirm(&mut self.relation.spaces[local.space], label);
            dd.charge(bytes as isize);
        }
        Ok(())
    }

    /// Adds a function under a label; whether that made anything less.
    fn add(
        &mut self,
        dd: &mut Manager,
        k: usize,
        open: &mut Open,
        (label, edge): Labelled,
    ) -> Result<bool, Stop> {
        self.confirm(dd, k, label)?;
        let before = open.get(&label).copied();
        let after = self.forest.min(before, Some(edge));
        if let Some(edge) = after.filter(|_| after != before) {
            open.insert(label, edge);
            return Ok(true);
        }
        Ok(false)
    }

    /// Fires the events whose top is `k` until no value becomes less.
    fn saturate(&mut self, dd: &mut Manager, k: usize, open: &mut Open) -> Result<(), Stop> {
        let mut queue: Vec<u32> = open.keys().rev().copied().collect();
        while let Some(label) = queue.pop() {
            self.step(dd)?;
            for group in 0..self.relation.levels[k].groups.len() {
                for f in 0..self.relation.levels[k].groups[group].functions.len() {
                    let events = &self.relation.levels[k].groups[group];
                    let target = self.relation.row(k, label)[events.functions[f] as usize];
                    if target == NONE {
                        continue;
                    }
                    let tail = events.tail;
                    let Some(image) = self.fire(dd, tail, k - 1, open[&label])? else {
                        continue;
                    };
                    let image = self.forest.plus(image, 1);
                    if self.add(dd, k, open, (target, image))? && !queue.contains(&target) {
                        queue.push(target);
                    }
                }
            }
        }
        Ok(())
    }

    /// What a tail makes of a function, closed when saturating.
    fn fire(
        &mut self,
        dd: &mut Manager,
        tail: u32,
        k: usize,
        from: EvEdge,
    ) -> Result<Option<EvEdge>, Stop> {
        if tail == END {
            return Ok(Some(from));
        }
        let key = (tail, from.node);
        if !self.fired.contains_key(&key) {
            self.step(dd)?;
            let result = deep(|| self.fire_anew(dd, tail, k, from.node))?;
            self.fired.insert(key, result);
        }
        let above = |e: EvEdge| EvEdge {
            value: e.value + from.value,
            ..e
        };
        Ok(self.fired[&key].map(above))
    }

    fn fire_anew(
        &mut self,
        dd: &mut Manager,
        tail: u32,
        k: usize,
        node: EvNode,
    ) -> Result<Option<EvEdge>, Stop> {
        let link = self.relation.tails[tail as usize];
        let mut open = Open::new();
        for (label, edge) in self.forest.edges(node).to_vec() {
            let (target, next) = if link.level as usize == k {
                let target = self.relation.row(k, label)[link.function as usize];
                (target, link.next)
            } else {
                (label, tail)
            };
            if target == NONE {
                continue;
            }
            if let Some(image) = self.fire(dd, next, k - 1, edge)? {
                self.add(dd, k, &mut open, (target, image))?;
            }
        }
        if self.saturating && !open.is_empty() {
            self.saturate(dd, k, &mut open)?;
        }
        Ok(self.close(k, open))
    }

    /// Round by round: the lesser of what is known and one step more than that.
    fn breadth_first(&mut self, dd: &mut Manager) -> Result<(Option<EvEdge>, usize), Stop> {
        let mut all = None;
        for state in 0..self.relation.initial.len() {
            let mut edge = Some(self.forest.terminal(0));
            for k in 1..=self.relation.levels() {
                let label = self.relation.initial[state][k];
                edge = edge.and_then(|e| self.forest.node(k as u32, vec![(label, e)]));
            }
            all = self.forest.min(all, edge);
        }
        for rounds in 1.. {
            let before = all;
            let Some(known) = before else {
                break;
            };
            for event in 0..self.relation.events.len() {
                let tail = self.relation.events[event];
                let image = self.fire(dd, tail, self.relation.levels(), known)?;
                let image = image.map(|i| self.forest.plus(i, 1));
                all = self.forest.min(all, image);
            }
            if all == before {
                return Ok((all, rounds));
            }
        }
        Ok((all, 0))
    }
}

impl Distances {
    /// The distance of a state, by its local states, bottom first (from 1); `None` if it is unreachable.
    pub fn of(&self, state: &[u32]) -> Option<u32> {
        let labels = state[1..].iter().rev().copied();
        self.forest.value(self.function, labels)
    }

    /// The least distance of a set, by level, and a state of it that far; `None` if none is reachable.
    pub fn nearest(&mut self, dd: &Manager, set: Node) -> Option<(u32, Vec<u32>)> {
        let lifted = self.lift(dd, set, &mut HashMap::new())?;
        let both = self.forest.max(Some(self.function), Some(lifted))?;
        let mut state = self.forest.nearest(both);
        state.push(0);
        state.reverse();
        let distance = self.of(&state)?;
        Some((distance, state))
    }

    /// A set as the function that is 0 in it.
    fn lift(
        &mut self,
        dd: &Manager,
        set: Node,
        done: &mut HashMap<Node, Option<EvEdge>>,
    ) -> Option<EvEdge> {
        if set.is_zero() {
            return None;
        }
        if set == Node::ONE {
            return Some(self.forest.terminal(0));
        }
        if let Some(known) = done.get(&set) {
            return *known;
        }
        let mut edges = Vec::new();
        for at in 0..dd.len(set) {
            let edge = dd.edge(set, at);
            if let Some(child) = deep(|| self.lift(dd, edge.child, done)) {
                edges.push((edge.value() as u32, child));
            }
        }
        let result = self.forest.node(dd.variable(set), edges);
        done.insert(set, result);
        result
    }

    /// A shortest way back to an initial state: local states, each with the tail that leads on.
    pub(crate) fn back(
        &self,
        relation: &Relation,
        tables: &Tables,
        distance: u32,
        state: Vec<u32>,
    ) -> Option<Vec<(u32, Vec<u32>)>> {
        let mut steps = Vec::new();
        let mut state = state;
        for before in (0..distance).rev() {
            let found = relation.events.iter().find_map(|tail| {
                let origin = self.origin(relation, tables, *tail, before, &state)?;
                Some((*tail, origin))
            });
            let (tail, origin) = found?;
            steps.push((tail, std::mem::replace(&mut state, origin)));
        }
        steps.push((END, state));
        steps.reverse();
        Some(steps)
    }

    /// A state at a distance from which an event leads to a state.
    fn origin(
        &self,
        relation: &Relation,
        tables: &Tables,
        tail: u32,
        distance: u32,
        state: &[u32],
    ) -> Option<Vec<u32>> {
        let mut links = Vec::new();
        let mut at = tail;
        while at != END {
            let link = relation.tails[at as usize];
            let k = link.level as usize;
            links.push((
                k,
                tables.targets(Direction::Backward, k, state[k], link.function),
            ));
            at = link.next;
        }
        // All combinations of what the local states may have been.
        let mut choice = vec![0; links.len()];
        if links.iter().any(|(_, sources)| sources.is_empty()) {
            return None;
        }
        loop {
            let mut origin = state.to_vec();
            for ((k, sources), at) in links.iter().zip(&choice) {
                origin[*k] = sources[*at];
            }
            if self.of(&origin) == Some(distance) {
                return Some(origin);
            }
            let turn = (0..choice.len()).find(|i| choice[*i] + 1 < links[*i].1.len())?;
            choice[..turn].fill(0);
            choice[turn] += 1;
        }
    }
}
