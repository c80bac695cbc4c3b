//! All of one debate: the fold of its events, in one uniform shape for every format. Artifacts and statistics are
//! rendered from it and from nothing else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::event::{
    Ballot, Complete, DebateStart, Event, Incident, Judge, Memory, ModelCard, Origin, Outcome,
    Reading, Rotation, RoundNotes, Statement, Status, Usage, What,
};
use crate::files::{self, FileError};
use crate::job::FormatSettings;
use crate::job::participant::Participant;
use crate::plan::Plan;

/// The version of the shape of `trace.json`: readers refuse another major and accept any minor.
pub const SCHEMA_VERSION: &str = "1.0";

/// All of one debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trace {
    /// [`SCHEMA_VERSION`].
    pub schema_version: String,
    /// The debate's id, 64 hexadecimal digits.
    pub id: String,
    /// How it ended.
    pub status: Status,
    /// Why it is not `done`, in words.
    pub cause: Option<String>,
    /// Whether the built-in participant played instead of models.
    pub rehearsal: bool,
    /// The format.
    pub format: String,
    /// The motion.
    pub topic: String,
    /// The job's name.
    pub job: String,
    /// The job's tags.
    pub tags: BTreeMap<String, String>,
    /// When it first began.
    pub started_at: DateTime<Utc>,
    /// When its last reply was on disk.
    pub ended_at: DateTime<Utc>,
    /// The version of `rebut` that began it.
    pub rebut: String,
    /// What was planned.
    pub plan: TracePlan,
    /// Who took part.
    pub participants: Vec<TraceParticipant>,
    /// The models, as the server described them.
    pub models: Vec<ModelCard>,
    /// What was said, in order.
    pub statements: Vec<Statement>,
    /// Judges' scores and votes by round.
    pub ballots: Vec<Ballot>,
    /// What the votes of each round came to.
    pub rotations: Vec<Rotation>,
    /// The notes on each round.
    pub rounds: Vec<RoundNotes>,
    /// What each agent remembered at the end.
    pub memories: BTreeMap<String, Memory>,
    /// Judgments of the whole debate.
    pub verdicts: Vec<Verdict>,
    /// Answers to a question with a known answer, for control runs.
    pub answers: Vec<Answer>,
    /// Labels that people or tools gave.
    pub labels: Vec<Label>,
    /// What it came to; `null` where it failed.
    pub outcome: Option<Outcome>,
    /// What it used.
    pub usage: Usage,
    /// How long it took.
    pub timing: Timing,
    /// Everything that did not go as asked.
    pub incidents: Vec<Incident>,
    /// The format's own record.
    pub record: Value,
}

/// What was planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TracePlan {
    /// `debate`, or the kind of control run.
    pub arm: String,
    /// What this debate pairs with.
    pub pairing: Pairing,
    /// The debate's seed.
    pub seed: u64,
    /// The known answer, where there is one.
    pub expected: Option<Value>,
    /// The version of the plan's meaning.
    pub version: u32,
    /// Facts for every participant.
    pub background: Value,
    /// Rules for every participant and judge.
    pub rules: Vec<String>,
    /// The format's settings.
    pub settings: Map<String, Value>,
    /// `emergency` or `abort`.
    pub on_failure: String,
    /// What is written beside the usual artifacts.
    pub output: Value,
    /// The digest of the snapshot of plan, personas and templates.
    pub inputs: String,
}

/// What a debate pairs with: the same cell or the same repetition of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pairing {
    /// What the matrix assigned, by path.
    pub cell: Map<String, Value>,
    /// Which run of its cell this is, from 1.
    pub repetition: u32,
}

/// Who took part, and with what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceParticipant {
    /// The id.
    pub id: String,
    /// The name that is shown.
    pub name: String,
    /// What it stands for.
    pub position: String,
    /// The persona's name.
    pub persona: Option<String>,
    /// Whether it argues (others moderate or keep notes).
    pub contestant: bool,
    /// Whether it made the first argument.
    pub spoke_first: bool,
    /// Whether it made the last argument.
    pub spoke_last: bool,
    /// The models behind its statements; its own first.
    pub models: Vec<ModelUse>,
    /// Statements on the record that a model gave.
    pub statements: u64,
    /// Tokens it spoke.
    pub tokens: u64,
    /// Its configured model and sampling.
    pub sampling: Map<String, Value>,
}

/// A model behind a participant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelUse {
    /// Ollama's name of it.
    pub name: String,
    /// The digest of its weights.
    pub digest: Option<String>,
    /// Its quantization.
    pub quantization: Option<String>,
    /// Its family.
    pub family: Option<String>,
    /// Statements it gave for this participant.
    pub statements: u64,
}

/// A judgment of the whole debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// `own` for the debate's own judges; others may be added later.
    pub source: String,
    /// What was judged by.
    pub rubric: Rubric,
    /// Who judged, and how.
    pub judges: Vec<VerdictJudge>,
    /// The winner's id, `draw`, or `null` without a judgment.
    pub winner: Option<String>,
    /// What the winner rests on.
    pub winner_reason: Option<String>,
}

