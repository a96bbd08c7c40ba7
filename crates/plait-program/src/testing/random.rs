//! Random programs.
//!
//! Cells come in four kinds, so that all paths of the engines are taken: without a domain, with a
//! small one, as the places of a net, and two that form an array. Labelled events call only labels
//! with larger numbers. Values are mostly kept small by a remainder, but wrap-around and undefined
//! operations occur.

use proptest::prelude::*;

use crate::arithmetic::{BinaryOp, CompareOp, UnaryOp};
use crate::testing::recipe::{CondTree, EventTree, IntTree, Recipe, StatementTree};

/// Cells of a random program.
pub const CELLS: u32 = 5;
/// Labels of a random program.
pub const LABELS: u32 = 3;

/// Constants, with the extreme ones.
pub fn constant() -> impl Strategy<Value = i32> {
    prop_oneof![
        8 => -2..5i32,
        1 => prop_oneof![Just(i32::MIN), Just(i32::MAX), Just(31), Just(32), any::<i32>()],
    ]
}

/// Integer expressions.
pub fn integer() -> BoxedStrategy<IntTree> {
    let leaf = prop_oneof![
        constant().prop_map(IntTree::Const),
        (0..CELLS).prop_map(IntTree::Load),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let compare = (0..6usize, boxed(), boxed())
            .prop_map(|(op, a, b)| CondTree::Compare(CompareOp::ALL[op], a, b));
        prop_oneof![
            4 => (0..11usize, boxed(), boxed())
                .prop_map(|(op, a, b)| IntTree::Binary(BinaryOp::ALL[op], a, b)),
            1 => (any::<bool>(), boxed()).prop_map(|(minus, a)| {
                IntTree::Unary(if minus { UnaryOp::Negate } else { UnaryOp::Complement }, a)
            }),
            1 => boxed().prop_map(|index| IntTree::Indexed(3, 2, index)),
            1 => compare.prop_map(|c| IntTree::AsInteger(Box::new(c))),
        ]
    })
    .boxed()
}

/// Conditions.
pub fn condition() -> BoxedStrategy<CondTree> {
    let compare = (0..6usize, integer(), integer())
        .prop_map(|(op, a, b)| CondTree::Compare(CompareOp::ALL[op], a.into(), b.into()));
    let leaf = prop_oneof![4 => test(), 3 => compare, 1 => any::<bool>().prop_map(CondTree::Truth)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            list.clone().prop_map(CondTree::And),
            list.prop_map(CondTree::Or),
            inner.clone().prop_map(|c| CondTree::Not(Box::new(c))),
            inner.clone().prop_map(|c| CondTree::Fails(Box::new(c))),
            (inner.clone(), inner).prop_map(|(a, b)| CondTree::Iff(a.into(), b.into())),
        ]
    })
    .boxed()
}

/// A comparison of a cell with a constant.
fn test() -> impl Strategy<Value = CondTree> {
    (0..6usize, 0..CELLS, -1..4i32, any::<bool>()).prop_map(|(op, cell, k, mirrored)| {
        let (cell, k) = (Box::new(IntTree::Load(cell)), Box::new(IntTree::Const(k)));
        let op = CompareOp::ALL[op];
        if mirrored {
            CondTree::Compare(op, k, cell)
        } else {
            CondTree::Compare(op, cell, k)
        }
    })
}

/// `cell = cell + constant` or `cell = constant`.
fn update() -> impl Strategy<Value = StatementTree> {
    (0..CELLS, -2..3i32, 0..4u8).prop_map(|(cell, k, kind)| {
        let (load, k) = (Box::new(IntTree::Load(cell)), Box::new(IntTree::Const(k)));
        StatementTree::Assign(
            cell,
            match kind {
                0 => IntTree::Binary(BinaryOp::Add, load, k),
                1 => IntTree::Binary(BinaryOp::Add, k, load),
                2 => IntTree::Binary(BinaryOp::Subtract, load, k),
                _ => *k,
            },
        )
    })
}

/// An assignment whose value is small, mostly.
fn bounded() -> impl Strategy<Value = StatementTree> {
    let small = integer().prop_map(|e| {
        IntTree::Binary(
            BinaryOp::Remainder,
            Box::new(e),
            Box::new(IntTree::Const(3)),
        )
    });
    let value = prop_oneof![4 => small, 1 => (0..3i32).prop_map(IntTree::Const)];
    prop_oneof![
        3 => (0..CELLS, value.clone()).prop_map(|(c, v)| StatementTree::Assign(c, v)),
        1 => (integer(), value).prop_map(|(i, v)| StatementTree::AssignIndexed(3, 2, i, v)),
    ]
}

/// Statements that keep all values small, so that repeating them ends soon: for fixpoints, and for
/// the last label, which is the only one that fixpoints call and `settle` repeats.
fn small(call: bool) -> BoxedStrategy<StatementTree> {
    let simple = prop_oneof![6 => bounded(), 1 => Just(StatementTree::Abort)].boxed();
    let leaf = if call {
        prop_oneof![3 => simple, 2 => Just(StatementTree::Call(LABELS - 1))].boxed()
    } else {
        simple
    };
    let body = prop::collection::vec(leaf.clone(), 0..3);
    let choose = (condition(), body.clone(), body.clone())
        .prop_map(|(c, a, b)| StatementTree::Choose(c, a, b));
    let nested = prop::collection::vec(leaf.clone(), 0..2).prop_map(StatementTree::Fixpoint);
    prop_oneof![4 => leaf, 3 => choose, 1 => nested].boxed()
}

