//! What threads share without locks, in every interleaving and every order in which the writes of one
//! thread may become visible to another, up to a number of preemptions (`make loom`).
//!
//! Loom runs a test again and again with its own atomic numbers (`sync`) in place of those of the
//! processor; a load may give any value that the memory orderings allow. A record that is found
//! before it is seen to be written, as after a swap that does not release, shows here and on no
//! x86 machine.

use std::sync::Arc;

use loom::model::Builder;
use loom::thread;

use crate::hash::RecordHash;
use crate::shared::{Hand, Shared};
use crate::staged::{Entry, Run, Sighting, Staged};
use crate::store::Inserted;
use crate::table::Table;

/// All interleavings with at most so many preemptions.
fn model(preemptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(test);
}

/// The records of a thread are stored, or found as they were written; those that it was told are new.
fn bring(shared: &Shared, records: &[u64]) -> (Vec<u64>, Hand) {
    let (mut hand, mut news) = (Hand::default(), Vec::new());
    for record in records {
        // One hash for all: every record probes the slots of the others.
        match shared.insert(&[*record], 0, 7, &mut hand, |_, _| true) {
            Ok(Inserted::New(_)) => news.push(*record),
            Ok(Inserted::Old(number)) => assert_eq!(read(shared, number), *record),
            Err(refused) => panic!("{refused:?}"),
        }
    }
    (news, hand)
}

fn read(shared: &Shared, number: u32) -> u64 {
    let mut words = Vec::new();
    shared.read(number, &mut words);
    words[0]
}

/// One thread brings some records, then threads bring others at once; then there is each of them, once.
fn race(first: &[u64], records: &'static [&'static [u64]]) -> (Arc<Shared>, Vec<u32>) {
    let shared = Arc::new(Shared::new(1, u32::MAX - 1).unwrap());
    assert_eq!(bring(&shared, first).0, first);
    let threads: Vec<_> = records[1..]
        .iter()
        .map(|mine| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || bring(&shared, mine))
        })
        .collect();
    let mut shares = vec![bring(&shared, records[0])];
    shares.extend(threads.into_iter().map(|t| t.join().unwrap()));
    let mut news: Vec<u64> = shares.iter().flat_map(|(news, _)| news.clone()).collect();
    news.sort_unstable();
    let mut all: Vec<u64> = records.concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(news, all);
    for record in all {
        let number = shared.find(&[record], 0).unwrap();
        assert_eq!(read(&shared, number), record);
    }
    let spares = shares.into_iter().flat_map(|(_, hand)| hand.spares);
    (shared, spares.collect())
}

/// T11.
#[test]
fn two_threads_store_each_record_once_and_find_it_whole() {
    model(3, || {
        race(&[], &[&[5, 6], &[6, 5]]);
    });
}

/// T11.
#[test]
fn three_threads_store_each_record_once_and_find_it_whole() {
    // The segment is there, for which threads would have to wait.
    model(3, || {
        race(&[9], &[&[5], &[5], &[6]]);
    });
}

/// T11.
#[test]
fn whoever_finds_a_record_reads_all_of_it() {
    model(3, || {
        let shared = Arc::new(Shared::new(2, u32::MAX - 1).unwrap());
        let writer = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut hand = Hand::default();
                shared.insert(&[3, 4], 9, 0, &mut hand, |_, _| true).is_ok()
            })
        };
        if let Some(number) = shared.find(&[3, 4], 9) {
            let mut words = Vec::new();
            shared.read(number, &mut words);
            assert_eq!(words, [3, 4]);
        }
        assert!(writer.join().unwrap());
        assert!(shared.find(&[3, 4], 9).is_some());
    });
}

/// T11.
#[test]
fn a_larger_index_has_what_threads_stored_and_takes_more() {
    struct One;
    impl RecordHash for One {
        fn hash(&self, _record: &[u64]) -> u64 {
            0
        }
    }
    model(2, || {
        let (shared, spares) = race(&[], &[&[5], &[5]]);
        let mut shared = Arc::into_inner(shared).unwrap();
        shared.grow(&One, &spares).unwrap();
        let shared = Arc::new(shared);
        let before = shared.find(&[5], 0);
        assert_eq!(before.map(|number| read(&shared, number)), Some(5));
        let helper = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || bring(&shared, &[8]).0)
        };
        let (mine, _) = bring(&shared, &[8, 5]);
        assert_eq!(mine.len() + helper.join().unwrap().len(), 1);
        assert_eq!(shared.find(&[5], 0), before);
    });
}

/// T11.
#[test]
fn a_state_is_expanded_by_one_of_the_threads_that_claim_it() {
    model(3, || {
        let (shared, _) = race(&[], &[&[5]]);
        let claim = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.claim(0))
        };
        let mine = shared.claim(0);
        assert!(mine != claim.join().unwrap() && shared.is_claimed(0));
    });
}

/// The state of a thread that expands the parent, and what it lists.
fn stage(staged: &Staged, table: &Table, parent: u32) -> Vec<Entry> {
    let (mut run, state) = (Run::default(), (&[5][..], 0, parent));
    match staged.insert(table, |_| false, state, &mut run, |_, _| true) {
        Ok(Sighting::Mine { entry, .. }) => vec![entry],
        Ok(Sighting::Others) => Vec::new(),
        other => panic!("{other:?}"),
    }
}

/// T11.
#[test]
fn of_three_parents_of_a_state_the_least_has_it_whoever_comes_first() {
    model(2, || {
        let table = Arc::new(Table::with_slots(16).unwrap());
        let mut staged = Staged::new(1, None).unwrap();
        staged.begin(0, &table, 1 << 6).unwrap();
        let staged = Arc::new(staged);
        let threads: Vec<_> = [1, 2]
            .map(|parent| {
                let (staged, table) = (Arc::clone(&staged), Arc::clone(&table));
                thread::spawn(move || stage(&staged, &table, parent))
            })
            .into();
        let mut entries = stage(&staged, &table, 3);
        entries.extend(threads.into_iter().flat_map(|t| t.join().unwrap()));
        let mut record = Vec::new();
        entries.retain(|entry| staged.read(*entry, &mut record).is_some());
        assert_eq!(entries.iter().map(|e| e.parent).collect::<Vec<_>>(), [1]);
        assert_eq!(record, [5]);
    });
}
