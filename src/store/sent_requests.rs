//! The requests of a call: those stored when the debate was committed, or else rebuilt ones. Either way, each request is
//! checked against its digest in the journal.

use std::collections::BTreeMap;
use std::io::ErrorKind;

use super::layout::OutputDir;
use super::{replay, snapshot};
use crate::floor::Halt;
use crate::journal::{Entry, Header};
use crate::model::Request;
use crate::sent::{SentError, SentRequests};

/// The requests sent for a call.
#[derive(Debug, Default)]
pub struct Sent {
    /// The requests by attempt, only those that were sent exactly like this.
    pub requests: BTreeMap<u32, Request>,
    /// Why requests are missing, if any are.
    pub missing: Option<String>,
    /// What is wrong with the stored prompts, which is why the requests were rebuilt.
    pub finding: Option<String>,
}

/// Finds the requests sent for a call of a debate with the complete journal `past`.
pub async fn of_call(output: &OutputDir, header: &Header, past: &[Entry], call: &str) -> Sent {
    let finding = match stored(output, header, past, call) {
        Ok(Some(requests)) => return Sent { requests, ..Sent::default() },
        Ok(None) => None,
        // A retry may have stored its prompts before its journal is the finished one.
        Err(_) if output.running_journal(&header.id).exists() => None,
        Err(finding) => Some(finding),
    };
    let made = made_again(output, header, past, call).await;
    Sent { finding, ..made }
}

/// The stored requests of a call; `None` if the debate has no stored prompts.
fn stored(
    output: &OutputDir,
    header: &Header,
    past: &[Entry],
    call: &str,
) -> Result<Option<BTreeMap<u32, Request>>, String> {
    let path = output.prompts(&header.id);
    let sent = match SentRequests::read(&path, &header.id) {
        Err(SentError::File(e)) if e.source.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|e| e.to_string())?,
    };
    let at_path = |reason| format!("{}: {reason}", path.display());
    let requests = answered(&sent, past, call).map_err(at_path)?;
    let mut attempts =
        past.iter().filter(|entry| entry.call() == Some(call)).filter_map(Entry::attempt);
    match attempts.find(|attempt| !requests.contains_key(attempt)) {
        None => Ok(Some(requests)),
        Some(attempt) => {
            Err(at_path(format!("it lacks the request of {call} (attempt {attempt})")))
        }
    }
}

/// The requests of a call that are answered in the journal, by attempt.
fn answered(
    sent: &SentRequests,
    past: &[Entry],
    call: &str,
) -> Result<BTreeMap<u32, Request>, String> {
    let answers = past.iter().filter(|entry| entry.call() == Some(call));
    let digests: BTreeMap<_, _> = answers.map(|e| (e.attempt(), e.digest())).collect();
    let is_answered = |request: &Request| {
        let digest = digests.get(&Some(request.attempt));
        digest.is_some_and(|digest| *digest == Some(&request.digest()))
    };
    let requests = sent.of_call(call)?.into_iter().filter(is_answered);
    Ok(requests.map(|request| (request.attempt, request)).collect())
}

async fn made_again(output: &OutputDir, header: &Header, past: &[Entry], call: &str) -> Sent {
    let inputs = match snapshot::inputs(output, header) {
        Ok(inputs) => inputs,
        Err(error) => return nothing(error.to_string()),
    };
    let (sent, ended) = replay::requests(inputs, header.clone(), past.to_vec()).await;
    let missing = match ended {
        Ok(()) | Err(Halt::Changed(_)) => format!(
            "this build of rebut would send a different request from the one that ran the debate ({})",
            header.rebut
        ),
        Err(halt) => halt.to_string(),
    };
    match answered(&sent, past, call) {
        Ok(requests) => Sent { requests, ..nothing(missing) },
        Err(reason) => nothing(reason),
    }
}

fn nothing(reason: String) -> Sent {
    Sent { missing: Some(reason), ..Sent::default() }
}
