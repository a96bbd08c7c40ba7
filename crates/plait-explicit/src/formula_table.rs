//! CTL formulas as a table: each sub-formula once, after those that it is made of.
//!
//! Formulas are in negation normal form. Every path operator is one of three: `Next`, and the least
//! or the greatest solution of `goal or (stay and next)`, which are `stay U goal` and `stay W goal`.
//! What holds where a path ends is said by `ended`, so that both conventions for deadlocks are the
//! same search.

use plait_program::{Code, Sort};

/// A path operator under its quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantified {
    /// All paths, rather than some.
    pub universal: bool,
    /// The value, in a state without successor, of what is asked of the next state.
    pub ended: bool,
}

/// One sub-formula; operands are numbers of earlier ones.
#[derive(Clone, Debug)]
pub enum Operator {
    /// A condition on one state; it holds where it is true, not where it is undefined.
    Condition(Code),
    /// A conjunction.
    All(Vec<u32>),
    /// A disjunction.
    Any(Vec<u32>),
    /// X.
    Next(Quantified, u32),
    /// `stay U goal`.
    Until(Quantified, Until),
    /// `stay W goal`.
    WeakUntil(Quantified, Until),
}

/// The operands of an until.
#[derive(Clone, Debug)]
pub struct Until {
    /// What holds until then.
    pub stay: u32,
    /// What holds then.
    pub goal: u32,
    /// An integer that is the smaller the nearer a state that decides is.
    pub measure: Option<Code>,
}

/// Sub-formulas, operands first.
#[derive(Clone, Debug, Default)]
pub struct FormulaTable {
    operators: Vec<Operator>,
}

/// Why a sub-formula cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFormula {
    /// An operand is not in the table yet.
    Operand(u32),
    /// A condition is an integer, or a measure is none.
    Sort,
}

impl FormulaTable {
    /// Adds a sub-formula; its number.
    pub fn add(&mut self, operator: Operator) -> Result<u32, NoFormula> {
        let number = self.operators.len() as u32;
        let operands: Vec<u32> = match &operator {
            Operator::Condition(code) if code.sort() != Sort::Condition => {
                return Err(NoFormula::Sort);
            }
            Operator::Condition(_) => Vec::new(),
            Operator::All(operands) | Operator::Any(operands) => operands.clone(),
            Operator::Next(_, operand) => vec![*operand],
            Operator::Until(_, until) | Operator::WeakUntil(_, until) => {
                let measure = until.measure.as_ref();
                if measure.is_some_and(|m| m.sort() != Sort::Integer || m.asks_events()) {
                    return Err(NoFormula::Sort);
                }
                vec![until.stay, until.goal]
            }
        };
        if let Some(wrong) = operands.iter().find(|o| **o >= number) {
            return Err(NoFormula::Operand(*wrong));
        }
        self.operators.push(operator);
        Ok(number)
    }

    /// How many sub-formulas.
    pub fn len(&self) -> usize {
        self.operators.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.operators.is_empty()
    }

    /// The sub-formula of that number.
    #[inline]
    pub fn get(&self, number: u32) -> &Operator {
        &self.operators[number as usize]
    }
}
