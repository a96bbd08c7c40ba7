//! Relations that are stored: pairs of before and after as a diagram, tables of one variable.
//!
//! A relation on the variables `1..=n` is a diagram over `1..=2n`: `2x` holds the value of `x` before,
//! `2x - 1` its value after. Variables that do not occur (neither half) are left alone.

use plait_dd::{Manager, Node};

use super::expand::Piece;
use super::term::{Hom, Term};
use super::{Halt, Homs};

impl Homs {
    /// The image under a stored relation.
    pub fn relation(&mut self, dd: &Manager, relation: Node) -> Hom {
        match relation {
            Node::ZERO => Hom::ZERO,
            Node::ONE => Hom::ID,
            _ => self.relation_hom(dd, relation),
        }
    }

    fn relation_hom(&mut self, dd: &Manager, relation: Node) -> Hom {
        self.roots
            .entry(relation)
            .or_insert_with(|| dd.root(relation));
        let variables = &mut self.relation_tops;
        variables
            .entry(relation)
            .or_insert_with(|| dd.variable(relation).div_ceil(2));
        self.intern(Term::Relation(relation))
    }

    pub(super) fn relation_top(&self, relation: Node) -> u32 {
        self.relation_tops.get(&relation).copied().unwrap_or(0)
    }

    /// The variables of a relation: all up to its top, without a look into the diagram.
    pub(super) fn relation_variables(&self, relation: Node) -> Option<Vec<u32>> {
        let top = self.relation_top(relation);
        Some((1..=top).collect())
    }

    pub(super) fn expand_relation(
        &mut self,
        dd: &mut Manager,
        relation: Node,
        w: u32,
        v: i32,
        child: Node,
        out: &mut Vec<Piece>,
    ) -> Result<(), Halt> {
        debug_assert_eq!(dd.variable(relation), 2 * w, "before stands above after");
        let edges = dd.edges(relation);
        let Ok(place) = edges.binary_search_by_key(&v, |e| e.value()) else {
            return Ok(());
        };
        let after = edges[place].child;
        for at in 0..dd.len(after) {
            let edge = dd.edge(after, at);
            let rest = self.relation(dd, edge.child);
            out.push((edge.value(), rest, child));
        }
        Ok(())
    }

    /// A finite relation on the values of one variable: pairs of before and after.
    pub fn table(&mut self, variable: u32, pairs: &[(i32, i32)]) -> Hom {
        let mut pairs = pairs.to_vec();
        pairs.sort_unstable();
        pairs.dedup();
        if pairs.is_empty() {
            return Hom::ZERO;
        }
        let (number, _) = self.tables.add((variable, pairs.into()));
        self.intern(Term::Table(number))
    }
}
