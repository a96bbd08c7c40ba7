//! The section of a nested-unit Petri net (`<toolspecific tool="nupn">`), as it stands in the file.
//!
//! What the units say of the net is not checked here: a section may name anything.

use crate::net::{Names, Position};
use crate::scan::{Declined, Scanner, Token};

/// A unit: its places and the units below it, by name.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub position: Position,
    /// Its local places.
    pub places: Names,
    /// The units below it.
    pub units: Names,
}

/// The section.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The name of the root.
    pub root: String,
    /// Whether the file says that the net is safe.
    pub safe: bool,
    /// How many units it announces, as it says so.
    pub count: Option<String>,
    /// Where the structure stands.
    pub position: Position,
    /// The units.
    pub units: Vec<Unit>,
}

impl Section {
    /// Reads the section whose tag was just opened; none when it holds no structure.
    pub(crate) fn read(scanner: &mut Scanner<'_>) -> Result<Option<Section>, Declined> {
        let mut found = None;
        while scanner.next()? == Token::Start {
            match scanner.name() {
                b"size" => scanner.skip()?,
                b"structure" if found.is_none() => found = Some(structure(scanner)?),
                _ => return Err(Declined),
            }
        }
        Ok(found)
    }
}

fn structure(scanner: &mut Scanner<'_>) -> Result<Section, Declined> {
    let mut section = Section {
        root: scanner.attribute(b"root").ok_or(Declined)?.to_owned(),
        safe: scanner.attribute(b"safe") == Some("true"),
        count: scanner.attribute(b"units").map(str::to_owned),
        position: scanner.position(),
        units: Vec::new(),
    };
    while scanner.next()? == Token::Start {
        if scanner.name() != b"unit" {
            return Err(Declined);
        }
        section.units.push(unit(scanner)?);
    }
    Ok(section)
}

fn unit(scanner: &mut Scanner<'_>) -> Result<Unit, Declined> {
    let mut unit = Unit {
        name: scanner.attribute(b"id").unwrap_or("").to_owned(),
        position: scanner.position(),
        ..Unit::default()
    };
    while scanner.next()? == Token::Start {
        let list = match scanner.name() {
            b"places" => &mut unit.places,
            b"subunits" => &mut unit.units,
            _ => return Err(Declined),
        };
        let text = scanner.text()?;
        if !text.is_ascii() {
            return Err(Declined); // about what a space is there are opinions
        }
        text.split_ascii_whitespace()
            .for_each(|name| list.push(name));
    }
    if unit.name.is_empty() || (unit.places.is_empty() && unit.units.is_empty()) {
        return Err(Declined);
    }
    Ok(unit)
}
