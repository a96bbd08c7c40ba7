//! Edge-valued diagrams: functions from sequences to numbers.
//!
//! After Ciardo and Siminiceanu, Using edge-valued decision diagrams for symbolic generation of shortest
//! paths (FMCAD 2002); structural model checking, 7.3 and 7.4. An edge has a value; that of a sequence is
//! the sum of the values on its way, infinite where there is no way. *EV+*: of each node some edge has
//! the value 0, and what is left over hangs above the root; so equal functions have equal nodes, and
//! the least value is that of the root edge. With [`Placement::Terminals`] all values stand below the
//! last edges instead (algebraic or multi-terminal diagrams), for comparison.
//!
//! A forest is an arena that only grows: distance functions are built once and asked.

use std::collections::HashMap;

/// Where the values stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// On the edges, as little as possible on each (EV+).
    Edges,
    /// In the terminals.
    Terminals,
}

/// A node of a [`Forest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EvNode(u32);

/// A function with some finite value: what to add to that of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EvEdge {
    /// Added to all values.
    pub value: u32,
    /// The rest.
    pub node: EvNode,
}

/// A label, and the function of the sequences that go on from there.
pub type Labelled = (u32, EvEdge);

struct Stored {
    /// 0 for a terminal.
    variable: u32,
    edges: Box<[Labelled]>,
}

/// Functions with shared parts. Absent edges, and functions that are `None`, are infinite.
pub struct Forest {
    placement: Placement,
    nodes: Vec<Stored>,
    unique: HashMap<(u32, Box<[Labelled]>), EvNode>,
    terminals: HashMap<u32, EvNode>,
    least: HashMap<(EvNode, EvNode, i64), EvEdge>,
    greatest: HashMap<(EvNode, EvNode, i64), Option<EvEdge>>,
    shifted: HashMap<(EvNode, u32), EvNode>,
    edges: usize,
}

impl Forest {
    /// No functions.
    pub fn new(placement: Placement) -> Forest {
        Forest {
            placement,
            nodes: Vec::new(),
            unique: HashMap::new(),
            terminals: HashMap::new(),
            least: HashMap::new(),
            greatest: HashMap::new(),
            shifted: HashMap::new(),
            edges: 0,
        }
    }

    /// Nodes made so far, terminals included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no node was made.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// About how many bytes there are.
    pub fn bytes(&self) -> usize {
        let cached = self.least.len() + self.greatest.len() + self.shifted.len();
        self.nodes.len() * 96 + self.edges * 24 + cached * 40
    }

    /// The number, for the empty sequence.
    pub fn terminal(&mut self, value: u32) -> EvEdge {
        let (below, above) = match self.placement {
            Placement::Edges => (0, value),
            Placement::Terminals => (value, 0),
        };
        let nodes = &mut self.nodes;
        let node = *self.terminals.entry(below).or_insert_with(|| {
            nodes.push(Stored {
                variable: 0,
                edges: Box::new([(
                    below,
                    EvEdge {
                        value: 0,
                        node: EvNode(0),
                    },
                )]),
            });
            EvNode(nodes.len() as u32 - 1)
        });
        EvEdge { value: above, node }
    }

    fn terminal_value(&self, node: EvNode) -> u32 {
        self.nodes[node.0 as usize].edges[0].0
    }

    /// The variable of a node; 0 for a terminal.
    pub fn variable(&self, node: EvNode) -> u32 {
        self.nodes[node.0 as usize].variable
    }

    /// The edges of a node that is no terminal, sorted by label.
    pub fn edges(&self, node: EvNode) -> &[Labelled] {
        if self.variable(node) == 0 {
            return &[];
        }
        &self.nodes[node.0 as usize].edges
    }

    /// The function with these edges, in ascending order of their labels; infinite if there are none.
    pub fn node(&mut self, variable: u32, mut edges: Vec<Labelled>) -> Option<EvEdge> {
        let least = edges.iter().map(|(_, e)| e.value).min()?;
        for (_, edge) in &mut edges {
            edge.value -= least;
        }
        let key = (variable, edges.into_boxed_slice());
        if let Some(known) = self.unique.get(&key) {
            return Some(EvEdge {
                value: least,
                node: *known,
            });
        }
        let node = EvNode(self.nodes.len() as u32);
        self.edges += key.1.len();
        self.nodes.push(Stored {
            variable,
            edges: key.1.clone(),
        });
        self.unique.insert(key, node);
        Some(EvEdge { value: least, node })
    }

