//! The manager: making nodes, roots, collections.
//!
//! A collection marks from all roots and sweeps. It may come at any creation of a node, also deep
//! inside an operation, because all that a running operation holds is reachable from
//! - its operands, pushed by the outermost call (recursive calls work on their descendants),
//! - the edges it has found so far, which lie on the scratch stacks,
//! - what it pushed on the stack of temporaries,
//! - open nodes.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::budget::{Budget, Stop};
use crate::cache::{Cache, Operation};
use crate::limits::{Observer, Policy, LAZY_BYTES, STEPS};
use crate::node::{Edge, Head, Kind, Node};
use crate::open::Open;
use crate::roots::{each_root, Root, RootTable};
use crate::store::{Growth, Store};

/// The most nodes that wait on the stack of a marking.
const MARK_STACK: usize = 1 << 16;

/// Owner of nodes, tables and caches; all operations are its methods.
pub struct Manager {
    pub(crate) store: Store,
    pub(crate) cache: Cache,
    /// Edges of integer-labelled nodes under construction.
    pub(crate) scratch: Vec<Edge>,
    /// Edges of set-labelled nodes under construction.
    pub(crate) set_scratch: Vec<Edge>,
    pub(crate) temporaries: Vec<Node>,
    pub(crate) held: Vec<Node>,
    pub(crate) open: Vec<Open>,
    pub(crate) open_bytes: usize,
    pub(crate) charged: usize,
    pub(crate) roots: Arc<Mutex<RootTable>>,
    pub(crate) budget: Budget,
    pub(crate) observer: Option<(Observer, Instant)>,
    pub(crate) policy: Policy,
    pub(crate) countdown: u32,
    pub(crate) lazy_bytes: usize,
    pub(crate) collect_at: u64,
    pub(crate) created: u64,
    pub(crate) peak_nodes: usize,
    pub(crate) peak_bytes: usize,
    pub(crate) collections: u64,
    pub(crate) collected: u64,
    pub(crate) next_key: u32,
    pub(crate) mark_stack: Vec<Node>,
    pub(crate) not_sync: PhantomData<Cell<()>>,
}

impl Default for Manager {
    fn default() -> Manager {
        Manager::new()
    }
}

impl Manager {
    /// An empty manager without limits.
    pub fn new() -> Manager {
        Manager {
            store: Store::new(),
            cache: Cache::new(),
            scratch: Vec::new(),
            set_scratch: Vec::new(),
            temporaries: Vec::new(),
            held: Vec::new(),
            open: Vec::new(),
            open_bytes: 0,
            charged: 0,
            roots: Arc::default(),
            budget: Budget::default(),
            observer: None,
            policy: Policy::Lazy,
            countdown: STEPS,
            lazy_bytes: LAZY_BYTES,
            collect_at: u64::MAX,
            created: 0,
            peak_nodes: 0,
            peak_bytes: 0,
            collections: 0,
            collected: 0,
            next_key: 0,
            mark_stack: Vec::with_capacity(64),
            not_sync: PhantomData,
        }
    }

    // ----- roots --------------------------------------------------------------------------------

    /// Keeps a diagram until the root is dropped.
    pub fn root(&self, node: Node) -> Root {
        Root::new(&self.roots, node)
    }

    /// Whether the root holds a diagram of this manager.
    pub fn owns(&self, root: &Root) -> bool {
        root.is_in(&self.roots)
    }

    /// Keeps a diagram until [`Manager::pop`] goes back beyond it: for algorithms built on this crate.
    #[inline]
    pub fn push(&mut self, node: Node) {
        self.temporaries.push(node);
    }

    /// How many temporaries are kept.
    #[inline]
    pub fn pushed(&self) -> usize {
        self.temporaries.len()
    }

    /// Goes back to so many temporaries.
    #[inline]
    pub fn pop(&mut self, count: usize) {
        self.temporaries.truncate(count);
    }

    /// Keeps a diagram in a cell that can be overwritten, until [`Manager::release`] goes back beyond
    /// it: for nodes under construction, beside the temporaries of what is done meanwhile.
    #[inline]
    pub fn hold(&mut self, node: Node) -> usize {
        self.held.push(node);
        self.held.len() - 1
    }

    /// What a cell holds.
    #[inline]
    pub fn held(&self, cell: usize) -> Node {
        self.held[cell]
    }

    /// Overwrites a cell.
    #[inline]
    pub fn set_held(&mut self, cell: usize, node: Node) {
        self.held[cell] = node;
    }

    /// How many cells there are.
    #[inline]
    pub fn held_cells(&self) -> usize {
        self.held.len()
    }

