//! Straight-line forms of events.
//!
//! A *variant* is one way through an event: its calls replaced by one choice of called events, so
//! that what is left is a straight line with branches and at most one successor. An event without
//! calls has one variant; an event that calls two labels with three events each has nine. Since all
//! statements but fixpoints distribute over unions of states, the event's successors are the union
//! of its variants' (a fixpoint is admitted where at most one state can arrive).
//!
//! Variants are what makes synchronisations of a composition as cheap as plain events: the guards of
//! called events move to the front where nothing before them can matter, and when only conditions and
//! then constant updates are left, the variant is *net-like*, as the transitions of a Petri net are:
//! a list of interval tests and a list of updates, which a search applies directly to its packed
//! states.

use std::collections::HashMap;

use crate::arithmetic::BinaryOp;
use crate::expr::{ExprId, Node, Pool};
use crate::interval::Interval;
use crate::program::{reads, CodeId, Program};
use crate::statement::Statement;

/// The test that a cell lies in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// The cell.
    pub cell: u32,
    /// Where it must lie.
    pub interval: Interval,
}

/// The update of a cell by a constant: `cell = (cell & keep) + amount`, wrapping, where `keep` is -1
/// (add) or 0 (set).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The cell.
    pub cell: u32,
    /// -1 to add to the value, 0 to replace it.
    pub keep: i32,
    /// What is added or stored.
    pub amount: i32,
}

impl Update {
    /// The new value of the cell.
    #[inline]
    pub fn apply(self, value: i32) -> i32 {
        (value & self.keep).wrapping_add(self.amount)
    }
}

/// One instruction of a straight line; targets are positions in the list. `event` and `statement`
/// say whose step it is.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Assign {
        cell: u32,
        value: CodeId,
        event: u32,
        statement: u32,
    },
    AssignIndexed {
        base: u32,
        size: u32,
        index: CodeId,
        value: CodeId,
        event: u32,
        statement: u32,
    },
    /// A conjunct of the guard of a called event.
    Require(CodeId),
    Branch {
        condition: CodeId,
        otherwise: u32,
        event: u32,
    },
    Jump(u32),
    Abort,
    /// A fixpoint begins.
    Enter,
    /// Back to `start` unless the state is the same as it was there.
    Repeat {
        start: u32,
        event: u32,
        statement: u32,
    },
}

impl Step {
    /// Its expressions.
    pub fn codes(&self) -> [Option<CodeId>; 2] {
        match self {
            Step::Assign { value, .. } => [Some(*value), None],
            Step::AssignIndexed { index, value, .. } => [Some(*index), Some(*value)],
            Step::Require(condition) | Step::Branch { condition, .. } => [Some(*condition), None],
            Step::Jump(_) | Step::Abort | Step::Enter | Step::Repeat { .. } => [None, None],
        }
    }
}

/// One straight-line form of an event.
#[derive(Clone, Debug, Default)]
pub struct Variant {
    /// Its place among all variants of the program.
    pub(crate) number: u32,
    pub(crate) tests: Vec<Test>,
    pub(crate) conditions: Vec<CodeId>,
    pub(crate) steps: Vec<Step>,
    pub(crate) net: Option<Vec<Update>>,
    /// The events that were called.
    pub(crate) calls: Box<[u32]>,
}

impl Variant {
    /// Tests that must all hold; cheap, to be done first.
    pub fn tests(&self) -> &[Test] {
        &self.tests
    }

    /// Whether there are conditions besides the tests; the machine evaluates them.
    pub fn has_conditions(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// The updates, if the variant is net-like: where all tests and conditions hold the successor is
    /// the state with these updates, of distinct cells, applied; a result outside the cell's domain
    /// is a fault, and the machine will say which.
    pub fn net(&self) -> Option<&[Update]> {
        self.net.as_deref()
    }
}

/// A piece of a variant: the guard of an event, one statement, or a call that nobody answers.
#[derive(Clone, Copy)]
pub(crate) enum Item {
    Guard(u32),
    Statement(u32, u32),
    Unanswered,
}

/// What a straight line has done so far to a cell, as a function of its value at the start.
type Effects = HashMap<u32, Update>;

struct Lines<'a> {
    program: &'a Program,
    pool: &'a Pool,
    variant: Variant,
    effects: Effects,
    /// All steps so far are updates by constants that cannot fault: a test can move before them.
    transparent: bool,
    /// All steps so far are updates by constants of distinct cells.
    net: bool,
}

