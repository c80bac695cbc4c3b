//! A reader of pages, strict: what a page is made of, in order, every tag closed.

use std::collections::BTreeMap;

/// Elements that have no end.
const VOID: [&str; 3] = ["meta", "br", "input"];

/// A part of a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Open(String, BTreeMap<String, String>),
    Close(String),
    Text(String),
}

/// The parts of a page; panics where a tag is not closed or an attribute not quoted.
pub(crate) fn parts(html: &str) -> Vec<Part> {
    let mut rest = html.strip_prefix("<!DOCTYPE html>\n").expect("a doctype");
    let (mut parts, mut open): (Vec<Part>, Vec<String>) = (Vec::new(), Vec::new());
    while !rest.is_empty() {
        let end = rest.find('<').unwrap_or(rest.len());
        if end > 0 {
            parts.push(Part::Text(decoded(&rest[..end])));
        }
        let Some(tag) = rest[end..].strip_prefix('<') else {
            break;
        };
        let (tag, behind) = tag.split_once('>').expect("a tag has an end");
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "before {rest:.80}");
            parts.push(Part::Close(name.to_owned()));
            continue;
        }
        let (tag, closed) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        parts.push(Part::Open(name.to_owned(), attributes_of(attributes)));
        if closed || VOID.contains(&name) {
            parts.push(Part::Close(name.to_owned()));
        } else {
            open.push(name.to_owned());
        }
    }
    assert_eq!(open, Vec::<String>::new(), "all tags are closed");
    parts
}

fn attributes_of(text: &str) -> BTreeMap<String, String> {
    let mut rest = text.trim();
    let mut found = BTreeMap::new();
    while !rest.is_empty() {
        let name_end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let name = rest[..name_end].to_owned();
        rest = &rest[name_end..];
        let value = match rest.strip_prefix("=\"") {
            None => String::new(),
            Some(quoted) => {
                let (value, behind) = quoted.split_once('"').expect("a quoted value");
                rest = behind;
                decoded(value)
            }
        };
        assert!(found.insert(name, value).is_none(), "twice in {text}");
        rest = rest.trim_start();
    }
    found
}

fn decoded(text: &str) -> String {
    let named = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        ("&#x2f;", "/"),
        ("&amp;", "&"),
    ];
    named.iter().fold(text.to_owned(), |text, (name, sign)| text.replace(name, sign))
}

/// The text of a page, without its style and script.
pub(crate) fn text(parts: &[Part]) -> String {
    let (mut text, mut is_hidden) = (String::new(), false);
    for part in parts {
        match part {
            Part::Open(name, _) => is_hidden = ["style", "script"].contains(&&**name),
            Part::Text(said) if !is_hidden => text.push_str(said),
            Part::Close(name) if ["td", "th"].contains(&&**name) => text.push(' '),
            _ => {}
        }
    }
    text
}

/// The text of the only element of a name; empty where there is none.
pub(crate) fn content_of(parts: &[Part], wanted: &str) -> String {
    let is_wanted = |part: &Part| matches!(part, Part::Open(name, _) if name == wanted);
    let mut found = (0..parts.len()).filter(|at| is_wanted(&parts[*at]));
    let (first, second) = (found.next(), found.next());
    assert_eq!(second, None, "a second {wanted}");
    match first.map(|at| &parts[at + 1]) {
        Some(Part::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

/// The attributes of all elements of a name.
pub(crate) fn all<'p>(parts: &'p [Part], wanted: &str) -> Vec<&'p BTreeMap<String, String>> {
    let one = |part: &'p Part| match part {
        Part::Open(name, attributes) if name == wanted => Some(attributes),
        _ => None,
    };
    parts.iter().filter_map(one).collect()
}

/// The texts of the cells of all rows of all tables; a mark of a reason is in parentheses.
pub(crate) fn rows(parts: &[Part]) -> Vec<Vec<String>> {
    let (mut rows, mut cell): (Vec<Vec<String>>, Option<String>) = (Vec::new(), None);
    for part in parts {
        match part {
            Part::Open(name, _) if name == "tr" => rows.push(Vec::new()),
            Part::Open(name, _) if name == "td" || name == "th" => cell = Some(String::new()),
            Part::Open(name, _) if name == "sup" => cell.iter_mut().for_each(|c| c.push_str(" (")),
            Part::Close(name) if name == "sup" => cell.iter_mut().for_each(|c| c.push(')')),
            Part::Text(text) => cell.iter_mut().for_each(|c| c.push_str(text)),
            Part::Close(name) if name == "td" || name == "th" => {
                let row = rows.last_mut().expect("a cell is in a row");
                row.push(cell.take().expect("a cell was open"));
            }
            _ => {}
        }
    }
    rows
}
