//! Which judge speaks for the verdict where there is room for one.

use super::self_judging;
use crate::event::{Reading, Results, VerdictJudge};
use crate::trace::Trace;

/// The judge who speaks for the verdict, with its reading: the one who summed the debate up, if one did. A judge who may be partial
/// speaks only where no other does who agrees with the verdict.
pub(in crate::artifacts) fn of(trace: &Trace) -> Option<(&VerdictJudge, &Reading)> {
    let verdict = trace.own_verdicts().next()?;
    let results = Results::of(trace.outcome.as_ref());
    let mut heard = verdict.heard();
    let summed_up = heard.find(|judge| Some(&judge.judge.id) == results.summary_by.as_ref());
    if let Some(judge) = summed_up {
        return Some((judge, judge.shown(verdict.leaders()).first().copied()?));
    }
    verdict.spoken(|judge| self_judging::model_shared(trace, &judge.judge.id).is_some())
}

/// The first other judge who put the loser ahead, with its reading, and the loser.
pub(in crate::artifacts) fn dissent(trace: &Trace) -> Option<(&VerdictJudge, &Reading, &str)> {
    let verdict = trace.own_verdicts().next()?;
    let winner = verdict.winner.as_ref()?.id()?;
    let loser = verdict.leaders()?.into_iter().find(|id| *id != winner)?;
    let (told, _) = of(trace)?;
    let dissents = |judge: &&VerdictJudge| {
        judge.judge.id != told.judge.id && judge.margin([loser, winner]).is_some_and(|by| by > 0.0)
    };
    let judge = verdict.heard().find(dissents)?;
    Some((judge, judge.valid().next()?, loser))
}

/// Whether a story that is put together quotes what a reading says of somebody.
pub(in crate::artifacts) fn is_quoted(trace: &Trace, reading: &Reading, id: &str) -> bool {
    let winner = trace.outcome.as_ref().and_then(|outcome| outcome.winner.as_ref()?.id());
    let speaks = of(trace).zip(winner).map(|((_, said), winner)| (said, winner));
    let dissents = dissent(trace).map(|(_, said, loser)| (said, loser));
    let mut quoted = speaks.into_iter().chain(dissents);
    quoted.any(|(said, of)| said.call == reading.call && of == id)
}

/// What a reading says of the whole debate, unless it speaks for the verdict and nobody against it: then the story quotes that.
pub(in crate::artifacts) fn besides<'r>(trace: &Trace, reading: &'r Reading) -> Option<&'r str> {
    let is_told = dissent(trace).is_none()
        && of(trace).is_some_and(|(_, spoken)| spoken.call == reading.call);
    reading.remark().filter(|_| !is_told)
}
