//! Dialectic: a proposer answers, a skeptic criticises and the proposer revises, until the answer holds or the rounds are
//! over. Then a synthesizer writes the final answer, and judges score it.

mod answers;
mod comparison;
mod critique;
mod judgment;
mod ledger;
mod lines;
mod outcome;
mod retrieval;
pub mod settings;
mod source_record;

use serde_json::{Value, json};

pub use self::answers::{Answer, opening, said_to};
pub use self::comparison::{Compared, Reading};
use self::critique::Critique;
pub use self::critique::{Issue, Resolution, Severity};
pub use self::ledger::{Answered, MOST_LISTED, Point};
use self::ledger::{Ledger, Stop, stop};
use self::outcome::Ended;
pub use self::outcome::{comparison, points, qualities, resolution};
use self::retrieval::{retrieve, scaffolds};
use self::settings::{Dialectic, PROPOSER, SKEPTIC, SYNTHESIZER};
use crate::call_id::{CallId, CallStage};
use crate::event::{Event, How, IncidentKind, Outcome, Phase, RoundNotes, Statement};
use crate::floor::{Demand, Floor, Form, Result, Speech};
use crate::flow::{Named, Noted, NotedMove};
use crate::formats::play::Play;
use crate::plan::Plan;
use crate::text::{self, answer_parts};
use crate::trace::Trace;

/// The system text: of those in the debate, and of judges who see its answers alone.
const SYSTEM: &str = "prompts/dialectic/system.md.j2";
/// The phase of the final answer.
const SYNTHESIS: Phase = Phase::new("synthesis");
/// Characters of a point in the flow, and of what a proposal claims.
const IN_FLOW: usize = 160;
/// Characters of the words that a point in the flow quotes from the answer.
const QUOTED: usize = 70;

impl Play for Dialectic {
    async fn run(&self, floor: &Floor) -> Result<Outcome> {
        floor.open(SYSTEM, &json!({"judging": false})).await?;
        let retrieval = retrieve(floor, self).await?;
        introduce(floor)?;
        let mut debate = Debate {
            floor,
            settings: self,
            scaffolds: scaffolds(floor, &retrieval),
            ledger: Ledger::default(),
            ids: Vec::new(),
            first: None,
            criticised: false,
        };
        let mut round = 1;
        let stopped = loop {
            match debate.round(round).await? {
                Some(stopped) => break stopped,
                None => round += 1,
            }
        };
        let before = floor.model_ms();
        let synthesis = debate.synthesise(round, stopped).await?;
        let synthesis_ms = floor.model_ms() - before;
        let (mut score, mut comparison) = (None, None);
        if let (Some(answer), Some(first)) = (&synthesis, &debate.first) {
            // These judges know nothing of the debate, so what holds for those in it would only mislead them.
            floor.address(SYSTEM, &json!({"judging": true}))?;
            score = judgment::score(floor, self, answer).await?;
            comparison = comparison::compare(floor, first, answer).await?;
            floor.address(SYSTEM, &json!({"judging": false}))?;
        }
        let ended = Ended {
            rounds: round,
            stopped,
            synthesis: synthesis.as_ref(),
            synthesis_ms,
            model_ms: floor.model_ms(),
            score,
            comparison,
            retrieval: &retrieval,
        };
        Ok(outcome::of(self, &debate.ledger, &ended))
    }

    fn source_record(&self, plan: &Plan, events: &[Event], trace: &Trace) -> Value {
        source_record::source_record(plan, self, events, trace)
    }
}

/// Announces the debate. The reasoning templates are the proposer's own affair and are not on the record.
fn introduce(floor: &Floor) -> Result<()> {
    let gist = "The question, who takes part and how the debate goes".to_owned();
    let template = "record/dialectic/introduction.md.j2";
    floor.announce(Phase::INTRODUCTION, gist, template, &Value::Null)
}

/// A critique on the record, and what it says unless it is an emergency reply.
type Criticised = (Statement, Option<Critique>);

/// A debate between its rounds.
struct Debate<'f> {
    floor: &'f Floor,
    settings: &'f Dialectic,
    /// The reasoning templates for the first proposal.
    scaffolds: Vec<Value>,
    ledger: Ledger,
    /// The ids of the ledger's points in the flow, in their order.
    ids: Vec<String>,
    /// The proposer's first answer, once there is one on the record.
    first: Option<Statement>,
    /// Whether the last answer got a critique.
    criticised: bool,
}

