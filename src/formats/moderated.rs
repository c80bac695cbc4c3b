//! Moderated: advocates debate under a moderator: openings, rounds of arguments and rebuttals, closings, a summary, scores.

mod check;
mod doubts;
mod exchange;
mod interruption;
mod outcome;
mod rules;
mod ruling;
mod session;
pub mod settings;
mod source_record;
mod speech;
mod turn;

use serde_json::{Value, json};

use self::rules::all_rules;
use self::ruling::Ruling;
use self::session::Session;
use self::settings::{FACT_CHECKER, MODERATOR, Moderated, SCALE};
use self::turn::TurnKind;
use super::outcome_phrases;
use super::own_judges::OwnJudges;
use crate::call_id::{CallId, CallStage};
use crate::event::{Event, Outcome, Phase, RoundNotes, Statement, Verdict};
use crate::floor::{Floor, Result, Speech};
use crate::formats::play::Play;
use crate::job::participant::Participant;
use crate::plan::Plan;
use crate::trace::Trace;

/// What the announcement of the closings says in short, behind any ruling on the last round.
pub const CLOSINGS: &str = "The closing statements begin";

impl Play for Moderated {
    async fn run(&self, floor: &Floor) -> Result<Outcome> {
        let mut session = Session::of(floor, self);
        let rules = json!({"all_rules": all_rules(floor)});
        floor.open("prompts/moderated/system.md.j2", &rules).await?;
        introduce(&session)?;

        floor.begin_phase("Opening statements");
        session.each(TurnKind::Opening).await?;
        note_phase(&session, CallStage::Opening, TurnKind::Opening).await?;

        let rulings = rounds(&mut session).await?;

        floor.begin_phase("Closing statements");
        announce_closings(&session, &rulings)?;
        session.close().await?;
        note_phase(&session, CallStage::Closing, TurnKind::Closing).await?;

        let verdict = judge(&session, &rulings).await?;
        floor.begin_phase("Summary");
        let summary = summarize(&session).await?;
        Ok(outcome::outcome(&session, &rulings, summary, verdict))
    }

    fn source_record(&self, _: &Plan, _: &[Event], trace: &Trace) -> Value {
        source_record::source_record(trace)
    }
}

/// The rounds, until the last or until the moderator ends them, with the moderator's ruling on each.
async fn rounds(session: &mut Session<'_>) -> Result<Vec<Ruling>> {
    let mut rulings: Vec<Ruling> = Vec::new();
    for round in 1..=session.settings.round_count {
        let last = rulings.last();
        let focus = last.map(|r| r.next_focus.clone()).unwrap_or_default();
        session.floor.begin_round(round, &session.order());
        announce_round(session, round, last)?;
        session.exchange(round, &focus).await?;
        let ruling = close_round(session, round, &focus).await?;
        rulings.push(ruling.clone());
        if ruling.end_now {
            break;
        }
    }
    Ok(rulings)
}

/// Ends a round with notes, ruling and summary, and records what its speakers remember.
async fn close_round(session: &Session<'_>, round: u32, focus: &str) -> Result<Ruling> {
    let floor = session.floor;
    let said = session.said_in(round);
    let stage = CallStage::Round(round);
    let notes = floor.note(stage, &session.noted(&said)).await?;
    let ruling = ruling::of_round(session, round, &said).await?;
    if said.iter().any(|s| s.was_heard()) {
        sum_up(session, &ruling, &notes.summary).await?;
    }
    let ruled = json!({"last": ruling::shown(session, &ruling)});
    floor.foretell("record/moderated/ruling.md.j2", &ruled)?;
    floor.remember(round, floor.remembered(&said, &notes));
    let headline = outcome::headline(session, &ruling, focus);
    floor.close_round(RoundNotes::new(round, notes.summary, headline));
    Ok(ruling)
}

/// The clerk's notes on statements outside rounds, and on the answers to interruptions of them.
async fn note_phase(session: &Session<'_>, stage: CallStage, kind: TurnKind) -> Result<()> {
    let said = session.said_outside_rounds(kind);
    let notes = session.floor.note(stage, &session.noted(&said)).await?;
    let memories = session.floor.remembered_by(&session.advocates, &said, &notes);
    session.floor.remember(0, memories);
    Ok(())
}

/// The moderator's summary of a round, or the clerk's if the moderator gives none.
async fn sum_up(session: &Session<'_>, ruling: &Ruling, in_short: &str) -> Result<()> {
    let context = json!({
        "round": ruling.round,
        "rounds": session.settings.round_count,
        "ruling": ruling::shown(session, ruling),
    });
    let call = CallId::new(CallStage::Round(ruling.round), "summary", MODERATOR);
    let template = "prompts/moderated/round_summary.md.j2";
    let speech = Speech::new(call, MODERATOR, Phase::ROUND_SUMMARY, template, context)
        .of_at_most(session.settings.round_summary_max_tokens);
    if session.floor.speak_if_can(speech).await?.is_none() {
        let context = json!({"round": ruling.round, "summary": in_short});
        let template = "record/moderated/round_summary.md.j2";
        let gist = format!("Round {} in the words of the clerk", ruling.round);
        session.floor.announce(Phase::ROUND_SUMMARY, gist, template, &context)?;
    }
    Ok(())
}

