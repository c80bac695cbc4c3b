//! What people say, how far judges agree with them, and judges' rates corrected by people.

use super::{Axis, Cell, Figure, Rounding, Section, Source, Unit, Whisker, cells, small};
use crate::stats::findings::Labels;
use crate::stats::verdicts::in_words;

/// The section; `None` where nobody was asked.
pub(crate) fn section(source: &mut Source<'_>) -> Option<Section> {
    let labels = source.findings.labels.as_ref()?;
    let figures = [alike(source, labels), corrected(source, labels)];
    let intro = "People read debates without names and said which side is ahead. If several read a debate, agreement uses the most frequent answer and rates use the mean; a debate read twice by a person counts once.";
    Some(Section::new("labels", "Judges and people", intro, figures, ""))
}

fn alike<'f>(source: &mut Source<'f>, labels: &'f Labels) -> Figure {
    let columns = "who|±alpha|±same answer|#debates";
    let mut figure = Figure::new("Agreement with people", columns);
    for row in &labels.judges {
        let found = &row.agreement;
        let cells = cells![
            &in_words(&row.verdicts),
            Cell::alpha(found),
            Cell::estimate(&found.exact, Unit::Share),
            source.debates(&row.debates, &format!("people and {}", row.verdicts)),
        ];
        figure.row(small(&found.exact), cells);
    }
    let people = &labels.people;
    let each = match labels.raters {
        1 => "people with each other".to_owned(),
        raters => format!("{raters} people with each other"),
    };
    let cells = cells![
        &*each,
        Cell::alpha(people),
        Cell::estimate(&people.exact, Unit::Share),
        people.units,
    ];
    figure.row(small(&people.exact), cells);
    let cells = cells![
        "people with themselves",
        Cell::missing("a second answer by the same person is not independent"),
        Cell::estimate(&labels.repeats, Unit::Share),
        source.debates(&labels.repeated, "people with themselves"),
    ];
    figure.row(small(&labels.repeats), cells);
    figure
}

fn corrected<'f>(source: &mut Source<'f>, labels: &'f Labels) -> Figure {
    let columns = "verdicts|model|±won, judged|±won, people|±won, corrected|#judge's weight|#read by people|#debates";
    let mut figure = Figure::new("Win rates, corrected by people", columns);
    for row in &labels.corrected {
        let verdicts = in_words(&row.verdicts);
        let name = format!("{} by {verdicts}", row.model);
        let why = row.corrected.reason.as_deref();
        let cells = cells![
            &verdicts,
            &row.model,
            Cell::estimate(&row.judged, Unit::Share),
            Cell::estimate(&row.people, Unit::Share),
            Cell::estimate(&row.corrected, Unit::Share),
            Cell::number(row.lambda, Rounding::Decimals(2), why),
            row.people.n,
            source.debates(&row.debates, &name),
        ];
        figure.drawn(Whisker::from_estimate(name, &row.corrected), cells);
    }
    let axis = Axis::around(0.5, Unit::Share).between(0.0, 1.0);
    let caption = "How often each model wins, by judges corrected by people, {intervals}.";
    source.whiskers(figure, axis, caption)
}
