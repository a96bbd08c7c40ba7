//! Backward search and its proofs on nets small enough to be followed by hand.

use plait_program::{Unwatched, Watch};

use super::net::LARGEST;
use super::*;

type Row<'a> = &'a [(u32, u64)];

fn event(pre: Row<'_>, post: Row<'_>, reset: &[u32]) -> CoverEvent {
    CoverEvent {
        pre: pre.to_vec(),
        post: post.to_vec(),
        reset: reset.to_vec(),
    }
}

fn net(initial: &[u64], events: Vec<CoverEvent>) -> CoverNet {
    CoverNet::new(initial.to_vec(), events).expect("a net")
}

/// The outcome of a whole search; if it says that the target is not covered, its proof is looked at.
fn searched(net: &CoverNet, target: Row<'_>) -> Outcome {
    let targets = [target.to_vec()];
    let mut search = Backward::new(net.clone(), &targets).expect("a search");
    let outcome = search.expand(u64::MAX, &mut Unwatched);
    if outcome == Outcome::Closed {
        let proof = shows(net, &targets, &search.elements(), &[], &mut Unwatched);
        assert_eq!(proof, Some(true));
    }
    outcome
}

/// A producer fills a buffer without bound, a consumer takes two at a time under a lock.
fn producer() -> CoverNet {
    net(
        &[1, 0, 1, 0],
        vec![
            event(&[(0, 1)], &[(0, 1), (1, 1)], &[]),
            event(&[(1, 2), (2, 1)], &[(3, 1)], &[]),
            event(&[(3, 1)], &[(2, 1)], &[]),
        ],
    )
}

#[test]
fn what_grows_without_bound_covers_any_number() {
    let events = vec![0; 7];
    assert_eq!(searched(&producer(), &[(1, 7)]), Outcome::Covered(events));
    let Outcome::Covered(events) = searched(&producer(), &[(1, 1), (3, 1)]) else {
        panic!("it is covered");
    };
    assert_eq!(events.iter().filter(|e| **e == 0).count(), 3);
}

#[test]
fn a_lock_of_a_net_without_bound_is_held_once() {
    assert_eq!(searched(&producer(), &[(3, 2)]), Outcome::Closed);
    assert_eq!(searched(&producer(), &[(2, 1), (3, 1)]), Outcome::Closed);
}

#[test]
fn the_initial_marking_covers_what_it_has_without_an_event() {
    assert_eq!(searched(&producer(), &[(0, 1)]), Outcome::Covered(vec![]));
    assert_eq!(searched(&producer(), &[]), Outcome::Covered(vec![]));
    assert_eq!(searched(&net(&[], vec![]), &[]), Outcome::Covered(vec![]));
    let nothing = Backward::new(producer(), &[]).map(|mut s| s.expand(1, &mut Unwatched));
    assert_eq!(nothing, Ok(Outcome::Closed));
}

#[test]
fn a_place_that_is_emptied_has_what_was_put_afterwards() {
    // Every token on 1 must come after the last reset.
    let events = vec![
        event(&[(0, 1)], &[(1, 1)], &[]),
        event(&[], &[(1, 2), (2, 1)], &[1]),
    ];
    let some = net(&[1, 0, 0], events.clone());
    assert_eq!(
        searched(&some, &[(1, 3), (2, 1)]),
        Outcome::Covered(vec![1, 0])
    );
    assert_eq!(searched(&some, &[(1, 4)]), Outcome::Closed);
    let taken = net(&[0, 1], vec![event(&[(1, 1)], &[(0, 1)], &[1])]);
    assert_eq!(searched(&taken, &[(0, 1)]), Outcome::Covered(vec![0]));
    assert_eq!(searched(&taken, &[(0, 1), (1, 1)]), Outcome::Closed);
}

#[test]
fn a_test_of_many_tokens_is_a_demand_of_as_many() {
    let big = LARGEST - 1;
    let events = vec![event(&[(0, big)], &[(0, big), (1, big)], &[])];
    assert_eq!(
        searched(&net(&[big, 0], events.clone()), &[(1, big)]),
        Outcome::Covered(vec![0])
    );
    assert_eq!(
        searched(&net(&[big - 1, 0], events), &[(1, 1)]),
        Outcome::Closed
    );
}

