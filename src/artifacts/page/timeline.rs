//! The strip above a debate: a node per part, with who was voted out and who was interrupted, each a link.

use serde_json::{Value, json};

use super::parts::Part;
use crate::artifacts::statement_place;
use crate::event::Interjection;
use crate::trace::Trace;

/// The nodes, in order.
pub(super) fn nodes<'p, 't: 'p>(
    trace: &Trace,
    parts: impl Iterator<Item = &'p Part<'t>>,
) -> Vec<Value> {
    parts.flat_map(|part| nodes_of(trace, part)).collect()
}

fn nodes_of(trace: &Trace, part: &Part<'_>) -> Vec<Value> {
    let label = match part.round {
        Some(round) if round > 0 => round.to_string(),
        _ => part.title.clone(),
    };
    let own = json!({"kind": "part", "to": part.id, "label": label, "title": part.title});
    let of_part = |i: &&Interjection| part.statements.iter().any(|s| s.n == i.statement);
    let stopped: Vec<&Interjection> = trace.interjections.iter().filter(of_part).collect();
    let stopped = stopped.first().map(|first| {
        let label = match stopped.len() {
            1 => format!("! {} interrupted", trace.name_of(&first.speaker)),
            all => format!("! {all} interruptions"),
        };
        let to = format!("m{}", statement_place::number(first.statement));
        json!({"kind": "stopped", "to": to, "label": label})
    });
    let out = part.rotation(trace).filter(|rotation| rotation.voted_out).map(|rotation| {
        let name = trace.name_of(&rotation.debater);
        let label = if rotation.rotated {
            format!("✕ {name} out")
        } else {
            format!("✕ {name} voted out, not replaced")
        };
        json!({"kind": "out", "to": format!("{}-votes", part.id), "label": label})
    });
    std::iter::once(own).chain(stopped).chain(out).collect()
}
