//! A plain net and a goal over its places, as the directed search sees them.
//!
//! A goal is a tree of conjunctions and disjunctions of inequalities `sum of c(p) m(p) >= bound`, in an
//! array: parts stand before what they are parts of, the goal itself is the last node.

use std::collections::HashMap;

/// What a distance is at most, if it is not infinite.
const MOST: f64 = 1e200;

/// What an event needs and changes, place by place.
#[derive(Clone, Debug, Default)]
pub struct DirectedEvent {
    /// The tokens that must be on a place.
    pub pre: Vec<(u32, i32)>,
    /// How many tokens a place has more afterwards; none of the numbers is 0.
    pub change: Vec<(u32, i32)>,
}

/// A node of a goal.
#[derive(Clone, Debug)]
pub enum GoalNode {
    /// An inequality: places with their factors, and what their sum must be at least.
    Atom(Vec<(u32, i64)>, i64),
    /// All (`true`) or some of the nodes of these numbers.
    Junction(bool, Vec<u32>),
}

/// A number of a net or of a goal stands for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a place, a weight or a part of the goal is not one")]
pub struct NoNet;

/// A net without inhibitor and reset arcs.
#[derive(Clone, Debug)]
pub struct DirectedNet {
    pub(crate) initial: Vec<i32>,
    pub(crate) events: Vec<DirectedEvent>,
    /// For each place the events that need tokens of it, with how many, that raise it, and that lower
    /// it.
    pub(crate) needing: Vec<Vec<(u32, i32)>>,
    pub(crate) raising: Vec<Vec<u32>>,
    pub(crate) lowering: Vec<Vec<u32>>,
}

impl DirectedNet {
    /// The net, if its numbers are what they should be.
    pub fn new(initial: Vec<i32>, events: Vec<DirectedEvent>) -> Result<DirectedNet, NoNet> {
        let count = initial.len();
        let mut needing = vec![Vec::new(); count];
        let mut raising = vec![Vec::new(); count];
        let mut lowering = vec![Vec::new(); count];
        // What the event at hand needs of each place.
        let mut needs = vec![0i32; count];
        if initial.iter().any(|tokens| *tokens < 0) {
            return Err(NoNet);
        }
        for (number, event) in events.iter().enumerate() {
            for (place, needed) in &event.pre {
                let row = needing.get_mut(*place as usize).ok_or(NoNet)?;
                if *needed <= 0 {
                    return Err(NoNet);
                }
                row.push((number as u32, *needed));
                needs[*place as usize] = *needed;
            }
            for (place, change) in &event.change {
                let needed = needs.get(*place as usize).ok_or(NoNet)?;
                if *change == 0 || needed.saturating_add(*change) < 0 {
                    return Err(NoNet);
                }
                let rows = if *change > 0 {
                    &mut raising
                } else {
                    &mut lowering
                };
                rows[*place as usize].push(number as u32);
            }
            for (place, _) in &event.pre {
                needs[*place as usize] = 0;
            }
        }
        Ok(DirectedNet {
            initial,
            events,
            needing,
            raising,
            lowering,
        })
    }

    /// How many places, events and arcs there are.
    pub(crate) fn size(&self) -> usize {
        let arcs = |event: &DirectedEvent| 1 + event.pre.len() + event.change.len();
        self.initial.len() + self.events.iter().map(arcs).sum::<usize>()
    }

    /// Executes an enabled event; false, and nothing done, when a place would have too many tokens.
    pub(crate) fn fire(&self, marking: &mut [i32], event: u32) -> bool {
        let change = &self.events[event as usize].change;
        let fits = |(p, d): &(u32, i32)| marking[*p as usize].checked_add(*d).is_some();
        if !change.iter().all(fits) {
            return false;
        }
        for (place, difference) in change {
            marking[*place as usize] += difference;
        }
        true
    }
}

