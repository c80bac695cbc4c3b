//! Simulated runs in virtual time: servers that load, read and reply, and debates that call them in stages.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::time::Duration;

use super::super::{DebateNumber, ModelName, Moment, Scheduler, Start, Ticket, Timing};

/// Calls that a debate makes at once, each with the model's number and the seconds of the reply.
pub(super) type Stage = Vec<(usize, f64)>;

/// A server in a simulated run.
#[derive(Clone, Copy)]
pub(super) struct Machine {
    /// Models that fit into its memory.
    pub(super) fits: usize,
    /// Seconds per load.
    pub(super) load: f64,
    /// Factor on the time of its replies.
    pub(super) slowness: f64,
}

/// The makeup of a simulated run.
pub(super) struct Night {
    pub(super) machines: Vec<Machine>,
    /// Slots per model.
    pub(super) slots: usize,
    /// Calls that a server gets at a time: initially, and at most.
    pub(super) concurrency: (usize, usize),
    pub(super) debates: Vec<Vec<Stage>>,
    /// Seconds to read what one stage adds to a prompt.
    pub(super) reading: f64,
    pub(super) seed: u64,
    /// The share of calls that fail and are repeated.
    pub(super) failing: f64,
}

/// The result of a simulated run.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Seconds.
    pub(super) time: f64,
    pub(super) loads: usize,
    pub(super) calls: usize,
    /// Seconds spent on replies and on reading.
    pub(super) work: f64,
    /// The same if every call had run on a server of slowness 1 and read only new text.
    pub(super) least_work: f64,
    /// Seconds of reading that no earlier call of the debate to the model had done.
    pub(super) read: f64,
    /// Seconds of reading that earlier calls of the debate to the model had done.
    pub(super) reread: f64,
    /// Maximum debates open at a time.
    pub(super) open: usize,
    /// When the last debate began.
    pub(super) last_begun: f64,
    /// Slot seconds used until then.
    pub(super) busy_until_then: f64,
    /// The longest wait of a call, by model.
    pub(super) longest_wait: BTreeMap<usize, f64>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Opened,
    Calls(DebateNumber),
    /// A call has reached its server, and its model is loaded.
    Loaded(Ticket),
    Reply(Ticket),
    Fails(Ticket),
    Look,
    /// Check what a server has in memory.
    Peek(usize),
}

#[derive(Default)]
struct Open {
    plan: usize,
    stage: usize,
    left: usize,
}

#[derive(Default)]
struct Call {
    debate: DebateNumber,
    model: usize,
    reply: f64,
    asked: Moment,
    load: f64,
    /// When its model was loaded.
    loaded: Moment,
    queue: f64,
    is_first: bool,
    /// The server it runs on, if it does.
    host: Option<usize>,
    place: usize,
}

#[derive(Default)]
struct Memory {
    models: Vec<usize>,
    ready: BTreeMap<usize, Moment>,
    /// Per slot of each model: the debate and number of stages read last, whether it is in use, and since when.
    slots: BTreeMap<usize, Vec<Slot>>,
    /// Calls that wait for a slot.
    queue: VecDeque<Ticket>,
}

/// Seconds after which the pool checks what a load has left in memory.
const PEEK: f64 = 2.0;

type Slot = (Option<(DebateNumber, usize)>, bool, Moment);

struct Sim<'n> {
    night: &'n Night,
    scheduler: Scheduler,
    now: Moment,
    events: BinaryHeap<Reverse<(Moment, u64, What)>>,
    number: u64,
    debates: BTreeMap<DebateNumber, Open>,
    calls: BTreeMap<Ticket, Call>,
    memory: Vec<Memory>,
    read: BTreeSet<(DebateNumber, usize, usize)>,
    next_plan: usize,
    opening: usize,
    /// When to decide again if nothing happens.
    look: Moment,
    dice: Dice,
    outcome: Outcome,
}

/// Numbers drawn from a seed, by splitmix64.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn name(model: usize) -> ModelName {
    ModelName::from(format!("m{model}"))
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

impl Night {
    pub(super) fn run(&self) -> Outcome {
        let mut sim = Sim {
            night: self,
            scheduler: Scheduler::new(self.machines.len(), self.concurrency),
            now: Moment::ZERO,
            events: BinaryHeap::new(),
            number: 0,
            debates: BTreeMap::new(),
            calls: BTreeMap::new(),
            memory: self.machines.iter().map(|_| Memory::default()).collect(),
            read: BTreeSet::new(),
            next_plan: 0,
            opening: 0,
            look: Moment::MAX,
            dice: Dice(self.seed),
            outcome: Outcome::default(),
        };
        sim.run();
        assert_eq!(sim.next_plan, self.debates.len(), "every debate is begun");
        let is_over = sim.debates.is_empty() && sim.calls.is_empty();
        assert!(is_over, "seed {}: {}", self.seed, sim.scheduler.describe());
        let calls: usize = self.debates.iter().flatten().map(Vec::len).sum();
        assert_eq!(sim.outcome.calls, calls, "no call is lost or doubled");
        let loads: u64 = sim.scheduler.loads().into_values().sum();
        assert!(self.failing > 0.0 || loads == sim.outcome.loads as u64, "{loads} loads counted");
        sim.outcome.least_work += sim.outcome.read;
        sim.outcome
    }
}

