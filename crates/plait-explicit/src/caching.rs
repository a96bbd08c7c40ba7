//! State-space caching: depth-first search with a bounded number of stored states (Holzmann 1985;
//! Jard and Jéron 1991; Godefroid's thesis, section 8.4), with or without a reduction.
//!
//! All states of the stack are kept, so that cycles are seen, and besides them as many visited states
//! as the cache has room for; when it is full, the one that left the stack first is forgotten, and its
//! stored sleep set with it. A state that was forgotten is visited again when it is met again, with all
//! that lies behind it. So what the reduction keeps is kept, the verdicts are exact, and the search
//! ends; but it may take many times as long, and states cannot be counted once one was forgotten. A
//! stack that is deeper than the cache ends the search. Sleep sets are what makes a small cache enough:
//! most states are met again because the same events happened in another order.
//!
//! With room for none the stack is all there is: a search without state matching. On an acyclic graph
//! it completes one run for each maximal trace under sleep sets (section 5.3.2), and counts those that
//! end because everything sleeps.
//!
//! Invariant: stored + cleared + matched = executed + 1, where every visit is of a state that is
//! new (stored, and perhaps cleared later) or known (matched). A state on the stack is never cleared,
//! so that each further visit of one finds fewer events asleep, and the stack is finite.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use plait_reduction::sleep::{fall_asleep, without};

use crate::budget::Reason;
use crate::choice::{Ahead, Choice};
use crate::hash::RecordHash;
use crate::reduction::{ReducedFigures, Reduction};
use crate::search::{Halt, Search};

type State = Rc<[i32]>;

/// A visit on the stack, and what is left of its successors, the next one last.
struct Frame {
    state: State,
    /// Sleeping events, in ascending order.
    sleep: Vec<u32>,
    left: Vec<(u32, State)>,
}

/// What the cache knows of a state.
#[derive(Default)]
struct Known {
    /// Visits of it on the stack.
    frames: u32,
    /// Its stored sleep set.
    sleep: Vec<u32>,
    /// Sleep sets of visits that wait until it is left.
    delayed: Vec<Vec<u32>>,
    /// When it left the stack: the last of its places in the queue counts.
    left_at: u64,
}

struct Caching<'a, 's, H> {
    search: &'a mut Search<'s, H>,
    reduction: Option<&'a Reduction>,
    choice: Choice<'a>,
    capacity: usize,
    cache: HashMap<State, Known>,
    /// States in the order in which they left the stack, with when they did.
    left: VecDeque<(State, u64)>,
    clock: u64,
    stack: Vec<Frame>,
    /// States visited as new so far: each such visit has a number.
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
    let reduction = search.options.reduction.as_ref();
    let mut caching = Caching {
        choice: Choice::new(search.program, reduction, search.options.goals.len()),
        reduction,
        search,
        capacity,
        cache: HashMap::new(),
        left: VecDeque::new(),
        clock: 0,
        stack: Vec::new(),
        visits: 0,
        waiting: 0,
        bytes: 4 * cells + 128,
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
        self.enter(initial, Vec::new())?;
        while let Some(frame) = self.stack.last_mut() {
            let Some((event, state)) = frame.left.pop() else {
                self.leave()?;
                continue;
            };
            let sleep = match self.reduction {
                Some(reduction) => {
                    let from = Rc::clone(&frame.state);
                    let asked = (frame.sleep.as_slice(), event);
                    reduction.inherited(self.search, |_| from.to_vec(), asked)?
                }
                None => Vec::new(),
            };
            if frame.left.last().is_none_or(|next| next.0 != event) {
                fall_asleep(&mut frame.sleep, event);
            }
            self.waiting -= 1;
            self.figures.executed += 1;
            self.arrive(state, sleep)?;
        }
        Ok(())
    }

    /// A successor has been reached.
    fn arrive(&mut self, state: State, sleep: Vec<u32>) -> Result<(), Halt> {
        let delays = self.reduction.is_some_and(|r| r.sleep && r.proviso);
        let Some(known) = self.cache.get_mut(&state) else {
            return self.enter(state, sleep);
        };
        self.figures.matched += 1;
        if delays && known.frames > 0 {
            if !known.delayed.contains(&sleep) {
                known.delayed.push(sleep);
            }
            return Ok(());
        }
        self.enter_again(&state, sleep)
    }

    /// The visit on top of the stack is over.
    fn leave(&mut self) -> Result<(), Halt> {
        let Some(frame) = self.stack.pop() else {
            return Ok(());
        };
        if let Some(known) = self.cache.get_mut(&frame.state) {
            known.frames -= 1;
        }
        while let Some(known) = self.cache.get_mut(&frame.state) {
            if known.frames > 0 {
                return Ok(()); // an earlier visit goes on, or one that waited does
            }
            match known.delayed.pop() {
                Some(sleep) => self.enter_again(&frame.state, sleep)?,
                None => break,
            }
        }
        self.retire(frame.state);
        Ok(())
    }

