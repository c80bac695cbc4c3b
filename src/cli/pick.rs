//! Which debates a command looks at: the arguments that `stats` and `report` share.

use std::path::{Component, Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};

use super::failure::Failure;
use super::print;
use crate::clock::Clock;
use crate::stats::findings::Findings;
use crate::stats::key::{Filter, KEYS, Key};
use crate::stats::{self, Question, read};
use crate::text;

#[derive(Debug, clap::Args)]
pub(super) struct Picked {
    /// Output directories, or parts of them
    #[arg(value_name = "DIR", default_value = "output")]
    pub(super) dirs: Vec<PathBuf>,
    /// Count only debates in which KEY is VALUE; with several of one key any will do, of different keys all must hold
    #[arg(long = "where", value_name = "KEY=VALUE")]
    filters: Vec<String>,
    /// Count rehearsals too
    #[arg(long)]
    include_rehearsals: bool,
    /// The seed of resampling, behind the intervals of strengths and of agreement
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl Picked {
    /// What is found in these debates, with paths as seen from `base`. Damaged files are told.
    pub(super) fn findings(
        &self,
        breakdowns: Vec<Vec<Key>>,
        base: &Path,
    ) -> Result<Findings, Failure> {
        let question = Question {
            breakdowns,
            filters: filters(&self.filters)?,
            rehearsals: self.include_rehearsals,
            seed: self.seed,
            command: command(),
            asked_at: Clock::system().now(),
        };
        let bar = Bar::new();
        let corpus = read::read(&self.dirs, |done, all| bar.at(done, all));
        drop(bar);
        let corpus = corpus.map_err(|e| {
            Failure::input(e, "name the directory that `rebut run --output` wrote to")
        })?;
        for warning in &corpus.warnings {
            print::err(&format!("warning: {}", text::one_line(warning)));
        }
        let base = base.canonicalize().unwrap_or_else(|_| base.to_path_buf());
        let findings = stats::findings(&corpus, &question, |path| relative(path, &base));
        for file in &findings.damaged {
            print::err(&format!("warning: {}", text::one_line(&file.cause)));
        }
        Ok(findings)
    }
}

/// How far the reading of traces is; seen on a terminal only, and gone when it is dropped.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// Nothing is read yet.
    pub(super) fn new() -> Self {
        let style = ProgressStyle::with_template("[{bar:24}] {pos} of {len} traces");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(ProgressBar::new(0).with_style(style.progress_chars("=> ")))
    }

    /// So many are read, of all.
    pub(super) fn at(&self, done: usize, all: usize) {
        self.0.set_length(all as u64);
        self.0.set_position(done as u64);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Keys to group by, from a comma-separated list.
pub(super) fn keys(list: &[String]) -> Result<Vec<Key>, Failure> {
    let read = |word: &String| word.parse().map_err(|e| Failure::input(e, known_keys()));
    list.iter().map(read).collect()
}

/// Filters, from their `KEY=VALUE`.
pub(super) fn filters(list: &[String]) -> Result<Vec<Filter>, Failure> {
    let read = |text: &String| text.parse().map_err(|e| Failure::input(e, known_keys()));
    list.iter().map(read).collect()
}

fn known_keys() -> String {
    let all: Vec<String> = KEYS
        .iter()
        .map(|(key, meaning)| format!("  {key:12} {meaning}"))
        .collect();
    format!("the keys are\n{}", all.join("\n"))
}

/// The command as it was given, as a shell would take it again.
fn command() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=:@%+".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            return word;
        }
        format!("'{}'", word.replace('\'', r"'\''"))
    };
    let words = std::env::args_os()
        .skip(1)
        .map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("rebut".to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A path as seen from a directory, with `/` between the parts. Both are absolute.
fn relative(path: &Path, base: &Path) -> String {
    let (path, base): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (path.components().collect(), base.components().collect());
    let shared = path.iter().zip(&base).take_while(|(a, b)| a == b).count();
    let up = base[shared..].iter().map(|_| "..".to_owned());
    let down = path[shared..]
        .iter()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<String> = up.chain(down).collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}
