//! A raw HTTP client that shows where the server cut.

use mock_ollama::MockOllama;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub(crate) struct Client(BufReader<TcpStream>);

/// What came back; `status` is 0 if the connection closed before a status line.
#[derive(Debug, Default)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    /// The HTTP chunks, or the one body.
    pub(crate) pieces: Vec<Vec<u8>>,
    /// The body's end was marked, by its length or an empty chunk.
    pub(crate) ended: bool,
}

impl Client {
    pub(crate) fn new(server: &MockOllama) -> Self {
        Self::to(&server.url())
    }

    pub(crate) fn to(url: &str) -> Self {
        let address = url.replace("http://", "");
        let stream = TcpStream::connect(address).expect("the server listens");
        let patience = Some(Duration::from_secs(300));
        stream.set_read_timeout(patience).expect("a duration above 0");
        Self(BufReader::new(stream))
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, body: &str) {
        self.send_to("x", method, path, body);
    }

    fn send_to(&mut self, host: &str, method: &str, path: &str, body: &str) {
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.0.get_mut().write_all(request.as_bytes()).expect("the server reads");
    }

    pub(crate) fn ask(&mut self, method: &str, path: &str, body: &str) -> Response {
        self.send(method, path, body);
        self.response(method)
    }

    /// Asks for the version with this in the `Host` header.
    pub(crate) fn ask_host(&mut self, host: &str) -> Response {
        self.send_to(host, "GET", "/api/version", "");
        self.response("GET")
    }

    fn response(&mut self, method: &str) -> Response {
        let mut response = self.head();
        if response.head.contains("Transfer-Encoding: chunked") {
            while self.piece(&mut response) {}
        } else if response.status > 0 {
            let length =
                response.header("Content-Length").map_or(0, |it| it.parse().expect("a number"));
            let mut body = vec![0; if method == "HEAD" { 0 } else { length }];
            self.0.read_exact(&mut body).expect("a body");
            response.pieces.push(body);
            response.ended = true;
        }
        response
    }

    pub(crate) fn head(&mut self) -> Response {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") && self.0.read_line(&mut head).unwrap_or(0) > 0 {}
        let status = head.split(' ').nth(1).map_or(0, |it| it.parse().expect("a number"));
        Response { status, head, ..Response::default() }
    }

    /// Reads one HTTP chunk; false at the end, marked or not.
    pub(crate) fn piece(&mut self, response: &mut Response) -> bool {
        let mut size = String::new();
        if self.0.read_line(&mut size).unwrap_or(0) == 0 {
            return false;
        }
        let size = usize::from_str_radix(size.trim(), 16).expect("a hexadecimal size");
        let mut piece = vec![0; size + 2];
        self.0.read_exact(&mut piece).expect("a whole chunk");
        piece.truncate(size);
        response.ended = size == 0;
        if size > 0 {
            response.pieces.push(piece);
        }
        size > 0
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let named = |line: &str| line.split_once(": ").is_some_and(|(key, _)| key == name);
        let line = self.head.lines().find(|line| named(line))?;
        Some(&line[name.len() + 2..])
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.pieces.concat()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes()).expect("UTF-8")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes()).expect("JSON")
    }

    pub(crate) fn lines(&self) -> Vec<Value> {
        let line = |line: &str| serde_json::from_str(line).expect("a line of JSON");
        self.text().lines().map(line).collect()
    }

    /// The contents of all lines.
    pub(crate) fn content(&self) -> String {
        let lines = self.lines();
        lines.iter().filter_map(|line| line["message"]["content"].as_str()).collect()
    }

    pub(crate) fn error(&self) -> String {
        self.json()["error"].as_str().expect("a string").into()
    }
}

pub(crate) fn get(server: &MockOllama, path: &str) -> Response {
    Client::new(server).ask("GET", path, "")
}

pub(crate) fn post(server: &MockOllama, path: &str, body: &Value) -> Response {
    Client::new(server).ask("POST", path, &body.to_string())
}

/// Says "Why trams?" to llama3, with `more` in the body.
pub(crate) fn chat(server: &MockOllama, more: &Value) -> Response {
    post(server, "/api/chat", &chat_body(more))
}

pub(crate) fn chat_body(more: &Value) -> Value {
    let system = json!({ "role": "system", "content": "Be brief." });
    let user = json!({ "role": "user", "content": "Why trams?" });
    let mut body = json!({ "model": "llama3", "messages": [system, user] });
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    body
}
