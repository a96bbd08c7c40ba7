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
use crate::dependency::{Class, Dependency};
use crate::description::Guard;
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
}

impl Algorithm {
    /// All of them, with the names by which users know them.
    pub const ALL: [(&'static str, Algorithm); 7] = [
        ("conflicts", Algorithm::Conflicts),
        ("overman", Algorithm::Overman),
        ("stubborn", Algorithm::Stubborn),
        ("conditional", Algorithm::Conditional),
        ("guards", Algorithm::Guards),
        ("deletion", Algorithm::Deletion),
        ("weak", Algorithm::Weak),
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
    dependency: Arc<Dependency>,
    processes: Option<Processes>,
    algorithm: Algorithm,
    /// Enabled events bring in what `depend` says, not only what does not accord: for sleep sets
    /// with a proviso, whose proof needs a dependency relation that is the same in all states.
    constant: bool,
    /// Events and monitors that take part.
    present: BitSet,
    /// The state: its cells and its enabled events.
    enabled: BitSet,
    values: Vec<i32>,
    guard_known: Vec<(u64, bool)>,
    epoch: u64,
    scratch: Scratch,
    /// Working memory: the set, what is still to be looked at, and the best set so far.
    set: BitSet,
    pending: Vec<u32>,
    best: BitSet,
    /// Sets worked out on the way, and where: for a cell and a value, those that move it away; for
    /// a guard and a value, those that might be the first to interfere.
    derived: Vec<BitSet>,
    leavers: HashMap<(u32, i32), usize>,
    /// For each cell the leavers of its value in the present state, once asked for.
    leavers_here: Vec<(u64, usize)>,
    first: HashMap<(u32, i32), Option<usize>>,
    interferers: HashMap<(u32, u32, i32), BitSet>,
    around: HashMap<(u32, i32), BitSet>,
}

impl Selector {
    /// A selector for the analysed program.
    pub fn new(dependency: Arc<Dependency>, algorithm: Algorithm, constant: bool) -> Selector {
        let size = dependency.size();
        let by_process = matches!(algorithm, Algorithm::Conflicts | Algorithm::Overman);
        let mut present = BitSet::full(size);
        present.subtract(&dependency.idle);
        Selector {
            processes: by_process.then(|| Processes::new(&dependency)),
            algorithm,
            constant,
            present,
            enabled: BitSet::new(size),
            values: Vec::new(),
            guard_known: vec![(0, false); dependency.conjuncts.len()],
            epoch: 0,
            scratch: Scratch::default(),
            set: BitSet::new(size),
            pending: Vec::new(),
            best: BitSet::new(size),
            derived: Vec::new(),
            leavers: HashMap::new(),
            leavers_here: Vec::new(),
            first: HashMap::new(),
            interferers: HashMap::new(),
            around: HashMap::new(),
            dependency,
        }
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
        if enabled.meets(&self.dependency.idle) {
            return enabled.clone();
        }
        self.enter(cells, enabled);
        let starts: Vec<u32> = enabled
            .iter()
            .filter(|e| self.present.contains(*e) && !self.dependency.last.contains(*e))
            .collect();
        let (mut smallest, mut members) = (enabled.len(), usize::MAX);
        let mut found: Option<BitSet> = None;
        if starts.len() > 1 || (starts.len() == 1 && smallest > 1) {
            for start in starts {
                if members == 1 {
                    break;
                }
                let limit = smallest + usize::from(found.is_some());
                let Some(count) = self.close(start, limit) else {
                    continue;
                };
                if count == smallest && self.set.len() >= members {
                    continue;
                }
                let mut events = self.set.clone();
                events.keep(enabled);
                debug_assert_eq!(events.len(), count);
                if accept(&events) {
                    (smallest, members) = (count, self.set.len());
                    self.best.copy_from(&self.set);
                    found = Some(events);
                }
            }
        }
        match found {
            Some(events) if self.algorithm == Algorithm::Deletion && smallest > 1 => {
                let fewer = self.delete();
                if accept(&fewer) {
                    fewer
                } else {
                    events
                }
            }
            Some(events) => events,
            None => enabled.clone(),
        }
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
            Algorithm::Conflicts => self.conflicts(start, limit),
            Algorithm::Overman => self.overman(start, limit),
            _ => self.stubborn(start, limit),
        }
    }

    /// Algorithm 1: all events in the set are enabled, or it gives up.
    fn conflicts(&mut self, start: u32, limit: usize) -> Option<usize> {
        let processes = self.processes.as_ref()?;
        self.set.clear();
        self.set.insert(start);
        self.pending.clear();
        self.pending.push(start);
        let mut count = 0;
        while let Some(event) = self.pending.pop() {
            if !self.enabled.contains(event) {
                return None;
            }
            count += 1;
            if count >= limit {
                return None;
            }
            let (row, pending) = (processes.neighbours.row(event), &mut self.pending);
            self.set.absorb(row, &self.present, |e| pending.push(e));
        }
        Some(count)
    }

    /// Algorithm 2: closes a set of processes, from those of the start.
    fn overman(&mut self, start: u32, limit: usize) -> Option<usize> {
        let processes = self.processes.as_ref()?;
        let mut chosen = processes.actives[start as usize].clone();
        let mut pending: Vec<u32> = chosen.iter().collect();
        while let Some(process) = pending.pop() {
            let place = (process, processes.local(process, &self.values));
            let present = &self.present;
            let around = self
                .around
                .entry(place)
                .or_insert_with(|| around(processes, place, present));
            let all = around.clone();
            chosen.absorb(&all, &all, |p| pending.push(p));
        }
        self.set.clear();
        for event in self.enabled.iter() {
            if processes.actives[event as usize].is_within(&chosen) {
                self.set.insert(event);
            }
        }
        let count = self.set.len();
        (count < limit).then_some(count)
    }

    /// Algorithms 3 and 4 and the guard-based ones.
    fn stubborn(&mut self, start: u32, limit: usize) -> Option<usize> {
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
                for (cell, class) in &dependency.classes[event as usize] {
                    let value = self.values[*cell as usize];
                    self.add_interferers(&dependency, (*cell, *class), value, &mut count);
                }
            } else {
                let row = self.row(&dependency, event, event == start);
                self.absorb(&row, &mut count);
            }
        }
        (count < limit).then_some(count)
    }

    fn absorb(&mut self, more: &BitSet, count: &mut usize) {
        let (pending, enabled) = (&mut self.pending, &self.enabled);
        self.set.absorb(more, &self.present, |e| {
            pending.push(e);
            *count += usize::from(enabled.contains(e));
        });
    }

    /// What an enabled event brings in.
    fn row<'d>(
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
    fn enabling_set(&mut self, dependency: &Dependency, event: u32) -> Source {
        let mut best: Option<((usize, usize), Source)> = None;
        for number in &dependency.guards[event as usize] {
            if self.holds(dependency, *number) {
                continue;
            }
            for source in self.candidates(dependency, *number).into_iter().flatten() {
                let set = self.source(dependency, event, source);
                let cost = set.news(&self.present, &self.set, &self.enabled);
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

    fn source<'x>(&'x self, dependency: &'x Dependency, event: u32, source: Source) -> &'x BitSet {
        match source {
            Source::Guard(number) => &dependency.conjuncts[number as usize].enablers,
            Source::Derived(number) => &self.derived[number],
            Source::Touching => &dependency.touching[event as usize],
        }
    }

    fn holds(&mut self, dependency: &Dependency, number: u32) -> bool {
        let known = &mut self.guard_known[number as usize];
        if known.0 != self.epoch {
            let guard = &dependency.conjuncts[number as usize].guard;
            *known = (self.epoch, guard.holds(&self.values, &mut self.scratch));
        }
        known.1
    }

    /// Necessary enabling sets of a false guard.
    fn candidates(&mut self, dependency: &Dependency, number: u32) -> [Option<Source>; 2] {
        let conjunct = &dependency.conjuncts[number as usize];
        let enablers = Source::Guard(number);
        let Guard::Test(test) = &conjunct.guard else {
            return [Some(enablers), None];
        };
        let (cell, value) = (test.cell, self.values[test.cell as usize]);
        let derived = &mut self.derived;
        match self.algorithm {
            Algorithm::Stubborn => [Some(enablers), None],
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

    fn add_interferers(
        &mut self,
        dependency: &Dependency,
        (cell, class): (u32, u32),
        value: i32,
        count: &mut usize,
    ) {
        let found = self.interferers.entry((cell, class, value));
        let found = found.or_insert_with(|| {
            let used = &dependency.cells[&cell];
            let mine = &used.classes[class as usize];
            match interferers_of(dependency, cell, &mine.operation, value, Some(mine)) {
                Some(found) if mine.is_plain() => found,
                _ => {
                    let mut found = BitSet::new(dependency.size());
                    for other in &used.classes {
                        let accords = used.place.accords(&mine.operation, &other.operation);
                        if !accords && !mine.exchanges_with(other) {
                            found.add(&other.events);
                        }
                    }
                    found
                }
            }
        });
        let found = found.clone();
        self.absorb(&found, count);
    }

    /// Takes enabled events out of the best set again, one after the other, with everything that
    /// cannot stay without them, as long as an enabled event is left.
    fn delete(&mut self) -> BitSet {
        let dependency = Arc::clone(&self.dependency);
        let mut kept = self.best.clone();
        let order: Vec<u32> = kept.iter().filter(|e| self.enabled.contains(*e)).collect();
        for event in order {
            if kept.contains(event) {
                let mut fewer = kept.clone();
                fewer.remove(event);
                if self.settle(&dependency, &mut fewer) {
                    kept = fewer;
                }
            }
        }
        kept.keep(&self.enabled);
        kept
    }

    /// Removes what cannot stay; whether an enabled event is left.
    fn settle(&mut self, dependency: &Dependency, set: &mut BitSet) -> bool {
        loop {
            let members: Vec<u32> = set.iter().collect();
            let mut changed = false;
            for event in members {
                if !self.may_stay(dependency, event, set) {
                    set.remove(event);
                    changed = true;
                }
            }
            if !set.meets(&self.enabled) {
                return false;
            }
            if !changed {
                return true;
            }
        }
    }

    fn may_stay(&mut self, dependency: &Dependency, event: u32, set: &BitSet) -> bool {
        if self.enabled.contains(event) {
            let row = self.row(dependency, event, true);
            return row.is_within_of(set, &self.present);
        }
        let mut blocked = true;
        for number in &dependency.guards[event as usize] {
            if !self.holds(dependency, *number) {
                blocked = false;
                for source in self.candidates(dependency, *number).into_iter().flatten() {
                    let needed = self.source(dependency, event, source);
                    if needed.is_within_of(set, &self.present) {
                        return true;
                    }
                }
            }
        }
        blocked && dependency.touching[event as usize].is_within_of(set, &self.present)
    }
}

/// Where an enabling set is kept.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The events that can make this guard true.
    Guard(u32),
    /// Worked out for a cell and a value.
    Derived(usize),
    /// All that write what the event looks at.
    Touching,
}

/// The processes that a process in that local state can have to do with next.
fn around(processes: &Processes, place: (u32, i32), present: &BitSet) -> BitSet {
    let mut found = BitSet::new(processes.len());
    for event in processes.leaving.get(&place).into_iter().flatten() {
        if !present.contains(*event) {
            continue;
        }
        found.add(&processes.actives[*event as usize]);
        for other in processes.shared.row(*event).iter() {
            if present.contains(other) && processes.parallel(*event, other) {
                found.add(&processes.actives[other as usize]);
            }
        }
    }
    found
}

/// The events that might be the first to interfere with an operation on the cell from its present
/// value on; `None` when the cell has too many values for that. The operation is that of the events of
/// the class `own`; a single event does not interfere with itself.
fn interferers_of(
    dependency: &Dependency,
    cell: u32,
    operation: &Operation,
    value: i32,
    own: Option<&Class>,
) -> Option<BitSet> {
    let used = dependency.cells.get(&cell)?;
    if !used.place.is_small() || !used.place.range.contains(value.into()) {
        return None;
    }
    let alone = own.filter(|c| c.events.len() == 1);
    let is_alone = |c: &&Class| alone.is_some_and(|own| std::ptr::eq(own, *c));
    let others: Vec<&Class> = used.classes.iter().filter(|c| !is_alone(c)).collect();
    let all: Vec<Operation> = others.iter().map(|c| c.operation.clone()).collect();
    let found = used.place.interferers(operation, value.into(), &all);
    let mut events = BitSet::new(dependency.size());
    for (class, found) in others.into_iter().zip(found) {
        if found {
            events.add(&class.events);
        }
    }
    Some(events)
}
