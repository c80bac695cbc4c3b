//! An answer as the steps that put it on the wire.

use crate::answer::{Answer, Body, Fault, JSON, encode};
use crate::reply::Reply;
use crate::{Call, Gate, http};
use serde_json::{Value, json};

/// How the bytes of a stream are cut into HTTP chunks, whatever its lines and characters are.
#[derive(Clone, Debug)]
pub enum Split {
    /// One line each, as Ollama does.
    Lines,
    /// So many bytes each.
    Every(usize),
    /// At these offsets.
    At(Vec<usize>),
}

pub(crate) enum Step {
    Wait(Gate),
    Write(Vec<u8>),
    /// The write that completes a good answer.
    Complete(Vec<u8>),
    Close,
}

/// The body of a stream: its bytes, where it waits, how it ends.
struct Stream<'a> {
    bytes: Vec<u8>,
    waits: Vec<(usize, &'a Gate)>,
    fault: Option<&'a Fault>,
}

pub(crate) fn steps(answer: &Answer, call: &Call) -> Vec<Step> {
    let mut steps: Vec<Step> = answer.before.iter().cloned().map(Step::Wait).collect();
    match (&answer.body, &answer.fault) {
        (_, Some((0, Fault::Disconnect))) => steps.push(Step::Close),
        (
            Body::Raw {
                status,
                content_type,
                bytes,
            },
            _,
        ) => {
            steps.push(response(call, *status == 200, *status, content_type, bytes));
        }
        (_, Some((0, Fault::Error(message)))) => steps.push(failure(call, message)),
        _ if call.body["stream"] == false => steps.extend(unary(answer, call)),
        _ => steps.extend(chunked(&stream(answer, call), &answer.wire)),
    }
    steps
}

fn response(call: &Call, good: bool, status: u16, content_type: &str, body: &[u8]) -> Step {
    let length = format!("Content-Length: {}", body.len());
    let body = if call.method == "HEAD" { b"" } else { body };
    let step = if good { Step::Complete } else { Step::Write };
    step([&http::head(status, content_type, &length), body].concat())
}

fn failure(call: &Call, message: &str) -> Step {
    let body = encode(&json!({ "error": message }));
    response(call, false, 500, JSON, body.as_bytes())
}

fn unary(answer: &Answer, call: &Call) -> Vec<Step> {
    let reply = Reply::new(answer, call);
    let whole = |done| response(call, done, 200, JSON, encode(&reply.whole(done)).as_bytes());
    let gates = answer.gates.iter().map(|(_, gate)| gate.clone());
    let mut steps: Vec<Step> = gates.map(Step::Wait).collect();
    steps.push(match &answer.fault {
        None => whole(true),
        Some((_, Fault::CleanEnd)) => whole(false),
        Some((_, Fault::Error(message))) => failure(call, message),
        Some((_, Fault::Disconnect)) => Step::Close,
    });
    steps
}

fn stream<'a>(answer: &'a Answer, call: &Call) -> Stream<'a> {
    let reply = Reply::new(answer, call);
    let chunks = reply.chunks();
    let (stop, fault) = match &answer.fault {
        Some((k, fault)) => (chunks.len().min(*k), Some(fault)),
        None => (chunks.len(), None),
    };
    let (mut bytes, mut ends) = (Vec::new(), vec![0]);
    for chunk in &chunks[..stop] {
        bytes.extend(line(chunk));
        ends.push(bytes.len());
    }
    match fault {
        None => bytes.extend(line(&reply.last())),
        Some(Fault::Error(message)) => bytes.extend(line(&json!({ "error": message }))),
        Some(Fault::CleanEnd | Fault::Disconnect) => {}
    }
    let wait = |(k, gate): &'a (usize, Gate)| Some((*ends.get(chunks.len().min(*k))?, gate));
    let waits = answer.gates.iter().filter_map(wait).collect();
    Stream {
        bytes,
        waits,
        fault,
    }
}

fn line(value: &Value) -> Vec<u8> {
    (encode(value) + "\n").into_bytes()
}

fn chunked(stream: &Stream, split: &Split) -> Vec<Step> {
    let framing = "Transfer-Encoding: chunked";
    let mut steps = vec![Step::Write(http::head(
        200,
        "application/x-ndjson",
        framing,
    ))];
    let cuts = cuts(stream, split);
    for (i, &start) in cuts.iter().enumerate() {
        let here = stream.waits.iter().filter(|(at, _)| *at == start);
        steps.extend(here.map(|(_, gate)| Step::Wait((*gate).clone())));
        if let Some(&end) = cuts.get(i + 1) {
            let last = end == stream.bytes.len() && stream.fault.is_none();
            let step = if last { Step::Complete } else { Step::Write };
            steps.push(step(http::chunk(&stream.bytes[start..end])));
        }
    }
    steps.push(match stream.fault {
        Some(Fault::Disconnect) => Step::Close,
        _ => Step::Write(http::chunk(b"")),
    });
    steps
}

/// Where the bytes are cut, both ends included.
fn cuts(stream: &Stream, split: &Split) -> Vec<usize> {
    let length = stream.bytes.len();
    let mut cuts: Vec<usize> = match split {
        Split::Lines => (1..length)
            .filter(|at| stream.bytes[at - 1] == b'\n')
            .collect(),
        Split::Every(n) => (0..length).step_by((*n).max(1)).collect(),
        Split::At(offsets) => offsets.iter().copied().filter(|at| *at < length).collect(),
    };
    cuts.extend(stream.waits.iter().map(|(at, _)| *at));
    cuts.extend([0, length]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}
