//! YAML (and so JSON) as a tree whose every key and value knows its line and column. Refuses what hides meaning:
//! duplicate keys, aliases, tags, several documents, very deep nesting, files over 1 MB.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::Value;

use super::problem::{Place, Problems};

/// The largest job file that is read, in bytes.
pub const MAX_BYTES: usize = 1_000_000;
const MAX_DEPTH: usize = 24;

/// A value and where it was written.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where it begins.
    pub place: Place,
    /// What it is.
    pub data: Data,
}

/// A key of a mapping and where it was written.
#[derive(Debug, Clone)]
pub struct Name {
    /// Where it begins.
    pub place: Place,
    /// Its text; numbers and flags as they were written.
    pub text: String,
}

/// The kinds of values, by YAML 1.2's core schema.
#[derive(Debug, Clone)]
pub enum Data {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Number(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<(Name, Node)>),
}

impl Node {
    /// An empty mapping.
    pub fn empty_map(place: Place) -> Self {
        Self {
            place,
            data: Data::Map(Vec::new()),
        }
    }

    /// The value of a key, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()
            .iter()
            .find(|(name, _)| name.text == key)
            .map(|(_, node)| node)
    }

    /// The entries, if this is a mapping; none otherwise.
    pub fn entries(&self) -> &[(Name, Node)] {
        if let Data::Map(entries) = &self.data {
            entries
        } else {
            &[]
        }
    }

    /// What a reader would call the value: "a list", "text"…
    pub fn kind(&self) -> &'static str {
        match self.data {
            Data::Null => "nothing",
            Data::Flag(_) => "true or false",
            Data::Whole(_) => "a whole number",
            Data::Number(_) => "a number",
            Data::Text(_) => "text",
            Data::List(_) => "a list",
            Data::Map(_) => "a mapping",
        }
    }

    /// The value as JSON.
    pub fn json(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Flag(flag) => (*flag).into(),
            Data::Whole(n) => (*n).into(),
            Data::Number(x) => (*x).into(),
            Data::Text(text) => text.as_str().into(),
            Data::List(items) => items.iter().map(Node::json).collect(),
            Data::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|(k, v)| (k.text.clone(), v.json()))
                    .collect(),
            ),
        }
    }

    /// A copy whose every part is said to come from `place`.
    pub fn moved_to(&self, place: &Place) -> Self {
        let data = match &self.data {
            Data::List(items) => {
                Data::List(items.iter().map(|item| item.moved_to(place)).collect())
            }
            Data::Map(entries) => {
                let moved = |(name, node): &(Name, Node)| {
                    (
                        Name {
                            place: place.clone(),
                            text: name.text.clone(),
                        },
                        node.moved_to(place),
                    )
                };
                Data::Map(entries.iter().map(moved).collect())
            }
            other => other.clone(),
        };
        Self {
            place: place.clone(),
            data,
        }
    }

    /// Puts `value` at a dotted path such as `y.0.persona`; mappings on the way are made. `Err` says why it can't be.
    pub fn set(&mut self, path: &[&str], name_place: &Place, value: Node) -> Result<(), String> {
        let Some((first, rest)) = path.split_first() else {
            *self = value;
            return Ok(());
        };
        match &mut self.data {
            Data::List(items) => {
                let count = items.len();
                let item = first
                    .parse()
                    .ok()
                    .and_then(|index: usize| items.get_mut(index));
                item.ok_or_else(|| {
                    format!(
                        "there is no entry `{first}` in this list of {count} (they count from 0)"
                    )
                })?
                .set(rest, name_place, value)
            }
            Data::Map(entries) => {
                let index = entries
                    .iter()
                    .position(|(name, _)| name.text == *first)
                    .unwrap_or_else(|| {
                        let name = Name {
                            place: name_place.clone(),
                            text: (*first).to_owned(),
                        };
                        entries.push((name, Node::empty_map(value.place.clone())));
                        entries.len() - 1
                    });
                entries[index].1.set(rest, name_place, value)
            }
            Data::Null => {
                self.data = Data::Map(Vec::new());
                self.set(path, name_place, value)
            }
            _ => Err(format!(
                "`{first}` would stand inside {}, which holds no keys",
                self.kind()
            )),
        }
    }
}

/// Parses a text; `None` where it cannot be read at all, with the reason in `problems`.
pub fn parse(source: &str, problems: &Problems) -> Option<Node> {
    let start = Place::At { line: 1, column: 1 };
    if source.len() > MAX_BYTES {
        let cause = format!(
            "the file has {} bytes; a job file may have {MAX_BYTES}",
            source.len()
        );
        problems.add(
            &start,
            cause,
            "move long background into a Markdown file and name it under `background`",
        );
        return None;
    }
    let mut builder = Builder {
        parser: Parser::new_from_str(source),
        problems,
    };
    builder.document(&start)
}

