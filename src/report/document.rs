//! The presentation of findings: one tree of sections, charts and tables. Text, Markdown and HTML are rendered from it, so
//! they cannot disagree.

use serde::Serialize;

use super::charts::whiskers::Whisker;
use super::links::{Outcome, Set, SetRef};
use super::number::Piece;
use crate::stats::findings::Unit;
use crate::stats::number::Rounding;
use crate::text::{one_line, shorten};
use statistics::agreement::Agreement;
use statistics::estimate::Estimate;

/// Characters of text in a cell.
const CELL_CHARS: usize = 200;

/// What the title of a column of numbers with intervals ends in.
pub(crate) const INTERVAL: &str = " [95%]";
/// What stands before an interval.
const OPENS: &str = " [";

/// A report.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Document {
    pub title: String,
    /// How far the design allows models to be compared, in a sentence: before all findings.
    pub design_line: Option<String>,
    /// The same point by point.
    pub design: Vec<Check>,
    /// Who won how often; the last line says what is counted.
    pub won: Vec<String>,
    /// How debates ended, where they are few.
    pub outcomes: Vec<Outcome>,
    /// The heading over the key findings.
    pub found: &'static str,
    /// Key findings, the most important first.
    pub headlines: Vec<String>,
    pub cautions: Vec<String>,
    /// Numbers of debates and judgments, all above zero.
    pub counts: Vec<Count>,
    /// What there is none of, and should be none of.
    pub absent: Option<String>,
    /// The board that is next to the verdict.
    pub leaderboard: Section,
    /// What the numbers were computed from and how.
    pub provenance: Vec<(&'static str, Cell)>,
    pub sections: Vec<Section>,
    /// Sections with nothing to show, each with the reason.
    pub nothing: Option<String>,
    pub sets: Vec<Set>,
    /// Which part of all debates is in them, where they are too many.
    pub part: Option<String>,
    /// The debates of a page, each once.
    pub behind: Figure,
    /// The command that made it, of a report that is short: the others have it in their provenance.
    pub command: Option<String>,
}

/// A check of the design on the first screen.
#[derive(Debug, Serialize)]
pub(crate) struct Check {
    pub sentence: String,
    /// Whether comparisons suffer from it.
    pub bad: bool,
    /// Whether it is neither met nor not.
    pub open: bool,
}

/// A count on the first screen.
#[derive(Debug, Serialize)]
pub(crate) struct Count {
    pub label: &'static str,
    pub cell: Cell,
    /// Whether it calls for attention.
    pub bad: bool,
}

/// Figures under a heading.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Section {
    /// Its anchor.
    pub id: &'static str,
    pub title: &'static str,
    /// What it shows and how to read it.
    pub intro: String,
    pub figures: Vec<Figure>,
    /// Why it has no figures.
    pub empty: Option<String>,
    /// Whether it is too long for a terminal.
    pub long: bool,
}

/// A table, with the charts drawn from it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Figure {
    pub title: String,
    /// What it shows, in a clause that follows its title.
    pub finding: Option<String>,
    pub charts: Vec<Chart>,
    /// What the charts show; empty for a table without charts.
    pub caption: String,
    /// What the marks in the charts mean.
    pub keys: Vec<Key>,
    pub columns: Vec<Column>,
    pub rows: Vec<DataRow>,
    /// Which part of its rows the table has, where it is too long for all.
    pub part: Option<String>,
    /// What a chart draws of the rows.
    #[serde(skip)]
    pub whiskers: Vec<Whisker>,
    /// The places in a row of columns that are left out.
    #[serde(skip)]
    pub left_out: Vec<usize>,
    /// Why numbers are missing; cells refer to them by place, from 1.
    pub reasons: Vec<String>,
    pub notes: Vec<String>,
    /// Whether the table starts collapsed, and is omitted on paper.
    pub folded: bool,
}

/// A drawing.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Chart {
    /// Its heading, where that of its figure does not say what it draws.
    pub title: Option<String>,
    pub svg: String,
    /// The columns of a matrix, which scrolls where it is too wide.
    pub columns: Option<usize>,
}

/// What a mark means.
#[derive(Debug, Serialize)]
pub(crate) struct Key {
    /// The CSS class that draws it.
    pub class: &'static str,
    pub text: String,
}

/// A column of a table.
#[derive(Debug, Serialize)]
pub(crate) struct Column {
    pub title: String,
    /// Whether it holds numbers.
    pub number: bool,
    /// Whether it is on what could have been detected.
    #[serde(skip)]
    power: bool,
}

