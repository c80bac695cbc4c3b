//! Running a debate in memory: again from its journal, to see what was sent, or as a rehearsal, to count calls.

use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;

use super::snapshot::Inputs;
use crate::clock::Clock;
use crate::event::{Allotted, DebateAnswer, Event};
use crate::floor::{Floor, FloorParts, Halt, Result, Watch};
use crate::formats;
use crate::journal::{Entry, Header};
use crate::model::rehearsal::Rehearsal;
use crate::model::{Answering, Embeddings, Model, NoReply, OnChunk, Reply, Request};
use crate::plan::Plan;
use crate::sent::SentRequests;
use crate::shared::Shared;
use crate::templates::Templates;

/// A model that answers nothing, because all answers are in the journal.
struct Silent;

impl Model for Silent {
    fn chat<'a>(&'a self, _: &'a Request, _: OnChunk<'a>) -> Answering<'a, Reply> {
        Box::pin(async { Err(NoReply::Stopped) })
    }

    fn embed<'a>(&'a self, _: &'a str, _: &'a [String]) -> Answering<'a, Embeddings> {
        Box::pin(async { Err(NoReply::Stopped) })
    }
}

/// Every request of a debate up to the end of its journal, rebuilt from its inputs. Those answered in the journal are checked
/// against the digests of the ones sent.
///
/// # Errors
/// If the requests end early, the reason: this program would ask something else, or cannot render its prompts.
pub async fn requests(
    inputs: Inputs,
    header: Header,
    past: Vec<Entry>,
) -> (SentRequests, Result<()>) {
    let templates = Templates::unparsed(inputs.templates);
    let silent = Arc::new(Silent);
    let watch = Watch::new(|_| {});
    let floor = in_memory(inputs.plan, templates, silent, header, past, None, watch);
    let ended = match formats::run(&floor).await {
        Err(Halt::Stopped) => Ok(()),
        ended => ended,
    };
    (floor.take_sent(), ended)
}

/// The events of a debate as far as its journal goes, and then those of calls that are not answered yet.
pub async fn events(inputs: Inputs, header: Header, past: Vec<Entry>) -> Vec<Event> {
    let templates = Templates::unparsed(inputs.templates);
    let seen = Arc::new(Shared::new(Vec::new()));
    let sees = Arc::clone(&seen);
    let watch = Watch::new(move |event| sees.lock().push(event.clone()));
    let silent = Arc::new(Silent);
    let floor = in_memory(inputs.plan, templates, silent, header, past, None, watch);
    // It stops where the journal ends; whoever runs the debate says what else is wrong with it.
    let _ = formats::run(&floor).await;
    std::mem::take(&mut seen.lock())
}

/// The length of the replies in a rehearsal in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replies {
    /// As in any rehearsal.
    Usual,
    /// The maximum length, which shows the maximum that a debate takes.
    AtTheirLimits,
}

/// A rehearsal that leaves nothing behind. Returns the debate's events.
pub async fn rehearse(plan: &Plan, templates: &Templates, replies: Replies) -> Result<Vec<Event>> {
    let plan = Plan { rehearsal: true, ..plan.clone() };
    let rehearsal = Rehearsal::new(&plan, templates);
    let model = Arc::new(match replies {
        Replies::Usual => rehearsal,
        Replies::AtTheirLimits => rehearsal.at_limits(),
    });
    let began = DateTime::UNIX_EPOCH;
    let header = Header::new(&plan.id, String::new(), None, String::new(), began);
    let allotted = allotted(&plan, replies);
    let floor =
        in_memory(plan, templates.clone(), model, header, Vec::new(), allotted, Watch::new(|_| {}));
    formats::run(&floor).await?;
    Ok(floor.events())
}

/// Assumed tokens of a debate about which nothing is known.
const TYPICAL: u64 = 2000;

/// The assumed budget of a control whose debates are not known: that of a typical debate, or as much as the control can use.
fn allotted(plan: &Plan, replies: Replies) -> Option<Allotted> {
    let control = plan.control.as_ref().filter(|control| control.arm.is_matched())?;
    Some(Allotted {
        debates: Vec::new(),
        records: Vec::new(),
        measure: control.measure,
        tokens: match replies {
            Replies::Usual => TYPICAL,
            Replies::AtTheirLimits => u64::MAX,
        },
        answer: control.arm.is_for_open_topics().then(|| DebateAnswer {
            text: "The answer of a debate that is not known.".to_owned(),
            names: Vec::new(),
            models: Vec::new(),
        }),
    })
}

fn in_memory(
    plan: Plan,
    templates: Templates,
    model: Arc<dyn Model>,
    header: Header,
    past: Vec<Entry>,
    allotted: Option<Allotted>,
    watch: Watch,
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
        watch,
    })
}
