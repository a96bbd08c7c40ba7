//! The local search held against labelling all states by fixpoint iteration.

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;

use plait_program::testing::random;
use plait_program::{Builder, Code, Machine, Program, StateSet, Unwatched, Value};

use crate::budget::{Reason, Unobserved};
use crate::formula_table::{FormulaTable, NoFormula, Operator, Quantified, Until};
use crate::local::decide;
use crate::{explore, LocalGraph, Options};

/// All states of a program and their successors.
struct Graph {
    states: Vec<Vec<i32>>,
    successors: Vec<Vec<usize>>,
}

impl Graph {
    fn new(program: &Arc<Program>, most: u64) -> Option<Graph> {
        let options = Options {
            max_states: Some(most),
            ..Options::default()
        };
        let found = explore(program, &options, &mut Unobserved).ok()?;
        if found.reason().is_some() {
            return None;
        }
        let states: Vec<Vec<i32>> = (0..found.states() as u32)
            .filter_map(|n| found.state(n))
            .collect();
        let numbers: HashMap<&[i32], usize> = (0..)
            .zip(&states)
            .map(|(n, state)| (&state[..], n))
            .collect();
        let mut machine = Machine::new(program);
        let mut successors = Vec::new();
        for state in &states {
            let mut after = Vec::new();
            for event in program.free() {
                let mut found = StateSet::new(state.len());
                let mut cells = state.clone();
                machine
                    .successors(program, *event, &mut cells, &mut Unwatched, &mut found)
                    .ok()?;
                after.extend(found.iter().map(|s| numbers[s]));
            }
            successors.push(after);
        }
        Some(Graph { states, successors })
    }

    /// For each formula of a table the states in which it holds.
    fn label(&self, program: &Program, table: &FormulaTable) -> Vec<Vec<bool>> {
        let mut holds: Vec<Vec<bool>> = Vec::new();
        for number in 0..table.len() as u32 {
            let here = |n: usize| -> Vec<bool> { holds[n].clone() };
            let value = match table.get(number) {
                Operator::Condition(code) => {
                    let mut machine = Machine::new(program);
                    let mut ask = |state: &Vec<i32>| {
                        let value = machine.evaluate(program, code, state, &mut Unwatched);
                        matches!(value, Ok(Value::Condition(true)))
                    };
                    self.states.iter().map(&mut ask).collect()
                }
                Operator::All(parts) => self.every(|n| parts.iter().all(|p| holds[*p as usize][n])),
                Operator::Any(parts) => self.every(|n| parts.iter().any(|p| holds[*p as usize][n])),
                Operator::Next(q, f) => {
                    let f = here(*f as usize);
                    self.every(|n| self.next(*q, n, &f))
                }
                Operator::Until(q, u) => {
                    self.fixpoint(*q, &here(u.stay as usize), &here(u.goal as usize), false)
                }
                Operator::WeakUntil(q, u) => {
                    self.fixpoint(*q, &here(u.stay as usize), &here(u.goal as usize), true)
                }
            };
            holds.push(value);
        }
        holds
    }

    fn every(&self, ask: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..self.states.len()).map(ask).collect()
    }

    fn next(&self, q: Quantified, state: usize, there: &[bool]) -> bool {
        let after = &self.successors[state];
        match (after.is_empty(), q.universal) {
            (true, _) => q.ended,
            (_, true) => after.iter().all(|m| there[*m]),
            (_, false) => after.iter().any(|m| there[*m]),
        }
    }

    fn fixpoint(&self, q: Quantified, stay: &[bool], goal: &[bool], greatest: bool) -> Vec<bool> {
        let mut found = vec![greatest; self.states.len()];
        loop {
            let now = self.every(|n| goal[n] || stay[n] && self.next(q, n, &found));
            if now == found {
                return found;
            }
            found = now;
        }
    }
}

/// Numbers from which a formula is made.
type Draws = Vec<(u8, u16, u16, bool, bool)>;

