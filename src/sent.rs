//! The requests sent to models: stored with a debate's journal when it is committed.
//!
//! Prompts repeat earlier statements. A paragraph is stored once, however many prompts show it, so that a debate's requests
//! take little more space than its statements. The file is JSON Lines, compressed with gzip. It needs no checksums of its
//! own: the journal has the digest of every request.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, BufWriter, IntoInnerError, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::files::{self, FileError};
use crate::id::DebateId;
use crate::model::{Message, Request, Role};

/// The version of the file's format.
const VERSION: u32 = 1;
/// Bytes that a file may unpack to, and that the requests of one call may have: far more than any debate says.
const MOST: usize = 32 << 20;
/// Bytes that are compressed at a time.
const PIECE: usize = 64 << 10;

/// The requests of one debate.
#[derive(Debug, Default)]
pub struct SentRequests {
    /// Paragraphs and schemas in the order in which they were first sent.
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    requests: Vec<SentRequest>,
}

/// A request with numbers in place of texts.
#[derive(Debug, Serialize, Deserialize)]
struct SentRequest {
    /// Without its texts.
    #[serde(flatten)]
    request: Request,
    schema: Option<u32>,
    messages: Vec<(Role, Vec<u32>)>,
}

/// A line of the file. The texts are before the requests.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line<R> {
    /// The first line: which debate this is.
    Debate {
        prompts: u32,
        id: DebateId,
    },
    Text(Arc<str>),
    Request(R),
}

/// Stored prompts that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SentError {
    /// The file system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// What the file holds was not written like this.
    #[error("{}: the stored prompts are damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl SentRequests {
    /// Notes a request.
    pub fn add(&mut self, request: &Request) {
        let Request { messages, schema, .. } = request;
        let sent = SentRequest {
            schema: schema.as_ref().map(|schema| self.number_of(&schema.to_string())),
            messages: messages.iter().map(|m| self.folded(m)).collect(),
            request: Request { messages: Vec::new(), schema: None, ..request.clone() },
        };
        self.requests.push(sent);
    }

    fn folded(&mut self, message: &Message) -> (Role, Vec<u32>) {
        let paragraphs = message.content.split_inclusive("\n\n");
        (message.role, paragraphs.map(|text| self.number_of(text)).collect())
    }

    fn number_of(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let (text, number) = (Arc::<str>::from(text), self.texts.len() as u32);
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    /// Writes all of them, compressed.
    pub fn write(&self, id: &DebateId, to: &mut dyn Write) -> io::Result<()> {
        // A piece at a time would cost the compressor more than the pieces.
        let mut gz = BufWriter::with_capacity(PIECE, GzEncoder::new(to, Compression::default()));
        let head = Line::Debate { prompts: VERSION, id: id.clone() };
        let texts = self.texts.iter().map(|text| Line::Text(Arc::clone(text)));
        let requests = self.requests.iter().map(Line::Request);
        for line in std::iter::once(head).chain(texts).chain(requests) {
            serde_json::to_writer(&mut gz, &line)?;
            gz.write_all(b"\n")?;
        }
        let gz = gz.into_inner().map_err(IntoInnerError::into_error)?;
        gz.finish().map(|_| ())
    }

    /// Reads the file of a debate. A hostile one takes no more memory than an honest one may.
    pub fn read(path: &Path, id: &DebateId) -> Result<Self, SentError> {
        unpacked(files::open_own(path)?, id)
            .map_err(|e| SentError::Damaged { path: path.to_path_buf(), reason: e.to_string() })
    }

    /// The requests of a call, attempt by attempt.
    ///
    /// # Errors
    /// What is wrong with them, if they were not made by [`SentRequests::add`].
    pub fn of_call(&self, call: &str) -> Result<Vec<Request>, String> {
        let mut room = MOST;
        let of_it = self.requests.iter().filter(|sent| sent.request.call == call);
        of_it.map(|sent| self.whole(sent, &mut room)).collect()
    }

    fn whole(&self, sent: &SentRequest, room: &mut usize) -> Result<Request, String> {
        let mut messages = Vec::new();
        for (role, numbers) in &sent.messages {
            let (role, content) = (*role, self.unfolded(numbers, room)?);
            messages.push(Message { role, content });
        }
        let schema = sent
            .schema
            .map(|number| self.unfolded(&[number], room))
            .transpose()?
            .map(|text| serde_json::from_str(&text));
        let schema = schema.transpose().map_err(|e| e.to_string())?;
        Ok(Request { messages, schema, ..sent.request.clone() })
    }

    /// Texts by their numbers, as long as there is room.
    fn unfolded(&self, numbers: &[u32], room: &mut usize) -> Result<String, String> {
        let mut whole = String::new();
        for number in numbers {
            let text = self
                .texts
                .get(*number as usize)
                .ok_or_else(|| format!("there is no text {number}"))?;
            *room = room.checked_sub(text.len()).ok_or_else(too_much)?;
            whole.push_str(text);
        }
        Ok(whole)
    }

    /// Notes a line of a debate's file.
    fn take(&mut self, line: &str, debate: &DebateId) -> io::Result<()> {
        match serde_json::from_str(line)? {
            Line::Debate { prompts, .. } if prompts != VERSION => {
                let reason =
                    format!("they have version {prompts}, but this program reads {VERSION}");
                return Err(io::Error::other(reason));
            }
            Line::Debate { id, .. } if id != *debate => {
                return Err(io::Error::other("they are another debate's"));
            }
            Line::Debate { .. } => {}
            Line::Text(text) => self.texts.push(text),
            Line::Request(request) => self.requests.push(request),
        }
        Ok(())
    }
}

