//! A debate in so many tokens (row A9), for readers with small contexts: outcome, reasons and arguments first, then
//! summaries and claims, then texts, those first that the flow turns on.

mod excerpt;
mod passage;

use self::excerpt::excerpt;
use self::passage::{Form, Kind, Passage};
use super::arguments::{self, one_line_each, questions};
use super::judgments::{ballots, reasons, self_judging};
use super::line::Line;
use super::statement_place::{self, Rounds};
use super::summary::exchanges::{self, Claims};
use super::summary::{meaning, story};
use super::{gist, index, show};
use crate::event::{Origin, Statement};
use crate::flow::FlowPoint;
use crate::formats::dialectic;
use crate::text;
use crate::trace::Trace;

/// The fewest tokens that say anything.
pub const LEAST_TOKENS: u64 = 100;
/// Characters from which there is room to say what was left out.
const ROOMY: usize = 1750;
/// Characters that are kept free for that, beside the command in it.
const TAIL: (usize, usize) = (70, 275);
/// Characters below which claims of statements would take the room of what they say again: arguments and summaries.
const CLAIMS: usize = 5000;
/// Characters below which the head has the answer's first sentence.
const SMALL: usize = 2500;
/// Characters of that.
const GIST: usize = 200;
/// Characters of a gist where there is little room.
const SHORT_GIST: usize = 60;
/// Characters below which the beginning of a text says nothing.
const LEAST_TEXT: usize = 60;

/// The debate in at most `budget` estimated tokens, [`LEAST_TOKENS`] or more. What is left out is said, with the command
/// that prints all of it.
pub fn brief(trace: &Trace, budget: u64, command: &str) -> String {
    let most = (budget as f64 * text::CHARS_PER_TOKEN) as usize;
    let tail = if most < ROOMY { TAIL.0 } else { TAIL.1 };
    let tail = tail + command.chars().count();
    let title = show::title(trace);
    let title_length: usize = title.iter().map(|line| line.chars().count() + 1).sum();
    let room = most.saturating_sub(tail + title_length);
    let whole_head = head(trace, most, room);
    let head = shortened(&whole_head.text, room);
    let told = match head == whole_head.text && whole_head.has_story {
        true => story::points(trace),
        false => Vec::new(),
    };
    let used = title_length + head.chars().count() + tail;
    let room = most.saturating_sub(used);
    let mut passages = passages(trace, room, &told);
    passage::fill(&mut passages, room);
    let left_out = left_out(trace, &passages, (!told.is_empty(), whole_head.has_story));
    let last = match (left_out.is_empty(), most < ROOMY) {
        (true, _) => String::new(),
        (false, true) => format!("\n\n[Shortened to {budget} tokens; `{command}` prints all]"),
        (false, false) => {
            format!("\n\n[Left out at {budget} tokens: {left_out}; `{command}` prints all]")
        }
    };
    let all = title.into_iter().chain([head]);
    let all = all.chain(passage::texts(&passages));
    let all = all.collect::<Vec<_>>().join("\n");
    // Where even the title is too long.
    shortened(&all, most.saturating_sub(last.chars().count() + 1)) + &last
}

/// Everything, in the order in which it stands, but the points that the head tells.
fn passages(trace: &Trace, room: usize, told: &[&FlowPoint]) -> Vec<Passage> {
    let most = [room * 3 / 4, room * 3 / 5];
    let mut passages: Vec<Passage> = last_word(trace, most).into_iter().collect();
    let answer = passages.first().map_or(0, Passage::least).min(room);
    passages.extend(said_why(trace, (room - answer) * 3 / 5));
    let arguments = one_line_each::lines(trace, told);
    let title = one_line_each::title(trace, !told.is_empty());
    passages.extend(listed(Kind::Argument, title, arguments));
    passages.extend(listed(
        Kind::Question,
        questions::OPEN,
        questions::open(trace),
    ));
    passages.extend(doubted(trace));
    passages.extend(statements(trace, room >= CLAIMS));
    passages
}

/// The judges' reasons: first those that the outcome rests on, as many as leave room for others.
fn said_why(trace: &Trace, mut room: usize) -> Vec<Passage> {
    let passage = |line: Line| {
        let length = line.text.chars().count();
        let form = match line.decided && length <= room {
            true => {
                room -= length;
                Form::Reason
            }
            false => Form::LateReason,
        };
        Passage::new(Kind::Reason, vec![(form, line.text)]).citing(line.cites)
    };
    let reasons = reasons::lines(trace).into_iter().map(passage);
    under(Form::Reason, "Reasons", reasons)
}

