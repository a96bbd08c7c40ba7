//! Handles of nodes, and edges.

/// A diagram: the number of its root node in its manager. Equal sets have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Node(pub(crate) u32);

impl Node {
    /// The empty set.
    pub const ZERO: Node = Node(0);
    /// The set that holds the empty sequence alone.
    pub const ONE: Node = Node(1);

    /// Whether this is the empty set.
    #[inline]
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Whether this is `0` or `1`.
    #[inline]
    pub fn is_terminal(self) -> bool {
        self.0 <= 1
    }

    /// The number, for tables and for other languages.
    #[inline]
    pub fn index(self) -> u32 {
        self.0
    }

    /// The node with a number that [`Node::index`] gave; meaningless for any other number.
    #[inline]
    pub fn from_index(index: u32) -> Node {
        Node(index)
    }
}

/// What the labels of a node's edges are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Kind {
    /// `0` and `1`, without edges.
    Terminal = 0,
    /// Integers: DDD, MDD.
    Integer = 1,
    /// Sets, as diagrams: SDD.
    Set = 2,
}

/// An edge: its label is an integer or a set, as the kind of its node says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Edge {
    pub(crate) label: u32,
    /// Where the edge leads; never `0`.
    pub child: Node,
}

impl Edge {
    /// An edge of an integer-labelled node.
    #[inline]
    pub fn integer(value: i32, child: Node) -> Edge {
        Edge {
            label: value as u32,
            child,
        }
    }

    /// An edge of a set-labelled node.
    #[inline]
    pub fn set(set: Node, child: Node) -> Edge {
        Edge {
            label: set.0,
            child,
        }
    }

    /// The label of an edge of an integer-labelled node.
    #[inline]
    pub fn value(self) -> i32 {
        self.label as i32
    }

    /// The label of an edge of a set-labelled node.
    #[inline]
    pub fn label_set(self) -> Node {
        Node(self.label)
    }
}

/// Kind and variable in one word: what two nodes must share to be united.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head(pub u32);

/// Variables are numbers below this.
pub(crate) const VARIABLES: u32 = 1 << 29;

impl Head {
    pub const TERMINAL: Head = Head(0);
    /// A record on the free list. Kinds 3 to 6 are for edge-valued nodes, whose edges will take two
    /// places in the arena each (label and value, then the child).
    pub const FREE: Head = Head(7 << 29);

    #[inline]
    pub fn new(kind: Kind, variable: u32) -> Head {
        assert!(variable < VARIABLES, "variable {variable} out of range");
        Head((kind as u32) << 29 | variable)
    }

    #[inline]
    pub fn kind(self) -> Kind {
        match self.0 >> 29 {
            0 => Kind::Terminal,
            1 => Kind::Integer,
            _ => Kind::Set,
        }
    }

    #[inline]
    pub fn variable(self) -> u32 {
        self.0 & (VARIABLES - 1)
    }
}
