//! What a specialist is told about the others' stances.

use serde_json::{Value, json};

use super::session::Session;
use crate::job::participant::Participant;
use crate::text;

/// The others who have spoken.
pub(super) fn others<'a>(session: &Session<'a>, by: &Participant) -> Vec<&'a Participant> {
    let all = session.specialists.iter().copied();
    all.filter(|p| p.id != by.id && session.turns(&p.id).next().is_some())
        .collect()
}

/// The specialists' names.
pub(super) fn names<'p>(all: &[&'p Participant]) -> Vec<&'p str> {
    all.iter().map(|p| p.name.as_str()).collect()
}

/// A specialist's stance when it was last asked, and the reason.
pub(super) fn stands(session: &Session<'_>, p: &Participant) -> Value {
    let latest = session.latest(&p.id);
    let valid = latest.filter(|latest| latest.stance.is_some());
    json!({
        "name": p.name,
        "stance": valid.map(|latest| &latest.stance),
        "confidence": valid.and_then(|latest| latest.confidence),
        "reason": valid.map(|latest| text::one_line(&latest.reading.reason)),
        "spoke": session.turns(&p.id).next().is_some(),
    })
}
