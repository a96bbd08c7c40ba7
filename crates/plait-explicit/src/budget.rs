//! Limits: time, memory, and whoever watches the search.
//!
//! `memory` bounds the resident size of the process. The system is asked how large it is (on Linux
//! `/proc/self/status`) before each large allocation, with the allocation added, and the search
//! stops before the bound is passed. Memory just allocated is not resident until it is touched, so
//! what the search itself holds is counted too, and the larger figure is believed.

use std::time::{Duration, Instant};

use plait_program::Watch;

/// Why a search stopped before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time is up.
    Timeout,
    /// The memory is used up.
    Memory,
    /// As many states as were allowed.
    States,
    /// The observer said so.
    Interrupted,
    /// All goals are found.
    Goals,
    /// Two events that were taken to be independent are not.
    Dependent,
    /// The cache is smaller than the stack is deep.
    Cache,
}

impl Reason {
    /// The word that the Python side knows it by.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Timeout => "timeout",
            Reason::Memory => "memory",
            Reason::States => "states",
            Reason::Interrupted => "interrupted",
            Reason::Goals => "goals",
            Reason::Dependent => "dependent",
            Reason::Cache => "cache",
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// States found.
    pub states: u64,
    /// States whose successors have been computed.
    pub expanded: u64,
    /// Arcs found.
    pub arcs: u64,
    /// Deadlock states found.
    pub deadlocks: u64,
    /// The greatest distance of a state found from the initial state.
    pub depth: u64,
    /// Bytes held by the search.
    pub bytes: u64,
    /// Since the search began.
    pub seconds: f64,
}

/// Is asked about twenty times a second whether the search may go on.
pub trait Observer: Send {
    /// Whether to go on.
    fn go_on(&mut self, progress: &Progress) -> bool;
}

/// The observer that never interrupts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn go_on(&mut self, _progress: &Progress) -> bool {
        true
    }
}

/// The memory bound.
#[derive(Clone, Debug)]
pub struct Budget {
    cap: Option<u64>,
    /// Resident size when the search began.
    baseline: u64,
}

impl Budget {
    /// A bound on the resident size of this process, in bytes.
    pub fn new(cap: Option<u64>) -> Budget {
        let baseline = cap.and_then(|_| resident()).unwrap_or(0);
        Budget { cap, baseline }
    }

    /// Whether `more` bytes may be allocated by a search that holds `held`.
    pub fn allows(&mut self, held: u64, more: u64) -> bool {
        let Some(cap) = self.cap else {
            return true;
        };
        let counted = self.baseline.saturating_add(held);
        let size = resident().unwrap_or(0).max(counted);
        size.saturating_add(more) <= cap
    }
}

/// The resident size of this process in bytes, where the system tells.
pub fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

const OBSERVER_INTERVAL: Duration = Duration::from_millis(50);
const MEMORY_INTERVAL: Duration = Duration::from_millis(5);

/// Watches over a search and over the executions inside it.
pub struct Supervisor<'o> {
    /// The memory bound.
    pub budget: Budget,
    /// The latest figures, for the observer.
    pub progress: Progress,
    /// Why the search must stop, once it must.
    pub stop: Option<Reason>,
    observer: &'o mut dyn Observer,
    started: Instant,
    deadline: Option<Instant>,
    /// Time to be left over at the deadline.
    reserve: Duration,
    observed: Instant,
    measured: Instant,
}

impl<'o> Supervisor<'o> {
    /// Starts the clock.
    pub fn new(
        observer: &'o mut dyn Observer,
        timeout: Option<Duration>,
        memory: Option<u64>,
    ) -> Supervisor<'o> {
        let now = Instant::now();
        Supervisor {
            budget: Budget::new(memory),
            progress: Progress::default(),
            stop: None,
            observer,
            started: now,
            deadline: timeout.and_then(|t| now.checked_add(t)),
            reserve: Duration::ZERO,
            observed: now,
            measured: now,
        }
    }

    /// The same limits for a thread that helps, which asks another observer.
    pub(crate) fn helper<'h>(&self, observer: &'h mut dyn Observer) -> Supervisor<'h> {
        Supervisor {
            budget: self.budget.clone(),
            progress: self.progress,
            stop: None,
            observer,
            started: self.started,
            deadline: self.deadline,
            reserve: self.reserve,
            observed: self.observed,
            measured: self.measured,
        }
    }

    /// Another search begins with what is left of the memory, and with this deadline. Whoever
    /// interrupted the one before has ended this one, too.
    pub(crate) fn begin_again(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.stop = self.stop.filter(|s| *s == Reason::Interrupted);
    }

    /// Leaves time to do again what has been done so far.
    pub(crate) fn reserve_a_repetition(&mut self) {
        self.reserve = self.started.elapsed() * 5 / 4;
    }

    /// The same limits for a repetition, which uses what was left over for it.
    pub(crate) fn repetition(&mut self) -> Supervisor<'_> {
        Supervisor {
            budget: self.budget.clone(),
            progress: self.progress,
            stop: None,
            observer: &mut *self.observer,
            started: self.started,
            deadline: self.deadline,
            reserve: Duration::ZERO,
            observed: self.observed,
            measured: self.measured,
        }
    }

    fn reason_to_stop(&mut self, bytes: usize) -> Option<Reason> {
        let now = Instant::now();
        let end = now.checked_add(self.reserve).unwrap_or(now);
        if self.deadline.is_some_and(|deadline| end >= deadline) {
            return Some(Reason::Timeout);
        }
        if bytes > 0 || now - self.measured >= MEMORY_INTERVAL {
            self.measured = now;
            if !self.budget.allows(self.progress.bytes, bytes as u64) {
                return Some(Reason::Memory);
            }
        }
        if now - self.observed >= OBSERVER_INTERVAL {
            self.observed = now;
            self.progress.seconds = (now - self.started).as_secs_f64();
            if !self.observer.go_on(&self.progress) {
                return Some(Reason::Interrupted);
            }
        }
        None
    }
}

impl Watch for Supervisor<'_> {
    fn go_on(&mut self, bytes: usize) -> bool {
        if self.stop.is_none() {
            self.stop = self.reason_to_stop(bytes);
        }
        self.stop.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_refuses_what_would_pass_its_bound() {
        let mut none = Budget::new(None);
        assert!(none.allows(u64::MAX, u64::MAX));
        let mut small = Budget::new(Some(1));
        assert!(!small.allows(0, 1 << 20));
        let size = resident().unwrap_or(0);
        let mut room = Budget::new(Some(size + (64 << 20)));
        assert!(room.allows(0, 1 << 20));
        assert!(!room.allows(0, 128 << 20));
        assert!(!room.allows(128 << 20, 0));
    }

    #[test]
    fn a_supervisor_that_has_stopped_stays_stopped() {
        let mut observer = Unobserved;
        let mut supervisor = Supervisor::new(&mut observer, Some(Duration::ZERO), None);
        assert!(!supervisor.go_on(0));
        assert_eq!(supervisor.stop, Some(Reason::Timeout));
        assert!(!supervisor.go_on(0));
    }
}
