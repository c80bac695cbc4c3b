//! The structure of the clerk's reply, and the maximum length of each part: notes stay short compared with statements.

use serde_json::{Map, Value, json};

use crate::floor::structured::object;
use crate::text::words_within;

/// Characters below which small models write a number in place of a text. Few, since Chinese or Japanese says much in them.
const SHORTEST: u32 = 6;
/// Characters of a claim or a new argument of a short statement, and of a long one.
const TEXT: (u32, u32) = (56, 73);
/// Words from which a statement is long.
const LONG: usize = 140;
/// Characters of a move, such as `A12 part B13`.
const MOVE: u32 = 12;
/// A statement makes one new argument in this many words, three at most.
const WORDS_PER_POINT: usize = 70;
/// New arguments per statement.
const POINTS: usize = 3;
/// A statement makes one move in this many words.
const WORDS_PER_MOVE: usize = 33;
/// Moves per statement.
const MOVES: usize = 8;
/// Characters of the summary per short statement and per long one, and the bounds of that.
const SUMMARY_PER_STATEMENT: (usize, usize) = (52, 68);
const SUMMARY: (usize, usize) = (105, 420);

/// How many new arguments are noted of a statement of this many words.
pub(super) fn points(words: usize) -> usize {
    ((words + WORDS_PER_POINT / 2) / WORDS_PER_POINT).clamp(1, POINTS)
}

/// How many moves are noted of a statement of this many words.
pub(super) fn moves(words: usize) -> usize {
    (words / WORDS_PER_MOVE).clamp(1, MOVES)
}

/// The key of a statement's notes, by its place in the exchange from 1: in the order of the alphabet too.
pub(super) fn key(place: usize, statements: usize) -> String {
    match statements {
        0..10 => format!("statement_{place}"),
        _ => format!("statement_{place:02}"),
    }
}

/// Characters of a claim, or of a new argument, of a statement of this many words.
fn text(words: usize) -> u32 {
    if words < LONG { TEXT.0 } else { TEXT.1 }
}

/// The words to ask for in a claim or a new argument of a statement of this many words.
pub(super) fn asked_of(words: usize) -> u32 {
    words_within(text(words))
}

/// The words to ask for in the summary of statements of this many words.
pub(super) fn summary_words(words: &[usize]) -> u32 {
    words_within(summary(words))
}

/// The shape for statements of this many words. Declared and alphabetical order are the same.
pub(in crate::floor) fn schema(words: &[usize]) -> Value {
    let line = |most: u32| json!({"type": "string", "minLength": SHORTEST, "maxLength": most});
    let list = |items: Value, most: usize| json!({"type": "array", "items": items, "minItems": 0, "maxItems": most, "default": []});
    let statement = |words: usize| {
        object(json!({
            "asks": {"type": "boolean", "default": false},
            "claim": line(text(words)),
            "new": list(line(text(words)), points(words)),
            "on": list(json!({"type": "string", "maxLength": MOVE}), moves(words)),
        }))
    };
    let keyed = words
        .iter()
        .enumerate()
        .map(|(place, length)| (key(place + 1, words.len()), statement(*length)));
    let mut properties: Map<String, Value> = keyed.collect();
    properties.insert("summary".to_owned(), line(summary(words)));
    object(Value::Object(properties))
}

/// Characters of the summary of statements of this many words.
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

    /// Tokens that a spoken word takes.
    const TOKENS_A_WORD: usize = 3;
    const IN_WORDS: usize = 2;

    /// The largest reply that a schema allows: every list full, every text at its bound.
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

    /// Tokens of the largest reply on statements at their caps.
    fn at_most(caps: &[u64]) -> f64 {
        let words = |cap: &u64| *cap as usize * IN_WORDS / TOKENS_A_WORD;
        let words: Vec<usize> = caps.iter().map(words).collect();
        let reply = largest(&schema(&words)).to_string();
        reply.chars().count() as f64 / CHARS_PER_TOKEN
    }

    /// A job's settings and the tokens that its first participant may say.
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