/// A row of a table.
#[derive(Debug, Default, Serialize)]
pub(crate) struct DataRow {
    /// Its cells; the first names the row.
    pub cells: Vec<Cell>,
    /// Whether it rests on too little to be compared.
    pub muted: bool,
    /// Whether it is a heading for the rows below it, with one cell only.
    pub heading: bool,
}

/// A cell of a table.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Cell {
    pub pieces: Vec<Piece>,
    /// Which of the figure's reasons explains what is missing.
    pub note: Option<usize>,
    #[serde(skip)]
    pub reason: Option<String>,
    /// The underlying debates.
    pub set: Option<SetRef>,
    /// Where its text leads.
    pub href: Option<String>,
}

/// The cells of a row, from texts, counts and cells.
macro_rules! cells {
    ($($cell:expr),+ $(,)?) => { vec![$($crate::report::document::Cell::from($cell)),+] };
}
pub(crate) use cells;

impl Document {
    /// Whether its tables have any interval. Findings explain theirs.
    pub(crate) fn has_intervals(&self) -> bool {
        let sections = std::iter::once(&self.leaderboard).chain(&self.sections);
        let rows = sections.flat_map(|it| &it.figures).flat_map(|it| &it.rows);
        let mut pieces = rows.flat_map(|row| &row.cells).flat_map(|cell| &cell.pieces);
        pieces.any(|piece| piece.text == OPENS)
    }
}

impl Count {
    /// Whether there is nothing of it.
    pub(crate) fn is_zero(&self) -> bool {
        matches!(&*self.cell.pieces, [number, ..] if number.text == "0")
    }
}

impl Check {
    /// The sentence, after a word of warning where it is bad.
    pub(crate) fn told(&self) -> String {
        let warning = if self.bad { "Not met. " } else { "" };
        format!("{warning}{}", self.sentence)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::from(vec![Piece::text(&shorten(text, CELL_CHARS))])
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::from(vec![Piece::count(count)])
    }
}

impl From<Vec<Piece>> for Cell {
    fn from(pieces: Vec<Piece>) -> Self {
        Self { pieces, ..Self::default() }
    }
}

impl Cell {
    /// A number, or a dash with the reason why there is none.
    pub(crate) fn number(
        value: Option<f64>,
        rounding: impl Into<Rounding>,
        reason: Option<&str>,
    ) -> Self {
        Self::interval([value, None, None], rounding, reason.filter(|_| value.is_none()))
    }

    /// No number, and why.
    pub(crate) fn missing(reason: &str) -> Self {
        Self::number(None, Rounding::PValue, Some(reason))
    }

    /// `3.42 [3.10, 3.74]`: a number and its interval. A missing number is a dash, a missing interval is omitted; the reason is
    /// noted.
    pub(crate) fn interval(
        [value, low, high]: [Option<f64>; 3],
        rounding: impl Into<Rounding>,
        reason: Option<&str>,
    ) -> Self {
        let rounding = rounding.into();
        let number = |value| Piece::number(value, rounding);
        let mut pieces = vec![value.map_or(Piece::text("–"), number)];
        let number = |value| Piece::beside(value, rounding);
        if let (Some(_), Some(low), Some(high)) = (value, low, high) {
            let text = Piece::text;
            pieces.extend([text(OPENS), number(low), text(", "), number(high), text("]")]);
        }
        Self { reason: reason.map(one_line), ..Self::from(pieces) }
    }

    /// A number with its interval.
    pub(crate) fn estimate(estimate: &Estimate, rounding: impl Into<Rounding>) -> Self {
        let interval = [estimate.value, estimate.low, estimate.high];
        Self::interval(interval, rounding, estimate.reason.as_deref())
    }

    /// Krippendorff's alpha with its interval.
    pub(crate) fn alpha(found: &Agreement) -> Self {
        let interval = [found.alpha, found.low, found.high];
        Self::interval(interval, Unit::Alpha, found.reason.as_deref())
    }

    /// `2–5`: from one count to another.
    pub(crate) fn range(from: impl ToString, to: impl ToString) -> Self {
        Self::from(vec![Piece::count(from), Piece::text("–"), Piece::count(to)])
    }

    /// The same with the debates behind it.
    pub(crate) fn linked(self, set: Option<SetRef>) -> Self {
        Self { set, ..self }
    }
}