    /// The state has left the stack.
    fn retire(&mut self, state: State) {
        if self.capacity == 0 {
            self.cache.remove(&state);
            self.figures.cleared += 1;
            return;
        }
        self.clock += 1;
        if let Some(known) = self.cache.get_mut(&state) {
            known.left_at = self.clock;
        }
        self.left.push_back((state, self.clock));
        if self.left.len() > 2 * self.cache.len() + 64 {
            let cache = &self.cache;
            let counts = |(s, at): &(State, u64)| cache.get(s).is_some_and(|k| k.left_at == *at);
            self.left.retain(counts);
        }
    }

    /// Forgets states until there is room for one more.
    fn make_room(&mut self) -> Result<(), Halt> {
        while self.capacity > 0 && self.cache.len() >= self.capacity {
            let (oldest, at) = self.left.pop_front().ok_or(Halt::Stop(Reason::Cache))?;
            let old = self.cache.get(&oldest);
            if old.is_some_and(|k| k.frames == 0 && k.left_at == at) {
                self.cache.remove(&oldest);
                self.figures.cleared += 1;
            }
        }
        Ok(())
    }

    /// Visits a state that is not in the cache.
    fn enter(&mut self, state: State, sleep: Vec<u32>) -> Result<(), Halt> {
        let full = self.visits as usize >= self.search.options.most_states();
        if full && self.visits > 0 {
            return Err(Halt::Stop(Reason::States));
        }
        self.make_room()?;
        let known = Known {
            frames: 1,
            sleep: sleep.clone(),
            ..Known::default()
        };
        self.cache.insert(Rc::clone(&state), known);
        self.visits += 1;
        self.push(Rc::clone(&state), sleep);
        let (sought, number) = (self.search.questions.sought(), self.visits - 1);
        let outcome = self.expand(&state, number);
        if self.search.questions.sought() < sought {
            let path = self.stack.iter().map(|frame| frame.state.to_vec());
            self.search.paths.insert(number, path.collect());
        }
        outcome?;
        self.search.stop_if_decided()
    }

    /// Visits a state of the cache: what slept then and does not sleep now is executed.
    fn enter_again(&mut self, state: &State, mut sleep: Vec<u32>) -> Result<(), Halt> {
        let stored = self.reduction.is_some_and(Reduction::stores_sleep);
        let Some(known) = self.cache.get_mut(state).filter(|_| stored) else {
            return Ok(());
        };
        let awake = without(&known.sleep, &sleep);
        sleep.retain(|e| known.sleep.binary_search(e).is_ok());
        known.sleep.clone_from(&sleep);
        if awake.is_empty() {
            return Ok(());
        }
        known.frames += 1;
        self.push(Rc::clone(state), sleep);
        self.look_around()?;
        self.search.take(state);
        self.execute(self.visits - 1, Some(&awake))
    }

    fn push(&mut self, state: State, sleep: Vec<u32>) {
        self.stack.push(Frame {
            state,
            sleep,
            left: Vec::new(),
        });
        let depth = self.stack.len() as u64 - 1;
        self.figures.depth = self.figures.depth.max(depth);
    }

    /// Looks at the limits from time to time.
    fn look_around(&mut self) -> Result<(), Halt> {
        let search = &mut *self.search;
        search.held = (self.cache.len() as u64 + self.waiting) * self.bytes;
        search.figures.states = u64::from(self.visits);
        search.work += 1 + search.cells.len() / 4 + search.plans.plans.len();
        search.look_up_in_time()?;
        search.compile_in_time();
        Ok(())
    }

    /// Asks everything of the new state on top of the stack, and executes what it must.
    fn expand(&mut self, state: &State, number: u32) -> Result<(), Halt> {
        self.search.questions.ask_new(number, state);
        self.search.stop_if_decided()?;
        self.look_around()?;
        self.search.take(state);
        self.search.figures.observe(state);
        let sleep = self.stack.last().map_or(&[][..], |frame| &frame.sleep);
        let cache = &self.cache;
        let ahead = |search: &Search<'_, H>, record: &[u64]| {
            let mut cells = vec![0; state.len()];
            search.store.layout().decode(record, &mut cells);
            match cache.get(cells.as_slice()) {
                None => Ahead::New,
                Some(known) if known.frames > 0 => Ahead::Closed,
                Some(_) => Ahead::Known,
            }
        };
        let figures = &mut self.figures;
        let events = self
            .choice
            .choose(self.search, number, sleep, &ahead, figures)?;
        self.execute(number, events.as_deref())
    }

    /// Executes events of the state just taken, and puts their successors on top of the stack.
    fn execute(&mut self, number: u32, events: Option<&[u32]>) -> Result<(), Halt> {
        self.choice.execute(self.search, number, events)?;
        let layout = self.search.store.layout();
        let mut cells = vec![0; self.search.cells.len()];
        let mut left: Vec<(u32, State)> = Vec::with_capacity(self.search.batch.len());
        for (event, range) in self.choice.fired() {
            for index in range {
                layout.decode(self.search.batch.get(index, layout.words()), &mut cells);
                left.push((event, cells.as_slice().into()));
            }
        }
        self.choice.forget(self.search);
        left.reverse(); // the first event first
        self.waiting += left.len() as u64;
        if let Some(frame) = self.stack.last_mut() {
            frame.left = left;
        }
        Ok(())
    }
}
