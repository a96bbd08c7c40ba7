//! CTL on sets of reachable states: E X, E U and E G, each in the ways of the literature.
//!
//! Structural model checking, 6.2 to 6.5; constrained saturation is Zhao and Ciardo's (see
//! `constrained`). All sets are sets of reachable states, so that going backward never leaves them.
//! A path that ends in a deadlock stays there as far as E G is concerned, if paths are *maximal*; if not,
//! only infinite paths count.
//!
//! Every fixpoint can be told to *decide* the initial state only: then it ends as soon as that state is
//! in (least fixpoints) or out (greatest ones), and the set it gives is right about that state alone.

use plait_dd::{Node, Root};

use crate::encoded::{Encoded, Halt};
use crate::inverse::Direction;

/// How `E[p U q]` is computed. The result is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// One step at a time, from the states found last.
    Traditional,
    /// Saturation with the events that cannot leave `p + q`, one step at a time with the others
    /// (the dissertation's EUsat).
    Classified,
    /// As `Classified`, with respect to `p` alone.
    ClassifiedStay,
    /// Saturation inside the constraint.
    Constrained,
}

/// How `E G p` is computed. The result is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Always {
    /// States without a successor inside are taken away, round by round.
    Traditional,
    /// Cycles are looked for, one state at a time, and what leads to them is added (EGsat).
    Cycles,
}

/// What an event can do to a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It never leads into the filter from inside it.
    Dead,
    /// It never leads out.
    Safe,
    /// It may lead out.
    Unsafe,
}

/// The set of states that is a fixpoint, and the rounds it took.
pub struct Fixpoint {
    /// The states, by cell.
    pub states: Root,
    /// Rounds of the outermost loop, also the last one, which found nothing.
    pub rounds: usize,
}

impl Encoded {
    /// The reachable states that one step leads to from the set (forward), or from which one leads to
    /// it (backward).
    pub fn neighbours(&mut self, direction: Direction, set: Node) -> Result<Root, Halt> {
        let all = self.inner_reachable()?;
        let set = self.inner(set)?;
        let found = self.step(direction, &all, &set)?;
        self.outer(&found)
    }

    /// The goal, and the states of `stay` from which a path inside `stay` leads to it; forward: those
    /// to which one leads from it.
    pub fn until(
        &mut self,
        direction: Direction,
        way: Until,
        (stay, goal): (Node, Node),
        decide: bool,
    ) -> Result<Fixpoint, Halt> {
        let (stay, goal) = (self.dd.root(stay), self.dd.root(goal));
        let (stay, goal) = (self.inner(stay.node())?, self.inner(goal.node())?);
        let wanted = if decide {
            Some(self.inner_initial()?)
        } else {
            None
        };
        let (found, rounds) = self.inner_until(direction, way, (&stay, &goal), wanted.as_ref())?;
        let states = self.outer(&found)?;
        Ok(Fixpoint { states, rounds })
    }

    fn inner_until(
        &mut self,
        direction: Direction,
        way: Until,
        (stay, goal): (&Root, &Root),
        wanted: Option<&Root>,
    ) -> Result<(Root, usize), Halt> {
        match way {
            Until::Traditional => self.until_by_steps(direction, stay, goal, wanted),
            Until::Constrained => {
                if let Some(found) = self.constrained_closure(direction, stay, goal)? {
                    return Ok((found, 1));
                }
                self.inner_until(direction, Until::Classified, (stay, goal), wanted)
            }
            Until::Classified => {
                let filter = self.union(stay, goal)?;
                self.until_by_classes(direction, &filter, goal, wanted)
            }
            Until::ClassifiedStay => {
                // The goal may lie outside; what begins inside does not.
                let before = self.step(direction, stay, goal)?;
                let inside = self.intersection(stay, goal)?;
                let start = self.union(&before, &inside)?;
                let (found, rounds) = self.until_by_classes(direction, stay, &start, wanted)?;
                Ok((self.union(&found, goal)?, rounds))
            }
        }
    }

    fn is_decided(&mut self, wanted: Option<&Root>, found: &Root) -> Result<bool, Halt> {
        match wanted {
            Some(state) => self.includes(found, state),
            None => Ok(false),
        }
    }

