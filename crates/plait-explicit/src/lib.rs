//! Explicit-state search over a compiled program.
//!
//! | module | job |
//! |---|---|
//! | `layout` | states bit-packed into words, each cell as wide as its values have needed so far |
//! | `repacking` | records moved from one layout to another |
//! | `segments` | growing vectors that never move what they hold |
//! | `table`, `sync` | the hash index over records, with tags in its spare bits, without locks |
//! | `hash` | hashing of records |
//! | `store` | the set of states: layout, records and index together |
//! | `growth` | what happens to it when a value does not fit |
//! | `form`, `pairs`, `queue` | states in fewer bytes: trees, fingerprints, bits |
//! | `collapse`, `collapsing` | wide states as the numbers of their parts, and when |
//! | `automaton`, `automaton_nodes`, `automaton_node`, `automaton_store` | states as the words of a minimal automaton |
//! | `louds` | the breadth-first tree in two bits a state |
//! | `budget` | time and memory limits, and the observer |
//! | `batch`, `lookup` | successors waiting to be looked up together, and how they are |
//! | `figures` | what is counted on the way |
//! | `plan` | the events laid out for the inner loop |
//! | `shared_titles` | arcs that several events of one title have |
//! | `questions` | goals and bounds |
//! | `explore`, `options` | which search a caller asks for |
//! | `search`, `expand` | what all searches have; the successors of a state |
//! | `breadth_first` | the plain search |
//! | `together`, `crew` | the same search by several threads |
//! | `staged` | the states that they find, before they have numbers |
//! | `depth_together`, `depth_worker` | depth-first search by several threads |
//! | `shared`, `pool` | their store, and how they pass on work |
//! | `claims_proviso` | persistent sets there |
//! | `reduction` | the parts of a partial-order reduction |
//! | `components` | depth-first search with the proviso of components |
//! | `reduced`, `choice` | depth-first search, and both orders with these parts; which events of a state are executed |
//! | `enabled`, `fired` | the enabled events of a state; the successors of those that were tried |
//! | `linear` | linear time: is there a run that an automaton accepts |
//! | `buchi`, `kripke`, `arcs` | the automaton and its letters; the graph of the program, found as it is asked for |
//! | `emptiness`, `lasso` | accepting components of their product; a short run out of one |
//! | `marks` | which states or nodes something has happened to |
//! | `nested` | nested depth-first search of the same product |
//! | `movers` | weak fairness: who moves by which event |
//! | `ample` | events that are enough for a formula that does not see repetitions |
//! | `deepening`, `caching` | iterative deepening, and depth-first search with a bounded cache |
//! | `independence` | claimed independences tested on visited states |
//! | `checkpoint`, `saved` | a search written to disk, and back |
//! | `tier` | when events are compiled |
//! | `tree` | where each state was found from |
//! | `walk`, `walker`, `sought` | random walks, which store nothing, and what they look for |
//! | `failing`, `members` | the enabled events of a walk, kept up as cells change |
//! | `directed`, `directed_net` | search of a plain net for one goal, and the two as it sees them |
//! | `token_cost`, `sparse_markings` | how far its markings are from the goal; how they are stored |
//! | `formula_table`, `local`, `local_states`, `local_graph` | CTL on as few states as decide it |
//! | `pages` | labels and arcs of those states |
//! | `exploration` | its result: figures, states, traces |

mod ample;
mod arcs;
mod automaton;
mod automaton_node;
mod automaton_nodes;
mod automaton_store;
mod batch;
mod breadth_first;
mod buchi;
pub mod budget;
mod caching;
mod checkpoint;
mod choice;
mod claims_proviso;
mod collapse;
mod collapsing;
mod components;
mod crew;
mod deepening;
mod depth_together;
mod depth_worker;
mod directed;
mod directed_net;
mod emptiness;
mod enabled;
mod expand;
mod exploration;
mod explore;
mod failing;
pub mod figures;
mod fired;
mod form;
mod formula_table;
mod growth;
mod guide;
pub mod hash;
mod independence;
mod kripke;
mod lasso;
pub mod layout;
mod linear;
mod local;
mod local_graph;
mod local_states;
mod lookup;
pub mod louds;
mod marking;
mod marks;
mod members;
mod movers;
mod nested;
mod options;
mod pages;
mod pairs;
mod plan;
mod planned;
mod pool;
mod questions;
mod queue;
mod reduced;
mod reduction;
mod repacking;
mod run_walk;
mod saved;
mod search;
pub mod segments;
mod shared;
mod shared_titles;
mod sought;
mod sparse_markings;
mod staged;
pub mod store;
mod successors;
mod sync;
pub mod table;
mod tier;
mod together;
mod token_cost;
mod tree;
mod walk;
mod walker;

pub use buchi::{Buchi, BuchiArc};
pub use budget::{Observer, Progress, Reason, Unobserved};
pub use checkpoint::{Place, Unusable};
pub use directed::{directed, Directed, DirectedOptions};
pub use directed_net::{DirectedEvent, DirectedGoal, DirectedNet, GoalNode, NoNet};
pub use exploration::{Exploration, Step};
pub use explore::{explore, explore_from};
pub use figures::Figures;
pub use form::Form;
pub use formula_table::{FormulaTable, NoFormula, Operator, Quantified, Until};
pub use lasso::Lasso;
pub use linear::{linear, Linear, LinearError, LinearOptions, Verdict};
pub use local::decide;
pub use local_graph::LocalGraph;
pub use movers::Movers;
pub use options::{Options, Order, ALONE};
pub use reduction::{Disturbance, Monitors, ReducedFigures, Reduction};
pub use run_walk::{run_walk, Unable, Walked};
pub use saved::Saved;
pub use tier::{Compiled, Successors};
pub use walk::{walk, Found, WalkOptions, Walks};

#[cfg(test)]
mod cached_tests;
#[cfg(test)]
mod checkpoint_tests;
#[cfg(test)]
mod collapse_tests;
#[cfg(test)]
mod depth_together_tests;
#[cfg(test)]
mod directed_tests;
#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod linear_tests;
#[cfg(test)]
mod local_tests;
#[cfg(test)]
mod memory_tests;
#[cfg(test)]
mod provisos_tests;
#[cfg(test)]
mod reduced_tests;
#[cfg(test)]
mod run_walk_tests;
#[cfg(test)]
mod searches_tests;
#[cfg(test)]
mod shared_tests;
#[cfg(test)]
mod staged_tests;
#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tier_tests;
#[cfg(test)]
mod together_tests;
#[cfg(test)]
mod walk_tests;
