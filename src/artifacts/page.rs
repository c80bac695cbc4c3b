//! `debate.html`: all of a debate as one page that loads nothing and reads well without its script.

mod bars;
mod paging;
mod parts;
mod seats;
mod spoken;
mod timeline;

pub use self::paging::Pages;
pub use self::spoken::side;

use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::{self, endings};
use super::context::with;
use super::{stances, summary};
use crate::id::short;
use crate::templates::{TemplateError, Templates};
use crate::text;
use crate::trace::Trace;

/// The page's name in a debate's directory.
pub const NAME: &str = "debate.html";

/// Its sheets and its script.
const SHEETS: [&str; 3] = ["pages/base.css", "pages/chart.css", "pages/debate.css"];
const SCRIPT: &str = "pages/debate.js";
/// The scripts of a debate that goes on.
const FOLLOWED: [&str; 3] = [SCRIPT, "view/share.js", "view/live.js"];
/// Characters of a topic that is shown in full: more would fill a telephone, and be cut on a wide screen too.
const SHORT_TOPIC: usize = 160;
/// Points up to which their lists stand open.
const OPEN_POINTS: usize = 60;

/// Statements beyond which a browser draws only those that are near.
const MANY: usize = 200;

/// What stands around a page, as addresses that are relative to it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Around {
    /// Whether the debate's other files stand beside it.
    pub files: bool,
    /// The list that it is in.
    pub list: Option<String>,
    /// The debate before it.
    pub previous: Option<String>,
    /// The debate after it.
    pub next: Option<String>,
    /// What was asked and replied, call by call.
    pub calls: Option<String>,
    /// Its address on a server, below which it has its files and a search.
    pub at: Option<String>,
    /// How it goes on, while it does.
    pub live: Option<Live>,
    /// Which page of it is shown, counted from 1, where a long debate has several; otherwise all of it is one.
    pub page: Option<usize>,
}

/// What a page of a debate that goes on needs to follow it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Live {
    /// Where its log is with what the page shows.
    pub after: String,
    /// Whether a process runs it.
    pub runs: bool,
    /// What it is doing, such as `Round 2 of 4: A speaks`, if its run tells.
    pub now: Option<String>,
    /// The round that has begun; 0 before the first.
    pub round: u32,
    /// How many rounds it has at most; 0 if that is not known.
    pub rounds: u64,
    /// For how many seconds the audience can still vote, while it can.
    pub votes_left: Option<u64>,
    /// Whether the page has only its beginning: the rest is too long.
    pub is_cut: bool,
    /// Where no process runs it: the command that continues it, and what that does.
    pub next: Option<[String; 2]>,
}

impl Around {
    /// In the debate's own directory, below the list of its day.
    pub fn beside_files() -> Self {
        Self { files: true, list: Some("../index.md".to_owned()), ..Self::default() }
    }
}

/// The page of a debate.
pub fn page(
    trace: &Trace,
    around: &Around,
    templates: &Templates,
) -> Result<String, TemplateError> {
    let told = summary::context(trace);
    rendered(trace, told, around, templates)
}

/// The page from what the summary tells.
pub(super) fn rendered(
    trace: &Trace,
    told: Value,
    around: &Around,
    templates: &Templates,
) -> Result<String, TemplateError> {
    let mut context = context(trace, &told, around);
    let is_last = context["pages"]["n"] == context["pages"]["all"];
    let scripts = if around.live.is_some() && is_last { &FOLLOWED[..] } else { &[SCRIPT] };
    context["assets"] = json!(templates.assets(&SHEETS, scripts));
    if let (Value::Object(all), Value::Object(told)) = (&mut context, told) {
        told.into_iter().for_each(|(key, value)| {
            all.entry(key).or_insert(value);
        });
    }
    let page = templates.render("pages/debate.html.j2", context)?;
    Ok(format!("{}\n", page.trim_end()))
}

/// What the page shows beside what the summary tells.
fn context(trace: &Trace, told: &Value, around: &Around) -> Value {
    let pages = around.page.map_or_else(|| Pages::one(trace), |_| Pages::of(trace));
    let page = around.page.unwrap_or(1);
    let points = arguments::ranked(trace);
    let lines = parts::Summaries::of(told);
    let shown = pages.on(page).iter().map(|part| part.shown(trace, told, &lines));
    with(
        trace,
        json!({
            "around": around,
            "cast": cast(trace),
            "given": summary::given(trace, usize::MAX),
            "matched": trace.plan.budget.iter().flat_map(|it| &it.allotted.debates).map(|id| short(id)).collect::<Vec<_>>(),
            "title": title(trace, &pages, page),
            "long_topic": trace.topic.chars().count() > SHORT_TOPIC,
            "is_long": trace.statements.len() > MANY || pages.count() > 1,
            "rounds_held": trace.rounds_held(),
            "bars": bars::charts(trace),
            "timeline": timeline::nodes(trace, pages.parts()),
            "parts": shown.collect::<Vec<_>>(),
            "pages": pages.shown(page),
            "full": paging::FULL,
            "addresses": pages.addresses(trace, page),
            "points": arguments::by_side(trace, &points),
            "open_points": points.len() <= OPEN_POINTS,
            "legend": endings::legend(trace, &points),
            "point_ids": trace.flow.points.iter().map(|point| &point.id).collect::<Vec<_>>(),
            "seats": seats::shown(trace, around.live.is_some()),
            "stance_kinds": stances::kinds(trace),
            "transcript": trace.plan.output["transcript"],
        }),
    )
}

fn title(trace: &Trace, pages: &Pages<'_>, page: usize) -> String {
    let topic = text::shorten(&trace.topic, 120);
    match pages.count() {
        1 => topic,
        all => format!("{topic} (page {page} of {all})"),
    }
}

/// Who may speak, by id, with name and colour.
fn cast(trace: &Trace) -> Vec<Value> {
    let all = trace.participants.iter();
    all.map(|p| json!({"id": p.id, "name": p.name, "side": spoken::side(trace, &p.id)})).collect()
}
