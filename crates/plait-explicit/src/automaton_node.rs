//! One node of an automaton: its edges, in 32-bit words.
//!
//! How many edges lead to it, its hash, how many edges it has and has room for, its labels in ascending
//! order, four to a word, its children. The hash is a sum over the edges, so a changed edge changes it in
//! one step.

/// Words of a node before its labels.
const HEAD: usize = 3;
/// Room for edges comes in these sizes.
pub(crate) const SIZES: [usize; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Edges of a node to be made, labels in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    pub labels: Vec<u8>,
    pub children: Vec<u32>,
}

impl Edges {
    pub fn clear(&mut self) {
        self.labels.clear();
        self.children.clear();
    }

    /// Adds an edge, or makes the one with that label lead elsewhere.
    pub fn put(&mut self, label: u8, child: u32) {
        match self.labels.binary_search(&label) {
            Ok(place) => self.children[place] = child,
            Err(place) => {
                self.labels.insert(place, label);
                self.children.insert(place, child);
            }
        }
    }

    pub fn hash(&self) -> u32 {
        let edges = self.labels.iter().zip(&self.children);
        edges.fold(0, |sum: u32, (l, c)| sum.wrapping_add(mix(*l, *c)))
    }
}

/// What an edge adds to the hash of its node.
#[inline]
pub(crate) fn mix(label: u8, child: u32) -> u32 {
    let word = (u64::from(child) << 8 | u64::from(label)) + 1;
    let mixed = word.wrapping_mul(SPREAD);
    ((mixed ^ (mixed >> 29)).wrapping_mul(SPREAD) >> 32) as u32
}

/// Which of the sizes has room for so many edges.
pub(crate) fn class(edges: usize) -> usize {
    SIZES.partition_point(|size| *size < edges)
}

/// Words of a node of that size.
pub(crate) fn words_of(class: usize) -> usize {
    HEAD + SIZES[class].div_ceil(4) + SIZES[class]
}

/// A node as its words.
pub(crate) struct View<'a>(pub &'a [u32]);

impl View<'_> {
    #[inline]
    pub fn hash(&self) -> u32 {
        self.0[1]
    }

    #[inline]
    pub fn len(&self) -> usize {
        (self.0[2] & 0xffff) as usize
    }

    pub fn class(&self) -> usize {
        (self.0[2] >> 16) as usize
    }

    #[inline]
    pub fn room(&self) -> usize {
        SIZES[self.class()]
    }

    #[inline]
    pub fn label(&self, index: usize) -> u8 {
        (self.0[HEAD + index / 4] >> (8 * (index % 4))) as u8
    }

    #[inline]
    pub fn child(&self, index: usize) -> u32 {
        self.0[HEAD + self.room().div_ceil(4) + index]
    }

    /// Where the edge with that label is, or belongs.
    #[inline]
    pub fn find(&self, label: u8) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.label(middle) < label {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low < self.len() && self.label(low) == label {
            Ok(low)
        } else {
            Err(low)
        }
    }

    pub fn has(&self, edges: &Edges) -> bool {
        let mut pairs = edges.labels.iter().zip(&edges.children).enumerate();
        self.len() == edges.labels.len()
            && pairs.all(|(i, (l, c))| self.label(i) == *l && self.child(i) == *c)
    }

    pub fn equals(&self, other: &View<'_>) -> bool {
        let same = |i| self.label(i) == other.label(i) && self.child(i) == other.child(i);
        self.len() == other.len() && (0..self.len()).all(same)
    }
}

/// A node as its words, to be changed.
pub(crate) struct ViewMut<'a>(pub &'a mut [u32]);

impl ViewMut<'_> {
    pub fn len(&self) -> usize {
        View(self.0).len()
    }

    pub fn set_child(&mut self, index: usize, child: u32) {
        let start = HEAD + View(self.0).room().div_ceil(4);
        self.0[start + index] = child;
    }

    fn set_label(&mut self, index: usize, label: u8) {
        let (word, shift) = (HEAD + index / 4, 8 * (index % 4));
        self.0[word] = self.0[word] & !(0xff << shift) | u32::from(label) << shift;
    }

    /// Adds an edge, for which there is room, at its place.
    pub fn insert(&mut self, place: usize, label: u8, child: u32) {
        for index in (place..self.len()).rev() {
            let view = View(self.0);
            let (label, child) = (view.label(index), view.child(index));
            self.set_label(index + 1, label);
            self.set_child(index + 1, child);
        }
        self.set_label(place, label);
        self.set_child(place, child);
        self.0[2] += 1;
    }
}
