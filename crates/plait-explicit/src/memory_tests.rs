//! The limit on memory, in a process of its own: what is resident there belongs to the search.

use std::process::Command;
use std::sync::Arc;

use plait_program::Builder;

use crate::budget::resident;
use crate::{explore, Exploration, Options, Reason, Unobserved};

const ALONE: &str = "PLAIT_TEST_ALONE";

/// Four counters up to 1000: more states than fit anywhere.
fn search(memory: u64) -> Exploration {
    let mut builder = Builder::new();
    for i in 0..4 {
        let cell = builder
            .cell(&format!("x{i}"), 0, i32::MIN, i32::MAX)
            .unwrap();
        let load = builder.load(cell).unwrap();
        let one = builder.constant(1).unwrap();
        let top = builder.constant(1000).unwrap();
        let below = builder.compare("<", load, top).unwrap();
        let sum = builder.binary("+", load, one).unwrap();
        let step = builder.assign(cell, sum).unwrap();
        builder
            .event(&format!("up{i}"), &[below], &[step], None)
            .unwrap();
    }
    let program = Arc::new(builder.freeze().unwrap());
    let options = Options {
        memory: Some(memory),
        ..Options::default()
    };
    explore(&program, &options, &mut Unobserved).unwrap()
}

#[test]
fn a_search_stops_before_the_memory_is_passed() {
    if std::env::var_os(ALONE).is_none() {
        let own = "memory_tests::a_search_stops_before_the_memory_is_passed";
        let mut again = Command::new(std::env::current_exe().unwrap());
        let run = again.args(["--exact", own]).env(ALONE, "yes").output();
        let run = run.unwrap();
        let told = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(run.status.success() && told.contains("1 passed"), "{told}");
        return;
    }
    let base = resident().unwrap_or(0);
    let found = search(base + (48 << 20));
    assert_eq!(found.reason(), Some(Reason::Memory));
    assert!(found.states() > 10_000);
    assert!(found.bytes() <= 48 << 20);
    let none = search(1);
    assert_eq!(none.reason(), Some(Reason::Memory));
    assert_eq!(none.state(0), Some(vec![0; 4]));
}
