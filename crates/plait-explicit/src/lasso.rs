//! A short accepting run out of an accepting component: a path to it, and a cycle in it that has all
//! marks.
//!
//! The path is a shortest one through what the search has seen, as long as that is not too much to go
//! through again; else it is the search's own. In the component the nearest arc with a mark that is
//! still missing is appended until none is, and then a shortest way back.

use std::collections::{HashMap, VecDeque};

use crate::emptiness::Product;
use crate::hash::RecordHash;
use crate::kripke::Kripke;
use crate::search::Halt;

/// With more nodes than this the search's own path is taken.
const CHEAP: usize = 20_000_000;
const UNKNOWN: u32 = u32::MAX;

/// A run that goes on for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// Events and the states they lead to, from the initial state, which no event leads to.
    pub steps: Vec<(Option<u32>, Vec<i32>)>,
    /// The state that equals the last one, and is followed by the same again; the last itself when
    /// it is a deadlock, which repeats.
    pub repeats: usize,
}

struct Finder<'p, 'b, 'k, 'a, 's, H> {
    product: &'p mut Product<'b>,
    kripke: &'k mut Kripke<'a, 's, H>,
    /// The first node of the component.
    root: u32,
}

/// The lasso of the accepting component that begins with a node.
pub(crate) fn lasso<H: RecordHash>(
    product: &mut Product<'_>,
    kripke: &mut Kripke<'_, '_, H>,
    root: u32,
) -> Result<Lasso, Halt> {
    let mut finder = Finder {
        product,
        kripke,
        root,
    };
    let prefix = finder.prefix()?;
    let knot = *prefix.last().unwrap_or(&root);
    let cycle = finder.cycle(knot)?;
    run(product, kripke, &prefix, &cycle)
}

/// A node, and the marks of the arc that leads to it.
pub(crate) type Hop = (u32, u64);

impl<H: RecordHash> Finder<'_, '_, '_, '_, '_, H> {
    fn is_member(&self, node: u32) -> bool {
        node >= self.root && !self.product.nodes.is_dead(node)
    }

    /// The nodes from the first to one of the component.
    fn prefix(&mut self) -> Result<Vec<u32>, Halt> {
        if self.root == 0 {
            return Ok(vec![0]);
        }
        let count = self.product.nodes.len();
        let mut parents: Vec<u32> = Vec::new();
        let held = self.kripke.search.store.bytes() + self.kripke.search.held;
        let budget = &mut self.kripke.search.supervisor.budget;
        let room = count <= CHEAP && budget.allows(held, 8 * count as u64);
        if !room || parents.try_reserve_exact(count).is_err() {
            return Ok(self.product.path_to(self.root));
        }
        parents.resize(count, UNKNOWN);
        self.shortest(parents)
    }

    /// A shortest path through all nodes to one of the component; `parents` has room for them all.
    fn shortest(&mut self, mut parents: Vec<u32>) -> Result<Vec<u32>, Halt> {
        let mut queue = VecDeque::from([0]);
        let mut arcs: Vec<Hop> = Vec::new();
        while let Some(node) = queue.pop_front() {
            self.arcs(node, &mut arcs)?;
            for (next, _) in &arcs {
                if *next == 0 || parents[*next as usize] != UNKNOWN {
                    continue;
                }
                parents[*next as usize] = node;
                if self.is_member(*next) {
                    return Ok(backwards(*next, |n| parents[n as usize]));
                }
                queue.push_back(*next);
            }
        }
        unreachable!("the search has come to the component")
    }

    /// A cycle with all marks, from after the knot to the knot.
    fn cycle(&mut self, knot: u32) -> Result<Vec<Hop>, Halt> {
        let mut missing = self.product.all;
        let mut cycle: Vec<Hop> = Vec::new();
        let last = |cycle: &[Hop]| cycle.last().map_or(knot, |(node, _)| *node);
        while missing != 0 {
            for hop in self.nearest(last(&cycle), |_, marks| marks & missing != 0)? {
                missing &= !hop.1;
                cycle.push(hop);
            }
        }
        if cycle.is_empty() || last(&cycle) != knot {
            cycle.extend(self.nearest(last(&cycle), |node, _| node == knot)?);
        }
        Ok(cycle)
    }

    /// A shortest path in the component, after `start`, that ends with a wanted arc.
    fn nearest(&mut self, start: u32, wanted: impl Fn(u32, u64) -> bool) -> Result<Vec<Hop>, Halt> {
        let mut came_from: HashMap<u32, (u32, u64)> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        let mut arcs: Vec<Hop> = Vec::new();
        while let Some(node) = queue.pop_front() {
            self.arcs(node, &mut arcs)?;
            for (next, marks) in &arcs {
                if !self.is_member(*next) {
                    continue;
                }
                if wanted(*next, *marks) {
                    let mut path = vec![(*next, *marks)];
                    let mut at = node;
                    while at != start {
                        let (before, marks) = came_from[&at];
                        path.push((at, marks));
                        at = before;
                    }
                    path.reverse();
                    return Ok(path);
                }
                if *next != start && !came_from.contains_key(next) {
                    came_from.insert(*next, (node, *marks));
                    queue.push_back(*next);
                }
            }
        }
        unreachable!("a strongly connected component has such a path")
    }

    /// The arcs of a node to nodes that the search has met, those with most marks first.
    fn arcs(&mut self, node: u32, found: &mut Vec<Hop>) -> Result<(), Halt> {
        let mut pairs: Vec<(u32, u32, u64)> = Vec::new();
        self.product
            .for_each_move(self.kripke, node, |state, location, marks| {
                pairs.push((state, location, marks));
            })?;
        found.clear();
        for (state, location, marks) in pairs.into_iter().rev() {
            if let Some(next) = self.product.nodes.find(state, location) {
                found.push((next, marks));
            }
        }
        Ok(())
    }
}

/// The run of the program along these nodes.
pub(crate) fn run<H: RecordHash>(
    product: &Product<'_>,
    kripke: &mut Kripke<'_, '_, H>,
    prefix: &[u32],
    cycle: &[Hop],
) -> Result<Lasso, Halt> {
    let nodes = prefix.iter().copied().chain(cycle.iter().map(|hop| hop.0));
    let mut states: Vec<u32> = nodes.map(|n| product.nodes.get(n).0).collect();
    let mut repeats = prefix.len() - 1;
    let knot = states[repeats];
    if kripke.is_deadlock(knot)? {
        repeats = states.iter().position(|s| *s == knot).unwrap_or(repeats);
        states.truncate(repeats + 1);
    }
    let mut steps = vec![(None, kripke.cells(states[0]).to_vec())];
    for (place, pair) in states.windows(2).enumerate() {
        let hop = (place + 1).checked_sub(prefix.len()).map(|at| cycle[at]);
        let satisfied = hop.map(|(_, marks)| marks >> product.shift);
        let event = kripke.event_between(pair[0], pair[1], satisfied)?;
        steps.push((event, kripke.cells(pair[1]).to_vec()));
    }
    Ok(Lasso { steps, repeats })
}

/// The nodes from the first to this one.
fn backwards(last: u32, parent: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut path = vec![last];
    let mut node = last;
    while node != 0 {
        node = parent(node);
        path.push(node);
    }
    path.reverse();
    path
}
