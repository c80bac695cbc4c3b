//! Listening to replies: what stands of each, and which ones are not taken and why.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::json;
use tokio::runtime::{Handle, RuntimeFlavor};

use super::heard::Heard;
use super::{Speech, refusal};
use crate::event::ReadingStatus;
use crate::floor::call::{Called, Complaint, Reader};
use crate::floor::structured::{Question, object};
use crate::floor::{Floor, Halt};
use crate::job::participant::Participant;
use crate::journal::{Entry, ReplyEntry};

/// What a reply is told that declines the task.
const DECLINES: &str = "it declines the task";

/// Listens to the replies of one call.
pub(super) struct Listener<'a> {
    floor: &'a Floor,
    speech: &'a Speech<'a>,
    by: &'a Participant,
    most: u32,
    refused: Mutex<Refused>,
}

/// The replies of a call that were not taken, by attempt.
#[derive(Debug, Default)]
pub(super) struct Refused {
    heard: BTreeMap<u32, (Heard, Why)>,
}

/// Why a reply was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The format has something against it; it can stand if nothing better comes.
    Objections,
    /// It declines the task.
    Declines,
}

impl<'a> Listener<'a> {
    pub(super) fn new(
        floor: &'a Floor,
        speech: &'a Speech<'a>,
        by: &'a Participant,
        most: u32,
    ) -> Self {
        Self {
            floor,
            speech,
            by,
            most,
            refused: Mutex::default(),
        }
    }

    pub(super) fn into_refused(self) -> Refused {
        self.refused
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn refuse(&self, reply: &ReplyEntry, heard: Heard, why: Why) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.heard.insert(reply.attempt, (heard, why));
    }

    /// Whether a reply declines the task: suspected by its words and confirmed by the clerk.
    async fn declines(&self, reply: &ReplyEntry, heard: &Heard) -> Result<bool, Halt> {
        if !refusal::is_suspected(&heard.text) {
            return Ok(false);
        }
        let question = Question {
            call: format!("{}/refusal-{}", self.speech.call, reply.attempt),
            by: "clerk",
            template: "prompts/refusal.md.j2",
            context: json!({"speaker": self.by, "reply": heard.text}),
            blind: true,
            schema: object(json!({
                "because": {"type": "string", "minLength": 2, "maxLength": 300},
                "declines": {"type": "boolean"},
            })),
        };
        let answer = self.floor.ask_clerk(&question).await?;
        Ok(answer.status == ReadingStatus::Valid && answer.value["declines"] == true)
    }
}

impl Reader<Heard> for Listener<'_> {
    async fn read(&self, reply: &ReplyEntry) -> Result<Result<Heard, Complaint>, Halt> {
        let heard = Heard::of(reply, self.most, self.by, self.floor.plan());
        if self.declines(reply, &heard).await? {
            self.refuse(reply, heard, Why::Declines);
            return Ok(Err(Complaint::Declined));
        }
        let heard = match self.speech.demand {
            Some(_) => off_the_runtime(|| heard.held_against(self.speech)),
            None => heard,
        };
        if heard.objections.is_empty() {
            return Ok(Ok(heard));
        }
        let complaint = heard.objections.join("; ");
        self.refuse(reply, heard, Why::Objections);
        Ok(Err(Complaint::Mend(complaint)))
    }
}

/// Does work that may take long, as comparing long texts does, where it holds up no other debate and no signal.
fn off_the_runtime<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

impl Refused {
    /// The last reply of a call that can stand though it was not taken: it is better than none.
    pub(super) fn last_usable(&self, called: &Called<Heard>) -> Option<(Heard, ReplyEntry)> {
        let mut usable = replies(called).filter_map(|reply| {
            let (heard, why) = self.heard.get(&reply.attempt)?;
            (*why == Why::Objections).then(|| (heard.clone(), reply.clone()))
        });
        usable.next_back()
    }

    /// The replies that were not taken, each with its text and the reasons in words.
    pub(super) fn of<'c>(
        &'c self,
        called: &'c Called<Heard>,
    ) -> impl Iterator<Item = (&'c ReplyEntry, (String, Vec<String>))> {
        replies(called).filter_map(|reply| {
            let (heard, why) = self.heard.get(&reply.attempt)?;
            let reasons = match why {
                Why::Objections => heard.objections.clone(),
                Why::Declines => vec![DECLINES.to_owned()],
            };
            Some((reply, (heard.text.clone(), reasons)))
        })
    }
}

fn replies(called: &Called<Heard>) -> impl DoubleEndedIterator<Item = &ReplyEntry> {
    called.steps.iter().filter_map(|step| match &step.entry {
        Entry::Reply(reply) => Some(reply),
        _ => None,
    })
}
