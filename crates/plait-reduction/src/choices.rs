//! Which necessary enabling set a disabled event brings in: the one free choice of stubborn sets.
//!
//! No local rule finds the best choice (section 4.5.2 of Godefroid's thesis). `Stubborn` takes the cheapest
//! as things stand, `First` that of the first false guard; here are the two that look further.
//!
//! - `Exhaustive` tries all combinations from a start, as many as there is patience for, and keeps the set
//!   with the fewest enabled events. It begins with what `Stubborn` finds, so it is never larger.
//! - `Minimal` fixes the choice of each event in advance. Then "if this is in, those must be" is a graph, a
//!   closed set is a union of its strongly connected components, and one pass of Tarjan's algorithm finds
//!   the smallest from all starts together.

use std::collections::HashMap;
use std::sync::Arc;

use crate::bits::BitSet;
use crate::stubborn::Selector;

/// Sets that the exhaustive choice begins, at most, from one start.
const PATIENCE: usize = 64;

/// A set with an event whose enabling set is to be chosen differently.
struct Branch {
    set: BitSet,
    pending: Vec<u32>,
    count: usize,
}

/// A closed set: its enabled events, and how many events it has in all.
pub(crate) struct Closed {
    pub events: BitSet,
    pub count: usize,
    pub members: usize,
}

impl Selector {
    /// The set from the start with the fewest enabled events, over all choices of enabling sets.
    pub(crate) fn exhaustive(&mut self, start: u32, limit: usize) -> Option<usize> {
        let greedy = self.stubborn(start, limit);
        let mut best = greedy.map(|count| (count, self.set.clone()));
        let mut set = BitSet::new(self.dependency.size());
        set.insert(start);
        let mut open = vec![Branch {
            set,
            pending: vec![start],
            count: 1,
        }];
        for _ in 0..PATIENCE {
            let Some(branch) = open.pop() else {
                break;
            };
            let limit = best.as_ref().map_or(limit, |b| b.0);
            (self.set, self.pending) = (branch.set, branch.pending);
            if let Some(count) = self.close_branch(branch.count, limit, &mut open) {
                best = Some((count, self.set.clone()));
            }
        }
        let (count, set) = best?;
        self.set = set;
        Some(count)
    }

    /// Closes the set, and notes for each choice on the way what else could have been chosen.
    fn close_branch(
        &mut self,
        mut count: usize,
        limit: usize,
        open: &mut Vec<Branch>,
    ) -> Option<usize> {
        let dependency = Arc::clone(&self.dependency);
        while let Some(event) = self.pending.pop() {
            if count >= limit {
                return None;
            }
            if self.enabled.contains(event) {
                let row = self.row(&dependency, event, false);
                self.absorb(&row, &mut count);
                continue;
            }
            let mut chosen: Option<&BitSet> = None;
            for number in &dependency.guards[event as usize] {
                if self.holds(&dependency, *number) {
                    continue;
                }
                let enablers = &dependency.conjuncts[*number as usize].enablers;
                if enablers.is_within_of(&self.set, &self.present) {
                    chosen = Some(enablers); // nothing more is needed
                    break;
                }
                match chosen {
                    None => chosen = Some(enablers),
                    Some(_) => open.push(self.branch(enablers, count)),
                }
            }
            let more = chosen.unwrap_or(&dependency.touching[event as usize]);
            self.absorb(more, &mut count);
        }
        (count < limit).then_some(count)
    }

    fn branch(&self, more: &BitSet, count: usize) -> Branch {
        let mut branch = Branch {
            set: self.set.clone(),
            pending: self.pending.clone(),
            count,
        };
        let Branch {
            set,
            pending,
            count,
        } = &mut branch;
        set.absorb(more, &self.present, |e| {
            pending.push(e);
            *count += usize::from(self.enabled.contains(e));
        });
        branch
    }

    /// What an event needs to be in the set with it, the choice made in advance.
    fn needs(&mut self, event: u32) -> BitSet {
        let dependency = Arc::clone(&self.dependency);
        let mut found = if self.enabled.contains(event) {
            self.row(&dependency, event, true).into_owned()
        } else {
            let source = self.enabling_set(&dependency, event);
            self.source(&dependency, event, source).clone()
        };
        found.keep(&self.present);
        found
    }

    /// The closed set of each component that has an enabled event, smallest first.
    pub(crate) fn closed_sets(&mut self, starts: &[u32]) -> Vec<Closed> {
        let mut walk = Walk::default();
        for start in starts {
            walk.from(*start, |event| self.needs(event));
        }
        let mut found: Vec<Closed> = Vec::new();
        for closure in walk.closures {
            let mut events = closure.clone();
            events.keep(&self.enabled);
            let count = events.len();
            if count > 0 {
                let members = closure.len();
                found.push(Closed {
                    events,
                    count,
                    members,
                });
            }
        }
        found.sort_by_key(|c| (c.count, c.members));
        found
    }
}

/// Tarjan's algorithm, with the closure of each component.
#[derive(Default)]
struct Walk {
    /// For each event met its number in the order of discovery, and the least that it leads back to.
    numbers: HashMap<u32, (usize, usize)>,
    /// The component of each event whose component is complete.
    component: HashMap<u32, usize>,
    open: Vec<u32>,
    /// What each event needs.
    rows: HashMap<u32, BitSet>,
    closures: Vec<BitSet>,
}

impl Walk {
    fn from(&mut self, start: u32, mut needs: impl FnMut(u32) -> BitSet) {
        if self.numbers.contains_key(&start) {
            return;
        }
        let row = needs(start);
        let mut stack = vec![(start, self.enter(start, row))];
        while let Some((event, left)) = stack.last_mut() {
            let event = *event;
            if let Some(next) = left.pop() {
                match self.numbers.get(&next) {
                    None => {
                        let row = needs(next);
                        stack.push((next, self.enter(next, row)));
                    }
                    Some((number, _)) if !self.component.contains_key(&next) => {
                        let number = *number;
                        self.lower(event, number);
                    }
                    Some(_) => {}
                }
                continue;
            }
            stack.pop();
            let (number, low) = self.numbers[&event];
            if let Some((parent, _)) = stack.last() {
                self.lower(*parent, low);
            }
            if number == low {
                self.complete(event);
            }
        }
    }

    /// The event is met; what it needs, to be gone through.
    fn enter(&mut self, event: u32, row: BitSet) -> Vec<u32> {
        let number = self.numbers.len();
        self.numbers.insert(event, (number, number));
        self.open.push(event);
        let left = row.iter().collect();
        self.rows.insert(event, row);
        left
    }

    fn lower(&mut self, event: u32, number: usize) {
        if let Some((_, low)) = self.numbers.get_mut(&event) {
            *low = (*low).min(number);
        }
    }

    /// The component of that root is complete: all it leads to is known.
    fn complete(&mut self, root: u32) {
        let first = self.open.iter().rposition(|e| *e == root).unwrap_or(0);
        let members = self.open.split_off(first);
        let mut closure = self.rows[&root].clone();
        for member in &members {
            closure.insert(*member);
            closure.add(&self.rows[member]);
        }
        let others: Vec<usize> = closure
            .iter()
            .filter_map(|e| self.component.get(&e).copied())
            .collect();
        for other in others {
            closure.add(&self.closures[other]);
        }
        for member in members {
            self.component.insert(member, self.closures.len());
        }
        self.closures.push(closure);
    }
}
