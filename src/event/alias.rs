//! What the source of the dialectic calls live events that have another name here (row E1). These are never logged.

use super::{Event, EventKind};
use crate::job::Format;

/// A live event under its source's name, where the format's source has one of its own.
pub fn of(event: &Event, format: Format) -> Option<Event> {
    if format != Format::Dialectic {
        return None;
    }
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
