//! `rebut duel TOPIC` and the like: one debate without a job file, from the format's starter job.

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::failure::{Failure, from_error};
use super::jobs::{JobOptions, Jobs};
use super::run::{self, RunArgs};
use crate::job::{Change, Draft, Format, Overrides};
use crate::store::orphans::Orphans;
use crate::templates::Templates;
use crate::text;

/// Characters that a position may have.
const MOST_POSITION: usize = 200;
/// Debaters in a knockout's team.
const TEAM: usize = 4;
/// Specialists who have something to say on most questions, with their personas.
const SPECIALISTS: [(&str, &str); 4] = [
    ("Scientist", "scientist"),
    ("Economist", "economist"),
    ("Philosopher", "philosopher"),
    ("Engineer", "engineer"),
];

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  rebut duel \"Should zoos be closed?\" -m qwen3
  rebut knockout \"Zoos should be closed\" --rehearse
  rebut roundtable \"When should our shop open?\" --set 'stances=[early, late, always]'

`rebut new FORMAT FILE` writes the job that this starts from; `rebut run FILE` runs it with your changes.")]
pub(super) struct Args {
    /// What to debate: a question or a statement
    topic: String,
    #[command(flatten)]
    options: JobOptions,
    #[command(flatten)]
    run: RunArgs,
}

pub(super) fn main(format: Format, args: &Args) -> Result<ExitCode, Failure> {
    let jobs = Jobs::of_one(draft(format, args)?, args.options.clone())?;
    // Without a job file, nothing was edited that could have left debates behind.
    run::start(&args.run, &jobs, &Orphans::default())
}

/// The format's starter job with this topic, and with sides that fit any topic.
fn draft(format: Format, args: &Args) -> Result<Draft, Failure> {
    let built_in = Templates::load(None).map_err(from_error)?;
    let starter = format!("jobs/{}.yaml", format.name());
    let starter = built_in.source(&starter).unwrap_or_default();
    let templates = args.options.load_templates()?;
    let given = args.options.overrides();
    let own = changes(format, &args.topic).into_iter();
    let overrides = Overrides {
        changes: own.chain(given.changes).collect(),
        ..given
    };
    Draft::parse(Path::new(format.name()), starter, &overrides, &templates)
        .map_err(|p| Failure::problems(&p).with_hint("nothing was run"))
}

/// What is put into the starter job.
fn changes(format: Format, topic: &str) -> Vec<Change> {
    let subject = if format.takes_query() {
        "query"
    } else {
        "topic"
    };
    let mut values = vec![
        (subject, json!(topic)),
        ("name", json!(text::slug(topic, 60))),
    ];
    values.extend(cast(format, topic));
    let change = |(path, value): (&str, Value)| Change {
        path: path.to_owned(),
        value: value.to_string(),
        flag: format!("\"{}\"", text::shorten(topic, 60)),
    };
    values.into_iter().map(change).collect()
}

/// Who takes part, where the starter job's own cast fits its topic only.
fn cast(format: Format, topic: &str) -> Vec<(&'static str, Value)> {
    let [yes, no] = &positions(topic);
    let side = |name: &str, position: &String| json!({"name": name, "position": position, "persona": "advocate"});
    match format {
        Format::Knockout => {
            let others = (2..=TEAM).map(|n| json!({"name": format!("Against-{n}")}));
            let team: Value = std::iter::once(side("Against-1", no))
                .chain(others)
                .collect();
            vec![("x", side("For", yes)), ("y", team)]
        }
        Format::Moderated => vec![("advocates", json!([side("For", yes), side("Against", no)]))],
        Format::Duel => vec![("a", side("For", yes)), ("b", side("Against", no))],
        Format::Roundtable => {
            let all = SPECIALISTS.map(|(name, persona)| json!({"name": name, "persona": persona}));
            vec![
                ("specialists", json!(all)),
                ("stances", json!(["yes", "no", "it depends"])),
            ]
        }
        Format::Dialectic => Vec::new(),
    }
}

/// The positions of both sides, each a sentence that can be argued without the topic beside it: prompts end with "make your
/// case for this position: …". A topic that would not fit stands above it all the same.
fn positions(topic: &str) -> [String; 2] {
    let topic = text::one_line(topic);
    let statement = topic.trim_end_matches(['.', '。']);
    let (whole, short, words) = if topic.ends_with(['?', '？', '؟']) {
        let whole = format!("The answer to “{topic}” is");
        (whole, "The answer to the question is", ["yes", "no"])
    } else {
        let whole = format!("“{statement}” is");
        (whole, "The statement is", ["right", "wrong"])
    };
    let fits = whole.chars().count() + " wrong".len() <= MOST_POSITION;
    let what = if fits { whole.as_str() } else { short };
    words.map(|word| format!("{what} {word}"))
}
