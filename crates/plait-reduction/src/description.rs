//! Events as reductions see them: guards, and one operation a cell.
//!
//! An event with several variants (a choice of called events, or a send that stores into one of
//! several slots) is described as a whole. Where the variants differ only in which value of a cell
//! they are for, and do the same to it (the length of a queue: tested for 0, 1 or 2, one more
//! afterwards), the cell gets one operation with all these values; where the choice of the variant
//! shows anywhere else, the value of the cell matters (`reads`).
//!
//! A bounded queue lowered to cells is the one place where this account is too coarse: a send and a
//! receive both touch the slots, and yet commute wherever both are possible. Whoever lowered the
//! queue says so (`Program::queues`), and the slots are then left out between a send and a receive.

use std::collections::BTreeMap;

use plait_program::interval::Interval;
use plait_program::{Access, CellSet, Code, Effect, Program, QueueUse, Scratch, Summary, Test};

use crate::operation::Operation;
use crate::pieces::Pieces;

/// A conjunct that must hold for an event to be executed.
#[derive(Clone, Debug)]
pub enum Guard {
    /// A cell lies in an interval.
    Test(Test),
    /// A condition on several cells.
    Condition {
        /// Compiled.
        code: Code,
        /// The cells it reads.
        reads: CellSet,
    },
}

impl Guard {
    /// The guard of a compiled condition.
    pub fn of(code: &Code) -> Guard {
        match code.as_test() {
            Some(test) => Guard::Test(test),
            None => Guard::Condition {
                code: code.clone(),
                reads: code.reads(),
            },
        }
    }

    /// Whether it holds.
    #[inline]
    pub fn holds(&self, cells: &[i32], scratch: &mut Scratch) -> bool {
        match self {
            Guard::Test(test) => test.interval.contains(cells[test.cell as usize]),
            Guard::Condition { code, .. } => code.holds(cells, scratch),
        }
    }

    fn key(&self, number: u32) -> (u32, u64) {
        match self {
            Guard::Test(t) => {
                let interval = u64::from(t.interval.low() as u32) << 32;
                (t.cell, interval | u64::from(t.interval.span()))
            }
            Guard::Condition { .. } => (u32::MAX, u64::from(number)),
        }
    }
}

/// An event as reductions see it.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// Conjuncts that must all hold, each with a key by which equal ones are known.
    pub guards: Vec<((u32, u64), Guard)>,
    /// What it does to each cell that it touches.
    pub operations: BTreeMap<u32, Operation>,
    /// The queues that it uses only by sending or by receiving.
    pub queues: Vec<QueueUse>,
}

/// The event described.
pub fn describe(program: &Program, event: u32) -> Description {
    let queues = program.queues(event).to_vec();
    match program.summaries(event).as_deref() {
        None | Some([]) => by_support(program, event),
        Some([only]) => one(program, only, queues),
        Some(several) => merged(program, several, queues),
    }
}

/// The event that only looks whether all these conditions hold; `first` is a number that tells
/// its conditions from those of other monitors.
pub fn monitor(conditions: &[Code], first: u64) -> Description {
    let mut found = Description::default();
    for (number, code) in (first..).zip(conditions) {
        let guard = Guard::of(code);
        match &guard {
            Guard::Test(test) => {
                let test = (test.cell, Pieces::of(test.interval));
                let operation = found.operation(test.0);
                operation.test = operation.test.and(&test.1);
            }
            Guard::Condition { reads, .. } => found.read(reads),
        }
        // Conditions of a monitor are its own: their keys must not meet those of the program.
        let key = match guard.key(0) {
            (u32::MAX, _) => (u32::MAX - 1, number),
            key => key,
        };
        found.guards.push((key, guard));
    }
    found
}

/// An event executed on sets: its guard, and the cells it may read and write.
fn by_support(program: &Program, event: u32) -> Description {
    let mut found = Description::default();
    let support = program.support(event);
    found.read(&support.reads);
    for (first, end) in support.writes.ranges() {
        for cell in *first..*end {
            let operation = found.operation(cell);
            operation.effect = Effect::Any;
            operation.reads = true;
            operation.decides = true;
        }
    }
    for number in program.guard(event) {
        let guard = Guard::of(program.condition(number));
        if let Guard::Test(test) = &guard {
            let pieces = Pieces::of(test.interval);
            let operation = found.operation(test.cell);
            operation.test = operation.test.and(&pieces);
        }
        found.guards.push((guard.key(number), guard));
    }
    found
}

fn one(program: &Program, summary: &Summary, queues: Vec<QueueUse>) -> Description {
    let mut found = Description {
        queues,
        ..Description::default()
    };
    for (cell, access) in &summary.accesses {
        found.add_test(*cell, access.test);
        found.operations.insert(*cell, operation(access));
    }
    found.add_conditions(program, &summary.conditions);
    found
}

