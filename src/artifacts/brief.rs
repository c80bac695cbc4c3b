//! A debate in so many tokens (row A9), for readers with small contexts: outcome, reasons and arguments first, then
//! summaries and claims, then texts, those first that the flow turns on.

pub(super) mod excerpt;
mod head;
mod passage;

use self::head::SMALL;
use self::passage::{Form, Kind, Passage};
use super::arguments::{self, dialectic_ledger, one_line_each, questions};
use super::judgments::{reasons, score_lines};
use super::line::Line;
use super::statement_place::{self, Rounds};
use super::summary::exchanges::{self, Claims};
use super::summary::story;
use super::{banner, gist, index};
use crate::event::{Origin, Statement};
use crate::flow::FlowPoint;
use crate::panel::candidates;
use crate::text;
use crate::trace::Trace;

/// The fewest tokens that say anything.
pub const LEAST_TOKENS: u64 = 100;
/// Characters from which there is room to say what was left out.
const ROOMY: usize = 1750;
/// Characters by which that may be longer than where everything is left out: `12 of 13 other arguments`.
const SPARE: usize = 24;
/// Characters of how many of a list are shown, where that is not said: ` (12 of 13)`.
const COUNTED: usize = 12;
/// Characters below which claims of statements would take the room of what they say again: arguments and summaries.
const CLAIMS: usize = 5000;
/// Characters of a gist where there is little room.
const SHORT_GIST: usize = 60;

/// The debate in at most `budget` estimated tokens, [`LEAST_TOKENS`] or more. What is left out is said, with the command
/// that prints all of it.
pub fn brief(trace: &Trace, budget: u64, command: &str) -> String {
    let most = (budget as f64 * text::CHARS_PER_TOKEN) as usize;
    let ending = |left_out: &str| {
        if most < ROOMY {
            format!("\n\n[Shortened to {budget} tokens; `{command}` prints all]")
        } else {
            format!("\n\n[Left out at {budget} tokens: {left_out}; `{command}` prints all]")
        }
    };
    let all = left_out(trace, &passages(trace, most, [most; 2], &[], ""), true);
    let spare = if most < ROOMY { COUNTED } else { SPARE };
    let room = most.saturating_sub(ending(&all).chars().count() + spare);
    let story = story::of(trace).map_or_else(String::new, |story| story.text());
    let answer = last_word(trace, most, usize::MAX).filter(|answer| answer.begins(Form::Final));
    let answer = answer.map_or(0, |answer| answer.least());
    let mut head = head::head(trace, most, room, [answer, first_reason(trace, &story)]);
    if !head.has_story {
        // The reason must say what a story that was cut does not quote.
        head = head::head(trace, most, room, [answer, first_reason(trace, &head.text)]);
    }
    let mut told = story::points(trace);
    told.retain(|point| head.has_story || head.text.contains(point.text.trim_end_matches('.')));
    let room = room.saturating_sub(head.text.chars().count());
    let mut passages = passages(trace, most, [head.answer, room], &told, &head.text);
    passage::fill(&mut passages, &reasons::turning(trace), room);
    if most < ROOMY {
        passage::count(&mut passages, Kind::Argument);
    }
    let left_out = left_out(trace, &passages, !told.is_empty());
    let last = if left_out.is_empty() { String::new() } else { ending(&left_out) };
    // The answer is part of the outcome.
    let (answer, others) = passages.split_at(usize::from(statement_place::answer(trace).is_some()));
    let (outcome, behind) = head.text.split_at(head.outcome);
    let all = [outcome.to_owned()]
        .into_iter()
        .chain(passage::texts(answer))
        .chain([behind.trim_start().to_owned()])
        .filter(|text| !text.is_empty())
        .chain(passage::texts(others));
    let all = text::separated(all, "\n");
    // Where even the command is too long.
    shortened(&all, most.saturating_sub(last.chars().count() + 1)) + &last
}

