//! Executing events on sets of states: calls, fixpoints and settling in full generality.
//!
//! A body is a function from sets of states to sets of states. Statements are executed with an
//! explicit stack of frames, since calls may be nested ten thousand deep; each frame is given the
//! result of the frame above it and says what to do next.
//!
//! - A call gives the union, over the events of the label, of what their bodies make of the states
//!   where their guards hold. An event whose own body has a fixpoint is executed on one state at a
//!   time, because a fixpoint starts from the set that arrives when its event is executed on *one*
//!   state; for all others that makes no difference.
//! - `fixpoint` repeats its body on the set until it does not change; Brent's method finds out when
//!   an earlier set comes back (exactly, by comparing sets, see `machine`).
//! - `settle` is a depth-first search from each state over states in which the condition holds; an
//!   edge to a state on the current path is a cycle and a fault.

use crate::error::{Failure, FaultKind};
use crate::fixpoint::FIXPOINT_LIMIT;
use crate::machine::{fault, Machine, Watch};
use crate::program::Program;
use crate::state_set::{OutOfMemory, StateSet};
use crate::statement::Statement;

impl From<OutOfMemory> for Failure {
    fn from(_: OutOfMemory) -> Failure {
        Failure::Stopped
    }
}

/// Sets larger than this ask the watch before they grow.
const LARGE: usize = 1 << 20;

/// The successors of one state under an event.
pub(crate) fn execute(
    machine: &mut Machine,
    program: &Program,
    event: u32,
    state: &[i32],
    watch: &mut dyn Watch,
) -> Result<StateSet, Failure> {
    if !machine.guard_holds(program, event, state, watch)? {
        return Ok(StateSet::new(state.len()));
    }
    let mut run = Run {
        machine,
        program,
        watch,
        width: state.len(),
    };
    let body = &program.events()[event as usize].decl.body;
    let mut frames = vec![Frame::Block(Block {
        event,
        body,
        next: 0,
        set: StateSet::single(state),
    })];
    let mut result = None;
    while let Some(frame) = frames.last_mut() {
        run.spend(1)?;
        let next = match frame {
            Frame::Block(block) => run.block(block, result.take())?,
            Frame::Choose(choose) => run.choose(choose, result.take())?,
            Frame::Call(call) => run.call(call, result.take())?,
            Frame::Fixpoint(fixpoint) => run.fixpoint(fixpoint, result.take())?,
            Frame::Settle(settle) => run.settle(settle, result.take())?,
        };
        match next {
            Next::Push(frame) => frames.push(*frame),
            Next::Done(set) => {
                frames.pop();
                result = Some(set);
            }
        }
    }
    Ok(result.unwrap_or_else(|| StateSet::new(state.len())))
}

enum Next<'p> {
    Push(Box<Frame<'p>>),
    Done(StateSet),
}

fn push(frame: Frame<'_>) -> Next<'_> {
    Next::Push(Box::new(frame))
}

enum Frame<'p> {
    Block(Block<'p>),
    Choose(Choose<'p>),
    Call(Call<'p>),
    Fixpoint(Fixpoint<'p>),
    Settle(Settle<'p>),
}

/// Statements one after the other.
struct Block<'p> {
    event: u32,
    body: &'p [u32],
    next: usize,
    set: StateSet,
}

/// The two branches one after the other, then their union.
struct Choose<'p> {
    event: u32,
    branches: [&'p [u32]; 2],
    /// The states that take each branch.
    sets: [StateSet; 2],
    next: usize,
    union: StateSet,
}

/// The events of a label one after the other.
struct Call<'p> {
    events: &'p [u32],
    states: StateSet,
    next_event: usize,
    /// Within an event that is executed on one state at a time.
    next_state: usize,
    union: StateSet,
}

struct Fixpoint<'p> {
    event: u32,
    statement: u32,
    body: &'p [u32],
    current: StateSet,
    anchor: StateSet,
    rounds: u64,
}

struct Settle<'p> {
    event: u32,
    statement: u32,
    condition: u32,
    label: &'p [u32],
    /// Where the searches start.
    roots: StateSet,
    next_root: usize,
    /// The states met in which the condition holds, and whether each is on the path.
    met: StateSet,
    on_path: Vec<bool>,
    /// Positions in `met`, with the successors of each and the next to look at.
    path: Vec<(usize, StateSet, usize)>,
    settled: StateSet,
}

struct Run<'a> {
    machine: &'a mut Machine,
    program: &'a Program,
    watch: &'a mut dyn Watch,
    width: usize,
}

impl<'a> Run<'a> {
    fn spend(&mut self, work: usize) -> Result<(), Failure> {
        self.machine.spend(work, self.watch)
    }

    fn empty(&self) -> StateSet {
        StateSet::new(self.width)
    }

    fn insert(&mut self, set: &mut StateSet, state: &[i32]) -> Result<bool, Failure> {
        self.spend(1 + self.width / 8)?;
        let bytes = set.len() * self.width * 4;
        if bytes > LARGE && set.len().is_power_of_two() && !self.watch.go_on(bytes) {
            return Err(Failure::Stopped);
        }
        Ok(set.insert(state)?)
    }

