//! `rebut grade`: grades answers of finished debates by another answer key, without calling a model.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::output_directory::{self, OutputArg};
use super::args::templates::TemplatesArg;
use super::process::failure::{Failure, done_if};
use super::terminal::print;
use crate::clock::Clock;
use crate::files;
use crate::journal::JournalError;
use crate::question::{self, Columns, Faults, Layout, Question};
use crate::stats::read::trace_paths;
use crate::store::amend;
use crate::store::error::StoreError;
use crate::store::layout::OutputDir;
use crate::store::regrade::AnswerKey;
use crate::store::render;
use crate::templates::Templates;
use crate::text;
use crate::trace::Trace;

/// Maximum bytes of a file of questions.
const MOST_BYTES: u64 = 16_000_000;

/// For questions with known answers: grade the answers again, with a corrected key
///
/// Debates and answers stay unchanged, and no model is called. Questions are matched by id and must be the same; the order of
/// their choices may differ.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Debates, or directories containing debates
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// File of questions with the corrected answers
    #[arg(long, value_name = "FILE")]
    questions: PathBuf,
    /// Format of the file: auto, rebut, inspect, mallm, gsm8k or mmlu-csv
    #[arg(long, value_name = "LAYOUT", default_value = "auto", value_parser = layout)]
    layout: Layout,
    #[command(flatten)]
    output: OutputArg,
    #[command(flatten)]
    templates: TemplatesArg,
}

fn layout(text: &str) -> Result<Layout, String> {
    serde_json::from_value(text.into())
        .map_err(|_| "use auto, rebut, inspect, mallm, gsm8k or mmlu-csv".to_owned())
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let templates = args.templates.load()?;
    let questions = questions(args)?;
    let (mut tally, mut failed) = (Tally::default(), None);
    for dir in dirs(args)? {
        match grade(&dir, &questions, &templates, &mut tally) {
            Ok(()) => {}
            Err(Obstacle::Debate(error)) => tally.skip(&dir, &error),
            Err(Obstacle::All(failure)) => {
                failed = Some(failure);
                break;
            }
        }
    }
    let code = tally.tell();
    failed.map_or(Ok(code), Err)
}

/// What keeps a debate from being graded.
enum Obstacle {
    /// The state of this debate: the others can be graded.
    Debate(StoreError),
    /// Anything else, which the next debates may meet too.
    All(Failure),
}

impl From<StoreError> for Obstacle {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Trace(_)
            | StoreError::NoJournal(_)
            | StoreError::Journal(
                JournalError::Damaged { .. }
                | JournalError::Foreign { .. }
                | JournalError::Locked(_),
            )
            | StoreError::Claimed { .. }
            | StoreError::Retried => Self::Debate(error),
            _ => Self::All(error.into()),
        }
    }
}

/// The directories of the debates: those named, and all below directories that are not debates.
fn dirs(args: &Args) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for named in &args.paths {
        let path = Path::new(named);
        if path.is_dir() && !path.join("trace.json").exists() {
            let traces =
                trace_paths(&[path.to_path_buf()]).map_err(output_directory::not_output)?;
            let dirs = traces.iter().filter_map(|trace| trace.parent());
            all.extend(dirs.map(Path::to_path_buf));
        } else {
            all.push(args.output.debate(named)?.dir);
        }
    }
    Ok(all)
}

fn questions(args: &Args) -> Result<HashMap<String, Question>, Failure> {
    let name = args.questions.display().to_string();
    let bytes = files::read_at_most(&args.questions, MOST_BYTES)?;
    let utf8 = |_| Failure::input(format!("{name} is not UTF-8 text"), "save it as UTF-8");
    let source = String::from_utf8(bytes).map_err(utf8)?;
    let (read, faults) = question::read(&name, &source, args.layout, &Columns::default());
    if !faults.is_empty() {
        return Err(Failure::input(told(&name, faults), "fix the file first"));
    }
    let read = read.into_iter();
    Ok(read.map(|(_, question)| (question.id.clone(), question)).collect())
}

fn told(name: &str, faults: Faults) -> String {
    let each = faults
        .into_iter()
        .map(|fault| format!("{name}:{}: {}", fault.line, text::one_line(&fault.cause)));
    each.collect::<Vec<_>>().join("\n")
}

/// The results, by debate.
#[derive(Default)]
struct Tally {
    graded: u64,
    /// Those of them whose grade changed.
    changed: u64,
    same: u64,
    without: u64,
    unlike: Vec<String>,
    skipped: u64,
}

impl Tally {
    fn skip(&mut self, dir: &Path, error: &StoreError) {
        self.skipped += 1;
        print::remark(&text::one_line(&format!("skipped: {}: {error}", files::name_of(dir))));
    }

    fn tell(&self) -> ExitCode {
        let graded = text::count(self.graded, "debate");
        print::told(&format!(
            "graded {graded} again: {} with a new grade; {} as before, {} without a question in the file",
            self.changed, self.same, self.without
        ));
        if !self.unlike.is_empty() {
            print::remark(&format!(
                "not graded, because the question with the same id has a different text or different choices: {}",
                text::some_of(&self.unlike, 10)
            ));
        }
        if self.skipped > 0 {
            print::err(&format!("{} skipped", text::count(self.skipped, "debate")));
        }
        done_if(self.unlike.is_empty() && self.skipped == 0)
    }
}

fn grade(
    dir: &Path,
    questions: &HashMap<String, Question>,
    templates: &Templates,
    tally: &mut Tally,
) -> Result<(), Obstacle> {
    let read = || Trace::in_dir(dir).map_err(StoreError::from);
    let trace = read()?;
    let posed = trace.plan.question.as_ref();
    let found = posed.and_then(|posed| Some((posed, questions.get(&posed.question.id)?)));
    let Some((posed, question)) = found else {
        tally.without += 1;
        return Ok(());
    };
    let Some(key) = AnswerKey::new(posed, question) else {
        tally.unlike.push(trace.id.short().to_owned());
        return Ok(());
    };
    if key.is_of(posed) {
        tally.same += 1;
        return Ok(());
    }
    let outside = || {
        let cause = format!("{} is not in an output directory", dir.display());
        Obstacle::All(Failure::input(cause, "grade debates where `rebut run` wrote them"))
    };
    let root = render::root_of(dir).ok_or_else(outside)?;
    let (output, clock) = (OutputDir::at(&root), Clock::system());
    amend::note(&output, dir, &key, (templates, &clock))?;
    let now = read()?;
    let grades = |trace: &Trace| -> Vec<bool> {
        trace.answers.iter().map(|answer| answer.correct).collect()
    };
    tally.graded += 1;
    tally.changed += u64::from(grades(&now) != grades(&trace));
    Ok(())
}
