//! One walker: where it is, what can be done there, and which step its policy takes (see `walk`).

use plait_program::mix::Seed;
use plait_program::{Failure, Machine, Program, Scratch, StateSet, Watch};

use crate::budget::{Observer, Reason, Supervisor};
use crate::failing::Failing;
use crate::plan::Plans;
use crate::planned::Owed;
use crate::sought::{Sought, Visited};
use crate::walk::{Found, WalkOptions};

/// How a run chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    Even,
    Bursts,
    Rare,
    /// Towards a goal, by its measure.
    Near(usize),
    /// Towards greater values.
    Great(usize),
    /// Towards a goal, by its plan.
    Planned(usize),
}

/// How many enabled events a choosy policy compares.
const SAMPLE: usize = 12;
/// Steps between two looks at the limits.
const PATIENCE: u64 = 4096;
/// The shortest run; others are up to `LONGER` times doubled.
const SHORT: usize = 256;
const LONGER: u64 = 12;

pub(crate) struct Walker<'a> {
    program: &'a Program,
    plans: &'a Plans,
    options: &'a WalkOptions,
    pub supervisor: Supervisor<'a>,
    machine: Machine,
    scratch: Scratch,
    random: u64,
    cells: Vec<i32>,
    initial: Vec<i32>,
    failing: Failing<'a>,
    pub sought: Sought<'a>,
    /// Plans that are not net-like.
    general: Vec<u32>,
    /// Successors of the general plans: event and state.
    others: Vec<(u32, u32, Vec<i32>)>,
    fired: Vec<u64>,
    /// What the plan of this run still owes.
    owed: Owed,
    /// Old values while a step is only tried.
    saved: Vec<i32>,
    trail: Vec<(u32, u32)>,
    pub runs: Vec<Vec<(u32, u32)>>,
    pub steps: u64,
    pub tried: u64,
    pub reason: Reason,
}

