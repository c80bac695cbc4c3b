//! A debate in short, part by part: who argued what, what turned it, why it ended. Where a model told the story, in
//! its words, marked as such.

use serde_json::{Value, json};

use super::{dialectic_story, length};
use crate::artifacts::arguments::{by_side, endings};
use crate::artifacts::judgments::{decided, self_judging, spoken};
use crate::artifacts::{banner, interruptions, stances, statement_place, who_argued};
use crate::event::{
    Reading, Results, RoundWinner, Stance, Statement, Verdict, VerdictJudge, hundredths,
};
use crate::flow::FlowPoint;
use crate::text;
use crate::trace::Trace;

/// The most sentences of a summary that is told as a story: a moderator is asked for up to 220 words.
const SENTENCES: usize = 10;
/// Up to so many moves are told one by one.
const MOVES: usize = 4;
/// Characters of the reason for a move.
const REASON: usize = 200;

/// A story, and the model whose words it is in; none where it is put together from what is known.
pub(in crate::artifacts) struct Story {
    /// What it tells, thing by thing; one part where a model told it.
    pub(in crate::artifacts) parts: Vec<String>,
    /// So many of the first are told together or not at all: what judges say who disagree.
    pub(in crate::artifacts) together: usize,
    pub(in crate::artifacts) by: Option<String>,
}

/// The story; nothing where too little is known.
pub(in crate::artifacts) fn of(trace: &Trace) -> Option<Story> {
    if let Some(told) = summary(trace) {
        return Some(Story {
            parts: vec![without_announcement(&told.text).to_owned()],
            together: 0,
            by: Some(with_model(trace, &told.by)),
        });
    }
    let (parts, together) = match dialectic_story::story(trace) {
        told if !told.is_empty() => (told, 0),
        _ => argued(trace),
    };
    (!parts.is_empty()).then_some(Story { parts, together, by: None })
}

impl Story {
    /// All of it in a row.
    pub(in crate::artifacts) fn text(&self) -> String {
        self.parts.join(" ")
    }
}

/// The points that the story tells: a list beside it leaves them out.
pub(in crate::artifacts) fn points(trace: &Trace) -> Vec<&FlowPoint> {
    let is_put_together = summary(trace).is_none() && dialectic_story::story(trace).is_empty();
    if is_put_together { by_side::points(trace) } else { Vec::new() }
}

/// The story of sides that argued against each other: what decided it and what was left unanswered come first, interruptions last;
/// and how many of these are told together.
fn argued(trace: &Trace) -> (Vec<String>, usize) {
    let (judge, dissent) = (in_a_judges_words(trace), in_a_dissenters_words(trace));
    let together = if judge.is_some() && dissent.is_some() { 2 } else { 0 };
    let decided = [judge, dissent, rounds_lost(trace), moves(trace), length::ended(trace)];
    let noted = by_side::noted(trace);
    (decided.into_iter().flatten().chain(noted).chain(interruptions(trace)).collect(), together)
}

/// The summary in which the debate ends, if it is short enough for a story.
pub(in crate::artifacts) fn summary(trace: &Trace) -> Option<&Statement> {
    let told = statement_place::final_text(trace).filter(|s| statement_place::is_summary(s))?;
    let is_story =
        told.was_heard() && text::sentences(without_announcement(&told.text)) <= SENTENCES;
    is_story.then_some(told)
}

/// A text without a first paragraph that only announces it: `Here is the story:`.
fn without_announcement(said: &str) -> &str {
    match said.trim().split_once("\n\n") {
        Some((first, rest)) if first.ends_with(':') && !first.contains('\n') => rest.trim(),
        _ => said.trim(),
    }
}

/// `Ann (llama3)`, by id.
pub(in crate::artifacts) fn with_model(trace: &Trace, id: &str) -> String {
    let by = trace.participant(id);
    by.map_or_else(|| trace.name_of(id).to_owned(), who_argued::with_model)
}

/// What the judge who speaks for the verdict says of the winner and of the debate, in its words: `Judge-1, who put Ann ahead by
/// 0.60, on the winner: “…” On the debate: “…”`
fn in_a_judges_words(trace: &Trace) -> Option<String> {
    let results = Results::of(trace.outcome.as_ref());
    let (verdict, (judge, reading)) = decided::verdict(trace).zip(spoken::of(trace))?;
    let on_winner = on_winner(trace, reading);
    // In earlier versions, only the outcome had what one of them said.
    let is_by = results.summary_by.as_ref() == Some(&judge.judge.id);
    let summary = results.summary.as_deref().filter(|_| is_by && reading.summary.is_none());
    let told = endings::words(reading.remark().or(summary).unwrap_or_default());
    let on = if on_winner.is_some() { "On" } else { "on" };
    // Two who disagree are quoted alike.
    let is_told = !told.is_empty() && spoken::dissent(trace).is_none();
    let on_debate = is_told.then(|| format!("{on} the debate: “{}”", text::sentence(&told)));
    let said: Vec<String> = on_winner.into_iter().chain(on_debate).collect();
    let who = who_says(trace, verdict, judge, others_turned(trace, verdict, judge));
    (!said.is_empty()).then(|| format!("{who} {}", said.join(" ")))
}

/// What a reading says of the winner: `on the winner: “…”`
fn on_winner(trace: &Trace, reading: &Reading) -> Option<String> {
    let winner = trace.outcome.as_ref()?.winner.as_ref()?.id()?;
    let said = said_of(reading, winner)?;
    Some(format!("on the winner: “{said}”"))
}