/// Claims that were not found true, with the reasons where there is room for them.
fn doubted(trace: &Trace) -> Vec<Passage> {
    let claims = Claims::of(trace);
    let short = claims.doubted(false).into_iter();
    let passage = |(short, long): (Line, Line)| {
        let forms = vec![(Form::Argument, short.text), (Form::LateReason, long.text)];
        Passage::new(Kind::Claim, forms).citing(short.cites)
    };
    let claims = short.zip(claims.doubted(true)).map(passage);
    under(Form::Argument, exchanges::DOUBTED, claims)
}

/// Arguments or questions under a heading.
fn listed(kind: Kind, title: &str, lines: Vec<Line>) -> Vec<Passage> {
    let passage =
        |line: Line| Passage::new(kind, vec![(Form::Argument, line.text)]).citing(line.cites);
    under(Form::Argument, title, lines.into_iter().map(passage))
}

/// Passages under a heading, where there are any.
fn under(form: Form, title: &str, passages: impl Iterator<Item = Passage>) -> Vec<Passage> {
    let mut passages: Vec<Passage> = passages.collect();
    if !passages.is_empty() {
        passages.insert(0, heading(form, format!("{title}:")));
    }
    passages
}

fn heading(form: Form, text: String) -> Passage {
    Passage::new(Kind::Heading, vec![(form, format!("\n{text}"))])
}

/// The answer in which the debate ends: whole if it fits into `whole_most` characters, else its beginning in `most` until the
/// others have had room.
fn last_word(trace: &Trace, [whole_most, most]: [usize; 2]) -> Option<Passage> {
    let s = answer(trace)?;
    let name = text::one_line(trace.name_of(&s.by));
    let note = index::caution(trace, s).map(|note| format!(" ({note})"));
    let by = format!("Answer by {name}, message {}", statement_place::number(s.n));
    let by = by + &note.unwrap_or_default();
    let with = |text: &str| format!("\n{by}{}", block(text));
    let whole = with(&s.text);
    let spare = most.saturating_sub(with("").chars().count() + 1);
    let forms = if whole.chars().count() < whole_most {
        vec![(Form::Final, whole)]
    } else if spare < LEAST_TEXT {
        vec![(Form::Text, whole)]
    } else {
        // Indenting makes a text of many lines longer: each takes two blanks.
        let lines = s.text.trim().lines().count();
        let spare = spare.saturating_sub(2 * lines);
        let begins = match &dialectic::essentials(&s.text)[..] {
            [] => excerpt(statement_place::untitled(&s.text), spare),
            parts => excerpt::of_parts(parts, spare),
        };
        vec![(Form::Final, with(&begins)), (Form::Text, whole)]
    };
    Some(Passage::new(Kind::Message(s.n), forms))
}

/// The answer that the debate came to; a summary of it is a statement like others.
fn answer(trace: &Trace) -> Option<&Statement> {
    statement_place::final_text(trace).filter(|s| !statement_place::is_summary(s))
}

/// Statements in order but the last word; each round's line stands before its statements, and so does what the clerk made of
/// those outside of rounds. Claims stand in their lines where there is room for them and the story does not tell them.
fn statements(trace: &Trace, with_claims: bool) -> Vec<Passage> {
    let story = story::of(trace).map_or_else(String::new, |story| story.text);
    let last_word = answer(trace).map(|s| s.n);
    let outside = exchanges::outside(trace);
    let rounds = Rounds::of(trace);
    let mut passages = Vec::new();
    let mut under = None;
    for s in trace.statements.iter().filter(|s| Some(s.n) != last_word) {
        let round = statement_place::round_of(trace, s);
        if round != under {
            let after = format!("After round {}.", under.unwrap_or_default());
            passages.push(match round {
                Some(round) => begun(trace, &rounds, round),
                None => heading(Form::ShortGist, after),
            });
            under = round;
        }
        let noted = outside.iter().filter(|(first, _)| *first == s.n).take(1);
        let noted = noted.map(|(_, told)| format!("\n{}", text::one_line(told)));
        let noted = noted.map(|told| Passage::new(Kind::Round, vec![(Form::Summary, told)]));
        passages.extend(noted);
        passages.push(said(trace, s, with_claims.then_some(&*story)));
    }
    passages
}

