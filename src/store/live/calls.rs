//! The calls of a debate in progress, with the text received so far, and texts that were received and not yet said.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::tail::LiveLine;

/// A call in progress.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct InFlight {
    /// The call's name.
    pub call: String,
    /// The attempt.
    pub attempt: u64,
    /// The participant asked.
    pub role: String,
    /// The model.
    pub model: String,
    /// Whether it is on a server; otherwise it is waiting for its turn.
    pub sent: bool,
    /// Whether its text is whole. The clerk may check it, or others may speak meanwhile.
    pub ended: bool,
    /// Characters of the statement that have arrived.
    pub to: u64,
    /// The text of these characters.
    pub text: String,
}

/// All calls in progress, by name.
#[derive(Debug, Clone, Default)]
pub struct CallsInFlight(BTreeMap<String, InFlight>);

impl CallsInFlight {
    /// Notes an event of the debate.
    pub fn take(&mut self, line: &LiveLine) {
        if let "statement" | "comment" = &*line.name {
            let by = line.content("by").and_then(Value::as_str);
            self.0.retain(|_, it| !it.ended || Some(&*it.role) != by);
        }
        let Some(call) = line.call() else { return };
        match line.name.as_str() {
            "call_start" => drop(self.0.insert(call.to_owned(), begun(call, line))),
            "call_end" => {
                self.on(call, |it| it.ended = true);
                let is_void = |name: &str| line.ends_in_vain() && name == call;
                self.0.retain(|name, it| !it.ended || !it.text.is_empty() && !is_void(name));
            }
            "call_sent" => self.on(call, |it| {
                (it.sent, it.to) = (true, 0);
                it.text.clear();
            }),
            "call_wait" => self.on(call, |it| it.sent = false),
            "statement_chunk" => self.on(call, |it| add(it, line)),
            _ => {}
        }
    }

    fn on(&mut self, call: &str, change: impl FnOnce(&mut InFlight)) {
        if let Some(found) = self.0.get_mut(call) {
            change(found);
        }
    }

    /// The calls, in order of their names.
    pub fn all(&self) -> impl Iterator<Item = &InFlight> {
        self.0.values()
    }
}

fn begun(call: &str, line: &LiveLine) -> InFlight {
    let text = |key: &str| line.metadata(key).and_then(Value::as_str);
    InFlight {
        call: call.to_owned(),
        attempt: line.metadata("attempt").and_then(Value::as_u64).unwrap_or(1),
        role: text("role").unwrap_or_default().to_owned(),
        model: text("model").unwrap_or_default().to_owned(),
        ..InFlight::default()
    }
}

/// Adds a piece that continues where the last one ended, so that a reader never sees a text with a gap.
fn add(it: &mut InFlight, line: &LiveLine) {
    let number = |key: &str| line.content(key).and_then(Value::as_u64);
    let text = line.content("text").and_then(Value::as_str);
    if let (Some(from), Some(to), Some(text)) = (number("from"), number("to"), text)
        && from == it.to
    {
        it.text.push_str(text);
        it.to = to;
    }
}
