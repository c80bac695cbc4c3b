//! A label sheet as a standalone page. It shows the copy of a debate that panels' judges read, without names.

use serde::Serialize;
use serde_json::json;

use super::sheet::{Item, Sheet};
use crate::job::panel::ViewKind;
use crate::panel::candidates::{NotJudged, candidates};
use crate::panel::mask::Mask;
use crate::panel::shown_record::{ShownRecord, ShownSide, ShownStatement};
use crate::templates::{Result, Templates};
use crate::trace::Trace;

const SHEETS: [&str; 2] = ["pages/base.css", "pages/labels.css"];
const SCRIPT: &str = "pages/labels.js";

/// A debate as people read it.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// What is debated.
    pub topic: String,
    /// The sides, the first one first.
    pub sides: [ShownSide; 2],
    /// What they said.
    pub said: Vec<ShownStatement>,
    /// Whether these are two answers, and no sides.
    pub answers: bool,
}

impl Shown {
    /// What people are asked about it.
    pub fn question(&self) -> &'static str {
        if self.answers { "Which answer is better?" } else { "Which side is ahead?" }
    }
}

/// What people are shown of an item's debate.
///
/// # Errors
/// Why it cannot be shown.
pub fn shown(trace: &Trace, item: &Item) -> Result<Shown, NotJudged> {
    let candidates = candidates(trace)?;
    let shown = ShownRecord::new(trace, &candidates, ViewKind::Chronological);
    let order = item.order.sides();
    Ok(Shown {
        topic: Mask::topic(trace),
        sides: shown.sides(order),
        said: shown.record(order),
        answers: shown.shows_answers(),
    })
}

/// The question over all debates; of both kinds, neither's.
fn title(debates: &[Shown]) -> &'static str {
    let Some((first, others)) = debates.split_first() else { return "Nothing to read" };
    if others.iter().all(|it| it.answers == first.answers) {
        first.question()
    } else {
        "Which one is better?"
    }
}

/// The page of a sheet, with its debates in order.
pub fn page(sheet: &Sheet, debates: &[Shown], templates: &Templates) -> Result<String> {
    let context = json!({
        "title": title(debates),
        "assets": templates.assets(&SHEETS, &[SCRIPT]),
        "sheet": sheet.id,
        "version": sheet.labels_version,
        "debates": debates,
    });
    let page = templates.render("pages/labels.html.j2", context)?;
    Ok(format!("{}\n", page.trim_end()))
}
