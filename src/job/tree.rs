//! YAML (and so JSON) as a tree whose every key and value knows its line and column. Refuses what hides meaning:
//! duplicate keys, aliases, tags, several documents, very deep nesting, files over 1 MB.

use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::Value;

use super::problem::{Place, Problems};
use super::syntax::{self, Bracket};

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
    /// A whole number, and how it was written.
    Whole(i64, String),
    /// Any other number, and how it was written.
    Number(f64, String),
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
        self.entry(key).map(|(_, node)| node)
    }

    /// A key with its value, if this is a mapping that has it.
    pub fn entry(&self, key: &str) -> Option<&(Name, Node)> {
        self.entries().iter().find(|(name, _)| name.text == key)
    }

    /// The entries of a list; a value that is no list is its own and only entry.
    pub fn items(&self) -> &[Node] {
        if let Data::List(items) = &self.data {
            items
        } else {
            std::slice::from_ref(self)
        }
    }

    /// Text, or a number as it was written.
    pub fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) | Data::Whole(_, text) | Data::Number(_, text) => Some(text),
            _ => None,
        }
    }

    /// Whether both hold the same value; 1 and 1.0 do.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::Whole(a, _), Data::Whole(b, _)) => a == b,
            (Data::Number(a, _), Data::Number(b, _)) => a == b,
            (Data::Whole(a, _), Data::Number(b, _)) | (Data::Number(b, _), Data::Whole(a, _)) => {
                *a as f64 == *b
            }
            (Data::List(a), Data::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Data::Map(a), Data::Map(b)) => {
                let found = |(name, node): &(Name, Node)| {
                    other.get(&name.text).is_some_and(|twin| node.same(twin))
                };
                a.len() == b.len() && a.iter().all(found)
            }
            _ => self.json() == other.json(),
        }
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
            Data::Whole(..) => "a whole number",
            Data::Number(..) => "a number",
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
            Data::Whole(n, _) => (*n).into(),
            Data::Number(x, _) => (*x).into(),
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

    /// A JSON value as a node whose every part is said to come from `place`.
    pub(super) fn of_json(value: &Value, place: &Place) -> Self {
        let name = |name: &String| Name {
            place: place.clone(),
            text: name.clone(),
        };
        let data = match value {
            Value::Null => Data::Null,
            Value::Bool(flag) => Data::Flag(*flag),
            Value::Number(n) => number(&n.to_string()).unwrap_or(Data::Null),
            Value::String(text) => Data::Text(text.clone()),
            Value::Array(items) => {
                Data::List(items.iter().map(|it| Self::of_json(it, place)).collect())
            }
            Value::Object(entries) => Data::Map(
                entries
                    .iter()
                    .map(|(key, value)| (name(key), Self::of_json(value, place)))
                    .collect(),
            ),
        };
        Self {
            place: place.clone(),
            data,
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
                let index = first
                    .parse()
                    .ok()
                    .filter(|n: &usize| n.to_string() == *first);
                let item = index.and_then(|index| items.get_mut(index));
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
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    if source.len() > MAX_BYTES {
        let cause = format!(
            "the file has {} bytes; it may have {MAX_BYTES}",
            source.len()
        );
        let remedy = "move long background into a Markdown file and name it under `background`";
        problems.add(&start, cause, remedy);
        return None;
    }
    let source = if problems.is_json() && !source.trim().is_empty() {
        syntax::check_json(source, problems)?;
        Cow::Owned(syntax::with_joined_surrogates(source))
    } else {
        Cow::Borrowed(source)
    };
    let mut builder = Builder {
        parser: Parser::new_from_str(&source),
        problems,
        brackets: Vec::new(),
        merging: false,
    };
    let (root, empty) = (builder.document()?, source.trim().is_empty());
    if root.is_none() {
        let cause = if empty {
            "the file is empty"
        } else {
            "the file holds only comments"
        };
        let remedy = "write `key: value` lines; `rebut new FORMAT` prints a job to start from";
        problems.add(&start, cause, remedy);
    }
    root
}

struct Builder<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    problems: &'a Problems,
    /// The collections that are open, for messages.
    brackets: Vec<Bracket>,
    /// Whether what is read belongs to a merge key, whose aliases need no message of their own.
    merging: bool,
}

