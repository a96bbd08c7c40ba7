//! Nets: published figures, the golden run, and random nets against explicit search.

mod allocations;
mod golden;
mod invariants;
mod limits;
mod published;
mod random;
mod weighed;

use plait_dd::{Manager, Node};

use crate::{LocalSize, Locals, Net, Reached, Relation, Strategy};

pub(crate) const STRATEGIES: [Strategy; 7] = [
    Strategy::Saturation,
    Strategy::Forwarding,
    Strategy::Chaining { frontier: false },
    Strategy::Chaining { frontier: true },
    Strategy::BreadthFirst { frontier: false },
    Strategy::BreadthFirst { frontier: true },
    Strategy::Rounds,
];

/// A net, explored.
pub(crate) struct Explored {
    pub dd: Manager,
    pub relation: Relation,
    pub reached: Reached,
}

impl Explored {
    pub fn states(&self) -> Node {
        self.reached.states.node()
    }

    pub fn count(&self) -> String {
        self.dd.count(self.states()).to_string()
    }

    pub fn deadlocks(&mut self) -> String {
        let states = self.states();
        let dead = self.relation.deadlocks(&mut self.dd, states);
        self.dd.count(dead.unwrap().node()).to_string()
    }

    /// Discovered and confirmed local states of a level, from 1.
    pub fn local(&self, level: usize) -> (usize, usize) {
        let LocalSize {
            discovered,
            confirmed,
        } = self.relation.local_sizes()[level - 1];
        (discovered, confirmed)
    }
}

pub(crate) fn explore(net: &Net, strategy: Strategy) -> Explored {
    explore_in(Manager::new(), net, strategy, &Locals::OnTheFly)
}

pub(crate) fn explore_in(
    mut dd: Manager,
    net: &Net,
    strategy: Strategy,
    locals: &Locals,
) -> Explored {
    let mut relation = Relation::new(&mut dd, net, locals).unwrap();
    let reached = relation.reach(&mut dd, strategy).unwrap();
    Explored {
        dd,
        relation,
        reached,
    }
}
