//! The rules that a moderator enforces: the general ones and the job's.

use crate::floor::Floor;

/// The rules that the moderator enforces besides those of the job.
const GENERAL_RULES: [&str; 3] = [
    "Keep to the topic.",
    "Attack arguments, never people.",
    "Speak for yourself only: do not put words into anyone's mouth.",
];

/// The rules that speakers are told and held to: the general rules and the job's, each once.
pub(super) fn all_rules(floor: &Floor) -> Vec<&str> {
    let same = |a: &str, b: &str| {
        let bare = |rule: &str| rule.trim_end_matches('.').to_lowercase();
        bare(a) == bare(b)
    };
    let mut all = GENERAL_RULES.to_vec();
    for rule in &floor.plan().rules {
        if !all.iter().any(|known| same(known, rule)) {
            all.push(rule);
        }
    }
    all
}
