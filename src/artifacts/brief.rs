//! A debate in so many tokens (row A9), for readers with small contexts: the outcome, who was voted out, the answer, why, the story,
//! how the arguments ended, then claims, then texts. All of it has one order, whatever the room, and is told up to where that ends: a
//! larger budget tells all that a smaller one does.

mod by_line;
mod part;

use self::by_line::by_line;
use self::part::{Part, Row, fill, some_of};
use super::arguments::{self, dialectic_ledger, endings, turning};
use super::judgments::{decided, reasons, self_judging, verdict};
use super::plain::{self, Section};
use super::summary::{self, meaning, story};
use super::{gist, index, other_participants, query, show, stances, statement_place, who_argued};
use crate::event::{Origin, Statement};
use crate::flow::FlowPoint;
use crate::formats::dialectic::Point;
use crate::templates::{TemplateError, Templates};
use crate::text::{self, LEFT_OUT};
use crate::trace::Trace;

/// What a skeptic's points on drafts are not. Where one was open, the sentences on the outcome say that nobody checked whether the final
/// answer meets it.
const LATER: &str = " (as the skeptic last saw them, before the final answer was written)";
/// The fewest tokens that say anything.
pub const LEAST_TOKENS: u64 = 100;
/// What the last line has room for at least, characters from which on a tenth of what is more is kept for it, and the most of that.
const NAMES: &str = "the rest of how it was decided and 12 more";
const ROOMY: usize = 525;
const ENDING: usize = 300;
/// Reasons of a reading or a round that are told first: on the winner and on the loser.
const BOTH: usize = 2;
/// Claims that are told only together: half of them, or so many.
const CLAIMS: usize = 20;
/// The sentences with which an answer begins.
const BEGINNING: usize = 2;
/// What the answer is called where it is left out.
const THE_ANSWER: &str = "the answer";

/// The debate in at most `budget` estimated tokens, [`LEAST_TOKENS`] or more. What is left out is said, with the command
/// that prints all of it.
pub fn brief(
    trace: &Trace,
    budget: u64,
    command: &str,
    templates: &Templates,
) -> Result<String, TemplateError> {
    // The line ends, too.
    let most = (budget as f64 * text::CHARS_PER_TOKEN) as usize - 1;
    let sections = plain::sections(&summary::context(trace), templates)?;
    let least = ending(&[NAMES.to_owned()], budget, command, most).chars().count();
    let room = most.saturating_sub(least + (most.saturating_sub(ROOMY) / 10).min(ENDING));
    let line = trace.outcome.as_ref().map_or("none", |outcome| &outcome.line);
    let mut shown = text::shorten(&format!("Outcome: {line}"), room * 2 / 3) + "\n";
    if trace.rehearsal {
        shown.extend([show::REHEARSAL, ".\n"]);
    }
    let mut parts = parts(trace, &sections);
    let room = fill(&mut parts, room.saturating_sub(shown.chars().count()));
    let texts = texts(trace, &mut parts, room);
    shown += &parts.iter().map(Part::shown).collect::<String>();
    let left_out: Vec<String> = parts.iter().flat_map(Part::left_out).chain(texts).collect();
    let shown = shown.trim_end();
    let last = ending(&left_out, budget, command, most.saturating_sub(shown.chars().count()));
    // Where even the command is too long.
    let room = most.saturating_sub(last.chars().count());
    Ok(shown.chars().take(room).collect::<String>() + &last)
}

/// The last line: what is left out, as many names of it as have room, and the command that prints all.
fn ending(left_out: &[String], budget: u64, command: &str, room: usize) -> String {
    let all = |did: String| format!("\n\n[{did}; `{command}` prints all]");
    let of = |names: usize| text::first_of(left_out.iter(), names);
    let named = |names: usize| all(format!("Left out at {budget} tokens: {}", of(names)));
    let fits = |told: &String| told.chars().count() <= room;
    let shortened =
        text::told_if(!left_out.is_empty(), || all(format!("Shortened to {budget} tokens")));
    (1..=left_out.len()).rev().map(named).find(fits).unwrap_or(shortened)
}

