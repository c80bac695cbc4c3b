//! What a specialist is told about the others' stances.

use serde_json::{Value, json};

use super::session::Session;
use crate::event::Stance;
use crate::job::participant::Participant;
use crate::text;

/// The others who have spoken.
pub(super) fn others<'a>(session: &Session<'a>, by: &Participant) -> Vec<&'a Participant> {
    let all = session.specialists.iter().copied();
    all.filter(|p| p.id != by.id && session.turns(&p.id).next().is_some()).collect()
}

/// The specialists' names.
pub(super) fn names<'p>(all: &[&'p Participant]) -> Vec<&'p str> {
    all.iter().map(|p| p.name.as_str()).collect()
}

/// A specialist's stance when it was last asked, and the reason.
pub(super) fn stands(session: &Session<'_>, p: &Participant) -> Value {
    let latest = session.latest(&p.id);
    let valid = latest.filter(|latest| latest.stance.is_some());
    let mut shown = valid.map_or_else(|| json!({"stance": null}), reasoned);
    shown["name"] = json!(p.name);
    shown["spoke_since"] = json!(session.has_spoken_since(&p.id));
    shown["spoke"] = json!(session.turns(&p.id).next().is_some());
    shown
}

/// The stance that a specialist took last, as it is reminded of it itself, and when.
pub(super) fn own_stance(session: &Session<'_>, p: &Participant) -> Option<Value> {
    let valid = session.last_valid(&p.id)?;
    let mut shown = reasoned(valid);
    shown["when"] = json!(valid.time().to_string());
    Some(shown)
}

fn reasoned(stance: &Stance) -> Value {
    json!({
        "stance": stance.stance,
        "confidence": stance.confidence,
        "reason": text::sentence(&text::one_line(&stance.reading.reason)),
    })
}
