//! What stands above all else in a text with little room: the outcome first of all, then what it is about and what it means, who
//! took part, and the story, which has at least half of the room that outcome, topic and answer leave.

use std::ops::RangeInclusive;

use super::excerpt::{self, begun};
use crate::artifacts::judgments::{ballots, decided, self_judging};
use crate::artifacts::summary::{meaning, problems, story};
use crate::artifacts::{other_participants, query, show, statement_place, who_argued};
use crate::text;
use crate::trace::Trace;

/// Characters below which the answer's beginning stands in the head, and nowhere else, and a rehearsal is only called one.
pub(super) const SMALL: usize = 2500;
/// Characters of a question that has more than its share of a text with little room.
const ASKED: usize = 300;
/// Characters from which there is room for what is told elsewhere or matters little.
const DETAILED: usize = 3500;

/// What has room before what, beside the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Mark,
    Topic,
    Debate,
    Answer,
    Meaning,
    Cast,
    Reason,
    Shares,
    /// What to distrust in judgments, and where to read what went wrong.
    Warning,
    Judges,
    Note,
}

/// A line, or room that is kept for what stands below.
struct HeadLine {
    rank: Rank,
    text: Option<String>,
    length: usize,
    has_room: bool,
}

impl HeadLine {
    fn new(rank: Rank, text: &str) -> Self {
        let length = text.chars().count() + 1;
        let text = Some(text.to_owned());
        Self { rank, text, length, has_room: false }
    }

    fn kept(rank: Rank, length: usize) -> Self {
        Self { rank, text: None, length, has_room: false }
    }

    /// The characters that it takes; of what the outcome means, its first sentence, which says how sure it is.
    fn least(&self) -> usize {
        let sure = self.text.as_ref().filter(|_| self.rank == Rank::Meaning);
        sure.map_or(self.length, |told| {
            let first = text::first_sentence(told, usize::MAX).chars().count();
            self.length.min(first + excerpt::GAP + 1)
        })
    }

    /// Shortens what says something when it is shortened: what the outcome means, to whole sentences. Half of a warning may say the
    /// reverse.
    fn fit(&mut self, room: usize) {
        let most = room.saturating_sub(1);
        let text = self.text.as_ref().filter(|_| self.length > room);
        let is_whole = |begins: &String| !begins.ends_with('…');
        let begins = text.and_then(|text| match self.rank {
            Rank::Topic => begun(text, most),
            Rank::Meaning => begun(text, most).filter(is_whole),
            _ => None,
        });
        if let Some(begins) = begins {
            *self = Self::new(self.rank, &begins);
        }
    }
}

/// What stands above all else.
pub(super) struct Head {
    pub(super) text: String,
    /// Whether it has all of the story, if there is one.
    pub(super) has_story: bool,
}

/// The head of a text of `most` characters in `room` of them, with as many kept as the first reason takes.
pub(super) fn head(trace: &Trace, most: usize, room: usize, reason: usize) -> Head {
    let outcome: Vec<String> = trace
        .outcome
        .iter()
        .map(|it| field("Outcome", &it.line))
        .map(|line| text::shorten(&line, room))
        .collect();
    let behind = room.saturating_sub(length(&outcome));
    let mut lines = [title(trace, most), cast(trace, most, behind, reason), notes(trace, most)];
    // What it is about, the answer and how sure the outcome is matter more than how it went.
    let above = lines.iter().flatten().filter(|line| line.rank <= Rank::Meaning);
    let above: usize = above.map(HeadLine::least).sum();
    let story = story(trace);
    let share = length(story.as_slice()).min(behind.saturating_sub(above) / 2);
    let room = share + choose(&mut lines, Rank::Mark..=Rank::Shares, behind - share);
    // Who argued what matters more than its end, and than what to distrust.
    let spare = room * 2 / 3;
    let room = room - spare + choose(&mut lines, Rank::Cast..=Rank::Cast, spare);
    // What to distrust matters more than its end, and who judged less.
    let kept = (room / 3).max(room.saturating_sub(length(story.as_slice())));
    let room = room - kept + choose(&mut lines, Rank::Warning..=Rank::Warning, kept);
    let begins = story.as_ref().and_then(|told| begun(told, room.saturating_sub(1)));
    let begins = begins.filter(|it| !it.ends_with('…') || Some(it) == story.as_ref());
    let room = room.saturating_sub(length(begins.as_slice()));
    choose(&mut lines, Rank::Judges..=Rank::Note, room);
    let has_story = begins == story;
    let [title, cast, notes] = lines.map(|lines| {
        let shown = lines.into_iter().filter(|line| line.has_room);
        shown.filter_map(|line| line.text)
    });
    let all = title.chain(outcome).chain(cast).chain(begins).chain(notes);
    Head { text: text::separated(all, "\n"), has_story }
}

