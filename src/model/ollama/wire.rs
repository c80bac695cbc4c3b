//! Sending requests and receiving the beginnings of answers; the meaning of broken connections.

use std::io::ErrorKind;

use futures_util::StreamExt;
use reqwest::{RequestBuilder, Response};
use serde_json::Value;

use super::super::stall_tolerant::stall_tolerant_timeout;
use super::super::{CallError, Fault, Result};
use super::call_time::date;
use super::client::Ollama;
use super::deadlines::{Deadlines, went_silent};
use super::errors::{WITHOUT_TLS, classify, named_wait, redirect};
use super::stream::foreign;
use crate::machine;
use crate::text;

/// The longest answer that is read which is no stream of a reply, in bytes; an error needs far less.
pub(super) const MAX_ANSWER: usize = 8 << 20;
const MAX_ERROR: usize = 64 << 10;

/// An answer that takes no model gets so many times what a connection gets: a server with many models, or one whose disk
/// must wake up, may need long for it.
const ANSWER: u32 = 6;

impl Ollama {
    /// What the server says at this path.
    pub(super) async fn get(&self, path: &str) -> Result<Value> {
        self.json(self.client.get(self.host.url(path))).await
    }

    /// The JSON that answers a request for which no model is needed.
    pub(super) async fn json(&self, request: RequestBuilder) -> Result<Value> {
        let limit = self.limits.connect.saturating_mul(ANSWER);
        let answer = stall_tolerant_timeout(limit, self.json_in_time(request)).await;
        answer.unwrap_or_else(|| {
            let (host, seconds) = (&self.host, limit.as_secs_f64());
            let message = format!(
                "{host} did not answer within {seconds} s (raise --connect-timeout to allow more time)"
            );
            Err(CallError::new(Fault::Timeout, message))
        })
    }

    async fn json_in_time(&self, request: RequestBuilder) -> Result<Value> {
        let response = self.accepted(self.send(request).await?).await?;
        let body = read(response, MAX_ANSWER).await.map_err(|e| self.transport(&e))?;
        let mut answer = serde_json::from_slice(&body).map_err(|_| self.not_ollama())?;
        self.secret.hide_in(&mut answer);
        Ok(answer)
    }

    /// Asks something of a model, and waits for the beginning of what can be its answer.
    pub(super) async fn post(
        &self,
        path: &str,
        body: &Value,
        deadlines: &mut Deadlines<'_>,
    ) -> Result<Response> {
        let post = with_json(self.client.post(self.host.url(path)), body);
        let response = deadlines.first(self.send(post)).await??;
        let response = self.accepted(response).await?;
        if is_web_page(&response) {
            let page = self.in_time(read(response, MAX_ERROR)).await?;
            return Err(foreign(&page, &self.secret));
        }
        Ok(response)
    }

