//! What decided a debate: the criteria that made the margin, what rounds came to, and the judges with their reasons.

use serde_json::{Value, json};

use super::verdict::{criterion, weight};
use crate::artifacts::banner;
use crate::event::{Results, RoundWinner, Verdict, Winner, hundredths};
use crate::text;
use crate::trace::Trace;

/// The verdict of the debate's own judges, whether or not it decided the debate.
pub(in crate::artifacts) fn own_verdict(trace: &Trace) -> Option<&Verdict> {
    trace.own_verdicts().next()
}

/// The criteria that made the margin between the two leaders, the weightiest first: `Ann leads by 0.60: 0.45 from coherence and
/// 0.25 from clarity, less 0.10 from relevance (each the difference times the weight).`
pub(in crate::artifacts) fn lead(trace: &Trace) -> Option<String> {
    let Made { name, margin, mut parts } = Made::of(trace)?;
    parts.sort_by_key(|(_, part)| -part.abs());
    let named = |sign: i64| {
        let own = parts.iter().filter(|(_, part)| part.signum() == sign);
        let told = own
            .map(|(criterion, part)| format!("{:.2} from {criterion}", part.abs() as f64 / 100.0));
        text::joined(told, "and")
    };
    let (fore, against) = (named(1), named(-1));
    let against = if against.is_empty() { against } else { format!(", less {against}") };
    let made = format!("{fore}{against} (each the difference times the weight)");
    let margin = text::fixed(margin, 2);
    let told = || banner::begun(trace, &format!("{name} leads by {margin}: {made}."));
    (!fore.is_empty()).then(told)
}

/// What made the margin between the two leaders of a verdict: of each criterion, the difference times the weight in hundredths.
struct Made<'t> {
    /// Who is ahead.
    name: &'t str,
    margin: f64,
    parts: Vec<(String, i64)>,
}

impl<'t> Made<'t> {
    /// Nothing where a judge's readings disagree: its margin counts as 0, and scores do not add up to that; nor where judges disagree
    /// on who is ahead: a mean of opposites is nobody's reason.
    fn of(trace: &'t Trace) -> Option<Self> {
        let verdict = own_verdict(trace).filter(|it| it.turns().is_empty() && !it.is_doubtful())?;
        let [mut one, mut other] = verdict.leaders()?;
        let margin = verdict.margin()?;
        match hundredths(margin) {
            0 => return None,
            ..0 => (one, other) = (other, one),
            1.. => {}
        }
        let scores = verdict.scores();
        let (ahead, behind) = (scores.get(one)?, scores.get(other)?);
        let part = |(name, mean): (&String, &f64)| {
            let weight = weight(trace, name).as_f64()?;
            let part = weight * (mean - behind.breakdown.get(name)?);
            Some((criterion(name), part))
        };
        let (names, parts): (Vec<String>, Vec<f64>) =
            ahead.breakdown.iter().filter_map(part).unzip();
        let margin = margin.abs();
        let parts = in_hundredths(&parts, hundredths(margin));
        let parts = names.into_iter().zip(parts).collect();
        Some(Self { name: trace.name_of(one), margin, parts })
    }
}

/// Parts of a sum in hundredths that add up to it as shown: each rounded down or up, those with the largest remainders up. Each
/// to its nearest where that cannot add up.
fn in_hundredths(parts: &[f64], sum: i64) -> Vec<i64> {
    // A millionth more, so that binary dust below a whole number is none.
    let floor = |part: &f64| (part * 100.0 + 1e-6).floor() as i64;
    let mut all: Vec<i64> = parts.iter().map(floor).collect();
    let up = usize::try_from(sum - all.iter().sum::<i64>());
    let Some(up) = up.ok().filter(|up| *up <= all.len()) else {
        return parts.iter().map(|part| hundredths(*part)).collect();
    };
    let mut places: Vec<usize> = (0..all.len()).collect();
    let remainder = |place: usize| hundredths(parts[place] * 100.0 - all[place] as f64);
    places.sort_by_key(|place| -remainder(*place));
    places.truncate(up);
    for place in places {
        all[place] += 1;
    }
    all
}

/// Who won which round, with the reasons, where rounds were judged beside the whole debate.
pub(in crate::artifacts) fn rounds(trace: &Trace) -> Vec<Value> {
    let won = Results::of(trace.outcome.as_ref()).round_winners;
    let told = |ruling: &RoundWinner| {
        let id = ruling.winner.as_ref().and_then(Winner::id);
        let winner = id.map(|id| trace.name_of(id));
        json!({"round": ruling.round, "winner": winner, "reason": ruling.reason})
    };
    won.iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::in_hundredths;

    #[test]
    fn a4_the_parts_of_a_margin_add_up_to_it_as_shown() {
        let parts = [0.6, 0.125, 0.1, 0.075, -0.25];
        assert_eq!(in_hundredths(&parts, 65), [60, 13, 10, 7, -25]);
        assert_eq!(in_hundredths(&[0.3, -0.1], 20), [30, -10]);
        // What is no sum of them is left as it is.
        assert_eq!(in_hundredths(&[0.3, 0.1], 90), [30, 10]);
    }
}
