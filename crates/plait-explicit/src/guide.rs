//! An automaton beside a run: where it may be after each letter, and whether it accepts a lasso.
//!
//! All locations that the automaton may be in are followed at once, so a run is judged whatever the
//! automaton chooses: when no location is left the run cannot be accepted any more; when one is left
//! that accepts every word, every continuation is; and of a run that comes back to a state, or ends in
//! a deadlock and repeats it, the letters of the cycle decide.

use std::collections::HashMap;

use crate::buchi::{Buchi, Letters};

/// A set of locations, a bit for each.
pub(crate) type Locations = u64;
/// Automata with more locations are not followed.
pub(crate) const MOST_LOCATIONS: usize = 64;
/// Pairs of a letter of the cycle and a location that are looked at to judge a lasso.
const MOST_PAIRS: usize = 1 << 18;

pub(crate) struct Guide<'b> {
    pub automaton: &'b Buchi,
    pub letters: Letters,
    /// How many arcs lead from each location to a component that can accept.
    rank: Vec<u32>,
    /// The locations that accept every word.
    pub universal: Locations,
    known: HashMap<(Locations, u32), (Locations, u64)>,
}

impl<'b> Guide<'b> {
    /// None when there are too many locations.
    pub fn new(automaton: &'b Buchi) -> Option<Guide<'b>> {
        let size = automaton.arcs.len();
        if size > MOST_LOCATIONS {
            return None;
        }
        let mut universal = 0;
        for (location, row) in automaton.arcs.iter().enumerate() {
            let accepts_all = row.iter().any(|arc| {
                let loops = arc.target as usize == location && arc.marks == automaton.all;
                loops && arc.positive.is_empty() && arc.negative.is_empty()
            });
            universal |= u64::from(accepts_all) << location;
        }
        Some(Guide {
            automaton,
            letters: Letters::default(),
            rank: ranks(automaton),
            universal,
            known: HashMap::new(),
        })
    }

    /// Where the automaton may be after a letter, and the marks that it may have met by it.
    pub fn after(&mut self, from: Locations, letter: u32) -> (Locations, u64) {
        if let Some(found) = self.known.get(&(from, letter)) {
            return *found;
        }
        let (mut to, mut marks) = (0, 0);
        for location in bits(from) {
            for turn in self.letters.turns(self.automaton, letter, location) {
                to |= 1 << turn.target;
                marks |= turn.marks;
            }
        }
        if self.known.len() >= 1 << 20 {
            self.known.clear();
        }
        self.known.insert((from, letter), (to, marks));
        (to, marks)
    }

    /// How far the nearest of the locations is from a component that can accept.
    pub fn rank(&self, locations: Locations) -> u32 {
        let ranks = bits(locations).map(|q| self.rank[q as usize]);
        ranks.min().unwrap_or(u32::MAX)
    }

    /// Whether the automaton, in one of these locations, accepts the letters repeated for ever.
    pub fn accepts(&mut self, from: Locations, cycle: &[u32]) -> bool {
        let size = self.automaton.arcs.len();
        if cycle.is_empty() || cycle.len() * size > MOST_PAIRS {
            return false;
        }
        let node = |place: usize, location: u32| (place * size + location as usize) as u32;
        let mut arcs: Vec<Option<Vec<(u32, u64)>>> = vec![None; cycle.len() * size];
        let mut stack: Vec<u32> = bits(from).map(|q| node(0, q)).collect();
        while let Some(at) = stack.pop() {
            if arcs[at as usize].is_some() {
                continue;
            }
            let (place, location) = (at as usize / size, at % size as u32);
            let next = (place + 1) % cycle.len();
            let turns = self.letters.turns(self.automaton, cycle[place], location);
            let row: Vec<(u32, u64)> = turns
                .iter()
                .map(|t| (node(next, t.target), t.marks))
                .collect();
            stack.extend(row.iter().map(|(to, _)| *to));
            arcs[at as usize] = Some(row);
        }
        let rows: Vec<Vec<(u32, u64)>> = arcs.into_iter().map(Option::unwrap_or_default).collect();
        accepting(&rows, self.automaton.all).contains(&true)
    }
}

pub(crate) fn bits(set: u64) -> impl Iterator<Item = u32> {
    let mut left = set;
    std::iter::from_fn(move || {
        let bit = (left != 0).then(|| left.trailing_zeros());
        left &= left.wrapping_sub(1);
        bit
    })
}

/// The distance of each location from a component whose arcs have all marks.
fn ranks(automaton: &Buchi) -> Vec<u32> {
    let rows: Vec<Vec<(u32, u64)>> = automaton
        .arcs
        .iter()
        .map(|row| row.iter().map(|arc| (arc.target, arc.marks)).collect())
        .collect();
    let mut rank: Vec<u32> = accepting(&rows, automaton.all)
        .into_iter()
        .map(|accepting| if accepting { 0 } else { u32::MAX })
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (at, row) in rows.iter().enumerate() {
            let next = row
                .iter()
                .map(|(to, _)| rank[*to as usize].saturating_add(1));
            let best = next.min().unwrap_or(u32::MAX);
            if best < rank[at] {
                rank[at] = best;
                changed = true;
            }
        }
    }
    rank
}

