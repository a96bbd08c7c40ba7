//! Place/transition nets as they stand in files.
//!
//! A net of the contest has up to a million arcs, and a language that makes an object of each of them
//! needs longer to read it than saturation needs to count its states. So the files that most tools
//! write are read here, in one pass over their bytes, to a [`Net`]: a few flat arrays.
//!
//! | module | job |
//! |---|---|
//! | `scan`, `characters` | well-formed XML as tags and texts, with their lines and columns |
//! | `reader` | PNML: which element may stand where, and what it says |
//! | `units` | the section of a nested-unit net |
//! | `net` | the net, put together from places, transitions and arcs |
//! | `settle` | what a net is without its constant places and impossible events |
//! | `program` | the net compiled |
//! | `paths` | groups of places by their names |
//! | `cover` | whether markings can be covered, by backward search |
//!
//! The reader is *strict*: what it does not know by heart it declines ([`Declined`]), be it wrong or only
//! rare. Whoever asked then reads the file in the way that knows everything and says what is wrong.
//! So there is no error message here, and no leniency.

mod characters;
pub mod cover;
mod net;
mod paths;
mod program;
mod reader;
mod scan;
mod settle;
mod units;

pub use net::{Effect, Names, Net, Nodes, Position};
pub use paths::{groups, Groups};
pub use reader::{read, Reading};
pub use scan::Declined;
pub use settle::Settled;
pub use units::{Section, Unit};

#[cfg(test)]
mod tests;
