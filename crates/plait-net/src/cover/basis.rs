//! Minimal elements of an upward-closed set, with the questions of subsumption made cheap.
//!
//! An element below a demand has all its places among those of the demand: it is *watched* by one of
//! them, the one that watches fewest, so only what the places of the demand watch is compared. An
//! element above a demand has all its places, so only what the rarest of them occurs in is compared.
//! Before rows are compared, their signatures are: a bit for each place, modulo 64.
//!
//! Elements that are no longer minimal stay in the arena: runs are told along them.

/// An element of the arena.
struct Element {
    start: usize,
    end: usize,
    signature: u64,
    live: bool,
}

/// The elements, and where they are found.
pub(crate) struct Basis {
    places: Vec<u32>,
    needs: Vec<u64>,
    elements: Vec<Element>,
    watched: Vec<Vec<u32>>,
    occurs: Vec<Vec<u32>>,
    /// An element without demands is below everything.
    all: bool,
    live: usize,
}

impl Basis {
    pub fn new(width: usize) -> Basis {
        Basis {
            places: Vec::new(),
            needs: Vec::new(),
            elements: Vec::new(),
            watched: vec![Vec::new(); width],
            occurs: vec![Vec::new(); width],
            all: false,
            live: 0,
        }
    }

    /// The number of elements that are minimal.
    pub fn len(&self) -> usize {
        self.live
    }

    /// The number of elements ever added.
    pub fn count(&self) -> usize {
        self.elements.len()
    }

    /// Bytes that must be allocated for another element: none, until the arena is full.
    pub fn growth(&self) -> usize {
        let width = self.watched.len();
        if self.places.capacity() - self.places.len() >= width {
            return 0;
        }
        // Twice the arena, and about as much for the lists.
        4 * (self.places.capacity() + width) * (size_of::<u32>() + size_of::<u64>())
    }

    pub fn is_live(&self, number: u32) -> bool {
        self.elements[number as usize].live
    }

    /// The demand of an element.
    pub fn demand(&self, number: u32, out: &mut Vec<(u32, u64)>) {
        let Element { start, end, .. } = self.elements[number as usize];
        out.clear();
        out.extend((start..end).map(|i| (self.places[i], self.needs[i])));
    }

    /// Whether an element is below the demand, or equal to it.
    pub fn covers(&self, demand: &[(u32, u64)]) -> bool {
        let signature = signature(demand);
        let below = |number: &u32| {
            let element = &self.elements[*number as usize];
            element.live && element.signature & !signature == 0 && self.is_below(element, demand)
        };
        self.all
            || demand
                .iter()
                .any(|(p, _)| self.watched[*p as usize].iter().any(below))
    }

    /// Adds a demand that no element is below; those above it are no longer minimal.
    pub fn add(&mut self, demand: &[(u32, u64)]) -> u32 {
        let signature = signature(demand);
        let mut above = Vec::new();
        let rarest = demand
            .iter()
            .min_by_key(|(p, _)| self.occurs[*p as usize].len());
        if let Some((place, _)) = rarest {
            let list = std::mem::take(&mut self.occurs[*place as usize]);
            for number in &list {
                let element = &self.elements[*number as usize];
                if element.live
                    && signature & !element.signature == 0
                    && self.is_above(element, demand)
                {
                    above.push(*number);
                }
            }
            self.occurs[*place as usize] = list;
        } else {
            above.extend(0..self.elements.len() as u32);
            self.all = true;
        }
        above.into_iter().for_each(|number| self.remove(number));
        let number = self.elements.len() as u32;
        let start = self.places.len();
        // No demand is wider than the net: `growth` has told of what is allocated here.
        if self.places.capacity() - start < self.watched.len() {
            let more = self.places.capacity() + self.watched.len();
            self.places.reserve_exact(more);
            self.needs.reserve_exact(more);
        }
        for (place, needed) in demand {
            self.places.push(*place);
            self.needs.push(*needed);
            self.occurs[*place as usize].push(number);
        }
        let end = self.places.len();
        let watching = demand
            .iter()
            .min_by_key(|(p, _)| self.watched[*p as usize].len());
        if let Some((place, _)) = watching {
            self.watched[*place as usize].push(number);
        }
        self.elements.push(Element {
            start,
            end,
            signature,
            live: true,
        });
        self.live += 1;
        number
    }

    /// The element is not minimal, or is known not to be met.
    pub fn remove(&mut self, number: u32) {
        let element = &mut self.elements[number as usize];
        if element.live {
            element.live = false;
            self.live -= 1;
        }
    }

    /// Forgets in the lists what was removed, if that is most of them.
    pub fn tidy(&mut self) {
        let elements = &self.elements;
        for list in self.watched.iter_mut().chain(&mut self.occurs) {
            list.retain(|number| elements[*number as usize].live);
        }
    }

    fn is_below(&self, element: &Element, demand: &[(u32, u64)]) -> bool {
        let mut at = 0;
        (element.start..element.end).all(|i| {
            while at < demand.len() && demand[at].0 < self.places[i] {
                at += 1;
            }
            demand
                .get(at)
                .is_some_and(|(p, n)| *p == self.places[i] && *n >= self.needs[i])
        })
    }

    fn is_above(&self, element: &Element, demand: &[(u32, u64)]) -> bool {
        let mut at = element.start;
        demand.iter().all(|(place, needed)| {
            while at < element.end && self.places[at] < *place {
                at += 1;
            }
            at < element.end && self.places[at] == *place && self.needs[at] >= *needed
        })
    }
}

fn signature(demand: &[(u32, u64)]) -> u64 {
    demand.iter().fold(0, |bits, (p, _)| bits | 1 << (p % 64))
}
