//! Claims about answers to known questions, and their caveats.

use super::claim::LEAST_TOPICS;
use super::findings::{Answers, ArmAccuracy, ArmDifference, CellMatch, Unit};
use super::number::{Rounding, estimated, number, shown};
use crate::plan::arm_in_words;
use crate::text::{capitalised, count, joined, told_if};
use crate::trace::DEBATE_ARM;

/// The level of a claim, after Holm's correction.
pub(super) const LEVEL: f64 = 0.05;

/// Said where only more than the scale has could have been detected.
pub(crate) const NONE_DETECTABLE: &str = "too few to detect any difference";

/// Sentences on accuracy: of the debates, then against each control, with what could have been detected where that is known.
pub(super) fn headlines(answers: &Answers, with_power: bool) -> Vec<String> {
    let own = answers.arms.iter().filter(|arm| arm.arm == DEBATE_ARM);
    let accuracy = own.filter_map(accurate);
    let compared = answers.compared.iter().filter(|one| one.found.estimate.value.is_some());
    let (clear, open): (Vec<_>, Vec<_>) = compared.partition(|one| is_clear(one));
    let alike =
        open.chunk_by(|a, b| (compared_on(a), is_enough(a)) == (compared_on(b), is_enough(b)));
    accuracy
        .chain(clear.iter().map(|one| clear_difference(one, with_power)))
        .chain(alike.map(|some| no_difference(some, with_power)))
        .chain(answers.compared.iter().filter_map(worth))
        .collect()
}

fn accurate(arm: &ArmAccuracy) -> Option<String> {
    let strict = &arm.strict;
    let share = estimated(Unit::Share, strict)?;
    let invalid = number(Unit::Share, arm.invalid.value.unwrap_or_default());
    let format = capitalised(&arm.format);
    let questions = count(arm.questions, "question");
    Some(if strict.n == arm.questions {
        format!(
            "{format} debates answer {share} of {questions} correctly; {invalid} of the answers are invalid."
        )
    } else {
        format!(
            "{format} debates give {} to {questions}: {share} are correct, {invalid} invalid.",
            count(strict.n, "answer")
        )
    })
}

/// Whether a comparison rests on enough for a claim.
fn is_enough(one: &ArmDifference) -> bool {
    one.found.estimate.clusters >= LEAST_TOPICS
}

/// Whether one is shown to be better. Without a match there is no claim.
fn is_clear(one: &ArmDifference) -> bool {
    is_enough(one) && one.found.p_adjusted.is_some_and(|p| p < LEVEL) && one.matched != Some(false)
}

fn clear_difference(one: &ArmDifference, with_power: bool) -> String {
    let arm = arm(one);
    let verdict = if one.found.estimate.value > Some(0.0) {
        format!("Debates beat {arm}")
    } else {
        format!("{} beats debates", capitalised(&arm))
    };
    let (by, on, detectable) = (points(one), compared_on(one), detectable(one, with_power));
    format!("{verdict}: {by} {on}{detectable}.")
}

/// That debates are not shown to differ from some controls that are compared on the same questions.
fn no_difference(alike: &[&ArmDifference], with_power: bool) -> String {
    let Some(first) = alike.first() else { return String::new() };
    let on = compared_on(first);
    let claim = told_if(!is_enough(first), || {
        format!("; a claim needs at least {LEAST_TOPICS} independent questions or clusters")
    });
    let told = match alike {
        [one] => format!("{}: {} {on}{}", arm(one), points(one), detectable(one, with_power)),
        all => {
            let each = all.iter().map(|one| {
                format!("{} ({}{})", arm(one), points(one), detectable(one, with_power))
            });
            format!("{} {on}", joined(each, "or"))
        }
    };
    format!("Debates are not shown to differ from {told}{claim}.")
}

fn arm(one: &ArmDifference) -> String {
    arm_in_words(&one.arm)
}

/// `-8.3 [-46.1, 29.4] points`.
fn points(one: &ArmDifference) -> String {
    let it = &one.found.estimate;
    let shown = shown(Rounding::Points, it.value.unwrap_or_default(), it.low, it.high);
    format!("{shown} points")
}

/// What could have been detected, where enough is known to tell.
fn detectable(one: &ArmDifference, with_power: bool) -> String {
    let is_known = with_power && is_enough(one) && one.found.p.is_some();
    told_if(is_known, || match one.found.detectable {
        Some(least) => format!("; {} points would be detected", number(Rounding::Points, least)),
        None => format!("; {NONE_DETECTABLE}"),
    })
}

/// How many samples of a control debates are worth.
fn worth(one: &ArmDifference) -> Option<String> {
    let worth = one.worth?;
    one.found.estimate.se?;
    if !is_enough(one) {
        return None;
    }
    let arm = arm(one);
    if (worth.least, worth.most) == (Some(0), None) {
        return Some(format!(
            "How many samples of {arm} debates are worth is not known: perhaps less than 1, perhaps more than {}.",
            worth.of
        ));
    }
    let number = |number: Option<usize>| match number {
        Some(0) => "less than 1".to_owned(),
        Some(n) => n.to_string(),
        None => format!("more than {}", worth.of),
    };
    let what = match worth.samples {
        Some(0) => "worth less than one sample".to_owned(),
        Some(1) => "as accurate as 1 sample".to_owned(),
        other => format!("as accurate as {} samples", number(other)),
    };
    let ends = || format!(" [{}, {}]", number(worth.least), number(worth.most));
    let interval = told_if(worth.most != Some(0), ends);
    Some(format!("Debates are {what} of {arm}{interval}."))
}

