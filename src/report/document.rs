//! The report before it has a form: sections of charts and tables. HTML and Markdown are both rendered from this, so
//! they cannot disagree.

use serde::Serialize;

use super::charts::whiskers::Whisker;
use super::links::{Set, SetRef};
use super::number::{Piece, Rounding};
use crate::text;
use statistics::estimate::Estimate;

/// Columns of a matrix that a telephone has room for.
const NARROW_COLUMNS: usize = 2;
/// Characters of a text in a cell.
const CELL_CHARS: usize = 200;

/// A report.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    /// The sentence at the top of the window and of the page.
    pub title: String,
    /// What was found, the most important first.
    pub headlines: Vec<String>,
    /// What to distrust.
    pub cautions: Vec<String>,
    /// How many debates and judgments there are.
    pub counts: Vec<Count>,
    /// What the numbers were computed from and how: names and values.
    pub provenance: Vec<(String, Cell)>,
    /// The first chart, beside the verdict.
    pub first: Option<Figure>,
    /// Why there is none.
    pub no_first: Option<String>,
    /// The rest.
    pub sections: Vec<Section>,
    /// What there is nothing to show on, each with the reason.
    pub nothing: Option<String>,
    /// Lists of debates.
    pub sets: Vec<Set>,
}

/// A count on the first screen.
#[derive(Debug, Serialize)]
pub(crate) struct Count {
    /// What was counted.
    pub label: String,
    /// How many.
    pub cell: Cell,
    /// Whether it is bad that there are any.
    pub bad: bool,
}

/// A part of a report with a heading.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    /// Its anchor.
    pub id: &'static str,
    /// Its heading.
    pub title: String,
    /// What it shows and how to read it.
    pub intro: String,
    /// Its charts and tables.
    pub parts: Vec<Figure>,
    /// Why it has none.
    pub empty: Option<String>,
}

/// Charts and their table.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    /// Its heading; a part that is alone needs none.
    pub title: Option<String>,
    /// Its charts; none where there is only a table, or nothing to draw.
    pub charts: Vec<Chart>,
    /// What the charts show.
    pub caption: String,
    /// How to read them: what marks mean.
    pub key: Vec<Key>,
    /// The numbers.
    pub table: DataTable,
    /// What to know about it.
    pub notes: Vec<String>,
    /// Whether its table is shut until somebody opens it, and left out on paper.
    pub folded: bool,
}

/// A chart.
#[derive(Debug, Serialize)]
pub(crate) struct Chart {
    /// Its heading, where its figure has several.
    pub title: Option<String>,
    /// The drawing.
    pub svg: String,
    /// What its box is called where it scrolls; `null` for one that fits every width.
    pub scrolls: Option<String>,
    /// Whether a telephone shows a part of it only, and has to say so.
    pub wide: bool,
}

/// What a mark means.
#[derive(Debug, Serialize)]
pub(crate) struct Key {
    /// The class that draws it.
    pub class: &'static str,
    /// Its meaning.
    pub text: String,
}

/// A table.
#[derive(Debug, Default, Serialize)]
pub(crate) struct DataTable {
    /// What it holds.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<DataRow>,
    /// Why numbers are missing; cells name them by their place, from 1.
    pub reasons: Vec<String>,
    /// What is left out, and where to find it.
    pub more: Option<String>,
}

/// A column of a table.
#[derive(Debug, Serialize)]
pub(crate) struct Column {
    /// Its heading.
    pub title: String,
    /// Whether it holds numbers.
    pub number: bool,
}

/// A row of a table.
#[derive(Debug, Serialize)]
pub(crate) struct DataRow {
    /// Its cells; the first names the row.
    pub cells: Vec<Cell>,
    /// Whether it stands on too little to be compared.
    pub muted: bool,
    /// Whether it has one cell only, the heading of the rows below it.
    pub heading: bool,
}

/// A cell of a table.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Cell {
    /// What stands in it.
    pub pieces: Vec<Piece>,
    /// Which of the table's reasons says why something is missing.
    pub note: Option<usize>,
    /// Why something is missing.
    #[serde(skip)]
    pub reason: Option<String>,
    /// The debates behind it.
    pub set: Option<SetRef>,
    /// Where its text leads.
    pub href: Option<String>,
}

impl Cell {
    /// A text.
    pub(crate) fn text(value: &str) -> Self {
        Self::from_pieces(vec![Piece::text(&text::shorten(value, CELL_CHARS))])
    }

    /// A count.
    pub(crate) fn count(n: usize) -> Self {
        Self::from_pieces(vec![Piece::count(n)])
    }

    /// Counts with texts between and around them.
    pub(crate) fn from_pieces(pieces: Vec<Piece>) -> Self {
        Self {
            pieces,
            ..Self::default()
        }
    }

    /// A number, or a dash with the reason why there is none.
    pub(crate) fn number(value: Option<f64>, form: Rounding, reason: Option<&str>) -> Self {
        Self::interval(value, None, form, reason)
    }

