//! Unfolding the calls of an event into variants.
//!
//! The bodies are walked through with a stack of frames; a call of a label with several events
//! splits the walk. How many variants there would be, and how long, is computed beforehand from the
//! labels called, so that a chain of 100,000 calls costs nothing: such events are executed on sets.

use crate::expr::Pool;
use crate::program::Program;
use crate::statement::Statement;
use crate::variant::{build, Item, Variant};

/// An event with more variants than this is executed on sets instead.
const VARIANT_LIMIT: u64 = 64;
/// An event whose variants have more steps of its own in all is executed on sets instead.
const OWN_LIMIT: u64 = 1_000_000;
/// An event whose variants have more steps of called events in all is executed on sets instead:
/// the steps of one event may be copied into all that call it.
const CALLED_LIMIT: u64 = 10_000;

/// A body being walked through.
#[derive(Clone)]
struct Frame {
    event: u32,
    next: usize,
    /// More than one state may have arrived at this point.
    forked: bool,
}

/// A variant under construction.
#[derive(Clone)]
struct Partial {
    items: Vec<Item>,
    frames: Vec<Frame>,
}

/// How much unfolding the calls of an event, or of any event of a label, would give.
#[derive(Clone, Copy)]
struct Weight {
    variants: u64,
    /// Steps of the event itself in the longest variant, and those of the events it calls.
    own: u64,
    called: u64,
}

/// For each event whether its variants are few and short, found from the weights of the labels it
/// calls. `order`: all labels, each after those that its events call.
pub(crate) fn expandable(program: &Program, order: &[u32]) -> Vec<bool> {
    const NONE: Weight = Weight {
        variants: 0,
        own: 0,
        called: 0,
    };
    let mut labels = vec![NONE; order.len()];
    let weigh = |labels: &[Weight], event: u32| {
        let event = &program.events()[event as usize];
        let mut weight = Weight {
            variants: 1,
            own: 1 + event.conjuncts.len() as u64,
            called: 0,
        };
        for id in &event.decl.body {
            if let Statement::Call(label) = program.statements.get(*id) {
                let label = labels[*label as usize];
                weight.variants = weight.variants.saturating_mul(label.variants.max(1));
                weight.called = weight.called.saturating_add(label.called);
            } else {
                let size = program.statements.traits(*id).size;
                weight.own = weight.own.saturating_add(size);
            }
        }
        weight
    };
    for label in order {
        let mut total = NONE;
        for event in program.labelled(*label) {
            let weight = weigh(&labels, *event);
            total.variants = total.variants.saturating_add(weight.variants);
            let steps = weight.own.saturating_add(weight.called);
            total.called = total.called.max(steps);
        }
        labels[*label as usize] = total;
    }
    (0..program.events().len() as u32)
        .map(|event| {
            let weight = weigh(&labels, event);
            weight.variants <= VARIANT_LIMIT
                && weight.own.saturating_mul(weight.variants) <= OWN_LIMIT
                && weight.called.saturating_mul(weight.variants) <= CALLED_LIMIT
        })
        .collect()
}

/// The variants of an event, or `None` when it must be executed on sets of states.
pub(crate) fn expand(program: &Program, pool: &Pool, event: u32) -> Option<Vec<Variant>> {
    let mut variants = Vec::new();
    let mut pending = vec![Partial {
        items: vec![Item::Guard(event)],
        frames: vec![Frame {
            event,
            next: 0,
            forked: false,
        }],
    }];
    while let Some(mut partial) = pending.pop() {
        loop {
            let Some(frame) = partial.frames.last_mut() else {
                variants.extend(build(program, pool, &partial.items));
                break;
            };
            let body = &program.events()[frame.event as usize].decl.body;
            let Some(&id) = body.get(frame.next) else {
                let forked = frame.forked;
                partial.frames.pop();
                if let Some(caller) = partial.frames.last_mut() {
                    caller.forked |= forked;
                }
                continue;
            };
            frame.next += 1;
            let owner = frame.event;
            let traits = program.statements.traits(id);
            match program.statements.get(id) {
                Statement::Call(label) => match program.labelled(*label) {
                    [] => partial.items.push(Item::Unanswered),
                    [first, others @ ..] => {
                        frame.forked |= !others.is_empty();
                        for callee in others.iter().rev() {
                            let mut other = partial.clone();
                            other.enter(*callee);
                            pending.push(other);
                        }
                        partial.enter(*first);
                    }
                },
                statement => {
                    let set_level = matches!(statement, Statement::Fixpoint(_)) && frame.forked;
                    if !traits.deterministic || set_level {
                        return None;
                    }
                    partial.items.push(Item::Statement(owner, id));
                }
            }
        }
    }
    Some(variants)
}

impl Partial {
    fn enter(&mut self, callee: u32) {
        self.items.push(Item::Guard(callee));
        self.frames.push(Frame {
            event: callee,
            next: 0,
            forked: false,
        });
    }
}
