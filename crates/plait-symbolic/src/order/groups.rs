//! Orders that respect groups: the cells of each group stand together, groups inside groups too.
//!
//! Groups are hints: NUPN units, processes, instances of a hierarchy, arrays, or state machines found
//! in a net. Two ways to respect them:
//!
//! - *supernodes*: the members of each group are ordered among themselves by any heuristic, on the
//!   hypergraph whose nodes are the members (cells and inner groups) and whose edges are the events
//!   seen from there;
//! - *gathering*: given coordinates of the cells, each group moves to the mean of its cells, and its
//!   members are sorted inside it. FORCE does so after each round to keep groups together.
//!
//! Invariant: the result is a permutation in which each group is an interval.

use super::structure::{Builder, Hypergraph, StructureError};

/// No group, no parent: the member of the whole.
pub const WHOLE: u32 = u32::MAX;
/// Groups nested deeper count as their ancestor at this depth; each event climbs so far at most.
const DEEPEST: u32 = 32;

/// A forest of groups of cells, by number; parents come first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// The group that each group is in, or [`WHOLE`].
    pub parents: Vec<u32>,
    /// The innermost group of each cell, or [`WHOLE`]; empty when there are no groups.
    pub of_cell: Vec<u32>,
}

impl Groups {
    /// Plain groups without nesting; a cell in several goes to the first.
    pub fn flat(cells: usize, groups: &[Vec<u32>]) -> Groups {
        let mut of_cell = vec![WHOLE; cells];
        for (number, group) in groups.iter().enumerate() {
            for cell in group {
                if let Some(entry) = of_cell.get_mut(*cell as usize) {
                    if *entry == WHOLE {
                        *entry = number as u32;
                    }
                }
            }
        }
        Groups {
            parents: vec![WHOLE; groups.len()],
            of_cell,
        }
    }

    /// Whether there is nothing to keep together: no group has two members.
    pub fn is_trivial(&self) -> bool {
        let mut members = vec![0u32; self.parents.len()];
        let mut inhabited = vec![false; self.parents.len()];
        let inner = (0..self.parents.len()).rev();
        for group in self.of_cell.iter().filter(|g| **g != WHOLE) {
            members[*group as usize] += 1;
            inhabited[*group as usize] = true;
        }
        for group in inner.filter(|g| self.parents[*g] != WHOLE) {
            if inhabited[group] {
                members[self.parents[group] as usize] += 1;
                inhabited[self.parents[group] as usize] = true;
            }
        }
        members.iter().all(|count| *count < 2)
    }

    pub(crate) fn check(&self, cells: usize) -> Result<(), StructureError> {
        for (number, parent) in self.parents.iter().enumerate() {
            if *parent != WHOLE && *parent as usize >= number {
                return Err(StructureError::Parent(number));
            }
        }
        if !self.of_cell.is_empty() && self.of_cell.len() != cells {
            return Err(StructureError::Member(cells.min(self.of_cell.len())));
        }
        let known = |group: &u32| *group == WHOLE || (*group as usize) < self.parents.len();
        match self.of_cell.iter().position(|group| !known(group)) {
            Some(cell) => Err(StructureError::Member(cell)),
            None => Ok(()),
        }
    }

    /// The groups seen from levels: a level is where its first cell is.
    pub(crate) fn of_levels(&self, levels: &[Vec<u32>]) -> Groups {
        if self.of_cell.is_empty() {
            return Groups::default();
        }
        let group = |cells: &Vec<u32>| cells.first().map_or(WHOLE, |c| self.of_cell[*c as usize]);
        Groups {
            parents: self.parents.clone(),
            of_cell: levels.iter().map(group).collect(),
        }
    }
}

/// Nodes `0..nodes` and above them the groups `nodes..`, under one root, the last.
pub(crate) struct Tree {
    nodes: usize,
    /// For each node and group; the root is its own parent.
    parents: Vec<u32>,
    depths: Vec<u32>,
}

impl Tree {
    pub fn new(nodes: usize, groups: &Groups) -> Tree {
        let (count, first) = (groups.parents.len(), nodes as u32);
        let root = (nodes + count) as u32;
        let up = |group: u32| if group == WHOLE { root } else { first + group };
        let mut parents: Vec<u32> = groups.of_cell.iter().map(|g| up(*g)).collect();
        parents.resize(nodes, root);
        parents.extend(groups.parents.iter().map(|g| up(*g)));
        parents.push(root);
        let mut depths = vec![0; nodes + count + 1];
        for group in nodes..nodes + count {
            let parent = parents[group] as usize;
            if depths[parent] + 1 >= DEEPEST {
                // Too deep: what is in this group will be seen as in its parent.
                depths[group] = DEEPEST;
            } else {
                depths[group] = depths[parent] + 1;
            }
        }
        let mut tree = Tree {
            nodes,
            parents,
            depths,
        };
        tree.flatten_deep();
        tree
    }

    fn flatten_deep(&mut self) {
        let all = self.parents.len() - 1;
        for member in (self.nodes..all).chain(0..self.nodes) {
            let parent = self.parents[member] as usize;
            if parent != all && self.depths[parent] == DEEPEST {
                self.parents[member] = self.parents[parent];
            }
        }
        for node in 0..self.nodes {
            self.depths[node] = self.depths[self.parents[node] as usize] + 1;
        }
    }

