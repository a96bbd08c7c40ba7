//! A set of events from which one can be drawn at random.

/// A set of small numbers from which one can be drawn at random.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    list: Vec<u32>,
    place: Vec<u32>,
}

impl Members {
    pub fn new(count: usize) -> Members {
        Members {
            list: Vec::with_capacity(count),
            place: vec![u32::MAX; count],
        }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, at: usize) -> Option<u32> {
        self.list.get(at).copied()
    }

    pub fn contains(&self, member: u32) -> bool {
        let place = self.place.get(member as usize);
        place.is_some_and(|place| *place != u32::MAX)
    }

    pub fn insert(&mut self, member: u32) {
        self.place[member as usize] = self.list.len() as u32;
        self.list.push(member);
    }

    pub fn remove(&mut self, member: u32) {
        let at = self.place[member as usize] as usize;
        self.place[member as usize] = u32::MAX;
        self.list.swap_remove(at);
        if let Some(moved) = self.list.get(at) {
            self.place[*moved as usize] = at as u32;
        }
    }

    pub fn copy_from(&mut self, other: &Members) {
        self.list.clone_from(&other.list);
        self.place.clone_from(&other.place);
    }
}