impl<'a> Walker<'a> {
    pub fn new(
        program: &'a Program,
        plans: &'a Plans,
        options: &'a WalkOptions,
        observer: &'a mut dyn Observer,
    ) -> Walker<'a> {
        let initial = program.initial();
        let general = (0u32..).zip(&plans.plans);
        Walker {
            program,
            plans,
            options,
            supervisor: Supervisor::new(observer, options.timeout, None),
            machine: Machine::new(program),
            scratch: Scratch::default(),
            random: options.seed,
            cells: initial.clone(),
            failing: Failing::new(program, plans),
            sought: Sought::new(options, initial.clone()),
            general: general
                .filter(|(_, plan)| !plan.simple)
                .map(|(n, _)| n)
                .collect(),
            others: Vec::new(),
            fired: vec![0; program.events().len()],
            owed: Owed::default(),
            saved: Vec::new(),
            trail: Vec::new(),
            runs: Vec::new(),
            steps: 0,
            tried: 0,
            reason: Reason::Goals,
            initial,
        }
    }

    /// One run; whether there should be another.
    pub fn run(&mut self) -> Result<bool, Failure> {
        self.restart();
        if self.tried == 0 {
            let (sought, visited) = self.visited();
            sought.ask_all(visited)?;
        }
        if self.sought.is_done() || self.is_spent() || !self.supervisor.go_on(0) {
            return Ok(false);
        }
        let policy = self.policy();
        if let Policy::Planned(goal) = policy {
            self.begin_plan(goal);
        }
        let length = (SHORT << (self.next() % LONGER)).min(self.options.length.max(1));
        self.tried += 1;
        while self.trail.len() < length {
            let Some(choice) = self.choose(policy)? else {
                break;
            };
            let burst = match policy {
                Policy::Bursts => 1usize << (self.next() % 16),
                _ => 1,
            };
            for turn in 0..burst.min(length - self.trail.len()) {
                if !self.take(choice)? {
                    if turn == 0 {
                        return Ok(true); // a value leaves its domain
                    }
                    break;
                }
                if self.sought.is_done() {
                    return Ok(false);
                }
                if let Policy::Planned(goal) = policy {
                    if self.owed.is_paid() {
                        self.begin_plan(goal);
                    }
                }
                if self.steps.is_multiple_of(PATIENCE) && !self.supervisor.go_on(0) {
                    return Ok(false);
                }
                if self.is_spent() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Keeps the run just made as far as something was found on it.
    pub fn keep_run(&mut self) {
        // The first is where the initial state is found.
        let kept = std::mem::take(&mut self.sought.kept);
        if kept > 0 || self.runs.is_empty() {
            self.trail.truncate(kept);
            self.runs.push(std::mem::take(&mut self.trail));
        }
        self.trail.clear();
    }

    fn restart(&mut self) {
        self.cells.copy_from_slice(&self.initial);
        self.failing.restart();
        self.sought.restart();
    }

    /// Whether there were enough steps; to begin a run costs as much as a short one.
    fn is_spent(&mut self) -> bool {
        let begun = self.tried * SHORT as u64;
        let spent = self
            .options
            .steps
            .is_some_and(|most| self.steps + begun >= most);
        if spent {
            self.reason = Reason::States;
        }
        spent
    }

    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(1);
        Seed(self.options.seed).key(self.random)
    }

    fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }

    fn begin_plan(&mut self, goal: usize) {
        if let Some(Some(plan)) = self.options.plans.get(goal) {
            self.owed.begin(self.program.events().len(), plan);
        }
    }

    fn policy(&mut self) -> Policy {
        let found = &self.sought.goals;
        let planned: Vec<usize> = (0..found.len())
            .filter(|g| found[*g].is_none())
            .filter(|g| self.options.plans.get(*g).is_some_and(Option::is_some))
            .collect();
        let mut turn = self.tried;
        if !planned.is_empty() {
            // Every other run has a plan.
            if turn % 2 == 1 {
                return Policy::Planned(planned[self.below(planned.len())]);
            }
            turn /= 2;
        }
        match turn % 4 {
            0 => return Policy::Even,
            1 => return Policy::Bursts,
            2 => return Policy::Rare,
            _ => {}
        }
        let (found, best) = (&self.sought.goals, &self.sought.values);
        let goals = (0..found.len())
            .filter(|g| found[*g].is_none())
            .filter(|g| self.options.measures.get(*g).is_some_and(Option::is_some))
            .map(Policy::Near);
        let values = (0..best.len())
            .filter(|v| !self.options.values[*v].asks_events())
            .filter(|v| match (best[*v], self.options.enough.get(*v)) {
                (Some((value, _)), Some(Some(enough))) => value < *enough,
                _ => true,
            })
            .map(Policy::Great);
        let all: Vec<Policy> = goals.chain(values).collect();
        if all.is_empty() {
            return Policy::Rare;
        }
        all[self.below(all.len())]
    }

    /// A step that can be made: a net-like plan, or one of `others`.
    fn choose(&mut self, policy: Policy) -> Result<Option<Choice>, Failure> {
        self.others.clear();
        if !self.general.is_empty() {
            self.find_others()?;
        }
        let count = self.failing.enabled.len() + self.others.len();
        if count == 0 {
            return Ok(None);
        }
        if matches!(policy, Policy::Planned(_)) {
            if let Some(choice) = self.owed_choice(count) {
                return Ok(Some(choice));
            }
        }
        let first = self.below(count);
        let random = matches!(policy, Policy::Even | Policy::Bursts)
            || count == 1
            || self.next().is_multiple_of(8);
        if random {
            return Ok(Some(self.choice(first)));
        }
        let mut best = (i64::MAX, self.choice(first));
        let sample = count.min(SAMPLE);
        for _ in 0..sample {
            let at = self.below(count);
            let choice = self.choice(at);
            let cost = self.cost(policy, choice)?;
            if cost < best.0 {
                best = (cost, choice);
            }
        }
        Ok(Some(best.1))
    }

    /// One of the enabled events that the plan owes, the more likely the more it is owed.
    fn owed_choice(&mut self, count: usize) -> Option<Choice> {
        let (mut total, mut found) = (0u64, None);
        for at in 0..count {
            let choice = self.choice(at);
            let owed = u64::from(self.owed.of(self.event(choice)));
            total += owed;
            if owed > 0 && (self.below(total as usize) as u64) < owed {
                found = Some(choice);
            }
        }
        found
    }

    fn choice(&self, at: usize) -> Choice {
        match self.failing.enabled.get(at) {
            Some(plan) => Choice::Net(plan),
            None => Choice::Other(at - self.failing.enabled.len()),
        }
    }

    /// All successors of events that are not net-like.
    fn find_others(&mut self) -> Result<(), Failure> {
        let mut found = StateSet::new(self.cells.len());
        for plan in &self.general {
            let event = self.plans.plans[*plan as usize].event;
            found.clear();
            self.machine.successors(
                self.program,
                event,
                &mut self.cells,
                &mut self.supervisor,
                &mut found,
            )?;
            for (choice, state) in (0u32..).zip(found.iter()) {
                self.others.push((event, choice, state.to_vec()));
            }
        }
        Ok(())
    }

    /// How little the policy likes a step.
    fn cost(&mut self, policy: Policy, choice: Choice) -> Result<i64, Failure> {
        let code = match policy {
            Policy::Near(goal) | Policy::Planned(goal) => {
                self.options.measures.get(goal).and_then(Option::as_ref)
            }
            Policy::Great(value) => Some(&self.options.values[value]),
            _ => None,
        };
        let Some(code) = code else {
            return Ok(self.fired[self.event(choice) as usize] as i64);
        };
        let value = match choice {
            Choice::Other(at) => code.integer(&self.others[at].2, &mut self.scratch),
            Choice::Net(plan) => {
                let updates = self.plans.updates(&self.plans.plans[plan as usize]);
                self.saved.clear();
                for update in updates {
                    let cell = &mut self.cells[update.cell as usize];
                    self.saved.push(*cell);
                    *cell = update.apply(*cell);
                }
                let value = code.integer(&self.cells, &mut self.scratch);
                for (update, old) in updates.iter().zip(&self.saved) {
                    self.cells[update.cell as usize] = *old;
                }
                value
            }
        };
        let cost = |value| match policy {
            Policy::Great(_) => -i64::from(value),
            _ => i64::from(value),
        };
        // Of undefined ones none is better than nothing.
        Ok(value.map_or(i64::MAX - 1, cost))
    }

    fn event(&self, choice: Choice) -> u32 {
        match choice {
            Choice::Net(plan) => self.plans.plans[plan as usize].event,
            Choice::Other(at) => self.others[at].0,
        }
    }

    /// Makes a step, if it can (still) be made.
    fn take(&mut self, choice: Choice) -> Result<bool, Failure> {
        let (event, number) = match choice {
            Choice::Net(plan) => {
                if !self.failing.enabled.contains(plan) || !self.fits(plan) {
                    return Ok(false);
                }
                self.apply(plan);
                (self.event(choice), 0)
            }
            Choice::Other(at) => {
                if at >= self.others.len() {
                    return Ok(false);
                }
                let (event, choice, state) = std::mem::take(&mut self.others[at]);
                self.others.clear();
                for (cell, value) in state.iter().enumerate() {
                    self.change(cell, *value);
                }
                (event, choice)
            }
        };
        self.steps += 1;
        self.fired[event as usize] += 1;
        self.owed.pay(event);
        self.trail.push((event, number));
        let (sought, visited) = self.visited();
        sought.look(visited)?;
        Ok(true)
    }

    /// Whether every cell admits its new value; where one does not, the walk ends here.
    fn fits(&self, plan: u32) -> bool {
        let updates = self.plans.updates(&self.plans.plans[plan as usize]);
        updates.iter().all(|update| {
            let old = self.cells[update.cell as usize];
            self.program.cells()[update.cell as usize].admits(update.apply(old))
        })
    }

    fn apply(&mut self, plan: u32) {
        let plans = self.plans;
        for update in plans.updates(&plans.plans[plan as usize]) {
            let cell = update.cell as usize;
            self.change(cell, update.apply(self.cells[cell]));
        }
    }

    fn change(&mut self, cell: usize, new: i32) {
        let old = std::mem::replace(&mut self.cells[cell], new);
        if old == new {
            return;
        }
        self.failing.change(cell, old, new);
        self.sought.change(cell, old, new);
    }

    /// What is looked for, and the state in which the walker is.
    fn visited(&mut self) -> (&mut Sought<'a>, Visited<'_, 'a>) {
        let visited = Visited {
            program: self.program,
            cells: &self.cells,
            failing: &self.failing,
            general: !self.general.is_empty(),
            machine: &mut self.machine,
            supervisor: &mut self.supervisor,
            scratch: &mut self.scratch,
            at: Found {
                run: self.runs.len() as u32,
                position: self.trail.len() as u32,
            },
        };
        (&mut self.sought, visited)
    }
}

