//! What Ollama refuses, and its errors on request.

use crate::client::{Client, Response, chat, post};
use mock_ollama::{Answer, Card, MockOllama};
use serde_json::{Value, json};

fn failed(response: &Response) -> (u16, String) {
    (response.status, response.error())
}

#[test]
fn names_are_checked_before_models() {
    let server = MockOllama::start();
    let ask = |path: &str, name: &str| failed(&post(&server, path, &json!({ "model": name })));
    for name in ["a b", "/x", "x:", ":x", "a/b/c/d", "-x", "é"] {
        assert_eq!(ask("/api/chat", name), (400, "invalid model name".into()));
        assert_eq!(ask("/api/show", name), (400, "invalid model name".into()));
    }
    for name in ["m", "a.b/c-d_e:1b-Q4.x", "host:80/a/b"] {
        assert_eq!(ask("/api/chat", name).0, 404, "{name}");
    }
    assert_eq!(ask("/api/chat", ""), (400, "model is required".into()));
}

#[test]
fn cloud_models_need_a_sign_in() {
    let signed_in = Card::new("mine:cloud");
    let server = MockOllama::builder().models([signed_in]).start();
    for name in ["x:cloud", "x:120b-cloud"] {
        let response = chat(&server, &json!({ "model": name }));
        assert_eq!(failed(&response), (401, "unauthorized".into()));
        assert!(response.json()["signin_url"].is_string());
    }
    assert_eq!(chat(&server, &json!({ "model": "mine:cloud" })).status, 200);
}

#[test]
fn values_are_checked() {
    let server = MockOllama::start();
    let refusal = |more: Value| failed(&chat(&server, &more));
    let logprobs = "top_logprobs must be between 0 and 20";
    assert_eq!(refusal(json!({ "top_logprobs": 21 })), (400, logprobs.into()));
    assert_eq!(refusal(json!({ "top_logprobs": -1 })), (400, logprobs.into()));
    let option = "option \"num_ctx\" must be of type integer";
    assert_eq!(refusal(json!({ "options": { "num_ctx": "8k" } })), (500, option.into()));
    let format = "invalid format: \"yaml\"; expected \"json\" or a valid JSON Schema object";
    assert_eq!(refusal(json!({ "format": "yaml" })), (500, format.into()));
    let keep_alive = "time: unknown unit \"days\" in duration \"3days\"";
    assert_eq!(refusal(json!({ "keep_alive": "3days" })), (400, keep_alive.into()));
    let tools = "registry.ollama.ai/library/llama3:latest does not support tools";
    assert_eq!(refusal(json!({ "tools": [{}] })), (400, tools.into()));
    let fine =
        json!({ "top_logprobs": 20, "format": "", "options": { "unknown": [], "seed": 1.0 } });
    assert_eq!(chat(&server, &fine).status, 200);
}

#[test]
fn models_that_cannot_answer_say_so() {
    let card = Card::new("e").capabilities(["embedding"]).context(8);
    let server = MockOllama::builder().models([card]).start();
    let ask = |path: &str, more: Value| failed(&post(&server, path, &more));
    let model = json!({ "model": "e", "prompt": "x" });
    let (status, chat) = ask("/api/chat", model);
    assert_eq!((status, &*chat), (400, "\"e\" does not support chat"));
    let long = json!({ "model": "e", "input": "a".repeat(99), "truncate": false });
    let (status, embed) = ask("/api/embed", long);
    assert_eq!((status, &*embed), (400, "the input length exceeds the context length"));
}

#[test]
fn foreign_hosts_are_refused_if_asked() {
    let server = MockOllama::builder().check_host().start();
    let mut client = Client::new(&server);
    let mut status = |host: &str| client.ask_host(host).status;
    for host in ["localhost", "127.0.0.1:11434", "[::1]:80", "192.168.1.7", "a.internal", "0.0.0.0"]
    {
        assert_eq!(status(host), 200, "{host}");
    }
    for host in ["example.org", "8.8.8.8:80", "localhost.org"] {
        assert_eq!(status(host), 403, "{host}");
    }
    assert_eq!(client.ask_host("x").text(), "");
}

#[test]
fn every_error_can_be_scripted() {
    let cases = [
        (
            Answer::load_failed("signal: killed"),
            500,
            "llama-server process has terminated: signal: killed",
        ),
        (Answer::load_timed_out("x"), 500, "timed out waiting for llama-server to start - x"),
        (
            Answer::runner_stopped(),
            500,
            "model runner has unexpectedly stopped, this may be due to resource limitations or an internal \
             error, check ollama server logs for details",
        ),
        (Answer::canceled(), 499, "request canceled"),
        (Answer::bad_gateway(), 502, "bad gateway"),
        (Answer::too_many_requests(), 429, "you have reached your usage limit"),
        (Answer::cloud_disabled(), 403, "ollama cloud is disabled: remote model is unavailable"),
        (Answer::nested(400, &json!({ "error": {} })), 400, "{\"error\":{}}"),
        (
            Answer::text("Yes.").crash_after(0),
            500,
            "an error was encountered while running the model: unexpected EOF",
        ),
    ];
    let server = MockOllama::start();
    for (answer, status, error) in cases {
        server.script(move |_| answer.clone());
        assert_eq!(failed(&chat(&server, &json!({}))), (status, error.into()));
    }
}

#[test]
fn repeats_end_without_done_or_with_an_error() {
    let server = MockOllama::start();
    server.script(|_| Answer::repeats("ab "));
    let lines = chat(&server, &json!({})).lines();
    assert_eq!(lines.len(), 30);
    assert!(lines.iter().all(|line| line["done"] == false));
    let whole = chat(&server, &json!({ "stream": false }));
    assert_eq!((whole.status, &whole.json()["done"]), (200, &json!(false)));
    server.script(|_| Answer::repeats_aborted("ab "));
    let last = chat(&server, &json!({})).lines().pop();
    let error = json!({ "error": "prediction aborted, token repeat limit reached" });
    assert_eq!(last, Some(error));
    assert_eq!(chat(&server, &json!({ "stream": false })).status, 500);
}

#[test]
fn metrics_can_be_left_out() {
    let server = MockOllama::start();
    server.script(|_| Answer::text("Yes.").without_metrics());
    let last = chat(&server, &json!({})).lines().pop().expect("a line");
    assert_eq!(last["done"], true);
    assert!(["total_duration", "eval_count"].iter().all(|it| last.get(it).is_none()));
}
