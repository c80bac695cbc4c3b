//! Listening to replies: what stands of each, and which ones are not taken and why.

use std::collections::BTreeMap;

use serde_json::json;
use tokio::runtime::{Handle, RuntimeFlavor};

use super::heard::Heard;
use super::refusal;
use super::wanted::Speech;
use crate::event::ReadingStatus;
use crate::floor::call::{Called, Reader, Review};
use crate::floor::desk::Desk;
use crate::floor::halt::Halt;
use crate::floor::structured::{self, Question, object};
use crate::job::participant::Participant;
use crate::journal::ReplyEntry;
use crate::shared::Shared;

/// What a reply is told that declines the task.
const DECLINES: &str = "it declines the task";

/// Listens to the replies of one call.
pub(super) struct Listener<'a> {
    desk: &'a Desk,
    speech: &'a Speech<'a>,
    by: &'a Participant,
    most: u32,
    refused: Shared<Refused>,
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
        desk: &'a Desk,
        speech: &'a Speech<'a>,
        by: &'a Participant,
        most: u32,
    ) -> Self {
        Self {
            desk,
            speech,
            by,
            most,
            refused: Shared::default(),
        }
    }

    pub(super) fn into_refused(self) -> Refused {
        self.refused.into_inner()
    }

    fn refuse(&self, attempt: u32, heard: Heard, why: Why) {
        let mut refused = self.refused.lock();
        refused.heard.insert(attempt, (heard, why));
    }

    /// Whether a reply declines the task: suspected by its words and confirmed by the clerk.
    async fn declines(&self, attempt: u32, heard: &Heard) -> Result<bool, Halt> {
        if !refusal::is_suspected(&heard.text) {
            return Ok(false);
        }
        let question = Question {
            call: self.speech.call.clone().refusal(attempt),
            by: "clerk",
            template: "prompts/refusal.md.j2",
            context: json!({"speaker": self.by, "reply": heard.text}),
            blind: true,
            schema: object(json!({
                "because": {"type": "string", "minLength": 2, "maxLength": 300},
                "declines": {"type": "boolean"},
            })),
        };
        let answer = structured::ask_clerk(self.desk, &question).await?;
        Ok(answer.status == ReadingStatus::Valid && answer.value["declines"] == true)
    }
}

impl Reader<Heard> for Listener<'_> {
    async fn read(&self, entry: &ReplyEntry) -> Result<Review<Heard>, Halt> {
        let heard = Heard::new(&entry.reply, self.most, self.by, &self.desk.plan);
        if self.declines(entry.attempt, &heard).await? {
            self.refuse(entry.attempt, heard, Why::Declines);
            return Ok(Review::Declined);
        }
        let Some(demand) = self.speech.demand else {
            return Ok(Review::Accepted(heard));
        };
        let objections = off_the_runtime(|| (demand.objections)(&heard.text));
        let heard = Heard {
            objections,
            ..heard
        };
        if heard.objections.is_empty() {
            return Ok(Review::Accepted(heard));
        }
        let complaint = heard.objections.join("; ");
        self.refuse(entry.attempt, heard, Why::Objections);
        Ok(Review::Mend(complaint))
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
    pub(super) fn last_usable(&self, called: &Called<'_, Heard>) -> Option<(Heard, ReplyEntry)> {
        called.replies().rev().find_map(|entry| {
            let (heard, why) = self.heard.get(&entry.attempt)?;
            (*why == Why::Objections).then(|| (heard.clone(), entry.clone()))
        })
    }

    /// The replies that were not taken, each with its text and the reasons in words.
    pub(super) fn replies<'c>(
        &'c self,
        called: &'c Called<'_, Heard>,
    ) -> impl Iterator<Item = (&'c ReplyEntry, String, Vec<String>)> {
        called.replies().filter_map(|entry| {
            let (heard, why) = self.heard.get(&entry.attempt)?;
            let reasons = match why {
                Why::Objections => heard.objections.clone(),
                Why::Declines => vec![DECLINES.to_owned()],
            };
            Some((entry, heard.text.clone(), reasons))
        })
    }
}