/// What a comparison rests on: questions or, where the matrix varies more than these, pairs; and their clusters where these are fewer.
fn compared_on(one: &ArmDifference) -> String {
    let estimate = &one.found.estimate;
    let pairs = (estimate.n > one.questions).then(|| count(estimate.n, "pair"));
    let clusters = estimate.clusters < one.questions;
    let clusters = clusters.then(|| count(estimate.clusters, "cluster"));
    let told = |word: &str, number: Option<String>| {
        number.map_or_else(String::new, |number| format!(" {word} {number}"))
    };
    let questions = count(one.questions, "question");
    format!("on {questions}{}{}", told("in", pairs), told("from", clusters))
}

/// What is in the way of believing a comparison.
pub(super) fn cautions(answers: &Answers) -> Vec<String> {
    let arms = answers.arms.iter();
    let unmatched =
        arms.clone().filter_map(|arm| not_matched(&arm.arm, &arm.cells, "its accuracy"));
    let stale = arms.filter(|arm| arm.stale > 0).map(stale);
    let alone = answers.compared.iter().filter(|it| it.unmatched > 0).map(alone);
    let single = answers.compared.iter().any(|it| it.matched.is_none()).then(|| "Controls without a budget (single answers, consultancies) used different numbers of tokens from debates.".to_owned());
    unmatched.chain(stale).chain(alone).chain(single).collect()
}

/// The cell of an arm that is the furthest from a match, how many others there are, and what of it can't be compared then.
pub(super) fn not_matched(arm: &str, cells: &[CellMatch], what: &str) -> Option<String> {
    let off = |cell: &CellMatch| (cell.ratio - 1.0).abs();
    let unmatched = cells.iter().filter(|cell| !cell.matched);
    let all = unmatched.clone().count();
    let worst = unmatched.max_by(|a, b| off(a).total_cmp(&off(b)))?;
    let times = number(Rounding::Decimals(2), worst.ratio);
    let of = cells.len();
    let place = || format!(" in {} ({all} of {of} settings are off)", place_of(worst));
    let place = told_if(of != 1, place);
    Some(format!(
        "Not matched: {} spent {times} times the tokens of its debates{place}, so {what} cannot be compared at equal cost.",
        arm_in_words(arm)
    ))
}

fn place_of(cell: &CellMatch) -> String {
    match cell.cell.as_str() {
        "" => cell.job.clone(),
        within => format!("{}, {within}", cell.job),
    }
}

fn stale(arm: &ArmAccuracy) -> String {
    format!(
        "Outdated: {} of {} matched to debates that have changed since; excluded until `rebut run` asks again.",
        count(arm.stale, "answer"),
        match arm.stale {
            1 => format!("{} is", arm_in_words(&arm.arm)),
            _ => format!("{} are", arm_in_words(&arm.arm)),
        }
    )
}

fn alone(one: &ArmDifference) -> String {
    let pairs = if one.found.estimate.n > one.questions { "pair" } else { "question" };
    let have = if one.unmatched == 1 { "has" } else { "have" };
    format!(
        "Unmatched: {} that debates answered {have} no answer by {} in the same job and setting; counted, not compared.",
        count(one.unmatched, pairs),
        arm(one)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::findings::SampleWorth;
    use statistics::estimate::Estimate;

    fn told(samples: usize, least: usize, most: Option<usize>) -> Option<String> {
        on(LEAST_TOPICS, samples, least, most)
    }

    fn on(clusters: usize, samples: usize, least: usize, most: Option<usize>) -> Option<String> {
        let mut one = ArmDifference {
            arm: "self_consistency".to_owned(),
            worth: Some(SampleWorth { samples: Some(samples), least: Some(least), most, of: 9 }),
            ..ArmDifference::default()
        };
        one.found.estimate = Estimate { se: Some(0.1), clusters, ..Estimate::default() };
        worth(&one)
    }

    #[test]
    fn c3_debates_that_one_sample_beats_are_worth_less_than_it() {
        for (found, expected) in [
            (told(0, 0, Some(0)), "worth less than one sample of self-consistency."),
            (
                told(0, 0, Some(2)),
                "worth less than one sample of self-consistency [less than 1, 2].",
            ),
            (told(1, 0, Some(1)), "as accurate as 1 sample of self-consistency [less than 1, 1]."),
            (told(3, 1, None), "as accurate as 3 samples of self-consistency [1, more than 9]."),
        ] {
            assert_eq!(found, Some(format!("Debates are {expected}")));
        }
    }

    #[test]
    fn c3_an_interval_that_holds_everything_says_that_nothing_is_known() {
        let unknown = "How many samples of self-consistency debates are worth is not known: perhaps less than 1, perhaps more than 9.";
        assert_eq!(told(1, 0, None).as_deref(), Some(unknown));
        assert_eq!(on(LEAST_TOPICS - 1, 3, 1, None), None, "too few clusters");
    }
}
