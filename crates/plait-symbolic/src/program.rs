//! Programs as nets, where they are nets.

use plait_program::mix::MixedSet;
use plait_program::{Cell, Program, Test, Update, Variant};

use crate::net::{Event, Net};

/// A program all of whose events are net-like.
#[derive(Clone, Debug)]
pub struct ProgramNet {
    /// The net; its events are the variants of the program's free events.
    pub net: Net,
    /// The event of the program that each event of the net belongs to.
    pub owners: Vec<u32>,
    /// No two events of the net have one title, so that each pair of a state and an event that is
    /// enabled in it is one arc.
    pub distinct: bool,
}

impl ProgramNet {
    /// The net that the program is with these levels (bottom first), or `None` when it is not one.
    pub fn new(program: &Program, levels: Vec<Vec<u32>>) -> Option<ProgramNet> {
        let cells = program.cells();
        let mut events = Vec::new();
        let mut owners = Vec::new();
        let mut titles = MixedSet::default();
        let mut distinct = true;
        for event in program.free() {
            let declared = &program.events()[*event as usize];
            for variant in declared.variants()? {
                events.push(net_like(cells, variant)?);
                owners.push(*event);
                distinct &= titles.insert(declared.title);
            }
        }
        let net = Net {
            initial: vec![program.initial()],
            levels,
            events,
            domains: domains(cells),
        };
        Some(ProgramNet {
            net,
            owners,
            distinct,
        })
    }
}

/// The domains of the cells; empty when none is restricted.
fn domains(cells: &[Cell]) -> Vec<(i32, i32)> {
    if cells.iter().all(Cell::is_unrestricted) {
        return Vec::new();
    }
    cells.iter().map(|c| (c.low, c.high)).collect()
}

fn net_like(cells: &[Cell], variant: &Variant) -> Option<Event> {
    let updates = variant.net()?;
    let tests = variant.tests();
    let safe = |u: &Update| may_only_overflow(&cells[u.cell as usize], *u, tests);
    (!variant.has_conditions() && updates.iter().all(safe)).then(|| Event {
        tests: tests.to_vec(),
        updates: updates.to_vec(),
    })
}

/// Whether the update cannot leave the domain of its cell, unless at the end of the integers.
///
/// Other faults have to name the statement that made them, which a net does not know.
fn may_only_overflow(cell: &Cell, update: Update, tests: &[Test]) -> bool {
    if cell.is_unrestricted() {
        return true;
    }
    if update.keep == 0 {
        return cell.admits(update.amount);
    }
    let (mut low, mut high) = (i64::from(cell.low), i64::from(cell.high));
    for test in tests.iter().filter(|t| t.cell == update.cell) {
        if let Some((a, b)) = test.interval.bounds() {
            low = low.max(i64::from(a));
            high = high.min(i64::from(b));
        }
    }
    let amount = i64::from(update.amount);
    low + amount >= i64::from(cell.low)
        && (cell.high == i32::MAX || high + amount <= i64::from(cell.high))
}
