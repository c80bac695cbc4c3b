//! A debate in so many tokens (row A9), for readers with small contexts: the outcome, who was voted out, the answer, why, the story,
//! how the arguments ended, then claims, then texts. What matters more is chosen, and stands, before what matters less.

mod by_line;
mod part;

use self::part::{Part, Row, fill, some_of};
use super::arguments::{self, dialectic_ledger, endings, turning};
use super::judgments::{decided, reasons, self_judging, verdict};
use super::plain::{self, Section};
use super::summary::{self, meaning, story};
use super::{gist, index, other_participants, query, show, stances, statement_place, who_argued};
use crate::event::{Origin, Statement};
use crate::flow::{FlowPoint, PointStatus};
use crate::formats::dialectic::Point;
use crate::templates::{TemplateError, Templates};
use crate::text::{self, LEFT_OUT};
use crate::trace::Trace;

/// What a skeptic's points on drafts are not.
const LATER: &str = " (as the skeptic last saw them; the final answer was written later, and nobody checked whether it meets them)";
/// The fewest tokens that say anything.
pub const LEAST_TOKENS: u64 = 100;
/// Characters from which there is room to say what was left out.
const ROOMY: usize = 1750;
/// Characters that are kept for it, as far as the budget is larger.
const ENDING: usize = 300;
/// Characters below which the beginning of a text says nothing.
const LEAST: usize = 80;
/// Reasons of a reading or a round that are told first: on the winner and on the loser.
const BOTH: usize = 2;
/// Claims that are told only together: half of them, or so many.
const CLAIMS: usize = 20;
/// What the answer is called where it is left out, and how the last line says so where it lists nothing else.
const THE_ANSWER: &str = "the answer";
const WITHOUT: &str = ", without the answer";
/// What an answer lacks whose other parts are told.
const THE_REASONING: &str = "the answer's reasoning";

/// The debate in at most `budget` estimated tokens, [`LEAST_TOKENS`] or more. What is left out is said, with the command
/// that prints all of it.
pub fn brief(
    trace: &Trace,
    budget: u64,
    command: &str,
    templates: &Templates,
) -> Result<String, TemplateError> {
    let most = (budget as f64 * text::CHARS_PER_TOKEN) as usize;
    let sections = plain::sections(&summary::context(trace), templates)?;
    let short = |without: &str| {
        format!("\n\n[Shortened to {budget} tokens{without}; `{command}` prints all]")
    };
    let without = statement_place::answer(trace).map_or("", |_| WITHOUT);
    let listing =
        |all: &str| format!("\n\n[Left out at {budget} tokens: {all}; `{command}` prints all]");
    // Room for the list comes from what a larger budget adds: it must not tell less.
    let reserved = short(without).chars().count() + most.saturating_sub(ROOMY).min(ENDING);
    let room = most.saturating_sub(reserved);
    let mut shown = head(trace, room);
    // A heading may come to say that the story told some.
    let room = room.saturating_sub(shown.chars().count() + " other".len());
    let mut parts = parts(trace, &sections, room);
    let mut room = fill(&mut parts, room);
    while let freed @ 1.. = forget_told(trace, &mut parts) {
        room = fill(&mut parts, room + freed);
    }
    let texts = parts.last_mut().and_then(|claims| texts(trace, claims, room));
    shown += &parts.iter().map(Part::shown).collect::<String>();
    let left_out: Vec<String> = parts.iter().flat_map(Part::left_out).chain(texts).collect();
    let is_unanswered = left_out.iter().any(|part| part == THE_ANSWER);
    let fits = |last: &str| shown.trim_end().chars().count() + last.chars().count() <= most;
    let last = match text::joined(left_out, "and") {
        nothing if nothing.is_empty() => nothing,
        all if most >= ROOMY && fits(&listing(&all)) => listing(&all),
        _ => short(if is_unanswered { WITHOUT } else { "" }),
    };
    // Where even the command is too long.
    let room = most.saturating_sub(last.chars().count());
    Ok(shown.trim_end().chars().take(room).collect::<String>() + &last)
}

