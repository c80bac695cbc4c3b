//! Reading replies: the accepted part of each, and the reasons for rejection.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio::runtime::{Handle, RuntimeFlavor};

use super::cut::Kept;
use super::refusal;
use super::wanted::{Doubt, Speech};
use crate::call_id::Aside;
use crate::event::{BY_CLERK, PROSE};
use crate::floor::Floor;
use crate::floor::allowance;
use crate::floor::call::{Called, Reader, Review};
use crate::floor::halt::Result;
use crate::floor::structured::{self, Question, Unsettled, line, object};
use crate::job::participant::Participant;
use crate::journal::ReplyEntry;
use crate::model::Reply;
use crate::shared::Shared;
use crate::text::room_for;

/// Why a reply that declines the task is rejected.
const DECLINES: &str = "it declines the task";

/// Maximum words of the clerk's reason for its answer to a doubt.
const BECAUSE: u32 = 40;

/// Reads the replies of one call.
pub(super) struct Listener<'a> {
    floor: &'a Floor,
    speech: &'a Speech<'a>,
    by: &'a Participant,
    most: u32,
    pub(super) refused: Shared<Refused<'a>>,
}

/// The rejected replies of a call, by attempt.
#[derive(Default)]
pub(super) struct Refused<'a> {
    kept: BTreeMap<u32, (Kept, Why)>,
    /// The clerk's checks of them. Accounted for together with the call, since other calls may run beside it.
    pub(super) checks: Vec<Unsettled<'a>>,
}

/// Why a reply was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Why {
    /// The format objects to it, for these reasons; it can stand if nothing better comes.
    Objections(Vec<String>),
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
        Self { floor, speech, by, most, refused: Shared::default() }
    }

    fn refuse(&self, attempt: u32, kept: Kept, why: Why) {
        let mut refused = self.refused.lock();
        refused.kept.insert(attempt, (kept, why));
    }

    /// Whether a reply declines the task: suspected from its words, and confirmed by the clerk.
    async fn declines(&self, attempt: u32, kept: &Kept) -> Result<bool> {
        if !refusal::is_suspected(&kept.text) {
            return Ok(false);
        }
        let doubt = Doubt {
            template: "prompts/refusal.md.j2",
            context: Value::Null,
            asks: vec![("declines", DECLINES)],
        };
        let confirmed = self.confirmed(Aside::Refusal, attempt, &kept.text, &doubt);
        Ok(!confirmed.await?.is_empty())
    }

    /// What the clerk confirms of a doubt about a reply, with its reason; nothing if it gives no answer. It answers each key
    /// with yes or no, after the reason under `because`.
    async fn confirmed(
        &self,
        aside: Aside,
        attempt: u32,
        reply: &str,
        doubt: &Doubt,
    ) -> Result<Vec<String>> {
        let mut context = json!({"speaker": self.by, "reply": reply});
        if let (Value::Object(all), Value::Object(more)) = (&mut context, &doubt.context) {
            all.extend(more.clone());
        }
        let because = json!({"type": "string", "minLength": 2, "maxLength": room_for(BECAUSE)});
        let mut shape = json!({"because": because});
        for (key, _) in &doubt.asks {
            shape[*key] = json!({"type": "boolean"});
        }
        let question = Question {
            call: self.speech.call.clone().about(aside, attempt),
            by: "clerk",
            template: doubt.template,
            context,
            blind: true,
            schema: object(shape),
        };
        let check = structured::ask_clerk_unsettled(self.floor, question).await?;
        let found = check.value().map(|answer| told(answer, doubt));
        self.refused.lock().checks.push(check);
        Ok(found.unwrap_or_default())
    }

    /// The format's objections to a text: those it can decide itself, or else what the clerk confirms of its doubt.
    async fn objections(&self, attempt: u32, text: &str) -> Result<Vec<String>> {
        let Some(demand) = self.speech.demand else {
            return Ok(Vec::new());
        };
        let (objections, doubt) = off_the_runtime(|| {
            let doubt = demand.doubt.and_then(|doubt| doubt(text));
            ((demand.objections)(text), doubt)
        });
        match doubt.filter(|_| objections.is_empty()) {
            Some(doubt) => self.confirmed(Aside::Doubt, attempt, text, &doubt).await,
            None => Ok(objections),
        }
    }

    /// Why a text is rejected. What one lacks that was cut may have been beyond the cut; only repetitions, which leave a doubt, are
    /// none of its length.
    fn reasons(&self, kept: &Kept) -> Vec<String> {
        let is_doubted = self.speech.demand.is_some_and(|demand| demand.doubt.is_some());
        let words = allowance::words_within(self.most);
        let cut = format!("it was cut off at its limit (keep to at most {words} words)");
        let cut = (kept.cut && !is_doubted).then_some(cut);
        cut.into_iter().chain(kept.objections.iter().cloned()).collect()
    }

    /// The accepted part of a reply, and what has to be fixed in its form.
    fn kept(&self, reply: &Reply) -> (Kept, Option<String>) {
        let plan = &self.floor.plan;
        let as_it_is = || Kept::new(reply, self.most, self.by, plan);
        let Some(form) = self.speech.form else {
            return (as_it_is(), None);
        };
        match structured::shaped(self.floor, form.schema, reply) {
            Ok(shaped) => {
                let text = (form.text)(&shaped.value);
                (Kept::in_form(shaped, text, self.by, plan), None)
            }
            Err(complaint) => {
                let kept = Kept { read_as: vec![PROSE.to_owned()], ..as_it_is() };
                let stands = (form.accepts)(&kept.text);
                (kept, (!stands).then_some(complaint))
            }
        }
    }
}