    fn until_by_steps(
        &mut self,
        direction: Direction,
        stay: &Root,
        goal: &Root,
        wanted: Option<&Root>,
    ) -> Result<(Root, usize), Halt> {
        let mut found = goal.clone();
        let mut last = goal.clone();
        let mut left = self.difference(stay, goal)?;
        for rounds in 1.. {
            if self.is_decided(wanted, &last)? {
                return Ok((found, rounds));
            }
            last = self.step(direction, &left, &last)?;
            if last.node().is_zero() {
                return Ok((found, rounds));
            }
            found = self.union(&found, &last)?;
            left = self.difference(&left, &last)?;
        }
        unreachable!("the loop has no end of its own")
    }

    /// What each event can do to a filter.
    fn classes(&mut self, direction: Direction, filter: &Root) -> Result<Vec<Class>, Halt> {
        let mut classes = Vec::new();
        for event in 0..self.event_count() {
            let image = self.event_step(direction, event, filter)?;
            let inside = self.intersection(&image, filter)?;
            classes.push(if inside.node().is_zero() {
                Class::Dead
            } else if inside.node() == image.node() {
                Class::Safe
            } else {
                Class::Unsafe
            });
        }
        Ok(classes)
    }

    /// How many events are dead, safe and unsafe with respect to `stay + goal`, going backward.
    pub fn classified(&mut self, stay: Node, goal: Node) -> Result<[usize; 3], Halt> {
        let (stay, goal) = (self.dd.root(stay), self.dd.root(goal));
        let (stay, goal) = (self.inner(stay.node())?, self.inner(goal.node())?);
        let filter = self.union(&stay, &goal)?;
        let classes = self.classes(Direction::Backward, &filter)?;
        let count = |class| classes.iter().filter(|c| **c == class).count();
        Ok([Class::Dead, Class::Safe, Class::Unsafe].map(count))
    }

    /// The closure of a set inside the filter, of which it is a part.
    fn until_by_classes(
        &mut self,
        direction: Direction,
        filter: &Root,
        start: &Root,
        wanted: Option<&Root>,
    ) -> Result<(Root, usize), Halt> {
        let classes = self.classes(direction, filter)?;
        let of = |class| {
            let all = classes.iter().enumerate();
            let some = all.filter(|(_, c)| **c == class);
            some.map(|(event, _)| event).collect::<Vec<_>>()
        };
        let (safe, unsafe_events) = (of(Class::Safe), of(Class::Unsafe));
        let mut found = self.closure_of(direction, &safe, start)?;
        let mut last = found.clone();
        for rounds in 1.. {
            if self.is_decided(wanted, &found)? {
                return Ok((found, rounds));
            }
            let mut more = self.dd.root(Node::ZERO);
            for event in &unsafe_events {
                let image = self.event_step(direction, *event, &last)?;
                more = self.union(&more, &image)?;
            }
            let more = self.intersection(&more, filter)?;
            let new = self.difference(&more, &found)?;
            if new.node().is_zero() {
                return Ok((found, rounds));
            }
            let closed = self.closure_of(direction, &safe, &new)?;
            last = self.difference(&closed, &found)?;
            found = self.union(&found, &closed)?;
        }
        unreachable!("the loop has no end of its own")
    }

    /// The states of `stay` from which some path stays there for ever, or until it comes to the goal;
    /// and the goal. If paths are `maximal`, also those from which one ends in `stay`.
    pub fn always(
        &mut self,
        way: Always,
        (stay, goal): (Node, Node),
        maximal: bool,
        decide: bool,
    ) -> Result<Fixpoint, Halt> {
        let (stay, goal) = (self.dd.root(stay), self.dd.root(goal));
        let (stay, mut ends) = (self.inner(stay.node())?, self.inner(goal.node())?);
        if maximal {
            let dead = self.inner_deadlocks()?;
            let dead = self.intersection(&dead, &stay)?;
            ends = self.union(&ends, &dead)?;
        }
        let wanted = if decide {
            Some(self.inner_initial()?)
        } else {
            None
        };
        let (found, rounds) = match way {
            Always::Traditional => {
                self.always_by_steps(Direction::Backward, &stay, &ends, wanted.as_ref())?
            }
            Always::Cycles => self.always_by_cycles(&stay, &ends, wanted.as_ref())?,
        };
        let states = self.outer(&found)?;
        Ok(Fixpoint { states, rounds })
    }

