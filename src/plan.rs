//! From jobs to plans: one resolved debate each, with a stable id and seed. Pure.

pub mod cells;
mod control;
mod debate_labels;
mod identity;
mod setup;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use self::control::Control;
pub use self::debate_labels::{ALONE, ARM, DebateLabels, arm_in_words, in_words, is_of_side};
pub use self::setup::Setup;
use crate::digest;
use crate::id::DebateId;
use crate::job::background::Background;
use crate::job::panel::Panel;
use crate::job::participant::Participant;
use crate::job::script::Script;
use crate::job::subjects::is_cut_from;
use crate::job::{FormatSettings, OnFailure, OutputOptions, THE_TEAM};
use crate::question::Posed;

/// The version of the meaning of a plan; a changed default raises it, and with it every id.
pub const VERSION: u32 = 2;

/// One resolved debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`VERSION`].
    pub version: u32,
    /// The debate's id: SHA-256 of what [`Plan::identity`] holds, 64 hexadecimal digits.
    pub id: DebateId,
    /// The job's name.
    pub job: String,
    /// The job's file, as given; without one, the format's name. It is not part of the identity, nor of a snapshot.
    #[serde(skip)]
    pub file: PathBuf,
    /// The motion; of a query, what fits on one line.
    pub topic: String,
    /// The whole query, in formats that take one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Facts for every participant.
    pub background: Vec<Background>,
    /// Rules for every participant and judge.
    pub rules: Vec<String>,
    /// The language of the debate; `None` where prompts do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Everyone who takes part, in the order of the format.
    pub participants: Vec<Participant>,
    /// The format and its settings.
    pub format: FormatSettings,
    /// What to do when a participant cannot be made to reply.
    pub on_failure: OnFailure,
    /// The debate's seed.
    pub seed: u64,
    /// The number of the run in its cell, from 1.
    pub repetition: u32,
    /// Whether the built-in participant plays instead of models.
    pub rehearsal: bool,
    /// The script from which it replies, if there is one for the topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Script>,
    /// The question with a known answer, where the debate is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posed: Option<Posed>,
    /// What it controls, where it is not a debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Values from the matrix, by path.
    pub cell: Map<String, Value>,
    /// The job's tags.
    pub tags: BTreeMap<String, String>,
    /// What is written beside the usual artifacts.
    pub output: OutputOptions,
    /// The panel that reads it once it is finished. It is not part of the identity, nor of a snapshot: another panel is no other debate.
    #[serde(skip)]
    pub panel: Option<Arc<Panel>>,
    /// Debates with a higher one begin first. It is not part of the identity.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub priority: i32,
}

/// Whether a priority is that of a job without one.
fn is_usual(priority: &i32) -> bool {
    *priority == 0
}

impl Plan {
    /// The first 12 digits of the id, as directory names and messages show it.
    pub fn short_id(&self) -> &str {
        self.id.short()
    }

    /// What is debated: the whole query if there is one, otherwise the motion.
    pub fn question(&self) -> &str {
        self.query.as_deref().unwrap_or(&self.topic)
    }

    /// What is debated, as prompts have it: with the choices of a question.
    pub fn motion(&self) -> &str {
        if self.posed.is_some() { self.question() } else { &self.topic }
    }

    /// What names the job beside others of its name: `duel (zoo/duel.yaml)`.
    pub fn named_job(&self) -> String {
        let file = self.file.components().filter(|part| *part != Component::CurDir);
        format!("{} ({})", self.job, file.collect::<PathBuf>().display())
    }

    /// What tells it from all debates that were taken in: its topic, unless all have the same, and its settings; in about `most`
    /// characters.
    pub fn mark(&self, labels: &DebateLabels, most: usize) -> String {
        let label = labels.label(&self.job, &self.cell, self.repetition);
        if labels.have_one_subject() {
            return label;
        }
        let room = most.saturating_sub(label.chars().count() + 1).max(most / 2);
        let topic = labels.subject(&self.job, self.heading(), room);
        format!("{topic} {label}").trim_end().to_owned()
    }

