//! What everybody may see: one list for streams, pages, lists, comparisons and the report. All else is hidden: a new field is,
//! until it is named here.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::facts::{Facts, Text};
use crate::stats::read::Corpus;
use crate::store::finished::FinishedDebate;
use crate::store::live::LiveLine;
use crate::trace::Trace;

/// What may be seen of a value.
enum See {
    All,
    /// That it is there, and nothing of it: readers of the shape need it.
    Blank,
    /// Names and values, without those that say why there is none.
    Told,
    /// These fields of it, or of each in a list.
    Of(&'static [(&'static str, See)]),
}

use See::{All, Blank, Of, Told};

/// Any event; its content by name.
const EVENT: See = Of(&[
    ("type", All),
    ("event", All),
    ("debate", All),
    ("seq", All),
    ("time", All),
    ("round", All),
    (
        "metadata",
        Of(&[
            ("model", All),
            ("role", All),
            ("tokens_so_far", All),
            ("call", All),
            ("attempt", All),
        ]),
    ),
    ("content", All),
]);

fn content(event: &str) -> &'static See {
    match event {
        "round_start" => &Of(&[("speakers", All)]),
        "statement" | "comment" => &STATEMENT,
        "ballot" => &BALLOT,
        "audience_open" => &Of(&[("round", All), ("closes_at", All)]),
        "audience" => &AUDIENCE,
        "rotation" => &ROTATION,
        "summary" => &All,
        "interjection" => &INTERJECTION,
        "fact_check" => &FACT_CHECK,
        "stance" => &STANCE,
        "verdict" => &VERDICT,
        "incident" => &Of(&[("kind", All)]),
        "complete" => &Of(&[("status", All), ("outcome", OUTCOME)]),
        _ => &Of(&[]),
    }
}

const STATEMENT: See = Of(&[
    ("n", All),
    ("phase", All),
    ("round", All),
    ("by", All),
    ("text", All),
    ("gist", All),
    ("saw", All),
    ("tokens", All),
    ("tokens_estimated", All),
    ("origin", All),
    ("cut", All),
    ("voices", All),
    ("model", All),
    ("at", All),
]);

/// Counts, and nobody's vote.
const AUDIENCE: See = Of(&[
    ("round", All),
    ("effect", All),
    ("present", All),
    ("keep", All),
    ("rotate", All),
    ("voters", All),
    ("unverified", All),
    ("counted", All),
    ("opened_at", All),
    ("closed_at", All),
]);

const JUDGE: See = Of(&[("kind", All), ("id", All), ("model", All)]);

/// A judgment, and not why there is none.
const READING: See = Of(&[
    ("call", Blank),
    ("model", All),
    ("order", All),
    ("status", All),
    ("scores", All),
    ("totals", All),
    ("marks", All),
    ("reason", All),
    ("reasons", All),
    ("attempts", Blank),
    ("tokens", NO_TOKENS),
    ("repeat", All),
    ("labels", All),
    ("criteria", All),
    ("margin", All),
    ("pick", All),
]);

const NO_TOKENS: See = Of(&[("prompt", Blank), ("reply", Blank)]);

const BALLOT: See = Of(&[
    ("round", All),
    ("by", JUDGE),
    ("about", All),
    ("continue", All),
    ("checks", All),
    ("reading", READING),
]);

const INTERJECTION: See = Of(&[
    ("about", All),
    ("speaker", All),
    ("statement", All),
    ("cause", All),
    ("point", All),
    ("by", JUDGE),
    ("reading", READING),
]);

const FACT_CHECK: See = Of(&[
    ("round", All),
    ("about", All),
    ("by", JUDGE),
    ("claims", All),
    ("reading", READING),
]);

const STANCE: See = Of(&[
    ("round", All),
    ("by", JUDGE),
    ("stance", All),
    ("confidence", All),
    ("moved_from", All),
    ("moved_by", All),
    ("weight", All),
    ("reading", READING),
]);