    /// The states of a set to which a path that never began leads inside the set.
    pub fn with_endless_past(&mut self, stay: Node) -> Result<Fixpoint, Halt> {
        let stay = self.inner(stay)?;
        let nothing = self.dd.root(Node::ZERO);
        let (found, rounds) = self.always_by_steps(Direction::Forward, &stay, &nothing, None)?;
        let states = self.outer(&found)?;
        Ok(Fixpoint { states, rounds })
    }

    /// The greatest set of states that are in `ends`, or in `stay` with a successor in the set (going
    /// forward: with a predecessor).
    ///
    /// A state can lose its last successor inside only when a successor was just taken away, so that
    /// only predecessors of what was taken away are looked at.
    fn always_by_steps(
        &mut self,
        direction: Direction,
        stay: &Root,
        ends: &Root,
        wanted: Option<&Root>,
    ) -> Result<(Root, usize), Halt> {
        let all = self.union(stay, ends)?;
        let mut doubtful = self.difference(&all, ends)?;
        let mut left = all;
        for rounds in 1.. {
            let good = self.step(direction, &doubtful, &left)?;
            let lost = self.difference(&doubtful, &good)?;
            if lost.node().is_zero() {
                return Ok((left, rounds));
            }
            left = self.difference(&left, &lost)?;
            if let Some(state) = wanted {
                if !self.includes(&left, state)? {
                    return Ok((left, rounds));
                }
            }
            let open = self.difference(&left, ends)?;
            doubtful = self.step(direction, &open, &lost)?;
        }
        unreachable!("the loop has no end of its own")
    }

    /// The same by a search for cycles: a state of `stay` is taken; if it lies on a cycle there, all
    /// that leads to it is found; if not, the next one is taken.
    fn always_by_cycles(
        &mut self,
        stay: &Root,
        ends: &Root,
        wanted: Option<&Root>,
    ) -> Result<(Root, usize), Halt> {
        let back = Direction::Backward;
        let (mut found, _) = self.inner_until(back, Until::Constrained, (stay, ends), None)?;
        let mut left = self.difference(stay, &found)?;
        // What is left out of the search lies on no cycle, but may lead to one.
        let mut inside = left.clone();
        for rounds in 1.. {
            if left.node().is_zero() || self.is_decided(wanted, &found)? {
                return Ok((found, rounds));
            }
            let one = self.one_of(&left)?;
            let next = self.step(Direction::Forward, &inside, &one)?;
            let way = Until::Constrained;
            let (after, _) = self.inner_until(Direction::Forward, way, (&inside, &next), None)?;
            if self.includes(&after, &one)? {
                let (more, _) = self.inner_until(back, way, (&inside, &one), None)?;
                found = self.union(&found, &more)?;
                left = self.difference(&left, &more)?;
                inside = self.difference(&inside, &more)?;
            } else {
                left = self.difference(&left, &one)?;
            }
        }
        unreachable!("the loop has no end of its own")
    }

    /// A set with one state of a set that is not empty.
    fn one_of(&mut self, set: &Root) -> Result<Root, Halt> {
        let mut steps = self.dd.pick(set.node()).unwrap_or_default();
        steps.reverse();
        let mut node = Node::ONE;
        for step in steps {
            if let plait_dd::Value::Integer(value) = step.value {
                let edge = plait_dd::Edge::integer(value, node);
                node = self.dd.integer_node(step.variable, &[edge])?;
            }
        }
        Ok(self.dd.root(node))
    }

    /// Whether the initial state is in the set.
    pub fn holds_initially(&mut self, set: Node) -> Result<bool, Halt> {
        let set = self.dd.root(set);
        let initial = self.initial()?;
        self.includes(&set, &initial)
    }

    /// The initial state alone.
    pub fn initial_states(&mut self) -> Result<Root, Halt> {
        self.initial()
    }

    /// The states of one set or the other.
    pub fn united(&mut self, a: Node, b: Node) -> Result<Root, Halt> {
        let union = self.dd.union(a, b)?;
        Ok(self.dd.root(union))
    }

    /// The states of both sets.
    pub fn common(&mut self, a: Node, b: Node) -> Result<Root, Halt> {
        let intersection = self.dd.intersection(a, b)?;
        Ok(self.dd.root(intersection))
    }

    /// The states of one set and not of the other.
    pub fn without(&mut self, a: Node, b: Node) -> Result<Root, Halt> {
        let difference = self.dd.difference(a, b)?;
        Ok(self.dd.root(difference))
    }
}
