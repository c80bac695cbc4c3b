//! What everyone may see: one list for streams, pages, lists, comparisons and the report. All else is hidden: a new field is,
//! until it is named here.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::index::index_line::Line;
use crate::event::{Statement, is_none_because};
use crate::facts::labels::DrawnFrom;
use crate::facts::{Facts, Private, Text, settings_text};
use crate::stats::cell;
use crate::stats::key::{Filter, Key, NONE};
use crate::stats::labels::options::Options;
use crate::stats::read::Corpus;
use crate::store::live::LiveLine;
use crate::store::state::OpenDebate;
use crate::trace::Trace;

/// What may be seen of an object, or of each in a list: its fields, by names with spaces between them.
#[derive(Clone, Copy)]
struct See {
    /// All of these.
    whole: &'static str,
    /// That these are there, and nothing of them: readers of the shape need it.
    blank: &'static str,
    /// The names and values in these, without those that say why there is none.
    told: &'static str,
    /// Of these what they say themselves.
    within: &'static [(&'static str, See)],
}

const NOTHING: See = See { whole: "", blank: "", told: "", within: &[] };

const fn whole(whole: &'static str) -> See {
    See { whole, ..NOTHING }
}

/// Any event; its content by name.
const EVENT: See = whole("type event debate seq time round content")
    .within(&[("metadata", whole("model role tokens_so_far call attempt"))]);

fn content(event: &str) -> See {
    match event {
        "round_start" => whole("speakers"),
        "statement" | "comment" => STATEMENT,
        "ballot" => BALLOT,
        "audience_open" => whole("round closes_at on_position"),
        "audience" => AUDIENCE,
        "rotation" => ROTATION,
        "summary" => whole("round summary headline model_ms wall_ms"),
        "interjection" => INTERJECTION,
        "fact_check" => FACT_CHECK,
        "stance" => STANCE,
        "verdict" => VERDICT,
        "incident" => whole("kind"),
        "complete" => whole("status").within(&[("outcome", OUTCOME)]),
        _ => NOTHING,
    }
}

const STATEMENT: See = whole(
    "n phase round by text gist saw tokens tokens_estimated origin cut voices rounded model at",
);

/// Counts, and nobody's vote.
const AUDIENCE: See = whole(
    "round on_position effect present keep rotate voters unverified ballots refused majority counted decisive opened_at closed_at",
);

const JUDGE: See = whole("kind id model");

/// A judgment, and not why there is none.
const READING: See = whole(
    "model order status scores totals marks reason reasons repeat labels criteria margin pick",
)
.blank("call attempts")
.within(&[("tokens", NO_TOKENS)]);

const NO_TOKENS: See = NOTHING.blank("prompt reply");

/// A judgment of one judge.
const fn judged(names: &'static str) -> See {
    whole(names).within(&[("by", JUDGE), ("reading", READING)])
}

const BALLOT: See = judged("round about continue on_position checks");

const INTERJECTION: See = judged("about speaker statement cause point");

const FACT_CHECK: See = judged("round about claims");

const STANCE: See = judged("round stance confidence moved_from moved_by weight");

const VERDICT: See = whole(
    "source rubric winner winner_reason id panel basis record_digest candidates view rule votes at",
)
.within(&[("judges", VOTER)]);

const VOTER: See = whole("kind id model digest families status recusal vote vote_reason margin")
    .within(&[("readings", READING)]);

const OUTCOME: See = whole("line decided_by winner rests_on final_text points")
    .told("facts")
    .within(&[("details", DETAILS)]);

/// What the votes came to, as its counts say; not the sentence that tells why.
const ROTATION: See =
    whole("round debater next voted_out out_since rotated by_lot on_position keeps negatives abstentions mean_total")
        .blank("reason");

/// The formats' own results, as far as pages show them.
const DETAILS: See = whole("end_reason summary total_rounds critiques ledger").within(&[
    ("round_winners", whole("round winner reason")),
    ("auto_score", whole("score breakdown justification")),
    ("comparison", COMPARISON),
]);

/// Judgments, and not why there is none.
const COMPARISON: See = whole("better").within(&[("judges", COMPARER)]);

const COMPARER: See = whole("kind id model better changed_with_the_order")
    .within(&[("readings", whole("order status better reason"))]);

/// All of a debate.
const TRACE: See = See {
    whole: "schema_version id status rehearsal format topic started_at ended_at notes flow rounds timing",
    blank: "job tags rebut models memories answers labels incidents record",
    within: &[
        ("plan", PLAN),
        ("participants", PARTICIPANT),
        ("statements", STATEMENT),
        ("ballots", BALLOT),
        ("audience", AUDIENCE),
        ("rotations", ROTATION),
        ("interjections", INTERJECTION),
        ("fact_checks", FACT_CHECK),
        ("stances", STANCE),
        ("verdicts", VERDICT),
        ("outcome", OUTCOME),
        ("usage", NO_USAGE),
    ],
    ..NOTHING
};

