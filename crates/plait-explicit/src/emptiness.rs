//! Is there a run of the program that an automaton accepts?
//!
//! A depth-first search of their product that keeps the strongly connected components of what it has
//! seen. The path is covered by components, each with the marks of its arcs; an arc back into the path
//! merges all components that it spans, and when one has all marks, it holds an accepting cycle: the
//! search ends there, mostly long before the product is built. (Couvreur, *On-the-fly verification of
//! linear temporal logic*, FM 1999; Gabow, *Path-based depth-first search for strong and biconnected
//! components*, 2000; Geldenhuys and Valmari, *Tarjan's algorithm makes on-the-fly LTL verification
//! more efficient*, TACAS 2004.) Any number of acceptance sets costs the same: nothing is degeneralised.
//!
//! A node is a pair of a state and a location, and its letter is that of the state: the automaton reads
//! where it is, then both move. Nodes are numbered as they are met, which is the depth-first order, so
//! the number of a node tells to which component of the path it belongs.
//!
//! Invariant: the nodes of `live` are those whose component is not complete, in ascending order; each
//! root is the first node of its component.

use plait_program::mix::Seed;

use crate::arcs::Arcs;
use crate::buchi::{Buchi, Letters};
use crate::budget::{Budget, Reason};
use crate::hash::RecordHash;
use crate::kripke::Kripke;
use crate::marks::Marks;
use crate::movers::Movers;
use crate::search::Halt;

/// Numbers of nodes are 32-bit, and one is set apart.
const MOST_NODES: usize = u32::MAX as usize - 1;
const UNKNOWN: u32 = u32::MAX;

/// The nodes met, each with a number.
pub(crate) struct Nodes {
    /// State and location.
    keys: Vec<u64>,
    index: Vec<u32>,
    /// Nodes whose component is complete.
    dead: Marks,
    seed: Seed,
}

impl Nodes {
    fn new() -> Nodes {
        Nodes {
            keys: Vec::new(),
            index: vec![UNKNOWN; 1 << 10],
            dead: Marks::default(),
            seed: Seed::of_process(),
        }
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn get(&self, number: u32) -> (u32, u32) {
        let key = self.keys[number as usize];
        ((key >> 32) as u32, key as u32)
    }

    pub fn is_dead(&self, number: u32) -> bool {
        self.dead.get(number)
    }

    fn bytes(&self) -> u64 {
        (8 * self.keys.capacity() + 4 * self.index.len()) as u64 + self.dead.bytes()
    }

    fn place(&self, key: u64) -> usize {
        let mask = self.index.len() - 1;
        let mut place = self.seed.key(key) as usize & mask;
        while self.index[place] != UNKNOWN && self.keys[self.index[place] as usize] != key {
            place = (place + 1) & mask;
        }
        place
    }

    pub fn find(&self, state: u32, location: u32) -> Option<u32> {
        let place = self.place(u64::from(state) << 32 | u64::from(location));
        Some(self.index[place]).filter(|n| *n != UNKNOWN)
    }

    /// The number of a node, and whether it is new.
    fn insert(
        &mut self,
        (state, location): (u32, u32),
        held: u64,
        budget: &mut Budget,
    ) -> Result<(u32, bool), Halt> {
        let key = u64::from(state) << 32 | u64::from(location);
        let place = self.place(key);
        if self.index[place] != UNKNOWN {
            return Ok((self.index[place], false));
        }
        let number = self.keys.len();
        if number >= MOST_NODES {
            return Err(Halt::Stop(Reason::States));
        }
        if number == self.keys.capacity() {
            let more = 8 * number.max(1 << 10) as u64;
            let room = budget.allows(held, more);
            if !room || self.keys.try_reserve_exact(number.max(1 << 10)).is_err() {
                return Err(Halt::Stop(Reason::Memory));
            }
        }
        self.keys.push(key);
        self.index[place] = number as u32;
        if 2 * self.keys.len() > self.index.len() {
            self.grow(held, budget)?;
        }
        Ok((number as u32, true))
    }

    fn grow(&mut self, held: u64, budget: &mut Budget) -> Result<(), Halt> {
        let size = 2 * self.index.len();
        let mut index = Vec::new();
        let room = budget.allows(held, 4 * size as u64);
        if !room || index.try_reserve_exact(size).is_err() {
            return Err(Halt::Stop(Reason::Memory));
        }
        index.resize(size, UNKNOWN);
        self.index = index;
        for (number, key) in (0u32..).zip(&self.keys) {
            let place = self.place_of_new(*key);
            self.index[place] = number;
        }
        Ok(())
    }

    fn place_of_new(&self, key: u64) -> usize {
        let mask = self.index.len() - 1;
        let mut place = self.seed.key(key) as usize & mask;
        while self.index[place] != UNKNOWN {
            place = (place + 1) & mask;
        }
        place
    }
}

/// An arc of the product that is still to be followed.
#[derive(Clone, Copy)]
pub(crate) struct Move {
    pub state: u32,
    pub location: u32,
    pub marks: u64,
}

/// A component of the path.
struct Root {
    node: u32,
    /// Of the arcs inside.
    marks: u64,
    /// Of the arc that leads here from the component before.
    entering: u64,
}

/// A node on the path.
struct Frame {
    node: u32,
    /// Where its moves begin among those of the path.
    first: usize,
}

/// The product so far, and the search in it.
pub(crate) struct Product<'b> {
    pub automaton: &'b Buchi,
    /// The acceptance sets of the automaton, and above them those of fairness.
    pub all: u64,
    /// Where the latter begin.
    pub shift: u32,
    /// How many levels a location has: one, or for nested search one more than acceptance sets.
    levels: u32,
    pub nodes: Nodes,
    letters: Letters,
    /// The letter of each state, by number; `UNKNOWN` where it was not asked for.
    letter_of: Vec<u32>,
    frames: Vec<Frame>,
    moves: Vec<Move>,
    roots: Vec<Root>,
    live: Vec<u32>,
    /// Arcs followed.
    pub arcs: u64,
    /// How often nodes were expanded.
    pub expansions: u64,
    /// The longest path.
    pub depth: u64,
    successors: Arcs,
    letter: Vec<u64>,
}

