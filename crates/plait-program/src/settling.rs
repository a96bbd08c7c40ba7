//! Events that are a straight line and then settle, without sets.
//!
//! An `atomic` block of Promela, a committed location of DVE or a `TRANSIENT` predicate of GAL makes an
//! event go on, in one step, as long as a condition holds. In general that is a function on sets
//! (`sets`); but nearly always the event itself is a straight line, the events that it goes on with
//! are straight lines too, and the line ends in a state where the condition does not hold. Then the
//! successor stands in the cells already. Otherwise the depth-first search of `sets` is done here with
//! its stack in one vector that is kept from one execution to the next, and of the events that it goes
//! on with, only those are tried that the state calls for.
//!
//! Invariant: successors, their order, faults and counts are those of `sets`, which the tests execute
//! beside it. A successor that two events have is met twice here and put together there: the second
//! time it is an old state and not on the path, or is in the result already.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::{Failure, FaultKind};
use crate::event_index::{marked, EventIndex};
use crate::expr::Pool;
use crate::machine::{fault, Machine, Watch, Write};
use crate::program::{CodeId, Program};
use crate::state_set::StateSet;
use crate::statement::Statement;
use crate::variant::{build, Item, Variant};

/// Stacks and sets larger than this ask the watch before they grow.
const LARGE: usize = 1 << 20;

/// The events that a settling event goes on with.
#[derive(Debug)]
pub(crate) struct Following {
    events: Vec<u32>,
    index: Option<EventIndex>,
}

/// How a settling event is executed.
#[derive(Clone, Debug)]
pub(crate) struct Settling {
    /// What comes before the statement that settles.
    pub line: Variant,
    condition: CodeId,
    statement: u32,
    following: Arc<Following>,
}

/// Finds the events of the program that can be executed in this way.
pub(crate) fn prepare(program: &mut Program, pool: &Pool) {
    let mut labels: HashMap<u32, Option<Arc<Following>>> = HashMap::new();
    for event in 0..program.events().len() as u32 {
        let compiled = &program.events()[event as usize];
        let (None, [before @ .., last]) = (&compiled.variants, &compiled.decl.body[..]) else {
            continue;
        };
        let Statement::Settle { label, .. } = program.statements.get(*last) else {
            continue;
        };
        let straight = |id: &u32| {
            let called = matches!(program.statements.get(*id), Statement::Call(_));
            program.statements.traits(*id).deterministic && !called
        };
        let known = labels.entry(*label);
        let following = known.or_insert_with(|| following(program, *label)).clone();
        let (Some(following), true) = (following, before.iter().all(straight)) else {
            continue;
        };
        let mut items = vec![Item::Guard(event)];
        items.extend(before.iter().map(|id| Item::Statement(event, *id)));
        if let Some(line) = build(program, pool, &items) {
            let settling = Settling {
                line,
                condition: program.statement_codes[*last as usize].main,
                statement: *last,
                following,
            };
            program.set_settling(event, settling);
        }
    }
}

/// The events of the label, if all are straight lines.
fn following(program: &Program, label: u32) -> Option<Arc<Following>> {
    let events = program.labelled(label).to_vec();
    let straight = |event: &u32| program.events()[*event as usize].variants.is_some();
    events.iter().all(straight).then(|| {
        let index = EventIndex::new(program, &events).filter(EventIndex::is_worth_it);
        Arc::new(Following { events, index })
    })
}

/// A state on the path of the search.
#[derive(Debug)]
struct Level {
    /// Among the states met.
    position: usize,
    /// Its successors on the stack: the first, the next to look at, and the end.
    first: usize,
    next: usize,
    end: usize,
}

/// The working memory.
#[derive(Debug, Default)]
pub(crate) struct Settler {
    log: Vec<Write>,
    state: Vec<i32>,
    /// The states met in which the condition holds, and whether each is on the path.
    met: Option<StateSet>,
    on_path: Vec<bool>,
    path: Vec<Level>,
    /// Successors of the states on the path, and how many there are.
    stack: Vec<i32>,
    height: usize,
    candidates: Vec<u64>,
}

impl Settler {
    /// Adds the successors under the event to `found`. The state is unchanged after.
    pub fn execute(
        &mut self,
        machine: &mut Machine,
        program: &Program,
        (event, settling): (u32, &Settling),
        cells: &mut [i32],
        watch: &mut dyn Watch,
        found: &mut StateSet,
    ) -> Result<(), Failure> {
        if !machine.execute(program, &settling.line, cells, watch)? {
            return Ok(());
        }
        // What follows has a log of its own.
        std::mem::swap(&mut self.log, &mut machine.log);
        let mut run = Run {
            settler: self,
            machine,
            program,
            settling,
            event,
            watch,
        };
        let outcome = run.settle(cells, found);
        for write in self.log.drain(..).rev() {
            cells[write.cell as usize] = write.old;
        }
        outcome
    }
}

