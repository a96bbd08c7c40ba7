//! Persistent sets: which of the enabled events of a state are enough.
//!
//! All algorithms close a set under "if this event is in, those must be", from one enabled event on,
//! and what is enabled in the result is a persistent set: whatever happens outside of it, its events
//! stay enabled and can as well happen first. They differ in how much they know.
//!
//! | algorithm | an enabled event brings in | a disabled event brings in |
//! |---|---|---|
//! | `Conflicts` | neighbours | everything: it gives up (Godefroid's Algorithm 1) |
//! | `Overman` | the processes that the local states of its processes can meet | (works on processes; 2) |
//! | `Stubborn` | events that do not accord with it | one necessary enabling set (3, Valmari) |
//! | `Conditional` | events that might be the first to interfere from here | the same for a false guard (4) |
//! | `Guards` | as `Stubborn` | the smallest of: enablers of a false guard, events that move the cell away from its present value |
//! | `Deletion` | as `Guards`, then every event is taken out again that can be | |
//! | `ConditionalConflicts`, `ConditionalOverman` | as 1 and 2, with events that might be the first to interfere from here | |
//! | `First`, `Exhaustive` | as `Stubborn` | the enabling set of the first false guard; each in turn |
//! | `Minimal` | as `Guards`, with the choice of enabling sets fixed in advance | |
//! | `Weak` | one key event as `Stubborn`; the others only what they disturb | as `Guards` |
//!
//! `Weak` keeps deadlocks only. Monitors of goals take part as events that are never enabled. Last
//! events that are only watched for take part too, but no set begins with one. Idle events take no
//! part: an event of the set stays possible as long as none of the set is executed, so no idle event
//! comes before. Where an idle event is possible, all are executed.

use std::collections::HashMap;
use std::sync::Arc;

use plait_program::Scratch;

use crate::bits::{BitSet, Matrix};
use crate::dependency::Dependency;
use crate::description::Guard;
use crate::interference::{interferers_of, Asked};
use crate::local::local_events;
use crate::operation::Operation;
use crate::pieces::Pieces;
use crate::processes::Processes;

/// How persistent sets are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Conflicting transitions (Algorithm 1).
    Conflicts,
    /// Overman's algorithm, generalised (Algorithm 2).
    Overman,
    /// Stubborn sets (Algorithm 3).
    Stubborn,
    /// Conditional stubborn sets (Algorithm 4).
    Conditional,
    /// Guard-based stubborn sets.
    Guards,
    /// Guard-based stubborn sets made minimal by deletion.
    Deletion,
    /// Guard-based weak stubborn sets.
    Weak,
    /// Algorithm 1 asking the present values.
    ConditionalConflicts,
    /// Algorithm 2 asking the present values.
    ConditionalOverman,
    /// Algorithm 3 with the enabling set of the first false guard.
    First,
    /// Algorithm 3 with all enabling sets tried.
    Exhaustive,
    /// Guard-based stubborn sets with choices fixed in advance, smallest over all starts at once.
    Minimal,
}

/// What a search thinks of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It will not do.
    No,
    /// It will do.
    Yes,
    /// No set of the same size is better.
    Best,
}

