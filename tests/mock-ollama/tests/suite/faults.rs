//! Every way to break an answer.

use crate::client::{Client, chat, chat_body};
use mock_ollama::{Answer, Gate, MockOllama};
use serde_json::json;
use std::time::Duration;

const TEXT: &str = "One two three four.";

#[test]
fn errors_have_ollamas_words() {
    let server = MockOllama::start();
    server.script(|call| match call.n {
        0 => Answer::busy(),
        1 => Answer::context_exceeded(351, 256),
        2 => Answer::status(500, "model runner has unexpectedly stopped"),
        _ => Answer::raw(502, "text/html", "<h1>Bad gateway</h1>"),
    });
    let busy = chat(&server, &json!({}));
    assert_eq!(busy.status, 503);
    assert_eq!(busy.error(), "server busy, please try again.  maximum pending requests exceeded");
    let exceeded = chat(&server, &json!({}));
    assert_eq!(exceeded.status, 400);
    let expected = "{\"error\":{\"code\":400,\"message\":\"request (351 tokens) exceeds the available context \
        size (256 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\
        \"n_prompt_tokens\":351,\"n_ctx\":256}}";
    assert_eq!(exceeded.error(), expected);
    assert_eq!(chat(&server, &json!({})).status, 500);
    let raw = chat(&server, &json!({}));
    assert_eq!((raw.status, raw.text()), (502, "<h1>Bad gateway</h1>".into()));
    assert!(server.calls().iter().all(|call| !call.completed));
}

#[test]
fn an_error_in_mid_stream_is_a_last_line() {
    let server = MockOllama::start();
    server.script(|_| Answer::text(TEXT).error_after(2, "unexpected EOF"));
    let response = chat(&server, &json!({}));
    assert_eq!((response.status, response.ended), (200, true));
    assert_eq!(response.content(), "One two ");
    assert_eq!(response.lines()[2], json!({ "error": "unexpected EOF" }));
    let whole = chat(&server, &json!({ "stream": false }));
    assert_eq!((whole.status, whole.error()), (500, "unexpected EOF".into()));
    server.script(|_| Answer::text(TEXT).error_after(0, "early"));
    let early = chat(&server, &json!({}));
    assert_eq!((early.status, early.error()), (500, "early".into()));
    assert!(server.calls().iter().all(|call| !call.completed));
}

#[test]
fn without_done_ends_cleanly() {
    let server = MockOllama::start();
    server.script(|_| Answer::text(TEXT).without_done());
    let response = chat(&server, &json!({}));
    assert!(response.ended);
    assert_eq!(response.content(), TEXT);
    assert!(response.lines().iter().all(|line| line["done"] == false));
    assert!(!server.calls()[0].completed);
}

#[test]
fn a_disconnect_comes_after_so_many_chunks() {
    let server = MockOllama::start();
    for k in 0..6 {
        server.script(move |_| Answer::text(TEXT).disconnect_after(k));
        let response = chat(&server, &json!({}));
        assert!(!response.ended);
        assert_eq!(response.status, if k == 0 { 0 } else { 200 });
        assert_eq!(response.pieces.len(), k.min(4));
    }
    server.script(|_| Answer::busy().disconnect_after(0));
    assert_eq!(chat(&server, &json!({})).status, 0);
    assert!(server.calls().iter().all(|call| !call.completed && !call.client_left));
}

#[test]
fn a_hang_lasts_until_the_client_leaves() {
    let server = MockOllama::start();
    server.script(|call| match call.n {
        0 => Answer::hang(),
        _ => Answer::text(TEXT).hang_after(2),
    });
    let body = chat_body(&json!({})).to_string();
    let mut before = Client::new(&server);
    before.send("POST", "/api/chat", &body);
    server.wait_for(1);
    let mut midway = Client::new(&server);
    midway.send("POST", "/api/chat", &body);
    let mut response = midway.head();
    assert!(midway.piece(&mut response) && midway.piece(&mut response));
    assert_eq!(response.content(), "One two ");
    drop((before, midway));
    server.wait_until(|calls| calls.iter().all(|call| call.client_left && !call.completed));
}

#[test]
fn an_endless_answer_lasts_until_the_client_leaves() {
    let server = MockOllama::start();
    let line = r#"{"message":{"content":"on "},"done":false}"#;
    server.script(move |_| Answer::endless(line, Duration::from_millis(1)));
    let mut client = Client::new(&server);
    client.send("POST", "/api/chat", &chat_body(&json!({})).to_string());
    let mut response = client.head();
    for _ in 0..20 {
        assert!(client.piece(&mut response));
    }
    assert_eq!(response.content(), "on ".repeat(20));
    drop(client);
    server.wait_until(|calls| calls[0].client_left && !calls[0].completed);
}

#[test]
fn gates_hold_an_answer_back() {
    let server = MockOllama::start();
    let (first, second) = (Gate::new(), Gate::new());
    let gates = (first.clone(), second.clone());
    server
        .script(move |_| Answer::text(TEXT).after(gates.0.clone()).gate_after(4, gates.1.clone()));
    let mut client = Client::new(&server);
    client.send("POST", "/api/chat", &chat_body(&json!({})).to_string());
    server.wait_for_chats(1);
    first.open();
    let mut response = client.head();
    for _ in 0..4 {
        assert!(client.piece(&mut response));
    }
    assert!(!server.calls()[0].completed);
    second.open();
    while client.piece(&mut response) {}
    assert_eq!(response.content(), TEXT);
    assert!(server.calls()[0].completed);
}