/// What was judged by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rubric {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The digest of its text.
    pub digest: String,
}

/// A judge of the whole debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictJudge {
    /// Who.
    #[serde(flatten)]
    pub judge: Judge,
    /// Its judgments, one for each reading order.
    pub readings: Vec<Reading>,
}

/// An answer to a question with a known answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Who answered.
    pub by: String,
    /// When in the debate: `before`, `after` or a round.
    pub stage: String,
    /// The answer.
    pub value: Value,
}

/// A label from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Label {
    /// Who or what gave it.
    pub source: String,
    /// What it is about.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// How long a debate took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// From its first start to its last reply, interruptions included.
    pub total_ms: u64,
    /// Time the servers spent on its calls, added up.
    pub model_ms: u64,
    /// Each round's model time: what would pass with judges answering at once.
    pub rounds_ms: Vec<u64>,
}

/// Why events do not make a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// The first event does not begin a debate.
    #[error("the first event is not debate_start")]
    NoStart,
    /// No event ends the debate.
    #[error("the events do not end with complete")]
    NoEnd,
}

/// Why a file is no trace that this program reads.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is too large to be one.
    #[error("{}: it has {size} bytes, the most is {MOST_BYTES}", path.display())]
    Large {
        /// The file.
        path: PathBuf,
        /// Its size.
        size: u64,
    },
    /// Its JSON is damaged or something else.
    #[error("{}: it is no trace: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another version wrote it.
    #[error("{}: its schema version is {version}, this program reads {SCHEMA_VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version.
        version: String,
    },
}

/// The largest trace that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

#[derive(Deserialize)]
struct Version {
    schema_version: String,
}

