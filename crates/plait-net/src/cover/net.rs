//! Nets whose events need, take, empty and put; and the weakest demand before an event.

use std::fmt;

/// What a marking must have at least: places, ascending, each with a number above 0.
pub type Demand = Vec<(u32, u64)>;

/// Weights, tokens and demands at the beginning are less than this; what is added up on the way is
/// checked where it is added.
pub(crate) const LARGEST: u64 = 1 << 40;

/// An event: what it needs and takes, then the places that it empties, then what it puts.
#[derive(Clone, Debug, Default)]
pub struct CoverEvent {
    /// Tokens needed, which are taken.
    pub pre: Demand,
    /// Tokens put.
    pub post: Demand,
    /// Places emptied in between, ascending.
    pub reset: Vec<u32>,
}

/// Why something is not a net, or not about one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused(pub(crate) &'static str);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A net without inhibitor arcs: more tokens never disable an event.
#[derive(Clone, Debug)]
pub struct CoverNet {
    pub(crate) initial: Vec<u64>,
    pub(crate) events: Vec<CoverEvent>,
    /// For each place the events after which it may have more than before.
    raised_by: Vec<Vec<u32>>,
}

impl CoverNet {
    /// Checks that all places exist, that rows ascend, and that no number is too large.
    pub fn new(initial: Vec<u64>, events: Vec<CoverEvent>) -> Result<CoverNet, Refused> {
        let width = initial.len();
        if initial.iter().any(|tokens| *tokens >= LARGEST) {
            return Err(Refused("a number of tokens is too large"));
        }
        let mut raised_by = vec![Vec::new(); width];
        for (number, event) in events.iter().enumerate() {
            check(&event.pre, width)?;
            check(&event.post, width)?;
            let ascends = event.reset.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascends || event.reset.iter().any(|p| *p as usize >= width) {
                return Err(Refused("the places that an event empties do not ascend"));
            }
            let number = u32::try_from(number).map_err(|_| Refused("too many events"))?;
            for (place, put) in &event.post {
                let kept = event.reset.binary_search(place).is_err();
                if !kept || *put > at(&event.pre, *place) {
                    raised_by[*place as usize].push(number);
                }
            }
        }
        Ok(CoverNet {
            initial,
            events,
            raised_by,
        })
    }

    /// The number of places.
    pub fn width(&self) -> usize {
        self.initial.len()
    }

    /// The events after which a place may have more tokens than before.
    pub(crate) fn raising(&self, place: u32) -> &[u32] {
        &self.raised_by[place as usize]
    }

    /// Whether the initial marking has all of this.
    pub(crate) fn has(&self, demand: &[(u32, u64)]) -> bool {
        demand.iter().all(|(p, n)| self.initial[*p as usize] >= *n)
    }

    /// Tokens that the initial marking lacks.
    pub(crate) fn missing(&self, demand: &[(u32, u64)]) -> u64 {
        let lacks = |(p, n): &(u32, u64)| n.saturating_sub(self.initial[*p as usize]);
        demand.iter().map(lacks).fold(0, u64::saturating_add)
    }

    /// The least demand such that the event can happen and leads to `after`, written to `before`.
    ///
    /// `Some(false)` if no marking leads there: the event empties a place and puts too little. `None`
    /// if a number becomes too large to be told.
    pub(crate) fn before(
        &self,
        event: u32,
        after: &[(u32, u64)],
        before: &mut Demand,
    ) -> Option<bool> {
        let CoverEvent { pre, post, reset } = &self.events[event as usize];
        before.clear();
        let (mut i, mut j) = (0, 0);
        loop {
            let place = match (pre.get(i), after.get(j)) {
                (None, None) => return Some(true),
                (Some((p, _)), None) => *p,
                (None, Some((q, _))) => *q,
                (Some((p, _)), Some((q, _))) => *p.min(q),
            };
            let mut taken = 0;
            if let Some((_, n)) = pre.get(i).filter(|(p, _)| *p == place) {
                (taken, i) = (*n, i + 1);
            }
            let mut wanted = 0;
            if let Some((_, n)) = after.get(j).filter(|(p, _)| *p == place) {
                (wanted, j) = (*n, j + 1);
            }
            let left = wanted.saturating_sub(at(post, place));
            if left > 0 && reset.binary_search(&place).is_ok() {
                return Some(false);
            }
            let needed = taken.checked_add(left)?;
            if needed > 0 {
                before.push((place, needed));
            }
        }
    }
}

/// The number at a place of a row.
pub(crate) fn at(row: &[(u32, u64)], place: u32) -> u64 {
    row.binary_search_by_key(&place, |(p, _)| *p)
        .map_or(0, |i| row[i].1)
}

/// Whether a row is about places of a net, ascending, with numbers above 0 that are not too large.
pub(crate) fn check(row: &[(u32, u64)], width: usize) -> Result<(), Refused> {
    let ascends = row.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let inside = row.iter().all(|(p, _)| (*p as usize) < width);
    if !ascends || !inside {
        return Err(Refused("the places of a row do not ascend"));
    }
    if row.iter().any(|(_, n)| *n == 0 || *n >= LARGEST) {
        return Err(Refused("a weight is 0 or too large"));
    }
    Ok(())
}
