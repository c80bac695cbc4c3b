//! Verdicts of panels that read a debate afterwards, as people read them: who won, by which votes, and who did not vote and why.

use regex::{Captures, Regex};
use serde_json::{Value, json};

use crate::artifacts::call_costs::counted;
use crate::event::{
    Candidate, Judging, Reading, ReadingStatus, RecusalReason, SeatStatus, Side, Verdict,
    VerdictJudge, Vote, VoteReason, Winner,
};
use crate::job::profile_of;
use crate::text;
use crate::trace::Trace;

/// Every panel's verdict.
pub(in crate::artifacts) fn shown(trace: &Trace) -> Vec<Value> {
    trace.panel_verdicts().map(|(verdict, judging)| panel(trace, verdict, judging)).collect()
}

/// The readings of every judge of a panel, as `metadata.md` lists them.
pub(in crate::artifacts) fn calls(trace: &Trace) -> Vec<Value> {
    let of = |(verdict, judging): (&'_ Verdict, &'_ Judging)| -> Vec<Value> {
        let asked = verdict.judges.iter().filter(|it| !it.readings.is_empty());
        asked.map(|judge| call(judging, judge)).collect()
    };
    trace.panel_verdicts().flat_map(of).collect()
}

fn call(judging: &Judging, judge: &VerdictJudge) -> Value {
    let sum = |of: fn(&Reading) -> u64| judge.readings.iter().map(of).sum::<u64>();
    json!({
        "panel": judging.panel.name,
        "model": judge.judge.model,
        "digest": judge.seat.as_ref().and_then(|seat| seat.digest.as_ref()),
        "readings": judge.readings.len(),
        "valid": judge.valid().count(),
        "attempts": sum(|reading| reading.attempts.into()),
        "prompt": tokens(&judge.readings, |reading| reading.tokens.prompt),
        "reply": tokens(&judge.readings, |reading| reading.tokens.reply),
    })
}

/// The tokens of the readings that a model answered; `None` if there are none.
fn tokens(readings: &[Reading], of: fn(&Reading) -> u64) -> Option<String> {
    // One without a usable reply may have had others.
    let answered = |it: &&Reading| it.status != ReadingStatus::Abstained || of(it) > 0;
    let each: Vec<u64> = readings.iter().filter(answered).map(of).collect();
    let uncounted = each.iter().filter(|tokens| **tokens == 0).count() as u64;
    let all = each.len() as u64;
    (all > 0).then(|| counted(each.iter().sum(), uncounted, (all, "reading")))
}

/// Every panel's verdict in a line: `house: Ann wins (2 to 0, 1 tie)`, `house: no majority: 1 for Ann, 1 tie`.
pub(in crate::artifacts) fn lines(trace: &Trace) -> Vec<String> {
    trace.panel_verdicts().map(|(verdict, judging)| line(trace, verdict, judging)).collect()
}

fn panel(trace: &Trace, verdict: &Verdict, judging: &Judging) -> Value {
    let judge = |judge: &VerdictJudge| row(trace, judging, judge);
    json!({
        "line": line(trace, verdict, judging),
        "rehearsed": trace.rehearsal,
        "answers": judging.is_of_answers(),
        "own": own(trace, verdict, judging),
        "judges": verdict.judges.iter().map(judge).collect::<Vec<_>>(),
    })
}

fn line(trace: &Trace, verdict: &Verdict, judging: &Judging) -> String {
    format!("{}: {}", judging.panel.name, in_brief(trace, verdict, judging))
}

/// A verdict in a few words: `Ann wins (2 to 0, 1 tie)`, or of answers, `the final answer is better (…)`.
pub(crate) fn in_brief(trace: &Trace, verdict: &Verdict, judging: &Judging) -> String {
    let won = won(verdict, judging, |id| called(trace, judging, id).to_owned())
        .unwrap_or_else(|| format!("no verdict: too few votes{}", recused(verdict)));
    let [most, least] = judging.votes.most_and_least();
    let tied = judging.votes.tie;
    let ties = text::told_if(tied > 0, || format!(", {}", text::count(tied, "tie")));
    let Some(ahead) = undecided(verdict, judging) else {
        return format!("{won} ({most} to {least}{ties})");
    };
    let votes =
        |n: u32, of: &Candidate| format!("{n} for {}", called(trace, judging, &of.participant));
    let other = judging.candidates.iter().find(|it| it.key != ahead.key).filter(|_| least > 0);
    let other = other.map(|other| format!(", {}", votes(least, other))).unwrap_or_default();
    format!("no majority: {}{other}{ties}", votes(most, ahead))
}