    fn add_all(&mut self, union: &mut StateSet, more: Option<StateSet>) -> Result<(), Failure> {
        match more {
            None => Ok(()),
            Some(more) if union.is_empty() => {
                *union = more;
                Ok(())
            }
            Some(more) => more
                .iter()
                .try_for_each(|state| self.insert(union, state).map(|_| ())),
        }
    }

    fn block(&mut self, b: &mut Block<'a>, result: Option<StateSet>) -> Result<Next<'a>, Failure> {
        let program = self.program;
        if let Some(set) = result {
            b.set = set;
        }
        while let Some(&id) = b.body.get(b.next) {
            if b.set.is_empty() {
                break;
            }
            b.next += 1;
            let set = std::mem::replace(&mut b.set, StateSet::new(self.width));
            let event = b.event;
            match program.statements.get(id) {
                Statement::Assign { .. } | Statement::AssignIndexed { .. } => {
                    b.set = self.assign(event, id, &set)?;
                }
                Statement::Abort => {}
                Statement::Call(label) => {
                    return Ok(push(Frame::Call(
                        self.call_frame(program.labelled(*label), set),
                    )));
                }
                Statement::Choose {
                    then, otherwise, ..
                } => {
                    let sets = self.split(event, id, &set)?;
                    return Ok(push(Frame::Choose(Choose {
                        event,
                        branches: [then, otherwise],
                        sets,
                        next: 0,
                        union: self.empty(),
                    })));
                }
                Statement::Fixpoint(body) => {
                    return Ok(push(Frame::Fixpoint(Fixpoint {
                        event,
                        statement: id,
                        body,
                        anchor: set.clone(),
                        current: set,
                        rounds: 0,
                    })));
                }
                Statement::Settle { label, .. } => {
                    return Ok(push(Frame::Settle(Settle {
                        event,
                        statement: id,
                        condition: program.statement_codes[id as usize].main,
                        label: program.labelled(*label),
                        roots: set,
                        next_root: 0,
                        met: self.empty(),
                        on_path: Vec::new(),
                        path: Vec::new(),
                        settled: self.empty(),
                    })));
                }
            }
        }
        Ok(Next::Done(std::mem::replace(&mut b.set, self.empty())))
    }

    /// One assignment on every state.
    fn assign(&mut self, event: u32, id: u32, set: &StateSet) -> Result<StateSet, Failure> {
        let program = self.program;
        let codes = program.statement_codes[id as usize];
        let mut result = self.empty();
        let mut state = vec![0; self.width];
        for from in set.iter() {
            let value = self
                .machine
                .integer(program.code(codes.main), from, self.watch)?;
            let cell = match program.statements.get(id) {
                Statement::Assign { cell, .. } => Some(*cell),
                Statement::AssignIndexed { base, size, .. } => self
                    .machine
                    .integer(program.code(codes.index), from, self.watch)?
                    .filter(|index| (*index as u32) < *size)
                    .map(|index| base + index as u32),
                _ => None,
            };
            let (Some(cell), Some(value)) = (cell, value) else {
                self.machine.count_undefined(event);
                continue;
            };
            if !program.cells()[cell as usize].admits(value) {
                return Err(fault(FaultKind::Domain, event, id, Some(cell)));
            }
            state.copy_from_slice(from);
            state[cell as usize] = value;
            self.insert(&mut result, &state)?;
        }
        Ok(result)
    }

    /// The states where the condition is true, and those where it is false.
    fn split(&mut self, event: u32, id: u32, set: &StateSet) -> Result<[StateSet; 2], Failure> {
        let code = self
            .program
            .code(self.program.statement_codes[id as usize].main);
        let mut sets = [self.empty(), self.empty()];
        for state in set.iter() {
            self.spend(code.cost())?;
            match code.condition(state, &mut self.machine.scratch) {
                Some(value) => {
                    self.insert(&mut sets[usize::from(!value)], state)?;
                }
                None => self.machine.count_undefined(event),
            }
        }
        Ok(sets)
    }

    fn choose(
        &mut self,
        c: &mut Choose<'a>,
        result: Option<StateSet>,
    ) -> Result<Next<'a>, Failure> {
        self.add_all(&mut c.union, result)?;
        while c.next < 2 {
            let branch = c.next;
            c.next += 1;
            let set = std::mem::replace(&mut c.sets[branch], StateSet::new(self.width));
            if !set.is_empty() {
                return Ok(push(Frame::Block(Block {
                    event: c.event,
                    body: c.branches[branch],
                    next: 0,
                    set,
                })));
            }
        }
        Ok(Next::Done(std::mem::replace(&mut c.union, self.empty())))
    }

