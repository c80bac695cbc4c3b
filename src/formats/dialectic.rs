//! Dialectic: a proposer answers, a skeptic criticises, the proposer revises, until the answer holds or the rounds are
//! over; a synthesizer writes the final answer, and judges score it.

mod answers;
mod critique;
mod judgment;
mod ledger;
mod lines;
mod outcome;
mod profile;
mod record;
mod retrieval;
mod roles;
pub mod settings;
mod synthesis;

use serde_json::{Value, json};

use self::critique::{Critique, Severity};
use self::ledger::{Ledger, Stop, stop};
use self::outcome::Ended;
use self::retrieval::{retrieve, scaffolds};
use self::roles::{PROPOSER, SKEPTIC, SYNTHESIZER};
use crate::call_id::{CallId, CallStage};
use crate::event::{Event, Outcome, RoundNotes, Statement};
use crate::floor::{Demand, Floor, Halt, Speech};
use crate::formats::dialectic::settings::Dialectic;
use crate::formats::play::Play;
use crate::plan::Plan;
use crate::text;

/// What a critique without a mark is told.
const UNMARKED: &str =
    "no line begins with a mark: 🔴, 🟡 or 🟢 for a new point, ✅, ⚠️ or ❌ for an earlier one";

impl Play for Dialectic {
    async fn run(&self, floor: &Floor) -> Result<Outcome, Halt> {
        debate(floor, self).await
    }

    fn source_record(&self, plan: &Plan, events: &[Event]) -> Value {
        record::source_record(plan, self, events)
    }
}

/// The whole debate.
async fn debate(floor: &Floor, settings: &Dialectic) -> Result<Outcome, Halt> {
    floor
        .open("prompts/dialectic/system.md.j2", &Value::Null)
        .await?;
    let retrieval = retrieve(floor, settings).await?;
    introduce(floor)?;
    let mut debate = Debate {
        floor,
        settings,
        scaffolds: scaffolds(floor, &retrieval),
        ledger: Ledger::default(),
        proposed: false,
        criticised: false,
    };
    let (mut round, mut stopped) = (0, None);
    while stopped.is_none() {
        round += 1;
        stopped = debate.round(round).await?;
    }
    let stopped = stopped.unwrap_or(Stop::MaxRounds);
    let before = floor.model_ms();
    let synthesis = debate.synthesise(round, stopped).await?;
    let synthesis_ms = floor.model_ms() - before;
    let score = match &synthesis {
        Some(answer) => judgment::score(floor, settings, answer).await?,
        None => None,
    };
    let ended = Ended {
        rounds: round,
        stopped,
        synthesis: synthesis.as_ref(),
        synthesis_ms,
        model_ms: floor.model_ms(),
        score,
        retrieval: &retrieval,
    };
    Ok(outcome::of(settings, &debate.ledger, &ended))
}

/// The reasoning templates are the proposer's own affair: they are not on the record.
fn introduce(floor: &Floor) -> Result<(), Halt> {
    let gist = "The question, who takes part and how the debate goes".to_owned();
    let template = "record/dialectic/introduction.md.j2";
    floor.announce("introduction", gist, template, &Value::Null)
}

/// A debate between its rounds.
struct Debate<'f> {
    floor: &'f Floor,
    settings: &'f Dialectic,
    /// The reasoning templates for the first proposal.
    scaffolds: Vec<Value>,
    ledger: Ledger,
    /// Whether there is an answer of the proposer on the record.
    proposed: bool,
    /// Whether the last answer was criticised.
    criticised: bool,
}

