//! What a search may leave out: the parts of a partial-order reduction, and what it counts.
//!
//! Three parts that can each be off: *persistent sets* choose which of the enabled events of a state
//! are executed at all; *sleep sets* leave out those that an earlier branch has executed; the
//! *proviso* sees to it that no event is put off for ever. What is kept depends on the parts
//! (Godefroid's thesis, table of section 8):
//!
//! | parts | keeps |
//! |---|---|
//! | none, sleep sets alone | every state |
//! | persistent sets, with or without sleep sets | every deadlock |
//! | with the proviso | also which events are ever executed, and goals that have a monitor |
//!
//! Invariant: with sleep sets and the proviso together the order is depth-first and the dependency
//! relation the constant one (sections 5.3 and 5.4 of the thesis).

use std::sync::Arc;

use plait_program::{Code, Program};
use plait_reduction::{Algorithm, BitSet, Dependency, TooLarge};

use crate::hash::RecordHash;
use crate::independence::Check;
use crate::options::Order;
use crate::search::{Halt, Search};

/// For each goal of a search its monitors: a disjunction of conjunctions. A goal that is only asked
/// of deadlocks has none.
pub type Monitors = Vec<Vec<Vec<Code>>>;

/// What may be left out.
#[derive(Clone, Debug)]
pub struct Reduction {
    pub(crate) dependency: Arc<Dependency>,
    /// The monitors of each goal, by number.
    pub(crate) monitors: Vec<std::ops::Range<usize>>,
    /// Persistent sets by this algorithm.
    pub persistent: Option<Algorithm>,
    /// Sleep sets.
    pub sleep: bool,
    /// The proviso.
    pub proviso: bool,
    /// The proviso is asked of components, not of successors: see `components`.
    pub components: bool,
    /// Sleep sets are stored with states. Without that, a state is not visited again: depth-first,
    /// and without persistent sets.
    pub stored: bool,
    /// Sleep sets without the proviso ask whether two events are independent in the state where they
    /// meet, by executing them, where the constant relation says that they are not.
    pub conditional: bool,
    /// Of equally small persistent sets, one whose successors are all stored is preferred.
    pub prefer_stored: bool,
    /// The arcs of the reduced graph are kept.
    pub record: bool,
    /// Claimed independences are tested on every state.
    pub check: bool,
    /// Several threads guess which sets the proviso will accept before they store successors. Without
    /// the guess it is asked of the smallest set alone.
    pub(crate) guess: bool,
}

impl Reduction {
    /// No part on yet; the dependency of the program is worked out here.
    pub fn new(program: &Program, monitors: &Monitors) -> Result<Reduction, TooLarge> {
        Reduction::by(program, monitors, Dependency::new)
    }

    /// The same, with last events only watched for: that needs the proviso, and not all states to
    /// which they lead are kept.
    pub fn watching(program: &Program, monitors: &Monitors) -> Result<Reduction, TooLarge> {
        Reduction::by(program, monitors, Dependency::watching)
    }

    fn by(
        program: &Program,
        monitors: &Monitors,
        analyse: fn(&Program, &[Vec<Code>]) -> Result<Dependency, TooLarge>,
    ) -> Result<Reduction, TooLarge> {
        let mut ranges = Vec::with_capacity(monitors.len());
        let mut all: Vec<Vec<Code>> = Vec::new();
        for goal in monitors {
            ranges.push(all.len()..all.len() + goal.len());
            all.extend(goal.iter().cloned());
        }
        Ok(Reduction {
            dependency: Arc::new(analyse(program, &all)?),
            monitors: ranges,
            persistent: None,
            sleep: false,
            proviso: false,
            components: false,
            stored: true,
            conditional: false,
            prefer_stored: false,
            record: false,
            check: false,
            guess: true,
        })
    }

    /// Turns the proviso on when events may be errors of the model, or are watched for, which
    /// persistent sets alone would be free to miss; whether it did. Where that cannot be combined
    /// with other parts, they go off.
    pub fn keep_errors(&mut self, order: Order) -> bool {
        let safe = self.persistent.is_none() || self.proviso;
        let none = self.dependency.faulty.is_empty() && self.dependency.last.is_empty();
        if safe || none {
            return false;
        }
        self.proviso = true;
        self.sleep &= matches!(order, Order::DepthFirst | Order::Caching(_));
        if self.persistent == Some(Algorithm::Weak) {
            self.persistent = Some(Algorithm::Guards);
        }
        true
    }