struct Run<'a> {
    settler: &'a mut Settler,
    machine: &'a mut Machine,
    program: &'a Program,
    settling: &'a Settling,
    event: u32,
    watch: &'a mut dyn Watch,
}

impl Run<'_> {
    fn goes_on(&mut self, state: &[i32]) -> Result<bool, Failure> {
        let code = self.program.code(self.settling.condition);
        self.machine.spend(code.cost(), self.watch)?;
        Ok(code.holds(state, &mut self.machine.scratch))
    }

    /// Asks the watch when something that has so many bytes is large and has doubled.
    fn room(&mut self, count: usize, bytes: usize) -> Result<(), Failure> {
        self.machine
            .spend(1 + self.settler.state.len() / 8, self.watch)?;
        if bytes > LARGE && count.is_power_of_two() && !self.watch.go_on(bytes) {
            return Err(Failure::Stopped);
        }
        Ok(())
    }

    fn insert(&mut self, set: &mut StateSet, state: &[i32]) -> Result<(), Failure> {
        self.room(set.len(), set.len() * state.len() * 4)?;
        set.insert(state)?;
        Ok(())
    }

    fn settle(&mut self, root: &[i32], found: &mut StateSet) -> Result<(), Failure> {
        if !self.goes_on(root)? {
            return self.insert(found, root);
        }
        let mut met = self.settler.met.take();
        let met = met.get_or_insert_with(|| StateSet::new(root.len()));
        met.clear();
        self.settler.on_path.clear();
        self.settler.path.clear();
        self.settler.stack.clear();
        self.settler.height = 0;
        let mut state = std::mem::take(&mut self.settler.state);
        state.clear();
        state.extend_from_slice(root);
        let outcome = self.search(&mut state, met, found);
        self.settler.state = state;
        self.settler.met = Some(std::mem::replace(met, StateSet::new(0)));
        outcome
    }

    /// The search from `state`, where the condition holds.
    fn search(
        &mut self,
        state: &mut [i32],
        met: &mut StateSet,
        found: &mut StateSet,
    ) -> Result<(), Failure> {
        self.enter(state, met)?;
        while let Some(level) = self.settler.path.last_mut() {
            if level.next == level.end {
                self.settler.on_path[level.position] = false;
                self.settler.stack.truncate(level.first * state.len());
                self.settler.height = level.first;
                self.settler.path.pop();
                continue;
            }
            let next = level.next * state.len();
            level.next += 1;
            state.copy_from_slice(&self.settler.stack[next..next + state.len()]);
            if !self.goes_on(state)? {
                self.insert(found, state)?;
            } else if let Some(position) = met.position(state) {
                if self.settler.on_path[position] {
                    let (event, statement) = (self.event, self.settling.statement);
                    return Err(fault(FaultKind::Settle, event, statement, None));
                }
            } else {
                self.enter(state, met)?;
            }
        }
        Ok(())
    }

    /// Puts a state and its successors on the path. The state is unchanged after.
    fn enter(&mut self, state: &mut [i32], met: &mut StateSet) -> Result<(), Failure> {
        let position = met.len();
        self.insert(met, state)?;
        let first = self.settler.height;
        let following = Arc::clone(&self.settling.following);
        match &following.index {
            Some(index) => {
                let mut candidates = std::mem::take(&mut self.settler.candidates);
                index.mark(state, &mut candidates);
                let outcome = marked(&candidates)
                    .try_for_each(|place| self.follow(following.events[place], state));
                self.settler.candidates = candidates;
                outcome?;
            }
            None => {
                let mut events = following.events.iter();
                events.try_for_each(|event| self.follow(*event, state))?;
            }
        }
        let end = self.settler.height;
        self.settler.on_path.push(true);
        self.settler.path.push(Level {
            position,
            first,
            next: first,
            end,
        });
        Ok(())
    }

    /// Puts the successors of the state under one event on the stack.
    fn follow(&mut self, event: u32, state: &mut [i32]) -> Result<(), Failure> {
        for variant in self.program.events()[event as usize].lines() {
            let machine = &mut *self.machine;
            if machine.execute(self.program, variant, state, self.watch)? {
                let stack = &mut self.settler.stack;
                let room = stack.try_reserve(state.len());
                stack.extend_from_slice(if room.is_ok() { state } else { &[] });
                self.machine.undo(state);
                room.map_err(|_| Failure::Stopped)?;
                self.machine.note_call(event);
                self.settler.height += 1;
                self.room(self.settler.height, 4 * self.settler.stack.len())?;
            }
        }
        Ok(())
    }
}