impl<'a> Builder<'a> {
    /// The one document, if there is one; the outer `None` says that it cannot be read.
    fn document(&mut self) -> Option<Option<Node>> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart
                | Event::DocumentStart(_)
                | Event::DocumentEnd
                | Event::Nothing => {}
                Event::StreamEnd => return Some(root),
                _ if root.is_some() => {
                    let remedy = "put each job into a file of its own";
                    self.problems
                        .add(&place(span), "a second document begins here", remedy);
                    return None;
                }
                event => root = Some(self.value(event, span, 0)?),
            }
        }
    }

    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        match self.parser.next_event()? {
            Ok(found) => Some(found),
            Err(e) => {
                let (line, column) = (e.marker().line(), e.marker().col() + 1);
                let at = Place::At { line, column };
                let (cause, remedy) =
                    syntax::explain(e.info(), &at, self.brackets.last(), self.problems);
                let at = if self.brackets.is_empty() {
                    syntax::blamed(e.info(), at, self.problems)
                } else {
                    at
                };
                self.problems.add(&at, cause, remedy);
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
        let tagged = self.refuse_marks(&event, &at);
        let data = match event {
            Event::Scalar(text, ..) if tagged => scalar(&text, ScalarStyle::Plain),
            Event::Scalar(text, style, ..) => scalar(&text, style),
            Event::SequenceStart(..) => {
                let list = |builder: &mut Self| builder.list(depth);
                Data::List(self.inside(&at, '[', list)?)
            }
            Event::MappingStart(..) => {
                let map = |builder: &mut Self| builder.map(depth);
                Data::Map(self.inside(&at, '{', map)?)
            }
            _ => Data::Null,
        };
        Some(Node { place: at, data })
    }

    /// Reports anchors, aliases and tags; says whether there is a tag.
    fn refuse_marks(&self, event: &Event<'_>, at: &Place) -> bool {
        let (anchor, tagged) = marks(event);
        if anchor && !self.merging {
            let remedy = "write the value out (`defaults:` and `matrix:` save repetition); text that begins with `&` or `*` needs quotes";
            self.problems
                .add(at, "anchors and aliases are not read here", remedy);
        } else if tagged {
            let remedy = "write the plain value; text that begins with `!` needs quotes";
            self.problems
                .add(at, "YAML tags (`!…`) are not read here", remedy);
        }
        tagged
    }

    /// Reads what stands between brackets, if the collection at `at` is written with them.
    fn inside<T>(
        &mut self,
        at: &Place,
        opening: char,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if !self.problems.rest_of_line(at).starts_with(opening) {
            return read(self);
        }
        self.brackets.push(Bracket {
            opening,
            place: at.clone(),
        });
        let found = read(self)?;
        self.brackets.pop();
        Some(found)
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
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Some(entries);
            }
            let merge =
                matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            let name = self.name(event, span)?;
            if merge {
                self.merge(&name, depth)?;
                continue;
            }
            let (event, span) = self.next()?;
            let node = self.value(event, span, depth + 1)?;
            match entries.iter().find(|(other, _)| other.text == name.text) {
                Some((first, _)) => self.duplicate(&name, first),
                None => entries.push((name, node)),
            }
        }
    }

    fn name(&self, event: Event<'_>, span: Span) -> Option<Name> {
        let place = place(span);
        if let Event::Scalar(text, ..) = &event {
            self.refuse_marks(&event, &place);
            let text = text.clone().into_owned();
            return Some(Name { place, text });
        }
        self.problems.add(
            &place,
            "a key must be plain text",
            "write `key: value`; text that begins with `{` or `[` needs quotes",
        );
        None
    }

    fn merge(&mut self, name: &Name, depth: usize) -> Option<()> {
        let remedy = "write the keys out; `defaults:` and `matrix:` save repetition";
        self.problems
            .add(&name.place, "merge keys (`<<`) are not read here", remedy);
        let outer = std::mem::replace(&mut self.merging, true);
        let (event, span) = self.next()?;
        self.value(event, span, depth + 1)?;
        self.merging = outer;
        Some(())
    }

    fn duplicate(&self, name: &Name, first: &Name) {
        let first = first.place.in_words();
        let cause = format!("`{}` is given twice; first {first}", name.text);
        self.problems.add(&name.place, cause, "keep one of the two");
    }
}

/// Whether an event has an anchor or is an alias, and whether it has a tag.
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
    number(text).unwrap_or_else(|| Data::Text(text.to_owned()))
}

/// A number as people write it in decimals; whole ones beyond 64 bits are kept as any other number.
fn number(text: &str) -> Option<Data> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let whole = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    if let Some(n) = text.parse().ok().filter(|_| whole) {
        return Some(Data::Whole(n, text.to_owned()));
    }
    let numeric = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.chars().any(|c| c.is_ascii_digit());
    let plain = digits
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    let value = text.parse().ok().filter(|x: &f64| x.is_finite());
    value
        .filter(|_| numeric && plain)
        .map(|x| Data::Number(x, text.to_owned()))
}
