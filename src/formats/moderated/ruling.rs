//! The moderator's ruling on a round, requested only if something depends on it: whether the rounds end here, and who won
//! this one (rows D3, D4).

use serde_json::{Map, Value, json};

use super::session::Session;
use super::settings::{MODERATOR, Style};
use crate::call_id::{CallId, CallStage};
use crate::event::Statement;
use crate::floor::{Question, Result, object};
use crate::text;

/// The option for a round that nobody won.
const NOBODY: &str = "nobody";

/// The moderator's ruling on a round.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ruling {
    pub(super) round: u32,
    /// The topic of the next round, in the moderator's words; empty if nothing was asked.
    pub(super) next_focus: String,
    /// Whether the moderator named a winner of the round, or nobody.
    pub(super) judged: bool,
    /// The id of the round's winner.
    pub(super) winner: Option<String>,
    /// Whether the moderator ended the rounds early.
    pub(super) end_now: bool,
    /// The reason; empty if nothing was asked.
    pub(super) reason: String,
}

/// What the next announcement says about a round.
pub(super) fn shown(session: &Session<'_>, ruling: &Ruling) -> Value {
    json!({
        "round": ruling.round,
        "focus": ruling.next_focus,
        "judged": ruling.judged,
        "winner": ruling.winner.as_deref().map(|id| session.name(id)),
        "end_now": ruling.end_now,
        "reason": ruling.reason,
    })
}

/// The same in a short sentence to put before others; empty if nothing was ruled.
pub(super) fn in_brief(session: &Session<'_>, ruling: &Ruling) -> String {
    let won = || match &ruling.winner {
        Some(id) => format!("goes to {}", session.name(id)),
        None => "has no winner".to_owned(),
    };
    let won = ruling.judged.then(|| format!("Round {} {}. ", ruling.round, won()));
    let ended = ruling.end_now.then_some("The moderator ends the rounds. ");
    won.unwrap_or_default() + ended.unwrap_or_default()
}

/// The name of the winner of a round that was judged.
pub(super) fn winner_name<'s>(session: &'s Session<'_>, ruling: &'s Ruling) -> &'s str {
    ruling.winner.as_deref().map_or(NOBODY, |id| session.name(id))
}

/// Asks for the moderator's ruling if anything depends on it. If the reply cannot be used, a round that should have a winner is
/// a shortfall.
pub(super) async fn of_round(
    session: &Session<'_>,
    round: u32,
    said: &[&Statement],
) -> Result<Ruling> {
    let unasked = Ruling { round, ..Ruling::default() };
    let settings = session.settings;
    let more = round < settings.round_count;
    let judged = settings.style == Style::Competitive && said.iter().all(|s| s.was_heard());
    let may_end = settings.may_end_early && more && said.iter().any(|s| s.was_heard());
    if !judged && !may_end {
        return Ok(unasked);
    }
    // A different advocate is named first in each round.
    let order =
        session.floor.draw_order("order of the rulings", round as usize, &session.advocates);
    let question = Question {
        call: CallId::new(CallStage::Round(round), "ruling", MODERATOR),
        by: MODERATOR,
        template: "prompts/moderated/ruling.md.j2",
        context: json!({
            "round": round,
            "rounds": settings.round_count,
            "advocates": session.named(&order),
            "judged": judged,
            "may_end": may_end,
            "more": more,
            "nobody": NOBODY,
        }),
        blind: false,
        schema: schema(&order, judged, may_end, more),
    };
    let answer = session.floor.ask(&question).await?;
    if !answer.reading.is_valid() {
        if judged {
            let reason = format!("the moderator gave no valid ruling on round {round}");
            session.floor.fall_short([&*answer.reading.call], reason)?;
        }
        return Ok(unasked);
    }
    Ok(read(&answer.value, judged, unasked))
}

/// The schema of a ruling. Its declared order is alphabetical, with reasons first.
fn schema(order: &[&str], judged: bool, may_end: bool, more: bool) -> Value {
    let line =
        |words: u32| json!({"type": "string", "minLength": 8, "maxLength": text::room_for(words)});
    let mut properties = Map::from_iter([("assessment".to_owned(), line(60))]);
    if may_end {
        properties.insert("end_now".to_owned(), json!({"type": "boolean"}));
    }
    if more {
        properties.insert("next_focus".to_owned(), line(20));
    }
    if judged {
        let words: Vec<&str> = order.iter().copied().chain([NOBODY]).collect();
        properties.insert("winner".to_owned(), json!({"type": "string", "enum": words}));
    }
    object(Value::Object(properties))
}

fn read(value: &Value, judged: bool, unasked: Ruling) -> Ruling {
    let line = |key: &str| value[key].as_str().map(text::one_line);
    let winner = value["winner"].as_str().filter(|word| *word != NOBODY);
    Ruling {
        next_focus: line("next_focus").unwrap_or(unasked.next_focus),
        judged,
        winner: winner.map(str::to_owned),
        end_now: value["end_now"].as_bool().unwrap_or(false),
        reason: line("assessment").unwrap_or_default(),
        ..unasked
    }
}
