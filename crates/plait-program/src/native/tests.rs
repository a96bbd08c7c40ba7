//! Compiled code held against the interpreter.

use std::io;
use std::sync::Arc;

use cranelift_jit::{BranchProtection, JITMemoryProvider};
use cranelift_module::{ModuleError, ModuleResult};
use proptest::prelude::*;

use super::control_flow::ControlFlow;
use super::{block, expression, straight_line, Native, BUDGET, LONGEST};
use crate::arithmetic::{BinaryOp, CompareOp};
use crate::builder::Builder;
use crate::code::{Code, Value};
use crate::expr::Node;
use crate::machine::{Machine, Unwatched, Watch};
use crate::program::Program;
use crate::testing::recipe::{self, CondTree, EventTree, IntTree, Recipe, StatementTree};
use crate::testing::{naive, random};
use crate::{Failure, StateSet};

const EDGES: [i32; 16] = [
    i32::MIN,
    i32::MIN + 1,
    -33,
    -32,
    -2,
    -1,
    0,
    1,
    2,
    3,
    30,
    31,
    32,
    33,
    i32::MAX - 1,
    i32::MAX,
];

fn state() -> impl Strategy<Value = Vec<i32>> {
    let value =
        prop_oneof![6 => -2..5i32, 2 => prop::sample::select(&EDGES[..]), 1 => any::<i32>()];
    prop::collection::vec(value, random::CELLS as usize)
}

fn native(program: &Program) -> Option<Arc<Native>> {
    Native::compile(program, &[], &[], BUDGET).map(Arc::new)
}

/// How many straight lines and blocks of the program there is machine code for.
fn compilable(program: &Program) -> (usize, usize) {
    let lines = program.events().iter().flat_map(|e| e.lines());
    let lines = lines.filter(|v| straight_line::compilable(program, v));
    let mut flow = ControlFlow::new(program);
    let free = program.free().iter();
    let settling = free.filter(|e| program.events()[**e as usize].variants().is_none());
    let graphs = settling.filter_map(|event| flow.graph(*event));
    let blocks = graphs.filter(|graph| block::compilable(program, graph));
    (lines.count(), blocks.count())
}

/// Executes every event on the state: successors or failure of each, and the undefined bodies.
type Seen = (Vec<Result<Vec<Vec<i32>>, Failure>>, Vec<u64>);