impl Algorithm {
    /// All of them, with the names by which users know them.
    pub const ALL: [(&'static str, Algorithm); 12] = [
        ("conflicts", Algorithm::Conflicts),
        ("overman", Algorithm::Overman),
        ("stubborn", Algorithm::Stubborn),
        ("conditional", Algorithm::Conditional),
        ("guards", Algorithm::Guards),
        ("deletion", Algorithm::Deletion),
        ("weak", Algorithm::Weak),
        ("conditional-conflicts", Algorithm::ConditionalConflicts),
        ("conditional-overman", Algorithm::ConditionalOverman),
        ("stubborn-first", Algorithm::First),
        ("stubborn-exhaustive", Algorithm::Exhaustive),
        ("minimal", Algorithm::Minimal),
    ];

    /// The algorithm of that name.
    pub fn parse(name: &str) -> Option<Algorithm> {
        let found = Algorithm::ALL.iter().find(|(n, _)| *n == name);
        found.map(|(_, algorithm)| *algorithm)
    }
}

/// Computes persistent sets of one program; keeps its working memory from state to state.
#[derive(Clone, Debug)]
pub struct Selector {
    pub(crate) dependency: Arc<Dependency>,
    pub(crate) processes: Option<Processes>,
    pub(crate) algorithm: Algorithm,
    /// Enabled events bring in what `depend` says, not only what does not accord: for sleep sets
    /// with a proviso, whose proof needs a dependency relation that is the same in all states.
    pub(crate) constant: bool,
    /// An inert event is a set by itself: see `alone`.
    pub(crate) inert: bool,
    /// Events whose sets are tried first.
    pub(crate) local: BitSet,
    /// Events and monitors that take part.
    pub(crate) present: BitSet,
    /// The state: its cells and its enabled events.
    pub(crate) enabled: BitSet,
    pub(crate) values: Vec<i32>,
    pub(crate) guard_known: Vec<(u64, bool)>,
    pub(crate) epoch: u64,
    pub(crate) scratch: Scratch,
    /// Working memory: the set, what is still to be looked at, and the best set so far.
    pub(crate) set: BitSet,
    pub(crate) pending: Vec<u32>,
    pub(crate) best: BitSet,
    /// No event.
    pub(crate) nothing: BitSet,
    /// Sets worked out on the way, and where: for a cell and a value, those that move it away; for
    /// a guard and a value, those that might be the first to interfere.
    pub(crate) derived: Vec<BitSet>,
    pub(crate) leavers: HashMap<(u32, i32), usize>,
    /// For each cell the leavers of its value in the present state, once asked for.
    pub(crate) leavers_here: Vec<(u64, usize)>,
    pub(crate) first: HashMap<(u32, i32), Option<usize>>,
    pub(crate) interferers: HashMap<(u32, u32, i32, Asked), BitSet>,
    pub(crate) around: HashMap<(u32, i32), BitSet>,
}

impl Selector {
    /// A selector for the analysed program.
    pub fn new(dependency: Arc<Dependency>, algorithm: Algorithm, constant: bool) -> Selector {
        let size = dependency.size();
        let by_process = matches!(
            algorithm,
            Algorithm::Conflicts
                | Algorithm::Overman
                | Algorithm::ConditionalConflicts
                | Algorithm::ConditionalOverman
        );
        let mut present = BitSet::full(size);
        present.subtract(&dependency.idle);
        let local = match algorithm {
            Algorithm::Guards | Algorithm::Deletion | Algorithm::Weak => local_events(&dependency),
            _ => BitSet::new(size),
        };
        Selector {
            local,
            processes: by_process.then(|| Processes::new(&dependency)),
            algorithm,
            constant,
            inert: false,
            present,
            enabled: BitSet::new(size),
            values: Vec::new(),
            guard_known: vec![(0, false); dependency.conjuncts.len()],
            epoch: 0,
            scratch: Scratch::default(),
            set: BitSet::new(size),
            pending: Vec::new(),
            best: BitSet::new(size),
            nothing: BitSet::new(size),
            derived: Vec::new(),
            leavers: HashMap::new(),
            leavers_here: Vec::new(),
            first: HashMap::new(),
            interferers: HashMap::new(),
            around: HashMap::new(),
            dependency,
        }
    }

    /// The same, which tries inert events first, each alone.
    ///
    /// That is no persistent set: others may depend on the event. But what is asked for can be reached
    /// from its successor by as many other events as from the state (`plait_program::Builder::inert`).
    /// A run has finitely many inert events. Behind the last of them on its way, the search finds what
    /// is asked for as it would without them: each persistent set takes one of the other events away,
    /// and the proviso sees to it that one does. Which of several deadlocks that inert events alone
    /// tell apart is found is left open, so this is not for who counts them; and sleep sets, which
    /// speak of all runs, know nothing of it.
    pub fn with_inert(mut self) -> Selector {
        self.inert = true;
        self
    }

    /// The dependency that it works with.
    pub fn dependency(&self) -> &Dependency {
        &self.dependency
    }

    /// The processes that it sees, where it works with processes.
    pub fn processes(&self) -> Option<&Processes> {
        self.processes.as_ref()
    }

    /// The goal of that number is found: its monitor no longer takes part.
    pub fn retire(&mut self, goal: usize) {
        let monitor = (self.dependency.events() + goal) as u32;
        self.present.remove(monitor);
    }

