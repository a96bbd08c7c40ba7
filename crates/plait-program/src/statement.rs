//! Statements as they were declared; their ids are how an error finds its place in the source.

use crate::error::BuildError;
use crate::expr::ExprId;

/// What an event does once its guard holds; lists are ids of statements.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `cell = value`.
    Assign {
        /// The target.
        cell: u32,
        /// The value; no successor when undefined.
        value: ExprId,
    },
    /// `array[index] = value`.
    AssignIndexed {
        /// The first cell of the array.
        base: u32,
        /// How many cells it has.
        size: u32,
        /// Which cell; no successor when undefined or out of range.
        index: ExprId,
        /// The value; no successor when undefined.
        value: ExprId,
    },
    /// Some event of the label is executed.
    Call(u32),
    /// The branch that the condition chooses; no successor when it is undefined.
    Choose {
        /// The condition.
        condition: ExprId,
        /// When true.
        then: Box<[u32]>,
        /// When false.
        otherwise: Box<[u32]>,
    },
    /// The body applied to the set of states until the set does not change.
    Fixpoint(Box<[u32]>),
    /// While the condition holds, the state is replaced by its successors under the label.
    Settle {
        /// The condition.
        condition: ExprId,
        /// The label.
        label: u32,
    },
    /// No successor.
    Abort,
}

/// What is known of a statement with everything inside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    /// Gives at most one state from one state: no call and no settle inside.
    pub deterministic: bool,
    /// How deep statements are nested.
    pub depth: u32,
    /// Number of statements when shared ones are counted each time.
    pub size: u64,
}

/// Statements nested deeper are refused: bodies are compiled by recursion.
pub const NESTING_LIMIT: u32 = 1000;

/// All statements of a program; a statement comes after those inside it.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    list: Vec<Statement>,
    traits: Vec<Traits>,
}

impl Statements {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The statement of that id.
    #[inline]
    pub fn get(&self, id: u32) -> &Statement {
        &self.list[id as usize]
    }

    pub(crate) fn traits(&self, id: u32) -> Traits {
        self.traits[id as usize]
    }

    /// Adds a statement whose parts are known to exist.
    pub(crate) fn add(&mut self, statement: Statement) -> Result<u32, BuildError> {
        let mut traits = Traits {
            deterministic: !matches!(statement, Statement::Call(_) | Statement::Settle { .. }),
            depth: 1,
            size: 1,
        };
        let (first, second): (&[u32], &[u32]) = match &statement {
            Statement::Choose {
                then, otherwise, ..
            } => (then, otherwise),
            Statement::Fixpoint(body) => (body, &[]),
            _ => (&[], &[]),
        };
        for id in first.iter().chain(second) {
            let inner = self.traits(*id);
            traits.deterministic &= inner.deterministic;
            traits.depth = traits.depth.max(inner.depth + 1);
            traits.size = traits.size.saturating_add(inner.size);
        }
        if traits.depth > NESTING_LIMIT {
            return Err(BuildError::TooDeep(NESTING_LIMIT));
        }
        self.list.push(statement);
        self.traits.push(traits);
        Ok((self.list.len() - 1) as u32)
    }

    /// Calls `visit` with every statement of the body and inside it, each shared one once.
    pub fn visit(&self, body: &[u32], mut visit: impl FnMut(&Statement)) {
        let mut seen = std::collections::HashSet::new();
        let mut stack: Vec<u32> = body.iter().rev().copied().collect();
        while let Some(id) = stack.pop() {
            let statement = self.get(id);
            match statement {
                Statement::Choose {
                    then, otherwise, ..
                } => {
                    if seen.insert(id) {
                        stack.extend(otherwise.iter().rev().chain(then.iter().rev()));
                    } else {
                        continue;
                    }
                }
                Statement::Fixpoint(inner) => {
                    if seen.insert(id) {
                        stack.extend(inner.iter().rev());
                    } else {
                        continue;
                    }
                }
                _ => {}
            }
            visit(statement);
        }
    }
}