    /// Goes back to so many cells.
    #[inline]
    pub fn release(&mut self, count: usize) {
        self.held.truncate(count);
    }

    /// Runs an operation that keeps `operands`, and leaves the stacks as they were whatever happens.
    #[inline]
    pub(crate) fn outermost<R>(
        &mut self,
        operands: &[Node],
        run: impl FnOnce(&mut Manager) -> Result<R, Stop>,
    ) -> Result<R, Stop> {
        let stacks = (
            self.temporaries.len(),
            self.scratch.len(),
            self.set_scratch.len(),
        );
        self.temporaries.extend_from_slice(operands);
        let result = run(self);
        self.temporaries.truncate(stacks.0);
        self.scratch.truncate(stacks.1);
        self.set_scratch.truncate(stacks.2);
        result
    }

    // ----- nodes --------------------------------------------------------------------------------

    /// The kind of a node.
    pub fn kind(&self, node: Node) -> Kind {
        self.store.head(node).kind()
    }

    /// The variable of a node; of a terminal 0.
    #[inline]
    pub fn variable(&self, node: Node) -> u32 {
        self.store.head(node).variable()
    }

    /// The edges of a node, sorted by label (sets by number).
    #[inline]
    pub fn edges(&self, node: Node) -> &[Edge] {
        self.store.edges(node)
    }

    /// How many edges a node has.
    #[inline]
    pub fn len(&self, node: Node) -> usize {
        self.store.len(node)
    }

    /// The edge at a position. For loops that create nodes on the way: a collection moves edges.
    #[inline]
    pub fn edge(&self, node: Node, position: usize) -> Edge {
        self.store.at(self.store.offset(node) + position)
    }

    /// The integer-labelled node with these edges; those to `0` are left out.
    ///
    /// # Panics
    /// If a label occurs twice.
    pub fn integer_node(&mut self, variable: u32, edges: &[Edge]) -> Result<Node, Stop> {
        self.outermost(&[], |m| {
            let base = m.scratch.len();
            m.room_in_scratch(edges.len())?;
            m.scratch
                .extend(edges.iter().filter(|e| !e.child.is_zero()));
            m.scratch[base..].sort_unstable_by_key(|e| e.value());
            let labels = m.scratch[base..].windows(2);
            assert!(
                labels.clone().all(|w| w[0].label != w[1].label),
                "a label occurs twice"
            );
            m.finish(Head::new(Kind::Integer, variable), base)
        })
    }

    /// As [`Manager::integer_node`], of edges in ascending order of their labels, none to `0`.
    #[inline]
    pub fn sorted_node(&mut self, variable: u32, edges: &[Edge]) -> Result<Node, Stop> {
        debug_assert!(edges.windows(2).all(|w| w[0].value() < w[1].value()));
        debug_assert!(edges.iter().all(|e| !e.child.is_zero()));
        let base = self.scratch.len();
        self.room_in_scratch(edges.len())?;
        self.scratch.extend_from_slice(edges);
        let result = self.finish(Head::new(Kind::Integer, variable), base);
        self.scratch.truncate(base);
        result
    }

    /// The one sequence `first <- values[0]; first + 1 <- values[1]; ...`.
    pub fn integers(&mut self, first: u32, values: &[i32]) -> Result<Node, Stop> {
        let mut node = Node::ONE;
        for (position, value) in values.iter().enumerate().rev() {
            let variable = first + position as u32;
            node = self.integer_node(variable, &[Edge::integer(*value, node)])?;
        }
        Ok(node)
    }

    pub(crate) fn room_in_scratch(&mut self, edges: usize) -> Result<(), Stop> {
        self.scratch.try_reserve(edges).map_err(|_| Stop::Memory)
    }

    /// The node with the edges on the scratch stack from `base` on, which are taken off.
    #[inline]
    pub(crate) fn finish(&mut self, head: Head, base: usize) -> Result<Node, Stop> {
        let len = self.scratch.len() - base;
        if len == 0 {
            return Ok(Node::ZERO);
        }
        self.safe_point(len)?;
        let (node, new) = self.store.find_or_insert(head, &self.scratch[base..]);
        self.created += u64::from(new);
        self.scratch.truncate(base);
        Ok(node)
    }

    /// As [`Manager::finish`], for the stack of set-labelled edges.
    pub(crate) fn finish_set(&mut self, head: Head, base: usize) -> Result<Node, Stop> {
        let len = self.set_scratch.len() - base;
        if len == 0 {
            return Ok(Node::ZERO);
        }
        self.safe_point(len)?;
        self.set_scratch[base..].sort_unstable_by_key(|e| e.label);
        let (node, new) = self.store.find_or_insert(head, &self.set_scratch[base..]);
        self.created += u64::from(new);
        self.set_scratch.truncate(base);
        Ok(node)
    }

