//! `rebut stats`: what came out of many debates.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::json;

use super::failure::Failure;
use super::print;
use crate::stats::{self, Corpus, Group, Key, Mean};
use crate::templates::inert_json;
use crate::text;
use crate::trace::Trace;

/// Count, average and group all debates below directories
///
/// Means are over debates, with their number n and the standard deviation between debates.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Output directories, or parts of them
    #[arg(value_name = "DIR", default_value = "output")]
    dirs: Vec<PathBuf>,
    /// Group by these, in this order
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KEYS")]
    by: Vec<By>,
    /// Count rehearsals too
    #[arg(long)]
    include_rehearsals: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    /// How debates ended
    Status,
    /// The format
    Format,
    /// The job
    Job,
    /// The models that argued: scores of what each said, tokens it used; a debate counts for each of them
    Model,
}

impl By {
    fn key(self) -> Key {
        match self {
            By::Status => Key::Status,
            By::Format => Key::Format,
            By::Job => Key::Job,
            By::Model => Key::Model,
        }
    }
}

pub(super) fn main(args: &Args) -> Result<ExitCode, Failure> {
    let corpus = stats::read(&args.dirs)
        .map_err(|e| Failure::input(e, "name the directory that `rebut run --output` wrote to"))?;
    let traces: Vec<&Trace> = corpus
        .traces
        .iter()
        .filter(|trace| args.include_rehearsals || !trace.rehearsal)
        .collect();
    let keys: Vec<Key> = args.by.iter().map(|by| by.key()).collect();
    let groups = stats::group(&traces, &keys);
    let left_out = corpus.traces.len() - traces.len();
    if args.json {
        print::out(&as_json(&corpus, &groups, left_out));
    } else {
        as_text(&groups, left_out);
    }
    for (_, reason) in &corpus.damaged {
        print::err(&text::one_line(&format!("warning: left out: {reason}")));
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(corpus: &Corpus, groups: &[Group], left_out: usize) -> String {
    let damaged: Vec<_> = corpus
        .damaged
        .iter()
        .map(|(path, reason)| json!({"path": path, "reason": reason}))
        .collect();
    let all = json!({"groups": groups, "rehearsals_left_out": left_out, "damaged": damaged});
    inert_json(&format!("{all:#}"))
}

fn as_text(groups: &[Group], left_out: usize) {
    if groups.is_empty() {
        print::out("no debates");
    }
    for group in groups {
        lines(group)
            .iter()
            .for_each(|line| print::out(&text::visible(line)));
        print::out("");
    }
    if left_out > 0 {
        print::out(&format!(
            "{} left out; --include-rehearsals counts them",
            text::count(left_out as u64, "rehearsal")
        ));
    }
}

fn lines(group: &Group) -> Vec<String> {
    let name = if group.group.is_empty() {
        "all debates".to_owned()
    } else {
        group
            .group
            .iter()
            .map(|name| text::one_line(name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut lines = vec![
        name,
        format!(
            "  debates            {} ({} done, {} degraded, {} failed)",
            group.debates, group.done, group.degraded, group.failed
        ),
        format!("  total score        {}", shown(&group.total_score, 2)),
    ];
    lines.extend(
        group
            .scores
            .iter()
            .map(|(name, mean)| format!("    {name:16} {}", shown(mean, 2))),
    );
    lines.extend([
        format!("  rotations          {}", shown(&group.rotations, 2)),
        format!("  reply tokens       {}", shown(&group.reply_tokens, 0)),
        format!("  model minutes      {}", shown(&group.model_minutes, 2)),
        format!(
            "  incidents          {}{}",
            shown(&group.incidents, 2),
            kinds(group)
        ),
        format!(
            "  ballots            {}, {} without a valid judgment",
            group.ballots, group.invalid_ballots
        ),
    ]);
    lines
}

fn kinds(group: &Group) -> String {
    if group.incident_kinds.is_empty() {
        return String::new();
    }
    let kinds: Vec<String> = group
        .incident_kinds
        .iter()
        .map(|(kind, n)| format!("{n} {kind}"))
        .collect();
    format!(": {}", kinds.join(", "))
}

fn shown(mean: &Mean, places: usize) -> String {
    match (mean.mean, mean.sd) {
        (None, _) => "none (n 0)".to_owned(),
        (Some(value), None) => format!("{value:.places$} (n {})", mean.n),
        (Some(value), Some(sd)) => format!("{value:.places$} (sd {sd:.places$}, n {})", mean.n),
    }
}
