//! The successors of one state.
//!
//! Three ways, from the cheapest: a net-like variant adds to the packed words; another variant, or a
//! block that is compiled, is executed in place and the words of the cells it wrote are patched; an
//! event on sets of states packs each of its results. A value that does not fit makes the layout grow, and with it the
//! store, the batch and the state under expansion are repacked; then things go on as before.

use plait_program::event_index::marked;
use plait_program::{StateSet, Test, Update, Variant};

use crate::breadth_first::LARGE_BATCH;
use crate::hash::RecordHash;
use crate::layout::Layout;
use crate::plan::Plan;
use crate::questions::Expanded;
use crate::repacking::Repacking;
use crate::search::{owned, Halt, Search};

impl<H: RecordHash> Search<'_, H> {
    /// Puts the successors of the state that was loaded into the batch.
    pub(crate) fn expand_loaded(&mut self, number: u32) -> Result<(), Halt> {
        self.figures.observe(&self.cells);
        let arcs = self.figures.arcs;
        let plans = self.plans;
        let mut bits = std::mem::take(&mut self.candidates);
        if plans.mark(&self.cells, &mut bits) {
            for plan in marked(&bits) {
                self.fire(&plans.plans[plan], number)?;
            }
        } else {
            for plan in &plans.plans {
                self.fire(plan, number)?;
            }
        }
        self.candidates = bits;
        self.repeated.clear();
        self.expanded(number, self.figures.arcs == arcs)
    }

    /// It is known whether the state just loaded is a deadlock, and which events are enabled in it.
    #[inline]
    pub(crate) fn expanded(&mut self, number: u32, deadlock: bool) -> Result<(), Halt> {
        self.figures.deadlocks += u64::from(deadlock);
        if self.questions.any_about_expanded_states() {
            self.ask(number, deadlock)?;
        }
        Ok(())
    }

    /// Makes a stored state the one to expand.
    pub(crate) fn load(&mut self, number: u32) {
        self.store.read(number, &mut self.words);
        self.store.layout().decode(&self.words, &mut self.cells);
    }

    /// Makes any state that fits the layout the one to expand.
    pub(crate) fn take(&mut self, state: &[i32]) {
        self.words.resize(self.store.layout().words(), 0);
        self.store.layout().encode(state, &mut self.words);
        self.cells.copy_from_slice(state);
    }

    /// Puts the successors under one event into the batch.
    #[inline]
    pub(crate) fn fire(&mut self, plan: &Plan, number: u32) -> Result<(), Halt> {
        let plans = self.plans;
        if !holds(plans.tests(plan), &self.cells) {
            return Ok(());
        }
        if plan.simple && self.fire_net(plans.updates(plan), number) {
            self.count(plan.event);
            return self.after_event(plan.event, number);
        }
        self.fire_any(plan.event, number) // not simple, or a value that does not fit
    }

    /// The event has been executed, with successors.
    #[inline]
    fn after_event(&mut self, event: u32, number: u32) -> Result<(), Halt> {
        self.fired_in[event as usize] = number;
        if self.batched && self.batch.len() >= LARGE_BATCH {
            self.flush()?;
        }
        Ok(())
    }

    /// Goals that ask about events, and bounds, on the state just expanded.
    fn ask(&mut self, number: u32, deadlock: bool) -> Result<(), Halt> {
        self.work += self.questions.cost();
        let mut expanded = Expanded {
            program: self.program,
            machine: &mut self.machine,
            watch: &mut self.supervisor,
            cells: &self.cells,
            fired_in: &self.fired_in,
            number,
            deadlock,
        };
        let sought = self.questions.sought();
        self.questions.ask_expanded(number, &mut expanded)?;
        if self.questions.sought() < sought {
            self.remember(number, self.cells.clone());
        }
        self.stop_if_decided()
    }

    fn count(&mut self, event: u32) {
        self.figures.arcs += 1;
        self.figures.fired[event as usize] += 1;
    }

    /// Adds the successor by these updates; `false` and nothing added when a value does not fit.
    #[inline]
    fn fire_net(&mut self, updates: &[Update], number: u32) -> bool {
        let fields = self.store.layout().fields();
        let record = self.batch.push(&self.words, number);
        for update in updates {
            let field = &fields[update.cell as usize];
            let old = self.cells[update.cell as usize];
            let new = update.apply(old);
            if !field.fit.contains(new) {
                self.batch.pop(self.store.layout().words());
                return false;
            }
            field.add(record, old, new);
        }
        true
    }

    /// Executes an event of whatever form on the state.
    fn fire_any(&mut self, event: u32, number: u32) -> Result<(), Halt> {
        let before = self.figures.arcs;
        self.tried[event as usize] += 1;
        match self.program.events()[event as usize].variants() {
            Some([variant]) => self.fire_tested(event, variant, number)?,
            Some(variants) => {
                let first = self.batch.len();
                for variant in variants {
                    if holds(variant.tests(), &self.cells) {
                        let so_far = self.figures.arcs;
                        self.fire_tested(event, variant, number)?;
                        if self.figures.arcs > so_far {
                            self.machine.note_calls(variant);
                        }
                        self.drop_repeated(event, first, before);
                    }
                }
            }
            None => self.fire_block(event, number)?,
        }
        if self.figures.arcs > before {
            if self.plans.shared_title[event as usize] {
                self.drop_shared(event, before)?;
            }
            self.after_event(event, number)?;
        }
        Ok(())
    }

    /// Executes a variant whose tests hold.
    fn fire_tested(&mut self, event: u32, variant: &Variant, number: u32) -> Result<(), Halt> {
        let watch = &mut self.supervisor;
        match self
            .machine
            .execute_native(variant, &mut self.cells, watch)?
        {
            Some(true) => return self.take_executed(event, number),
            Some(false) => return Ok(()),
            None => {}
        }
        if variant.has_conditions()
            && !self
                .machine
                .conditions_hold(self.program, variant, &self.cells, watch)?
        {
            return Ok(());
        }
        if let Some(updates) = variant.net() {
            if self.fire_net(updates, number) {
                self.count(event);
                return Ok(());
            }
        }
        self.fire_in_place(event, variant, number)
    }

    /// Executes the steps of a variant whose tests and conditions hold.
    fn fire_in_place(&mut self, event: u32, variant: &Variant, number: u32) -> Result<(), Halt> {
        let watch = &mut self.supervisor;
        if !self
            .machine
            .execute_steps(self.program, variant, &mut self.cells, watch)?
        {
            return Ok(());
        }
        self.take_executed(event, number)
    }

    /// Puts the successor that stands in `cells` into the batch, and the state back.
    fn take_executed(&mut self, event: u32, number: u32) -> Result<(), Halt> {
        let outcome = self.push_executed(number);
        self.machine.undo(&mut self.cells);
        outcome?;
        self.count(event);
        Ok(())
    }

    /// Packs the successor that stands in `cells` for the moment.
    fn push_executed(&mut self, number: u32) -> Result<(), Halt> {
        let fields = self.store.layout().fields();
        let written = self.machine.written();
        let fits = written.iter().all(|write| {
            let cell = write.cell as usize;
            fields[cell].fit.contains(self.cells[cell])
        });
        if !fits {
            let successor = self.cells.clone();
            self.grow_layout(&successor)?;
        }
        let fields = self.store.layout().fields();
        let record = self.batch.push(&self.words, number);
        for write in self.machine.written() {
            let cell = write.cell as usize;
            fields[cell].write(record, self.cells[cell]);
        }
        Ok(())
    }

    /// Makes the layout hold `successor`; repacks the store, the batch and the current state.
    #[cold]
    fn grow_layout(&mut self, successor: &[i32]) -> Result<(), Halt> {
        if self.finds.is_some() {
            return Err(Halt::Alone); // others read the store
        }
        let old = self.store.layout().clone();
        let budget = &mut self.supervisor.budget;
        let beside = self.batch.len();
        owned(&mut self.store).grow_layout(successor, self.program, budget, beside)?;
        self.work += (beside + self.store.len()) * successor.len() / 8;
        self.follow(&old)?;
        self.look_up_in_time()
    }

    /// Between two states, keeps those of the store in another form if that is better.
    #[inline]
    pub(crate) fn keep_well(&mut self) -> Result<(), Halt> {
        if self.store.may_keep_better() {
            let old = self.store.layout().clone();
            owned(&mut self.store).keep_better(&mut self.supervisor.budget)?;
            self.follow(&old)?;
        }
        Ok(())
    }

    /// The layout has changed: repacks the batch and the current state.
    fn follow(&mut self, old: &Layout) -> Result<(), Halt> {
        let new = self.store.layout();
        let repacking = Repacking::new(old, new);
        let mut words = vec![0; self.batch.len() * new.words()];
        for (index, record) in words.chunks_exact_mut(new.words()).enumerate() {
            repacking.apply(self.batch.get(index, old.words()), record);
        }
        self.batch.words = words;
        let before = std::mem::replace(&mut self.words, vec![0; new.words()]);
        repacking.apply(&before, &mut self.words);
        self.repeated.repack(&repacking, new.words())?;
        Ok(())
    }

    /// Executes an event that has no straight-line form.
    fn fire_block(&mut self, event: u32, number: u32) -> Result<(), Halt> {
        let watch = &mut self.supervisor;
        match self.machine.execute_block(event, &mut self.cells, watch)? {
            Some(true) => self.take_executed(event, number),
            Some(false) => Ok(()),
            None => self.fire_on_sets(event, number),
        }
    }

    fn fire_on_sets(&mut self, event: u32, number: u32) -> Result<(), Halt> {
        let mut found = std::mem::replace(&mut self.found, StateSet::new(self.cells.len()));
        found.clear();
        self.machine.successors_on_sets(
            self.program,
            event,
            &mut self.cells,
            &mut self.supervisor,
            &mut found,
        )?;
        for state in found.iter() {
            self.push_state(state, number)?;
            self.count(event);
        }
        self.found = found;
        Ok(())
    }

    fn push_state(&mut self, state: &[i32], number: u32) -> Result<(), Halt> {
        let changed = self.cells.iter().zip(state);
        let mut fields = self.store.layout().fields().iter().zip(changed);
        if !fields.all(|(field, (old, new))| old == new || field.fit.contains(*new)) {
            self.grow_layout(state)?;
        }
        let fields = self.store.layout().fields();
        let record = self.batch.push(&self.words, number);
        for ((field, new), old) in fields.iter().zip(state).zip(&self.cells) {
            if new != old {
                field.write(record, *new);
            }
        }
        Ok(())
    }

    /// After one more variant of an event: its successor is dropped if another variant gave it.
    fn drop_repeated(&mut self, event: u32, first: usize, before: u64) {
        let count = (self.figures.arcs - before) as usize;
        debug_assert_eq!(self.batch.len() - first, count);
        let stride = self.store.layout().words();
        if count > 1 && self.batch.last_is_repeated(first, stride) {
            self.batch.pop(stride);
            self.figures.arcs -= 1;
            self.figures.fired[event as usize] -= 1;
        }
    }

    /// After an event whose title others share: arcs that another of them had are not counted again.
    fn drop_shared(&mut self, event: u32, before: u64) -> Result<(), Halt> {
        let count = (self.figures.arcs - before) as usize;
        let stride = self.store.layout().words();
        let title = self.program.events()[event as usize].title;
        for index in self.batch.len() - count..self.batch.len() {
            let record = self.batch.get(index, stride);
            if !self.repeated.insert(event, title, record)? {
                self.figures.arcs -= 1;
                self.figures.fired[event as usize] -= 1;
            }
        }
        Ok(())
    }
}

#[inline]
pub(crate) fn holds(tests: &[Test], cells: &[i32]) -> bool {
    tests
        .iter()
        .all(|test| test.interval.contains(cells[test.cell as usize]))
}
