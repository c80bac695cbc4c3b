//! `rebut new tournament`: a job in which every model meets every other, balanced so that only the model decides.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::process::failure::Failure;
use super::shell;
use super::terminal::print;
use crate::files;
use crate::job::models::model_name::{canonical, same_model};
use crate::job::subjects::TOPIC;
use crate::job::subjects::topics_file::{self, ListedTopic};
use crate::stats::too_few_topics;
use crate::templates::Templates;
use crate::text;

/// The default topics.
const TOPICS: &str = "tournament/topics.txt";

/// How often two models meet on a topic.
const MEETINGS: usize = 4;
/// Maximum debates: as many cells as a job's matrix may have.
const MOST_DEBATES: usize = 100_000;

/// Arguments for tournaments only.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "For a tournament")]
pub(super) struct TournamentArgs {
    /// Models that compete, at least two
    #[arg(
        long,
        value_name = "MODEL,…",
        value_delimiter = ',',
        required_if_eq("format", "tournament")
    )]
    models: Vec<String>,
    /// Models that judge and do not compete, at least one; the first also keeps the notes
    #[arg(
        long,
        value_name = "MODEL,…",
        value_delimiter = ',',
        required_if_eq("format", "tournament")
    )]
    judges: Vec<String>,
    /// File of yes-or-no questions, as for `topics:`: .txt with one per line, or .csv, .jsonl or .json, whose further columns become
    /// tags [default: 40 built-in questions]
    #[arg(long, value_name = "FILE")]
    topics: Option<PathBuf>,
}

impl TournamentArgs {
    /// Whether none is given.
    pub(super) fn is_empty(&self) -> bool {
        self.models.is_empty() && self.judges.is_empty() && self.topics.is_none()
    }

    /// The job.
    pub(super) fn job(&self, templates: &Templates) -> Result<String, Failure> {
        let models = names("--models", &self.models)?;
        let judges = names("--judges", &self.judges)?;
        if models.len() < 2 {
            let cause = "a tournament needs two or more models";
            return Err(Failure::input(cause, "use for example --models llama3,mistral"));
        }
        if let Some(both) = judges.iter().find(|judge| models.contains(judge)) {
            let cause = format!("{both} can't both compete and judge");
            let hint =
                "choose a judge that is not among --models: models tend to favour their own texts";
            return Err(Failure::input(cause, hint));
        }
        let topics = self.read_topics(templates)?;
        too_few_topics(topics.len()).iter().for_each(|few| print::warn(few));
        let debates = models.len() * (models.len() - 1) / 2 * MEETINGS * topics.len();
        if debates > MOST_DEBATES {
            let hint = "use fewer models, or fewer topics with --topics";
            let [debates, most] = [debates, MOST_DEBATES].map(text::grouped);
            let cause = format!("{debates} debates exceed the limit of {most} per job");
            return Err(Failure::input(cause, hint));
        }
        let context = context(&models, &judges, &topics, self.topics.as_deref());
        Ok(templates.render("tournament/job.yaml.j2", context)?)
    }

    /// The topics of the file, as a job's `topics:` reads them.
    fn read_topics(&self, templates: &Templates) -> Result<Vec<ListedTopic>, Failure> {
        let (path, source) = match &self.topics {
            Some(path) => (&**path, files::read_text(path)?),
            None => (Path::new(TOPICS), templates.source(TOPICS).unwrap_or_default().to_owned()),
        };
        let name = path.to_string_lossy();
        let motions = ("topic", (TOPIC, false));
        let (topics, faults) = topics_file::listed(&name, &source, motions, |_| Ok(()));
        match faults.into_iter().next() {
            Some(it) => Err(Failure::input(format!("{name}:{}: {}", it.line, it.cause), it.remedy)),
            None => Ok(topics),
        }
    }
}

