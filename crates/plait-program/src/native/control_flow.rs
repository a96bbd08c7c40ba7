//! The control flow of an event that settles: which events can follow one another inside it.
//!
//! An atomic block of Promela is one event that goes on, with `Settle` or with calls at its end, as
//! long as some process has the control. Which events can come next depends on a few cells to which
//! only constants are ever stored, the program counters and who has the control. Walking through the
//! block with their values known gives a finite graph: its nodes are the points at which an event of
//! a label is chosen, its edges the events whose guards agree with what is known there. A loop of the
//! block is a cycle of the graph, however often it is gone round.
//!
//! Invariant: every execution of the event follows edges of the graph, and a conjunct of a guard that
//! is not listed on an edge holds whenever the edge's node is reached.

use std::collections::{BTreeMap, HashMap};

use super::LONGEST;
use crate::cells::CellSet;
use crate::code::{Op, Scratch};
use crate::program::{CodeId, Program};
use crate::statement::Statement;
use crate::variant::{emit, Step};

/// An event with more points at which another is chosen stays interpreted.
const MOST_NODES: usize = 400;
/// So does one with more events to choose from at a point.
const MOST_WAYS: usize = 100;

/// What the event does first, and all that can follow.
pub(super) struct Graph {
    pub start: Way,
    pub nodes: Vec<Node>,
    /// Instructions of bytecode in all.
    pub cost: usize,
}

/// A point at which an event of a label is executed.
pub(super) struct Node {
    /// The label is repeated: this point may be met any number of times.
    pub repeats: bool,
    /// Where the condition does not hold, the state has settled, and things go on elsewhere. `None`
    /// when it is known to hold, or there is none.
    pub settles: Option<(CodeId, Target)>,
    pub ways: Vec<Way>,
}

/// An event that may be executed at a point: where these conjuncts hold, with these steps.
pub(super) struct Way {
    pub event: u32,
    pub guard: Vec<CodeId>,
    pub steps: Vec<Step>,
    pub next: Target,
}

/// Where an event leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    End,
    Node(usize),
}

/// The values of some cells.
type Known = BTreeMap<u32, i32>;

/// A point with what is known there: the label that is called, or none where the innermost of the
/// `Settle` statements under way is repeated.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Point {
    label: Option<u32>,
    settling: Vec<u32>,
    known: Vec<(u32, i32)>,
}

/// Finds the graphs of a program's events.
pub(super) struct ControlFlow<'p> {
    program: &'p Program,
    /// By cell: constants are stored there, and nothing else.
    constant: Vec<bool>,
    reads: HashMap<CodeId, CellSet>,
    /// Some state, to evaluate on what is known.
    cells: Vec<i32>,
    scratch: Scratch,
}

impl<'p> ControlFlow<'p> {
    pub fn new(program: &'p Program) -> ControlFlow<'p> {
        ControlFlow {
            program,
            constant: constant_cells(program),
            reads: HashMap::new(),
            cells: program.initial(),
            scratch: Scratch::default(),
        }
    }

    /// The graph of an event; `None` when something else than its last statement calls or settles,
    /// or when it is too large.
    pub fn graph(&mut self, event: u32) -> Option<Graph> {
        let mut walk = Walk {
            flow: self,
            numbers: HashMap::new(),
            points: Vec::new(),
            cost: 1,
        };
        let start = walk.way(event, &[], Known::new())??;
        let mut nodes = Vec::new();
        while let Some(point) = walk.points.get(nodes.len()).cloned() {
            nodes.push(walk.node(&point)?);
        }
        let cost = walk.cost;
        Some(Graph { start, nodes, cost })
    }

    /// Whether the condition holds, if what is known decides it.
    fn decide(&mut self, code: CodeId, known: &Known) -> Option<bool> {
        let program = self.program;
        let reads = self
            .reads
            .entry(code)
            .or_insert_with(|| program.code(code).reads());
        for cell in reads.ranges().iter().flat_map(|(first, end)| *first..*end) {
            self.cells[cell as usize] = *known.get(&cell)?;
        }
        Some(program.code(code).holds(&self.cells, &mut self.scratch))
    }

    /// What a conjunct that holds says about a cell that only gets constants.
    fn learn(&self, code: CodeId, known: &mut Known) {
        let test = self.program.code(code).as_test();
        if let Some((cell, (low, high))) = test.and_then(|t| Some((t.cell, t.interval.bounds()?))) {
            if low == high && self.constant[cell as usize] {
                known.insert(cell, low);
            }
        }
    }
}

/// The cells to which constants are stored, in the order of bodies, and nothing else is.
fn constant_cells(program: &Program) -> Vec<bool> {
    let mut stored = vec![false; program.cells().len()];
    let mut other = stored.clone();
    for event in program.events() {
        for id in &event.decl.body {
            let value = program.statement_codes[*id as usize].main;
            match program.statements.get(*id) {
                Statement::Assign { cell, .. }
                    if matches!(program.code(value).ops[..], [Op::Const(_)]) =>
                {
                    stored[*cell as usize] = true;
                }
                _ => program.statements.visit(&[*id], |inner| match inner {
                    Statement::Assign { cell, .. } => other[*cell as usize] = true,
                    Statement::AssignIndexed { base, size, .. } => {
                        other[*base as usize..][..*size as usize].fill(true);
                    }
                    _ => {}
                }),
            }
        }
    }
    let both = stored.iter().zip(&other);
    both.map(|(stored, other)| *stored && !other).collect()
}

/// One event being walked through.
struct Walk<'a, 'p> {
    flow: &'a mut ControlFlow<'p>,
    numbers: HashMap<Point, usize>,
    points: Vec<Point>,
    cost: usize,
}

impl Walk<'_, '_> {
    fn node(&mut self, point: &Point) -> Option<Node> {
        let program = self.flow.program;
        let known: Known = point.known.iter().copied().collect();
        let mut settles = None;
        let label = match (point.label, &point.settling[..]) {
            (Some(label), _) => label,
            (None, [outer @ .., statement]) => {
                let condition = program.statement_codes[*statement as usize].main;
                if self.flow.decide(condition, &known).is_none() {
                    self.spend(condition)?;
                    settles = Some((condition, self.target(None, outer.to_vec(), known.clone())?));
                }
                match program.statements.get(*statement) {
                    Statement::Settle { label, .. } => *label,
                    _ => return None,
                }
            }
            (None, []) => return None,
        };
        let mut ways = Vec::new();
        for event in program.labelled(label) {
            ways.extend(self.way(*event, &point.settling, known.clone())?);
        }
        (ways.len() <= MOST_WAYS).then_some(Node {
            repeats: point.label.is_none(),
            settles,
            ways,
        })
    }