/// A goal for a net.
#[derive(Clone, Debug)]
pub struct DirectedGoal {
    pub(crate) nodes: Vec<GoalNode>,
    /// For each inequality the events that raise its sum.
    raisers: Vec<Vec<u32>>,
    /// For each node how many events `attractors` gives at least.
    weight: Vec<u64>,
    /// For each node whether it holds, in the marking looked at last.
    holds: Vec<bool>,
    /// Working memory of `attractors`: the nodes that were met, each once though parts are shared.
    met: Vec<bool>,
    waiting: Vec<u32>,
}

impl DirectedGoal {
    /// The goal, if its numbers are what they should be.
    pub fn new(net: &DirectedNet, nodes: Vec<GoalNode>) -> Result<DirectedGoal, NoNet> {
        if nodes.is_empty() {
            return Err(NoNet);
        }
        let (mut raisers, mut weight): (Vec<Vec<u32>>, Vec<u64>) = (Vec::new(), Vec::new());
        for (number, node) in nodes.iter().enumerate() {
            match node {
                GoalNode::Atom(coefficients, _) => {
                    let events = raisers_of(net, coefficients)?;
                    weight.push(events.len() as u64);
                    raisers.push(events);
                }
                GoalNode::Junction(every, parts) => {
                    if parts.iter().any(|part| *part as usize >= number) {
                        return Err(NoNet);
                    }
                    let weights = parts.iter().map(|part| weight[*part as usize]);
                    weight.push(if *every {
                        weights.min().unwrap_or(0)
                    } else {
                        weights.fold(0, u64::saturating_add)
                    });
                    raisers.push(Vec::new());
                }
            }
        }
        Ok(DirectedGoal {
            holds: vec![false; nodes.len()],
            met: vec![false; nodes.len()],
            waiting: Vec::new(),
            nodes,
            raisers,
            weight,
        })
    }

    /// How many places and parts a look at the goal looks at.
    pub(crate) fn size(&self) -> usize {
        let of = |node: &GoalNode| match node {
            GoalNode::Atom(coefficients, _) => coefficients.len(),
            GoalNode::Junction(_, parts) => parts.len(),
        };
        self.nodes.len() + self.nodes.iter().map(of).sum::<usize>()
    }

    /// Whether the marking satisfies the goal; the parts are kept for the questions below.
    pub(crate) fn look(&mut self, marking: &[i32]) -> bool {
        for number in 0..self.nodes.len() {
            self.holds[number] = match &self.nodes[number] {
                GoalNode::Atom(coefficients, bound) => missing(coefficients, *bound, marking) <= 0,
                GoalNode::Junction(true, parts) => parts.iter().all(|p| self.holds[*p as usize]),
                GoalNode::Junction(false, parts) => parts.iter().any(|p| self.holds[*p as usize]),
            };
        }
        self.holds.last().copied().unwrap_or(false)
    }

    /// Events one of which occurs on every way to the goal from the marking looked at last, which
    /// does not satisfy it: of a conjunction one part that fails must come true, of a disjunction
    /// some, and an inequality only comes true by an event that raises its sum.
    pub(crate) fn attractors(&mut self, mut add: impl FnMut(u32)) {
        self.met.fill(false);
        self.waiting.push(self.nodes.len() as u32 - 1);
        while let Some(number) = self.waiting.pop() {
            if std::mem::replace(&mut self.met[number as usize], true) {
                continue;
            }
            match &self.nodes[number as usize] {
                GoalNode::Atom(..) => self.raisers[number as usize].iter().for_each(|e| add(*e)),
                GoalNode::Junction(true, parts) => {
                    let fails = parts.iter().filter(|p| !self.holds[**p as usize]);
                    let cheapest = fails.min_by_key(|p| self.weight[**p as usize]);
                    self.waiting.extend(cheapest);
                }
                GoalNode::Junction(false, parts) => self.waiting.extend(parts),
            }
        }
    }

