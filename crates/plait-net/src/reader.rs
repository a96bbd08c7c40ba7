//! PNML (ISO/IEC 15909-2): which element may stand where in a place/transition net, and what it says.
//!
//! It knows the elements of the standard and what common tools add to them, and declines the rest: other
//! types of net, references, inhibitor and reset arcs, capacities, priorities, numbers that are none.
//!
//! The positions that are kept are those of the start tags of nodes, arcs, units and the net.

use std::io::Read;

use crate::net::{connect, Arc, Net, Owner, Position, Symbols, MOST};
use crate::scan::{Declined, Scanner, Token};
use crate::units::Section;

type Result<T> = std::result::Result<T, Declined>;

/// How reading a document ended.
pub enum Reading {
    /// With a net.
    Net(Box<Net>),
    /// With something that is wrong or not known here.
    Declined,
    /// Nobody wanted to go on.
    Stopped,
}

/// Reads a document; `go_on` is asked now and then.
pub fn read(source: &mut dyn Read, go_on: &mut dyn FnMut() -> bool) -> Reading {
    let mut stopped = false;
    let mut watched = || {
        stopped = stopped || !go_on();
        !stopped
    };
    let found = Reader::new(source, &mut watched).document();
    match found {
        _ if stopped => Reading::Stopped,
        Ok(net) => Reading::Net(Box::new(net)),
        Err(Declined) => Reading::Declined,
    }
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    net: Option<Net>,
    symbols: Symbols,
    arcs: Vec<Arc>,
    /// The place, transition or arc that is open.
    id: String,
    position: Position,
    /// Its human name, and other labels.
    title: String,
    label: Option<String>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a mut dyn Read, go_on: &'a mut dyn FnMut() -> bool) -> Reader<'a> {
        Reader {
            scanner: Scanner::new(source, go_on),
            net: None,
            symbols: Symbols::new(),
            arcs: Vec::new(),
            id: String::new(),
            position: Position::default(),
            title: String::new(),
            label: None,
        }
    }

    fn document(mut self) -> Result<Net> {
        if self.scanner.next()? != Token::Start || self.scanner.name() != b"pnml" {
            return Err(Declined);
        }
        while self.scanner.next()? == Token::Start {
            match self.scanner.name() {
                b"graphics" | b"toolspecific" | b"documentation" => self.scanner.skip()?,
                b"name" => self.title()?,
                b"net" => self.net()?,
                _ => return Err(Declined),
            }
        }
        if self.scanner.next()? != Token::Finished {
            return Err(Declined);
        }
        let mut net = self.net.ok_or(Declined)?;
        connect(&mut net, &self.symbols, &self.arcs)?;
        if let Some(section) = &net.units {
            let place = |name: &str| self.symbols.place(name);
            let groups = section.groups(net.places.len(), place);
            net.groups = Some(groups.ok_or(Declined)?);
        }
        Ok(net)
    }

    fn net(&mut self) -> Result<()> {
        if self.net.is_some() || !self.scanner.attribute(b"type").is_none_or(is_plain) {
            return Err(Declined);
        }
        let name = self
            .scanner
            .attribute(b"id")
            .unwrap_or("")
            .trim()
            .to_owned();
        if !name.is_ascii() {
            return Err(Declined); // about what a space is there are opinions
        }
        self.net = Some(Net {
            name,
            position: self.scanner.position(),
            ..Net::default()
        });
        self.pages()
    }

    /// What stands inside a net, pages or not.
    fn pages(&mut self) -> Result<()> {
        let mut depth = 1usize;
        while depth > 0 {
            if self.scanner.next()? != Token::Start {
                depth -= 1;
                continue;
            }
            match self.scanner.name() {
                b"place" => self.place()?,
                b"transition" => self.transition()?,
                b"arc" => self.arc()?,
                b"page" => depth += 1,
                b"name" => self.title()?,
                b"toolspecific" if self.scanner.attribute(b"tool") == Some("nupn") => {
                    self.units()?;
                }
                b"graphics" | b"toolspecific" | b"documentation" | b"token" | b"labels"
                | b"finalmarkings" => self.scanner.skip()?,
                _ => return Err(Declined),
            }
        }
        Ok(())
    }

    fn units(&mut self) -> Result<()> {
        let section = Section::read(&mut self.scanner)?;
        let net = self.net.as_mut().ok_or(Declined)?;
        if let Some(section) = section {
            if net.units.is_some() {
                return Err(Declined);
            }
            net.units = Some(section);
        }
        Ok(())
    }

    // --- nodes and arcs -------------------------------------------------------------------------

    fn open(&mut self) {
        self.id.clear();
        self.id
            .push_str(self.scanner.attribute(b"id").unwrap_or(""));
        self.position = self.scanner.position();
        self.title.clear();
        self.label = None;
    }

    fn place(&mut self) -> Result<()> {
        self.open();
        let timed: [&[u8]; 2] = [b"invariant", b"initialMarking"];
        if self.id.is_empty() || timed.iter().any(|a| self.scanner.attribute(a).is_some()) {
            return Err(Declined);
        }
        while self.scanner.next()? == Token::Start {
            match self.scanner.name() {
                b"name" => self.title()?,
                b"initialMarking" => self.label()?,
                b"graphics" | b"toolspecific" | b"documentation" => self.scanner.skip()?,
                _ => return Err(Declined),
            }
        }
        let tokens = self.natural(0, 0)?;
        let net = self.net.as_mut().ok_or(Declined)?;
        let number = u32::try_from(net.places.len()).map_err(|_| Declined)?;
        self.symbols.declare(&self.id, Owner::Place(number))?;
        net.places
            .push(&self.id, stripped(&self.title), self.position);
        net.tokens.push(tokens);
        Ok(())
    }

    fn transition(&mut self) -> Result<()> {
        self.open();
        if self.id.is_empty() {
            return Err(Declined);
        }
        while self.scanner.next()? == Token::Start {
            match self.scanner.name() {
                b"name" => self.title()?,
                b"graphics" | b"toolspecific" | b"documentation" | b"orientation" | b"rate"
                | b"infiniteServer" => self.scanner.skip()?,
                _ => return Err(Declined),
            }
        }
        let net = self.net.as_mut().ok_or(Declined)?;
        let number = u32::try_from(net.events.len()).map_err(|_| Declined)?;
        self.symbols.declare(&self.id, Owner::Event(number))?;
        net.events
            .push(&self.id, stripped(&self.title), self.position);
        Ok(())
    }

    fn arc(&mut self) -> Result<()> {
        self.open();
        let mut test = match self.scanner.attribute(b"type") {
            Some(kind) => Some(is_test(kind)?),
            None => None,
        };
        let end = |name| self.scanner.attribute(name).ok_or(Declined);
        let source = self.symbols.number(end(b"source")?)?;
        let target = self.symbols.number(end(b"target")?)?;
        if !self.id.is_empty() {
            self.symbols.declare(&self.id, Owner::Arc)?;
        }
        let mut weight = 1;
        let mut weighed = false;
        let mut kinds = 0;
        while self.scanner.next()? == Token::Start {
            match self.scanner.name() {
                b"name" => self.title()?,
                b"inscription" if !weighed => {
                    self.label()?;
                    weight = self.natural(1, 1)?;
                    weighed = true;
                    self.label = None;
                }
                b"type" | b"arctype" if kinds == 0 => {
                    self.label()?;
                    let said = is_test(self.label.take().as_deref().unwrap_or_default())?;
                    if *test.get_or_insert(said) != said {
                        return Err(Declined);
                    }
                    kinds += 1;
                }
                b"graphics" | b"toolspecific" | b"documentation" | b"arcpath" | b"tagged" => {
                    self.scanner.skip()?;
                }
                _ => return Err(Declined),
            }
        }
        self.arcs.push(Arc {
            source,
            target,
            weight,
            test: test.unwrap_or(false),
            position: self.position,
        });
        Ok(())
    }

    // --- labels ---------------------------------------------------------------------------------

    /// A human name: its last text.
    fn title(&mut self) -> Result<()> {
        while self.scanner.next()? == Token::Start {
            if matches!(self.scanner.name(), b"text" | b"value") {
                self.title.clear();
                self.title.push_str(self.scanner.text()?);
            } else {
                self.scanner.skip()?;
            }
        }
        Ok(())
    }

    /// A label with one text, or with a value as its attribute.
    fn label(&mut self) -> Result<()> {
        if self.label.is_some() {
            return Err(Declined);
        }
        self.label = self.scanner.attribute(b"value").map(str::to_owned);
        while self.scanner.next()? == Token::Start {
            match self.scanner.name() {
                b"text" | b"value" if self.label.is_none() => {
                    self.label = Some(self.scanner.text()?.to_owned());
                }
                b"graphics" | b"toolspecific" | b"documentation" => self.scanner.skip()?,
                _ => return Err(Declined),
            }
        }
        if self.label.is_none() {
            return Err(Declined);
        }
        Ok(())
    }

    /// The number in the label that was read, if there was one.
    fn natural(&self, default: i32, least: i32) -> Result<i32> {
        let Some(text) = &self.label else {
            return Ok(default);
        };
        let digits = stripped(text);
        let digits = digits.strip_prefix("Default,").unwrap_or(digits);
        if digits.is_empty() || digits.len() > 10 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Declined);
        }
        let value: i64 = digits.parse().map_err(|_| Declined)?;
        if value > MOST || value < i64::from(least) {
            return Err(Declined);
        }
        Ok(value as i32)
    }
}

/// The text without the white space of XML around it.
fn stripped(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}

/// Whether the type of a net is one of place/transition nets.
fn is_plain(kind: &str) -> bool {
    let kind = kind.trim_matches(' ');
    let last = kind.rsplit(['/', '#']).next().unwrap_or(kind);
    ["ptnet", "pnmlcoremodel"]
        .iter()
        .any(|known| last.eq_ignore_ascii_case(known))
}

/// Whether an arc of this kind only tests.
fn is_test(kind: &str) -> Result<bool> {
    match stripped(kind) {
        "normal" | "ordinary" => Ok(false),
        "test" | "read" => Ok(true),
        _ => Err(Declined),
    }
}
