//! What the source of the dialectic calls live events that have another name here (row E1). These are never logged.

use super::{Event, What};
use crate::job::Format;

/// A live event under its source's name, where the format's source has one of its own.
pub fn of(event: &Event, format: Format) -> Option<Event> {
    if format != Format::Dialectic {
        return None;
    }
    let (name, what) = match (&event.what, event.metadata.role.as_deref()?) {
        (What::StatementChunk { text, .. }, role) => ("statement_chunk", chunk(role, text)?),
        (What::CallStart { .. }, "synthesizer") => {
            ("call_start", What::SynthesisStart(String::new()))
        }
        _ => return None,
    };
    let mut alias = event.clone();
    alias.what = what;
    alias.metadata.alias_of = Some(name.to_owned());
    Some(alias)
}

fn chunk(role: &str, text: &str) -> Option<What> {
    let name = match role {
        "proposer" => What::ProposerChunk,
        "skeptic" => What::SkepticChunk,
        "synthesizer" => What::SynthesisChunk,
        _ => return None,
    };
    Some(name(text.to_owned()))
}
