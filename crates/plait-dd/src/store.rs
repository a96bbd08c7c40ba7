//! Where nodes live: records, edges, and the unique table that makes equal nodes one.
//!
//! A record holds kind and variable, and where its edges lie in one arena of (label, child) pairs;
//! edges are sorted by label. The unique table is open-addressed, linear probing; an entry holds half
//! of a word of hash and half of number, so that a probe touches a record only when the hash agrees,
//! and growing the table touches none.
//!
//! A sweep needs no memory: dead records go on a free list, their edge blocks become holes that hold
//! their own length, and when holes exceed an eighth of the arena, blocks slide to the left in place.
//! Numbers of live nodes never change.

use crate::budget::Stop;
use crate::hash;
use crate::node::{Edge, Head, Node};

/// The child of the first edge of a hole; its label is the length of the hole.
const HOLE: Node = Node(u32::MAX);
const FIRST_TABLE: usize = 1 << 10;
const LIMIT: usize = u32::MAX as usize - 1;

#[derive(Clone, Copy)]
struct Record {
    head: Head,
    /// Of the edges; for a free record the next free one.
    offset: u32,
    len: u32,
}

pub(crate) struct Store {
    records: Vec<Record>,
    edges: Vec<Edge>,
    table: Vec<u64>,
    marks: Vec<u64>,
    free: u32,
    live: usize,
    holes: usize,
}

/// How much to grow by when a vector is full.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Growth {
    Double,
    Eighth,
}

impl Growth {
    fn of(self, capacity: usize, needed: usize) -> usize {
        let more = match self {
            Growth::Double => capacity,
            Growth::Eighth => capacity / 8,
        };
        more.max(needed).max(64)
    }
}

impl Store {
    pub fn new() -> Store {
        let terminal = Record {
            head: Head::TERMINAL,
            offset: 0,
            len: 0,
        };
        Store {
            records: vec![terminal; 2],
            edges: Vec::new(),
            table: vec![0; FIRST_TABLE],
            marks: vec![0],
            free: 0,
            live: 0,
            holes: 0,
        }
    }

    #[inline]
    pub fn head(&self, node: Node) -> Head {
        self.records[node.0 as usize].head
    }

    #[inline]
    pub fn len(&self, node: Node) -> usize {
        self.records[node.0 as usize].len as usize
    }

    /// Where the edges of a node start in the arena, until the next collection.
    #[inline]
    pub fn offset(&self, node: Node) -> usize {
        self.records[node.0 as usize].offset as usize
    }

    /// The edge at a place of the arena.
    #[inline]
    pub fn at(&self, place: usize) -> Edge {
        self.edges[place]
    }

    #[inline]
    pub fn edges(&self, node: Node) -> &[Edge] {
        let record = self.records[node.0 as usize];
        &self.edges[record.offset as usize..][..record.len as usize]
    }

    /// Nodes without the terminals, garbage included.
    pub fn nodes(&self) -> usize {
        self.live
    }

    /// An upper bound of the numbers of nodes.
    pub fn numbers(&self) -> usize {
        self.records.len()
    }

    /// Edges of nodes, garbage included but not the holes.
    pub fn edge_count(&self) -> usize {
        self.edges.len() - self.holes
    }

    /// Places of the arena that no node uses.
    #[cfg(test)]
    pub fn holes(&self) -> usize {
        self.holes
    }

    pub fn bytes(&self) -> usize {
        self.records.capacity() * size_of::<Record>()
            + self.edges.capacity() * size_of::<Edge>()
            + (self.table.capacity() + self.marks.capacity()) * 8
    }

