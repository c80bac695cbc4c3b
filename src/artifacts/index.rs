//! `index.md`: what the debate was and one line a message, small enough for a model with a small context.

use serde_json::{Value, json};

use super::{Artifact, front, message_name, place, rendered, with};
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
    let folded = folded(trace, detail.rounds);
    let is_folded = |round: u32| folded.is_some_and(|(_, last)| round <= last);
    let nodes: Vec<Value> = trace
        .rounds
        .iter()
        .filter(|r| !is_folded(r.round))
        .map(|r| json!({"round": r.round, "headline": text::shorten(&r.headline, 120)}))
        .collect();
    with(
        trace,
        json!({
            "messages": messages(trace, detail, folded),
            "sizes": sizes(others),
            "nodes": nodes,
            "rounds": trace.rounds_held(),
            "folded": folded,
            "model_minutes": trace.timing.model_ms as f64 / 60_000.0,
            "transcript": trace.plan.output["transcript"],
        }),
    )
}

/// The first and the last of the rounds that are folded where only so many of the last are shown.
fn folded(trace: &Trace, shown: usize) -> Option<(u32, u32)> {
    let count = trace.rounds.len().saturating_sub(shown);
    let last = trace.rounds[..count].last()?;
    Some((trace.rounds[0].round, last.round))
}

/// A line a message; one line stands for all messages of the rounds that are folded, where the first of them stood.
fn messages(trace: &Trace, detail: Detail, folded: Option<(u32, u32)>) -> Vec<Value> {
    let last_folded = folded.map(|(_, last)| last);
    let is_folded =
        |s: &&Statement| place::round_of(trace, s).is_some_and(|round| Some(round) <= last_folded);
    let numbers = || trace.statements.iter().filter(is_folded).map(|s| s.n);
    let (first, last) = (numbers().min(), numbers().max());
    let mut lines = Vec::new();
    for s in &trace.statements {
        if !is_folded(&s) {
            lines.push(message(trace, s, detail.gist));
        } else if Some(s.n) == first {
            lines.push(json!({"folded_from": first, "folded_to": last}));
        }
    }
    lines
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
        "phase": place::phase(s),
        "name": trace.name_of(&s.by),
        "gist": text::shorten(&s.gist, gist),
        "tokens": s.tokens,
        "note": note(s),
    })
}

/// What a reader must know of a message before trusting it.
pub(crate) fn note(s: &Statement) -> Option<String> {
    let origin = match s.origin {
        Origin::Emergency => Some("emergency reply, no model spoke".to_owned()),
        Origin::Fallback => Some("from a fallback model".to_owned()),
        Origin::Model | Origin::Template => None,
    };
    let cut = s.cut.then(|| {
        let end = if origin.is_some() {
            "cut"
        } else {
            "cut at its limit"
        };
        end.to_owned()
    });
    let objections = (!s.objections.is_empty()).then(|| {
        let all = s.objections.join("; ");
        format!("stands although {}", text::shorten(&all, 160))
    });
    let parts: Vec<String> = [origin, cut, objections].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
