//! What a manager may use, and what it has used: budget, policy of collections, observer, statistics.
//!
//! Operations count their steps, and every few thousand of them the limits are looked at.

use std::time::{Duration, Instant};

use crate::budget::{Budget, Stop};
use crate::manager::Manager;
use crate::node::Edge;

/// Steps between two looks at the budget.
pub(crate) const STEPS: u32 = 4096;
/// Edges that can be walked over in the time of a step.
pub(crate) const EDGES_PER_STEP: usize = 16;
/// The memory below which the lazy policy never collects.
pub(crate) const LAZY_BYTES: usize = 512 << 20;

/// When garbage is collected, besides when memory runs out and on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// When the store would grow beyond 512 MB, later beyond twice of what was then alive.
    Lazy,
    /// After each so many new nodes.
    Strict(u64),
}

/// Sizes and counts since the manager was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Nodes in the store, garbage included.
    pub nodes: usize,
    /// The most that there were.
    pub peak_nodes: usize,
    /// Edges in the store, garbage included.
    pub edges: usize,
    /// Nodes created in all.
    pub created: u64,
    /// Collections.
    pub collections: u64,
    /// Nodes that collections freed.
    pub collected: u64,
    /// Cached results looked for.
    pub cache_lookups: u64,
    /// Cached results found.
    pub cache_hits: u64,
    /// Bytes of nodes, edges and unique table.
    pub store_bytes: usize,
    /// Bytes of the cache.
    pub cache_bytes: usize,
    /// The most bytes that store, cache and stacks took together.
    pub peak_bytes: usize,
}

/// Is shown the statistics about twenty times a second; whether to go on.
pub type Observer = Box<dyn FnMut(&Statistics) -> bool + Send>;

/// Time between two calls of the observer.
const OBSERVED_EVERY: Duration = Duration::from_millis(50);

impl Manager {
    /// Sets the limits of the operations to come.
    pub fn set_budget(&mut self, budget: Budget) {
        self.cache.set_limit((budget.memory / 4).min(128 << 20));
        self.lazy_bytes = LAZY_BYTES.min(budget.memory / 2);
        self.budget = budget;
        self.countdown = 1;
    }

    /// The limits.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Counts bytes that an algorithm takes elsewhere on behalf of its diagrams (a negative number
    /// gives them back).
    #[inline]
    pub fn charge(&mut self, bytes: isize) {
        self.charged = self.charged.saturating_add_signed(bytes);
    }

    /// Sets when garbage is collected.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
        self.schedule_collection();
    }

    pub(crate) fn schedule_collection(&mut self) {
        self.collect_at = match self.policy {
            Policy::Lazy => u64::MAX,
            Policy::Strict(n) => self.created + n.max(1),
        };
    }

    /// Counts a step of an operation; now and then looks at the budget.
    #[inline]
    pub fn step(&mut self) -> Result<(), Stop> {
        self.countdown -= 1;
        if self.countdown == 0 {
            self.look()
        } else {
            Ok(())
        }
    }

    /// Counts the steps of a walk over so many edges; now and then looks at the budget.
    #[inline]
    pub fn walk(&mut self, edges: usize) -> Result<(), Stop> {
        let steps = (edges / EDGES_PER_STEP) as u32;
        if steps < self.countdown {
            self.countdown -= steps;
            Ok(())
        } else {
            self.look()
        }
    }

    /// Looks at the budget now: for what takes long beside the diagrams.
    pub fn look_now(&mut self) -> Result<(), Stop> {
        self.countdown = 1;
        self.step()
    }

    #[cold]
    pub(crate) fn look(&mut self) -> Result<(), Stop> {
        self.countdown = STEPS;
        if let Some(bytes) = self.cache.wants(self.store.nodes()) {
            if self.bytes().saturating_add(bytes) <= self.budget.memory / 2 {
                self.cache.grow()?;
            } else {
                self.cache.freeze();
            }
        }
        self.note_peak();
        let fits = self.bytes() <= self.budget.memory;
        let fits = fits.then_some(()).ok_or(Stop::Memory);
        let looked = fits.and_then(|()| self.budget.check());
        if let Err(stop) = looked.and_then(|()| self.observe()) {
            // The next operation must look at once, too.
            self.countdown = 1;
            return Err(stop);
        }
        Ok(())
    }

    /// Shows the statistics of the operations to come to an observer, who may stop them
    /// ([`Stop::Cancelled`]); `None` for no one.
    pub fn set_observer(&mut self, observer: Option<Observer>) {
        self.observer = observer.map(|o| (o, Instant::now()));
    }

    fn observe(&mut self) -> Result<(), Stop> {
        let Some((mut observer, last)) = self.observer.take() else {
            return Ok(());
        };
        let now = Instant::now();
        if now - last < OBSERVED_EVERY {
            self.observer = Some((observer, last));
            return Ok(());
        }
        let go_on = observer(&self.statistics());
        self.observer = Some((observer, now));
        go_on.then_some(()).ok_or(Stop::Cancelled)
    }

    pub(crate) fn bytes(&self) -> usize {
        let stacks = (self.scratch.capacity() + self.set_scratch.capacity()) * size_of::<Edge>()
            + (self.temporaries.capacity() + self.held.capacity() + self.mark_stack.capacity()) * 4;
        self.store.bytes() + self.cache.bytes() + stacks + self.open_bytes + self.charged
    }

    pub(crate) fn live_bytes(&self) -> usize {
        self.store.nodes() * 28 + self.store.edge_count() * size_of::<Edge>()
    }

    pub(crate) fn note_peak(&mut self) {
        self.peak_nodes = self.peak_nodes.max(self.store.nodes());
        self.peak_bytes = self.peak_bytes.max(self.bytes());
    }

    /// Sizes and counts so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            nodes: self.store.nodes(),
            peak_nodes: self.peak_nodes.max(self.store.nodes()),
            edges: self.store.edge_count(),
            created: self.created,
            collections: self.collections,
            collected: self.collected,
            cache_lookups: self.cache.lookups,
            cache_hits: self.cache.hits,
            store_bytes: self.store.bytes(),
            cache_bytes: self.cache.bytes(),
            peak_bytes: self.peak_bytes.max(self.bytes()),
        }
    }
}
