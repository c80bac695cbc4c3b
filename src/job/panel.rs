//! `panel.yaml`: the judges of finished debates, their readings, and the rules for a verdict.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::cast::JUDGING;
use super::checks;
use super::criteria::{self, Criteria, SCALE_OF_TWO};
use super::input_files;
use super::job_text::{JobText, Mapping};
use super::models::cloud;
use super::models::model_name::same_model;
use super::participant::{self, Participant};
use super::problem::unknown_keys::is_misspelt;
use super::problem::{Problem, Problems};
use super::reader::Reader;
use super::settings_macro::{SettingsGroup, section, settings};
use super::shape::{
    Key, Shape, by_name, choice, derived, flag, list, nullable, number, text, whole,
};
use super::tree::Data;
use super::yaml;
use crate::templates::Templates;
use crate::text;

/// Maximum judges of a panel, and the most substitutes.
const MOST: usize = 20;
/// Maximum criteria: their keys are numbered, and ten would precede two in the alphabet.
const MOST_CRITERIA: usize = 9;
/// Votes that make a verdict, where the panel does not say and has as many judges.
const QUORUM: u32 = 2;

/// The layout of the record for judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ViewKind {
    /// In the order of the debate.
    Chronological,
    /// All statements of one side, then all of the other.
    Dossier,
}

/// The reading orders of each judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Orders {
    /// Both orders.
    Both,
    /// One order, drawn at random: the effect of the order remains unknown.
    One,
}

/// In which order criteria are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriteriaOrder {
    /// Each comes first as often as every other.
    Rotate,
    /// Always by name.
    Fixed,
}

/// How close to a debater a judge may not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecuseBy {
    /// The same weights, or the same name.
    Digest,
    /// These, or made from the same model.
    Lineage,
    /// These, or of the same family.
    Family,
}

/// What becomes of a judge that is recused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recused {
    /// It is asked all the same, and never votes: what it would have done measures the bias that was avoided.
    Shadow,
    /// It is not asked.
    Drop,
}

settings! {
    /// Conditions under which a judge does not vote.
    #[derive(Copy)]
    pub struct Recuse {
        /// What recuses a judge: sharing the weights or name of a debater's model (digest), or also an ancestor (lineage), or also the family (family)
        by: RecuseBy = RecuseBy::Family, choice::<RecuseBy>();
        /// shadow: a recused judge is asked but never votes; drop: it is not asked
        r#as: Recused = Recused::Shadow, choice::<Recused>();
    }
}

settings! {
    /// Conditions for a verdict.
    pub struct Tally {
        /// Maximum difference between two totals that count as tied
        tie_within: f64 = 0.0, number(0.0..=10.0);
        /// Minimum votes for a verdict, including ties; by default 2, or 1 for a single judge
        quorum: Option<u32> = None, derived(whole(1..=20));
    }
}

settings! {
    /// How a panel reads and votes.
    pub struct PanelSettings {
        /// The panel's name, for selecting it in statistics; by default, the file's
        name: String = String::new(), text(1..=60);
        /// Whether each judge reads in both orders; a side then gets the vote only if it is ahead in both
        orders: Orders = Orders::Both, choice::<Orders>();
        /// Share of debates that each judge reads again in the same order, to measure chance
        repeat_share: f64 = 0.2, number(0.0..=1.0);
        /// chronological: statements in the order of the debate; dossier: all of one side, then all of the other
        view: ViewKind = ViewKind::Chronological, choice::<ViewKind>();
        /// Criteria that judges score from 0 to 10; the ones listed replace all defaults
        criteria: Criteria = criteria::of_two(), criteria::shape(SCALE_OF_TWO, criteria::of_two());
        /// The same for the two answers of debates that end with one, such as dialectics
        answer_criteria: Criteria = criteria::of_an_answer(SCALE_OF_TWO), criteria::shape(SCALE_OF_TWO, criteria::of_an_answer(SCALE_OF_TWO));
        /// rotate: each criterion comes first equally often; fixed: by name
        criteria_order: CriteriaOrder = CriteriaOrder::Rotate, choice::<CriteriaOrder>();
        /// Conditions under which a judge does not vote
        recuse: Recuse = Recuse::default(), section::<Recuse>();
        /// Families of models, by model name or its beginning; others are derived from the server's data, then from the name
        families: BTreeMap<String, String> = BTreeMap::new(), by_name(text(1..=60));
        /// Whether to allow models that run in Ollama's cloud
        allow_cloud: bool = false, flag();
        /// Conditions for a verdict
        rule: Tally = Tally::default(), section::<Tally>();
    }
}

