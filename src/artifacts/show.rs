//! A debate as plain text, whole: what `rebut show` prints. It ends with the outcome and the judges' reasons.

use super::arguments::{dialectic_ledger, one_line_each, questions};
use super::judgments::{
    audience_votes, ballots, decided, labels, reasons, score_lines, self_judging, verdict,
};
use super::line::{self, Line};
use super::summary::exchanges::{self, Claims};
use super::summary::{meaning, problems, story};
use super::{banner, index, kind, other_participants, query, stances, statement_place, who_argued};
use crate::event::{Ballot, Reading, Statement, Verdict, VerdictJudge};
use crate::id::short;
use crate::text;
use crate::trace::Trace;

/// All of a debate, for a terminal.
pub fn whole(trace: &Trace) -> String {
    let head = [title(trace), cast(trace)].concat();
    let mut parts = vec![head.join("\n")];
    parts.extend(asked(trace));
    let mut statements = trace.statements.iter().peekable();
    while let Some(s) = statements.next() {
        parts.push(statement(trace, s));
        let round = statement_place::round_of(trace, s);
        let next = statements.peek().and_then(|s| statement_place::round_of(trace, s));
        if round != next {
            parts.extend(round.and_then(|round| votes(trace, round)));
        }
    }
    parts.extend(arguments(trace));
    parts.extend(listed(questions::OPEN, questions::open(trace)));
    parts.extend(listed("The course", exchanges::lines(trace)));
    parts.extend(listed(exchanges::DOUBTED, Claims::of(trace).doubted(true)));
    parts.extend(listed("Problems", problems::lines(trace)));
    parts.extend(outcome(trace));
    parts.extend(listed("Where they stood", stances::told(trace)));
    parts.extend(listed(score_lines::SCORES, score_lines::lines(trace)));
    parts.extend(reasons(trace));
    let compared = dialectic_ledger::comparisons(trace);
    parts.extend(listed(dialectic_ledger::COMPARED, compared));
    parts.extend(self_judging::notes(trace));
    parts.join("\n\n")
}

/// What a rehearsal is.
pub(super) const REHEARSAL: &str = "Rehearsal, no model was asked";

/// What was debated, and how it stands.
pub(super) fn title(trace: &Trace) -> Vec<String> {
    let digits = short(&trace.id);
    let [what, which] = kind::words(trace);
    let what = text::capitalised(&what);
    let debate = format!("{what} {digits} {which}, {}", trace.status.word());
    let mut lines = vec![query::title(trace), text::one_line(&debate)];
    if trace.rehearsal {
        let replies = banner::scripted(trace);
        lines.push(format!("{REHEARSAL}{replies}. {}", banner::LABELS));
    }
    let cause = banner::cause(trace);
    lines.extend(cause.map(|cause| format!("Cause: {}", text::one_line(&cause))));
    lines
}

/// What was asked beyond the title.
fn asked(trace: &Trace) -> Option<String> {
    let query = query::of(trace)?;
    let said = text::indented(&query.text);
    Some(format!("── {}\n\n{said}", query.title))
}

/// Who argued and who judged, with their models.
fn cast(trace: &Trace) -> Vec<String> {
    let sides = who_argued::lines(trace).into_iter();
    let judges = who_argued::judged_by(trace).into_iter();
    sides.chain(judges).chain(other_participants::line(trace)).collect()
}

/// What a reader must know of the mark in a text that was cut.
const CUT: &str = "; [Time limit reached] means that it was too long";

/// A message, with who gave it and when.
pub fn statement(trace: &Trace, s: &Statement) -> String {
    let round = statement_place::round_of(trace, s)
        .map(|round| format!("round {round}, "))
        .unwrap_or_default();
    let name = text::one_line(trace.name_of(&s.by));
    let said = text::indented(&s.text);
    let cut = if s.cut { CUT } else { "" };
    let note = index::caution(trace, s).map_or_else(String::new, |note| format!("; {note}{cut}"));
    let phase = text::one_line(&s.phase.words());
    format!(
        "── {:03} {name}, {round}{phase} ({}{note})\n\n{said}",
        s.n,
        text::count(s.tokens, "token")
    )
}

