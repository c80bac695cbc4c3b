//! What stands above all else in a text with little room: the outcome first of all, then what it is about, the answer and what it
//! means, who took part, and the story, which has at least half of the room that outcome, topic and answer leave.

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
/// Characters from which the beginning of an answer says something, be it half a sentence.
const ANSWERED: usize = 100;
/// Problems that take more than this part of all are only counted.
const PROBLEMS: usize = 16;

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
    /// What to distrust in judgments, and what went wrong.
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
            Rank::Answer => begun(text, most)
                .or_else(|| Some(text::shorten(text, most)).filter(|_| most >= ANSWERED)),
            Rank::Meaning | Rank::Shares => begun(text, most).filter(is_whole),
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
    /// Where in it the outcome's line ends, behind which the answer stands.
    pub(super) outcome: usize,
    /// Room that is kept for that answer.
    pub(super) answer: usize,
    /// Whether it has all of the story, if there is one.
    pub(super) has_story: bool,
}

/// The head of a text of `most` characters in `room` of them, with as many kept as the answer and the first reason take.
pub(super) fn head(trace: &Trace, most: usize, room: usize, kept: [usize; 2]) -> Head {
    let outcome: Vec<String> = trace
        .outcome
        .iter()
        .map(|it| field("Outcome", &it.line))
        .map(|line| text::shorten(&line, room))
        .collect();
    let behind = room.saturating_sub(length(&outcome));
    let mut lines = [title(trace, most), cast(trace, most, behind, kept), notes(trace, most)];
    // What it is about, the answer and how sure the outcome is matter more than how it went.
    let above = lines.iter().flatten().filter(|line| line.rank <= Rank::Meaning);
    let above: usize = above.map(HeadLine::least).sum();
    let story = Story::of(trace);
    let share = story.length().min(behind.saturating_sub(above) / 2);
    let room = share + choose(&mut lines, Rank::Mark..=Rank::Shares, behind - share);
    // Who argued what matters more than its end, and than what to distrust.
    let spare = room * 2 / 3;
    let room = room - spare + choose(&mut lines, Rank::Cast..=Rank::Cast, spare);
    // What to distrust matters more than its end, and who judged less.
    let kept = (room / 3).max(room.saturating_sub(story.length()));
    let problems = problems::fitting(trace, kept.min(most / PROBLEMS));
    lines[2].extend(problems.map(|line| HeadLine::new(Rank::Warning, &line)));
    let room = room - kept + choose(&mut lines, Rank::Warning..=Rank::Warning, kept);
    let begins = story.begun(room.saturating_sub(1));
    let room = room.saturating_sub(length(begins.as_slice()));
    // Who judged says nothing where nobody knows whom.
    let is_open = lines.iter().flatten().any(|line| line.rank == Rank::Cast && !line.has_room);
    let least = if is_open { Rank::Note } else { Rank::Judges };
    choose(&mut lines, least..=Rank::Note, room);
    let is_kept =
        |line: &&HeadLine| line.rank == Rank::Answer && line.text.is_none() && line.has_room;
    let answer = lines.iter().flatten().find(is_kept).map_or(0, |line| line.length);
    let has_story = begins == story.whole;
    let [title, cast, notes] = lines.map(|lines| {
        let shown = lines.into_iter().filter(|line| line.has_room);
        shown.filter_map(|line| line.text)
    });
    let above = text::separated(title.chain(outcome), "\n");
    let all = [above.clone()].into_iter().chain(cast).chain(begins).chain(notes);
    Head { text: text::separated(all, "\n"), outcome: above.len(), answer, has_story }
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
fn cast(trace: &Trace, most: usize, behind: usize, [answer, reason]: [usize; 2]) -> Vec<HeadLine> {
    let sure = text::one_line(&meaning::sentences(trace, most >= DETAILED).join(" "));
    let shares = text::one_line(&decided::consequences(trace).unwrap_or_default());
    // How stances were counted matters less than why somebody stayed with another.
    let (sure_as, why_as) = if trace.stances.is_empty() {
        (Rank::Meaning, Rank::Reason)
    } else {
        (Rank::Shares, Rank::Meaning)
    };
    // All sides, or none.
    let sides = who_argued::lines(trace).join("\n");
    let judges = who_argued::judged_by(trace).unwrap_or_default();
    let others = other_participants::line(trace).filter(|_| most >= DETAILED);
    let said = [
        (sure_as, sure),
        (Rank::Shares, shares),
        (Rank::Cast, sides),
        (Rank::Judges, judges),
        (Rank::Note, others.unwrap_or_default()),
    ];
    let said = said.iter().filter(|(_, line)| !line.is_empty());
    let answer = match answer {
        0 => the_answer(trace, behind),
        // Not more of it than leaves room for others.
        length => Some(HeadLine::kept(Rank::Answer, length.min(behind * 3 / 5))),
    };
    let lines = answer.into_iter().chain([HeadLine::kept(why_as, reason)]);
    lines.chain(said.map(|(rank, line)| HeadLine::new(*rank, line))).collect()
}

/// How the answer goes on behind what the outcome says of it.
fn the_answer(trace: &Trace, behind: usize) -> Option<HeadLine> {
    let s = statement_place::answer(trace)?;
    let parts = excerpt::of_answer(&s.text);
    let said = text::split_sentences(&text::unmarked(&parts.first()?.1));
    let outcome = trace.outcome.as_ref().map_or("", |outcome| &outcome.line);
    let is_told = |sentence: &&String| outcome.contains(sentence.trim_end_matches('.'));
    let told = said.iter().take_while(is_told).count();
    let name = if told > 0 { "goes on" } else { "begins" };
    let rest = said[told..].join(" ");
    let line = field(&format!("The answer {name}"), &rest);
    let begins = begun(&line, (behind / 2).max(ASKED)).filter(|_| !rest.is_empty())?;
    Some(HeadLine::new(Rank::Answer, &begins))
}

/// The debate in short, and whose words that is in.
struct Story {
    whole: Option<String>,
    /// What of it must be in any beginning.
    least: String,
}

impl Story {
    fn of(trace: &Trace) -> Self {
        let Some(story) = story::of(trace) else {
            return Self { whole: None, least: String::new() };
        };
        let by = story.by.as_ref().map(|by| format!(", written by {by}"));
        let name = format!("In short{}", by.unwrap_or_default());
        let whole = Some(field(&name, &text::unmarked(&story.text())));
        Self { whole, least: text::unmarked(&story.parts[..story.together].join(" ")) }
    }

    fn length(&self) -> usize {
        length(self.whole.as_slice())
    }

    fn begun(&self, most: usize) -> Option<String> {
        let begins = begun(self.whole.as_ref()?, most)?;
        let is_whole = self.whole.as_ref() == Some(&begins);
        let says = begins.contains(&self.least) && !begins.ends_with('…');
        (is_whole || says).then_some(begins)
    }
}

/// Votes, and what to distrust in judgments.
fn notes(trace: &Trace, most: usize) -> Vec<HeadLine> {
    let votes = ballots::line(trace)
        .filter(|_| most >= DETAILED)
        .map(|line| HeadLine::new(Rank::Note, &line));
    let warnings =
        self_judging::notes(trace).into_iter().map(|line| HeadLine::new(Rank::Warning, &line));
    votes.into_iter().chain(warnings).collect()
}