impl Column {
    /// A column by its mark and its title.
    fn new(marked: &str) -> Self {
        Self {
            number: marked.starts_with(['#', '±', '!']),
            power: marked.starts_with('!'),
            title: match marked.strip_prefix('±') {
                Some(title) => format!("{title}{INTERVAL}"),
                None => one_line(marked.trim_start_matches(['#', '!'])),
            },
        }
    }
}

impl Figure {
    /// A table without rows. Columns are separated by `|`; `#` marks one of numbers, `±` one of numbers with intervals, and `!` one of
    /// numbers on what could have been detected.
    pub(crate) fn new(title: &str, columns: &str) -> Self {
        Self {
            title: one_line(title),
            columns: columns.split('|').map(Column::new).collect(),
            ..Self::default()
        }
    }

    /// The same without columns on what could have been detected; rows are given whole all the same.
    pub(crate) fn without_power(mut self) -> Self {
        let columns = self.columns.iter().enumerate();
        let power = columns.filter(|(_, column)| column.power);
        self.left_out = power.map(|(at, _)| at).collect();
        self.columns.retain(|column| !column.power);
        self
    }

    /// Adds a row, muted where it rests on too little to be compared.
    pub(crate) fn row(&mut self, muted: bool, cells: Vec<Cell>) {
        let cells = cells.into_iter().enumerate();
        let kept = cells.filter(|(at, _)| !self.left_out.contains(at));
        let mut cells: Vec<Cell> = kept.map(|(_, cell)| cell).collect();
        for cell in &mut cells {
            cell.note = cell.reason.take().map(|reason| self.reason(reason));
        }
        self.rows.push(DataRow { cells, muted, ..DataRow::default() });
    }

    /// Adds a row that a chart draws, muted as it is there.
    pub(crate) fn drawn(&mut self, whisker: Whisker, cells: Vec<Cell>) {
        self.row(whisker.muted, cells);
        self.whiskers.push(whisker);
    }

    /// The same, if it has any row.
    pub(crate) fn filled(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }

    /// Adds a heading for the rows below it.
    pub(crate) fn heading(&mut self, cell: Cell) {
        self.rows.push(DataRow { cells: vec![cell], heading: true, ..DataRow::default() });
    }

    /// The place of a reason, from 1.
    fn reason(&mut self, reason: String) -> usize {
        let known = self.reasons.iter().position(|known| *known == reason);
        if known.is_none() {
            self.reasons.push(reason);
        }
        known.map_or(self.reasons.len(), |at| at + 1)
    }

    /// Adds charts and says what they show.
    pub(crate) fn charted(
        mut self,
        charts: impl IntoIterator<Item = Chart>,
        caption: &str,
    ) -> Self {
        self.charts.extend(charts);
        self.caption = one_line(caption);
        self
    }

    /// Gives its charts a title.
    pub(crate) fn titled(mut self, title: &str) -> Self {
        self.charts = self.charts.into_iter().map(|chart| chart.titled(title)).collect();
        self
    }

    /// Adds meanings of marks: classes and words.
    pub(crate) fn with_keys<T: Into<String>>(
        mut self,
        keys: impl IntoIterator<Item = (&'static str, T)>,
    ) -> Self {
        let key = |(class, text): (_, T)| Key { class, text: text.into() };
        self.keys.extend(keys.into_iter().map(key));
        self
    }

    /// Says what it shows.
    pub(crate) fn finding(mut self, clause: Option<String>) -> Self {
        self.finding = clause.map(|clause| one_line(&clause));
        self
    }

    /// Adds notes.
    pub(crate) fn noting(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        let notes = notes.into_iter().map(|note| one_line(&note));
        self.notes.extend(notes);
        self
    }
}

impl Section {
    /// A section; without figures it says why.
    pub(crate) fn new(
        id: &'static str,
        title: &'static str,
        intro: impl Into<String>,
        figures: impl IntoIterator<Item = Figure>,
        empty: &str,
    ) -> Self {
        let figures: Vec<Figure> = figures.into_iter().collect();
        Self {
            id,
            title,
            intro: intro.into(),
            empty: figures.is_empty().then(|| one_line(empty)),
            figures,
            ..Self::default()
        }
    }

    /// The same, left to the page and JSON.
    pub(crate) fn long(self) -> Self {
        Self { long: true, ..self }
    }
}

impl Chart {
    /// A chart that fits every width.
    pub(crate) fn fluid(svg: String) -> Self {
        Self { svg, ..Self::default() }
    }

    /// The same with a title.
    pub(crate) fn titled(self, title: &str) -> Self {
        Self { title: Some(title.to_owned()), ..self }
    }
}