/// A table of conditions on the cells and operators on any of what is there already.
fn formulas(builder: &mut Builder, cells: usize, draws: &Draws) -> FormulaTable {
    let mut table = FormulaTable::default();
    let deadlock = builder.deadlock().unwrap();
    let truths = [builder.truth(true).unwrap(), builder.truth(false).unwrap()];
    let mut conditions = vec![truths[0], truths[1], deadlock];
    for cell in 0..cells.min(4) as u32 {
        let load = builder.load(cell).unwrap();
        let one = builder.constant(1).unwrap();
        conditions.push(builder.compare("<=", load, one).unwrap());
        conditions.push(builder.compare(">", load, one).unwrap());
    }
    for condition in conditions {
        let code = Code::compile(builder.pool(), condition);
        table.add(Operator::Condition(code)).unwrap();
    }
    let measure = (cells > 0).then(|| {
        let load = builder.load(0).unwrap();
        Code::compile(builder.pool(), load)
    });
    for (kind, a, b, universal, ended) in draws {
        let pick = |x: u16| u32::from(x) % table.len() as u32;
        let quantified = Quantified {
            universal: *universal,
            ended: *ended,
        };
        let until = Until {
            // Half of them go on wherever they may, around cycles too.
            stay: if b % 2 == 0 { 0 } else { pick(*a) },
            goal: pick(*b),
            measure: measure.clone().filter(|_| a % 2 == 0),
        };
        let operator = match kind % 6 {
            0 => Operator::All(vec![pick(*a), pick(*b)]),
            1 => Operator::Any(vec![pick(*a), pick(*b)]),
            2 => Operator::Next(quantified, pick(*a)),
            3 | 4 => Operator::Until(quantified, until),
            _ => Operator::WeakUntil(quantified, until),
        };
        table.add(operator).unwrap();
    }
    table
}