fn all_events(program: &Program, machine: &mut Machine, state: &[i32]) -> Seen {
    let mut cells = state.to_vec();
    let outcomes = (0..program.events().len() as u32).map(|event| {
        let mut found = StateSet::new(cells.len());
        let outcome = machine.successors(program, event, &mut cells, &mut Unwatched, &mut found);
        assert_eq!(cells, state, "an event must leave the state as it was");
        outcome.map(|()| found.iter().map(<[i32]>::to_vec).collect())
    });
    let outcomes = outcomes.collect();
    (outcomes, machine.undefined().to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn compiled_events_do_what_interpreted_ones_do(
        recipe in random::recipe(), states in prop::collection::vec(state(), 6)
    ) {
        let program = recipe.builder().unwrap().freeze().unwrap();
        let (mut plain, mut fast) = (Machine::new(&program), Machine::new(&program));
        let native = native(&program);
        let found = native.as_ref().map_or((0, 0), |n| (n.variants(), n.blocks()));
        prop_assert_eq!(found, compilable(&program));
        native.into_iter().for_each(|n| fast.use_native(n));
        for state in &states {
            prop_assert_eq!(
                all_events(&program, &mut plain, state),
                all_events(&program, &mut fast, state)
            );
        }
        let noted = plain.called().iter().zip(fast.called());
        prop_assert!(noted.into_iter().all(|(plain, fast)| plain <= fast));
    }

    #[test]
    fn a_compiled_block_does_what_the_interpreted_one_does(
        recipe in random::block(), states in prop::collection::vec(state(), 6)
    ) {
        let program = recipe.builder().unwrap().freeze().unwrap();
        let (mut plain, mut fast) = (Machine::new(&program), Machine::new(&program));
        let native = native(&program);
        let found = native.as_ref().map_or((0, 0), |n| (n.variants(), n.blocks()));
        prop_assert_eq!(found, compilable(&program));
        native.into_iter().for_each(|n| fast.use_native(n));
        for mut state in states {
            state[0] = 0;
            prop_assert_eq!(
                all_events(&program, &mut plain, &state),
                all_events(&program, &mut fast, &state)
            );
        }
        prop_assert_eq!(plain.called(), fast.called());
    }

    #[test]
    fn compiled_integers_are_the_interpreted_ones(tree in random::integer(), states in prop::collection::vec(state(), 8)) {
        let mut builder = cells();
        let id = recipe::integer(&mut builder, &tree).unwrap();
        let code = Code::compile(&builder.pool, id);
        let program = builder.freeze().unwrap();
        let compilable = expression::compilable(&code);
        let native = Native::compile(&program, &[code], &[], BUDGET);
        prop_assert_eq!(native.is_some(), compilable);
        for state in &states {
            let expected = naive::integer(&tree, state).map_or(Value::Undefined, Value::Integer);
            if let Some(native) = &native {
                prop_assert_eq!(native.value(0, state), Some(expected));
            }
        }
    }

    #[test]
    fn compiled_conditions_are_the_interpreted_ones(tree in random::condition(), states in prop::collection::vec(state(), 8)) {
        let mut builder = cells();
        let id = recipe::condition(&mut builder, &tree).unwrap();
        let code = Code::compile(&builder.pool, id);
        let program = builder.freeze().unwrap();
        let compilable = expression::compilable(&code);
        let native = Native::compile(&program, &[code], &[], BUDGET);
        prop_assert_eq!(native.is_some(), compilable);
        for state in &states {
            let expected = naive::condition(&tree, state).map_or(Value::Undefined, Value::Condition);
            if let Some(native) = &native {
                prop_assert_eq!(native.value(0, state), Some(expected));
            }
        }
    }
}

fn cells() -> Builder {
    let mut builder = Builder::new();
    for index in 0..random::CELLS {
        builder
            .cell(&format!("x{index}"), 0, i32::MIN, i32::MAX)
            .unwrap();
    }
    builder
}

/// Every operation on every pair of extreme values, with the right side in a cell and as a constant.
#[test]
fn every_operation_agrees_on_the_edges_of_the_integers() {
    for op in BinaryOp::ALL.into_iter().filter(|o| *o != BinaryOp::Power) {
        let mut builder = cells();
        let left = builder.load(0).unwrap();
        let mut rights = vec![builder.load(1).unwrap()];
        rights.extend(EDGES.map(|k| builder.pool.add(Node::Const(k)).unwrap()));
        let codes: Vec<Code> = rights
            .iter()
            .map(|right| {
                let node = Node::Binary(op, left, *right);
                let id = builder.pool.add(node).unwrap();
                Code::compile(&builder.pool, id)
            })
            .collect();
        let program = builder.freeze().unwrap();
        let native = Native::compile(&program, &codes, &[], BUDGET).unwrap();
        for a in EDGES {
            for (number, b) in (1..).zip(EDGES) {
                let expected = op.apply(a, b).map_or(Value::Undefined, Value::Integer);
                let state = [a, b, 0, 0, 0];
                assert_eq!(native.value(0, &state), Some(expected), "{a} {op:?} {b}");
                assert_eq!(native.value(number, &state), Some(expected));
            }
        }
    }
}

#[test]
fn every_comparison_agrees_on_the_edges_of_the_integers() {
    for op in CompareOp::ALL {
        for k in EDGES {
            let mut builder = cells();
            let (a, b) = (builder.load(0).unwrap(), builder.load(1).unwrap());
            let constant = builder.pool.add(Node::Const(k)).unwrap();
            let sum = builder.pool.add(Node::Binary(BinaryOp::Add, a, b)).unwrap();
            let pairs = [(a, constant), (constant, a), (sum, constant), (a, b)];
            let codes = pairs.map(|(x, y)| {
                let id = builder.pool.add(Node::Compare(op, x, y)).unwrap();
                Code::compile(&builder.pool, id)
            });
            let program = builder.freeze().unwrap();
            let native = Native::compile(&program, &codes, &[], BUDGET).unwrap();
            for v in EDGES {
                let state = [v, 1, 0, 0, 0];
                let expected = [
                    op.apply(v, k),
                    op.apply(k, v),
                    op.apply(v.wrapping_add(1), k),
                    op.apply(v, 1),
                ];
                for (number, truth) in expected.into_iter().enumerate() {
                    let value = native.value(number, &state);
                    assert_eq!(value, Some(Value::Condition(truth)));
                }
            }
        }
    }
}

/// `x0 = x0 * 3 + x1; x1 = x1 ^ x0; ...` so many times over.
fn long(statements: usize) -> Program {
    let load = |cell| Box::new(IntTree::Load(cell));
    let binary = |op, a, b| IntTree::Binary(op, a, b);
    let scale = || binary(BinaryOp::Multiply, load(0), Box::new(IntTree::Const(3)));
    let body = (0..statements).map(|i| {
        if i % 2 == 0 {
            StatementTree::Assign(0, binary(BinaryOp::Add, scale().into(), load(1)))
        } else {
            StatementTree::Assign(1, binary(BinaryOp::Xor, load(1), load(0)))
        }
    });
    let recipe = Recipe {
        cells: vec![(1, i32::MIN, i32::MAX); random::CELLS as usize],
        labels: 0,
        events: vec![EventTree {
            name: "long".into(),
            guard: Vec::new(),
            body: body.collect(),
            label: None,
        }],
    };
    recipe.builder().unwrap().freeze().unwrap()
}

#[test]
fn a_body_of_many_statements_is_compiled_and_a_longer_one_stays_interpreted() {
    for (statements, compiled) in [(600, true), (LONGEST, false), (20_000, false)] {
        let program = long(statements);
        let native = native(&program);
        assert_eq!(native.is_some(), compiled);
        let (mut plain, mut fast) = (Machine::new(&program), Machine::new(&program));
        native.into_iter().for_each(|n| fast.use_native(n));
        for state in [[1; 5], [i32::MAX; 5], [i32::MIN; 5]] {
            let expected = all_events(&program, &mut plain, &state);
            assert_eq!(all_events(&program, &mut fast, &state), expected);
        }
    }
}

/// `x0 + x1 * (x0 + x1 * (...))`, so deep.
fn deep(depth: usize) -> (Program, Code) {
    let mut builder = cells();
    let (a, b) = (builder.load(0).unwrap(), builder.load(1).unwrap());
    let mut id = a;
    for _ in 0..depth / 2 {
        let product = Node::Binary(BinaryOp::Multiply, b, id);
        let product = builder.pool.add(product).unwrap();
        id = builder
            .pool
            .add(Node::Binary(BinaryOp::Add, a, product))
            .unwrap();
    }
    let code = Code::compile(&builder.pool, id);
    (builder.freeze().unwrap(), code)
}

#[test]
fn a_deep_expression_is_compiled_and_a_deeper_one_stays_interpreted() {
    for (depth, compiled) in [(1_800, true), (100_000, false)] {
        let (program, code) = deep(depth);
        let native = Native::compile(&program, std::slice::from_ref(&code), &[], BUDGET);
        assert_eq!(native.is_some(), compiled);
        let state = [7, -3, 0, 0, 0];
        let expected = code.integer(&state, &mut crate::Scratch::default());
        if let Some(native) = native {
            let expected = expected.map(Value::Integer);
            assert_eq!(native.value(0, &state), expected);
        }
    }
}

#[test]
fn the_budget_goes_to_the_events_that_matter() {
    let mut recipe = Recipe {
        cells: vec![(1, i32::MIN, i32::MAX); 2],
        labels: 0,
        events: Vec::new(),
    };
    for number in 0..10 {
        let product = IntTree::Binary(
            BinaryOp::Multiply,
            IntTree::Load(0).into(),
            IntTree::Load(1).into(),
        );
        recipe.events.push(EventTree {
            name: format!("e{number}"),
            guard: Vec::new(),
            body: vec![StatementTree::Assign(0, product)],
            label: None,
        });
    }
    let program = recipe.builder().unwrap().freeze().unwrap();
    let matters: Vec<u64> = (0..10).map(|n| u64::from(n == 6)).collect();
    let native = Native::compile(&program, &[], &matters, 6).unwrap();
    assert_eq!(native.variants(), 1);
    assert!(native.bytes() > 0);
    let variants = |event: usize| &program.events()[event].variants().unwrap()[0];
    assert!(native.cost(variants(6)).is_some() && native.cost(variants(0)).is_none());
    assert!(Native::compile(&program, &[], &matters, 3).is_none());
}

/// Memory that is refused, at once or when it is to become executable.
struct Refuses {
    at_once: bool,
    given: Vec<Vec<u64>>,
}

impl Refuses {
    fn give(&mut self, size: usize) -> io::Result<*mut u8> {
        if self.at_once {
            return Err(io::Error::from(io::ErrorKind::OutOfMemory));
        }
        self.given.push(vec![0; size / 8 + 64]);
        let block = self.given.last_mut().unwrap().as_mut_ptr().cast::<u8>();
        Ok(block.wrapping_add(block.align_offset(64)))
    }
}

impl JITMemoryProvider for Refuses {
    fn allocate_readexec(&mut self, size: usize, _align: u64) -> io::Result<*mut u8> {
        self.give(size)
    }
    fn allocate_readwrite(&mut self, size: usize, _align: u64) -> io::Result<*mut u8> {
        self.give(size)
    }
    fn allocate_readonly(&mut self, size: usize, _align: u64) -> io::Result<*mut u8> {
        self.give(size)
    }
    // SAFETY: the blocks are vectors, which free themselves; nobody calls what lies in them.
    unsafe fn free_memory(&mut self) {}
    fn finalize(&mut self, _protection: BranchProtection) -> ModuleResult<()> {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let message = "refused";
        Err(ModuleError::Allocation {
            message,
            err: denied,
        })
    }
}

#[test]
fn where_memory_cannot_be_executed_nothing_is_compiled() {
    let program = long(4);
    assert!(native(&program).is_some());
    for at_once in [true, false] {
        let memory = Box::new(Refuses {
            at_once,
            given: Vec::new(),
        });
        assert!(Native::compile_with(&program, &[], &[], BUDGET, Some(memory)).is_none());
    }
}

struct Stops;

impl Watch for Stops {
    fn go_on(&mut self, _bytes: usize) -> bool {
        false
    }
}

#[test]
fn a_watch_stops_compiled_events_and_finds_the_state_as_it_was() {
    let program = long(600);
    let mut machine = Machine::new(&program);
    machine.use_native(native(&program).unwrap());
    let variant = &program.events()[0].variants().unwrap()[0];
    let mut executed = 0;
    loop {
        let mut cells = vec![1; random::CELLS as usize];
        match machine.execute(&program, variant, &mut cells, &mut Stops) {
            Ok(fired) => assert!(fired && executed < 1000),
            Err(failure) => {
                assert_eq!(failure, Failure::Stopped);
                assert_eq!(cells, vec![1; random::CELLS as usize]);
                break;
            }
        }
        executed += 1;
    }
    assert!(executed > 0);
}

/// `place = 1`, then while `place == 1` holds: `i = i + step`, and the block ends where `i == last`.
fn counting(step: i32, last: i32) -> (Recipe, Program) {
    let test = |op, cell, k| {
        let (cell, k) = (IntTree::Load(cell), IntTree::Const(k));
        CondTree::Compare(op, cell.into(), k.into())
    };
    let go = |place| StatementTree::Assign(0, IntTree::Const(place));
    let event = |guard, body, label| EventTree {
        name: "e".into(),
        guard,
        body,
        label,
    };
    let (inside, at_end) = (
        test(CompareOp::Equal, 0, 1),
        test(CompareOp::Equal, 1, last),
    );
    let more = IntTree::Binary(
        BinaryOp::Add,
        IntTree::Load(1).into(),
        IntTree::Const(step).into(),
    );
    let recipe = Recipe {
        cells: vec![(0, 0, 1), (0, i32::MIN, i32::MAX)],
        labels: 1,
        events: vec![
            event(
                Vec::new(),
                vec![go(1), StatementTree::Settle(inside.clone(), 0)],
                None,
            ),
            event(
                vec![inside.clone(), CondTree::Fails(at_end.clone().into())],
                vec![StatementTree::Assign(1, more)],
                Some(0),
            ),
            event(vec![inside, at_end], vec![go(0)], Some(0)),
        ],
    };
    let program = recipe.builder().unwrap().freeze().unwrap();
    (recipe, program)
}

#[test]
fn a_loop_is_compiled_and_one_that_is_long_is_left_to_the_interpreter() {
    for (last, compiled) in [(1_000, true), (100_000, false)] {
        let (_, program) = counting(1, last);
        let mut machine = Machine::new(&program);
        machine.use_native(native(&program).unwrap());
        let mut cells = vec![0, 0];
        let answer = machine.execute_block(0, &mut cells, &mut Unwatched);
        assert_eq!(answer, Ok(compiled.then_some(true)));
        assert_eq!(cells, vec![0, if compiled { last } else { 0 }]);
        machine.undo(&mut cells);
        assert_eq!(cells, vec![0, 0]);
        let mut found = StateSet::new(2);
        let outcome = machine.successors(&program, 0, &mut cells, &mut Unwatched, &mut found);
        assert_eq!((outcome, found.get(0)), (Ok(()), &[0, last][..]));
    }
}

#[test]
fn a_loop_without_end_is_the_fault_or_the_stop_that_it_is_in_the_interpreter() {
    for step in [0, 1] {
        let (recipe, program) = counting(step, -1);
        let mut machine = Machine::new(&program);
        machine.use_native(native(&program).unwrap());
        let (mut cells, mut found) = (vec![0, 0], StateSet::new(2));
        let outcome = machine.successors(&program, 0, &mut cells, &mut Stops, &mut found);
        match (step, outcome) {
            (0, Err(Failure::Fault(fault))) => assert_eq!(Err(fault.kind), recipe.fire(0, &cells)),
            (_, outcome) => assert_eq!(outcome, Err(Failure::Stopped)),
        }
        assert_eq!((cells, found.len()), (vec![0, 0], 0));
    }
}