const NO_USAGE: See = NOTHING.blank("by_purpose by_model");

const PLAN: See = whole("arm version")
    .blank("seed background rules on_failure output inputs")
    .within(&[("pairing", PAIRING), ("settings", SETTINGS)]);

/// Voters are told what their votes do.
const SETTINGS: See = NOTHING.within(&[("audience", whole("effect window_seconds min_votes"))]);

const PAIRING: See = whole("repetition").blank("cell");

const PARTICIPANT: See =
    whole("id name position contestant spoke_first spoke_last statements tokens")
        .within(&[("models", whole("name statements")), ("sampling", whole("model"))]);

/// How far all of it is. What runs told names machines and paths.
const OVERVIEW: See =
    whole("line open waiting more_open more_needs earlier last finished unfinished")
        .blank("told commands")
        .within(&[("needs", NEEDS)]);

/// A debate that needs someone, and not why.
const NEEDS: See = whole("id topic page standing").blank("cause");

impl See {
    const fn blank(self, blank: &'static str) -> Self {
        Self { blank, ..self }
    }

    const fn told(self, told: &'static str) -> Self {
        Self { told, ..self }
    }

    const fn within(self, within: &'static [(&'static str, Self)]) -> Self {
        Self { within, ..self }
    }

    /// Leaves what may be seen. Where a shape is kept, what is hidden is there and empty.
    fn cut(&self, value: &mut Value, shape: bool) {
        match value {
            Value::Array(all) => all.iter_mut().for_each(|one| self.cut(one, shape)),
            Value::Object(all) => all.retain(|key, value| self.keeps(key, value, shape)),
            other => *other = blank(other),
        }
    }

    /// Leaves what may be seen of a field; whether it stays.
    fn keeps(&self, key: &str, value: &mut Value, shape: bool) -> bool {
        let names = |all: &str| all.split_whitespace().any(|name| name == key);
        if let Some((_, see)) = self.within.iter().find(|(name, _)| *name == key) {
            see.cut(value, shape);
        } else if names(self.told) {
            match value {
                // One that says `none (…)` may have an error of a server.
                Value::Array(all) => {
                    all.retain(|it| it[1].as_str().is_some_and(|value| !is_none_because(value)));
                }
                other => *other = blank(other),
            }
        } else if names(self.blank) {
            *value = blank(value);
            return shape;
        } else {
            return names(self.whole);
        }
        true
    }
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

/// An event with what may be seen of it; `None` if it is not an object.
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
    cut(serde_json::to_value(trace).ok()?)
}

fn cut(mut trace: Value) -> Option<Trace> {
    TRACE.cut(&mut trace, true);
    serde_json::from_value(trace).ok()
}

/// The same of one that has grown, given which statements were seen before: those that are new are cut, and from there on, where
/// one was noted since.
pub(super) fn grown(trace: &Trace, mut seen: Vec<Statement>) -> Option<Trace> {
    let both = seen.iter().zip(&trace.statements);
    let same = both.take_while(|(seen, s)| seen.gist == s.gist).count();
    seen.truncate(same);
    let mut value = serde_json::to_value(trace).ok()?;
    if let Some(all) = value.get_mut("statements").and_then(Value::as_array_mut) {
        all.drain(..same);
    }
    let mut shown = cut(value)?;
    seen.append(&mut shown.statements);
    shown.statements = seen;
    Some(shown)
}