/// All that may stand below the outcome, what is worth most first; last what was said.
fn parts(trace: &Trace, sections: &[Section]) -> Vec<Part> {
    let mut parts = begun(trace);
    // Of a debate with votes, only the story tells all rounds.
    let (story, why) = (story(trace).into_iter(), why(trace).into_iter());
    if trace.rotations.is_empty() {
        parts.extend(why.chain(story));
    } else {
        parts.extend(story.chain(why));
    }
    let judged = decided::lead(trace).into_iter().chain(self_judging::notes(trace));
    parts.push(Part::list("The judging", "judging note", whole(judged)).from(1).in_turn(2));
    parts.push(ended(trace));
    parts.extend(asked(trace));
    parts.extend(rest(trace, sections));
    parts
}

/// What was asked, who was voted out, the answer, how sure the outcome is and what it does not say, and the sides.
fn begun(trace: &Trace) -> Vec<Part> {
    let line = |name: &'static str, said: String| {
        Part::text(String::new(), name, Row::whole(said, 0)).in_turn(1)
    };
    let caveats = meaning::caveats(trace);
    let who = who_argued::lines(trace).into_iter().enumerate().map(|(place, it)| {
        let said = it.said + &it.became.map_or_else(String::new, |it| it.text());
        text::told_if(place > 0, || "\n".to_owned()) + &text::one_line(&said)
    });
    let who = Row::of(String::new(), who.collect(), 0, "");
    let put = trace.own_verdicts().flat_map(|own| verdict::put(trace, own));
    let gap = statement_place::answer(trace).map_or("", |_| "\n").to_owned();
    let asked = [
        line("", query::title(trace)),
        line("", text::separated(show::standing(trace), "\n")),
        line("who was voted out", voted_out(trace)).in_turn(0),
    ];
    let came = [
        Part::text(gap, "how it was decided", decided(trace, &caveats)).in_turn(1),
        line("the caveats", caveats.join(" ")).in_turn(0),
        Part::text(String::new(), "the sides", who).from(2).in_turn(1),
        line("whom each judge has ahead", text::separated(put, "; ")),
    ];
    asked.into_iter().chain(answer(trace)).chain(came).collect()
}

/// How it was decided, without the caveats.
fn decided(trace: &Trace, caveats: &[String]) -> Row {
    let mut means = meaning::sentences(trace);
    means.retain(|sentence| !caveats.contains(sentence));
    // That no critical point was open says little without those that were.
    if !dialectic_ledger::is_kept(trace) {
        means = text::split_sentences(&text::unmarked(&means.join(" ")));
    }
    Row::of(String::new(), means, 0, "")
}

/// What the title does not say of the question.
fn asked(trace: &Trace) -> Option<Part> {
    let asked = query::of(trace)?;
    let row = Row::prose(String::new(), &query::flat(&asked.text), 0);
    Some(Part::text(format!("\n{}: ", asked.title), asked.title, row))
}

/// What has room only where all that matters more is told.
fn rest(trace: &Trace, sections: &[Section]) -> [Part; 7] {
    let others = who_argued::judged_by(trace).into_iter().chain(other_participants::line(trace));
    let (notes, problems) = problems(trace, sections);
    let scores = lines(sections, "Scores").cloned().collect::<Vec<_>>().join("\n");
    let claims = claims(trace);
    let enough = claims.len().div_ceil(2).min(CLAIMS);
    [
        Part::list("Who else took part", "credit", whole(others)).from(1),
        Part::list("Problems", "problem", whole(problems)).from(1),
        Part::list("The course", "stage", course(sections)),
        Part::list("Further reasons", "further reason", further(trace)).from(1),
        Part::text("\nScores:\n".to_owned(), "Scores", Row::whole(scores, 0)),
        Part::list("The clerk's notes", "remark on notes", whole(notes)).from(1),
        Part::list("What was said", "claim", claims).from(enough),
    ]
}