/// The variant that the items say, or `None` when one of its tests can never hold.
pub(crate) fn build(program: &Program, pool: &Pool, items: &[Item]) -> Option<Variant> {
    let mut lines = Lines {
        program,
        pool,
        variant: Variant::default(),
        effects: HashMap::new(),
        transparent: true,
        net: true,
    };
    for item in items {
        match item {
            Item::Guard(event) => {
                for (conjunct, code) in &program.events()[*event as usize].conjuncts {
                    lines.require(*conjunct, *code)?;
                }
            }
            Item::Statement(event, id) => lines.statement(*event, *id),
            Item::Unanswered => {
                if lines.transparent {
                    return None;
                }
                lines.variant.steps.push(Step::Abort);
                lines.net = false;
            }
        }
    }
    let mut variant = lines.variant;
    let guarded = items.iter().filter_map(|item| match item {
        Item::Guard(event) => Some(*event),
        _ => None,
    });
    variant.calls = guarded.skip(1).collect(); // the first one calls the others
    variant
        .conditions
        .sort_by_key(|id| program.code(*id).cost());
    if lines.net {
        let mut updates: Vec<Update> = lines.effects.into_values().collect();
        updates.retain(|u| u.keep == 0 || u.amount != 0);
        updates.sort_by_key(|u| u.cell);
        variant.net = Some(updates);
    }
    Some(variant)
}

/// What a conjunct asks of a single cell.
enum Asked {
    Test(Test),
    Never,
    Other,
}

fn asked(pool: &Pool, id: ExprId) -> Asked {
    let (id, negated) = match pool.node(id) {
        Node::Not(inner) => (*inner, true), // a cell is never undefined
        _ => (id, false),
    };
    match pool.node(id) {
        Node::Truth(value) if *value == negated => Asked::Never,
        Node::Compare(op, a, b) => {
            let (op, cell, constant) = match (pool.node(*a), pool.node(*b)) {
                (Node::Load(cell), Node::Const(k)) => (*op, *cell, *k),
                (Node::Const(k), Node::Load(cell)) => (op.mirrored(), *cell, *k),
                _ => return Asked::Other,
            };
            let op = if negated { op.negated() } else { op };
            match Interval::of(op, constant) {
                Some(interval) => Asked::Test(Test { cell, interval }),
                None => Asked::Never,
            }
        }
        _ => Asked::Other,
    }
}

impl Lines<'_> {
    /// A conjunct that must hold at this point; `None` when the variant is impossible.
    fn require(&mut self, conjunct: ExprId, code: CodeId) -> Option<()> {
        if self.transparent {
            match asked(self.pool, conjunct) {
                Asked::Never => return None,
                Asked::Test(test) => return self.hoist(test),
                Asked::Other => {
                    let reads = reads(self.pool, vec![conjunct]);
                    if !self.effects.keys().any(|cell| reads.contains(*cell)) {
                        self.variant.conditions.push(code);
                        return Some(());
                    }
                }
            }
        }
        self.variant.steps.push(Step::Require(code));
        self.net = false;
        Some(())
    }

    /// A test of a cell now, as a test at the start.
    fn hoist(&mut self, test: Test) -> Option<()> {
        let interval = match self.effects.get(&test.cell) {
            None => test.interval,
            Some(update) if update.keep == 0 => {
                return test.interval.contains(update.amount).then_some(());
            }
            Some(update) => test.interval.shifted_back(update.amount),
        };
        let cell = test.cell;
        let same = |t: &&mut Test| t.cell == cell;
        for old in self.variant.tests.iter_mut().filter(same) {
            if let Ok(both) = old.interval.intersection(interval) {
                old.interval = both?;
                return Some(());
            }
        }
        self.variant.tests.push(Test { cell, interval });
        Some(())
    }

    fn statement(&mut self, event: u32, id: u32) {
        if let Statement::Assign { cell, value } = self.program.statements.get(id) {
            self.assign(*cell, *value);
        } else {
            self.transparent = false;
            self.net = false;
        }
        emit(self.program, event, id, &mut self.variant.steps);
    }

    /// Follows an assignment as long as it is an update by a constant.
    fn assign(&mut self, cell: u32, value: ExprId) {
        let Some(now) = constant_update(self.pool, cell, value) else {
            self.transparent = false;
            self.net = false;
            return;
        };
        let domain = &self.program.cells()[cell as usize];
        let before = self.effects.get(&cell).copied();
        let update = match before {
            Some(old) if now.keep != 0 => Update {
                amount: old.amount.wrapping_add(now.amount),
                ..old
            },
            _ => now,
        };
        if !domain.is_unrestricted() {
            // An intermediate value outside the domain would be a fault that a net form forgets.
            self.net &= before.is_none();
            self.net &= update.keep != 0 || domain.admits(update.amount);
            self.transparent &= self.stays_in_domain(update);
        }
        self.effects.insert(cell, update);
    }

    /// Whether the tests so far guarantee that the update stays in the domain of its cell.
    fn stays_in_domain(&self, update: Update) -> bool {
        let domain = &self.program.cells()[update.cell as usize];
        if update.keep == 0 {
            return domain.admits(update.amount);
        }
        let (mut low, mut high) = (i64::from(domain.low), i64::from(domain.high));
        for test in self.variant.tests.iter().filter(|t| t.cell == update.cell) {
            if let Some((a, b)) = test.interval.bounds() {
                low = low.max(i64::from(a));
                high = high.min(i64::from(b));
            }
        }
        let amount = i64::from(update.amount);
        low + amount >= i64::from(domain.low) && high + amount <= i64::from(domain.high)
    }
}

