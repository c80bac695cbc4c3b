//! `rebut check` lists the debates, of many only the first. On a terminal, what these have in common stands once above them, and
//! what tells them apart has the room.

use unicode_width::UnicodeWidthStr;

use crate::cli::terminal::color::Paint;
use crate::cli::terminal::print;
use crate::cli::terminal::screen::{self, padded};
use crate::plan::DebateLabels;
use crate::text;

/// Of more debates, only some are listed.
const MOST_LISTED: usize = 20;
/// So many.
const LISTED: usize = 10;
/// The gap between columns.
const GAP: &str = "  ";

/// The lines of debates, perhaps of the first only.
pub(super) struct Listing<'l> {
    labels: &'l DebateLabels,
    left: usize,
    omitted: usize,
    /// The width of the terminal, if it goes to one.
    width: Option<usize>,
    /// What is to be shown there.
    rows: Vec<Row>,
    /// Which cells are the same in all rows, those that are only counted among them.
    is_common: [bool; 4],
}

/// A debate in the list.
pub(super) struct Row {
    pub(super) standing: &'static str,
    pub(super) id: String,
    pub(super) job: String,
    /// Its topic or query.
    pub(super) heading: String,
    /// What else tells it from the others of its job.
    pub(super) label: String,
}

impl<'l> Listing<'l> {
    /// The list of so many debates: of all on request, or if they are few.
    pub(super) fn new(debates: usize, all: bool, labels: &'l DebateLabels) -> Self {
        let is_short = all || debates <= MOST_LISTED;
        let left = if is_short { usize::MAX } else { LISTED };
        let (width, rows) = (screen::width_of_stdout(), Vec::new());
        Self { labels, left, omitted: 0, width, rows, is_common: [debates > 1; 4] }
    }

    /// Lists the next debate, unless it is one of those that are only counted.
    pub(super) fn add(&mut self, row: impl FnOnce(&DebateLabels) -> Row) {
        let is_listed = self.left > 0;
        self.left -= usize::from(is_listed);
        self.omitted += usize::from(!is_listed);
        match self.width {
            Some(_) => self.compare(row(self.labels), is_listed),
            None if is_listed => print::out(&row(self.labels).with_tabs(self.labels)),
            None => {}
        }
    }

    /// Notes what a row has in common with the others, and keeps it if it is to be shown.
    fn compare(&mut self, row: Row, is_listed: bool) {
        if let Some(first) = self.rows.first() {
            let same =
                row.cells().into_iter().zip(first.cells()).map(|(cell, first)| cell == first);
            self.is_common.iter_mut().zip(same).for_each(|(common, same)| *common &= same);
        }
        if is_listed {
            self.rows.push(row);
        }
    }

    /// Prints what is still to be shown, and how many are not listed.
    pub(super) fn end(&self) {
        if let Some(width) = self.width {
            let lines = self.lines(width, Paint::on(&std::io::stdout()));
            lines.iter().for_each(|line| print::out(line));
        }
        if self.omitted > 0 {
            let omitted = text::grouped(self.omitted);
            print::out(&format!("… and {omitted} more (`rebut check --all` lists them)"));
        }
    }

    /// The rows, and above them what is the same in all.
    fn lines(&self, width: usize, paint: Paint) -> Vec<String> {
        let Some(first) = self.rows.first() else { return Vec::new() };
        let title = title(first.cells(), self.is_common);
        let indent = if title.is_empty() { "" } else { GAP };
        let room = width - indent.len();
        let widths = widths(&self.rows, self.is_common, room);
        let mut lines = text::lines::wrapped(&title, "", GAP, width);
        lines.iter_mut().for_each(|line| *line = paint.bold(line));
        lines.extend(self.rows.iter().map(|row| {
            let subject = self.labels.subject(&row.job, &row.heading, widths[2]);
            let cells = [row.standing, &row.job, &subject, &row.label];
            format!("{indent}{}", in_columns(&row.id, cells, widths, (room, paint)))
        }));
        lines
    }
}

impl Row {
    fn with_tabs(&self, labels: &DebateLabels) -> String {
        let subject = labels.subject(&self.job, &self.heading, 60);
        let parts = [self.standing, &self.id, &self.job, &subject, &self.label];
        parts.join("\t").trim_end().to_owned()
    }