#[test]
fn limits_leave_out_what_no_marking_has() {
    // Two of three tokens in the ring, and nothing tells but their sum.
    let events = vec![
        event(&[(0, 1)], &[(1, 1)], &[]),
        event(&[(1, 1)], &[(0, 1)], &[]),
    ];
    let ring = net(&[2, 0], events);
    let targets = [vec![(0, 1), (1, 2)]];
    let limit = Limit::new(vec![(0, 1), (1, 1)], 2, 2).expect("a limit");
    let mut search = Backward::new(ring.clone(), &targets).expect("a search");
    assert_eq!(search.waiting(5), targets.to_vec());
    search.add(limit.clone());
    assert_eq!(search.expand(1, &mut Unwatched), Outcome::Closed);
    assert!(search.elements().is_empty());
    assert_eq!(
        shows(&ring, &targets, &[], &[limit], &mut Unwatched),
        Some(true)
    );
    assert_eq!(
        shows(&ring, &targets, &[], &[], &mut Unwatched),
        Some(false)
    );
}

#[test]
fn a_basis_that_lacks_an_element_shows_nothing() {
    let targets = [vec![(3, 2)]];
    let mut search = Backward::new(producer(), &targets).expect("a search");
    assert_eq!(search.expand(u64::MAX, &mut Unwatched), Outcome::Closed);
    let whole = search.elements();
    assert!(whole.len() > 1);
    for left_out in 0..whole.len() {
        let mut less = whole.clone();
        less.remove(left_out);
        let proof = shows(&producer(), &targets, &less, &[], &mut Unwatched);
        assert_eq!(proof, Some(false), "without {:?}", whole[left_out]);
    }
    let mut more = whole.clone();
    more.push(vec![(0, 1)]);
    assert_eq!(
        shows(&producer(), &targets, &more, &[], &mut Unwatched),
        Some(false)
    );
}

/// A watch that lets so many looks pass.
struct Few(u64);

impl Watch for Few {
    fn go_on(&mut self, _bytes: usize) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

#[test]
fn a_search_that_was_stopped_goes_on_where_it_was() {
    let whole = searched(&producer(), &[(1, 40), (3, 1)]);
    let mut search = Backward::new(producer(), &[vec![(1, 40), (3, 1)]]).expect("a search");
    let mut stops = 0;
    let outcome = loop {
        match search.expand(1000, &mut Few(4 + stops % 5)) {
            Outcome::Stopped => stops += 1,
            Outcome::Paused => {}
            end => break end,
        }
    };
    assert!(stops > 0);
    assert!(matches!(
        (whole, outcome),
        (Outcome::Covered(_), Outcome::Covered(_))
    ));
    let mut search = Backward::new(producer(), &[vec![(3, 2)]]).expect("a search");
    let basis = loop {
        match search.expand(1, &mut Few(6)) {
            Outcome::Stopped | Outcome::Paused => {}
            end => {
                assert_eq!(end, Outcome::Closed);
                break search.elements();
            }
        }
    };
    assert_eq!(
        shows(&producer(), &[vec![(3, 2)]], &basis, &[], &mut Unwatched),
        Some(true)
    );
}

#[test]
fn a_number_that_becomes_too_large_is_not_told() {
    let net = net(&[0, 0], vec![event(&[(0, 1)], &[(1, 1)], &[])]);
    let mut before = Vec::new();
    assert_eq!(net.before(0, &[(0, u64::MAX), (1, 2)], &mut before), None);
    assert_eq!(
        net.before(0, &[(0, u64::MAX - 1), (1, 2)], &mut before),
        Some(true)
    );
    assert_eq!(before, [(0, u64::MAX), (1, 1)]);
}

#[test]
fn rows_that_are_none_are_refused() {
    let refused = |events| CoverNet::new(vec![0, 0], events).is_err();
    assert!(refused(vec![event(&[(2, 1)], &[], &[])]));
    assert!(refused(vec![event(&[(1, 1), (0, 1)], &[], &[])]));
    assert!(refused(vec![event(&[], &[(0, 0)], &[])]));
    assert!(refused(vec![event(&[], &[(0, LARGEST)], &[])]));
    assert!(refused(vec![event(&[], &[], &[1, 0])]));
    assert!(refused(vec![event(&[], &[], &[2])]));
    assert!(CoverNet::new(vec![LARGEST], vec![]).is_err());
    assert!(Backward::new(producer(), &[vec![(4, 1)]]).is_err());
    assert!(Limit::new(vec![(4, 1)], 1, 4).is_err());
    assert!(Limit::new(vec![], LARGEST, 4).is_err());
}
