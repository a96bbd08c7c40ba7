//! Events as chains of local functions.
//!
//! An event is the product of one function for each level that it touches; its *top* is the highest
//! of them. What is left of it below a level is a *tail*: a chain (level, function, next tail). Tails
//! are hash-consed, so that events that agree from some level down share all cached results there.
//! Events with the same top and the same tail below it form a *group*: the tail is fired once for all
//! of them.

use plait_dd::{Manager, Root, Stop};
use plait_program::mix::MixedMap;

use crate::local::{Function, Limits, Local, LocalSize, Space};
use crate::net::{Locals, Net, NetError};

/// How the reachable states are found. The result is the same; time and memory are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// All events on the states found last (`frontier`) or on all states, round by round.
    BreadthFirst {
        /// Only on the states found in the last round.
        frontier: bool,
    },
    /// Event by event: each works on what the ones before it found.
    Chaining {
        /// Only on the states found in the last round.
        frontier: bool,
    },
    /// Events are fired inside the nodes of their top level, sweep by sweep.
    Forwarding,
    /// Nodes are closed under the events below them before anything sees them.
    Saturation,
    /// The same, but what events find is joined to what is known before it is closed.
    Rounds,
}

/// A set of reachable states, and how it was found.
#[derive(Debug)]
pub struct Reached {
    /// The states: a diagram whose variable `k` is level `k` (from 1, bottom first).
    pub states: Root,
    /// Rounds that brought something new; 1 for saturation.
    pub rounds: usize,
}

/// The tail that does nothing.
pub(crate) const END: u32 = 0;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Tail {
    pub level: u32,
    pub function: u32,
    pub next: u32,
}

/// Events with one top level and one tail below it.
pub(crate) struct Group {
    /// What happens below.
    pub tail: u32,
    /// What they do on the top level.
    pub functions: Vec<u32>,
}

#[derive(Default)]
pub(crate) struct Level {
    pub local: Local,
    pub cells: Vec<u32>,
    /// Events that change something.
    pub groups: Vec<Group>,
    /// Events that only test; they matter for deadlocks.
    pub tests: Vec<Group>,
    /// All events whose top is here: function, what they need below (by which they are sorted), and how
    /// many are like that.
    pub firings: Vec<(u32, u32, u32)>,
    /// Labels of the open node of this level that wait to be fired.
    pub queue: Vec<u32>,
    pub queued: Vec<bool>,
}

/// The events of a net, ready to be fired in diagrams of one manager.
pub struct Relation {
    /// From 1, bottom first; 0 is not used.
    pub(crate) levels: Vec<Level>,
    pub(crate) spaces: Vec<Space>,
    pub(crate) tails: Vec<Tail>,
    /// Of each tail the one that is enabled where it is, without what only updates.
    pub(crate) needs: Vec<u32>,
    /// The events that change something, as tails from the top of the diagram.
    pub(crate) events: Vec<u32>,
    /// All events of the net, in its order, as tails from the top.
    pub(crate) tail_of: Vec<u32>,
    /// How many events are enabled in all states and change nothing.
    pub(crate) always_enabled: u32,
    /// Added to tails to make keys of cached operations.
    pub(crate) first_key: u32,
    pub(crate) initial: Vec<Vec<u32>>,
    /// The level where an event left the domain of a cell, if that stopped a search.
    pub(crate) fault: Option<usize>,
    /// Whether nodes are closed in rounds (`crate::rounds`).
    pub(crate) in_rounds: bool,
    cells: usize,
    /// The nodes that saturation closed, with their levels; a collection may take them.
    #[cfg(test)]
    pub(crate) closed_nodes: Vec<(usize, plait_dd::Node)>,
}

/// The functions of all levels by number, and the numbers of those of each level.
type Functions = (MixedMap<Function, u32>, Vec<Vec<u32>>);

