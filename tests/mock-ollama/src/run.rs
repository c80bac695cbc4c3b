//! A request on its way through the machine: a runner, a slot, the prompt, the reply.

use crate::answer::{Answer, JSON, encode};
use crate::checks::Refusal;
use crate::embed::Embedding;
use crate::log::{Notes, Texts};
use crate::needs::{self, Needs};
use crate::ollama::{Ollama, Plan, Work};
use crate::prompt::Prompt;
use crate::reply::{Draft, Timing};
use crate::runners::Lease;
use crate::slots::Slot;
use crate::wire::{self, Step};
use crate::{Call, Served};
use std::time::Duration;

/// What granting a loaded runner takes, in nanoseconds.
const GRANT: u64 = 1_000_000;

/// An answer ready to be written, and what it holds until it is.
#[derive(Default)]
pub(crate) struct Prepared<'a> {
    pub(crate) steps: Vec<Step>,
    slot: Option<Slot>,
    lease: Option<Lease>,
    notes: Option<Notes<'a>>,
}

impl Prepared<'_> {
    /// Frees the slot, then the runner.
    pub(crate) fn let_go(&mut self, completed: bool) {
        self.slot = None;
        self.lease = None;
        if let Some(notes) = self.notes.take() {
            notes.note(|served| served.completed = completed);
        }
    }
}

/// A request that was granted a runner.
struct Granted<'a> {
    lease: Lease,
    notes: Notes<'a>,
    /// When, in machine time.
    at: u64,
    /// How long after its arrival, in nanoseconds.
    load: u64,
}

impl Ollama {
    /// Answers `call`; dropped while it waits, it leaves every queue.
    pub(crate) async fn prepare(&self, call: &Call) -> Prepared<'_> {
        match self.plan(call) {
            Plan::Say(answer) => self.said(&answer, call),
            Plan::Run(needs, work) => {
                let prepared = self.run(&needs, work, call).await;
                prepared.unwrap_or_else(|refusal| self.said(&refusal, call))
            }
        }
    }

    fn said(&self, answer: &Answer, call: &Call) -> Prepared<'_> {
        let draft = Draft::new(answer, call);
        let tokens = Prompt::new(call, answer).tokens;
        let timing = self.timing(tokens, tokens, draft.tokens);
        Prepared { steps: wire::steps(answer, call, draft, timing), ..Prepared::default() }
    }

    async fn run(&self, needs: &Needs, work: Work, call: &Call) -> Result<Prepared<'_>, Refusal> {
        let granted = self.grant(needs, work.kind(), call).await?;
        match work {
            Work::Load(answer) => {
                granted.note();
                Ok(Prepared { notes: Some(granted.notes), ..self.said(&answer, call) })
            }
            Work::Embed(embedding) => Ok(self.embed_on(granted, &embedding, call).await),
            Work::Reply(answer) => self.reply(granted, needs, &answer, call).await,
        }
    }

    async fn grant(
        &self,
        needs: &Needs,
        kind: &'static str,
        call: &Call,
    ) -> Result<Granted<'_>, Refusal> {
        let clock = &self.runners.clock;
        let arrived = clock.now();
        let notes = self.log.arrive(Served {
            call: call.n,
            kind,
            model: needs.card.name.clone(),
            seed: call.option("seed").and_then(needs::integer),
            arrived: Duration::from_nanos(arrived),
            ..Served::default()
        });
        let lease = self.runners.lease(needs, &notes).await?;
        let at = clock.now();
        Ok(Granted { lease, notes, at, load: GRANT.max(at - arrived) })
    }

    async fn reply<'a>(
        &self,
        mut granted: Granted<'a>,
        needs: &Needs,
        answer: &Answer,
        call: &Call,
    ) -> Result<Prepared<'a>, Refusal> {
        let mut draft = Draft::new(answer, call);
        let mut prompt = Prompt::new(call, answer);
        if !self.runners.machine.unlimited {
            prompt.fit(call, needs, &mut draft)?;
        }
        let slot = self.slot(&granted, &prompt, &draft).await;
        let new = self.read(&granted, &slot, prompt.tokens, draft.tokens);
        let mut timing = self.timing(prompt.tokens, new, draft.tokens);
        timing.load = answer.load_ns.unwrap_or(granted.load);
        timing.slot = self.runners.clock.now() - granted.at;
        if !timing.clock_runs {
            timing.start = timing.load;
        }
        granted.lease.deadly = answer.crashes;
        Ok(Prepared {
            steps: wire::steps(answer, call, draft, timing),
            slot: Some(slot),
            lease: Some(granted.lease),
            notes: Some(granted.notes),
        })
    }

    async fn slot(&self, granted: &Granted<'_>, prompt: &Prompt<'_>, draft: &Draft) -> Slot {
        let compared = !self.runners.machine.unlimited || self.log.wants_texts();
        let texts = if compared {
            Texts { prompt: prompt.render(), reply: format!("assistant: {}\n", draft.text) }
        } else {
            Texts::default()
        };
        let queued = || granted.note();
        let slots = &granted.lease.slots;
        let taken = slots.take(&texts.prompt, &texts.reply, queued);
        let slot = self.runners.clock.while_waiting(taken).await;
        if self.log.wants_texts() {
            granted.notes.keep(texts);
        }
        slot
    }

    /// Notes the start of a reply; gives the prompt tokens that must be read, at least one.
    fn read(&self, granted: &Granted<'_>, slot: &Slot, prompt: u64, reply: u64) -> u64 {
        let reused = (prompt as f64 * slot.reused) as u64;
        let reused = reused.min(prompt.saturating_sub(1));
        let now = self.runners.clock.now();
        granted.notes.start(|served| {
            served.started = Some(Duration::from_nanos(now));
            served.slot = Some(slot.number);
            served.prompt_held = slot.reused;
            served.prompt_reused = reused;
            served.prompt_new = prompt - reused;
            served.replied = reply;
        });
        prompt - reused
    }

    async fn embed_on<'a>(
        &'a self,
        granted: Granted<'a>,
        embedding: &Embedding,
        call: &Call,
    ) -> Prepared<'a> {
        let taken = granted.lease.slots.take("", "", || granted.note());
        let slot = self.runners.clock.while_waiting(taken).await;
        let new = self.read(&granted, &slot, embedding.tokens, 0);
        let run = self.runners.machine.prompt_token_ns * new;
        let end = Step::Until(self.runners.clock.now() + run);
        let answer = embedding.answer(call, granted.load, run);
        let mut prepared = self.said(&Answer::raw(200, JSON, encode(&answer)), call);
        prepared.steps.insert(0, end);
        Prepared {
            slot: Some(slot),
            lease: Some(granted.lease),
            notes: Some(granted.notes),
            ..prepared
        }
    }

    /// The time that reading `new` of `prompt` tokens and writing `reply` tokens takes from now.
    fn timing(&self, prompt: u64, new: u64, reply: u64) -> Timing {
        let (machine, clock) = (&self.runners.machine, &self.runners.clock);
        Timing {
            clock_runs: !clock.stands(),
            start: clock.now(),
            load: GRANT,
            slot: 0,
            prompt_tokens: prompt,
            prompt: machine.prompt_token_ns * new,
            reply: machine.reply_token_ns * reply,
            reported: if machine.real_durations { machine.scale } else { 1.0 },
        }
    }
}

impl Granted<'_> {
    fn note(&self) {
        let at = Duration::from_nanos(self.at);
        self.notes.note(|served| served.granted = Some(at));
    }
}
