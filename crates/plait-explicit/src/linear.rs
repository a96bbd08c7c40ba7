//! Linear time: which of several automata accept a run of a program.
//!
//! The questions share the graph of the program (`kripke`), so that what one has explored the next
//! finds ready; under a reduction each has a graph of its own, since what may be left out depends on
//! what is asked. Each question in turn may take its share of the time that is left, and what is not
//! decided in its share is asked again when the others have left enough.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plait_program::mix::Seed;
use plait_program::{Failure, Fault, Program};
use plait_reduction::{Algorithm, Dependency, TooLarge};

use crate::ample::{self, Ample};
use crate::buchi::Buchi;
use crate::budget::{Observer, Reason, Supervisor};
use crate::emptiness::Product;
use crate::figures::Figures;
use crate::hash::{RecordHash, SeededHash};
use crate::kripke::Kripke;
use crate::lasso::{lasso, run, Lasso};
use crate::movers::Movers;
use crate::nested::Nested;
use crate::options::{Options, Order};
use crate::plan::Plans;
use crate::search::{Halt, Search};
use crate::store::Store;
use crate::tier::Successors;

/// How questions of linear time are answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearOptions {
    /// How long for all of them.
    pub timeout: Option<Duration>,
    /// How large the process may become, in bytes.
    pub memory: Option<u64>,
    /// How many states of the program may be stored.
    pub max_states: Option<u64>,
    /// How successors are computed.
    pub successors: Successors,
    /// Ample sets from persistent sets by this algorithm; only for automata that cannot tell a state
    /// from its repetition.
    pub ample: Option<Algorithm>,
    /// Nested depth-first search instead of components.
    pub nested: bool,
    /// The whole graph of the program first, then its product with the automaton.
    pub build_first: bool,
    /// Ample sets without the cycle condition, which lose violations: for the test that shows it.
    pub heedless: bool,
}

/// The answer to one question.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No run is accepted.
    Empty,
    /// Some run is; it is there unless it could not be found again in time.
    Accepting(Option<Lasso>),
    /// The search ended before.
    Stopped(Reason),
}

/// An answer and how it was found.
#[derive(Clone, Debug)]
pub struct Linear {
    /// The answer.
    pub verdict: Verdict,
    /// Nodes of the product that were met.
    pub nodes: u64,
    /// Arcs of the product that were followed.
    pub arcs: u64,
    /// How often nodes were expanded: once each, in nested search at most twice.
    pub expansions: u64,
    /// Letters met.
    pub letters: u64,
    /// States of the program stored so far.
    pub states: u64,
    /// The longest path of the search.
    pub depth: u64,
    /// States with only some of their events executed.
    pub reduced: u64,
    /// Whether reduction was possible: no when every event may be seen by the conditions.
    pub reducible: bool,
    /// The greatest sum of all cells in a state seen so far.
    pub max_sum: i64,
    /// How often each event had no successor because something in it was undefined.
    pub undefined: Vec<u64>,
    /// Bytes held when the search ended.
    pub bytes: u64,
}

/// Less time is not worth another turn.
const WORTH_WHILE: Duration = Duration::from_millis(100);

/// Hears the answers as they come, and says whether to go on.
pub type Answered<'a> = dyn FnMut(usize, Linear) -> bool + Send + 'a;

/// Answers the questions in their order; an `Err` is an error of the model. With `movers`, only runs
/// count that are weakly fair to them; an automaton has at most 64 acceptance sets together with them.
pub fn linear(
    program: &Arc<Program>,
    questions: &[Buchi],
    movers: Option<&Movers>,
    options: &LinearOptions,
    observer: &mut dyn Observer,
    answered: &mut Answered<'_>,
) -> Result<(), LinearError> {
    let hash = SeededHash::new(Seed::of_process());
    let plans = Plans::new(program);
    let search_options = Options {
        memory: options.memory,
        max_states: options.max_states,
        successors: options.successors,
        order: Order::DepthFirst,
        ..Options::default()
    };
    let supervisor = Supervisor::new(observer, None, options.memory);
    let session = Session {
        program,
        plans: &plans,
        movers,
        nested: options.nested,
        build_first: options.build_first,
        heedless: options.heedless,
        options: &search_options,
        hash,
        deadline: options.timeout.and_then(|t| Instant::now().checked_add(t)),
    };
    match options.ample {
        None => session.together(questions, supervisor, answered),
        Some(algorithm) => {
            let dependency = ample::dependency(program)?;
            session.apart(questions, supervisor, answered, algorithm, &dependency)
        }
    }
}

