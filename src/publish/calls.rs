//! The calls of a debate and their replies, as a page next to the debate's.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::artifacts::{call_words, calls};
use crate::digest;
use crate::files;
use crate::id::DebateId;
use crate::journal::{self, Entry, ReplyEntry};
use crate::model::Request;
use crate::sent::SentRequests;
use crate::store::layout::OutputDir;
use crate::templates::{TemplateError, Templates};
use crate::text::count;
use crate::trace::Trace;

/// The page's name.
pub(super) const NAME: &str = "calls.html";
/// Its sheets.
const SHEETS: [&str; 2] = ["pages/base.css", "pages/debate.css"];

/// Where a debate's calls are kept.
pub struct Calls {
    id: DebateId,
    journal: PathBuf,
    prompts: PathBuf,
}

impl Calls {
    /// The calls of a finished debate; none if they are not kept.
    pub fn of(output: &OutputDir, id: &DebateId) -> Option<Self> {
        let (journal, prompts) = (output.finished_journal(id), output.prompts(id));
        let is_kept = journal.is_file() && prompts.is_file();
        is_kept.then(|| Self { id: id.clone(), journal, prompts })
    }

    /// What the page is made of, in a few digits; why it cannot be told.
    pub(super) fn key(&self, version: &str, topic: &str) -> Result<String, String> {
        let digest = |path| {
            let bytes = files::read_own(path).map_err(|e| e.to_string())?;
            Ok::<_, String>(digest::of_bytes(&bytes))
        };
        let (journal, prompts) = (digest(&self.journal)?, digest(&self.prompts)?);
        Ok(digest::of_json(&json!([version, topic, journal, prompts])))
    }

    /// The page, with the address of the debate; `None` says that the calls cannot be read, and not why: the reason has paths in it.
    pub fn page(
        topic: &str,
        debate: &str,
        calls: Option<&[Value]>,
        templates: &Templates,
    ) -> Result<String, TemplateError> {
        let context = json!({
            "title": "What was asked and replied",
            "topic": topic,
            "debate": debate,
            "calls": calls,
            "assets": templates.assets(&SHEETS, &[]),
        });
        let page = templates.render("pages/calls.html.j2", context)?;
        Ok(format!("{}\n", page.trim_end()))
    }

    /// Every call with its attempts, in the order in which they were first answered, in the words of their debate if that is known.
    pub fn shown(&self, debate: Option<&Trace>) -> Result<Vec<Value>, String> {
        files::open_own(&self.journal).map_err(|e| e.to_string())?;
        let past = journal::load(&self.journal, &self.id).map_err(|e| e.to_string())?;
        let sent = SentRequests::read(&self.prompts, &self.id).map_err(|e| e.to_string())?;
        past.calls().into_iter().map(|name| call(name, debate, &past.entries, &sent)).collect()
    }
}

fn call(
    name: &str,
    debate: Option<&Trace>,
    past: &[Entry],
    sent: &SentRequests,
) -> Result<Value, String> {
    let requests: BTreeMap<u32, Request> =
        sent.of_call(name)?.into_iter().map(|request| (request.attempt, request)).collect();
    let entries: Vec<&Entry> = past.iter().filter(|it| it.call() == Some(name)).collect();
    let attempts = entries.iter().map(|entry| {
        let request = requests.get(&entry.attempt().unwrap_or_default());
        // What was sent is what the journal has the digest of.
        let same = request.filter(|request| Some(request.digest().as_str()) == entry.digest());
        calls::attempt(entry, same.ok_or("the stored prompts do not have it"))
    });
    let title = debate.map_or_else(|| name.to_owned(), |trace| call_words::title(trace, name));
    let reply = entries.iter().rev().find_map(|entry| reply(entry));
    Ok(
        json!({"name": name, "title": title, "reply": reply, "attempts": attempts.collect::<Vec<_>>()}),
    )
}

/// `llama3, 238 tokens, 6.1 s`; nothing of an attempt without a reply.
fn reply(entry: &Entry) -> Option<String> {
    let Entry::Reply(ReplyEntry { model, reply, .. }) = entry else { return None };
    let took = reply.ns.prompt.saturating_add(reply.ns.reply) as f64 / 1e9;
    Some(format!("{model}, {}, {took:.1} s", count(reply.tokens.reply, "token")))
}