struct Builder<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    problems: &'a Problems,
}

impl<'a> Builder<'a> {
    fn document(&mut self, start: &Place) -> Option<Node> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart
                | Event::DocumentStart(_)
                | Event::DocumentEnd
                | Event::Nothing => {}
                Event::StreamEnd => break,
                _ if root.is_some() => {
                    self.problems.add(
                        &place(span),
                        "a second document begins here",
                        "put each job into a file of its own",
                    );
                    return None;
                }
                event => root = Some(self.value(event, span, 0)?),
            }
        }
        if root.is_none() {
            self.problems.add(
                start,
                "the file is empty",
                "`rebut new knockout` prints a job to start from",
            );
        }
        root
    }

    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        match self.parser.next_event()? {
            Ok(found) => Some(found),
            Err(e) => {
                let at = Place::At {
                    line: e.marker().line(),
                    column: e.marker().col() + 1,
                };
                let remedy = "check indentation, quotes and colons near here; text that holds `: ` or ` #` needs quotes";
                self.problems
                    .add(&at, format!("this is not YAML: {}", e.info()), remedy);
                None
            }
        }
    }

    fn value(&mut self, event: Event<'a>, span: Span, depth: usize) -> Option<Node> {
        let at = place(span);
        if depth > MAX_DEPTH {
            self.problems.add(
                &at,
                format!("nested more than {MAX_DEPTH} deep"),
                "flatten it",
            );
            return None;
        }
        let (anchor, tagged) = marks(&event);
        if anchor {
            self.problems.add(
                &at,
                "anchors and aliases are not read here",
                "write the value out; `defaults:` and `matrix:` save repetition",
            );
        } else if tagged {
            self.problems.add(
                &at,
                "YAML tags (`!…`) are not read here",
                "write the plain value",
            );
        }
        let data = match event {
            Event::Scalar(text, style, ..) => scalar(&text, style),
            Event::SequenceStart(..) => Data::List(self.list(depth)?),
            Event::MappingStart(..) => Data::Map(self.map(depth)?),
            _ => Data::Null,
        };
        Some(Node { place: at, data })
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Node>> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Some(items),
                (event, span) => items.push(self.value(event, span, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Option<Vec<(Name, Node)>> {
        let mut entries: Vec<(Name, Node)> = Vec::new();
        loop {
            let name = match self.next()? {
                (Event::MappingEnd, _) => return Some(entries),
                (Event::Scalar(text, ..), span) => Name {
                    place: place(span),
                    text: text.into_owned(),
                },
                (_, span) => {
                    self.problems.add(
                        &place(span),
                        "a key must be plain text",
                        "write `key: value`",
                    );
                    return None;
                }
            };
            let (event, span) = self.next()?;
            let node = self.value(event, span, depth + 1)?;
            match entries.iter().find(|(other, _)| other.text == name.text) {
                Some((first, _)) => self.duplicate(&name, first),
                None => entries.push((name, node)),
            }
        }
    }

    fn duplicate(&self, name: &Name, first: &Name) {
        let line = if let Place::At { line, .. } = first.place {
            line
        } else {
            0
        };
        let cause = format!("`{}` is given twice; first on line {line}", name.text);
        self.problems.add(&name.place, cause, "keep one of the two");
    }
}

fn marks(event: &Event<'_>) -> (bool, bool) {
    match event {
        Event::Alias(_) => (true, false),
        Event::Scalar(_, _, anchor, tag)
        | Event::SequenceStart(anchor, tag)
        | Event::MappingStart(anchor, tag) => (*anchor > 0, tag.is_some()),
        _ => (false, false),
    }
}

fn place(span: Span) -> Place {
    Place::At {
        line: span.start.line(),
        column: span.start.col() + 1,
    }
}

/// A scalar by YAML 1.2's core schema.
fn scalar(text: &str, style: ScalarStyle) -> Data {
    if style != ScalarStyle::Plain {
        return Data::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Data::Null,
        "true" | "True" | "TRUE" => return Data::Flag(true),
        "false" | "False" | "FALSE" => return Data::Flag(false),
        _ => {}
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) {
        return text
            .parse()
            .map_or_else(|_| Data::Text(text.to_owned()), Data::Whole);
    }
    let numeric = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.chars().any(|c| c.is_ascii_digit());
    let plain = digits
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    let number = if numeric && plain {
        text.parse().ok().filter(|x: &f64| x.is_finite())
    } else {
        None
    };
    number.map_or_else(|| Data::Text(text.to_owned()), Data::Number)
}