/// A panel that holds no problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// The file.
    #[serde(default)]
    pub path: PathBuf,
    /// How it reads and votes.
    #[serde(flatten)]
    pub settings: PanelSettings,
    /// Who judges, as `panel_1`, `panel_2`…
    pub judges: Vec<Participant>,
    /// Who takes a recused judge's seat, in order, as `substitute_1`…
    pub substitutes: Vec<Participant>,
}

/// How to get a panel's file.
pub const HOW_TO_WRITE_ONE: &str = "`rebut new panel FILE` writes a panel";

impl Panel {
    /// Reads and validates a file.
    ///
    /// # Errors
    /// Every problem that was found, in the order of the file.
    pub fn load(path: &Path, templates: &Templates) -> Result<Self, Vec<Problem>> {
        let panel = Self::parse(path, &input_files::read_job(path, HOW_TO_WRITE_ONE)?, templates);
        panel.map_err(|problems| match problems.iter().find(|it| is_of_a_job(it)) {
            // One by one they would say nothing more.
            Some(found) => vec![Problem {
                cause: "this is a job, not a panel".to_owned(),
                remedy: HOW_TO_WRITE_ONE.to_owned(),
                ..found.clone()
            }],
            None => problems,
        })
    }

    /// Like [`Panel::load`], from text.
    ///
    /// # Errors
    /// The same.
    pub fn parse(path: &Path, source: &str, templates: &Templates) -> Result<Self, Vec<Problem>> {
        let problems = Problems::new(path, source);
        let panel = read(path, source, templates, &problems);
        problems.unless_any(panel)
    }

    /// Judges, then substitutes.
    pub fn people(&self) -> impl Iterator<Item = &Participant> {
        self.judges.iter().chain(&self.substitutes)
    }

    /// Minimum votes that make a verdict.
    pub fn quorum(&self) -> u32 {
        let all = self.judges.len() as u32;
        self.settings.rule.quorum.unwrap_or(QUORUM.min(all))
    }
}

/// Whether a problem is a key that only jobs have.
fn is_of_a_job(problem: &Problem) -> bool {
    let keys = ["topic", "query", "format"];
    keys.iter().any(|key| problem.cause == format!("unknown key `{key}`"))
}

/// The shape of a job's `panel`: the name of a file next to it.
pub(super) fn shape() -> Shape {
    nullable(text(1..=200).read_by(|reader, at, node| {
        let Some(name) = node.text() else {
            let remedy =
                "give a file name, such as `panel: panel.yaml`; `rebut new panel` writes one";
            return reader.refuse(at, node, "a panel's file", remedy);
        };
        let source = input_files::read_beside(reader.library.beside, name);
        let source = reader.problems.accept(&node.place, source)?;
        let path = reader.library.beside.join(name);
        let panel = Panel::parse(&path, &source, reader.library.templates);
        for Problem { cause, remedy, .. } in panel.as_ref().err().into_iter().flatten() {
            reader.problems.add(&node.place, format!("{name}: {cause}"), remedy);
        }
        Some(json!(panel.ok()?))
    }))
}

/// The keys of a panel's file.
pub(super) fn keys() -> Vec<Key> {
    let list = |least| list(Shape::Section(judge_keys()), least..=MOST);
    let judges = "The judges: a model each, with its sampling; no fallbacks, since another model is another judge";
    let substitutes = "Substitutes for recused judges, in order; asked only when needed";
    let mut keys = PanelSettings::default().keys();
    keys.insert(1, Key::new("judges", judges, list(1), ()).required());
    keys.insert(2, Key::new("substitutes", substitutes, list(0), json!([])));
    keys
}

/// The keys of a judge: model and sampling.
fn judge_keys() -> Vec<Key> {
    let why = "is not a key of judges: another model is another judge";
    let fallback = Key::refused("fallback", why, "list the model under `substitutes`");
    let own = participant::sampling_keys()
        .into_iter()
        .filter(|key| key.name != "fallback")
        .map(|key| if key.name == "model" { key.required() } else { key });
    own.chain([fallback]).collect()
}

