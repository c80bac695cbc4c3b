//! What decided a debate: the criteria that made the margin, what rounds came to, and the judges with their reasons.

use std::fmt;

use serde_json::{Value, json};

use super::verdict::{criterion, weight};
use crate::artifacts::banner;
use crate::event::{Reading, Results, RoundWinner, Verdict, VerdictJudge, Winner, hundredths};
use crate::text;
use crate::trace::Trace;

/// The verdict that the outcome rests on.
pub(in crate::artifacts) fn verdict(trace: &Trace) -> Option<&Verdict> {
    trace.own_verdicts().next()
}

/// What made the margin, as far as numbers tell: the criteria, or where a judge's readings disagree, what becomes of its scores.
pub(in crate::artifacts) fn lines(trace: &Trace) -> Vec<String> {
    [lead(trace), consequences(trace)].into_iter().flatten().collect()
}

/// The criteria that made the margin between the two leaders, the weightiest first: `Ann leads by 0.60: 0.45 from coherence and
/// 0.25 from clarity, less 0.10 from relevance (each the difference times the weight).`
pub(in crate::artifacts) fn lead(trace: &Trace) -> Option<String> {
    from_criteria(trace, Made::of(trace)?)
}

/// Whom a margin puts ahead of whom: `Ann ahead`; where more than two were judged, a third may be before both: `Ann ahead of Ben`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::artifacts) struct Lead<'t> {
    pub(in crate::artifacts) name: &'t str,
    /// The other, where there are more than two.
    of: Option<&'t str>,
}

impl<'t> Lead<'t> {
    /// The lead that a margin between the two leaders of a verdict is, if it is one.
    pub(in crate::artifacts) fn of(
        trace: &'t Trace,
        verdict: &'t Verdict,
        margin: f64,
    ) -> Option<Self> {
        let [one, other] = verdict.leaders()?.map(|id| trace.name_of(id));
        let (name, other) = match hundredths(margin) {
            0 => return None,
            1.. => (one, other),
            _ => (other, one),
        };
        let of = (verdict.means().len() > 2).then_some(other);
        Some(Self { name, of })
    }

    /// `ahead`, or `ahead of Ben`.
    pub(in crate::artifacts) fn ahead(self) -> String {
        let of = self.of.map(|other| format!(" of {other}"));
        format!("ahead{}", of.unwrap_or_default())
    }

    /// The same where `ahead` was said: `Ann`, or `Ann ahead of Ben`.
    pub(in crate::artifacts) fn again(self) -> String {
        match self.of {
            Some(_) => self.to_string(),
            None => self.name.to_owned(),
        }
    }
}

impl fmt::Display for Lead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.ahead())
    }
}

/// Who is ahead where neither of the two leaders is: a third may be before both.
pub(in crate::artifacts) fn nobody(verdict: &Verdict) -> &'static str {
    match verdict.means().len() {
        ..=2 => "nobody",
        _ => "neither of the two leaders",
    }
}

/// What a judge made of the two leaders: `put Ann ahead by 0.60`; where its readings differ in that, each: `had Ann ahead by 0.25 in
/// one order and nobody in the other`.
pub(in crate::artifacts) fn put(trace: &Trace, verdict: &Verdict, judge: &VerdictJudge) -> String {
    let nobody = nobody(verdict);
    let Some([one, other]) = verdict.leaders() else {
        return format!("put {nobody} ahead");
    };
    let by = |margin: f64| text::fixed(margin.abs(), 2);
    let lead = |margin: f64| Some((Lead::of(trace, verdict, margin)?, by(margin)));
    let margin = |reading: &Reading| Some(reading.totals.get(one)? - reading.totals.get(other)?);
    if judge.turn([one, other]).is_none() {
        let ahead = judge.margin([one, other]).and_then(lead);
        return ahead.map_or_else(
            || format!("put {nobody} ahead"),
            |(lead, by)| format!("put {lead} by {by}"),
        );
    }
    let ahead = judge.valid().filter_map(margin).filter_map(lead);
    match &ahead.collect::<Vec<_>>()[..] {
        [(lead, by), (also, also_by), ..] => format!(
            "had {lead} by {by} in one order and {} by {also_by} in the other",
            also.again()
        ),
        [(lead, by)] => format!("had {lead} by {by} in one order and {nobody} in the other"),
        [] => format!("put {nobody} ahead"),
    }
}