impl Scheduler {
    fn describe(&self) -> String {
        let waiting: Vec<String> = self
            .waiting
            .iter()
            .map(|(at, call)| format!("{at:?} {} {:?}", call.model, call.hosts))
            .collect();
        let hosts: Vec<String> = self
            .hosts
            .iter()
            .enumerate()
            .map(|(at, host)| format!("{host:?} next {:?}", self.next_model(at, Moment::ZERO)))
            .collect();
        format!("{waiting:?}; {hosts:?}; more {}", self.has_more)
    }
}

impl Sim<'_> {
    fn run(&mut self) {
        loop {
            self.settle();
            let Some(Reverse((at, _, what))) = self.events.pop() else {
                return;
            };
            self.now = at;
            match what {
                What::Opened => self.opened(),
                What::Calls(debate) => self.call(debate),
                What::Loaded(ticket) => self.serve(ticket),
                What::Reply(ticket) => self.reply(ticket),
                What::Fails(ticket) => self.fail(ticket),
                What::Look => self.look = Moment::MAX,
                What::Peek(host) => self.peek(host),
            }
        }
    }

    fn later(&mut self, after: f64, what: What) {
        self.number += 1;
        let event = (self.now + seconds(after), self.number, what);
        self.events.push(Reverse(event));
    }

    /// Opens the debates that are wanted, and starts the calls whose turn it is.
    fn settle(&mut self) {
        loop {
            let left = self.night.debates.len() - self.next_plan - self.opening;
            let open = self.debates.len() + self.opening;
            self.scheduler.set_batch(open, left > 0);
            let starts = self.scheduler.decide(self.now);
            for start in &starts {
                self.start(*start);
            }
            let wanted = self.scheduler.wanted(|_| true, self.now).min(left);
            for _ in 0..wanted {
                self.opening += 1;
                self.later(0.003, What::Opened);
            }
            if starts.is_empty() && wanted == 0 {
                break;
            }
        }
        if let Some(at) = self.scheduler.look_again(self.now).filter(|at| *at < self.look) {
            self.look = at;
            self.later((at - self.now).as_secs_f64(), What::Look);
        }
    }

    fn opened(&mut self) {
        self.opening -= 1;
        let debate = self.scheduler.debates.join(self.now);
        let open = Open { plan: self.next_plan, ..Open::default() };
        self.next_plan += 1;
        self.debates.insert(debate, open);
        self.outcome.open = self.outcome.open.max(self.debates.len());
        self.outcome.last_begun = self.now.as_secs_f64();
        self.outcome.busy_until_then = self.outcome.work;
        self.later(0.002, What::Calls(debate));
    }

    fn call(&mut self, debate: DebateNumber) {
        let open = self.debates.get_mut(&debate).unwrap();
        let stage = self.night.debates[open.plan][open.stage].clone();
        open.left = stage.len();
        for (model, reply) in stage {
            self.scheduler.called(debate, self.now);
            // The pool does the same before it knows which servers may take the call.
            self.settle();
            self.ask(debate, model, reply);
        }
    }

    fn ask(&mut self, debate: DebateNumber, model: usize, reply: f64) {
        let hosts = (0..self.night.machines.len()).collect();
        let ticket = self.scheduler.ask(debate, &name(model), hosts, self.now);
        let call = Call { debate, model, reply, asked: self.now, ..Call::default() };
        self.calls.insert(ticket, call);
    }

    fn start(&mut self, start: Start) {
        let machine = self.night.machines[start.host];
        let model = self.calls[&start.ticket].model;
        let load = self.load(start.host, model, machine);
        let call = self.calls.get_mut(&start.ticket).unwrap();
        (call.host, call.load, call.is_first) = (Some(start.host), load, start.loads);
        call.loaded = self.now + seconds(load);
        let waited = (self.now - call.asked).as_secs_f64();
        let longest = self.outcome.longest_wait.entry(model).or_default();
        *longest = longest.max(waited);
        // Calls sent together arrive in any order.
        let way = self.dice.between(0.0, 0.005);
        self.later(load + way, What::Loaded(start.ticket));
        if start.loads {
            self.later(PEEK, What::Peek(start.host));
        }
    }

    /// Gives a call a slot, or queues it for one.
    fn serve(&mut self, ticket: Ticket) {
        let call = &self.calls[&ticket];
        let (host, debate, model) = (call.host.unwrap(), call.debate, call.model);
        let stage = self.debates[&debate].stage;
        let Some((place, known)) = self.take_slot(host, (debate, model)) else {
            self.memory[host].queue.push_back(ticket);
            return;
        };
        let read = self.reads((debate, model), stage, known);
        let call = self.calls.get_mut(&ticket).unwrap();
        let work = (call.reply + read) * self.night.machines[host].slowness;
        self.outcome.least_work += call.reply;
        (call.place, call.queue) = (place, (self.now - call.loaded).as_secs_f64());
        self.outcome.work += work;
        let slots = self.memory[host].slots.get_mut(&model).unwrap();
        slots[place] = (Some((debate, stage + 1)), true, self.now);
        let fails = self.dice.between(0.0, 1.0) < self.night.failing;
        let (after, end) =
            if fails { (0.3 * work, What::Fails(ticket)) } else { (work, What::Reply(ticket)) };
        self.later(after, end);
    }

    /// A call fails and is repeated.
    fn fail(&mut self, ticket: Ticket) {
        let call = self.calls.remove(&ticket).unwrap();
        self.free(&call);
        self.scheduler.withdraw(call.debate, ticket, self.now);
        self.ask(call.debate, call.model, call.reply);
    }

    fn free(&mut self, call: &Call) {
        let host = call.host.unwrap();
        let slots = self.memory[host].slots.get_mut(&call.model).unwrap();
        (slots[call.place].1, slots[call.place].2) = (false, self.now);
        self.serve_next(host, call.model);
    }

    /// Serves the next call that waits for a slot of that model.
    fn serve_next(&mut self, host: usize, model: usize) {
        let mut queue = self.memory[host].queue.iter();
        let next = queue.position(|ticket| self.calls[ticket].model == model);
        if let Some(ticket) = next.and_then(|at| self.memory[host].queue.remove(at)) {
            self.serve(ticket);
        }
    }

    /// Seconds until the model is loaded.
    fn load(&mut self, host: usize, model: usize, machine: Machine) -> f64 {
        let running: BTreeSet<usize> =
            self.calls.values().filter(|it| it.host == Some(host)).map(|it| it.model).collect();
        let slots = self.night.slots;
        let memory = &mut self.memory[host];
        if !memory.models.contains(&model) {
            if memory.models.len() >= machine.fits {
                let idle = memory.models.iter().position(|it| !running.contains(it));
                let out =
                    memory.models.remove(idle.expect("a model that is in use is not replaced"));
                memory.slots.remove(&out);
            }
            memory.models.push(model);
            memory.slots.insert(model, vec![(None, false, Moment::ZERO); slots]);
            memory.ready.insert(model, self.now + seconds(machine.load));
            self.outcome.loads += 1;
        }
        let memory = &self.memory[host];
        memory.ready[&model].saturating_sub(self.now).as_secs_f64()
    }

    /// The slot that holds most of a prompt, and how many stages it holds.
    fn take_slot(
        &self,
        host: usize,
        (debate, model): (DebateNumber, usize),
    ) -> Option<(usize, usize)> {
        let slots = self.memory[host].slots[&model].iter().enumerate();
        let idle = slots.filter(|(_, (_, busy, _))| !busy);
        let known = |kept: Option<(DebateNumber, usize)>| match kept {
            Some((of, stages)) if of == debate => stages,
            _ => 0,
        };
        let worth = idle.map(|(place, (kept, _, used))| (known(*kept), Reverse((*used, place))));
        let (known, Reverse((_, place))) = worth.max()?;
        Some((place, known))
    }

    /// Seconds to read the stages that a slot does not hold.
    fn reads(&mut self, (debate, model): (DebateNumber, usize), stage: usize, known: usize) -> f64 {
        let mut time = 0.0;
        for part in known..=stage {
            time += self.night.reading;
            if self.read.insert((debate, model, part)) {
                self.outcome.read += self.night.reading;
            } else {
                self.outcome.reread += self.night.reading;
            }
        }
        time
    }

    fn reply(&mut self, ticket: Ticket) {
        let call = self.calls.remove(&ticket).unwrap();
        self.outcome.calls += 1;
        self.outcome.time = self.now.as_secs_f64();
        self.free(&call);
        let timing = Timing {
            load: seconds(call.load),
            queue: Some(seconds(call.queue)),
            is_first: call.is_first,
        };
        self.scheduler.ended(ticket, timing, self.now);
        self.scheduler.debates.answered(call.debate, self.now);
        if call.is_first {
            self.peek(call.host.unwrap());
        }
        self.go_on(call.debate);
    }

    /// The models in a server's memory; one that is still being loaded is not among them.
    fn peek(&mut self, host: usize) {
        let memory = &self.memory[host];
        let is_there = |model: &&usize| memory.ready[*model] <= self.now;
        let models: Vec<ModelName> =
            memory.models.iter().filter(is_there).map(|model| name(*model)).collect();
        self.scheduler.holds(host, &models);
    }

    fn go_on(&mut self, debate: DebateNumber) {
        let open = self.debates.get_mut(&debate).unwrap();
        open.left -= 1;
        if open.left > 0 {
            return;
        }
        open.stage += 1;
        if open.stage < self.night.debates[open.plan].len() {
            let thought = self.dice.between(0.002, 0.02);
            self.later(thought, What::Calls(debate));
        } else {
            self.debates.remove(&debate);
            self.scheduler.debates.leave(debate);
        }
    }
}
