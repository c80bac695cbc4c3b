//! The statements that judges cite by the numbers in their record.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Value, json};

use crate::event::Reason;
use crate::floor::{Floor, object};
use crate::plan::Plan;
use crate::text;

/// Maximum statements that one reason may cite.
const CITED: usize = 4;

/// What a judge calls statements. Bare numbers behind "in" or in a list are some only where nothing is counted: not "one in 8", "in 8
/// cities", "2 and 8 people".
static NAMED: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    let more = r"(?:(?:, \d{1,3})*,? (?:and|&) \d{1,3}\b)";
    let end = r"(?<end>[.,;:)]+(?:\s|$)| that\b| \(|$)?";
    [
        format!(r"(?i)(?<form>\\?\[(?:statement )?\d{{1,4}}\\?\](?<bare>{more})?){end}"),
        format!(
            r"(?i)(?<form>\b(?:statements \d{{1,4}}{more}|statement \d{{1,4}}\b(?<bare>{more})?)){end}"
        ),
        format!(
            r"(?i)(?<of>\b(?:\d+|one|two|three|four|five|six|seven|eight|nine) )?\b(?<in>in )(?<form>(?<bare>\d{{1,3}}\b{more}?)){end}"
        ),
    ]
    .map(|form| Regex::new(&form).expect("a pattern"))
});

/// The numbers of each contestant's statements.
pub(super) struct Turns(BTreeMap<String, Vec<u32>>);

impl Turns {
    /// The contestants' statements on the record; none if that is not shown. An emergency reply is not an argument.
    pub(super) fn of(floor: &Floor, contestants: &[&str], blind: bool) -> Self {
        let mut turns: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let heard = floor.statements().into_iter().filter(|s| s.was_heard());
        for said in heard.filter(|_| !blind) {
            if let Some(contestant) = of(floor.plan(), contestants, &said.by) {
                turns.entry(contestant.to_owned()).or_default().push(said.n);
            }
        }
        Self(turns)
    }

    /// A contestant's statements.
    pub(super) fn by(&self, id: &str) -> &[u32] {
        self.0.get(id).map_or(&[], Vec::as_slice)
    }

    /// The schema of a reason that cites some of a contestant's statements.
    pub(super) fn cited(&self, id: &str, reason: Value) -> Value {
        let numbers = self.by(id);
        if numbers.is_empty() {
            return object(json!({"reason": reason}));
        }
        let number = json!({"type": "integer", "enum": numbers});
        let cited = json!({"type": "array", "items": number, "maxItems": CITED, "default": []});
        object(json!({"reason": reason, "statements": cited}))
    }

    /// What a judge says, with statements as readers know them: `[002]`, which judges know as `statement 2`; all of a list, or none.
    /// Bare numbers behind "in" must be among those that one of the reasons cites besides.
    pub(super) fn by_number(&self, said: &str, reasons: &Value) -> String {
        let reasons = || reasons.as_object().into_iter().flat_map(|all| all.values());
        let is_cited = |n: &u32| reasons().any(|it| numbers(it).any(|own| own == u64::from(*n)));
        let named = |found: &Captures<'_>| {
            let (form, has) = (&found["form"], |name| found.name(name).is_some());
            let digits = form.split(|c: char| !c.is_ascii_digit());
            let all: Vec<u32> = digits.filter_map(|n| n.parse().ok()).collect();
            let is_bare = has("in") && !form.starts_with('0') && !all.iter().any(is_cited);
            let is_told = |n: &u32| self.0.values().any(|own| own.contains(n));
            let is_counted = has("of") || has("bare") && !has("end");
            if is_bare || is_counted || !all.iter().all(is_told) {
                return found[0].to_owned();
            }
            found[0].replace(form, &text::joined(all.iter().map(|n| format!("[{n:03}]")), "and"))
        };
        let by_number = |said: String, form: &Regex| form.replace_all(&said, named).into_owned();
        NAMED.iter().fold(said.to_owned(), by_number)
    }

    /// One of the reasons, with the statements it cites, each once, and the cited numbers that are not this contestant's statements.
    pub(super) fn checked(&self, id: &str, reasons: &Value) -> (Reason, Vec<u64>) {
        let given = &reasons[id];
        let own = self.by(id).iter().copied();
        let is_own = |number: &u64| self.by(id).iter().any(|n| u64::from(*n) == *number);
        let reason = Reason {
            text: self.by_number(given["reason"].as_str().unwrap_or_default(), reasons),
            turns: own.filter(|n| numbers(given).any(|it| it == u64::from(*n))).collect(),
        };
        (reason, numbers(given).filter(|number| !is_own(number)).collect())
    }
}

/// The numbers that a reason cites.
fn numbers(reason: &Value) -> impl Iterator<Item = u64> {
    reason["statements"].as_array().into_iter().flatten().filter_map(Value::as_u64)
}

/// The contestant for whom a participant speaks: itself, or its team.
fn of<'c>(plan: &Plan, contestants: &[&'c str], by: &str) -> Option<&'c str> {
    let side = plan.participant(by).and_then(|by| plan.format.profile.side(by));
    contestants.iter().copied().find(|id| *id == by || Some(*id) == side)
}

/// What an incident says about cited numbers that were left out; `first` is whom the judge was asked about first, if it read twice.
pub(super) fn left_out(judge: &str, first: Option<&str>, name: &str, others: &[u64]) -> String {
    let are = if others.len() == 1 { "is" } else { "are" };
    let others = text::joined(others.iter().map(|n| format!("[{n:03}]")), "and");
    let [judge, whose] = [judge, name].map(text::possessive);
    let asked = first.map(|first| format!(", when asked about {first} first,"));
    let asked = asked.unwrap_or_default();
    format!(
        "{judge} reason on {name}{asked} cites {others}, which {are} not {whose}: left out of the statements it cites"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o1_numbers_that_plainly_name_a_statement_are_told_as_readers_know_them() {
        let cited = |all: &[u32]| json!({"ann": {"reason": "", "statements": all}});
        let turns = Turns(BTreeMap::from([("ann".to_owned(), vec![2, 8, 13])]));
        for (said, told) in [
            ("Statement 2 asks (see statement 8).", "[002] asks (see [008])."),
            (r"It fell in \[008\] and [2], not [009].", "It fell in [008] and [002], not [009]."),
            (
                "She showed in 13 that it leaks; Ben in 8.",
                "She showed in [013] that it leaks; Ben in [008].",
            ),
            ("In 2, it says so, and in 008", "In [002], it says so, and in [008]"),
            (
                "Alive in [002], 8 and 13 (statements 2, 8, and 13); in 2 and 8.",
                "Alive in [002], [008] and [013] ([002], [008] and [013]); in [002] and [008].",
            ),
        ] {
            assert_eq!(turns.by_number(said, &cited(&[2, 8, 13])), told);
        }
        for kept in [
            "One in 8, 2 in 13. In 8 cities, in 2.5 years, in 9.",
            // All of a list or none, and only where nothing is counted.
            "In [2], 8 and 9. Statements 2 and 9. In 2, 8 and 13 people.",
            "Statement 2 and 13 of the 22 count. See statement 8, and 2 years later it fell.",
        ] {
            assert_eq!(turns.by_number(kept, &cited(&[2, 8, 13])), kept);
        }
        // Not cited besides.
        let other = "It would end in 8, not 10, years: a child in 13.";
        assert_eq!(turns.by_number(other, &cited(&[2])), other);
    }
}