/// What a reading says of one of the contestants: all of it, since praise comes first, and what was missing last.
fn said_of(reading: &Reading, id: &str) -> Option<String> {
    let said = text::unmarked(&reading.reasons.get(id)?.text);
    text::if_any(text::sentence(&endings::words(&said)))
}

/// What the first other judge who put the loser ahead says of it: `Judge-2, who put Ben ahead by 1.00, on Ben: “…”`
fn in_a_dissenters_words(trace: &Trace) -> Option<String> {
    let (judge, reading, loser) = spoken::dissent(trace)?;
    let said = said_of(reading, loser)?;
    let who = who_says(trace, decided::verdict(trace)?, judge, None);
    Some(format!("{who} on {}: “{said}”", trace.name_of(loser)))
}

/// Other judges whose margin counts as 0: `while Judge-1 changed sides with the order`.
fn others_turned(trace: &Trace, verdict: &Verdict, told: &VerdictJudge) -> Option<String> {
    let turns = verdict.turns().into_iter();
    let others = turns.filter(|(judge, _)| judge.judge.id != told.judge.id);
    let each =
        others.map(|(judge, turn)| format!("{} {}", trace.name_of(&judge.judge.id), turn.words(1)));
    let each = text::if_any(text::joined(each, "and"))?;
    Some(format!("while {each}"))
}

/// A judge, with its model where that is also the model of a side, and with whom it put ahead where that is not just the
/// verdict's.
fn who_says(
    trace: &Trace,
    verdict: &Verdict,
    judge: &VerdictJudge,
    beside: Option<String>,
) -> String {
    let id = &judge.judge.id;
    let model = self_judging::model_shared(trace, id);
    let doubts = model.map_or_else(String::new, |model| format!(" ({model})"));
    let margin = verdict.leaders().and_then(|leaders| judge.margin(leaders));
    let is_own = margin.map(hundredths) != verdict.margin().map(hundredths);
    let turned = verdict.leaders().and_then(|leaders| judge.turn(leaders));
    let first = decided::put_first(trace, verdict, judge);
    let tells = is_own || turned.is_some() || first.is_some();
    let put = tells.then(|| decided::put(trace, verdict, judge));
    let put = text::if_any(text::joined(first.into_iter().chain(put), "and"));
    let put = put.map(|put| format!("who {put}"));
    let put = text::if_any(text::separated(put.into_iter().chain(beside), " "));
    let put = put.map_or_else(String::new, |put| format!(", {put},"));
    format!("{}{doubts}{put}", trace.name_of(id))
}

/// Who was interrupted for what.
fn interruptions(trace: &Trace) -> Option<String> {
    let told = text::if_any(text::separated(interruptions::told(trace), "; "))?;
    let told = banner::begun(trace, &told);
    Some(format!("{told}{}", stop_behind(&told)))
}

/// The full stop behind a text, unless a quotation that ends as a sentence stands last.
fn stop_behind(told: &str) -> &'static str {
    if [".”", "?”", "!”", "…”"].iter().any(|end| told.ends_with(end)) { "" } else { "." }
}

/// The stances with which somebody moved.
fn moved(trace: &Trace) -> Vec<&Stance> {
    let all = trace.stances.iter();
    all.filter(|stance| stance.moved_from.is_some()).collect()
}

/// Who moved to another stance, and whom and what the last move credits; then how sure those became who stayed with theirs.
fn moves(trace: &Trace) -> Option<String> {
    let one = |(id, own): (&str, Vec<&Stance>)| {
        let (name, way) = (trace.name_of(id), stances::way(trace, &own));
        let reason = own.last().map_or("", |last| &last.reading.reason);
        let reason = text::shorten(&text::one_line(reason), REASON);
        match reason.trim_end_matches('.') {
            "" => format!("{name} moved {way}"),
            reason => format!("{name} moved {way}: “{reason}”"),
        }
    };
    let moved = moved(trace);
    let each = text::gathered(moved.iter().map(|stance| (stance.by.id.as_str(), *stance)));
    let moves = match moved.len() {
        0 => vec!["nobody moved from the first stance taken".to_owned()],
        1..=MOVES => each.into_iter().map(one).collect(),
        n => vec![format!("there were {n} changes of stance")],
    };
    let all = moves.into_iter().chain(stances::stayed(trace));
    let all = banner::begun(trace, &text::separated(all, "; "));
    (!trace.stances.is_empty()).then(|| format!("{all}{}", stop_behind(&all)))
}

/// The rounds that went to another than the winner.
fn rounds_lost(trace: &Trace) -> Option<String> {
    let outcome = trace.outcome.as_ref()?;
    let winner = outcome.winner.as_ref()?;
    let one = |ruling: &RoundWinner| {
        let by = ruling.winner.as_ref().filter(|by| *by != winner)?.id()?;
        let (round, name) = (ruling.round, trace.name_of(by));
        Some(match trace.rounds_held() {
            1 => format!("{name} won the only round"),
            _ => format!("round {round} by itself went to {name}"),
        })
    };
    let rulings = Results::of(Some(outcome)).round_winners;
    let lost = text::joined(rulings.iter().filter_map(one), "and");
    let lost = text::if_any(banner::begun(trace, &lost))?;
    Some(format!("{lost}; the verdict is on the whole debate."))
}

/// What a model's story may leave out: who was interrupted for what.
pub(in crate::artifacts) fn besides(trace: &Trace) -> Option<String> {
    summary(trace).and_then(|_| interruptions(trace))
}

/// For the template.
pub(in crate::artifacts) fn shown(trace: &Trace) -> Option<Value> {
    of(trace).map(|story| json!({"parts": story.parts, "by": story.by, "besides": besides(trace)}))
}