/// Statements that may call labels from `least` on.
fn statement(least: u32) -> BoxedStrategy<StatementTree> {
    let call = least < LABELS;
    let leaf = if call {
        prop_oneof![
            4 => small(true),
            4 => (least..LABELS).prop_map(StatementTree::Call),
            1 => test().prop_map(|c| StatementTree::Settle(c, LABELS - 1)),
        ]
        .boxed()
    } else {
        small(false)
    };
    let body = prop::collection::vec(leaf.clone(), 0..3);
    let choose =
        (condition(), body.clone(), body).prop_map(|(c, a, b)| StatementTree::Choose(c, a, b));
    let fixpoint = prop::collection::vec(small(call), 0..3).prop_map(StatementTree::Fixpoint);
    prop_oneof![5 => leaf, 1 => choose, 1 => fixpoint].boxed()
}

fn event(label: Option<u32>) -> impl Strategy<Value = EventTree> {
    let least = label.map_or(0, |l| l + 1);
    let net = (
        prop::collection::vec(test(), 0..4),
        prop::collection::vec(update(), 0..4),
    );
    let any = (
        prop::collection::vec(condition(), 0..3),
        prop::collection::vec(prop_oneof![statement(least), update()], 0..4),
    );
    let modest = (
        prop::collection::vec(condition(), 0..3),
        prop::collection::vec(small(false), 0..3),
    );
    let parts = if label == Some(LABELS - 1) {
        modest.boxed()
    } else {
        prop_oneof![net, any].boxed()
    };
    (parts, 0..12u32).prop_map(move |((guard, body), name)| EventTree {
        name: format!("e{name}"),
        guard,
        body,
        label,
    })
}

/// Programs with five cells, a few free events and a few for each label.
pub fn recipe() -> impl Strategy<Value = Recipe> {
    let labelled = (0..LABELS).map(|l| prop::collection::vec(event(Some(l)), 0..3));
    let labelled: Vec<_> = labelled.collect();
    let free = prop::collection::vec(event(None), 1..5);
    let cells = prop::collection::vec(0..3i32, CELLS as usize);
    (cells, free, labelled, 0..4u8).prop_map(|(initial, free, labelled, wide)| Recipe {
        cells: initial
            .into_iter()
            .enumerate()
            .map(|(index, value)| match index {
                0 if wide > 0 => (value, i32::MIN, i32::MAX),
                1 => (value, -4, 7),
                2 => (value, 0, i32::MAX),
                _ if wide > 1 => (value, i32::MIN, i32::MAX),
                _ => (value, -3, 3),
            })
            .collect(),
        labels: LABELS,
        events: free
            .into_iter()
            .chain(labelled.into_iter().flatten())
            .collect(),
    })
}

/// Programs like the blocks of Promela: cell 0 says where the process is, cell 1 whether it has the
/// control, and while it has, the events of the only label go on from place to place.
pub fn block() -> impl Strategy<Value = Recipe> {
    let equals = |cell, k| {
        let (left, right) = (IntTree::Load(cell), IntTree::Const(k));
        CondTree::Compare(CompareOp::Equal, left.into(), right.into())
    };
    let go = |place, control| {
        [(0, place), (1, control)].map(|(c, k)| StatementTree::Assign(c, IntTree::Const(k)))
    };
    let elsewhere = small(false).prop_filter("the place is the last assignment's", |s| {
        !matches!(s, StatementTree::Assign(0 | 1, _))
    });
    let body = || prop::collection::vec(elsewhere.clone(), 0..3);
    let way = move || (body(), 0..5i32, prop_oneof![3 => Just(1), 1 => Just(0)]);
    let choice = (0..5i32, condition(), way(), way(), 0..8u8);
    let choices = prop::collection::vec(choice, 1..7);
    let start = (prop::collection::vec(condition(), 0..2), way());
    let starts = prop::collection::vec(start, 1..3);
    (starts, choices).prop_map(move |(starts, choices)| {
        let mut events = Vec::new();
        for (mut guard, (mut body, place, control)) in starts {
            guard.push(equals(0, 0));
            body.extend(go(place, control));
            body.push(StatementTree::Settle(equals(1, 1), 0));
            events.push((guard, body, None));
        }
        for (from, condition, then, otherwise, kind) in choices {
            // Mostly one of two ways; sometimes both are open, or neither.
            let negated = match kind {
                0 => condition.clone(),
                _ => CondTree::Fails(condition.clone().into()),
            };
            for (condition, (mut body, place, control)) in [(condition, then), (negated, otherwise)]
            {
                body.extend(go(place, control));
                events.push((vec![equals(0, from), condition], body, Some(0)));
            }
        }
        let named = (0..)
            .zip(events)
            .map(|(n, (guard, body, label))| EventTree {
                name: format!("e{n}"),
                guard,
                body,
                label,
            });
        Recipe {
            cells: vec![(0, 0, 4), (0, 0, 1), (0, -4, 7), (0, -3, 3), (0, -3, 3)],
            labels: 1,
            events: named.collect(),
        }
    })
}