impl Relation {
    /// Prepares a net for a manager, to be used with that manager only.
    pub fn new(dd: &mut Manager, net: &Net, locals: &Locals) -> Result<Relation, NetError> {
        let places = net.places()?;
        let nothing = Vec::new();
        let level = |cells: &Vec<u32>| Level {
            cells: cells.clone(),
            ..Level::default()
        };
        let mut relation = Relation {
            levels: std::iter::once(&nothing)
                .chain(&net.levels)
                .map(level)
                .collect(),
            spaces: Vec::new(),
            tails: vec![Tail {
                level: 0,
                function: 0,
                next: 0,
            }],
            needs: Vec::new(),
            events: Vec::new(),
            tail_of: Vec::with_capacity(net.events.len()),
            always_enabled: 0,
            first_key: 0,
            initial: Vec::new(),
            fault: None,
            in_rounds: false,
            cells: net.cells(),
            #[cfg(test)]
            closed_nodes: Vec::new(),
        };
        let functions = relation.add_events(net, &places)?;
        relation.first_key = dd.reserve_keys(relation.tails.len() as u32);
        relation.find_locals(net, functions, locals)?;
        relation.find_needs();
        // One for the open node of each level, and one for what rounds find for it.
        dd.open_slots(2 * relation.levels.len());
        Ok(relation)
    }

    /// Makes tails and groups of the events; gives the functions, and which of them each level has.
    fn add_events(&mut self, net: &Net, places: &[(u32, u32)]) -> Result<Functions, NetError> {
        let mut of_levels: Vec<Vec<u32>> = vec![Vec::new(); self.levels.len()];
        let mut functions: MixedMap<Function, u32> = MixedMap::default();
        let mut numbers: MixedMap<(u32, u32), u32> = MixedMap::default();
        let mut parts = Parts::default();
        let mut known: MixedMap<Tail, u32> = MixedMap::default();
        // By tail: whether an event with an effect has it, and how many events do.
        let mut seen: Vec<bool> = Vec::new();
        let mut firings: Vec<u32> = Vec::new();
        let mut places_of: MixedMap<(u32, u32, bool), usize> = MixedMap::default();
        for (number, event) in net.events.iter().enumerate() {
            let mut tail = END;
            let mut has_effect = false;
            let mut below = END;
            for (level, function) in parts.of(number, event, places)? {
                let level = *level;
                has_effect |= !function.updates.is_empty();
                // Many levels have the same few functions.
                let known_function = functions.get(function).copied();
                let function = known_function.unwrap_or_else(|| {
                    let next = functions.len() as u32;
                    functions.insert(function.clone(), next);
                    next
                });
                let function = *numbers.entry((level, function)).or_insert_with(|| {
                    let known = &mut of_levels[level as usize];
                    known.push(function);
                    known.len() as u32 - 1
                });
                let next = tail;
                below = next;
                let link = Tail {
                    level,
                    function,
                    next,
                };
                tail = *known.entry(link).or_insert_with(|| {
                    self.tails.push(link);
                    self.tails.len() as u32 - 1
                });
            }
            self.tail_of.push(tail);
            if tail == END {
                self.always_enabled += 1;
                continue;
            }
            let top = self.tails[tail as usize];
            let level = &mut self.levels[top.level as usize];
            firings.resize(self.tails.len(), 0);
            firings[tail as usize] += 1;
            let groups = if has_effect {
                seen.resize(self.tails.len(), false);
                if !std::mem::replace(&mut seen[tail as usize], true) {
                    self.events.push(tail);
                }
                &mut level.groups
            } else {
                &mut level.tests
            };
            let place = *places_of
                .entry((top.level, below, has_effect))
                .or_insert_with(|| {
                    groups.push(Group {
                        tail: below,
                        functions: Vec::new(),
                    });
                    groups.len() - 1
                });
            let group = &mut groups[place];
            if !group.functions.contains(&top.function) {
                group.functions.push(top.function);
            }
        }
        for (tail, events) in firings.into_iter().enumerate().filter(|(_, n)| *n > 0) {
            let top = self.tails[tail];
            let level = &mut self.levels[top.level as usize];
            level.firings.push((top.function, top.next, events));
        }
        // Low tops first: chaining then lets each round run from the bottom to the top.
        let tails = &self.tails;
        self.events.sort_by_key(|tail| tails[*tail as usize].level);
        Ok((functions, of_levels))
    }

