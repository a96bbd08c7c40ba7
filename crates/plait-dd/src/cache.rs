//! Results of operations: a bounded, lossy, four-way set-associative table.
//!
//! An entry is a quarter of a cache line: operation, two operands, result. A set is one line; a new
//! entry pushes out the oldest of its set. The table doubles when more than half as many entries as
//! it holds were pushed out since it last grew, up to a limit. A collection drops the entries that
//! name a dead node, and keeps the others: numbers of live nodes never change.

use crate::budget::Stop;
use crate::hash;
use crate::node::Node;

const WAYS: usize = 4;
/// Small where it is tested, so that it grows there, and is swept soon by collections that are forced.
const FIRST_SETS: usize = if cfg!(test) { 1 << 4 } else { 1 << 10 };

/// An operation whose results can be cached: a code, and which of its operands and result are nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation(u32);

const A_IS_NODE: u32 = 1 << 31;
const B_IS_NODE: u32 = 1 << 30;
const RESULT_IS_NODE: u32 = 1 << 29;

impl Operation {
    pub(crate) const UNION: Operation = Operation::on_nodes(1);
    pub(crate) const INTERSECTION: Operation = Operation::on_nodes(2);
    pub(crate) const DIFFERENCE: Operation = Operation::on_nodes(3);
    pub(crate) const CONCATENATION: Operation = Operation::on_nodes(4);
    pub(crate) const SUBSET: Operation = Operation(5 | A_IS_NODE | B_IS_NODE);

    const fn on_nodes(code: u32) -> Operation {
        Operation(code | A_IS_NODE | B_IS_NODE | RESULT_IS_NODE)
    }

    /// An operation of another crate: `code` below 2^16, first operand a number (see
    /// [`crate::Manager::reserve_keys`]), second operand and result nodes.
    pub const fn keyed(code: u16) -> Operation {
        Operation((code as u32 + 256) | B_IS_NODE | RESULT_IS_NODE)
    }

    /// An operation of another crate on two nodes, which gives a node: `key` is a number that no one
    /// else uses (see [`crate::Manager::reserve_keys`]), and says what is done to them.
    ///
    /// # Panics
    /// If the key is not below 2^28.
    #[inline]
    pub fn paired(key: u32) -> Operation {
        assert!(key < 1 << 28, "too many paired operations");
        // Above all codes of `keyed`.
        Operation((key + (1 << 17)) | A_IS_NODE | B_IS_NODE | RESULT_IS_NODE)
    }
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Entry {
    operation: u32,
    a: u32,
    b: u32,
    result: u32,
}

#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Set([Entry; WAYS]);

pub(crate) struct Cache {
    sets: Vec<Set>,
    limit_sets: usize,
    pushed_out: usize,
    pub lookups: u64,
    pub hits: u64,
}

impl Cache {
    pub fn new() -> Cache {
        Cache {
            sets: vec![Set::default(); FIRST_SETS],
            limit_sets: 1 << 21,
            pushed_out: 0,
            lookups: 0,
            hits: 0,
        }
    }

    pub fn bytes(&self) -> usize {
        self.sets.capacity() * size_of::<Set>()
    }

    /// The most bytes that the table may grow to.
    pub fn set_limit(&mut self, bytes: usize) {
        let sets = (bytes / size_of::<Set>()).max(FIRST_SETS);
        self.limit_sets = 1 << sets.ilog2();
    }

    #[inline]
    fn set_of(&self, operation: Operation, a: u32, b: u32) -> usize {
        hash::operation(operation.0, a, b) as usize & (self.sets.len() - 1)
    }

    #[inline]
    pub fn get(&mut self, operation: Operation, a: u32, b: u32) -> Option<u32> {
        self.lookups += 1;
        let set = &self.sets[self.set_of(operation, a, b)];
        for entry in &set.0 {
            if entry.operation == operation.0 && entry.a == a && entry.b == b {
                self.hits += 1;
                return Some(entry.result);
            }
        }
        None
    }

    #[inline]
    pub fn put(&mut self, operation: Operation, a: u32, b: u32, result: u32) {
        let index = self.set_of(operation, a, b);
        let set = &mut self.sets[index].0;
        self.pushed_out += usize::from(set[WAYS - 1].operation != 0);
        set.copy_within(0..WAYS - 1, 1);
        set[0] = Entry {
            operation: operation.0,
            a,
            b,
            result,
        };
    }

    /// Whether a larger table would have kept many entries, and how many bytes it would take. There
    /// is no use in many more entries than nodes: `nodes` bounds it, too.
    #[inline]
    pub fn wants(&self, nodes: usize) -> Option<usize> {
        let limit = self.limit_sets.min(nodes * 16 / WAYS);
        (self.pushed_out > self.sets.len() * WAYS / 2 && self.sets.len() < limit)
            .then(|| 2 * self.sets.len() * size_of::<Set>())
    }

    /// Doubles the table.
    pub fn grow(&mut self) -> Result<(), Stop> {
        let mut sets = Vec::new();
        let size = 2 * self.sets.len();
        sets.try_reserve_exact(size).map_err(|_| Stop::Memory)?;
        sets.resize(size, Set::default());
        let old = std::mem::replace(&mut self.sets, sets);
        for entry in old.iter().flat_map(|s| s.0.iter().rev()) {
            if entry.operation != 0 {
                self.put(Operation(entry.operation), entry.a, entry.b, entry.result);
            }
        }
        self.pushed_out = 0;
        Ok(())
    }

    /// Does not grow any more: the memory is needed for nodes.
    pub fn freeze(&mut self) {
        self.limit_sets = self.sets.len();
    }

    /// Drops the entries that name a node for which `alive` is false.
    pub fn sweep(&mut self, alive: impl Fn(Node) -> bool) {
        for entry in self.sets.iter_mut().flat_map(|s| s.0.iter_mut()) {
            let op = entry.operation;
            let dead = |flag: u32, number: u32| op & flag != 0 && !alive(Node(number));
            if dead(A_IS_NODE, entry.a)
                || dead(B_IS_NODE, entry.b)
                || dead(RESULT_IS_NODE, entry.result)
            {
                *entry = Entry::default();
            }
        }
    }

    pub fn clear(&mut self) {
        self.sets.fill(Set::default());
    }
}