/// Whether every label that the search left behind is the right one, and it left some.
fn agrees(found: &LocalGraph, graph: &Graph, holds: &[Vec<bool>]) -> Result<(), String> {
    let numbers: HashMap<&Vec<i32>, usize> =
        (0..).zip(&graph.states).map(|(n, s)| (s, n)).collect();
    for number in 0..found.states() as u32 {
        let state = found.state(number).unwrap();
        let known = numbers[&state];
        for formula in 0..found.formulas() as u32 {
            if let Ok(Some(value)) = found.truth(formula, number) {
                if value != holds[formula as usize][known] {
                    return Err(format!("formula {formula} in {state:?}"));
                }
            }
        }
        if let Some(after) = found.successors(number) {
            let after: Vec<usize> = after
                .iter()
                .map(|m| numbers[&found.state(*m).unwrap()])
                .collect();
            if after != graph.successors[known] {
                return Err(format!("successors of {state:?}"));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_local_search_agrees_with_labelling_all_states(
        recipe in random::recipe(),
        draws in prop::collection::vec(any::<(u8, u16, u16, bool, bool)>(), 1..12),
        most in prop::option::of(1u64..200),
    ) {
        let mut builder = recipe.builder().unwrap();
        let program: Arc<Program> = Arc::new(builder.freeze().unwrap());
        let Some(graph) = Graph::new(&program, 300) else { return Ok(()) };
        let table = formulas(&mut builder, program.cells().len(), &draws);
        let holds = graph.label(&program, &table);
        let roots: Vec<u32> = (0..table.len() as u32).rev().collect();
        let options = Options { max_states: most, ..Options::default() };
        let found = decide(&program, table, &roots, &options, &mut Unobserved);
        let Ok(found) = found else { return Err(TestCaseError::fail("it goes wrong")) };
        for (root, verdict) in roots.iter().zip(&found.verdicts) {
            match verdict {
                Some(value) => prop_assert_eq!(*value, holds[*root as usize][0]),
                None => prop_assert_eq!(found.reason, Some(Reason::States)),
            }
        }
        prop_assert!(found.reason.is_none() || most.is_some());
        let checked = agrees(&found, &graph, &holds);
        prop_assert!(checked.is_ok(), "{:?}", checked);
    }
}

#[test]
fn a_component_is_decided_when_it_is_left_and_not_before() {
    // Around 0, 1, 2, and from 0 to 3: when 1 and 2 are left, 0 has not been to 3.
    let mut builder = Builder::new();
    let x = builder.cell("x", 0, 0, 3).unwrap();
    let load = builder.load(x).unwrap();
    for (from, to) in [(0, 1), (1, 2), (2, 0), (0, 3)] {
        let (from, to) = (
            builder.constant(from).unwrap(),
            builder.constant(to).unwrap(),
        );
        let guard = builder.compare("==", load, from).unwrap();
        let body = vec![builder.assign(x, to).unwrap()];
        builder.event("move", &[guard], &body, None).unwrap();
    }
    let program = Arc::new(builder.freeze().unwrap());
    let mut table = reaches(&mut builder, 3); // the third is E F x == 3
    let all = Quantified {
        universal: true,
        ended: true,
    };
    let after = table.add(Operator::Next(all, 2)).unwrap();
    let both = table.add(Operator::All(vec![2, after])).unwrap();
    let options = Options::default();
    let found = decide(&program, table, &[both], &options, &mut Unobserved).unwrap();
    assert_eq!(found.verdicts, [Some(true)]);
    for number in 0..found.states() as u32 {
        assert_eq!(found.truth(2, number).unwrap(), Some(true));
    }
}

/// A counter that goes up for ever, or stays; `E F (c == far)` takes as long as it is far.
fn counter() -> (Builder, Arc<Program>) {
    let mut builder = Builder::new();
    let c = builder.cell("c", 0, 0, i32::MAX).unwrap();
    let (load, one) = (builder.load(c).unwrap(), builder.constant(1).unwrap());
    let more = builder.binary("+", load, one).unwrap();
    let body = vec![builder.assign(c, more).unwrap()];
    builder.event("up", &[], &body, None).unwrap();
    let program = Arc::new(builder.freeze().unwrap());
    (builder, program)
}

fn reaches(builder: &mut Builder, value: i32) -> FormulaTable {
    let mut table = FormulaTable::default();
    let (load, far) = (builder.load(0).unwrap(), builder.constant(value).unwrap());
    let conditions = [
        builder.truth(true).unwrap(),
        builder.compare("==", load, far).unwrap(),
    ];
    for condition in conditions {
        let code = Code::compile(builder.pool(), condition);
        table.add(Operator::Condition(code)).unwrap();
    }
    let quantified = Quantified {
        universal: false,
        ended: false,
    };
    let until = Until {
        stay: 0,
        goal: 1,
        measure: None,
    };
    table.add(Operator::Until(quantified, until)).unwrap();
    table
}

#[test]
fn a_search_that_was_given_up_is_begun_again_and_ends_as_soon_as_it_can() {
    let (mut builder, program) = counter();
    let table = reaches(&mut builder, 50_000);
    let found = decide(&program, table, &[2], &Options::default(), &mut Unobserved).unwrap();
    assert_eq!((found.verdicts[0], found.reason), (Some(true), None));
    assert_eq!(found.states(), 50_001);
    assert!(found.visits > 60_000, "{}", found.visits);
}

#[test]
fn a_limit_leaves_the_answer_open() {
    let (mut builder, program) = counter();
    let table = reaches(&mut builder, 50_000);
    for (states, memory, timeout, reason) in [
        (Some(10_000), None, None, Reason::States),
        (None, Some(1), None, Reason::Memory),
        (None, None, Some(std::time::Duration::ZERO), Reason::Timeout),
    ] {
        let options = Options {
            max_states: states,
            memory,
            timeout,
            ..Options::default()
        };
        let found = decide(&program, table.clone(), &[2], &options, &mut Unobserved).unwrap();
        assert_eq!((found.verdicts[0], found.reason), (None, Some(reason)));
    }
}

#[test]
fn an_operand_must_be_there_before_it_is_used() {
    let mut table = FormulaTable::default();
    let wrong = table.add(Operator::All(vec![0]));
    assert_eq!(wrong, Err(NoFormula::Operand(0)));
    assert!(table.is_empty());
    let mut builder = Builder::new();
    let one = builder.constant(1).unwrap();
    let code = Code::compile(builder.pool(), one);
    assert_eq!(table.add(Operator::Condition(code)), Err(NoFormula::Sort));
}
