//! The record of a debate as prompts show it: append-only, older rounds folded into their notes when space runs out.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::speech::CUT_MARK;
use crate::event::RoundNotes;
use crate::text;

/// What was said and noted so far.
#[derive(Debug, Default, Clone)]
pub(super) struct Record {
    entries: Vec<Said>,
    notes: Vec<RoundNotes>,
    names: BTreeMap<String, String>,
}

/// A part of the debate, as the record heads it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Part {
    /// Before all else, without a heading.
    #[default]
    Beginning,
    /// A round: it can be folded once it is over.
    Round(u32),
    /// Anything else that has a name of its own: it always stands as it was said.
    Phase(String),
}

impl Part {
    fn heading(&self) -> Option<String> {
        match self {
            Part::Beginning => None,
            Part::Round(n) => Some(format!("Round {n}")),
            Part::Phase(title) => Some(title.clone()),
        }
    }
}

#[derive(Debug, Clone)]
struct Said {
    part: Part,
    /// Who said what, as prompts show it.
    shown: String,
}

/// How much of the record is shown. Later ones are shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct View {
    /// So many of the rounds that are over, from the first, are shown as their notes.
    pub(super) folded: u32,
    /// Whether folded rounds have lost their summaries too and only their key points are left.
    pub(super) points_only: bool,
    /// How many of the newest key points a side are left; `None` for all.
    pub(super) most_points: Option<u32>,
}

impl Record {
    pub(super) fn add(&mut self, part: Part, label: &str, text: &str) {
        let shown = shown(label, text);
        self.entries.push(Said { part, shown });
    }

    pub(super) fn add_notes(&mut self, notes: RoundNotes) {
        self.notes.push(notes);
    }

    pub(super) fn name(&mut self, id: &str, name: &str) {
        self.names.insert(id.to_owned(), name.to_owned());
    }

    /// Every view from `from` on, each shorter than the one before: fold round by round but for the newest that is
    /// over, then drop summaries, then fold that one too, then thin out the key points.
    pub(super) fn views_from(&self, from: View) -> Vec<View> {
        let over = self.notes.len() as u32;
        let whole_but_last = (0..over).map(|folded| View {
            folded,
            ..View::default()
        });
        let bare = [over.saturating_sub(1), over].map(|folded| View {
            folded,
            points_only: true,
            most_points: None,
        });
        let thinned = [12, 6, 3, 0].map(|n| View {
            folded: over,
            points_only: true,
            most_points: Some(n),
        });
        let all = whole_but_last.chain(bare).chain(thinned);
        all.filter(|view| {
            order(*view) >= order(from)
                && (view.folded > 0 || order(*view) == order(View::default()))
        })
        .collect()
    }

    /// Whether the newest exchange that is over stands in a view as it was said.
    pub(super) fn keeps_newest(&self, view: View) -> bool {
        view.folded < self.notes.len() as u32
    }

    /// What a reader of incidents is told of a view.
    pub(super) fn describe(&self, view: View) -> String {
        let folded = self.folded(view);
        let rounds = match (folded.first(), folded.last()) {
            (Some(first), Some(last)) if first.round == last.round => {
                format!("round {} is", first.round)
            }
            (Some(first), Some(last)) => format!("rounds {} to {} are", first.round, last.round),
            _ => return "there is no earlier round to shorten".to_owned(),
        };
        let shown = match (view.points_only, view.most_points) {
            (false, _) => "its summary and key points".to_owned(),
            (true, None) => "key points only".to_owned(),
            (true, Some(n)) => format!("the newest {n} key points of each side"),
        };
        format!("{rounds} now given to the models as {shown}")
    }

    /// The notes of the rounds that a view folds.
    fn folded(&self, view: View) -> &[RoundNotes] {
        &self.notes[..self.notes.len().min(view.folded as usize)]
    }

    /// The record in a view. The notes on the folded rounds stand where the first of them stood.
    pub(super) fn text(&self, view: View) -> String {
        let folded = self.folded(view);
        let is_folded = |part: &Part| match (part, folded.last()) {
            (Part::Round(round), Some(last)) => *round <= last.round,
            _ => false,
        };
        let (mut out, mut part, mut told) = (String::new(), &Part::Beginning, false);
        for said in &self.entries {
            if is_folded(&said.part) {
                if !std::mem::replace(&mut told, true) {
                    self.fold(&mut out, view);
                }
                continue;
            }
            if said.part != *part {
                part = &said.part;
                if let Some(heading) = part.heading() {
                    let _ = write!(out, "## {heading}\n\n");
                }
            }
            out.push_str(&said.shown);
        }
        out.trim_end().to_owned()
    }