/// Everything, in the order in which it stands, but the points and the reasons that the head tells; in so much room for the answer
/// and for all.
fn passages(
    trace: &Trace,
    most: usize,
    [for_answer, room]: [usize; 2],
    told: &[&FlowPoint],
    head: &str,
) -> Vec<Passage> {
    let mut passages: Vec<Passage> = last_word(trace, most, for_answer).into_iter().collect();
    let answer = passages.first().filter(|answer| answer.begins(Form::Final));
    let answer = answer.map_or(0, Passage::least).min(room);
    passages.extend(said_why(trace, (room - answer) * 3 / 5, head));
    let arguments = one_line_each::in_short(trace, told);
    let title = one_line_each::title(trace, !told.is_empty());
    passages.extend(listed(Kind::Argument, title, arguments));
    passages.extend(listed(Kind::Question, questions::OPEN, questions::open(trace)));
    passages.extend(doubted(trace));
    let compared = dialectic_ledger::comparisons(trace)
        .into_iter()
        .map(|line| Passage::new(Kind::Comparison, vec![(Form::LateReason, line.text)]));
    passages.extend(under(Form::LateReason, dialectic_ledger::COMPARED, compared));
    // One side's alone would say nothing.
    let scores = score_lines::lines(trace).into_iter().map(|line| line.text);
    let scores = text::if_any(text::separated(scores, "\n")).into_iter();
    let scores = scores.map(|all| Passage::new(Kind::Scores, vec![(Form::Scores, all)]));
    passages.extend(under(Form::Scores, score_lines::SCORES, scores));
    passages.extend(statements(trace, room >= CLAIMS));
    passages
}

/// The judges' reasons: the first, then of those that the outcome rests on as many as leave room for others; last what the head
/// begins, and what judges say of the debate.
fn said_why(trace: &Trace, mut room: usize, head: &str) -> Vec<Passage> {
    let passage = |(place, reason): (usize, Line)| {
        let (line, is_told) = without_told(reason, head);
        let length = line.text.chars().count();
        let form = if line.decided && (place == 0 || length <= room) {
            room = room.saturating_sub(length);
            Form::Reason
        } else {
            // A shorter one must not overtake another side's.
            room = if line.side.is_some() { 0 } else { room };
            Form::LateReason
        };
        let passage = Passage::new(Kind::Reason, vec![(form, line.text)]);
        passage.citing(line.cites).told_above(is_told).of_side(line.side)
    };
    let reasons = reasons::lines(trace).into_iter().enumerate().map(passage);
    let on_debate = reasons::on_debate(trace).into_iter().map(|line| {
        Passage::new(Kind::Remark, vec![(Form::LateReason, line.text)]).of_side(line.side)
    });
    under(Form::Reason, "Reasons", reasons.chain(on_debate))
}

/// A reason without its first sentences, if the head quotes these, and whether it quotes all; whose it is and the numbers stay. What
/// is left of it may say the reverse, so that it is no reason to begin with.
fn without_told(line: Line, head: &str) -> (Line, bool) {
    let Some((whose, said)) = line.text.split_once(": ") else {
        return (line, false);
    };
    let sentences = text::split_sentences(said);
    let is_told = |sentence: &&String| head.contains(sentence.trim_end_matches('.'));
    let told = sentences.iter().take_while(is_told).count();
    let rest = text::separated(&sentences[told..], " ");
    let text = match rest.as_str() {
        _ if told == 0 => return (line, false),
        "" if whose.ends_with(')') => whose.to_owned(),
        "" => format!("{whose}: as quoted above."),
        rest => format!("{whose}: … {rest}"),
    };
    (Line { text, decided: false, ..line }, rest.is_empty())
}

