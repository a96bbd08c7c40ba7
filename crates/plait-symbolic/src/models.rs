//! The nets of the literature's tables, with the groupings of their levels.
//!
//! Structural model checking, section 9 of the specification (the appendices of the dissertation).
//! Each net can also be had with one place a level ([`one_place_a_level`]).

use plait_program::interval::Interval;
use plait_program::{Test, Update};

use crate::net::{Event, Net};

/// Builds a net transition by transition.
#[derive(Default)]
pub struct Builder {
    marking: Vec<i32>,
    levels: Vec<Vec<u32>>,
    events: Vec<Event>,
}

/// A transition under construction.
#[derive(Default)]
pub struct Transition {
    inputs: Vec<(u32, i32)>,
    outputs: Vec<(u32, i32)>,
    event: Event,
}

impl Builder {
    /// A new place with so many tokens.
    pub fn place(&mut self, tokens: i32) -> u32 {
        self.marking.push(tokens);
        self.marking.len() as u32 - 1
    }

    /// A new level above the others.
    pub fn level(&mut self, cells: &[u32]) {
        self.levels.push(cells.to_vec());
    }

    /// A transition that moves one token along each arc.
    pub fn transition(&mut self, inputs: &[u32], outputs: &[u32]) {
        self.add(Transition::new(inputs, outputs));
    }

    /// A transition with other arcs, too.
    pub fn add(&mut self, transition: Transition) {
        self.events.push(transition.event());
    }

    /// The net.
    pub fn net(self) -> Net {
        Net {
            initial: vec![self.marking],
            levels: self.levels,
            events: self.events,
            domains: Vec::new(),
        }
    }
}

fn at_least(cell: u32, tokens: i32) -> Test {
    Test {
        cell,
        interval: Interval::new(tokens, i32::MAX),
    }
}

impl Transition {
    /// Arcs of one token each.
    pub fn new(inputs: &[u32], outputs: &[u32]) -> Transition {
        let mut transition = Transition::default();
        transition.inputs.extend(inputs.iter().map(|p| (*p, 1)));
        transition.outputs.extend(outputs.iter().map(|p| (*p, 1)));
        transition
    }

    /// An input arc of several tokens.
    #[must_use]
    pub fn takes(mut self, place: u32, tokens: i32) -> Transition {
        self.inputs.push((place, tokens));
        self
    }

    /// An output arc of several tokens.
    #[must_use]
    pub fn gives(mut self, place: u32, tokens: i32) -> Transition {
        self.outputs.push((place, tokens));
        self
    }

    /// Tests for a token without taking it.
    #[must_use]
    pub fn reads(mut self, places: &[u32]) -> Transition {
        let tests = places.iter().map(|p| at_least(*p, 1));
        self.event.tests.extend(tests);
        self
    }

    /// Fires only while the place has fewer tokens.
    #[must_use]
    pub fn inhibited(mut self, place: u32, tokens: i32) -> Transition {
        self.event.tests.push(Test {
            cell: place,
            interval: Interval::new(i32::MIN, tokens - 1),
        });
        self
    }

    /// Sets the number of tokens of a place, whatever it was.
    #[must_use]
    pub fn sets(mut self, place: u32, tokens: i32) -> Transition {
        self.event.updates.push(Update {
            cell: place,
            keep: 0,
            amount: tokens,
        });
        self
    }

    fn event(mut self) -> Event {
        let mut changes: Vec<(u32, i32)> = Vec::new();
        for (place, tokens) in &self.inputs {
            self.event.tests.push(at_least(*place, *tokens));
            changes.push((*place, -tokens));
        }
        changes.extend(&self.outputs);
        changes.sort_unstable();
        for group in changes.chunk_by(|a, b| a.0 == b.0) {
            let amount = group.iter().map(|c| c.1).sum();
            self.event.updates.push(Update {
                cell: group[0].0,
                keep: -1,
                amount,
            });
        }
        self.event
    }
}

/// The same net with one place a level, in the order of the levels.
pub fn one_place_a_level(mut net: Net) -> Net {
    let cells = net.levels.iter().flatten();
    net.levels = cells.map(|cell| vec![*cell]).collect();
    net
}

/// The same net with the levels upside down.
pub fn upside_down(mut net: Net) -> Net {
    net.levels.reverse();
    net
}

/// Dining philosophers, two a level; Lucas(3n) states, two deadlocks.
pub fn philosophers(n: usize) -> Net {
    let mut b = Builder::default();
    let seats: Vec<[u32; 6]> = (0..n)
        .map(|_| [1, 0, 0, 0, 0, 1].map(|tokens| b.place(tokens)))
        .collect();
    for i in 0..n {
        let [idle, wait_left, wait_right, has_left, has_right, fork] = seats[i];
        let next = seats[(i + 1) % n][5];
        b.transition(&[idle], &[wait_left, wait_right]);
        b.transition(&[wait_left, next], &[has_left]);
        b.transition(&[wait_right, fork], &[has_right]);
        b.transition(&[has_left, has_right], &[idle, fork, next]);
    }
    // For odd n the bottom level has one.
    let (single, pairs) = seats.split_at(n % 2);
    for pair in single.chunks(1).chain(pairs.chunks(2)) {
        b.level(&pair.concat());
    }
    b.net()
}