impl Debate<'_> {
    /// One round: a proposal, and its critique unless there is nothing to criticise. Returns whether the debate ends.
    async fn round(&mut self, round: u32) -> Result<Option<Stop>> {
        self.floor.begin_round(round, &[PROPOSER, SKEPTIC]);
        let mut said = vec![self.propose(round).await?];
        let mut critique = None;
        // If there was nothing to criticise, the earlier critique still applies.
        if said[0].was_heard() {
            let (statement, found) = self.criticise(round, &said[0].text).await?;
            said.push(statement);
            critique = found;
            self.criticised = critique.is_some();
        }
        let headline = self.headline(round, critique.as_ref());
        let summary = self.note(round, &said, &headline);
        self.floor.close_round(RoundNotes::new(round, summary, headline));
        Ok(stop(self.settings, round, critique.as_ref(), &self.ledger))
    }

    /// Enters the round into the flow, derived from the ledger without asking anyone. Returns a line on what each speaker said.
    fn note(&mut self, round: u32, said: &[Statement], headline: &str) -> String {
        let (mut noted, mut lines): (Vec<Noted>, Vec<String>) = (Vec::new(), Vec::new());
        for statement in said {
            let of_it = statement.was_heard().then(|| {
                if statement.by == PROPOSER {
                    self.proposed(round, statement)
                } else {
                    self.raised(round, statement, headline)
                }
            });
            let claim = of_it.as_ref().map_or(&statement.gist, |noted| &noted.claim);
            let name = self.floor.plan().name_of(&statement.by);
            lines.push(format!("{name}: {claim}"));
            noted.extend(of_it);
        }
        let summary = lines.join(" ");
        let notes = self.floor.take_notes(round, summary.clone(), &noted);
        let points = notes.statements.into_iter().flat_map(|notes| notes.points);
        self.ids.extend(points.map(|point| point.id));
        summary
    }

    /// A proposal in the flow: its first sentence, and its effect on the skeptic's points.
    fn proposed(&self, round: u32, statement: &Statement) -> Noted {
        let claim = opening(&statement.text, IN_FLOW);
        let outcomes = self.ledger.outcomes_in(round).into_iter();
        let moves = outcomes.filter_map(|(n, how)| self.step(n, how));
        Noted {
            n: statement.n,
            claim: if claim.is_empty() { statement.gist.clone() } else { format!("\"{claim}\"") },
            moves: moves.collect(),
            ..Noted::default()
        }
    }

    /// A move about a point of the ledger.
    fn step(&self, n: u32, how: How) -> Option<NotedMove> {
        let id = self.ids.get(n as usize - 1)?;
        Some(NotedMove { at: Named::Id(id.clone()), how, with: None, said: id.clone() })
    }

    /// A critique in the flow: its new points, with the gravest as its claim, and the earlier points that it keeps open.
    fn raised(&self, round: u32, statement: &Statement, headline: &str) -> Noted {
        let new = self.ledger.raised_in(round);
        let upheld =
            self.ledger.upheld_in(round).into_iter().filter_map(|n| self.step(n, How::Upheld));
        let gravest = new.iter().min_by_key(|point| point.issue.severity);
        let claim = gravest.map_or_else(|| headline.to_owned(), in_short);
        Noted {
            n: statement.n,
            claim,
            new: new.iter().map(in_short).map(Some).collect(),
            moves: upheld.collect(),
            ..Noted::default()
        }
    }

    /// The proposal of a round: the first answer, or a revised one that answers the open points.
    async fn propose(&mut self, round: u32) -> Result<Statement> {
        let template = if self.first.is_some() {
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
        let lines = "line with ACCEPT, PARTLY or DEFEND";
        let objections = |text: &str| self.missing(lines, &self.ledger.unanswered_by(text));
        // In another language, these may be other words.
        let is_revised = self.first.is_some() && self.floor.plan().is_in_english();
        let speech = Speech {
            demand: is_revised.then(|| Demand::once(&objections)),
            ..Speech::new(call, PROPOSER, Phase::PROPOSAL, template, context)
        };
        let proposal = self.floor.speak(speech).await?;
        match self.first {
            Some(_) if proposal.was_heard() => self.take_answers(round, &proposal),
            None if proposal.was_heard() => self.first = Some(proposal.clone()),
            _ => {}
        }
        Ok(proposal)
    }

    fn take_answers(&mut self, round: u32, proposal: &Statement) {
        let call = proposal.call.as_deref();
        let left_out = self.ledger.left_out();
        if left_out > 0 {
            let message = format!(
                "{} of the skeptic are not listed in the prompts of round {round}, which list the gravest",
                text::count(left_out as u64, "open point")
            );
            self.floor.report(IncidentKind::Compaction, call, None, message);
        }
        let unanswered = self.ledger.answer(round, &proposal.text);
        if unanswered.is_empty() {
            return;
        }
        let message = format!(
            "the revised answer of round {round} neither accepts nor defends {} of the skeptic: {}",
            text::count(unanswered.len() as u64, "open point"),
            text::separated(unanswered.iter().map(u32::to_string), ", ")
        );
        self.floor.report(IncidentKind::Unanswered, call, proposal.attempt, message);
    }

    /// The critique of a round's draft.
    async fn criticise(&mut self, round: u32, draft: &str) -> Result<Criticised> {
        let listed = self.ledger.listed();
        let schema = critique::schema(self.ledger.points.len(), listed.len());
        let text = |value: &Value| self.worded(round, &critique::in_form(value, draft));
        let form = Form {
            schema: &schema,
            text: &text,
            accepts: &|text| critique::read(text).says_something(),
        };
        let call = CallId::new(CallStage::Round(round), "statement", SKEPTIC);
        let template = "prompts/dialectic/critique.md.j2";
        let context = json!({"round": round, "points": listed});
        let objections = |text: &str| {
            let settled = critique::read(text).settled;
            self.missing("entry", &self.ledger.passed_over(&settled))
        };
        let speech = Speech {
            form: Some(form),
            demand: Some(Demand::once(&objections)),
            ..Speech::new(call, SKEPTIC, Phase::new("critique"), template, context)
        };
        let (statement, value) = self.floor.speak_in_form(speech).await?;
        if !statement.was_heard() {
            return Ok((statement, None));
        }
        let critique = match value {
            Value::Null => critique::read(&statement.text),
            value => critique::in_form(&value, draft),
        };
        self.ledger.criticise(round, statement.n, &critique);
        Ok((statement, Some(critique)))
    }

    /// The objection to a reply without these points; none in a debate begun before it was raised, which has no words for it.
    fn missing(&self, what: &str, points: &[u32]) -> Vec<String> {
        let context = json!({"what": what, "points": points});
        let words = self.floor.render("prompts/dialectic/missing.md.j2", &context);
        words.ok().and_then(text::if_any).into_iter().collect()
    }

    /// A critique on the record. Whether the debate is ready for synthesis follows from the ledger, not from the skeptic's
    /// word.
    fn worded(&self, round: u32, critique: &Critique) -> String {
        let mut after = self.ledger.clone();
        after.criticise(round, 0, critique);
        let ready = stop(self.settings, round, Some(critique), &after) == Some(Stop::Ready);
        let first = self.ledger.points.len() as u32 + 1;
        critique.text(first, &self.ledger.critical(), ready)
    }

    /// The result of a round in one line.
    fn headline(&self, round: u32, critique: Option<&Critique>) -> String {
        let Some(critique) = critique else { return "no critique".to_owned() };
        let points = if critique.marked {
            self.came_of(round)
        } else {
            vec!["a critique without marks".to_owned()]
        };
        let quality = critique.score.map(|score| format!("quality {score} of 10"));
        let gravest = self.ledger.open().first().map(|it| it.issue.severity);
        let despite =
            if gravest == Some(Severity::Critical) { ", with a critical point open" } else { "" };
        let ready = format!("ready, says the skeptic{despite}");
        let ready = critique.signalled.then_some(ready);
        text::separated(points.into_iter().chain(quality).chain(ready), "; ")
    }

    /// What came of the points in a round: `resolved: 1 and 4`, `resolved in part: 2`, `new: point 5 (major)`, `2 open`.
    fn came_of(&self, round: u32) -> Vec<String> {
        let with = |status| {
            let points = self.ledger.points.iter();
            let own = points.filter(|it| it.last_round == Some(round) && it.status == Some(status));
            text::joined(own.map(|it| it.n.to_string()), "and")
        };
        let all = [Resolution::Resolved, Resolution::Partial, Resolution::Unresolved];
        let returned = all.map(|status| (status.word(), with(status)));
        let returned = returned.into_iter().filter(|(_, numbers)| !numbers.is_empty());
        let new = match outcome::numbered(&self.ledger.raised_in(round)) {
            none if none.is_empty() => "no new point".to_owned(),
            new => format!("new: {new}"),
        };
        let open = format!("{} open", self.ledger.open().len());
        let returned = returned.map(|(word, numbers)| format!("{word}: {numbers}"));
        returned.chain([new, open]).collect()
    }

    /// The final answer, from the whole debate (row T5).
    async fn synthesise(&self, rounds: u32, stopped: Stop) -> Result<Option<Statement>> {
        if self.first.is_none() {
            let reason = "the proposer was never heard, so there is nothing to synthesise";
            self.floor.fall_short([], reason.to_owned())?;
            return Ok(None);
        }
        self.floor.begin_phase("Final answer");
        let context = json!({"rounds": rounds, "points": self.ledger.listed(), "stopped": stopped});
        let call = CallId::new(CallStage::End, "synthesis", SYNTHESIZER);
        let template = "prompts/dialectic/synthesis.md.j2";
        let objections = |text: &str| answer_parts::read(text).objection().into_iter().collect();
        let speech = Speech {
            // In another language, its parts have other names.
            demand: (self.floor.plan().is_in_english()).then(|| Demand::once(&objections)),
            ..Speech::new(call, SYNTHESIZER, SYNTHESIS, template, context)
        };
        self.floor.deliver(speech).await
    }
}

/// A point as the flow has it for prompts and maps. The ledger has it in full.
fn in_short(point: &&Point) -> String {
    let fault = text::beginning(&text::unmarked(&point.issue.text), IN_FLOW);
    point.issue.quoting(QUOTED, fault)
}