    fn cells(&self) -> [&str; 4] {
        [self.standing, &self.job, &self.heading, &self.label]
    }
}

/// `tournament, to run: Should zoos be closed?`: what is the same in all rows.
fn title(cells: [&str; 4], is_common: [bool; 4]) -> String {
    let common = |n: usize| Some(cells[n]).filter(|cell| is_common[n] && !cell.is_empty());
    let parts = |all: &[usize], by: &str| -> String {
        all.iter().filter_map(|n| common(*n)).collect::<Vec<_>>().join(by)
    };
    let (whose, which) = (parts(&[1, 0], ", "), parts(&[2, 3], " "));
    match (whose.is_empty(), which.is_empty()) {
        (true, _) => which,
        (_, true) => format!("{whose}:"),
        _ => format!("{whose}: {}", text::one_line(&which)),
    }
}

/// The widths of the columns, 0 of those that are left out: the topic gives way to what else differs, down to a third of the room.
fn widths(rows: &[Row], is_common: [bool; 4], width: usize) -> [usize; 4] {
    let widest = |n: usize| {
        let cells = rows.iter().map(|row| row.cells()[n].width());
        if is_common[n] { 0 } else { cells.max().unwrap_or(0) }
    };
    let mut widths = [0, 1, 2, 3].map(widest);
    let of = |width: usize| if width == 0 { 0 } else { width + GAP.len() };
    let room = width.saturating_sub(12 + of(widths[0]) + of(widths[1]) + GAP.len());
    widths[2] = widths[2].min(room.saturating_sub(of(widths[3])).max(room / 3));
    widths
}

fn in_columns(
    id: &str,
    [standing, job, subject, label]: [&str; 4],
    widths: [usize; 4],
    (width, paint): (usize, Paint),
) -> String {
    let cells = [(job, widths[1]), (subject, widths[2]), (label, widths[3])];
    let cells = cells.into_iter().filter(|(_, width)| *width > 0);
    let cells = cells.map(|(cell, width)| padded(cell, width));
    let rest: Vec<String> = std::iter::once(padded(id, 12)).chain(cells).collect();
    let standing = paint.status(standing, &padded(standing, widths[0]));
    let gap = if widths[0] == 0 { "" } else { GAP };
    let room = width.saturating_sub(widths[0] + gap.len());
    let rest = screen::cut(rest.join(GAP).trim_end(), room);
    format!("{standing}{gap}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j3_on_a_terminal_what_all_rows_share_stands_above_and_what_differs_has_the_room() {
        let label = |side: &str, persona: &str| {
            format!("a.name={side} a.model=llama3 b.model=mistral a.persona={persona}")
        };
        let row = |topic: &str, label: String| Row {
            standing: "to run",
            id: "51f6a7a57cb2".to_owned(),
            job: "tournament".to_owned(),
            heading: topic.to_owned(),
            label,
        };
        let labels = DebateLabels::default();
        let shown = |rows: Vec<Row>| {
            let mut list = Listing::new(rows.len(), true, &labels);
            rows.into_iter().for_each(|row| list.compare(row, true));
            list.lines(80, Paint::PLAIN)
        };
        let topic = "Should zoos be closed?";
        let settings = [label("Pro", "economist"), label("Con", "philosopher")];
        let rows = settings.clone().map(|label| row(topic, label));
        assert_eq!(
            shown(rows.into()),
            [
                "tournament, to run: Should zoos be closed?".to_owned(),
                format!("  51f6a7a57cb2  {}", settings[0]),
                format!("  51f6a7a57cb2  {}", settings[1]),
            ]
        );
        let [one, other] = settings;
        let rows = [row(topic, one), row("Should cash be abolished?", other)];
        assert_eq!(
            shown(rows.into()),
            [
                "tournament, to run:",
                "  51f6a7a57cb2  Should zoos be…        a.name=Pro a.model=llama3 b.model=mistra…",
                "  51f6a7a57cb2  Should cash be…        a.name=Con a.model=llama3 b.model=mistra…",
            ]
        );
        let alone = [row(topic, String::new())];
        assert_eq!(
            shown(alone.into()),
            ["to run  51f6a7a57cb2  tournament  Should zoos be closed?"]
        );
        assert!(shown(Vec::new()).is_empty());
    }
}
