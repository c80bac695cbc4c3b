//! Claims about debates' answers against those of a model alone, and their caveats.

use super::answer_claims::{LEVEL, NONE_DETECTABLE, not_matched};
use super::claim::LEAST_TOPICS;
use super::findings::{AgainstAlone, Unit};
use super::number::{Rounding, estimated, number};
use super::verdicts::{PEOPLE, in_sentence};
use crate::text::{count, told_if};

/// Mean lengths further apart than this are worth a warning.
const LONGER: f64 = 1.2;

/// A sentence by source of verdicts, with what could have been detected where that is known. Without a match there is no claim.
pub(super) fn headlines(rows: &[AgainstAlone], with_power: bool) -> Vec<String> {
    rows.iter().filter_map(|row| headline(row, with_power)).collect()
}

fn headline(row: &AgainstAlone, with_power: bool) -> Option<String> {
    let share = estimated(Unit::Share, &row.preferred)?;
    let found = &row.found;
    let topics = row.preferred.clusters;
    if topics < LEAST_TOPICS {
        return None;
    }
    let is_clear = row.matched && found.p_adjusted.is_some_and(|p| p < LEVEL);
    let verdict = match (is_clear, found.estimate.value > Some(0.0)) {
        (true, true) => "Debates beat one model alone",
        (true, false) => "One model alone beats debates",
        (false, _) => "Debates are not shown to differ from one model alone",
    };
    let detectable = told_if(with_power && found.p.is_some(), || match found.detectable {
        Some(least) => {
            let points = number(Rounding::Points, least);
            format!("; a difference of {points} points from 50% would be detected")
        }
        None => format!("; {NONE_DETECTABLE}"),
    });
    let who = in_sentence(&row.verdicts);
    let prefer = if row.verdicts == PEOPLE { "prefer" } else { "prefers" };
    Some(format!(
        "{verdict}: {who} {prefer} the debate's answer in {share} of {} on {}{}.",
        count(row.preferred.n, "comparison"),
        count(topics, "topic"),
        detectable,
    ))
}

/// What is in the way of believing a comparison.
pub(super) fn cautions(rows: &[AgainstAlone]) -> Vec<String> {
    let Some(row) = rows.first() else { return Vec::new() };
    // What is matched, replaced or stale does not depend on who judges.
    let matched = not_matched("compare", &row.cells, "its answers");
    let left_out = [
        (row.stale, "with a debate that has changed since; excluded until `rebut run` asks again"),
        (row.replaced, "in which a fallback model or an emergency reply spoke; excluded"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, why)| format!("{} {why}.", count(n, "comparison")));
    let undecided = rows.iter().filter(|row| row.undecided > 0).map(|row| {
        let comparisons = count(row.undecided, "comparison");
        format!(
            "{comparisons} without a verdict by {}; counted, not compared.",
            in_sentence(&row.verdicts)
        )
    });
    let all = matched.into_iter().chain(left_out).chain(undecided);
    all.chain(rows.iter().find_map(longer)).collect()
}

/// Which of the two is longer on average, if one clearly is.
fn longer(row: &AgainstAlone) -> Option<String> {
    let (debate, alone) = (row.words.value?, row.words_alone.value?);
    let times = debate.max(alone) / debate.min(alone).max(1.0);
    let whose = if debate > alone {
        "The debates' answers have"
    } else {
        "The answers of one model alone have"
    };
    (times >= LONGER).then(|| {
        let times = number(Rounding::Decimals(1), times);
        format!("{whose} {times} times the words of the others, and judges tend to prefer longer answers.")
    })
}
