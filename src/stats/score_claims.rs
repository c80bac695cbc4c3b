//! Claims about scores: the pairs of models that differ in them, and what could have been seen in the others.

use super::claim::{LEAST_TOPICS, demanded, holm_corrected};
use super::confounding;
use super::findings::{Comparisons, PairedDifference, PairedSeats, Unit};
use super::number::{Rounding, estimated, number};
use super::planned::{Planned, Power};
use crate::text::{count, joined, told_if};
use statistics::paired::Spread;

/// A sentence by format, and one on what could have been seen there if a pair is not shown to differ.
pub(super) fn headlines(families: &[Comparisons], with_power: bool) -> Vec<String> {
    let mut compared: Vec<&Comparisons> = families.iter().filter(|it| pairs(it) > 0).collect();
    // What was found first, then what rests on most.
    compared.sort_by_key(|family| std::cmp::Reverse((clear(family).count(), pairs(family))));
    let is_tested = |family: &&Comparisons| tested(family).next().is_some();
    let families = families.iter().filter(is_tested).count();
    let each = compared.into_iter().flat_map(|family| {
        let power = power(family).filter(|_| with_power);
        let differences = differences(family, families)
            + &across_seats(family)
            + &other_opponents(family)
            + &unpaired_meetings(family);
        std::iter::once(differences).chain(power)
    });
    each.collect()
}

/// The formats in which no two models can be compared, and what is in the way.
pub(super) fn not_compared(families: &[Comparisons]) -> Vec<String> {
    let without: Vec<&Comparisons> = families.iter().filter(|it| pairs(it) == 0).collect();
    let is_alone = |family: &&&Comparisons| family.confounders().next().is_none();
    let alone: Vec<&str> = without.iter().filter(is_alone).map(|family| &*family.format).collect();
    let formats = joined(&alone, "and");
    let none = (!alone.is_empty()).then(|| {
        format!("In {formats} debates no two models were scored on the same material, so none are compared.")
    });
    without.iter().filter_map(|family| not_told(family)).chain(none).collect()
}

/// Pairs behind a family.
fn pairs(family: &Comparisons) -> usize {
    family.pairs.iter().map(|pair| pair.found.estimate.n).sum()
}

/// What is in the way of comparing the scores of any two.
pub(super) fn not_told(family: &Comparisons) -> Option<String> {
    let begins = format!("In {} debates no model is shown to score higher", family.format);
    confounding::sentence(&begins, family.confounders())
}

/// The pairs that differ clearly.
fn clear(family: &Comparisons) -> impl Iterator<Item = &PairedDifference> {
    family.pairs.iter().filter(|pair| pair.clear)
}

/// The pairs that were tested.
fn tested(family: &Comparisons) -> impl Iterator<Item = &PairedDifference> {
    family.pairs.iter().filter(|pair| pair.found.p.is_some())
}

/// What a format's paired differences come to, in so many formats.
fn differences(family: &Comparisons, families: usize) -> String {
    let format = &family.format;
    let told: Vec<String> =
        clear(family).take(3).filter_map(|pair| difference(pair, family)).collect();
    if told.is_empty() {
        return none_differs(family, families);
    }
    let more = clear(family).count() - told.len();
    let rest = told_if(more > 0, || format!(" and {more} more differ"));
    let told = told.join(", ");
    format!(
        "In {format} debates {told}{rest}: {} of {}, Holm-corrected.",
        clear(family).count(),
        of_models(tested(family).count())
    )
}

/// `3 pairs of models`.
fn of_models(pairs: usize) -> String {
    format!("{} of models", count(pairs, "pair"))
}

/// `llama3 scores 0.41 [0.12, 0.70] above mistral (160 pairs of totals on the same topic by the same judges, in the same seat, in 80 debates of
/// either model on 40 topics)`.
fn difference(pair: &PairedDifference, family: &Comparisons) -> Option<String> {
    let by = estimated(Unit::Score, &pair.found.estimate.clone().size())?;
    let [more, less] = pair.in_order();
    let equal = at_equal_length(pair).unwrap_or_default();
    let mixed = if family.mixed_scales { " points of different scales" } else { "" };
    Some(format!("{more} scores {by}{mixed} above {less} ({}){equal}", from(pair, family)))
}

/// Texts that are not so many times as long as others are about equally long.
const LONGER: f64 = 1.1;

/// What is left of the difference at equal length, where the two write unequally long.
fn at_equal_length(pair: &PairedDifference) -> Option<String> {
    let own = pair.at_equal_length.as_ref()?;
    let [more, _] = pair.in_order();
    let (times, left) = if more == pair.a {
        (own.times_as_long, own.difference.clone())
    } else {
        (own.times_as_long.recip(), own.difference.clone().turned())
    };
    let left = estimated(Unit::Score, &left)?;
    let times = number(Rounding::Decimals(1), times);
    (!(LONGER.recip()..LONGER).contains(&own.times_as_long))
        .then(|| format!("; at equal length {left} ({more}'s texts are {times} times as long)"))
}