/// Why there is no answer at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinearError {
    /// An error of the model.
    #[error("{0}")]
    Fault(Fault),
    /// No reduction.
    #[error("{0}")]
    TooLarge(#[from] TooLarge),
}

struct Session<'s, H> {
    program: &'s Program,
    plans: &'s Plans,
    movers: Option<&'s Movers>,
    nested: bool,
    build_first: bool,
    heedless: bool,
    options: &'s Options,
    hash: H,
    deadline: Option<Instant>,
}

impl<'s, H: RecordHash> Session<'s, H> {
    /// One graph for all questions.
    fn together(
        &self,
        questions: &[Buchi],
        supervisor: Supervisor<'s>,
        answered: &mut Answered<'_>,
    ) -> Result<(), LinearError> {
        let mut search = match self.search(supervisor) {
            Ok(search) => search,
            Err(reason) => return stop_all(0..questions.len(), reason, answered),
        };
        let Ok(mut kripke) = Kripke::new(&mut search, None, self.movers) else {
            return stop_all(0..questions.len(), Reason::Memory, answered);
        };
        self.in_rounds(questions.len(), answered, |number, deadline| {
            kripke.search.supervisor.begin_again(deadline);
            self.answer(&questions[number], &mut kripke)
        })
    }

    /// A reduced graph for each question.
    fn apart(
        &self,
        questions: &[Buchi],
        supervisor: Supervisor<'s>,
        answered: &mut Answered<'_>,
        algorithm: Algorithm,
        dependency: &Arc<Dependency>,
    ) -> Result<(), LinearError> {
        let mut supervisor = Some(supervisor);
        self.in_rounds(questions.len(), answered, |number, deadline| {
            let automaton = &questions[number];
            let search = supervisor.take().map(|s| self.search(s));
            let Some(Ok(mut search)) = search else {
                return Ok(stopped(Reason::Memory));
            };
            search.supervisor.begin_again(deadline);
            let visible = ample::visible(self.program, dependency, automaton, self.movers);
            let reducible = visible.is_some();
            let keep = !self.heedless;
            let chosen = visible.map(|v| Ample::new(self.program, dependency, algorithm, v, keep));
            let found = match Kripke::new(&mut search, chosen, self.movers) {
                Ok(mut kripke) => self.answer(automaton, &mut kripke)?,
                Err(_) => stopped(Reason::Memory),
            };
            supervisor = Some(search.supervisor);
            Ok(Linear { reducible, ..found })
        })
    }

    /// Each question gets an equal share of the time that is left. Those that were not decided get
    /// another turn when others have left them so much that it is worth while.
    fn in_rounds(
        &self,
        count: usize,
        answered: &mut Answered<'_>,
        mut solve: impl FnMut(usize, Option<Instant>) -> Result<Linear, LinearError>,
    ) -> Result<(), LinearError> {
        let mut waiting: Vec<usize> = (0..count).collect();
        let mut longest = Duration::ZERO;
        while !waiting.is_empty() {
            let (mut late, mut round) = (Vec::new(), Duration::ZERO);
            for (place, number) in waiting.iter().enumerate() {
                let now = Instant::now();
                let share = self.share(now, waiting.len() - place);
                let found = solve(*number, share.map(|s| now + s))?;
                match found.verdict {
                    Verdict::Stopped(Reason::Timeout) => {
                        round = round.max(share.unwrap_or(Duration::ZERO));
                        late.push((*number, found));
                    }
                    Verdict::Stopped(Reason::Interrupted) => {
                        let left = late.into_iter().map(|(number, _)| number);
                        let left = left.chain(waiting[place..].iter().copied());
                        return stop_all(left, Reason::Interrupted, answered);
                    }
                    _ => {
                        if !answered(*number, found) {
                            return Ok(());
                        }
                    }
                }
            }
            longest = longest.max(round);
            let share = self.share(Instant::now(), late.len().max(1));
            let again = share.is_some_and(|s| s > WORTH_WHILE && s > longest * 5 / 4);
            if !again {
                late.into_iter()
                    .all(|(number, found)| answered(number, found));
                return Ok(());
            }
            waiting = late.into_iter().map(|(number, _)| number).collect();
        }
        Ok(())
    }