/// Appends the steps of a deterministic statement.
pub(crate) fn emit(program: &Program, event: u32, id: u32, steps: &mut Vec<Step>) {
    let codes = program.statement_codes[id as usize];
    match program.statements.get(id) {
        Statement::Assign { cell, .. } => steps.push(Step::Assign {
            cell: *cell,
            value: codes.main,
            event,
            statement: id,
        }),
        Statement::AssignIndexed { base, size, .. } => steps.push(Step::AssignIndexed {
            base: *base,
            size: *size,
            index: codes.index,
            value: codes.main,
            event,
            statement: id,
        }),
        Statement::Choose {
            then, otherwise, ..
        } => {
            let branch = steps.len();
            steps.push(Step::Abort);
            then.iter().for_each(|s| emit(program, event, *s, steps));
            let jump = steps.len();
            steps.push(Step::Abort);
            steps[branch] = Step::Branch {
                condition: codes.main,
                otherwise: steps.len() as u32,
                event,
            };
            otherwise
                .iter()
                .for_each(|s| emit(program, event, *s, steps));
            steps[jump] = Step::Jump(steps.len() as u32);
        }
        Statement::Fixpoint(body) => {
            steps.push(Step::Enter);
            let start = steps.len() as u32;
            body.iter().for_each(|s| emit(program, event, *s, steps));
            steps.push(Step::Repeat {
                start,
                event,
                statement: id,
            });
        }
        Statement::Abort | Statement::Call(_) | Statement::Settle { .. } => {
            steps.push(Step::Abort);
        }
    }
}

/// `cell = value` as an update by a constant, if it is one.
fn constant_update(pool: &Pool, cell: u32, value: ExprId) -> Option<Update> {
    let is_cell = |id: &ExprId| *pool.node(*id) == Node::Load(cell);
    let constant = |id: &ExprId| match pool.node(*id) {
        Node::Const(k) => Some(*k),
        _ => None,
    };
    let add = |amount| Update {
        cell,
        keep: -1,
        amount,
    };
    match pool.node(value) {
        Node::Const(k) => Some(Update {
            cell,
            keep: 0,
            amount: *k,
        }),
        Node::Load(from) if *from == cell => Some(add(0)),
        Node::Binary(BinaryOp::Add, a, b) if is_cell(a) => constant(b).map(add),
        Node::Binary(BinaryOp::Add, a, b) if is_cell(b) => constant(a).map(add),
        Node::Binary(BinaryOp::Subtract, a, b) if is_cell(a) => {
            constant(b).map(|k| add(k.wrapping_neg()))
        }
        _ => None,
    }
}
