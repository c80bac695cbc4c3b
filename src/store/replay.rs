//! Running a debate in memory: again from its journal, to see what was sent; or as a rehearsal, to count calls.

use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;

use super::snapshot::Inputs;
use crate::clock::Clock;
use crate::event::{Allotted, Event};
use crate::floor::{Floor, FloorParts, Halt, Watch};
use crate::formats;
use crate::journal::{Entry, Header};
use crate::model::rehearsal::Rehearsal;
use crate::model::{Answering, Embeddings, Model, NoReply, OnChunk, Reply, Request};
use crate::plan::Plan;
use crate::sent::SentRequests;
use crate::templates::Templates;

/// Answers nothing: what was answered is in the journal.
struct Silent;

impl Model for Silent {
    fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async { Err(NoReply::Stopped) })
    }

    fn embed<'a>(&'a self, _: &'a str, _: &'a [String]) -> Answering<'a, Embeddings> {
        Box::pin(async { Err(NoReply::Stopped) })
    }
}

/// Every request of a debate as far as its journal goes, made again from its inputs. Each that the journal has an answer to is
/// checked against the digest of what was sent.
///
/// # Errors
/// Why there are no more than these: this program would ask something else, or cannot render its prompts.
pub async fn requests(
    inputs: Inputs,
    header: Header,
    past: Vec<Entry>,
) -> (SentRequests, Result<(), Halt>) {
    let templates = match Templates::from_sources(inputs.templates) {
        Ok(templates) => templates,
        Err(error) => return (SentRequests::default(), Err(error.into())),
    };
    let floor = in_memory(inputs.plan, templates, Arc::new(Silent), header, past, None);
    let ended = match formats::run(&floor).await {
        Err(Halt::Stopped) => Ok(()),
        ended => ended,
    };
    (floor.take_sent(), ended)
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
    let began = DateTime::UNIX_EPOCH;
    let header = Header::new(&plan.id, String::new(), None, String::new(), began);
    let allotted = allotted(&plan, replies);
    let floor = in_memory(plan, templates.clone(), model, header, Vec::new(), allotted);
    formats::run(&floor).await?;
    Ok(floor.events())
}

/// Tokens that a debate takes, if nothing is known of it.
const TYPICAL: u64 = 2000;

/// What a control may spend whose debates are not known: as much as debates take, or as it can.
fn allotted(plan: &Plan, replies: Replies) -> Option<Allotted> {
    let control = plan
        .control
        .as_ref()
        .filter(|control| control.arm.is_matched())?;
    Some(Allotted {
        debates: Vec::new(),
        records: Vec::new(),
        measure: control.measure,
        tokens: match replies {
            Replies::Usual => TYPICAL,
            Replies::AtTheirLimits => u64::MAX,
        },
    })
}

fn in_memory(
    plan: Plan,
    templates: Templates,
    model: Arc<dyn Model>,
    header: Header,
    past: Vec<Entry>,
    allotted: Option<Allotted>,
) -> Floor {
    Floor::new(FloorParts {
        plan: Arc::new(plan),
        templates: Arc::new(templates),
        model,
        journal: None,
        past,
        allotted,
        audience: None,
        clock: Clock::fixed(header.started_at),
        header,
        retry_delay: Duration::ZERO,
        watch: Watch::new(|_| {}),
    })
}
