//! The dialectic's source names for live events with other names here (row E1). These are never logged.

use super::{Event, EventKind};

/// A live event under its source's name, where its role has one there.
pub fn of(event: &Event) -> Option<Event> {
    let (name, kind) = match (&event.kind, event.metadata.role.as_deref()?) {
        (EventKind::StatementChunk { text, .. }, role) => ("statement_chunk", chunk(role, text)?),
        (EventKind::CallStart { .. }, "synthesizer") => {
            ("call_start", EventKind::SynthesisStart(String::new()))
        }
        _ => return None,
    };
    let mut alias = event.clone();
    alias.kind = kind;
    alias.metadata.alias_of = Some(name.to_owned());
    Some(alias)
}

fn chunk(role: &str, text: &str) -> Option<EventKind> {
    let name = match role {
        "proposer" => EventKind::ProposerChunk,
        "skeptic" => EventKind::SkepticChunk,
        "synthesizer" => EventKind::SynthesisChunk,
        _ => return None,
    };
    Some(name(text.to_owned()))
}
