//! The same bytes, however they are cut.

use crate::client::{chat, chat_body, post};
use mock_ollama::{Answer, MockOllama, Split};
use serde_json::json;

const TEXT: &str = "Straßenbahn – 電車 <b> & \"🚋\"\nends.";

#[test]
fn each_split_gives_the_same_bytes() {
    let server = MockOllama::start();
    server.script(|_| Answer::text(TEXT));
    let lines = chat(&server, &json!({}));
    assert_eq!(lines.content(), TEXT);
    let length = lines.bytes().len();
    for size in [1, 2, 3, 5, 7, 64, length - 1, length, length + 1] {
        server.script(move |_| Answer::text(TEXT).wire(Split::Every(size)));
        let cut = chat(&server, &json!({}));
        assert_eq!(cut.bytes(), lines.bytes(), "cut every {size} bytes");
        assert_eq!(cut.pieces[0].len(), size.min(length));
        assert!(cut.ended);
    }
    for at in 0..=length {
        server.script(move |_| Answer::text(TEXT).wire(Split::At(vec![at])));
        let cut = chat(&server, &json!({}));
        assert_eq!(cut.bytes(), lines.bytes(), "cut at {at}");
        assert_eq!(cut.pieces.len(), if at % length == 0 { 1 } else { 2 });
    }
    assert!(server.chats().iter().all(|call| call.completed));
}

#[test]
fn a_line_is_a_chunk_by_default() {
    let server = MockOllama::start();
    server.script(|_| Answer::text("Trams are quiet."));
    let response = chat(&server, &json!({}));
    assert_eq!(response.status, 200);
    assert_eq!(response.header("Content-Type"), Some("application/x-ndjson"));
    assert_eq!(response.pieces.len(), 4);
    assert!(response.pieces.iter().all(|piece| piece.ends_with(b"\n")));
    let first = "{\"model\":\"llama3\",\"created_at\":\"2026-01-01T00:00:00.006Z\",\
        \"message\":{\"role\":\"assistant\",\"content\":\"Trams \"},\"done\":false}\n";
    assert_eq!(String::from_utf8_lossy(&response.pieces[0]), first);
}

#[test]
fn chunks_of_any_number() {
    let server = MockOllama::start();
    for (asked, given) in [(0, 1), (1, 1), (2, 2), (7, 7), (1000, TEXT.chars().count())] {
        server.script(move |_| Answer::text(TEXT).chunks(asked));
        let response = chat(&server, &json!({}));
        assert_eq!(response.lines().len(), given + 1, "{asked} asked");
        assert_eq!(response.content(), TEXT);
    }
    server.script(|_| Answer::text("").chunks(3));
    assert_eq!(chat(&server, &json!({})).lines().len(), 1);
}

#[test]
fn the_last_line_has_the_metrics() {
    let server = MockOllama::start();
    server.script(|_| Answer::text("Trams!").tokens(300, 7).load_ns(5).done_reason("length"));
    let last = chat(&server, &json!({})).lines().pop().expect("a line");
    assert_eq!(last["done"], true);
    assert_eq!(last["done_reason"], "length");
    assert_eq!(last["load_duration"], 5);
    assert_eq!(last["prompt_eval_count"], 300);
    assert_eq!(last["prompt_eval_duration"], 300_000_000);
    assert_eq!(last["eval_count"], 7);
    assert_eq!(last["eval_duration"], 140_000_000);
    assert_eq!(last["total_duration"], 440_100_005);

    server.script(|_| Answer::text("").tokens(0, 0).load_ns(0));
    let last = chat(&server, &json!({})).lines().pop().expect("a line");
    let names: Vec<&str> = last.as_object().expect("an object").keys().map(|it| &**it).collect();
    assert_eq!(names, ["model", "created_at", "message", "done", "done_reason", "total_duration"]);
}

#[test]
fn thinking_comes_first_and_text_may_come_last() {
    let server = MockOllama::start();
    server.script(|_| {
        Answer::text("Trams are ").thinking("Let me see.").text_in_final_chunk("quiet.")
    });
    let response = chat(&server, &json!({}));
    let thinking =
        |line: &serde_json::Value| Some(line["message"]["thinking"].as_str()?.to_string());
    let thoughts: Vec<String> = response.lines().iter().map_while(thinking).collect();
    assert_eq!(thoughts.concat(), "Let me see.");
    assert_eq!(response.content(), "Trams are quiet.");
    assert_eq!(response.lines().pop().expect("a line")["message"]["content"], "quiet.");
}

#[test]
fn unstreamed_is_one_object() {
    let server = MockOllama::start();
    server.script(|_| Answer::json(&json!({ "a": "<b>" })).thinking("Hm."));
    let response = chat(&server, &json!({ "stream": false }));
    assert_eq!(response.header("Content-Type"), Some("application/json; charset=utf-8"));
    assert!(response.text().contains("\\u003cb\\u003e"));
    let whole = response.json();
    assert_eq!(whole["message"]["content"], "{\"a\":\"<b>\"}");
    assert_eq!(whole["message"]["thinking"], "Hm.");
    assert_eq!(whole["done"], true);
    assert!(whole["eval_count"].is_number());

    server.script(|_| Answer::text("Cut off").without_done());
    let cut = chat(&server, &json!({ "stream": false })).json();
    assert_eq!(cut["done"], false);
    assert!(cut.get("eval_count").is_none());
    assert!(!server.calls()[1].completed);
}

#[test]
fn equal_requests_get_equal_bytes() {
    let server = MockOllama::start();
    let body = chat_body(&json!({ "options": { "seed": 3 } }));
    let answers = [1, 2].map(|_| post(&server, "/api/chat", &body).bytes());
    assert_eq!(answers[0], answers[1]);
    assert_eq!(server.chats()[1].attempt_of_same_body, 2);
}
