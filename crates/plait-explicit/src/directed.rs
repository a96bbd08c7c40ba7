//! Search for one goal: nearest markings first, and of each only the events that the goal calls for.
//!
//! In a marking that does not satisfy the goal a *stubborn set* is closed from the goal: it has events
//! one of which occurs on every way to the goal (`DirectedGoal::attractors`); with a disabled event
//! those that raise one place on which it lacks tokens; with an enabled event those that need tokens
//! of a place that it lowers. Only the enabled events of the set are executed (Valmari, "Stubborn
//! sets for reduced state space generation", 1989; Kristensen and Valmari, "Improved question-guided
//! stubborn set methods for state properties", 2000).
//!
//! Why that is enough: let a way lead to the goal. It has an event of the set; the first one is enabled
//! already, since whatever could enable it is in the set, too. The events before it are not in the set,
//! so none of them needs what it takes away: it can as well happen first, and the rest of the way is
//! shorter. So the goal is met by induction, without any condition on cycles and in any order of
//! search; and where no event of the set is enabled, nothing leads to the goal.
//!
//! The order is best first, in two ways by turns, because neither is good everywhere: by how many tokens
//! are missing and what the next of them would cost (`token_cost`), and by what all would cost. Of
//! markings as near the latest comes first. Now and then it is the oldest marking's turn, so that a
//! wrong direction does not last for ever. Markings from which the goal costs an infinite amount are
//! left out.
//!
//! Invariant: without a `reason` the search is complete: `found` is none only if no reachable marking
//! satisfies the goal.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use plait_program::Watch;

use crate::budget::{Observer, Reason, Supervisor};
use crate::directed_net::{DirectedEvent, DirectedGoal, DirectedNet, Distance};
use crate::sparse_markings::SparseMarkings;
use crate::token_cost::TokenCost;

/// Of so many markings that are expanded one is the oldest, and one has the cheapest way left.
const OLDEST: u64 = 8;
const CHEAPEST: u64 = 4;
/// Arcs, places and parts of the goal looked at between two looks at the limits, about. One marking
/// may have as many successors as the net has events, and each takes a look at the whole net.
const LOOK: usize = 1 << 16;

/// Limits of a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct DirectedOptions {
    /// How long at most.
    pub timeout: Option<Duration>,
    /// Bytes that the process may have.
    pub memory: Option<u64>,
    /// Markings that may be stored.
    pub states: Option<u64>,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Directed {
    /// Events that lead to the goal.
    pub found: Option<Vec<u32>>,
    /// Why it ended before it was complete; `Goals` when the goal was met.
    pub reason: Option<Reason>,
    /// Markings stored.
    pub states: u64,
    /// Markings whose events were executed.
    pub expanded: u64,
}

/// Looks for a marking that satisfies the goal.
pub fn directed(
    net: &DirectedNet,
    goal: DirectedGoal,
    options: &DirectedOptions,
    observer: &mut dyn Observer,
) -> Directed {
    let supervisor = Supervisor::new(observer, options.timeout, options.memory);
    let Ok(markings) = SparseMarkings::new() else {
        return Directed {
            reason: Some(Reason::Memory),
            ..Directed::default()
        };
    };
    let mut search = Search {
        cost: TokenCost::new(net),
        stubborn: Stubborn::new(net),
        scratch: Vec::new(),
        marking: net.initial.clone(),
        parents: Vec::new(),
        expanded: Vec::new(),
        nearest: BinaryHeap::new(),
        cheapest: BinaryHeap::new(),
        oldest: 0,
        count: 0,
        cut: false,
        size: 1 + net.size() + goal.size(),
        work: LOOK,
        net,
        goal,
        markings,
        supervisor,
        most: options.states.unwrap_or(u64::MAX).min(u64::from(u32::MAX)),
    };
    let end = search.run();
    let reason = match end {
        End::Stopped(reason) => Some(reason),
        End::Met(_) => Some(Reason::Goals),
        End::Nowhere => search.cut.then_some(Reason::States),
    };
    Directed {
        found: match end {
            End::Met(number) => Some(search.way(number)),
            _ => None,
        },
        reason,
        states: search.markings.len() as u64,
        expanded: search.count,
    }
}

#[derive(Clone, Copy)]
enum End {
    Met(u32),
    Nowhere,
    Stopped(Reason),
}

struct Search<'n, 'o> {
    net: &'n DirectedNet,
    goal: DirectedGoal,
    markings: SparseMarkings,
    /// For each marking the one before it, and the event between them.
    parents: Vec<(u32, u32)>,
    expanded: Vec<bool>,
    /// Markings by the tokens that are missing and what the next one costs, and by what all cost.
    nearest: BinaryHeap<(Reverse<(u64, u64)>, u32)>,
    cheapest: BinaryHeap<(Reverse<u64>, u32)>,
    oldest: u32,
    cost: TokenCost,
    stubborn: Stubborn,
    scratch: Vec<Distance>,
    marking: Vec<i32>,
    supervisor: Supervisor<'o>,
    most: u64,
    count: u64,
    /// Whether a marking was left out because a place would have too many tokens.
    cut: bool,
    /// What a look at a marking takes, and what all took since the last look at the limits.
    size: usize,
    work: usize,
}

impl Search<'_, '_> {
    fn run(&mut self) -> End {
        if let Some(end) = self.meet((u32::MAX, u32::MAX)) {
            return end;
        }
        while let Some(number) = self.choose() {
            self.count += 1;
            if let Some(end) = self.expand(number) {
                return end;
            }
        }
        End::Nowhere
    }

