//! Assembling a streamed reply: NDJSON that may be split anywhere, and the signs of a complete reply.

use serde::Deserialize;
use serde_json::Value;

use super::super::{
    CallError, Chunk, DoneReason, Durations, Fault, OnChunk, Reply, Result, Tokens,
};
use super::errors::{classify_midstream, message_of};
use super::secret::{Secret, Veil};
use crate::job::models::model_name::may_be_same_model;
use crate::text::{self, CHARS_PER_TOKEN};

/// The longest line that is read, in bytes: as long as Ollama's own client reads.
const MAX_LINE: usize = 8 << 20;

/// The longest reply that is read, in bytes of text, however few its parts: no model that heeds `num_predict` comes near it.
const MAX_TEXT: usize = 8 << 20;

/// What is read of a line. Any value will do for a field: one that is of another kind than it should be counts as absent.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Part {
    error: Option<Value>,
    model: Value,
    message: Option<Message>,
    done: Value,
    done_reason: Value,
    prompt_eval_count: Value,
    eval_count: Value,
    total_duration: Value,
    load_duration: Value,
    prompt_eval_duration: Value,
    eval_duration: Value,
}

impl Part {
    /// The times of the final chunk. Only the total includes the wait for a slot; it tells nothing without its parts.
    fn durations(&self) -> Durations {
        let load = metric(&self.load_duration);
        let prompt = metric(&self.prompt_eval_duration);
        let reply = metric(&self.eval_duration);
        let told = load.saturating_add(prompt).saturating_add(reply);
        let total = metric(&self.total_duration);
        Durations {
            load,
            queue: (total > 0 && reply > 0).then(|| total.saturating_sub(told)),
            prompt,
            reply,
            ..Durations::default()
        }
    }
}

fn metric(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Message {
    thinking: Value,
    content: Value,
    tool_calls: Value,
}

/// A reply in the making.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    secret: Secret,
    line: Vec<u8>,
    text: String,
    thinking: String,
    /// Whether the model called a tool, although it was given none.
    calls_tool: bool,
    saying: Veil,
    thought: Veil,
    /// Lines that said or thought something.
    pub(super) parts: u64,
    characters: u64,
    /// The model that was asked.
    model: String,
    /// Tokens that were asked for.
    asked: u64,
    /// More tokens than these are more than was asked for.
    most: u64,
}

impl Assembly {
    /// A reply that was asked of this model with this `num_predict`. Our count of tokens is not the server's: it may be a
    /// quarter larger, and a few.
    pub(super) fn new(model: &str, num_predict: u32, secret: &Secret) -> Self {
        let asked = u64::from(num_predict);
        Self {
            model: model.to_owned(),
            secret: secret.clone(),
            saying: Veil::new(secret),
            thought: Veil::new(secret),
            asked,
            most: asked + asked / 4 + 32,
            ..Self::default()
        }
    }

    /// Tokens so far. Ollama sends at most one line a token; another server may send letters, so text counts too.
    pub(super) fn tokens(&self) -> u64 {
        let by_text = (self.characters as f64 / CHARS_PER_TOKEN).ceil() as u64;
        self.parts.min(by_text)
    }

    /// Characters said so far.
    pub(super) fn said(&self) -> usize {
        self.text.chars().count()
    }

    /// Takes bytes as they come; `Some` when the final chunk has arrived, or more than may come.
    pub(super) fn push(&mut self, bytes: &[u8], on_chunk: OnChunk<'_>) -> Result<Option<Reply>> {
        for part in bytes.split_inclusive(|&b| b == b'\n') {
            if self.line.len() + part.len() > MAX_LINE {
                return Err(broken("the server sent a line of over 8 MB".to_owned()));
            }
            let is_whole = part.ends_with(b"\n");
            let reply = if is_whole && self.line.is_empty() {
                // Most lines come whole, and need no copy.
                self.take_line(part, on_chunk)?
            } else {
                self.line.extend_from_slice(part);
                let line = is_whole.then(|| std::mem::take(&mut self.line));
                line.map_or(Ok(None), |line| self.take_line(&line, on_chunk))?
            };
            if reply.is_some() {
                return Ok(reply);
            }
        }
        Ok(None)
    }

