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
    let text = if is_asked_below { query } else { rest };
    let is_whole = text.len() == query.len();
    let title = if is_whole { "The question in full" } else { "Given with the question" };
    let text = unwrapped(text);
    (query != trace.topic.trim()).then_some(Query { title, text, is_whole })
}

/// Characters from which a line may have been broken for want of room.
const WRAPPED: usize = 60;

/// What was asked, without the breaks of lines that its author made within a sentence or an item of a list; code and verse stay
/// as they are.
fn unwrapped(query: &str) -> String {
    let (mut all, mut before) = (String::new(), "");
    let (mut is_fenced, mut is_in_item) = (false, false);
    let is_indented = |line: &str| line.starts_with([' ', '\t']);
    let ends = |line: &str| line.ends_with(['.', '!', '?']) || line.chars().count() < WRAPPED;
    for line in query.lines() {
        let said = line.trim();
        let is_fence = said.starts_with("```");
        is_fenced ^= is_fence;
        let begins = said.is_empty() || is_fenced || is_fence || is_item(said);
        let is_prose = is_in_item || !is_indented(line) && !is_indented(before);
        let goes_on = is_in_item && is_indented(line) || is_prose && !ends(before);
        let is_joined = goes_on && !begins && !before.ends_with(':');
        is_in_item = is_in_item && is_joined || begins && is_list_item(said);
        all += match is_joined {
            true => " ",
            false if all.is_empty() => "",
            false => "\n",
        };
        all += if is_joined { said } else { line };
        before = line;
    }
    all
}

/// Whether a line begins as a heading, a row, a quotation or an item of a list does.
fn is_item(line: &str) -> bool {
    is_list_item(line) || line.starts_with(['#', '|', '>'])
}

/// Whether it begins as an item of a list does: `- `, `2. `, `B) `, `(b) `.
fn is_list_item(line: &str) -> bool {
    let (mark, _) = line.split_once(' ').unwrap_or_default();
    let number = mark.trim_start_matches('(').trim_end_matches(['.', ')']);
    let is_digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let is_number = is_digits || number.len() == 1;
    ["-", "*", "+", "•"].contains(&mark) || number.len() < mark.len() && is_number
}

/// A text on one line, its items behind one another.
fn flat(query: &str) -> String {
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

/// All that was asked, on one line, behind a title that is none of it.
pub(super) fn in_one_line(trace: &Trace) -> String {
    let title = text::one_line(&trace.topic);
    let Some(query) = of(trace) else {
        return title;
    };
    let said = flat(&query.text);
    if !query.is_whole {
        format!("{title} {said}")
    } else if is_cut_from(&title, &said) {
        said
    } else if title.ends_with('?') {
        format!("{title} {said}")
    } else {
        format!("{title}: {said}")
    }
}

#[cfg(test)]
mod tests {
    use super::{flat, unwrapped};

    #[test]
    fn a4_breaks_within_a_sentence_or_an_item_go_and_others_stay() {
        let long = "What should replace the boiler of a house with twelve flats on";
        let query = format!("{long}\nfour floors?\nKnown:\n- One offer;\n  with a subsidy\n- Two.");
        let whole = format!("{long} four floors?\nKnown:\n- One offer; with a subsidy\n- Two.");
        assert_eq!(unwrapped(&query), whole);
        assert_eq!(
            flat(&whole),
            format!("{long} four floors? Known: One offer; with a subsidy. Two.")
        );
        let code = "Fix this:\ndef f(x):\n    y = x\n    return y";
        let fenced = format!("- Fix:\n```\n{long}\nx\n  y\n```\nIs it right?");
        let choices = format!("A) {long}\n(B) {long}\n• {long}\nc. {long}");
        let others = ["A\n\n  code", "One\nTwo\n1. Three", &format!("{long}\n# Title\n| a |")];
        for kept in [code, &fenced, &choices].into_iter().chain(others) {
            assert_eq!(unwrapped(kept), kept);
        }
    }
}
