//! Integer-labelled nodes under construction.
//!
//! A frame is a node that grows: labels with their children, and a list of labels whose child has grown
//! since they were last looked at. The children stand in held cells of the manager, so that a
//! collection keeps them. Frames form a stack, as the recursion of evaluation does.

use plait_dd::{Edge, Manager, Node, Stop};

use super::intern::Map;
use super::{Halt, Homs};

/// A node under construction.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The first held cell.
    base: usize,
    /// Labels with the places of their children, in ascending order while the node is narrow.
    order: Vec<(i32, u32)>,
    /// The places of the labels of a wide node, which is put in order when it is closed.
    wide: Map<i32, u32>,
    /// The label of each place.
    labels: Vec<i32>,
    /// Places that wait to be looked at, and whether a place is among them.
    queue: Vec<u32>,
    queued: Vec<bool>,
    /// Bytes that the budget was charged for: of wide nodes.
    charged: usize,
}

/// The most labels that are kept in order: to make room among more of them would cost more than to
/// find one by its hash.
const NARROW: usize = 256;
/// Labels that are charged for at a time, and the bytes of one of them.
const BATCH: usize = 4096;
const LABEL: usize = 64;

impl Frame {
    /// The place of a label, or where in the order it belongs.
    #[inline]
    fn find(&self, label: i32) -> Result<u32, usize> {
        if !self.wide.is_empty() {
            return self.wide.get(&label).copied().ok_or(self.order.len());
        }
        match self.order.last() {
            None => Err(0),
            Some(last) if last.0 < label => Err(self.order.len()),
            _ => match self.order.binary_search_by_key(&label, |p| p.0) {
                Ok(at) => Ok(self.order[at].1),
                Err(at) => Err(at),
            },
        }
    }

    /// A place for a label that has none and belongs there.
    #[inline]
    fn insert(&mut self, at: usize, label: i32) -> u32 {
        let place = self.labels.len() as u32;
        self.order.insert(at, (label, place));
        self.labels.push(label);
        if !self.wide.is_empty() {
            self.wide.insert(label, place);
        } else if self.order.len() > NARROW {
            self.wide.extend(self.order.iter().copied());
        }
        place
    }

    /// Charges the budget for the labels so far: a node may have so many that they are what fills the
    /// memory.
    #[inline]
    fn charge(&mut self, dd: &mut Manager) {
        if self.labels.len().is_multiple_of(BATCH) {
            dd.charge((BATCH * LABEL) as isize);
            self.charged += BATCH * LABEL;
        }
    }

    /// Gives the memory of a wide node back.
    pub(super) fn discharge(&mut self, dd: &mut Manager) {
        if self.charged > 0 {
            dd.charge(-(self.charged as isize));
            *self = Frame::default();
        }
    }
}

/// What adding to a frame did.
pub(super) enum Added {
    /// Nothing.
    Nothing,
    /// The child at this place is larger now.
    Grown(u32),
}

impl Homs {
    /// Begins a node.
    pub(super) fn open(&mut self, dd: &Manager) {
        if self.frames.len() == self.depth {
            self.frames.push(Frame::default());
        }
        let frame = &mut self.frames[self.depth];
        frame.base = dd.held_cells();
        frame.order.clear();
        frame.wide.clear();
        frame.labels.clear();
        frame.queue.clear();
        frame.queued.clear();
        self.depth += 1;
    }

    /// Adds a set under a label of the node begun last.
    #[inline]
    pub(super) fn add(&mut self, dd: &mut Manager, label: i32, set: Node) -> Result<Added, Halt> {
        // A node may be so wide that one walk over it takes longer than anybody wants to wait.
        dd.step()?;
        if set.is_zero() {
            return Ok(Added::Nothing);
        }
        let frame = &mut self.frames[self.depth - 1];
        let at = match frame.find(label) {
            Err(at) => at,
            Ok(place) => {
                let cell = frame.base + place as usize;
                let before = dd.held(cell);
                let after = dd.union(before, set)?;
                if after == before {
                    return Ok(Added::Nothing);
                }
                dd.set_held(cell, after);
                return Ok(Added::Grown(place));
            }
        };
        let place = frame.insert(at, label);
        frame.charge(dd);
        let cell = dd.hold(set);
        debug_assert_eq!(cell, frame.base + place as usize);
        Ok(Added::Grown(place))
    }

    /// Notes that a place must be looked at.
    #[inline]
    pub(super) fn enqueue(&mut self, place: u32) {
        let frame = &mut self.frames[self.depth - 1];
        if frame.queued.len() <= place as usize {
            frame.queued.resize(place as usize + 1, false);
        }
        if !std::mem::replace(&mut frame.queued[place as usize], true) {
            frame.queue.push(place);
        }
    }

    /// Queues all places, the first to be taken first.
    pub(super) fn enqueue_all(&mut self) {
        let places = self.frames[self.depth - 1].labels.len() as u32;
        (0..places).rev().for_each(|place| self.enqueue(place));
    }

    /// Takes a place that waits.
    #[inline]
    pub(super) fn dequeue(&mut self) -> Option<u32> {
        let frame = &mut self.frames[self.depth - 1];
        let place = frame.queue.pop()?;
        frame.queued[place as usize] = false;
        Some(place)
    }

    /// The label and the child of a place.
    #[inline]
    pub(super) fn at(&self, dd: &Manager, place: u32) -> (i32, Node) {
        let frame = &self.frames[self.depth - 1];
        let child = dd.held(frame.base + place as usize);
        (frame.labels[place as usize], child)
    }

    /// The child under a label of the node begun last; `0` if there is none.
    pub(super) fn child(&self, dd: &Manager, label: i32) -> Node {
        let frame = &self.frames[self.depth - 1];
        let place = frame.find(label);
        place.map_or(Node::ZERO, |place| dd.held(frame.base + place as usize))
    }

    /// Ends the node begun last.
    pub(super) fn close(&mut self, dd: &mut Manager, variable: u32) -> Result<Node, Stop> {
        self.depth -= 1;
        let frame = &mut self.frames[self.depth];
        if frame.order.is_empty() {
            return Ok(Node::ZERO);
        }
        if !frame.wide.is_empty() {
            frame.order.sort_unstable();
        }
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        for (label, place) in &frame.order {
            let child = dd.held(frame.base + *place as usize);
            edges.push(Edge::integer(*label, child));
        }
        let result = dd.sorted_node(variable, &edges);
        dd.release(frame.base);
        frame.discharge(dd);
        self.edges = edges;
        result
    }
}