/// What a pair rests on: the totals of both under the same conditions, in debates of either.
fn from(pair: &PairedDifference, family: &Comparisons) -> String {
    let pairs = count(pair.found.estimate.n, "pair");
    let debates = count(pair.debates.len(), "debate");
    let topics = count(pair.found.estimate.clusters, "topic");
    let seats = match pair.seats {
        Some(PairedSeats::Balanced) if family.pairs.len() > 1 => "seats and opponents balanced",
        Some(PairedSeats::Balanced) => "seats balanced",
        Some(PairedSeats::Mixed) => "seats balanced or the same",
        Some(PairedSeats::Any) => "across seats",
        Some(PairedSeats::Same) | None => "in the same seat",
    };
    let opponent = if pair.same_opponents { "" } else { ", whoever the opponent" };
    format!(
        "{pairs} of totals on the same topic by the same judges, {seats}{opponent}, in {debates} of either model on {topics}"
    )
}

/// Why some pairs are compared across seats.
const UNLIKE_OTHERS: &str = "never had the same seat with all else equal, nor balanced seats on any topic, and are compared across seats, unlike the others.";

/// Which pairs are compared across seats that are not balanced, where others are not.
fn across_seats(family: &Comparisons) -> String {
    let (across, others): (Vec<_>, Vec<_>) =
        tested(family).partition(|pair| pair.seats == Some(PairedSeats::Any));
    let is_unlike = !across.is_empty() && !others.is_empty();
    told_if(is_unlike, || format!(" {} {UNLIKE_OTHERS}", which(&across)))
}

/// The two of a pair, or how many pairs there are.
fn which(pairs: &[&PairedDifference]) -> String {
    match pairs {
        [pair] => pair.in_order().join(" and "),
        all => of_models(all.len()),
    }
}

/// In how many pairs one model may have met somewhat stronger opponents than the other: scores of one debate are given side by side.
fn other_opponents(family: &Comparisons) -> String {
    let others: Vec<_> = tested(family).filter(|pair| !pair.same_opponents).collect();
    let told = || format!(" {} did not meet the same opponents equally often.", which(&others));
    told_if(!others.is_empty(), told)
}

/// How many debates of two with each other count for nothing, as where others are missing: then a difference rests on what both
/// reached against third models, if there are any, which is another quantity.
fn unpaired_meetings(family: &Comparisons) -> String {
    let lacking = tested(family).filter(|pair| pair.unpaired_meetings > 0);
    let each = lacking.map(|pair| {
        let [a, b] = pair.in_order();
        format!("{} of {a} with {b}", pair.unpaired_meetings)
    });
    let all = joined(each, "and");
    let third = told_if(family.pairs.len() > 1, || {
        " There, differences rest on debates with third models.".to_owned()
    });
    told_if(!all.is_empty(), || {
        format!(
            " Left out of pairs, for want of a debate with the seats exchanged and all else equal: {all}.{third}"
        )
    })
}

/// That no pair differs, and how far the nearest to it are apart.
fn none_differs(family: &Comparisons, families: usize) -> String {
    let format = &family.format;
    let p = |pair: &PairedDifference| pair.found.p.unwrap_or(1.0);
    let Some(nearest) = tested(family).min_by(|a, b| p(a).total_cmp(&p(b))) else {
        return not_told(family).unwrap_or_else(|| format!(
            "In {format} debates no two models can be tested: with too few topics, or totals that differ by the same on each, a difference has no standard error."
        ));
    };
    let lacks = demanded(nearest.found.p_adjusted, families);
    let apart = apart(nearest, family) + &lacks;
    match tested(family).count() {
        1 => format!("In {format} debates no difference in score is shown: {apart}."),
        all => format!(
            "In {format} debates none of the {all} pairs of models is shown to differ in score after Holm's correction. The pair with the smallest p: {apart}."
        ),
    }
}

/// `llama3 minus mistral is 0.21 [-0.10, 0.52] points on a scale from 0 to 10, p 0.180 (Holm), from 160 pairs of totals on
/// the same topic by the same judges, in the same seat, in 80 debates of either model on 40 topics`.
fn apart(pair: &PairedDifference, family: &Comparisons) -> String {
    let (a, b) = (&pair.a, &pair.b);
    let by = estimated(Unit::Score, &pair.found.estimate).unwrap_or_default();
    let p = number(Rounding::PValue, pair.found.p_adjusted.unwrap_or(1.0));
    format!(
        "{a} minus {b} is {by} points{}, p {p}{}, from {}",
        family.on_scale(),
        holm_corrected(tested(family).count()),
        from(pair, family)
    )
}

/// What could have been seen; `None` if all pairs are shown to differ, or none is tested.
fn power(family: &Comparisons) -> Option<String> {
    let open = tested(family).any(|pair| !pair.clear);
    let known = tested(family).filter(|pair| pair.found.estimate.clusters >= LEAST_TOPICS);
    let power = Power {
        measure: format!("total score of {} debates", family.format),
        planned: family.scale.map(Planned::score),
        // Where nothing on the scale could be detected, it is more than that.
        detectable: known.map(|pair| pair.found.detectable.unwrap_or(f64::INFINITY)).collect(),
        spreads: tested(family).filter_map(|pair| Spread::new(&pair.found.estimate)).collect(),
        is_partial: tested(family).count() < family.pairs.len(),
    };
    power.sentence().filter(|_| open)
}
