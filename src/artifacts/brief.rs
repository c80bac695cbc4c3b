//! A debate in so many tokens (row A9), for readers with small contexts: outcome, reasons and arguments first, then
//! summaries and claims, then texts, those first that the flow turns on.

use super::{arguments, decided, index, meaning, own_judges, place, reasons, story, whole};
use crate::event::{Origin, Statement};
use crate::text;
use crate::trace::Trace;

/// The fewest tokens that say anything.
pub const LEAST_TOKENS: u64 = 100;
/// Characters that are kept free for the line that says what was left out, beside the command in it.
const TAIL: usize = 180;
/// Characters of a gist where there is little room.
const SHORT_GIST: usize = 60;
/// Characters below which the beginning of a text says nothing.
const LEAST_TEXT: usize = 60;

/// What room is spent on, in this order. None is begun before everything of the one before has had room, the beginning of
/// the final text excepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Final,
    Reason,
    Argument,
    Headline,
    Summary,
    ShortGist,
    Gist,
    Turning,
    Text,
    Announcement,
}

/// What a passage is, for counting what was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reason,
    Argument,
    Round,
    Heading,
    Message,
}

/// A round, a heading or a statement: its forms, each longer than the one before.
struct Passage {
    kind: Kind,
    forms: Vec<(Form, String)>,
    /// How many of them have had room: the last of these is shown.
    shown: usize,
}

/// The debate in at most `budget` estimated tokens, [`LEAST_TOKENS`] or more. What is left out is said, with the command
/// that prints all of it.
pub fn brief(trace: &Trace, budget: u64, command: &str) -> String {
    let most = (budget as f64 * text::CHARS_PER_TOKEN) as usize;
    let tail = TAIL + command.chars().count();
    let head = shortened(&head(trace), most.saturating_sub(tail));
    let room = most.saturating_sub(head.chars().count() + tail);
    let mut passages: Vec<Passage> = last_word(trace, room / 2).into_iter().collect();
    passages.extend(lines(Kind::Reason, Form::Reason, &reasons::lines(trace)));
    let arguments = arguments::ranked(trace).into_iter();
    let arguments: Vec<String> = arguments.map(|p| reasons::argument(trace, p)).collect();
    passages.extend(lines(Kind::Argument, Form::Argument, &arguments));
    passages.extend(course(trace));
    fill(&mut passages, room);
    let shown = passages.iter().filter_map(Passage::text);
    let all: Vec<&str> = std::iter::once(head.as_str()).chain(shown).collect();
    format!("{}{}", all.join("\n"), left_out(&passages, budget, command))
}

/// A passage for each line; the first has a blank one before it.
fn lines(kind: Kind, form: Form, all: &[String]) -> Vec<Passage> {
    let one = |(place, line): (usize, &String)| {
        let line = if place == 0 {
            format!("\n{line}")
        } else {
            line.clone()
        };
        Passage::new(kind, vec![(form, line)])
    };
    all.iter().enumerate().map(one).collect()
}

/// Spends the room, form by form.
fn fill(passages: &mut [Passage], mut room: usize) {
    for wanted in [
        Form::Final,
        Form::Reason,
        Form::Argument,
        Form::Headline,
        Form::Summary,
        Form::ShortGist,
        Form::Gist,
        Form::Turning,
        Form::Text,
        Form::Announcement,
    ] {
        let mut had_room = true;
        for passage in &mut *passages {
            had_room &= passage.grow(wanted, &mut room);
        }
        let goes_on = [Form::Final, Form::Reason, Form::Argument, Form::Turning];
        if !had_room && !goes_on.contains(&wanted) {
            return;
        }
    }
}

impl Passage {
    fn new(kind: Kind, forms: Vec<(Form, String)>) -> Self {
        Self {
            kind,
            forms,
            shown: 0,
        }
    }

    fn text(&self) -> Option<&str> {
        let (_, text) = self.forms.get(self.shown.checked_sub(1)?)?;
        Some(text)
    }

    /// Shows more of this passage if there is room for it, and says whether there was.
    fn grow(&mut self, wanted: Form, room: &mut usize) -> bool {
        let length = |text: &str| text.chars().count() + 1;
        let now = self.text().map_or(0, length);
        let Some(at) = self.forms.iter().position(|(form, _)| *form == wanted) else {
            return true;
        };
        let more = length(&self.forms[at].1).saturating_sub(now);
        let fits = more <= *room;
        if fits {
            *room -= more;
            self.shown = at + 1;
        }
        fits
    }
}

/// The answer in which the debate ends: whole if it fits into `most` characters, else its beginning
/// until the others have had room.
fn last_word(trace: &Trace, most: usize) -> Option<Passage> {
    let s = answer(trace)?;
    let with = |text: &str| format!("\n{}", line(trace, s, &block(text)));
    let whole = with(&s.text);
    let spare = most.saturating_sub(with("").chars().count() + 1);
    let forms = if whole.chars().count() < most {
        vec![(Form::Final, whole)]
    } else if spare < LEAST_TEXT {
        vec![(Form::Text, whole)]
    } else {
        // Indenting makes a text of many lines longer: each takes two blanks.
        let lines = s.text.trim().lines().count();
        let beginning = shortened(s.text.trim(), spare.saturating_sub(2 * lines));
        vec![(Form::Final, with(&beginning)), (Form::Text, whole)]
    };
    Some(Passage::new(Kind::Message, forms))
}

