//! An independent look at a basis: whether it shows that a target is not covered.
//!
//! Let B be demands and L limits that all reachable markings keep. If
//!
//! - the initial marking meets no demand of B,
//! - every target is above a demand of B, or above a limit,
//! - for each event and each demand of B, what must be there before the event is above a demand of B,
//!   or above a limit, or the event never leads there,
//!
//! then no reachable marking meets a demand of B: the first one to do so would not be the initial one,
//! and so there would be one before. And so none meets a target. Nothing of the search is used here, and
//! the weakest demand before an event is written down again, place by place.

use plait_program::Watch;

use super::net::{at, CoverNet, Demand};
use super::Limit;

/// Whether the demands of `basis` show that none of the targets is covered. `None` if the watch ends it.
pub fn shows(
    net: &CoverNet,
    targets: &[Demand],
    basis: &[Demand],
    limits: &[Limit],
    watch: &mut dyn Watch,
) -> Option<bool> {
    let meets = |demand: &Demand| demand.iter().all(|(p, n)| net.initial[*p as usize] >= *n);
    if basis.iter().any(meets) {
        return Some(false);
    }
    // Demands by that of their places which occurs least; the initial marking meets one without any.
    let mut occurs = vec![0; net.width()];
    for (place, _) in basis.iter().flatten() {
        occurs[*place as usize] += 1;
    }
    let mut found_by: Vec<Vec<&Demand>> = vec![Vec::new(); net.width()];
    for demand in basis {
        if let Some((place, _)) = demand.iter().min_by_key(|(p, _)| occurs[*p as usize]) {
            found_by[*place as usize].push(demand);
        }
    }
    let is_above = |demand: &Demand| {
        let below = |less: &&Demand| less.iter().all(|(p, n)| at(demand, *p) >= *n);
        demand
            .iter()
            .any(|(p, _)| found_by[*p as usize].iter().any(below))
            || limits.iter().any(|limit| limit.excludes(demand))
    };
    if !targets.iter().all(is_above) {
        return Some(false);
    }
    for after in basis {
        for event in &net.events {
            let raises = |(p, n): &(u32, u64)| {
                at(after, *p) > 0 && (*n > at(&event.pre, *p) || event.reset.contains(p))
            };
            if !event.post.iter().any(raises) {
                continue; // what it leads to was above `after` before it
            }
            if !watch.go_on(0) {
                return None;
            }
            let emptied = |(p, n): &(u32, u64)| event.reset.contains(p) && at(&event.post, *p) < *n;
            if after.iter().any(emptied) {
                continue;
            }
            let places = after.iter().chain(&event.pre).map(|(p, _)| *p);
            let needed = |p: u32| {
                let kept = at(after, p).saturating_sub(at(&event.post, p));
                Some((p, at(&event.pre, p).checked_add(kept)?))
            };
            let Some(mut before) = places.map(needed).collect::<Option<Demand>>() else {
                return Some(false);
            };
            before.sort_unstable();
            before.dedup();
            before.retain(|(_, n)| *n > 0);
            if !is_above(&before) {
                return Some(false);
            }
        }
    }
    Some(true)
}
