//! Homomorphisms: operations on sets of states that keep their algebraic structure.
//!
//! After the DDD and SDD literature (ITS specification, 2 and 3). A homomorphism is a map on diagrams
//! with `h(0) = 0` and `h(d + d') = h(d) + h(d')`. [`Homs`] owns hash-consed terms ([`Hom`]), expressions
//! ([`Expr`], in [`Homs::pool`]) and arrays; its constructors simplify, and [`Homs::apply`] evaluates on
//! a diagram of the one [`Manager`] that it was made for.
//!
//! # Convention
//! Along every path of a diagram the numbers of variables strictly decrease (the root has the greatest,
//! the last is at least 1), at each level of hierarchy on its own; all paths of a set have the same
//! variables. So a homomorphism skips all variables above its *top*, and evaluation asks no more
//! than a comparison. Debug builds check it.
//!
//! `tests::a_counter_counts_to_its_bound` shows all of it in use.
//!
//! | module | job |
//! |---|---|
//! | `expression`, `condition`, `substitute` | expressions, partial evaluation |
//! | `split` | EquivSplit: a set by the value of an expression |
//! | `term`, `build`, `compose` | terms; the catalogue and its rewriting |
//! | `facts`, `range` | what is known of terms; what they read and write |
//! | `apply`, `expand`, `frame`, `hierarchy` | evaluation, edge by edge |
//! | `in_turn` | long compositions, evaluated part by part |
//! | `saturate`, `saturate_set`, `rounds`, `rounds_set` | least fixpoints |
//! | `constrain`, `monotonic` | fixpoints under a constraint, and of compositions |
//! | `stored`, `opaque`, `inductive` | relations, functions on values, homomorphisms defined outside |
//! | `image`, `inverse` | is there an image; predecessors |

mod apply;
mod build;
mod compose;
mod condition;
mod constrain;
mod expand;
mod expression;
mod facts;
mod frame;
mod hierarchy;
mod image;
mod in_turn;
mod inductive;
mod intern;
mod inverse;
mod monotonic;
mod opaque;
mod range;
mod rounds;
mod rounds_set;
mod saturate;
mod saturate_set;
mod split;
mod stored;
mod substitute;
mod term;

use std::collections::BTreeSet;
use std::sync::Arc;

use plait_dd::{Edge, Manager, Node, Root, Stop};
use plait_program::Failure;

pub use expression::{Array, Expr, Form, Pool};
pub use inductive::{Inductive, Label};
pub use opaque::OpaqueFunction;
pub use plait_program::interval::Interval;
pub use substitute::Support;
pub use term::{Hom, Step, Target, Term, Write, NO_STATEMENT};

use intern::{Interned, Lossy, Map};

/// Why an evaluation gave no result. Manager and homomorphisms stay usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// A limit of the manager.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// An assignment left its domain, on a path that really comes there.
    #[error("statement {statement} stores {value}, which is outside its domain")]
    Fault {
        /// The statement.
        statement: u32,
        /// The value.
        value: i32,
    },
    /// The function of an opaque event failed.
    #[error(transparent)]
    Opaque(#[from] Failure),
    /// A fixpoint does not settle: an earlier set came back, or there were too many rounds.
    #[error("a fixpoint does not settle ({rounds} rounds)")]
    Diverges {
        /// Rounds until then.
        rounds: u64,
    },
}

/// A homomorphism that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misuse {
    /// A selector is needed.
    #[error("the homomorphism is not known to be a selector")]
    NotASelector,
}

/// A variable, and pairs of its values before and after.
type Table = (u32, Box<[(i32, i32)]>);

/// Numbers of terms as keys of the manager's cache, reserved as they are needed.
#[derive(Debug, Default)]
struct Keys {
    firsts: Vec<u32>,
}

impl Keys {
    const CHUNK: u32 = 10;

    #[inline]
    fn key(&mut self, dd: &mut Manager, number: u32) -> u32 {
        let chunk = (number >> Keys::CHUNK) as usize;
        while self.firsts.len() <= chunk {
            self.firsts.push(dd.reserve_keys(1 << Keys::CHUNK));
        }
        self.firsts[chunk] + (number & ((1 << Keys::CHUNK) - 1))
    }
}