    #[inline]
    fn safe_point(&mut self, edges: usize) -> Result<(), Stop> {
        if self.created >= self.collect_at {
            self.collect();
        }
        if self.store.has_room(edges) {
            Ok(())
        } else {
            self.make_room(edges)
        }
    }

    #[cold]
    fn make_room(&mut self, edges: usize) -> Result<(), Stop> {
        let fits = |m: &Manager, growth| {
            let more = m.store.growth_bytes(edges, growth);
            m.bytes().saturating_add(more) <= m.budget.memory
        };
        self.note_peak();
        let lazy = self.policy == Policy::Lazy
            && self.store.bytes() + self.store.growth_bytes(edges, Growth::Double)
                > self.lazy_bytes;
        if !lazy && fits(self, Growth::Double) {
            return self.store.grow(edges, Growth::Double);
        }
        let (nodes, arcs) = (self.store.nodes(), self.store.edge_count());
        // A part must have become free, or we would collect again and again for nothing; a larger
        // one where that is all there will ever be.
        let part = if fits(self, Growth::Double) { 8 } else { 3 };
        self.collect();
        self.lazy_bytes = self.lazy_bytes.max(2 * self.live_bytes());
        let worth = self.store.nodes() <= nodes - nodes / part
            && self.store.edge_count() + edges <= arcs - arcs / part;
        if worth && self.store.has_room(edges) {
            return Ok(());
        }
        for growth in [Growth::Double, Growth::Eighth] {
            if fits(self, growth) {
                return self.store.grow(edges, growth);
            }
        }
        Err(Stop::Memory)
    }

    // ----- collection ---------------------------------------------------------------------------

    /// Frees all nodes that nothing keeps; how many.
    pub fn collect(&mut self) -> usize {
        self.note_peak();
        let mut stack = std::mem::take(&mut self.mark_stack);
        if stack.capacity() < MARK_STACK.min(self.store.nodes()) {
            // Marking is right, only slower, with a small stack.
            let _ = stack.try_reserve_exact(MARK_STACK.min(self.store.nodes()));
        }
        let store = &mut self.store;
        store.unmark();
        each_root(&self.roots, |node| store.mark_from(node, &mut stack));
        let temporaries = self.temporaries.iter().chain(&self.held).copied();
        let children = self.scratch.iter().chain(&self.set_scratch);
        let labels = self.set_scratch.iter().map(|e| e.label_set());
        let open = self.open.iter().flat_map(Open::nodes);
        for node in temporaries
            .chain(children.map(|e| e.child))
            .chain(labels)
            .chain(open)
        {
            store.mark_from(node, &mut stack);
        }
        self.mark_stack = stack;
        self.cache.sweep(|node| self.store.is_marked(node));
        let freed = self.store.sweep();
        self.collections += 1;
        self.collected += freed as u64;
        self.schedule_collection();
        freed
    }

    /// Forgets all cached results: to measure operations from a cold start.
    pub fn clear_cache(&mut self) {
        self.cache.clear();
    }

    // ----- cached operations of other crates ----------------------------------------------------

    /// The first of `count` numbers that no one else uses as first operand of a keyed operation.
    pub fn reserve_keys(&mut self, count: u32) -> u32 {
        let first = self.next_key;
        self.next_key = first.checked_add(count).expect("fewer than 2^32 keys");
        first
    }

    /// The cached result of a keyed operation.
    #[inline]
    pub fn cached(&mut self, operation: Operation, key: u32, node: Node) -> Option<Node> {
        self.cache.get(operation, key, node.0).map(Node)
    }

    /// The cached result of a paired operation.
    #[inline]
    pub fn cached_pair(&mut self, operation: Operation, a: Node, b: Node) -> Option<Node> {
        self.cache.get(operation, a.0, b.0).map(Node)
    }

    /// Caches the result of a paired operation; it may be forgotten at any time.
    #[inline]
    pub fn cache_pair(&mut self, operation: Operation, a: Node, b: Node, result: Node) {
        self.cache.put(operation, a.0, b.0, result.0);
    }

    /// The child under a label of an integer-labelled node; `0` if there is none.
    #[inline]
    pub fn child(&self, node: Node, label: i32) -> Node {
        let edges = self.store.edges(node);
        let found = edges.binary_search_by_key(&label, |e| e.value());
        found.map_or(Node::ZERO, |at| edges[at].child)
    }

    /// Caches the result of a keyed operation; it may be forgotten at any time.
    #[inline]
    pub fn cache(&mut self, operation: Operation, key: u32, node: Node, result: Node) {
        self.cache.put(operation, key, node.0, result.0);
    }
}
