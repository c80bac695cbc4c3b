//! The program, and what makes it cheap.

use crate::client::{Client, Response, chat, chat_body};
use mock_ollama::{Answer, MockOllama};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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
    let program =
        Program::start(&["--chunks", "20", "--model", "a:1b:2GB", "--model", "b", "--one-write"]);
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
    let server = MockOllama::builder().without_log().reply(Answer::text("Yes.")).start();
    for _ in 0..3 {
        assert_eq!(chat(&server, &json!({})).content(), "Yes.");
    }
    assert!(server.calls().is_empty() && server.served().is_empty());
}

/// An empty file's path, below the system's directory for such.
fn log_file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("mock-ollama-{}-{name}", std::process::id()));
    fs::remove_file(&path).ok();
    path
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("there is a log");
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("lines of JSON")
}

#[test]
fn the_program_logs_what_became_of_each_request() {
    let path = log_file("log");
    let log = path.to_str().expect("a plain path");
    let program = Program::start(&[
        "--log",
        log,
        "--model",
        "a:1b:4GB@30",
        "--model",
        "b:1b:4GB@60",
        "--memory",
        "6GB",
        "--parallel",
        "2",
        "--scale",
        "1e-6",
        "--keep-alive",
        "999999999",
        "--prompt-cache",
        "0",
    ]);
    let chat = |model: &str, text: &str| {
        let message = json!({ "role": "user", "content": text });
        let body = json!({ "model": model, "messages": [message], "options": { "seed": 7, "num_ctx": 1024 } });
        assert_eq!(program.ask("POST", "/api/chat", &body).status, 200);
    };
    chat("a:1b", "Why trams, and why now?");
    chat("a:1b", "Why trams, and why not?");
    program.ask("POST", "/api/chat", &json!({ "model": "b:1b" }));
    let log = lines(&path);
    fs::remove_file(&path).ok();
    let of = |name: &str| -> Vec<Value> { log.iter().map(|it| it[name].clone()).collect() };
    assert_eq!(of("kind"), ["chat", "chat", "load"]);
    assert_eq!(of("model"), ["a:1b", "a:1b", "b:1b"]);
    assert_eq!(of("loaded"), [true, false, true]);
    assert!(
        log[0]["slot"].is_u64() && log[0]["slot"] == log[1]["slot"] && log[2]["slot"].is_null()
    );
    assert_eq!(of("completed"), [true, true, true]);
    assert_eq!(log[0]["seed"], 7);
    assert_eq!(log[0]["prompt"], "user: Why trams, and why now?\n");
    assert_eq!(log[0]["prompt_characters"], 30);
    assert_eq!(log[2]["evicted"], json!(["a:1b"]));
    let number = |it: &Value| it.as_f64().expect("a number");
    assert_eq!(number(&log[0]["prompt_held"]), 0.0);
    assert_eq!(number(&log[1]["prompt_held"]), 27.0 / 30.0);
    assert!(number(&log[0]["load_seconds"]) >= 30.0 && number(&log[2]["load_seconds"]) >= 60.0);
    for line in &log[..2] {
        assert!(line["arrived"].as_f64() <= line["started"].as_f64());
        assert!(line["started"].as_f64() < line["ended"].as_f64());
    }
}

#[test]
fn a_clock_that_leaps_gives_each_its_time_and_takes_none() {
    let path = log_file("leaps");
    let log = path.to_str().expect("a plain path");
    let options: Vec<&str> =
        "--model a:1b@5000 --parallel 2 --reply-speed 0.1 --leaps 2 --quiet 20 --log"
            .split(' ')
            .chain([log])
            .collect();
    let program = Program::start(&options);
    let ask = |seed: u64| {
        let body = json!({ "model": "a:1b", "messages": [{ "role": "user", "content": "Why?" }], "options": { "seed": seed } });
        assert_eq!(program.ask("POST", "/api/chat", &body).status, 200);
    };
    let begun = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| (0..3).for_each(ask));
        scope.spawn(|| (3..6).for_each(ask));
    });
    // Six replies of more than 100 seconds, and a load of more than an hour.
    assert!(begun.elapsed() < Duration::from_secs(60));
    let mut log = lines(&path);
    fs::remove_file(&path).ok();
    let time = |it: &Value, name: &str| it[name].as_f64().expect("a time");
    log.sort_by(|a, b| time(a, "started").total_cmp(&time(b, "started")));
    let replying = |it: &Value| time(it, "ended") - time(it, "started");
    for line in &log {
        let expected = time(line, "reply_tokens") * 10.0;
        assert!((replying(line) - expected).abs() < 1.0, "{line}");
    }
    // Both slots are always busy: no time passes while a client thinks.
    let all: f64 = log.iter().map(replying).sum();
    let end = log.iter().map(|it| time(it, "ended")).fold(0.0, f64::max);
    assert!(all / 2.0 <= end - 5000.0 && end - 5000.0 <= all, "{all} {end}");
    assert!(log.iter().filter(|it| it["loaded"] == true).count() == 1);
}

