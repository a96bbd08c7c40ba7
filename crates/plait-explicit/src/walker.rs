//! One walker: where it is, what can be done there, and which step its policy takes (see `walk`).

use plait_program::mix::Seed;
use plait_program::{Code, Failure, Machine, Program, Scratch, StateSet, Value, Watch};

use crate::budget::{Observer, Reason, Supervisor};
use crate::members::{Known, Members};
use crate::plan::Plans;
use crate::planned::Owed;
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
    /// For each plan how many of its tests fail now.
    failing: Vec<u32>,
    first_failing: Vec<u32>,
    enabled: Members,
    first_enabled: Members,
    /// The tests of each cell: plan, and the test's place in `plans.tests`.
    tested_by: Vec<Vec<(u32, u32)>>,
    /// Plans that are not net-like.
    general: Vec<u32>,
    /// The plan of each free event.
    plan_of: Vec<u32>,
    /// Successors of the general plans: event and state.
    others: Vec<(u32, u32, Vec<i32>)>,
    /// Goals and values that read each cell; values are counted after the goals.
    read_by: Vec<Vec<u32>>,
    /// Goals that ask about events: looked at after every step.
    asking: Vec<u32>,
    touched: Vec<u32>,
    touched_at: Vec<u64>,
    fired: Vec<u64>,
    /// What the plan of this run still owes.
    owed: Owed,
    /// Old values while a step is only tried.
    saved: Vec<i32>,
    trail: Vec<(u32, u32)>,
    /// How much of the trail must be kept.
    kept: usize,
    pub runs: Vec<Vec<(u32, u32)>>,
    pub goals: Vec<Option<Found>>,
    pub values: Vec<Option<(i32, Found)>>,
    pub growth: Option<(Found, Found)>,
    anchor: Vec<i32>,
    anchor_sum: i64,
    anchor_at: usize,
    sum: i64,
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
        let (mut tested_by, mut read_by) = (
            vec![Vec::new(); initial.len()],
            vec![Vec::new(); initial.len()],
        );
        let mut failing = vec![0; plans.plans.len()];
        let mut enabled = Members::new(plans.plans.len());
        let mut general = Vec::new();
        let mut plan_of = vec![u32::MAX; program.events().len()];
        for (number, plan) in (0u32..).zip(&plans.plans) {
            plan_of[plan.event as usize] = number;
            if !plan.simple {
                general.push(number);
                continue;
            }
            for (at, test) in (plan.first_test()..).zip(plans.tests(plan)) {
                tested_by[test.cell as usize].push((number, at));
                let fails = !test.interval.contains(initial[test.cell as usize]);
                failing[number as usize] += u32::from(fails);
            }
            if failing[number as usize] == 0 {
                enabled.insert(number);
            }
        }
        let questions: Vec<&Code> = options.goals.iter().chain(&options.values).collect();
        let mut asking = Vec::new();
        for (number, code) in (0u32..).zip(&questions) {
            if code.asks_events() {
                asking.push(number);
                continue;
            }
            for (first, end) in code.reads().ranges() {
                for cell in *first..*end {
                    read_by[cell as usize].push(number);
                }
            }
        }
        Walker {
            program,
            plans,
            options,
            supervisor: Supervisor::new(observer, options.timeout, None),
            machine: Machine::new(program),
            scratch: Scratch::default(),
            random: options.seed,
            cells: initial.clone(),
            first_failing: failing.clone(),
            failing,
            first_enabled: enabled.clone(),
            enabled,
            tested_by,
            general,
            plan_of,
            others: Vec::new(),
            read_by,
            asking,
            touched: Vec::new(),
            touched_at: vec![0; questions.len()],
            fired: vec![0; program.events().len()],
            owed: Owed::default(),
            saved: Vec::new(),
            trail: Vec::new(),
            kept: 0,
            runs: Vec::new(),
            goals: vec![None; options.goals.len()],
            values: vec![None; options.values.len()],
            growth: None,
            anchor: initial.clone(),
            anchor_sum: 0,
            anchor_at: 0,
            sum: 0,
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
            for number in 0..self.options.goals.len() + self.options.values.len() {
                self.ask(number as u32)?;
            }
        }
        if self.is_done() || self.is_spent() || !self.supervisor.go_on(0) {
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
                if self.is_done() {
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
        if self.kept > 0 || self.runs.is_empty() {
            self.trail.truncate(self.kept);
            self.runs.push(std::mem::take(&mut self.trail));
        }
        self.kept = 0;
        self.trail.clear();
    }

    fn restart(&mut self) {
        self.cells.copy_from_slice(&self.initial);
        self.failing.copy_from_slice(&self.first_failing);
        self.enabled.copy_from(&self.first_enabled);
        self.anchor.copy_from_slice(&self.initial);
        (self.anchor_sum, self.anchor_at, self.sum) = (0, 0, 0);
    }

    fn is_done(&self) -> bool {
        let values = self.values.iter().zip(&self.options.enough);
        self.goals.iter().all(Option::is_some)
            && values
                .into_iter()
                .all(|(best, enough)| match (best, enough) {
                    (Some((value, _)), Some(enough)) => value >= enough,
                    _ => false,
                })
            && (!self.options.growth || self.growth.is_some())
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
        let planned: Vec<usize> = (0..self.goals.len())
            .filter(|g| self.goals[*g].is_none())
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
        let goals = (0..self.goals.len())
            .filter(|g| self.goals[*g].is_none())
            .filter(|g| self.options.measures.get(*g).is_some_and(Option::is_some))
            .map(Policy::Near);
        let values = (0..self.values.len())
            .filter(|v| !self.options.values[*v].asks_events())
            .filter(|v| match (self.values[*v], self.options.enough.get(*v)) {
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
        let count = self.enabled.len() + self.others.len();
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
        match self.enabled.get(at) {
            Some(plan) => Choice::Net(plan),
            None => Choice::Other(at - self.enabled.len()),
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
        let value = value.map_or(i64::MAX - 1, i64::from);
        Ok(match policy {
            Policy::Great(_) => -value,
            _ => value,
        })
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
                if self.failing[plan as usize] > 0 || !self.fits(plan) {
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
        self.look()?;
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
        self.sum += i64::from(new) - i64::from(old);
        for (plan, test) in &self.tested_by[cell] {
            let interval = &self.plans.tests[*test as usize].interval;
            let failing = &mut self.failing[*plan as usize];
            match (interval.contains(old), interval.contains(new)) {
                (true, false) => {
                    *failing += 1;
                    if *failing == 1 {
                        self.enabled.remove(*plan);
                    }
                }
                (false, true) => {
                    *failing -= 1;
                    if *failing == 0 {
                        self.enabled.insert(*plan);
                    }
                }
                _ => {}
            }
        }
        for question in &self.read_by[cell] {
            if self.touched_at[*question as usize] != self.steps + 1 {
                self.touched_at[*question as usize] = self.steps + 1;
                self.touched.push(*question);
            }
        }
    }

    /// Looks at the state just reached.
    fn look(&mut self) -> Result<(), Failure> {
        while let Some(question) = self.touched.pop() {
            self.ask(question)?;
        }
        for index in 0..self.asking.len() {
            self.ask(self.asking[index])?;
        }
        if self.options.growth && self.growth.is_none() {
            self.look_for_growth();
        }
        Ok(())
    }

    fn here(&mut self) -> Found {
        self.kept = self.kept.max(self.trail.len());
        Found {
            run: self.runs.len() as u32,
            position: self.trail.len() as u32,
        }
    }

    fn ask(&mut self, question: u32) -> Result<(), Failure> {
        let number = question as usize;
        let goals = self.options.goals.len();
        if number < goals {
            if self.goals[number].is_some() {
                return Ok(());
            }
            let code = &self.options.goals[number];
            let holds = if !code.asks_events() {
                code.holds(&self.cells, &mut self.scratch)
            } else if self.general.is_empty() {
                let mut known = Known {
                    enabled: &self.enabled,
                    plan_of: &self.plan_of,
                };
                let Ok(value) = code.value(&self.cells, &mut self.scratch, &mut known);
                value == Value::Condition(true)
            } else {
                let watch = &mut self.supervisor;
                let value = self
                    .machine
                    .evaluate(self.program, code, &self.cells, watch)?;
                value == Value::Condition(true)
            };
            if holds {
                self.goals[number] = Some(self.here());
            }
            return Ok(());
        }
        let code = &self.options.values[number - goals];
        if code.asks_events() {
            return Ok(());
        }
        if let Some(value) = code.integer(&self.cells, &mut self.scratch) {
            if self.values[number - goals].is_none_or(|(best, _)| value > best) {
                self.values[number - goals] = Some((value, self.here()));
            }
        }
        Ok(())
    }

    /// Compares the state with one before it on the run, as Brent looks for cycles.
    fn look_for_growth(&mut self) {
        let at = self.trail.len();
        if self.sum > self.anchor_sum
            && self
                .cells
                .iter()
                .zip(&self.anchor)
                .all(|(now, then)| now >= then)
        {
            let later = self.here();
            let earlier = Found {
                position: self.anchor_at as u32,
                ..later
            };
            self.growth = Some((earlier, later));
        } else if at >= 2 * self.anchor_at + 8 {
            self.anchor.copy_from_slice(&self.cells);
            (self.anchor_sum, self.anchor_at) = (self.sum, at);
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Choice {
    Net(u32),
    Other(usize),
}