    /// Gives each level its space, which levels share that have the same functions and first state.
    fn find_locals(
        &mut self,
        net: &Net,
        (functions, of_levels): Functions,
        locals: &Locals,
    ) -> Result<(), NetError> {
        type Key = (Vec<u32>, Vec<i32>, Limits);
        let mut by_number: Vec<Function> = vec![Function::default(); functions.len()];
        for (function, number) in functions {
            by_number[number as usize] = function;
        }
        let mut shared: MixedMap<Key, usize> = MixedMap::default();
        self.initial = vec![vec![0; self.levels.len()]; net.initial.len()];
        for (number, functions) in of_levels.into_iter().enumerate().skip(1) {
            let level = &mut self.levels[number];
            let local_state = |values: &Vec<i32>| -> Vec<i32> {
                level.cells.iter().map(|c| values[*c as usize]).collect()
            };
            let of_cells = |limits: &[(i32, i32)]| {
                let cells = level.cells.iter();
                cells.map(|c| limits[*c as usize]).collect()
            };
            let limits = Limits {
                bounds: match locals {
                    Locals::Pregenerated { bounds, .. } => bounds.as_deref().map(of_cells),
                    Locals::OnTheFly => None,
                },
                domains: (!net.domains.is_empty()).then(|| of_cells(&net.domains)),
            };
            let key = (functions, local_state(&net.initial[0]), limits);
            level.local.space = *shared.entry(key).or_insert_with_key(|key| {
                let width = level.cells.len();
                let functions = key.0.iter();
                let functions = functions.map(|f| by_number[*f as usize].clone());
                self.spaces
                    .push(Space::new(width, functions.collect(), key.2.clone()));
                self.spaces.len() - 1
            });
            let space = &mut self.spaces[level.local.space];
            for (values, indices) in net.initial.iter().zip(&mut self.initial) {
                indices[number] = space.discover(&local_state(values));
            }
            for indices in &self.initial {
                level.local.confirm(space, indices[number]);
            }
            if let Locals::Pregenerated { limit, .. } = locals {
                if !space.close(*limit) {
                    return Err(NetError::Unbounded(number));
                }
                for state in 0..space.len() as u32 {
                    level.local.confirm(space, state);
                }
            }
        }
        Ok(())
    }

    /// What events need of the levels below their top: an output of a net needs nothing.
    fn find_needs(&mut self) {
        self.needs = vec![END];
        // What comes next in a tail was made before it.
        for (number, link) in (0u32..).zip(&self.tails).skip(1) {
            let space = &self.spaces[self.levels[link.level as usize].local.space];
            self.needs.push(if space.is_total(link.function) {
                self.needs[link.next as usize]
            } else {
                number
            });
        }
        for level in &mut self.levels {
            for (_, tail, _) in &mut level.firings {
                *tail = self.needs[*tail as usize];
            }
            level
                .firings
                .sort_unstable_by_key(|(function, tail, _)| (*tail, *function));
            level.firings.dedup_by(|(function, tail, events), kept| {
                let same = (kept.0, kept.1) == (*function, *tail);
                kept.2 += if same { *events } else { 0 };
                same
            });
        }
    }

    /// The states that can be reached from the initial ones.
    pub fn reach(&mut self, dd: &mut Manager, strategy: Strategy) -> Result<Reached, Stop> {
        let kept = dd.pushed();
        self.in_rounds = strategy == Strategy::Rounds;
        let result = match strategy {
            Strategy::Saturation | Strategy::Rounds => {
                self.saturate_initial(dd).map(|states| (states, 1))
            }
            Strategy::BreadthFirst { frontier } => self.breadth_first(dd, frontier),
            Strategy::Chaining { frontier } => self.chaining(dd, frontier),
            Strategy::Forwarding => self.forwarding(dd),
        };
        dd.pop(kept);
        self.settle(dd, result.is_err());
        result.map(|(states, rounds)| Reached {
            states: dd.root(states),
            rounds,
        })
    }

    /// Forgets what a stopped operation left open.
    pub(crate) fn settle(&mut self, dd: &mut Manager, stopped: bool) {
        if stopped {
            dd.open_clear_all();
            for level in &mut self.levels {
                level.queue.clear();
                level.queued.fill(false);
            }
        }
    }

