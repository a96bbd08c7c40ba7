//! Limits of memory and time inside a generation.

use std::time::{Duration, Instant};

use plait_dd::{Budget, Manager, Stop};

use super::STRATEGIES;
use crate::models::{philosophers, slotted_ring, Builder};
use crate::{Locals, Relation, Strategy};

#[test]
fn an_unbounded_net_ends_at_the_limit_of_memory_or_time() {
    // covers: S54
    let mut b = Builder::default();
    let [p, q] = [1, 0].map(|tokens| b.place(tokens));
    b.transition(&[p], &[p, q]);
    b.level(&[p]);
    b.level(&[q]);
    let net = b.net();
    for strategy in STRATEGIES {
        let mut dd = Manager::new();
        dd.set_budget(Budget {
            memory: 1 << 20,
            deadline: Some(Instant::now() + Duration::from_millis(300)),
            ..Budget::default()
        });
        let mut relation = Relation::new(&mut dd, &net, &Locals::OnTheFly).unwrap();
        let stopped = relation.reach(&mut dd, strategy).err();
        assert!(
            matches!(stopped, Some(Stop::Memory | Stop::Time)),
            "{strategy:?}: {stopped:?}"
        );
        assert!(dd.statistics().created > 0 || strategy == Strategy::Saturation);
    }
}

#[test]
fn after_a_stop_the_same_relation_goes_on_to_the_right_answer() {
    // covers: S54
    for (net, count) in [
        (philosophers(30), "6440026026380244498"),
        (slotted_ring(10), "8291791872"),
    ] {
        let mut stops = 0;
        for kilobytes in [70, 80, 90, 100, 120, 150, 200, 400] {
            let mut dd = Manager::new();
            let mut relation = Relation::new(&mut dd, &net, &Locals::OnTheFly).unwrap();
            dd.set_budget(Budget {
                memory: kilobytes << 10,
                ..Budget::default()
            });
            let first = relation.reach(&mut dd, Strategy::Saturation);
            if let Err(stop) = first {
                assert_eq!(stop, Stop::Memory);
                stops += 1;
            }
            dd.set_budget(Budget::default());
            let reached = relation.reach(&mut dd, Strategy::Saturation).unwrap();
            assert_eq!(dd.count(reached.states.node()).to_string(), count);
        }
        assert!(stops > 0);
    }
}
