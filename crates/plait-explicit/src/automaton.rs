//! A set of words of one length as a minimal acyclic automaton.
//!
//! States of a model that differ in one place share what comes before it and what comes after it. A
//! trie shares beginnings only; the minimal automaton that accepts just the words of a set shares
//! both, and may have fewer nodes than there are words. It is kept minimal as words come, in any
//! order (Holzmann and Puri, "A minimized automaton representation of reachable states", STTT 1999;
//! Daciuk, Mihov, Watson and Watson, "Incremental construction of minimal acyclic finite-state
//! automata", Computational Linguistics 2000).
//!
//! A new word follows the nodes that are there as far as it can. Nodes before the first one that
//! several words lead to can be changed where they are; from that node on they are copied, since the
//! other words still need them as they were. Then the changed nodes are looked up, from the last to
//! the first, and each that equals another becomes that one. A node that was changed where it is and
//! equals no other keeps its name, so the nodes before it need not change.
//!
//! Invariants: no two nodes have the same edges (`nodes`), which is minimality, since all words are of
//! one length; the count of a node is the number of edges that lead to it, plus one for the root.

use crate::automaton_node::Edges;
use crate::automaton_nodes::{Nodes, ACCEPT};
use crate::budget::Budget;
use crate::table::NoMemory;

/// The set.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    nodes: Nodes,
    /// `ACCEPT` when there are no words.
    root: u32,
    /// Working memory: the nodes that a word passes.
    path: Vec<u32>,
    /// And the edges of a node to be made.
    edges: Edges,
}

