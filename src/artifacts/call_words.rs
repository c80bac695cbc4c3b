//! What a call is for, in the same words in the terminal and on pages.

use crate::call_id::{CallId, CallStage};
use crate::job::{Profile, profile_of};
use crate::text::capitalised;
use crate::trace::Trace;

/// Purposes of calls, in every format that has them.
const CALLS: &[(&str, &str)] = &[
    ("statement", SPEAKS),
    ("clerk", "{name} takes notes"),
    ("verdict", "getting the verdict of {name}"),
    ("verdict-reversed", "getting the verdict of {name}, asked in the reverse order"),
];
/// For a turn.
pub const SPEAKS: &str = "{name}'s turn";
/// For what the clerk is asked about a reply before it is taken.
const CHECKS: &str = "{name} checks the reply of {by}";

/// The purpose of a call, in the words of its format or of all formats, with names for what is to be filled in.
pub fn purpose(profile: &Profile, call: Option<&CallId>) -> &'static str {
    if call.is_some_and(|call| call.aside().is_some()) {
        return CHECKS;
    }
    let task = call.map(CallId::task).unwrap_or_default();
    let mut all = profile.calls.iter().chain(CALLS);
    all.find(|(known, _)| *known == task).map_or("asking {name}", |(_, words)| words)
}

/// A purpose, with these values by name.
pub fn filled(purpose: &str, values: &[(&str, &str)]) -> String {
    let parts = purpose.split(['{', '}']).map(|part| {
        let value = values.iter().find(|(key, _)| *key == part);
        value.map_or(part, |(_, value)| value)
    });
    parts.collect()
}

/// A call of a debate by its name: `Round 1: Classical's turn`; the name itself where this program gives none such.
pub fn title(trace: &Trace, name: &str) -> String {
    let Some(call) = CallId::parse(name) else {
        return name.to_owned();
    };
    let number = match call.stage {
        CallStage::Statement(number) => number,
        _ => 0,
    };
    let speaker = trace.statements.iter().find(|s| s.n == number);
    let statement = number.to_string();
    let values = [
        ("name", trace.name_of(call.asked())),
        ("by", call.by.as_deref().map_or("the speaker", |by| trace.name_of(by))),
        ("statement", &statement),
        ("speaker", speaker.map_or("the speaker", |s| trace.name_of(&s.by))),
    ];
    let doing = filled(purpose(profile_of(&trace.format), Some(&call)), &values);
    format!("{}: {}", stage(call.stage), capitalised(&doing))
}

fn stage(stage: CallStage) -> String {
    match stage {
        CallStage::Opening => "Opening".to_owned(),
        CallStage::Round(0) => "Before the rounds".to_owned(),
        CallStage::Round(n) => format!("Round {n}"),
        CallStage::Extra(n) => format!("Extra turn {n}"),
        CallStage::Statement(n) => format!("Statement {n}"),
        CallStage::Closing => "Closing".to_owned(),
        CallStage::Final | CallStage::End | CallStage::Verdict => "After the rounds".to_owned(),
    }
}
