//! A net without what never happens in it: impossible events and constant places.
//!
//! An event is *possible* when it can happen once each place that some possible event makes grow has any
//! number of tokens (the least fixpoint). Others never happen. A place that no possible event changes
//! keeps its tokens, and what is tested there always holds, or else the event were not possible. So one
//! round is enough: nothing that is left becomes impossible or constant by what went.

use crate::net::{Effect, Net};
use crate::scan::Declined;

/// What is left of a net, by number, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The places that some possible event changes.
    pub places: Vec<u32>,
    /// The possible events.
    pub events: Vec<u32>,
}

impl Settled {
    /// What is left of this net.
    pub fn of(net: &Net) -> Settled {
        let possible = possible(net);
        let mut changes = vec![false; net.places.len()];
        for event in (0..net.events.len()).filter(|e| possible[*e]) {
            for effect in net.event(event).iter().filter(|e| e.change != 0) {
                changes[effect.place as usize] = true;
            }
        }
        Settled {
            places: chosen(&changes),
            events: chosen(&possible),
        }
    }

    /// Whether that is all of the net.
    pub fn is_all(&self, net: &Net) -> bool {
        self.places.len() == net.places.len() && self.events.len() == net.events.len()
    }

    /// The net of what is left. Its units are those of the original.
    pub fn net(&self, net: &Net) -> Result<Net, Declined> {
        let mut number = vec![None; net.places.len()];
        for (new, old) in (0u32..).zip(&self.places) {
            number[*old as usize] = Some(new);
        }
        let mut left = Net {
            name: net.name.clone(),
            position: net.position,
            places: net.places.chosen(&self.places),
            tokens: self
                .places
                .iter()
                .map(|p| net.tokens[*p as usize])
                .collect(),
            events: net.events.chosen(&self.events),
            units: net.units.clone(),
            groups: net.groups.as_ref().map(|(parents, members)| {
                let kept = self.places.iter().map(|p| members[*p as usize]);
                (parents.clone(), kept.collect())
            }),
            ..Net::default()
        };
        for event in &self.events {
            let effects = net.event(*event as usize).iter();
            left.push_event(effects.filter_map(|effect| {
                let place = number[effect.place as usize]?;
                Some(Effect { place, ..*effect })
            }))?;
        }
        Ok(left)
    }
}

fn chosen(marks: &[bool]) -> Vec<u32> {
    let numbered = (0u32..).zip(marks);
    numbered.filter_map(|(i, mark)| mark.then_some(i)).collect()
}

/// Which events are possible.
fn possible(net: &Net) -> Vec<bool> {
    let mut most = net.tokens.clone();
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); net.places.len()];
    let mut possible = vec![false; net.events.len()];
    let mut pending: Vec<u32> = (0..net.events.len() as u32).collect();
    while let Some(number) = pending.pop() {
        let effects = net.event(number as usize);
        let lacking = effects.iter().find(|e| most[e.place as usize] < e.needed);
        if let Some(effect) = lacking {
            waiting[effect.place as usize].push(number);
            continue;
        }
        possible[number as usize] = true;
        for effect in effects.iter().filter(|e| e.change > 0) {
            let place = effect.place as usize;
            if most[place] < i32::MAX {
                most[place] = i32::MAX;
                pending.append(&mut waiting[place]);
            }
        }
    }
    possible
}
