//! Moderated: advocates under a moderator: openings, rounds of arguments and rebuttals, closings, a summary, scores.

mod check;
mod interruption;
mod outcome;
mod profile;
mod record;
mod ruling;
pub mod settings;
mod table;
mod turn;

use serde_json::{Value, json};

use self::ruling::Ruling;
use self::table::Table;
use self::turn::Part;
use super::panel::{Decision, Panel};
use crate::call_id::{CallId, CallStage};
use crate::event::{Event, Outcome, RoundNotes, Statement};
use crate::floor::{Floor, Focus, Halt, Speech};
use crate::formats::moderated::settings::{Moderated, SCALE};
use crate::formats::play::Play;
use crate::job::participant::Participant;
use crate::plan::Plan;

const MODERATOR: &str = "moderator";
const FACT_CHECKER: &str = "fact_checker";
/// What the moderator enforces beside the rules of the job.
const GENERAL_RULES: [&str; 3] = [
    "Keep to the topic.",
    "Attack arguments, never people.",
    "Speak for yourself only: do not put words into anybody's mouth.",
];

impl Play for Moderated {
    async fn run(&self, floor: &Floor) -> Result<Outcome, Halt> {
        debate(floor, self).await
    }

    fn source_record(&self, plan: &Plan, events: &[Event]) -> Value {
        record::source_record(plan, self, events)
    }
}

/// The whole debate.
async fn debate(floor: &Floor, settings: &Moderated) -> Result<Outcome, Halt> {
    let mut table = Table::of(floor, settings);
    let rules = json!({"all_rules": all_rules(floor)});
    floor.open("prompts/moderated/system.md.j2", &rules).await?;
    introduce(&table)?;

    floor.begin_phase("Opening statements");
    table.each(Part::Opening).await?;

    let rulings = rounds(&mut table).await?;

    floor.begin_phase("Closing statements");
    announce_closings(&table, &rulings)?;
    table.each(Part::Closing).await?;

    floor.begin_phase("Summary");
    let summary = summarize(&table).await?;
    let decision = judge(&table).await?;
    Ok(outcome::outcome(&table, &rulings, summary, decision))
}

/// The rounds, to the last or until the moderator ends them, and what the moderator held of each.
async fn rounds(table: &mut Table<'_>) -> Result<Vec<Ruling>, Halt> {
    let mut rulings: Vec<Ruling> = Vec::new();
    for round in 1..=table.settings.round_count {
        let last = rulings.last();
        let focus = last.map(|r| r.next_focus.clone()).unwrap_or_default();
        table.floor.begin_round(round, &table.order());
        announce_round(table, round, last)?;
        table.exchange(round, &focus).await?;
        let ruling = close_round(table, round, &focus).await?;
        rulings.push(ruling.clone());
        if ruling.end_now {
            break;
        }
    }
    Ok(rulings)
}

/// Notes, ruling and summary of a round, and what its speakers remember.
async fn close_round(table: &Table<'_>, round: u32, focus: &str) -> Result<Ruling, Halt> {
    let floor = table.floor;
    let said = table.said_in(round);
    let notes = floor
        .clerk(
            round,
            &table.noted(&said),
            Focus::before(round == table.settings.round_count),
        )
        .await?;
    let ruling = ruling::of_round(table, round, &said, &notes).await?;
    if said.iter().any(|s| s.was_heard()) {
        sum_up(table, &ruling, &notes).await?;
    }
    floor.remember(round, floor.remembered(&said, &notes));
    floor.close_round(RoundNotes {
        headline: outcome::headline(table, &ruling, focus),
        next_focus: ruling.next_focus.clone(),
        ..notes
    });
    Ok(ruling)
}

/// The moderator's summary of a round; the clerk's, where the moderator gives none.
async fn sum_up(table: &Table<'_>, ruling: &Ruling, notes: &RoundNotes) -> Result<(), Halt> {
    let context = json!({
        "round": ruling.round,
        "rounds": table.settings.round_count,
        "winner": ruling.winner.as_deref().map(|id| table.name(id)),
    });
    let call = CallId::new(CallStage::Round(ruling.round), "summary", MODERATOR);
    let template = "prompts/moderated/round_summary.md.j2";
    let speech = Speech {
        most_tokens: table.settings.round_summary_max_tokens,
        ..Speech::new(call, MODERATOR, "round_summary", template, context)
    };
    if table.floor.speak_if_can(speech).await?.is_none() {
        let context = json!({"round": ruling.round, "summary": notes.summary});
        let template = "record/moderated/round_summary.md.j2";
        let gist = format!("Round {} in the words of the clerk", ruling.round);
        table
            .floor
            .announce("round_summary", gist, template, &context)?;
    }
    Ok(())
}

