//! What an order costs: cheap figures that foretell the work of saturation.
//!
//! Levels count from 1 at the bottom. `Top(e)` and `Bot(e)` are the highest and lowest level that an
//! event touches.
//!
//! | figure | meaning | source |
//! |---|---|---|
//! | `spans` | sum of Top - Bot over all events | structural, 11.2 |
//! | `tops` | sum of Top: how much of the diagram lies below what fires | Siminiceanu, Ciardo 2006 |
//! | `event_span` | mean of (Top - Bot + 1) / levels | the same: normalised event span |
//! | `weighted_span` | the same, times Top / (levels / 2) | the same: weighted event span (WES) |
//! | `points` | mean distance of an event's levels from their centre | Amparore et al. 2018, like PTS |
//! | `bandwidth` | greatest Top - Bot | |
//! | `wavefront` | mean over levels of the events that are open there: begun below or at, ending above | Sloan 1989 |
//! | `rank`, `peak_rank` | see `rank` | Amparore et al. 2019, iRank |

use super::structure::{Hypergraph, Structure, StructureError};

/// The figures of one order; small is good.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    /// Sum of Top - Bot.
    pub spans: f64,
    /// Sum of Top.
    pub tops: f64,
    /// Normalised event span.
    pub event_span: f64,
    /// Weighted event span.
    pub weighted_span: f64,
    /// Mean distance from the centre, over all arcs, as a share of the levels.
    pub points: f64,
    /// Greatest Top - Bot.
    pub bandwidth: f64,
    /// Mean number of open events a level.
    pub wavefront: f64,
    /// Mean number of independent sums that must be remembered at a level; nothing when unknown.
    pub rank: Option<f64>,
    /// The logarithm (base 2) of the number of nodes, were each such sum 0 or 1.
    pub peak_rank: Option<f64>,
    /// What that is taken for where it is unknown: the greatest of the other orders.
    pub assumed_peak: f64,
}

impl Costs {
    /// What orders are ranked by: the logarithm (base 2) of the sum of spans, and a tenth of the peak of
    /// the ranks. Events that reach far make work; sums to remember make nodes.
    pub fn score(&self) -> f64 {
        let exact = (1.0 + self.spans).log2() + 0.1 * self.peak_rank.unwrap_or(self.assumed_peak);
        // So that a mirror image, whose sums are added up the other way, has the same score.
        (exact * 1e9).round() / 1e9
    }

    /// The figures by name; ranks only where they are known.
    pub fn figures(&self) -> Vec<(&'static str, f64)> {
        let mut figures = vec![
            ("score", self.score()),
            ("spans", self.spans),
            ("tops", self.tops),
            ("event_span", self.event_span),
            ("weighted_span", self.weighted_span),
            ("points", self.points),
            ("bandwidth", self.bandwidth),
            ("wavefront", self.wavefront),
        ];
        figures.extend(self.rank.map(|rank| ("rank", rank)));
        figures.extend(self.peak_rank.map(|rank| ("peak_rank", rank)));
        figures
    }
}

/// The sum over all events of Top - Bot.
pub(crate) fn sum_of_spans(graph: &Hypergraph, order: &[u32]) -> f64 {
    let level = levels(order);
    let span = |edge: usize| {
        let (low, high) = extent(graph, edge, &level);
        graph.weight(edge) * f64::from(high - low)
    };
    (0..graph.edges()).map(span).sum()
}

/// The level of each node, from 1.
pub(crate) fn levels(order: &[u32]) -> Vec<u32> {
    let mut level = vec![0; order.len()];
    for (place, node) in (1..).zip(order) {
        level[*node as usize] = place;
    }
    level
}

fn extent(graph: &Hypergraph, edge: usize, level: &[u32]) -> (u32, u32) {
    let (mut low, mut high) = (u32::MAX, 0);
    for (node, _) in graph.edge(edge) {
        let at = level[*node as usize];
        (low, high) = (low.min(at), high.max(at));
    }
    (low, high)
}

/// All figures but the ranks, of an order and of its mirror image, which differ only in where events
/// end.
pub(crate) fn costs(graph: &Hypergraph, order: &[u32]) -> [Costs; 2] {
    let level = levels(order);
    let (mut costs, mut events, mut arcs) = (Costs::default(), 0.0, 0.0);
    let (mut mirrored_tops, mut mirrored_weights) = (0.0, 0.0);
    let above = order.len() as u32 + 1;
    for edge in 0..graph.edges() {
        let (low, high) = extent(graph, edge, &level);
        let (weight, span) = (graph.weight(edge), f64::from(high - low));
        let ends = graph.edge(edge);
        let place = |node: u32| f64::from(level[node as usize]);
        let centre = ends.iter().map(|(n, _)| place(*n)).sum::<f64>() / ends.len() as f64;
        let off = |(n, _): &(u32, u8)| (place(*n) - centre).abs();
        events += weight;
        arcs += weight * ends.len() as f64;
        costs.spans += weight * span;
        costs.tops += weight * f64::from(high);
        costs.event_span += weight * (span + 1.0);
        costs.weighted_span += weight * (span + 1.0) * f64::from(high);
        mirrored_tops += weight * f64::from(above - low);
        mirrored_weights += weight * (span + 1.0) * f64::from(above - low);
        costs.points += weight * ends.iter().map(off).sum::<f64>();
        costs.bandwidth = costs.bandwidth.max(span);
        costs.wavefront += span;
    }
    let (levels, events) = ((order.len() as f64).max(1.0), f64::max(events, 1.0));
    costs.event_span /= events * levels;
    let whole = events * levels * levels / 2.0;
    costs.weighted_span /= whole;
    costs.points /= f64::max(arcs, 1.0) * levels;
    costs.wavefront /= levels;
    let mirrored = Costs {
        tops: mirrored_tops,
        weighted_span: mirrored_weights / whole,
        ..costs
    };
    [costs, mirrored]
}

/// Where the events of a structure stand in an order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanReport {
    /// Bot(e) and Top(e) of each event, from 1; nothing for an event that touches no cell.
    pub events: Vec<Option<(u32, u32)>>,
    /// The sum of Top - Bot.
    pub spans: u64,
    /// The sum of Top.
    pub tops: u64,
}

impl SpanReport {
    /// The report for cells in levels, bottom first, as in a net.
    pub fn new(structure: &Structure, levels: &[Vec<u32>]) -> Result<SpanReport, StructureError> {
        let level_of = structure.level_of(levels)?;
        let mut report = SpanReport::default();
        for event in 0..structure.events() {
            let places = structure.event(event).iter();
            let places = places.map(|(cell, _)| level_of[*cell as usize] + 1);
            let extent = places.clone().min().zip(places.max());
            if let Some((bottom, top)) = extent {
                report.spans += u64::from(top - bottom);
                report.tops += u64::from(top);
            }
            report.events.push(extent);
        }
        Ok(report)
    }
}
