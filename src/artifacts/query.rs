//! What a debate on a query was asked, where the title does not say all of it.

use serde::Serialize;
use serde_json::{Value, json};

use crate::job::subjects::{LONGEST_TITLE, is_cut_from};
use crate::text;
use crate::trace::Trace;

/// Characters of it in an index.
const IN_INDEX: usize = 1200;

/// What stands below the title, or all.
#[derive(Serialize)]
pub(super) struct Query {
    pub(super) title: &'static str,
    pub(super) text: String,
    #[serde(skip)]
    is_whole: bool,
}

/// The title on one line, marked where it ends before the question's first line does.
pub(super) fn title(trace: &Trace) -> String {
    let title = text::one_line(&trace.topic);
    let query = trace.plan.query.as_ref();
    let mut lines = query.iter().flat_map(|query| query.lines()).map(text::one_line);
    let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
    let end = title.rsplit('…').next().unwrap_or_default().trim_start();
    let is_long = first.chars().count() > LONGEST_TITLE;
    let is_broken_off = is_long && is_cut_from(&title, &first) && !first.ends_with(end);
    if is_broken_off { format!("{title} …") } else { title }
}

/// The query, where the title does not have all of it: what stands below the title's line, or all.
pub(super) fn of(trace: &Trace) -> Option<Query> {
    let query = trace.plan.query.as_ref()?.trim();
    let rest = query.strip_prefix(trace.topic.trim());
    let below = rest.filter(|rest| rest.starts_with(['\n', '\r']));
    let rest = below.map_or(query, str::trim);
    // A first line that asks nothing belongs to the question below it.
    let is_asked_below = rest.contains('?') && !trace.topic.contains('?');
    let text = if is_asked_below { query } else { rest }.to_owned();
    let is_whole = text.len() == query.len();
    let title = if is_whole { "The question in full" } else { "Given with the question" };
    (query != trace.topic.trim()).then_some(Query { title, text, is_whole })
}

/// A text on one line, its items behind one another.
pub(super) fn flat(query: &str) -> String {
    let item = |line: &str| match line.trim().strip_prefix("- ") {
        Some(item) => text::sentence(item),
        None => line.trim().to_owned(),
    };
    let lines = query.lines().map(item).filter(|line| !line.is_empty());
    text::one_line(&text::separated(lines, " "))
}

/// The same on one line, of a long one as many sentences as fit; where these say no more than the title, as many words.
pub(super) fn in_index(trace: &Trace) -> Option<Value> {
    let query = of(trace)?;
    let line = flat(&query.text);
    let whole = text::beginning(&line, IN_INDEX);
    let says_more = !text::one_line(&trace.topic).starts_with(&whole);
    let begins = if says_more { whole } else { text::shorten(&line, IN_INDEX) };
    let is_cut = begins != line;
    let title = if is_cut && query.is_whole { "The question begins" } else { query.title };
    Some(json!({"title": title, "is_cut": is_cut, "begins": begins}))
}