    /// Another marking is looked at: whether the limits end the search.
    fn limited(&mut self) -> Option<End> {
        self.work += self.size;
        if self.work < LOOK {
            return None;
        }
        self.work = 0;
        self.supervisor.progress.states = self.markings.len() as u64;
        self.supervisor.progress.expanded = self.count;
        self.supervisor.progress.bytes =
            self.markings.bytes() + 60 * self.parents.capacity() as u64;
        if self.supervisor.go_on(0) {
            return None;
        }
        let reason = self.supervisor.stop.unwrap_or(Reason::Interrupted);
        Some(End::Stopped(reason))
    }

    /// The next marking to be expanded.
    fn choose(&mut self) -> Option<u32> {
        if self.count % OLDEST == OLDEST - 1 {
            while self.expanded.get(self.oldest as usize) == Some(&true) {
                self.oldest += 1;
            }
            if (self.oldest as usize) < self.expanded.len() {
                return Some(self.oldest);
            }
        }
        if self.count % CHEAPEST == 1 {
            while let Some((_, number)) = self.cheapest.pop() {
                if !self.expanded[number as usize] {
                    return Some(number);
                }
            }
        }
        loop {
            let (_, number) = self.nearest.pop()?;
            if !self.expanded[number as usize] {
                return Some(number);
            }
        }
    }

    fn expand(&mut self, number: u32) -> Option<End> {
        if let Some(end) = self.limited() {
            return Some(end);
        }
        self.expanded[number as usize] = true;
        self.markings.read(number, &mut self.marking);
        self.goal.look(&self.marking);
        self.stubborn.close(self.net, &mut self.goal, &self.marking);
        for place in 0..self.stubborn.chosen.len() {
            if let Some(end) = self.limited() {
                return Some(end);
            }
            let event = self.stubborn.chosen[place];
            self.markings.read(number, &mut self.marking);
            if !self.net.fire(&mut self.marking, event) {
                self.cut = true;
                continue;
            }
            if let Some(end) = self.meet((number, event)) {
                return Some(end);
            }
        }
        None
    }

    /// Stores the marking at hand, if it is new.
    fn meet(&mut self, parent: (u32, u32)) -> Option<End> {
        let number = match self.markings.insert(&self.marking) {
            Ok(Some(number)) => number,
            Ok(None) => return None,
            Err(_) => return Some(End::Stopped(Reason::Memory)),
        };
        self.parents.push(parent);
        self.expanded.push(false);
        if self.goal.look(&self.marking) {
            return Some(End::Met(number));
        }
        self.cost.look(self.net, &self.marking);
        let (net, cost) = (self.net, &self.cost);
        let each = |place, more| cost.of(net, place, more);
        let distance = self.goal.distance(&self.marking, &mut self.scratch, each);
        if distance.whole.is_infinite() {
            self.expanded[number as usize] = true;
        } else {
            // Distances are not negative, so their bits are in the order of their values.
            let near = (distance.missing.to_bits(), distance.next.to_bits());
            self.nearest.push((Reverse(near), number));
            self.cheapest
                .push((Reverse(distance.whole.to_bits()), number));
        }
        let full = self.markings.len() as u64 >= self.most;
        full.then_some(End::Stopped(Reason::States))
    }

    /// The events from the initial marking to this one.
    fn way(&self, number: u32) -> Vec<u32> {
        let mut events = Vec::new();
        let (mut parent, mut event) = self.parents[number as usize];
        while parent != u32::MAX {
            events.push(event);
            (parent, event) = self.parents[parent as usize];
        }
        events.reverse();
        events
    }
}

/// Stubborn sets; keeps its working memory from marking to marking.
struct Stubborn {
    /// In which marking an event was last in the set.
    member: Vec<u64>,
    /// In which marking the events that raise, or need, a place were last in the set.
    raised: Vec<u64>,
    needed: Vec<u64>,
    now: u64,
    pending: Vec<u32>,
    /// The enabled events of the set.
    chosen: Vec<u32>,
}

impl Stubborn {
    fn new(net: &DirectedNet) -> Stubborn {
        Stubborn {
            member: vec![0; net.events.len()],
            raised: vec![0; net.initial.len()],
            needed: vec![0; net.initial.len()],
            now: 0,
            pending: Vec::new(),
            chosen: Vec::new(),
        }
    }

    fn close(&mut self, net: &DirectedNet, goal: &mut DirectedGoal, marking: &[i32]) {
        self.now += 1;
        self.chosen.clear();
        goal.attractors(|event| add(&mut self.member, self.now, &mut self.pending, event));
        while let Some(event) = self.pending.pop() {
            let DirectedEvent { pre, change } = &net.events[event as usize];
            let lacks = pre.iter().filter(|(p, n)| marking[*p as usize] < *n);
            let fewest = lacks.min_by_key(|(p, _)| net.raising[*p as usize].len());
            if let Some((place, _)) = fewest {
                if is_new(&mut self.raised, self.now, *place) {
                    for other in &net.raising[*place as usize] {
                        add(&mut self.member, self.now, &mut self.pending, *other);
                    }
                }
                continue;
            }
            self.chosen.push(event);
            for (place, _) in change.iter().filter(|(_, d)| *d < 0) {
                if is_new(&mut self.needed, self.now, *place) {
                    for (other, _) in &net.needing[*place as usize] {
                        add(&mut self.member, self.now, &mut self.pending, *other);
                    }
                }
            }
        }
    }
}

fn add(member: &mut [u64], now: u64, pending: &mut Vec<u32>, event: u32) {
    if is_new(member, now, event) {
        pending.push(event);
    }
}

/// Whether something is met for the first time in this marking.
fn is_new(met: &mut [u64], now: u64, number: u32) -> bool {
    std::mem::replace(&mut met[number as usize], now) != now
}
