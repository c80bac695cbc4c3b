//! The lists above the debates: `output/index.md` by day, an index a day (100 debates a page), `output/index.jsonl`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::artifact::{Artifact, rendered};
use super::page;
use crate::plan::{ALONE, DebateLabels};
use crate::templates::{TemplateError, Templates, inert_json};

/// Debates on a page.
const PAGE: usize = 100;

/// The listing files for debates' front matters, given in order of their paths. Debates of earlier versions may lack the
/// page: `has_page` says of a path whether one stands there.
pub fn files(
    debates: &[Map<String, Value>],
    has_page: impl Fn(&str) -> bool,
    templates: &Templates,
) -> Result<Vec<Artifact>, TemplateError> {
    let mut days: BTreeMap<&str, Vec<&Map<String, Value>>> = BTreeMap::new();
    for debate in debates {
        let day = text_of(debate, "path").split('/').next();
        let day = days.entry(day.unwrap_or_default()).or_default();
        day.push(debate);
    }
    let (path, overview) = ("index.md", overview(&days));
    let overview = rendered(path, "artifacts/days.md.j2", templates, &overview)?;
    let mut files = vec![lines(debates), overview];
    let labels = labels(debates.iter());
    for (day, debates) in &days {
        let pages = debates.len().div_ceil(PAGE);
        for (page, part) in debates.chunks(PAGE).enumerate() {
            let context = json!({
                "day": day, "page": page + 1, "pages": pages, "debates": part.iter().map(|d| row(d, &labels, &has_page)).collect::<Vec<_>>(),
                "previous": (page > 0).then(|| page_name(page - 1)), "next": (page + 1 < pages).then(|| page_name(page + 1)),
            });
            let path = format!("{day}/{}", page_name(page));
            files.push(rendered(&path, "artifacts/day.md.j2", templates, &context)?);
        }
    }
    Ok(files)
}

fn page_name(page: usize) -> String {
    match page {
        0 => "index.md".to_owned(),
        page => format!("index-{}.md", page + 1),
    }
}

fn lines(debates: &[Map<String, Value>]) -> Artifact {
    let line =
        |debate: &Map<String, Value>| inert_json(&Value::Object(debate.clone()).to_string()) + "\n";
    Artifact::new("index.jsonl", debates.iter().map(line).collect())
}

fn overview(days: &BTreeMap<&str, Vec<&Map<String, Value>>>) -> Value {
    let one = |(day, debates): (&&str, &Vec<&Map<String, Value>>)| {
        let has = |key: &str, value: Value| {
            debates.iter().filter(|debate| debate.get(key) == Some(&value)).count()
        };
        let count = |status: &str| has("status", status.into());
        json!({"day": day, "debates": debates.len(), "rehearsals": has("rehearsal", true.into()), "done": count("done"), "degraded": count("degraded"), "failed": count("failed")})
    };
    json!({"days": days.iter().rev().map(one).collect::<Vec<_>>()})
}

/// What tells the debates of each job apart.
fn labels<'d>(debates: impl Iterator<Item = &'d Map<String, Value>>) -> DebateLabels {
    let mut labels = DebateLabels::default();
    for debate in debates {
        if let Some(cell) = cell_of(debate) {
            labels.take(text_of(debate, "job"), cell, repetition_of(debate));
        }
    }
    labels
}

/// A side of a debate in its front matter, with its models.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Side<'s> {
    #[serde(borrow)]
    id: Cow<'s, str>,
    #[cfg(feature = "view")]
    #[serde(borrow)]
    side: Cow<'s, str>,
    #[serde(borrow)]
    name: Cow<'s, str>,
    #[cfg(feature = "view")]
    #[serde(borrow)]
    position: Cow<'s, str>,
    #[serde(borrow)]
    models: Vec<Cow<'s, str>>,
}

impl<'s> Side<'s> {
    /// The sides that this value tells of, which may have been edited.
    pub(crate) fn all(sides: &'s Value) -> Vec<Self> {
        let sides = sides.as_array().into_iter().flatten();
        let models = |side: &'s Value| side["models"].as_array().into_iter().flatten();
        let field = |side: &'s Value, name: &str| side[name].as_str().unwrap_or_default().into();
        let one = |side: &'s Value| Self {
            id: field(side, "id"),
            #[cfg(feature = "view")]
            side: field(side, "side"),
            name: field(side, "name"),
            #[cfg(feature = "view")]
            position: field(side, "position"),
            models: models(side).filter_map(Value::as_str).map(Cow::from).collect(),
        };
        sides.map(one).collect()
    }

    /// The names of its models.
    #[cfg(feature = "view")]
    pub(crate) fn models(&self) -> impl Iterator<Item = &str> {
        self.models.iter().map(|model| &**model)
    }
}

