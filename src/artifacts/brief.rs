//! A debate in so many tokens (row A9), for readers with small contexts: the outcome, why, how the arguments ended, then claims,
//! then texts. What matters more is chosen, and stands, before what matters less.

use super::arguments::turning;
use super::judgments::{ballots, decided, reasons, self_judging};
use super::plain::{self, Section};
use super::summary::{self, meaning, problems, story};
use super::{gist, index, query, show, statement_place, who_argued};
use crate::event::{Origin, Statement};
use crate::templates::{TemplateError, Templates};
use crate::text::{self, LEFT_OUT};
use crate::trace::Trace;

/// The fewest tokens that say anything.
pub const LEAST_TOKENS: u64 = 100;
/// Characters from which there is room to say what was left out.
const ROOMY: usize = 1750;
/// Characters that this may take.
const ENDING: usize = 250;
/// Characters below which the beginning of a text says nothing.
const LEAST: usize = 80;
/// Characters of a claim where there is little room.
const CLAIM: usize = 60;

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
    let is_roomy = most >= ROOMY;
    let short = format!("\n\n[Shortened to {budget} tokens; `{command}` prints all]");
    let reserved = short.chars().count() + if is_roomy { ENDING } else { 0 };
    let mut brief = Brief { room: most.saturating_sub(reserved), ..Brief::default() };
    brief.head(trace);
    brief.answer(trace);
    let mut turns = reasons::in_turns(trace).into_iter();
    brief.alike("Reasons:", &turns.next().unwrap_or_default(), "reason");
    brief.around(trace);
    brief.story(trace);
    let (sides, points) = arguments(&sections);
    brief.first("How the arguments ended:", &points, "argument", sides);
    brief.whole(&sections, "Scores", "the scores");
    let course = lines(&sections, summary::COURSE).cloned().collect::<Vec<_>>();
    brief.first("The course:", &course, "course line", 1);
    let claims = brief.claims(trace);
    brief.first("Further reasons:", &turns.flatten().collect::<Vec<_>>(), "further reason", 1);
    brief.statements(trace, claims);
    let last = match (text::joined(&brief.left_out, "and"), is_roomy) {
        (nothing, _) if nothing.is_empty() => nothing,
        (all, true) if all.chars().count() <= ENDING => {
            format!("\n\n[Left out at {budget} tokens: {all}; `{command}` prints all]")
        }
        _ => short,
    };
    // Where even the command is too long.
    let room = most.saturating_sub(last.chars().count());
    Ok(brief.shown.trim_end().chars().take(room).collect::<String>() + &last)
}

/// The lines of a section.
fn lines<'s>(sections: &'s [Section], title: &str) -> impl Iterator<Item = &'s String> {
    let own = sections.iter().filter(move |section| section.title == title);
    own.flat_map(|section| &section.lines)
}

/// How many sides argued, and the arguments, the sides by turns, each behind its side: `Ann: granted by Ben, A1: …`.
fn arguments(sections: &[Section]) -> (usize, Vec<String>) {
    let (mut side, mut place) = (String::new(), 0);
    let mut all: Vec<(usize, String)> = Vec::new();
    let is_question = |line: &&String| line.starts_with(summary::QUESTIONS);
    for line in lines(sections, summary::ARGUMENTS).take_while(|line| !is_question(line)) {
        match (line.strip_suffix(':'), line.strip_prefix("- ")) {
            (Some(name), None) => (side, place) = (format!("{name}: "), 0),
            (_, Some(point)) => {
                // Without where it was made and what was done about it.
                let said = point.rfind(" ([").map_or(point, |at| &point[..at]);
                all.push((place, format!("{side}{said}")));
            }
            // What stands above the points is no argument; a row of the skeptic's table is one, but for its head.
            _ if line.contains(" | ") && place > 0 => all.push((place, line.clone())),
            _ if line.contains(" | ") => {}
            _ => continue,
        }
        place += 1;
    }
    all.sort_by_key(|(place, _)| *place);
    let sides = all.iter().filter(|(place, _)| *place == 0).count();
    (sides, all.into_iter().map(|(_, line)| line).collect())
}

/// What has room so far.
#[derive(Default)]
struct Brief {
    shown: String,
    /// Characters that are left.
    room: usize,
    /// What had none.
    left_out: Vec<String>,
}

impl Brief {
    /// Adds a line if there is room for it.
    fn add(&mut self, line: &str) -> bool {
        let length = line.chars().count() + 1;
        let fits = length <= self.room;
        if fits {
            self.room -= length;
            self.shown += line;
            self.shown.push('\n');
        }
        fits
    }

