//! Saturation of nets under each order: time and nodes, beside the figures that should foretell them.
//!
//! `cargo run --release -p plait-symbolic --example orders -- SECONDS MERGE NET...`
//!
//! MERGE says which cells share a level: `none`, `groups` or `machines`. A net is a text file:
//!
//! ```text
//! init 1 0 0
//! event 0,1,2147483647,-1,-1 1,0,2147483647,-1,1     cell, least, greatest, keep, amount
//! parents -1 0                                       groups, as in `Groups`; -1 is the whole
//! members 0 0 1
//! ```
//!
//! Printed are comma-separated lines: net, merge, order, outcome, seconds, peak nodes, nodes at the end,
//! then the figures by name. An order that is ten times slower than the best so far is given up.

use std::time::{Duration, Instant};

use plait_dd::{Budget, Manager};
use plait_symbolic::order::{machines, ranked, Effort, Groups, Structure, WHOLE};
use plait_symbolic::{Event, Interval, Locals, Net, Relation, Strategy, Test, Update};

fn read(path: &str) -> (Net, Groups) {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let (mut net, mut groups) = (Net::default(), Groups::default());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let kind = words.next().unwrap_or("");
        let number = |word: &str| word.parse::<i32>().expect("a number");
        match kind {
            "init" => net.initial.push(words.map(number).collect()),
            "event" => net.events.push(event(words)),
            "parents" => groups.parents = words.map(|w| number(w) as u32).collect(),
            "members" => groups.of_cell = words.map(|w| number(w) as u32).collect(),
            _ => {}
        }
    }
    (net, groups)
}

fn event<'w>(words: impl Iterator<Item = &'w str>) -> Event {
    let mut event = Event::default();
    for word in words {
        let numbers = word.split(',').map(|n| n.parse().expect("a number"));
        let [cell, low, high, keep, amount] = numbers.collect::<Vec<i32>>()[..] else {
            panic!("five numbers, not {word}");
        };
        let cell = cell as u32;
        if low > 0 || high < i32::MAX {
            let interval = Interval::new(low, high);
            event.tests.push(Test { cell, interval });
        }
        if keep != -1 || amount != 0 {
            event.updates.push(Update { cell, keep, amount });
        }
    }
    event
}

/// The cells in levels, those of each given set together.
fn levels(cells: usize, together: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut levels: Vec<Vec<u32>> = (0..cells as u32).map(|c| vec![c]).collect();
    for set in together.iter().filter(|s| s.len() > 1) {
        set.iter().for_each(|c| levels[*c as usize].clear());
        levels[set[0] as usize].clone_from(set);
    }
    levels.retain(|level| !level.is_empty());
    levels
}

fn together(merge: &str, structure: &Structure, initial: &[i32]) -> Vec<Vec<u32>> {
    match merge {
        "none" => Vec::new(),
        "machines" => machines(structure, initial),
        "groups" => {
            let groups = structure.groups();
            let mut sets = vec![Vec::new(); groups.parents.len()];
            let members = (0..).zip(&groups.of_cell);
            for (cell, group) in members.filter(|(_, g)| **g != WHOLE) {
                sets[*group as usize].push(cell);
            }
            sets
        }
        _ => panic!("none, groups or machines, not {merge}"),
    }
}

/// CPU seconds of this thread, in steps of some milliseconds.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let spent = text.split_whitespace().next();
    spent.and_then(|w| w.parse().ok()).unwrap_or(0.0) / 1e9
}

/// Whether saturation ended, its seconds, and the outcome as text.
fn run(net: &Net, limit: f64) -> (bool, f64, String) {
    let (start, begun) = (Instant::now(), cpu());
    let mut dd = Manager::new();
    dd.set_budget(Budget {
        memory: 1500 << 20,
        deadline: Some(start + Duration::from_secs_f64(limit)),
        ..Budget::default()
    });
    let mut relation = Relation::new(&mut dd, net, &Locals::OnTheFly).expect("a sound net");
    let reached = relation.reach(&mut dd, Strategy::Saturation);
    let wall = start.elapsed().as_secs_f64();
    let seconds = if wall < 0.1 { wall } else { cpu() - begun };
    let peak = dd.statistics().peak_nodes;
    let (outcome, nodes) = match &reached {
        Ok(r) => ("ok".into(), dd.size(r.states.node()).integer_nodes),
        Err(stop) => (stop.to_string().replace(' ', "-"), 0),
    };
    let text = format!("{outcome},{seconds:.5},{peak},{nodes}");
    (reached.is_ok(), seconds, text)
}

fn measure(path: &str, seconds: f64, merge: &str) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (mut net, groups) = read(path);
    let structure = Structure::of_net(&net, groups).expect("a sound net");
    let start = Instant::now();
    let levels = levels(net.cells(), &together(merge, &structure, &net.initial[0]));
    let found = start.elapsed().as_secs_f64();
    let all =
        ranked(&structure, &levels, Some(&net.initial[0]), Effort::Full).expect("a partition");
    let ordered = start.elapsed().as_secs_f64() - found;
    println!(
        "# {name}: {} cells in {} levels ({found:.3} s), {} events, {} arcs, {} orders ({ordered:.3} s)",
        net.cells(),
        levels.len(),
        structure.events(),
        structure.arcs(),
        all.len(),
    );
    let (mut best, mut spent, mut solved) = (seconds, 0.0, false);
    for candidate in all {
        if spent > if solved { 4.0 } else { 2.0 } * seconds {
            break;
        }
        let order = candidate.order.iter();
        net.levels = order.map(|level| levels[*level as usize].clone()).collect();
        let (ok, time, outcome) = run(&net, seconds.min(10.0 * best + 0.1));
        spent += time;
        solved |= ok;
        best = if ok { best.min(time) } else { best };
        let figures: Vec<String> = candidate
            .costs
            .figures()
            .iter()
            .map(|f| format!("{}={}", f.0, f.1))
            .collect();
        println!(
            "{name},{merge},{},{outcome},{}",
            candidate.name,
            figures.join(",")
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, merge, nets @ ..] = &arguments[..] else {
        panic!("SECONDS MERGE NET...");
    };
    for net in nets {
        measure(net, seconds.parse().expect("seconds"), merge);
    }
}
