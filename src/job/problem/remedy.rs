//! What a key expects, and what to write instead of a wrong value.

use serde_json::Value;

use super::suggestions::did_you_mean;
use crate::job::shape::{Key, Shape};
use crate::job::tree::{Data, Node};

/// What a shape expects, as messages call it.
pub(in crate::job) fn wanted(shape: &Shape) -> String {
    match shape {
        Shape::Text { .. } => "text".to_owned(),
        Shape::Whole(range) => {
            format!("a whole number from {} to {}", range.start(), range.end())
        }
        Shape::Number(range) => format!("a number from {} to {}", range.start(), range.end()),
        Shape::Flag => "true or false".to_owned(),
        Shape::Choice(words) => match words.as_slice() {
            [only] => only.clone(),
            _ => format!("one of {}", words.join(", ")),
        },
        _ => "a list".to_owned(),
    }
}

/// What to write instead of `node`.
pub(in crate::job) fn remedy(shape: &Shape, default: Option<&Value>, node: &Node) -> String {
    match shape {
        Shape::Nullable(inner) | Shape::ReadBy(inner, _) => remedy(inner, default, node),
        Shape::Choice(words) => choice_remedy(words, node),
        Shape::Text { .. } => text_remedy(node),
        Shape::Whole(range) => {
            let fits = |x: f64| (x as i64) as f64 == x && range.contains(&(x as i64));
            number_remedy(&fits, default, node)
        }
        Shape::Number(range) => number_remedy(&|x| range.contains(&x), default, node),
        Shape::Flag => flag_remedy(node),
        Shape::List(item, _) if !item.keys().is_empty() => entries(node, item.keys()),
        Shape::List(..) => list_remedy(node),
        _ => "write `key: value` lines".to_owned(),
    }
}

/// What to write where a mapping of keys was wanted. A word in the place of a participant is its model or name.
pub(in crate::job) fn mapping(node: &Node, keys: &[Key]) -> String {
    let has_model = keys.iter().any(|key| key.name == "model");
    let is_flag = node.says(true) || node.says(false);
    let word = node.text().filter(|text| is_plain(text));
    if let Some(word) = word.filter(|_| has_model && !is_flag) {
        return format!("write `{{model: {word}}}`, or `{{name: {word}}}` if that is a name");
    }
    // A share in place of a criterion.
    let share = number_in_words(node.text().unwrap_or_default(), &|x| (0.0..=100.0).contains(&x));
    if let Some(share) = share.filter(|_| !has_model && keys.iter().any(|it| it.name == "weight")) {
        let weight = if share > 1.0 { share / 100.0 } else { share };
        return format!("write `{{weight: {weight}}}`");
    }
    let remedy = match node.data {
        Data::List(_) => {
            "write its `key: value` lines, indented below it, without dashes or brackets around them"
        }
        _ if node.says(true) => {
            "write `{}` for its defaults, or `key: value` lines, indented below it"
        }
        _ => "write `key: value` lines, indented below it",
    };
    remedy.to_owned()
}

/// Whether this can be the name of a model as YAML takes it without quotes.
fn is_plain(text: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "-_.:/".contains(c);
    text.len() <= 60
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(is_of_name)
}

fn choice_remedy(words: &[String], node: &Node) -> String {
    let near = match &node.data {
        Data::Text(text) => did_you_mean(text, words.iter().map(String::as_str)),
        _ => None,
    };
    near.unwrap_or_else(|| match words {
        [only] => format!("write `{only}`, or omit the key"),
        _ => format!("choose one of {}", words.join(", ")),
    })
}

fn text_remedy(node: &Node) -> String {
    match &node.data {
        Data::Flag(flag) => format!("put it in quotes: `\"{flag}\"`"),
        Data::Null => "write some text, or remove the entry".to_owned(),
        Data::List(_) => {
            "write a single text; to try several values, list them under `matrix`".to_owned()
        }
        Data::Map(entries) => match entries.as_slice() {
            [(name, value)] if value.text().is_some() => {
                let text = format!("{}: {}", name.text, value.text().unwrap_or_default());
                let quoted = Value::from(text);
                format!("text containing `: ` must be quoted: `{quoted}`")
            }
            _ => "write a single text, in quotes if it contains `: `".to_owned(),
        },
        _ => "write text".to_owned(),
    }
}

fn number_remedy(fits: &dyn Fn(f64) -> bool, default: Option<&Value>, node: &Node) -> String {
    let text = node.text().unwrap_or_default().trim();
    let number = |text: &str| text.parse::<f64>().ok().filter(|x| fits(*x));
    if let Some(x) = number(text.trim_matches(is_quote)) {
        return match node.data {
            Data::Text(_) => format!("remove the quotes: `{x}`"),
            _ => format!("write it as {x}"),
        };
    }
    if let Some(x) = number_in_words(text, fits) {
        return format!("write only digits and a point: {x}");
    }
    match default.filter(|default| !default.is_null()) {
        Some(default) => format!("write a number in that range; the default is {default}"),
        None => "write a number in that range".to_owned(),
    }
}

/// The fitting number that a text may mean: `60%`, `0,7`, `1 000`, `4 rounds`.
fn number_in_words(text: &str, fits: &dyn Fn(f64) -> bool) -> Option<f64> {
    let number = |text: &str| text.parse::<f64>().ok();
    let share = text.strip_suffix('%').and_then(number).map(|x| x / 100.0);
    let point = number(&text.replace(',', "."));
    let joined = number(&text.replace(['_', ' ', ',', '\''], ""));
    let counted = text.split_once(' ').and_then(|(n, _)| number(n));
    let mut meant = [share, point, joined, counted].into_iter().flatten();
    meant.find(|x| fits(*x))
}

/// Quotes, including those of word processors, which mean nothing in YAML.
fn is_quote(c: char) -> bool {
    "\"'“”„‘’‚«»".contains(c)
}

fn flag_remedy(node: &Node) -> String {
    let word = node.text().unwrap_or_default().to_lowercase();
    match word.trim_matches(is_quote) {
        bare @ ("true" | "false") => format!("remove the quotes: `{bare}`"),
        "yes" | "on" | "y" | "1" => "write `true`".to_owned(),
        "no" | "off" | "n" | "0" => "write `false`".to_owned(),
        _ => "write `true` or `false`".to_owned(),
    }
}

/// How to write a list of mappings; a word in its place is a model, a number tells how many there are to be.
fn entries(node: &Node, keys: &[Key]) -> String {
    let has_model = keys.iter().any(|key| key.name == "model");
    let word = node.text().filter(|_| has_model);
    match word.filter(|text| is_plain(text)) {
        Some(model) => format!("write a list: `[{{model: {model}}}]`"),
        None if word.is_some() => {
            "write a list with an entry for each: `[{model: llama3}, {model: mistral}]`".to_owned()
        }
        None => ENTRIES.to_owned(),
    }
}

/// How to write a list with one line per entry.
const ENTRIES: &str = "write a list: begin each entry with `- `";

fn list_remedy(node: &Node) -> String {
    match node.text() {
        Some(text) if text.contains(['[', ']', ',', '{', '}']) || text.chars().count() > 60 => {
            "write a list: one line `- …` per entry".to_owned()
        }
        Some(text) => format!("write `[{text}]`"),
        None => ENTRIES.to_owned(),
    }
}
