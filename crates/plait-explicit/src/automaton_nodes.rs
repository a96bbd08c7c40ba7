//! The nodes of an automaton: edges from labels to nodes, each list of edges there once.
//!
//! A node (`automaton_node`) is known by where its words begin. Nodes whose count falls to 0 are freed,
//! with what only they led to; the places are used again for nodes of the same size. An open-addressing
//! table finds the node that has given edges.
//!
//! Invariants: every node is in the table, under its hash; no two nodes have the same edges.

use crate::automaton_node::{class, mix, words_of, Edges, View, ViewMut, SIZES};
use crate::budget::Budget;
use crate::table::NoMemory;

/// Where the last edge of a word leads.
pub(crate) const ACCEPT: u32 = 0;
/// Words in a segment, as a power of two: a mebibyte.
const SEGMENT_LOG2: u32 = 18;
const SEGMENT: usize = 1 << SEGMENT_LOG2;
const SMALLEST_TABLE: usize = 1 << 10;

/// All nodes.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    segments: Vec<Vec<u32>>,
    /// The segment in which new nodes are made; those after it are empty.
    current: usize,
    /// The first free node of each size; 0 is none.
    free: [u32; SIZES.len()],
    table: Vec<u32>,
    count: usize,
    /// Working memory: nodes to be released.
    doomed: Vec<u32>,
}

fn empty_table(size: usize) -> Result<Vec<u32>, NoMemory> {
    let mut table = Vec::new();
    table.try_reserve_exact(size).map_err(|_| NoMemory)?;
    table.resize(size, 0);
    Ok(table)
}

