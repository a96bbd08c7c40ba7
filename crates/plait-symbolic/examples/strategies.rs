//! The nets of the literature under each strategy: time, nodes, memory.
//!
//! `cargo run --release -p plait-symbolic --example strategies -- [MODEL N [STRATEGY] [OPTION]...]`
//! with the options flat, down, pre, strict=N, memory=MB, seconds=N;
//! without arguments a table of all models at sizes that take seconds.

use std::time::{Duration, Instant};

use plait_dd::{Budget, Manager, Policy};
use plait_symbolic::{models, Locals, Net, Relation, Strategy};

fn strategies() -> Vec<(&'static str, Strategy)> {
    vec![
        ("sat", Strategy::Saturation),
        ("fwd", Strategy::Forwarding),
        ("allchn", Strategy::Chaining { frontier: false }),
        ("chn", Strategy::Chaining { frontier: true }),
        ("allbfs", Strategy::BreadthFirst { frontier: false }),
        ("bfs", Strategy::BreadthFirst { frontier: true }),
    ]
}

fn model(name: &str, n: usize) -> Net {
    match name {
        "phil" => models::philosophers(n),
        "ring" => models::slotted_ring(n),
        "robin" => models::round_robin(n),
        "kanban" => models::kanban(n as i32),
        "fms" => models::flexible_manufacturing(n as i32),
        "leader" => models::leader(n),
        _ => panic!("unknown model {name}"),
    }
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    let number = line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok());
    number.unwrap_or(0) / 1024
}

fn run(name: &str, n: usize, strategy: (&str, Strategy), options: &[&str]) {
    let mut net = model(name, n);
    if options.contains(&"flat") {
        net = models::one_place_a_level(net);
    }
    if options.contains(&"down") {
        net = models::upside_down(net);
    }
    let locals = if options.contains(&"pre") {
        Locals::Pregenerated {
            bounds: None,
            limit: 1 << 24,
        }
    } else {
        Locals::OnTheFly
    };
    let start = Instant::now();
    let mut dd = Manager::new();
    let number = |name: &str| {
        let text = options.iter().find_map(|o| o.strip_prefix(name));
        text.map(|t| t.parse::<u64>().expect("a number"))
    };
    dd.set_budget(Budget {
        memory: number("memory=").map_or(usize::MAX, |mb| (mb as usize) << 20),
        deadline: number("seconds=").map(|s| start + Duration::from_secs(s)),
        ..Budget::default()
    });
    if let Some(n) = number("strict=") {
        dd.set_policy(Policy::Strict(n));
    }
    let mut relation = Relation::new(&mut dd, &net, &locals).expect("a sound net");
    let reached = relation.reach(&mut dd, strategy.1);
    let reach = start.elapsed().as_secs_f64();
    let reached = match reached {
        Ok(reached) => reached,
        Err(stop) => {
            let s = dd.statistics();
            let (bytes, mb) = (s.peak_bytes as f64 / 1e6, resident());
            println!(
                "{name:7}{n:6} {:6} {stop} after {reach:.3} s, {bytes:.1} MB, {mb} MB",
                strategy.0
            );
            return;
        }
    };
    let count = dd.count(reached.states.node()).to_string();
    let counted = start.elapsed().as_secs_f64();
    let size = dd.size(reached.states.node());
    let s = dd.statistics();
    let start = Instant::now();
    let dead = relation
        .deadlocks(&mut dd, reached.states.node())
        .expect("no limits");
    let deadlocks = start.elapsed().as_secs_f64();
    let shown = if count.len() > 20 {
        format!("{}.{}e{}", &count[..1], &count[1..8], count.len() - 1)
    } else {
        count
    };
    println!(
        "{name:7}{n:6} {:6} {:5} {shown:>20} {:>4} dead {reach:8.3} s, counted {counted:8.3} s, \
         deadlocks {deadlocks:7.3} s; nodes {:8} peak {:8} edges {:9}, {:5.1} MB of diagrams, \
         {:4} MB resident, hits {:.2}, created {}, collections {}",
        strategy.0,
        options.join(","),
        dd.count(dead.node()),
        size.integer_nodes,
        s.peak_nodes,
        s.edges,
        s.peak_bytes as f64 / 1e6,
        resident(),
        s.cache_hits as f64 / s.cache_lookups.max(1) as f64,
        s.created,
        s.collections,
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let all = strategies();
    if let [name, n, rest @ ..] = &arguments[..] {
        let wanted = rest.first().map_or("sat", String::as_str);
        let options: Vec<&str> = rest.iter().skip(1).map(String::as_str).collect();
        for strategy in all.into_iter().filter(|s| wanted == "all" || s.0 == wanted) {
            run(name, n.parse().expect("a number"), strategy, &options);
        }
        return;
    }
    for (name, sizes) in [
        ("phil", [20, 100, 1000]),
        ("ring", [5, 10, 50]),
        ("robin", [10, 30, 100]),
        ("kanban", [3, 5, 50]),
        ("fms", [5, 10, 50]),
        ("leader", [3, 4, 5]),
    ] {
        for (position, n) in sizes.into_iter().enumerate() {
            // The older strategies only where they end within seconds.
            for strategy in all.iter().take([6, 4, 1][position]) {
                run(name, n, *strategy, &[]);
            }
        }
    }
}