    /// `3.42 [3.10, 3.74]`: a number and its interval. What is missing is a dash or left out, and the reason noted.
    pub(crate) fn interval(
        value: Option<f64>,
        ends: Option<(f64, f64)>,
        form: Rounding,
        reason: Option<&str>,
    ) -> Self {
        let Some(value) = value else {
            return Self::from_pieces(vec![Piece::text("–")]).because(reason);
        };
        let mut pieces = vec![Piece::number(value, form)];
        if let Some((low, high)) = ends {
            pieces.extend([
                Piece::text(" ["),
                Piece::number(low, form),
                Piece::text(", "),
                Piece::number(high, form),
                Piece::text("]"),
            ]);
        }
        Self::from_pieces(pieces).because(reason)
    }

    /// A number with its interval.
    pub(crate) fn estimate(estimate: &Estimate, form: Rounding) -> Self {
        let ends = estimate.low.zip(estimate.high);
        Self::interval(estimate.value, ends, form, estimate.reason.as_deref())
    }

    /// The debates behind a row.
    pub(crate) fn debates(set: Option<SetRef>) -> Self {
        let shown = set.as_ref().map_or(0, |set| set.debates).to_string();
        Self::from_pieces(vec![Piece::text(&shown)]).on(set)
    }

    /// The same with the debates behind it.
    pub(crate) fn on(mut self, set: Option<SetRef>) -> Self {
        self.set = set;
        self
    }

    fn because(mut self, reason: Option<&str>) -> Self {
        self.reason = reason.map(text::one_line);
        self
    }
}

impl DataTable {
    /// A table without rows. A column's title that begins with `#` holds numbers.
    pub(crate) fn new(caption: &str, columns: &[&str]) -> Self {
        let column = |title: &&str| Column {
            title: text::shorten(title.trim_start_matches('#'), CELL_CHARS),
            number: title.starts_with('#'),
        };
        Self {
            caption: text::one_line(caption),
            columns: columns.iter().map(column).collect(),
            ..Self::default()
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.row_that_is(false, cells);
    }

    /// Adds a row, muted where it stands on too little to be compared.
    pub(crate) fn row_that_is(&mut self, muted: bool, mut cells: Vec<Cell>) {
        for cell in &mut cells {
            cell.note = cell.reason.take().map(|reason| self.note(reason));
        }
        self.rows.push(DataRow {
            cells,
            muted,
            heading: false,
        });
    }

    /// Adds a heading of the rows below it.
    pub(crate) fn heading(&mut self, cell: Cell) {
        self.rows.push(DataRow {
            cells: vec![cell],
            muted: false,
            heading: true,
        });
    }

    /// The place of a reason among the table's, from 1.
    fn note(&mut self, reason: String) -> usize {
        let known = self.reasons.iter().position(|known| *known == reason);
        let at = known.unwrap_or_else(|| {
            self.reasons.push(reason);
            self.reasons.len() - 1
        });
        at + 1
    }
}

impl Figure {
    /// Charts with their table.
    pub(crate) fn new(charts: Vec<Chart>, caption: &str, table: DataTable) -> Self {
        Self {
            title: None,
            charts,
            caption: text::one_line(caption),
            key: Vec::new(),
            table,
            notes: Vec::new(),
            folded: false,
        }
    }

    /// A table only.
    pub(crate) fn table(table: DataTable) -> Self {
        Self::new(Vec::new(), "", table)
    }

    /// The same with a heading.
    pub(crate) fn titled(mut self, title: &str) -> Self {
        self.title = Some(text::one_line(title));
        self
    }

    /// The same, its table shut until somebody opens it.
    pub(crate) fn folded(mut self) -> Self {
        self.folded = true;
        self
    }

    /// The same with the meaning of a mark.
    pub(crate) fn with_key(mut self, class: &'static str, text: &str) -> Self {
        let text = text.to_owned();
        self.key.push(Key { class, text });
        self
    }

    /// The same with the meanings of the marks that occur.
    pub(crate) fn with_keys_of(mut self, rows: &[Whisker], plain: &str, told: &str) -> Self {
        let small = "fewer than ten observations";
        for (class, text) in [("told", told), ("plain", plain), ("muted", small)] {
            if rows
                .iter()
                .any(|row| row.value.is_some() && row.kind() == class)
            {
                self = self.with_key(class, text);
            }
        }
        self
    }

    /// The same with something to know.
    pub(crate) fn noting(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        let notes = notes.into_iter().map(|note| text::one_line(&note));
        self.notes.extend(notes);
        self
    }
}

impl Section {
    /// A section; without parts it says why.
    pub(crate) fn new(
        id: &'static str,
        title: &str,
        intro: &str,
        parts: Vec<Figure>,
        empty: &str,
    ) -> Self {
        Self {
            id,
            title: title.to_owned(),
            intro: intro.to_owned(),
            empty: parts.is_empty().then(|| text::one_line(empty)),
            parts,
        }
    }
}

impl Chart {
    /// A chart that fits every width.
    pub(crate) fn fluid(svg: String) -> Self {
        Self {
            title: None,
            svg,
            scrolls: None,
            wide: false,
        }
    }

    /// A matrix of so many columns, which scrolls in its own box where it is too wide.
    pub(crate) fn matrix(svg: String, title: &str, columns: usize) -> Self {
        Self {
            title: None,
            svg,
            scrolls: Some(format!("Chart: {}", text::one_line(title))),
            wide: columns > NARROW_COLUMNS,
        }
    }

    /// The same with a heading of its own.
    pub(crate) fn titled(mut self, title: &str) -> Self {
        self.title = Some(title.to_owned());
        self
    }
}
