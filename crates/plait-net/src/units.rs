//! The section of a nested-unit Petri net (`<toolspecific tool="nupn">`), as it stands in the file.
//!
//! A section may name anything; one that contradicts itself or the net is declined.

use plait_program::mix::MixedMap;

use crate::net::{Names, Position};
use crate::paths::Groups;
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

    /// The unit above each unit, those above first, and the unit of each place, of so many; none unless
    /// every place is in one unit, and every unit once in the tree of the root.
    pub(crate) fn groups(
        &self,
        places: usize,
        place: impl Fn(&str) -> Option<u32>,
    ) -> Option<Groups> {
        let announced = self.count.as_ref().map(|count| count.trim_ascii());
        if announced.is_some_and(|count| count != self.units.len().to_string()) {
            return None;
        }
        let named: MixedMap<&str, usize> = (self.units.iter().enumerate())
            .map(|(number, unit)| (unit.name.as_str(), number))
            .collect();
        let mut members = vec![None; places];
        let mut parents = Vec::with_capacity(self.units.len());
        let mut seen = vec![false; self.units.len()];
        let mut stack = vec![(*named.get(self.root.as_str())?, None)];
        let mut left = places;
        while let Some((number, parent)) = stack.pop() {
            if std::mem::replace(&mut seen[number], true) {
                return None;
            }
            let (unit, here) = (&self.units[number], parents.len() as u32);
            parents.push(parent);
            for name in unit.places.iter() {
                let member = &mut members[place(name)? as usize];
                if member.replace(here).is_some() {
                    return None;
                }
                left -= 1;
            }
            let first = stack.len();
            for name in unit.units.iter() {
                stack.push((*named.get(name)?, Some(here)));
            }
            stack[first..].reverse();
        }
        let is_whole = parents.len() == self.units.len() && left == 0;
        is_whole.then_some((parents, members))
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