/// The outcome, and where what stands next to it leaves room, the question and how the debate stands.
fn head(trace: &Trace, room: usize) -> String {
    let line = trace.outcome.as_ref().map_or("none", |outcome| &outcome.line);
    let mut shown = text::shorten(&format!("Outcome: {line}"), room * 2 / 3) + "\n";
    if trace.rehearsal {
        shown.extend([show::REHEARSAL, ".\n"]);
    }
    let asked = query::in_one_line(trace);
    let is_short = asked.chars().count() * 8 < room;
    let asked = if is_short { asked } else { query::title(trace) };
    let next: usize = next(trace, 0).iter().map(Part::least).sum();
    let room = room.checked_sub(next).filter(|left| shown.chars().count() <= *left).unwrap_or(room);
    for line in [asked].into_iter().chain(show::standing(trace)) {
        let left = room.saturating_sub(shown.chars().count() + 1);
        let line = text::shorten(&line, left);
        if !line.ends_with('…') || line.chars().count() >= LEAST {
            shown.push_str(&line);
            shown.push('\n');
        }
    }
    shown
}

/// What a reader of the outcome must know first, in any room: who was voted out, if several were, and how the answer begins.
fn next(trace: &Trace, room: usize) -> Vec<Part> {
    let out = trace.rotations.iter().filter(|rotation| rotation.voted_out);
    let out = out.map(|it| format!("{} (after round {})", trace.name_of(&it.debater), it.round));
    let out: Vec<String> = out.collect();
    let line = |out: String| Row::whole(text::one_line(&format!("Voted out: {out}")), 0);
    // The outcome names a single one.
    let out = (out.len() > 1).then(|| text::separated(out, ", "));
    let out = out.map(|out| Part::text(String::new(), "who was voted out", line(out)).in_turn(1));
    out.into_iter().chain(answer(trace, room)).collect()
}

/// All that may stand below it, what is worth most first; last what was said.
fn parts(trace: &Trace, sections: &[Section], room: usize) -> Vec<Part> {
    let caveats = meaning::caveats(trace);
    let mut means = meaning::sentences(trace);
    means.retain(|sentence| !caveats.contains(sentence));
    // That no critical point was open says little without those that were.
    if !dialectic_ledger::is_kept(trace) {
        means = text::split_sentences(&text::unmarked(&means.join(" ")));
    }
    let means = Row::of(String::new(), means, 0, "");
    let who = who_argued::lines(trace)
        .into_iter()
        .map(|it| text::one_line(&(it.said + &it.became.map_or_else(String::new, |it| it.text()))));
    let who = text::separated(who, "\n");
    let put = trace.own_verdicts().flat_map(|own| verdict::put(trace, own));
    let put = put.collect::<Vec<_>>().join("; ");
    let judged = decided::lead(trace).into_iter().chain(self_judging::notes(trace));
    let others = who_argued::judged_by(trace).into_iter().chain(other_participants::line(trace));
    let (notes, problems) = problems(trace, sections);
    let scores = lines(sections, "Scores").cloned().collect::<Vec<_>>().join("\n");
    let mut parts = next(trace, room);
    let gap = statement_place::answer(trace).map_or("", |_| "\n").to_owned();
    parts.extend([
        Part::text(gap, "how it was decided", means).in_turn(1).late(8),
        Part::text(String::new(), "the caveats", Row::whole(caveats.join(" "), 0)).in_turn(1),
        Part::text(String::new(), "the sides", Row::whole(who, 0)).in_turn(1),
        Part::text(String::new(), "whom each judge has ahead", Row::whole(put, 0)).in_turn(1),
    ]);
    // Of a debate with votes, only the story tells all rounds.
    let has_votes = !trace.rotations.is_empty();
    let (story, why) = (story(trace), why(trace).into_iter());
    if has_votes {
        parts.extend(story.map(|told| told.sharing(1)).into_iter().chain(why));
    } else {
        parts.extend(why.chain(story));
    }
    let claims = claims(trace);
    let enough = claims.len().div_ceil(2).min(CLAIMS);
    parts.extend([
        ended(trace, has_votes),
        Part::list("The judging", "judging note", whole(judged)).from(1),
        Part::list("Who else took part", "credit", whole(others)).from(1),
        Part::text("\nScores:\n".to_owned(), "Scores", Row::whole(scores, 0)),
        Part::list("The course", "stage", course(sections)),
        Part::list("Further reasons", "further reason", further(trace)).from(1),
        Part::list("Problems", "problem", whole(problems)).from(1),
        Part::list("The clerk's notes", "remark on notes", whole(notes)).from(1).late(usize::MAX),
        Part::list("What was said", "claim", claims).from(enough),
    ]);
    parts
}