/// Whether the arcs inside each node's component have all marks, and there are such arcs.
fn accepting(rows: &[Vec<(u32, u64)>], all: u64) -> Vec<bool> {
    let of = components(rows);
    let mut marks: HashMap<u32, u64> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        for (to, met) in row {
            if of[at] == of[*to as usize] {
                *marks.entry(of[at]).or_default() |= met;
            }
        }
    }
    of.iter().map(|c| marks.get(c) == Some(&all)).collect()
}

/// The number of each node's strongly connected component (Tarjan, with a stack of its own).
fn components(rows: &[Vec<(u32, u64)>]) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let mut index = vec![NEW; rows.len()];
    let mut low = vec![0u32; rows.len()];
    let mut of = vec![NEW; rows.len()];
    let (mut open, mut calls, mut count, mut found) = (Vec::new(), Vec::new(), 0, 0);
    for start in 0..rows.len() as u32 {
        if index[start as usize] != NEW {
            continue;
        }
        calls.push((start, 0));
        while let Some((node, next)) = calls.pop() {
            let at = node as usize;
            if next == 0 {
                (index[at], low[at]) = (count, count);
                count += 1;
                open.push(node);
            }
            match rows[at].get(next) {
                Some((to, _)) => {
                    calls.push((node, next + 1));
                    let to = *to as usize;
                    if index[to] == NEW {
                        calls.push((to as u32, 0));
                    } else if of[to] == NEW {
                        low[at] = low[at].min(index[to]);
                    }
                }
                None => {
                    if let Some((parent, _)) = calls.last() {
                        let parent = *parent as usize;
                        low[parent] = low[parent].min(low[at]);
                    }
                    if low[at] == index[at] {
                        while let Some(member) = open.pop() {
                            of[member as usize] = found;
                            if member == node {
                                break;
                            }
                        }
                        found += 1;
                    }
                }
            }
        }
    }
    of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::arc;

    /// Again and again bit 0, and again and again bit 1; or bit 2 once.
    fn example() -> Buchi {
        let rows = vec![
            vec![
                arc(&[], &[], 0, 0),
                arc(&[0], &[], 1, 0),
                arc(&[2], &[], 2, 0),
            ],
            vec![
                arc(&[0], &[], 1, 1),
                arc(&[1], &[], 1, 2),
                arc(&[], &[], 1, 0),
            ],
            vec![arc(&[], &[], 2, 3)],
        ];
        Buchi {
            conditions: Vec::new(),
            arcs: rows,
            all: 3,
            at_end: false,
        }
    }

    #[test]
    fn locations_are_followed_and_cycles_judged() {
        let automaton = example();
        let mut guide = Guide::new(&automaton).unwrap();
        assert_eq!(guide.universal, 1 << 2);
        assert_eq!((guide.rank(1), guide.rank(0b11)), (1, 0));
        let [none, first, second, third] = [0, 1, 2, 4].map(|bits| guide.letters.number(&[bits]));
        assert_eq!(guide.after(1, none), (1, 0));
        assert_eq!(guide.after(1, first).0, 0b11);
        assert_eq!(guide.after(0b11, third).0 & guide.universal, 1 << 2);
        assert!(guide.accepts(1, &[first, second]));
        assert!(guide.accepts(1, &[second, none, first]));
        assert!(!guide.accepts(1, &[first]));
        assert!(!guide.accepts(1, &[second]));
        assert!(!guide.accepts(0, &[first, second]));
        assert!(!guide.accepts(1, &[]));
        assert!(guide.accepts(1, &[none, third]));
    }
}
