//! When the events of a search are compiled.
//!
//! Compiling costs time that a short search never earns back. The rule is that of renting and
//! buying skis (Karlin, Manasse, Rudolph and Sleator, *Competitive snoopy caching*, 1988): interpret
//! until about as much time has gone by as compiling would take, then compile. Whatever the length
//! of the search, it takes at most about twice what it would have taken had it been known. Nothing
//! but the time depends on the moment.
//!
//! What is compiled are the events that have been tried, whether they could be executed or not: to
//! find out that a guard does not hold is a large part of most searches. How long compiling takes is
//! estimated from these when the first moment has come, and it is put off if that was too early.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plait_program::native::{Native, BUDGET};
use plait_program::Code;

use crate::hash::RecordHash;
use crate::search::Search;

/// How successors are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Successors {
    /// Interpreted at first, compiled when the search turns out to be long.
    #[default]
    Auto,
    /// By the interpreter.
    Interpreted,
    /// Compiled from the start, as far as possible.
    Compiled,
}

impl Successors {
    /// All, by the names that a user knows.
    pub const ALL: [(&'static str, Successors); 3] = [
        ("auto", Successors::Auto),
        ("interpreted", Successors::Interpreted),
        ("compiled", Successors::Compiled),
    ];

    /// The one with that name.
    pub fn parse(name: &str) -> Option<Successors> {
        let found = Successors::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, successors)| *successors)
    }
}

/// What was compiled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compiled {
    /// Straight-line forms of events, and whole blocks.
    pub variants: usize,
    /// Bytes of machine code.
    pub bytes: usize,
    /// How long it took.
    pub seconds: f64,
}

/// How long it takes to compile an instruction of bytecode, about.
const PACE: Duration = Duration::from_micros(10);
/// No search compiles before that.
const PATIENCE: Duration = Duration::from_millis(50);

/// An event that makes up less than this part of what is tried stays interpreted.
const SELDOM: u64 = 4096;

/// When to compile.
#[derive(Debug)]
pub(crate) struct Tier {
    /// `None` when it is over or not wanted.
    at: Option<Instant>,
    /// It is time.
    due: bool,
    began: Instant,
    /// Not before it pays.
    patient: bool,
}

impl Tier {
    /// The search begins now.
    pub fn new(successors: Successors) -> Tier {
        let began = Instant::now();
        let patient = successors == Successors::Auto;
        Tier {
            at: match successors {
                Successors::Auto => Some(began + PATIENCE),
                Successors::Interpreted => None,
                Successors::Compiled => Some(began),
            },
            due: successors == Successors::Compiled,
            began,
            patient,
        }
    }

    /// Nothing is to be compiled any more.
    pub fn over() -> Tier {
        Tier::new(Successors::Interpreted)
    }

    /// Whether it is time to compile so many instructions; if not, it is put off.
    pub fn is_time_for(&mut self, work: usize) -> bool {
        let at = self.began + PATIENCE + PACE * work.min(BUDGET) as u32;
        let early = self.patient && Instant::now() < at;
        if early {
            self.at = Some(at);
            self.due = false;
        }
        !early
    }

    /// Whether it is time.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.due
    }

    /// Looks at the clock.
    pub fn tick(&mut self) {
        self.due = self.at.is_some_and(|at| Instant::now() >= at);
    }
}

impl<H: RecordHash> Search<'_, H> {
    /// Compiles when it is time.
    #[inline]
    pub(crate) fn compile_in_time(&mut self) {
        if self.tier.is_due() {
            self.compile();
        }
    }

    #[cold]
    fn compile(&mut self) {
        let start = Instant::now();
        let expressions = self.questions.codes();
        let matters = self.matters();
        let questions: usize = expressions.iter().map(Code::cost).sum();
        if !self
            .tier
            .is_time_for(questions + Native::work(self.program, &matters))
        {
            return;
        }
        self.tier = Tier::over();
        let compiled = Native::compile(self.program, &expressions, &matters, BUDGET);
        if let Some(native) = compiled.map(Arc::new) {
            self.figures.compiled = Some(Compiled {
                variants: native.variants() + native.blocks(),
                bytes: native.bytes(),
                seconds: start.elapsed().as_secs_f64(),
            });
            self.questions.use_native(Arc::clone(&native));
            self.machine.use_native(native);
        }
    }

    /// How often each event was tried, if not seldom; all are alike before the first state.
    fn matters(&self) -> Vec<u64> {
        if self.figures.expanded == 0 {
            return vec![1; self.program.events().len()];
        }
        let least = self.tried.iter().sum::<u64>() / SELDOM;
        let events = self.tried.iter().zip(self.machine.called());
        events
            .map(|(tried, called)| match tried {
                tried if *tried > least => *tried,
                _ => u64::from(*called),
            })
            .collect()
    }
}
