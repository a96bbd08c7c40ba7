//! Operations on set-labelled nodes: the square union and its kin.
//!
//! A set-labelled node is canonical when its labels are disjoint and not empty and its children are
//! distinct and not `0`. Union refines: where labels `a -> A` and `b -> B` overlap they become
//! `a - b -> A`, `a * b -> A + B`, `b - a -> B`; then edges with equal children are fused. (The name
//! is from the ITS literature: all pairs of edges meet.)
//!
//! Pieces of labels are new nodes that nothing else keeps, so every one is pushed on the stack of
//! temporaries until its frame returns.

use crate::budget::Stop;
use crate::manager::Manager;
use crate::node::{Edge, Head, Kind, Node};

/// A set and where it leads.
type Piece = (Node, Node);

impl Manager {
    /// The set-labelled node with these edges, which may overlap and may share children.
    pub fn set_node(&mut self, variable: u32, edges: &[(Node, Node)]) -> Result<Node, Stop> {
        let head = Head::new(Kind::Set, variable);
        let operands: Vec<Node> = edges.iter().flat_map(|(a, b)| [*a, *b]).collect();
        self.outermost(&operands, |m| {
            let mut pieces: Vec<Piece> = Vec::new();
            for edge in edges {
                if !edge.0.is_zero() && !edge.1.is_zero() {
                    m.refine(&mut pieces, &[*edge])?;
                }
            }
            m.fuse(head, pieces)
        })
    }

    fn pieces(&self, node: Node) -> Vec<Piece> {
        let edges = self.store.edges(node).iter();
        edges.map(|e| (e.label_set(), e.child)).collect()
    }

    /// Pushes a temporary and gives it back.
    fn keep(&mut self, node: Node) -> Node {
        self.push(node);
        node
    }

    pub(crate) fn join_set(&mut self, head: Head, sets: &[Node]) -> Result<Node, Stop> {
        let kept = self.pushed();
        let mut pieces = self.pieces(sets[0]);
        for set in &sets[1..] {
            let more = self.pieces(*set);
            self.refine(&mut pieces, &more)?;
        }
        let result = self.fuse(head, pieces)?;
        self.pop(kept);
        Ok(result)
    }

    /// Adds edges with disjoint labels to edges with disjoint labels.
    fn refine(&mut self, pieces: &mut Vec<Piece>, more: &[Piece]) -> Result<(), Stop> {
        let mut sums = Vec::new();
        for &(label, child) in more {
            let mut rest = label;
            let mut at = 0;
            while at < pieces.len() && !rest.is_zero() {
                let (other, target) = pieces[at];
                let common = if rest == other {
                    rest
                } else {
                    self.meet(rest, other)?
                };
                if common.is_zero() {
                    at += 1;
                    continue;
                }
                self.keep(common);
                let sum = self.join(child, target)?;
                sums.push((common, self.keep(sum)));
                if common == other {
                    pieces.swap_remove(at);
                } else {
                    let left = self.minus(other, common)?;
                    pieces[at].0 = self.keep(left);
                    at += 1;
                }
                let left = self.minus(rest, common)?;
                rest = self.keep(left);
            }
            if !rest.is_zero() {
                sums.push((rest, child));
            }
        }
        pieces.append(&mut sums);
        Ok(())
    }

    /// The node with disjoint labels: equal children are fused.
    fn fuse(&mut self, head: Head, mut pieces: Vec<Piece>) -> Result<Node, Stop> {
        pieces.retain(|(label, child)| !label.is_zero() && !child.is_zero());
        pieces.sort_unstable_by_key(|(label, child)| (*child, *label));
        let base = self.set_scratch.len();
        let mut start = 0;
        while start < pieces.len() {
            let child = pieces[start].1;
            let group = pieces[start..].iter().take_while(|p| p.1 == child);
            let labels: Vec<Node> = group.map(|p| p.0).collect();
            let label = self.join_all(&labels)?;
            self.set_scratch.push(Edge::set(label, child));
            start += labels.len();
        }
        self.finish_set(head, base)
    }

    pub(crate) fn meet_set(&mut self, head: Head, a: Node, b: Node) -> Result<Node, Stop> {
        let kept = self.pushed();
        let mut pieces = Vec::new();
        let others = self.pieces(b);
        for (label, child) in self.pieces(a) {
            for &(other, target) in &others {
                let common = self.meet(label, other)?;
                if common.is_zero() {
                    continue;
                }
                self.keep(common);
                let both = self.meet(child, target)?;
                pieces.push((common, self.keep(both)));
            }
        }
        let result = self.fuse(head, pieces)?;
        self.pop(kept);
        Ok(result)
    }

    pub(crate) fn minus_set(&mut self, head: Head, a: Node, b: Node) -> Result<Node, Stop> {
        let kept = self.pushed();
        let mut pieces = Vec::new();
        let others = self.pieces(b);
        for (label, child) in self.pieces(a) {
            let mut rest = label;
            for &(other, target) in &others {
                let common = self.meet(rest, other)?;
                if common.is_zero() {
                    continue;
                }
                self.keep(common);
                let left = self.minus(child, target)?;
                pieces.push((common, self.keep(left)));
                let left = self.minus(rest, common)?;
                rest = self.keep(left);
                if rest.is_zero() {
                    break;
                }
            }
            pieces.push((rest, child));
        }
        let result = self.fuse(head, pieces)?;
        self.pop(kept);
        Ok(result)
    }

    pub(crate) fn then_set(&mut self, head: Head, a: Node, b: Node) -> Result<Node, Stop> {
        let kept = self.pushed();
        let mut pieces = Vec::new();
        for (label, child) in self.pieces(a) {
            let child = self.then(child, b)?;
            pieces.push((label, self.keep(child)));
        }
        let result = self.fuse(head, pieces)?;
        self.pop(kept);
        Ok(result)
    }
}
