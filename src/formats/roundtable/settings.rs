//! The settings of a roundtable (rows R1 to R7), its participants, and what the rest of the program needs to know about it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::job::cast::{CLERK, ParticipantDefaults, Role};
use crate::job::job_text::{JobText, Mapping};
use crate::job::participant::Participant;
use crate::job::reader::{KeyContext, Reader};
use crate::job::settings_macro::settings;
use crate::job::shape::{Key, choice, flag, list, number, text, whole};
use crate::job::terms::{meanings, terms};
use crate::job::tree::Node;
use crate::job::{Format, Profile};

/// The specialists of a job that lists none: names and personas.
const SPECIALISTS: [(&str, &str); 3] = [
    ("Valuation", "valuation-analyst"),
    ("Sentiment", "sentiment-analyst"),
    ("Fundamental", "fundamental-analyst"),
];

/// The weight of a stance by default.
const WEIGHT: f64 = 1.0;

/// When to debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// For every query.
    Always,
    /// If the query contains a keyword.
    Auto,
}

settings! {
    /// The settings of a roundtable.
    pub struct Roundtable {
        /// The stances a specialist can take: a list, or a mapping from each to its meaning
        stances: Vec<String> = listed("buy, sell, hold"), terms(1..=40, 2..=10, 1..=300);
        /// What the stances mean, by stance, if the job says.
        #[serde(default)]
        definitions: BTreeMap<String, String> = BTreeMap::new();
        /// Whether one specialist argues against the others for a round if all first answers take the same stance
        challenge: bool = true, flag();
        /// Share of the most common stance at which the debate ends; with three specialists, 0.75 requires all of them
        consensus_threshold: f64 = 0.75, number(0.1..=1.0);
        /// Minimum turns per specialist; extra turns are added if needed
        min_turns_per_agent: u32 = 2, whole(1..=20);
        /// Maximum debate rounds, not counting the initial round
        max_rounds: u32 = 5, whole(0..=100);
        /// Maximum tokens per specialist's statement
        max_statement_tokens: u32 = 400, whole(16..=100_000);
        /// Model time in seconds after which the chair answers without further turns or stances
        timeout_seconds: u32 = 600, whole(1..=604_800);
        /// When to debate: always, or auto (only if the query contains a keyword; otherwise the chair answers alone)
        trigger: Trigger = Trigger::Always, choice::<Trigger>();
        /// Keywords for `trigger: auto`: beginnings of words, case-insensitive
        trigger_keywords: Vec<String> = listed(KEYWORDS), list(text(1..=100), 1..=100).checked(words);
        /// How much stances count, by specialist, where it is not 1.
        #[serde(default)]
        weights: BTreeMap<String, f64> = BTreeMap::new();
    }
}

/// The keywords of `trigger: auto` by default.
const KEYWORDS: &str = "invest, recommendation, should i buy, should i sell, portfolio, analysis, comprehensive, opinion, \
                        advice, strategy, evaluate, assess";

impl Roundtable {
    /// The weight of a specialist's stance.
    pub fn weight(&self, id: &str) -> f64 {
        self.weights.get(id).copied().unwrap_or(WEIGHT)
    }
}

fn listed(words: &str) -> Vec<String> {
    words.split(", ").map(str::to_owned).collect()
}

/// The participants.
const ROLES: &[Role] = &[
    Role {
        more: || vec![Key::new("weight", "Weight of its stance", number(0.01..=100.0), WEIGHT)],
        ..Role::list(
            "specialists",
            "Answer the query, in this order; an entry without a name is the built-in specialist at its place (Valuation, Sentiment, Fundamental)",
            SPECIALISTS.len(),
            2..=12,
            specialist,
        )
    },
    Role::one(
        "chair",
        "Takes no stance; writes the answer, including points of agreement and dissenters",
        |_, _| ParticipantDefaults::new("chair", "Chair").with_persona("chair"),
    ),
    CLERK,
];

/// A specialist's defaults: those of the built-in specialist with its name, or, without a name, of the one in its place.
fn specialist(i: usize, name: Option<&str>) -> ParticipantDefaults {
    let built_in = match name {
        Some(name) => SPECIALISTS.iter().find(|(known, _)| *known == name),
        None => SPECIALISTS.get(i),
    };
    let id = format!("specialist_{}", i + 1);
    match built_in {
        Some((name, persona)) => ParticipantDefaults::new(id, *name).with_persona(persona),
        None => ParticipantDefaults::new(id, format!("Specialist-{}", i + 1)),
    }
}

