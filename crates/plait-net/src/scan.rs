//! XML as a stream of tags and texts, for documents that are plain and well-formed.
//!
//! After XML 1.0, fifth edition, in the part of it that tools write: UTF-8 (or Latin-1 as far
//! as that is the same), names of ASCII letters, the five predefined entities. Everything else is [`Declined`], and so is everything that is not
//! well-formed; a document that was not declined is well-formed. No tree is built, and of the document
//! only one token is in memory at a time.

use std::io::{ErrorKind, Read};

use memchr::{memchr, memchr_iter, memmem};

use crate::characters::{decode, name_end, sound, spaces_end};
use crate::net::Position;

/// The document is wrong, or says something that is not known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declined;

pub(crate) type Result<T> = std::result::Result<T, Declined>;

const CHUNK: usize = 1 << 18;
/// Tags and texts that are longer are declined, so that memory has a bound.
const LONGEST: usize = 1 << 24;
/// Elements that are nested deeper are declined.
const DEEPEST: usize = 1000;
const MOST_ATTRIBUTES: usize = 32;
/// What comes next in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A start tag; its name, attributes and position can be asked for.
    Start,
    /// The end of the innermost open element.
    End,
    /// The end of the document.
    Finished,
}

/// Reads a document token by token.
pub(crate) struct Scanner<'a> {
    source: &'a mut dyn Read,
    /// Asked before each piece is read: whether to go on.
    go_on: &'a mut dyn FnMut() -> bool,
    buffer: Vec<u8>,
    /// Where the next token begins.
    at: usize,
    ended: bool,
    begun: bool,
    /// The document is in an encoding that has ASCII in common with UTF-8, and no more.
    ascii: bool,
    /// The start tag that was read last.
    tag: usize,
    name: (usize, usize),
    attributes: Vec<Attribute>,
    values: String,
    /// The last start tag ended itself: its end comes next.
    empty: bool,
    /// A place in the buffer whose line and column are known.
    mark: (usize, Position),
    /// The names of the open elements, one after the other, and where each begins.
    open: Vec<u8>,
    starts: Vec<usize>,
    text: String,
    keeps: bool,
}

struct Attribute {
    name: (usize, usize),
    value: (usize, usize),
    /// Where the value is in `values`, when it had entities.
    decoded: bool,
}