/// What is said of the clerk's notes that were left out, and the other problems.
fn problems(trace: &Trace, sections: &[Section]) -> (Vec<String>, Vec<String>) {
    let all = lines(sections, summary::PROBLEMS).filter(|line| line.starts_with("- "));
    let notes = summary::problems::of_clerk(trace);
    let is_on_notes = |line: &String| notes.as_ref().is_some_and(|notes| line.contains(notes));
    all.cloned().partition(is_on_notes)
}

/// The lines of a section.
fn lines<'s>(sections: &'s [Section], title: &str) -> impl Iterator<Item = &'s String> {
    let own = sections.iter().filter(move |section| section.title == title);
    own.flat_map(|section| &section.lines)
}

/// Texts that are told whole or not at all, in their order.
fn whole(all: impl IntoIterator<Item = String>) -> Vec<Row> {
    all.into_iter().enumerate().map(|(place, said)| Row::whole(said, place)).collect()
}

/// The answer that the debate came to, whole where it takes three fifths of the room, or what of it the outcome does not say: before
/// all else its first sentence, if the outcome doesn't have it.
fn answer(trace: &Trace, room: usize) -> Option<Part> {
    let s = statement_place::answer(trace)?;
    let name = format!("\nAnswer by {}", text::one_line(trace.name_of(&s.by)));
    let whole = text::indented(statement_place::untitled(&s.text));
    if whole.chars().count() < room * 3 / 5 {
        return Some(
            Part::text(format!("{name}:\n"), THE_ANSWER, Row::whole(whole, 0))
                .in_turn(1)
                .sharing(1),
        );
    }
    let essentials = statement_place::essentials(&s.text);
    let lacks = (essentials.len() > 1).then_some(THE_REASONING);
    let said = Row::text(&essentials.join("\n\n"));
    let outcome = trace.outcome.as_ref().map_or("", |outcome| &outcome.line);
    let is_told = outcome.starts_with(said.begins().trim_end_matches('.'));
    let part = |heading: String, said: Row| {
        let said = said.telling_soon(1, |said| said.trim_start().starts_with("Open points:"));
        Part::text(heading, THE_ANSWER, said).sharing(2).lacking(lacks)
    };
    Some(if is_told {
        part(format!("{name}, continued: "), said.without_first())
    } else {
        part(format!("{name}: "), said).in_turn(1)
    })
}

/// The judges' reasons, those of who took a stance, and those for which somebody was voted out.
fn why(trace: &Trace) -> [Part; 2] {
    let [shown, _] = reasons::of_readings(trace);
    let [fell, _] = reasons::of_rounds(trace);
    let voices = shown.len();
    let ranked = |all: Vec<Vec<reasons::Said>>| {
        all.into_iter().flat_map(|own| own.into_iter().enumerate().take(BOTH))
    };
    let judged = ranked(shown).map(|(rank, (by, said))| Row::prose(by, &said, rank));
    let mut judged: Vec<Row> = judged.collect();
    // Half a ballot may be its praise.
    let ballots = ranked(fell)
        .map(|(rank, (by, said))| Row::whole(by + &text::one_line(&text::unmarked(&said)), rank));
    let ballots = ballots.collect();
    let stances = stances::lines(trace).into_iter().enumerate();
    judged.extend(stances.map(|(rank, line)| match line.split_once(": ") {
        Some((by, said)) => Row::prose(format!("{by}: "), said, rank),
        None => Row::whole(line, rank),
    }));
    // Of one reading, winner and loser; of several, none without the others; of stances, the dissent.
    let least = if voices == 0 { 1 } else { voices.max(2) };
    [
        Part::list("Reasons", "reason", judged).from(least).in_turn(2).sharing(4),
        Part::list("Why the team voted so", "ballot", ballots).from(1),
    ]
}