fn merged(program: &Program, variants: &[Summary], queues: Vec<QueueUse>) -> Description {
    let mut found = Description {
        queues,
        ..Description::default()
    };
    let mut cells: Vec<u32> = variants
        .iter()
        .flat_map(|v| v.accesses.keys().copied())
        .collect();
    cells.sort_unstable();
    cells.dedup();
    let of = |v: &Summary, cell: &u32| v.accesses.get(cell).copied().unwrap_or(Access::NONE);
    for cell in &cells {
        let accesses: Vec<Access> = variants.iter().map(|v| of(v, cell)).collect();
        found.operations.insert(*cell, together(&accesses));
        let tests = accesses.iter().map(|a| a.test);
        if let Some(hull) = hull(tests) {
            found.add_test(*cell, hull);
        }
    }
    // Where the variants differ in more than the cell that chooses among them, the choice shows.
    let slots = |cell: &u32| found.queues.iter().any(|q| q.slots.contains(*cell));
    let differs = |cell: &u32| {
        let first = of(&variants[0], cell);
        variants.iter().any(|v| of(v, cell) != first)
    };
    let chosen = |cell: &u32| {
        let first = of(&variants[0], cell).test;
        variants.iter().any(|v| of(v, cell).test != first)
    };
    let different: Vec<u32> = cells
        .iter()
        .copied()
        .filter(|c| differs(c) && !slots(c))
        .collect();
    let conditional = variants.iter().any(|v| {
        let same = |a: &(u32, CellSet)| variants[0].conditions.iter().any(|b| a.0 == b.0);
        v.conditions.len() != variants[0].conditions.len() || !v.conditions.iter().all(same)
    });
    if different.len() > 1 || conditional {
        for cell in cells.iter().filter(|c| chosen(c)) {
            if let Some(operation) = found.operations.get_mut(cell) {
                operation.reads = true;
                operation.decides = true;
            }
        }
    }
    let shared: Vec<(u32, CellSet)> = variants[0]
        .conditions
        .iter()
        .filter(|a| {
            variants
                .iter()
                .all(|v| v.conditions.iter().any(|b| a.0 == b.0))
        })
        .cloned()
        .collect();
    found.add_conditions(program, &shared);
    found
}

/// What the variants do to a cell, as one operation.
fn together(accesses: &[Access]) -> Operation {
    let each: Vec<Operation> = accesses.iter().map(operation).collect();
    let mut test = each[0].test.clone();
    for other in &each[1..] {
        test = test.or(&other.test);
    }
    let same = each.iter().all(|o| o.effect == each[0].effect);
    Operation {
        test,
        effect: if same { each[0].effect } else { Effect::Any },
        reads: !same || each.iter().any(|o| o.reads),
        decides: each.iter().any(|o| o.decides),
    }
}

/// An access as an operation; storing a value where only one is admitted is adding the difference.
fn operation(access: &Access) -> Operation {
    let test = Pieces::of(access.test);
    let effect = match (access.effect, test.list()) {
        (Effect::Set(new), [(a, b)]) if a == b => match i32::try_from(i64::from(new) - a) {
            Ok(0) => Effect::Keep,
            Ok(amount) => Effect::Add(amount),
            Err(_) => Effect::Set(new),
        },
        (Effect::Reflect(whole), [(a, b)]) if a == b => {
            match i32::try_from(i64::from(whole) - 2 * a) {
                Ok(0) => Effect::Keep,
                Ok(amount) => Effect::Add(amount),
                Err(_) => access.effect,
            }
        }
        (effect, _) => effect,
    };
    Operation {
        test,
        effect,
        reads: access.reads,
        decides: access.decides,
    }
}

/// The smallest interval around all, unless that is everything or one of them wraps around.
fn hull(tests: impl Iterator<Item = Interval>) -> Option<Interval> {
    let mut hull: Option<(i32, i32)> = None;
    for test in tests {
        let (low, high) = test.bounds()?;
        hull = Some(hull.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
    }
    let (low, high) = hull?;
    (low > i32::MIN || high < i32::MAX).then(|| Interval::new(low, high))
}

impl Description {
    /// The event changes nothing, and only whether it is possible matters.
    pub(crate) fn only_watch(&mut self) {
        for operation in self.operations.values_mut() {
            operation.effect = Effect::Keep;
            operation.reads = operation.decides;
        }
        self.queues.clear();
    }

    fn operation(&mut self, cell: u32) -> &mut Operation {
        self.operations.entry(cell).or_insert_with(|| Operation {
            test: Pieces::all(),
            effect: Effect::Keep,
            reads: false,
            decides: false,
        })
    }

    fn read(&mut self, cells: &CellSet) {
        for (first, end) in cells.ranges() {
            for cell in *first..*end {
                let operation = self.operation(cell);
                operation.reads = true;
                operation.decides = true;
            }
        }
    }

    fn add_test(&mut self, cell: u32, interval: Interval) {
        if interval != Interval::FULL {
            let guard = Guard::Test(Test { cell, interval });
            self.guards.push((guard.key(0), guard));
        }
    }

    fn add_conditions(&mut self, program: &Program, conditions: &[(u32, CellSet)]) {
        for (number, reads) in conditions {
            let guard = Guard::Condition {
                code: program.condition(*number).clone(),
                reads: reads.clone(),
            };
            self.guards.push((guard.key(*number), guard));
        }
    }
}
