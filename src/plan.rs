//! From jobs to plans: one resolved debate each, with a stable id and seed. Pure.

mod control;
mod debate_labels;
mod setup;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub use self::control::Control;
pub use self::debate_labels::DebateLabels;
pub use self::setup::Setup;
use crate::digest;
use crate::id::DebateId;
use crate::job::background::Background;
use crate::job::panel::Panel;
use crate::job::participant::Participant;
use crate::job::problem::{self, Place, Problem};
use crate::job::script::Script;
use crate::job::{
    Draft, FormatSettings, Job, NextCell, OnFailure, OutputOptions, Settings, THE_TEAM,
};
use crate::question::Posed;
use crate::templates::Templates;
use crate::text::{self, grouped};

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
    /// Which run of its cell this is, from 1.
    pub repetition: u32,
    /// Whether the built-in participant plays instead of models.
    pub rehearsal: bool,
    /// The script from which it replies, where there is one for the topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Script>,
    /// The question with a known answer, where the debate is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posed: Option<Posed>,
    /// What it controls, where it is no debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// What the matrix assigned, by path.
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
    /// What distinguishes this debate from any other (row J9a). Keys at their default are left out, so that a setting
    /// that is added later changes no id.
    pub fn identity(&self) -> Value {
        let participants = self.participants.iter();
        let participants: Map<String, Value> = participants
            .map(|p| (p.id.clone(), identity_of(p)))
            .collect();
        let (settings, default_settings) = self.format.values();
        let all = json!({
            "version": self.version,
            "format": self.format.name(),
            "topic": self.question(),
            "background": self.background,
            "rules": self.rules,
            "language": self.language,
            "participants": participants,
            "settings": without_defaults(&settings, &default_settings),
            "on_failure": self.on_failure,
            "seed": self.seed,
            "repetition": self.repetition,
            "rehearsal": self.rehearsal,
            "script": self.script.as_ref().map(|script| script.identity(&self.topic)),
            "posed": self.posed.as_ref().map(Posed::identity),
            "control": self.control.as_ref().map(Control::identity),
        });
        let defaults = json!({"background": [], "rules": [], "language": null, "settings": {}, "on_failure": OnFailure::Emergency, "repetition": 1, "rehearsal": false, "script": null, "posed": null, "control": null});
        without_defaults(&all, &defaults)
    }

    /// The ids that the same debate had in earlier versions of the plan's meaning.
    pub fn earlier_ids(&self) -> impl Iterator<Item = DebateId> {
        let identity = self.identity();
        (1..self.version).map(move |version| {
            let mut earlier = identity.clone();
            earlier["version"] = json!(version);
            DebateId::from_identity(&earlier)
        })
    }

    /// The first 12 digits of the id, as directory names and messages show it.
    pub fn short_id(&self) -> &str {
        self.id.short()
    }

    /// What is debated: the whole query where there is one, else the motion.
    pub fn question(&self) -> &str {
        self.query.as_deref().unwrap_or(&self.topic)
    }

    /// What is debated, as prompts have it: with the choices of a question.
    pub fn motion(&self) -> &str {
        match self.posed {
            Some(_) => self.question(),
            None => &self.topic,
        }
    }

    /// What a debate shares with those that differ in who argues for what, and with their controls: a digest. Debates without a
    /// question are alone: their id.
    pub fn kin(&self) -> String {
        let Some(posed) = &self.posed else {
            return self.id.to_string();
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
        self.format
            .profile()
            .folders
            .iter()
            .copied()
            .chain(answer)
            .collect()
    }

    /// What lists call the debate: its title where the job gives one, else what is debated.
    pub fn heading(&self) -> &str {
        let Some(query) = &self.query else {
            return &self.topic;
        };
        let begins = text::one_line(query).starts_with(self.topic.trim_end_matches('…'));
        if begins { query } else { &self.topic }
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

    /// The shown name of a participant, or of the team where a verdict names that.
    pub fn name_of<'a>(&'a self, id: &'a str) -> &'a str {
        let other = if self.is_team(id) { THE_TEAM } else { id };
        self.participant(id).map_or(other, |p| p.name.as_str())
    }

    /// Whether an id is that of the side that several argue for in turn.
    pub fn is_team(&self, id: &str) -> bool {
        self.format.profile().team == Some(id)
    }

    /// The judges of the whole debate that the job lists.
    pub fn judges(&self) -> Vec<&Participant> {
        let all = self.participants.iter();
        all.filter(|p| p.role() == "judge").collect()
    }

    /// The judges that the job lists, else those of its format; both where listed judges come in addition to a team's.
    pub fn who_judges(&self) -> Vec<&Participant> {
        let mut judges = self.judges();
        if judges.is_empty() || self.format.profile().rotates {
            let role = self.format.judging_role();
            let all = self.participants.iter();
            judges.extend(all.filter(|p| Some(p.role()) == role));
        }
        judges
    }

    /// The model whose embeddings the debate's retrieval compares, where its format retrieves anything. It is optional:
    /// without it the debate goes on and says so.
    pub fn embedding_model(&self) -> Option<&str> {
        self.format.embedding_model()
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
        let participants = self.participants.iter();
        participants.flat_map(|p| p.models().map(|model| (model, p.context_window)))
    }
}

/// The same cells with the same repetition have the same seed, whatever else differs: they pair.
fn seed_of(job_seed: u64, repetition: u32) -> u64 {
    match repetition {
        1 => job_seed,
        _ => digest::derive(job_seed, &format!("repetition {repetition}")) >> 11,
    }
}

fn identity_of(participant: &Participant) -> Value {
    static DEFAULT: LazyLock<Value> = LazyLock::new(|| json!(Participant::default()));
    let mut value = without_defaults(&json!(participant), &DEFAULT);
    // It is the key that this stands under.
    value.as_object_mut().and_then(|fields| fields.remove("id"));
    if let Some(persona) = &participant.persona {
        value["persona"] = json!(persona.text);
    }
    value
}

/// `value` without the keys that equal those of `default`.
fn without_defaults(value: &Value, default: &Value) -> Value {
    let (Value::Object(fields), Value::Object(defaults)) = (value, default) else {
        return value.clone();
    };
    let mut fields = fields.clone();
    fields.retain(|key, value| defaults.get(key) != Some(value));
    Value::Object(fields)
}

/// The plans of one cell: they differ in repetition and in what follows from it.
struct CellPlans {
    plan: Plan,
    /// The seed of the first.
    seed: u64,
    /// What distinguishes the plan from any other, except its repetition.
    identity: Value,
    /// Those of the debates that it controls.
    controlled: Vec<CellPlans>,
}

impl CellPlans {
    fn new(job: &Job, settings: Settings, rehearsal: bool) -> Self {
        let controlled = settings
            .control
            .as_ref()
            .map(|control| control.debates.clone());
        let controlled = controlled
            .into_iter()
            .flatten()
            .map(|debate| Self::new(job, debate, rehearsal));
        let controlled: Vec<Self> = controlled.collect();
        let general = settings.general;
        let script = job
            .script()
            .filter(|script| rehearsal && script.is_for(&settings.topic));
        let plan = Plan {
            version: VERSION,
            // What it is follows from the others.
            id: DebateId::from_identity(&Value::Null),
            job: job.name.clone(),
            topic: settings.topic,
            query: settings.query,
            background: general.background,
            rules: general.rules,
            language: general.language,
            participants: settings.participants,
            format: settings.format,
            on_failure: general.on_failure,
            seed: general.seed,
            repetition: 1,
            rehearsal,
            script: script.cloned(),
            posed: settings.question,
            control: settings.control.map(|control| Control::new(&control)),
            cell: settings.cell,
            tags: general.tags,
            output: general.output,
            priority: general.priority,
            panel: general.panel.map(Arc::new),
        };
        Self {
            identity: plan.identity(),
            seed: plan.seed,
            plan,
            controlled,
        }
    }

    /// Goes on to the next cell; returns where it stands in the job file.
    fn next(before: Option<Self>, job: &Job, next: NextCell, rehearsal: bool) -> (Self, Place) {
        match (next, before) {
            (NextCell::Reseeded(next), Some(before)) => {
                (before.reseeded(next.seed, next.cell), next.place)
            }
            (NextCell::Read(settings), _) => {
                let place = settings.place.clone();
                (Self::new(job, *settings, rehearsal), place)
            }
            (NextCell::Reseeded(_), None) => unreachable!("the first cell is read"),
        }
    }

    /// Those of a cell with another seed and nothing else.
    fn reseeded(mut self, seed: u64, cell: Map<String, Value>) -> Self {
        self.seed = seed;
        self.plan.cell = cell;
        let identity = self.identity.as_object_mut();
        identity.and_then(|identity| identity.remove("repetition"));
        self
    }

    /// The plan of one repetition, from 1.
    fn run(&mut self, repetition: u32) -> &Plan {
        let debates = self
            .controlled
            .iter_mut()
            .map(|debate| debate.run(repetition).id.clone());
        let debates: Vec<DebateId> = debates.collect();
        let plan = &mut self.plan;
        if let Some(control) = &mut plan.control {
            control.debates = debates;
            self.identity["control"] = control.identity();
        }
        plan.seed = seed_of(self.seed, repetition);
        plan.repetition = repetition;
        self.identity["seed"] = json!(plan.seed);
        if repetition > 1 {
            self.identity["repetition"] = json!(repetition);
        }
        plan.id = DebateId::from_identity(&self.identity);
        plan
    }
}

/// The debates of one job, in order: cell by cell, each repeated.
pub fn debates<'a>(
    job: &'a Job,
    templates: &'a Templates,
    rehearsal: bool,
) -> impl Iterator<Item = Plan> + 'a {
    let mut before = None;
    let runs = (0..job.cells()).flat_map(|cell| (1..=job.repeat).map(move |n| (cell, n)));
    runs.map(move |(cell, repetition)| {
        if repetition == 1 {
            let next = job.next_cell(cell, templates);
            before = Some(CellPlans::next(before.take(), job, next, rehearsal).0);
        }
        let plans = before.as_mut().expect("the first repetition is first");
        plans.run(repetition).clone()
    })
}

