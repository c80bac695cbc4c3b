//! Messages that say which one they follow: the server takes each only after that one, so that of several writers one continues.

use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::{PublishMessage, StreamMessage};
use async_nats::jetstream::stream::{DirectGetError, DirectGetErrorKind, Stream};

use super::error::{FleetError, Result, refused};
use super::names::{KIND, NONCE};
use super::nats::Nats;
use crate::stop::Stop;

/// The pause before a message is sent again that the server may not have taken.
const PAUSE: Duration = Duration::from_millis(250);
/// How often it is sent again once the worker is to stop.
const LAST_TRIES: u32 = 3;

/// A message to be.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) subject: String,
    pub(super) kind: &'static str,
    /// Which attempt writes it: by this a writer knows its own message again whose acknowledgement was lost.
    pub(super) nonce: String,
    pub(super) payload: Vec<u8>,
    /// Other headers.
    pub(super) headers: Vec<(&'static str, String)>,
}

impl Record {
    /// One that says no more than its kind.
    pub(super) fn new(subject: String, kind: &'static str, nonce: String) -> Self {
        Self { subject, kind, nonce, payload: Vec::new(), headers: Vec::new() }
    }

    /// The same, in the place of all that stands under its subject.
    pub(super) fn in_place_of_all(self) -> Self {
        Self { headers: vec![("Nats-Rollup", "sub".to_owned())], ..self }
    }

    /// The message, to stand behind the one with the sequence `expected`.
    pub(super) fn message(&self, expected: u64) -> PublishMessage {
        let mut headers = HeaderMap::new();
        headers.insert(KIND, self.kind);
        headers.insert(NONCE, self.nonce.as_str());
        for (name, value) in &self.headers {
            headers.insert(*name, value.as_str());
        }
        PublishMessage::build()
            .headers(headers)
            .expected_last_subject_sequence(expected)
            .payload(self.payload.clone().into())
    }

    fn is(&self, there: &StreamMessage) -> bool {
        header(&there.headers, NONCE) == Some(&self.nonce)
            && header(&there.headers, KIND) == Some(self.kind)
            && there.payload == self.payload
    }

    /// Publishes it behind the message with the sequence `expected`, 0 for none, and returns its own sequence; `None` where
    /// another message is there. A server that is away is waited for, a little longer once `stop` asks to.
    ///
    /// # Errors
    /// [`FleetError::TooLong`] where sending it again would not help either.
    pub(super) async fn publish(
        &self,
        nats: &Nats,
        stream: &Stream,
        expected: u64,
        stop: Option<&Stop>,
    ) -> Result<Option<u64>> {
        let (found, most) = (self.payload.len(), nats.most_bytes());
        if found > most {
            return Err(FleetError::TooLong { found, most });
        }
        let mut tries = 0;
        let is_stopping = || stop.is_some_and(Stop::is_requested);
        loop {
            match self.publish_once(nats, stream, expected).await {
                Ok(done) => return Ok(done),
                Err(error) if is_stopping() && tries >= LAST_TRIES => return Err(error),
                Err(error) => nats.waits(&error),
            }
            tries += u32::from(is_stopping());
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn publish_once(
        &self,
        nats: &Nats,
        stream: &Stream,
        expected: u64,
    ) -> Result<Option<u64>> {
        let message = self.message(expected);
        let sent = nats.jetstream.send_publish(self.subject.clone(), message);
        let answered = match sent.await {
            Ok(answer) => answer.await,
            Err(error) => Err(error),
        };
        let error = match answered {
            Ok(ack) => return Ok(Some(ack.sequence)),
            Err(error) => error,
        };
        match error.kind() {
            PublishErrorKind::WrongLastSequence => self.own(stream).await,
            _ => Err(refused("take a message")(error)),
        }
    }

    /// The sequence of this message, if it stands last after all.
    async fn own(&self, stream: &Stream) -> Result<Option<u64>> {
        let last = last(stream, &self.subject).await?;
        Ok(last.filter(|it| self.is(it)).map(|it| it.sequence))
    }
}

/// The last message of a subject.
pub(super) async fn last(stream: &Stream, subject: &str) -> Result<Option<StreamMessage>> {
    found(stream.direct_get_last_for_subject(subject).await)
}

/// The first message of a subject with this sequence or a higher one.
pub(super) async fn next(
    stream: &Stream,
    subject: &str,
    from: u64,
) -> Result<Option<StreamMessage>> {
    found(stream.direct_get_next_for_subject(subject, Some(from)).await)
}

/// A message, if there is such a one.
fn found(message: Result<StreamMessage, DirectGetError>) -> Result<Option<StreamMessage>> {
    match message {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
        Err(error) => Err(refused("read a message")(error)),
    }
}

/// A header of a message.
pub(super) fn header<'m>(headers: &'m HeaderMap, name: &str) -> Option<&'m str> {
    headers.get(name).map(|value| value.as_str())
}
