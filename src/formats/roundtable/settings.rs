//! The settings of a roundtable (rows R1 to R7).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::job::cast::{self, Seat, named, with_persona};
use crate::job::keys::Keys;
use crate::job::participant::{self, Library, Participant};
use crate::job::reader::{At, Reader};
use crate::job::setting::settings;
use crate::job::shape::{choice, list, number, text, whole};
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

settings! {
    /// The settings of a roundtable.
    pub struct Roundtable {
        /// The stances a specialist can take
        stances: Vec<String> = listed("buy, sell, hold"), list(text(1..=40), 2..=10).checked(distinct);
        /// Share of the most common stance that ends the debate; with three specialists, 0.75 requires all of them
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

/// What `trigger: auto` looks for where the job does not say.
const KEYWORDS: &str = "invest, recommendation, should i buy, should i sell, portfolio, analysis, comprehensive, opinion, \
                        advice, strategy, evaluate, assess";

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
pub(crate) fn read(
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
        ..keys.group(&Roundtable::default())
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

/// Reports keywords without a letter or digit.
fn words(reader: &Reader<'_>, at: &At<'_>, node: &Node, given: Value) -> Option<Value> {
    let wordless = |node: &&Node| {
        let text = node.text().unwrap_or_default();
        !text.is_empty() && !text.contains(char::is_alphanumeric)
    };
    for node in node.items().iter().filter(wordless) {
        let remedy = "write a word, or the beginning of one";
        reader.refuse(at, node, "a list of words", remedy);
    }
    Some(given)
}

/// Reports stances that are listed twice.
fn distinct(reader: &Reader<'_>, _: &At<'_>, node: &Node, given: Value) -> Option<Value> {
    let folded = |node: &Node| node.text().map(|text| text.trim().to_lowercase());
    let items = node.items();
    for (i, node) in items.iter().enumerate() {
        let twin = |other: &&Node| folded(other).is_some() && folded(other) == folded(node);
        if let Some(first) = items[..i].iter().find(twin) {
            let stance = node.text().unwrap_or_default().trim();
            let first = first.place.in_words();
            let cause = format!("the stance \"{stance}\" is listed twice; first {first}");
            let remedy = "give every stance a word of its own";
            reader.problems.add(&node.place, cause, remedy);
        }
    }
    Some(given)
}