    /// What a debate shares with those that differ in who argues for what, and with their controls: a digest. Debates without a
    /// question share with their controls their id.
    pub fn kin(&self) -> String {
        let Some(posed) = &self.posed else {
            let control = self.control.as_ref();
            let debate = control.and_then(|control| control.debates.first());
            return debate.unwrap_or(&self.id).to_string();
        };
        let mut cell = self.cell.clone();
        cell.retain(|path, _| !["swap", "arm"].contains(&path.as_str()));
        digest::of_json(
            &json!({"job": self.job, "cell": cell, "question": [posed.question.text, posed.question.choices], "seed": self.seed, "repetition": self.repetition}),
        )
    }

    /// The folders of templates that shape the debate beside that of its format's name.
    pub fn folders(&self) -> Vec<&'static str> {
        let answer = self.posed.as_ref().map(|_| "prompts/answer/");
        self.format.profile.folders.iter().copied().chain(answer).collect()
    }

    /// What lists call the debate: its title if the job gives one, otherwise what is debated.
    pub fn heading(&self) -> &str {
        let Some(query) = &self.query else { return &self.topic };
        if is_cut_from(&self.topic, query) { query } else { &self.topic }
    }

    /// Whether the debate is in English.
    pub fn is_in_english(&self) -> bool {
        let language = self.language.as_deref();
        language.is_none_or(|language| language.eq_ignore_ascii_case("English"))
    }

    /// The seed of what is drawn in the debate. It varies with the topic, so that no seat is favoured over many topics, and
    /// with nothing but topic and seed, so that debates of other models on the same topic draw alike and pair.
    pub fn draw_seed(&self) -> u64 {
        digest::derive(self.seed, &format!("topic/{}", self.question()))
    }

    /// A participant by id.
    pub fn participant(&self, id: &str) -> Option<&Participant> {
        self.participants.iter().find(|p| p.id == id)
    }

    /// The side for which somebody argues.
    pub fn side_of(&self, id: &str) -> Option<&str> {
        self.format.profile.side(self.participant(id)?)
    }

    /// Whether two argue for one position: on the same side, unless members of a team have positions of their own.
    pub fn argue_alike(&self, one: &str, other: &str) -> bool {
        let stand = |id: &str| (self.side_of(id), self.participant(id).map(|it| &it.position));
        stand(one) == stand(other)
    }

    /// The shown name of a participant, or of the team where a verdict names that.
    pub fn name_of<'a>(&'a self, id: &'a str) -> &'a str {
        let other = if self.is_team(id) { THE_TEAM } else { id };
        self.participant(id).map_or(other, |p| p.name.as_str())
    }

    /// Whether an id is that of the side that several argue for in turn.
    pub fn is_team(&self, id: &str) -> bool {
        self.format.profile.team == Some(id)
    }

    /// The judges of the whole debate that the job lists.
    pub fn judges(&self) -> Vec<&Participant> {
        self.participants.iter().filter(|p| p.role() == "judge").collect()
    }

    /// The judges that the job lists, otherwise those of its format; both where listed judges come in addition to a team's.
    pub fn who_judges(&self) -> Vec<&Participant> {
        let mut judges = self.judges();
        if judges.is_empty() || self.format.profile.rotates {
            let role = self.format.judging_role;
            judges.extend(self.participants.iter().filter(|p| Some(p.role()) == role));
        }
        judges
    }

    /// The model whose embeddings the debate's retrieval compares, where its format retrieves anything. It is optional:
    /// without it the debate goes on and says so.
    pub fn embedding_model(&self) -> Option<&str> {
        self.format.embedding_model.as_deref()
    }

    /// What decides how much the debate takes.
    pub fn setup(&self) -> Setup {
        let others = (&self.format, &self.output, &self.rules, &self.language);
        Setup::new(&self.participants, &self.background, &format!("{others:?}"))
    }

    /// Every model the debate may use, each once, by name.
    pub fn models(&self) -> BTreeSet<&str> {
        self.contexts().map(|(model, _)| model).collect()
    }

    /// Every model the debate may use, with the context that a participant wants of it.
    pub fn contexts(&self) -> impl Iterator<Item = (&str, u32)> {
        self.participants.iter().flat_map(|p| p.models().map(|model| (model, p.context_window)))
    }
}
