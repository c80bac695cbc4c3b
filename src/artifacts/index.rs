//! `index.md`: what the debate was and one line a message, small enough for a model with a small context.

use serde_json::{Value, json};

use super::{Artifact, front, message_name, rendered, with};
use crate::event::{Origin, Statement};
use crate::templates::{TemplateError, Templates};
use crate::text;
use crate::trace::Trace;

/// The most tokens an index may have, by estimate.
pub(super) const MOST_TOKENS: u64 = 3000;

/// How much is shown; each step takes less room.
#[derive(Debug, Clone, Copy)]
struct Detail {
    /// The longest gist, in characters.
    gist: usize,
    /// Rounds whose messages are listed one by one, and which stand in the graph; earlier ones are folded.
    rounds: usize,
}

const STEPS: [Detail; 9] = [
    Detail {
        gist: 160,
        rounds: usize::MAX,
    },
    Detail {
        gist: 110,
        rounds: usize::MAX,
    },
    Detail {
        gist: 80,
        rounds: usize::MAX,
    },
    Detail {
        gist: 60,
        rounds: 24,
    },
    Detail {
        gist: 60,
        rounds: 12,
    },
    Detail {
        gist: 60,
        rounds: 8,
    },
    Detail {
        gist: 50,
        rounds: 5,
    },
    Detail {
        gist: 40,
        rounds: 3,
    },
    Detail {
        gist: 30,
        rounds: 1,
    },
];

/// The index in as much detail as fits.
pub(super) fn index(
    trace: &Trace,
    path: &str,
    templates: &Templates,
    others: &[Artifact],
) -> Result<Artifact, TemplateError> {
    let front = front::text(&front::of(trace, path));
    let mut artifact = Artifact {
        path: String::new(),
        content: String::new(),
    };
    for detail in STEPS {
        artifact = rendered(
            "index.md",
            "artifacts/index.md.j2",
            templates,
            &context(trace, detail, others),
        )?;
        // Not by the template: the front matter says which debate this is, whatever a user's template shows.
        artifact.content.insert_str(0, &format!("{front}\n"));
        if text::estimate_tokens(&artifact.content) <= MOST_TOKENS {
            break;
        }
    }
    Ok(artifact)
}

fn context(trace: &Trace, detail: Detail, others: &[Artifact]) -> Value {
    let folded = (trace.rounds.len().saturating_sub(detail.rounds)) as u32;
    let shown = trace
        .statements
        .iter()
        .filter(|s| s.round > folded || s.round == 0);
    let messages: Vec<Value> = shown.map(|s| message(trace, s, detail.gist)).collect();
    let nodes: Vec<Value> = trace
        .rounds
        .iter()
        .filter(|r| r.round > folded)
        .map(|r| json!({"round": r.round, "headline": text::shorten(&r.headline, 120)}))
        .collect();
    let folded_messages = trace
        .statements
        .iter()
        .filter(|s| s.round > 0 && s.round <= folded);
    with(
        trace,
        json!({
            "messages": messages,
            "sizes": sizes(others),
            "nodes": nodes,
            "folded": folded,
            "folded_from": folded_messages.clone().map(|s| s.n).min(),
            "folded_to": folded_messages.map(|s| s.n).max(),
            "model_minutes": trace.timing.model_ms as f64 / 60_000.0,
            "transcript": trace.plan.output["transcript"],
        }),
    )
}

/// The length of other files in tokens, so that a reader with little room can choose. None of a file in which times stand:
/// it would differ between debates that are equal (row J8).
fn sizes(others: &[Artifact]) -> Value {
    let timeless = others.iter().filter(|file| file.path != "metadata.md");
    let size = |file: &Artifact| {
        let name = file.path.trim_end_matches(".md").to_owned();
        (name, json!(text::estimate_tokens(&file.content)))
    };
    Value::Object(timeless.map(size).collect())
}

fn message(trace: &Trace, s: &Statement, gist: usize) -> Value {
    json!({
        "n": format!("{:03}", s.n),
        "file": format!("messages/{}.md", message_name(trace, s)),
        "round": s.round,
        "phase": s.phase,
        "name": trace.name_of(&s.by),
        "gist": text::shorten(&s.gist, gist),
        "tokens": s.tokens,
        "note": note(s),
    })
}

/// What a reader must know of a message before trusting it.
pub(crate) fn note(s: &Statement) -> Option<&'static str> {
    match (s.origin, s.cut) {
        (Origin::Emergency, _) => Some("emergency reply, no model spoke"),
        (Origin::Fallback, true) => Some("from a fallback model, cut"),
        (Origin::Fallback, false) => Some("from a fallback model"),
        (_, true) => Some("cut at its time limit"),
        _ => None,
    }
}
