//! External roots: diagrams that users hold.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::node::Node;

/// Counts of holders, by slot.
#[derive(Default)]
pub(crate) struct RootTable {
    nodes: Vec<Node>,
    free: Vec<u32>,
}

impl RootTable {
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

/// Keeps a diagram alive until dropped; may be dropped on any thread.
pub struct Root {
    node: Node,
    slot: u32,
    table: Arc<Mutex<RootTable>>,
}

fn lock(table: &Mutex<RootTable>) -> MutexGuard<'_, RootTable> {
    // The table is consistent after each statement, so a poisoned lock means nothing.
    table
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Root {
    pub(crate) fn new(table: &Arc<Mutex<RootTable>>, node: Node) -> Root {
        let mut roots = lock(table);
        let slot = match roots.free.pop() {
            Some(slot) => {
                roots.nodes[slot as usize] = node;
                slot
            }
            None => {
                roots.nodes.push(node);
                u32::try_from(roots.nodes.len() - 1).expect("fewer than 2^32 roots")
            }
        };
        Root {
            node,
            slot,
            table: Arc::clone(table),
        }
    }

    /// The diagram.
    #[inline]
    pub fn node(&self) -> Node {
        self.node
    }

    /// Whether the diagram is in the manager with that table.
    pub(crate) fn is_in(&self, table: &Arc<Mutex<RootTable>>) -> bool {
        Arc::ptr_eq(&self.table, table)
    }
}

/// Two roots are equal when they hold the same diagram of the same manager.
impl PartialEq for Root {
    fn eq(&self, other: &Root) -> bool {
        self.node == other.node && self.is_in(&other.table)
    }
}

impl Eq for Root {}

impl std::hash::Hash for Root {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.node.hash(state);
    }
}

impl Clone for Root {
    fn clone(&self) -> Root {
        Root::new(&self.table, self.node)
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let mut roots = lock(&self.table);
        roots.nodes[self.slot as usize] = Node::ZERO;
        roots.free.push(self.slot);
    }
}

impl std::fmt::Debug for Root {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Root({})", self.node.0)
    }
}

pub(crate) fn each_root(table: &Mutex<RootTable>, mut visit: impl FnMut(Node)) {
    for node in lock(table).nodes() {
        visit(*node);
    }
}