/// A round's line, of a single turn without whose it was where there is little room; a heading where the round was never
/// closed.
fn begun(trace: &Trace, rounds: &Rounds<'_>, round: u32) -> Passage {
    let Some(notes) = trace.rounds.iter().find(|notes| notes.round == round) else {
        return heading(Form::ShortGist, format!("Round {round}."));
    };
    let headline = text::sentence(&text::one_line(&notes.headline));
    let is_label = arguments::by_clerk(trace) && exchanges::is_label(&notes.summary);
    let summary = match is_label {
        true => String::new(),
        false => text::one_line(&notes.summary),
    };
    let (own, title) = (format!("Round {round}"), exchanges::title(trace, round));
    let headline = format!("\n{own}. {headline}").trim_end().to_owned();
    let alone = format!("\n{title}. {summary}");
    let whole = match &*summary {
        "" => headline.clone(),
        summary if title == own => format!("{headline} {summary}"),
        // A summary of several rounds says so.
        summary => format!("{headline} {title}: {summary}"),
    };
    let forms = match (rounds.is_turn(round), summary.is_empty()) {
        (true, true) => vec![(Form::Turn, whole)],
        (true, false) => vec![(Form::Summary, alone), (Form::Turn, whole)],
        (false, _) => vec![(Form::Headline, headline), (Form::Summary, whole)],
    };
    Passage::new(Kind::Round, forms)
}

/// A statement, with its gist where there is room for claims; without it where that stands in the round's line, as in rounds
/// of one statement, or in the story. An announcement of ours says nothing that is not told elsewhere: it comes last, whole.
fn said(trace: &Trace, s: &Statement, story: Option<&str>) -> Passage {
    let gist = text::one_line(&gist::gist(trace, s));
    let short = text::shorten(&gist, SHORT_GIST);
    let mut notes = trace.rounds.iter();
    let headline = notes.find(|notes| Some(notes.round) == statement_place::round_of(trace, s));
    let told = short.trim_end_matches(['…', '.']);
    let is_told = headline.is_some_and(|notes| notes.headline.contains(told))
        || story.is_some_and(|story| story.contains(told));
    let is_ours = s.origin == Origin::Template;
    let mut forms = match (is_ours || story.is_none(), is_told) {
        (true, _) => Vec::new(),
        (_, true) => vec![(Form::ShortGist, line(trace, s, ""))],
        _ => {
            let gists = [(Form::ShortGist, short), (Form::Gist, gist)];
            let gists = gists.map(|(form, gist)| (form, line(trace, s, &format!(": {gist}"))));
            gists.to_vec()
        }
    };
    let form = match (reasons::turning(trace).contains(&s.n), is_ours) {
        (true, _) => Form::Turning,
        (_, true) => Form::Announcement,
        _ => Form::Text,
    };
    forms.push((form, line(trace, s, &block(&s.text))));
    Passage::new(Kind::Message(s.n), forms)
}

/// `003 X, argument` with what is said of it.
fn line(trace: &Trace, s: &Statement, what: &str) -> String {
    let name = text::one_line(trace.name_of(&s.by));
    let note = index::caution(trace, s).map(|note| format!(" ({note})"));
    let (phase, note) = (text::one_line(&s.phase.words()), note.unwrap_or_default());
    format!(
        "{} {name}, {phase}{note}{what}",
        statement_place::number(s.n)
    )
}

/// A text below its line, indented so that it cannot pass for another line.
fn block(text: &str) -> String {
    let indented = text::visible(text.trim()).replace('\n', "\n  ");
    format!(":\n\n  {indented}\n")
}

/// What stands above all else.
struct Head {
    text: String,
    /// Whether it has all of the story, if there is one.
    has_story: bool,
}

