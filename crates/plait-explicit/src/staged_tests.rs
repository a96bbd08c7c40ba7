//! States that threads find in a chunk, held against the order in which one thread finds them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;

use proptest::prelude::*;

use crate::shared::Refused;
use crate::staged::{Entry, Run, Sighting, Staged};
use crate::table::Table;

/// Parents with their successors, which are records of two words.
type Successors = Vec<(u32, Vec<[u64; 2]>)>;

/// Few hashes, so that states meet in the index.
fn hash(record: &[u64]) -> u64 {
    (record[0] % 7) << 60
}

/// A thread that takes parents one by one; its entries.
fn labour(
    staged: &Staged,
    table: &Table,
    old: &[[u64; 2]],
    parents: &Successors,
    next: &AtomicUsize,
) -> Vec<Entry> {
    let (mut run, mut entries) = (Run::default(), Vec::new());
    while let Some((parent, records)) = parents.get(next.fetch_add(1, Ordering::Relaxed)) {
        for record in records {
            let is_older = |n: u32| old[n as usize] == *record;
            let state = (&record[..], hash(record), *parent);
            let sighting = staged.insert(table, is_older, state, &mut run, |_, _| true);
            match sighting.unwrap() {
                Sighting::Mine { entry, .. } => entries.push(entry),
                Sighting::Others => {}
                Sighting::Confused => panic!("records are told apart by what they are"),
            }
        }
    }
    entries
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Threads may come in any order: parents are taken from the last to the first, so that nearly
    /// every state is taken over, and by several threads.
    #[test]
    fn entries_that_count_are_the_new_states_in_the_order_of_one_thread(
        rows in prop::collection::vec(prop::collection::vec(0..90u64, 0..20), 1..60),
        threads in 1..4usize,
        own in any::<bool>(),
        backwards in any::<bool>(),
    ) {
        let old: Vec<[u64; 2]> = if own { Vec::new() } else { (80..90).map(|n| [n, 1]).collect() };
        let mut table = Table::new().unwrap();
        old.iter().zip(0..).for_each(|(record, n)| table.add(hash(record), n));
        let mut parents: Successors = (100u32..)
            .zip(&rows)
            .map(|(p, row)| (p, row.iter().map(|n| [*n, 1]).collect()))
            .collect();
        let mut expected: Vec<(u32, [u64; 2])> = Vec::new();
        for (parent, records) in &parents {
            for record in records {
                if !old.contains(record) && !expected.iter().any(|(_, r)| r == record) {
                    expected.push((*parent, *record));
                }
            }
        }
        if backwards {
            parents.reverse();
        }
        let mut staged = Staged::new(2, own.then_some(false)).unwrap();
        for _ in 0..2 {
            staged.begin(old.len(), &table, 1 << 16).unwrap();
            let next = AtomicUsize::new(0);
            let work = || labour(&staged, &table, &old, &parents, &next);
            let mut entries: Vec<Entry> = thread::scope(|scope| {
                let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
                threads.into_iter().flat_map(|t| t.join().unwrap()).collect()
            });
            entries.sort_by_key(|e| e.parent); // stable: a parent is the work of one thread
            let mut record = Vec::new();
            let mut found = Vec::new();
            for entry in &entries {
                if let Some(slot) = staged.read(*entry, &mut record) {
                    found.push((entry.parent, [record[0], record[1]]));
                    if !own {
                        let number = old.len() as u32 + entry.row;
                        prop_assert_eq!(table.find(hash(&record), |n| n == number), Ok(number));
                        table.rename(slot, 700);
                        prop_assert_eq!(table.find(hash(&record), |n| n == 700), Ok(700));
                        table.rename(slot, number);
                    }
                }
            }
            prop_assert_eq!(&found, &expected);
            staged.withdraw(entries.into_iter(), &table);
            for (record, number) in old.iter().zip(0u32..) {
                prop_assert_eq!(table.find(hash(record), |n| n == number), Ok(number));
            }
            for (_, record) in &expected {
                prop_assert!(table.find(hash(record), |_| true).is_err() || !old.is_empty());
                prop_assert!(table.find(hash(record), |n| n as usize >= old.len()).is_err());
            }
        }
    }
}

#[test]
fn rows_end_with_the_numbers_of_the_index_and_with_the_memory() {
    let table = Table::with_slots(16).unwrap();
    let mut staged = Staged::new(1, None).unwrap();
    staged.begin(10, &table, 1 << 16).unwrap();
    let mut run = Run::default();
    let mut put = |n: u64, allowed: bool| {
        let state = (&[n][..], n, 3);
        staged.insert(&table, |_| false, state, &mut run, |_, _| allowed)
    };
    assert_eq!(put(1, false), Err(Refused::NoMemory));
    assert!(put(1, true).is_ok() && put(2, true).is_ok());
    assert_eq!(put(3, true), Err(Refused::Full)); // 12 of 16 slots, and 10 are taken
    assert_eq!(put(2, true), Ok(Sighting::Others));
    assert!(staged.is_half_full());
}

#[test]
fn another_state_with_the_fingerprint_of_a_later_one_is_confusing_and_of_an_earlier_one_is_old() {
    let table = Arc::new(Table::new().unwrap());
    let mut staged = Staged::new(1, Some(true)).unwrap();
    staged.begin(5, &table, 1 << 16).unwrap();
    let mut run = Run::default();
    let mut put = |word: u64, parent: u32| {
        let state = (&[word][..], 77, parent);
        let sighting = staged.insert(&table, |_| false, state, &mut run, |_, _| true);
        sighting.unwrap()
    };
    assert!(matches!(put(1, 4), Sighting::Mine { new: true, .. }));
    assert_eq!(put(2, 4), Sighting::Others);
    assert_eq!(put(2, 9), Sighting::Others);
    assert!(matches!(put(1, 3), Sighting::Mine { new: false, .. }));
    assert_eq!(put(2, 2), Sighting::Confused);
}
