//! The settings of a roundtable (rows R1 to R7).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::job::cast::{self, Seat, named, with_persona};
use crate::job::keys::Keys;
use crate::job::participant::{self, Library, Participant};
use crate::job::tree::Node;

/// The specialists of a job that lists none: name and persona.
const SPECIALISTS: [(&str, &str); 3] = [
    ("Valuation", "valuation-analyst"),
    ("Sentiment", "sentiment-analyst"),
    ("Fundamental", "fundamental-analyst"),
];

/// What a voice counts where the job does not say.
const WEIGHT: f64 = 1.0;

/// When there is a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Whatever is asked.
    Always,
    /// Where the query holds a keyword.
    Auto,
}

/// The settings of a roundtable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Roundtable {
    /// What a specialist's stance can be.
    pub stances: Vec<String>,
    /// The share of the most common stance that ends the debate.
    pub consensus_threshold: f64,
    /// How often every specialist speaks at least.
    pub min_turns_per_agent: u32,
    /// The most debate rounds; the initial round is none of them.
    pub max_rounds: u32,
    /// The most tokens of a specialist's statement.
    pub max_statement_tokens: u32,
    /// The model time after which nobody is asked for a turn or a stance any more, in seconds.
    pub timeout_seconds: u32,
    /// When there is a debate.
    pub trigger: Trigger,
    /// What `trigger: auto` looks for.
    pub trigger_keywords: Vec<String>,
    /// How much stances count, by specialist, where it is not 1.
    #[serde(default)]
    pub weights: BTreeMap<String, f64>,
}

impl Default for Roundtable {
    fn default() -> Self {
        let keywords = "invest, recommendation, should i buy, should i sell, portfolio, analysis, comprehensive, opinion, \
                        advice, strategy, evaluate, assess";
        Self {
            stances: listed("buy, sell, hold"),
            consensus_threshold: 0.75,
            min_turns_per_agent: 2,
            max_rounds: 5,
            max_statement_tokens: 400,
            timeout_seconds: 600,
            trigger: Trigger::Always,
            trigger_keywords: listed(keywords),
            weights: BTreeMap::new(),
        }
    }
}

impl Roundtable {
    /// How much a specialist's stance counts.
    pub fn weight(&self, id: &str) -> f64 {
        self.weights.get(id).copied().unwrap_or(WEIGHT)
    }
}

fn listed(words: &str) -> Vec<String> {
    words.split(", ").map(str::to_owned).collect()
}

/// Reads `specialists`, `chair` and `clerk` and the settings. `defaults` holds model and sampling.
pub fn read(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, Roundtable) {
    let (mut participants, weights) = read_specialists(keys, defaults, library);
    let seats: Vec<Seat<'_>> = cast::seats("specialists", participants.len())
        .chain(cast::seat("chair"))
        .collect();
    let persona = library.persona_of_role("chair", keys.place(), keys.problems);
    let chair = with_persona(named(defaults, "chair", "Chair", ""), persona.as_ref());
    let doc = "Takes no stance; writes the answer, what was agreed and who dissents";
    participants.push(cast::one(keys, "chair", doc, &chair, library));
    cast::check_names(keys, &participants, &seats);
    participants.push(cast::clerk(keys, defaults, library));
    let settings = Roundtable {
        weights,
        ..read_settings(keys)
    };
    check_room(keys, &participants, &settings);
    (participants, settings)
}

/// Extra turns are never shortened in prompts: those that may come must fit into half of the least context.
fn check_room(keys: &Keys<'_>, participants: &[Participant], settings: &Roundtable) {
    let specialists = participants.iter().filter(|p| p.role() == "specialist");
    let turns = u64::from(settings.min_turns_per_agent.saturating_sub(2));
    let extra = turns * specialists.count() as u64 * u64::from(settings.max_statement_tokens);
    let contexts = participants.iter().map(|p| p.context_window);
    let context = contexts.min().unwrap_or_default();
    if extra * 2 > u64::from(context) {
        let cause = format!(
            "extra turns up to `min_turns_per_agent` may take {extra} tokens, more than half of a context of {context}"
        );
        let remedy = "lower it or max_statement_tokens, or raise context_window";
        keys.problems
            .add(keys.place_of("min_turns_per_agent"), cause, remedy);
    }
}

