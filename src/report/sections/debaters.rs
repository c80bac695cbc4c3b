//! What debaters do, independent of judges' opinions.

use super::{Axis, Cell, Figure, Piece, Section, Source, Unit, Whisker, cells, count, small};
use crate::stats::findings::{DebaterRow, Debaters};
use crate::stats::key::Key;

/// The measure that a chart shows.
const DRAWN: &str = "flow.others.dropped";
/// Personas or positions in a table, those with most debates: positions may be as many as topics.
const LISTED: usize = 40;
/// How the names of measures begin of what it did about others' points.
const ABOUT_OTHERS: &str = "flow.others.";
/// What the short report has, and its columns.
const BRIEF: [(&str, &str); 6] = [
    ("flow.new_points", "new points per statement"),
    ("flow.others.answered", "others' points answered in full"),
    ("flow.others.partly_answered", "others' points answered in part"),
    ("flow.others.dropped", "others' points dropped"),
    ("flow.others.conceded", "others' points granted"),
    ("flow.repeats", "statements that repeat"),
];

/// What models do.
pub(crate) fn section(source: &mut Source<'_>) -> Section {
    let debaters = &source.findings.debaters;
    let mut figures: Vec<Figure> = arguments(source, &Key::Model)
        .map(|figure| drawn(source, figure))
        .into_iter()
        .chain(declined(source))
        .collect();
    if let Some(first) = figures.first_mut() {
        first.notes.extend(left_out(debaters));
    }
    let intro = format!(
        "From the notes on the arguments, the clerk's or in a dialectic the skeptic's and proposer's own: a model's reading of the debates, not a judgment. {OTHERS}. Own points are those that others had a turn to answer, so the last word brings no advantage. Others' points count by what the debater did about them, own points by how they ended: an answer that was itself answered is only in the former, and an own point that was defended after an answer counts as partly answered."
    );
    Section::new("debaters", "What debaters do", intro, figures, NOT_NOTED)
}

/// Of what the shares of others' points are, without a full stop.
pub(crate) const OTHERS: &str = "Others' points are those that a debater had a turn to answer; in a roundtable, points that support its own stance are among them. In a team, a point counts for one member: the one who replied, or else the one who had the first turn. A reply does not count if the side that made the point then called it still open. What a skeptic called resolved in part counts as answered in part, even if it was accepted";

/// Why nothing is known.
pub(crate) const NOT_NOTED: &str = "no debate has complete notes on its arguments";

/// What personas and positions do.
pub(crate) fn more(source: &mut Source<'_>) -> Section {
    let of = |of| arguments(source, of);
    let mut figures: Vec<Figure> =
        [&Key::Persona, &Key::Position].into_iter().filter_map(of).collect();
    figures.iter_mut().for_each(|figure| figure.folded = true);
    let title = "What personas and positions do";
    let intro = "The same numbers by persona and by position.";
    Section::new("personas", title, intro, figures, NOT_NOTED).long()
}

/// Models by measures in one table, where there are several to compare; it can be sorted by each measure.
pub(crate) fn side_by_side(source: &Source<'_>) -> Option<Section> {
    let title = "Models by measure";
    let figure = Figure { title: title.to_owned(), ..brief(&source.findings.debaters) };
    let intro = "The main numbers of the section above, a row per model and format.";
    let are_several = figure.rows.len() > 1;
    are_several.then(|| Section::new("models", title, intro, [figure], NOT_NOTED).long())
}

/// The short report's table: a row per model and format, those with most debates first.
pub(crate) fn brief(debaters: &Debaters) -> Figure {
    let models = debaters.rows.iter().filter(|row| row.of == Key::Model);
    let known = models.filter(|row| !row.measures.is_empty() || row.declined > 0);
    let mut rows: Vec<&DebaterRow> = known.collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.debates.len()));
    let columns = BRIEF.map(|(_, title)| format!("±{title}")).join("|");
    let are_declined = rows.iter().any(|row| row.declined > 0);
    let declined = if are_declined { "|#statements declined" } else { "" };
    let columns = format!("model|format|{columns}{declined}|#debates");
    let mut figure = Figure::new("Arguments by model", &columns);
    for row in rows {
        let mut cells = cells![&row.name, &row.format];
        cells.extend(BRIEF.map(|(name, _)| match row.measure(name) {
            Some(measure) => Cell::estimate(&measure.estimate, measure.unit),
            None if name.starts_with(ABOUT_OTHERS) && !row.measures.is_empty() => {
                Cell::missing("others made no point that it had a turn to answer")
            }
            None => Cell::missing("not noted"),
        }));
        cells.extend(are_declined.then(|| of_statements(row)));
        cells.push(Cell::from(row.debates.len()));
        figure.row(false, cells);
    }
    figure.noting(left_out(debaters))
}

/// `3 of 120`; nothing if none was declined.
fn of_statements(row: &DebaterRow) -> Cell {
    let (declined, all) = (Piece::count(row.declined), Piece::count(row.statements));
    match row.declined {
        0 => Cell::from(""),
        _ => Cell::from(vec![declined, Piece::text(" of "), all]),
    }
}