/// The moderator's summary of the debate, which nothing can stand in for.
async fn summarize(table: &Table<'_>) -> Result<Option<Statement>, Halt> {
    let context = json!({"advocates": table.named(&table.advocates)});
    let call = CallId::new(CallStage::End, "summary", MODERATOR);
    let template = "prompts/moderated/summary.md.j2";
    let speech = Speech {
        most_tokens: table.settings.summary_max_tokens,
        ..Speech::new(call, MODERATOR, "summary", template, context)
    };
    table.floor.deliver(speech).await
}

/// The judges' scores, where they are wanted and everybody has been heard.
async fn judge(table: &Table<'_>) -> Result<Option<Decision>, Halt> {
    if !table.settings.scoring {
        return Ok(None);
    }
    if let Some(silent) = table.advocates.iter().find(|id| !table.has_spoken(id)) {
        let reason = format!(
            "{} was never heard, so nobody is scored",
            table.name(silent)
        );
        table.floor.fall_short(&[], reason)?;
        return Ok(None);
    }
    let panel = Panel {
        judges: &judges(table.floor),
        contestants: &table.advocates,
        criteria: &table.settings.criteria,
        scale: SCALE,
        template: "prompts/moderated/verdict.md.j2",
        context: json!({}),
        blind: false,
        reason: "reasoning",
        more: json!({}),
    };
    panel.decide(table.floor).await.map(Some)
}

/// Who scores: the judges of the job, or the moderator where there are none.
fn judges(floor: &Floor) -> Vec<&Participant> {
    match floor.plan().judges() {
        none if none.is_empty() => floor.plan().participant(MODERATOR).into_iter().collect(),
        some => some,
    }
}

/// Everything that speakers are told to keep to and are held to: the general rules and the job's, each once.
fn all_rules(floor: &Floor) -> Vec<&str> {
    let same = |a: &str, b: &str| {
        let bare = |rule: &str| rule.trim_end_matches('.').to_lowercase();
        bare(a) == bare(b)
    };
    let mut all = GENERAL_RULES.to_vec();
    for rule in &floor.plan().rules {
        if !all.iter().any(|known| same(known, rule)) {
            all.push(rule);
        }
    }
    all
}

fn introduce(table: &Table<'_>) -> Result<(), Halt> {
    let context = json!({
        "advocates": table.named(&table.advocates),
        "all_rules": all_rules(table.floor),
        "enforced": table.settings.enforces_rules(),
        "fact_checker": table.floor.plan().participant(FACT_CHECKER),
        "judges": judges(table.floor),
    });
    let gist = "The topic, the sides, the rules and how the debate goes".to_owned();
    let template = "record/moderated/introduction.md.j2";
    table
        .floor
        .announce("introduction", gist, template, &context)
}

fn announce_round(table: &Table<'_>, round: u32, last: Option<&Ruling>) -> Result<(), Halt> {
    let turns: Vec<_> = table
        .turns()
        .map(|(argues, rebuts)| json!([table.advocate(argues), table.advocate(rebuts)]))
        .collect();
    let context = json!({
        "round": round,
        "rounds": table.settings.round_count,
        "turns": turns,
        "last": last.map(|ruling| ruling::shown(table, ruling)),
    });
    let about = last.map(|ruling| format!(" and turns to this: {}", ruling.next_focus));
    let gist = format!(
        "{}Round {round} of {} begins{}",
        last.map(|ruling| ruling::in_brief(table, ruling))
            .unwrap_or_default(),
        table.settings.round_count,
        about.unwrap_or_default()
    );
    let template = "record/moderated/round.md.j2";
    table
        .floor
        .announce("announcement", gist, template, &context)
}

fn announce_closings(table: &Table<'_>, rulings: &[Ruling]) -> Result<(), Halt> {
    let last = rulings.last();
    let context = json!({
        "advocates": table.named(&table.advocates),
        "last": last.map(|ruling| ruling::shown(table, ruling)),
    });
    let template = "record/moderated/closings.md.j2";
    let brief = last.map(|ruling| ruling::in_brief(table, ruling));
    let gist = format!("{}The closing statements begin", brief.unwrap_or_default());
    table
        .floor
        .announce("announcement", gist, template, &context)
}