/// Checks that the extra turns fit into half of the smallest context, since prompts never shorten them.
fn check_room(job: &JobText<'_>, cast: &[Participant], settings: &Roundtable) {
    let specialists = cast.iter().filter(|p| p.role() == "specialist");
    let turns = u64::from(settings.min_turns_per_agent.saturating_sub(2));
    let extra = turns * specialists.count() as u64 * u64::from(settings.max_statement_tokens);
    let contexts = cast.iter().map(|p| p.context_window);
    let context = contexts.min().unwrap_or_default();
    if extra * 2 > u64::from(context) {
        let cause = format!(
            "extra turns up to `min_turns_per_agent` may take {extra} tokens, more than half of a context of {context}"
        );
        let remedy = "lower it or max_statement_tokens, or raise context_window";
        job.report(job.place_of("min_turns_per_agent"), cause, remedy);
    }
}

/// Reports keywords without a letter or digit.
fn words(reader: &Reader<'_>, at: &KeyContext<'_>, node: &Node, given: Value) -> Option<Value> {
    let wordless = |node: &&Node| {
        let text = node.text().unwrap_or_default();
        !text.is_empty() && !text.contains(char::is_alphanumeric)
    };
    for node in node.items().iter().filter(wordless) {
        reader.refuse(at, node, "a list of words", "use a word, or the beginning of one");
    }
    Some(given)
}

const PROFILE: Profile = Profile {
    alone: "Run one roundtable without a job file: four specialists and a chair on a question",
    takes_query: true,
    // It has no moderator.
    announced_by: "Announcement",
    arguing: &["specialist"],
    first_round: 0,
    advocacy: Some(("challenge", "as devil's advocate")),
    headlines: &[("consensus", "consensus in {} of the debates that sought it")],
    calls: &[("stance", "getting the stance of {name}"), ("answer", "{name} writes the answer")],
    cast: |_| cast(),
    ..Profile::new("roundtable", "Specialists who seek a common answer to a question")
};

impl Format for Roundtable {
    const PROFILE: &'static Profile = &PROFILE;
    const ROLES: &'static [Role] = ROLES;

    fn read(job: &JobText<'_>, cast: &[Participant]) -> Self {
        let weight = |(p, entry): (&Participant, Mapping<'_>)| {
            Some((p.id.clone(), entry.given.get("weight")?.as_f64()?))
        };
        let specialists = cast.iter().filter(|p| p.role() == "specialist");
        let weights = specialists
            .zip(job.entries("specialists", 0))
            .filter_map(weight)
            .filter(|(_, weight)| *weight != WEIGHT);
        let settings = job.group(&Roundtable {
            weights: weights.collect(),
            definitions: job.node.get("stances").map(meanings).unwrap_or_default(),
            ..Roundtable::default()
        });
        check_room(job, cast, &settings);
        settings
    }

    fn most_rounds(&self) -> u32 {
        self.max_rounds
    }

    fn meanings(&self) -> BTreeMap<String, String> {
        self.definitions.clone()
    }

    /// That specialists of the job's own take the stances of those that it would have by default.
    fn doubt(&self, cast: &[Participant]) -> Option<String> {
        let is_built_in = |p: &Participant| {
            let persona = p.persona.as_ref().map(|persona| persona.name.as_str());
            SPECIALISTS.iter().any(|(name, own)| p.name == *name || persona == Some(*own))
        };
        let mut specialists = cast.iter().filter(|p| p.role() == "specialist");
        let are_own = !specialists.any(is_built_in) && self.stances == Self::default().stances;
        are_own.then(|| {
            let stances = self.stances.join(", ");
            format!("the specialists are the job's own, but their stances are the default ones, {stances}: list those that answer the query, such as `stances: [\"yes\", \"no\", it depends]`")
        })
    }
}

/// Specialists for most kinds of questions, with their personas.
const ON_ANYTHING: [(&str, &str); 4] = [
    ("Scientist", "scientist"),
    ("Economist", "economist"),
    ("Philosopher", "philosopher"),
    ("Engineer", "engineer"),
];

fn cast() -> Vec<(&'static str, Value)> {
    let all = ON_ANYTHING.map(|(name, persona)| json!({"name": name, "persona": persona}));
    vec![("specialists", json!(all)), ("stances", json!(["yes", "no", "it depends"]))]
}
