//! Key findings, in sentences with their uncertainty.

use std::collections::BTreeSet;

use super::claim::{LEAST_TOPICS, VERDICT};
use super::findings::{
    Breakdown, Comparisons, Findings, Group, Measure, PairedDifference, StrengthBoard, Unit,
};
use super::labels::sentences;
use super::number::{Rounding, estimated, number, shown};
use super::{alone_claims, answer_claims, compare, design};
use crate::job::AnyFormat;
use crate::text::{capitalised, count, grouped, joined};
use statistics::bradley_terry::Lead;

/// What was found; the first sentence is the verdict.
pub(super) fn headlines(findings: &Findings) -> Vec<String> {
    if findings.counts.planned == 0 {
        return vec!["No debate was counted.".to_owned()];
    }
    let boards = findings.leaderboards.strengths.iter();
    let models = boards.filter(|board| board.of == "model");
    let compared = &findings.comparisons;
    let mut found: Vec<String> = models
        .flat_map(|board| strengths(board, compared))
        .collect();
    let families = findings.comparisons.iter();
    let (mut compared, alone): (Vec<_>, Vec<_>) = families.partition(|family| pairs(family) > 0);
    // What was found first, then what rests on most.
    compared.sort_by_key(|family| std::cmp::Reverse((clear(family).count(), pairs(family))));
    found.extend(compared.into_iter().map(differences));
    found.extend(findings.answers.iter().flat_map(answer_claims::headlines));
    found.extend(alone_claims::headlines(&findings.alone));
    found.extend(findings.labels.iter().flat_map(sentences::headlines));
    found.extend(outcomes(findings));
    found.push(played(findings));
    found.extend(not_compared(&alone));
    found
}

/// What every verdict says that finds no difference.
const NOBODY: &str = "No model is shown to be stronger";

/// Pairs behind a family.
fn pairs(family: &Comparisons) -> usize {
    family.pairs.iter().map(|pair| pair.found.estimate.n).sum()
}

/// The formats in which no two models can be compared, and what is in the way.
fn not_compared(families: &[&Comparisons]) -> Vec<String> {
    let is_alone = |family: &&&Comparisons| family.confounders().next().is_none();
    let alone = families.iter().filter(is_alone);
    let alone: Vec<&str> = alone.map(|family| &*family.format).collect();
    let formats = joined(&alone, "and");
    let none = (!alone.is_empty()).then(|| {
        format!("In {formats} debates no two models were scored on the same material, so none are compared.")
    });
    let told = families.iter().filter_map(|family| not_told(family));
    told.chain(none).collect()
}

/// Pairs that nothing else tells apart.
fn comparable(family: &Comparisons) -> usize {
    family.pairs.len() - family.confounders().count()
}

fn not_told(family: &Comparisons) -> Option<String> {
    let begins = format!(
        "In {} debates no model is shown to score higher",
        family.format
    );
    design::sentence(&begins, family.confounders())
}

/// Who won everything or is above all, and who leads those of whom it can be said how far.
fn strengths(board: &StrengthBoard, compared: &[Comparisons]) -> Vec<String> {
    if board.rows.is_empty() {
        return design::sentence(NOBODY, &board.confounded)
            .into_iter()
            .collect();
    }
    let mut found: Vec<String> = unbeaten(board).chain(above_the_lead(board)).collect();
    let are_others = !found.is_empty() && board.lead.is_some();
    found.extend(strength(board, compared).map(|sentence| match are_others {
        true => format!("Among the others: {sentence}"),
        false => sentence,
    }));
    found
}

/// Who is above the two of the lead, and on no scale with them.
fn above_the_lead(board: &StrengthBoard) -> Option<String> {
    let lead = board.lead.as_ref()?;
    let component = board.row(&lead.above)?.rating.component;
    let rows = board.rows.iter();
    let mut met = rows.filter(|row| row.rating.component == component);
    let first = met.find(|row| row.rating.rank_worst == Some(1) && row.name != lead.above)?;
    let is_unbeaten = first.rating.wins == first.rating.games;
    (!is_unbeaten).then(|| {
        let name = &first.name;
        format!("{name} is ahead of all others; by how much cannot be estimated.")
    })
}