/// What else judges said, reasons of other readings, of the rounds in which nobody fell, and for an answer over another.
fn further(trace: &Trace) -> Vec<Row> {
    let [shown, judged] = reasons::of_readings(trace);
    let [fell, voted] = reasons::of_rounds(trace);
    let more = shown.into_iter().chain(fell).flat_map(|own| own.into_iter().skip(BOTH));
    let said = more.chain(judged.into_iter().chain(voted).flatten());
    let said = said.map(|(by, said)| by + &text::one_line(&said));
    whole(said.chain(dialectic_ledger::comparisons(trace)))
}

/// The story, to the end of a sentence.
fn story(trace: &Trace) -> Option<Part> {
    let story = story::of(trace)?;
    let by = story.by.as_ref().map_or_else(String::new, |by| format!(", written by {by}"));
    let told = Row::prose(String::new(), &story.parts.join("\n"), 0);
    let part = Part::text(format!("\n{}{by}: ", summary::STORY), summary::STORY, told);
    Some(part.from(2).in_turn(3).sharing(2))
}

/// Leaves out the arguments that are told in short; returns the room that they took.
fn forget_told(trace: &Trace, parts: &mut [Part]) -> usize {
    let story = parts.iter().find(|part| part.name == summary::STORY);
    let story = story.map(Part::shown).unwrap_or_default();
    let told = trace.flow.points.iter().filter(|it| story.contains(&endings::quoted(it)));
    let told: Vec<String> = told.map(|point| argued(trace, point)).collect();
    let mut list = parts.iter_mut().filter(|part| part.name == summary::ARGUMENTS);
    list.next().map_or(0, |list| list.forget(&told))
}

/// How the arguments ended. Of a debate with votes, those that were settled or stand are told only together: one alone reads as if
/// its side had won or given up. Of others, two are told before lists grow, of two sides; what an answer may have met, after its own
/// open points.
fn ended(trace: &Trace, has_votes: bool) -> Part {
    let (points, least) = points(trace, has_votes);
    let is_full = trace.flow.points.iter().any(|point| endings::is_uncertain(trace, point));
    let full = is_full.then_some(" (the clerk's entries were full, so replies may be missing)");
    let is_kept = dialectic_ledger::is_kept(trace);
    let later = statement_place::answer(trace).and(is_kept.then_some(LATER));
    let mut part = Part::list(summary::ARGUMENTS, "argument", points).from(least);
    part.heading = part.heading.replace(':', &format!("{}:", full.or(later).unwrap_or_default()));
    part.grows = !has_votes && story::of(trace).is_some_and(|story| story.by.is_none());
    if has_votes || later.is_some() { part } else { part.in_turn(1) }
}

/// Those of a skeptic: the open ones first, the gravest of them. Of others, the sides by turns, of each what a reader wants first, and
/// last what was made for another case; of a debate with votes, before others what was granted, given up or stands. And how many are told at least.
fn points(trace: &Trace, has_votes: bool) -> (Vec<Row>, usize) {
    if dialectic_ledger::is_kept(trace) {
        return (raised(trace), 1);
    }
    let is_settled = |point: &&FlowPoint| match point.status {
        PointStatus::Conceded => true,
        PointStatus::Standing => point.faced,
        status => status.is_given_up(),
    };
    let mut ranked = arguments::ranked(trace);
    ranked.sort_by_key(|point| trace.case_of(point).is_some());
    let (settled, others): (Vec<&FlowPoint>, Vec<_>) =
        ranked.into_iter().partition(|point| has_votes && is_settled(point));
    let least = if has_votes { settled.len() } else { 2 };
    let all = [settled, others].into_iter().flat_map(by_turns);
    (whole(all.map(|point| argued(trace, point))), least)
}

/// Points, one of each side before a second of any.
fn by_turns(all: Vec<&FlowPoint>) -> Vec<&FlowPoint> {
    let sides = text::gathered(all.into_iter().map(|point| (&point.side, point)));
    let mut places: Vec<(usize, &FlowPoint)> =
        sides.into_iter().flat_map(|(_, own)| own.into_iter().enumerate()).collect();
    places.sort_by_key(|(place, _)| *place);
    places.into_iter().map(|(_, point)| point).collect()
}

