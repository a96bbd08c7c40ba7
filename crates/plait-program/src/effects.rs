//! What a variant does to each cell: what it tests, how it changes it, whether its value matters.
//!
//! Reductions live on the answer to "may these two events disturb each other?", and the finer the
//! account of an event, the more often the answer is no. Here a variant is summed up cell by cell:
//! the interval in which the cell must lie, the change (nothing, a constant added, a constant
//! stored, anything), and whether the value of the cell matters to anything else than that. Bodies
//! with branches or fixpoints are summed up by the cells that they may touch.
//!
//! Invariant: two states that agree on the cells that the variant tests or reads have successors
//! that differ only where the states did, apart from the changes named here.

use std::collections::BTreeMap;

use crate::arithmetic::BinaryOp;
use crate::cells::CellSet;
use crate::code::{Code, Op};
use crate::interval::Interval;
use crate::program::Program;
use crate::variant::{Step, Test, Update, Variant};

/// How a cell is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Not at all.
    Keep,
    /// This is added, wrapping.
    Add(i32),
    /// This is stored.
    Set(i32),
    /// It is taken from this, wrapping: a boolean is complemented by taking it from 1.
    Reflect(i32),
    /// In a way that is not known.
    Any,
}

impl Effect {
    /// The effect of a constant update.
    pub fn of(update: Update) -> Effect {
        match (update.keep, update.amount) {
            (0, value) => Effect::Set(value),
            (_, 0) => Effect::Keep,
            (_, amount) => Effect::Add(amount),
        }
    }

    /// This effect and then another.
    pub fn then(self, next: Effect) -> Effect {
        match (self, next) {
            (_, Effect::Any | Effect::Set(_)) | (Effect::Keep, _) => next,
            (_, Effect::Keep) => self,
            (Effect::Add(a), Effect::Add(b)) if a.wrapping_add(b) == 0 => Effect::Keep,
            (Effect::Add(a), Effect::Add(b)) => Effect::Add(a.wrapping_add(b)),
            (Effect::Set(a), Effect::Add(b)) => Effect::Set(a.wrapping_add(b)),
            (Effect::Set(a), Effect::Reflect(c)) => Effect::Set(c.wrapping_sub(a)),
            (Effect::Reflect(c), Effect::Add(b)) => Effect::Reflect(c.wrapping_add(b)),
            (Effect::Add(a), Effect::Reflect(c)) => Effect::Reflect(c.wrapping_sub(a)),
            (Effect::Reflect(a), Effect::Reflect(c)) if a == c => Effect::Keep,
            (Effect::Reflect(a), Effect::Reflect(c)) => Effect::Add(c.wrapping_sub(a)),
            (Effect::Any, Effect::Add(_) | Effect::Reflect(_)) => Effect::Any,
        }
    }
}

/// What a variant does to one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Where the cell must lie for the variant to be executed.
    pub test: Interval,
    /// How the cell is changed.
    pub effect: Effect,
    /// The value matters besides: to a condition, to what is stored elsewhere, or to whether the
    /// body has a successor.
    pub reads: bool,
    /// The value matters besides to whether the variant can be executed.
    pub decides: bool,
}

impl Access {
    /// The cell is not touched.
    pub const NONE: Access = Access {
        test: Interval::FULL,
        effect: Effect::Keep,
        reads: false,
        decides: false,
    };
}

/// What a variant does.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The cells it touches, each with what it does to it.
    pub accesses: BTreeMap<u32, Access>,
    /// Its conditions on more than one cell, by number, with the cells they read.
    pub conditions: Vec<(u32, CellSet)>,
    /// It may be without successor although all tests and conditions hold.
    pub blocks: bool,
    /// Its assignments in order: the cells of which one is the target, and the number of the value.
    pub stores: Vec<((u32, u32), u32)>,
    /// It has a fixpoint.
    pub repeats: bool,
}