fn unbeaten(board: &StrengthBoard) -> impl Iterator<Item = String> {
    let ranked = board
        .rows
        .iter()
        .filter(|row| !row.small && row.rating.elo.is_none());
    let unbeaten = ranked.filter(|row| row.rating.games > 0 && row.rating.wins == row.rating.games);
    unbeaten.map(|row| {
        let debates = count(row.rating.games as u64, "judged debate");
        let topics = count(row.clusters as u64, "topic");
        let name = &row.name;
        let what = match row.rating.rank_worst {
            Some(1) => "how far above the others it is",
            _ => "how strong it is",
        };
        format!("{name} won all of its {debates}, on {topics}: {what} cannot be estimated.")
    })
}

fn strength(board: &StrengthBoard, compared: &[Comparisons]) -> Option<String> {
    match &board.lead {
        Some(lead)
            if lead.is_sure(VERDICT) && compare::bear_out(compared, &lead.above, &lead.below) =>
        {
            Some(leads(lead))
        }
        Some(lead) => Some(level(board, lead)),
        None => order(board),
    }
}

/// How far the first is ahead, in Elo and as a share of wins.
fn leads(lead: &Lead<String>) -> String {
    let (above, below) = (&lead.above, &lead.below);
    format!("{above} leads {below} by {}.", distance(lead))
}

/// That nobody is ahead, and how far they are apart; why that is not enough, where the interval alone does not say it.
fn level(board: &StrengthBoard, lead: &Lead<String>) -> String {
    let (above, below) = (&lead.above, &lead.below);
    let weaker = weaker(board, lead);
    let why = match (lead.low, lead.p_adjusted) {
        (None, _) => {
            let reason = lead.reason.as_deref().unwrap_or("no interval can be given");
            format!("; {reason}")
        }
        (Some(low), Some(p)) if low > 0.0 && !lead.is_sure(VERDICT) => {
            format!(
                "; p is {} after correction for all pairs",
                number(Rounding::PValue, p)
            )
        }
        (Some(low), _) if low > 0.0 => "; their scores do not bear it out".to_owned(),
        _ => String::new(),
    };
    let differ = format!("{above} and {below} differ by {}{why}.", distance(lead));
    let needed = more_topics(lead.clusters, lead.clusters_needed);
    let needed = needed.map_or_else(String::new, |more| {
        format!(" If that is their true distance, {more}.")
    });
    if weaker.is_empty() {
        return format!("{NOBODY}: {differ}{needed}");
    }
    let weaker = joined(&weaker, "and");
    format!(
        "No model is shown to be the strongest: {differ}{needed} Shown to be weaker than another: {weaker}."
    )
}

/// `about 55 more topics would show it, four times out of five`; `None` if more topics are not what is missing, or not known to be.
fn more_topics(clusters: usize, needed: Option<usize>) -> Option<String> {
    let more = needed?.checked_sub(clusters).filter(|more| *more > 0)?;
    let topics = match more {
        1 => "about 1 more topic".to_owned(),
        ..=MOST_TOPICS => format!("about {} more topics", grouped(two_digits(more))),
        _ => format!("more than {} more topics", grouped(MOST_TOPICS)),
    };
    Some(format!("{topics} would show it, four times out of five"))
}

/// A number rounded to two digits: an estimate knows no more.
fn two_digits(number: usize) -> usize {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    (number + unit / 2) / unit * unit
}

/// Beyond so many topics, how many exactly makes no difference.
const MOST_TOPICS: usize = 10_000;

/// Those on the scale of a lead who are surely below more than its first is.
fn weaker<'b>(board: &'b StrengthBoard, lead: &Lead<String>) -> Vec<&'b str> {
    let Some(first) = board.row(&lead.above) else {
        return Vec::new();
    };
    let (group, best) = (first.rating.group, first.rating.rank_best);
    let own = board.rows.iter().filter(|row| row.rating.group == group);
    let below = own.filter(|row| !row.small && row.rating.rank_best > best);
    below.map(|row| &*row.name).collect()
}

/// `41 [12, 70] Elo (55.9% [51.7%, 59.9%] of wins), from 120 judged debates`.
fn distance(lead: &Lead<String>) -> String {
    let elo = shown(Unit::Elo, lead.elo, lead.low, lead.high);
    let share = |elo: f64| 1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0));
    let wins = shown(
        Unit::Share,
        share(lead.elo),
        lead.low.map(share),
        lead.high.map(share),
    );
    let debates = count(lead.comparisons as u64, "judged debate");
    format!("{elo} Elo ({wins} of wins), from {debates}")
}