/// `Ann, when for pause: Fares keep people at home (granted by Ben)`.
fn argued(trace: &Trace, point: &FlowPoint) -> String {
    let ended = endings::ended(trace, point);
    let by = [trace.name_of(&point.by).to_owned()].into_iter().chain(trace.case_of(point));
    let said = point.text.trim_end_matches('.');
    text::one_line(&format!("{}: {said} ({ended})", text::separated(by, ", ")))
}

/// `Point 6 (major, resolved in part): What remains: who pays. First raised: “It is free.” – It costs too much.`
fn raised(trace: &Trace) -> Vec<Row> {
    let mut all: Vec<_> = dialectic_ledger::points(trace).zip(&trace.flow.points).collect();
    all.sort_by_key(|(point, _)| (!point.is_open(), point.issue.severity));
    let row = |(rank, (point, of_flow)): (usize, (Point, &FlowPoint))| {
        let stands = dialectic_ledger::behind(trace, &of_flow.id).unwrap_or("open");
        let label = format!("Point {} ({}, {stands}): ", point.n, point.issue.severity);
        Row::of(label, dialectic_ledger::sentences(&point), rank, LEFT_OUT)
    };
    all.into_iter().enumerate().map(row).collect()
}

/// The lines of the course, of which the newest are told first, each with what belongs to it.
fn course(sections: &[Section]) -> Vec<Row> {
    let mut all: Vec<String> = Vec::new();
    for line in lines(sections, summary::COURSE) {
        match all.last_mut().filter(|_| !line.starts_with("- ")) {
            Some(last) => *last = format!("{last}\n{line}"),
            None => all.push(line.clone()),
        }
    }
    let most = all.len();
    all.into_iter().enumerate().map(|(place, line)| Row::whole(line, most - place)).collect()
}

/// What each message but the answer claims; first those that the arguments turn on, then the newest, announcements of ours last.
fn claims(trace: &Trace) -> Vec<Row> {
    let turning = turning(trace);
    let worth = |s: &Statement| match s.origin {
        Origin::Template => 2,
        _ if turning.contains(&s.n) => 0,
        _ => 1,
    };
    let most = trace.statements.len();
    let row = |s: &Statement| {
        Row::whole(claim(trace, s), ((worth(s) + 1) * most).saturating_sub(s.n as usize))
    };
    said(trace).map(row).collect()
}

/// The messages but the answer.
fn said(trace: &Trace) -> impl Iterator<Item = &Statement> {
    let answer = statement_place::answer(trace).map(|s| s.n);
    trace.statements.iter().filter(move |s| Some(s.n) != answer)
}

/// What a message claims, in a line: `003 Ann, argument: …`.
fn claim(trace: &Trace, s: &Statement) -> String {
    let (name, phase) = (text::one_line(trace.name_of(&s.by)), s.phase.words());
    let note = index::caution(trace, s).map(|note| format!(" ({note})"));
    let (n, note) = (statement_place::number(s.n), note.unwrap_or_default());
    format!("{n} {name}, {}{note}: {}", text::one_line(&phase), gist::gist(trace, s))
}

/// Puts texts in place of their claims, whole ones only, those first that are worth most and have room, if all claims are told. Says
/// how many are left out.
fn texts(trace: &Trace, claims: &mut Part, mut room: usize) -> Option<String> {
    let said: Vec<&Statement> = said(trace).collect();
    let order = if claims.is_whole() { claims.by_worth() } else { Vec::new() };
    let mut left = said.len();
    for place in order {
        let text = message(trace, said[place]);
        let more = text.chars().count().saturating_sub(claims.said(place).chars().count());
        if more <= room {
            room -= more;
            left -= 1;
            claims.replace(place, text);
        }
    }
    (left > 0).then(|| format!("the text of {}", some_of(left, said.len(), "statement")))
}

/// A message as it stands among claims.
fn message(trace: &Trace, s: &Statement) -> String {
    format!("\n{}\n", show::statement(trace, s).trim_start_matches("── "))
}