impl Nodes {
    pub fn new() -> Result<Nodes, NoMemory> {
        Ok(Nodes {
            segments: Vec::new(),
            current: 0,
            free: [0; SIZES.len()],
            table: empty_table(SMALLEST_TABLE)?,
            count: 0,
            doomed: Vec::new(),
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        4 * (((self.segments.len() as u64) << SEGMENT_LOG2) + self.table.len() as u64)
    }

    /// How many nodes.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Makes sure that a word of so many labels can be inserted.
    pub fn reserve(
        &mut self,
        labels: usize,
        held: u64,
        budget: &mut Budget,
    ) -> Result<(), NoMemory> {
        // Each label makes a node, or moves one to a larger place.
        let most = words_of(SIZES.len() - 1);
        let room = |segment: &Vec<u32>| (SEGMENT - segment.len()) / most;
        let ahead = self.segments.iter().skip(self.current);
        let mut room = ahead.map(room).sum::<usize>();
        while room < labels {
            let more = 4 * SEGMENT as u64;
            if self.segments.len() >= 1 << (32 - SEGMENT_LOG2)
                || !budget.allows(held + self.bytes(), more)
            {
                return Err(NoMemory);
            }
            let mut segment = Vec::new();
            self.segments.try_reserve(1).map_err(|_| NoMemory)?;
            segment.try_reserve_exact(SEGMENT).map_err(|_| NoMemory)?;
            self.segments.push(segment);
            room += SEGMENT / most;
        }
        if (self.count + labels) * 4 > self.table.len() * 3 {
            self.grow_table(labels, held, budget)?;
        }
        Ok(())
    }

    #[cold]
    fn grow_table(
        &mut self,
        labels: usize,
        held: u64,
        budget: &mut Budget,
    ) -> Result<(), NoMemory> {
        let size = (self.table.len() * 2).max((self.count + labels) * 2);
        if !budget.allows(held + self.bytes(), 4 * size as u64) {
            return Err(NoMemory);
        }
        let old = std::mem::replace(&mut self.table, empty_table(size)?);
        for node in old.into_iter().filter(|node| *node != 0) {
            self.enter(node);
        }
        Ok(())
    }

    #[inline]
    fn words(&self, node: u32) -> &[u32] {
        &self.segments[node as usize >> SEGMENT_LOG2][node as usize & (SEGMENT - 1)..]
    }

    #[inline]
    fn words_mut(&mut self, node: u32) -> &mut [u32] {
        &mut self.segments[node as usize >> SEGMENT_LOG2][node as usize & (SEGMENT - 1)..]
    }

    /// How many edges lead to a node.
    #[inline]
    pub fn count(&self, node: u32) -> u32 {
        self.words(node)[0]
    }

    /// The edge at an index, if the node has so many.
    pub fn edge(&self, node: u32, index: usize) -> Option<(u8, u32)> {
        let node = View(self.words(node));
        (index < node.len()).then(|| (node.label(index), node.child(index)))
    }

    /// Where the edge with that label leads.
    #[inline]
    pub fn child(&self, node: u32, label: u8) -> Option<u32> {
        let node = View(self.words(node));
        node.find(label).ok().map(|index| node.child(index))
    }

    /// Writes the edges of a node to `edges`.
    pub fn copy_edges(&self, node: u32, edges: &mut Edges) {
        let node = View(self.words(node));
        edges.clear();
        edges.labels.extend((0..node.len()).map(|i| node.label(i)));
        edges
            .children
            .extend((0..node.len()).map(|i| node.child(i)));
    }

    /// One more edge leads to each of these children, but for that with the label.
    pub fn keep_all(&mut self, edges: &Edges, but: u8) {
        for (label, child) in edges.labels.iter().zip(&edges.children) {
            if *label != but && *child != ACCEPT {
                self.words_mut(*child)[0] += 1;
            }
        }
    }

    /// The node with these edges, counted once more. The children are counted for it already.
    pub fn make(&mut self, edges: &Edges) -> u32 {
        let hash = edges.hash();
        if let Some(node) = self.find(hash, |node| node.has(edges)) {
            self.words_mut(node)[0] += 1;
            for child in &edges.children {
                self.release(*child);
            }
            return node;
        }
        let node = self.allocate(class(edges.labels.len()));
        let words = self.words_mut(node);
        (words[0], words[1]) = (1, hash);
        let mut view = ViewMut(words);
        for (label, child) in edges.labels.iter().zip(&edges.children) {
            let end = view.len();
            view.insert(end, *label, *child);
        }
        self.enter(node);
        self.count += 1;
        node
    }

    /// Gives a node to which one edge leads an edge, or another child for it. The node may become
    /// another one; the edge to it counts for that one then. The child is counted for it already, and
    /// the one before it is not any more.
    pub fn change(&mut self, node: u32, label: u8, child: u32) -> u32 {
        self.leave(node);
        let mut node = node;
        let view = View(self.words(node));
        let (place, mut hash) = (view.find(label), view.hash());
        match place {
            Ok(index) => {
                hash = hash.wrapping_sub(mix(label, view.child(index)));
                ViewMut(self.words_mut(node)).set_child(index, child);
            }
            Err(index) => {
                if view.len() == view.room() {
                    node = self.move_to_larger(node);
                }
                ViewMut(self.words_mut(node)).insert(index, label, child);
            }
        }
        hash = hash.wrapping_add(mix(label, child));
        self.words_mut(node)[1] = hash;
        let mine = View(self.words(node));
        match self.find(hash, |other| other.equals(&mine)) {
            None => {
                self.enter(node);
                node
            }
            Some(other) => {
                self.words_mut(other)[0] += 1;
                self.count -= 1;
                self.dissolve(node);
                self.release_doomed();
                other
            }
        }
    }

    /// One edge less leads to a node.
    pub fn release(&mut self, node: u32) {
        if node != ACCEPT {
            self.doomed.push(node);
            self.release_doomed();
        }
    }

    fn release_doomed(&mut self) {
        while let Some(node) = self.doomed.pop() {
            let words = self.words_mut(node);
            words[0] -= 1;
            if words[0] == 0 {
                self.leave(node);
                self.count -= 1;
                self.dissolve(node);
            }
        }
    }

    /// Frees a node that is not in the table; its children are doomed.
    fn dissolve(&mut self, node: u32) {
        let view =
            View(&self.segments[node as usize >> SEGMENT_LOG2][node as usize & (SEGMENT - 1)..]);
        let children = (0..view.len()).map(|i| view.child(i));
        self.doomed
            .extend(children.filter(|child| *child != ACCEPT));
        self.recycle(node);
    }

    fn recycle(&mut self, node: u32) {
        let class = View(self.words(node)).class();
        let next = std::mem::replace(&mut self.free[class], node);
        self.words_mut(node)[0] = next;
    }

    /// A node without edges that has room for some.
    fn allocate(&mut self, class: usize) -> u32 {
        let node = self.free[class];
        if node != 0 {
            self.free[class] = self.words(node)[0];
        }
        let node = if node != 0 { node } else { self.append(class) };
        let words = self.words_mut(node);
        words[2] = (class as u32) << 16;
        node
    }

    fn append(&mut self, class: usize) -> u32 {
        let size = words_of(class);
        if self.segments[self.current].len() + size > SEGMENT {
            self.current += 1;
        }
        let segment = &mut self.segments[self.current];
        if self.current == 0 && segment.is_empty() {
            segment.push(0); // no node is `ACCEPT`
        }
        let node = self.current << SEGMENT_LOG2 | segment.len();
        segment.resize(segment.len() + size, 0);
        node as u32
    }

    fn move_to_larger(&mut self, node: u32) -> u32 {
        let class = View(self.words(node)).class() + 1;
        let larger = self.allocate(class);
        let from = View(self.words(node));
        let (head, edges) = ((from.0[0], from.0[1]), from.len());
        for index in 0..edges {
            let from = View(self.words(node));
            let (label, child) = (from.label(index), from.child(index));
            ViewMut(self.words_mut(larger)).insert(index, label, child);
        }
        let words = self.words_mut(larger);
        (words[0], words[1]) = head;
        self.recycle(node);
        larger
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.table.len() as u64) >> 32) as usize
    }

