//! What can go wrong while a program is built and while it is executed.

use thiserror::Error;

use crate::expr::Sort;

/// A builder call that makes no sense; the program is unchanged by it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BuildError {
    /// An operand of the wrong sort.
    #[error("expression {0} is not {1}")]
    Sort(u32, Sort),
    /// An id that was never given out.
    #[error("there is no {0} {1}")]
    Unknown(&'static str, u64),
    /// An operator that does not exist.
    #[error("unknown operator '{0}'")]
    Operator(String),
    /// Ids are 32-bit numbers.
    #[error("too many {0}")]
    TooMany(&'static str),
    /// An array that reaches beyond the last cell.
    #[error("cells {0}..{1} do not all exist")]
    Array(u64, u64),
    /// An empty domain, or an initial value outside it.
    #[error("cell '{0}' starts with {1}, which is not in {2}..{3}")]
    Initial(String, i32, i32, i32),
    /// `Enabled` or `Deadlock` inside an event.
    #[error("expression {0} asks which events are enabled and cannot stand in an event")]
    AsksEvents(u32),
    /// A label that calls itself, directly or not.
    #[error("label {0} calls itself")]
    Recursive(u32),
    /// Statements inside statements inside statements.
    #[error("statements are nested deeper than {0} levels")]
    TooDeep(u32),
    /// Cells, statements and events cannot be added once the program is in use.
    #[error("the program is in use already")]
    Frozen,
}

/// How a model went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A fixpoint that never settles.
    Fixpoint,
    /// A cycle of states in which the condition of a `Settle` holds.
    Settle,
    /// An assignment outside the domain of its cell.
    Domain,
}

impl FaultKind {
    /// The word that the Python side knows it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixpoint => "fixpoint",
            Self::Settle => "settle",
            Self::Domain => "domain",
        }
    }
}

/// An error of the model, found when it was executed.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{} fault in event {event}, statement {statement}", .kind.name())]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The event whose body holds the statement.
    pub event: u32,
    /// The statement.
    pub statement: u32,
    /// The cell that was assigned, for `Domain`.
    pub cell: Option<u32>,
}

/// Why an execution gave no result.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Failure {
    /// The model is wrong.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The `Watch` asked to stop, or memory could not be had.
    #[error("stopped")]
    Stopped,
}
