//! What a search is asked, and how it shall go about it.

use std::time::Duration;

use plait_program::Code;

use crate::checkpoint::Place;
use crate::form::Form;
use crate::reduction::Reduction;
use crate::tier::Successors;

/// What to look for and when to stop.
#[derive(Clone, Debug)]
pub struct Options {
    /// Conditions: the first state where each is true is sought.
    pub goals: Vec<Code>,
    /// Integers: least and greatest value over all states.
    pub bounds: Vec<Code>,
    /// Stop when all goals are found (and there are some, and no bounds).
    pub stop_when_decided: bool,
    /// How long at most.
    pub timeout: Option<Duration>,
    /// How large the process may become, in bytes.
    pub memory: Option<u64>,
    /// How many states may be stored.
    pub max_states: Option<u64>,
    /// How many threads search; 0 is 1. Breadth-first search without reduction has use for more
    /// than one, and depth-first search with packed states, without sleep sets.
    pub threads: usize,
    /// How many states one thread finds before others help it.
    pub alone: u64,
    /// In which order states are visited.
    pub order: Order,
    /// In what form states are stored. Those that forget states are for breadth-first search without
    /// reduction only, the automaton and bits on one thread.
    pub form: Form,
    /// Where to write checkpoints; only breadth-first search without reduction, with a store that
    /// keeps states, does.
    pub checkpoint: Option<Place>,
    /// What may be left out; nothing without one.
    pub reduction: Option<Reduction>,
    /// How successors are computed.
    pub successors: Successors,
}

/// Numbers of states are 32-bit, and one is set apart.
const MOST_STATES: u64 = u32::MAX as u64 - 1;

impl Options {
    /// Every state, nearest first: the search that several threads share level by level, that can be
    /// written to disk, and that suits every store.
    pub(crate) fn is_plain(&self) -> bool {
        self.order == Order::BreadthFirst && self.reduction.is_none()
    }

    /// How many states there may be.
    pub(crate) fn most_states(&self) -> usize {
        self.max_states.unwrap_or(MOST_STATES).min(MOST_STATES) as usize
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            goals: Vec::new(),
            bounds: Vec::new(),
            stop_when_decided: false,
            timeout: None,
            memory: None,
            max_states: None,
            threads: 1,
            alone: ALONE,
            order: Order::BreadthFirst,
            form: Form::Packed,
            checkpoint: None,
            reduction: None,
            successors: Successors::Auto,
        }
    }
}

/// In which order states are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Nearest first.
    #[default]
    BreadthFirst,
    /// Latest first.
    DepthFirst,
    /// Depth-first to ever greater depths; without reduction.
    Deepening,
    /// Depth-first with room for so many states; 0 is room for the stack alone.
    Caching(usize),
}

/// Fewer states are not worth starting a thread for.
pub const ALONE: u64 = 20_000;