/// Says which topics of a job's script none of its debates is on, if any.
pub fn unfit_script(job: &Job, templates: &Templates) -> Option<String> {
    let topics = (0..job.cells()).map(|cell| job.settings(cell, templates).topic);
    job.script()?.unfit(topics)
}

/// Maximum debates per command.
pub const MOST_DEBATES: usize = 1_000_000;

/// Too many debates for one command.
#[derive(Debug, thiserror::Error)]
#[error("{} debates are more than one command plans: the most is {}", grouped(*.0), grouped(MOST_DEBATES))]
pub struct TooManyDebates(usize);

/// Refuses more debates than one command plans.
pub fn check_count(debates: usize) -> Result<(), TooManyDebates> {
    if debates > MOST_DEBATES {
        return Err(TooManyDebates(debates));
    }
    Ok(())
}

/// Reads all of a job and passes on each of its debates, in order.
///
/// # Errors
/// Every problem of the file, or that cells of it are the same debate.
pub fn expand(
    draft: Draft,
    templates: &Templates,
    rehearsal: bool,
    mut each: impl FnMut(&Plan),
) -> Result<Job, Vec<Problem>> {
    let mut distinct = DistinctCells::default();
    let mut before = None;
    let job = draft.read(templates, |job, next| {
        let (runs, place) = CellPlans::next(before.take(), job, next, rehearsal);
        let runs = before.insert(runs);
        for repetition in 1..=job.repeat {
            let plan = runs.run(repetition);
            if repetition == 1 {
                distinct.take(job, templates, plan, &place);
            }
            each(plan);
        }
    })?;
    if distinct.same == 0 {
        Ok(job)
    } else {
        Err(problem::bounded(distinct.problems, distinct.same))
    }
}

