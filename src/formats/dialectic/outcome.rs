//! The outcome of a dialectic: for people, a line, a few sentences and facts; for programs, details.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::comparison::Comparison;
use super::critique::{Resolution, Severity};
use super::ledger::{Ledger, Point, Stop};
use super::retrieval::titles;
use crate::event::{AutoScore, Outcome, Retrieval, Statement, none_because};
use crate::formats::dialectic::settings::Dialectic;
use crate::formats::outcome_phrases::{fact, means};
use crate::text::{self, answer_parts};

/// Characters of the answer in the line of the outcome: of several sentences, and of one.
const ANSWER: usize = 160;
const SENTENCE: usize = 250;
/// Characters of it after which no further sentence is needed.
const SAYS_ENOUGH: usize = 40;

/// How a debate ended, apart from its points.
pub(super) struct Ended<'a> {
    pub(super) rounds: u32,
    pub(super) stopped: Stop,
    pub(super) synthesis: Option<&'a Statement>,
    pub(super) synthesis_ms: u64,
    /// Model time of all calls except those of the retrieval.
    pub(super) model_ms: u64,
    pub(super) score: Option<AutoScore>,
    pub(super) comparison: Option<Comparison>,
    pub(super) retrieval: &'a Retrieval,
}

pub(super) fn of(settings: &Dialectic, ledger: &Ledger, ended: &Ended<'_>) -> Outcome {
    Outcome {
        line: line(ended),
        decided_by: decided_by(settings, ledger, ended),
        final_text: ended.synthesis.map(|synthesis| synthesis.n),
        facts: facts(settings, ledger, ended),
        details: details(settings, ledger, ended),
        ..Outcome::default()
    }
}

/// The skeptic's points in an outcome's details, in order; none in other formats.
pub fn points(outcome: Option<&Outcome>) -> impl Iterator<Item = Point> {
    list(outcome, "ledger").filter_map(|point| Point::deserialize(point).ok())
}

/// The scores that the skeptic stated, each with its round.
pub fn qualities(outcome: Option<&Outcome>) -> Vec<(u64, f64)> {
    let critiques = list(outcome, "critiques");
    let stated = |it: &Value| Some((it["round"].as_u64()?, it["quality_score"].as_f64()?));
    critiques.filter_map(stated).collect()
}

/// What the skeptic called a point in a round.
pub fn resolution(outcome: Option<&Outcome>, n: u32, round: u32) -> Option<Resolution> {
    let critique = list(outcome, "critiques").find(|critique| critique["round"] == round)?;
    let mut all = critique["resolutions"].as_array()?.iter();
    Resolution::deserialize(&all.find(|it| it["n"] == n)?["resolution"]).ok()
}

fn list<'o>(outcome: Option<&'o Outcome>, key: &str) -> impl Iterator<Item = &'o Value> {
    let list = outcome.and_then(|outcome| outcome.details.get(key)?.as_array());
    list.into_iter().flatten()
}

/// The comparison of the first and final answers in an outcome's details, if they were compared.
pub fn comparison(outcome: Option<&Outcome>) -> Option<Comparison> {
    Comparison::deserialize(outcome?.details.get("comparison")?).ok()
}

/// The answer, and how sure it says it is: `No. The city should keep its fares (stated confidence: medium; judges' score 7.65 out of
/// 10)`.
fn line(ended: &Ended<'_>) -> String {
    let rounds = text::count(ended.rounds, "round");
    let Some(synthesis) = ended.synthesis else { return format!("No final answer after {rounds}") };
    let parts = answer_parts::read(&synthesis.text);
    let answer = text::if_any(parts.answer());
    let answer = answer.unwrap_or_else(|| text::without_mark(&synthesis.text).to_owned());
    let answer = begins(&text::unmarked(&answer));
    let conditions = parts.conditions_after(&answer).then(|| "with conditions".to_owned());
    let confidence = parts.confidence().map(|levels| format!("stated confidence: {levels}"));
    let sure = conditions.into_iter().chain(confidence);
    // Without its full stop, because the sentence ends after the brackets.
    format!(
        "{} ({})",
        answer.trim_end_matches('.'),
        text::separated(sure.chain([mark(ended)]), "; ")
    )
}

