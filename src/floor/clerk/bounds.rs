//! The structure of the clerk's reply, and the maximum length of each part: notes stay short compared with statements.

use serde_json::{Map, Value, json};

use crate::floor::structured::object;
use crate::text::room_for;

/// Minimum characters of a text: below it, small models write a number instead. Low, as Chinese and Japanese are dense.
const SHORTEST: u32 = 6;
/// Words to ask for in a claim or new argument.
pub(super) const ASKED: u32 = 8;
/// Words by which a text may exceed what was asked for: a text that a grammar stops at its bound loses its end.
const SPARE: u32 = 3;
/// Maximum characters of a move, such as `A12 limit 1.1`.
const MOVE: u32 = 13;
/// Words of a statement per new argument.
const WORDS_PER_POINT: usize = 48;
/// Fewest and most new arguments per statement. A short statement, too, can narrow a position and give a reason.
const POINTS: (usize, usize) = (2, 4);
/// Words of a statement per move.
const WORDS_PER_MOVE: usize = 25;
/// Fewest and most moves per statement. A short statement, too, can answer the two points last made and a question.
const MOVES: (usize, usize) = (3, 10);
/// Words of the summary per statement, and words of statements per word of it; whichever gives more, within these bounds: two turns
/// take two whole sentences.
const SUMMARY_PER_STATEMENT: usize = 12;
const SUMMARISED: usize = 11;
const SUMMARY: (usize, usize) = (24, 60);

/// The words that a statement counts as where the longest of its kind has this many: a few words more give no side another point.
pub(super) fn counted(own: usize, longest: usize) -> usize {
    longest.min(own + own / 2)
}

/// Maximum new arguments noted for a statement of this many words.
pub(super) fn points(words: usize) -> usize {
    let (least, most) = POINTS;
    ((words + WORDS_PER_POINT / 2) / WORDS_PER_POINT).clamp(least, most)
}

/// Maximum moves noted for a statement of this many words.
pub(super) fn moves(words: usize) -> usize {
    let (least, most) = MOVES;
    (words / WORDS_PER_MOVE).clamp(least, most)
}

/// The key of a statement's notes, by its place in the exchange from 1. Padded, so that the keys sort in that order.
pub(super) fn key(place: usize, statements: usize) -> String {
    match statements {
        0..10 => format!("statement_{place}"),
        _ => format!("statement_{place:02}"),
    }
}

/// Words to ask for in the summary of statements of this many words.
pub(super) fn summary_words(words: &[usize]) -> u32 {
    let (least, most) = SUMMARY;
    let by_length = words.iter().sum::<usize>() / SUMMARISED;
    (words.len() * SUMMARY_PER_STATEMENT).max(by_length).clamp(least, most) as u32
}

/// A text for which this many words are asked.
fn text(words: u32) -> Value {
    json!({"type": "string", "minLength": SHORTEST, "maxLength": room_for(words + SPARE)})
}

/// The reply's schema for statements of this many words, each with a list of at most so many moves on earlier points. Not every
/// grammar knows a list of nothing, so none stands in its place. Its declared order is alphabetical.
pub(in crate::floor) fn schema(words: &[usize], most: &[usize]) -> Value {
    let list = |items: Value, most: usize| json!({"type": "array", "items": items, "minItems": 0, "maxItems": most, "default": []});
    let statement = |(words, most): (usize, usize)| {
        let mut noted = json!({
            "asks": {"type": "boolean", "default": false},
            "claim": text(ASKED),
            "new": list(text(ASKED), points(words)),
        });
        if most > 0 {
            noted["on"] = list(json!({"type": "string", "maxLength": MOVE}), most);
        }
        object(noted)
    };
    let all = words.iter().copied().zip(most.iter().copied());
    let keyed = all.enumerate().map(|(place, of)| (key(place + 1, words.len()), statement(of)));
    let mut properties: Map<String, Value> = keyed.collect();
    properties.insert("summary".to_owned(), text(summary_words(words)));
    object(Value::Object(properties))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::floor::allowance;
    use crate::job::{Draft, Overrides};
    use crate::plan::cells;
    use crate::templates::Templates;
    use crate::text::CHARS_PER_TOKEN;
    use crate::trace::settings_of;

    /// Characters of an ordinary English word, with the blank after it.
    const ORDINARY: u32 = 6;
    /// A text with a smaller bound is a move, not words.
    const A_TEXT: u32 = 20;

    /// The largest reply that keeps to what is asked: every list full, every text as long as it may be, in ordinary words.
    fn largest(schema: &Value) -> Value {
        match schema["type"].as_str() {
            Some("object") => {
                let properties = schema["properties"].as_object().expect("properties");
                let inner = properties.iter();
                inner.map(|(key, value)| (key.clone(), largest(value))).collect()
            }
            Some("array") => {
                let most = schema["maxItems"].as_u64().expect("a bound");
                json!(vec![largest(&schema["items"]); most as usize])
            }
            Some("string") => {
                let most = schema["maxLength"].as_u64().expect("a bound") as u32;
                let asked = || (most / room_for(1) - SPARE) * ORDINARY;
                let length = if most < A_TEXT { most } else { asked() };
                json!("w".repeat(length as usize))
            }
            Some("boolean") => json!(false),
            other => panic!("{other:?} has no bound"),
        }
    }

    /// Tokens of the largest reply to statements of as many words as their caps allow.
    fn at_most(caps: &[u64]) -> f64 {
        let words = |cap: &u64| allowance::words_within(*cap as u32) as usize;
        let words: Vec<usize> = caps.iter().map(words).collect();
        let most: Vec<usize> = words.iter().map(|words| moves(*words)).collect();
        let reply = largest(&schema(&words, &most)).to_string();
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
        let draft = Draft::open(&path, &Overrides::default(), &templates).expect("a job");
        let job = draft.read(&templates, |_, _| {}).expect("a job");
        let plan = cells::debates(&job, &templates, true).next().expect("a debate");
        let most = plan.participants[0].max_tokens;
        (settings_of(&plan.format), most.into())
    }

    #[test]
    fn m7_a_statement_of_120_words_has_room_for_three_arguments_and_two_turns_for_sentences() {
        assert_eq!([167, 175, 30].map(|words| points(counted(words, 175))), [4, 4, 2]);
        let room = [60, 80, 110, 120, 170, 400].map(|words| (points(words), moves(words)));
        assert_eq!(room, [(2, 3), (2, 3), (2, 4), (3, 4), (4, 6), (4, 10)]);
        let summaries = [1, 2, 4, 8].map(|n| summary_words(&vec![60; n]));
        assert_eq!(summaries, [24, 24, 48, 60]);
        assert_eq!(summary_words(&[213, 286]), 45);
        // What keeps to the words asked for never reaches the bound, where it would be taken for a text that was cut.
        let schema = schema(&[120], &[4]);
        let most = |at: &str| schema.pointer(at).and_then(Value::as_u64).expect("a bound");
        let claim = most("/properties/statement_1/properties/claim/maxLength");
        assert!(claim > room_for(ASKED).into());
        assert!(most("/properties/summary/maxLength") > room_for(24).into());
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