    #[inline]
    fn after(&self, slot: usize) -> usize {
        if slot + 1 == self.table.len() {
            0
        } else {
            slot + 1
        }
    }

    fn find(&self, hash: u32, is_it: impl Fn(&View<'_>) -> bool) -> Option<u32> {
        let mut slot = self.home(hash);
        loop {
            let node = self.table[slot];
            if node == 0 {
                return None;
            }
            let view = View(self.words(node));
            if view.hash() == hash && is_it(&view) {
                return Some(node);
            }
            slot = self.after(slot);
        }
    }

    /// Enters a node into the table.
    fn enter(&mut self, node: u32) {
        let mut slot = self.home(self.words(node)[1]);
        while self.table[slot] != 0 {
            slot = self.after(slot);
        }
        self.table[slot] = node;
    }

    /// Takes a node out of the table; those after it move up, so that they are still found.
    fn leave(&mut self, node: u32) {
        let mut hole = self.home(self.words(node)[1]);
        while self.table[hole] != node {
            hole = self.after(hole);
        }
        let size = self.table.len();
        let mut slot = hole;
        loop {
            slot = self.after(slot);
            let other = self.table[slot];
            if other == 0 {
                break;
            }
            let home = self.home(self.words(other)[1]);
            if (slot + size - home) % size >= (slot + size - hole) % size {
                self.table[hole] = other;
                hole = slot;
            }
        }
        self.table[hole] = 0;
    }

    /// Panics unless the invariants hold and just these nodes can be reached.
    #[cfg(test)]
    pub fn check(&self, root: u32) {
        use std::collections::{HashMap, HashSet};
        let mut counts: HashMap<u32, u32> = HashMap::from([(root, 1)]);
        let mut stack = vec![root];
        let mut seen = HashSet::new();
        while let Some(node) = stack.pop() {
            let mut edges = Edges::default();
            self.copy_edges(node, &mut edges);
            assert!(edges.labels.is_sorted() && !edges.labels.is_empty());
            assert_eq!(self.words(node)[1], edges.hash());
            assert_eq!(self.find(edges.hash(), |n| n.has(&edges)), Some(node));
            for child in edges.children.iter().filter(|c| **c != ACCEPT) {
                let count = counts.entry(*child).or_default();
                *count += 1;
                if *count == 1 {
                    stack.push(*child);
                }
            }
            assert!(seen.insert((edges.labels, edges.children)));
        }
        assert!(counts
            .iter()
            .all(|(node, count)| self.count(*node) == *count));
        assert_eq!(counts.len(), self.count);
        assert_eq!(self.table.iter().filter(|n| **n != 0).count(), self.count);
    }
}
