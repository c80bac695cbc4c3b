//! What decided a debate: whom judges put ahead, what rounds came to, and what becomes of readings that disagree.

use std::fmt;

use serde_json::{Value, json};

use crate::event::{Reading, Results, RoundWinner, Verdict, VerdictJudge, Winner, hundredths};
use crate::text;
use crate::trace::Trace;

/// The verdict that the outcome rests on.
pub(in crate::artifacts) fn verdict(trace: &Trace) -> Option<&Verdict> {
    trace.own_verdicts().next()
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

/// What becomes of the scores of judges whose readings disagree.
pub(in crate::artifacts) fn consequences(trace: &Trace) -> Option<String> {
    let turned = verdict(trace)?
        .turns()
        .into_iter()
        .map(|(judge, turn)| turn.consequence(trace.name_of(&judge.judge.id)));
    text::if_any(text::separated(turned, " "))
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