/// Who is ahead where nobody can say how far.
fn order(board: &StrengthBoard) -> Option<String> {
    let mut ranked = board.rows.iter().filter(|row| !row.small);
    let (above, below) = (ranked.next()?, ranked.next()?);
    let sure = above.rating.rank_worst.zip(below.rating.rank_best);
    if above.rating.component == below.rating.component
        && sure.is_some_and(|(worst, best)| worst < best)
    {
        let (above, below) = (&above.name, &below.name);
        return Some(format!(
            "{above} is ahead of {below}; by how much cannot be estimated."
        ));
    }
    Some(format!("{NOBODY}: {}.", why_open(board)?))
}

/// Why nobody leads; `None` where that is for lack of debates.
fn why_open(board: &StrengthBoard) -> Option<&'static str> {
    if board.rows.iter().all(|row| row.rating.elo.is_none()) {
        return Some("wins went one way only");
    }
    let rated = board
        .rows
        .iter()
        .filter(|row| !row.small && row.rating.elo.is_some());
    let mut groups = BTreeSet::new();
    let two = rated
        .map(|row| row.rating.group)
        .any(|group| !groups.insert(group));
    two.then_some("the winner follows order or side without exception")
}

/// The pairs that differ clearly.
fn clear(family: &Comparisons) -> impl Iterator<Item = &PairedDifference> {
    let all = family.pairs.iter();
    all.filter(|pair| pair.clear)
}

/// What a format's paired differences come to.
fn differences(family: &Comparisons) -> String {
    let format = &family.format;
    let compared = format!(
        "{} of models compared",
        count(comparable(family) as u64, "pair")
    );
    let told: Vec<String> = clear(family).take(3).filter_map(difference).collect();
    if told.is_empty() {
        if family.pairs.iter().all(|pair| pair.found.p.is_none())
            && let Some(not_told) = not_told(family)
        {
            return not_told;
        }
        let missed = missed(family);
        let closest = closest(family).map_or_else(String::new, |told| format!(" {told}"));
        return format!(
            "In {format} debates no two models differ clearly in score ({compared}); {missed}.{closest}"
        );
    }
    let rest = match clear(family).count() - told.len() {
        0 => String::new(),
        more => format!("; {more} more differ"),
    };
    let told = told.join(", ");
    format!("In {format} debates {told}{rest} ({compared}, Holm-corrected).")
}

/// `llama3 scores 0.41 [0.12, 0.70] above mistral`.
fn difference(pair: &PairedDifference) -> Option<String> {
    let by = estimated(Unit::Score, &pair.found.estimate.clone().size())?;
    let [more, less] = pair.in_order();
    Some(format!("{more} scores {by} above {less}"))
}

/// The pair that the fewest further topics would separate, and how many.
fn closest(family: &Comparisons) -> Option<String> {
    let pairs = family.pairs.iter();
    let pair = pairs.min_by_key(|pair| pair.topics_needed.unwrap_or(usize::MAX))?;
    let more = more_topics(pair.found.estimate.clusters, pair.topics_needed)?;
    let by = estimated(Unit::Score, &pair.found.estimate.clone().size())?;
    let [a, b] = pair.in_order();
    Some(format!(
        "Between {a} and {b} it is {by}: if that is the true difference, {more}."
    ))
}

/// What could have been there without being seen, in the pairs that were tested.
fn missed(family: &Comparisons) -> String {
    let least = family.pairs.iter().filter_map(|pair| pair.found.detectable);
    match least.reduce(f64::max) {
        Some(least) => format!(
            "differences below {} could have been missed",
            number(Unit::Score, least)
        ),
        None => {
            "with so few topics, or scores that do not vary, no difference could show".to_owned()
        }
    }
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
    let emergencies = match group.counts.emergency {
        0 => String::new(),
        n => format!(", {n} with emergency replies"),
    };
    let from = count(e.n as u64, "debate");
    let format = capitalised(group.key.first()?);
    (e.clusters >= LEAST_TOPICS).then(|| format!("{format}: {words} ({from}{emergencies})."))
}

fn played(findings: &Findings) -> String {
    let c = &findings.counts;
    let (debates, topics) = (
        count(c.planned as u64, "debate"),
        count(c.topics as u64, "topic"),
    );
    let ended = [
        (c.done, "done"),
        (c.degraded, "degraded"),
        (c.failed, "failed"),
    ];
    let ended = ended.iter().filter(|(n, _)| *n > 0);
    let ended: Vec<String> = ended.map(|(n, word)| format!("{n} {word}")).collect();
    let ended = ended.join(", ");
    format!("{debates} on {topics}: {ended}; unfinished debates are not counted.")
}
