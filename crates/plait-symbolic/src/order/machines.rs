//! Cells that one level should hold together: state machines with one token.
//!
//! A set of cells from which each event takes at most one token, and to which it gives one only when it
//! takes one, never gains tokens (with "exactly when", a 0/1 invariant: Lautenbach's state machine
//! components). If it starts with at most one, the cells are one variable in disguise: which of them is
//! marked. As one level of a diagram they have about as many local states as cells, and events inside
//! are local to the level.
//!
//! Machines are grown from each cell in none: an event that gives to the set and takes nothing from it
//! must be repaired by one of the cells it takes from, the reverse is repaired where it can be. Events with
//! one choice come first, then the choice that leaves the fewest events to repair. No second marked cell is
//! ever let in. A dead end takes the last choice back, a few times, within a limit of work; nothing is
//! promised to be found.
//!
//! What is proposed is only a proposal: levels may hold any cells, since local states are found on
//! the fly. Subsets of machines are as good, so machines that overlap are cut down to be disjoint.

use super::structure::{Effect, Structure};

/// Choices taken back in the search from one cell.
const RETREATS: usize = 100;
/// Arcs looked at before the search ends: so many, and some for each arc of the structure.
const WORK: usize = 2_000_000;
const WORK_PER_ARC: usize = 2;

/// The arcs of plain unit moves, by cell and by event.
struct Moves {
    /// For each event the cells that it takes one from and those that it gives one to.
    takes: Lists,
    gives: Lists,
    /// For each cell the events that take from it and those that give to it.
    taken: Lists,
    given: Lists,
    usable: Vec<bool>,
}

/// Lists of numbers, which stand one after the other.
struct Lists {
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lists {
    /// So many lists of the numbers that are paired with theirs, in the order of the pairs.
    fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut starts = vec![0u32; count + 1];
        for (list, _) in pairs.clone() {
            starts[list as usize + 1] += 1;
        }
        for list in 0..count {
            starts[list + 1] += starts[list];
        }
        let mut next = starts.clone();
        let mut numbers = vec![0; starts[count] as usize];
        for (list, number) in pairs {
            let slot = &mut next[list as usize];
            numbers[*slot as usize] = number;
            *slot += 1;
        }
        Lists { starts, numbers }
    }

    fn of(&self, list: usize) -> &[u32] {
        &self.numbers[self.starts[list] as usize..self.starts[list + 1] as usize]
    }
}

impl Moves {
    fn new(structure: &Structure, initial: &[i32]) -> Moves {
        let (cells, events) = (structure.cells(), structure.events());
        let mut usable: Vec<bool> = (0..cells)
            .map(|c| matches!(initial.get(c), Some(0 | 1)))
            .collect();
        // Pairs of an event and a cell.
        let (mut taking, mut giving) = (Vec::new(), Vec::new());
        for event in 0..events {
            for (cell, effect) in structure.event(event) {
                match effect {
                    Effect::Test | Effect::Add(0) => {}
                    Effect::Add(-1) => taking.push((event as u32, *cell)),
                    Effect::Add(1) => giving.push((event as u32, *cell)),
                    _ => usable[*cell as usize] = false,
                }
            }
        }
        let by_cell = |(event, cell): &(u32, u32)| (*cell, *event);
        Moves {
            takes: Lists::new(events, taking.iter().copied()),
            gives: Lists::new(events, giving.iter().copied()),
            taken: Lists::new(cells, taking.iter().map(by_cell)),
            given: Lists::new(cells, giving.iter().map(by_cell)),
            usable,
        }
    }
}

/// A set of cells while it grows.
struct Growth<'m> {
    moves: &'m Moves,
    initial: &'m [i32],
    inside: Vec<bool>,
    taken: Vec<bool>,
    given: Vec<bool>,
    cells: Vec<u32>,
    /// The events of the cells, cell by cell, and how many of them were looked at.
    events: Vec<u32>,
    next: usize,
    /// Events that left several choices.
    open: Vec<u32>,
    tokens: i32,
    work: usize,
}

/// Disjoint sets of at least two cells that hold at most one token together; largest finds first.
///
/// They are looked for once: levels are made of them, and then orders of levels.
pub fn machines(structure: &Structure, initial: &[i32]) -> Vec<Vec<u32>> {
    let look = || (initial.to_vec(), search(structure, initial));
    let (known, found) = structure.machines.get_or_init(look);
    if known == initial {
        found.clone()
    } else {
        search(structure, initial)
    }
}

fn search(structure: &Structure, initial: &[i32]) -> Vec<Vec<u32>> {
    let moves = Moves::new(structure, initial);
    let mut growth = Growth {
        moves: &moves,
        initial,
        inside: vec![false; structure.cells()],
        taken: vec![false; structure.events()],
        given: vec![false; structure.events()],
        cells: Vec::new(),
        events: Vec::new(),
        next: 0,
        open: Vec::new(),
        tokens: 0,
        work: WORK + WORK_PER_ARC * structure.arcs(),
    };
    let mut covered = vec![false; structure.cells()];
    let mut found: Vec<Vec<u32>> = Vec::new();
    for seed in 0..structure.cells() {
        if covered[seed] {
            continue;
        }
        if growth.grow(seed as u32) {
            let mut machine = growth.cells.clone();
            machine.sort_unstable();
            machine.iter().for_each(|c| covered[*c as usize] = true);
            found.push(machine);
        }
        growth.retreat_to(0);
    }
    disjoint(structure.cells(), found)
}

