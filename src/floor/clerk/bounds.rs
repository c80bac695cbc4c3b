//! The structure of the clerk's reply, and the maximum length of each part: notes stay short compared with statements.

use serde_json::{Map, Value, json};

use crate::floor::structured::object;
use crate::text::words_within;

/// Minimum characters of a text: below it, small models write a number instead. Low, as Chinese and Japanese are dense.
const SHORTEST: u32 = 6;
/// Maximum characters of a claim or new argument, for short and for long statements.
const TEXT: (u32, u32) = (55, 72);
/// Words from which a statement counts as long.
const LONG: usize = 140;
/// Maximum characters of a move, such as `A12 grant B13`.
const MOVE: u32 = 13;
/// Words of a statement per new argument.
const WORDS_PER_POINT: usize = 70;
/// Maximum new arguments per statement.
const POINTS: usize = 3;
/// Words of a statement per move.
const WORDS_PER_MOVE: usize = 33;
/// Maximum moves per statement.
const MOVES: usize = 8;
/// Characters of the summary per short and per long statement, and the bounds of their sum.
const SUMMARY_PER_STATEMENT: (usize, usize) = (52, 68);
const SUMMARY: (usize, usize) = (105, 420);

/// Maximum new arguments noted for a statement of this many words.
pub(super) fn points(words: usize) -> usize {
    ((words + WORDS_PER_POINT / 2) / WORDS_PER_POINT).clamp(1, POINTS)
}

/// Maximum moves noted for a statement of this many words.
pub(super) fn moves(words: usize) -> usize {
    (words / WORDS_PER_MOVE).clamp(1, MOVES)
}

/// The key of a statement's notes, by its place in the exchange from 1. Padded, so that the keys sort in that order.
pub(super) fn key(place: usize, statements: usize) -> String {
    match statements {
        0..10 => format!("statement_{place}"),
        _ => format!("statement_{place:02}"),
    }
}

/// Maximum characters of a claim or new argument in a statement of this many words.
fn text(words: usize) -> u32 {
    if words < LONG { TEXT.0 } else { TEXT.1 }
}

/// Words to ask for in a claim or new argument of a statement of this many words.
pub(super) fn asked_of(words: usize) -> u32 {
    words_within(text(words))
}

/// Words to ask for in the summary of statements of this many words.
pub(super) fn summary_words(words: &[usize]) -> u32 {
    words_within(summary(words))
}

/// The reply's schema for statements of this many words, with or without a list of what they do about earlier points. Its
/// declared order is alphabetical.
pub(in crate::floor) fn schema(words: &[usize], can_move: bool) -> Value {
    let line = |most: u32| json!({"type": "string", "minLength": SHORTEST, "maxLength": most});
    let list = |items: Value, most: usize| json!({"type": "array", "items": items, "minItems": 0, "maxItems": most, "default": []});
    let statement = |words: usize| {
        let mut noted = json!({
            "asks": {"type": "boolean", "default": false},
            "claim": line(text(words)),
            "new": list(line(text(words)), points(words)),
        });
        if can_move {
            noted["on"] = list(json!({"type": "string", "maxLength": MOVE}), moves(words));
        }
        object(noted)
    };
    let keyed = words
        .iter()
        .enumerate()
        .map(|(place, length)| (key(place + 1, words.len()), statement(*length)));
    let mut properties: Map<String, Value> = keyed.collect();
    properties.insert("summary".to_owned(), line(summary(words)));
    object(Value::Object(properties))
}

/// Maximum characters of the summary of statements of this many words.
fn summary(words: &[usize]) -> u32 {
    let (short, long) = SUMMARY_PER_STATEMENT;
    let each = words
        .iter()
        .map(|words| if *words < LONG { short } else { long });
    let (least, most) = SUMMARY;
    each.sum::<usize>().clamp(least, most) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Job, Overrides};
    use crate::plan::cells;
    use crate::templates::Templates;
    use crate::text::CHARS_PER_TOKEN;
    use crate::trace::settings_of;

    /// Tokens per spoken word, as the ratio of these two numbers.
    const TOKENS_A_WORD: usize = 3;
    const IN_WORDS: usize = 2;

    /// The largest reply that a schema allows: every list full, every text at its maximum.
    fn largest(schema: &Value) -> Value {
        match schema["type"].as_str() {
            Some("object") => {
                let properties = schema["properties"].as_object().expect("properties");
                let inner = properties.iter();
                inner
                    .map(|(key, value)| (key.clone(), largest(value)))
                    .collect()
            }
            Some("array") => {
                let most = schema["maxItems"].as_u64().expect("a bound");
                json!(vec![largest(&schema["items"]); most as usize])
            }
            Some("string") => {
                let most = schema["maxLength"].as_u64().expect("a bound");
                json!("w".repeat(most as usize))
            }
            Some("boolean") => json!(false),
            other => panic!("{other:?} has no bound"),
        }
    }

    /// Tokens of the largest reply to statements at their caps.
    fn at_most(caps: &[u64]) -> f64 {
        let words = |cap: &u64| *cap as usize * IN_WORDS / TOKENS_A_WORD;
        let words: Vec<usize> = caps.iter().map(words).collect();
        let reply = largest(&schema(&words, true)).to_string();
        reply.chars().count() as f64 / CHARS_PER_TOKEN
    }

    /// A job's settings, and the maximum tokens of its first participant.
    fn settings(format: &str) -> (Map<String, Value>, u64) {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("job.yaml");
        let key = match format {
            "roundtable" | "dialectic" => "query",
            _ => "topic",
        };
        let job = format!("format: {format}\n{key}: Should voting be compulsory?\n");
        std::fs::write(&path, job).expect("a job");
        let templates = Templates::load(None).expect("templates");
        let job = Job::load(&path, &Overrides::default(), &templates).expect("a job");
        let plan = cells::debates(&job, &templates, true)
            .next()
            .expect("a debate");
        let most = plan.participants[0].max_tokens;
        (settings_of(&plan.format), most.into())
    }

    #[test]
    fn m7_the_clerk_writes_at_most_half_of_what_it_notes() {
        let exchanges: [(&str, &[&[&str]]); 5] = [
            ("knockout", &[&["max_statement_tokens"; 2]]),
            (
                "moderated",
                &[
                    &["opening_max_tokens"; 2],
                    &["argument_max_tokens"; 4],
                    &["closing_max_tokens"; 2],
                ],
            ),
            ("duel", &[&["max_tokens_per_response"; 2]]),
            ("roundtable", &[&["max_statement_tokens"; 3]]),
            ("dialectic", &[&[""], &[""; 2]]),
        ];
        for (format, exchanges) in exchanges {
            let (settings, most) = settings(format);
            let cap = |key: &&str| match *key {
                "" => most,
                key => settings[key].as_u64().expect("a limit").min(most),
            };
            for exchange in exchanges {
                let caps: Vec<u64> = exchange.iter().map(cap).collect();
                let (clerk, half) = (at_most(&caps), caps.iter().sum::<u64>() as f64 / 2.0);
                assert!(clerk <= half, "{format} {caps:?}: {clerk} of {half}");
            }
        }
    }
}
