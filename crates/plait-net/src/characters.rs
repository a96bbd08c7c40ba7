//! The characters of a document: where blanks and names end, which are sound, what entities stand for.

use memchr::memchr2;

use crate::scan::{Declined, Result};

const ENTITIES: [(&[u8], char); 5] = [
    (b"amp;", '&'),
    (b"lt;", '<'),
    (b"gt;", '>'),
    (b"quot;", '"'),
    (b"apos;", '\''),
];

/// Where the blanks end that begin there, at the latest at the end of the buffer.
pub(crate) fn spaces_end(buffer: &[u8], mut at: usize) -> usize {
    while matches!(buffer.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// Where the name ends that begins there, or nothing when the buffer ends before. Prefixes are for
/// attributes only.
pub(crate) fn name_end(buffer: &[u8], start: usize, prefixed: bool) -> Result<Option<usize>> {
    let mut at = start;
    loop {
        match buffer.get(at) {
            None => return Ok(None),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => {}
            Some(b'0'..=b'9' | b'-' | b'.') if at > start => {}
            Some(b':') if at > start && prefixed => {}
            Some(_) if at == start => return Err(Declined),
            Some(_) => return Ok(Some(at)),
        }
        at += 1;
    }
}

/// Nothing but characters that XML knows, in UTF-8 or ASCII; ends of lines as one `\n` or `\r\n`.
pub(crate) fn sound(text: &[u8], ascii: bool) -> Result<()> {
    let mut control = false;
    let mut high = false;
    for byte in text {
        control |= *byte < 0x20 && *byte != b'\n' && *byte != b'\t';
        high |= *byte >= 0x80;
    }
    if control {
        for (i, byte) in text.iter().enumerate() {
            let ends_line = *byte == b'\r' && text.get(i + 1) == Some(&b'\n');
            if *byte < 0x20 && !matches!(byte, b'\n' | b'\t') && !ends_line {
                return Err(Declined);
            }
        }
    }
    if high && ascii {
        return Err(Declined);
    }
    if high {
        let text = std::str::from_utf8(text).map_err(|_| Declined)?;
        if text.contains(['\u{FFFE}', '\u{FFFF}']) {
            return Err(Declined);
        }
    }
    Ok(())
}

/// Appends the characters that the text stands for.
pub(crate) fn decode(text: &[u8], to: &mut String) -> Result<()> {
    let plain = memchr2(b'&', b'\r', text).is_none();
    let text = std::str::from_utf8(text).map_err(|_| Declined)?;
    if plain {
        to.push_str(text);
        return Ok(());
    }
    let mut pieces = text.split('&');
    let mut piece = pieces.next().unwrap_or_default();
    loop {
        to.extend(piece.split("\r\n").enumerate().flat_map(|(i, line)| {
            let end = if i == 0 { "" } else { "\n" };
            [end, line]
        }));
        let Some(next) = pieces.next() else {
            return Ok(());
        };
        let mut known = ENTITIES.iter();
        let found = known.find(|(name, _)| next.as_bytes().starts_with(name));
        let (name, character) = found.ok_or(Declined)?;
        to.push(*character);
        piece = &next[name.len()..];
    }
}