impl Debate<'_> {
    /// One round: a proposal, and its critique unless there is nothing to criticise. Says whether the debate ends.
    async fn round(&mut self, round: u32) -> Result<Option<Stop>, Halt> {
        self.floor.begin_round(round, &[PROPOSER, SKEPTIC]);
        let before = self.ledger.points.len();
        let proposal = self.propose(round).await?;
        let mut said = vec![proposal];
        let mut critique = None;
        if said[0].was_heard() {
            let (statement, found) = self.criticise(round).await?;
            said.push(statement);
            critique = found;
        }
        // Where there was nothing to criticise, what was criticised before still stands.
        if said[0].was_heard() {
            self.criticised = critique.is_some();
        }
        let all: Vec<&Statement> = said.iter().collect();
        let notes = self.floor.note(CallStage::Round(round), &all).await?;
        self.floor.close_round(RoundNotes {
            round,
            summary: notes.summary,
            headline: self.headline(before, critique.as_ref()),
            ..RoundNotes::default()
        });
        Ok(stop(self.settings, round, critique.as_ref(), &self.ledger))
    }

    /// The proposal of a round: the first answer, or a revised one that answers the open points.
    async fn propose(&mut self, round: u32) -> Result<Statement, Halt> {
        let template = if self.proposed {
            "prompts/dialectic/revision.md.j2"
        } else {
            "prompts/dialectic/proposal.md.j2"
        };
        let context = json!({
            "round": round,
            "scaffolds": self.scaffolds,
            "points": self.ledger.listed(),
            "criticised": self.criticised,
        });
        let call = CallId::new(CallStage::Round(round), "statement", PROPOSER);
        let speech = Speech::new(call, PROPOSER, "proposal", template, context);
        let proposal = self.floor.speak(speech).await?;
        if proposal.was_heard() {
            if self.proposed {
                self.take_answers(round, &proposal);
            }
            self.proposed = true;
        }
        Ok(proposal)
    }

    fn take_answers(&mut self, round: u32, proposal: &Statement) {
        let left_out = self.ledger.left_out();
        if left_out > 0 {
            let message = format!(
                "{} of the skeptic are not listed in the prompts of round {round}, which list the gravest",
                text::count(left_out as u64, "open point")
            );
            self.floor
                .report("compaction", proposal.call.as_deref(), None, message);
        }
        let unanswered = self.ledger.answer(round, &proposal.text);
        if unanswered.is_empty() {
            return;
        }
        let listed: Vec<String> = unanswered.iter().map(u32::to_string).collect();
        let message = format!(
            "the revised answer of round {round} leaves {} of the skeptic without ACCEPT or DEFEND: {}",
            text::count(unanswered.len() as u64, "open point"),
            listed.join(", ")
        );
        let call = proposal.call.as_deref();
        self.floor
            .report("unanswered", call, proposal.attempt, message);
    }

    /// The critique of a round, and what it says where it is the skeptic's own.
    async fn criticise(&mut self, round: u32) -> Result<(Statement, Option<Critique>), Halt> {
        let context = json!({"round": round, "points": self.ledger.listed()});
        let demand = Demand {
            again: 1,
            objections: &objections,
            doubt: None,
        };
        let call = CallId::new(CallStage::Round(round), "statement", SKEPTIC);
        let template = "prompts/dialectic/critique.md.j2";
        let statement = self
            .floor
            .speak(Speech {
                demand: Some(demand),
                ..Speech::new(call, SKEPTIC, "critique", template, context)
            })
            .await?;
        if !statement.was_heard() {
            return Ok((statement, None));
        }
        let critique = critique::read(&statement.text);
        self.ledger.criticise(round, &critique);
        if !statement.objections.is_empty() {
            let message = format!(
                "the critique of round {round} stands without a mark: its points cannot be counted"
            );
            let call = statement.call.as_deref();
            self.floor
                .report("unmarked", call, statement.attempt, message);
        }
        Ok((statement, Some(critique)))
    }

    /// What a round came to, in one line.
    fn headline(&self, before: usize, critique: Option<&Critique>) -> String {
        let Some(critique) = critique else {
            return "no critique".to_owned();
        };
        let new = &self.ledger.points[before..];
        let count =
            |severity: Severity| new.iter().filter(|p| p.issue.severity == severity).count();
        let raised = format!(
            "{} critical, {} major, {} minor",
            count(Severity::Critical),
            count(Severity::Major),
            count(Severity::Minor)
        );
        let open = self
            .ledger
            .points
            .iter()
            .filter(|point| point.is_open())
            .count();
        let mut parts = vec![if critique.marked {
            format!("new points: {raised}; open in all: {open}")
        } else {
            "a critique without marks".to_owned()
        }];
        parts.extend(critique.score.map(|score| format!("quality {score} of 10")));
        parts.extend(
            critique
                .ready
                .then(|| "called ready for synthesis".to_owned()),
        );
        parts.join("; ")
    }

    /// The final answer, from the whole debate (row T5).
    async fn synthesise(&self, rounds: u32, stopped: Stop) -> Result<Option<Statement>, Halt> {
        if !self.proposed {
            let reason = "the proposer was never heard, so there is nothing to synthesise";
            self.floor.fall_short(&[], reason.to_owned())?;
            return Ok(None);
        }
        self.floor.begin_phase("Final answer");
        let context = json!({"rounds": rounds, "points": self.ledger.listed(), "stopped": stopped});
        let call = CallId::new(CallStage::End, "synthesis", SYNTHESIZER);
        let template = "prompts/dialectic/synthesis.md.j2";
        let objections = |text: &str| synthesis::read(text).objection().into_iter().collect();
        let speech = Speech {
            // In another language its parts have other names.
            demand: self.floor.plan().is_in_english().then_some(Demand {
                again: 1,
                objections: &objections,
                doubt: None,
            }),
            ..Speech::new(call, SYNTHESIZER, "synthesis", template, context)
        };
        self.floor.deliver(speech).await
    }
}

/// A critique must have marks, unless it says that nothing is left to criticise.
fn objections(text: &str) -> Vec<String> {
    let critique = critique::read(text);
    if critique.marked || critique.ready {
        return Vec::new();
    }
    vec![UNMARKED.to_owned()]
}
