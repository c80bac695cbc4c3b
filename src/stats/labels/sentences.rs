//! The results of people's labels, in sentences.

use super::corrected::LEAST;
use crate::stats::claim::LEAST_TOPICS;
use crate::stats::findings::{CorrectedRate, Labels, LikePeople, Unit};
use crate::stats::number::{Rounding, estimated, number};
use crate::stats::verdicts::in_sentence;
use crate::text::count;

/// What is told: agreement and a corrected rate of the first source that has one, or why nothing is corrected.
pub(in crate::stats) fn headlines(found: &Labels) -> Vec<String> {
    let chosen = (found.drawn == 0).then_some(" Those debates were chosen, not drawn.");
    let first = found.judges.iter().find_map(alike).map(|told| told + chosen.unwrap_or_default());
    let corrected = found.corrected.iter().find_map(corrected);
    first.into_iter().chain(corrected).chain(refused(found)).collect()
}

/// What is wrong with people's verdicts as the basis of all numbers.
pub(in crate::stats) fn cautions(found: &Labels) -> Vec<String> {
    let all = found.debates.len();
    let few = (all < LEAST).then(|| {
        format!(
            "Verdicts are people's, on only {}: with fewer than {LEAST}, intervals are too narrow.",
            count(all, "debate")
        )
    });
    let chosen = all.saturating_sub(found.drawn);
    let not_drawn = (chosen > 0).then(|| {
        format!(
            "Verdicts are people's: {} were chosen, not drawn at random, so rates and strengths do not hold for the other debates.",
            if chosen == all {
"the debates".to_owned()
} else {
format!("{chosen} of {}", count(all, "debate"))
}
        )
    });
    let alone = (found.raters == 1)
        .then(|| "Verdicts are those of one person, whose taste nobody else's tempers.".to_owned());
    few.into_iter().chain(not_drawn).chain(alone).collect()
}

/// Why nothing is corrected, of any model.
fn refused(found: &Labels) -> Option<String> {
    let why = match found.drawn {
        0 => "the debates that people read were not drawn at random".to_owned(),
        n if n < LEAST => format!(
            "people read only {} drawn at random, and {LEAST} are needed",
            count(n, "debate")
        ),
        _ => found.refusal.clone()?,
    };
    Some(format!("Rates are not corrected: {why}."))
}

fn alike(row: &LikePeople) -> Option<String> {
    let (found, who) = (&row.agreement, in_sentence(&row.verdicts));
    let e = &found.exact;
    let debates = count(e.n, "debate");
    let topics = count(e.clusters, "topic");
    if e.clusters < LEAST_TOPICS {
        let alike = (e.value? * e.n as f64).round();
        return Some(format!("People and {who} agree on {alike} of {debates} on {topics}."));
    }
    let share = estimated(Unit::Share, e)?;
    let alpha = match found.alpha {
        Some(alpha) => {
            format!(" (alpha {}, where 0 is chance)", number(Rounding::Decimals(2), alpha))
        }
        None => String::new(),
    };
    Some(format!("People and {who} agree on {share} of {debates} on {topics}{alpha}."))
}

fn corrected(row: &CorrectedRate) -> Option<String> {
    let (e, judged) = (&row.corrected, row.judged.value?);
    (e.clusters >= LEAST_TOPICS).then_some(())?;
    let rate = estimated(Unit::Share, e)?;
    let (model, who) = (&row.model, in_sentence(&row.verdicts));
    let judged = number(Unit::Share, judged);
    let labelled = count(e.n, "debate");
    let topics = count(e.clusters, "topic");
    let of = count(row.judged.n, "debate");
    Some(format!(
        "Corrected by people, the win rate of {model} is {rate} (draws count half); by {who}, it is {judged}. People read {labelled} on {topics}, drawn from {of}."
    ))
}
