//! `/api/generate` and `/api/pull`.

use crate::client::{get, post};
use mock_ollama::{Answer, Card, MockOllama};
use serde_json::{Value, json};

#[test]
fn generate_streams_responses() {
    let server = MockOllama::start();
    server.script(|call| {
        assert_eq!((call.last_message(), call.system()), ("Why?", "Be brief."));
        Answer::text("Trams win.").thinking("Hm.")
    });
    let body = json!({ "model": "llama3", "prompt": "Why?", "system": "Be brief." });
    let lines = post(&server, "/api/generate", &body).lines();
    assert_eq!(lines[0]["thinking"], "Hm.");
    let text: String = lines.iter().filter_map(|it| it["response"].as_str()).collect();
    assert_eq!(text, "Trams win.");
    let last = lines.last().expect("a line");
    assert_eq!((&last["done"], &last["done_reason"]), (&json!(true), &json!("stop")));
    let tokens = last["prompt_eval_count"].as_u64().zip(last["eval_count"].as_u64());
    let context = last["context"].as_array().map(Vec::len);
    assert_eq!(context, tokens.map(|(prompt, reply)| (prompt + reply) as usize));
    let mut raw = body;
    raw["raw"] = true.into();
    raw["stream"] = false.into();
    let whole = post(&server, "/api/generate", &raw).json();
    assert_eq!(whole["response"], "Trams win.");
    assert!(whole.get("context").is_none());
    assert!(server.chats().is_empty());
}

#[test]
fn generate_without_a_prompt_loads_and_unloads() {
    let server = MockOllama::start();
    let load = |keep_alive: Value| {
        let body = json!({ "model": "llama3", "keep_alive": keep_alive });
        post(&server, "/api/generate", &body).json()
    };
    let loaded = load(json!(60));
    assert_eq!((&loaded["done_reason"], &loaded["response"]), (&json!("load"), &json!("")));
    let entry = get(&server, "/api/ps").json()["models"][0].clone();
    assert_eq!(entry["expires_at"], "2026-01-01T00:01:00Z");
    assert_eq!(load(json!(0))["done_reason"], "unload");
    assert_eq!(get(&server, "/api/ps").json()["models"], json!([]));
}

#[test]
fn a_model_is_pulled_once_it_is_on_offer() {
    let offered = Card::new("new:1b").digest(&"ab".repeat(32)).size(1001);
    let server = MockOllama::builder().pullable([offered]).start();
    let pull = |name: &str, stream: bool| {
        let body = json!({ "model": name, "stream": stream });
        post(&server, "/api/pull", &body)
    };
    assert_eq!(pull("x y", true).error(), "invalid model name");
    let missing = pull("old", true).lines();
    let error = json!({ "error": "pull model manifest: file does not exist" });
    assert_eq!(missing, [json!({ "status": "pulling manifest" }), error]);
    assert_eq!(pull("old", false).status, 500);
    let lines = pull("new:1b", true).lines();
    let statuses: Vec<&str> = lines.iter().filter_map(|it| it["status"].as_str()).collect();
    assert_eq!(statuses[0], "pulling manifest");
    assert_eq!(statuses[1..6], ["pulling abababababab"; 5]);
    let ends = ["verifying sha256 digest", "writing manifest", "removing unused layers", "success"];
    assert_eq!(statuses[6..], ends);
    assert_eq!((&lines[5]["completed"], &lines[5]["total"]), (&json!(1001), &json!(1001)));
    assert_eq!(get(&server, "/api/tags").json()["models"][0]["name"], "new:1b");
    assert_eq!(pull("new:1b", false).json(), json!({ "status": "success" }));
}
