//! Open nodes: nodes under construction, written edge by edge, in any order.
//!
//! Algorithms that fire events in a node while it grows (saturation) need random access to its edges.
//! An open node is a dense array of children with the list of those that are set, so that opening and
//! closing cost as much as there are edges, however many labels exist. A manager has any number of
//! numbered slots for them, empty when not in use; all are roots of collections.

use crate::budget::Stop;
use crate::manager::Manager;
use crate::node::{Edge, Head, Kind, Node};

#[derive(Default)]
pub(crate) struct Open {
    children: Vec<Node>,
    support: Vec<u32>,
}

impl Open {
    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.support.iter().map(|i| self.children[*i as usize])
    }

    fn clear(&mut self) {
        for index in self.support.drain(..) {
            self.children[index as usize] = Node::ZERO;
        }
    }
}

impl Manager {
    /// Makes sure that there are so many slots.
    pub fn open_slots(&mut self, count: usize) {
        if self.open.len() < count {
            self.open.resize_with(count, Open::default);
        }
    }

    /// The child of the open node under a label; `0` if none was set.
    #[inline]
    pub fn open_get(&self, slot: usize, label: u32) -> Node {
        let children = &self.open[slot].children;
        children.get(label as usize).copied().unwrap_or(Node::ZERO)
    }

    /// Sets the child (not `0`) of the open node under a label.
    #[inline]
    pub fn open_set(&mut self, slot: usize, label: u32, child: Node) {
        debug_assert!(!child.is_zero());
        let open = &mut self.open[slot];
        let index = label as usize;
        if index >= open.children.len() {
            let size = (index + 1).next_power_of_two();
            // The list of labels may become as long.
            self.open_bytes += 8 * (size - open.children.len());
            open.children.resize(size, Node::ZERO);
        }
        let place = &mut open.children[index];
        if place.is_zero() {
            open.support.push(label);
        }
        *place = child;
    }

    /// How many labels of the open node are set.
    #[inline]
    pub fn open_len(&self, slot: usize) -> usize {
        self.open[slot].support.len()
    }

    /// The labels that are set, in the order of setting.
    #[inline]
    pub fn open_label(&self, slot: usize, position: usize) -> u32 {
        self.open[slot].support[position]
    }

    /// Forgets the open node.
    pub fn open_clear(&mut self, slot: usize) {
        self.open[slot].clear();
    }

    /// Forgets all open nodes: after a stop.
    pub fn open_clear_all(&mut self) {
        self.open.iter_mut().for_each(Open::clear);
    }

    /// The integer-labelled node with the edges of the open node, whose slot becomes empty.
    pub fn open_close(&mut self, slot: usize, variable: u32) -> Result<Node, Stop> {
        let base = self.scratch.len();
        self.room_in_scratch(self.open[slot].support.len())?;
        let open = &mut self.open[slot];
        if open.support.len() > open.children.len() / 16 {
            // Reading the whole array in order is cheaper than sorting.
            let end = open.children.len();
            for (label, child) in open.children[..end].iter_mut().enumerate() {
                if !child.is_zero() {
                    self.scratch.push(Edge {
                        label: label as u32,
                        child: std::mem::take(child),
                    });
                }
            }
            open.support.clear();
        } else {
            open.support.sort_unstable();
            for label in open.support.drain(..) {
                let child = std::mem::take(&mut open.children[label as usize]);
                self.scratch.push(Edge { label, child });
            }
        }
        self.finish(Head::new(Kind::Integer, variable), base)
    }
}
