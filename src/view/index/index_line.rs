//! What the viewer takes of a finished debate from a line of `index.jsonl`, or from the front matter that such a line is a copy of.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::artifacts::listing::Side;
use crate::event::Status;
use crate::files::name_of;
use crate::id::DebateId;
use crate::store::finished::FinishedDebate;

/// A finished debate, as a list tells of it. A line that lacks any of the first fields is of another version: its debate is read.
#[derive(Deserialize)]
pub(in crate::view) struct Line<'l> {
    pub(in crate::view) id: DebateId,
    /// Its directory, below the output directory.
    #[serde(borrow)]
    pub(in crate::view) path: Cow<'l, str>,
    #[serde(borrow)]
    pub(in crate::view) topic: Cow<'l, str>,
    #[serde(deserialize_with = "Option::deserialize")]
    pub(in crate::view) outcome: Option<String>,
    #[serde(deserialize_with = "Option::deserialize")]
    pub(in crate::view) cause: Option<String>,
    /// `None` if it is unfinished.
    #[serde(deserialize_with = "finished")]
    pub(in crate::view) status: Option<Status>,
    #[serde(borrow)]
    pub(in crate::view) job: Cow<'l, str>,
    pub(in crate::view) rehearsal: bool,
    #[serde(borrow, default)]
    pub(in crate::view) format: Cow<'l, str>,
    #[serde(borrow, default)]
    pub(in crate::view) sides: Vec<Side<'l>>,
    /// The side that won, or that it is a draw.
    #[serde(borrow, default)]
    pub(in crate::view) winner: Option<Cow<'l, str>>,
    #[serde(default)]
    pub(in crate::view) margin: Option<f64>,
    /// When it ended; absent in lists of earlier versions.
    #[serde(borrow, default)]
    pub(in crate::view) ended_at: Cow<'l, str>,
    /// Which of those that repeat each other; absent in lists of earlier versions.
    #[serde(default)]
    pub(in crate::view) repetition: u32,
    /// What the matrix assigned.
    #[serde(default)]
    pub(in crate::view) cell: Option<Map<String, Value>>,
}

impl<'l> Line<'l> {
    /// What a finished debate's front matter tells, which may have been edited.
    pub(in crate::view) fn of(debate: &'l FinishedDebate) -> Self {
        let field = |name: &str| debate.front.get(name);
        let text = |name: &str| field(name).and_then(Value::as_str);
        let day = debate.path.parent().map(name_of).unwrap_or_default();
        let repetition = field("repetition").and_then(Value::as_u64);
        Self {
            id: debate.id.clone(),
            path: format!("{day}/{}", name_of(&debate.path)).into(),
            topic: text("topic").unwrap_or_default().into(),
            outcome: text("outcome").map(str::to_owned),
            cause: text("cause").map(str::to_owned),
            status: Some(debate.status),
            job: debate.job.as_str().into(),
            rehearsal: debate.rehearsal,
            format: text("format").unwrap_or_default().into(),
            sides: field("sides").map(Side::all).unwrap_or_default(),
            winner: text("winner").map(Cow::from),
            margin: field("margin").and_then(Value::as_f64),
            ended_at: text("ended_at").unwrap_or_default().into(),
            repetition: repetition.map_or(0, |n| u32::try_from(n).unwrap_or(u32::MAX)),
            cell: field("cell").and_then(Value::as_object).cloned(),
        }
    }
}

/// A line of the list is a finished debate's.
fn finished<'d, D: Deserializer<'d>>(status: D) -> Result<Option<Status>, D::Error> {
    Status::deserialize(status).map(Some)
}