/// The sides with their models, `For (llama3), Against (mistral)`; the model alone where all have the same.
pub(crate) fn sides(sides: &[Side<'_>]) -> String {
    let models = |side: &Side<'_>| side.models.join(", ");
    match sides.first().map(models) {
        Some(first) if sides.iter().all(|side| models(side) == first) => first,
        _ => {
            let one = |side: &Side<'_>| format!("{} ({})", side.name, models(side));
            sides.iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Who argues against whom, of two: `Pro (llama3, economist) against Con (mistral, philosopher)`, with the personas that a matrix
/// assigned.
pub(crate) fn pairing(sides: &[Side<'_>], cell: Option<&Map<String, Value>>) -> Option<String> {
    let [one, other] = sides else {
        return None;
    };
    let persona = |side: &Side<'_>| {
        let is_its = |key: &&&str| *side.id == ***key || side.id.ends_with(&format!("_{key}"));
        let key = ALONE.iter().find(is_its)?;
        cell?.get(&format!("{key}.persona"))?.as_str()
    };
    let told = |side: &Side<'_>| {
        let known = side.models.iter().map(|model| &**model).chain(persona(side));
        format!("{} ({})", side.name, known.collect::<Vec<_>>().join(", "))
    };
    Some(format!("{} against {}", told(one), told(other)))
}

/// Who won, by name, or a team by its position, or that it is a draw; empty where nobody won.
#[cfg(feature = "view")]
pub(crate) fn winner<'s>(sides: &'s [Side<'_>], winner: &str) -> &'s str {
    let of: Vec<&Side<'_>> =
        sides.iter().filter(|it| it.side == winner || it.id == winner).collect();
    match of.as_slice() {
        _ if winner == DRAW => DRAW,
        [] => "",
        [one] => &one.name,
        [one, ..] => &one.position,
    }
}

/// What a front matter has in place of a winner where there is a draw.
#[cfg(feature = "view")]
pub(crate) const DRAW: &str = "draw";

/// What tells each of these debates from the others of its job, in words.
pub(crate) fn told_apart(debates: &[&Map<String, Value>]) -> Vec<String> {
    let labels = labels(debates.iter().copied());
    let told = debates.iter().map(|debate| {
        let cell = cell_of(debate);
        let sides = debate.get("sides").map(Side::all).unwrap_or_default();
        let pairing = pairing(&sides, cell).unwrap_or_default();
        let (job, repetition) = (text_of(debate, "job"), repetition_of(debate));
        cell.map(|cell| labels.words(job, cell, repetition, &pairing)).unwrap_or_default()
    });
    told.collect()
}

/// The time of day of a time stamp, to the minute.
fn clock(at: &Value) -> String {
    let text = at.as_str().unwrap_or_default();
    text.get(11..16).unwrap_or_default().to_owned()
}

fn text_of<'d>(debate: &'d Map<String, Value>, key: &str) -> &'d str {
    debate.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn cell_of(debate: &Map<String, Value>) -> Option<&Map<String, Value>> {
    debate.get("cell").and_then(Value::as_object)
}

fn repetition_of(debate: &Map<String, Value>) -> u32 {
    let repetition = debate.get("repetition").and_then(Value::as_u64);
    repetition.and_then(|n| u32::try_from(n).ok()).unwrap_or(1)
}

fn row(
    debate: &Map<String, Value>,
    labels: &DebateLabels,
    has_page: impl Fn(&str) -> bool,
) -> Value {
    let path = text_of(debate, "path");
    let mut row = Value::Object(debate.clone());
    row["panels"] =
        json!(debate.get("panels").and_then(Value::as_array).cloned().unwrap_or_default());
    row["page"] = json!(has_page(path).then_some(page::NAME));
    row["directory"] = json!(path.rsplit('/').next());
    row["sides"] = json!(debate.get("sides").map(|all| sides(&Side::all(all))));
    row["ended"] = json!(debate.get("ended_at").map(clock));
    let (job, repetition) = (text_of(debate, "job"), repetition_of(debate));
    row["varies"] = json!(cell_of(debate).map(|cell| labels.label(job, cell, repetition)));
    row
}
