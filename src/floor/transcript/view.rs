//! Which parts of the transcript a prompt shows (row M3c): from all of it to notes only.

use super::folded::Folded;

/// Minimum of a side's newest points with which a view still keeps the floor. A statement makes at most four, and the newest
/// statement is shown as it was said.
const FLOOR_POINTS: u32 = 8;

/// How much of the transcript a prompt shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::floor) struct View {
    /// Finished rounds, counted from the first, that are shown as their notes.
    pub(in crate::floor) folded: u32,
    /// What is shown as it was said.
    pub(in crate::floor) whole: Whole,
    /// Whether folded rounds keep their summaries as well as their points.
    pub(in crate::floor) summaries: bool,
    /// Maximum of each side's newest points; `None` for all.
    pub(in crate::floor) most_points: Option<u32>,
}

/// What is shown as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::floor) enum Whole {
    /// Everything outside the folded rounds.
    Rest,
    /// Each side's newest statement; everything else outside the folded rounds is shown as its first sentence.
    Newest,
    /// Nothing.
    Nothing,
}

impl Default for View {
    /// All of the transcript.
    fn default() -> Self {
        View { folded: 0, whole: Whole::Rest, summaries: true, most_points: None }
    }
}

impl View {
    /// Whether the view has each side's newest statement and newest points, the minimum from which a judge or the writer of a
    /// final text can work.
    pub(in crate::floor) fn keeps_floor(self) -> bool {
        let points = self.most_points.is_none_or(|most| most >= FLOOR_POINTS);
        self.whole != Whole::Nothing && points
    }

    /// Every view of a transcript with `over` finished rounds, in this order: fold round by round except the newest finished
    /// one; drop summaries, then older points; of what was said, keep only each side's newest statement, with fewer and fewer
    /// points; keep no statement whole.
    pub(in crate::floor) fn all(over: u32) -> Vec<View> {
        let rest = |folded, summaries, most_points| View {
            folded,
            whole: Whole::Rest,
            summaries,
            most_points,
        };
        let bare = |whole, most_points| View { folded: over, whole, summaries: false, most_points };
        let rounds = (0..over.max(1)).map(|folded| rest(folded, true, None));
        let points = [None, Some(12), Some(FLOOR_POINTS)];
        let last_whole = points.map(|most| rest(over.saturating_sub(1), false, most));
        let newest = [View { summaries: true, ..bare(Whole::Newest, None) }];
        let fewer = [None, Some(12), Some(FLOOR_POINTS), Some(3), Some(0)];
        let newest = newest.into_iter().chain(fewer.map(|most| bare(Whole::Newest, most)));
        let nothing = [FLOOR_POINTS, 3, 0].map(|most| bare(Whole::Nothing, Some(most)));
        rounds
            .chain(last_whole.into_iter().filter(|view| view.folded > 0))
            .chain(newest)
            .chain(nothing)
            .collect()
    }

    /// What incidents say about this view if it folds these rounds. Judges get quotations in place of notes.
    pub(in crate::floor) fn describe(self, folded: &[Folded], is_for_judges: bool) -> String {
        let rounds = match (folded.first(), folded.last()) {
            (Some(first), Some(last)) if first.round == last.round => {
                Some(format!("round {}", first.round))
            }
            (Some(first), Some(last)) => Some(format!("rounds {} to {}", first.round, last.round)),
            _ => None,
        };
        let notes = match (self.summaries, self.most_points) {
            (_, None) if is_for_judges => "the first sentence of each statement".to_owned(),
            (_, Some(n)) if is_for_judges => {
                format!("the first sentences of those among the {n} newest statements")
            }
            (true, _) => "summary and arguments".to_owned(),
            (false, None) => "arguments only".to_owned(),
            (false, Some(0)) => "no more than who replaced whom".to_owned(),
            (false, Some(n)) => format!("each side's {n} newest arguments"),
        };
        let rounds = rounds.map(|rounds| format!("models now get {rounds} as {notes}"));
        let rest = match self.whole {
            Whole::Rest => None,
            Whole::Newest => Some("of what was said, only each side's newest statement is whole"),
            Whole::Nothing => Some("no statement is whole"),
        };
        let parts = [rounds, rest.map(str::to_owned)];
        let told: Vec<String> = parts.into_iter().flatten().collect();
        if told.is_empty() {
            "there is no earlier round to shorten".to_owned()
        } else {
            told.join("; ")
        }
    }
}
