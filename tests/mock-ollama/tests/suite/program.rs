//! The program, and what makes it cheap.

use crate::client::{Client, Response, chat, chat_body};
use mock_ollama::{Answer, MockOllama};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

struct Program(Child, String);

impl Program {
    fn start(options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mock-ollama"))
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program is there");
        let stdout = child.stdout.take().expect("it is piped");
        let mut url = String::new();
        BufReader::new(stdout).read_line(&mut url).expect("a line");
        Self(child, url.trim().into())
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Response {
        Client::to(&self.1).ask(method, path, &body.to_string())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn the_program_prints_its_url_and_serves() {
    let program = Program::start(&[
        "--chunks",
        "20",
        "--model",
        "a:1b:2GB",
        "--model",
        "b",
        "--one-write",
    ]);
    let tags = program.ask("GET", "/api/tags", &json!({})).json();
    assert_eq!(
        (&tags["models"][0]["name"], &tags["models"][0]["size"]),
        (&json!("a:1b"), &json!(2_000_000_000))
    );
    assert_eq!(tags["models"][1]["name"], "b:latest");
    let properties = json!({ "why": { "type": "string" }, "score": { "type": "integer" } });
    let schema = json!({ "type": "object", "properties": properties });
    for format in [json!(""), schema] {
        let body = chat_body(&json!({ "model": "b", "format": format }));
        let response = program.ask("POST", "/api/chat", &body);
        assert_eq!(response.lines().len(), 21, "{}", response.text());
    }
}

#[test]
fn the_program_has_a_machine_if_asked() {
    let program = Program::start(&[
        "--parallel",
        "1",
        "--memory",
        "1GB",
        "--scale",
        "1e-6",
        "--keep-alive",
        "999999999",
    ]);
    let body = chat_body(&json!({}));
    assert_eq!(program.ask("POST", "/api/chat", &body).status, 200);
    let entry = program.ask("GET", "/api/ps", &json!({})).json()["models"][0].clone();
    assert_eq!(entry["size_vram"], 1_000_000_000);
}

#[test]
fn one_write_is_the_same_bytes() {
    let server = MockOllama::start();
    for answer in [
        Answer::text("One two three"),
        Answer::text("One two three").error_after(2, "no"),
        Answer::text("One two three").without_done(),
    ] {
        let cheap = answer.clone().one_write();
        server.script(move |_| answer.clone());
        let plain = chat(&server, &json!({}));
        server.script(move |_| cheap.clone());
        let joined = chat(&server, &json!({}));
        assert_eq!(plain.pieces, joined.pieces);
        assert_eq!(plain.ended, joined.ended);
    }
    let completed: Vec<bool> = server.calls().iter().map(|it| it.completed).collect();
    assert_eq!(completed, [true, true, false, false, false, false]);
}

#[test]
fn without_a_log_nothing_is_kept() {
    let server = MockOllama::builder()
        .without_log()
        .reply(Answer::text("Yes."))
        .start();
    for _ in 0..3 {
        assert_eq!(chat(&server, &json!({})).content(), "Yes.");
    }
    assert!(server.calls().is_empty() && server.served().is_empty());
}
