//! The nodes of a diagram by variable, for computations that go from level to level.
//!
//! Such a computation keeps what it knows of the nodes of one variable in an array, by the *place* of
//! the node, and needs no hashing and no recursion: the children of all nodes of variable `k` are
//! nodes of variable `k - 1`, those of variable 1 lead to the terminal `1`.

use crate::manager::Manager;
use crate::node::Node;

/// The nodes of a diagram in which every path has all variables, from that of the root down to 1.
pub struct Layers {
    /// From the root down to the terminal, those of a variable one after the other.
    nodes: Vec<Node>,
    /// Where the nodes of each variable end; that of the terminal is 0.
    ends: Vec<u32>,
    /// By number of the node.
    places: Vec<u32>,
}

impl Layers {
    /// The nodes of a variable; of 0, the terminal `1`.
    pub fn nodes(&self, variable: usize) -> &[Node] {
        let start = self.ends.get(variable + 1).map_or(0, |end| *end as usize);
        &self.nodes[start..self.ends[variable] as usize]
    }

    /// Where a node stands among those of its variable.
    #[inline]
    pub fn place(&self, node: Node) -> usize {
        self.places[node.0 as usize] as usize
    }
}

impl Manager {
    /// The nodes of a diagram by variable; the set is not empty.
    ///
    /// # Panics
    /// If a path of the diagram leaves out a variable or has labels that are sets.
    pub fn layers(&self, set: Node) -> Layers {
        const NONE: u32 = u32::MAX;
        let top = self.variable(set) as usize;
        let mut places = vec![NONE; self.store.numbers()];
        let mut ends = vec![0; top + 1];
        let mut nodes = vec![set];
        places[set.0 as usize] = 0;
        let mut here = 0..1;
        for variable in (1..=top).rev() {
            ends[variable] = here.end as u32;
            for at in here.clone() {
                let node = nodes[at];
                let is_here = self.variable(node) as usize == variable;
                assert!(is_here && !node.is_terminal(), "a variable is left out");
                for edge in self.edges(node) {
                    let place = &mut places[edge.child.0 as usize];
                    if *place == NONE {
                        *place = (nodes.len() - here.end) as u32;
                        nodes.push(edge.child);
                    }
                }
            }
            here = here.end..nodes.len();
        }
        assert_eq!(nodes[here.clone()], [Node::ONE], "a path is too long");
        ends[0] = here.end as u32;
        Layers {
            nodes,
            ends,
            places,
        }
    }
}