fn too_much() -> String {
    format!("they take more than {} MB", MOST >> 20)
}

fn unpacked(file: impl Read, id: &DebateId) -> io::Result<SentRequests> {
    let mut lines = BufReader::new(GzDecoder::new(file).take(MOST as u64));
    let (mut sent, mut line) = (SentRequests::default(), String::new());
    let mut read = 0;
    loop {
        line.clear();
        read += lines.read_line(&mut line)?;
        if read >= MOST {
            return Err(io::Error::other(too_much()));
        }
        if line.is_empty() {
            return Ok(sent);
        }
        sent.take(&line, id)?;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn id() -> DebateId {
        DebateId::from_identity(&json!("a"))
    }

    fn stored(sent: &SentRequests) -> Vec<u8> {
        let mut bytes = Vec::new();
        sent.write(&id(), &mut bytes).unwrap();
        bytes
    }

    fn request(contents: Vec<String>) -> Request {
        let message = |content| Message { role: Role::User, content };
        Request {
            call: "round-1/clerk".to_owned(),
            messages: contents.into_iter().map(message).collect(),
            temperature: 0.1 + 0.2,
            schema: Some(json!({"b": 1, "a": [0.5, null]})),
            options: [("top_p".to_owned(), json!(0.9))].into(),
            ..Request::default()
        }
    }

    proptest! {
        #[test]
        fn a9_requests_come_back_as_they_were_sent(
            sent in proptest::collection::vec(
                proptest::collection::vec("([a-c]|\\PC|\n|\r\n|\u{0}){0,12}", 0..4),
                0..6,
            ),
        ) {
            let requests: Vec<Request> = sent.into_iter().map(request).collect();
            let mut all = SentRequests::default();
            requests.iter().for_each(|request| all.add(request));
            let read = unpacked(&*stored(&all), &id()).unwrap();
            prop_assert_eq!(&read.of_call("round-1/clerk").unwrap(), &requests);
            prop_assert_eq!(read.of_call("round-2/clerk").unwrap(), vec![]);
        }
    }

    #[test]
    fn a9_a_paragraph_stands_once_however_many_prompts_show_it() {
        let record: Vec<String> = (0..100).map(|n| format!("Statement {n}.\n\n")).collect();
        let mut all = SentRequests::default();
        for length in 0..100 {
            all.add(&request(vec![record[..length].concat()]));
        }
        // And the schema.
        assert_eq!(all.texts.len(), 100);
    }

    #[test]
    fn a9_requests_that_repeat_a_text_without_end_are_refused() {
        let mut all = SentRequests::default();
        let text = "x".repeat(MOST / 10);
        for _ in 0..11 {
            all.add(&request(vec![text.clone()]));
        }
        let refused = all.of_call("round-1/clerk").unwrap_err();
        assert_eq!(refused, "they take more than 32 MB");
    }

    #[test]
    fn a9_another_debates_prompts_are_refused() {
        let bytes = stored(&SentRequests::default());
        let other = DebateId::from_identity(&json!("b"));
        let refused = unpacked(&*bytes, &other).unwrap_err();
        assert_eq!(refused.to_string(), "they are another debate's");
    }
}