    /// Adds lines under a title, all or none.
    fn under(&mut self, title: &str, lines: &[String]) -> bool {
        lines.is_empty() || self.add(&format!("\n{title}\n{}", lines.join("\n")))
    }

    /// Adds a line, or as much of it as says something in so much room.
    fn begin(&mut self, line: &str, most: usize) {
        let short = text::shorten(line, most.saturating_sub(1));
        if !short.ends_with('…') || short.chars().count() >= LEAST {
            self.add(&short);
        }
    }

    /// Adds what there is of some lines, each if there is room for it.
    fn each(&mut self, lines: impl IntoIterator<Item = String>) {
        for line in lines.into_iter().filter(|line| !line.is_empty()) {
            self.add(&line);
        }
    }

    /// The outcome, the question, how the debate stands, what the outcome means, and all sides or none.
    fn head(&mut self, trace: &Trace) {
        let line = trace.outcome.as_ref().map_or("none", |outcome| &outcome.line);
        self.begin(&format!("Outcome: {}", text::one_line(line)), self.room * 2 / 3);
        self.each(trace.rehearsal.then(|| format!("{}.", show::REHEARSAL)));
        let asked = query::in_one_line(trace);
        let is_short = asked.chars().count() * 4 < self.room;
        self.begin(&if is_short { asked } else { query::title(trace) }, self.room);
        self.each(show::standing(trace));
        let means = text::one_line(&meaning::sentences(trace).join(" "));
        // Half a sentence may say the reverse.
        let begins = text::beginning(&means, self.room / 3);
        self.each(
            ballots::voted_out(trace).into_iter().chain([begins]).filter(|it| !it.ends_with('…')),
        );
        self.each([who_argued::lines(trace).join("\n")]);
    }

    /// Who judged, and what to distrust.
    fn around(&mut self, trace: &Trace) {
        let trouble = match problems::notes(trace) {
            0 => None,
            n => Some(format!("Problems: {} in summary.md.", text::count(n, "note"))),
        };
        let judged = who_argued::judged_by(trace).into_iter().chain(ballots::votes(trace));
        let lines = judged.chain(decided::lead(trace)).chain(self_judging::notes(trace));
        self.add("");
        self.each(lines.chain(trouble));
    }

    /// The answer that the debate came to, or how it begins: it is the outcome.
    fn answer(&mut self, trace: &Trace) {
        let Some(s) = statement_place::answer(trace) else {
            return;
        };
        let name = format!("\nAnswer by {}:", text::one_line(trace.name_of(&s.by)));
        let whole = format!("{name}\n{}", text::indented(&s.text));
        if whole.chars().count() < self.room * 3 / 5 && self.add(&whole) {
            return;
        }
        self.left_out.push("the rest of the answer".to_owned());
        let begins = begun(&statement_place::essentials(&s.text).join(" "), self.room / 2);
        self.each(begins.map(|begins| format!("{name} {begins}")));
    }

    /// The story, whole or not at all: half of it may tell one side only.
    fn story(&mut self, trace: &Trace) {
        let Some(story) = story::of(trace) else {
            return;
        };
        let by = story.by.as_ref().map_or_else(String::new, |by| format!(", written by {by}"));
        let told = text::unmarked(&story.parts.join("\n"));
        if !self.add(&format!("\nIn short{by}: {told}")) {
            self.left_out.push("the story".to_owned());
        }
    }

    /// Lines that are heard together: all of them, or of each as much as of the others.
    fn alike(&mut self, title: &str, lines: &[String], noun: &str) {
        if self.under(title, lines) {
            return;
        }
        let all = lines.len();
        let room = self.room.saturating_sub(title.len() + 2);
        let mut cut = all;
        for share in [room / 2 / all, room / all] {
            let share = share.saturating_sub(1);
            let begun: Vec<String> =
                lines.iter().filter_map(|line| begun_behind(line, share)).collect();
            if begun.len() == all && self.under(title, &begun) {
                cut = begun.iter().filter(|line| !lines.contains(line)).count();
                break;
            }
        }
        self.left_out.extend(some_of(cut, all, noun));
    }

    /// Lines, of many the first: as many as half the room has, if that is so many at least.
    fn first(&mut self, title: &str, lines: &[String], noun: &str, least: usize) {
        if self.under(title, lines) {
            return;
        }
        let most = self.room / 2;
        let mut length = title.chars().count() + 2;
        let fits = |line: &&String| {
            length += line.chars().count() + 1;
            length <= most
        };
        let mut told: Vec<String> = lines.iter().take_while(fits).cloned().collect();
        if told.len() < least {
            told.clear();
        }
        self.under(title, &told);
        self.left_out.extend(some_of(lines.len() - told.len(), lines.len(), noun));
    }

