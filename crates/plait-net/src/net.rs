//! A place/transition net in flat arrays, put together from its places, transitions and arcs.
//!
//! Of the arcs between an event and a place what matters is kept as one [`Effect`]: the tokens that must
//! be there, and by how many their number changes. Parallel arcs add up; a test (read) arc needs tokens
//! and takes none. Effects stand in the order in which the file first mentions their places.

use plait_program::mix::{hash_bytes, Seed};

use crate::paths::Groups;
use crate::scan::Declined;
use crate::units::Section;

/// The largest number of tokens, and of a weight.
pub(crate) const MOST: i64 = i32::MAX as i64;

/// A line and a column, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

/// Strings one after the other, by number.
#[derive(Clone, Debug, Default)]
pub struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    pub(crate) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string of that number.
    pub fn get(&self, number: usize) -> &str {
        let start = if number == 0 {
            0
        } else {
            self.ends[number - 1]
        };
        &self.text[start..self.ends[number]]
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }
}

/// Places or transitions: their ids, their human names where they differ (else empty), where they are.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    /// The ids.
    pub names: Names,
    /// The human names.
    pub comments: Names,
    /// Where each stands in the file.
    pub positions: Vec<Position>,
}

impl Nodes {
    pub(crate) fn push(&mut self, name: &str, comment: &str, position: Position) {
        self.names.push(name);
        self.comments
            .push(if comment == name { "" } else { comment });
        self.positions.push(position);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Those of these numbers.
    pub(crate) fn chosen(&self, numbers: &[u32]) -> Nodes {
        let mut chosen = Nodes::default();
        for number in numbers {
            let i = *number as usize;
            chosen.names.push(self.names.get(i));
            chosen.comments.push(self.comments.get(i));
            chosen.positions.push(self.positions[i]);
        }
        chosen
    }
}

/// What an event does with a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The place.
    pub place: u32,
    /// The tokens that must be there; none of them is missed by `change`.
    pub needed: i32,
    /// How many tokens come to those that are there.
    pub change: i32,
    /// Where its first arc stands.
    pub position: Position,
}

/// A net.
#[derive(Clone, Debug, Default)]
pub struct Net {
    /// Its id, without spaces around it.
    pub name: String,
    /// Where it begins in the file.
    pub position: Position,
    /// The places.
    pub places: Nodes,
    /// The initial tokens of each place.
    pub tokens: Vec<i32>,
    /// The events.
    pub events: Nodes,
    /// The effects of all events, and where those of each event end.
    pub(crate) effects: Vec<Effect>,
    pub(crate) ends: Vec<u32>,
    /// The nested units, as they stand in the file.
    pub units: Option<Section>,
    /// The unit above each unit, and the unit of each place.
    pub groups: Option<Groups>,
}

impl Net {
    /// What an event does, place by place.
    pub fn event(&self, number: usize) -> &[Effect] {
        let start = if number == 0 {
            0
        } else {
            self.ends[number - 1]
        };
        &self.effects[start as usize..self.ends[number] as usize]
    }

    /// How many effects all events have.
    pub fn arcs(&self) -> usize {
        self.effects.len()
    }

    /// Appends the effects of the next event.
    pub(crate) fn push_event(
        &mut self,
        effects: impl IntoIterator<Item = Effect>,
    ) -> Result<(), Declined> {
        self.effects.extend(effects);
        self.ends
            .push(u32::try_from(self.effects.len()).map_err(|_| Declined)?);
        Ok(())
    }

    /// The event and the effect of the assignment of that number, assignments counted over all events.
    pub fn assignment(&self, number: usize) -> Option<(usize, &Effect)> {
        let changing = (0..self.ends.len()).flat_map(|event| {
            let changes = self.event(event).iter().filter(|e| e.change != 0);
            changes.map(move |effect| (event, effect))
        });
        changing.into_iter().nth(number)
    }
}

/// An arc as it stands in the file; its ends are numbers of names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    pub source: u32,
    pub target: u32,
    pub weight: i32,
    pub test: bool,
    pub position: Position,
}

/// What a name of the file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Nobody,
    Place(u32),
    Event(u32),
    Arc,
}

/// The names of a file by number, whether what they belong to is known yet or not.
///
/// A file has a name for each arc: they stand one after the other, and a table of their numbers, open
/// addressing, at most half full, finds them again.
pub(crate) struct Symbols {
    names: Names,
    owners: Vec<Owner>,
    /// A hash and a number, which is [`FREE`] where there is none.
    table: Vec<(u32, u32)>,
    seed: Seed,
}

const FREE: u32 = u32::MAX;

impl Symbols {
    pub fn new() -> Symbols {
        Symbols {
            names: Names::default(),
            owners: Vec::new(),
            table: vec![(0, FREE); 64],
            seed: Seed::of_process(),
        }
    }