    /// How far the goal is from the marking looked at last, by the cost of one token more or less on
    /// a place.
    pub(crate) fn distance(
        &self,
        marking: &[i32],
        scratch: &mut Vec<Distance>,
        cost: impl Fn(u32, bool) -> f64,
    ) -> Distance {
        scratch.clear();
        for (number, node) in self.nodes.iter().enumerate() {
            let value = match node {
                _ if self.holds[number] => Distance::default(),
                GoalNode::Atom(coefficients, bound) => {
                    let each = |(p, c): &(u32, i64)| cost(*p, *c > 0) / c.unsigned_abs() as f64;
                    let next = coefficients.iter().map(each).fold(f64::INFINITY, f64::min);
                    let missing = missing(coefficients, *bound, marking) as f64;
                    Distance {
                        missing,
                        next,
                        whole: missing * next,
                    }
                }
                GoalNode::Junction(true, parts) => {
                    let below = parts.iter().map(|p| scratch[*p as usize]);
                    below.fold(Distance::default(), Distance::and)
                }
                GoalNode::Junction(false, parts) => {
                    let below = parts.iter().map(|p| scratch[*p as usize]);
                    below.fold(Distance::NOWHERE, Distance::or)
                }
            };
            scratch.push(value);
        }
        scratch.last().copied().unwrap_or_default()
    }
}

/// How far a goal is: tokens that are missing, what the next of them costs, and what all cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Distance {
    pub missing: f64,
    pub next: f64,
    pub whole: f64,
}

impl Distance {
    /// Nothing leads there.
    const NOWHERE: Distance = Distance {
        missing: f64::INFINITY,
        next: f64::INFINITY,
        whole: f64::INFINITY,
    };

    fn and(self, other: Distance) -> Distance {
        Distance {
            missing: sum(self.missing, other.missing),
            next: sum(self.next, other.next),
            whole: sum(self.whole, other.whole),
        }
    }

    fn or(self, other: Distance) -> Distance {
        let key = |d: &Distance| (d.next.is_infinite(), d.missing, d.next);
        let (nearer, farther) = if key(&other) < key(&self) {
            (other, self)
        } else {
            (self, other)
        };
        Distance {
            whole: nearer.whole.min(farther.whole),
            ..nearer
        }
    }
}

/// The sum, which is infinite only if a part is: parts that are shared may double it at each step.
fn sum(one: f64, other: f64) -> f64 {
    let all = one + other;
    if one.is_infinite() || other.is_infinite() {
        f64::INFINITY
    } else {
        all.min(MOST)
    }
}

/// By how much the sum is below its bound.
fn missing(coefficients: &[(u32, i64)], bound: i64, marking: &[i32]) -> i128 {
    let term = |(p, c): &(u32, i64)| i128::from(*c) * i128::from(marking[*p as usize]);
    i128::from(bound) - coefficients.iter().map(term).sum::<i128>()
}

/// The events that raise a sum of places.
fn raisers_of(net: &DirectedNet, coefficients: &[(u32, i64)]) -> Result<Vec<u32>, NoNet> {
    if coefficients
        .iter()
        .any(|(p, c)| *p as usize >= net.initial.len() || *c == 0)
    {
        return Err(NoNet);
    }
    let mut near: Vec<u32> = Vec::new();
    for (place, factor) in coefficients {
        let rows = if *factor > 0 {
            &net.raising
        } else {
            &net.lowering
        };
        near.extend(&rows[*place as usize]);
    }
    near.sort_unstable();
    near.dedup();
    let factors: HashMap<u32, i64> = coefficients.iter().copied().collect();
    near.retain(|event| {
        let change = &net.events[*event as usize].change;
        let gain = |(p, d): &(u32, i32)| factors.get(p).map(|c| i128::from(*c) * i128::from(*d));
        change.iter().filter_map(gain).sum::<i128>() > 0
    });
    Ok(near)
}