    /// A persistent set of the state: the smallest from any start that `accept` agrees to, else all
    /// enabled events. Of sets with as many enabled events, the one that brings in fewest in all is
    /// taken: it has least to do with the rest of the system.
    pub fn select(
        &mut self,
        cells: &[i32],
        enabled: &BitSet,
        mut accept: impl FnMut(&BitSet) -> bool,
    ) -> BitSet {
        self.select_by(cells, enabled, |set| match accept(set) {
            true => Fit::Best,
            false => Fit::No,
        })
    }

    /// The same with a preference: of sets with as many enabled events, the one that fits best.
    pub fn select_by(
        &mut self,
        cells: &[i32],
        enabled: &BitSet,
        mut judge: impl FnMut(&BitSet) -> Fit,
    ) -> BitSet {
        if enabled.meets(&self.dependency.idle) || enabled.len() <= 1 {
            return enabled.clone();
        }
        if let Some(alone) = self.alone(enabled, &mut judge) {
            return alone;
        }
        self.enter(cells, enabled);
        let starts: Vec<u32> = enabled
            .iter()
            .filter(|e| self.present.contains(*e) && !self.dependency.last.contains(*e))
            .collect();
        if self.algorithm == Algorithm::Minimal {
            return self.smallest_closed(&starts, judge);
        }
        let local: Vec<u32> = starts
            .iter()
            .copied()
            .filter(|e| self.local.contains(*e))
            .collect();
        let best = self.smallest(&local, true, &mut judge);
        let best = best.filter(|best| best.fit == Fit::Best);
        let Some(best) = best.or_else(|| self.smallest(&starts, false, &mut judge)) else {
            return enabled.clone();
        };
        if self.algorithm == Algorithm::Deletion && best.events.len() > 1 {
            let fewer = self.delete();
            if judge(&fewer) != Fit::No {
                return fewer;
            }
        }
        best.events
    }

    /// The same where judging a set may fail; after that no other is judged.
    pub fn try_select<E>(
        &mut self,
        cells: &[i32],
        enabled: &BitSet,
        mut judge: impl FnMut(&BitSet) -> Result<Fit, E>,
    ) -> Result<BitSet, E> {
        let mut failure = None;
        let chosen = self.select_by(cells, enabled, |set| match failure {
            Some(_) => Fit::No,
            None => judge(set).unwrap_or_else(|error| {
                failure = Some(error);
                Fit::No
            }),
        });
        failure.map_or(Ok(chosen), Err)
    }

    /// An enabled inert event by itself, if one will do.
    fn alone(&self, enabled: &BitSet, judge: &mut impl FnMut(&BitSet) -> Fit) -> Option<BitSet> {
        if !self.inert {
            return None;
        }
        let inert = enabled
            .iter()
            .filter(|e| self.dependency.inert.contains(*e));
        // The latest first: a process that ends before another is run leaves it its number.
        let mut latest_first = inert.collect::<Vec<u32>>().into_iter().rev();
        latest_first.find_map(|event| {
            let mut alone = BitSet::new(self.dependency.size());
            alone.insert(event);
            (judge(&alone) != Fit::No).then_some(alone)
        })
    }

    /// The smallest set from one of the starts that will do, if it is smaller than all enabled events;
    /// if asked for, only one whose enabled events are all local.
    fn smallest(
        &mut self,
        starts: &[u32],
        local: bool,
        judge: &mut impl FnMut(&BitSet) -> Fit,
    ) -> Option<Best> {
        let (mut smallest, mut members) = (self.enabled.len(), usize::MAX);
        let mut found: Option<Best> = None;
        for start in starts {
            let settled = found.as_ref().is_some_and(|best| best.fit == Fit::Best);
            if settled && members == 1 {
                break;
            }
            let limit = smallest + usize::from(found.is_some());
            let Some(count) = self.close(*start, limit) else {
                continue;
            };
            if settled && count == smallest && self.set.len() >= members {
                continue;
            }
            let mut events = self.set.clone();
            events.keep(&self.enabled);
            debug_assert_eq!(events.len(), count);
            if local && !events.is_within(&self.local) {
                continue;
            }
            let fit = judge(&events);
            let better = found.as_ref().is_none_or(|best| {
                count < smallest || fit > best.fit || (fit == best.fit && self.set.len() < members)
            });
            if fit != Fit::No && better {
                (smallest, members) = (count, self.set.len());
                self.best.copy_from(&self.set);
                found = Some(Best { events, fit });
            }
        }
        found
    }

