//! A breadth-first search written to disk, so that it can go on after the process has died.
//!
//! The file is a sequence of 64-bit words, lowest byte first: a magic word, the version of this
//! format, a fingerprint of the program and of what is asked, the state of the search, and a checksum
//! of everything before it. It is written beside the old one, forced to the
//! disk, and then renamed, so that at every moment there is one whole checkpoint. The index is not
//! written: it is made again from the states.
//!
//! Nothing is believed before the checksum of the whole file agrees and the fingerprint is that of
//! the program at hand. A checkpoint that cannot be written is noted, and the search goes on.

use std::fmt::{self, Write as _};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use plait_program::mix::fold;
use plait_program::Program;
use thiserror::Error;

use crate::options::Options;

/// `plaitckp`, as a word.
const MAGIC: u64 = u64::from_le_bytes(*b"plaitckp");
const VERSION: u64 = 1;
/// Words before the content.
const HEADER: u64 = 3;
/// Any odd number with bits everywhere does.
const MULTIPLIER: u64 = 0xd6e8_feb8_6659_fd93;
/// Words between two questions whether to go on: some milliseconds.
pub(crate) const PIECE: u64 = 1 << 16;
/// Writing may take this part of the time.
const SHARE: u32 = 10;

/// What is wrong with a checkpoint.
#[derive(Debug, Error)]
pub enum Unusable {
    /// It could not be read.
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    /// It is no checkpoint at all.
    #[error("this is not a checkpoint")]
    Foreign,
    /// Another version wrote it.
    #[error("version {0} of the format, and this is version {VERSION}")]
    Version(u64),
    /// Its words do not agree with its checksum, or their number is wrong.
    #[error("it is damaged or incomplete")]
    Damaged,
    /// Somebody did not want to wait for it.
    #[error("interrupted")]
    Interrupted,
    /// It is of another search.
    #[error("it belongs to another model, to other properties or to another search")]
    Other,
}

fn mixed(checksum: u64, word: u64) -> u64 {
    fold(checksum ^ word, MULTIPLIER).rotate_left(5) ^ word
}

/// Where and how often to write.
#[derive(Clone, Debug)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// How long to search between two checkpoints, at least; zero is after every state.
    pub interval: Duration,
}

/// Writes words and their checksum.
pub(crate) struct Writer {
    file: BufWriter<File>,
    checksum: u64,
}

impl Writer {
    /// One word.
    pub fn word(&mut self, word: u64) -> io::Result<()> {
        self.checksum = mixed(self.checksum, word);
        self.file.write_all(&word.to_le_bytes())
    }

    /// Some words, and before them how many.
    pub fn list(&mut self, words: impl ExactSizeIterator<Item = u64>) -> io::Result<()> {
        self.word(words.len() as u64)?;
        for word in words {
            self.word(word)?;
        }
        Ok(())
    }
}

/// What writes the state of the search; the error `Interrupted` when there is no time to.
pub(crate) type Content<'c> = dyn FnMut(&mut Writer) -> io::Result<()> + 'c;

