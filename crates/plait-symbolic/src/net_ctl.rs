//! Steps and closures on sets of reachable states of a net, level by level.
//!
//! Sets of states come from questions, which are asked by cell, and go back there; each is carried
//! over once and remembered with its other form as long as it is among the last that were used.

use std::collections::VecDeque;

use plait_dd::{Manager, Node, Root, Stop};

use crate::constrained::Constrained;
use crate::inverse::{Direction, Moves, Tables};
use crate::relation::Relation;

/// How many sets are remembered in both forms.
const REMEMBERED: usize = 128;

/// What is needed to go forward and backward from sets of states of a relation.
pub(crate) struct NetCtl {
    tables: Tables,
    forward: Moves,
    backward: Moves,
    /// Sets by cell and by level, the last ones used at the end.
    known: VecDeque<(Root, Root)>,
}

impl NetCtl {
    /// For a relation whose reachable states are known.
    pub fn new(dd: &mut Manager, relation: &Relation) -> NetCtl {
        let tables = Tables::new(relation);
        dd.charge(tables.bytes() as isize);
        NetCtl {
            tables,
            forward: Moves::new(dd, relation, Direction::Forward, None),
            backward: Moves::new(dd, relation, Direction::Backward, None),
            known: VecDeque::new(),
        }
    }

    fn remember(&mut self, by_cell: &Root, by_level: &Root) {
        if self.known.len() == REMEMBERED {
            self.known.pop_front();
        }
        self.known.push_back((by_cell.clone(), by_level.clone()));
    }

    /// A set by level.
    pub fn by_level(
        &mut self,
        dd: &mut Manager,
        relation: &Relation,
        set: Node,
    ) -> Result<Root, Stop> {
        let known = self.known.iter().find(|(cell, _)| cell.node() == set);
        if let Some((_, level)) = known {
            return Ok(level.clone());
        }
        let by_level = relation.by_level(dd, set)?;
        self.remember(&dd.root(set), &by_level);
        Ok(by_level)
    }

    /// A set by cell.
    pub fn by_cell(
        &mut self,
        dd: &mut Manager,
        relation: &Relation,
        set: &Root,
    ) -> Result<Root, Stop> {
        let known = self
            .known
            .iter()
            .find(|(_, level)| level.node() == set.node());
        if let Some((cell, _)) = known {
            return Ok(cell.clone());
        }
        let by_cell = relation.by_cell(dd, set.node())?;
        self.remember(&by_cell, set);
        Ok(by_cell)
    }

    fn moves(&self, direction: Direction) -> &Moves {
        match direction {
            Direction::Forward => &self.forward,
            Direction::Backward => &self.backward,
        }
    }

    /// All events, to be fired in a direction.
    pub fn all<'a>(&'a self, relation: &'a mut Relation, direction: Direction) -> Constrained<'a> {
        Constrained {
            relation,
            tables: &self.tables,
            moves: self.moves(direction),
        }
    }

    /// The closure of a set under the events with these tails.
    pub fn closure_of(
        &self,
        dd: &mut Manager,
        relation: &mut Relation,
        direction: Direction,
        tails: &[u32],
        set: Node,
    ) -> Result<Root, Stop> {
        let moves = Moves::new(dd, relation, direction, Some(tails));
        let mut events = Constrained {
            relation,
            tables: &self.tables,
            moves: &moves,
        };
        events.closure(dd, crate::constrained::EVERYTHING, set)
    }
}
