//! The endpoints as ollama.md describes them.

use crate::client::{Client, Response, chat, get, post};
use mock_ollama::{Answer, Card, MockOllama};
use serde_json::{Value, json};

fn two_cards() -> MockOllama {
    let thinker = Card::new("deep:1b").capabilities(["completion", "thinking"]);
    let plain = Card::new("llama3").context(2048).family("gemma").parameters("1.0B");
    MockOllama::builder().models([plain.quantization("Q8_0").digest("abc"), thinker]).start()
}

fn failed(response: &Response) -> (u16, String) {
    (response.status, response.error())
}

#[test]
fn models_are_listed_and_shown() {
    let server = two_cards();
    let details = json!({
        "parent_model": "", "format": "gguf", "family": "gemma", "families": ["gemma"],
        "parameter_size": "1.0B", "quantization_level": "Q8_0",
    });
    let tags = get(&server, "/api/tags").json();
    assert_eq!(tags["models"][0]["name"], "llama3:latest");
    assert_eq!(tags["models"][0]["digest"], "abc");
    assert_eq!(tags["models"][0]["details"]["family"], "gemma");
    assert_eq!(tags["models"][1]["model"], "deep:1b");
    for name in ["llama3", "llama3:latest"] {
        let show = post(&server, "/api/show", &json!({ "model": name })).json();
        assert_eq!(show["details"], details);
        assert_eq!(show["capabilities"], json!(["completion"]));
        assert_eq!(show["model_info"]["general.architecture"], "gemma");
        assert_eq!(show["model_info"]["gemma.context_length"], 2048);
    }
    let missing = post(&server, "/api/show", &json!({ "model": "m" }));
    assert_eq!(failed(&missing), (404, "model 'm' not found".into()));
}

#[test]
fn requests_that_cannot_be_served_are_refused() {
    let server = two_cards();
    let mut client = Client::new(&server);
    let mut refusal = |body: &str| failed(&client.ask("POST", "/api/chat", body));
    assert_eq!(refusal(""), (400, "missing request body".into()));
    assert_eq!(refusal("{").0, 400);
    assert_eq!(refusal("{}"), (400, "model is required".into()));
    assert_eq!(refusal("{\"model\":\"m\"}"), (404, "model 'm' not found".into()));
    let unit = "time: missing unit in duration \"300\"";
    assert_eq!(refusal("{\"model\":\"llama3\",\"keep_alive\":\"300\"}"), (400, unit.into()));
    let think = chat(&server, &json!({ "think": true }));
    assert_eq!(failed(&think), (400, "\"llama3\" does not support thinking".into()));
    assert_eq!(chat(&server, &json!({ "think": false })).status, 200);
    let mistral = chat(&server, &json!({ "model": "mistral" }));
    assert_eq!(failed(&mistral), (404, "model 'mistral' not found".into()));
}

#[test]
fn unknown_paths_and_methods_get_plain_text() {
    let server = MockOllama::start();
    let unknown = get(&server, "/api/nothing");
    assert_eq!((unknown.status, unknown.text()), (404, "404 page not found".into()));
    let method = get(&server, "/api/chat");
    assert_eq!((method.status, method.text()), (405, "405 method not allowed".into()));
    assert_eq!(method.header("Content-Type"), Some("text/plain"));
}

#[test]
fn a_model_thinks_unless_told_not_to() {
    let server = two_cards();
    let thinks = |more: Value| {
        let lines = chat(&server, &more).lines();
        lines.iter().any(|line| line["message"].get("thinking").is_some())
    };
    assert!(thinks(json!({ "model": "deep:1b" })));
    assert!(thinks(json!({ "model": "deep:1b", "think": "low" })));
    assert!(!thinks(json!({ "model": "deep:1b", "think": false })));
    assert!(!thinks(json!({})));
}

#[test]
fn empty_messages_load_and_unload() {
    let server = two_cards();
    server.script(|_| panic!("a load is no chat"));
    let running = || get(&server, "/api/ps").json()["models"].clone();
    let load = |body: Value| post(&server, "/api/chat", &body).json();
    assert_eq!(running(), json!([]));
    let loaded =
        load(json!({ "model": "llama3", "messages": [], "options": { "num_ctx": 99_999 } }));
    assert_eq!((&loaded["done"], &loaded["done_reason"]), (&json!(true), &json!("load")));
    assert_eq!(loaded["message"], json!({ "role": "assistant", "content": "" }));
    load(json!({ "model": "deep:1b", "keep_alive": -1 }));
    assert_eq!(running()[0]["name"], "deep:1b");
    assert_eq!(running()[0]["expires_at"], "2318-04-12T23:47:16.854775807Z");
    assert_eq!(running()[1]["context_length"], 2048);
    assert_eq!(running()[1]["expires_at"], "2026-01-01T00:05:00Z");
    let unloaded = load(json!({ "model": "deep:1b", "keep_alive": "0s" }));
    assert_eq!(unloaded["done_reason"], "unload");
    assert_eq!(running().as_array().map(Vec::len), Some(1));
    assert!(server.chats().is_empty());
    server.stop();
    server.resume();
    assert_eq!(running(), json!([]));
}

#[test]
fn embeddings_have_length_one() {
    let server = MockOllama::start();
    let embed =
        |input: Value| post(&server, "/api/embed", &json!({ "model": "llama3", "input": input }));
    let two = embed(json!(["trams", "roads"])).json();
    let one = embed(json!("trams")).json();
    assert_eq!(one["embeddings"][0], two["embeddings"][0]);
    assert_ne!(two["embeddings"][0], two["embeddings"][1]);
    let vector = one["embeddings"][0].as_array().expect("a vector").clone();
    let norm: f64 = vector.iter().filter_map(Value::as_f64).map(|it| it * it).sum();
    assert_eq!(vector.len(), 8);
    assert!((norm - 1.0).abs() < 1e-9);
    assert_eq!(failed(&embed(json!(7))), (400, "invalid input type".into()));
    let missing = post(&server, "/api/embed", &json!({ "model": "m", "input": "x" }));
    assert_eq!(failed(&missing), (404, "model \"m\" not found, try pulling it first".into()));
}

#[test]
fn named_errors_match_those_of_the_endpoints() {
    let server = MockOllama::start();
    server.intercept(|call| match call.path.as_str() {
        "/a" => Some(Answer::model_not_found("m")),
        "/b" => Some(Answer::does_not_support_thinking("m")),
        _ => None,
    });
    assert_eq!(failed(&get(&server, "/a")), (404, "model 'm' not found".into()));
    assert_eq!(failed(&get(&server, "/b")), (400, "\"m\" does not support thinking".into()));
}