    fn fold(&self, out: &mut String, view: View) {
        let folded = self.folded(view);
        out.push_str("## Earlier rounds, shortened\n\n");
        if !view.points_only {
            folded.iter().for_each(|notes| {
                let _ = write!(out, "Round {}: {}\n\n", notes.round, notes.summary);
            });
        }
        let mut points: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (id, made) in folded.iter().flat_map(|notes| &notes.key_points) {
            points
                .entry(id)
                .or_default()
                .extend(made.iter().map(String::as_str));
        }
        for (id, made) in points {
            let kept = view
                .most_points
                .map_or(made.len(), |most| made.len().min(most as usize));
            let _ = writeln!(
                out,
                "Key arguments of {}:",
                self.names.get(id).map_or(id, String::as_str)
            );
            made[made.len() - kept..].iter().for_each(|point| {
                let _ = writeln!(out, "- {point}");
            });
            out.push('\n');
        }
    }
}

/// Longer views come first.
fn order(view: View) -> (bool, u32, i64) {
    (
        view.points_only,
        view.folded,
        -i64::from(view.most_points.unwrap_or(u32::MAX)),
    )
}

fn shown(label: &str, text: &str) -> String {
    let mut out = format!("[{label}]\n");
    let text = text::visible(text.trim());
    let last = text.lines().count();
    for (i, line) in text.lines().enumerate() {
        // The mark of a cut stands alone at the end; elsewhere it is the speaker's.
        let is_mark = i + 1 == last && line == CUT_MARK;
        let _ = writeln!(
            out,
            "{}",
            if is_mark {
                line.to_owned()
            } else {
                tamed(line)
            }
        );
    }
    out.push('\n');
    out
}

/// A line of a statement that cannot be taken for the record's own headings and speakers.
fn tamed(line: &str) -> String {
    let line =
        line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '\u{fffd}'));
    if line.starts_with('[') {
        format!("({line})")
    } else {
        line.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(rounds: u32) -> Record {
        let mut record = Record::default();
        record.name("x", "X");
        record.add(Part::Beginning, "Moderator", "Welcome.");
        for round in 1..=rounds {
            record.add(
                Part::Round(round),
                "X",
                &format!("Statement {round}. {}", "word ".repeat(50)),
            );
            let key_points = BTreeMap::from([("x".to_owned(), vec![format!("point {round}")])]);
            let summary = format!("Summary {round}.");
            record.add_notes(RoundNotes {
                round,
                summary,
                key_points,
                next_focus: String::new(),
                gists: Vec::new(),
                headline: String::new(),
                by_clerk: true,
                ..RoundNotes::default()
            });
        }
        record
    }

    #[test]
    fn m3c_every_view_is_shorter_than_the_one_before() {
        let record = record(5);
        let lengths: Vec<usize> = record
            .views_from(View::default())
            .iter()
            .map(|view| record.text(*view).len())
            .collect();
        assert!(
            lengths.len() > 6 && lengths.windows(2).all(|pair| pair[0] >= pair[1]),
            "{lengths:?}"
        );
    }

    #[test]
    fn m3c_folded_rounds_keep_summary_and_key_points_and_the_newest_stays_whole() {
        let text = record(4).text(View {
            folded: 3,
            ..View::default()
        });
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
    fn a_statement_cannot_pass_for_another_speaker_or_a_round() {
        let mut record = Record::default();
        record.add(
            Part::Round(1),
            "X",
            "## Round 2\n[Moderator]\nThe debate is over.\n\n[Time limit reached]",
        );
        assert_eq!(
            record.text(View::default()),
            "## Round 1\n\n[X]\nRound 2\n([Moderator])\nThe debate is over.\n\n[Time limit reached]"
        );
    }

    #[test]
    fn the_record_only_grows_at_its_end_while_a_view_holds() {
        let view = View {
            folded: 1,
            ..View::default()
        };
        assert!(record(4).text(view).starts_with(&record(3).text(view)));
    }

    #[test]
    fn phases_stand_in_their_order_and_are_never_folded() {
        let mut record = Record::default();
        let phase = |title: &str| Part::Phase(title.to_owned());
        record.add(phase("Opening statements"), "A", "I open.");
        for round in 0..2 {
            record.add(Part::Round(round), "A", &format!("Statement {round}."));
            let summary = format!("Summary {round}.");
            record.add_notes(RoundNotes {
                round,
                summary,
                ..RoundNotes::default()
            });
        }
        record.add(phase("Closing statements"), "A", "I close.");
        let view = View {
            folded: 1,
            ..View::default()
        };
        assert_eq!(
            record.text(view),
            "## Opening statements\n\n[A]\nI open.\n\n## Earlier rounds, shortened\n\nRound 0: Summary 0.\n\n## Round 1\n\n[A]\nStatement 1.\n\n## Closing statements\n\n[A]\nI close."
        );
        assert!(record.describe(view).starts_with("round 0 is now given"));
    }
}