/// Checks that no two cells of a job are the same debate.
#[derive(Default)]
struct DistinctCells {
    cells: HashMap<DebateId, usize>,
    taken: usize,
    /// How many cells repeat an earlier one, and the problems of the first of them.
    same: usize,
    problems: Vec<Problem>,
}

impl DistinctCells {
    /// Takes in the next cell, by its first plan.
    fn take(&mut self, job: &Job, templates: &Templates, plan: &Plan, place: &Place) {
        self.taken += 1;
        let Some(first) = self.cells.get(&plan.id) else {
            self.cells.insert(plan.id.clone(), self.taken);
            return;
        };
        self.same += 1;
        if self.same <= problem::MOST_REPORTED {
            let other = describe_cell(&job.settings(first - 1, templates).cell);
            let shown = describe_cell(&plan.cell);
            let problem = same(job, place.clone(), (*first, &other), (self.taken, &shown));
            self.problems.push(problem);
        }
    }
}

fn same(job: &Job, place: Place, first: (usize, &str), second: (usize, &str)) -> Problem {
    let (with, remedy) = match job.all_models() {
        Some(model) => (
            format!(" with --all-models {model}"),
            "drop the flag: the matrix varies models",
        ),
        None => (
            String::new(),
            "exclude one of them, or use `repeat` to run a cell several times",
        ),
    };
    Problem {
        file: job.path.clone(),
        place,
        cause: format!(
            "cells {} ({}) and {} ({}) of the matrix are the same debate{with}",
            first.0, first.1, second.0, second.1
        ),
        remedy: remedy.to_owned(),
        excerpt: None,
    }
}

/// A cell on one line: `x.model=llama3 seed=2`.
pub fn describe_cell(cell: &Map<String, Value>) -> String {
    let part = |(path, value): (&String, &Value)| {
        format!("{path}={}", text::shorten(&debate_labels::shown(value), 40))
    };
    let parts: Vec<String> = cell.iter().map(part).collect();
    text::shorten(&parts.join(" "), 120)
}
