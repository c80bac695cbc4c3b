//! Shaped replies fit their schema and follow their seed.

use crate::client::chat;
use mock_ollama::MockOllama;
use serde_json::{Value, json};

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["reasoning", "score", "side"],
        "properties": {
            "reasoning": { "type": "string", "minLength": 120, "maxLength": 160 },
            "short": { "type": ["string", "null"], "maxLength": 5 },
            "score": { "type": "integer", "minimum": 1, "maximum": 10 },
            "low": { "type": "integer", "maximum": -3 },
            "weight": { "type": "number", "minimum": 0.3, "maximum": 0.9 },
            "side": { "enum": ["pro", "con"] },
            "kind": { "const": "verdict" },
            "sure": { "type": "boolean" },
            "points": { "type": "array", "minItems": 2, "maxItems": 3, "items": { "$ref": "#/$defs/point" } },
            "maybe": { "anyOf": [{ "type": "integer", "minimum": 4, "maximum": 4 }, { "type": "null" }] },
        },
        "$defs": { "point": { "type": "object", "properties": { "claim": { "type": "string" } } } },
    })
}

fn length(text: &Value) -> usize {
    text.as_str().expect("a string").chars().count()
}

#[test]
fn a_shaped_reply_fits_its_schema() {
    let server = MockOllama::start();
    let declared: Vec<String> =
        schema()["properties"].as_object().expect("an object").keys().cloned().collect();
    for seed in -20..20 {
        let response = chat(&server, &json!({ "format": schema(), "options": { "seed": seed } }));
        let reply: Value = serde_json::from_str(&response.content()).expect("JSON");
        let names: Vec<String> = reply.as_object().expect("an object").keys().cloned().collect();
        assert_eq!(names, declared);
        assert!((120..=160).contains(&length(&reply["reasoning"])));
        assert!(length(&reply["short"]) <= 5);
        assert!((1..=10).contains(&reply["score"].as_i64().expect("an integer")));
        assert!(reply["low"].as_i64().expect("an integer") <= -3);
        assert!((0.3..=0.9).contains(&reply["weight"].as_f64().expect("a number")));
        assert!(["pro", "con"].contains(&reply["side"].as_str().expect("a string")));
        assert_eq!(reply["kind"], "verdict");
        assert!(reply["sure"].is_boolean());
        let points = reply["points"].as_array().expect("an array");
        assert!((2..=3).contains(&points.len()));
        assert!(points.iter().all(|point| length(&point["claim"]) > 0));
        assert_eq!(reply["maybe"], 4);
    }
}

#[test]
fn a_reply_follows_its_seed() {
    let server = MockOllama::start();
    let reply = |seed: u32| chat(&server, &json!({ "options": { "seed": seed } })).content();
    assert_eq!(reply(1), reply(1));
    assert_ne!(reply(1), reply(2));
    assert!(reply(1).matches('.').count() >= 3);
    let json = chat(&server, &json!({ "format": "json" })).content();
    assert!(serde_json::from_str::<Value>(&json).is_ok_and(|it| it.is_object()));
}