/// Names of models, each once.
fn names(flag: &str, given: &[String]) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = Vec::new();
    for name in given.iter().map(|name| canonical(name.trim())) {
        if name.is_empty() || name.contains(char::is_whitespace) {
            let cause = format!("`{name}` in {flag} is not a model name");
            let hint = "separate names with commas, for example llama3:8b,mistral";
            return Err(Failure::input(cause, hint));
        }
        if names.iter().any(|known| same_model(known, name)) {
            return Err(Failure::input(format!("{flag} names {name} twice"), "name it once"));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// The values of the template.
fn context(
    models: &[String],
    judges: &[String],
    topics: &[ListedTopic],
    file: Option<&Path>,
) -> Value {
    let pairs = models
        .iter()
        .enumerate()
        .flat_map(|(i, one)| models[i + 1..].iter().map(move |other| [one, other]));
    let pair = |[one, other]: [&String; 2]| json!({"names": [one, other], "meetings": meetings(one, other)});
    let pairs: Vec<Value> = pairs.map(pair).collect();
    let judging: Vec<String> = judges.iter().map(|it| scalar(it)).collect();
    let are_tagged = topics.iter().any(|it| !it.tags.is_empty());
    json!({
        "models": text::joined(models, "and"),
        "command": command(models, judges, file),
        "judges": judging,
        "debates": pairs.len() * MEETINGS * topics.len(),
        "axis": if are_tagged { "subject" } else { "topic" },
        "topics": topics.iter().map(|it| entry(it, are_tagged)).collect::<Vec<_>>(),
        "pairs": pairs,
    })
}

/// A topic in the matrix, alone or with its tags.
fn entry(listed: &ListedTopic, with_tags: bool) -> String {
    let topic = scalar(&listed.topic);
    if !with_tags {
        return topic;
    }
    let tag = |(name, value): &(String, String)| {
        format!(", {}: {}", scalar(&format!("tags.{name}")), scalar(value))
    };
    let tags: String = listed.tags.iter().map(tag).collect();
    format!("{{topic: {topic}{tags}}}")
}

/// The command that writes such a job.
fn command(models: &[String], judges: &[String], file: Option<&Path>) -> String {
    let topics = file.map_or_else(String::new, |file| {
        format!(" --topics {}", shell::quoted(&file.to_string_lossy()))
    });
    let [models, judges] = [models, judges].map(|names| names.join(","));
    format!("rebut new tournament --models {models} --judges {judges}{topics}")
}

/// The four meetings of two models on a topic. The first speaker, the side that argues for yes and the personas are the three
/// factors of half of a 2³ design: each is balanced between the two models, and so is any pair of factors.
fn meetings(one: &str, other: &str) -> Vec<Value> {
    let seat = |model: &str, yes: bool, persona: &str| {
        let (name, position) =
            if yes { ("Pro", "The answer is yes") } else { ("Con", "The answer is no") };
        json!({"model": scalar(model), "name": name, "position": position, "persona": persona})
    };
    let meeting = |(a, b, yes, economist): (&str, &str, bool, bool)| {
        let (first, second) =
            if economist { ("economist", "philosopher") } else { ("philosopher", "economist") };
        json!({"a": seat(a, yes, first), "b": seat(b, !yes, second)})
    };
    let four = [
        (one, other, true, true),
        (one, other, false, false),
        (other, one, false, true),
        (other, one, true, false),
    ];
    four.into_iter().map(meeting).collect()
}

/// A text as a YAML scalar, quoted if necessary.
fn scalar(text: &str) -> String {
    const WORDS: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "y"];
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._/-".contains(c);
    let in_words = |c: char| c.is_alphanumeric() || " ?!.'’()/%-".contains(c);
    let plain = text.starts_with(char::is_alphabetic)
        && !WORDS.contains(&text.to_lowercase().as_str())
        && (text.chars().all(is_name) || text.contains(' ') && text.chars().all(in_words));
    if plain { text.to_owned() } else { Value::from(text).to_string() }
}