    /// How many levels there are.
    pub fn levels(&self) -> usize {
        self.levels.len() - 1
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// The cells of a level (from 1, bottom first), and their values in one of its local states.
    pub fn local_state(&self, level: usize, number: u32) -> (&[u32], &[i32]) {
        let level = &self.levels[level];
        (&level.cells, self.spaces[level.local.space].state(number))
    }

    /// How many local states of a level are known.
    pub(crate) fn discovered(&self, level: usize) -> usize {
        self.spaces[self.levels[level].local.space].len()
    }

    /// The numbers of local states of each level, bottom first. Levels that behave alike share what
    /// they discover.
    pub fn local_sizes(&self) -> Vec<LocalSize> {
        let levels = self.levels[1..].iter();
        levels
            .map(|l| l.local.size(&self.spaces[l.local.space]))
            .collect()
    }

    /// The cells of the level where an event left a domain, after [`Stop::Fault`].
    pub fn fault(&self) -> Option<&[u32]> {
        self.fault.map(|level| self.levels[level].cells.as_slice())
    }

    /// What the functions of a level make of one of its confirmed states.
    #[inline]
    pub(crate) fn row(&self, k: usize, label: u32) -> &[u32] {
        self.spaces[self.levels[k].local.space].row(label)
    }

    /// Bytes of local states and functions.
    pub fn bytes(&self) -> usize {
        let flags: usize = self.levels.iter().map(|l| l.local.bytes()).sum();
        flags + self.spaces.iter().map(Space::bytes).sum::<usize>()
    }
}

/// What an event does to each level that it touches, in memory that the next event uses again.
#[derive(Default)]
struct Parts {
    /// A level and what is done there; only the first `used` count.
    parts: Vec<(u32, Function)>,
    used: usize,
    updated: Vec<u32>,
}

impl Parts {
    /// The levels that an event touches and what it does there, bottom first.
    fn of(
        &mut self,
        number: usize,
        event: &crate::net::Event,
        places: &[(u32, u32)],
    ) -> Result<&[(u32, Function)], NetError> {
        let wrong = |cell| NetError::Event {
            event: number,
            cell,
        };
        self.used = 0;
        for test in &event.tests {
            let (function, slot) = self.at(places, test.cell).ok_or(wrong(test.cell))?;
            function.tests.push((slot, test.interval));
        }
        for update in &event.updates {
            let (function, slot) = self.at(places, update.cell).ok_or(wrong(update.cell))?;
            function.update(slot, *update);
        }
        self.updated.clear();
        self.updated.extend(event.updates.iter().map(|u| u.cell));
        self.updated.sort_unstable();
        if let Some(twice) = self.updated.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(wrong(twice[0]));
        }
        let parts = &mut self.parts[..self.used];
        for (_, function) in parts.iter_mut() {
            function.tests.sort_unstable_by_key(|(slot, _)| *slot);
            function.updates.sort_unstable();
        }
        // Those that do nothing come last.
        let does_nothing = |f: &Function| f.tests.is_empty() && f.updates.is_empty();
        parts.sort_unstable_by_key(|(level, function)| (does_nothing(function), *level));
        let count = parts.partition_point(|(_, function)| !does_nothing(function));
        Ok(&parts[..count])
    }

    /// The function for the level of a cell, new if need be, and the cell's place there; nothing for a
    /// cell that does not exist.
    fn at(&mut self, places: &[(u32, u32)], cell: u32) -> Option<(&mut Function, u32)> {
        let (level, slot) = *places.get(cell as usize)?;
        let mut known = self.parts[..self.used].iter();
        let at = known.position(|p| p.0 == level).unwrap_or(self.used);
        if at == self.used {
            self.used += 1;
            if at == self.parts.len() {
                self.parts.push((level, Function::default()));
            }
            let (of, function) = &mut self.parts[at];
            *of = level;
            function.tests.clear();
            function.updates.clear();
        }
        Some((&mut self.parts[at].1, slot))
    }
}
