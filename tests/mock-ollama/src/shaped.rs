//! Replies drawn from the call's seed, in the shape its `format` asks for.

use crate::dice::Dice;
use crate::{Answer, Call};
use serde_json::{Map, Value, json};

const WORDS: [&str; 24] = [
    "the", "city", "tram", "costs", "less", "than", "a", "road", "when", "people", "share", "it",
    "every", "day", "and", "no", "evidence", "shows", "that", "cars", "serve", "them", "better",
    "here",
];

/// In the shape that `call` asks for, or else with about as many sentences as `answer` says.
pub(crate) fn reply(call: &Call, answer: &Answer) -> String {
    let seed = call.option("seed").and_then(Value::as_i64).unwrap_or_default().cast_unsigned();
    let mut dice = if answer.by_request {
        Dice::of(&format!("{seed} {} {:?}", call.model(), call.prompt()))
    } else {
        Dice::new(seed)
    };
    match (call.schema(), &call.body["format"]) {
        (Some(schema), _) => fill(schema, schema, &mut dice).to_string(),
        (None, Value::String(json)) if json == "json" => {
            json!({ "answer": sentence(&mut dice) }).to_string()
        }
        _ => paragraph(answer.sentences, &mut dice),
    }
}

/// A value that fits `schema`, whose references start at `root`.
fn fill(schema: &Value, root: &Value, dice: &mut Dice) -> Value {
    let union = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    if let Some(pointer) = schema["$ref"].as_str() {
        let target = root.pointer(pointer.trim_start_matches('#'));
        fill(target.unwrap_or(&Value::Null), root, dice)
    } else if let Some(constant) = schema.get("const") {
        constant.clone()
    } else if let Some(choices) = schema["enum"].as_array() {
        dice.pick(choices).clone()
    } else if let Some(first) = union.and_then(|union| union.first()) {
        fill(first, root, dice)
    } else {
        fill_type(schema, root, dice)
    }
}

fn fill_type(schema: &Value, root: &Value, dice: &mut Dice) -> Value {
    let of_many = schema["type"].get(0);
    match of_many.unwrap_or(&schema["type"]).as_str() {
        Some("string") => text(schema, dice).into(),
        Some("integer") => integer(schema, dice).into(),
        Some("number") => number(schema, dice).into(),
        Some("boolean") => (dice.below(2) == 1).into(),
        Some("array") => array(schema, root, dice),
        Some("object") => object(schema, root, dice),
        _ if schema.get("properties").is_some() => object(schema, root, dice),
        _ => Value::Null,
    }
}

/// All properties, in declared order.
fn object(schema: &Value, root: &Value, dice: &mut Dice) -> Value {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let filled = properties.map(|(name, property)| (name.clone(), fill(property, root, dice)));
    Value::Object(filled.collect::<Map<_, _>>())
}

fn array(schema: &Value, root: &Value, dice: &mut Dice) -> Value {
    let least = schema["minItems"].as_u64().unwrap_or(0);
    let most = schema["maxItems"].as_u64().unwrap_or(least + 2).max(least);
    let length = least + dice.below(most.min(least + 8) - least + 1);
    (0..length).map(|_| fill(&schema["items"], root, dice)).collect()
}

fn integer(schema: &Value, dice: &mut Dice) -> i64 {
    let least = schema["minimum"].as_i64();
    let most = schema["maximum"].as_i64();
    let least = least.unwrap_or(most.map_or(0, |most| most.saturating_sub(100)));
    let most = most.unwrap_or(least.saturating_add(100)).max(least);
    least.saturating_add_unsigned(dice.below(most.abs_diff(least).saturating_add(1)))
}

fn number(schema: &Value, dice: &mut Dice) -> f64 {
    let least = schema["minimum"].as_f64();
    let most = schema["maximum"].as_f64();
    let least = least.unwrap_or(most.map_or(0.0, |most| most - 1.0));
    let most = most.unwrap_or(least + 1.0);
    (least + (most - least) * dice.below(5) as f64 / 4.0).min(most)
}

/// Sentences of at least `minLength` and at most `maxLength` characters.
fn text(schema: &Value, dice: &mut Dice) -> String {
    let least = schema["minLength"].as_u64().unwrap_or(0) as usize;
    let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX) as usize;
    let mut text = sentence(dice);
    while text.chars().count() < least {
        text = format!("{text} {}", sentence(dice));
    }
    text.chars().take(most).collect()
}

fn paragraph(sentences: u64, dice: &mut Dice) -> String {
    let count = sentences - sentences / 4 + dice.below(sentences / 2 + 1);
    let sentences: Vec<String> = (0..count).map(|_| sentence(dice)).collect();
    sentences.join(" ")
}

fn sentence(dice: &mut Dice) -> String {
    let count = 6 + dice.below(7);
    let words: Vec<&str> = (0..count).map(|_| *dice.pick(&WORDS)).collect();
    let words = words.join(" ");
    let (first, rest) = words.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}
