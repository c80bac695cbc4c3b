//! The transcript of a debate as prompts show it: append-only, with older rounds folded into their notes when space runs out.

mod folded;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub(super) use self::folded::Folded;
pub(super) use self::view::{View, Whole};

use super::speaker_labels::speaks_as;
use crate::flow::{Flow, FlowPoint, PointStatus};
use crate::text;
use crate::text::{BREAK_MARK, CUT_MARK};

/// Characters of the first sentence that replaces a statement in the shortest views.
const QUOTED: usize = 200;

/// Everything said and noted so far.
#[derive(Debug, Default, Clone)]
pub(super) struct Transcript {
    entries: Vec<Entry>,
    notes: Vec<Folded>,
    /// What happened to the cast after each round. Part of every view.
    pub(super) changes: Vec<(u32, String)>,
    names: BTreeMap<String, String>,
    pub(super) unit: Unit,
    /// Whether it shows only how the debate began and what its participants said, with numbers that can be cited: from what
    /// others made of it since, such as votes and notes, whoever judges the whole is to be independent.
    pub(super) is_for_judges: bool,
}

/// The name for a round: a turn, if each round is a single turn.
#[derive(Debug, Default, Clone, Copy)]
pub(super) enum Unit {
    #[default]
    Round,
    Turn,
}

impl Unit {
    /// The title of the round with this number. In round 0, all answer without having read each other.
    fn title(self, n: u32) -> String {
        match (self, n) {
            (_, 0) => "First answers".to_owned(),
            (Self::Round, n) => format!("Round {n}"),
            (Self::Turn, n) => format!("Turn {n}"),
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Round => "rounds",
            Self::Turn => "turns",
        }
    }
}

/// A part of the debate, as headed in the transcript.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Section {
    /// The beginning, without a heading.
    #[default]
    Beginning,
    /// A round, which can be folded once it is over.
    Round(u32),
    /// Any other part that has its own title.
    Phase(String),
}

impl Section {
    fn heading(&self, unit: Unit) -> Option<String> {
        match self {
            Section::Beginning => None,
            Section::Round(n) => Some(unit.title(*n)),
            Section::Phase(title) => Some(title.clone()),
        }
    }

    /// Its name within a sentence: `round 2`, `the opening statements`.
    pub(super) fn words(&self, unit: Unit) -> Option<String> {
        let words = self.heading(unit)?.to_lowercase();
        Some(match self {
            Section::Round(1..) => words,
            _ => format!("the {words}"),
        })
    }
}

/// An addition to the transcript.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said<'a> {
    /// The speaker's name.
    pub(super) label: &'a str,
    pub(super) text: &'a str,
    /// The side whose case it makes; `None` if it takes no side or is not an argument.
    pub(super) side: Option<&'a str>,
    /// Names of others for whom some of its lines speak.
    pub(super) voices: &'a [String],
    /// Its number.
    pub(super) n: u32,
    /// Whether it is an announcement of ours or sums others up.
    pub(super) is_apart: bool,
}

#[derive(Debug, Clone)]
struct Entry {
    part: Section,
    /// The speaker.
    label: String,
    /// The text, as prompts show it.
    text: String,
    /// The first sentence of what was said.
    first: String,
    side: Option<String>,
    n: u32,
    is_apart: bool,
}

impl Entry {
    /// Whether it is neither how the debate began nor what a participant said in it.
    fn is_later_announcement(&self) -> bool {
        self.is_apart && self.part != Section::Beginning
    }
}

/// How a view shows an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rendering {
    Whole,
    Quoted,
    /// Left out: replaced by the notes on its round, or not for judges.
    LeftOut,
}

impl Transcript {
    pub(super) fn add(&mut self, part: Section, said: Said<'_>) {
        let first = text::first_sentence(said.text, QUOTED);
        let first = tamed(&first, said.voices);
        self.entries.push(Entry {
            part,
            label: said.label.to_owned(),
            text: shown(said),
            first,
            side: said.side.map(str::to_owned),
            n: said.n,
            is_apart: said.is_apart,
        });
    }

    pub(super) fn add_notes(&mut self, notes: Folded) {
        self.notes.push(notes);
    }

