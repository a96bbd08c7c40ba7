//! Where each state was found from.
//!
//! Plain breadth-first search finds states in the order of their parents, which two bits a state
//! can say; any other search writes the parent down.

use crate::louds::Louds;

/// The search tree.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Louds(Louds),
    /// The parent of each state from 1 on.
    Parents(Vec<u32>),
}

impl Tree {
    /// `ordered`: parents will come in ascending order.
    pub fn new(ordered: bool) -> Tree {
        if ordered {
            Tree::Louds(Louds::default())
        } else {
            Tree::Parents(Vec::new())
        }
    }

    /// The next state is a child of `parent`; `false` when memory cannot be had.
    #[inline]
    pub fn push(&mut self, parent: u32) -> bool {
        match self {
            Tree::Louds(louds) => louds.push(parent),
            Tree::Parents(parents) => {
                let room = parents.try_reserve(1).is_ok();
                if room {
                    parents.push(parent);
                }
                room
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        match self {
            Tree::Louds(louds) => louds.bytes(),
            Tree::Parents(parents) => 4 * parents.capacity() as u64,
        }
    }

    /// How many states it knows, the root among them.
    pub fn len(&self) -> usize {
        match self {
            Tree::Louds(louds) => louds.len(),
            Tree::Parents(parents) => parents.len() + 1,
        }
    }

    /// The states from the root to `state`, which it knows.
    pub fn path(&self, state: u32) -> Vec<u32> {
        match self {
            Tree::Louds(louds) => louds.path(state),
            Tree::Parents(parents) => {
                let mut path = vec![state];
                let mut last = state;
                while last > 0 {
                    last = parents[last as usize - 1];
                    path.push(last);
                }
                path.reverse();
                path
            }
        }
    }
}