    /// The smallest closed set that fits, of equally small ones the one that fits best.
    fn smallest_closed(&mut self, starts: &[u32], mut judge: impl FnMut(&BitSet) -> Fit) -> BitSet {
        let mut found: Option<(BitSet, usize, Fit)> = None;
        for closed in self.closed_sets(starts) {
            let (count, best) = match &found {
                Some((_, count, fit)) => (*count, *fit),
                None => (self.enabled.len() - 1, Fit::No),
            };
            if closed.count > count || best == Fit::Best {
                break;
            }
            let fit = judge(&closed.events);
            if fit > best {
                found = Some((closed.events, closed.count, fit));
            }
        }
        found.map_or_else(|| self.enabled.clone(), |(events, _, _)| events)
    }

    /// The present values are asked, not only which events could ever meet.
    pub(crate) fn asks_values(&self) -> bool {
        let asks = matches!(
            self.algorithm,
            Algorithm::ConditionalConflicts | Algorithm::ConditionalOverman
        );
        asks && !self.constant
    }

    /// The persistent set that begins with this enabled event; `None` when it is not smaller than
    /// all enabled events.
    pub fn from_start(&mut self, cells: &[i32], enabled: &BitSet, start: u32) -> Option<BitSet> {
        self.enter(cells, enabled);
        self.close(start, enabled.len())?;
        let mut events = self.set.clone();
        events.keep(enabled);
        Some(events)
    }

    fn enter(&mut self, cells: &[i32], enabled: &BitSet) {
        self.values.clear();
        self.values.extend_from_slice(cells);
        self.enabled.copy_from(enabled);
        self.leavers_here.resize(cells.len(), (0, 0));
        self.epoch += 1;
    }

    /// Closes the set from `start`; how many enabled events are in it, or `None` when there would
    /// be `limit` or more.
    fn close(&mut self, start: u32, limit: usize) -> Option<usize> {
        match self.algorithm {
            Algorithm::Conflicts | Algorithm::ConditionalConflicts => self.conflicts(start, limit),
            Algorithm::Overman | Algorithm::ConditionalOverman => self.overman(start, limit),
            Algorithm::Exhaustive => self.exhaustive(start, limit),
            _ => self.stubborn(start, limit),
        }
    }

    /// Algorithms 3 and 4 and the guard-based ones.
    pub(crate) fn stubborn(&mut self, start: u32, limit: usize) -> Option<usize> {
        let dependency = Arc::clone(&self.dependency);
        self.set.clear();
        self.set.insert(start);
        self.pending.clear();
        self.pending.push(start);
        let mut count = 1;
        while let Some(event) = self.pending.pop() {
            if count >= limit {
                return None;
            }
            if !self.enabled.contains(event) {
                match self.enabling_set(&dependency, event) {
                    Source::Guard(number) => {
                        let set = &dependency.conjuncts[number as usize].enablers;
                        self.absorb(set, &mut count);
                    }
                    Source::Derived(number) => {
                        let set = std::mem::take(&mut self.derived[number]);
                        self.absorb(&set, &mut count);
                        self.derived[number] = set;
                    }
                    Source::Touching => {
                        self.absorb(&dependency.touching[event as usize], &mut count);
                    }
                }
            } else if self.algorithm == Algorithm::Conditional && !self.constant {
                self.absorb(dependency.errors.row(event), &mut count);
                for (cell, class) in &dependency.classes[event as usize] {
                    let (value, at) = (self.values[*cell as usize], (*cell, *class));
                    let found = self.interferers(&dependency, at, value, Asked::Enabled);
                    let found = found.clone();
                    self.absorb(&found, &mut count);
                }
            } else {
                let row = self.row(&dependency, event, event == start);
                self.absorb(&row, &mut count);
            }
        }
        (count < limit).then_some(count)
    }

    pub(crate) fn absorb(&mut self, more: &BitSet, count: &mut usize) {
        let (pending, enabled) = (&mut self.pending, &self.enabled);
        self.set.absorb(more, &self.present, |e| {
            pending.push(e);
            *count += usize::from(enabled.contains(e));
        });
    }