/// Characters of the first reason with its heading, unless that is begun above; of judges who disagree, with another's.
fn first_reason(trace: &Trace, above: &str) -> usize {
    match &said_why(trace, 0, above)[..] {
        [heading, first, rest @ ..] if first.begins(Form::Reason) => {
            let other = rest.iter().find(|reason| reason.is_against(first));
            heading.least() + first.least() + other.map_or(0, Passage::least)
        }
        _ => 0,
    }
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

/// The answer in which the debate ends: whole if that fits, else its beginning until the others have had room. Where the head has
/// its beginning, only whole.
fn last_word(trace: &Trace, most: usize, room: usize) -> Option<Passage> {
    let s = statement_place::answer(trace)?;
    let name = text::one_line(trace.name_of(&s.by));
    let note = index::caution(trace, s).map(|note| format!(" ({note})"));
    let by = format!("Answer by {name}, message {}", statement_place::number(s.n));
    let by = by + &note.unwrap_or_default();
    let with = |text: &str| format!("\n{by}{}", block(text));
    let whole = with(&s.text);
    let parts = excerpt::of_answer(&s.text);
    // Indenting makes a text of many lines longer: each takes two blanks.
    let around = with("").chars().count() + 2 * parts.len();
    let begins = excerpt::of_parts(&parts, room.saturating_sub(around));
    let forms = if most >= SMALL && whole.chars().count() < room {
        vec![(Form::Final, whole)]
    } else if most < SMALL || begins.is_empty() {
        vec![(Form::Text, whole)]
    } else {
        vec![(Form::Final, with(&begins)), (Form::Text, whole)]
    };
    Some(Passage::new(Kind::Message(s.n), forms))
}

/// Statements in order but the last word; each round's line stands before its statements, and so does what the clerk made of
/// those outside of rounds; what it made of several rounds stands behind the last. Claims stand in their lines where there is room
/// for them and the story does not tell them.
fn statements(trace: &Trace, with_claims: bool) -> Vec<Passage> {
    let story = story::of(trace).map_or_else(String::new, |story| story.text());
    let last_word = statement_place::answer(trace).map(|s| s.n);
    let outside = exchanges::outside(trace);
    let rounds = Rounds::of(trace);
    let mut passages = Vec::new();
    let mut before = None;
    let round_of = |s: &Statement| statement_place::round_of(trace, s);
    let said: Vec<&Statement> =
        trace.statements.iter().filter(|s| Some(s.n) != last_word).collect();
    for together in said.chunk_by(|one, other| round_of(one) == round_of(other)) {
        let round = round_of(together[0]);
        passages.extend(match (round, before) {
            (Some(round), _) => Some(begun(trace, &rounds, round)),
            (None, Some(last)) => Some(heading(Form::ShortGist, format!("After round {last}."))),
            (None, None) => None,
        });
        for s in together {
            let own = outside.iter().find(|(first, _)| *first == s.n);
            let noted = own.map(|(_, told)| format!("\n{}", text::one_line(told)));
            passages.extend(noted.map(summed_up));
            passages.push(self::said(trace, s, with_claims.then_some(&*story)));
        }
        passages.extend(round.and_then(|round| of_several(trace, round)).map(summed_up));
        before = round;
    }
    passages
}

/// What the clerk made of something.
fn summed_up(told: String) -> Passage {
    Passage::new(Kind::Round, vec![(Form::Summary, told)])
}

/// A round's line, of a single turn without whose it was where there is little room; a heading where the round was never
/// closed.
fn begun(trace: &Trace, rounds: &Rounds<'_>, round: u32) -> Passage {
    let Some(notes) = trace.rounds.iter().find(|notes| notes.round == round) else {
        return heading(Form::ShortGist, format!("Round {round}."));
    };
    let headline = banner::sentence(trace, &text::one_line(&notes.headline));
    let headline = format!("\nRound {round}. {headline}").trim_end().to_owned();
    let own = summary(trace, round).filter(|(title, _)| *title == format!("Round {round}"));
    let forms = match (rounds.is_turn(round), own) {
        (true, None) => vec![(Form::Turn, headline)],
        (true, Some((title, summary))) => {
            let alone = format!("\n{title}. {summary}");
            vec![(Form::Summary, alone), (Form::Turn, format!("{headline} {summary}"))]
        }
        (false, own) => {
            let whole = own.map_or(headline.clone(), |(_, own)| format!("{headline} {own}"));
            vec![(Form::Headline, headline), (Form::Summary, whole)]
        }
    };
    Passage::new(Kind::Round, forms)
}

/// What the clerk made of several rounds, where this is the last of them.
fn of_several(trace: &Trace, round: u32) -> Option<String> {
    let (title, summary) = summary(trace, round)?;
    (title != format!("Round {round}")).then(|| format!("\n{title}: {summary}"))
}

/// What the clerk made of what ended with a round, and the title of that; a label is none.
fn summary(trace: &Trace, round: u32) -> Option<(String, String)> {
    let notes = trace.rounds.iter().find(|notes| notes.round == round)?;
    let is_label = arguments::by_clerk(trace) && exchanges::is_label(&notes.summary);
    let summary = text::if_any(text::one_line(&notes.summary)).filter(|_| !is_label)?;
    Some((exchanges::title(trace, round), summary))
}

/// A statement, with its gist where there is room for claims; without it where that stands in the round's line, as in rounds
/// of one statement, or in the story. An announcement of ours, or the story, says nothing that is not told elsewhere: it comes last, whole.
fn said(trace: &Trace, s: &Statement, story: Option<&str>) -> Passage {
    let gist = text::one_line(&gist::gist(trace, s));
    let short = text::shorten(&gist, SHORT_GIST);
    let mut notes = trace.rounds.iter();
    let headline = notes.find(|notes| Some(notes.round) == statement_place::round_of(trace, s));
    let told = short.trim_end_matches(['…', '.']);
    let is_told = headline.is_some_and(|notes| notes.headline.contains(told))
        || story.is_some_and(|story| story.contains(told));
    let is_ours = s.origin == Origin::Template;
    let is_story = story::summary(trace).is_some_and(|told| told.n == s.n);
    let mut forms = match (is_ours || story.is_none(), is_told) {
        (true, _) => Vec::new(),
        (_, true) => vec![(Form::ShortGist, line(trace, s, ""))],
        _ => {
            let gists = [(Form::ShortGist, short), (Form::Gist, gist)]
                .map(|(form, gist)| (form, line(trace, s, &format!(": {gist}"))));
            gists.to_vec()
        }
    };
    let form = match (reasons::turning(trace).contains(&s.n), is_ours || is_story) {
        (true, _) => Form::Turning,
        (_, true) => Form::Announcement,
        _ => Form::Text,
    };
    forms.push((form, line(trace, s, &block(&s.text))));
    let by = trace.participant(&s.by).filter(|p| p.contestant);
    let side = by.map(|p| candidates::side_of(trace, &p.id).to_owned());
    Passage::new(Kind::Message(s.n), forms).of_side(side)
}

/// `003 X, argument` with what is said of it.
fn line(trace: &Trace, s: &Statement, what: &str) -> String {
    let name = text::one_line(trace.name_of(&s.by));
    let note = index::caution(trace, s).map(|note| format!(" ({note})"));
    let (phase, note) = (text::one_line(&s.phase.words()), note.unwrap_or_default());
    format!("{} {name}, {phase}{note}{what}", statement_place::number(s.n))
}

/// A text below its line, indented so that it cannot pass for another line.
fn block(text: &str) -> String {
    let indented = text::visible(text.trim()).replace('\n', "\n  ");
    format!(":\n\n  {indented}\n")
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Of how many statements the text was left out; of announcements, which are ours, only where these are all.
fn texts_left_out(trace: &Trace, passages: &[Passage]) -> Option<String> {
    let is_ours = |n: u32| trace.statement(n).is_some_and(|s| s.origin == Origin::Template);
    // A summary that is the story is shown, or at least begun.
    let story = story::summary(trace).map(|s| s.n);
    let of = |ours: bool| {
        let all = passages.iter().filter(|passage| match passage.kind {
            Kind::Message(n) => is_ours(n) == ours && Some(n) != story,
            _ => false,
        });
        let cut = all.clone().filter(|passage| !passage.is_whole()).count();
        (cut, all.count())
    };
    let of = match (of(false), of(true)) {
        ((0, _), (cut, all)) => some_of(cut, all, "announcement"),
        ((cut, all), _) => some_of(cut, all, "statement"),
    };
    of.map(|of| format!("the full text of {of}"))
}

/// `2 of 3 reasons`, `all 3 reasons`, `both reasons`, `the only reason`; nothing of none.
fn some_of(some: usize, all: usize, noun: &str) -> Option<String> {
    let counted = text::count(all, noun).replace("summarys", "summaries");
    match some {
        0 => None,
        1 if all == 1 => Some(format!("the only {noun}")),
        2 if all == 2 => Some(counted.replacen('2', "both", 1)),
        _ if some == all => Some(format!("all {counted}")),
        _ => Some(format!("{some} of {counted}")),
    }
}

/// What was left out for want of room; nothing where nothing was. Where the story tells some arguments, only others are listed.
fn left_out(trace: &Trace, passages: &[Passage], some_are_told: bool) -> String {
    let texts = texts_left_out(trace, passages);
    let argument = if some_are_told { "other argument" } else { "argument" };
    let kinds = [
        (Kind::Reason, "reason"),
        (Kind::Remark, "debate summary"),
        (Kind::Argument, argument),
        (Kind::Question, "question"),
        (Kind::Claim, "doubted claim"),
        (Kind::Comparison, "comparison"),
        (Kind::Round, "round summary"),
    ];
    let lacking = |kind: Kind| {
        let of = || passages.iter().filter(move |passage| passage.is_a(kind));
        (of().filter(|passage| !passage.says_enough()).count(), of().count())
    };
    let others = kinds.into_iter().filter_map(|(kind, noun)| {
        let (short, all) = lacking(kind);
        let of = some_of(short, all, noun)?;
        // The story of a dialectic tells some of them in its own words.
        let is_list = noun == "argument" && short == all && all > 1;
        Some(if is_list { format!("the list of {of}") } else { of })
    });
    let gists = passages.iter().filter(|passage| passage.begins(Form::ShortGist));
    let gists = gists.filter(|passage| matches!(passage.kind, Kind::Message(_)));
    let unsaid = gists.clone().filter(|passage| !passage.is_shown()).count();
    let claims = some_of(unsaid, gists.count(), "claim");
    let scores = (lacking(Kind::Scores).0 > 0).then(|| "the scores by criterion".to_owned());
    text::joined(texts.into_iter().chain(claims).chain(others).chain(scores), "and")
}