impl Automaton {
    /// No words.
    pub fn new() -> Result<Automaton, NoMemory> {
        Ok(Automaton {
            nodes: Nodes::new()?,
            root: ACCEPT,
            path: Vec::new(),
            edges: Edges::default(),
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.nodes.bytes()
    }

    /// How many nodes.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether a word, which has the length of all, is there.
    pub fn contains(&self, word: &[u8]) -> bool {
        let mut node = self.root;
        !word.is_empty()
            && self.root != ACCEPT
            && word
                .iter()
                .all(|label| match self.nodes.child(node, *label) {
                    Some(child) => {
                        node = child;
                        true
                    }
                    None => false,
                })
    }

    /// Adds a word, which is not empty and has the length of all; whether it is new. `held` is what
    /// the search holds besides.
    pub fn insert(
        &mut self,
        word: &[u8],
        held: u64,
        budget: &mut Budget,
    ) -> Result<bool, NoMemory> {
        self.path.clear();
        let mut node = self.root;
        if self.root != ACCEPT {
            for label in word {
                self.path.push(node);
                match self.nodes.child(node, *label) {
                    Some(child) => node = child,
                    None => break,
                }
            }
            if self.path.len() == word.len() && node == ACCEPT {
                return Ok(false);
            }
        }
        // A word makes so many nodes and no more, so that memory cannot run out in the middle.
        self.nodes.reserve(word.len() + 1, held, budget)?;
        let last = self.path.len().max(1) - 1; // the node that lacks an edge, if there is one
        let rest = if self.path.is_empty() { 0 } else { last + 1 };
        let mut child = ACCEPT;
        for label in word[rest..].iter().rev() {
            self.edges.clear();
            self.edges.put(*label, child);
            child = self.nodes.make(&self.edges);
        }
        if self.path.is_empty() {
            self.root = child;
        } else {
            self.attach(word, last, child);
        }
        Ok(true)
    }

    /// Gives the node at the end of the path an edge to `child`, which nobody else counts yet.
    fn attach(&mut self, word: &[u8], last: usize, child: u32) {
        let shared = self.path.iter().position(|n| self.nodes.count(*n) > 1);
        let shared = shared.unwrap_or(last + 1);
        let mut new = child;
        let mut place = last;
        // The root is never shared: no edge leads to it.
        if shared <= last {
            // Copies, from the last to the first that several words lead to.
            for index in (shared..=last).rev() {
                self.nodes.copy_edges(self.path[index], &mut self.edges);
                self.nodes.keep_all(&self.edges, word[index]);
                self.edges.put(word[index], new);
                new = self.nodes.make(&self.edges);
            }
            self.nodes.release(self.path[shared]);
            place = shared - 1;
        }
        // The rest of the path is ours alone.
        loop {
            let old = self.path[place];
            new = self.nodes.change(old, word[place], new);
            if new == old {
                return;
            }
            if place == 0 {
                self.root = new;
                return;
            }
            place -= 1;
        }
    }

    /// Shows all words, which have that length, until the visitor has had enough; whether it had not.
    pub fn each(&self, length: usize, mut visit: impl FnMut(&[u8]) -> bool) -> bool {
        if self.root == ACCEPT {
            return true;
        }
        let mut word = Vec::with_capacity(length);
        let mut stack = vec![(self.root, 0)];
        while let Some((node, edge)) = stack.pop() {
            word.truncate(stack.len());
            let Some((label, child)) = self.nodes.edge(node, edge) else {
                continue;
            };
            stack.push((node, edge + 1));
            word.push(label);
            if word.len() < length {
                stack.push((child, 0));
            } else if !visit(&word) {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// The number of nodes of the minimal automaton: of the different sets of words that can follow
    /// a beginning.
    fn minimal(words: &BTreeSet<Vec<u8>>, length: usize) -> usize {
        let mut rests: BTreeSet<BTreeSet<&[u8]>> = BTreeSet::new();
        for cut in 0..length {
            let mut after: BTreeMap<&[u8], BTreeSet<&[u8]>> = BTreeMap::new();
            for word in words {
                after.entry(&word[..cut]).or_default().insert(&word[cut..]);
            }
            rests.extend(after.into_values());
        }
        rests.len()
    }

    fn letter() -> impl Strategy<Value = u8> {
        prop_oneof![4 => 0..3u8, 1 => any::<u8>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// covers: A45
        #[test]
        fn the_automaton_is_the_set_and_no_larger_than_the_minimal_one(
            length in 1..6usize,
            rows in prop::collection::vec(prop::collection::vec(letter(), 6), 1..120),
            others in prop::collection::vec(prop::collection::vec(letter(), 6), 1..20),
        ) {
            let mut automaton = Automaton::new().unwrap();
            let mut budget = Budget::new(None);
            let mut words: BTreeSet<Vec<u8>> = BTreeSet::new();
            for row in &rows {
                let word = &row[..length];
                prop_assert_eq!(automaton.contains(word), words.contains(word));
                let new = automaton.insert(word, 0, &mut budget).unwrap();
                prop_assert_eq!(new, words.insert(word.to_vec()));
                prop_assert!(automaton.contains(word));
            }
            automaton.nodes.check(automaton.root);
            prop_assert_eq!(automaton.len(), minimal(&words, length));
            for other in &others {
                prop_assert_eq!(automaton.contains(&other[..length]), words.contains(&other[..length]));
            }
            let mut shown = BTreeSet::new();
            prop_assert!(automaton.each(length, |word| shown.insert(word.to_vec())));
            prop_assert_eq!(shown, words);
        }
    }

    #[test]
    fn a_full_set_has_one_node_a_place_however_many_words_it_has() {
        let mut automaton = Automaton::new().unwrap();
        let mut budget = Budget::new(None);
        for n in 0..4096u32 {
            let n = n.wrapping_mul(1365) % 4096; // in an order of no use
            let word = [n as u8 & 15, (n >> 4) as u8 & 15, (n >> 8) as u8];
            assert!(automaton.insert(&word, 0, &mut budget).unwrap());
        }
        assert_eq!(automaton.len(), 3);
        automaton.nodes.check(automaton.root);
    }

    #[test]
    fn a_budget_that_is_used_up_is_an_error_and_leaves_the_set_as_it_was() {
        let mut automaton = Automaton::new().unwrap();
        let mut budget = Budget::new(None);
        automaton.insert(&[1, 2, 3], 0, &mut budget).unwrap();
        let mut small = Budget::new(Some(1));
        let mut n = 0u32;
        let refused = loop {
            n += 1;
            let word = n.wrapping_mul(0x9e37_79b9).to_le_bytes();
            match automaton.insert(&word[..3], u64::MAX / 2, &mut small) {
                Ok(_) => assert!(n < 1 << 20),
                Err(refused) => break refused,
            }
        };
        assert_eq!(refused, NoMemory);
        assert!(automaton.contains(&[1, 2, 3]));
        automaton.nodes.check(automaton.root);
    }
}
