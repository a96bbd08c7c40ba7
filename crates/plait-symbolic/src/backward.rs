//! Going backward: predecessors of sets of reachable states, and what leads to them.
//!
//! The classical way to CTL: each event is inverted in the context of the reachable states, where the
//! inverse is exact, and the inverses are applied to sets of reachable states.

use plait_dd::{Node, Root};

use crate::encoded::{Encoded, Halt};
use crate::hom::Hom;

impl Encoded {
    /// The inverses of all events within the reachable states, made when they are first needed.
    fn inverses(&mut self) -> Result<Hom, Halt> {
        if let Some(known) = self.backward {
            return Ok(known);
        }
        let reachable = self.reachable()?;
        let homs: Vec<Hom> = self.events().iter().map(|e| e.hom).collect();
        let mut inverses = Vec::with_capacity(homs.len());
        for hom in homs {
            inverses.push(self.homs.predecessors(&mut self.dd, hom, reachable)?);
        }
        let sum = self.homs.sum(&inverses);
        self.backward = Some(sum);
        Ok(sum)
    }

    /// The reachable states with a successor in the set, whose states must be reachable.
    pub fn predecessors(&mut self, set: Node) -> Result<Root, Halt> {
        let set = self.dd.root(set);
        let inverses = self.inverses()?;
        self.image(inverses, set.node())
    }

    /// The states of `stay` from which a path inside `stay` leads to the goal, and the goal.
    pub fn eventually(&mut self, stay: Node, goal: Node) -> Result<Root, Halt> {
        let (stay, goal) = (self.dd.root(stay), self.dd.root(goal));
        let inverses = self.inverses()?;
        if stay.node() == self.reachable()? {
            // Nothing is left out on the way, so that the closure saturates.
            let step = self.homs.sum(&[inverses, Hom::ID]);
            let closure = self.homs.fixpoint(step);
            return self.image(closure, goal.node());
        }
        let mut found = goal.clone();
        let mut last = goal;
        loop {
            let before = self.image(inverses, last.node())?;
            let inside = self.intersection(&before, &stay)?;
            last = self.difference(&inside, &found)?;
            if last.node().is_zero() {
                return Ok(found);
            }
            found = self.union(&found, &last)?;
        }
    }

    /// The states of `stay` from which some path stays there for ever, ends there, or stays there until
    /// it comes to the goal; and the goal.
    pub fn invariantly(&mut self, stay: Node, goal: Node) -> Result<Root, Halt> {
        let (stay, goal) = (self.dd.root(stay), self.dd.root(goal));
        let dead = self.deadlocks()?;
        let ends = self.intersection(&dead, &stay)?;
        let always = self.union(&goal, &ends)?;
        let mut left = self.union(&stay, &goal)?;
        loop {
            let before = self.predecessors(left.node())?;
            let goes_on = self.intersection(&before, &stay)?;
            let rest = self.union(&always, &goes_on)?;
            let rest = self.intersection(&rest, &left)?;
            if rest.node() == left.node() {
                return Ok(left);
            }
            left = rest;
        }
    }

    /// Whether the initial state is in the set.
    pub fn holds_initially(&mut self, set: Node) -> Result<bool, Halt> {
        let set = self.dd.root(set);
        let initial = self.initial()?;
        Ok(self.dd.is_subset(initial.node(), set.node())?)
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
