//! Which events depend on which, worked out once for a program.
//!
//! Cell by cell, the operations of all events are sorted into classes of equal ones, the classes are
//! compared (`operation`), and the result goes into matrices of bits; a program with thousands of
//! events has few classes a cell. Events that can never be executed in the same state, because two
//! tests of a cell contradict each other, are left out where only such states matter.
//!
//! | matrix | row `a` has bit `b` when |
//! |---|---|
//! | `conflict` | in some state where both are enabled, they do not commute or one disables the other (*do not accord*) |
//! | `depend` | that, or one can enable the other: a constant valid dependency relation |
//! | `left` | in some state where both are enabled they do not commute or `a` disables `b`, or `b` can enable `a` |
//! | `disable` | where both are enabled, `b` may disable `a` |
//!
//! For each guard there is the set of events that can make it true (a *necessary enabling set*).
//!
//! *Last* events are those after which nothing is possible, such as an error that stops the whole
//! system. They disable everything, and so would bring everything into every set that one of them is
//! in. But nothing happens after them, so it is enough to watch for them, as for a goal: `watching`
//! takes them for events that change nothing. See there.
//!
//! *Monitors* stand behind the events: they only look whether a goal is reached, as the extra process
//! that Godefroid adds for an invariant. So a goal makes those events dependent that it must.
//!
//! Source: Godefroid's thesis, chapters 3 and 4; Laarman, Pater, van de Pol, Hansen: Guard-based
//! partial-order reduction, STTT 2016.

use std::collections::HashMap;

use plait_program::{CellSet, Code, Effect, Program};

use crate::bits::{BitSet, Matrix};
use crate::description::{describe, monitor, Description, Guard};
use crate::faults::{may_fail, may_leave};
use crate::operation::{Operation, Place};
use crate::pieces::Pieces;

/// More free events than this are not analysed: the matrices would be too large to pay.
pub const EVENT_LIMIT: usize = 8192;
/// More cells touched by all events together than this are not analysed either.
pub const ACCESS_LIMIT: u64 = 4_000_000;