/// Who won, the winner called by `name`; `None` without a verdict.
fn won(verdict: &Verdict, judging: &Judging, name: impl Fn(&str) -> String) -> Option<String> {
    let of_answers = judging.is_of_answers();
    Some(match verdict.winner.as_ref()? {
        Winner::Draw if of_answers => "neither answer is better".to_owned(),
        Winner::Draw => "a draw".to_owned(),
        Winner::Side(id) if of_answers => format!("{} is better", name(id)),
        Winner::Side(id) => format!("{} wins", name(id)),
    })
}

/// `, as gemma3 and phi4 are related to debaters' models`; nothing if no judge is.
fn recused(verdict: &Verdict) -> String {
    let is_recused = |judge: &&VerdictJudge| {
        let seat = judge.seat.as_ref();
        seat.is_some_and(|seat| seat.recusal.is_some())
    };
    let recused = verdict.judges.iter().filter(is_recused);
    let models = recused.map(|it| it.judge.model.as_ref().unwrap_or(&it.judge.id).as_str());
    match models.collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [one] => format!(", as {one} is related to a debater's model"),
        all => format!(", as {} are related to debaters' models", text::joined(all, "and")),
    }
}

/// Who is ahead in a draw, by too few votes to win.
fn undecided<'j>(verdict: &Verdict, judging: &'j Judging) -> Option<&'j Candidate> {
    judging.ahead().filter(|_| verdict.winner == Some(Winner::Draw))
}

/// What a candidate is called: its name, or that of its answer.
fn called<'t>(trace: &'t Trace, judging: &Judging, id: &'t str) -> &'t str {
    let mut all = judging.candidates.iter();
    let place = all.position(|it| it.statement.is_some() && it.participant == id);
    let two = profile_of(&trace.format).two_answers;
    let called = two.zip(place).and_then(|(two, place)| two.called.get(place).copied());
    called.unwrap_or_else(|| trace.name_of(id))
}

/// That the panel differs from the debate's own outcome, where that has a winner.
fn own(trace: &Trace, verdict: &Verdict, judging: &Judging) -> Option<&'static str> {
    let own = trace.outcome.as_ref()?.winner.as_ref().filter(|_| !judging.is_of_answers())?;
    let differs = verdict.winner.as_ref()? != own;
    differs.then_some("unlike the debate's own outcome, which stays")
}

fn row(trace: &Trace, judging: &Judging, judge: &VerdictJudge) -> Value {
    let seat = judge.seat.as_ref();
    json!({
        "model": judge.judge.model,
        "seat": seat.map(|seat| match (&seat.recusal, seat.status) {
            (Some(recusal), status) => {
                let asked = if status == SeatStatus::Shadow { "no" } else { "not asked" };
                let with = trace.name_of(&recusal.with);
                format!("{asked}: {} as {with} ({})", same(recusal.reason), recusal.shares)
            }
            (None, SeatStatus::Failed) => "no reading can be used".to_owned(),
            (None, _) => "yes".to_owned(),
        }),
        "ahead": ahead(trace, judging, judge),
        "vote": seat.and_then(|seat| seat.vote).map(|vote| named(trace, judging, vote)),
        "why": seat.and_then(|seat| seat.vote_reason).map(why),
        "reasons": deciding(judge).map(|reading| reasons(trace, judging, reading)).collect::<Vec<_>>(),
    })
}

/// The readings whose reasons are shown: one that has the judge's vote, or where they differ in it, all.
fn deciding(judge: &VerdictJudge) -> impl Iterator<Item = &Reading> {
    let agreed = judge.seat.as_ref().and_then(|seat| seat.vote_reason) == Some(VoteReason::Agreed);
    let most = if agreed { 1 } else { usize::MAX };
    first_readings(judge).take(most)
}

/// The readings that count for the vote: in each order, the first.
fn first_readings(judge: &VerdictJudge) -> impl Iterator<Item = &Reading> {
    let is_first = |reading: &&Reading| reading.of_panel.as_ref().is_some_and(|it| it.repeat == 1);
    judge.valid().filter(is_first)
}