fn read_specialists(
    keys: &mut Keys<'_>,
    defaults: &Participant,
    library: Library<'_>,
) -> (Vec<Participant>, BTreeMap<String, f64>) {
    let doc = "Who answers the query, in this order; one without a name is the built-in specialist of its place (Valuation, Sentiment, Fundamental)";
    let read = keys.sections("specialists", SPECIALISTS.len(), 2..=12, doc, |i, keys| {
        let base = base(keys, i, defaults, library);
        let doc = "How much its stance counts";
        let weight = keys.number("weight", WEIGHT, 0.01..=100.0, doc);
        (participant::read(keys, &base, library), weight)
    });
    let other = read.iter().filter(|(_, weight)| *weight != WEIGHT);
    let weights = other.map(|(p, weight)| (p.id.clone(), *weight)).collect();
    (read.into_iter().map(|(p, _)| p).collect(), weights)
}

/// What a specialist is before its own keys are read: the built-in one that its name says, or that of its place where it
/// has no name.
fn base(keys: &Keys<'_>, i: usize, defaults: &Participant, library: Library<'_>) -> Participant {
    let given = keys.node().get("name").and_then(Node::text).map(str::trim);
    let built_in = match given {
        Some(given) => SPECIALISTS.iter().find(|(name, _)| *name == given),
        None => SPECIALISTS.get(i),
    };
    let id = format!("specialist_{}", i + 1);
    let Some((name, persona)) = built_in else {
        return named(defaults, &id, &format!("Specialist-{}", i + 1), "");
    };
    let persona = library.persona_of_role(persona, keys.place(), keys.problems);
    with_persona(named(defaults, &id, name, ""), persona.as_ref())
}

/// All but the weights, which stand with the specialists.
fn read_settings(keys: &mut Keys<'_>) -> Roundtable {
    let defaults = Roundtable::default();
    let stances = read_stances(keys, &defaults.stances);
    let doc = "The share of the most common stance that ends the debate; of three voices, 0.75 takes all three";
    let consensus_threshold = keys.number(
        "consensus_threshold",
        defaults.consensus_threshold,
        0.1..=1.0,
        doc,
    );
    let mut whole = |key: &str, default: u32, range, doc: &str| {
        keys.whole(key, default.into(), range, doc) as u32
    };
    Roundtable {
        stances,
        consensus_threshold,
        min_turns_per_agent: whole(
            "min_turns_per_agent",
            defaults.min_turns_per_agent,
            1..=20,
            "How often every specialist speaks at least, by extra turns if need be",
        ),
        max_rounds: whole(
            "max_rounds",
            defaults.max_rounds,
            0..=100,
            "The most debate rounds; the initial round is none of them",
        ),
        max_statement_tokens: whole(
            "max_statement_tokens",
            defaults.max_statement_tokens,
            16..=100_000,
            "The most tokens of a specialist's statement",
        ),
        timeout_seconds: whole(
            "timeout_seconds",
            defaults.timeout_seconds,
            1..=604_800,
            "Seconds of model time after which nobody is asked for a turn or a stance any more, and the chair answers",
        ),
        ..read_trigger(keys, defaults)
    }
}

fn read_trigger(keys: &mut Keys<'_>, defaults: Roundtable) -> Roundtable {
    let triggers = [("always", Trigger::Always), ("auto", Trigger::Auto)];
    let doc = "When there is a debate: always, or auto, only where the query holds a keyword; otherwise the chair answers alone";
    let trigger = keys.choice("trigger", &triggers, doc);
    let doc = "What `trigger: auto` looks for: beginnings of words, in either case";
    let trigger_keywords = keys.texts_or(
        "trigger_keywords",
        &defaults.trigger_keywords,
        1..=100,
        1..=100,
        doc,
    );
    let listed = keys.node().get("trigger_keywords");
    let wordless = |node: &&Node| {
        let text = node.text().unwrap_or_default();
        !text.is_empty() && !text.contains(char::is_alphanumeric)
    };
    for node in listed.into_iter().flat_map(Node::items).filter(wordless) {
        let remedy = "write a word, or the beginning of one";
        keys.refuse("trigger_keywords", node, "a list of words", remedy);
    }
    Roundtable {
        trigger,
        trigger_keywords,
        ..defaults
    }
}

fn read_stances(keys: &mut Keys<'_>, defaults: &[String]) -> Vec<String> {
    let doc = "What a specialist's stance can be";
    let stances = keys.texts_or("stances", defaults, 2..=10, 1..=40, doc);
    let items = keys.node().get("stances").map_or(&[][..], Node::items);
    let folded = |node: &Node| node.text().map(|text| text.trim().to_lowercase());
    for (i, node) in items.iter().enumerate() {
        let twin = |other: &&Node| folded(other).is_some() && folded(other) == folded(node);
        if let Some(first) = items[..i].iter().find(twin) {
            let stance = node.text().unwrap_or_default().trim();
            let cause = format!(
                "the stance \"{stance}\" is listed twice; first {}",
                first.place.in_words()
            );
            let remedy = "give every stance a word of its own";
            keys.problems.add(&node.place, cause, remedy);
        }
    }
    stances
}