    fn call_frame(&self, events: &'a [u32], states: StateSet) -> Call<'a> {
        Call {
            events,
            states,
            next_event: 0,
            next_state: 0,
            union: self.empty(),
        }
    }

    fn call(&mut self, c: &mut Call<'a>, result: Option<StateSet>) -> Result<Next<'a>, Failure> {
        let program = self.program;
        self.add_all(&mut c.union, result)?;
        while let Some(&event) = c.events.get(c.next_event) {
            let compiled = &program.events()[event as usize];
            if compiled.variants.is_some() {
                self.call_straight(event, c)?;
                c.next_event += 1;
                continue;
            }
            let set = if compiled.one_by_one {
                self.next_admitted(event, c)?
            } else {
                self.admitted(event, c)?
            };
            if !set.is_empty() {
                self.machine.note_call(event);
                return Ok(push(Frame::Block(Block {
                    event,
                    body: &compiled.decl.body,
                    next: 0,
                    set,
                })));
            }
        }
        Ok(Next::Done(std::mem::replace(&mut c.union, self.empty())))
    }

    /// A called event with straight-line forms, on every state.
    fn call_straight(&mut self, event: u32, c: &mut Call<'a>) -> Result<(), Failure> {
        let mut state = vec![0; self.width];
        let mut first = self.empty();
        for from in c.states.iter() {
            state.copy_from_slice(from);
            self.spend(1 + self.width / 8)?;
            // Until the event is known to have been executed, its successors are told apart.
            let known = self.machine.was_called(event);
            let target = if known { &mut c.union } else { &mut first };
            self.machine
                .successors(self.program, event, &mut state, self.watch, target)?;
            if !known && !first.is_empty() {
                self.machine.note_call(event);
                for state in first.iter() {
                    c.union.insert(state)?;
                }
                first.clear();
            }
        }
        Ok(())
    }

    /// All states where the guard of the event holds; moves on to the next event.
    fn admitted(&mut self, event: u32, c: &mut Call<'a>) -> Result<StateSet, Failure> {
        c.next_event += 1;
        let mut set = self.empty();
        for state in c.states.iter() {
            if self
                .machine
                .guard_holds(self.program, event, state, self.watch)?
            {
                self.insert(&mut set, state)?;
            }
        }
        Ok(set)
    }

    /// The next single state where the guard holds; after the last the empty set and the next event.
    fn next_admitted(&mut self, event: u32, c: &mut Call<'a>) -> Result<StateSet, Failure> {
        while c.next_state < c.states.len() {
            let state = c.states.get(c.next_state);
            c.next_state += 1;
            if self
                .machine
                .guard_holds(self.program, event, state, self.watch)?
            {
                return Ok(StateSet::single(state));
            }
        }
        c.next_state = 0;
        c.next_event += 1;
        Ok(self.empty())
    }

    fn fixpoint(
        &mut self,
        f: &mut Fixpoint<'a>,
        result: Option<StateSet>,
    ) -> Result<Next<'a>, Failure> {
        if let Some(set) = result {
            f.rounds += 1;
            self.spend(set.len() * (1 + self.width / 8))?;
            if set.same_states(&f.current) {
                return Ok(Next::Done(set));
            }
            if f.rounds >= FIXPOINT_LIMIT || set.same_states(&f.anchor) {
                return Err(fault(FaultKind::Fixpoint, f.event, f.statement, None));
            }
            if f.rounds.is_power_of_two() {
                f.anchor = set.clone();
            }
            f.current = set;
        }
        Ok(push(Frame::Block(Block {
            event: f.event,
            body: f.body,
            next: 0,
            set: f.current.clone(),
        })))
    }

    fn settle(
        &mut self,
        s: &mut Settle<'a>,
        result: Option<StateSet>,
    ) -> Result<Next<'a>, Failure> {
        if let (Some(successors), Some(top)) = (result, s.path.last_mut()) {
            top.1 = successors;
        }
        loop {
            let state: Vec<i32> = match s.path.last_mut() {
                Some((_, successors, next)) if *next < successors.len() => {
                    *next += 1;
                    successors.get(*next - 1).to_vec()
                }
                Some((position, ..)) => {
                    s.on_path[*position] = false;
                    s.path.pop();
                    continue;
                }
                None if s.next_root < s.roots.len() => {
                    s.next_root += 1;
                    s.roots.get(s.next_root - 1).to_vec()
                }
                None => return Ok(Next::Done(std::mem::replace(&mut s.settled, self.empty()))),
            };
            let code = self.program.code(s.condition);
            self.spend(code.cost())?;
            if !code.holds(&state, &mut self.machine.scratch) {
                self.insert(&mut s.settled, &state)?;
            } else if let Some(position) = s.met.position(&state) {
                if s.on_path[position] {
                    return Err(fault(FaultKind::Settle, s.event, s.statement, None));
                }
            } else {
                let position = s.met.len();
                self.insert(&mut s.met, &state)?;
                s.on_path.push(true);
                s.path.push((position, self.empty(), 0));
                let call = self.call_frame(s.label, StateSet::single(&state));
                return Ok(push(Frame::Call(call)));
            }
        }
    }
}
