//! Components and nested search held against each other on random programs, automata and movers; and
//! what the cycle condition is for.

use std::sync::Arc;

use proptest::prelude::*;

use plait_program::testing::random;
use plait_program::{Builder, Code, Program};
use plait_reduction::Algorithm;

use crate::budget::{Reason, Unobserved};
use crate::movers::Movers;
use crate::{linear, Buchi, BuchiArc, Linear, LinearOptions, Verdict};

/// The answer to one question.
fn ask(
    program: &Arc<Program>,
    automaton: &Buchi,
    movers: Option<&Movers>,
    options: LinearOptions,
) -> Option<Linear> {
    let mut found = None;
    let questions = std::slice::from_ref(automaton);
    let outcome = linear(
        program,
        questions,
        movers,
        &options,
        &mut Unobserved,
        &mut |_, answer| {
            found = Some(answer);
            true
        },
    );
    outcome.ok().and(found)
}

fn accepts(answer: &Linear) -> Option<bool> {
    match answer.verdict {
        Verdict::Empty => Some(false),
        Verdict::Accepting(_) => Some(true),
        Verdict::Stopped(_) => None,
    }
}

/// Numbers for an arc: conditions that must be true and must not be, target and marks.
type Draw = (u32, u32, u32, u64);

fn automaton(builder: &mut Builder, cells: u32, rows: &[Vec<Draw>], sets: u32) -> Option<Buchi> {
    let one = builder.constant(1).ok()?;
    let mut conditions = Vec::new();
    for cell in 0..2 {
        let load = builder.load(cell % cells).ok()?;
        let sign = if cell == 0 { "==" } else { "<" };
        conditions.push(builder.compare(sign, load, one).ok()?);
    }
    let bits = |mask: u32| (0..2).filter(|b| mask >> b & 1 == 1).collect();
    let all = (1 << sets) - 1;
    let size = rows.len() as u32;
    let arc = |(positive, negative, target, marks): &Draw| BuchiArc {
        positive: bits(*positive),
        negative: bits(negative & !positive),
        target: target % size,
        marks: marks & all,
    };
    let pool = builder.pool();
    Some(Buchi {
        conditions: conditions.iter().map(|c| Code::compile(pool, *c)).collect(),
        arcs: rows
            .iter()
            .map(|row| row.iter().map(arc).collect())
            .collect(),
        all,
        at_end: false,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    // covers: A7, A11, A12, A29
    #[test]
    fn nested_search_and_components_agree_and_expand_nodes_twice_at_most(
        recipe in random::recipe(),
        rows in prop::collection::vec(
            prop::collection::vec((0..4u32, 0..4u32, 0..4u32, 0..8u64), 0..4), 1..4),
        sets in 0..4u32,
        masks in prop::collection::vec(0..8u64, 8),
        fair in any::<bool>(),
    ) {
        let mut builder = recipe.builder().unwrap();
        let cells = builder.freeze().unwrap().cells().len() as u32;
        let Some(automaton) = automaton(&mut builder, cells.max(1), &rows, sets) else {
            return Ok(());
        };
        let program: Arc<Program> = Arc::new(builder.freeze().unwrap());
        let events = program.events().len();
        let movers = Movers {
            count: 3,
            of: (0..events).map(|e| masks[e % masks.len()]).collect(),
            places: Vec::new(),
        };
        let movers = fair.then_some(&movers);
        let options = LinearOptions { max_states: Some(300), ..LinearOptions::default() };
        let Some(plain) = ask(&program, &automaton, movers, options) else { return Ok(()) };
        let Some(expected) = accepts(&plain) else { return Ok(()) };
        prop_assert!(plain.expansions <= plain.nodes);
        for (nested, build_first) in [(true, false), (true, true), (false, true)] {
            let options = LinearOptions { nested, build_first, ..options };
            let Some(found) = ask(&program, &automaton, movers, options) else { return Ok(()) };
            if matches!(found.verdict, Verdict::Stopped(Reason::States)) {
                continue; // more states are met before a violation is
            }
            prop_assert_eq!(accepts(&found), Some(expected));
            prop_assert!(found.expansions <= 2 * found.nodes);
            if !expected && !nested {
                prop_assert_eq!((found.nodes, found.arcs), (plain.nodes, plain.arcs));
            }
            if !expected && nested {
                let copies = u64::from(sets + if fair { 3 } else { 0 } + 1);
                prop_assert!(found.nodes <= copies * plain.nodes);
            }
        }
    }
}

/// `loop` turns for ever and nobody sees it; `set` makes p true.
fn putting_off() -> (Arc<Program>, Buchi) {
    let mut builder = Builder::new();
    let (a, p) = (
        builder.cell("a", 0, 0, 1).unwrap(),
        builder.cell("p", 0, 0, 1).unwrap(),
    );
    let (zero, one) = (builder.constant(0).unwrap(), builder.constant(1).unwrap());
    let turned = builder.load(a).unwrap();
    let turned = builder.binary("-", one, turned).unwrap();
    let turn = builder.assign(a, turned).unwrap();
    builder.event("loop", &[], &[turn], None).unwrap();
    let value = builder.load(p).unwrap();
    let unset = builder.compare("==", value, zero).unwrap();
    let set = builder.assign(p, one).unwrap();
    builder.event("set", &[unset], &[set], None).unwrap();
    let goal = builder.compare("==", value, one).unwrap();
    let arc = |positive: &[u32], target, marks| BuchiArc {
        positive: positive.to_vec(),
        negative: Vec::new(),
        target,
        marks,
    };
    let automaton = Buchi {
        conditions: vec![Code::compile(builder.pool(), goal)],
        arcs: vec![vec![arc(&[], 0, 0), arc(&[0], 1, 0)], vec![arc(&[], 1, 1)]],
        all: 1,
        at_end: false,
    };
    (Arc::new(builder.freeze().unwrap()), automaton)
}

// covers: P58
#[test]
fn without_the_cycle_condition_an_event_is_put_off_for_ever_and_a_violation_lost() {
    let (program, automaton) = putting_off();
    for nested in [false, true] {
        let options = LinearOptions {
            ample: Some(Algorithm::Guards),
            nested,
            ..LinearOptions::default()
        };
        let kept = ask(&program, &automaton, None, options).unwrap();
        assert_eq!(accepts(&kept), Some(true));
        let heedless = LinearOptions {
            heedless: true,
            ..options
        };
        let lost = ask(&program, &automaton, None, heedless).unwrap();
        assert_eq!(accepts(&lost), Some(false));
        assert_eq!(lost.states, 2);
    }
}
