//! The search that a caller asks for, from its options to its result.
//!
//! One store, one search, and of the orders the one that the options name; what they counted is put
//! together whatever ended them.

use std::collections::HashMap;
use std::sync::Arc;

use plait_program::mix::Seed;
use plait_program::{Fault, Program};

use crate::budget::{Observer, Reason, Supervisor};
use crate::caching;
use crate::checkpoint::{fingerprint, Saver};
use crate::deepening;
use crate::depth_together;
use crate::exploration::Exploration;
use crate::figures::Figures;
use crate::hash::{RecordHash, SeededHash};
use crate::options::{Options, Order};
use crate::plan::Plans;
use crate::questions::Questions;
use crate::reduced;
use crate::reduction::ReducedFigures;
use crate::saved::Saved;
use crate::search::{Halt, Search};
use crate::store::Store;
use crate::tree::Tree;

/// Searches the reachable states; an `Err` is an error of the model.
pub fn explore(
    program: &Arc<Program>,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Exploration, Fault> {
    explore_from(program, options, observer, None)
}

/// As `explore`, going on from a checkpoint if there is one.
pub fn explore_from(
    program: &Arc<Program>,
    options: &Options,
    observer: &mut dyn Observer,
    saved: Option<Saved>,
) -> Result<Exploration, Fault> {
    let hash = SeededHash::new(Seed::of_process());
    search_with(program, options, observer, hash, saved)
}

/// As `explore`, with any hash.
#[cfg(test)]
pub(crate) fn explore_with<H: RecordHash>(
    program: &Arc<Program>,
    options: &Options,
    observer: &mut dyn Observer,
    hash: H,
) -> Result<Exploration<H>, Fault> {
    search_with(program, options, observer, hash, None)
}

fn search_with<H: RecordHash>(
    program: &Arc<Program>,
    options: &Options,
    observer: &mut dyn Observer,
    hash: H,
    saved: Option<Saved>,
) -> Result<Exploration<H>, Fault> {
    let supervisor = Supervisor::new(observer, options.timeout, options.memory);
    let shared = options.is_plain() && options.form.suits_threads();
    let threads = if shared { options.threads } else { 1 };
    let Ok(store) = Store::with_form(program, hash.clone(), options.form, threads) else {
        return Ok(no_room(program, options));
    };
    let plans = Plans::new(program);
    let mut search = Search::new(program, options, &plans, supervisor, store);
    let (outcome, reduced) = run(&mut search, threads, saved);
    let reason = match outcome {
        Ok(()) => None,
        Err(halt) => Some(halt.reason(search.supervisor.stop)?),
    };
    sum_up(&mut search, reduced.as_ref());
    let mut found = Exploration {
        program: Arc::clone(program),
        store: Arc::into_inner(search.store).map(Store::without_index),
        tree: search.tree,
        reduced,
        figures: search.figures,
        bounds: search.questions.bounds,
        goals: search.questions.goals,
        reason,
        known: search.known,
        paths: search.paths,
    };
    if options.form.needs_repetition() && reason != Some(Reason::Interrupted) {
        let supervisor = &mut search.supervisor;
        find_paths_again(program, options, &plans, supervisor, hash, &mut found);
    }
    Ok(found)
}

/// Runs the search in the order of its options; what reduced and depth-first ones count besides.
fn run<H: RecordHash>(
    search: &mut Search<'_, H>,
    threads: usize,
    saved: Option<Saved>,
) -> (Result<(), Halt>, Option<ReducedFigures>) {
    let (program, options) = (search.program, search.options);
    if options.is_plain() {
        if !options.form.forgets() {
            let place = options.checkpoint.clone();
            search.saver = place.map(|p| Saver::new(p, fingerprint(program, options)));
        }
        return (search.run(threads, saved), None);
    }
    let (outcome, figures) = match options.order {
        Order::Deepening => deepening::run(search),
        Order::Caching(capacity) => caching::run(search, capacity),
        Order::DepthFirst if depth_together::suits(options) => depth_together::run(search),
        Order::BreadthFirst | Order::DepthFirst => reduced::run(search),
    };
    (outcome, Some(figures))
}

/// The figures that are known when a search has ended.
fn sum_up<H: RecordHash>(search: &mut Search<'_, H>, reduced: Option<&ReducedFigures>) {
    search.figures.depth = reduced.map_or_else(|| search.depth(), |figures| figures.depth);
    search.figures.bytes = search.store.bytes() + search.tree.bytes() + search.held;
    search.figures.omission = search.store.omission();
    search.figures.states = search.figures.states.max(search.store.len() as u64);
    if let Some(saver) = &mut search.saver {
        search.figures.checkpoints = saver.written;
        search.figures.checkpoint_error = saver.error.take();
    }
    search.figures.absorb_machine(&search.machine);
}

/// What is told when there is no memory even for the first state.
fn no_room<H>(program: &Arc<Program>, options: &Options) -> Exploration<H> {
    let questions = Questions::new(&options.goals, &options.bounds);
    Exploration {
        program: Arc::clone(program),
        store: None,
        tree: Tree::new(true),
        reduced: None,
        figures: Figures::new(&program.initial(), program.events().len()),
        bounds: questions.bounds,
        goals: questions.goals,
        reason: Some(Reason::Memory),
        known: HashMap::new(),
        paths: HashMap::new(),
    }
}

/// Repeats a search whose store keeps nothing of a state, to see the states on the paths to the goals.
fn find_paths_again<H: RecordHash>(
    program: &Arc<Program>,
    options: &Options,
    plans: &Plans,
    supervisor: &mut Supervisor<'_>,
    hash: H,
    found: &mut Exploration<H>,
) {
    let goals = found.goals.iter().flatten();
    let mut wanted: Vec<u32> = goals.flat_map(|goal| found.tree.path(*goal)).collect();
    wanted.retain(|number| *number > 0 && !found.known.contains_key(number));
    wanted.sort_unstable_by(|a, b| b.cmp(a));
    wanted.dedup();
    if wanted.is_empty() {
        return;
    }
    let options = Options {
        goals: Vec::new(),
        bounds: Vec::new(),
        ..options.clone()
    };
    found.store = None; // there is no room for two
    let Ok(store) = Store::with_form(program, hash, options.form, 1) else {
        return;
    };
    let repetition = supervisor.repetition();
    let mut search = Search::new(program, &options, plans, repetition, store);
    search.wanted = wanted;
    let _ = search.run(1, None); // what was not found again has no trace
    found.known.extend(search.known);
}