/// Keeps the lines of these ranks that have room, what matters most first; returns the room that they leave.
fn choose(lines: &mut [Vec<HeadLine>; 3], ranks: RangeInclusive<Rank>, mut room: usize) -> usize {
    let mut all: Vec<&mut HeadLine> = lines.iter_mut().flatten().collect();
    all.retain(|line| ranks.contains(&line.rank) && !line.has_room);
    all.sort_by_key(|line| line.rank);
    for line in all {
        line.fit(room);
        if line.length <= room {
            room -= line.length;
            line.has_room = true;
        }
    }
    room
}

fn length(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count() + 1).sum()
}

fn field(name: &str, value: &str) -> String {
    format!("{}: {}", text::one_line(name), text::one_line(value))
}

/// What was debated, and whether it is to be trusted.
fn title(trace: &Trace, most: usize) -> Vec<HeadLine> {
    let ranks = [Rank::Topic, Rank::Debate]
        .into_iter()
        .chain(trace.rehearsal.then_some(Rank::Mark))
        .chain(std::iter::repeat(Rank::Debate));
    let line = |(rank, line): (Rank, String)| match rank {
        Rank::Mark if most < SMALL => HeadLine::new(rank, &format!("{}.", show::REHEARSAL)),
        Rank::Topic => HeadLine::new(rank, &asked(trace, most)),
        _ => HeadLine::new(rank, &line),
    };
    ranks.zip(show::title(trace)).map(line).collect()
}

/// All that was asked, or as much of it as leaves room for the rest, and at least its title.
fn asked(trace: &Trace, most: usize) -> String {
    let title = text::one_line(&trace.topic);
    let share = (most / 12).max(ASKED.min(most / 5));
    let room = share.max(title.chars().count() + excerpt::GAP);
    let begins = begun(&query::in_one_line(trace), room);
    // The title has the question, which may come behind a long beginning.
    let begins = begins.filter(|begins| begins.contains('?') || !title.contains('?'));
    begins.unwrap_or_else(|| format!("{title} {}", text::LEFT_OUT))
}

/// What the outcome comes to and means, and who took part.
fn cast(trace: &Trace, most: usize, behind: usize, reason: usize) -> Vec<HeadLine> {
    let means = if most < DETAILED { meaning::without_votes } else { meaning::sentences };
    let sure = text::one_line(&means(trace).join(" "));
    let shares = text::one_line(&decided::lines(trace).join(" "));
    // All sides, or none.
    let sides = who_argued::lines(trace).join("\n");
    let judges = who_argued::judged_by(trace).unwrap_or_default();
    let others = other_participants::line(trace).filter(|_| most >= DETAILED);
    let said = [
        (Rank::Meaning, sure),
        (Rank::Shares, shares),
        (Rank::Cast, sides),
        (Rank::Judges, judges),
        (Rank::Note, others.unwrap_or_default()),
    ];
    let said = said.iter().filter(|(_, line)| !line.is_empty());
    let answer = the_answer(trace, most, behind).into_iter();
    let lines = answer.chain([HeadLine::kept(Rank::Reason, reason)]);
    lines.chain(said.map(|(rank, line)| HeadLine::new(*rank, line))).collect()
}

/// How the answer goes on behind what the outcome says of it; where there is room for more of it below, that room.
fn the_answer(trace: &Trace, most: usize, behind: usize) -> Option<HeadLine> {
    let s = statement_place::answer(trace)?;
    if most >= SMALL {
        let length = s.text.chars().count();
        return Some(HeadLine::kept(Rank::Answer, length.min(behind / 3)));
    }
    let parts = excerpt::of_answer(&s.text);
    let said = text::split_sentences(&text::unmarked(&parts.first()?.1));
    let outcome = trace.outcome.as_ref().map_or("", |outcome| &outcome.line);
    let is_told = |sentence: &&String| outcome.contains(sentence.trim_end_matches('.'));
    let told = said.iter().take_while(is_told).count();
    let name = if told > 0 { "goes on" } else { "begins" };
    let rest = said[told..].join(" ");
    let line = field(&format!("The answer {name}"), &rest);
    let begins = begun(&line, behind / 4).filter(|_| !rest.is_empty())?;
    Some(HeadLine::new(Rank::Answer, &begins))
}

/// The debate in short, and whose words that is in.
fn story(trace: &Trace) -> Option<String> {
    let story = story::of(trace)?;
    let by = story.by.as_ref().map(|by| format!(", written by {by}"));
    let name = format!("In short{}", by.unwrap_or_default());
    Some(field(&name, &text::unmarked(&story.text())))
}

/// Votes, what to distrust in judgments, and how many problems there were.
fn notes(trace: &Trace, most: usize) -> Vec<HeadLine> {
    let votes = ballots::line(trace)
        .filter(|_| most >= DETAILED)
        .map(|line| HeadLine::new(Rank::Note, &line));
    let warnings = self_judging::notes(trace)
        .into_iter()
        .chain(problems::pointer(trace))
        .map(|line| HeadLine::new(Rank::Warning, &line));
    votes.into_iter().chain(warnings).collect()
}