/// A line of a list with what may be seen of it; in public, not its job's name, and not why it failed. Its path is its place in order.
pub(super) fn listed(line: Line<'_>, public: bool) -> Line<'_> {
    if !public {
        return line;
    }
    Line {
        id: line.id,
        path: line.path,
        topic: line.topic,
        outcome: line.outcome,
        cause: None,
        status: line.status,
        job: Cow::default(),
        rehearsal: line.rehearsal,
        format: line.format,
        sides: line.sides,
        winner: line.winner,
        margin: line.margin,
        ended_at: line.ended_at,
        repetition: line.repetition,
        cell: None,
    }
}

/// A debate's topic: in a few words for the public, who may not see all of a question, and where a run of an earlier version
/// tells no more.
pub(super) fn heading(debate: &OpenDebate, public: bool) -> &str {
    if public || debate.heading.is_empty() { &debate.topic } else { &debate.heading }
}

/// How far all of it is, with what may be seen of it.
pub(super) fn overview(now: &mut Value) {
    OVERVIEW.cut(now, true);
}

/// What a report in public is made of. Where numbers rest on which debates are of one job, one persona, one tag or one cell of a
/// matrix, numbers stand for the names, settings and values.
pub fn corpus(corpus: &mut Corpus) {
    let mut names = Names::default();
    for debate in corpus.debates.iter_mut().chain(&mut corpus.aside) {
        names.hide(&mut debate.facts);
    }
    for (path, why) in &mut corpus.damaged {
        path.clear();
        why.clear();
    }
    corpus.copies.clear();
    corpus.not_judged.clear();
    corpus.warnings.clear();
}

/// Numbers for the names of a corpus, by what is named: the same for the same; for none, none.
#[derive(Default)]
struct Names(HashMap<&'static str, HashMap<Text, Text>>);

impl Names {
    fn of(&mut self, what: &'static str, name: &str) -> Text {
        if name == NONE {
            return name.into();
        }
        let all = self.0.entry(what).or_default();
        let next = format!("{what} {}", all.len() + 1);
        all.entry(name.into()).or_insert_with(|| next.as_str().into()).clone()
    }

    /// Hides what is private of a debate.
    fn hide(&mut self, facts: &mut Facts) {
        // Settings are hidden last, by their names.
        let Private { cause, job, tags, cell, settings: _ } = &mut facts.private;
        *cause = None;
        for (tag, value) in tags.iter_mut() {
            (*tag, *value) = (self.of("tag", tag), self.of("value", value));
        }
        *job = self.of("job", job);
        cell::rename(cell, &mut |kind, name| self.of(kind, name));
        let personas = facts.people.iter_mut().filter_map(|it| it.persona.as_mut());
        personas.for_each(|persona| *persona = self.of("persona", persona));
        let said = facts.labels.iter_mut().flat_map(|own| &mut own.said);
        let frames = said.filter_map(|said| said.frame.as_mut());
        frames.for_each(|frame| self.hide_frame(frame));
        let own = facts
            .settings()
            .map(|(name, value)| (self.of("setting", name), self.of("value", value)));
        facts.private.settings = settings_text(own);
    }

    /// Hides what is private of what people's debates were drawn from.
    fn hide_frame(&mut self, frame: &mut DrawnFrom) {
        let options = frame.options.parse().map(|mut options: Options| {
            options.filters.iter_mut().for_each(|filter| self.hide_filter(filter));
            options.to_string()
        });
        frame.options = options.as_deref().unwrap_or(UNKNOWN).into();
    }

    /// Hides what is private of a filter, so that it has the same debates.
    fn hide_filter(&mut self, filter: &mut Filter) {
        let what = match &mut filter.key {
            Key::Job => "job",
            Key::Persona => "persona",
            Key::Tag(tag) => {
                *tag = self.of("tag", tag).to_string();
                "value"
            }
            Key::Setting(setting) => {
                *setting = self.of("setting", setting).to_string();
                "value"
            }
            Key::Status | Key::Format | Key::Topic | Key::Model | Key::Position => return,
            Key::Order | Key::Participant | Key::Judge | Key::Audience | Key::Plan => return,
        };
        filter.value = self.of(what, &filter.value).to_string();
    }
}

/// For options that this version does not know; it does not know this one either.
const UNKNOWN: &str = "unknown";

#[cfg(test)]
mod tests {
    use serde::de::value::Error;
    use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
    use serde::forward_to_deserialize_any;

    use crate::facts::Facts;

    /// The fields of a debate's facts that reports may show to everybody, but for what [`super::Names::hide`] renames in them:
    /// a new one belongs here or into [`crate::facts::Private`].
    const SEEN: &str = "id status rehearsal plan format topic repetition seed started_at people digests ancestors criteria \
        scale rubric readings scores line has_winner winner own_winner weak panels rounds rounds_ms rotations stints leading \
        consensus early auto_score comparison quality_score answer open labels audience rating used gaps calls model_ms wall_ms \
        incidents read_as";

    /// Learns the fields of a structure from what serde expects.
    struct Fields<'f>(&'f mut &'static [&'static str]);

    impl<'de> Deserializer<'de> for Fields<'_> {
        type Error = Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            Err(Error::custom("no structure"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Error> {
            *self.0 = fields;
            Err(Error::custom("no value"))
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    #[test]
    fn l3_in_public_whether_a_field_of_facts_is_seen_was_decided() {
        let mut fields: &[&str] = &[];
        assert!(Facts::deserialize(Fields(&mut fields)).is_err());
        let open: Vec<&str> = fields.iter().copied().filter(|it| *it != "private").collect();
        assert_eq!(open, SEEN.split_whitespace().collect::<Vec<_>>());
    }
}