impl<'a> Scanner<'a> {
    pub fn new(source: &'a mut dyn Read, go_on: &'a mut dyn FnMut() -> bool) -> Scanner<'a> {
        Scanner {
            source,
            go_on,
            buffer: Vec::new(),
            at: 0,
            ended: false,
            begun: false,
            ascii: false,
            tag: 0,
            name: (0, 0),
            attributes: Vec::new(),
            values: String::new(),
            empty: false,
            mark: (0, Position { line: 1, column: 1 }),
            open: Vec::new(),
            starts: Vec::new(),
            text: String::new(),
            keeps: false,
        }
    }

    // --- what the last token was ----------------------------------------------------------------

    /// The name of the start tag.
    pub fn name(&self) -> &[u8] {
        &self.buffer[self.name.0..self.name.1]
    }

    /// The value of an attribute of the start tag.
    pub fn attribute(&self, name: &[u8]) -> Option<&str> {
        let found = self.attributes.iter();
        let mut found = found.filter(|a| &self.buffer[a.name.0..a.name.1] == name);
        let a = found.next()?;
        if a.decoded {
            Some(&self.values[a.value.0..a.value.1])
        } else {
            std::str::from_utf8(&self.buffer[a.value.0..a.value.1]).ok()
        }
    }

    /// Line and column of the start tag, from 1; columns count characters.
    pub fn position(&mut self) -> Position {
        self.advance(self.tag);
        self.mark.1
    }

    fn advance(&mut self, to: usize) {
        let (from, mut position) = self.mark;
        let mut rest = &self.buffer[from..to];
        let lines = memchr_iter(b'\n', rest).count();
        if lines > 0 {
            position.line += lines as u32;
            position.column = 1;
            let last = memchr::memrchr(b'\n', rest).map_or(0, |i| i + 1);
            rest = &rest[last..];
        }
        let characters = rest.iter().filter(|b| (**b & 0xC0) != 0x80).count();
        position.column += characters as u32;
        self.mark = (to, position);
    }

    // --- whole elements -------------------------------------------------------------------------

    /// The text of the element that was just opened, which must have no element inside.
    pub fn text(&mut self) -> Result<&str> {
        self.text.clear();
        self.keeps = true;
        let token = self.next();
        self.keeps = false;
        match token? {
            Token::End => Ok(&self.text),
            _ => Err(Declined),
        }
    }

    /// Goes behind the end of the element that was just opened.
    pub fn skip(&mut self) -> Result<()> {
        let mut depth = 1usize;
        while depth > 0 {
            match self.next()? {
                Token::Start => depth += 1,
                Token::End => depth -= 1,
                Token::Finished => return Err(Declined),
            }
        }
        Ok(())
    }

    // --- tokens ---------------------------------------------------------------------------------

    pub fn next(&mut self) -> Result<Token> {
        if self.empty {
            self.empty = false;
            return self.close();
        }
        if !self.begun {
            self.declaration()?;
        }
        loop {
            if !self.skip_blank() {
                let Some(start) = self.find(|rest| memchr(b'<', rest))? else {
                    return self.finish();
                };
                self.characters(self.at, start)?;
                self.at = start;
            }
            match self.byte(1)? {
                b'!' => self.comment()?,
                b'/' => return self.end_tag(),
                _ => return self.start_tag(),
            }
        }
    }

    /// Goes to the next tag where nothing but blanks, which nobody keeps, stands before it and all of
    /// that is in the buffer; whether it did.
    fn skip_blank(&mut self) -> bool {
        let rest = &self.buffer[self.at..];
        let blank = |b: &u8| matches!(b, b' ' | b'\n' | b'\t');
        let Some(start) = rest.iter().position(|b| !blank(b)) else {
            return false;
        };
        let skips = rest[start] == b'<' && (start == 0 || !self.keeps);
        if skips {
            self.at += start;
        }
        skips
    }

    fn finish(&mut self) -> Result<Token> {
        self.characters(self.at, self.buffer.len())?;
        self.at = self.buffer.len();
        if self.starts.is_empty() && !self.open.is_empty() {
            Ok(Token::Finished)
        } else {
            Err(Declined)
        }
    }

    /// `<?xml version="1.0" encoding="UTF-8"?>`, which need not be there.
    fn declaration(&mut self) -> Result<()> {
        self.begun = true;
        while !self.ended && self.buffer.len() < 6 {
            self.fill()?;
        }
        if !self.buffer.starts_with(b"<?xml ") {
            return Ok(());
        }
        let end = self.find(|rest| memmem::find(rest, b"?>"))?;
        let end = end.ok_or(Declined)?;
        let text = std::str::from_utf8(&self.buffer[6..end]).map_err(|_| Declined)?;
        if text.contains('\'') && text.contains('"') {
            return Err(Declined);
        }
        let text = text.replace('\'', "\"");
        let mut parts = text.split(' ').filter(|part| !part.is_empty());
        let mut next = parts.next();
        if next != Some("version=\"1.0\"") {
            return Err(Declined);
        }
        next = parts.next();
        let encoding = next.and_then(|part| part.strip_prefix("encoding="));
        if let Some(encoding) = encoding {
            match encoding.to_ascii_lowercase().as_str() {
                "\"utf-8\"" => {}
                "\"iso-8859-1\"" | "\"us-ascii\"" => self.ascii = true,
                _ => return Err(Declined),
            }
            next = parts.next();
        }
        if matches!(next, Some("standalone=\"yes\"" | "standalone=\"no\"")) {
            next = parts.next();
        }
        if next.is_some() {
            return Err(Declined);
        }
        self.at = end + 2;
        Ok(())
    }

    fn comment(&mut self) -> Result<()> {
        if self.byte(2)? != b'-' || self.byte(3)? != b'-' {
            return Err(Declined); // a document type, or a section of characters
        }
        self.at += 4;
        let end = self.find(|rest| memmem::find(rest, b"--"))?;
        let end = end.ok_or(Declined)?;
        sound(&self.buffer[self.at..end], self.ascii)?;
        self.at = end;
        if self.byte(2)? != b'>' {
            return Err(Declined);
        }
        self.at += 3;
        Ok(())
    }

    fn end_tag(&mut self) -> Result<Token> {
        let start = *self.starts.last().ok_or(Declined)?;
        let (name, rest) = (&self.open[start..], &self.buffer[self.at + 2..]);
        if rest.starts_with(name) && rest.get(name.len()) == Some(&b'>') {
            self.at += 2 + name.len() + 1;
            return self.close();
        }
        let end = self.find(|rest| memchr(b'>', rest))?.ok_or(Declined)?;
        sound(&self.buffer[self.at..end], self.ascii)?;
        let inside = self.buffer[self.at + 2..end].trim_ascii_end();
        if inside != &self.open[start..] {
            return Err(Declined);
        }
        self.at = end + 1;
        self.close()
    }

    fn close(&mut self) -> Result<Token> {
        let start = self.starts.pop().ok_or(Declined)?;
        // The name of the root stays: it tells that there was one.
        if start > 0 {
            self.open.truncate(start);
        }
        Ok(Token::End)
    }

    fn start_tag(&mut self) -> Result<Token> {
        if self.starts.is_empty() && !self.open.is_empty() || self.starts.len() >= DEEPEST {
            return Err(Declined);
        }
        let end = loop {
            match self.whole_tag()? {
                Some(end) => break end,
                None if self.ended => return Err(Declined),
                // What was read of the tag is read again with the rest of it.
                None => self.fill()?,
            }
        };
        self.starts.push(self.open.len());
        self.open
            .extend_from_slice(&self.buffer[self.name.0..self.name.1]);
        self.at = end + 1;
        Ok(Token::Start)
    }

    /// Reads the start tag at `self.at`; where it ends, or nothing when the buffer ends before.
    fn whole_tag(&mut self) -> Result<Option<usize>> {
        self.tag = self.at;
        self.empty = false;
        self.attributes.clear();
        self.values.clear();
        let Some(end) = name_end(&self.buffer, self.tag + 1, false)? else {
            return Ok(None);
        };
        self.name = (self.tag + 1, end);
        let mut at = end;
        loop {
            let begin = spaces_end(&self.buffer, at);
            match self.buffer.get(begin) {
                None => return Ok(None),
                Some(b'>') => {
                    at = begin;
                    break;
                }
                Some(b'/') => match self.buffer.get(begin + 1) {
                    None => return Ok(None),
                    Some(b'>') => {
                        self.empty = true;
                        at = begin + 1;
                        break;
                    }
                    Some(_) => return Err(Declined),
                },
                Some(_) if begin == at => return Err(Declined),
                Some(_) => match self.read_attribute(begin)? {
                    None => return Ok(None),
                    Some(end) => at = end,
                },
            }
        }
        // Names and values were looked at byte by byte; what stands between them is blank.
        if memchr(b'\r', &self.buffer[self.tag..at]).is_some() {
            sound(&self.buffer[self.tag..at], self.ascii)?;
        }
        Ok(Some(at))
    }

    /// `name="value"` at `begin`; where it ends, or nothing when the buffer ends before.
    fn read_attribute(&mut self, begin: usize) -> Result<Option<usize>> {
        let Some(end) = name_end(&self.buffer, begin, true)? else {
            return Ok(None);
        };
        let name = (begin, end);
        let known = &self.buffer[name.0..name.1];
        let mut others = self.attributes.iter();
        if others.any(|a| &self.buffer[a.name.0..a.name.1] == known)
            || self.attributes.len() >= MOST_ATTRIBUTES
        {
            return Err(Declined);
        }
        let equals = spaces_end(&self.buffer, name.1);
        match self.buffer.get(equals) {
            None => return Ok(None),
            Some(b'=') => {}
            Some(_) => return Err(Declined),
        }
        let start = spaces_end(&self.buffer, equals + 1) + 1;
        let quote = match self.buffer.get(start - 1) {
            None => return Ok(None),
            Some(quote @ (b'"' | b'\'')) => *quote,
            Some(_) => return Err(Declined),
        };
        let (mut end, mut entities, mut high) = (start, false, false);
        loop {
            match self.buffer.get(end) {
                None => return Ok(None),
                Some(byte) if *byte == quote => break,
                Some(b'<' | ..=0x1F) => return Err(Declined),
                Some(byte) => {
                    entities |= *byte == b'&';
                    high |= *byte >= 0x80;
                }
            }
            end += 1;
        }
        let value = &self.buffer[start..end];
        if high {
            sound(value, self.ascii)?;
        }
        let mut attribute = Attribute {
            name,
            value: (start, end),
            decoded: false,
        };
        if entities {
            let from = self.values.len();
            decode(value, &mut self.values)?;
            attribute.value = (from, self.values.len());
            attribute.decoded = true;
        }
        self.attributes.push(attribute);
        Ok(Some(end + 1))
    }

    /// The characters between two tags.
    fn characters(&mut self, from: usize, to: usize) -> Result<()> {
        let text = &self.buffer[from..to];
        if text.is_empty() {
            return Ok(());
        }
        if self.starts.is_empty() {
            let blank = text
                .iter()
                .all(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
            return if blank {
                sound(text, self.ascii)
            } else {
                Err(Declined)
            };
        }
        sound(text, self.ascii)?;
        if memchr(b']', text).is_some() && memmem::find(text, b"]]>").is_some() {
            return Err(Declined);
        }
        if self.keeps {
            decode(text, &mut self.text)?;
        } else if memchr(b'&', text).is_some() {
            decode(text, &mut String::new())?;
        }
        Ok(())
    }

    // --- the buffer -----------------------------------------------------------------------------

    /// The byte so far behind the next token's beginning.
    fn byte(&mut self, offset: usize) -> Result<u8> {
        while self.buffer.len() <= self.at + offset {
            if self.ended {
                return Err(Declined);
            }
            self.fill()?;
        }
        Ok(self.buffer[self.at + offset])
    }

    /// Where something is, in what begins at the next token; more is read until it is found.
    fn find(&mut self, search: impl Fn(&[u8]) -> Option<usize>) -> Result<Option<usize>> {
        loop {
            if let Some(found) = search(&self.buffer[self.at..]) {
                return Ok(Some(self.at + found));
            }
            if self.ended {
                return Ok(None);
            }
            self.fill()?;
        }
    }

    /// Reads more, at least doubling what is there of the token; what is done with is dropped.
    fn fill(&mut self) -> Result<()> {
        if !(self.go_on)() {
            return Err(Declined);
        }
        if self.at > 0 {
            self.advance(self.at);
            self.buffer.drain(..self.at);
            self.mark.0 = 0;
            self.at = 0;
        }
        let kept = self.buffer.len();
        if kept > LONGEST {
            return Err(Declined);
        }
        self.buffer.resize(kept + CHUNK.max(kept), 0);
        let mut end = kept;
        while end < self.buffer.len() {
            match self.source.read(&mut self.buffer[end..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(count) => end += count,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Declined),
            }
        }
        self.buffer.truncate(end);
        Ok(())
    }
}