const VERDICT: See = Of(&[
    ("source", All),
    ("rubric", All),
    (
        "judges",
        Of(&[
            ("kind", All),
            ("id", All),
            ("model", All),
            ("readings", READING),
            ("digest", All),
            ("families", All),
            ("status", All),
            ("recusal", All),
            ("vote", All),
            ("vote_reason", All),
            ("margin", All),
        ]),
    ),
    ("winner", All),
    ("winner_reason", All),
    ("id", All),
    ("panel", All),
    ("basis", All),
    ("record_digest", All),
    ("candidates", All),
    ("view", All),
    ("rule", All),
    ("votes", All),
    ("at", All),
]);

const OUTCOME: See = Of(&[
    ("line", All),
    ("decided_by", All),
    ("winner", All),
    ("rests_on", All),
    ("final_text", All),
    ("points", All),
    ("facts", Told),
    ("details", DETAILS),
]);

/// What the votes came to, as its counts say; not the sentence that tells why.
const ROTATION: See = Of(&[
    ("round", All),
    ("debater", All),
    ("next", All),
    ("voted_out", All),
    ("rotated", All),
    ("by_lot", All),
    ("keeps", All),
    ("negatives", All),
    ("abstentions", All),
    ("mean_total", All),
    ("reason", Blank),
]);

/// The formats' own results, as far as pages show them.
const DETAILS: See = Of(&[
    ("end_reason", All),
    (
        "round_winners",
        Of(&[("round", All), ("winner", All), ("reason", All)]),
    ),
    ("summary", All),
    ("total_rounds", All),
    (
        "auto_score",
        Of(&[("score", All), ("breakdown", All), ("justification", All)]),
    ),
    ("comparison", COMPARISON),
    ("critiques", All),
    ("ledger", All),
]);

/// Judgments, and not why there is none.
const COMPARISON: See = Of(&[
    ("better", All),
    (
        "judges",
        Of(&[
            ("kind", All),
            ("id", All),
            ("model", All),
            ("better", All),
            ("changed_with_the_order", All),
            (
                "readings",
                Of(&[
                    ("order", All),
                    ("status", All),
                    ("better", All),
                    ("reason", All),
                ]),
            ),
        ]),
    ),
]);

/// All of a debate.
const TRACE: See = Of(&[
    ("schema_version", All),
    ("id", All),
    ("status", All),
    ("rehearsal", All),
    ("format", All),
    ("topic", All),
    ("job", Blank),
    ("tags", Blank),
    ("started_at", All),
    ("ended_at", All),
    ("rebut", Blank),
    ("plan", PLAN),
    ("participants", PARTICIPANT),
    ("models", Blank),
    ("statements", STATEMENT),
    ("ballots", BALLOT),
    ("audience", AUDIENCE),
    ("rotations", ROTATION),
    ("notes", All),
    ("flow", All),
    ("rounds", All),
    ("memories", Blank),
    ("interjections", INTERJECTION),
    ("fact_checks", FACT_CHECK),
    ("stances", STANCE),
    ("verdicts", VERDICT),
    ("answers", Blank),
    ("labels", Blank),
    ("outcome", OUTCOME),
    ("usage", Of(&[("by_purpose", Blank), ("by_model", Blank)])),
    ("timing", All),
    ("incidents", Blank),
    ("record", Blank),
]);

const PLAN: See = Of(&[
    ("arm", All),
    ("pairing", Of(&[("cell", Blank), ("repetition", All)])),
    ("seed", Blank),
    ("version", All),
    ("background", Blank),
    ("rules", Blank),
    ("settings", Blank),
    ("on_failure", Blank),
    ("output", Blank),
    ("inputs", Blank),
]);

const PARTICIPANT: See = Of(&[
    ("id", All),
    ("name", All),
    ("position", All),
    ("contestant", All),
    ("spoke_first", All),
    ("spoke_last", All),
    ("models", Of(&[("name", All), ("statements", All)])),
    ("statements", All),
    ("tokens", All),
    ("sampling", Of(&[("model", All)])),
]);

/// A line of a list. Its path and its job's name are not told.
const LISTED: See = Of(&[
    ("topic", All),
    ("outcome", All),
    ("sides", All),
    ("margin", All),
    ("format", All),
    ("started_at", All),
]);

/// How far all of it is. What runs told names machines and paths.
const OVERVIEW: See = Of(&[
    ("line", All),
    ("open", All),
    ("more_open", All),
    ("told", Blank),
    ("last", All),
    ("finished", All),
]);