/// The first sentence of an answer, and the next where it only says yes or no.
fn begins(answer: &str) -> String {
    let mut said = String::new();
    for sentence in text::split_sentences(answer) {
        if said.chars().count() >= SAYS_ENOUGH {
            break;
        }
        said = format!("{said} {sentence}");
    }
    match text::beginning(said.trim(), ANSWER) {
        // What its end says may be what matters.
        cut if cut.ends_with('…') || cut.chars().count() < SAYS_ENOUGH => {
            text::shorten(said.trim(), SENTENCE)
        }
        begins => begins,
    }
}

/// The judges' score for the answer: `judges' score 7.65 out of 10`.
fn mark(ended: &Ended<'_>) -> String {
    match &ended.score {
        Some(score) => {
            let judges = if score.judges == 1 { "judge's" } else { "judges'" };
            format!("{judges} score {} out of 10", text::fixed(score.score, 2))
        }
        None => "not scored".to_owned(),
    }
}

fn decided_by(settings: &Dialectic, ledger: &Ledger, ended: &Ended<'_>) -> String {
    let is_ready = |critique: &Value| critique["signalled"] == true;
    let unsaid = ended.stopped == Stop::Ready && !ledger.critiques.last().is_some_and(is_ready);
    let unsaid = if unsaid { " The skeptic did not call it ready." } else { "" };
    format!("{}{unsaid} {}", length(settings, ledger, ended), left_open(ledger))
}

/// How many rounds there were, and if fewer than permitted, why.
fn length(settings: &Dialectic, ledger: &Ledger, ended: &Ended<'_>) -> String {
    let (round, most) = (ended.rounds, settings.max_rounds);
    match (ended.stopped, ledger.quality_score) {
        (stopped, _) if stopped == Stop::MaxRounds || round == most => full_length(ledger, ended),
        (Stop::Ready, Some(score)) => format!(
            "The debate ended after round {round} of at most {most}, because the skeptic marked the last draft {score} of 10 ({} is enough) and no critical point was open.",
            settings.early_stop_score
        ),
        (Stop::Ready | Stop::NoCritical, _) if ledger.critical().is_empty() => format!(
            "The skeptic raised no critical point in {round} of at most {most} rounds; from round {} on, that ends the debate.",
            settings.min_rounds
        ),
        _ => format!(
            "No critical point was open after round {round} of at most {most}. From round {} on, that ends the debate.",
            settings.min_rounds
        ),
    }
}

/// Of a debate that ran all its rounds, why it would have ended then anyway.
fn full_length(ledger: &Ledger, ended: &Ended<'_>) -> String {
    let ran = match ended.rounds {
        1 => "The debate ran its only round".to_owned(),
        rounds => format!("The debate ran its full {rounds} rounds"),
    };
    match (ended.stopped, ledger.quality_score) {
        (Stop::Ready, Some(score)) => format!(
            "{ran}; the skeptic then gave the draft {score} of 10 and had no critical point open."
        ),
        (Stop::Ready | Stop::NoCritical, _) => format!("{ran}; no critical point was open then."),
        (Stop::MaxRounds, _) => format!("{ran}."),
    }
}

/// Which points were open in the end.
fn left_open(ledger: &Ledger) -> String {
    let open = ledger.open();
    match (ledger.points.is_empty(), open.is_empty()) {
        (true, _) => "The skeptic raised no point that could be counted.".to_owned(),
        (false, true) => "All points of the skeptic were resolved.".to_owned(),
        (false, false) => format!(
            "Open when the skeptic last spoke: {}. The final answer was written later, with these points at hand; nobody checked whether it meets them.",
            numbered(&open)
        ),
    }
}

/// Points by number, with their severity: `points 6 and 8 (major), point 9 (minor)`.
pub(super) fn numbered(points: &[&Point]) -> String {
    let by_severity = points.iter().map(|point| (point.issue.severity, point.n.to_string()));
    let each = text::gathered(by_severity).into_iter().map(|(severity, numbers)| {
        let noun = if numbers.len() == 1 { "point" } else { "points" };
        format!("{noun} {} ({severity})", text::joined(&numbers, "and"))
    });
    text::separated(each, ", ")
}