    pub fn number(&mut self, name: &str) -> Result<u32, Declined> {
        let hash = hash_bytes(self.seed, name.as_bytes()) as u32;
        let slot = self.slot(hash, |number| self.names.get(number as usize) == name);
        let found = self.table[slot].1;
        if found != FREE {
            return Ok(found);
        }
        let number = u32::try_from(self.owners.len()).map_err(|_| Declined)?;
        if number == FREE {
            return Err(Declined);
        }
        self.table[slot] = (hash, number);
        self.names.push(name);
        self.owners.push(Owner::Nobody);
        if 2 * self.owners.len() > self.table.len() {
            self.grow();
        }
        Ok(number)
    }

    /// Where a name with this hash is, or would be.
    fn slot(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (other, number) = self.table[slot];
            if number == FREE || (other == hash && is_it(number)) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let twice = vec![(0, FREE); 2 * self.table.len()];
        for (hash, number) in std::mem::replace(&mut self.table, twice) {
            if number != FREE {
                let slot = self.slot(hash, |_| false);
                self.table[slot] = (hash, number);
            }
        }
    }

    /// The name belongs to that, and to nothing else.
    pub fn declare(&mut self, name: &str, owner: Owner) -> Result<(), Declined> {
        let number = self.number(name)?;
        let entry = &mut self.owners[number as usize];
        if *entry != Owner::Nobody {
            return Err(Declined);
        }
        *entry = owner;
        Ok(())
    }

    /// The number of the place of that name.
    pub fn place(&self, name: &str) -> Option<u32> {
        let hash = hash_bytes(self.seed, name.as_bytes()) as u32;
        let slot = self.slot(hash, |number| self.names.get(number as usize) == name);
        let owner = self.owners.get(self.table[slot].1 as usize);
        match owner {
            Some(Owner::Place(place)) => Some(*place),
            _ => None,
        }
    }

    fn owner(&self, number: u32) -> Owner {
        self.owners[number as usize]
    }
}

/// Gives the net its arcs.
pub(crate) fn connect(net: &mut Net, symbols: &Symbols, arcs: &[Arc]) -> Result<(), Declined> {
    let ends = |arc: &Arc| match (symbols.owner(arc.source), symbols.owner(arc.target)) {
        (Owner::Place(p), Owner::Event(t)) => Ok((t as usize, p, true)),
        (Owner::Event(t), Owner::Place(p)) if !arc.test => Ok((t as usize, p, false)),
        _ => Err(Declined),
    };
    // Sorted by event, in the order of the file: how many come before each event, then one by one.
    let mut starts = vec![0u32; net.events.len() + 1];
    for arc in arcs {
        starts[ends(arc)?.0 + 1] += 1;
    }
    for event in 0..net.events.len() {
        starts[event + 1] += starts[event];
    }
    let mut next = starts.clone();
    let mut sorted = vec![0u32; arcs.len()];
    for (number, arc) in (0u32..).zip(arcs) {
        let slot = &mut next[ends(arc)?.0];
        sorted[*slot as usize] = number;
        *slot += 1;
    }
    let mut sums: Vec<Sum> = Vec::new();
    let mut last: Vec<(u32, u32)> = vec![(0, 0); net.places.len()];
    net.effects.reserve_exact(arcs.len());
    for event in 0..net.events.len() {
        sums.clear();
        for number in &sorted[starts[event] as usize..starts[event + 1] as usize] {
            let arc = &arcs[*number as usize];
            let (_, place, incoming) = ends(arc)?;
            // Which event mentioned the place last, and where among its sums that one is.
            let (user, index) = &mut last[place as usize];
            if *user != event as u32 + 1 {
                (*user, *index) = (event as u32 + 1, sums.len() as u32);
                sums.push(Sum::new(place, arc.position));
            }
            sums[*index as usize].add(arc, incoming)?;
        }
        net.push_event(sums.iter().map(Sum::effect))?;
    }
    net.effects.shrink_to_fit();
    Ok(())
}

/// The arcs between an event and a place, added up.
struct Sum {
    place: u32,
    position: Position,
    taken: i64,
    put: i64,
    tested: i64,
}

impl Sum {
    fn new(place: u32, position: Position) -> Sum {
        Sum {
            place,
            position,
            taken: 0,
            put: 0,
            tested: 0,
        }
    }

    fn add(&mut self, arc: &Arc, incoming: bool) -> Result<(), Declined> {
        let weight = i64::from(arc.weight);
        if !incoming {
            self.put += weight;
        } else if arc.test {
            self.tested = self.tested.max(weight);
        } else {
            self.taken += weight;
        }
        if self.taken > MOST || self.put > MOST {
            return Err(Declined);
        }
        Ok(())
    }

    fn effect(&self) -> Effect {
        // Both fit: they are sums and differences of numbers up to `MOST`.
        Effect {
            place: self.place,
            needed: self.taken.max(self.tested) as i32,
            change: (self.put - self.taken) as i32,
            position: self.position,
        }
    }
}