    /// The function plus a number.
    pub fn plus(&mut self, f: EvEdge, amount: u32) -> EvEdge {
        match self.placement {
            Placement::Edges => EvEdge {
                value: f.value + amount,
                ..f
            },
            Placement::Terminals => EvEdge {
                node: self.shift(f.node, amount),
                ..f
            },
        }
    }

    fn shift(&mut self, node: EvNode, amount: u32) -> EvNode {
        if self.variable(node) == 0 {
            return self.terminal(self.terminal_value(node) + amount).node;
        }
        if let Some(known) = self.shifted.get(&(node, amount)) {
            return *known;
        }
        let mut edges = self.edges(node).to_vec();
        for (_, edge) in &mut edges {
            edge.node = crate::stack::deep(|| self.shift(edge.node, amount));
        }
        let variable = self.variable(node);
        let made = self.node(variable, edges).map_or(node, |e| e.node);
        self.shifted.insert((node, amount), made);
        made
    }

    /// The lesser of two functions, sequence by sequence (UnionMin).
    pub fn min(&mut self, f: Option<EvEdge>, g: Option<EvEdge>) -> Option<EvEdge> {
        let (Some(f), Some(g)) = (f, g) else {
            return f.or(g);
        };
        let value = f.value.min(g.value);
        if f.node == g.node {
            return Some(EvEdge { value, ..f });
        }
        if self.variable(f.node) == 0 {
            // Different terminals: values stand in them, and none on the edges.
            let below = self.terminal_value(f.node).min(self.terminal_value(g.node));
            return Some(self.terminal(below));
        }
        let (f, g) = if f.node <= g.node { (f, g) } else { (g, f) };
        let key = (f.node, g.node, i64::from(f.value) - i64::from(g.value));
        if let Some(known) = self.least.get(&key) {
            return Some(EvEdge {
                value: value + known.value,
                ..*known
            });
        }
        let merged = self.merged(f, g, value);
        let mut edges = Vec::with_capacity(merged.len());
        for (label, a, b) in merged {
            if let Some(edge) = crate::stack::deep(|| self.min(a, b)) {
                edges.push((label, edge));
            }
        }
        let result = self.node(self.variable(f.node), edges)?;
        self.least.insert(key, result);
        Some(EvEdge {
            value: value + result.value,
            ..result
        })
    }

    /// The greater of two functions, sequence by sequence (IntersectionMax).
    pub fn max(&mut self, f: Option<EvEdge>, g: Option<EvEdge>) -> Option<EvEdge> {
        let (f, g) = (f?, g?);
        let value = f.value.max(g.value);
        if f.node == g.node {
            return Some(EvEdge { value, ..f });
        }
        if self.variable(f.node) == 0 {
            let below = self.terminal_value(f.node).max(self.terminal_value(g.node));
            return Some(self.terminal(below));
        }
        let (f, g) = if f.node <= g.node { (f, g) } else { (g, f) };
        let key = (f.node, g.node, i64::from(f.value) - i64::from(g.value));
        // What lies below may be less than the greater of both, never less than the lesser.
        let base = f.value.min(g.value);
        if let Some(known) = self.greatest.get(&key) {
            return known.map(|k| EvEdge {
                value: base + k.value,
                ..k
            });
        }
        let merged = self.merged(f, g, base);
        let mut edges = Vec::with_capacity(merged.len());
        for (label, a, b) in merged {
            if let Some(edge) = crate::stack::deep(|| self.max(a, b)) {
                edges.push((label, edge));
            }
        }
        let result = self.node(self.variable(f.node), edges);
        self.greatest.insert(key, result);
        result.map(|r| EvEdge {
            value: base + r.value,
            ..r
        })
    }

