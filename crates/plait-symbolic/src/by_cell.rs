//! Sets of states by cell: from levels with numbered local states to one variable a cell, and back.
//!
//! Saturation wants few levels and small numbers as labels; questions about values want one variable
//! for each cell with its value on the edges. A set is carried over node by node, each once.

use std::collections::HashMap;

use plait_dd::stack::deep;
use plait_dd::{Edge, Manager, Node, Root, Stop};

use crate::relation::Relation;

impl Relation {
    /// The variable of each cell in diagrams by cell. Variables decrease from the root, which has the
    /// greatest, to 1, level by level and in a level in the order of its cells.
    pub fn variables(&self) -> Vec<u32> {
        let mut variables = vec![0; self.cells()];
        let mut variable = 0;
        for level in &self.levels[1..] {
            for cell in level.cells.iter().rev() {
                variable += 1;
                variables[*cell as usize] = variable;
            }
        }
        variables
    }

    /// The set with one variable for each cell; see [`Relation::variables`].
    pub fn by_cell(&self, dd: &mut Manager, states: Node) -> Result<Root, Stop> {
        if states.is_terminal() {
            return Ok(dd.root(states));
        }
        let kept = dd.pushed();
        dd.push(states);
        let result = self.carry_over(dd, states);
        dd.pop(kept);
        result.map(|node| dd.root(node))
    }

    /// Level by level, the nodes by cell that stand for those of the level; they are kept until the
    /// end, as temporaries.
    fn carry_over(&self, dd: &mut Manager, states: Node) -> Result<Node, Stop> {
        let layers = dd.layers(states);
        let mut below = vec![Node::ONE];
        let mut top = 0;
        let mut edges = Vec::new();
        for k in 1..=self.levels() {
            let width = self.levels[k].cells.len();
            top += width as u32;
            let mut here = Vec::with_capacity(layers.nodes(k).len());
            for node in layers.nodes(k) {
                dd.walk(dd.len(*node))?;
                edges.clear();
                edges.extend(dd.edges(*node).iter().map(|edge| {
                    let values = self.local_state(k, edge.value() as u32).1;
                    (values, below[layers.place(edge.child)])
                }));
                edges.sort_unstable_by_key(|(values, _)| *values);
                let node = trie(dd, top, 0, &edges)?;
                dd.push(node);
                here.push(node);
            }
            below = here;
        }
        Ok(below[0])
    }
}

impl Relation {
    /// The set with one variable for each level, of a set with one for each cell. All local states
    /// must have been discovered, as those of reachable states are.
    pub fn by_level(&self, dd: &mut Manager, states: Node) -> Result<Root, Stop> {
        let kept = dd.pushed();
        dd.push(states);
        let mut done = HashMap::new();
        let result = self.carry_back(dd, self.levels(), &mut done, states);
        dd.pop(kept);
        result.map(|node| dd.root(node))
    }

    fn carry_back(
        &self,
        dd: &mut Manager,
        k: usize,
        done: &mut HashMap<Node, Node>,
        set: Node,
    ) -> Result<Node, Stop> {
        if set.is_terminal() {
            return Ok(set);
        }
        if let Some(known) = done.get(&set) {
            return Ok(*known);
        }
        dd.step()?;
        let level = &self.levels[k];
        let space = &self.spaces[level.local.space];
        let mut edges = Vec::new();
        // Ways down through the cells of the level, with the values so far.
        let mut ways = vec![(set, Vec::with_capacity(level.cells.len()))];
        while let Some((node, values)) = ways.pop() {
            if values.len() == level.cells.len() {
                let label = space.find(&values).ok_or(Stop::Incompatible)?;
                edges.push((label as i32, node));
                continue;
            }
            for edge in dd.edges(node) {
                let mut longer = values.clone();
                longer.push(edge.value());
                ways.push((edge.child, longer));
            }
        }
        for (_, child) in &mut edges {
            // What is done is on the stack of temporaries.
            *child = deep(|| self.carry_back(dd, k - 1, done, *child))?;
        }
        let edges: Vec<Edge> = edges.iter().map(|(v, c)| Edge::integer(*v, *c)).collect();
        let node = dd.integer_node(k as u32, &edges)?;
        dd.push(node);
        done.insert(set, node);
        Ok(node)
    }
}

/// The sequences of values from position `at` on, each followed by its child; sorted.
fn trie(dd: &mut Manager, top: u32, at: usize, edges: &[(&[i32], Node)]) -> Result<Node, Stop> {
    let kept = dd.pushed();
    let mut children = Vec::with_capacity(edges.len());
    if edges[0].0.len() == at + 1 {
        children.extend(edges.iter().map(|(v, child)| Edge::integer(v[at], *child)));
    } else {
        for group in edges.chunk_by(|a, b| a.0[at] == b.0[at]) {
            let child = trie(dd, top, at + 1, group)?;
            dd.push(child);
            children.push(Edge::integer(group[0].0[at], child));
        }
    }
    let node = dd.sorted_node(top - at as u32, &children)?;
    dd.pop(kept);
    Ok(node)
}