impl See {
    /// Leaves what may be seen. Where a shape is kept, what is hidden is there and empty.
    fn cut(&self, value: &mut Value, shape: bool) {
        match (self, value) {
            (All, _) => {}
            (Blank, value) => *value = blank(value),
            (Told, Value::Array(all)) => all.retain(|fact| !says_why_not(fact)),
            (Of(_), Value::Array(all)) => all.iter_mut().for_each(|one| self.cut(one, shape)),
            (Of(fields), Value::Object(all)) => cut(fields, all, shape),
            (Of(_) | Told, value) => *value = blank(value),
        }
    }
}

fn cut(fields: &[(&str, See)], all: &mut Map<String, Value>, shape: bool) {
    let see = |key: &str| fields.iter().find(|(name, _)| *name == key);
    let is_kept = |key: &str| match see(key) {
        None => false,
        Some((_, Blank)) => shape,
        Some(_) => true,
    };
    all.retain(|key, _| is_kept(key));
    for (key, value) in all {
        if let Some((_, see)) = see(key) {
            see.cut(value, shape);
        }
    }
}

/// Whether a name and its value say `none (…)`, with an error of a server, maybe.
fn says_why_not(fact: &Value) -> bool {
    fact[1]
        .as_str()
        .is_none_or(|value| value.starts_with("none ("))
}

/// Nothing, of the same kind.
fn blank(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => Value::Bool(false),
        Value::Number(_) => Value::from(0),
        Value::String(_) => Value::from(""),
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Object(_) => Value::Object(Map::new()),
    }
}

/// An event with what may be seen of it; `None` if it is no object.
pub(super) fn event(line: &LiveLine) -> Option<String> {
    let event: Map<String, Value> = serde_json::from_str(&line.text).ok()?;
    let mut event = Value::Object(event);
    EVENT.cut(&mut event, false);
    match &mut event["content"] {
        content @ Value::Object(_) => self::content(&line.name).cut(content, false),
        other => *other = Value::Object(Map::new()),
    }
    Some(event.to_string())
}

/// A debate with what may be seen of it; `None` where the shape needs what is not named here.
pub(super) fn trace(trace: &Trace) -> Option<Trace> {
    let mut shown = serde_json::to_value(trace).ok()?;
    TRACE.cut(&mut shown, true);
    serde_json::from_value(shown).ok()
}

/// A line of a list with what may be seen of it.
pub(super) fn listed(mut debate: FinishedDebate) -> FinishedDebate {
    let mut front = Value::Object(std::mem::take(&mut debate.front));
    LISTED.cut(&mut front, false);
    if let Value::Object(front) = front {
        debate.front = front;
    }
    debate.job.clear();
    debate
}

/// How far all of it is, with what may be seen of it.
pub(super) fn overview(now: &mut Value) {
    OVERVIEW.cut(now, true);
}

/// What a report in public is made of. Where numbers rest on which debates are of one job or one persona, numbers stand for the
/// names.
pub fn corpus(corpus: &mut Corpus) {
    let (mut jobs, mut personas) = (Numbered::new("job"), Numbered::new("persona"));
    for debate in &mut corpus.debates {
        let Facts {
            cause,
            job,
            tags,
            people,
            ..
        } = &mut debate.facts;
        *cause = None;
        *tags = Box::default();
        *job = jobs.of(job);
        for persona in people
            .iter_mut()
            .filter_map(|person| person.persona.as_mut())
        {
            *persona = personas.of(persona);
        }
    }
    for (path, why) in &mut corpus.damaged {
        path.clear();
        why.clear();
    }
    corpus.copies.clear();
    corpus.warnings.clear();
}

/// Numbers for names, the same for the same.
struct Numbered {
    what: &'static str,
    all: HashMap<Text, Text>,
}

impl Numbered {
    fn new(what: &'static str) -> Self {
        let all = HashMap::new();
        Self { what, all }
    }

    fn of(&mut self, name: &Text) -> Text {
        let next = format!("{} {}", self.what, self.all.len() + 1);
        let number = self.all.entry(name.clone());
        number.or_insert_with(|| next.as_str().into()).clone()
    }
}