    /// The sleep set of a successor of a state under the event: what sleeps and is independent of it.
    pub(crate) fn inherited<H: RecordHash>(
        &self,
        search: &mut Search<'_, H>,
        cells: impl FnOnce(&mut Search<'_, H>) -> Vec<i32>,
        (sleep, event): (&[u32], u32),
    ) -> Result<Vec<u32>, Halt> {
        if !self.sleep {
            return Ok(Vec::new());
        }
        let matrix = if self.proviso {
            &self.dependency.depend
        } else {
            &self.dependency.conflict
        };
        let row = matrix.row(event);
        let may_accord = |e: u32| self.conditional && !self.proviso && self.is_plain(e);
        let refine = |e: &u32| row.contains(*e) && *e != event && may_accord(*e);
        if !self.is_plain(event) || !sleep.iter().any(refine) {
            let awake = |e: &u32| !row.contains(*e);
            return Ok(sleep.iter().copied().filter(awake).collect());
        }
        let cells = cells(search);
        search.work += cells.len();
        let mut test = Check {
            program: search.program,
            dependency: &self.dependency,
            machine: &mut search.machine,
            watch: &mut search.supervisor,
            tested: 0,
        };
        let mut kept = Vec::new();
        for e in sleep {
            if !row.contains(*e) || (refine(e) && test.accord_in(&cells, *e, event)?) {
                kept.push(*e);
            }
        }
        Ok(kept)
    }

    /// Adds the enabled events that are watched for to those that were chosen.
    pub(crate) fn add_watched(&self, chosen: &mut BitSet, enabled: &BitSet) {
        let watched = self.dependency.last.iter();
        watched
            .filter(|e| enabled.contains(*e))
            .for_each(|e| chosen.insert(e));
    }

    /// Executing the event shows all that there is to know about it.
    fn is_plain(&self, event: u32) -> bool {
        !self.dependency.idle.contains(event) && !self.dependency.last.contains(event)
    }

    /// A state that is visited again may have something to execute.
    pub(crate) fn stores_sleep(&self) -> bool {
        self.sleep && self.stored
    }

    /// Several threads can search with it: what looks at a whole stack, at all that is stored, or at
    /// every arc is for one.
    pub(crate) fn suits_threads(&self) -> bool {
        let special = self.components || self.prefer_stored || self.record;
        !self.sleep && !self.check && !special
    }

    /// Some part looks at runs or at components, and not only at what can be reached.
    pub(crate) fn asks_of_all_runs(&self) -> bool {
        self.sleep || self.components || self.record
    }

    /// The proviso is asked of the successors of a set.
    pub(crate) fn asks_successors(&self) -> bool {
        self.proviso && !self.components
    }

    /// The dependency that the reduction rests on.
    pub fn dependency(&self) -> &Dependency {
        &self.dependency
    }
}

/// Two events that were taken to be independent and are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disturbance {
    /// In which state.
    pub state: u32,
    /// The events.
    pub events: (u32, u32),
    /// What went wrong.
    pub what: &'static str,
}

/// What such a search counts besides.
#[derive(Clone, Debug, Default)]
pub struct ReducedFigures {
    /// The longest path that was on the stack, or the distance of the farthest state.
    pub depth: u64,
    /// States of which only some of the enabled events were executed.
    pub reduced: u64,
    /// Visits of a state that was there already.
    pub matched: u64,
    /// Events that were not executed on the first visit of a state because they slept.
    pub asleep: u64,
    /// First visits of states that are no deadlocks where everything that was chosen slept.
    pub blocked: u64,
    /// Pairs of events tested for independence.
    pub tested: u64,
    /// States in the cache at the end.
    pub stored: u64,
    /// States that a cache has forgotten.
    pub cleared: u64,
    /// Successors that a search with a cache has visited.
    pub executed: u64,
    /// The arcs of the reduced graph, where they are asked for: state, event by its place in the list
    /// of free ones, successor.
    pub graph: Vec<(u32, u32, u32)>,
    /// A claimed independence that does not hold.
    pub disturbance: Option<Disturbance>,
}