/// The moderator's summary of the debate, which nothing can replace.
async fn summarize(session: &Session<'_>) -> Result<Option<Statement>> {
    let context = json!({
        "advocates": session.named(&session.advocates),
        "doubted": doubts::shown(session, None, 0),
    });
    let call = CallId::new(CallStage::End, "summary", MODERATOR);
    let template = "prompts/moderated/summary.md.j2";
    let speech = Speech::new(call, MODERATOR, Phase::SUMMARY, template, context)
        .of_at_most(session.settings.summary_max_tokens);
    session.floor.deliver(speech).await
}

/// The judges' scores, if they are wanted and every advocate was heard.
async fn judge(session: &Session<'_>, rulings: &[Ruling]) -> Result<Option<Verdict>> {
    if !session.settings.scoring {
        return Ok(None);
    }
    if let Some(silent) = session.advocates.iter().find(|id| !session.has_spoken(id)) {
        let reason = format!("{} was never heard, so nobody is scored", session.name(silent));
        session.floor.fall_short([], reason)?;
        return Ok(None);
    }
    let judges = OwnJudges {
        judges: &judges(session.floor),
        contestants: &session.advocates,
        criteria: &session.settings.criteria,
        scale: SCALE,
        both_orders: session.settings.both_orders,
        template: "prompts/moderated/verdict.md.j2",
        context: json!({"doubted": doubts::shown(session, None, 0), "focuses": focuses(rulings)}),
        blind: false,
        reason: "reasons",
        more: json!({}),
    };
    judges.decide(session.floor).await.map(Some)
}

/// What rounds were to be about, which the judges' record does not say.
fn focuses(rulings: &[Ruling]) -> Vec<Value> {
    let held = rulings.iter().zip(rulings.iter().skip(1));
    let turned = held.filter(|(last, _)| !last.next_focus.is_empty());
    turned.map(|(last, own)| json!({"round": own.round, "question": last.next_focus})).collect()
}

/// The judges who score: those of the job, or the moderator if there are none.
fn judges(floor: &Floor) -> Vec<&Participant> {
    match floor.plan().judges() {
        none if none.is_empty() => floor.plan().participant(MODERATOR).into_iter().collect(),
        some => some,
    }
}

fn introduce(session: &Session<'_>) -> Result<()> {
    let context = json!({
        "advocates": session.named(&session.advocates),
        "all_rules": all_rules(session.floor),
        "enforced": session.settings.enforces_rules(),
        "corrected": session.settings.corrects_claims(),
        "fact_checker": session.floor.plan().participant(FACT_CHECKER),
        "judges": judges(session.floor),
    });
    let gist = "The topic, the sides, the rules and how the debate goes".to_owned();
    let template = "record/moderated/introduction.md.j2";
    session.floor.announce(Phase::INTRODUCTION, gist, template, &context)
}

fn announce_round(session: &Session<'_>, round: u32, last: Option<&Ruling>) -> Result<()> {
    let turn = |(argues, rebuts)| json!([session.advocate(argues), session.advocate(rebuts)]);
    let turns: Value = session.turns().map(turn).collect();
    let rounds = session.settings.round_count;
    let context = json!({"round": round, "rounds": rounds, "turns": turns});
    let focus = last.map(|ruling| &ruling.next_focus);
    let focus = focus.filter(|focus| !focus.is_empty());
    let about = focus.map(|focus| format!(" and turns to this: {focus}"));
    let begins = format!("Round {round} of {rounds} begins{}", about.unwrap_or_default());
    announce(session, last, &begins, "record/moderated/round.md.j2", context)
}

fn announce_closings(session: &Session<'_>, rulings: &[Ruling]) -> Result<()> {
    let context = json!({"advocates": session.named(&session.advocates)});
    announce(session, rulings.last(), CLOSINGS, "record/moderated/closings.md.j2", context)
}

/// Announces what comes next, with the ruling on the last round and how the points stand.
fn announce(
    session: &Session<'_>,
    last: Option<&Ruling>,
    begins: &str,
    template: &str,
    mut context: Value,
) -> Result<()> {
    context["last"] = json!(last.map(|ruling| ruling::shown(session, ruling)));
    context["points"] = json!(outcome_phrases::by_status(session.floor, None));
    let ruled = last.map(|ruling| ruling::in_brief(session, ruling)).unwrap_or_default();
    session.floor.announce(Phase::ANNOUNCEMENT, ruled + begins, template, &context)
}