/// The outcome, what it means, who took part, and the story: as much of it as leaves room for reasons and arguments.
fn head(trace: &Trace, most: usize, room: usize) -> Head {
    let (mut lines, after) = (before_the_story(trace, most), after_the_story(trace));
    let story = story::of(trace).map(|story| {
        let by = story.by.map(|by| format!(", written by {by}"));
        let name = format!("In short{}", by.unwrap_or_default());
        field(&name, &text::unmarked(&story.text))
    });
    let others = lines.iter().chain(&after);
    let used: usize = others.map(|line| line.chars().count() + 1).sum();
    let begins = story.as_ref().map(|story| {
        let room = room.saturating_sub(used);
        match story.chars().count() > room {
            true => format!(
                "{} {}",
                text::beginning(story, room * 3 / 5),
                text::LEFT_OUT
            ),
            false => story.clone(),
        }
    });
    let has_story = begins == story;
    lines.extend(begins);
    lines.extend(after);
    Head {
        text: lines.join("\n"),
        has_story,
    }
}

fn before_the_story(trace: &Trace, most: usize) -> Vec<String> {
    let outcome = trace.outcome.iter();
    let mut lines: Vec<String> = outcome.map(|o| field("Outcome", &o.line)).collect();
    let sure = meaning::sentences(trace).join(" ");
    lines.extend((!sure.is_empty()).then(|| text::one_line(&sure)));
    // Where there is room, the answer itself comes next.
    let answer = answer(trace).filter(|_| most < SMALL);
    lines.extend(answer.map(|s| {
        let begins = text::gist(statement_place::untitled(&s.text), GIST);
        field("The answer begins", &begins)
    }));
    lines.extend(show::cast(trace));
    lines
}

fn after_the_story(trace: &Trace) -> Vec<String> {
    let notes = self_judging::notes(trace).into_iter();
    let notes = notes.map(|note| text::one_line(&note));
    ballots::line(trace).into_iter().chain(notes).collect()
}

fn field(name: &str, value: &str) -> String {
    format!("{}: {}", text::one_line(name), text::one_line(value))
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Of how many statements the text was left out; of announcements, which are ours, only where these are all.
fn texts_left_out(trace: &Trace, passages: &[Passage], has_story: bool) -> Option<String> {
    let is_ours = |n: u32| {
        trace
            .statement(n)
            .is_some_and(|s| s.origin == Origin::Template)
    };
    // The story is the summary in which a debate ends.
    let story = statement_place::final_text(trace).filter(|_| has_story);
    let story = story
        .filter(|s| statement_place::is_summary(s))
        .map(|s| s.n);
    let of = |ours: bool| {
        let all = passages.iter().filter(|passage| match passage.kind {
            Kind::Message(n) => is_ours(n) == ours && Some(n) != story,
            _ => false,
        });
        let cut = all.clone().filter(|passage| !passage.is_whole()).count();
        (cut, all.count())
    };
    let (noun, (cut, all)) = match (of(false), of(true)) {
        ((0, _), ours) => ("announcement", ours),
        (said, _) => ("statement", said),
    };
    let of = match cut {
        0 => return None,
        cut if cut == all => format!("all {}", text::count(all, noun)),
        cut => format!("{cut} of {}", text::count(all, noun)),
    };
    Some(format!("the full text of {of}"))
}

/// What was left out for want of room; nothing where nothing was. Where the story tells some arguments, only others are listed.
fn left_out(
    trace: &Trace,
    passages: &[Passage],
    (some_are_told, has_story): (bool, bool),
) -> String {
    let texts = texts_left_out(trace, passages, has_story);
    let kinds = [
        (Kind::Reason, "reason"),
        (Kind::Argument, "argument"),
        (Kind::Question, "question"),
        (Kind::Claim, "doubted claim"),
        (Kind::Round, "round summary"),
    ];
    let others = kinds.into_iter().filter_map(|(kind, noun)| {
        let of = || passages.iter().filter(|passage| passage.is_a(kind));
        let short = of().filter(|passage| !passage.says_enough()).count();
        let all = text::count(of().count(), noun);
        let all = all.replace("summarys", "summaries");
        let the_other = kind == Kind::Argument && some_are_told;
        let the_other = if the_other { "the other " } else { "" };
        (short > 0).then(|| format!("{short} of {the_other}{all}"))
    });
    let mut parts: Vec<String> = texts.into_iter().chain(others).collect();
    let has_scores = !(trace.own_verdicts().next().is_none() && trace.ballots.is_empty());
    if has_scores && !parts.is_empty() {
        parts.push("the scores by criterion".to_owned());
    }
    text::joined(&parts, "and")
}