    /// The node with this head and these edges, and whether it is new.
    ///
    /// There must be room for it ([`Store::has_room`]).
    #[inline]
    pub fn find_or_insert(&mut self, head: Head, edges: &[Edge]) -> (Node, bool) {
        let hash = hash::node(head, edges);
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                break;
            }
            if (entry >> 32) as u32 == hash {
                let node = Node(entry as u32);
                if self.head(node) == head && self.edges(node) == edges {
                    return (node, false);
                }
            }
            slot = (slot + 1) & mask;
        }
        let record = Record {
            head,
            offset: self.edges.len() as u32,
            len: edges.len() as u32,
        };
        let number = if self.free != 0 {
            let number = self.free;
            self.free = self.records[number as usize].offset;
            self.records[number as usize] = record;
            number
        } else {
            self.records.push(record);
            (self.records.len() - 1) as u32
        };
        self.edges.extend_from_slice(edges);
        self.table[slot] = u64::from(hash) << 32 | u64::from(number);
        self.live += 1;
        (Node(number), true)
    }

    /// Whether one more node with so many edges fits without growing anything.
    #[inline]
    pub fn has_room(&self, edges: usize) -> bool {
        (self.free != 0 || self.records.len() < self.records.capacity())
            && self.edges.len() + edges <= self.edges.capacity()
            && !self.table_is_full()
    }

    #[inline]
    fn table_is_full(&self) -> bool {
        (self.live + 1) * 5 > self.table.len() * 3
    }

    /// Bytes that [`Store::grow`] would take at its worst moment, beyond those in use.
    pub fn growth_bytes(&self, edges: usize, growth: Growth) -> usize {
        let mut bytes = 0;
        if self.free == 0 && self.records.len() == self.records.capacity() {
            bytes += growth.of(self.records.capacity(), 1) * (size_of::<Record>() + 1);
        }
        if self.edges.len() + edges > self.edges.capacity() {
            bytes += growth.of(self.edges.capacity(), edges) * size_of::<Edge>();
        }
        if self.table_is_full() {
            bytes += self.table.len() * 16;
        }
        bytes
    }

    /// Makes room for one more node with so many edges.
    pub fn grow(&mut self, edges: usize, growth: Growth) -> Result<(), Stop> {
        if self.free == 0 && self.records.len() == self.records.capacity() {
            let more = growth.of(self.records.capacity(), 1);
            let wanted = self.records.len() + more;
            if self.records.len() >= LIMIT {
                return Err(Stop::Memory);
            }
            let words = wanted.div_ceil(64) - self.marks.len().min(wanted.div_ceil(64));
            self.marks
                .try_reserve_exact(words)
                .map_err(|_| Stop::Memory)?;
            self.marks.resize(self.marks.len() + words, 0);
            self.records
                .try_reserve_exact(more)
                .map_err(|_| Stop::Memory)?;
        }
        if self.edges.len() + edges > self.edges.capacity() {
            if self.edges.len() + edges >= LIMIT {
                return Err(Stop::Memory);
            }
            let more = growth.of(self.edges.capacity(), edges);
            self.edges
                .try_reserve_exact(more)
                .map_err(|_| Stop::Memory)?;
        }
        if self.table_is_full() {
            self.grow_table()?;
        }
        Ok(())
    }

    fn grow_table(&mut self) -> Result<(), Stop> {
        let size = 2 * self.table.len();
        let mut table = Vec::new();
        table.try_reserve_exact(size).map_err(|_| Stop::Memory)?;
        table.resize(size, 0u64);
        for &entry in self.table.iter().filter(|e| **e != 0) {
            Store::place(&mut table, entry);
        }
        self.table = table;
        Ok(())
    }

    #[inline]
    fn place(table: &mut [u64], entry: u64) {
        let mask = table.len() - 1;
        let mut slot = (entry >> 32) as usize & mask;
        while table[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        table[slot] = entry;
    }

    // ----- collection ---------------------------------------------------------------------------

    #[inline]
    pub fn is_marked(&self, node: Node) -> bool {
        node.is_terminal() || self.marks[node.0 as usize / 64] >> (node.0 % 64) & 1 == 1
    }

    /// Marks a node; its descendants follow in [`Store::mark_descendants`].
    fn mark(&mut self, node: Node) -> bool {
        if self.is_marked(node) {
            return false;
        }
        self.marks[node.0 as usize / 64] |= 1 << (node.0 % 64);
        true
    }

    /// Forgets all marks.
    pub fn unmark(&mut self) {
        self.marks.fill(0);
    }

    /// Marks what is reachable from a node. `stack` is empty before and after; it never grows beyond
    /// its capacity: when that is too small, marked nodes are scanned again until nothing changes.
    pub fn mark_from(&mut self, root: Node, stack: &mut Vec<Node>) {
        if !self.mark(root) {
            return;
        }
        let mut overflow = !push_within(stack, root);
        loop {
            while let Some(node) = stack.pop() {
                self.mark_children(node, stack, &mut overflow);
            }
            if !overflow {
                return;
            }
            overflow = false;
            for number in 2..self.records.len() as u32 {
                if self.is_marked(Node(number)) {
                    self.mark_children(Node(number), stack, &mut overflow);
                }
            }
        }
    }

    fn mark_children(&mut self, node: Node, stack: &mut Vec<Node>, overflow: &mut bool) {
        let record = self.records[node.0 as usize];
        let sets = record.head.kind() == crate::node::Kind::Set;
        for place in record.offset as usize..(record.offset + record.len) as usize {
            let edge = self.edges[place];
            if self.mark(edge.child) {
                *overflow |= !push_within(stack, edge.child);
            }
            if sets && self.mark(edge.label_set()) {
                *overflow |= !push_within(stack, edge.label_set());
            }
        }
    }

    /// Frees the nodes without a mark; how many.
    pub fn sweep(&mut self) -> usize {
        let before = self.live;
        for number in (2..self.records.len() as u32).rev() {
            let record = self.records[number as usize];
            if self.is_marked(Node(number)) || record.head == Head::FREE {
                continue;
            }
            self.edges[record.offset as usize] = Edge {
                label: record.len,
                child: HOLE,
            };
            self.holes += record.len as usize;
            self.records[number as usize] = Record {
                head: Head::FREE,
                offset: self.free,
                len: 0,
            };
            self.free = number;
            self.live -= 1;
        }
        if self.holes > self.edges.len() / 8 {
            self.compact();
        }
        if self.live != before {
            self.rebuild_table();
        }
        before - self.live
    }

    fn rebuild_table(&mut self) {
        self.table.fill(0);
        for number in 2..self.records.len() as u32 {
            let head = self.head(Node(number));
            if head != Head::FREE {
                let hash = hash::node(head, self.edges(Node(number)));
                Store::place(&mut self.table, u64::from(hash) << 32 | u64::from(number));
            }
        }
    }

    /// Slides the edge blocks to the left. The owner's number takes the place of the first label of
    /// each block, which waits in the owner's record meanwhile; so the arena can be walked in order.
    fn compact(&mut self) {
        for number in 2..self.records.len() {
            let record = &mut self.records[number];
            if record.head != Head::FREE {
                let first = &mut self.edges[record.offset as usize].label;
                record.offset = std::mem::replace(first, number as u32);
            }
        }
        let (mut from, mut to) = (0, 0);
        while from < self.edges.len() {
            let first = self.edges[from];
            if first.child == HOLE {
                from += first.label as usize;
                continue;
            }
            let record = &mut self.records[first.label as usize];
            self.edges[from].label = record.offset;
            record.offset = to as u32;
            let len = record.len as usize;
            self.edges.copy_within(from..from + len, to);
            from += len;
            to += len;
        }
        self.edges.truncate(to);
        self.holes = 0;
    }
}

fn push_within(stack: &mut Vec<Node>, node: Node) -> bool {
    let fits = stack.len() < stack.capacity();
    if fits {
        stack.push(node);
    }
    fits
}