/// Below a heading for each measure, a row for each of a kind and format; `None` if nothing was noted.
fn arguments<'f>(source: &mut Source<'f>, of: &Key) -> Option<Figure> {
    let all = source.findings.debaters.rows.iter();
    let known = all.filter(|row| row.of == *of && !row.measures.is_empty());
    let mut rows: Vec<&'f DebaterRow> = known.collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.debates.len()));
    let most = LISTED.min(source.limits.groups);
    let left = rows.len().saturating_sub(most);
    rows.truncate(most);
    rows.sort_by_key(|row| (&row.format, &row.name));
    let title = format!("Arguments by {of}");
    let mut figure = Figure::new(&title, &format!("{of}|format|±value|#n|#topics|#debates"));
    for (name, label) in measures(&rows) {
        figure.heading(Cell::from(label));
        for row in &rows {
            let Some(measure) = row.measure(name) else { continue };
            let estimate = &measure.estimate;
            let cells = cells![
                &row.name,
                &row.format,
                Cell::estimate(estimate, measure.unit),
                cases(name, estimate.n),
                estimate.clusters,
                source.debates(&row.debates, &format!("{title}: {}", row.name)),
            ];
            figure.row(small(estimate), cells);
        }
    }
    let more = (left > 0).then(|| {
        let rows = count(left, "row");
        format!("{rows} with fewer debates: see the report as JSON (`-o report.json`).")
    });
    Some(figure.filled()?.noting(more))
}

/// Of what a measure has so many: each table has several kinds.
fn cases(measure: &str, n: usize) -> Cell {
    let one = match measure {
        "flow.new_points" | "flow.repeats" => "statement",
        _ => "point",
    };
    let noun = format!(" {one}{}", if n == 1 { "" } else { "s" });
    Cell::from(vec![Piece::count(n), Piece::text(&noun)])
}

/// The measures of some rows with their labels, each once, in their order.
fn measures<'f>(rows: &[&'f DebaterRow]) -> Vec<(&'f str, &'f String)> {
    let mut all: Vec<(&str, &String)> = Vec::new();
    for row in rows {
        for (place, measure) in row.measures.iter().enumerate() {
            if !all.iter().any(|(name, _)| *name == measure.name) {
                all.insert(place.min(all.len()), (&measure.name, &measure.label));
            }
        }
    }
    all
}

/// The figure with a chart of what models left unanswered.
fn drawn(source: &mut Source<'_>, mut figure: Figure) -> Figure {
    let rows = source.findings.debaters.rows.iter().filter(|row| row.of == Key::Model);
    let whisker = |row: &DebaterRow| {
        let measure = row.measure(DRAWN)?;
        let name = format!("{} · {}", row.name, row.format);
        Some(Whisker::from_estimate(name, &measure.estimate))
    };
    (figure.whiskers).extend(rows.filter_map(whisker));
    let axis = Axis::new(Unit::Share).between(0.0, 1.0);
    let caption = "The share of others' points that were dropped, {intervals}: the debater had a turn to answer them, and nobody did. The table has all measures.";
    source.whiskers(figure, axis, caption).titled("Others' points dropped, by model")
}

/// The models that declined to make statements; `None` where none did.
fn declined(source: &mut Source<'_>) -> Option<Figure> {
    let rows =
        source.findings.debaters.rows.iter().filter(|row| row.of == Key::Model && row.declined > 0);
    let columns = "model|format|#declined|#of statements|#debates";
    let mut figure = Figure::new("Statements declined at first", columns);
    for row in rows {
        let what = format!("statements of {} in {} debates", row.name, row.format);
        let cells = cells![
            &row.name,
            &row.format,
            row.declined,
            row.statements,
            source.debates(&row.debates, &what),
        ];
        figure.row(false, cells);
    }
    let note = "A model that declines is asked once more, with the exercise explained; then a fallback model is asked.";
    Some(figure.filled()?.noting([note.to_owned()]))
}

/// The debates whose arguments are in no number.
fn left_out(debaters: &Debaters) -> Option<String> {
    let missing = debaters.not_noted;
    let all = count(debaters.noted + missing, "debate");
    (missing > 0).then(|| {
        format!("No complete notes in {missing} of {all}: their arguments are in no number here.")
    })
}

#[cfg(test)]
mod tests {
    use statistics::estimate::Estimate;

    use super::*;
    use crate::stats::findings::Measure;

    #[test]
    fn s2_that_there_was_nothing_to_answer_is_told_from_missing_notes() {
        let estimate = Estimate { n: 2, clusters: 1, value: Some(0.0), ..Estimate::default() };
        let measure = Measure {
            name: "flow.new_points".to_owned(),
            label: String::new(),
            format: None,
            unit: Unit::Score,
            estimate,
        };
        let reasons = |measures: Vec<Measure>| {
            let row = DebaterRow {
                of: Key::Model,
                name: "llama3".to_owned(),
                format: "duel".to_owned(),
                statements: 2,
                declined: 1,
                measures,
                debates: vec![1],
            };
            brief(&Debaters { noted: 1, not_noted: 0, rows: vec![row] }).reasons
        };
        let none = "others made no point that it had a turn to answer".to_owned();
        assert!(reasons(vec![measure]).contains(&none));
        assert_eq!(reasons(Vec::new()), ["not noted"]);
    }
}