impl Code {
    /// The cells that the expression may read.
    pub fn reads(&self) -> CellSet {
        let mut ranges = Vec::new();
        for op in &self.ops {
            match op {
                Op::Load(cell) | Op::Test(cell, _) => ranges.push((*cell, cell + 1)),
                Op::LoadIndexed { base, size, .. } => ranges.push((*base, base + size)),
                Op::TestPair(_, a, b) => ranges.extend([(*a, a + 1), (*b, b + 1)]),
                _ => {}
            }
        }
        if let Some(shared) = &self.shared {
            ranges.extend(shared.reads());
        }
        CellSet::from_ranges(ranges)
    }

    /// The events whose being enabled the expression asks about; `None` when it asks about all, as
    /// `Deadlock` does.
    pub fn asked_events(&self) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        for op in &self.ops {
            match op {
                Op::Enabled(events) => found.extend_from_slice(events),
                Op::Deadlock => return None,
                _ => {}
            }
        }
        if let Some(shared) = &self.shared {
            found.extend(shared.asked_events()?);
        }
        Some(found)
    }

    /// The test of one cell that the condition is, if it is one.
    pub fn as_test(&self) -> Option<Test> {
        let (cell, interval) = match self.ops.as_slice() {
            [Op::Test(cell, interval)] => (*cell, Some(*interval)),
            [Op::Test(cell, interval), Op::Not | Op::Fails] => (*cell, interval.complement()),
            _ => return None,
        };
        interval.map(|interval| Test { cell, interval })
    }

    /// Whether every evaluation gives a value.
    fn is_total(&self) -> bool {
        self.shared.is_none()
            && !self
                .ops
                .iter()
                .any(|op| matches!(op, Op::LoadIndexed { .. } | Op::Partial(..)))
    }

    /// The constant that is added, when the expression is the cell and a constant.
    pub fn increment_of(&self, cell: u32) -> Option<i32> {
        match self.effect_on(cell) {
            Effect::Add(amount) => Some(amount),
            _ => None,
        }
    }

    /// `cell = this` as an effect on the cell.
    fn effect_on(&self, cell: u32) -> Effect {
        match self.ops.as_slice() {
            [Op::Const(value)] => Effect::Set(*value),
            [Op::Load(from)] if *from == cell => Effect::Keep,
            [Op::Load(from), Op::AddConst(amount)] if *from == cell => Effect::Add(*amount),
            [Op::Const(whole), Op::Load(from), Op::Total(BinaryOp::Subtract)] if *from == cell => {
                Effect::Reflect(*whole)
            }
            _ => Effect::Any,
        }
    }

    /// The expression is 1 where the cell is 0, and 0 elsewhere.
    fn negates(&self, cell: u32) -> bool {
        let zero = Interval::new(0, 0);
        matches!(self.ops.as_slice(), [Op::Test(from, interval), Op::AsInteger(_)]
            if *from == cell && *interval == zero)
    }
}

impl Program {
    /// What each variant of the event does; `None` when it must be executed on sets of states.
    pub fn summaries(&self, event: u32) -> Option<Vec<Summary>> {
        let variants = self.events()[event as usize].variants()?;
        Some(variants.iter().map(|v| self.summary(v)).collect())
    }

    /// A condition of a variant, by its number in `Summary::conditions`.
    pub fn condition(&self, number: u32) -> &Code {
        self.code(number)
    }

    /// The queues that the event uses only as queues.
    pub fn queues(&self, event: u32) -> &[QueueUse] {
        &self.events()[event as usize].decl.queues
    }