    /// The stream has ended: a last line without its end may still be the final chunk.
    pub(super) fn finish(mut self) -> Result<Reply> {
        let said = text::count(self.said() as u64, "character");
        let line = std::mem::take(&mut self.line);
        match self.take_line(&line, &|_| {}) {
            Ok(Some(reply)) => Ok(reply),
            // A line without its end that cannot be read was cut off.
            Err(error) if error.fault != Fault::BrokenStream => Err(error),
            Ok(None) | Err(_) => {
                Err(broken(format!("the reply ended after {said} without its final chunk")))
            }
        }
    }

    fn take_line(&mut self, line: &[u8], on_chunk: OnChunk<'_>) -> Result<Option<Reply>> {
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let part = serde_json::from_slice::<Part>(line)
            .map_err(|error| unreadable(line, &error, &self.secret))?;
        if let Some(error) = &part.error {
            let message = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
            return Err(classify_midstream(&message, &self.secret));
        }
        let is_last = part.done == true;
        // The final chunk has nothing more to say.
        if part.message.is_none() && !is_last {
            return Err(foreign(line, &self.secret));
        }
        let message = part.message.as_ref();
        let thought = message.and_then(|it| it.thinking.as_str());
        let said = message.and_then(|it| it.content.as_str());
        let (thought, said) = (thought.unwrap_or_default(), said.unwrap_or_default());
        self.calls_tool |= message.is_some_and(|it| it.tool_calls.get(0).is_some());
        self.add(thought, said, on_chunk);
        if self.text.len() + self.thinking.len() > MAX_TEXT {
            return Err(broken("the reply did not end within 8 MB".to_owned()));
        }
        if is_last {
            let done_reason = self.done_reason(&part)?;
            // Metrics that are zero are omitted by the server.
            let tokens =
                Tokens { prompt: metric(&part.prompt_eval_count), reply: metric(&part.eval_count) };
            let mut reply = self.ended(done_reason, tokens, part.durations(), on_chunk);
            if self.is_cut(&reply) {
                reply.done_reason = DoneReason::Length;
            }
            reply.by_other = self.other_than_asked(&part);
            return Ok(Some(reply));
        }
        let is_over = self.tokens() > self.most;
        Ok(is_over.then(|| self.overrun(on_chunk)))
    }

    fn add(&mut self, thought: &str, said: &str, on_chunk: OnChunk<'_>) {
        self.parts += u64::from(!thought.is_empty() || !said.is_empty());
        self.characters += (thought.chars().count() + said.chars().count()) as u64;
        let (thought, said) = (self.thought.pass(thought), self.saying.pass(said));
        self.show(&thought, &said, on_chunk);
    }

    fn show(&mut self, thought: &str, said: &str, on_chunk: OnChunk<'_>) {
        if !thought.is_empty() {
            self.thinking.push_str(thought);
            on_chunk(Chunk::Thought(thought));
        }
        if !said.is_empty() {
            self.text.push_str(said);
            on_chunk(Chunk::Said(said));
        }
    }

    /// A reply that does not end where it was told to: as much as has come, with our own count of its tokens. It was asked
    /// for with that limit, so it is what a server that heeds it would have sent, and a little more.
    fn overrun(&mut self, on_chunk: OnChunk<'_>) -> Reply {
        let tokens = Tokens { prompt: 0, reply: self.tokens() };
        self.ended(DoneReason::Overrun, tokens, Durations::default(), on_chunk)
    }

    fn ended(
        &mut self,
        done_reason: DoneReason,
        tokens: Tokens,
        ns: Durations,
        on_chunk: OnChunk<'_>,
    ) -> Reply {
        let (thought, said) = (self.thought.rest(), self.saying.rest());
        self.show(&thought, &said, on_chunk);
        let thinking = std::mem::take(&mut self.thinking);
        Reply {
            text: std::mem::take(&mut self.text),
            thinking: (!thinking.is_empty()).then_some(thinking),
            done_reason,
            tokens,
            ns,
            by_other: None,
            calls_tool: self.calls_tool,
        }
    }

