//! `rebut duel TOPIC` and similar: one debate without a job file, from the format's starter job.

use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use serde_json::{Value, json};

use super::args::jobs::{JobOptions, Jobs};
use super::args::running::RunArgs;
use super::process::failure::Failure;
use super::run;
use super::terminal::print;
use crate::job::{AnyFormat, Change, Draft, Overrides};
use crate::store::orphans::Orphans;
use crate::templates::Templates;
use crate::text;

/// Maximum characters of a position.
const MOST_POSITION: usize = 200;

/// The options for jobs, said of the only one.
const HELP: [(&str, &str); 4] = [
    ("model", "Model for all participants [default: llama3]"),
    ("script", "File of replies for the rehearsal, each under the name of its call"),
    ("set", "Set a key of the job, for example `rounds=2`; repeatable"),
    ("seed", "Seed of the debate; another seed makes another debate"),
];

/// The options that matter only to several debates, or to a job with models of its own.
const OF_SEVERAL: [&str; 3] = ["all_models", "max_debates", "max_failures"];

/// What a topic is where Pro and Con argue for and against it.
const SIDED: (&str, &str) = ("topic", "Topic: a yes-or-no question or a statement");

/// First words of questions that neither yes nor no answers.
const OPEN: [&str; 8] = ["how", "what", "when", "where", "which", "who", "whose", "why"];

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Topic: a question or a statement
    topic: String,
    #[command(flatten)]
    options: JobOptions,
    #[command(flatten)]
    run: RunArgs,
}

/// A format's name as a command, with its arguments.
#[derive(Debug)]
pub(super) struct Alone {
    format: AnyFormat,
    args: Args,
}

impl FromArgMatches for Alone {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = |(name, matches)| Some((AnyFormat::named(name)?, matches));
        let named = matches.subcommand().and_then(named);
        let (format, matches) = named.ok_or(clap::Error::new(ErrorKind::InvalidSubcommand))?;
        Ok(Self { format, args: Args::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Alone {
    fn augment_subcommands(command: Command) -> Command {
        AnyFormat::all().fold(command, |command, format| {
            let own = <Args as clap::Args>::augment_args(Command::new(format.name()));
            let own = HELP
                .iter()
                .chain(takes_sides(format).then_some(&SIDED))
                .fold(own, |own, (arg, help)| own.mut_arg(arg, |arg| arg.help(*help)));
            let own = OF_SEVERAL
                .iter()
                .fold(own, |own, arg| own.mut_arg(arg, |arg| arg.hide(true)))
                .after_help(examples(format));
            command.subcommand(own.about(format.profile.alone))
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        AnyFormat::named(name).is_some()
    }
}

/// The end of the command's help.
fn examples(format: AnyFormat) -> String {
    let (name, topic) = (format.name(), "Should zoos be closed?");
    format!(
        "\
Examples:
  rebut {name} \"{topic}\" -m qwen3
  rebut {name} \"{topic}\" --rehearse

`rebut new {name} FILE` writes the job that this starts from; `rebut run FILE` runs it with your changes."
    )
}

pub(super) fn main(Alone { format, args }: &Alone) -> Result<ExitCode, Failure> {
    let jobs = Jobs::from_draft(draft(*format, args)?, args.options.clone())?;
    // Without a job file there is no edit that could have orphaned debates.
    run::start(&args.run, &jobs, &Orphans::default())
}

/// The format's starter job with this topic, and sides that fit any topic.
fn draft(format: AnyFormat, args: &Args) -> Result<Draft, Failure> {
    let built_in = Templates::load(None)?;
    let starter = format!("jobs/{}.yaml", format.name());
    let starter = built_in.source(&starter).unwrap_or_default();
    let templates = args.options.templates.load()?;
    let given = args.options.overrides();
    warn_of_open_question(format, &args.topic, &given);
    let own = changes(format, &args.topic).into_iter();
    let overrides = Overrides { changes: own.chain(given.changes).collect(), ..given };
    Draft::parse(Path::new(format.name()), starter, &overrides, &templates)
        .map_err(|p| Failure::problems(&p).of_one_debate())
}

/// The changes to the starter job.
fn changes(format: AnyFormat, topic: &str) -> Vec<Change> {
    let takes_query = format.profile.takes_query;
    let subject = if takes_query { "query" } else { "topic" };
    let mut values = vec![(subject, json!(topic)), ("name", json!(text::slug(topic, 60)))];
    values.extend(cast(format, topic));
    let change = |(path, value): (&str, Value)| Change {
        path: path.to_owned(),
        value: value.to_string(),
        flag: format!("\"{}\"", text::shorten(topic, 60)),
    };
    values.into_iter().map(change).collect()
}

/// Whether both sides get their positions from the topic.
fn takes_sides(format: AnyFormat) -> bool {
    !format.profile.takes_query && !cast(format, "").is_empty()
}

/// Says that a question which asks for more than yes or no is debated as if it did not, unless positions are given.
fn warn_of_open_question(format: AnyFormat, topic: &str, given: &Overrides) {
    let has_positions =
        given.changes.iter().any(|it| it.path.rsplit('.').next() == Some("position"));
    if !has_positions && takes_sides(format) && is_open(topic) {
        print::err(&format!(
            "warning: this is not a yes-or-no question, but Pro argues for yes and Con for no; `rebut new {} FILE` writes a job in which you can name other positions",
            format.name()
        ));
    }
}

/// Whether a question asks for more than yes or no, as far as an English one tells by its first word.
fn is_open(topic: &str) -> bool {
    let first = topic.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty());
    let is_question = topic.trim_end().ends_with('?');
    is_question && first.is_some_and(|word| OPEN.contains(&word.to_lowercase().as_str()))
}

/// The participants, if those of the starter job fit only its own topic.
fn cast(format: AnyFormat, topic: &str) -> Vec<(&'static str, Value)> {
    let [yes, no] = positions(topic);
    let side = |(name, position): (&str, String)| json!({"name": name, "position": position, "persona": "advocate"});
    (format.profile.cast)([("Pro", yes), ("Con", no)].map(side))
}

/// The positions of both sides, each a sentence that can be argued without seeing the topic: prompts end with "make your
/// case for this position: …". A topic too long for that is still shown above it.
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