    /// The conjuncts of the event's own guard, as numbers of conditions.
    pub fn guard(&self, event: u32) -> impl Iterator<Item = u32> + '_ {
        self.events()[event as usize].conjuncts.iter().map(|c| c.1)
    }

    fn summary(&self, variant: &Variant) -> Summary {
        let mut found = Summary::default();
        for test in &variant.tests {
            let access = found.access(test.cell);
            match access.test {
                Interval::FULL => access.test = test.interval,
                // Two intervals that have no interval in common: the first is kept as a test.
                _ => (access.reads, access.decides) = (true, true),
            }
        }
        for id in &variant.conditions {
            let reads = self.code(*id).reads();
            found.read(&reads);
            found.decide();
            found.conditions.push((*id, reads));
        }
        found.stores = variant.steps.iter().filter_map(store).collect();
        match &variant.net {
            Some(updates) => {
                for update in updates {
                    found.access(update.cell).effect = Effect::of(*update);
                }
            }
            None => self.add_steps(&variant.steps, &mut found),
        }
        if found.blocks {
            found.decide();
        }
        found
    }

    /// `cell = code` as an effect on the cell; `!x` complements a boolean as `1 - x` does.
    fn effect_of(&self, code: &Code, cell: u32) -> Effect {
        let place = &self.cells()[cell as usize];
        match code.effect_on(cell) {
            Effect::Any if (place.low, place.high) == (0, 1) && code.negates(cell) => {
                Effect::Reflect(1)
            }
            effect => effect,
        }
    }

    fn add_steps(&self, steps: &[Step], found: &mut Summary) {
        let assigns = |s: &Step| matches!(s, Step::Assign { .. } | Step::AssignIndexed { .. });
        found.blocks |= !steps.iter().all(assigns);
        for (step, certain) in steps.iter().zip(certain(steps)) {
            match step {
                Step::Assign { cell, value, .. } => {
                    let code = self.code(*value);
                    let effect = self.effect_of(code, *cell);
                    found.blocks |= !code.is_total();
                    if effect == Effect::Any {
                        found.read(&code.reads());
                    }
                    let access = found.access(*cell);
                    // What is only perhaps executed is anything.
                    access.effect = match certain {
                        true => access.effect.then(effect),
                        false => Effect::Any,
                    };
                }
                Step::AssignIndexed {
                    base,
                    size,
                    index,
                    value,
                    ..
                } => {
                    found.blocks = true;
                    found.read(&self.code(*index).reads());
                    found.read(&self.code(*value).reads());
                    for cell in *base..base + size {
                        found.access(cell).effect = Effect::Any;
                    }
                }
                Step::Require(condition) | Step::Branch { condition, .. } => {
                    found.read(&self.code(*condition).reads());
                }
                Step::Jump(_) | Step::Abort | Step::Enter | Step::Repeat { .. } => {}
            }
        }
        found.repeats = steps.iter().any(|s| matches!(s, Step::Repeat { .. }));
        if found.repeats {
            // A fixpoint compares whole states: how often it goes round depends on what it changes.
            for access in found.accesses.values_mut() {
                access.reads |= access.effect != Effect::Keep;
            }
        }
    }
}

/// Of each step whether every execution that comes to the end goes through it, and once: it stands in
/// no fixpoint, and no jump before it leads past it.
fn certain(steps: &[Step]) -> impl Iterator<Item = bool> + '_ {
    let repeats = steps.iter().any(|s| matches!(s, Step::Repeat { .. }));
    let mut passed = 0;
    (0u32..).zip(steps).map(move |(at, step)| {
        let certain = at >= passed && !repeats;
        if let Step::Branch { otherwise: to, .. } | Step::Jump(to) = step {
            passed = passed.max(*to);
        }
        certain
    })
}

fn store(step: &Step) -> Option<((u32, u32), u32)> {
    match step {
        Step::Assign { cell, value, .. } => Some(((*cell, cell + 1), *value)),
        Step::AssignIndexed {
            base, size, value, ..
        } => Some(((*base, base + size), *value)),
        _ => None,
    }
}

/// A queue that an event uses only as a queue: by one send at its end, or by one receive at its
/// front. Such a send and such a receive commute wherever both are possible, although both touch
/// the cells of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueUse {
    /// Which queue.
    pub queue: u32,
    /// It sends; otherwise it receives.
    pub sends: bool,
    /// The cells of the messages (not of the length).
    pub slots: CellSet,
}

impl Summary {
    fn access(&mut self, cell: u32) -> &mut Access {
        self.accesses.entry(cell).or_insert(Access::NONE)
    }

    /// Everything read so far may decide whether there is a successor.
    fn decide(&mut self) {
        for access in self.accesses.values_mut() {
            access.decides |= access.reads;
        }
    }

    fn read(&mut self, cells: &CellSet) {
        for (first, end) in cells.ranges() {
            for cell in *first..*end {
                self.access(cell).reads = true;
            }
        }
    }
}