    fn root(&self) -> usize {
        self.parents.len() - 1
    }

    /// The order by coordinates, with each group moved to the mean of its nodes. Ties keep the order
    /// of the numbers.
    pub fn gather(&self, coordinates: &[f64]) -> Vec<u32> {
        let all = self.parents.len();
        let mut sums = vec![(0.0f64, 0.0f64); all];
        for (node, coordinate) in coordinates.iter().enumerate() {
            sums[node] = (*coordinate, 1.0);
        }
        // Parents of groups have smaller numbers, so the members of a group are complete before it.
        let upward = (0..self.nodes).chain((self.nodes..self.root()).rev());
        for member in upward {
            let (sum, count) = sums[member];
            let parent = &mut sums[self.parents[member] as usize];
            parent.0 += sum;
            parent.1 += count;
        }
        let keys: Vec<f64> = sums.iter().map(|(sum, n)| sum / n.max(1.0)).collect();
        self.sorted_by(&keys)
    }

    /// The order in which the members of each group are sorted by their keys.
    fn sorted_by(&self, keys: &[f64]) -> Vec<u32> {
        let root = self.root() as u32;
        let mut members: Vec<u32> = (0..root).collect();
        members.sort_unstable_by(|a, b| {
            let parents = (self.parents[*a as usize], self.parents[*b as usize]);
            let by_parent = parents.0.cmp(&parents.1);
            let by_key = || keys[*a as usize].total_cmp(&keys[*b as usize]);
            by_parent.then_with(by_key).then(a.cmp(b))
        });
        let mut first = vec![members.len() as u32; self.parents.len() + 1];
        for (place, member) in members.iter().enumerate().rev() {
            first[self.parents[*member as usize] as usize] = place as u32;
        }
        let mut order = Vec::with_capacity(self.nodes);
        let mut stack = vec![(root, first[root as usize])];
        while let Some((group, place)) = stack.pop() {
            let Some(member) = members.get(place as usize) else {
                continue;
            };
            if self.parents[*member as usize] != group {
                continue;
            }
            stack.push((group, place + 1));
            if (*member as usize) < self.nodes {
                order.push(*member);
            } else {
                stack.push((*member, first[*member as usize]));
            }
        }
        order
    }

    /// The order in which `heuristic` puts the members of each group, given how events connect them.
    pub fn supernodes(
        &self,
        graph: &Hypergraph,
        mut heuristic: impl FnMut(&Hypergraph) -> Vec<u32>,
    ) -> Vec<u32> {
        let all = self.parents.len();
        let mut ranks = vec![0u32; all];
        let mut sizes = vec![0u32; all];
        for (rank, parent) in ranks.iter_mut().zip(&self.parents[..all - 1]) {
            *rank = sizes[*parent as usize];
            sizes[*parent as usize] += 1;
        }
        let mut builders: Vec<Builder> = Vec::new();
        builders.resize_with(all - self.nodes, Builder::default);
        for edge in 0..graph.edges() {
            self.split(graph.edge(edge), &ranks, &mut builders);
        }
        let mut places: Vec<Vec<u32>> = Vec::with_capacity(builders.len());
        for (builder, size) in builders.into_iter().zip(&sizes[self.nodes..]) {
            let inner = builder.build(*size as usize);
            let mut place = vec![0; *size as usize];
            for (position, member) in heuristic(&inner).into_iter().enumerate() {
                place[member as usize] = position as u32;
            }
            places.push(place);
        }
        let key = |member: usize| {
            let place = &places[self.parents[member] as usize - self.nodes];
            f64::from(place.get(ranks[member] as usize).copied().unwrap_or(0))
        };
        let keys: Vec<f64> = (0..all).map(key).collect();
        self.sorted_by(&keys)
    }

    /// Gives each group in which an edge joins several members the part of it that is seen there.
    fn split(&self, edge: &[(u32, u8)], ranks: &[u32], builders: &mut [Builder]) {
        let mut here: Vec<(u32, u8)> = edge.to_vec();
        let mut depth = here.iter().map(|(n, _)| self.depths[*n as usize]).max();
        let mut seen: Vec<(u32, u8)> = Vec::new();
        while let Some(deep @ 1..) = depth {
            // All members at this depth climb to their groups, which see them side by side.
            here.sort_unstable_by_key(|(m, _)| (self.parents[*m as usize], *m));
            let mut above: Vec<(u32, u8)> = Vec::with_capacity(here.len());
            let same_group = |a: &(u32, u8), b: &(u32, u8)| {
                self.parents[a.0 as usize] == self.parents[b.0 as usize]
            };
            for members in here.chunk_by(same_group) {
                let group = self.parents[members[0].0 as usize];
                // The members of one group are all equally deep.
                if self.depths[members[0].0 as usize] != deep {
                    above.extend(members);
                    continue;
                }
                seen.clear();
                seen.extend(members.iter().map(|(m, r)| (ranks[*m as usize], *r)));
                if seen.iter().any(|(rank, _)| *rank != seen[0].0) {
                    builders[group as usize - self.nodes].add(&mut seen);
                }
                above.push((group, members.iter().fold(0, |r, (_, role)| r | role)));
            }
            here = above;
            depth = Some(deep - 1);
        }
    }
}
