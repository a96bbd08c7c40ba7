//! When an event has a successor, as a condition on the state before it.
//!
//! The guard is not all of it: a value may be undefined, an index out of range, a called event not
//! ready. As long as what decides that reads nothing that the event has written before, it can be asked
//! at once; the condition is then exact. Where it cannot, `None`: see `pairs` for the general way.

use plait_dd::stack::deep;
use plait_program::arithmetic::CompareOp;
use plait_program::program::reads;
use plait_program::statement::Statement;
use plait_program::{CellSet, ExprId};

use crate::hom::Expr;
use crate::translate::Translator;

/// Bodies with more statements than this, calls unfolded, are not worth a condition.
const LIMIT: usize = 10_000;

/// A walk through an event: what it has written so far, and how far it may still go.
struct Walk {
    written: Vec<(u32, u32)>,
    left: usize,
}

impl Walk {
    fn writes(&mut self, first: u32, end: u32) {
        if !self.written.contains(&(first, end)) {
            self.written.push((first, end));
        }
    }

    fn spend(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }
}

impl Translator<'_> {
    /// The states in which the event has a successor, unless that takes more than a condition.
    pub fn enabled(&mut self, event: u32) -> Option<Expr> {
        let mut walk = Walk {
            written: Vec::new(),
            left: LIMIT,
        };
        self.enabled_event(event, &mut walk)
    }

    fn enabled_event(&mut self, event: u32, walk: &mut Walk) -> Option<Expr> {
        let program = self.program;
        let declared = &program.events()[event as usize].decl;
        let mut needs = Vec::with_capacity(declared.guard.len());
        for conjunct in &declared.guard {
            needs.push(self.asked_now(*conjunct, walk)?);
        }
        needs.push(deep(|| self.enabled_body(&declared.body, walk))?);
        Some(self.homs.pool.and_all(&needs))
    }

    /// The expression, if it reads nothing that was written: then it can be asked at the start.
    fn asked_now(&mut self, id: ExprId, walk: &Walk) -> Option<Expr> {
        let expression = self.expression(id);
        if self.homs.pool.constant_value(expression).is_some() || walk.written.is_empty() {
            return Some(expression);
        }
        let read = reads(self.pool, vec![id]);
        let written = CellSet::from_ranges(walk.written.clone());
        (!read.intersects(&written)).then_some(expression)
    }

    /// The condition that an integer is defined at this point.
    fn defined(&mut self, id: ExprId, walk: &Walk) -> Option<Expr> {
        let expression = self.expression(id);
        if self.homs.pool.is_total(expression) {
            return Some(self.homs.pool.truth(true));
        }
        let expression = self.asked_now(id, walk)?;
        // Undefined, hence not true, exactly where the expression is.
        Some(
            self.homs
                .pool
                .compare(CompareOp::Equal, expression, expression),
        )
    }

    fn enabled_body(&mut self, statements: &[u32], walk: &mut Walk) -> Option<Expr> {
        let mut needs = Vec::new();
        for statement in statements {
            walk.spend()?;
            needs.push(self.enabled_statement(*statement, walk)?);
        }
        Some(self.homs.pool.and_all(&needs))
    }

    fn enabled_statement(&mut self, id: u32, walk: &mut Walk) -> Option<Expr> {
        let program = self.program;
        match program.statements().get(id) {
            Statement::Assign { cell, value } => {
                let need = self.defined(*value, walk)?;
                walk.writes(*cell, cell + 1);
                Some(need)
            }
            Statement::AssignIndexed {
                base,
                size,
                index,
                value,
            } => {
                let at = self.asked_now(*index, walk)?;
                let value = self.defined(*value, walk)?;
                walk.writes(*base, base + size);
                let pool = &mut self.homs.pool;
                let (zero, end) = (pool.constant(0), pool.constant(*size as i32));
                let low = pool.compare(CompareOp::GreaterEqual, at, zero);
                let high = pool.compare(CompareOp::Less, at, end);
                Some(pool.and_all(&[low, high, value]))
            }
            Statement::Choose {
                condition,
                then,
                otherwise,
            } => {
                let asked = self.asked_now(*condition, walk);
                let before = walk.written.clone();
                let then = deep(|| self.enabled_body(then, walk))?;
                let after = std::mem::replace(&mut walk.written, before);
                let otherwise = deep(|| self.enabled_body(otherwise, walk))?;
                after
                    .iter()
                    .for_each(|(first, end)| walk.writes(*first, *end));
                let decided = self.expression(*condition);
                if self.homs.pool.is_total(decided) && self.is_true(then) && then == otherwise {
                    return Some(then);
                }
                let (condition, pool) = (asked?, &mut self.homs.pool);
                let opposite = pool.not(condition);
                let yes = pool.and(condition, then);
                let no = pool.and(opposite, otherwise);
                Some(pool.or(yes, no))
            }
            Statement::Call(label) => self.enabled_call(*label, walk),
            Statement::Abort => Some(self.homs.pool.truth(false)),
            Statement::Fixpoint(_) | Statement::Settle { .. } => None,
        }
    }

    fn enabled_call(&mut self, label: u32, walk: &mut Walk) -> Option<Expr> {
        let program = self.program;
        let before = walk.written.clone();
        let mut ways = Vec::new();
        let mut after = before.clone();
        for event in program.labelled(label) {
            walk.written.clone_from(&before);
            walk.spend()?;
            ways.push(deep(|| self.enabled_event(*event, walk))?);
            after.append(&mut walk.written);
        }
        after.sort_unstable();
        after.dedup();
        walk.written = after;
        Some(self.homs.pool.or_all(&ways))
    }

    fn is_true(&mut self, condition: Expr) -> bool {
        let truth = self.homs.pool.truth(true);
        condition == truth
    }
}
