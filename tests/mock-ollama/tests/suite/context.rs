//! Prompts and replies that are longer than the context.

use crate::client::{Response, chat};
use mock_ollama::{Answer, Card, Machine, MockOllama};
use serde_json::{Value, json};
use std::time::Duration;

const EXCEEDED: &str = "{\"error\":{\"code\":400,\"message\":\"request (300 tokens) exceeds the available \
    context size (256 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\
    \"n_prompt_tokens\":300,\"n_ctx\":256}}";

fn server() -> MockOllama {
    let machine = Machine::new().scale(1e-6).keep_alive(Duration::MAX);
    let native = Card::new("mistral").native();
    MockOllama::builder().models([Card::new("llama3"), native]).machine(machine).start()
}

/// Asks with a context of 256 tokens.
fn ask(server: &MockOllama, more: &Value) -> Response {
    let mut body = json!({ "options": { "num_ctx": 256 } });
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    chat(server, &body)
}

fn message(role: &str, tokens: usize) -> Value {
    json!({ "role": role, "content": "abcd".repeat(tokens) })
}

fn tokens(response: &Response) -> Value {
    response.lines().pop().expect("a line")["prompt_eval_count"].clone()
}

#[test]
fn untruncated_prompts_are_refused_from_the_contexts_size_on() {
    let server = server();
    let whole = |tokens| {
        let more =
            json!({ "messages": [message("user", tokens)], "truncate": false, "shift": false });
        ask(&server, &more)
    };
    assert_eq!((whole(300).status, whole(300).error()), (400, EXCEEDED.into()));
    assert_eq!(whole(256).status, 400);
    assert_eq!(tokens(&whole(255)), 255);
}

#[test]
fn the_oldest_messages_go_first_but_never_system_and_last() {
    let server = server();
    let messages = [
        message("user", 100),
        message("system", 50),
        message("assistant", 100),
        message("user", 99),
    ];
    let response = ask(&server, &json!({ "messages": messages }));
    assert_eq!(tokens(&response), 250);
    let messages = [message("system", 100), message("user", 300)];
    assert_eq!(tokens(&ask(&server, &json!({ "messages": messages }))), 256 - 126);
}

#[test]
fn what_is_still_too_long_is_cut_or_refused() {
    let server = server();
    let long = |more: Value| {
        let mut body = json!({ "messages": [message("user", 300)] });
        for (name, value) in more.as_object().expect("an object") {
            body[name] = value.clone();
        }
        ask(&server, &body)
    };
    assert_eq!(tokens(&long(json!({}))), 256 - 126);
    let refused = long(json!({ "shift": false }));
    assert_eq!(refused.status, 400);
    assert!(refused.error().starts_with("the prompt is longer than the context length"));
    let native = long(json!({ "model": "mistral" }));
    assert_eq!((native.status, native.error()), (400, EXCEEDED.into()));
}

#[test]
fn a_reply_ends_where_the_context_or_its_limit_does() {
    let server = server();
    server.script(|_| Answer::text("abcd".repeat(100)).thinking("Hm. "));
    let ended = |more: Value| {
        let lines = ask(&server, &more).lines();
        let last = lines.last().expect("a line").clone();
        (last["done_reason"].clone(), last["eval_count"].clone())
    };
    let messages = [message("user", 200)];
    assert_eq!(
        ended(json!({ "messages": messages, "shift": false })),
        (json!("length"), json!(56))
    );
    assert_eq!(ended(json!({ "messages": messages })), (json!("stop"), json!(101)));
    let few = json!({ "num_ctx": 256, "num_predict": 7 });
    assert_eq!(ended(json!({ "options": few })), (json!("length"), json!(7)));
    let response = ask(&server, &json!({ "options": few }));
    assert_eq!(response.content().len(), 24);
}
