//! The structured form of a critique, and reading it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::mark::{Resolution, Severity};
use super::said::{Critique, Issue, Settled};
use super::strategy::names;
use crate::floor::{line, object};
use crate::text;

/// Maximum new points per critique.
const POINTS: usize = 4;
/// Minimum characters of a text: below it, small models write a number instead.
const SHORTEST: u32 = 6;
/// Maximum characters on what remains of an earlier point.
const REMAINS: u32 = text::room_for(20);
/// Maximum characters of a quoted claim.
const CLAIM: u32 = text::room_for(15);
/// Maximum characters on what is wrong with it.
const FAULT: u32 = text::room_for(40);
/// Maximum characters on what would fix it.
const MEND: u32 = text::room_for(20);

/// The schema of a critique with this many earlier points, `listed` of which are shown. Its declared order is alphabetical,
/// and reasons come before what follows from them. A point is valid without a quotation or a remedy.
pub(in crate::formats::dialectic) fn schema(earlier: usize, listed: usize) -> Value {
    let line = |most: u32| json!({"type": "string", "minLength": SHORTEST, "maxLength": most});
    let or_none =
        |most: u32| json!({"type": "string", "minLength": 0, "maxLength": most, "default": ""});
    let list = |most: usize, items: Value| json!({"type": "array", "items": items, "minItems": 0, "maxItems": most});
    let mut properties = Map::new();
    if listed > 0 {
        let one = object(json!({
            "id": {"type": "integer", "minimum": 1, "maximum": earlier},
            "remains": or_none(REMAINS),
            "status": {"type": "string", "enum": ["resolved", "partial", "unresolved"]},
        }));
        let mut earlier = list(listed, one);
        earlier["default"] = json!([]);
        properties.insert("earlier".to_owned(), earlier);
    }
    let new = object(json!({
        "attack": {"type": "string", "enum": names()},
        "claim": or_none(CLAIM),
        "fault": line(FAULT),
        "mend": or_none(MEND),
        "severity": {"type": "string", "enum": ["critical", "major", "minor"]},
    }));
    properties.insert("new".to_owned(), list(POINTS, new));
    let quality = json!({"type": "integer", "minimum": 1, "maximum": 10});
    properties.insert("quality".to_owned(), quality);
    let ready = json!({"type": "boolean", "default": false});
    properties.insert("ready".to_owned(), ready);
    object(Value::Object(properties))
}

/// The content of a critique of this shape on a draft.
pub(in crate::formats::dialectic) fn in_form(value: &Value, draft: &str) -> Critique {
    let list = |key: &str| value[key].as_array().into_iter().flatten();
    let mut issues: Vec<Issue> = list("new").filter_map(issue).collect();
    issues.iter_mut().for_each(|issue| issue.quote_only(draft));
    Critique {
        issues,
        settled: list("earlier").filter_map(settled).collect(),
        marked: true,
        signalled: value["ready"] == true,
        score: value["quality"].as_f64(),
        ..Critique::default()
    }
}

fn issue(value: &Value) -> Option<Issue> {
    let attack = value["attack"].as_str()?;
    Some(Issue {
        severity: Severity::deserialize(&value["severity"]).ok()?,
        strategy: names().into_iter().find(|name| *name == attack).map(str::to_owned),
        claim: Some(quoted(&value["claim"])).filter(|claim| !claim.is_empty()),
        text: line(&value["fault"]),
        mend: Some(line(&value["mend"])).filter(|mend| !mend.is_empty()),
    })
}

fn settled(value: &Value) -> Option<Settled> {
    Some(Settled {
        n: u32::try_from(value["id"].as_u64()?).ok()?,
        resolution: Resolution::deserialize(&value["status"]).ok()?,
        words: line(&value["remains"]),
    })
}

/// A quotation without the marks around it, and without one that lost its other half.
fn quoted(value: &Value) -> String {
    let whole = line(value);
    let quotation = text::unquoted(whole.trim());
    match quotation.matches(text::is_quotation_mark).count() {
        1 => quotation.trim_matches(text::is_quotation_mark).to_owned(),
        _ => quotation.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn k11_marks_around_a_quotation_go_and_marks_inside_it_stay() {
        let claims = [
            ("“It follows.”", "It follows."),
            ("\"`It follows.`\"", "It follows."),
            ("It follows.\"", "It follows."),
            ("\"No phone\" needs no judgement.", "\"No phone\" needs no judgement."),
            ("“The “phone” rule”", "The “phone” rule"),
            ("\"He said \"x\" then left\"", "He said \"x\" then left"),
            ("\"A\" and \"B\"", "\"A\" and \"B\""),
        ];
        for (claim, words) in claims {
            assert_eq!(quoted(&json!(claim)), words);
        }
    }
}
