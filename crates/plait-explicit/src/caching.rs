//! State-space caching: depth-first search with a bounded number of stored states (Holzmann 1985;
//! Jard and Jéron 1991; Godefroid's thesis, section 8.4).
//!
//! All states of the stack are kept, so that cycles are seen, and besides them as many visited states
//! as the cache has room for; when it is full, the one that left the stack first is forgotten. A state
//! that was forgotten is visited again when it is met again, with all that lies behind it. So every
//! state is visited, the verdicts are exact, and the search ends; but it may take many times as
//! long, and states cannot be counted once one was forgotten. A stack that is deeper than the cache
//! ends the search.
//!
//! Invariant: stored + cleared + matched = executed + 1, where every visit is of a state that is
//! new (stored, and perhaps cleared later) or known (matched).

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use crate::breadth_first::{Halt, Search, MOST_STATES};
use crate::budget::Reason;
use crate::hash::RecordHash;
use crate::reduction::ReducedFigures;

type State = Rc<[i32]>;

/// A state on the stack, and its successors that have not been visited.
struct Frame {
    state: State,
    left: Vec<State>,
}

struct Caching<'a, 's, H> {
    search: &'a mut Search<'s, H>,
    capacity: usize,
    /// The states of the cache, and whether they are on the stack.
    cache: HashMap<State, bool>,
    /// Those that are not, in the order in which they left it.
    left: VecDeque<State>,
    stack: Vec<Frame>,
    /// States visited as new so far: each visit has a number.
    visits: u32,
    /// Successors that wait to be visited.
    waiting: u64,
    /// Bytes of a state, about.
    bytes: u64,
    figures: ReducedFigures,
}

/// The states on the way to each visit where a goal was found.
pub(crate) type Paths = HashMap<u32, Vec<Vec<i32>>>;

/// Runs the search with room for so many states; what it counted comes back in any case.
pub(crate) fn run<H: RecordHash>(
    search: &mut Search<'_, H>,
    capacity: usize,
) -> (Result<(), Halt>, ReducedFigures) {
    let cells = search.program.cells().len() as u64;
    let mut caching = Caching {
        search,
        capacity: capacity.max(1),
        cache: HashMap::new(),
        left: VecDeque::new(),
        stack: Vec::new(),
        visits: 0,
        waiting: 0,
        bytes: 4 * cells + 64,
        figures: ReducedFigures::default(),
    };
    let outcome = caching.run();
    caching.figures.stored = caching.cache.len() as u64;
    caching.search.figures.states = u64::from(caching.visits);
    (outcome, caching.figures)
}

impl<H: RecordHash> Caching<'_, '_, H> {
    fn run(&mut self) -> Result<(), Halt> {
        let initial: State = self.search.program.initial().into();
        self.visit(initial)?;
        while let Some(frame) = self.stack.last_mut() {
            let Some(state) = frame.left.pop() else {
                self.leave();
                continue;
            };
            self.waiting -= 1;
            self.figures.executed += 1;
            if self.cache.contains_key(&state) {
                self.figures.matched += 1;
            } else {
                self.visit(state)?;
            }
        }
        Ok(())
    }

    fn leave(&mut self) {
        if let Some(frame) = self.stack.pop() {
            if let Some(stacked) = self.cache.get_mut(&frame.state) {
                *stacked = false;
            }
            self.left.push_back(frame.state);
        }
    }

    /// Visits a state that is not in the cache.
    fn visit(&mut self, state: State) -> Result<(), Halt> {
        let most = self.search.options.max_states.unwrap_or(MOST_STATES);
        if u64::from(self.visits) >= most.min(MOST_STATES) && self.visits > 0 {
            return Err(Halt::Stop(Reason::States));
        }
        while self.cache.len() >= self.capacity {
            let oldest = self.left.pop_front().ok_or(Halt::Stop(Reason::Cache))?;
            self.cache.remove(&oldest);
            self.figures.cleared += 1;
        }
        self.cache.insert(Rc::clone(&state), true);
        self.visits += 1;
        self.stack.push(Frame {
            state: Rc::clone(&state),
            left: Vec::new(),
        });
        let depth = self.stack.len() as u64 - 1;
        self.figures.depth = self.figures.depth.max(depth);
        self.ask(&state, |s, number, cells| {
            s.questions.ask_new(number, cells);
            Ok(())
        })?;
        self.expand(&state)
    }

    /// Asks something of a state, and keeps the path to it if that decides a goal.
    fn ask(
        &mut self,
        state: &[i32],
        question: impl FnOnce(&mut Search<'_, H>, u32, &[i32]) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let (sought, number) = (self.search.questions.sought(), self.visits - 1);
        let outcome = question(self.search, number, state);
        if self.search.questions.sought() < sought {
            let path = self.stack.iter().map(|frame| frame.state.to_vec());
            self.search.paths.insert(number, path.collect());
        }
        outcome?;
        self.search.stop_if_decided()
    }

    /// Executes all events of the state on top of the stack.
    fn expand(&mut self, state: &[i32]) -> Result<(), Halt> {
        self.search.held = (self.cache.len() as u64 + self.waiting) * self.bytes;
        self.search.figures.states = u64::from(self.visits);
        self.search.take(state);
        self.ask(state, |search, number, _| search.expand_taken(number))?;
        let search = &mut *self.search;
        let layout = search.store.layout();
        let mut cells = vec![0; state.len()];
        let mut left: Vec<State> = Vec::with_capacity(search.batch.len());
        for index in 0..search.batch.len() {
            layout.decode(search.batch.get(index, layout.words()), &mut cells);
            left.push(cells.as_slice().into());
        }
        search.batch.clear();
        left.reverse(); // the first event first
        self.waiting += left.len() as u64;
        if let Some(frame) = self.stack.last_mut() {
            frame.left = left;
        }
        Ok(())
    }
}
