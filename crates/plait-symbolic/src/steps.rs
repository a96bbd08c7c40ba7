//! Steps between sets of reachable states, forward and backward, for programs of any kind.
//!
//! What the algorithms of `ctl` need and no more: one step of all events or of one, and the closure
//! under some events or inside a constraint. Nets take them level by level, where saturation works
//! inside constraints; all other programs by homomorphisms, whose inverses are exact within the
//! reachable states. Sets are *inner* ones here: by level for nets, by cell for the others.

use plait_dd::{Node, Root, Stop};

use crate::constrained::EVERYTHING;
use crate::encoded::{Encoded, Halt};
use crate::hom::Hom;
use crate::inverse::Direction;
use crate::net_ctl::NetCtl;

/// What [`Encoded`] knows about going backward.
#[derive(Default)]
pub(crate) struct Steps {
    net: Option<NetCtl>,
    /// The inverses of all events, for programs that are not nets.
    inverses: Option<Vec<Hom>>,
}

impl Encoded {
    /// The parts of a net, with what is needed to go both ways made ready.
    fn net_steps(&mut self) -> Option<()> {
        let net = self.net.as_ref()?;
        if self.steps.net.is_none() {
            self.steps.net = Some(NetCtl::new(&mut self.dd, &net.relation));
        }
        Some(())
    }

    /// A set of reachable states in its inner form.
    pub(crate) fn inner(&mut self, set: Node) -> Result<Root, Halt> {
        let set = self.dd.root(set);
        self.net_steps();
        match (&self.net, &mut self.steps.net) {
            (Some(net), Some(steps)) => {
                Ok(steps.by_level(&mut self.dd, &net.relation, set.node())?)
            }
            _ => Ok(set),
        }
    }

    /// An inner set by cell.
    pub(crate) fn outer(&mut self, set: &Root) -> Result<Root, Halt> {
        match (&self.net, &mut self.steps.net) {
            (Some(net), Some(steps)) => Ok(steps.by_cell(&mut self.dd, &net.relation, set)?),
            _ => Ok(set.clone()),
        }
    }

    /// The reachable states, an inner set.
    pub(crate) fn inner_reachable(&mut self) -> Result<Root, Halt> {
        let reachable = self.reachable()?;
        self.inner(reachable)
    }

    /// The states without successor, an inner set.
    pub(crate) fn inner_deadlocks(&mut self) -> Result<Root, Halt> {
        let dead = self.deadlocks()?;
        self.inner(dead.node())
    }

    /// The homomorphisms of the events in a direction.
    fn homs_of(&mut self, direction: Direction) -> Result<Vec<Hom>, Halt> {
        let homs: Vec<Hom> = self.events().iter().map(|e| e.hom).collect();
        if direction == Direction::Forward {
            return Ok(homs);
        }
        if let Some(known) = &self.steps.inverses {
            return Ok(known.clone());
        }
        let reachable = self.reachable()?;
        let mut inverses = Vec::with_capacity(homs.len());
        for hom in homs {
            inverses.push(self.homs.predecessors(&mut self.dd, hom, reachable)?);
        }
        self.steps.inverses = Some(inverses.clone());
        Ok(inverses)
    }

    /// The states of `within` that one step leads to from the set.
    pub(crate) fn step(
        &mut self,
        direction: Direction,
        within: &Root,
        set: &Root,
    ) -> Result<Root, Halt> {
        if let (Some(net), Some(steps)) = (&mut self.net, &self.steps.net) {
            let mut events = steps.all(&mut net.relation, direction);
            return Ok(events.step(&mut self.dd, within.node(), set.node())?);
        }
        let homs = self.homs_of(direction)?;
        let sum = self.homs.sum(&homs);
        let image = self.image(sum, set.node())?;
        self.intersection(&image, within)
    }

    /// How many events there are to be told apart.
    pub(crate) fn event_count(&mut self) -> usize {
        match &self.net {
            Some(net) => net.relation.events.len(),
            None => self.events().len(),
        }
    }

    /// The states that one event leads to from the set: of nets also unreachable ones, composed of
    /// the local states of reachable ones.
    pub(crate) fn event_step(
        &mut self,
        direction: Direction,
        event: usize,
        set: &Root,
    ) -> Result<Root, Halt> {
        if let (Some(net), Some(steps)) = (&mut self.net, &self.steps.net) {
            let tail = net.relation.events[event];
            let mut events = steps.all(&mut net.relation, direction);
            return Ok(events.event(&mut self.dd, tail, EVERYTHING, set.node())?);
        }
        let homs = self.homs_of(direction)?;
        self.image(homs[event], set.node())
    }

    /// The closure of a set under some events: of nets also with unreachable states, if the events
    /// lead to such.
    pub(crate) fn closure_of(
        &mut self,
        direction: Direction,
        events: &[usize],
        set: &Root,
    ) -> Result<Root, Halt> {
        if let (Some(net), Some(steps)) = (&mut self.net, &self.steps.net) {
            let tails: Vec<u32> = events.iter().map(|e| net.relation.events[*e]).collect();
            let (dd, relation) = (&mut self.dd, &mut net.relation);
            return Ok(steps.closure_of(dd, relation, direction, &tails, set.node())?);
        }
        let homs = self.homs_of(direction)?;
        let mut some: Vec<Hom> = events.iter().map(|e| homs[*e]).collect();
        some.push(Hom::ID);
        let sum = self.homs.sum(&some);
        let closure = self.homs.fixpoint(sum);
        self.image(closure, set.node())
    }

    /// The set, and what steps into `within` lead to from it, by saturation inside the constraint;
    /// `None` where that is not to be had.
    pub(crate) fn constrained_closure(
        &mut self,
        direction: Direction,
        within: &Root,
        set: &Root,
    ) -> Result<Option<Root>, Halt> {
        if let (Some(net), Some(steps)) = (&mut self.net, &self.steps.net) {
            let mut events = steps.all(&mut net.relation, direction);
            let closure = events.closure(&mut self.dd, within.node(), set.node())?;
            return Ok(Some(closure));
        }
        if within.node() != self.reachable()? {
            return Ok(None);
        }
        // Nothing is left out on the way: the inverses stay within the reachable states.
        let events: Vec<usize> = (0..self.event_count()).collect();
        self.closure_of(direction, &events, set).map(Some)
    }

    /// One state as an inner set.
    pub(crate) fn inner_initial(&mut self) -> Result<Root, Halt> {
        let initial = self.initial()?;
        self.inner(initial.node())
    }

    /// Whether one set holds all states of another.
    pub(crate) fn includes(&mut self, all: &Root, some: &Root) -> Result<bool, Halt> {
        let subset = self.dd.is_subset(some.node(), all.node());
        subset.map_err(|stop: Stop| Halt::Stop(stop))
    }
}