fn partial(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// Replaces the checkpoint in a file, or leaves it as it was.
pub(crate) fn write(file: &Path, fingerprint: u64, content: &mut Content<'_>) -> io::Result<()> {
    let beside = partial(file);
    let outcome = write_beside(&beside, fingerprint, content);
    let outcome = outcome.and_then(|()| fs::rename(&beside, file));
    if outcome.is_err() {
        // What is incomplete is of no use, and may fill the disk.
        let _ = fs::remove_file(&beside);
        return outcome;
    }
    // The new name must reach the disk too.
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

fn write_beside(beside: &Path, fingerprint: u64, content: &mut Content<'_>) -> io::Result<()> {
    let mut writer = Writer {
        file: BufWriter::with_capacity(1 << 20, File::create(beside)?),
        checksum: 0,
    };
    for word in [MAGIC, VERSION, fingerprint] {
        writer.word(word)?;
    }
    content(&mut writer)?;
    let checksum = writer.checksum;
    writer.word(checksum)?;
    writer.file.flush()?;
    writer.file.get_ref().sync_all()
}

/// Reads words that have been found whole.
pub(crate) struct Reader {
    file: BufReader<File>,
    left: u64,
}

fn next_word(file: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

impl Reader {
    /// Opens a checkpoint of the search with this fingerprint; `go_on` is asked from time to time.
    pub fn open(
        path: &Path,
        fingerprint: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Reader, Unusable> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut header = [0; HEADER as usize];
        for word in &mut header {
            *word = next_word(&mut file).map_err(truncated)?;
        }
        let [magic, version, made_for] = header;
        if magic != MAGIC {
            return Err(Unusable::Foreign);
        }
        if version != VERSION {
            return Err(Unusable::Version(version));
        }
        if length % 8 != 0 || length / 8 <= HEADER {
            return Err(Unusable::Damaged);
        }
        let count = length / 8 - HEADER - 1;
        let mut checksum = header.iter().fold(0, |sum, word| mixed(sum, *word));
        for index in 0..count {
            if index.is_multiple_of(PIECE) && !go_on() {
                return Err(Unusable::Interrupted);
            }
            checksum = mixed(checksum, next_word(&mut file).map_err(truncated)?);
        }
        if next_word(&mut file).map_err(truncated)? != checksum {
            return Err(Unusable::Damaged);
        }
        if made_for != fingerprint {
            return Err(Unusable::Other);
        }
        let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
        for _ in 0..HEADER {
            next_word(&mut file)?;
        }
        Ok(Reader { file, left: count })
    }

    /// One word.
    pub fn word(&mut self) -> Result<u64, Unusable> {
        self.left = self.left.checked_sub(1).ok_or(Unusable::Damaged)?;
        next_word(&mut self.file).map_err(truncated)
    }

    /// A word that fits into a smaller type.
    pub fn small<T: TryFrom<u64>>(&mut self) -> Result<T, Unusable> {
        T::try_from(self.word()?).map_err(|_| Unusable::Damaged)
    }

    /// A list of `count` words.
    pub fn list(&mut self, count: usize) -> Result<Vec<u64>, Unusable> {
        if self.word()? != count as u64 || count as u64 > self.left {
            return Err(Unusable::Damaged);
        }
        (0..count).map(|_| self.word()).collect()
    }

    /// Nothing may be left.
    pub fn end(&self) -> Result<(), Unusable> {
        if self.left > 0 {
            return Err(Unusable::Damaged);
        }
        Ok(())
    }
}

fn truncated(error: io::Error) -> Unusable {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Unusable::Damaged,
        _ => Unusable::Unreadable(error),
    }
}

/// Hashes what is written to it.
struct Digest(u64);

impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = mixed(self.0, u64::from(byte));
        }
        Ok(())
    }
}

/// What tells one search from another: the program, what is asked, and how states are stored.
pub(crate) fn fingerprint(program: &Program, options: &Options) -> u64 {
    let mut digest = Digest(VERSION);
    let asked = (&options.goals, &options.bounds, options.stop_when_decided);
    // A digest takes everything.
    let _ = write!(digest, "{program:?}{asked:?}{:?}", options.form);
    digest.0
}

/// When to write next, and what became of it.
#[derive(Debug)]
pub(crate) struct Saver {
    pub place: Place,
    pub fingerprint: u64,
    /// When the last one was finished, and how long it took.
    last: Instant,
    took: Duration,
    /// It is time.
    pub due: bool,
    /// How many were written.
    pub written: u64,
    /// Why the last could not be written.
    pub error: Option<String>,
}

impl Saver {
    pub fn new(place: Place, fingerprint: u64) -> Saver {
        Saver {
            due: place.interval.is_zero(),
            place,
            fingerprint,
            last: Instant::now(),
            took: Duration::ZERO,
            written: 0,
            error: None,
        }
    }

    /// Looks at the clock.
    pub fn look(&mut self) {
        let pause = self.place.interval.max(self.took * SHARE);
        self.due = self.last.elapsed() >= pause;
    }

    /// Writes.
    pub fn save(&mut self, content: &mut Content<'_>) {
        let start = Instant::now();
        match write(&self.place.file, self.fingerprint, content) {
            Ok(()) => {
                self.written += 1;
                self.error = None;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.error = Some(error.to_string()),
        }
        self.took = start.elapsed();
        self.last = Instant::now();
        self.due = self.place.interval.is_zero();
    }
}