fn read(path: &Path, source: &str, templates: &Templates, problems: &Problems) -> Option<Panel> {
    let tree = yaml::parse(source, problems)?;
    if !matches!(tree.data, Data::Map(_)) {
        let remedy = "`rebut new panel` writes one to start from";
        tree.refuse(problems, "a panel is a mapping of keys", remedy);
        return None;
    }
    let (reader, keys) = (Reader::new(problems, path, templates), keys());
    let job = JobText::read(reader, &tree, &keys);
    reader.refuse_unknown("", &keys, &tree, &|_| None);
    if tree.get("judges").is_none() && !is_misspelt("judges", &keys, &tree) {
        let remedy = "list the judges: `judges: [{model: gemma3:12b}]`";
        job.report(&tree.place, "a panel needs `judges`", remedy);
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let settings =
        job.group(&PanelSettings { name: stem.into_owned(), ..PanelSettings::default() });
    let panel = Panel {
        path: path.to_path_buf(),
        settings,
        judges: people(&job, "judges", "panel"),
        substitutes: people(&job, "substitutes", "substitute"),
    };
    check(&job, &panel);
    if !panel.settings.allow_cloud {
        let all: Vec<Participant> = panel.people().cloned().collect();
        cloud::check(&job, &all, None);
    }
    Some(panel)
}

fn people(job: &JobText<'_>, key: &str, id: &str) -> Vec<Participant> {
    let entries = job.entries(key, 0);
    let read = |(i, entry): (usize, &Mapping<'_>)| {
        let mut judge = participant::read(job, entry, &Participant::default());
        let is_lacking =
            entry.node.get("model").is_none() && !is_misspelt("model", &judge_keys(), entry.node);
        if is_lacking && !matches!(entry.node.data, Data::Null) {
            job.report(&entry.node.place, "a judge needs a `model`", "write `{model: NAME}`");
        }
        if !entry.given.contains_key("temperature") {
            judge.judging_temperature = Some(JUDGING);
        }
        (judge.id, judge.name) = (format!("{id}_{}", i + 1), format!("Judge {}", i + 1));
        judge
    };
    entries.iter().enumerate().map(read).collect()
}

fn check(job: &JobText<'_>, panel: &Panel) {
    let (quorum, judges) = (panel.quorum(), panel.judges.len());
    if quorum as usize > judges && judges > 0 {
        let has = text::count(judges, "judge");
        let cause = format!("`rule.quorum` is {quorum}, but the panel has {has}");
        let remedy = "lower it, or add judges: no debate would get a verdict";
        job.report(job.place_of("rule"), cause, remedy);
    }
    let people: Vec<&Participant> = panel.people().collect();
    let doubled = people.iter().enumerate().find(|(n, judge)| {
        let mut before = people[..*n].iter();
        before.any(|other| same_model(&other.model, &judge.model))
    });
    if let Some((_, judge)) = doubled {
        let cause = format!("`{}` is listed twice", judge.model);
        job.report(job.place_of("judges"), cause, "list each model once: a model has one vote");
    }
    let settings = &panel.settings;
    for (key, criteria) in
        [("criteria", &settings.criteria), ("answer_criteria", &settings.answer_criteria)]
    {
        let counted = checks::check_count(criteria.len(), &(1..=MOST_CRITERIA));
        let (problems, place) = (job.reader.problems, job.place_of(key));
        problems.accept_named(&format!("`{key}`"), place, counted);
    }
}

/// What a panel's file says, as JSON: its digest and the schema's defaults rest on it.
pub fn identity(panel: &Panel) -> Value {
    let mut identity = json!(panel);
    // Where it stands decides nothing.
    identity["path"] = Value::Null;
    identity["rule"]["quorum"] = json!(panel.quorum());
    // Panels are older than this key.
    if panel.settings.answer_criteria == criteria::of_an_answer(SCALE_OF_TWO)
        && let Some(keys) = identity.as_object_mut()
    {
        keys.remove("answer_criteria");
    }
    identity
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(more: &str) -> Result<Panel, Vec<Problem>> {
        let source = format!("judges: [{{model: a}}]\n{more}\n");
        let templates = Templates::load(None).expect("templates");
        Panel::parse(Path::new("panel.yaml"), &source, &templates)
    }

    fn panel(more: &str) -> Panel {
        parsed(more).expect("a panel")
    }

    #[test]
    fn c1_weights_that_do_not_sum_to_1_are_reported_under_their_own_key() {
        for key in ["criteria", "answer_criteria"] {
            let problems =
                parsed(&format!("{key}: {{wit: {{weight: 0.5}}}}")).expect_err("half of a total");
            assert_eq!(problems.len(), 1);
            let cause = &problems[0].cause;
            assert_eq!(*cause, format!("the weights of `{key}` sum to 0.5"));
        }
    }

    #[test]
    fn c2_criteria_of_answers_are_part_of_a_panel_only_where_it_sets_them() {
        let has = |more: &str| identity(&panel(more)).get("answer_criteria").is_some();
        assert!(!has(""));
        assert!(has("answer_criteria: {correctness: {weight: 1.0}}"));
    }
}
