//! One request as the server received it.

use crate::http::Request;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// Names a request.
pub(crate) type Name = Arc<dyn Fn(&Call) -> String + Send + Sync>;

/// How a test names requests.
#[derive(Clone, Default)]
pub(crate) struct Naming(pub(crate) Option<Name>);

impl fmt::Debug for Naming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Naming")
    }
}

/// One request, with what became of it so far.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Call {
    /// Place in the log, from 0.
    pub n: usize,
    /// `GET`, `HEAD`, `POST`, …
    pub method: String,
    /// The path asked for.
    pub path: String,
    /// Names and values as sent.
    pub headers: Vec<(String, String)>,
    /// The JSON body; null if there was none or it was not JSON.
    pub body: Value,
    /// How often this path was sent this very body, this call included.
    pub attempt_of_same_body: usize,
    /// A good answer was written in full: status 200 and, for a chat, its `done: true` line.
    /// Written is not received: a client killed at that moment may not have read it.
    pub completed: bool,
    /// The client went away before the answer's end.
    pub client_left: bool,
    /// Why the body cannot be used.
    pub(crate) bad_body: Option<String>,
    naming: Naming,
}

impl Call {
    pub(crate) fn new(
        n: usize,
        attempt_of_same_body: usize,
        request: Request,
        naming: Naming,
    ) -> Self {
        let (body, bad_body) = match serde_json::from_slice(&request.body) {
            Ok(body) => (body, None),
            Err(_) if request.body.is_empty() => (Value::Null, Some("missing request body".into())),
            Err(error) => (Value::Null, Some(error.to_string())),
        };
        Self {
            n,
            method: request.method,
            path: request.path,
            headers: request.headers,
            body,
            attempt_of_same_body,
            completed: false,
            client_left: false,
            bad_body,
            naming,
        }
    }

    /// What the test calls it (see [`MockOllama::name_calls`](crate::MockOllama::name_calls)); empty where it says nothing.
    pub fn name(&self) -> String {
        let name = self.naming.0.as_ref();
        name.map_or_else(String::new, |name| name(self))
    }

    /// The value of a header, its name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = |(key, _): &&(String, String)| key.eq_ignore_ascii_case(name);
        self.headers.iter().find(named).map(|(_, value)| &**value)
    }

    /// The model asked for, as the client wrote it.
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// The text of the last message.
    pub fn last_message(&self) -> &str {
        self.prompt().last().map_or("", |(_, text)| text)
    }

    /// The texts of all messages, a line break between them.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.prompt().iter().map(|(_, text)| *text).collect();
        texts.join("\n")
    }

    /// The text of the first message whose role is `system`.
    pub fn system(&self) -> &str {
        let system = self.prompt().into_iter().find(|(role, _)| *role == "system");
        system.map_or("", |(_, text)| text)
    }

    /// The schema in `format`.
    pub fn schema(&self) -> Option<&Value> {
        self.body.get("format").filter(|format| format.is_object())
    }

    /// A member of `options`.
    pub fn option(&self, name: &str) -> Option<&Value> {
        self.body["options"].get(name)
    }

    /// Whether this is a chat with messages, rather than a load or another request.
    pub fn is_chat(&self) -> bool {
        self.method == "POST" && self.path == "/api/chat" && !self.messages().is_empty()
    }

    /// Role and text of all messages.
    pub(crate) fn prompt(&self) -> Vec<(&str, &str)> {
        let message = |it| (text(it, "role"), text(it, "content"));
        self.messages().iter().map(message).collect()
    }

    fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