/// The votes of a round, each with its reasons.
fn votes(trace: &Trace, round: u32) -> Option<String> {
    let ballots: Vec<&Ballot> = trace.ballots.iter().filter(|b| b.round == round).collect();
    let about = trace.name_of(&ballots.first()?.about);
    let mut lines =
        vec![format!("── Votes on {} in round {round}", text::one_line(about)), String::new()];
    let judges = ballots.into_iter().filter(|b| !b.by.is_audience());
    lines.extend(judges.map(|ballot| vote(trace, ballot)));
    let audience = audience_votes::line(trace, round);
    lines.extend(audience.map(|line| text::indented(&format!("Audience: {line}."))));
    Some(lines.join("\n"))
}

fn vote(trace: &Trace, ballot: &Ballot) -> String {
    let judge = trace.name_of(&ballot.by.id);
    let total = ballot.reading.totals.get(&ballot.about);
    let line = match (ballots::vote(trace, ballot), total) {
        (Some(vote), Some(total)) => {
            format!("{judge}: {vote}, {}. {}", text::fixed(*total, 2), ballot.reading.reason)
        }
        _ => format!("{judge}: no valid ballot. {}", why_not(&ballot.reading)),
    };
    text::indented(&text::one_line(&line))
}

fn why_not(reading: &Reading) -> &str {
    reading.cause.as_deref().unwrap_or_default()
}

/// Every argument and how it ended.
fn arguments(trace: &Trace) -> Option<String> {
    listed(one_line_each::title(trace, false), one_line_each::lines(trace))
}

/// Lines with what they cite under a title, where there are any.
fn listed(title: &str, lines: Vec<Line>) -> Option<String> {
    let line = |line: Line| {
        let cited: String = line.cites.iter().map(|n| line::cited(*n)).collect();
        text::indented(&format!("{}{cited}", line.text))
    };
    let lines: Vec<String> = lines.into_iter().map(line).collect();
    (!lines.is_empty()).then(|| format!("── {title}\n\n{}", lines.join("\n")))
}

/// The story, where it is not a statement that stands above.
fn in_short(trace: &Trace) -> Option<String> {
    let story = story::of(trace).filter(|story| story.by.is_none());
    story.map(|story| format!("In short: {}", story.text())).or_else(|| story::besides(trace))
}

fn outcome(trace: &Trace) -> Option<String> {
    let outcome = trace.outcome.as_ref()?;
    let line = text::one_line(&outcome.line);
    let mut told = vec![meaning::sentences(trace, true).join(" ")];
    told.extend(in_short(trace));
    told.extend(decided::consequences(trace));
    told.extend(labels::line(trace).map(|line| format!("{line}.")));
    told.retain(|paragraph| !paragraph.is_empty());
    let paragraphs = told.iter().map(|told| text::indented(&text::one_line(told)));
    Some(format!("── Outcome: {line}\n\n{}", text::separated(paragraphs, "\n\n")))
}

/// What each judge of the whole debate gave and why, whole.
fn reasons(trace: &Trace) -> Vec<String> {
    let verdicts = trace.own_verdicts();
    let of = |own| move |judge| reasons_of(trace, own, judge);
    verdicts.flat_map(|v| v.judges.iter().map(of(v))).collect()
}

fn reasons_of(trace: &Trace, own: &Verdict, judge: &VerdictJudge) -> String {
    let name = text::one_line(trace.name_of(&judge.judge.id));
    let leaders = own.leaders();
    let mut parts: Vec<String> = Vec::new();
    if let Some(turn) = leaders.and_then(|leaders| judge.turn(leaders)) {
        parts.push(format!("It {} in which the sides were named.", turn.words(1)));
    }
    let shown: Vec<&Reading> = judge.valid().collect();
    for reading in &shown {
        let totals = verdict::given(judge, reading, shown.len());
        let first = reading.order.first().filter(|_| shown.len() > 1);
        let read = first.map(|id| format!("When asked about {} first: ", trace.name_of(id)));
        let given = read.unwrap_or_default() + &verdict::in_words(trace, &totals);
        parts.push(text::one_line(&given));
        parts.extend(reasons::told(trace, reading));
    }
    let lost = judge.readings.iter().filter(|reading| !reading.is_valid());
    parts.extend(lost.map(|reading| format!("Not valid: {}", why_not(reading))));
    let parts: Vec<String> = parts.iter().map(|part| text::indented(part)).collect();
    match judge.valid().next() {
        Some(_) => format!("── {name}\n\n{}", parts.join("\n\n")),
        None => format!("── {name} gave no valid verdict\n\n{}", parts.join("\n\n")),
    }
}