    /// The edges of two nodes side by side, `base` less than they are.
    fn merged(
        &self,
        f: EvEdge,
        g: EvEdge,
        base: u32,
    ) -> Vec<(u32, Option<EvEdge>, Option<EvEdge>)> {
        let above = |from: EvEdge, (label, e): &Labelled| {
            let value = from.value - base + e.value;
            (*label, EvEdge { value, ..*e })
        };
        let mut a = self.edges(f.node).iter().map(|e| above(f, e)).peekable();
        let mut b = self.edges(g.node).iter().map(|e| above(g, e)).peekable();
        let mut merged = Vec::new();
        loop {
            let next = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) => x.0.min(y.0),
                (Some(x), None) => x.0,
                (None, Some(y)) => y.0,
                (None, None) => return merged,
            };
            let left = a.next_if(|e| e.0 == next).map(|e| e.1);
            let right = b.next_if(|e| e.0 == next).map(|e| e.1);
            merged.push((next, left, right));
        }
    }

    /// The value of a sequence, from its first label on; `None` where it is infinite.
    pub fn value(&self, f: EvEdge, labels: impl IntoIterator<Item = u32>) -> Option<u32> {
        let (mut value, mut node) = (f.value, f.node);
        for label in labels {
            let edges = self.edges(node);
            let at = edges.binary_search_by_key(&label, |e| e.0).ok()?;
            value += edges[at].1.value;
            node = edges[at].1.node;
        }
        match self.placement {
            Placement::Edges => Some(value),
            Placement::Terminals => Some(value + self.terminal_value(node)),
        }
    }

    /// The nodes of a function that are no terminals, children first.
    fn inner_nodes(&self, root: EvNode) -> Vec<EvNode> {
        let mut found = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut stack = vec![(root, false)];
        while let Some((node, expanded)) = stack.pop() {
            if expanded {
                found.push(node);
            } else if self.variable(node) != 0 && seen.insert(node) {
                stack.push((node, true));
                stack.extend(self.edges(node).iter().map(|e| (e.1.node, false)));
            }
        }
        found
    }

    /// How many nodes a function has, terminals not counted.
    pub fn size(&self, f: EvEdge) -> usize {
        self.inner_nodes(f.node).len()
    }

    /// How many sequences have each finite value, from the least value on to the greatest.
    pub fn histogram(&self, f: EvEdge) -> (u32, Vec<num_bigint::BigUint>) {
        use num_bigint::BigUint;
        let mut counts: HashMap<EvNode, Vec<BigUint>> = HashMap::new();
        let of = |counts: &HashMap<EvNode, Vec<BigUint>>, node: EvNode| {
            counts.get(&node).cloned().unwrap_or_else(|| {
                let below = match self.placement {
                    Placement::Edges => 0,
                    Placement::Terminals => self.terminal_value(node) as usize,
                };
                let mut one = vec![BigUint::ZERO; below + 1];
                one[below] = BigUint::from(1u32);
                one
            })
        };
        for node in self.inner_nodes(f.node) {
            let mut sum: Vec<BigUint> = Vec::new();
            for (_, edge) in self.edges(node) {
                for (at, count) in of(&counts, edge.node).into_iter().enumerate() {
                    let place = at + edge.value as usize;
                    if sum.len() <= place {
                        sum.resize(place + 1, BigUint::ZERO);
                    }
                    sum[place] += count;
                }
            }
            counts.insert(node, sum);
        }
        (f.value, of(&counts, f.node))
    }

    /// The greatest finite value.
    pub fn greatest(&self, f: EvEdge) -> u32 {
        let mut most: HashMap<EvNode, u32> = HashMap::new();
        let of = |most: &HashMap<EvNode, u32>, node: EvNode| match self.placement {
            _ if self.variable(node) != 0 => most[&node],
            Placement::Edges => 0,
            Placement::Terminals => self.terminal_value(node),
        };
        for node in self.inner_nodes(f.node) {
            let edges = self.edges(node).iter();
            let value = edges.map(|(_, e)| e.value + of(&most, e.node)).max();
            most.insert(node, value.unwrap_or(0));
        }
        f.value + of(&most, f.node)
    }

    /// A sequence with the least value, from its first label on.
    pub fn nearest(&self, f: EvEdge) -> Vec<u32> {
        let mut labels = Vec::new();
        let mut node = f.node;
        while self.variable(node) != 0 {
            let edges = self.edges(node).iter();
            let Some((label, edge)) = edges.min_by_key(|(_, e)| e.value) else {
                break;
            };
            labels.push(*label);
            node = edge.node;
        }
        labels
    }
}
