//! A finished debate's replies as a rehearsal's script, from its journal.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::files::{self, FileError};
use crate::id::DebateId;
use crate::job::script::{self, Written};
use crate::journal::{self, Entry, JournalError, ReplyEntry};
use crate::model::DoneReason;
use crate::store::layout::OutputDir;
use crate::store::render;
use crate::text;
use crate::trace::{ReadError, Trace};

/// Characters of the job's name in a file's.
const MOST_NAME: usize = 60;

/// Why there is no script of a debate.
#[derive(Debug, thiserror::Error)]
pub enum NoScript {
    /// Its trace cannot be read.
    #[error(transparent)]
    Trace(#[from] ReadError),
    /// Its journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Its journal is not there: a directory may have been copied without it.
    #[error(
        "no script of {}: its replies are gone (`rebut clean` removes them, and a copied directory lacks them)",
        .0.short()
    )]
    NoJournal(DebateId),
    /// The script cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Writes the script of the debate with this trace into the directory `out`. Returns its path and how many replies it has.
pub fn write(trace: &Path, out: &Path) -> Result<(PathBuf, u64), NoScript> {
    let dir = trace.parent().unwrap_or(Path::new(""));
    let trace = Trace::read(trace)?;
    let journal = render::root_of(dir)
        .map(|root| OutputDir::at(&root).finished_journal(&trace.id))
        .filter(|path| path.is_file())
        .ok_or_else(|| NoScript::NoJournal(trace.id.clone()))?;
    let entries = journal::load(&journal, &trace.id)?.entries;
    let mut replies: Vec<_> = entries.iter().filter_map(written).collect();
    // The journal has them as they arrived; calls that are made together arrive in any order.
    let order: HashMap<_, _> =
        trace.calls.iter().enumerate().map(|(at, it)| ((&*it.call, it.attempt), at)).collect();
    replies.sort_by_key(|(call, attempt, _)| order.get(&(*call, *attempt)).copied());
    let job = text::slug(&trace.job, MOST_NAME);
    let name = format!("{job}_{}{}", trace.id.short(), script::ENDING);
    let path = out.join(name);
    files::replace(&path, script(&trace, &replies).as_bytes())?;
    Ok((path, replies.len() as u64))
}

fn script(trace: &Trace, replies: &[(&str, u32, Written)]) -> String {
    let mut text = format!(
        "The replies of debate {} ({}, job {}), call by call. To rehearse its job with them:\n\n    \
         rebut run --rehearse JOB.yaml --script THIS_FILE\n\n",
        trace.id.short(),
        text::one_line(&trace.format),
        text::one_line(&trace.job)
    );
    script::write_topic(&mut text, &trace.topic);
    for (call, attempt, reply) in replies {
        script::write_reply(&mut text, call, *attempt, reply);
    }
    text
}

/// An attempt as a script has it: one that failed has no text.
fn written(entry: &Entry) -> Option<(&str, u32, Written)> {
    let (text, cut) = match entry {
        Entry::Reply(ReplyEntry { reply, .. }) => {
            // A file with a zero byte is taken for no text.
            let text = reply.text.replace('\0', "\u{fffd}");
            (text, reply.done_reason != DoneReason::Stop)
        }
        _ => (String::new(), false),
    };
    Some((entry.call()?, entry.attempt()?, Written { text, cut }))
}