    /// Sends a request. A connection that was kept open may be one that the server is just closing, or has closed without
    /// a word: then the request goes out once more at once, over a new one. Where that finds nobody, the first failure
    /// counts: what was asked may be what brought the server down.
    async fn send(&self, request: RequestBuilder) -> Result<Response> {
        let (client, request) = request.build_split();
        let request = request.map_err(|e| self.transport(&e))?;
        let again = request.try_clone();
        let error = match client.execute(request).await {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        let Some(again) = again.filter(|_| is_unanswered(&error)) else {
            return Err(self.transport(&error));
        };
        let second = self.prober.execute(again).await;
        second.map_err(|second| {
            let nobody = second.is_connect() && !machine::is_short(&second);
            self.transport(if nobody { &error } else { &second })
        })
    }

    /// An answer whose status is 200, or what it means that it is not.
    async fn accepted(&self, response: Response) -> Result<Response> {
        let status = response.status().as_u16();
        if status == 200 {
            return Ok(response);
        }
        let url = response.url().to_string();
        let target = response.headers().get(reqwest::header::LOCATION);
        if let Some(target) = target.filter(|_| response.status().is_redirection()) {
            let target = String::from_utf8_lossy(target.as_bytes());
            return Err(redirect(status, &target, &self.secret));
        }
        let wait = named_wait(response.headers(), date);
        let body = self.in_time(read(response, MAX_ERROR)).await?;
        let error = classify(status, &url, &body, &self.secret);
        Err(CallError { wait: wait.filter(|_| error.fault == Fault::Busy), ..error })
    }

    /// The body of an answer, within the limit on silence.
    pub(super) async fn in_time(
        &self,
        body: impl Future<Output = Result<Vec<u8>, reqwest::Error>>,
    ) -> Result<Vec<u8>> {
        let body = stall_tolerant_timeout(self.limits.idle, body)
            .await
            .ok_or_else(|| went_silent(self.limits.idle))?;
        body.map_err(|e| self.transport(&e))
    }

    pub(super) fn not_ollama(&self) -> CallError {
        CallError::new(
            Fault::ForeignServer,
            format!("{} answers, but not as an Ollama server does", self.host),
        )
    }

    fn transport(&self, error: &reqwest::Error) -> CallError {
        let (host, cause) = (&self.host, innermost(error));
        let (fault, message) = if machine::is_short(error) {
            (Fault::OutOfFiles, format!("cannot connect to {host}: {cause}"))
        } else if error.is_connect() && error.is_timeout() {
            let seconds = self.limits.connect.as_secs_f64();
            let message = format!("no connection to {host} within {seconds} s (--connect-timeout)");
            (Fault::NoConnection, message)
        } else if error.is_connect() && NO_TLS.iter().any(|end| cause.ends_with(end)) {
            (Fault::NoConnection, format!("{host} {WITHOUT_TLS}"))
        } else if error.is_connect() {
            (Fault::NoConnection, format!("no connection to {host}: {cause}"))
        } else {
            (Fault::BrokenStream, format!("the connection to {host} broke: {cause}"))
        };
        CallError::new(fault, message)
    }

    pub(super) fn broke_off(&self, said: usize, error: &reqwest::Error) -> CallError {
        let (host, cause) = (&self.host, innermost(error));
        let said = text::count(said as u64, "character");
        CallError::new(
            Fault::BrokenStream,
            format!("the connection to {host} broke after {said}: {cause}"),
        )
    }
}

/// Whether a request may have gone out over a connection that was closed: it was not for lack of a new one.
fn is_unanswered(error: &reqwest::Error) -> bool {
    error.is_request() && !error.is_connect() && !error.is_timeout() && !machine::is_short(error)
}

pub(super) fn with_json(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request.header(reqwest::header::CONTENT_TYPE, "application/json").body(body.to_string())
}

fn is_web_page(response: &Response) -> bool {
    let content_type = response.headers().get(reqwest::header::CONTENT_TYPE);
    content_type.is_some_and(|it| it.as_bytes().starts_with(b"text/html"))
}

/// The body of an answer, as far as `most` bytes.
pub(super) async fn read(response: Response, most: usize) -> Result<Vec<u8>, reqwest::Error> {
    let mut parts = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(part) = parts.next().await {
        let part = part?;
        let room = most - body.len();
        body.extend_from_slice(&part[..part.len().min(room)]);
        if body.len() == most {
            break;
        }
    }
    Ok(body)
}

/// What the operating system says differently on each, and with a number.
const PLAIN: [ErrorKind; 7] = [
    ErrorKind::ConnectionRefused,
    ErrorKind::ConnectionReset,
    ErrorKind::ConnectionAborted,
    ErrorKind::BrokenPipe,
    ErrorKind::HostUnreachable,
    ErrorKind::NetworkUnreachable,
    ErrorKind::TimedOut,
];

/// What the HTTP client says of a connection that a server closed too early.
const CLOSED: &str = "connection closed";
/// The ends of what the TLS library says of an answer that is none of TLS, or of none at all.
const NO_TLS: [&str; 2] = ["InvalidContentType", "tls handshake eof"];

/// The last cause in a chain of errors: what the operating system said, in plain words where it has some.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let kind = machine::io_causes(error).last().map(std::io::Error::kind);
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let said = cause.to_string();
    match kind.filter(|kind| PLAIN.contains(kind)) {
        Some(kind) => kind.to_string(),
        None if said.starts_with(CLOSED) || kind == Some(ErrorKind::UnexpectedEof) => {
            "the server closed it".to_owned()
        }
        None => said,
    }
}