/// Who was voted out, if several were: the outcome names a single one.
fn voted_out(trace: &Trace) -> String {
    let out = trace.rotations.iter().filter(|rotation| rotation.voted_out);
    let out = out.map(|it| format!("{} (after round {})", trace.name_of(&it.debater), it.round));
    let out: Vec<String> = out.collect();
    text::told_if(out.len() > 1, || text::one_line(&format!("Voted out: {}", out.join(", "))))
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

/// The answer that the debate came to, or what of it the outcome does not say: before all else how it begins, how sure it is and its first
/// open point; its reasoning last.
fn answer(trace: &Trace) -> Option<Part> {
    let s = statement_place::answer(trace)?;
    let parts = statement_place::by_parts(&s.text);
    let upto = |n: usize| by_line(&parts[..n.min(parts.len())].join("\n\n"));
    let outcome = trace.outcome.as_ref().map_or("", |outcome| &outcome.line);
    let all = upto(parts.len());
    let mut said = all.clone();
    leave_out(outcome, &mut said);
    let is_told = said != all;
    let left = |n: usize| (said.len() + upto(n).len()).saturating_sub(all.len());
    let reasoning = left(1)..left(2);
    let enough = said.len() - reasoning.len();
    let early = BEGINNING + usize::from(said.iter().any(|it| is_sure(it)));
    let turn = |at: usize, said: &str| match at {
        _ if reasoning.contains(&at) => 4,
        0 => 0,
        _ if is_sure(said) || at < BEGINNING => 1,
        _ if said.starts_with("\nOpen points:") => 2,
        _ => 3,
    };
    let label = format!("{}{}: ", answer_by(trace, s), if is_told { ", continued" } else { "" });
    let row = Row::of(label, said, 0, LEFT_OUT).in_order(turn);
    let part = Part::text(String::new(), THE_ANSWER, row).in_turn(usize::from(is_told));
    Some(part.enough([early.min(enough), enough]))
}

/// Leaves out of an answer the sentences with which the outcome begins. One that it shortens goes on where that ends.
fn leave_out(outcome: &str, said: &mut Vec<String>) {
    let mut rest = outcome;
    let mut is_told = |sentence: &&String| {
        let behind = text::behind(rest, sentence);
        rest = behind.unwrap_or(rest);
        behind.is_some()
    };
    while let Some(piece) = said.first_mut() {
        let sentences = text::split_sentences(piece);
        match sentences.iter().take_while(&mut is_told).count() {
            0 => break,
            told if told == sentences.len() => drop(said.remove(0)),
            told => {
                *piece = sentences[told..].join(" ");
                break;
            }
        }
    }
    let begun = rest.split_once('…').map(|(begun, _)| begun).filter(|begun| !begun.is_empty());
    if let (Some(begun), Some(piece)) = (begun, said.first_mut())
        && let Some(left) = piece.trim_start().strip_prefix(begun)
    {
        *piece = format!("…{left}");
    }
}

/// Whether a piece of an answer says how sure it is.
fn is_sure(said: &str) -> bool {
    said.starts_with("\nConfidence:")
}

fn answer_by(trace: &Trace, s: &Statement) -> String {
    format!("\nAnswer by {}", text::one_line(trace.name_of(&s.by)))
}

/// The judges' reasons; those of who took a stance, and those for which somebody was voted out.
fn why(trace: &Trace) -> [Part; 2] {
    let [shown, _] = reasons::of_readings(trace);
    let [fell, _] = reasons::of_rounds(trace);
    let least = least(&shown, trace.own_verdicts().any(|own| own.split().is_some()));
    let ranked = |all: Vec<Vec<reasons::Said>>| {
        all.into_iter().flat_map(|own| own.into_iter().enumerate().take(BOTH))
    };
    let shown = shown.into_iter().flatten().collect();
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
    [
        Part::list("Reasons", "reason", judged).from(least).in_turn(1),
        Part::list("Why the team voted so", "ballot", ballots).from(1).in_turn(2),
    ]
}

/// How many of the judges' reasons say the least: of a single reading two, on the winner and the loser, and of judges who are split, one
/// of each side; of a judge whose readings differ, those of both.
fn least(judges: &[Vec<Vec<reasons::Said>>], are_split: bool) -> usize {
    let given = |own: &[Vec<Vec<_>>]| own.iter().flatten().filter(|it| !it.is_empty()).count();
    let differing = judges.iter().rposition(|readings| readings.len() > 1);
    let upto = differing.map_or(1, |last| given(&judges[..=last]));
    let is_single = judges.iter().flatten().count() == 1;
    upto.max(if is_single || are_split { BOTH } else { 1 })
}

/// What else judges said, reasons of other readings, of the rounds in which nobody fell, and for an answer over another.
fn further(trace: &Trace) -> Vec<Row> {
    let [shown, judged] = reasons::of_readings(trace);
    let [fell, voted] = reasons::of_rounds(trace);
    let [shown, judged] = [shown, judged].map(|judges| judges.into_iter().flatten());
    let more = shown.chain(fell).flat_map(|own| own.into_iter().skip(BOTH));
    let said = more.chain(judged.chain(voted).flatten());
    let said = said.map(|(by, said)| by + &text::one_line(&said));
    whole(said.chain(dialectic_ledger::comparisons(trace)))
}

/// The story: how it begins, then, in somebody's words, how it ends, which says what stands open, then the rest.
fn story(trace: &Trace) -> Option<Part> {
    let story = story::of(trace)?;
    let by = story.by.as_ref().map(|by| format!(", written by {by}"));
    let told = Row::prose(String::new(), &story.parts.join("\n"), 0);
    let last = told.sentences().saturating_sub(1);
    let told = told.in_order(|at, _| if at == last && at > 0 && by.is_some() { 1 } else { 2 * at });
    let heading = format!("\n{}{}: ", summary::STORY, by.unwrap_or_default());
    Some(Part::text(heading, summary::STORY, told).from(2).in_turn(1))
}

/// How the arguments ended that the story does not tell, two at least. What an answer may have met comes in turn 2.
fn ended(trace: &Trace) -> Part {
    let story =
        story::of(trace).map_or_else(String::new, |it| text::unmarked(&it.parts.join("\n")));
    let is_told = |point: &FlowPoint| story.contains(&endings::quoted(point));
    let is_kept = dialectic_ledger::is_kept(trace);
    let later = statement_place::answer(trace).and(is_kept.then_some(LATER));
    let is_full = trace.flow.points.iter().any(|point| endings::is_uncertain(trace, point));
    let full = is_full.then_some(" (the clerk's entries were full, so replies may be missing)");
    let points = if is_kept { raised(trace) } else { points(trace, is_told) };
    let mut part = Part::list(summary::ARGUMENTS, "argument", points);
    part.heading = part.heading.replace(':', &format!("{}:", full.or(later).unwrap_or_default()));
    // The others come when the whole story is told, in turn 2.
    let are_others = trace.flow.points.iter().any(is_told);
    if are_others {
        part.heading = part.heading.replacen(" the", " the other", 1);
    }
    if later.is_some() {
        part.from(1).in_turn(2)
    } else {
        part.in_turn(1 + usize::from(are_others))
    }
}

/// The sides by turns, of each what a reader wants first, and last what was made for another case.
fn points(trace: &Trace, is_told: impl Fn(&FlowPoint) -> bool) -> Vec<Row> {
    let mut ranked = arguments::ranked(trace);
    ranked.retain(|point| !is_told(point));
    ranked.sort_by_key(|point| trace.case_of(point).is_some());
    let by_turns = text::by_turns(ranked.into_iter().map(|point| (&point.side, point)));
    whole(by_turns.into_iter().map(|point| argued(trace, point)))
}

/// `Ann, when for pause: Fares keep people at home (granted by Ben)`.
fn argued(trace: &Trace, point: &FlowPoint) -> String {
    let ended = endings::ended(trace, point);
    let by = [trace.name_of(&point.by).to_owned()].into_iter().chain(trace.case_of(point));
    let said = point.text.trim_end_matches('.');
    text::one_line(&format!("{}: {said} ({ended})", text::separated(by, ", ")))
}

/// The open ones first, the gravest of them: `Point 6 (major, resolved in part): What remains: who pays. First raised: “It is free.” – It costs too much.`
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

/// Puts whole texts in place of the answer's sentences and of claims, if all claims are told, those first that are worth most. Says how
/// many are left out.
fn texts(trace: &Trace, parts: &mut [Part], room: usize) -> Option<String> {
    let said: Vec<&Statement> = said(trace).collect();
    let is_whole = parts.last().is_some_and(Part::is_whole);
    let mut room = Some(room).filter(|_| is_whole);
    let answer = parts.iter_mut().find(|part| part.name == THE_ANSWER);
    if let Some((part, s)) = answer.zip(statement_place::answer(trace)) {
        let whole = text::indented(statement_place::untitled(&s.text));
        room =
            room.and_then(|room| part.tell(0, format!("{}:\n{whole}", answer_by(trace, s)), room));
    }
    let mut left = said.len();
    let claims = parts.last_mut()?;
    for place in claims.order.clone() {
        room = room.and_then(|room| claims.tell(place, message(trace, said[place]), room));
        left -= usize::from(room.is_some());
    }
    (left > 0).then(|| format!("the text of {}", some_of(left, said.len(), "statement")))
}

/// A message as it stands among claims.
fn message(trace: &Trace, s: &Statement) -> String {
    format!("\n{}\n", show::statement(trace, s).trim_start_matches("── "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a9_of_readings_that_differ_both_are_told_wherever_their_judge_stands() {
        let reason = || vec![(String::new(), "It gave reasons.".to_owned())];
        let once = || vec![reason()];
        let turned = || vec![reason(), reason()];
        for (judges, least_told) in [
            (vec![once(), turned(), once()], 3),
            (vec![turned(), once(), turned(), once()], 5),
            (vec![vec![vec![]], turned()], 2),
            (vec![once(), once()], 1),
            (vec![once()], 2),
            (vec![], 1),
        ] {
            assert_eq!(least(&judges, false), least_told, "{judges:?}");
        }
        assert_eq!(least(&[once(), once()], true), 2);
    }

    #[test]
    fn a9_what_the_outcome_says_of_an_answer_is_not_told_again() {
        let outcome = "Yes. The town should keep its fares (stated confidence: high; not scored)";
        for (said, outcome, left) in [
            (
                &["Yes.", "\nThe town should keep its fares.", "\n- It pays."][..],
                outcome,
                &["\n- It pays."][..],
            ),
            (&["Yes. The town should keep its fares. It pays."], outcome, &["It pays."]),
            (
                &["Yesterday it was so.", "\nNow it is not."],
                outcome,
                &["Yesterday it was so.", "\nNow it is not."],
            ),
            (
                &["It keeps them for the buses, and for trams.", "\nSo it is."],
                "It keeps them for the… (not scored)",
                &["… buses, and for trams.", "\nSo it is."],
            ),
            (&["It pays."], "It pays", &[]),
            (&["It pays."], "No consensus after 2 rounds", &["It pays."]),
            (&["No. It should wait."], "No consensus after 2 rounds", &["No. It should wait."]),
            (&["Should it? It should."], "Should it? It should wait", &["It should."]),
        ] {
            let mut told: Vec<String> = said.iter().map(|it| (*it).to_owned()).collect();
            leave_out(outcome, &mut told);
            assert_eq!(told, left, "{said:?}");
        }
    }
}
