//! The shape of the clerk's reply, and how long each part of it may be: what is noted stays short beside what was said.

use serde_json::{Map, Value, json};

use crate::floor::structured::object;

/// Characters below which small models write a number in place of a text. Few, since Chinese or Japanese says much in them.
const SHORTEST: u32 = 6;
/// Characters of a claim: about 13 words.
const CLAIM: u32 = 78;
/// Characters of a new argument.
const POINT: u32 = 84;
/// Characters of a move, such as `A12 conceded B13`.
const MOVE: u32 = 18;
/// A statement makes one new argument in so many words, three at most.
const WORDS_PER_POINT: usize = 70;
/// New arguments per statement.
const POINTS: usize = 3;
/// A statement makes one move in so many words.
const WORDS_PER_MOVE: usize = 55;
/// Moves per statement.
const MOVES: usize = 6;
/// Characters of the summary per statement, and the bounds of that.
const SUMMARY_PER_STATEMENT: usize = 60;
const SUMMARY: (usize, usize) = (120, 420);

/// How many new arguments are noted of a statement of so many words.
pub(super) fn points(words: usize) -> usize {
    (words / WORDS_PER_POINT).clamp(1, POINTS)
}

fn moves(words: usize) -> usize {
    (words / WORDS_PER_MOVE).clamp(1, MOVES)
}

/// The key of a statement's notes, by its place in the exchange from 1: in the order of the alphabet too.
pub(super) fn key(place: usize, statements: usize) -> String {
    match statements {
        0..10 => format!("statement_{place}"),
        _ => format!("statement_{place:02}"),
    }
}

/// The shape for statements of so many words. Declared and alphabetical order are the same.
pub(in crate::floor) fn schema(words: &[usize]) -> Value {
    let line = |most: u32| json!({"type": "string", "minLength": SHORTEST, "maxLength": most});
    let list = |items: Value, most: usize| json!({"type": "array", "items": items, "minItems": 0, "maxItems": most, "default": []});
    let statement = |words: usize| {
        object(json!({
            "claim": line(CLAIM),
            "new": list(line(POINT), points(words)),
            "on": list(json!({"type": "string", "maxLength": MOVE}), moves(words)),
            "puts_question": {"type": "boolean", "default": false},
        }))
    };
    let keyed = words
        .iter()
        .enumerate()
        .map(|(place, length)| (key(place + 1, words.len()), statement(*length)));
    let mut properties: Map<String, Value> = keyed.collect();
    let (least, most) = SUMMARY;
    let summary = (SUMMARY_PER_STATEMENT * words.len()).clamp(least, most);
    properties.insert("summary".to_owned(), line(summary as u32));
    object(Value::Object(properties))
}
