//! A breadth-first search as the words of a checkpoint, and back.
//!
//! What is written is all that decides how the search goes on: the states in their order, packed,
//! with the layout; the tree; the figures; what was found; and the next state to be expanded. States
//! are written packed as tightly as can be, whatever the form of the store.

use std::io;
use std::path::Path;

use plait_program::{Machine, Program, Watch};

use crate::budget::Budget;
use crate::checkpoint::{fingerprint, Reader, Unusable, Writer, PIECE};
use crate::figures::Figures;
use crate::hash::RecordHash;
use crate::layout::Layout;
use crate::louds::Louds;
use crate::options::Options;
use crate::questions::Questions;
use crate::repacking::Repacking;
use crate::search::{owned, Halt, Level, Search};
use crate::segments::Segments;
use crate::store::Store;
use crate::tree::Tree;

/// A search read from a checkpoint.
#[derive(Debug)]
pub struct Saved {
    next: usize,
    depth: u64,
    end: usize,
    repacked: u64,
    layout: Layout,
    records: Segments,
    tree: Louds,
    figures: Figures,
    goals: Vec<Option<u32>>,
    bounds: Vec<Option<(i32, i32)>>,
}

fn signed(value: i32) -> u64 {
    u64::from(value as u32)
}

fn unsigned(word: u64) -> Result<i32, Unusable> {
    let word = u32::try_from(word).map_err(|_| Unusable::Damaged)?;
    Ok(word as i32)
}

/// Nothing is 0, and n is n + 1.
fn optional(number: Option<u32>) -> u64 {
    number.map_or(0, |n| u64::from(n) + 1)
}

impl<H: RecordHash> Search<'_, H> {
    /// Writes a checkpoint if it is time; the batch is empty, and `next` is to be expanded next.
    pub(crate) fn save_in_time(&mut self, next: usize) {
        let Some(mut saver) = self.saver.take_if(|s| s.due) else {
            return;
        };
        let mut figures = self.figures.clone();
        figures.absorb_machine(&self.machine);
        let moment = Moment {
            next,
            level: &self.level,
            store: &self.store,
            tree: &self.tree,
            questions: &self.questions,
            figures: &figures,
        };
        let supervisor = &mut self.supervisor;
        saver.save(&mut |writer| moment.write(writer, supervisor));
        self.saver = Some(saver);
    }

    /// Goes on from a checkpoint: where the next state is that is to be expanded.
    pub(crate) fn restore(&mut self, saved: Saved) -> Result<usize, Halt> {
        let budget: &mut Budget = &mut self.supervisor.budget;
        let store = owned(&mut self.store);
        store.restore(saved.layout, saved.records, saved.repacked, budget)?;
        self.words = vec![0; store.layout().words()];
        self.tree = Tree::Louds(saved.tree);
        self.figures = saved.figures;
        self.machine = Machine::new(self.program);
        self.level.depth = saved.depth;
        self.level.end = saved.end;
        self.questions.restore(saved.goals, saved.bounds);
        Ok(saved.next)
    }
}

/// A search between two states.
struct Moment<'a, H> {
    next: usize,
    level: &'a Level,
    store: &'a Store<H>,
    tree: &'a Tree,
    questions: &'a Questions,
    figures: &'a Figures,
}

impl<H: RecordHash> Moment<'_, H> {
    fn write(&self, writer: &mut Writer, watch: &mut dyn Watch) -> io::Result<()> {
        let next = self.next;
        let layout = self.store.layout();
        let tight = layout.tightened();
        let (count, words) = (self.store.len(), tight.words());
        for word in [next, self.level.end, count, words] {
            writer.word(word as u64)?;
        }
        writer.word(self.level.depth)?;
        writer.word(self.store.repacked())?;
        let parts = layout.parts();
        writer.list(parts.iter().map(|(base, _)| signed(*base)))?;
        writer.list(parts.iter().map(|(_, bits)| u64::from(*bits)))?;
        self.write_figures(writer)?;
        let goals = &self.questions.goals;
        writer.list(goals.iter().map(|g| optional(*g)))?;
        let bounds = &self.questions.bounds;
        writer.list(bounds.iter().map(|b| u64::from(b.is_some())))?;
        writer.list(bounds.iter().map(|b| signed(b.map_or(0, |b| b.0))))?;
        writer.list(bounds.iter().map(|b| signed(b.map_or(0, |b| b.1))))?;
        if let Tree::Louds(louds) = &self.tree {
            louds.write(writer)?;
        }
        let repacking = Repacking::new(layout, &tight);
        let (mut record, mut packed) = (Vec::new(), vec![0; words]);
        let each = (PIECE / words as u64).max(1) as u32;
        for number in 0..count as u32 {
            if number.is_multiple_of(each) && !watch.go_on(0) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            self.store.read(number, &mut record);
            repacking.apply(&record, &mut packed);
            for word in &packed {
                writer.word(*word)?;
            }
        }
        Ok(())
    }

    fn write_figures(&self, writer: &mut Writer) -> io::Result<()> {
        let figures = self.figures;
        for word in [figures.expanded, figures.arcs, figures.deadlocks] {
            writer.word(word)?;
        }
        writer.word(figures.max_sum as u64)?;
        writer.list(figures.cell_min.iter().map(|v| signed(*v)))?;
        writer.list(figures.cell_max.iter().map(|v| signed(*v)))?;
        writer.list(figures.fired.iter().copied())?;
        writer.list(figures.undefined.iter().copied())?;
        writer.list(figures.called.iter().map(|c| u64::from(*c)))
    }
}

