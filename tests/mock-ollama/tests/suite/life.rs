//! Connections, stop and resume, and the log.

use crate::client::{Client, chat, chat_body, get};
use mock_ollama::{Answer, MockOllama};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;

fn address(server: &MockOllama) -> String {
    server.url().replace("http://", "")
}

#[test]
fn one_connection_serves_many_requests() {
    let server = MockOllama::start();
    server.script(|_| Answer::text("Trams."));
    let mut client = Client::new(&server);
    let body = chat_body(&json!({})).to_string();
    for _ in 0..3 {
        assert_eq!(client.ask("GET", "/api/version", "").json()["version"], "0.33.0");
        assert_eq!(client.ask("HEAD", "/", "").status, 200);
        assert_eq!(client.ask("POST", "/api/chat", &body).content(), "Trams.");
    }
    assert_eq!(server.calls().len(), 9);
    assert_eq!(server.chats().len(), 3);
}

#[test]
fn a_request_may_come_in_bits_or_with_the_next() {
    let server = MockOllama::start();
    let mut stream = TcpStream::connect(address(&server)).expect("the server listens");
    let first = "POST /api/show HTTP/1.1\r\nContent-Length: 18\r\n\r\n{\"model\":\"llama3\"}";
    let second = "GET / HTTP/1.1\r\nConnection: close\r\n\r\n";
    for byte in format!("{first}{second}").as_bytes() {
        stream.write_all(&[*byte]).expect("the server reads");
    }
    let mut all = String::new();
    stream.read_to_string(&mut all).expect("closed after the second");
    assert_eq!(all.matches("HTTP/1.1 200 OK").count(), 2);
    assert!(all.ends_with("Ollama is running"));
}

#[test]
fn stop_refuses_and_resume_keeps_the_port() {
    let server = MockOllama::start();
    let url = server.url();
    let mut kept = Client::new(&server);
    assert_eq!(kept.ask("GET", "/", "").status, 200);
    server.script(|_| Answer::hang());
    let mut hung = Client::new(&server);
    hung.send("POST", "/api/chat", &chat_body(&json!({})).to_string());
    server.wait_for_chats(1);
    for _ in 0..3 {
        server.stop();
        server.stop();
        let refused = TcpStream::connect(address(&server)).expect_err("nobody listens");
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
        server.resume();
        server.resume();
        assert_eq!(get(&server, "/").status, 200);
    }
    assert_eq!(hung.head().status, 0);
    assert_eq!(server.url(), url);
    assert_eq!(server.calls().len(), 5);
}

#[test]
fn who_is_connected_is_answered_until_it_stops() {
    let server = MockOllama::start();
    let mut kept = Client::new(&server);
    assert_eq!(kept.ask("GET", "/", "").status, 200);
    server.stop_listening();
    assert!(TcpStream::connect(address(&server)).is_err());
    assert_eq!(kept.ask("GET", "/", "").status, 200);
    server.stop();
    kept.send("GET", "/", "");
    assert_eq!(kept.head().status, 0);
    server.resume();
    assert_eq!(get(&server, "/").status, 200);
}

#[test]
fn drop_closes_the_port() {
    let server = MockOllama::start();
    let address = address(&server);
    server.script(|_| Answer::hang());
    let mut hung = Client::new(&server);
    hung.send("POST", "/api/chat", &chat_body(&json!({})).to_string());
    server.wait_for(1);
    drop(server);
    assert_eq!(hung.head().status, 0);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn a_call_tells_what_was_asked() {
    let server = MockOllama::start();
    let schema = json!({ "type": "object" });
    chat(&server, &json!({ "format": schema, "options": { "seed": 7 }, "think": false }));
    chat(&server, &json!({ "options": { "seed": 8 } }));
    let calls = server.calls();
    let call = &calls[0];
    assert_eq!((call.n, &*call.method, &*call.path), (0, "POST", "/api/chat"));
    assert_eq!(
        (call.model(), call.system(), call.last_message()),
        ("llama3", "Be brief.", "Why trams?")
    );
    assert_eq!(call.text(), "Be brief.\nWhy trams?");
    assert_eq!(call.schema(), Some(&schema));
    assert_eq!(call.option("seed"), Some(&json!(7)));
    assert_eq!(call.header("HOST"), Some("x"));
    assert_eq!(calls[1].schema(), None);
    assert_eq!(calls[1].attempt_of_same_body, 1);
}

#[test]
fn an_intercept_goes_before_everything() {
    let server = MockOllama::start();
    server.intercept(|call| (call.path == "/api/version").then(|| Answer::status(500, "no")));
    assert_eq!(get(&server, "/api/version").error(), "no");
    assert_eq!(get(&server, "/").text(), "Ollama is running");
    server.intercept(|_| None);
    assert_eq!(get(&server, "/api/version").status, 200);
}

#[test]
fn a_script_that_panics_drops_its_connection_only() {
    let server = MockOllama::start();
    server.script(|call| match call.n {
        0 => panic!("as this test wants"),
        _ => Answer::text("Trams."),
    });
    assert_eq!(chat(&server, &json!({})).status, 0);
    assert_eq!(chat(&server, &json!({})).content(), "Trams.");
}

#[tokio::test]
async fn it_starts_and_ends_within_a_runtime() {
    let server = MockOllama::start();
    assert_eq!(get(&server, "/").status, 200);
    server.stop();
    server.resume();
    assert_eq!(get(&server, "/").status, 200);
}
