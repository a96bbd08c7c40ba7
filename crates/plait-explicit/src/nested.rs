//! Nested depth-first search: is there a run that an automaton accepts? The classical answer, with two
//! bits a node instead of components.
//!
//! An outer search finishes nodes in post-order; from each accepting node that it finishes, an inner
//! search looks for a way back to the path of the outer one, which closes a cycle through that node.
//! Nodes that an inner search has met stay *red* for ever: inner searches begin in post-order, so what
//! an earlier one has met without success lies on no accepting cycle of a later one, and every node is
//! expanded at most twice. (Courcoubetis, Vardi, Wolper, Yannakakis, *Memory-efficient algorithms for the
//! verification of temporal properties*, 1992; Holzmann, Peled, Yannakakis, *On nested depth first
//! search*, SPIN 1996.)
//!
//! It needs one acceptance set on nodes. So a node has a *level*: how many of the sets have been met in
//! turn; an arc moves on by all sets that it belongs to, and where the last is met the node is
//! accepting and the level begins again. For the sets of weak fairness these levels are the copies of
//! the states that Choueka's construction makes, one for each process and two more, and whoever is not
//! ready is passed by each arc, which is its null step.
//!
//! With ample sets both searches see the same reduced graph: what is chosen in a state is remembered by
//! `kripke` and never chosen anew.

use crate::emptiness::{Move, Product};
use crate::hash::RecordHash;
use crate::kripke::Kripke;
use crate::lasso::Hop;
use crate::marks::Marks;
use crate::search::Halt;

/// A node on a path.
struct Frame {
    node: u32,
    /// Of the arc that leads to it.
    marks: u64,
    /// Where its moves begin among those of its path.
    first: usize,
}

/// A path and the moves that are left on it.
#[derive(Default)]
struct Path {
    frames: Vec<Frame>,
    moves: Vec<Move>,
}

impl Path {
    /// The next move of the last node; `None` when it has none left.
    fn next(&mut self) -> Option<Move> {
        let first = self.frames.last()?.first;
        if self.moves.len() > first {
            self.moves.pop()
        } else {
            None
        }
    }

    fn bytes(&self) -> u64 {
        (24 * self.frames.capacity() + 16 * self.moves.capacity()) as u64
    }
}

/// An accepting run of the product: the nodes up to one of them, and a cycle through it.
pub(crate) struct Cycle {
    pub prefix: Vec<u32>,
    pub cycle: Vec<Hop>,
}

/// The two searches.
pub(crate) struct Nested<'p, 'b> {
    product: &'p mut Product<'b>,
    outer: Path,
    inner: Path,
    on_path: Marks,
    red: Marks,
}

impl<'p, 'b> Nested<'p, 'b> {
    /// For a product whose nodes have levels.
    pub fn new(product: &'p mut Product<'b>) -> Nested<'p, 'b> {
        Nested {
            product,
            outer: Path::default(),
            inner: Path::default(),
            on_path: Marks::default(),
            red: Marks::default(),
        }
    }

    /// An accepting run, or none: then no run is accepted.
    pub fn search<H: RecordHash>(
        &mut self,
        kripke: &mut Kripke<'_, '_, H>,
    ) -> Result<Option<Cycle>, Halt> {
        self.product.meet(kripke, (0, 0))?;
        self.enter(kripke, 0, 0)?;
        while let Some(node) = self.outer.frames.last().map(|f| f.node) {
            let Some(to) = self.outer.next() else {
                if self.product.is_accepting(node) {
                    if let Some(found) = self.way_back(kripke, node)? {
                        return Ok(Some(found));
                    }
                }
                self.on_path.clear(node);
                self.outer.frames.pop();
                continue;
            };
            self.product.arcs += 1;
            let (next, new) = self.product.meet(kripke, (to.state, to.location))?;
            if new {
                self.enter(kripke, next, to.marks)?;
            }
        }
        Ok(None)
    }

    fn enter<H: RecordHash>(
        &mut self,
        kripke: &mut Kripke<'_, '_, H>,
        node: u32,
        marks: u64,
    ) -> Result<(), Halt> {
        let own = self.outer.bytes() + self.inner.bytes() + self.on_path.bytes() + self.red.bytes();
        kripke.search.held = kripke.bytes() + self.product.bytes() + own;
        self.on_path.set(node);
        expand(self.product, kripke, &mut self.outer, node, marks)?;
        self.product.depth = self.product.depth.max(self.outer.frames.len() as u64 - 1);
        Ok(())
    }

    /// The inner search: a cycle through the accepting node that the outer search finishes.
    fn way_back<H: RecordHash>(
        &mut self,
        kripke: &mut Kripke<'_, '_, H>,
        seed: u32,
    ) -> Result<Option<Cycle>, Halt> {
        self.inner.frames.clear();
        self.inner.moves.clear();
        // No earlier inner search has met it: it would have found it on the path.
        self.red.set(seed);
        expand(self.product, kripke, &mut self.inner, seed, 0)?;
        while !self.inner.frames.is_empty() {
            let Some(to) = self.inner.next() else {
                self.inner.frames.pop();
                continue;
            };
            self.product.arcs += 1;
            // All that can be reached from here has been met.
            let Some(next) = self.product.nodes.find(to.state, to.location) else {
                continue;
            };
            if self.on_path.get(next) {
                return Ok(Some(self.closed(next, to.marks)));
            }
            if !self.red.get(next) {
                self.red.set(next);
                expand(self.product, kripke, &mut self.inner, next, to.marks)?;
            }
        }
        Ok(None)
    }

    /// The run that goes along the outer path, on along the inner one, and back to `knot` by an arc
    /// with these marks.
    fn closed(&self, knot: u32, marks: u64) -> Cycle {
        let outer = &self.outer.frames;
        let at = outer.iter().position(|f| f.node == knot).unwrap_or(0);
        let on = outer[at + 1..].iter().chain(&self.inner.frames[1..]);
        let mut cycle: Vec<Hop> = on.map(|f| (f.node, f.marks)).collect();
        cycle.push((knot, marks));
        Cycle {
            prefix: outer[..=at].iter().map(|f| f.node).collect(),
            cycle,
        }
    }
}

/// Puts a node at the end of a path, with its moves.
fn expand<H: RecordHash>(
    product: &mut Product<'_>,
    kripke: &mut Kripke<'_, '_, H>,
    path: &mut Path,
    node: u32,
    marks: u64,
) -> Result<(), Halt> {
    let first = path.moves.len();
    path.frames.push(Frame { node, marks, first });
    product.expansions += 1;
    product.for_each_move(kripke, node, |state, location, marks| {
        path.moves.push(Move {
            state,
            location,
            marks,
        });
    })
}
