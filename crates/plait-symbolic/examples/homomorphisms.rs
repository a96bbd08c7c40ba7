//! The nets of the literature as homomorphisms, beside the relation of local functions.
//!
//! `cargo run --release -p plait-symbolic --example homomorphisms -- [MODEL N]`, one place a level.

use std::time::Instant;

use plait_dd::{Edge, Manager, Node};
use plait_symbolic::hom::{Hom, Homs, Interval, Step};
use plait_symbolic::{models, Locals, Net, Relation, Strategy};

fn model(name: &str, n: usize) -> Net {
    models::one_place_a_level(match name {
        "phil" => models::philosophers(n),
        "ring" => models::slotted_ring(n),
        "robin" => models::round_robin(n),
        "kanban" => models::kanban(n as i32),
        "fms" => models::flexible_manufacturing(n as i32),
        "leader" => models::leader(n),
        _ => panic!("unknown model {name}"),
    })
}

fn events(homs: &mut Homs, net: &Net) -> Vec<Hom> {
    let mut variables = vec![0; net.cells()];
    for (variable, level) in (1..).zip(&net.levels) {
        variables[level[0] as usize] = variable;
    }
    let mut all = vec![Hom::ID];
    for event in &net.events {
        let mut chain = Hom::ID;
        for test in &event.tests {
            let test = Step::test(variables[test.cell as usize], test.interval);
            let test = homs.step(test);
            chain = homs.compose(test, chain);
        }
        for update in &event.updates {
            let change = homs.step(Step {
                keep: update.keep,
                amount: update.amount,
                ..Step::test(variables[update.cell as usize], Interval::FULL)
            });
            chain = homs.compose(change, chain);
        }
        all.push(chain);
    }
    all
}

fn run(name: &str, n: usize) {
    let net = model(name, n);
    let start = Instant::now();
    let mut dd = Manager::new();
    let mut relation = Relation::new(&mut dd, &net, &Locals::OnTheFly).expect("a sound net");
    let reached = relation
        .reach(&mut dd, Strategy::Saturation)
        .expect("no limits");
    let by_relation = start.elapsed().as_secs_f64();
    let expected = dd.count(reached.states.node());
    let created = dd.statistics().created;

    let start = Instant::now();
    let mut dd = Manager::new();
    let mut homs = Homs::new();
    let all = events(&mut homs, &net);
    let step = homs.sum(&all);
    let reach = homs.fixpoint(step);
    let mut set = Node::ONE;
    for (variable, level) in (1..).zip(&net.levels) {
        let edge = Edge::integer(net.initial[0][level[0] as usize], set);
        set = dd.integer_node(variable, &[edge]).expect("no limits");
    }
    let reached = homs.apply(&mut dd, reach, set).expect("no limits");
    let by_homs = start.elapsed().as_secs_f64();
    assert_eq!(dd.count(reached), expected);
    let s = dd.statistics();
    println!(
        "{name:7}{n:6}  relation {by_relation:8.3} s, {created:9} nodes created;  \
         homomorphisms {by_homs:8.3} s, {:9} created, {:7} final, {} terms;  ratio {:.2}",
        s.created,
        dd.size(reached).integer_nodes,
        homs.len(),
        by_homs / by_relation
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [name, n] = &arguments[..] {
        run(name, n.parse().expect("a number"));
        return;
    }
    for (name, n) in [
        ("phil", 1000),
        ("ring", 30),
        ("robin", 60),
        ("kanban", 20),
        ("fms", 15),
        ("leader", 4),
    ] {
        run(name, n);
    }
}