    /// The model that replied, as the last line has it, if it is not the one that was asked.
    fn other_than_asked(&self, last: &Part) -> Option<String> {
        let named = last.model.as_str().filter(|name| !name.trim().is_empty())?;
        let is_it = may_be_same_model(&self.model, named);
        (!is_it).then(|| text::shorten(&text::one_line(&self.secret.hide(named)), 100))
    }

    /// Whether a reply ended at its limit in the middle of a sentence, although the server reports no limit: not all servers
    /// report it. A count beyond what can be is no count.
    fn is_cut(&self, reply: &Reply) -> bool {
        let at_limit = (self.asked..=self.most).contains(&reply.tokens.reply);
        at_limit && reply.done_reason == DoneReason::Stop && !text::ends_whole(&reply.text)
    }

    /// Why the model stopped. `load` and `unload` are reasons too, but of requests that ask for no reply.
    fn done_reason(&self, last: &Part) -> Result<DoneReason> {
        match last.done_reason.as_str() {
            Some("stop") | None => Ok(DoneReason::Stop),
            Some("length") => Ok(DoneReason::Length),
            Some(other) => Err(broken(format!(
                "the server ended the reply for the unknown reason `{}`",
                crate::text::shorten(&self.secret.hide(other), 40)
            ))),
        }
    }
}

/// Why a line cannot be read. Broken characters are named, since they may come after what is shown of the line.
fn unreadable(line: &[u8], error: &serde_json::Error, secret: &Secret) -> CallError {
    // The library tells halves of characters apart only in words.
    let is_half = error.to_string().contains("hex escape");
    match std::str::from_utf8(line) {
        Err(_) => broken("the server sent invalid UTF-8 in the reply".to_owned()),
        Ok(_) if is_half => broken("the server sent half a character in the reply".to_owned()),
        Ok(_) => foreign(line, secret),
    }
}

/// Something else than a reply, with the status of one.
pub(super) fn foreign(sent: &[u8], secret: &Secret) -> CallError {
    let sent = crate::text::shorten(&message_of(sent, secret), 80);
    broken(format!("the server sent something other than a reply: {sent}"))
}