impl Saved {
    /// Reads the checkpoint of a search for these options; `go_on` is asked from time to time whether
    /// to.
    pub fn read(
        path: &Path,
        program: &Program,
        options: &Options,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Saved, Unusable> {
        let mut reader = Reader::open(path, fingerprint(program, options), go_on)?;
        let (cells, events) = (program.cells().len(), program.events().len());
        let (next, end): (usize, usize) = (reader.small()?, reader.small()?);
        let (count, words): (usize, usize) = (reader.small()?, reader.small()?);
        let (depth, repacked) = (reader.word()?, reader.word()?);
        let bases = reader.list(cells)?;
        let bits = reader.list(cells)?;
        let mut parts = Vec::with_capacity(cells);
        for (base, bits) in bases.into_iter().zip(bits) {
            parts.push((unsigned(base)?, bits as u32));
        }
        let layout = Layout::from_parts(program, &parts).ok_or(Unusable::Damaged)?;
        let figures = read_figures(&mut reader, program, events)?;
        let goals = reader.list(options.goals.len())?;
        let goals = goals
            .into_iter()
            .map(|g| g.checked_sub(1).map(|g| g as u32));
        let goals = goals.collect();
        let bounds = read_bounds(&mut reader, options.bounds.len())?;
        let tree = Louds::read(&mut reader)?;
        if layout.words() != words || next > count || end > count || count == 0 {
            return Err(Unusable::Damaged);
        }
        let mut records = Segments::new(words);
        let mut record = vec![0; words];
        let each = (PIECE as usize / words).max(1);
        for number in 0..count {
            if number.is_multiple_of(each) && !go_on() {
                return Err(Unusable::Interrupted);
            }
            for word in &mut record {
                *word = reader.word()?;
            }
            if !records.push(&record) {
                return Err(Unusable::Unreadable(io::ErrorKind::OutOfMemory.into()));
            }
        }
        reader.end()?;
        Ok(Saved {
            next,
            depth,
            end,
            repacked,
            layout,
            records,
            tree,
            figures,
            goals,
            bounds,
        })
    }
}

fn read_figures(
    reader: &mut Reader,
    program: &Program,
    events: usize,
) -> Result<Figures, Unusable> {
    let mut figures = Figures::new(&program.initial(), events);
    let cells = program.cells().len();
    figures.expanded = reader.word()?;
    figures.arcs = reader.word()?;
    figures.deadlocks = reader.word()?;
    figures.max_sum = reader.word()? as i64;
    let values = |words: Vec<u64>| -> Result<Vec<i32>, Unusable> {
        words.into_iter().map(unsigned).collect()
    };
    figures.cell_min = values(reader.list(cells)?)?;
    figures.cell_max = values(reader.list(cells)?)?;
    figures.fired = reader.list(events)?;
    figures.undefined = reader.list(events)?;
    figures.called = reader.list(events)?.into_iter().map(|c| c != 0).collect();
    Ok(figures)
}

type Bounds = Vec<Option<(i32, i32)>>;

fn read_bounds(reader: &mut Reader, count: usize) -> Result<Bounds, Unusable> {
    let (there, low, high) = (
        reader.list(count)?,
        reader.list(count)?,
        reader.list(count)?,
    );
    let pairs = low.into_iter().zip(high).zip(there);
    let bound = |((low, high), there)| -> Result<Option<(i32, i32)>, Unusable> {
        let pair = (unsigned(low)?, unsigned(high)?);
        Ok((there != 0).then_some(pair))
    };
    pairs.map(bound).collect()
}