/// The slotted ring, one node a level.
pub fn slotted_ring(n: usize) -> Net {
    let mut b = Builder::default();
    let nodes: Vec<[u32; 8]> = (0..n)
        .map(|_| [0, 0, 1, 0, 1, 0, 0, 0].map(|tokens| b.place(tokens)))
        .collect();
    for i in 0..n {
        let [a, bb, c, d, e, f, g, h] = nodes[i];
        let [_, _, _, _, next_e, next_f, next_g, _] = nodes[(i + 1) % n];
        b.transition(&[c, next_g], &[a, next_f]);
        b.transition(&[c, next_e], &[bb, next_f]);
        b.transition(&[a], &[d]);
        b.transition(&[a], &[bb]);
        b.transition(&[bb], &[h]);
        b.transition(&[bb], &[d]);
        b.transition(&[h, f], &[c, e]);
        b.transition(&[d, f], &[c, g]);
    }
    for node in nodes {
        b.level(&node);
    }
    b.net()
}

/// Round-robin mutual exclusion: the resource on the bottom level, then one process a level;
/// 9 n 2^(n-2) states for n >= 3.
pub fn round_robin(n: usize) -> Net {
    let mut b = Builder::default();
    let resource = b.place(1);
    let taken: Vec<u32> = (0..n).map(|_| b.place(0)).collect();
    let processes: Vec<[u32; 7]> = (0..n)
        .map(|i| {
            let asks = i32::from(i == 0);
            [1, 0, 1 - asks, asks, 0, 0, 0].map(|tokens| b.place(tokens))
        })
        .collect();
    for i in 0..n {
        let [idle, full, wait, ask, ok, load, send] = processes[i];
        let [_, _, next_wait, next_ask, ..] = processes[(i + 1) % n];
        b.transition(&[resource, ask], &[taken[i], ok]);
        b.transition(&[taken[i], idle], &[full, resource]);
        b.transition(&[full, ok], &[idle, send]);
        b.transition(&[full, load], &[idle, wait]);
        b.transition(&[ok, next_wait], &[load, next_ask]);
        b.transition(&[send, next_wait], &[wait, next_ask]);
    }
    b.level(&[&[resource], &taken[..]].concat());
    for process in processes {
        b.level(&process);
    }
    b.net()
}

/// Kanban with n cards a station, one station a level.
pub fn kanban(n: i32) -> Net {
    let mut b = Builder::default();
    // Moving, being redone, cards, done.
    let stations: [[u32; 4]; 4] =
        std::array::from_fn(|_| [0, 0, n, 0].map(|tokens| b.place(tokens)));
    let [s1, s2, s3, s4] = stations;
    b.transition(&[s1[2]], &[s1[0]]);
    for [m, back, _, out] in stations {
        b.transition(&[m], &[back]);
        b.transition(&[m], &[out]);
        b.transition(&[back], &[m]);
    }
    b.transition(&[s1[3], s2[2], s3[2]], &[s1[2], s2[0], s3[0]]);
    b.transition(&[s2[3], s3[3], s4[2]], &[s2[2], s3[2], s4[0]]);
    b.transition(&[s4[3]], &[s4[2]]);
    for station in stations {
        b.level(&station);
    }
    b.net()
}

