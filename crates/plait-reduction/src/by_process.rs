//! Persistent sets by processes: Godefroid's Algorithms 1 and 2, with static relations or with values.
//!
//! Both say "whoever can meet a member must be one", 1 of events and 2 of processes in their present local
//! states. Whether two events can meet on an object is either static (they can be dependent in some state)
//! or asked of the present values: could the other be the *first to interfere* from here on (`▷s` of section
//! 4.7 of the thesis, which its package used with Algorithm 2). The second relation lies within the first, so
//! sets never grow by it.

use crate::bits::BitSet;
use crate::interference::Asked;
use crate::processes::Processes;
use crate::stubborn::Selector;

impl Selector {
    /// Algorithm 1: all events in the set are enabled, or it gives up.
    pub(crate) fn conflicts(&mut self, start: u32, limit: usize) -> Option<usize> {
        self.set.clear();
        self.set.insert(start);
        self.pending.clear();
        self.pending.push(start);
        let mut count = 0;
        while let Some(event) = self.pending.pop() {
            if !self.enabled.contains(event) {
                return None;
            }
            count += 1;
            if count >= limit {
                return None;
            }
            let row = self.neighbours(event)?;
            let pending = &mut self.pending;
            self.set.absorb(&row, &self.present, |e| pending.push(e));
        }
        Some(count)
    }

    /// The events that the event has a choice with, or can meet.
    fn neighbours(&mut self, event: u32) -> Option<BitSet> {
        if !self.asks_values() {
            return Some(self.processes.as_ref()?.neighbours.row(event).clone());
        }
        let mut found = self.meeting(event)?;
        let processes = self.processes.as_ref()?;
        for place in &processes.active[event as usize] {
            processes.leaving[place]
                .iter()
                .for_each(|e| found.insert(*e));
        }
        Some(found)
    }

    /// The events of other processes that might be the first to interfere with this one.
    fn meeting(&mut self, event: u32) -> Option<BitSet> {
        let dependency = std::sync::Arc::clone(&self.dependency);
        let asked = match self.enabled.contains(event) {
            true => Asked::Enabled,
            false => Asked::Disabled,
        };
        let mut found = dependency.errors.row(event).clone();
        for (cell, class) in &dependency.classes[event as usize] {
            if self
                .processes
                .as_ref()?
                .controls
                .binary_search(cell)
                .is_ok()
            {
                continue;
            }
            let value = self.values[*cell as usize];
            found.add(self.interferers(&dependency, (*cell, *class), value, asked));
        }
        let processes = self.processes.as_ref()?;
        let others: Vec<u32> = found
            .iter()
            .filter(|e| !processes.parallel(event, *e))
            .collect();
        others.iter().for_each(|e| found.remove(*e));
        Some(found)
    }

    /// Algorithm 2: closes a set of processes, from those of the start.
    pub(crate) fn overman(&mut self, start: u32, limit: usize) -> Option<usize> {
        let mut chosen = self.processes.as_ref()?.actives[start as usize].clone();
        let mut pending: Vec<u32> = chosen.iter().collect();
        while let Some(process) = pending.pop() {
            let local = self.processes.as_ref()?.local(process, &self.values);
            let all = self.around((process, local))?;
            chosen.absorb(&all, &all, |p| pending.push(p));
        }
        let processes = self.processes.as_ref()?;
        self.set.clear();
        for event in self.enabled.iter() {
            if processes.actives[event as usize].is_within(&chosen) {
                self.set.insert(event);
            }
        }
        let count = self.set.len();
        (count < limit).then_some(count)
    }

    /// The processes that a process in that local state can have to do with next: a table by local
    /// states where only they matter, filled as they are met.
    fn around(&mut self, place: (u32, i32)) -> Option<BitSet> {
        if self.asks_values() {
            return self.around_here(place);
        }
        let (processes, present) = (self.processes.as_ref()?, &self.present);
        let known = self.around.entry(place);
        Some(
            known
                .or_insert_with(|| around(processes, place, present))
                .clone(),
        )
    }

    fn around_here(&mut self, place: (u32, i32)) -> Option<BitSet> {
        let processes = self.processes.as_ref()?;
        let mut found = BitSet::new(processes.len());
        let leaving = processes.leaving.get(&place).cloned().unwrap_or_default();
        for event in leaving {
            if !self.present.contains(event) {
                continue;
            }
            let others = self.meeting(event)?;
            let processes = self.processes.as_ref()?;
            found.add(&processes.actives[event as usize]);
            for other in others.iter().filter(|e| self.present.contains(*e)) {
                found.add(&processes.actives[other as usize]);
            }
        }
        Some(found)
    }
}

/// The processes that a process in that local state can have to do with next, whatever the values.
pub(crate) fn around(processes: &Processes, place: (u32, i32), present: &BitSet) -> BitSet {
    let mut found = BitSet::new(processes.len());
    for event in processes.leaving.get(&place).into_iter().flatten() {
        if !present.contains(*event) {
            continue;
        }
        found.add(&processes.actives[*event as usize]);
        for other in processes.shared.row(*event).iter() {
            if present.contains(other) && processes.parallel(*event, other) {
                found.add(&processes.actives[other as usize]);
            }
        }
    }
    found
}
