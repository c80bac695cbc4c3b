//! Key findings, in sentences with their uncertainty.

use super::claim::LEAST_TOPICS;
use super::findings::{Breakdown, Counts, Findings, Group, Measure};
use super::labels::sentences;
use super::number::estimated;
use super::{against_alone_claims, answer_claims, score_claims, strength_claims};
use crate::job::AnyFormat;
use crate::text::{capitalised, count, told_if};

/// The finding of a report on one debate.
const SINGLE: &str = "One debate shows how it went, not which model is stronger; `rebut new tournament` writes a job that compares models.";

/// The finding of a report on debates of one model.
const ONE_MODEL: &str = "All sides argued on one model, so there is nothing to compare; `rebut new tournament` writes a job that compares models.";

/// What was found; the first sentence is the verdict.
pub(super) fn headlines(findings: &Findings) -> Vec<String> {
    let counts = &findings.counts;
    if counts.counted == 0 {
        return vec!["No debate was counted.".to_owned()];
    }
    let with_power = counts.know_power();
    let mut found: Vec<String> = rehearsed(counts).into_iter().collect();
    match counts.counted {
        1 => found.push(SINGLE.to_owned()),
        _ => found.extend(models(findings, with_power)),
    }
    found.extend(findings.answers.iter().flat_map(|it| answer_claims::headlines(it, with_power)));
    found.extend(against_alone_claims::headlines(&findings.alone, with_power));
    found.extend(findings.labels.iter().flat_map(sentences::headlines));
    found.extend(outcomes(findings));
    match (counts.counted, counts.models) {
        (1, _) => {}
        (_, 1) => found.push(ONE_MODEL.to_owned()),
        _ => found.extend(score_claims::not_compared(&findings.comparisons)),
    }
    if found.is_empty() { vec![nothing(counts)] } else { each_reason_once(&found) }
}

/// Sentences on what cannot be compared give a reason with a remedy behind a colon: none that one before gives, too.
fn each_reason_once(found: &[String]) -> Vec<String> {
    let is_told = |at: usize, why: &str| found[..at].iter().any(|it| it.ends_with(why));
    let told = |(at, sentence): (usize, &String)| match sentence.split_once(": ") {
        Some((begins, why)) if why.contains("Remedy: ") && is_told(at, why) => {
            format!("{begins}, for the same reason.")
        }
        _ => sentence.clone(),
    };
    found.iter().enumerate().map(told).collect()
}

/// Which model is stronger, and which scores higher.
fn models(findings: &Findings, with_power: bool) -> Vec<String> {
    let boards = findings.leaderboards.strengths.iter();
    let of_strength = findings.know_power_of_strength();
    let mut found = Vec::new();
    for board in boards {
        found.extend(strength_claims::headlines(board));
        found.extend(strength_claims::power(board).filter(|_| of_strength));
    }
    found.extend(score_claims::headlines(&findings.comparisons, with_power));
    found
}

/// What a report with rehearsals is.
fn rehearsed(counts: &Counts) -> Option<String> {
    match counts.rehearsals {
        0 => None,
        _ if counts.are_rehearsals() => Some("Rehearsal: the figures show the form of the report, not models. Every reply is made up or from a script.".to_owned()),
        n => Some(format!("Rehearsals are counted too, {n} of {}: what follows does not describe models. Leave out --include-rehearsals for that.", count(counts.counted, "debate"))),
    }
}

fn nothing(counts: &Counts) -> String {
    let debates = count(counts.counted, "debate");
    let topics = count(counts.topics, "topic");
    format!("No finding: nothing can be compared in {debates} on {topics}.")
}

/// What the formats without a winner came to.
fn outcomes(findings: &Findings) -> Vec<String> {
    let formats = |breakdown: &&Breakdown| breakdown.by == ["format"];
    let breakdown = findings.breakdowns.iter().find(formats);
    let groups = breakdown.map_or(&[][..], |breakdown| &breakdown.groups);
    let sentences = |format: AnyFormat| {
        let group = groups.iter().find(|group| group.key == [format.name()]);
        let all = format.profile.headlines.iter();
        all.filter_map(move |(name, words)| outcome(group?, name, words))
    };
    AnyFormat::all().flat_map(sentences).collect()
}

fn outcome(group: &Group, name: &str, words: &str) -> Option<String> {
    let measure: &Measure = group.measures.iter().find(|measure| measure.name == name)?;
    let e = &measure.estimate;
    let value = estimated(measure.unit, e)?;
    let words = words.replace("{}", &value);
    let some = group.counts.emergency;
    let emergencies = told_if(some > 0, || format!(", {some} with emergency replies"));
    let debates = count(e.n, "debate");
    let topics = count(e.clusters, "topic");
    let format = capitalised(group.key.first()?);
    (e.clusters >= LEAST_TOPICS)
        .then(|| format!("{format}: {words} ({debates} on {topics}{emergencies})."))
}
