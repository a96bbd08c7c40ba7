//! T15 for the generation of states: every larger allocation fails once, and the same relation is used again.
//!
//! As the test of the same name in `plait-dd`, whose allocator it shares: that refuses nothing to the
//! threads of other tests. The nets have long diagrams
//! and few local states: the arrays that are indexed by local states are small here.

#[path = "../../../plait-dd/tests/refusing/mod.rs"]
mod refusing;

use plait_dd::{Manager, Stop};
use refusing::LEFT;

use crate::models::{kanban, philosophers, slotted_ring};
use crate::{Locals, Net, Relation, Strategy};

/// How often an allocation was refused until all were granted.
fn points(net: &Net, strategy: Strategy, count: &str) -> u64 {
    for k in 1.. {
        let mut dd = Manager::new();
        let mut relation = Relation::new(&mut dd, net, &Locals::OnTheFly).unwrap();
        LEFT.set(k);
        let first = relation.reach(&mut dd, strategy);
        let refused = LEFT.replace(0) == 0;
        if let Err(stop) = first {
            assert_eq!(stop, Stop::Memory, "allocation {k}");
            assert!(refused);
        }
        let reached = relation.reach(&mut dd, strategy).unwrap();
        dd.collect();
        let counted = relation.count(&mut dd, reached.states.node()).unwrap();
        assert_eq!(counted.to_string(), count, "allocation {k}");
        if !refused {
            return k - 1;
        }
    }
    unreachable!("a generation needs finitely many allocations")
}

#[test]
fn every_strategy_survives_each_refused_allocation() {
    let mut all = 0;
    for strategy in [
        Strategy::Saturation,
        Strategy::Rounds,
        Strategy::Forwarding,
        Strategy::Chaining { frontier: true },
    ] {
        all += points(&philosophers(30), strategy, "6440026026380244498");
        all += points(&slotted_ring(8), strategy, "68026624");
        all += points(&kanban(6), strategy, "11261376");
    }
    all += points(&slotted_ring(10), Strategy::Saturation, "8291791872");
    assert!(all > 30, "only {all} allocations were refused");
}
