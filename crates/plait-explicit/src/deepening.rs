//! Iterative deepening: depth-first searches to the depth 1, 2, 3, ... (Korf 1985).
//!
//! Each search goes through the states of the one before and one step further, so a state is found
//! first at its distance, and the first trace to a goal is a shortest one, as breadth-first. Unlike
//! there the states of a level need not wait in a queue, only those of one path do; the price is that
//! the events of a state are executed again in every search that passes through it.
//!
//! The store keeps the distance of each state. A search follows an arc only to a state that is one
//! step farther than where it comes from, and each state once: these arcs reach every state.
//!
//! Invariant: before the search to depth d, the store holds exactly the states at distance less than
//! d, and all of them at distance less than d - 1 have been expanded and counted.

use plait_program::Machine;

use crate::figures::Figures;
use crate::hash::RecordHash;
use crate::reduction::ReducedFigures;
use crate::search::{Halt, Search};
use crate::store::Inserted;

/// A state on the path.
struct Frame {
    successors: Vec<u32>,
    next: usize,
}

struct Deepening<'a, 's, H> {
    search: &'a mut Search<'s, H>,
    /// The distance of each state from the initial one.
    distance: Vec<u32>,
    /// The last search that visited each state.
    visited: Vec<u32>,
    /// What is counted when events are executed again.
    again: (Figures, Machine),
    figures: ReducedFigures,
}

/// Runs the searches; what they counted comes back in any case.
pub(crate) fn run<H: RecordHash>(search: &mut Search<'_, H>) -> (Result<(), Halt>, ReducedFigures) {
    let program = search.program;
    let figures = Figures::new(&program.initial(), program.events().len());
    let mut deepening = Deepening {
        distance: vec![0],
        visited: vec![0],
        again: (figures, Machine::new(program)),
        figures: ReducedFigures::default(),
        search,
    };
    let outcome = deepening.run();
    (outcome, deepening.figures)
}

impl<H: RecordHash> Deepening<'_, '_, H> {
    fn run(&mut self) -> Result<(), Halt> {
        self.search.store_initial()?;
        for depth in 1u32.. {
            let stored = self.search.store.len();
            self.search_to(depth)?;
            if self.search.store.len() == stored {
                break;
            }
            self.figures.depth = u64::from(depth);
        }
        Ok(())
    }

    fn search_to(&mut self, depth: u32) -> Result<(), Halt> {
        self.visited[0] = depth;
        let mut path = vec![self.expand(0, depth)?];
        while let Some(frame) = path.last_mut() {
            let Some(&number) = frame.successors.get(frame.next) else {
                path.pop();
                continue;
            };
            frame.next += 1;
            let here = path.len() as u32;
            let index = number as usize;
            if here < depth && self.distance[index] == here && self.visited[index] < depth {
                self.visited[index] = depth;
                let next = self.expand(number, depth)?;
                path.push(next);
            } else {
                self.figures.matched += 1;
            }
        }
        Ok(())
    }

    /// Executes the events of a state; counts them only in the search that is the first to do so.
    fn expand(&mut self, number: u32, depth: u32) -> Result<Frame, Halt> {
        let again = self.distance[number as usize] + 1 < depth;
        if again {
            self.exchange();
        }
        let outcome = self.search.expand_in_turn(number);
        if again {
            self.exchange();
        }
        outcome?;
        let successors = self.store_successors(number)?;
        debug_assert!(self.distance[number as usize] < depth);
        Ok(Frame {
            successors,
            next: 0,
        })
    }

    fn exchange(&mut self) {
        std::mem::swap(&mut self.search.figures, &mut self.again.0);
        std::mem::swap(&mut self.search.machine, &mut self.again.1);
    }

    fn store_successors(&mut self, parent: u32) -> Result<Vec<u32>, Halt> {
        let search = &mut *self.search;
        let stride = search.store.layout().words();
        let mut batch = std::mem::take(&mut search.batch);
        let mut successors = Vec::with_capacity(batch.len());
        for index in 0..batch.len() {
            let record = batch.get(index, stride);
            let hash = search.store.hash(record);
            match search.insert(record, hash)? {
                Inserted::Old(number) => successors.push(number),
                Inserted::New(number) => {
                    successors.push(number);
                    self.distance.push(self.distance[parent as usize] + 1);
                    self.visited.push(0);
                    search.settle(number, parent, record)?;
                }
            }
        }
        batch.clear();
        search.batch = batch;
        Ok(successors)
    }
}
