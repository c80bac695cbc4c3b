//! `rebut label import`: adds people's answers to the debates.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chrono::{DateTime, TimeDelta, Utc};

use crate::cli::args::output_directory::OutputArg;
use crate::cli::args::templates::TemplatesArg;
use crate::cli::process::failure::{Failure, done_if};
use crate::cli::terminal::print;
use crate::clock::Clock;
use crate::files;
use crate::id::DebateId;
use crate::labels::answers::{self, Answer};
use crate::labels::sheet::Sheet;
use crate::store::error::StoreError;
use crate::store::finished::FinishedDebates;
use crate::store::labels::{self, Given};
use crate::store::layout::OutputDir;
use crate::store::lists;
use crate::templates::Templates;
use crate::text;
use crate::trace::Label;

/// Maximum bytes of a file of answers.
const MOST_BYTES: u64 = 16_000_000;

/// Add people's answers to the debates
///
/// Importing a file twice adds nothing. If a rater answered the same item of a sheet twice, the later answer counts; an answer
/// without a time is as old as its file's last change.
/// Answers on a debate that has changed since the export are skipped and reported.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files saved by the page, or CSV with the columns sheet, item, rater, value (first, second, tie, both_bad or cannot_say) and optionally seconds and at
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArg,
    #[command(flatten)]
    templates: TemplatesArg,
}

/// Labels by debate.
type ByDebate = BTreeMap<DebateId, Vec<Label>>;

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let (output, clock) = (args.output.existing()?, Clock::system());
    // All files are read before anything is written.
    let mut found =
        Read { output: &output, clock: &clock, sheets: HashMap::new(), labels: ByDebate::new() };
    for file in &args.files {
        found.take(file)?;
    }
    output.prepare()?;
    let (given, left) = give_all(&output, &found.labels, (&templates, &clock))?;
    if given.added > 0 {
        lists::rebuild(&output, &templates)?;
    }
    tell(&given);
    Ok(done_if(left + given.stale == 0))
}

/// The contents of the files.
struct Read<'a> {
    output: &'a OutputDir,
    clock: &'a Clock,
    sheets: HashMap<String, Sheet>,
    labels: ByDebate,
}

impl Read<'_> {
    fn take(&mut self, file: &Path) -> Result<(), Failure> {
        let text = String::from_utf8(files::read_at_most(file, MOST_BYTES)?)
            .map_err(|_| Failure::input(format!("{} is not UTF-8 text", file.display()), ""))?;
        let told = |cause: String| Failure::input(format!("{}: {cause}", file.display()), "");
        let source = text::one_line(&files::name_of(file));
        let now = self.clock.now();
        // Of a file that is imported again, the time of the import would make its answers later than all that came since.
        let changed =
            file.metadata().and_then(|it| it.modified()).map_or(now, |it| now.min(it.into()));
        // Of two answers in one file, the second is the later one.
        for (answer, place) in answers::read(&text).map_err(told)?.iter_mut().zip(0..) {
            answer.at.get_or_insert(changed + TimeDelta::milliseconds(place));
            self.add(answer, &source, now)?;
        }
        Ok(())
    }

    fn add(&mut self, answer: &Answer, source: &str, now: DateTime<Utc>) -> Result<(), Failure> {
        let sheet = self.sheet(&answer.sheet)?;
        let item = sheet.item(answer.item).ok_or_else(|| {
            let cause = format!("{source}: sheet {} has no item {}", sheet.id, answer.item);
            Failure::input(cause, "items are numbered from 1")
        })?;
        let label = answers::label(sheet, item, answer, source, now);
        let debate = item.debate.clone();
        self.labels.entry(debate).or_default().push(label);
        Ok(())
    }

    fn sheet(&mut self, id: &str) -> Result<&Sheet, Failure> {
        if !self.sheets.contains_key(id) {
            let found = labels::sheet(self.output, id)?.ok_or_else(|| {
                let root = self.output.root().display();
                Failure::input(
                    format!("{root} has no key for the label sheet {id}"),
                    "give the output directory that the page was exported from with --output",
                )
            })?;
            self.sheets.insert(id.to_owned(), found);
        }
        Ok(&self.sheets[id])
    }
}

/// Adds the labels to all debates; returns how many debates could not be changed now.
fn give_all(
    output: &OutputDir,
    all: &ByDebate,
    with: (&Templates, &Clock),
) -> Result<(Given, u64), Failure> {
    let finished = FinishedDebates::list(output)?;
    let (mut sum, mut left) = (Given::default(), 0);
    for (id, own) in all {
        let Some(debate) = finished.get(id)? else {
            let id = id.short();
            print::remark(&format!("skipped: there is no finished debate {id} here any more"));
            left += 1;
            continue;
        };
        match labels::give(output, &debate.path, own, with) {
            Ok(given) => sum.add(&given),
            Err(error @ (StoreError::Claimed { .. } | StoreError::Retried)) => {
                let told = format!("skipped for now: {}: {error}", id.short());
                print::remark(&text::one_line(&told));
                left += 1;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok((sum, left))
}

fn tell(given: &Given) {
    let (known, replaced) = (given.known, given.replaced);
    let [added, stale] = [given.added, given.stale].map(|n| text::count(n, "label"));
    print::told(&format!("{added} added, {known} already present"));
    if replaced > 0 {
        print::told(&format!("{replaced} of them replace earlier ones"));
    }
    if given.stale > 0 {
        let why = "their debates have changed since the export";
        print::remark(&format!("{stale} skipped: {why}"));
    }
}