    /// What an enabled event brings in.
    pub(crate) fn row<'d>(
        &self,
        dependency: &'d Dependency,
        event: u32,
        key: bool,
    ) -> std::borrow::Cow<'d, BitSet> {
        use std::borrow::Cow;
        let matrix: &Matrix = match self.algorithm {
            _ if self.constant => &dependency.depend,
            Algorithm::Weak if key => {
                let mut row = dependency.left.row(event).clone();
                row.add(dependency.disable.row(event));
                return Cow::Owned(row);
            }
            Algorithm::Weak => &dependency.left,
            _ => &dependency.conflict,
        };
        Cow::Borrowed(matrix.row(event))
    }

    /// A set of events one of which must happen before this disabled event can: the one with the
    /// fewest enabled events that are not in the set yet, then with the fewest events.
    pub(crate) fn enabling_set(&mut self, dependency: &Dependency, event: u32) -> Source {
        let mut best: Option<((usize, usize), Source)> = None;
        for number in &dependency.guards[event as usize] {
            if self.holds(dependency, *number) {
                continue;
            }
            if self.algorithm == Algorithm::First {
                return Source::Guard(*number);
            }
            for source in self.candidates(dependency, *number).into_iter().flatten() {
                let set = self.source(dependency, event, source);
                let known = match self.algorithm {
                    Algorithm::Minimal => &self.nothing, // whatever else is in the set
                    _ => &self.set,
                };
                let cost = set.news(&self.present, known, &self.enabled);
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, source));
                }
                if cost.1 == 0 {
                    return source;
                }
            }
        }
        // Without a false guard, it is the body that has no successor.
        best.map_or(Source::Touching, |(_, source)| source)
    }

    pub(crate) fn source<'x>(
        &'x self,
        dependency: &'x Dependency,
        event: u32,
        source: Source,
    ) -> &'x BitSet {
        match source {
            Source::Guard(number) => &dependency.conjuncts[number as usize].enablers,
            Source::Derived(number) => &self.derived[number],
            Source::Touching => &dependency.touching[event as usize],
        }
    }

    pub(crate) fn holds(&mut self, dependency: &Dependency, number: u32) -> bool {
        let known = &mut self.guard_known[number as usize];
        if known.0 != self.epoch {
            let guard = &dependency.conjuncts[number as usize].guard;
            *known = (self.epoch, guard.holds(&self.values, &mut self.scratch));
        }
        known.1
    }

    /// Necessary enabling sets of a false guard.
    pub(crate) fn candidates(
        &mut self,
        dependency: &Dependency,
        number: u32,
    ) -> [Option<Source>; 2] {
        let conjunct = &dependency.conjuncts[number as usize];
        let enablers = Source::Guard(number);
        let Guard::Test(test) = &conjunct.guard else {
            return [Some(enablers), None];
        };
        let (cell, value) = (test.cell, self.values[test.cell as usize]);
        let derived = &mut self.derived;
        match self.algorithm {
            Algorithm::Stubborn | Algorithm::Exhaustive => [Some(enablers), None],
            Algorithm::Conditional => {
                let found = self.first.entry((number, value)).or_insert_with(|| {
                    let asked = Operation::test(Pieces::of(test.interval));
                    derived.push(interferers_of(dependency, cell, &asked, value, None)?);
                    Some(derived.len() - 1)
                });
                [Some(found.map_or(enablers, Source::Derived)), None]
            }
            _ => {
                let here = &mut self.leavers_here[cell as usize];
                if here.0 != self.epoch {
                    let found = *self.leavers.entry((cell, value)).or_insert_with(|| {
                        derived.push(dependency.leavers(cell, value));
                        derived.len() - 1
                    });
                    *here = (self.epoch, found);
                }
                [Some(enablers), Some(Source::Derived(here.1))]
            }
        }
    }
}

/// The best set so far.
struct Best {
    events: BitSet,
    fit: Fit,
}

/// Where an enabling set is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// The events that can make this guard true.
    Guard(u32),
    /// Worked out for a cell and a value.
    Derived(usize),
    /// All that write what the event looks at.
    Touching,
}