/// The flexible manufacturing system with n parts of each kind, 19 levels, shipping one at a time.
pub fn flexible_manufacturing(n: i32) -> Net {
    let mut b = Builder::default();
    let [p1, p2, p3] = [n, n, n].map(|t| b.place(t));
    let [m1, m2, m3] = [3, 1, 2].map(|t| b.place(t));
    let [p1wm1, p1m1, p1d, p1s, p1wp2] = [0; 5].map(|t| b.place(t));
    let [p2wm2, p2m2, p2d, p2s, p2wp1] = [0; 5].map(|t| b.place(t));
    let [p12, p12wm3, p12m3, p12s] = [0; 4].map(|t| b.place(t));
    let [p3m2, p3s] = [0; 2].map(|t| b.place(t));
    b.transition(&[p1], &[p1wm1]);
    b.transition(&[p1wm1, m1], &[p1m1]);
    b.transition(&[p1m1], &[m1, p1d]);
    b.transition(&[p1d], &[p1s]);
    b.transition(&[p1d], &[p1wp2]);
    b.transition(&[p1s], &[p1]);
    b.transition(&[p2], &[p2wm2]);
    b.transition(&[p2wm2, m2], &[p2m2]);
    b.transition(&[p2m2], &[m2, p2d]);
    b.transition(&[p2d], &[p2s]);
    b.transition(&[p2d], &[p2wp1]);
    b.transition(&[p2s], &[p2]);
    b.transition(&[p1wp2, p2wp1], &[p12]);
    b.transition(&[p12], &[p12wm3]);
    b.transition(&[p12wm3, m3], &[p12m3]);
    b.transition(&[p12m3], &[m3, p12s]);
    b.transition(&[p12s], &[p1, p2]);
    b.transition(&[p3], &[p3m2]);
    b.transition(&[p3m2, m2], &[p3s, m2]);
    b.transition(&[p3s], &[p3]);
    let levels: [&[u32]; 19] = [
        &[p3],
        &[p3m2],
        &[p3s],
        &[p2],
        &[p2wm2],
        &[p2d],
        &[m2, p2m2],
        &[p2s],
        &[p2wp1],
        &[p12],
        &[p12wm3],
        &[m3, p12m3],
        &[p12s],
        &[p1wp2],
        &[p1s],
        &[p1d],
        &[m1, p1m1],
        &[p1wm1],
        &[p1],
    ];
    levels.iter().for_each(|level| b.level(level));
    b.net()
}

/// Randomised leader election in a ring (after Itai and Rodeh), two levels a process: status below
/// messages, process 0 at the bottom. Each process can become leader: n deadlocks.
pub fn leader(n: usize) -> Net {
    let mut b = Builder::default();
    // Choose, wait, active, inactive, leader, preference, counter.
    let status: Vec<[u32; 7]> = (0..n)
        .map(|_| [1, 0, 0, 0, 0, 0, 0].map(|t| b.place(t)))
        .collect();
    // Received: none, choice, counter; sent: none, choice, counter.
    let messages: Vec<[u32; 6]> = (0..n)
        .map(|_| [1, 0, 0, 1, 0, 0].map(|t| b.place(t)))
        .collect();
    let last = n as i32 - 1;
    for i in 0..n {
        let k = (i + 1) % n;
        let [choose, wait, active, inactive, leader, pref, c] = status[i];
        let [rec_none, rec_choice, rec_counter, sent_none, sent_choice, sent_counter] = messages[i];
        let (pref_k, c_k) = (status[k][5], status[k][6]);
        let (sent_none_k, sent_counter_k) = (messages[k][3], messages[k][5]);
        let t = Transition::new;
        for value in 0..2 {
            b.add(
                t(&[choose], &[wait])
                    .reads(&[sent_none, rec_none])
                    .sets(pref, value),
            );
        }
        b.add(t(&[sent_none], &[sent_choice]).reads(&[wait]));
        let stay = || t(&[wait, rec_none], &[active, rec_choice]).reads(&[sent_choice]);
        b.add(stay().inhibited(pref_k, 1).inhibited(sent_none_k, 1));
        b.add(stay().reads(&[pref]).inhibited(sent_none_k, 1));
        b.add(
            t(&[wait, rec_none], &[inactive, rec_choice])
                .reads(&[sent_choice, pref_k])
                .inhibited(sent_none_k, 1)
                .inhibited(pref, 1),
        );
        b.add(t(&[sent_choice], &[sent_counter]).reads(&[active]));
        let counted = [active, rec_choice, sent_counter_k];
        b.add(
            t(&counted, &[choose, rec_none, sent_none_k])
                .sets(pref, 0)
                .sets(c, 0)
                .sets(c_k, 0)
                .inhibited(sent_choice, 1)
                .inhibited(c_k, last),
        );
        b.add(t(&counted, &[leader, rec_none, sent_none_k]).takes(c_k, last));
        let relay = || t(&[rec_none], &[rec_choice]).reads(&[inactive]).sets(c, 0);
        b.add(
            relay()
                .sets(pref, 0)
                .inhibited(sent_none_k, 1)
                .inhibited(pref_k, 1),
        );
        b.add(
            relay()
                .reads(&[pref_k])
                .sets(pref, 1)
                .inhibited(sent_none_k, 1),
        );
        b.add(
            t(&[sent_none], &[sent_choice])
                .reads(&[inactive])
                .inhibited(rec_none, 1),
        );
        b.add(
            t(&[rec_counter, sent_choice], &[rec_none, sent_counter])
                .reads(&[inactive])
                .sets(pref, 0),
        );
        for m in 0..n as i32 {
            b.add(
                t(&[rec_choice, sent_counter_k], &[rec_counter, sent_none_k])
                    .reads(&[inactive])
                    .takes(c_k, m)
                    .gives(c, m + 1)
                    .inhibited(sent_none_k, 1)
                    .inhibited(c_k, m + 1),
            );
        }
    }
    for (status, messages) in status.iter().zip(&messages) {
        b.level(status);
        b.level(messages);
    }
    b.net()
}