/// The answer that the debate came to; a summary of it is a statement like others.
fn answer(trace: &Trace) -> Option<&Statement> {
    place::final_text(trace).filter(|s| !place::is_summary(s))
}

/// Statements in order but the last word; each round's line stands before its statements, and those that follow a round
/// without belonging to one have a heading.
fn course(trace: &Trace) -> Vec<Passage> {
    let last_word = answer(trace).map(|s| s.n);
    let mut passages = Vec::new();
    let mut under = None;
    for s in trace.statements.iter().filter(|s| Some(s.n) != last_word) {
        let round = place::round_of(trace, s);
        if round != under {
            passages.push(match (round, under) {
                (Some(round), _) => begun(trace, round),
                (None, before) => heading(format!("After round {}.", before.unwrap_or_default())),
            });
            under = round;
        }
        passages.push(said(trace, s));
    }
    passages
}

fn heading(text: String) -> Passage {
    Passage::new(Kind::Heading, vec![(Form::ShortGist, format!("\n{text}"))])
}

/// A round's line; a heading where the round was never closed.
fn begun(trace: &Trace, round: u32) -> Passage {
    let Some(notes) = trace.rounds.iter().find(|notes| notes.round == round) else {
        return heading(format!("Round {round}."));
    };
    let headline = text::sentence(&text::one_line(&notes.headline));
    let headline = format!("\nRound {round}. {headline}");
    let whole = format!("{headline} {}", text::one_line(&notes.summary));
    let whole = whole.trim_end().to_owned();
    let forms = vec![(Form::Headline, headline), (Form::Summary, whole)];
    Passage::new(Kind::Round, forms)
}

/// A statement; without its gist where that stands in the round's line, as in rounds of one statement.
fn said(trace: &Trace, s: &Statement) -> Passage {
    let gist = text::one_line(&s.gist);
    let short = text::shorten(&gist, SHORT_GIST);
    let mut notes = trace.rounds.iter();
    let headline = notes.find(|notes| Some(notes.round) == place::round_of(trace, s));
    let told = short.trim_end_matches(['…', '.']);
    let is_told = headline.is_some_and(|notes| notes.headline.contains(told));
    let mut forms = if is_told {
        vec![(Form::ShortGist, line(trace, s, ""))]
    } else {
        let gists = [(Form::ShortGist, short), (Form::Gist, gist)];
        let gists = gists.map(|(form, gist)| (form, line(trace, s, &format!(": {gist}"))));
        gists.to_vec()
    };
    let turns = reasons::turning(trace).contains(&s.n);
    let form = match (turns, s.origin) {
        (true, _) => Form::Turning,
        (_, Origin::Template) => Form::Announcement,
        _ => Form::Text,
    };
    forms.push((form, line(trace, s, &block(&s.text))));
    Passage::new(Kind::Message, forms)
}

/// `003 X, argument` with what is said of it.
fn line(trace: &Trace, s: &Statement, what: &str) -> String {
    let name = text::one_line(trace.name_of(&s.by));
    let note = index::note(s)
        .map(|note| format!(" ({note})"))
        .unwrap_or_default();
    let phase = text::one_line(&place::phase(s));
    format!("{:03} {name}, {phase}{note}{what}", s.n)
}

/// A text below its line, indented so that it cannot pass for another line.
fn block(text: &str) -> String {
    let indented = text::visible(text.trim()).replace('\n', "\n  ");
    format!(":\n\n  {indented}\n")
}

/// What comes before all else, the outcome before who took part: of the head too, the beginning is what always fits.
fn head(trace: &Trace) -> String {
    let line =
        |name: &str, value: &str| format!("{}: {}", text::one_line(name), text::one_line(value));
    let mut lines = whole::title(trace);
    let outcome = trace.outcome.iter();
    lines.extend(outcome.map(|o| line("Outcome", &o.line)));
    lines.extend(whole::cast(trace));
    let sure = meaning::sentences(trace).join(" ");
    lines.extend((!sure.is_empty()).then(|| text::one_line(&sure)));
    lines.extend(story::of(trace).map(|story| {
        let by = story
            .by
            .map_or_else(String::new, |by| format!(", in the words of {by}"));
        line(&format!("In short{by}"), &text::unmarked(&story.text))
    }));
    lines.extend(decided::margin(trace));
    lines.extend(
        own_judges::notes(trace)
            .iter()
            .map(|note| text::one_line(note)),
    );
    lines.join("\n")
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// What was left out for want of room, and how to see it.
fn left_out(passages: &[Passage], budget: u64, command: &str) -> String {
    let kinds = [
        (Kind::Message, "message"),
        (Kind::Round, "round"),
        (Kind::Reason, "reason"),
        (Kind::Argument, "argument"),
    ];
    let short = |(kind, noun): (Kind, &str)| {
        let of = || passages.iter().filter(|passage| passage.kind == kind);
        let is_short = |passage: &&Passage| match kind {
            Kind::Message => passage.shown < passage.forms.len(),
            _ => passage.shown == 0,
        };
        let short = of().filter(is_short).count();
        let all = text::count(of().count() as u64, noun);
        (short > 0).then(|| format!("{short} of {all}"))
    };
    let parts: Vec<String> = kinds.into_iter().filter_map(short).collect();
    if parts.is_empty() {
        return String::new();
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let parts = text::joined(&parts, "and");
    format!("\n\n[{parts} shortened or left out for {budget} tokens; `{command}` prints all]")
}