#[test]
fn durations_can_be_reported_as_they_really_are() {
    let options = ["--scale", "0.001", "--model", "a:1b@30"];
    let durations = |more: &[&str]| {
        let program = Program::start(&[&options[..], more].concat());
        let body = chat_body(&json!({ "model": "a:1b" }));
        let line = program.ask("POST", "/api/chat", &body).lines().pop().expect("a last line");
        assert_eq!(line["prompt_eval_count"].as_u64(), Some(5), "{line}");
        let number = |name: &str| line[name].as_f64().expect("a number");
        ["load_duration", "eval_duration", "prompt_eval_duration"].map(number)
    };
    let (machine, real) = (durations(&[]), durations(&["--real-durations"]));
    assert!(machine[0] >= 30e9 && (30e6..10e9).contains(&real[0]));
    assert_eq!((machine[1] / real[1], machine[2] / real[2]), (1000.0, 1000.0));
}

#[test]
fn the_program_fails_as_its_seed_says() {
    let path = log_file("faults");
    let log = path.to_str().expect("a plain path");
    let answers = |seed: &str| -> Vec<(u16, bool)> {
        let shares = ["--busy", "0.3", "--crashes", "0.3", "--fault-seed", seed];
        let program = Program::start(&[&shares[..], &["--log", log]].concat());
        let ask = |_| program.ask("POST", "/api/chat", &chat_body(&json!({})));
        let responses = (0..20).map(ask);
        let answers = responses.map(|it| (it.status, it.text().contains("\"done\":true")));
        answers.collect()
    };
    let first = answers("1");
    assert_eq!(first, answers("1"));
    assert_ne!(first, answers("2"));
    let (busy, whole) = (|it: &&(u16, bool)| it.0 == 503, |it: &&(u16, bool)| it.1);
    assert!((1..20).contains(&first.iter().filter(busy).count()));
    assert!((1..20).contains(&first.iter().filter(whole).count()));
    answers("1");
    let completed = lines(&path).iter().filter(|it| it["completed"] == true).count();
    fs::remove_file(&path).ok();
    assert_eq!(completed, first.iter().filter(whole).count());
}

#[test]
fn the_program_dies_and_comes_back() {
    let program = Program::start(&["--dies-after", "0.05", "--dead-for", "0.05"]);
    let address = program.1.trim_start_matches("http://").to_string();
    let mut seen = [false, false];
    while seen != [true, true] {
        let alive = TcpStream::connect(&address).is_ok();
        seen[usize::from(alive)] = true;
    }
}

#[test]
fn a_shaped_reply_has_about_as_many_sentences_as_asked_for() {
    let server = MockOllama::builder().reply(Answer::shaped().sentences(20)).start();
    for seed in 0..5 {
        let reply = chat(&server, &json!({ "options": { "seed": seed } })).content();
        let sentences = reply.matches('.').count();
        assert!((15..=25).contains(&sentences), "{reply}");
    }
}

#[test]
fn a_reply_can_depend_on_the_whole_request() {
    let by_seed = MockOllama::start();
    let by_request = MockOllama::builder().reply(Answer::shaped().by_request()).start();
    let ask = |server: &MockOllama, seed: u64, why: &str| {
        let messages = json!([{ "role": "user", "content": why }]);
        let body =
            json!({ "messages": messages, "options": { "seed": seed, "num_ctx": 100 * seed } });
        chat(server, &body).content()
    };
    assert_eq!(ask(&by_seed, 1, "Why?"), ask(&by_seed, 1, "When?"));
    assert_ne!(ask(&by_request, 1, "Why?"), ask(&by_request, 1, "When?"));
    assert_ne!(ask(&by_request, 1, "Why?"), ask(&by_request, 2, "Why?"));
    assert_eq!(ask(&by_request, 1, "Why?"), ask(&by_request, 1, "Why?"));
}
