//! Integer-labelled nodes under construction.
//!
//! A frame is a node that grows: labels with their children, and a list of labels whose child has grown
//! since they were last looked at. The children stand in held cells of the manager, so that a
//! collection keeps them. Frames form a stack, as the recursion of evaluation does.

use plait_dd::{Edge, Manager, Node, Stop};

use super::{Halt, Homs};

/// A node under construction.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The first held cell.
    base: usize,
    /// Labels in ascending order, with the places of their children.
    order: Vec<(i32, u32)>,
    /// The label of each place.
    labels: Vec<i32>,
    /// Places that wait to be looked at, and whether a place is among them.
    queue: Vec<u32>,
    queued: Vec<bool>,
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
        frame.labels.clear();
        frame.queue.clear();
        frame.queued.clear();
        self.depth += 1;
    }

    /// Adds a set under a label of the node begun last.
    #[inline]
    pub(super) fn add(&mut self, dd: &mut Manager, label: i32, set: Node) -> Result<Added, Halt> {
        if set.is_zero() {
            return Ok(Added::Nothing);
        }
        let frame = &mut self.frames[self.depth - 1];
        let at = match frame.order.last() {
            None => 0,
            Some(last) if last.0 < label => frame.order.len(),
            _ => match frame.order.binary_search_by_key(&label, |p| p.0) {
                Err(at) => at,
                Ok(at) => {
                    let place = frame.order[at].1;
                    let cell = frame.base + place as usize;
                    let before = dd.held(cell);
                    let after = dd.union(before, set)?;
                    if after == before {
                        return Ok(Added::Nothing);
                    }
                    dd.set_held(cell, after);
                    return Ok(Added::Grown(place));
                }
            },
        };
        let place = frame.labels.len() as u32;
        frame.order.insert(at, (label, place));
        frame.labels.push(label);
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

    /// Ends the node begun last.
    pub(super) fn close(&mut self, dd: &mut Manager, variable: u32) -> Result<Node, Stop> {
        self.depth -= 1;
        let frame = &mut self.frames[self.depth];
        if frame.order.is_empty() {
            return Ok(Node::ZERO);
        }
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        for (label, place) in &frame.order {
            let child = dd.held(frame.base + *place as usize);
            edges.push(Edge::integer(*label, child));
        }
        let result = dd.sorted_node(variable, &edges);
        dd.release(frame.base);
        self.edges = edges;
        result
    }
}
