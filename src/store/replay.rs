//! Running a debate again from its journal alone: to see what a model was asked, or to count calls by rehearsing in memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::event::Event;
use crate::floor::{Floor, FloorParts, Halt};
use crate::formats;
use crate::journal::{self, Entry, Header};
use crate::model::rehearsal::Rehearsal;
use crate::model::{Answering, CallError, Embeddings, Model, NoReply, OnChunk, Reply, Request};
use crate::plan::Plan;
use crate::shared::Shared;
use crate::templates::Templates;

/// An attempt of a call: what was asked and what the journal has of it.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The request as this program builds it.
    pub request: Request,
    /// The journal's entry; `None` where the call was never answered.
    pub entry: Option<Entry>,
}

/// Answers from a journal and notes what was asked.
struct Playback {
    entries: HashMap<(String, u32), Entry>,
    asked: Shared<Vec<Exchange>>,
}

impl Model for Playback {
    fn chat<'a>(&'a self, request: &'a Request, _on_chunk: OnChunk<'a>) -> Answering<'a, Reply> {
        let entry = self
            .entries
            .get(&(request.call.clone(), request.attempt))
            .cloned();
        self.asked.lock().push(Exchange {
            request: request.clone(),
            entry: entry.clone(),
        });
        Box::pin(async move {
            match entry {
                Some(Entry::Reply(entry)) => Ok(entry.reply),
                Some(Entry::Failure(f)) => Err(CallError::new(f.error, f.message).into()),
                _ => Err(NoReply::Stopped),
            }
        })
    }

    /// What was read is taken from the journal: this is asked only where the debate was stopped before.
    fn embed<'a>(&'a self, _: &'a str, _: &'a [String]) -> Answering<'a, Embeddings> {
        Box::pin(async { Err(NoReply::Stopped) })
    }
}

/// Every call of a debate in the order in which it was made, from its inputs and its journal.
pub async fn exchanges(
    plan: Plan,
    templates: Templates,
    entries: Vec<Entry>,
) -> Result<Vec<Exchange>, Halt> {
    let header = entries.iter().find_map(|e| {
        if let Entry::Debate(header) = e {
            Some(header.clone())
        } else {
            None
        }
    });
    let is_reading = |entry: &&Entry| matches!(entry, Entry::External(_));
    let readings = entries.iter().filter(is_reading).cloned().collect();
    let keyed = entries.iter().filter_map(|entry| match entry {
        Entry::Reply(reply) => Some(((reply.call.clone(), reply.attempt), entry.clone())),
        Entry::Failure(failure) => Some(((failure.call.clone(), failure.attempt), entry.clone())),
        _ => None,
    });
    let playback = Arc::new(Playback {
        entries: keyed.collect(),
        asked: Shared::default(),
    });
    let header = header.unwrap_or_else(|| blank_header(&plan));
    let floor = in_memory(
        plan,
        templates,
        Arc::clone(&playback) as Arc<dyn Model>,
        header,
        readings,
    );
    match formats::run(&floor).await {
        Ok(()) | Err(Halt::Stopped) => Ok(playback.asked.lock().clone()),
        Err(halt) => Err(halt),
    }
}

/// How long the replies of a rehearsal in memory are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replies {
    /// As in any rehearsal.
    Usual,
    /// As long as they may be: what a debate takes at most.
    AtTheirLimits,
}

/// A rehearsal that leaves nothing behind: the debate's events.
pub async fn rehearse(
    plan: &Plan,
    templates: &Templates,
    replies: Replies,
) -> Result<Vec<Event>, Halt> {
    let plan = Plan {
        rehearsal: true,
        ..plan.clone()
    };
    let rehearsal = Rehearsal::new(&plan, templates);
    let model = Arc::new(match replies {
        Replies::Usual => rehearsal,
        Replies::AtTheirLimits => rehearsal.at_limits(),
    });
    let header = blank_header(&plan);
    let floor = in_memory(plan, templates.clone(), model, header, Vec::new());
    formats::run(&floor).await?;
    Ok(floor.events())
}

fn blank_header(plan: &Plan) -> Header {
    Header {
        journal: journal::VERSION,
        id: plan.id.clone(),
        rebut: env!("CARGO_PKG_VERSION").to_owned(),
        inputs: String::new(),
        directory: String::new(),
        started_at: chrono::DateTime::UNIX_EPOCH,
    }
}

fn in_memory(
    plan: Plan,
    templates: Templates,
    model: Arc<dyn Model>,
    header: Header,
    past: Vec<Entry>,
) -> Floor {
    Floor::new(FloorParts {
        plan: Arc::new(plan),
        templates: Arc::new(templates),
        model,
        journal: None,
        past,
        clock: Clock::fixed(header.started_at),
        header,
        retry_delay: Duration::ZERO,
        watch: Arc::new(|_| {}),
    })
}