fn facts(settings: &Dialectic, ledger: &Ledger, ended: &Ended<'_>) -> Vec<(String, String)> {
    let early = if ended.rounds < settings.max_rounds { ", stopped early" } else { "" };
    let rounds = format!("{} of {}{early}", ended.rounds, settings.max_rounds);
    let (offered, raised) = (scaffolds(ended.retrieval), raised(ledger));
    let mut facts = vec![
        fact("Rounds", rounds),
        fact("Ways of reasoning that the proposer was offered", offered),
        fact("Points of the skeptic", raised),
    ];
    if !ledger.points.is_empty() {
        let standing = standing(ledger, ended.rounds);
        facts.push(fact("As the skeptic last saw them", standing));
    }
    let stated = ledger
        .quality_score
        .map(|score| format!("{score} of 10"))
        .unwrap_or_else(|| "not stated".to_owned());
    facts.push(fact("Quality, as the skeptic last stated it", stated));
    facts.extend(ended.score.iter().flat_map(scored));
    let compared = ended.comparison.iter().map(Comparison::words);
    facts.extend(compared.map(|words| fact("First answer against final answer", words)));
    facts
}

fn scaffolds(retrieval: &Retrieval) -> String {
    let titles: Vec<&str> = titles(retrieval).iter().map(|(_, title)| *title).collect();
    match &retrieval.cause {
        Some(cause) if titles.is_empty() => none_because(cause),
        _ => titles.join(", "),
    }
}

fn raised(ledger: &Ledger) -> String {
    let points: Vec<&Point> = ledger.points.iter().collect();
    match points.len() {
        0 => "none".to_owned(),
        all => format!("{all} ({})", by_severity(&points)),
    }
}

/// `1 critical, 2 minor`.
fn by_severity(points: &[&Point]) -> String {
    let of = |severity| move |point: &&&Point| point.issue.severity == severity;
    let count = |severity| points.iter().filter(of(severity)).count();
    text::counts(&Severity::ALL.map(|severity| (count(severity), severity)))
}

/// The status of the points. Those of the last round are counted apart: the skeptic had no round left to return to them.
fn standing(ledger: &Ledger, last: u32) -> String {
    let new = ledger
        .points
        .iter()
        .filter(|point| point.round == last)
        .filter(|point| point.status.is_none())
        .count();
    text::counts(&[
        (ledger.standing(Some(Resolution::Resolved)), "resolved"),
        (ledger.standing(Some(Resolution::Partial)), "resolved in part"),
        (ledger.standing(Some(Resolution::Unresolved)), "not resolved"),
        (ledger.standing(None) - new, "not mentioned again"),
        (new, "raised in the last round"),
    ])
}

fn scored(score: &AutoScore) -> [(String, String); 2] {
    let parts = means(&score.breakdown);
    let helps = match (score.would_benefit_from_finetune, score.judges) {
        (true, 1) => "yes, says the judge",
        (false, 1) => "no, says the judge",
        (true, _) => "yes, say more than half of the judges",
        (false, _) => "no: half of the judges or fewer say so",
    };
    [
        fact("Judges' score", format!("{} of 10 ({parts})", text::fixed(score.score, 2))),
        fact("Good for training", helps),
    ]
}

fn details(settings: &Dialectic, ledger: &Ledger, ended: &Ended<'_>) -> Map<String, Value> {
    let open = ledger.points.iter().filter(|point| point.is_open());
    let details = json!({
        "stopped_by": ended.stopped,
        "early_stopped": ended.rounds < settings.max_rounds,
        "total_rounds": ended.rounds,
        "quality_score": ledger.quality_score,
        "auto_score": ended.score,
        "comparison": ended.comparison,
        "critiques": ledger.critiques,
        "ledger": ledger.points,
        "answers": ledger.answers,
        "unanswered": ledger.unanswered,
        "open": open.map(|point| point.n).collect::<Vec<_>>(),
        "synthesis_ms": ended.synthesis_ms,
        "model_ms": ended.model_ms,
    });
    serde_json::from_value(details).unwrap_or_default()
}