impl<'b> Product<'b> {
    /// The product, whose runs are fair for these movers.
    pub fn new(automaton: &'b Buchi, movers: Option<&Movers>, nested: bool) -> Product<'b> {
        let shift = automaton.all.count_ones();
        let fair = movers.map_or(0, Movers::all);
        let all = automaton.all | fair.checked_shl(shift).unwrap_or(0);
        Product {
            automaton,
            all,
            shift,
            levels: if nested { all.count_ones() + 1 } else { 1 },
            nodes: Nodes::new(),
            letters: Letters::default(),
            letter_of: Vec::new(),
            frames: Vec::new(),
            moves: Vec::new(),
            roots: Vec::new(),
            live: Vec::new(),
            arcs: 0,
            expansions: 0,
            depth: 0,
            successors: Arcs::default(),
            letter: vec![0; automaton.conditions.len().div_ceil(64)],
        }
    }

    /// How many letters were met.
    pub fn letters(&self) -> usize {
        self.letters.len()
    }

    pub fn bytes(&self) -> u64 {
        let path = 16 * self.frames.capacity() + 16 * self.moves.capacity();
        let rest = 24 * self.roots.capacity() + 4 * self.live.capacity();
        self.nodes.bytes()
            + self.letters.bytes()
            + (path + rest + 4 * self.letter_of.capacity()) as u64
    }

    /// The first node of an accepting component, or none: then no run is accepted.
    pub fn search<H: RecordHash>(
        &mut self,
        kripke: &mut Kripke<'_, '_, H>,
    ) -> Result<Option<u32>, Halt> {
        self.meet(kripke, (0, 0))?;
        self.enter(kripke, 0, 0)?;
        while let Some(frame) = self.frames.last() {
            if self.moves.len() == frame.first {
                self.leave();
                continue;
            }
            let Some(to) = self.moves.pop() else { break };
            self.arcs += 1;
            let (node, new) = self.meet(kripke, (to.state, to.location))?;
            if new {
                self.enter(kripke, node, to.marks)?;
            } else if !self.nodes.is_dead(node) {
                if let Some(root) = self.close(node, to.marks) {
                    return Ok(Some(root));
                }
            }
        }
        Ok(None)
    }

    /// The number of a node, and whether it is new.
    pub fn meet<H: RecordHash>(
        &mut self,
        kripke: &mut Kripke<'_, '_, H>,
        pair: (u32, u32),
    ) -> Result<(u32, bool), Halt> {
        let held = kripke.search.store.bytes() + kripke.search.held;
        let budget = &mut kripke.search.supervisor.budget;
        self.nodes.insert(pair, held, budget)
    }

    /// A new node is the end of the path now.
    fn enter<H: RecordHash>(
        &mut self,
        kripke: &mut Kripke<'_, '_, H>,
        node: u32,
        entering: u64,
    ) -> Result<(), Halt> {
        kripke.search.held = kripke.bytes() + self.bytes();
        self.roots.push(Root {
            node,
            marks: 0,
            entering,
        });
        self.live.push(node);
        self.frames.push(Frame {
            node,
            first: self.moves.len(),
        });
        self.depth = self.depth.max(self.frames.len() as u64 - 1);
        self.expansions += 1;
        let mut moves = std::mem::take(&mut self.moves);
        let outcome = self.for_each_move(kripke, node, |state, location, marks| {
            moves.push(Move {
                state,
                location,
                marks,
            });
        });
        self.moves = moves;
        outcome
    }

    /// The arcs of a node: state, location and marks. Where the automaton has no turn, the program's
    /// events are not executed.
    pub fn for_each_move<H: RecordHash>(
        &mut self,
        kripke: &mut Kripke<'_, '_, H>,
        node: u32,
        mut visit: impl FnMut(u32, u32, u64),
    ) -> Result<(), Halt> {
        let (state, place) = self.nodes.get(node);
        let (location, level) = (place / self.levels, place % self.levels);
        let letter = self.letter(kripke, state)?;
        let turns = self.letters.turns(self.automaton, letter, location);
        if turns.is_empty() {
            return Ok(());
        }
        kripke.arcs(state, &mut self.successors)?;
        let Arcs { targets, satisfied } = &self.successors;
        for turn in turns {
            // The last is followed first: states that are known already, and may close a cycle.
            for (index, next) in targets.iter().enumerate().rev() {
                let fair = satisfied.get(index).map_or(0, |s| s << self.shift);
                let marks = turn.marks | fair;
                let place = turn.target * self.levels + next_level(level, self.levels, marks);
                visit(*next, place, marks);
            }
        }
        Ok(())
    }

    /// Whether all acceptance sets were met in turn on the way to a node with levels.
    pub fn is_accepting(&self, node: u32) -> bool {
        self.nodes.get(node).1 % self.levels == self.levels - 1
    }

    /// The number of a state's letter.
    fn letter<H: RecordHash>(
        &mut self,
        kripke: &mut Kripke<'_, '_, H>,
        state: u32,
    ) -> Result<u32, Halt> {
        if let Some(letter) = self.letter_of.get(state as usize) {
            if *letter != UNKNOWN {
                return Ok(*letter);
            }
        }
        kripke.letter(state, &self.automaton.conditions, &mut self.letter)?;
        let letter = self.letters.number(&self.letter);
        if self.letter_of.len() <= state as usize {
            let states = kripke.search.store.len();
            let more = states - self.letter_of.len();
            if self.letter_of.try_reserve(more).is_err() {
                return Err(Halt::Stop(Reason::Memory));
            }
            self.letter_of.resize(states, UNKNOWN);
        }
        self.letter_of[state as usize] = letter;
        Ok(letter)
    }

    /// An arc leads back to a node of the path, or to one that reaches it: what it spans is one
    /// component. Its first node, when it has all marks.
    fn close(&mut self, node: u32, marks: u64) -> Option<u32> {
        let mut found = marks;
        while let Some(root) = self.roots.last_mut() {
            if root.node <= node {
                root.marks |= found;
                return (root.marks == self.all).then_some(root.node);
            }
            found |= root.marks | root.entering;
            self.roots.pop();
        }
        None
    }

    /// The last node of the path has no move left.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if self.roots.last().is_some_and(|r| r.node == frame.node) {
            self.roots.pop();
            while let Some(node) = self.live.pop_if(|n| *n >= frame.node) {
                self.nodes.dead.set(node);
            }
        }
    }

    /// The nodes of the path up to one of them.
    pub fn path_to(&self, node: u32) -> Vec<u32> {
        let path = self.frames.iter().map(|f| f.node);
        path.take_while(|n| *n <= node).collect()
    }
}

/// The level after an arc with these marks: the first set that is still to be met.
fn next_level(level: u32, levels: u32, marks: u64) -> u32 {
    let sets = levels - 1;
    let mut next = if level == sets { 0 } else { level };
    while next < sets && marks >> next & 1 == 1 {
        next += 1;
    }
    next
}