    /// An event executed where that is known; `Some(None)` when it cannot be, there.
    fn way(&mut self, event: u32, settling: &[u32], mut known: Known) -> Option<Option<Way>> {
        let program = self.flow.program;
        let compiled = &program.events()[event as usize];
        let mut guard = Vec::new();
        for (_, code) in &compiled.conjuncts {
            match self.flow.decide(*code, &known) {
                Some(false) => return Some(None),
                Some(true) => {}
                None => guard.push(*code),
            }
        }
        for code in &guard {
            self.spend(*code)?;
            self.flow.learn(*code, &mut known);
        }
        let mut settling = settling.to_vec();
        let (body, label) = match &compiled.decl.body[..] {
            [before @ .., last] => match program.statements.get(*last) {
                Statement::Call(label) => (before, Some(*label)),
                Statement::Settle { .. } => {
                    settling.push(*last);
                    (before, None)
                }
                _ => (&compiled.decl.body[..], None),
            },
            [] => (&[][..], None),
        };
        let mut steps = Vec::new();
        for id in body {
            if !program.statements.traits(*id).deterministic {
                return None;
            }
            self.store(*id, &mut known);
            emit(program, event, *id, &mut steps);
        }
        for step in &steps {
            for code in step.codes().into_iter().flatten() {
                self.spend(code)?;
            }
        }
        self.cost += 1 + steps.len();
        let next = self.target(label, settling, known)?;
        Some(Some(Way {
            event,
            guard,
            steps,
            next,
        }))
    }

    fn spend(&mut self, code: CodeId) -> Option<()> {
        self.cost += self.flow.program.code(code).cost();
        (self.cost <= LONGEST).then_some(())
    }

    /// What is known after a statement.
    fn store(&self, id: u32, known: &mut Known) {
        let program = self.flow.program;
        if let Statement::Assign { cell, .. } = program.statements.get(id) {
            let value = program.statement_codes[id as usize].main;
            if let ([Op::Const(value)], true) = (
                &program.code(value).ops[..],
                self.flow.constant[*cell as usize],
            ) {
                known.insert(*cell, *value);
            }
        }
    }

    /// The point that is next; a new one if it has not been met.
    fn target(
        &mut self,
        label: Option<u32>,
        mut settling: Vec<u32>,
        known: Known,
    ) -> Option<Target> {
        while let (None, Some(statement)) = (label, settling.last()) {
            let condition = self.flow.program.statement_codes[*statement as usize].main;
            if self.flow.decide(condition, &known) != Some(false) {
                break;
            }
            settling.pop();
        }
        if label.is_none() && settling.is_empty() {
            return Some(Target::End);
        }
        let known = known.into_iter().collect();
        let point = Point {
            label,
            settling,
            known,
        };
        if let Some(number) = self.numbers.get(&point) {
            return Some(Target::Node(*number));
        }
        let number = self.points.len();
        self.numbers.insert(point.clone(), number);
        self.points.push(point);
        (number < MOST_NODES).then_some(Target::Node(number))
    }
}