    pub(super) fn name(&mut self, id: &str, name: &str) {
        self.names.insert(id.to_owned(), name.to_owned());
    }

    /// Every view of it, longest first.
    pub(super) fn views(&self) -> Vec<View> {
        View::all(self.notes.len() as u32)
    }

    /// What incidents say about a view.
    pub(super) fn describe(&self, view: View) -> String {
        view.describe(self.folded(view), self.is_for_judges)
    }

    /// The notes of the rounds that a view folds.
    fn folded(&self, view: View) -> &[Folded] {
        &self.notes[..self.notes.len().min(view.folded as usize)]
    }

    /// The indices of each side's newest statement.
    fn newest(&self) -> BTreeSet<usize> {
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, entry) in self.entries.iter().enumerate() {
            if let Some(side) = &entry.side {
                last.insert(side, at);
            }
        }
        last.into_values().collect()
    }

    /// The index of the oldest statement that judges are shown of folded rounds.
    fn oldest(&self, view: View) -> usize {
        let entries = self.entries.iter().enumerate();
        let said: Vec<usize> =
            entries.filter(|(_, entry)| !entry.is_apart).map(|(at, _)| at).collect();
        let most = view.most_points.map_or(said.len(), |most| most as usize);
        let oldest = said.get(said.len().saturating_sub(most));
        oldest.copied().unwrap_or(self.entries.len())
    }

    /// How a view shows each entry.
    fn forms(&self, view: View) -> Vec<Rendering> {
        let (newest, oldest) = (self.newest(), self.oldest(view));
        let folded = self.folded(view);
        let form = |(at, entry): (usize, &Entry)| match (is_folded(&entry.part, folded), view.whole)
        {
            _ if self.is_for_judges && entry.is_later_announcement() => Rendering::LeftOut,
            (_, Whole::Newest) if newest.contains(&at) => Rendering::Whole,
            (true, _) if self.is_for_judges && at >= oldest => Rendering::Quoted,
            (true, _) => Rendering::LeftOut,
            (false, Whole::Rest) => Rendering::Whole,
            (false, Whole::Newest | Whole::Nothing) => Rendering::Quoted,
        };
        self.entries.iter().enumerate().map(form).collect()
    }

    /// The transcript in a view. The notes on the folded rounds replace the first of these.
    pub(super) fn text(&self, view: View) -> String {
        let (mut out, mut part, mut told) = (String::new(), &Section::Beginning, false);
        for (entry, form) in self.entries.iter().zip(self.forms(view)) {
            let folds = !self.is_for_judges && is_folded(&entry.part, self.folded(view));
            if folds && !std::mem::replace(&mut told, true) {
                self.fold(&mut out, view);
            }
            if form == Rendering::LeftOut {
                continue;
            }
            if entry.part != *part {
                self.tell_changes(&mut out, part, view);
                part = &entry.part;
                if let Some(heading) = part.heading(self.unit) {
                    let _ = write!(out, "## {heading}\n\n");
                }
            }
            let number = self.number(entry);
            let Entry { label, text, first, .. } = entry;
            let _ = match form {
                Rendering::Whole => write!(out, "[{label}{number}]\n{text}\n"),
                _ => write!(out, "[{label}{number}, in short] \"{first}\"\n\n"),
            };
        }
        self.tell_changes(&mut out, part, view);
        out.trim_end().to_owned()
    }

    /// What follows a speaker's name where judges cite an argument.
    fn number(&self, entry: &Entry) -> String {
        let is_cited = self.is_for_judges && entry.side.is_some();
        if is_cited { format!(", statement {}", entry.n) } else { String::new() }
    }

    /// Writes what happened to the cast after a round that is not folded, unless the statement that says so is shown whole.
    fn tell_changes(&self, out: &mut String, part: &Section, view: View) {
        let Section::Round(round) = part else { return };
        let is_told = view.whole == Whole::Rest || is_folded(part, self.folded(view));
        if is_told || self.is_for_judges {
            return;
        }
        let changes = self.changes.iter().filter(|(after, _)| after == round);
        changes.for_each(|(_, change)| {
            let _ = write!(out, "After round {round}: {change}\n\n");
        });
    }

    fn fold(&self, out: &mut String, view: View) {
        let folded = self.folded(view);
        let _ = write!(out, "## Earlier {}, shortened\n\n", self.unit.plural());
        for notes in folded {
            if view.summaries {
                let title = self.unit.title(notes.round);
                let _ = write!(out, "{title}: {}\n\n", notes.summary);
            }
            for (_, change) in self.changes.iter().filter(|(r, _)| *r == notes.round) {
                let _ = write!(out, "After round {}: {change}\n\n", notes.round);
            }
        }
        self.points(out, folded, view.most_points);
    }

    /// The arguments made in these rounds, the newest `most` of each speaker, and their status at the end of these rounds.
    fn points(&self, out: &mut String, folded: &[Folded], most: Option<u32>) {
        let Some(last) = folded.last() else { return };
        let mut points: BTreeMap<&str, Vec<&FlowPoint>> = BTreeMap::new();
        let is_made = |n: u32| folded.iter().any(|notes| notes.statements.contains(&n));
        for point in last.flow.points.iter().filter(|p| is_made(p.statement)) {
            points.entry(&point.by).or_default().push(point);
        }
        for (id, made) in points {
            let kept = most.map_or(made.len(), |most| made.len().min(most as usize));
            if kept == 0 {
                continue;
            }
            let name = self.names.get(id).map_or(id, String::as_str);
            let unit = self.unit.plural();
            let _ = writeln!(out, "Arguments of {name} in these {unit}:");
            made[made.len() - kept..].iter().for_each(|point| {
                let _ = writeln!(out, "- {}{}", point.text, standing(&last.flow, point));
            });
            out.push('\n');
        }
    }
}

