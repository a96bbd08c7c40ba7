//! The arcs of a state, and lists of numbers in which those of all states are remembered.
//!
//! A list never moves, and memory is asked for in large chunks, so that a caller can say no before they
//! are taken.

/// Successors in a chunk.
const CHUNK: usize = 1 << 18;
/// The place of a list that is not there.
pub(crate) const NOWHERE: u64 = u64::MAX;

/// Lists of numbers that never move.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    chunks: Vec<Vec<u32>>,
    /// Bytes held.
    pub held: u64,
}

impl Lists {
    /// Bytes that a list of that length would allocate.
    pub fn bytes_for(&self, length: usize) -> u64 {
        let fits = |c: &Vec<u32>| c.len() + length < c.capacity();
        if self.chunks.last().is_some_and(fits) {
            return 0;
        }
        4 * CHUNK.max(length + 1) as u64
    }

    /// Its place; `None` when memory cannot be had.
    pub fn push(&mut self, list: &[u32]) -> Option<u64> {
        let bytes = self.bytes_for(list.len());
        if bytes > 0 {
            let mut chunk = Vec::new();
            chunk.try_reserve_exact(bytes as usize / 4).ok()?;
            self.chunks.try_reserve(1).ok()?;
            self.chunks.push(chunk);
            self.held += bytes;
        }
        let number = self.chunks.len() - 1;
        let chunk = &mut self.chunks[number];
        let place = (number as u64) << 32 | chunk.len() as u64;
        chunk.push(list.len() as u32);
        chunk.extend_from_slice(list);
        Some(place)
    }

    /// The list at a place.
    pub fn get(&self, place: u64) -> &[u32] {
        let chunk = &self.chunks[(place >> 32) as usize];
        let at = (place & 0xffff_ffff) as usize;
        &chunk[at + 1..][..chunk[at] as usize]
    }
}

/// The arcs of a state.
#[derive(Debug, Default)]
pub(crate) struct Arcs {
    /// Where they lead.
    pub targets: Vec<u32>,
    /// Whom they satisfy, where fairness is asked for; else empty.
    pub satisfied: Vec<u64>,
}

impl Arcs {
    pub fn clear(&mut self) {
        self.targets.clear();
        self.satisfied.clear();
    }

    /// Sorts them and drops repeated ones.
    pub fn make_distinct(&mut self) {
        if self.targets.len() < 2 {
            return;
        }
        if self.satisfied.is_empty() {
            self.targets.sort_unstable();
            self.targets.dedup();
            return;
        }
        let pairs = self.targets.drain(..).zip(self.satisfied.drain(..));
        let mut pairs: Vec<(u32, u64)> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        (self.targets, self.satisfied) = pairs.into_iter().unzip();
    }

    /// As one list of numbers.
    pub fn packed(&self) -> Vec<u32> {
        let halves = self
            .satisfied
            .iter()
            .flat_map(|s| [*s as u32, (s >> 32) as u32]);
        self.targets.iter().copied().chain(halves).collect()
    }

    /// Appends what `packed` has made of others.
    pub fn unpack(&mut self, list: &[u32], fair: bool) {
        let count = if fair { list.len() / 3 } else { list.len() };
        self.targets.extend_from_slice(&list[..count]);
        let halves = list[count..].chunks_exact(2);
        self.satisfied
            .extend(halves.map(|h| u64::from(h[0]) | u64::from(h[1]) << 32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stay_where_they_are_across_chunks() {
        let mut lists = Lists::default();
        let list = |i: u32| (0..i % 50).map(|k| k * i).collect::<Vec<_>>();
        let places: Vec<_> = (0..30_000).map(|i| lists.push(&list(i))).collect();
        assert!(lists.chunks.len() > 1);
        for (i, place) in (0..).zip(places) {
            assert_eq!(place.map(|p| lists.get(p).to_vec()), Some(list(i)));
        }
        let long = vec![7; 3 * CHUNK];
        let place = lists.push(&long);
        assert_eq!(place.map(|p| lists.get(p).len()), Some(3 * CHUNK));
    }

    #[test]
    fn arcs_are_distinct_and_come_back_from_their_list() {
        let mut arcs = Arcs {
            targets: vec![2, 1, 2, 9, 2],
            satisfied: vec![1 << 40 | 1, 7, 1 << 40 | 1, 0, 3],
        };
        arcs.make_distinct();
        assert_eq!(arcs.targets, [1, 2, 2, 9]);
        assert_eq!(arcs.satisfied, [7, 3, 1 << 40 | 1, 0]);
        let mut again = Arcs::default();
        again.unpack(&arcs.packed(), true);
        assert_eq!(
            (again.targets, again.satisfied),
            (arcs.targets, arcs.satisfied)
        );
        let mut plain = Arcs {
            targets: vec![5, 5, 1],
            satisfied: Vec::new(),
        };
        plain.make_distinct();
        let mut again = Arcs::default();
        again.unpack(&plain.packed(), false);
        assert_eq!(again.targets, [1, 5]);
        assert!(again.satisfied.is_empty());
    }
}
