//! Whether the outcome is another without the judges on the model of one side: what a reader must know before believing it.

use super::decided;
use super::self_judging::{Shared, named, shared, together};
use crate::event::{Verdict, VerdictJudge, Winner};
use crate::panel::candidates::side_of;
use crate::text;
use crate::trace::Trace;

/// What the outcome would be without them, where it would be another: `Only Judge-3, on qwen3, the winner's own model, put Ben
/// ahead; without it, Ann would lead by 0.48.`
pub(in crate::artifacts) fn sentence(trace: &Trace) -> Option<String> {
    let verdict = decided::verdict(trace)?;
    let winner = verdict.ahead()?;
    let is_outcome = trace.outcome.as_ref()?.winner.as_ref() == Some(&winner);
    let shared = shared(trace);
    let others = verdict.of_those(|judge| !is_among(&shared, judge));
    if !is_outcome || others.ahead().as_ref() == Some(&winner) {
        return None;
    }
    let own = only_on_own_model(trace, verdict, &winner, &shared);
    match (own, would(trace, &others)) {
        (Some(own), None) => Some(format!("{own}.")),
        (Some(own), Some(would)) => {
            let all = verdict.judges.iter().filter(|j| is_among(&shared, j));
            let them = match all.count() {
                1 => "it",
                _ => "the judges on the model of one side",
            };
            Some(format!("{own}; without {them}, {would}."))
        }
        (None, would) => Some(format!("Without {}, {}.", listed(trace, &shared), would?)),
    }
}

/// Whether a judge is on the model of some and not of others.
fn is_among(shared: &[Shared<'_>], judge: &VerdictJudge) -> bool {
    let mut all = shared.iter();
    all.any(|shared| shared.judges.contains(&&*judge.judge.id))
}

/// What the other judges make of it; nothing where there are none.
fn would(trace: &Trace, others: &Verdict) -> Option<String> {
    Some(match others.ahead()? {
        Winner::Draw => "nobody would be ahead".to_owned(),
        Winner::Side(id) => {
            let margin = text::fixed(others.margin().unwrap_or_default().abs(), 2);
            format!("{} would lead by {margin}", trace.name_of(&id))
        }
    })
}

/// That all who put the winner ahead are on its model, and no other side is: `Only Judge-3, on qwen3, the winner's own model, put
/// Ben ahead`.
fn only_on_own_model(
    trace: &Trace,
    verdict: &Verdict,
    winner: &Winner,
    shared: &[Shared<'_>],
) -> Option<String> {
    let winner = winner.id()?;
    let leaders = verdict.leaders()?;
    let other = leaders.into_iter().find(|id| *id != winner)?;
    let is_for = |judge: &&VerdictJudge| judge.margin([winner, other]) > Some(0.0);
    let judges: Vec<&str> = verdict.heard().filter(is_for).map(|judge| &*judge.judge.id).collect();
    let is_own = |shared: &&Shared<'_>| {
        let mut same = shared.same.iter();
        same.all(|p| side_of(trace, &p.id) == winner)
    };
    let own: Vec<&Shared<'_>> = shared
        .iter()
        .filter(is_own)
        .filter(|shared| judges.iter().any(|id| shared.judges.contains(id)))
        .collect();
    let are_own = judges.iter().all(|id| own.iter().any(|shared| shared.judges.contains(id)));
    let models: Vec<&str> = own.iter().map(|shared| shared.model).collect();
    let noun = if own.len() == 1 { "model" } else { "models" };
    let (names, models) = (named(trace, &judges), text::joined(&models, "and"));
    let own = format!("{models}, the winner's own {noun}");
    let (heard, ahead) = (verdict.heard().count(), decided::ahead(trace, verdict)?);
    (!judges.is_empty() && are_own).then(|| match heard {
        1 => format!("{names}, the only judge, ran on {own}"),
        _ if judges.len() == heard => format!("{} ran on {own}", decided::all_judges(heard)),
        _ => format!("Only {names}, on {own}, put {ahead}"),
    })
}

/// `Judge-1 (llama3, the model of Ann) and Judge-3 (qwen3, the model of Ben)`.
fn listed(trace: &Trace, shared: &[Shared<'_>]) -> String {
    let one = |shared: &Shared<'_>| {
        let (judges, model) = (named(trace, &shared.judges), shared.model);
        format!("{judges} ({model}, the model of {})", together(&shared.same))
    };
    text::joined(shared.iter().map(one), "and")
}