/// The machines cut down so that each cell is in one, largest first; what has one cell left is dropped.
fn disjoint(cells: usize, mut machines: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    machines.sort_by_key(|m| std::cmp::Reverse(m.len()));
    let mut used = vec![false; cells];
    let mut result = Vec::new();
    for mut machine in machines {
        machine.retain(|c| !used[*c as usize]);
        if machine.len() > 1 {
            machine.iter().for_each(|c| used[*c as usize] = true);
            result.push(machine);
        }
    }
    result
}

impl Growth<'_> {
    /// Grows a machine from a cell into `cells`; whether it is one.
    fn grow(&mut self, seed: u32) -> bool {
        if !self.fits(seed) {
            return false;
        }
        self.enter(seed);
        // For each choice, how many cells were inside before it, and what is left to try, best last.
        let mut choices: Vec<(usize, Vec<u32>)> = Vec::new();
        for _ in 0..RETREATS {
            while let Some(event) = self.repair_the_forced() {
                let mut options = self.options(event);
                options.sort_by_key(|cell| std::cmp::Reverse((self.burden(*cell), *cell)));
                let Some(cell) = options.pop() else {
                    break;
                };
                choices.push((self.cells.len(), options));
                self.enter(cell);
            }
            if self.work == 0 {
                return false;
            }
            if self.next == self.events.len() && self.open.is_empty() {
                return true;
            }
            loop {
                let Some((inside, options)) = choices.last_mut() else {
                    return false;
                };
                self.retreat_to(*inside);
                if let Some(cell) = options.pop() {
                    self.enter(cell);
                    break;
                }
                choices.pop();
            }
        }
        false
    }

    /// Repairs events that leave one choice, until none is left; an open event with the fewest choices
    /// (perhaps none: a dead end), or nothing when all are repaired.
    fn repair_the_forced(&mut self) -> Option<u32> {
        loop {
            while let Some(event) = self.events.get(self.next).copied() {
                self.next += 1;
                if !self.is_balanced(event) {
                    match &self.options(event)[..] {
                        [only] => self.enter(*only),
                        // A token may leave for good.
                        [] if self.taken[event as usize] => {}
                        _ => self.open.push(event),
                    }
                }
            }
            let mut fewest: Option<(usize, u32)> = None;
            for event in std::mem::take(&mut self.open) {
                let count = self.options(event).len();
                let may_leave = count == 0 && self.taken[event as usize];
                if !self.is_balanced(event) && !may_leave {
                    self.open.push(event);
                    fewest = Some(fewest.map_or((count, event), |f| f.min((count, event))));
                }
            }
            match fewest {
                Some((1, event)) => {
                    let only = self.options(event)[0];
                    self.enter(only);
                }
                other => return other.map(|(_, event)| event),
            }
        }
    }

    fn is_balanced(&self, event: u32) -> bool {
        self.taken[event as usize] == self.given[event as usize]
    }

    /// The cells that could repair an event.
    fn options(&mut self, event: u32) -> Vec<u32> {
        let at = event as usize;
        let side = match (self.taken[at], self.given[at]) {
            (true, false) => self.moves.gives.of(at),
            (false, true) => self.moves.takes.of(at),
            _ => return Vec::new(),
        };
        self.work = self.work.saturating_sub(side.len());
        let fitting: Vec<u32> = side.iter().copied().filter(|c| self.fits(*c)).collect();
        let spent = fitting.iter().map(|c| {
            let at = *c as usize;
            self.moves.taken.of(at).len() + self.moves.given.of(at).len()
        });
        self.work = self.work.saturating_sub(spent.sum());
        fitting
    }

    /// Whether a cell may come in: no event takes or gives twice, no second token.
    fn fits(&self, cell: u32) -> bool {
        let at = cell as usize;
        self.work > 0
            && self.moves.usable[at]
            && !self.inside[at]
            && (self.tokens == 0 || self.initial[at] == 0)
            && (self.moves.taken.of(at).iter()).all(|e| !self.taken[*e as usize])
            && (self.moves.given.of(at).iter()).all(|e| !self.given[*e as usize])
    }

    /// How many events more would have to be repaired with this cell inside.
    fn burden(&self, cell: u32) -> i64 {
        let at = cell as usize;
        let cost = |there: bool| if there { -1 } else { 1 };
        let taken = self.moves.taken.of(at).iter();
        let given = self.moves.given.of(at).iter();
        taken.map(|e| cost(self.given[*e as usize])).sum::<i64>()
            + given.map(|e| cost(self.taken[*e as usize])).sum::<i64>()
    }

    fn enter(&mut self, cell: u32) {
        let at = cell as usize;
        self.inside[at] = true;
        self.tokens += self.initial[at];
        self.cells.push(cell);
        for event in self.moves.taken.of(at) {
            self.taken[*event as usize] = true;
            self.events.push(*event);
        }
        for event in self.moves.given.of(at) {
            self.given[*event as usize] = true;
            self.events.push(*event);
        }
    }

    /// Takes back all but the first cells.
    fn retreat_to(&mut self, inside: usize) {
        for cell in self.cells.drain(inside..) {
            let at = cell as usize;
            self.inside[at] = false;
            self.tokens -= self.initial[at];
            let (taken, given) = (self.moves.taken.of(at), self.moves.given.of(at));
            taken.iter().for_each(|e| self.taken[*e as usize] = false);
            given.iter().for_each(|e| self.given[*e as usize] = false);
            self.events
                .truncate(self.events.len() - taken.len() - given.len());
        }
        // What was repaired by the cells taken back is open again.
        self.next = 0;
        self.open.clear();
    }
}