fn broken(message: String) -> CallError {
    CallError::new(Fault::BrokenStream, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = concat!(
        r#"{"message":{"role":"assistant","content":"","thinking":"hm"},"done":false}"#,
        "\n",
        r#"{"message":{"role":"assistant","content":"Gr\u00fc\u00dfe, "},"done":false}"#,
        "\n\n",
        r#"{"message":{"role":"assistant","content":"Wélt 🌍"},"done":false}"#,
        "\n",
        r#"{"message":{"role":"assistant","content":"!"},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":4,"eval_duration":7}"#,
        "\n",
    );

    fn fed(parts: &[&[u8]]) -> Result<Reply> {
        let mut assembly = Assembly::new("m", 100, &Secret::default());
        for part in parts {
            if let Some(reply) = assembly.push(part, &|_| {})? {
                return Ok(reply);
            }
        }
        assembly.finish()
    }

    #[test]
    fn b1_the_wait_for_a_slot_is_what_the_total_has_more_than_its_parts() {
        let last = |times: &str| {
            let line = format!("{{\"message\":{{\"content\":\"Yes.\"}},\"done\":true{times}}}\n");
            fed(&[line.as_bytes()]).unwrap().ns.queue
        };
        let parts = r#","load_duration":10,"prompt_eval_duration":20,"eval_duration":30"#;
        assert_eq!(last(&format!("{parts},\"total_duration\":100")), Some(40));
        assert_eq!(last(&format!("{parts},\"total_duration\":59")), Some(0));
        assert_eq!(last(parts), None, "the server does not say");
        assert_eq!(last(",\"total_duration\":100"), None);
    }

    #[test]
    fn c2_a_reply_says_which_model_gave_it_if_it_is_not_the_one_asked() {
        let by = |named: &str| {
            let line = format!(
                "{{\"model\":\"{named}\",\"message\":{{\"content\":\"Yes.\"}},\"done\":true}}\n"
            );
            fed(&[line.as_bytes()]).unwrap().by_other
        };
        assert_eq!(by("gpt-4o-mini").as_deref(), Some("gpt-4o-mini"));
        assert_eq!((by("M:latest"), by(""), by("hub/m")), (None, None, None));
    }

    #[test]
    fn m1_a_stream_split_anywhere_gives_the_same_reply() {
        let whole = fed(&[STREAM.as_bytes()]).unwrap();
        assert_eq!(
            (whole.text.as_str(), whole.thinking.as_deref()),
            ("Grüße, Wélt 🌍!", Some("hm"))
        );
        assert_eq!((whole.tokens.prompt, whole.tokens.reply, whole.ns.load), (9, 4, 0));
        for at in 0..=STREAM.len() {
            let (a, b) = STREAM.as_bytes().split_at(at);
            assert_eq!(fed(&[a, b]).unwrap(), whole, "{at}");
        }
        assert_eq!(fed(&STREAM.as_bytes().chunks(1).collect::<Vec<_>>()).unwrap(), whole);
    }

    #[test]
    fn a1_a_reply_at_its_limit_is_cut_whatever_the_server_says() {
        let why = |said: &str, count: u64, reason: &str| {
            let line = serde_json::json!({"message": {"content": said}, "done": true, "eval_count": count}).to_string()
                .replace("\"done\"", &format!("{reason}\"done\""));
            fed(&[line.as_bytes(), b"\n"]).unwrap().done_reason
        };
        for reason in ["", "\"done_reason\":\"stop\",", "\"done_reason\":null,"] {
            assert_eq!(why("Because no.and therefore the", 100, reason), DoneReason::Length);
            assert_eq!(why("", 100, reason), DoneReason::Length);
            for whole in ["Because.", "He said \"no!\"", "{\"vote\": 1}", "```json\n{}\n```\n"] {
                assert_eq!(why(whole, 100, reason), DoneReason::Stop, "{whole}");
            }
            for count in [0, 99, 158, u64::MAX] {
                assert_eq!(why("Because the", count, reason), DoneReason::Stop, "{count}");
            }
        }
    }

    #[test]
    fn m2_a_final_chunk_without_a_message_ends_the_reply() {
        let said = b"{\"message\":{\"content\":\"Yes.\"},\"done\":false}\n";
        let reply =
            fed(&[said, b"{\"done\":true,\"done_reason\":\"stop\",\"eval_count\":3}\n"]).unwrap();
        assert_eq!((reply.text.as_str(), reply.tokens.reply), ("Yes.", 3));
        let error = fed(&[said, b"{\"done\":false}\n"]).unwrap_err();
        assert_eq!(error.fault, Fault::BrokenStream);
    }

    #[test]
    fn m2_a_stream_without_its_final_chunk_is_a_failure() {
        let until_last = STREAM.rfind("{\"message").unwrap();
        for end in [0, 10, until_last] {
            assert_eq!(
                fed(&[&STREAM.as_bytes()[..end]]).unwrap_err().fault,
                Fault::BrokenStream,
                "{end}"
            );
        }
    }

    #[test]
    fn m2_broken_characters_are_named() {
        let told = |said: &[u8]| {
            let line = [b"{\"message\":{\"content\":\"", said, b"\"},\"done\":false}\n"];
            let error = fed(&[&line.concat()]).unwrap_err();
            assert_eq!(error.fault, Fault::BrokenStream);
            error.message
        };
        assert_eq!(told(b"a\xff"), "the server sent invalid UTF-8 in the reply");
        for half in ["\\ud83e", "a\\udd9c", "\\ud83e."] {
            let half = told(half.as_bytes());
            assert_eq!(half, "the server sent half a character in the reply");
        }
    }

    #[test]
    fn m2_an_error_in_mid_stream_is_a_failure() {
        let error = fed(&[
            b"{\"message\":{\"content\":\"a\"},\"done\":false}\n{\"error\":\"unexpected EOF\"}\n",
        ])
        .unwrap_err();
        assert_eq!(
            (error.fault, error.message.as_str()),
            (Fault::ServerError, "the reply broke off: unexpected EOF")
        );
    }
}