impl Reader<Kept> for Listener<'_> {
    async fn read(&self, entry: &ReplyEntry) -> Result<Review<Kept>> {
        let (kept, complaint) = self.kept(&entry.reply);
        if self.declines(entry.attempt, &kept).await? {
            self.refuse(entry.attempt, kept, Why::Declines);
            return Ok(Review::Declined);
        }
        if let Some(complaint) = complaint {
            return Ok(Review::Mend(complaint));
        }
        let kept = Kept { objections: self.objections(entry.attempt, &kept.text).await?, ..kept };
        if kept.objections.is_empty() {
            return Ok(Review::Accepted(kept));
        }
        let reasons = self.reasons(&kept);
        let complaint = reasons.join("; ");
        self.refuse(entry.attempt, kept, Why::Objections(reasons));
        Ok(Review::Mend(complaint))
    }
}

/// The objections in a clerk's answer, each with its reason, which speaks to the speaker: for readers it is quoted.
fn told(answer: &Value, doubt: &Doubt) -> Vec<String> {
    let because = line(&answer["because"]);
    let found = doubt
        .asks
        .iter()
        .filter(|(key, _)| answer[*key] == true)
        .map(|(_, what)| format!("{what}{BY_CLERK}“{because}”"));
    found.collect()
}

/// Does work that may take long, such as comparing long texts, without holding up other debates or signals.
fn off_the_runtime<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

impl Refused<'_> {
    /// The last rejected reply of a call that can stand: it is better than none.
    pub(super) fn last_usable(&self, called: &Called<'_, Kept>) -> Option<(Kept, ReplyEntry)> {
        called.replies().rev().find_map(|entry| {
            let (kept, why) = self.kept.get(&entry.attempt)?;
            (*why != Why::Declines).then(|| (kept.clone(), entry.clone()))
        })
    }

    /// The rejected replies, each with its text and the reasons in words.
    pub(super) fn replies<'c>(
        &'c self,
        called: &'c Called<'_, Kept>,
    ) -> impl Iterator<Item = (&'c ReplyEntry, String, Vec<String>)> {
        called.replies().filter_map(|entry| {
            let (kept, why) = self.kept.get(&entry.attempt)?;
            let reasons = match why {
                Why::Objections(reasons) => reasons.clone(),
                Why::Declines => vec![DECLINES.to_owned()],
            };
            Some((entry, kept.text.clone(), reasons))
        })
    }
}
