//! Long compositions, evaluated in turn.
//!
//! A composition is pushed down a diagram as one term, and what is left of it below a node depends on
//! all that was read above. That is what makes small events cheap, and what makes the step of a
//! synchronous system dear: where the statements of a hundred variables are under way at a cut, there
//! are as many residues as there are combinations of what they have read. Such a composition is applied
//! one part after the other, each to the whole of the set, so that only what one part has read is
//! ever under way. It is the image by a conjunctively partitioned relation (Burch, Clarke and Long,
//! *Symbolic model checking with partitioned transition relations*, 1991): a variable that is
//! overwritten is one that is quantified, as early as the order of the statements allows.
//!
//! Parts that have little under way together stay together (the clusters of Ranjan, Aziz, Brayton,
//! Plessier and Pixley, 1995): what passes the diagram once costs less than what passes it twice.

use super::term::{Hom, Term};
use super::Homs;

/// How much may be composed into one term, unless nothing in it is under way together.
struct Most {
    /// Terms under way at a cut.
    under_way: usize,
    /// Terms of more than one variable.
    relating: usize,
}

impl Most {
    fn allows(&self, spans: &[Span]) -> bool {
        let relating = spans.iter().filter(|(first, last)| first < last);
        match under_way(spans) {
            0 | 1 => true,
            most => most <= self.under_way && relating.count() <= self.relating,
        }
    }
}

/// The most of a composition that is one term.
const WHOLE: Most = Most {
    under_way: 6,
    relating: 12,
};
/// The most of each part of a composition that is not.
const PART: Most = Most {
    under_way: 4,
    relating: 8,
};

/// The least and the greatest variable of a term.
type Span = (u32, u32);

impl Homs {
    /// `f` after `g`, each on the whole of its argument.
    pub fn in_turn(&mut self, f: Hom, g: Hom) -> Hom {
        match (f, g) {
            (_, Hom::ZERO) => Hom::ZERO,
            (Hom::ZERO, g) => self.nothing_after(g),
            (Hom::ID, h) | (h, Hom::ID) => h,
            _ => self.intern(Term::InTurn(f, g)),
        }
    }

    /// Whether the homomorphism is such a composition.
    pub fn is_in_turn(&self, h: Hom) -> bool {
        matches!(self.term(h), Term::InTurn(..))
    }

    /// The composition of a list, the last one applied first: as one term, or where too much would be
    /// under way, of parts in turn.
    pub fn compose_in_turn(&mut self, list: &[Hom]) -> Hom {
        match self.spans(list) {
            Some(spans) if !WHOLE.allows(&spans) => {
                let mut all = Hom::ID;
                let mut end = list.len();
                while end > 0 {
                    let mut start = end - 1;
                    while start > 0 && PART.allows(&spans[start - 1..end]) {
                        start -= 1;
                    }
                    let part = self.compose_all(&list[start..end]);
                    all = self.in_turn(part, all);
                    end = start;
                }
                all
            }
            _ => self.compose_all(list),
        }
    }

    /// The spans of terms, `None` when one of them may concern anything.
    fn spans(&mut self, list: &[Hom]) -> Option<Vec<Span>> {
        list.iter()
            .map(|h| {
                let support = self.support(*h)?;
                let variables = self.pool.variables_of(&support);
                Some(match variables[..] {
                    [] => (0, 0),
                    [first, ..] => (first, variables[variables.len() - 1]),
                })
            })
            .collect()
    }
}

/// The most spans that some cut between two variables goes through.
fn under_way(spans: &[Span]) -> usize {
    let mut ends: Vec<(u32, isize)> = Vec::with_capacity(2 * spans.len());
    for (first, last) in spans {
        ends.extend([(*first, 1), (*last, -1)]);
    }
    // What ends at a variable is not under way when something begins there.
    ends.sort_unstable();
    let mut open = 0isize;
    let mut most = 0;
    for (_, change) in ends {
        open += change;
        most = most.max(open);
    }
    most as usize
}
