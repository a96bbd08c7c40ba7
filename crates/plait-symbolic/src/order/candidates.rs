//! All orders of a structure, the most promising first.
//!
//! Each heuristic gives an order; FORCE improves it; each of these is also read upside down. The ranking
//! is by [`Costs::score`], which was chosen by measurement (docs/techniques/orders.md).

use plait_program::mix::MixedMap;

use super::cost::{costs, levels as place_of, sum_of_spans, Costs};
use super::cuthill_mckee::reverse_cuthill_mckee;
use super::deadline::Deadline;
use super::force::{force, places};
use super::graph::Graph;
use super::groups::{Groups, Tree};
use super::machines::machines;
use super::noack::{greedy, Attraction};
use super::rank::Changes;
use super::sift::sift;
use super::sloan::sloan;
use super::structure::{Hypergraph, Structure, StructureError};

/// An order: what made it, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The heuristics that made it, in the order of their use; `down` is upside down.
    pub name: String,
    /// The names of other heuristics that made the same order.
    pub also: Vec<String>,
    /// The levels, bottom first, as numbers of the levels given.
    pub order: Vec<u32>,
    /// Its figures.
    pub costs: Costs,
}

/// How much work the orders of a large structure are worth; small ones never come to these limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// For an order to begin with: most models are done in it before a better one would be found.
    Quick,
    /// For orders that a long computation depends on.
    Full,
}

/// What an effort allows.
struct Work {
    /// Ends of edges that all rounds of FORCE together may look at.
    force: usize,
    /// How many of the orders with the least sums of spans are sifted.
    sifted: usize,
    /// Ends of edges that sifting one of them may look at.
    sift: usize,
    /// Steps of all eliminations.
    rank: u64,
    /// Ends of edges beyond which the orders that seldom win are left out.
    large: usize,
    /// Whether a large structure needs no more than one order in which nearly all events are tight.
    one_is_enough: bool,
}

impl Effort {
    fn work(self) -> Work {
        match self {
            Effort::Quick => Work {
                force: 2_000_000,
                sifted: 2,
                sift: 400_000,
                rank: 1_000_000,
                large: 3_000,
                one_is_enough: true,
            },
            Effort::Full => Work {
                force: 20_000_000,
                sifted: 4,
                sift: 4_000_000,
                rank: 10_000_000,
                large: 200_000,
                one_is_enough: false,
            },
        }
    }
}

/// The most rounds of one run.
const FORCE_ROUNDS: usize = 200;
/// Runs that share the work.
const FORCE_RUNS: usize = 16;
/// The most events of a tight order that are not tight.
const LOOSE: f64 = 8.0;
/// Pairs of neighbours that a clique graph may have.
const CLIQUES: usize = 2_000_000;

/// Orders of levels, best first. Each cell stands in one level; the first values of the cells let state
/// machines be found, which are groups like those of the structure.
pub fn ranked(
    structure: &Structure,
    levels: &[Vec<u32>],
    initial: Option<&[i32]>,
    effort: Effort,
) -> Result<Vec<Candidate>, StructureError> {
    ranked_within(structure, levels, initial, effort, Deadline::default())
}

/// The same with an end: what was made by then is ranked, the declared order if nothing else.
pub fn ranked_within(
    structure: &Structure,
    levels: &[Vec<u32>],
    initial: Option<&[i32]>,
    effort: Effort,
    deadline: Deadline,
) -> Result<Vec<Candidate>, StructureError> {
    let work = effort.work();
    let level_of = structure.level_of(levels)?;
    let graph = Hypergraph::of_levels(structure, &level_of, levels.len());
    let mut maker = Maker::new(&graph, &work, deadline);
    maker.plain();
    if !maker.is_enough && !deadline.is_over() {
        maker.grouped("groups", &structure.groups().of_levels(levels));
        if let Some(initial) = initial {
            let found = Groups::flat(structure.cells(), &machines(structure, initial));
            maker.grouped("machines", &found.of_levels(levels));
        }
        maker.sift_the_best(&work);
    }
    let mut candidates = maker.both_ways();
    if !deadline.is_over() {
        add_ranks(structure, levels, &mut candidates, work.rank);
    }
    let merged = levels.len() < structure.cells();
    candidates.sort_by(|a, b| {
        let by_score = a.costs.score().total_cmp(&b.costs.score());
        by_score.then(upright(&a.costs, merged).total_cmp(&upright(&b.costs, merged)))
    });
    Ok(candidates)
}