#[derive(Clone, Copy, Debug)]
enum Choice {
    Net(u32),
    Other(usize),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Unobserved;
    use plait_program::{Builder, Code};

    #[test]
    fn no_policy_likes_a_step_after_which_its_integer_is_undefined() {
        let mut builder = Builder::new();
        let cells = ["height", "ground"].map(|name| builder.cell(name, 1, 0, 9).unwrap());
        let [height, ground] = cells.map(|cell| builder.load(cell).unwrap());
        let one = builder.constant(1).unwrap();
        for (name, operator, cell) in [("up", "+", 0), ("spoil", "-", 1)] {
            let changed = builder.binary(operator, [height, ground][cell], one);
            let body = [builder.assign(cells[cell], changed.unwrap()).unwrap()];
            builder.event(name, &[], &body, None).unwrap();
        }
        let value = builder.binary("/", height, ground).unwrap();
        let code = Code::compile(builder.pool(), value);
        let program = builder.freeze().unwrap();
        let plans = Plans::new(&program);
        let options = WalkOptions {
            measures: vec![Some(code.clone())],
            values: vec![code],
            ..WalkOptions::default()
        };
        let mut observer = Unobserved;
        let mut walker = Walker::new(&program, &plans, &options, &mut observer);
        for policy in [Policy::Near(0), Policy::Great(0)] {
            let [up, spoil] = [0, 1].map(|plan| walker.cost(policy, Choice::Net(plan)).unwrap());
            assert!(up < spoil, "{policy:?}: {up} {spoil}");
        }
    }
}