    /// A section of the summary, whole or not at all.
    fn whole(&mut self, sections: &[Section], title: &str, words: &str) {
        let lines: Vec<String> = lines(sections, title).cloned().collect();
        if !self.under(&format!("{title}:"), &lines) {
            self.left_out.push(words.to_owned());
        }
    }

    /// What each message but the answer claims, in a line, for which it keeps room; where there is little, shortened, or nothing of any.
    fn claims<'t>(&mut self, trace: &'t Trace) -> Vec<(&'t Statement, String)> {
        let answer = statement_place::answer(trace).map(|s| s.n);
        let said = trace.statements.iter().filter(|s| Some(s.n) != answer);
        for most in [usize::MAX, CLAIM] {
            let all: Vec<(&Statement, String)> =
                said.clone().map(|s| (s, claim(trace, s, most))).collect();
            let length: usize = all.iter().map(|(_, line)| line.chars().count() + 1).sum();
            if length < self.room {
                self.room -= length + 1;
                return all;
            }
        }
        let all = said.clone().count();
        self.left_out.extend(some_of(all, all, "claim"));
        said.map(|s| (s, String::new())).collect()
    }

    /// What was said, message by message: its claim, or its text where there is room, those first that the arguments turn on, then the
    /// newest; announcements of ours last.
    fn statements(&mut self, trace: &Trace, mut forms: Vec<(&Statement, String)>) {
        let turning = turning(trace);
        let mut order: Vec<usize> = (0..forms.len()).rev().collect();
        order.sort_by_key(|at| {
            let (s, _) = forms[*at];
            (s.origin == Origin::Template, !turning.contains(&s.n))
        });
        let mut cut = 0;
        for at in order {
            let (s, claim) = &forms[at];
            let whole = show::statement(trace, s);
            let whole = format!("\n{}\n", whole.trim_start_matches("── "));
            let more = (whole.chars().count() + 1).saturating_sub(claim.chars().count());
            if more <= self.room && !(cut > 0 && s.origin == Origin::Template) {
                self.room -= more;
                forms[at].1 = whole;
            } else {
                cut += 1;
            }
        }
        let all = forms.len();
        let shown = forms.into_iter().map(|(_, form)| form).filter(|form| !form.is_empty());
        let shown = text::separated(shown, "\n");
        if !shown.is_empty() {
            self.shown.push('\n');
            self.shown += shown.trim_start();
        }
        self.left_out.extend(some_of(cut, all, "statement").map(|of| format!("the text of {of}")));
    }
}

/// What a message claims, in a line: `003 Ann, argument: …`.
fn claim(trace: &Trace, s: &Statement, most: usize) -> String {
    let (name, phase) = (text::one_line(trace.name_of(&s.by)), s.phase.words());
    let note = index::caution(trace, s).map(|note| format!(" ({note})"));
    let (n, note) = (statement_place::number(s.n), note.unwrap_or_default());
    let claim = text::shorten(&gist::gist(trace, s), most);
    format!("{n} {name}, {}{note}: {claim}", text::one_line(&phase))
}

/// `2 of 3 reasons`, `all 3 reasons`, `the only reason`; nothing of none.
fn some_of(some: usize, all: usize, noun: &str) -> Option<String> {
    match some {
        0 => None,
        1 if all == 1 => Some(format!("the only {noun}")),
        _ if some == all => Some(format!("all {}", text::count(all as u64, noun))),
        _ => Some(format!("{some} of {}", text::count(all as u64, noun))),
    }
}

/// The same of what stands behind the first colon of a line.
fn begun_behind(line: &str, most: usize) -> Option<String> {
    if line.chars().count() <= most {
        return Some(line.to_owned());
    }
    let (who, said) = line.split_once(": ")?;
    let begins = begun(said, most.checked_sub(who.chars().count() + 2)?)?;
    Some(format!("{who}: {begins}"))
}

/// The beginning of a text to the end of a sentence, marked as such; nothing where that says too little.
fn begun(said: &str, most: usize) -> Option<String> {
    let line = text::unmarked(said);
    if line.chars().count() <= most {
        return Some(line);
    }
    let begins = text::beginning(&line, most.checked_sub(LEFT_OUT.len() + 1)?);
    let says = begins.chars().count() >= LEAST || !begins.ends_with('…');
    says.then(|| format!("{} {LEFT_OUT}", begins.trim_end_matches('…')))
}
