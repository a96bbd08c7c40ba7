//! What an order depends on: which cells each event touches, and which cells belong together.
//!
//! A [`Structure`] has no values and no conditions; of an event it knows the cells and, where that is
//! a constant, by how much each changes. The heuristics work on a [`Hypergraph`] made from it: one node
//! a cell or, when cells share a level of the diagram, one node a level; one edge for each distinct set
//! of nodes that events touch.

use std::sync::OnceLock;

use plait_program::mix::MixedMap;

use super::groups::Groups;
use crate::net::Net;

/// What an event does with a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Its value matters and stays.
    Test,
    /// A constant is added.
    Add(i32),
    /// Anything else.
    Store,
}

impl Effect {
    /// What two effects of one event on one cell are together.
    fn and(self, other: Effect) -> Effect {
        match (self, other) {
            (Effect::Test | Effect::Add(0), e) | (e, Effect::Test | Effect::Add(0)) => e,
            (Effect::Add(a), Effect::Add(b)) => match a.checked_add(b) {
                Some(0) => Effect::Test,
                Some(sum) => Effect::Add(sum),
                None => Effect::Store,
            },
            _ => Effect::Store,
        }
    }
}

/// Why a structure makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StructureError {
    /// An event touches a cell that does not exist.
    #[error("event {event} touches cell {cell}, which does not exist")]
    Event {
        /// The event.
        event: usize,
        /// The cell.
        cell: u32,
    },
    /// A group is its own ancestor, or stands before its parent.
    #[error("group {0} does not come after its parent")]
    Parent(usize),
    /// A cell is said to be in a group that does not exist, or there is not one entry a cell.
    #[error("cell {0} is in no group that exists")]
    Member(usize),
    /// Levels are not a partition of the cells.
    #[error("cell {0} does not stand in exactly one level")]
    Level(u32),
    /// There are more cells, events or arcs than 32-bit numbers.
    #[error("too large: more than 2^31 cells, events or arcs")]
    Size,
}

/// Cells, events as the cells that they touch, and groups of cells as hints.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    cells: usize,
    starts: Vec<u32>,
    arcs: Vec<(u32, Effect)>,
    groups: Groups,
    /// The state machines that were found, and from which initial values.
    pub(super) machines: OnceLock<(Vec<i32>, Vec<Vec<u32>>)>,
}

impl Structure {
    /// A structure; an event may name a cell several times. Groups may be empty.
    pub fn new(
        cells: usize,
        events: impl IntoIterator<Item = Vec<(u32, Effect)>>,
        groups: Groups,
    ) -> Result<Structure, StructureError> {
        const MOST: usize = 1 << 31;
        if cells > MOST {
            return Err(StructureError::Size);
        }
        groups.check(cells)?;
        let mut result = Structure {
            cells,
            starts: vec![0],
            arcs: Vec::new(),
            groups,
            machines: OnceLock::new(),
        };
        for (number, mut event) in events.into_iter().enumerate() {
            event.sort_by_key(|arc| arc.0);
            if let Some(last) = event.last().filter(|arc| arc.0 as usize >= cells) {
                return Err(StructureError::Event {
                    event: number,
                    cell: last.0,
                });
            }
            for same in event.chunk_by(|a, b| a.0 == b.0) {
                let effect = same[1..].iter().fold(same[0].1, |e, arc| e.and(arc.1));
                result.arcs.push((same[0].0, effect));
            }
            if result.arcs.len() > MOST || number >= MOST {
                return Err(StructureError::Size);
            }
            result.starts.push(result.arcs.len() as u32);
        }
        Ok(result)
    }