impl Trace {
    /// Reads `trace.json`; another major version is refused, any minor is accepted.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let size = path.metadata().map(|m| m.len()).unwrap_or(0);
        if size > MOST_BYTES {
            return Err(ReadError::Large {
                path: path.to_path_buf(),
                size,
            });
        }
        let bytes = files::read(path)?;
        let foreign = |e: serde_json::Error| ReadError::Foreign {
            path: path.to_path_buf(),
            reason: e.to_string(),
        };
        let version = serde_json::from_slice::<Version>(&bytes)
            .map_err(foreign)?
            .schema_version;
        if version.split('.').next() != SCHEMA_VERSION.split('.').next() {
            return Err(ReadError::Version {
                path: path.to_path_buf(),
                version,
            });
        }
        let trace: Self = serde_json::from_slice(&bytes).map_err(foreign)?;
        match trace.unsafe_name() {
            None => Ok(trace),
            Some(name) => Err(ReadError::Foreign {
                path: path.to_path_buf(),
                reason: format!("`{name}` names nothing in a debate"),
            }),
        }
    }

    /// An id that could not have come from a plan: ids become parts of file names.
    fn unsafe_name(&self) -> Option<&str> {
        let hex = self.id.len() == 64 && self.id.bytes().all(|b| b.is_ascii_hexdigit());
        let slug = |id: &str| {
            !id.is_empty()
                && id.len() <= 40
                && id
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        };
        let speakers = self.statements.iter().map(|s| s.by.as_str());
        if hex {
            speakers.into_iter().find(|by| !slug(by))
        } else {
            Some(&self.id)
        }
    }

    /// Folds events into a trace. `record` is the format's own part, which the format makes.
    pub fn fold(events: &[Event], record: Value) -> Result<Self, TraceError> {
        let Some((
            Event {
                what: What::DebateStart(start),
                time,
                ..
            },
            rest,
        )) = events.split_first()
        else {
            return Err(TraceError::NoStart);
        };
        let Some(Event {
            what: What::Complete(complete),
            ..
        }) = rest.last()
        else {
            return Err(TraceError::NoEnd);
        };
        let ended_at = events.iter().map(|e| e.time).max().unwrap_or(*time);
        let mut trace = Self::begin(start, *time, complete, ended_at);
        rest.iter().for_each(|event| trace.add(&event.what));
        trace.finish(start, complete);
        trace.record = record;
        Ok(trace)
    }

    fn begin(
        start: &DebateStart,
        started_at: DateTime<Utc>,
        complete: &Complete,
        ended_at: DateTime<Utc>,
    ) -> Self {
        let plan = &start.plan;
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            id: plan.id.clone(),
            status: complete.status,
            cause: complete.cause.clone(),
            rehearsal: plan.rehearsal,
            format: plan.format.name().to_owned(),
            topic: plan.topic.clone(),
            job: plan.job.clone(),
            tags: plan.tags.clone(),
            started_at,
            ended_at,
            rebut: start.rebut.clone(),
            plan: TracePlan::new(plan, &start.inputs),
            participants: Vec::new(),
            models: start.models.clone(),
            statements: Vec::new(),
            ballots: Vec::new(),
            rotations: Vec::new(),
            rounds: Vec::new(),
            memories: BTreeMap::new(),
            verdicts: Vec::new(),
            answers: Vec::new(),
            labels: Vec::new(),
            outcome: complete.outcome.clone(),
            usage: complete.usage.clone(),
            timing: Timing::default(),
            incidents: Vec::new(),
            record: Value::Null,
        }
    }

    fn add(&mut self, what: &What) {
        match what {
            What::Statement(statement) => self.statements.push(statement.clone()),
            What::Ballot(ballot) => self.ballots.push(ballot.clone()),
            What::Rotation(rotation) => self.rotations.push(rotation.clone()),
            What::Memory(update) => self.memories.extend(update.memories.clone()),
            What::Summary(notes) => self.add_notes(notes),
            What::Incident(incident) => self.incidents.push(incident.clone()),
            _ => {}
        }
    }

    fn add_notes(&mut self, notes: &RoundNotes) {
        for statement in &mut self.statements {
            if let Some(noted) = notes.gists.iter().find(|noted| noted.n == statement.n) {
                statement.gist.clone_from(&noted.gist);
            }
        }
        self.timing.rounds_ms.push(notes.model_ms);
        self.rounds.push(notes.clone());
    }

    fn finish(&mut self, start: &DebateStart, complete: &Complete) {
        self.participants = start
            .plan
            .participants
            .iter()
            .map(|p| self.participant(p))
            .collect();
        self.timing.total_ms = (self.ended_at - self.started_at)
            .num_milliseconds()
            .max(0)
            .unsigned_abs();
        self.timing.model_ms = complete
            .usage
            .by_purpose
            .values()
            .map(|u| u.prompt_ms + u.reply_ms)
            .sum();
    }

    fn participant(&self, p: &Participant) -> TraceParticipant {
        // An emergency reply is nobody's work.
        let own = || {
            self.statements
                .iter()
                .filter(|s| s.by == p.id && s.origin != Origin::Emergency)
        };
        let mut arguments = self
            .statements
            .iter()
            .filter(|s| s.origin != Origin::Template);
        TraceParticipant {
            id: p.id.clone(),
            name: p.name.clone(),
            position: p.position.clone(),
            persona: p.persona.as_ref().map(|persona| persona.name.clone()),
            contestant: !p.position.is_empty(),
            spoke_first: arguments.clone().next().is_some_and(|s| s.by == p.id),
            spoke_last: arguments.next_back().is_some_and(|s| s.by == p.id),
            models: self.models_of(p),
            statements: own().count() as u64,
            tokens: own().map(|s| s.tokens).sum(),
            sampling: sampling(p),
        }
    }

    fn models_of(&self, p: &Participant) -> Vec<ModelUse> {
        let gave = |model: &str| {
            self.statements
                .iter()
                .filter(|s| s.by == p.id && s.model.as_deref() == Some(model))
                .count() as u64
        };
        let used = p
            .models()
            .enumerate()
            .map(|(i, model)| (i, model, gave(model)));
        used.filter(|(i, _, statements)| *i == 0 || *statements > 0)
            .map(|(_, model, statements)| {
                let card = self
                    .models
                    .iter()
                    .find(|known| known.name == model)
                    .map(|known| known.card.clone())
                    .unwrap_or_default();
                ModelUse {
                    name: model.to_owned(),
                    digest: card.digest,
                    quantization: card.quantization,
                    family: card.family,
                    statements,
                }
            })
            .collect()
    }

    /// The shown name of a participant, `Moderator` for the texts of ours.
    pub fn name_of<'a>(&'a self, id: &'a str) -> &'a str {
        let found = self.participants.iter().find(|p| p.id == id);
        found.map_or(if id == "moderator" { "Moderator" } else { id }, |p| {
            p.name.as_str()
        })
    }
}

impl TracePlan {
    fn new(plan: &Plan, inputs: &str) -> Self {
        Self {
            arm: "debate".to_owned(),
            pairing: Pairing {
                cell: plan.cell.clone(),
                repetition: plan.repetition,
            },
            seed: plan.seed,
            expected: None,
            version: plan.version,
            background: json!(plan.background),
            rules: plan.rules.clone(),
            settings: settings_of(&plan.format),
            on_failure: json!(plan.on_failure)
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            output: json!(plan.output),
            inputs: inputs.to_owned(),
        }
    }
}

/// A format's settings by key, as a job file names them.
pub fn settings_of(format: &FormatSettings) -> Map<String, Value> {
    let tagged = json!(format);
    tagged[format.name()]
        .as_object()
        .cloned()
        .unwrap_or_default()
}

fn sampling(p: &Participant) -> Map<String, Value> {
    let all = json!(p);
    let keys = [
        "model",
        "fallback",
        "temperature",
        "max_tokens",
        "context_window",
        "think",
        "thinking_tokens",
        "description",
    ];
    keys.iter()
        .map(|key| ((*key).to_owned(), all[*key].clone()))
        .collect()
}