/// The reasons of a reading, with what the sides were called in it: `Ann put first (“Birch”), Ben second (“Cedar”)`.
fn reasons(trace: &Trace, judging: &Judging, reading: &Reading) -> Value {
    let labels = reading.of_panel.iter().flat_map(|it| &it.labels);
    let label = |key: Side| labels.clone().find(|(own, _)| **own == key);
    let mut read: Vec<(bool, &str, &String)> = judging
        .candidates
        .iter()
        .filter_map(|candidate| {
            let called = called(trace, judging, &candidate.participant);
            let (_, label) = label(candidate.key)?;
            Some((reading.order.first() == Some(&candidate.participant), called, label))
        })
        .collect();
    read.sort_by_key(|(is_first, ..)| !is_first);
    let named = read.iter().enumerate().map(|(place, (_, name, label))| {
        let place = if place == 0 { "put first" } else { "second" };
        format!("{name} {place} (“{label}”)")
    });
    json!({"read": text::separated(named, ", "), "text": by_name(&reading.reason, &read)})
}

/// A reason with the names of the sides in place of the labels under which its judge read them.
fn by_name(reason: &str, read: &[(bool, &str, &String)]) -> String {
    let labels: Vec<String> = read.iter().map(|(.., it)| regex::escape(it)).collect();
    // All at once: a name may be a word that is another's label.
    let Ok(label) = Regex::new(&format!(r"\b({})(['’]s)?\b", labels.join("|"))) else {
        return reason.to_owned();
    };
    let name = |found: &Captures<'_>| {
        let of = read.iter().find(|(.., it)| it.as_str() == &found[1]);
        match (of, found.get(2)) {
            (None, _) => found[0].to_owned(),
            (Some((_, name, _)), None) => (*name).to_owned(),
            (Some((_, name, _)), Some(_)) => text::possessive(name),
        }
    };
    label.replace_all(reason, name).into_owned()
}

/// Whom each reading has ahead, as `Ann by 1.20, tie`.
fn ahead(trace: &Trace, judging: &Judging, judge: &VerdictJudge) -> String {
    let readings = judge.readings.iter().map(|reading| {
        let put = reading.of_panel.as_ref();
        match put.and_then(|it| it.pick.zip(it.margin)) {
            None => "not valid".to_owned(),
            Some((Vote::Tie, _)) => "level".to_owned(),
            Some((pick, margin)) => {
                format!("{} by {}", named(trace, judging, pick), text::fixed(margin.abs(), 2))
            }
        }
    });
    text::separated(readings, "; ")
}

fn named(trace: &Trace, judging: &Judging, vote: Vote) -> String {
    let key = match vote {
        Vote::Tie => return "tie".to_owned(),
        Vote::P => Side::P,
        Vote::Q => Side::Q,
    };
    let found = judging.candidates.iter().find(|candidate| candidate.key == key);
    found.map_or_else(String::new, |it| called(trace, judging, &it.participant).to_owned())
}

fn same(reason: RecusalReason) -> &'static str {
    match reason {
        RecusalReason::SameDigest => "same weights",
        RecusalReason::Named => "same model",
        RecusalReason::SameLineage => "same ancestors",
        RecusalReason::SameFamily => "same family",
    }
}

fn why(reason: VoteReason) -> &'static str {
    match reason {
        VoteReason::Agreed => "",
        VoteReason::OrdersDisagree => "its readings disagree",
        VoteReason::Equal => "level in every reading",
        VoteReason::ReadingMissing => "a reading is missing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::TokenCount;

    #[test]
    fn b3_a_reading_that_no_model_answered_is_not_one_whose_tokens_are_missing() {
        let reading = |status, prompt| Reading {
            status,
            tokens: TokenCount { prompt, reply: 0 },
            ..Reading::default()
        };
        let [valid, lost] = [ReadingStatus::Valid, ReadingStatus::Abstained];
        let told = |all: &[Reading]| tokens(all, |it| it.tokens.prompt);
        assert_eq!(told(&[reading(valid, 523), reading(lost, 0)]).unwrap(), "523");
        let partly = told(&[reading(valid, 523), reading(valid, 0)]).unwrap();
        assert_eq!(partly, "523 (of 1 reading)");
        assert_eq!(told(&[reading(valid, 0)]).unwrap(), "not reported");
        assert_eq!(told(&[reading(lost, 0)]), None);
    }
}