    fn search(&self, supervisor: Supervisor<'s>) -> Result<Search<'s, H>, Reason> {
        let store = Store::new(self.program, self.hash.clone()).map_err(|_| Reason::Memory)?;
        Ok(Search::new(
            self.program,
            self.options,
            self.plans,
            supervisor,
            store,
        ))
    }

    /// An equal share of the time that is left, for so many questions.
    fn share(&self, now: Instant, left: usize) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(now) / left as u32)
    }

    fn answer(
        &self,
        automaton: &Buchi,
        kripke: &mut Kripke<'_, 's, H>,
    ) -> Result<Linear, LinearError> {
        let mut product = Product::new(automaton, kripke.movers, self.nested);
        let outcome = self.verdict(&mut product, kripke);
        summary(&product, kripke, outcome)
    }

    fn verdict(
        &self,
        product: &mut Product<'_>,
        kripke: &mut Kripke<'_, 's, H>,
    ) -> Result<Verdict, Halt> {
        if self.build_first {
            kripke.build()?;
        }
        let found = if self.nested {
            let found = Nested::new(product).search(kripke)?;
            found.map(|c| run(product, kripke, &c.prefix, &c.cycle))
        } else {
            let root = product.search(kripke)?;
            root.map(|root| lasso(product, kripke, root))
        };
        match found {
            None => Ok(Verdict::Empty),
            Some(Ok(lasso)) => Ok(Verdict::Accepting(Some(lasso))),
            Some(Err(Halt::Failure(Failure::Fault(fault)))) => Err(Failure::Fault(fault).into()),
            Some(Err(_)) => Ok(Verdict::Accepting(None)),
        }
    }
}

fn summary<H: RecordHash>(
    product: &Product<'_>,
    kripke: &mut Kripke<'_, '_, H>,
    outcome: Result<Verdict, Halt>,
) -> Result<Linear, LinearError> {
    let search = &mut *kripke.search;
    let verdict = match outcome {
        Ok(verdict) => verdict,
        Err(halt) => {
            let reason = halt.reason(search.supervisor.stop);
            Verdict::Stopped(reason.map_err(LinearError::Fault)?)
        }
    };
    let mut figures = Figures::new(&search.cells, search.program.events().len());
    figures.absorb_machine(&search.machine);
    let found = Linear {
        verdict,
        nodes: product.nodes.len() as u64,
        arcs: product.arcs,
        expansions: product.expansions,
        letters: product.letters() as u64,
        states: search.store.len() as u64,
        depth: product.depth,
        max_sum: search.figures.max_sum,
        undefined: figures.undefined,
        bytes: search.store.bytes() + search.held,
        reduced: kripke.reduced(),
        reducible: false,
    };
    Ok(found)
}

fn stopped(reason: Reason) -> Linear {
    Linear {
        verdict: Verdict::Stopped(reason),
        nodes: 0,
        arcs: 0,
        expansions: 0,
        letters: 0,
        states: 0,
        depth: 0,
        reduced: 0,
        reducible: false,
        max_sum: 0,
        undefined: Vec::new(),
        bytes: 0,
    }
}

fn stop_all(
    questions: impl IntoIterator<Item = usize>,
    reason: Reason,
    answered: &mut Answered<'_>,
) -> Result<(), LinearError> {
    let mut questions = questions.into_iter();
    questions.all(|number| answered(number, stopped(reason)));
    Ok(())
}