/// An order and its mirror image have one score; the smaller figure comes first. Measured: with one cell
/// a level, low tops are better; with several, events that reach far had better stand high.
fn upright(costs: &Costs, merged: bool) -> f64 {
    if merged {
        -costs.weighted_span
    } else {
        costs.tops
    }
}

struct Maker<'g> {
    graph: &'g Hypergraph,
    declared: Vec<u32>,
    rounds: usize,
    /// Whether the orders that seldom win are left out.
    is_large: bool,
    /// Whether, then, no other is made beside an order that none can be much better than.
    one_is_enough: bool,
    /// Whether there is such an order.
    is_enough: bool,
    deadline: Deadline,
    orders: Vec<(String, Vec<u32>)>,
}

impl<'g> Maker<'g> {
    fn new(graph: &'g Hypergraph, work: &Work, deadline: Deadline) -> Maker<'g> {
        let round = FORCE_RUNS * (graph.ends() + graph.nodes() + 1);
        Maker {
            graph,
            declared: (0..graph.nodes() as u32).collect(),
            rounds: (work.force / round).clamp(2, FORCE_ROUNDS),
            is_large: graph.ends() > work.large,
            one_is_enough: work.one_is_enough,
            is_enough: false,
            deadline,
            orders: Vec::new(),
        }
    }

    /// Orders that know of no groups.
    fn plain(&mut self) {
        let (graph, deadline) = (self.graph, self.deadline);
        self.orders.push(("declared".into(), self.declared.clone()));
        let noack = greedy(graph, Attraction::Noack, deadline);
        if self.one_is_enough && self.is_large {
            self.with_improved("noack", || noack.clone(), None);
            self.is_enough = self.orders.iter().any(|(_, o)| is_tight(graph, o));
            if self.is_enough {
                return;
            }
            self.orders.truncate(1);
        }
        self.improved("force", &self.declared.clone(), None);
        self.with_improved("sloan", || by_sloan(graph, deadline), None);
        if !self.is_large {
            self.with_improved("cuthill-mckee", || by_cuthill_mckee(graph), None);
        }
        self.with_improved("noack", || noack, None);
        if !self.is_large {
            let plain = || greedy(graph, Attraction::Plain, deadline);
            self.with_improved("greedy", plain, None);
        }
    }

    /// Orders that keep groups together.
    fn grouped(&mut self, name: &str, groups: &Groups) {
        if groups.is_trivial() {
            return;
        }
        let (graph, deadline) = (self.graph, self.deadline);
        let tree = Tree::new(graph.nodes(), groups);
        let together = tree.gather(&places(&self.declared));
        self.orders.push((name.to_string(), together));
        self.improved(
            &format!("{name} force"),
            &self.declared.clone(),
            Some(&tree),
        );
        if self.is_large {
            return;
        }
        let by_noack = |inner: &Hypergraph| greedy(inner, Attraction::Noack, deadline);
        let noack = || tree.supernodes(graph, by_noack);
        self.with_improved(&format!("{name} noack"), noack, Some(&tree));
        let by_sloan = |inner: &Hypergraph| by_sloan(inner, deadline);
        let sloan = || tree.supernodes(graph, by_sloan);
        self.with_improved(&format!("{name} sloan"), sloan, Some(&tree));
    }

    /// An order if there is time to make it, and what FORCE makes of it.
    fn with_improved(
        &mut self,
        name: &str,
        make: impl FnOnce() -> Vec<u32>,
        groups: Option<&Tree>,
    ) {
        if self.deadline.is_over() {
            return;
        }
        let order = make();
        self.improved(&format!("{name} force"), &order, groups);
        self.orders.push((name.to_string(), order));
    }

    fn improved(&mut self, name: &str, start: &[u32], groups: Option<&Tree>) {
        if self.deadline.is_over() {
            return;
        }
        let order = force(self.graph, start, groups, self.rounds, self.deadline);
        self.orders.push((name.to_string(), order));
    }

    /// Sifts the orders with the least sums of spans.
    fn sift_the_best(&mut self, work: &Work) {
        let cost = |(name, order): &(String, Vec<u32>)| {
            (sum_of_spans(self.graph, order), name.clone(), order.clone())
        };
        let mut best: Vec<(f64, String, Vec<u32>)> = self.orders.iter().map(cost).collect();
        best.sort_by(|a, b| a.0.total_cmp(&b.0));
        best.dedup_by(|a, b| a.2 == b.2);
        for (_, name, order) in best.into_iter().take(work.sifted) {
            if self.deadline.is_over() {
                return;
            }
            let order = sift(self.graph, order, work.sift);
            self.orders.push((format!("{name} sift"), order));
        }
    }

    /// All orders, each followed by its mirror image, with their figures; equal ones are one with
    /// several names.
    fn both_ways(self) -> Vec<Candidate> {
        let mut seen: MixedMap<Vec<u32>, usize> = MixedMap::default();
        let mut candidates: Vec<Candidate> = Vec::new();
        for (name, order) in self.orders {
            let (mut back, down) = (order.clone(), format!("{name} down"));
            back.reverse();
            // Where an order is known its mirror image is.
            let figures = match seen.contains_key(&order) {
                true => [Costs::default(); 2],
                false => costs(self.graph, &order),
            };
            for ((name, order), costs) in [(name, order), (down, back)].into_iter().zip(figures) {
                if let Some(same) = seen.get(&order) {
                    candidates[*same].also.push(name);
                    continue;
                }
                seen.insert(order.clone(), candidates.len());
                candidates.push(Candidate {
                    name,
                    also: Vec::new(),
                    order,
                    costs,
                });
            }
        }
        candidates
    }
}

/// Whether all events but a few, which close a ring, span at most twice the levels that they touch.
///
/// No order can do much better: an event spans at least the levels that it touches.
fn is_tight(graph: &Hypergraph, order: &[u32]) -> bool {
    let level = place_of(order);
    let mut loose = 0.0;
    for edge in 0..graph.edges() {
        let places = graph.edge(edge).iter().map(|(n, _)| level[*n as usize]);
        let span = places.clone().max().unwrap_or(0) - places.min().unwrap_or(0);
        if span as usize > 2 * (graph.edge(edge).len() - 1) {
            loose += graph.weight(edge);
        }
    }
    loose <= LOOSE
}

/// Sloan's order on the clique graph or, when that is too large, on the bipartite one.
fn by_sloan(graph: &Hypergraph, deadline: Deadline) -> Vec<u32> {
    on_graph(graph, |graph| sloan(graph, deadline))
}

fn by_cuthill_mckee(graph: &Hypergraph) -> Vec<u32> {
    on_graph(graph, reverse_cuthill_mckee)
}

fn on_graph(graph: &Hypergraph, heuristic: impl Fn(&Graph) -> Vec<u32>) -> Vec<u32> {
    let mut order = match Graph::cliques(graph, CLIQUES) {
        Some(cliques) => heuristic(&cliques),
        None => heuristic(&Graph::bipartite(graph)),
    };
    order.retain(|vertex| (*vertex as usize) < graph.nodes());
    order
}

/// Adds the ranks, as long as there is work left to spend.
///
/// An order and its mirror image, which follow each other, have the same. Orders with small spans come
/// first: when there the work is too much it is for the others, and no rank counts. A rank that takes
/// too much work only elsewhere is taken for a bad one, since it is what fills up that takes work.
fn add_ranks(structure: &Structure, levels: &[Vec<u32>], candidates: &mut [Candidate], work: u64) {
    let changes = Changes::new(structure);
    let limit = work / (2 * candidates.len() as u64).max(1);
    let mut pairs: Vec<&mut [Candidate]> = candidates.chunks_mut(2).collect();
    pairs.sort_by(|a, b| a[0].costs.spans.total_cmp(&b[0].costs.spans));
    let mut worst = 0.0;
    for (number, pair) in pairs.iter_mut().enumerate() {
        let cells = pair[0].order.iter();
        let cells = cells.map(|level| &levels[*level as usize][..]);
        let Some(profile) = changes.profile(cells, limit) else {
            if number == 0 {
                return;
            }
            continue;
        };
        worst = f64::max(worst, profile.peak());
        for candidate in pair.iter_mut() {
            candidate.costs.rank = Some(profile.mean());
            candidate.costs.peak_rank = Some(profile.peak());
        }
    }
    for candidate in candidates {
        if candidate.costs.peak_rank.is_none() {
            candidate.costs.assumed_peak = worst;
        }
    }
}