/// Why there is no analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model is too large for partial-order reduction: {0}")]
pub struct TooLarge(&'static str);

/// A guard with the events that can make it true.
#[derive(Clone, Debug)]
pub struct Conjunct {
    /// The condition.
    pub guard: Guard,
    /// Events that can make it true.
    pub enablers: BitSet,
}

/// An operation on a cell together with the events that do it.
#[derive(Clone, Debug)]
pub struct Class {
    /// What they do.
    pub operation: Operation,
    /// Who does it.
    pub events: BitSet,
    /// The queue they use here, and whether they send.
    queue: Option<(u32, bool)>,
}

/// What all events do to one cell.
#[derive(Clone, Debug)]
pub struct CellUse {
    /// The values of the cell.
    pub place: Place,
    /// The operations.
    pub classes: Vec<Class>,
}

/// The dependency of the free events of a program, numbered as in `Program::free`, and of the
/// monitors behind them.
#[derive(Clone, Debug)]
pub struct Dependency {
    events: usize,
    /// See the table above.
    pub conflict: Matrix,
    /// See the table above.
    pub depend: Matrix,
    /// See the table above.
    pub left: Matrix,
    /// See the table above.
    pub disable: Matrix,
    /// Events of which one may be an error of the model where the other decides it.
    pub errors: Matrix,
    /// All guards.
    pub conjuncts: Vec<Conjunct>,
    /// The guards of each event: necessary, and together sufficient unless the body blocks.
    pub guards: Vec<Vec<u32>>,
    /// Events that write something that decides whether this one is enabled, by any way.
    pub touching: Vec<BitSet>,
    /// What is done to each cell that is touched.
    pub cells: HashMap<u32, CellUse>,
    /// The class of each event on each of its cells.
    pub classes: Vec<Vec<(u32, u32)>>,
    /// Events that may be errors of the model when executed: see `faults`.
    pub faulty: BitSet,
    /// Events that are possible only where no other is.
    pub idle: BitSet,
    /// Last events that are only watched for: they change nothing here.
    pub last: BitSet,
    /// Events of which nobody can tell whether they have happened.
    pub inert: BitSet,
}

impl Dependency {
    /// The dependency of the free events, and of a monitor for each goal: a conjunction.
    pub fn new(program: &Program, goals: &[Vec<Code>]) -> Result<Dependency, TooLarge> {
        Dependency::of(program, descriptions(program, goals)?, false)
    }

    /// The same, with last events taken for events that change nothing.
    ///
    /// Let `S` be the system, `L` its last events, `S'` the system without them. The states of `S`
    /// from which something is possible are states of `S'`, and a deadlock of `S` in which no event
    /// of `L` has ended is one of `S'` where no event of `L` is possible. Here each event of `L`
    /// stands for the monitor of a goal of `S'`: that it is possible. So persistent sets that have
    /// an event outside of `L` keep all deadlocks of `S'`, and with a proviso that is satisfied by
    /// such events every goal, and with it whether each event of `L` is ever executed. The states
    /// to which they lead are not all kept: whoever asks about them must not ask for more than the
    /// mark promises (`plait_program::Builder::last`).
    pub fn watching(program: &Program, goals: &[Vec<Code>]) -> Result<Dependency, TooLarge> {
        let mut descriptions = descriptions(program, goals)?;
        for (event, description) in program.free().iter().zip(&mut descriptions) {
            if program.events()[*event as usize].decl.last {
                description.only_watch();
            }
        }
        Dependency::of(program, descriptions, true)
    }

    fn of(
        program: &Program,
        descriptions: Vec<Description>,
        watching: bool,
    ) -> Result<Dependency, TooLarge> {
        let size = descriptions.len();
        let mut found = Dependency {
            events: program.free().len(),
            conflict: Matrix::new(size),
            depend: Matrix::new(size),
            left: Matrix::new(size),
            disable: Matrix::new(size),
            errors: Matrix::new(size),
            conjuncts: Vec::new(),
            guards: vec![Vec::new(); size],
            touching: vec![BitSet::new(size); size],
            cells: cells(program, &descriptions),
            classes: vec![Vec::new(); size],
            faulty: BitSet::new(size),
            idle: BitSet::new(size),
            last: BitSet::new(size),
            inert: BitSet::new(size),
        };
        found.note_classes();
        found.compare_classes();
        found.add_guards(&descriptions);
        for (number, event) in (0u32..).zip(program.free()) {
            found.conflict.row_mut(number).insert(number);
            found.depend.row_mut(number).insert(number);
            found.left.row_mut(number).insert(number);
            let decl = &program.events()[*event as usize].decl;
            if decl.idle {
                found.idle.insert(number);
            }
            if decl.last && watching {
                found.last.insert(number);
            }
            if decl.inert {
                found.inert.insert(number);
            }
            if may_fail(program, *event, &found.cells) {
                found.faulty.insert(number);
            }
        }
        found.meet_errors(program);
        found.isolate_idle();
        Ok(found)
    }

    /// How many free events.
    pub fn events(&self) -> usize {
        self.events
    }

    /// How many free events and monitors.
    pub fn size(&self) -> usize {
        self.guards.len()
    }

    /// An event that needs all others to be disabled depends on every one of them.
    fn isolate_idle(&mut self) {
        let all = BitSet::full(self.size());
        for idle in self.idle.clone().iter() {
            for event in 0..self.size() as u32 {
                self.conflict.row_mut(event).insert(idle);
                self.depend.row_mut(event).insert(idle);
            }
            self.conflict.row_mut(idle).add(&all);
            self.depend.row_mut(idle).add(&all);
        }
    }

    /// An event that may leave a domain depends on all that write what it reads or writes.
    ///
    /// Whether it goes wrong may hang on a value that it only passes on the way and then overwrites,
    /// so that its operations on cells do not show it. Algorithms that look at operations and not at
    /// events must look at `errors` besides.
    fn meet_errors(&mut self, program: &Program) {
        for (number, event) in (0u32..).zip(program.free()) {
            if !may_leave(program, *event, &self.cells) {
                continue;
            }
            let support = program.support(*event);
            let ranges = support.reads.ranges().iter().chain(support.writes.ranges());
            let writers = self.writers(&CellSet::from_ranges(ranges.copied().collect()));
            let Dependency {
                conflict,
                depend,
                left,
                errors,
                ..
            } = self;
            for relation in [conflict, depend, left, errors] {
                relation.row_mut(number).add(&writers);
                for writer in writers.iter() {
                    relation.row_mut(writer).insert(number);
                }
            }
        }
    }

    fn note_classes(&mut self) {
        for (cell, used) in &self.cells {
            for (number, class) in (0u32..).zip(&used.classes) {
                for event in class.events.iter() {
                    self.classes[event as usize].push((*cell, number));
                }
            }
        }
        self.classes.iter_mut().for_each(|c| c.sort_unstable());
    }

    fn compare_classes(&mut self) {
        let size = self.size();
        let mut apart = Matrix::new(size);
        let mut enable = Matrix::new(size);
        let mut disturb = Matrix::new(size);
        for used in self.cells.values() {
            let place = &used.place;
            for a in &used.classes {
                for b in &used.classes {
                    if place.both(&a.operation, &b.operation).is_empty() {
                        apart.relate(&a.events, &b.events);
                    } else if !a.exchanges_with(b) {
                        if !place.commutes(&a.operation, &b.operation) {
                            disturb.relate(&a.events, &b.events);
                        }
                        if place.disables(&b.operation, &a.operation) {
                            self.disable.relate(&a.events, &b.events);
                        }
                    }
                    if place.enables(&a.operation, &b.operation) {
                        enable.relate(&a.events, &b.events);
                        for event in b.events.iter() {
                            self.touching[event as usize].add(&a.events);
                        }
                    }
                }
            }
        }
        disturb.subtract(&apart);
        self.disable.subtract(&apart);
        let disabled_by = self.disable.transposed();
        self.conflict.add(&disturb);
        self.conflict.add(&self.disable);
        self.conflict.add(&disabled_by);
        let enabled_by = enable.transposed();
        self.depend = self.conflict.clone();
        self.depend.add(&enable);
        self.depend.add(&enabled_by);
        // Row a: b may disable a; its transpose: a may disable b.
        self.left.add(&disturb);
        self.left.add(&disabled_by);
        self.left.add(&enabled_by);
    }

    fn add_guards(&mut self, descriptions: &[Description]) {
        let mut known: HashMap<(u32, u64), u32> = HashMap::new();
        for (event, description) in descriptions.iter().enumerate() {
            for (key, guard) in &description.guards {
                let next = self.conjuncts.len() as u32;
                let number = *known.entry(*key).or_insert(next);
                if number == next {
                    let enablers = self.enablers(guard);
                    self.conjuncts.push(Conjunct {
                        guard: guard.clone(),
                        enablers,
                    });
                }
                self.guards[event].push(number);
            }
        }
    }

    /// The events that can make the guard true.
    fn enablers(&self, guard: &Guard) -> BitSet {
        match guard {
            Guard::Test(test) => {
                let tests = Operation::test(Pieces::of(test.interval));
                let mut found = BitSet::new(self.size());
                if let Some(used) = self.cells.get(&test.cell) {
                    for class in &used.classes {
                        if used.place.enables(&class.operation, &tests) {
                            found.add(&class.events);
                        }
                    }
                }
                found
            }
            Guard::Condition { reads, .. } => self.writers(reads),
        }
    }

    /// The events that change one of the cells.
    pub fn writers(&self, cells: &CellSet) -> BitSet {
        let mut found = BitSet::new(self.size());
        for (first, end) in cells.ranges() {
            for cell in *first..*end {
                for class in self.cells.get(&cell).iter().flat_map(|u| &u.classes) {
                    if class.operation.effect != Effect::Keep {
                        found.add(&class.events);
                    }
                }
            }
        }
        found
    }

    /// The events that can change the cell from this value to another.
    pub fn leavers(&self, cell: u32, value: i32) -> BitSet {
        let mut found = BitSet::new(self.size());
        for class in self.cells.get(&cell).iter().flat_map(|u| &u.classes) {
            let operation = &class.operation;
            if operation.effect != Effect::Keep && operation.test.contains(value.into()) {
                found.add(&class.events);
            }
        }
        found
    }
}

impl Class {
    /// The cell holds no messages of a queue that these events use as one.
    pub fn is_plain(&self) -> bool {
        self.queue.is_none()
    }

    /// One sends to a queue and the other receives from it, and this cell holds its messages: where
    /// both can, the order does not matter.
    pub fn exchanges_with(&self, other: &Class) -> bool {
        matches!((self.queue, other.queue), (Some((p, x)), Some((q, y))) if p == q && x != y)
    }
}

fn descriptions(program: &Program, goals: &[Vec<Code>]) -> Result<Vec<Description>, TooLarge> {
    if program.free().len() > EVENT_LIMIT {
        return Err(TooLarge("it has too many events"));
    }
    let mut accesses = 0u64;
    for event in program.free() {
        let support = program.support(*event);
        let ranges = support.reads.ranges().iter().chain(support.writes.ranges());
        accesses += ranges.map(|(a, b)| u64::from(b - a)).sum::<u64>();
        if accesses > ACCESS_LIMIT {
            return Err(TooLarge("its events touch too many cells"));
        }
    }
    let mut found: Vec<Description> = program
        .free()
        .iter()
        .map(|e| describe(program, *e))
        .collect();
    let mut first = 0u64;
    for goal in goals {
        found.push(monitor(goal, first));
        first += goal.len() as u64;
    }
    Ok(found)
}

fn cells(program: &Program, descriptions: &[Description]) -> HashMap<u32, CellUse> {
    type Key = (Operation, Option<(u32, bool)>);
    let mut by_cell: HashMap<u32, HashMap<Key, BitSet>> = HashMap::new();
    for (event, description) in (0u32..).zip(descriptions) {
        for (cell, operation) in &description.operations {
            let mut queues = description
                .queues
                .iter()
                .filter(|q| q.slots.contains(*cell));
            let queue = queues.next().map(|q| (q.queue, q.sends));
            by_cell
                .entry(*cell)
                .or_default()
                .entry((operation.clone(), queue))
                .or_insert_with(|| BitSet::new(descriptions.len()))
                .insert(event);
        }
    }
    let used = |(cell, classes): (u32, HashMap<Key, BitSet>)| {
        let mut classes: Vec<Class> = classes
            .into_iter()
            .map(|((operation, queue), events)| Class {
                operation,
                events,
                queue,
            })
            .collect();
        classes.sort_by_key(|c| c.events.iter().next());
        let operations = classes.iter().map(|c| &c.operation);
        let place = Place::of(&program.cells()[cell as usize], operations);
        (cell, CellUse { place, classes })
    };
    by_cell.into_iter().map(used).collect()
}
