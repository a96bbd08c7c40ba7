//! The store without locks under threads that race for every slot.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;
use std::thread;

use proptest::prelude::*;

use plait_program::mix::Seed;

use crate::hash::{RecordHash, SeededHash};
use crate::shared::{Hand, Refused, Shared};
use crate::store::Inserted;

/// All threads bring all records, each in an order of its own; who was told that a record is new.
fn race(shared: &Shared, hash: &SeededHash, records: &[[u64; 2]], threads: usize) -> Vec<Hand> {
    let told: Mutex<BTreeMap<[u64; 2], Vec<u32>>> = Mutex::new(BTreeMap::new());
    let start = AtomicBool::new(false);
    let hands = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|thread| {
                let (told, start) = (&told, &start);
                scope.spawn(move || {
                    let mut hand = Hand::default();
                    let mut news = Vec::new();
                    while !start.load(Ordering::Acquire) {
                        std::hint::spin_loop();
                    }
                    for i in 0..records.len() {
                        let record = records[(i * (thread + 1) + thread) % records.len()];
                        let stored =
                            shared.insert(&record, hash.hash(&record), 7, &mut hand, |_, _| true);
                        match stored.unwrap() {
                            Inserted::New(number) => news.push((record, number)),
                            Inserted::Old(number) => {
                                let mut words = Vec::new();
                                shared.read(number, &mut words);
                                assert_eq!(words, record);
                            }
                        }
                        assert!(hand.spares.len() <= 1);
                    }
                    let mut told = told.lock().unwrap();
                    for (record, number) in news {
                        told.entry(record).or_default().push(number);
                    }
                    hand
                })
            })
            .collect();
        start.store(true, Ordering::Release);
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    for (record, numbers) in told.into_inner().unwrap() {
        assert_eq!(numbers.len(), 1, "{record:?} was new to {numbers:?}");
        assert_eq!(shared.find(&record, hash.hash(&record)), Some(numbers[0]));
    }
    hands
}

fn sized(count: usize) -> (Shared, SeededHash) {
    let mut hash = SeededHash::new(Seed(5));
    hash.prepare(2);
    let mut shared = Shared::new(2, u32::MAX - 1).unwrap();
    while (shared.larger_bytes() as usize) < 12 * count {
        shared.grow(&hash, &[]).unwrap();
    }
    (shared, hash)
}

/// T11.
#[test]
fn of_all_threads_that_bring_a_state_one_is_told_that_it_is_new() {
    // As many strides as are coprime to the number of records, a prime, so that all bring all. Miri
    // takes a thousand times as long.
    let count = if cfg!(miri) { 61 } else { 1999 };
    let records: Vec<[u64; 2]> = (0..count).map(|n| [n, n / 7]).collect();
    for threads in [2, 3, 5] {
        for _ in 0..4 {
            let (shared, hash) = sized(2 * records.len() + 64);
            let hands = race(&shared, &hash, &records, threads);
            let spares: Vec<u32> = hands.into_iter().flat_map(|h| h.spares).collect();
            assert_eq!(shared.numbers(), records.len() + spares.len());
            let closed = shared.close_up(spares.clone()).unwrap();
            let (stored, parents, moved) = (closed.records, closed.parents, closed.moved);
            assert_eq!(stored.len(), records.len());
            assert_eq!(parents.len() + 1, records.len());
            assert!(moved.len() <= spares.len());
            let mut all: Vec<&[u64]> = (0..stored.len()).map(|n| stored.get(n)).collect();
            all.sort_unstable();
            assert!(all.iter().zip(&records).all(|(a, b)| *a == b));
        }
    }
}

#[test]
fn a_claim_is_given_once() {
    let (shared, hash) = sized(300);
    let mut hand = Hand::default();
    for n in 0..200u64 {
        let record = [n, 0];
        let stored = shared.insert(&record, hash.hash(&record), 0, &mut hand, |_, _| true);
        stored.unwrap();
    }
    let claims: usize = thread::scope(|scope| {
        let claim = || (0..200).filter(|n| shared.claim(*n)).count();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(claim)).collect();
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert_eq!(claims, 200);
    assert!((0..200).all(|n| shared.is_claimed(n)));
}

#[test]
fn a_full_index_refuses_and_a_larger_one_takes_all_but_spares() {
    let (mut shared, hash) = sized(0);
    let mut hand = Hand::default();
    let mut put = |shared: &Shared, n: u64| {
        let record = [n, n];
        shared.insert(&record, hash.hash(&record), 0, &mut hand, |_, _| true)
    };
    let room = (0..1000).take_while(|n| put(&shared, *n).is_ok()).count() as u64;
    assert!(room > 0 && room < 1000);
    assert_eq!(put(&shared, room), Err(Refused::Full));
    shared.grow(&hash, &[3]).unwrap();
    let found = |n: u64| shared.find(&[n, n], hash.hash(&[n, n]));
    assert!((0..room).all(|n| found(n) == (n != 3).then_some(n as u32)));
}

#[test]
fn no_segment_is_made_that_is_not_allowed() {
    let (shared, hash) = sized(0);
    let mut hand = Hand::default();
    let record = [1, 1];
    let refused = shared.insert(&record, hash.hash(&record), 0, &mut hand, |_, _| false);
    assert_eq!(refused, Err(Refused::NoMemory));
    assert_eq!((shared.numbers(), hand.spares.len()), (1, 1));
    let stored = shared.insert(&record, hash.hash(&record), 0, &mut hand, |_, _| true);
    assert_eq!(stored, Ok(Inserted::New(0)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn closing_up_keeps_every_state_with_its_parent(
        spares in prop::collection::btree_set(1..300u32, 0..6),
    ) {
        let (shared, hash) = sized(600);
        let mut hand = Hand::default();
        // Each number holds itself and is the child of the number before it that is no spare.
        let mut before = 0;
        for n in 0..300u32 {
            let record = [u64::from(n), 1];
            let stored = shared.insert(&record, hash.hash(&record), before, &mut hand, |_, _| true);
            prop_assert_eq!(stored, Ok(Inserted::New(n)));
            if !spares.contains(&n) {
                before = n;
            }
        }
        let spares: Vec<u32> = spares.into_iter().collect();
        let closed = shared.close_up(spares.clone()).unwrap();
        let (records, parents, moved) = (closed.records, closed.parents, closed.moved);
        prop_assert_eq!(records.len(), 300 - spares.len());
        let mut seen: Vec<u64> = Vec::new();
        for number in 0..records.len() {
            let name = records.get(number)[0];
            seen.push(name);
            if number > 0 {
                let parent = records.get(parents[number - 1] as usize)[0];
                let expected = (0..name as u32).rev().find(|n| !spares.contains(n)).unwrap_or(0);
                prop_assert_eq!(parent, u64::from(expected));
            }
            let renamed = moved.iter().find(|(_, new)| *new as usize == number);
            prop_assert_eq!(name as usize, renamed.map_or(number, |(old, _)| *old as usize));
        }
        seen.sort_unstable();
        let kept = (0..300u32).filter(|n| !spares.contains(n)).map(u64::from);
        prop_assert_eq!(seen, kept.collect::<Vec<_>>());
    }
}