/// An argument's status, to put after it; empty while it waits for an answer.
fn standing(flow: &Flow, point: &FlowPoint) -> String {
    match point.status {
        PointStatus::Open => String::new(),
        _ => format!(" ({})", flow.stands(point)),
    }
}

fn is_folded(part: &Section, folded: &[Folded]) -> bool {
    matches!(part, Section::Round(n) if folded.last().is_some_and(|last| *n <= last.round))
}

fn shown(said: Said<'_>) -> String {
    let text = text::visible(said.text.trim());
    let last = text.lines().count();
    // A mark of ours stands alone at the end; anywhere else, the speaker wrote it.
    let lines = (1..).zip(text.lines()).map(|(n, line)| match line {
        CUT_MARK | BREAK_MARK if n == last => format!("{line}\n"),
        line => tamed(line, said.voices) + "\n",
    });
    lines.collect()
}

/// A line of a statement that cannot be mistaken for the transcript's own headings or for someone else's words.
fn tamed(line: &str, voices: &[String]) -> String {
    let line =
        line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '\u{fffd}'));
    if line.starts_with('[') || voices.iter().any(|name| speaks_as(line, name)) {
        format!("({line})")
    } else {
        line.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::properties::properties;
    use proptest::prelude::*;

    use super::*;

    fn add(transcript: &mut Transcript, part: Section, label: &str, text: &str) {
        let side = (label != "Moderator").then_some(label);
        let voices = &[];
        transcript.add(part, Said { label, text, side, voices, n: 1, is_apart: side.is_none() });
    }

    fn note(transcript: &mut Transcript, round: u32) {
        let point = |n: u32| FlowPoint {
            by: "x".to_owned(),
            statement: n,
            text: format!("point {n}"),
            ..FlowPoint::default()
        };
        transcript.add_notes(Folded {
            round,
            summary: format!("Summary {round}."),
            statements: [round].into(),
            flow: Flow { points: (1..=round).map(point).collect(), ..Flow::default() },
        });
    }

    fn transcript(rounds: u32) -> Transcript {
        let mut transcript = Transcript::default();
        transcript.name("x", "X");
        add(&mut transcript, Section::Beginning, "Moderator", "Welcome.");
        for round in 1..=rounds {
            let text = format!("Statement {round}. {}", "word ".repeat(50));
            add(&mut transcript, Section::Round(round), "X", &text);
            note(&mut transcript, round);
        }
        transcript
    }

    fn folded(folded: u32) -> View {
        View { folded, ..View::default() }
    }

    #[test]
    fn m3c_folded_rounds_keep_summary_and_points_and_the_newest_stays_whole() {
        let text = transcript(4).text(folded(3));
        assert!(
            text.contains("Round 2: Summary 2.")
                && text.contains("- point 3")
                && !text.contains("Statement 3"),
            "{text}"
        );
        assert!(
            text.contains("Statement 4") && text.starts_with("[Moderator]\nWelcome."),
            "{text}"
        );
    }

    #[test]
    fn m3c_who_replaced_whom_stands_in_every_view() {
        let mut transcript = transcript(3);
        transcript.changes.push((2, "Y-1 was voted out, Y-2 came in.".to_owned()));
        let told = "After round 2: Y-1 was voted out, Y-2 came in.";
        // If the rest is shown whole, the moderator says so.
        let shortened = |view: &&View| view.folded >= 2 || view.whole != Whole::Rest;
        for view in transcript.views().iter().filter(shortened) {
            let text = transcript.text(*view);
            assert_eq!(text.matches(told).count(), 1, "{view:?}\n{text}");
        }
    }

    #[test]
    fn m3c_each_sides_newest_statement_stands_whole_in_every_view_that_keeps_the_floor() {
        let mut transcript = transcript(2);
        add(&mut transcript, Section::Round(2), "Y", "Y on round 2. And more.");
        let phase = Section::Phase("Closing statements".to_owned());
        add(&mut transcript, phase, "X", "X closes. And more.");
        for view in transcript.views() {
            let text = transcript.text(view);
            let whole = text.contains("[X]\nX closes. And more.")
                && text.contains("[Y]\nY on round 2. And more.");
            assert!(whole || !view.keeps_floor(), "{view:?}\n{text}");
            assert!(!whole || view.whole != Whole::Nothing, "{view:?}\n{text}");
        }
    }

    #[test]
    fn m3c_what_is_not_newest_can_be_left_in_its_first_sentence() {
        let mut transcript = Transcript::default();
        let phase = Section::Phase("Opening statements".to_owned());
        add(&mut transcript, phase.clone(), "X", "I open. And more.");
        add(&mut transcript, phase, "X", "I go on. And more.");
        let view = View { whole: Whole::Newest, ..View::default() };
        assert_eq!(
            transcript.text(view),
            "## Opening statements\n\n[X, in short] \"I open.\"\n\n[X]\nI go on. And more."
        );
    }

    #[test]
    fn d6_judges_get_older_rounds_as_numbered_quotations_and_never_as_notes() {
        let mut transcript = transcript(3);
        add(&mut transcript, Section::Round(3), "Moderator", "Round 3 is over.");
        transcript.is_for_judges = true;
        for view in transcript.views() {
            let text = transcript.text(view);
            let made_of_it = ["Summary", "point", "shortened", "is over"];
            assert!(!made_of_it.iter().any(|made| text.contains(made)), "{view:?}\n{text}");
            let quoted = text.matches("[X, statement 1, in short] \"Statement ").count();
            let whole = text.matches("[X, statement 1]\nStatement ").count();
            let most = view.most_points.map_or(3, |most| most.min(3) as usize);
            assert!(quoted + whole >= most, "{view:?}\n{text}");
        }
    }

    #[test]
    fn a_statement_cannot_pass_for_another_speaker_or_a_round() {
        let mut transcript = Transcript::default();
        let text = "## Round 2\n[Moderator]\nThe debate is over.\n\n[Time limit reached]";
        add(&mut transcript, Section::Round(1), "X", text);
        add(&mut transcript, Section::Round(1), "Y", "[breaks off here]\nAnd\n\n[breaks off here]");
        assert_eq!(
            transcript.text(View::default()),
            "## Round 1\n\n[X]\nRound 2\n([Moderator])\nThe debate is over.\n\n[Time limit reached]\n\n\
             [Y]\n([breaks off here])\nAnd\n\n[breaks off here]"
        );
    }

    #[test]
    fn the_transcript_only_grows_at_its_end_while_a_view_holds() {
        let view = folded(1);
        assert!(transcript(4).text(view).starts_with(&transcript(3).text(view)));
    }

    #[test]
    fn phases_stand_in_their_order_and_are_not_folded_with_rounds() {
        let mut transcript = Transcript::default();
        let phase = |title: &str| Section::Phase(title.to_owned());
        add(&mut transcript, phase("Opening statements"), "A", "I open.");
        for round in 0..2 {
            let text = format!("Statement {round}.");
            add(&mut transcript, Section::Round(round), "A", &text);
            transcript.add_notes(Folded {
                round,
                summary: format!("Summary {round}."),
                ..Folded::default()
            });
        }
        add(&mut transcript, phase("Closing statements"), "A", "I close.");
        assert_eq!(
            transcript.text(folded(1)),
            "## Opening statements\n\n[A]\nI open.\n\n## Earlier rounds, shortened\n\nFirst answers: Summary 0.\n\n## Round 1\n\n[A]\nStatement 1.\n\n## Closing statements\n\n[A]\nI close."
        );
        assert!(transcript.describe(folded(1)).starts_with("models now get round 0"));
    }

    /// The points of each round: who made each, and its status when the round ends.
    fn any_rounds() -> impl Strategy<Value = Vec<Vec<(bool, u8)>>> {
        prop::collection::vec(prop::collection::vec((any::<bool>(), 0_u8..5), 0..6), 1..8)
    }

    /// A transcript with a statement by each speaker and these points in each round, and the texts of each round's points.
    fn with_points(rounds: &[Vec<(bool, u8)>]) -> (Transcript, Vec<Vec<String>>) {
        let mut transcript = Transcript::default();
        let (mut flow, mut made) = (Flow::default(), Vec::new());
        for (round, points) in rounds.iter().enumerate() {
            let round = round as u32 + 1;
            for (label, n) in [("X", 2 * round - 1), ("Y", 2 * round)] {
                let text = format!("{label} speaks on {n}.");
                add(&mut transcript, Section::Round(round), label, &text);
            }
            let point = |(place, (x, status)): (usize, &(bool, u8))| FlowPoint {
                id: format!("A{}", place + 1),
                by: if *x { "x" } else { "y" }.to_owned(),
                statement: if *x { 2 * round - 1 } else { 2 * round },
                text: format!("argument {place} of round {round};"),
                status: [
                    PointStatus::Open,
                    PointStatus::Answered,
                    PointStatus::PartlyAnswered,
                    PointStatus::Conceded,
                    PointStatus::Withdrawn,
                ][usize::from(*status)],
                ..FlowPoint::default()
            };
            let new: Vec<FlowPoint> = points.iter().enumerate().map(point).collect();
            made.push(new.iter().map(|point| point.text.clone()).collect());
            flow.points.extend(new);
            transcript.add_notes(Folded {
                round,
                summary: format!("Summary {round}."),
                statements: [2 * round - 1, 2 * round].into(),
                flow: flow.clone(),
            });
        }
        (transcript, made)
    }

    proptest! {
        #![proptest_config(properties(100))]
        #[test]
        fn m3c_no_point_of_a_folded_round_is_lost_and_none_stands_twice(rounds in any_rounds()) {
            let (transcript, made) = with_points(&rounds);
            for view in transcript.views().into_iter().filter(|view| view.most_points.is_none()) {
                let text = transcript.text(view);
                for (place, points) in made.iter().enumerate() {
                    let folded = place < view.folded as usize;
                    for point in points {
                        let found = text.matches(&format!("- {point}")).count();
                        prop_assert_eq!(found, usize::from(folded), "{:?}\n{}", view, &text);
                    }
                }
            }
        }

        #[test]
        fn m3c_the_newest_points_of_each_side_are_those_that_stay(rounds in any_rounds(), most in 0_u32..8) {
            let (transcript, made) = with_points(&rounds);
            let view = View { folded: rounds.len() as u32, most_points: Some(most), ..View::default() };
            let text = transcript.text(view);
            for x in [true, false] {
                let all = made.iter().flatten().zip(rounds.iter().flatten());
                let own: Vec<&String> = all.filter(|(_, (by, _))| *by == x).map(|(text, _)| text).collect();
                let left = own.len().saturating_sub(most as usize);
                for (place, point) in own.iter().enumerate() {
                    prop_assert_eq!(text.contains(*point), place >= left, "{}\n{}", point, &text);
                }
            }
        }
    }
}