    /// The structure of a net. A stored constant is an addition where a test fixes the value before.
    pub fn of_net(net: &Net, groups: Groups) -> Result<Structure, StructureError> {
        let event = |event: &crate::net::Event| -> Vec<(u32, Effect)> {
            let tests = event.tests.iter().map(|t| (t.cell, Effect::Test));
            let updates = event.updates.iter().map(|update| {
                let bounds = event.tests.iter().filter(|t| t.cell == update.cell);
                let mut fixed = bounds.filter_map(|t| t.interval.bounds());
                let before = fixed.find_map(|(low, high)| (low == high).then_some(low));
                let effect = match (update.keep, before) {
                    (-1, _) if update.amount == 0 => Effect::Test,
                    (-1, _) => Effect::Add(update.amount),
                    (_, Some(value)) => update
                        .amount
                        .checked_sub(value)
                        .map_or(Effect::Store, Effect::Add),
                    _ => Effect::Store,
                };
                (update.cell, effect)
            });
            tests.chain(updates).collect()
        };
        Structure::new(net.cells(), net.events.iter().map(event), groups)
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// How many events there are.
    pub fn events(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many pairs of an event and a cell that it touches.
    pub fn arcs(&self) -> usize {
        self.arcs.len()
    }

    /// The cells that an event touches, ascending, and what it does with them.
    pub fn event(&self, number: usize) -> &[(u32, Effect)] {
        &self.arcs[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    /// The hints.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The cells as levels, in declared order: each by itself, or together with those of its set, of which
    /// so many share a level at most. A level stands where its first cell does; sets are disjoint.
    pub fn levels(
        &self,
        together: Vec<Vec<u32>>,
        largest: usize,
    ) -> Result<Vec<Vec<u32>>, StructureError> {
        let mut levels: Vec<Vec<u32>> = (0..self.cells as u32).map(|cell| vec![cell]).collect();
        for mut cells in together {
            cells.sort_unstable();
            for part in cells.chunks(largest.max(1)) {
                for cell in part {
                    let level = levels.get_mut(*cell as usize);
                    level.ok_or(StructureError::Level(*cell))?.clear();
                }
                levels[part[0] as usize].extend_from_slice(part);
            }
        }
        levels.retain(|level| !level.is_empty());
        Ok(levels)
    }

    /// The level of each cell, given the cells of each level; an error unless that is a partition.
    pub fn level_of(&self, levels: &[Vec<u32>]) -> Result<Vec<u32>, StructureError> {
        let mut level_of = vec![u32::MAX; self.cells];
        for (level, cells) in levels.iter().enumerate() {
            for cell in cells {
                match level_of.get_mut(*cell as usize) {
                    Some(entry) if *entry == u32::MAX => *entry = level as u32,
                    _ => return Err(StructureError::Level(*cell)),
                }
            }
        }
        match level_of.iter().position(|level| *level == u32::MAX) {
            Some(cell) => Err(StructureError::Level(cell as u32)),
            None => Ok(level_of),
        }
    }
}

/// An event takes from a node.
pub(crate) const TAKES: u8 = 1;
/// An event gives to a node.
pub(crate) const GIVES: u8 = 2;

/// Nodes and weighted edges: the sets of nodes that events touch, and how many events touch each.
#[derive(Clone, Debug, Default)]
pub struct Hypergraph {
    nodes: usize,
    starts: Vec<u32>,
    ends: Vec<(u32, u8)>,
    weights: Vec<f64>,
    use_starts: Vec<u32>,
    uses: Vec<u32>,
}

impl Hypergraph {
    /// One node a level; `level_of` is the level of each cell.
    pub fn of_levels(structure: &Structure, level_of: &[u32], levels: usize) -> Hypergraph {
        let mut builder = Builder::default();
        let mut ends: Vec<(u32, u8)> = Vec::new();
        for number in 0..structure.events() {
            ends.clear();
            for (cell, effect) in structure.event(number) {
                let role = match effect {
                    Effect::Add(amount) if *amount < 0 => TAKES,
                    Effect::Add(amount) if *amount > 0 => GIVES,
                    _ => TAKES | GIVES,
                };
                ends.push((level_of[*cell as usize], role));
            }
            builder.add(&mut ends);
        }
        builder.build(levels)
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.weights.len()
    }

    /// How many pairs of an edge and a node in it.
    pub fn ends(&self) -> usize {
        self.ends.len()
    }

    /// The nodes of an edge, ascending, with what its events do there.
    pub(crate) fn edge(&self, edge: usize) -> &[(u32, u8)] {
        &self.ends[self.starts[edge] as usize..self.starts[edge + 1] as usize]
    }

    /// How many events an edge stands for.
    pub(crate) fn weight(&self, edge: usize) -> f64 {
        self.weights[edge]
    }

    /// The edges of a node, ascending.
    pub(crate) fn uses(&self, node: usize) -> &[u32] {
        &self.uses[self.use_starts[node] as usize..self.use_starts[node + 1] as usize]
    }
}

/// Edges while they are collected: equal ones become one with their weights added.
#[derive(Default)]
pub(crate) struct Builder {
    known: MixedMap<Vec<(u32, u8)>, u32>,
    starts: Vec<u32>,
    ends: Vec<(u32, u8)>,
    weights: Vec<f64>,
}

impl Builder {
    /// Adds the set of these nodes; repetitions are joined. The argument is left in disorder.
    pub fn add(&mut self, ends: &mut Vec<(u32, u8)>) {
        ends.sort_unstable();
        ends.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 |= next.1;
            }
            same
        });
        if ends.is_empty() {
            return;
        }
        if let Some(edge) = self.known.get(ends.as_slice()) {
            self.weights[*edge as usize] += 1.0;
            return;
        }
        self.known.insert(ends.clone(), self.weights.len() as u32);
        self.starts.push(self.ends.len() as u32);
        self.ends.extend_from_slice(ends);
        self.weights.push(1.0);
    }

    /// The hypergraph with so many nodes.
    pub fn build(mut self, nodes: usize) -> Hypergraph {
        self.starts.push(self.ends.len() as u32);
        let mut use_starts = vec![0u32; nodes + 1];
        for (node, _) in &self.ends {
            use_starts[*node as usize + 1] += 1;
        }
        for node in 0..nodes {
            use_starts[node + 1] += use_starts[node];
        }
        let mut next = use_starts.clone();
        let mut uses = vec![0u32; self.ends.len()];
        for edge in 0..self.weights.len() {
            let range = self.starts[edge] as usize..self.starts[edge + 1] as usize;
            for (node, _) in &self.ends[range] {
                let slot = &mut next[*node as usize];
                uses[*slot as usize] = edge as u32;
                *slot += 1;
            }
        }
        Hypergraph {
            nodes,
            starts: self.starts,
            ends: self.ends,
            weights: self.weights,
            use_starts,
            uses,
        }
    }
}
