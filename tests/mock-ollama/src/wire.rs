//! An answer as the steps that put it on the wire.

use crate::answer::{Answer, Body, Fault, JSON, encode};
use crate::reply::{Draft, Reply, Timing};
use crate::{Call, Gate, http};
use serde_json::{Value, json};
use std::time::Duration;

const NDJSON: &str = "application/x-ndjson";
const CHUNKED: &str = "Transfer-Encoding: chunked";

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
    /// Until this machine time.
    Until(u64),
    Write(Vec<u8>),
    /// The write that completes a good answer.
    Complete(Vec<u8>),
    /// The same write again and again, with a pause after each.
    Repeat(Vec<u8>, Duration),
    Close,
}

/// The body of a stream: its bytes, where it waits, how it ends.
struct Stream<'a> {
    bytes: Vec<u8>,
    waits: Vec<(usize, Step)>,
    fault: Option<&'a Fault>,
}

pub(crate) fn steps(answer: &Answer, call: &Call, draft: Draft, timing: Timing) -> Vec<Step> {
    let reply = Reply::new(answer, call, draft, timing);
    let steps = single_steps(answer, call, &reply);
    if answer.one_write { steps.into_iter().fold(Vec::new(), joined) } else { steps }
}

/// Adds `step` to `steps`, if it writes to the write before it.
fn joined(mut steps: Vec<Step>, step: Step) -> Vec<Step> {
    match (steps.last_mut(), step) {
        (Some(Step::Write(all) | Step::Complete(all)), Step::Write(bytes)) => all.extend(bytes),
        (Some(Step::Write(all)), Step::Complete(bytes)) => {
            all.extend(bytes);
            let all = std::mem::take(all);
            steps.pop();
            steps.push(Step::Complete(all));
        }
        (_, step) => steps.push(step),
    }
    steps
}

fn single_steps(answer: &Answer, call: &Call, reply: &Reply) -> Vec<Step> {
    let mut steps: Vec<Step> = answer.before.iter().cloned().map(Step::Wait).collect();
    match (&answer.body, &answer.fault) {
        (_, Some((0, Fault::Disconnect))) => steps.push(Step::Close),
        (Body::Raw { status, content_type, bytes }, _) => {
            steps.push(response(call, *status == 200, *status, content_type, bytes));
        }
        (Body::Endless { line, pause }, _) => {
            steps.push(Step::Write(http::head(200, NDJSON, CHUNKED)));
            steps.push(Step::Repeat(http::chunk(line), *pause));
        }
        (_, Some((0, Fault::Error(message)))) => steps.push(failure(call, message)),
        _ if call.body["stream"] == false => steps.extend(unary(answer, call, reply)),
        _ => steps.extend(chunked(stream(answer, reply), &answer.wire)),
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

fn unary(answer: &Answer, call: &Call, reply: &Reply) -> Vec<Step> {
    let whole = |done| response(call, done, 200, JSON, encode(&reply.whole(done)).as_bytes());
    let gates = answer.gates.iter().map(|(_, gate)| gate.clone());
    let mut steps: Vec<Step> = gates.map(Step::Wait).collect();
    steps.push(Step::Until(reply.end()));
    steps.push(match &answer.fault {
        None => whole(true),
        Some((_, Fault::CleanEnd)) => whole(false),
        Some((_, Fault::Error(message))) => failure(call, message),
        Some((_, Fault::Disconnect)) => Step::Close,
    });
    steps
}

fn stream<'a>(answer: &'a Answer, reply: &Reply) -> Stream<'a> {
    let chunks = reply.chunks();
    let (stop, fault) = match &answer.fault {
        Some((k, fault)) => (chunks.len().min(*k), Some(fault)),
        None => (chunks.len(), None),
    };
    let (mut bytes, mut ends, mut waits) = (Vec::new(), vec![0], Vec::new());
    for (at, chunk) in &chunks[..stop] {
        waits.push((bytes.len(), Step::Until(*at)));
        bytes.extend(line(chunk));
        ends.push(bytes.len());
    }
    if stop == chunks.len() {
        waits.push((bytes.len(), Step::Until(reply.end())));
    }
    waits.retain(|_| reply.timing.clock_runs);
    match fault {
        None => bytes.extend(line(&reply.last())),
        Some(Fault::Error(message)) => bytes.extend(line(&json!({ "error": message }))),
        Some(Fault::CleanEnd | Fault::Disconnect) => {}
    }
    let gate = |(k, gate): &(usize, Gate)| {
        let at = *ends.get(chunks.len().min(*k))?;
        Some((at, Step::Wait(gate.clone())))
    };
    waits.extend(answer.gates.iter().filter_map(gate));
    waits.sort_by_key(|(at, _)| *at);
    Stream { bytes, waits, fault }
}

fn line(value: &Value) -> Vec<u8> {
    (encode(value) + "\n").into_bytes()
}

fn chunked(stream: Stream, split: &Split) -> Vec<Step> {
    let cuts = cuts(&stream, split);
    let mut steps = vec![Step::Write(http::head(200, NDJSON, CHUNKED))];
    let (length, whole) = (stream.bytes.len(), stream.fault.is_none());
    let mut waits = stream.waits.into_iter().peekable();
    for (i, &start) in cuts.iter().enumerate() {
        while let Some((_, wait)) = waits.next_if(|(at, _)| *at == start) {
            steps.push(wait);
        }
        if let Some(&end) = cuts.get(i + 1) {
            let complete = end == length && whole;
            let step = if complete { Step::Complete } else { Step::Write };
            steps.push(step(http::chunk(&stream.bytes[start..end])));
        }
    }
    if matches!(steps.get(1), Some(Step::Until(_))) {
        // Ollama sends its headers with the first chunk.
        steps.swap(0, 1);
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
        Split::Lines => (1..length).filter(|at| stream.bytes[at - 1] == b'\n').collect(),
        Split::Every(n) => (0..length).step_by((*n).max(1)).collect(),
        Split::At(offsets) => offsets.iter().copied().filter(|at| *at < length).collect(),
    };
    cuts.extend(stream.waits.iter().map(|(at, _)| *at));
    cuts.extend([0, length]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}