/// Whom a judge puts before both of the two leaders: `put Cy first overall in both readings`.
pub(in crate::artifacts) fn put_first(
    trace: &Trace,
    verdict: &Verdict,
    judge: &VerdictJudge,
) -> Option<String> {
    let others = judge.others_first(verdict.leaders()?);
    let readings = judge.valid().count();
    let each: Vec<String> = text::distinct(others.iter())
        .into_iter()
        .map(|id| {
            let times = others.iter().filter(|other| *other == id).count();
            let within = match (times, readings) {
                (_, 1) => "",
                (1, _) => " in one reading",
                _ => " in both readings",
            };
            format!("{} first overall{within}", trace.name_of(id))
        })
        .collect();
    (!each.is_empty()).then(|| format!("put {}", text::joined(&each, "and")))
}

/// Whom a verdict puts ahead, if it does.
pub(in crate::artifacts) fn ahead<'t>(trace: &'t Trace, verdict: &'t Verdict) -> Option<Lead<'t>> {
    Lead::of(trace, verdict, verdict.margin()?)
}

/// `Both judges`, `All 3 judges`.
pub(in crate::artifacts) fn all_judges(judges: usize) -> String {
    match judges {
        2 => "Both judges".to_owned(),
        all => format!("All {all} judges"),
    }
}

/// What becomes of the scores of judges whose readings disagree, and that totals differ from the margin because of it.
pub(in crate::artifacts) fn turned(trace: &Trace) -> Option<String> {
    let differ = verdict(trace)?.totals_differ(|id| trace.name_of(id));
    let all = [consequences(trace), differ];
    text::if_any(text::separated(all.into_iter().flatten(), " "))
}

fn consequences(trace: &Trace) -> Option<String> {
    let turned = verdict(trace)?
        .turns()
        .into_iter()
        .map(|(judge, turn)| turn.consequence(trace.name_of(&judge.judge.id)));
    text::if_any(text::separated(turned, " "))
}

fn from_criteria(trace: &Trace, made: Made<'_>) -> Option<String> {
    let Made { name, margin, mut parts } = made;
    parts.sort_by_key(|(_, part)| -part.abs());
    let named = |sign: i64| {
        let own = parts
            .iter()
            .filter(|(_, part)| part.signum() == sign)
            .map(|(criterion, part)| format!("{} from {criterion}", amount(*part)));
        text::joined(own, "and")
    };
    let (fore, against) = (named(1), named(-1));
    let against = if against.is_empty() { against } else { format!(", less {against}") };
    let made = format!("{fore}{against} (each the difference times the weight)");
    let margin = text::fixed(margin, 2);
    let told = || banner::begun(trace, &format!("{name} leads by {margin}: {made}."));
    (!fore.is_empty()).then(told)
}

/// What one criterion adds to the lead of whoever is ahead: `; rule adherence adds 0.45 to Ann's lead of 1.00`. Nothing where
/// it adds nothing.
pub(in crate::artifacts) fn share(trace: &Trace, name: &str) -> Option<String> {
    let made = Made::of(trace)?;
    let (criterion, part) = made.parts.iter().find(|(own, _)| *own == criterion(name))?;
    let (leader, margin) = (text::possessive(made.name), text::fixed(made.margin, 2));
    let told = || format!("; {criterion} adds {} to {leader} lead of {margin}", amount(*part));
    (*part > 0).then(told)
}

fn amount(hundredths: i64) -> String {
    format!("{:.2}", hundredths.abs() as f64 / 100.0)
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
        let verdict = verdict(trace).filter(|it| it.turns().is_empty() && !it.is_doubtful())?;
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
