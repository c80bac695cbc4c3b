//! A debate that was played with scripted replies, and what is asked of it.

use std::borrow::Cow;
use std::ops::Deref;

use mock_ollama::{Answer, Call};
use rebut::event::{Incident, Statement};
use rebut::trace::Trace;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::names::matches;
use super::{Place, good};

/// A debate and the place in which it was played.
pub(crate) struct Played {
    pub(crate) place: Place,
    /// The trace as it is on disk.
    pub(crate) json: Value,
    trace: Trace,
}

/// Plays a job against a server that answers calls as the table says, by their names, and the others well.
pub(crate) fn play<const N: usize>(job: &str, replies: [(&'static str, Answer); N]) -> Played {
    Place::replying(replies).played(job)
}

impl Place {
    /// A place whose server answers calls as the table says, by their names, and the others well.
    pub(crate) fn replying<const N: usize>(replies: [(&'static str, Answer); N]) -> Self {
        let place = Self::new();
        place.reply(replies);
        place
    }

    /// Lets the server answer calls as the table says, the first row that means a call, and the others well.
    pub(crate) fn reply<const N: usize>(&self, replies: [(&'static str, Answer); N]) {
        self.reply_by(move |call| row(&replies, call));
    }

    /// Lets the server answer some calls so, and the others well.
    pub(crate) fn reply_by(&self, reply: impl Fn(&Call) -> Option<Answer> + Send + Sync + 'static) {
        self.server.script(move |call| reply(call).unwrap_or_else(|| good(call)));
    }

    /// Runs a job whose debate ends, degraded perhaps.
    pub(crate) fn played(self, job: &str) -> Played {
        self.trace_of(job, &[]);
        Played::read(self)
    }

    /// The chats that a pattern means, in the order of their arrival.
    pub(crate) fn asked(&self, pattern: &str) -> Vec<Call> {
        let chats = self.server.chats().into_iter();
        chats.filter(|call| is(call, pattern)).collect()
    }

    /// The task of the first chat that a pattern means.
    #[track_caller]
    pub(crate) fn task(&self, pattern: &str) -> String {
        let asked = self.asked(pattern);
        let first = asked.first().unwrap_or_else(|| panic!("nobody asked {pattern}"));
        first.last_message().to_owned()
    }
}

/// The answer of the first row that means a call.
pub(crate) fn row(replies: &[(&'static str, Answer)], call: &Call) -> Option<Answer> {
    let name = call.name();
    let row = replies.iter().find(|(pattern, _)| matches(pattern, &name));
    row.map(|(_, answer)| answer.clone())
}

/// Whether a pattern means a call.
pub(crate) fn is(call: &Call, pattern: &str) -> bool {
    matches(pattern, &call.name())
}

/// As it is on disk.
impl Serialize for Played {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl Deref for Played {
    type Target = Trace;

    fn deref(&self) -> &Trace {
        &self.trace
    }
}

impl Played {
    /// The only debate in `output`.
    pub(crate) fn read(place: Place) -> Self {
        let json = place.trace();
        let trace = serde_json::from_value(json.clone()).expect("a trace");
        Self { place, json, trace }
    }

    /// The statements of a phase.
    pub(crate) fn said(&self, phase: &str) -> Vec<&Statement> {
        let all = self.statements.iter();
        all.filter(|statement| statement.phase.name() == phase).collect()
    }

    /// The phases of all statements.
    pub(crate) fn phases(&self) -> Vec<&str> {
        self.statements.iter().map(|it| it.phase.name()).collect()
    }

    /// Round, phase and speaker of all statements, as `1 argument position_x`.
    pub(crate) fn course(&self) -> Vec<String> {
        let line = |it: &Statement| format!("{} {} {}", it.round, it.phase.name(), it.by);
        self.statements.iter().map(line).collect()
    }

    pub(crate) fn incidents(&self, kind: &str) -> Vec<&Incident> {
        let all = self.trace.incidents.iter();
        all.filter(|it| it.kind.to_string() == kind).collect()
    }

    /// What incidents of a kind say.
    pub(crate) fn told(&self, kind: &str) -> Vec<&str> {
        let all = self.incidents(kind).into_iter();
        all.map(|it| it.message.as_str()).collect()
    }

    /// Sees that the trace is as `rebut schema trace` says.
    #[track_caller]
    pub(crate) fn is_of_the_published_shape(&self) {
        let schema = self.place.rebut(&["schema", "trace"]).stdout;
        let schema = serde_json::from_str(&schema).expect("JSON");
        let validator = jsonschema::validator_for(&schema).expect("a valid schema");
        let errors: Vec<String> =
            validator.iter_errors(&self.json).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }

    /// The chats that a pattern means.
    pub(crate) fn asked(&self, pattern: &str) -> Vec<Call> {
        self.place.asked(pattern)
    }

    /// How many chats a pattern means.
    pub(crate) fn count(&self, pattern: &str) -> usize {
        self.asked(pattern).len()
    }

    /// The task of the first chat that a pattern means.
    #[track_caller]
    pub(crate) fn task(&self, pattern: &str) -> String {
        self.place.task(pattern)
    }
}

/// Compares what a value has at paths (parts between slashes) with what it is to have there, as
/// `shows!(trace, {"status": "done", "outcome/winner": null})`. A path may be followed by `contains`, `starts`, `ends` or
/// `lacks`, of a text (or of the JSON of what is no text), or by `count`, of a list. `contains` and `lacks` take a list of parts too.
macro_rules! shows {
    ($found:expr, $expected:tt) => {
        $crate::harness::compare(&$found, &serde_json::json!($expected))
    };
}
pub(crate) use shows;

#[track_caller]
pub(crate) fn compare(found: &(impl Serialize + ?Sized), expected: &Value) {
    let found = serde_json::to_value(found).expect("JSON");
    for (path, wanted) in expected.as_object().expect("paths and values") {
        let (path, how) = path.split_once(' ').unwrap_or((path, "is"));
        let slash = if path.is_empty() { "" } else { "/" };
        let at = found.pointer(&format!("{slash}{path}")).unwrap_or(&Value::Null);
        let text = text_of(at);
        let mut parts = wanted
            .as_array()
            .map_or(std::slice::from_ref(wanted), Vec::as_slice)
            .iter()
            .map(text_of);
        let holds = match how {
            "is" => at == wanted,
            "contains" => parts.all(|part| text.contains(&*part)),
            "starts" => text.starts_with(&*text_of(wanted)),
            "ends" => text.ends_with(&*text_of(wanted)),
            "lacks" => !parts.any(|part| text.contains(&*part)),
            "count" => at.as_array().map(Vec::len) == wanted.as_u64().map(|n| n as usize),
            _ => panic!("{how}?"),
        };
        assert!(holds, "{path} {how} {wanted}, but it is {at}");
    }
}

fn text_of(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| Cow::Owned(value.to_string()), Cow::Borrowed)
}

/// What parts are looked for in.
pub(crate) trait Text {
    fn text(&self) -> Cow<'_, str>;
}

impl Text for str {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Text for String {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

/// A string, or the JSON of another value.
impl Text for Value {
    fn text(&self) -> Cow<'_, str> {
        text_of(self)
    }
}

impl<T: Text + ?Sized> Text for &T {
    fn text(&self) -> Cow<'_, str> {
        (**self).text()
    }
}

/// Looks for a part in a text.
#[track_caller]
pub(crate) fn has(text: &(impl Text + ?Sized), part: &str) {
    let text = text.text();
    assert!(text.contains(part), "`{part}` is not in: {text}");
}

/// Looks for every part in a text.
#[track_caller]
pub(crate) fn has_all(text: &(impl Text + ?Sized), parts: &[&str]) {
    for part in parts {
        has(text, part);
    }
}

/// Sees that a text has none of these parts.
#[track_caller]
pub(crate) fn lacks(text: &(impl Text + ?Sized), parts: &[&str]) {
    let text = text.text();
    for part in parts {
        assert!(!text.contains(part), "`{part}` is in: {text}");
    }
}

#[test]
fn what_a_trace_does_not_show_is_told_apart() {
    let found = serde_json::json!({"a": {"b": "some words"}, "l": [1, 2], "n": null});
    let fails = |expected: Value| std::panic::catch_unwind(|| compare(&found, &expected)).is_err();
    for (expected, is_so) in [
        (r#"{"a/b": "some words", "l/1": 2, "n": null, "l count": 2}"#, true),
        (r#"{"a/b contains": "me wo", "a/b starts": "some", "a/b lacks": "more"}"#, true),
        (r#"{"a contains": "\"b\"", " contains": "some words"}"#, true),
        (r#"{"a/b contains": ["some", "words"], "a/b lacks": ["x"]}"#, true),
        (r#"{"a/b contains": ["some", "more"]}"#, false),
        (r#"{"a/b lacks": ["more", "some"]}"#, false),
        (r#"{"a/b": "other words"}"#, false),
        (r#"{"a/b contains": "more"}"#, false),
        (r#"{"a/b starts": "words"}"#, false),
        (r#"{"a/b ends": "words"}"#, true),
        (r#"{"a/b ends": "some"}"#, false),
        (r#"{"a/b lacks": "words"}"#, false),
        (r#"{"l count": 3}"#, false),
        (r#"{"n count": 0}"#, false),
        (r#"{"a/b": null}"#, false),
    ] {
        let expected = serde_json::from_str(expected).expect("JSON");
        assert_eq!(!fails(expected), is_so);
    }
}