/// Homomorphisms, expressions and arrays, for the diagrams of one manager.
pub struct Homs {
    /// Expressions and arrays.
    pub pool: Pool,
    terms: Interned<Term>,
    facts: Vec<facts::Facts>,
    ranges: Map<Hom, Option<Arc<range::Range>>>,
    /// The diagrams that terms name.
    roots: Map<Node, Root>,
    assignments: Interned<Box<[Write]>>,
    tables: Interned<Table>,
    projections: Interned<Box<[u32]>>,
    relation_tops: Map<Node, u32>,
    users: Vec<Arc<dyn Inductive>>,
    user_numbers: Map<(String, Vec<i64>), u32>,
    opaques: Vec<opaque::Opaque>,
    systems: Vec<saturate::System>,
    system_numbers: Map<Hom, u32>,
    with_identities: Map<Hom, Hom>,
    fixpoints: Map<Hom, Hom>,
    closures: Lossy,
    label_sums: Map<Box<[Hom]>, Hom>,
    label_compositions: Map<(Hom, Hom), Hom>,
    keys: Keys,
    expression_keys: Keys,
    rows: Map<(Hom, i32), expand::Row>,
    row_pairs: Vec<(i32, Hom)>,
    frames: Vec<frame::Frame>,
    depth: usize,
    edges: Vec<Edge>,
    pieces: Vec<expand::Piece>,
    undefined: BTreeSet<u32>,
    round_limit: u64,
    /// Whether nodes are closed in rounds (`rounds`).
    in_rounds: bool,
    /// How many entries of tables the manager's budget knows of.
    charged: usize,
}

/// About the bytes of a term, an expression or a row with its places in the tables.
const ENTRY: usize = 96;
/// Entries that are told to the budget together.
const ENTRIES: usize = 1024;

impl Default for Homs {
    fn default() -> Homs {
        Homs::new()
    }
}

impl Homs {
    /// No terms but `0` and the identity. To be used with one manager only.
    pub fn new() -> Homs {
        let mut homs = Homs {
            pool: Pool::default(),
            terms: Interned::default(),
            facts: Vec::new(),
            ranges: Map::default(),
            roots: Map::default(),
            assignments: Interned::default(),
            tables: Interned::default(),
            projections: Interned::default(),
            relation_tops: Map::default(),
            users: Vec::new(),
            user_numbers: Map::default(),
            opaques: Vec::new(),
            systems: Vec::new(),
            system_numbers: Map::default(),
            with_identities: Map::default(),
            fixpoints: Map::default(),
            closures: Lossy::default(),
            label_sums: Map::default(),
            label_compositions: Map::default(),
            keys: Keys::default(),
            expression_keys: Keys::default(),
            rows: Map::default(),
            row_pairs: Vec::new(),
            frames: Vec::new(),
            depth: 0,
            edges: Vec::new(),
            pieces: Vec::new(),
            undefined: BTreeSet::new(),
            round_limit: plait_program::FIXPOINT_LIMIT,
            in_rounds: false,
            charged: 0,
        };
        let zero = homs.intern(Term::Zero);
        let id = homs.intern(Term::Id);
        debug_assert_eq!((zero, id), (Hom::ZERO, Hom::ID));
        homs
    }

    /// Statements that were undefined on some path that really came there, so far.
    pub fn undefined_statements(&self) -> &BTreeSet<u32> {
        &self.undefined
    }

    /// Charges the budget for what the tables have grown by, and looks at it then: terms made on the
    /// way may be many, thousands for one step where variables have thousands of values.
    #[inline]
    fn charge(&mut self, dd: &mut Manager) -> Result<(), Stop> {
        let terms = self.terms.len() + self.pool.len();
        let entries = terms + self.rows.len() + self.row_pairs.len();
        if entries < self.charged + ENTRIES {
            return Ok(());
        }
        dd.charge(((entries - self.charged) * ENTRY) as isize);
        self.charged = entries;
        dd.look_now()
    }

    /// Whether sets are closed in rounds (`rounds`) from now on: the same sets, found otherwise.
    pub fn close_in_rounds(&mut self, rounds: bool) {
        self.in_rounds = rounds;
    }

    /// Rounds after which a fixpoint that is iterated is given up.
    pub fn set_round_limit(&mut self, rounds: u64) {
        self.round_limit = rounds;
    }
}

#[cfg(test)]
mod tests;
