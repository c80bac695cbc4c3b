//! YAML (and so JSON) into a tree. Refuses what hides meaning: duplicate keys, aliases, tags, several documents, very deep
//! nesting, files over 1 MB.

pub(super) mod parser_messages;
mod tabs;

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use self::parser_messages::Bracket;
use super::problem::{Looked, Place, Problems};
use super::tree::{Data, Name, Node, number};

/// The largest job file that is read, in bytes.
const MAX_BYTES: usize = 1_000_000;
const MAX_DEPTH: usize = 24;

/// Parses a text; `None` if it cannot be read at all, with the reason in `problems`.
pub fn parse(source: &str, problems: &Problems) -> Option<Node> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    if source.len() > MAX_BYTES {
        // No more of it may have been read.
        let cause = format!("the file has more than {MAX_BYTES} bytes");
        let remedy = "move long background into a Markdown file and name it under `background`";
        problems.add(&Place::START, cause, remedy);
        return None;
    }
    let source = if problems.is_json() && !source.trim().is_empty() {
        parser_messages::check_json(source, problems)?;
        Cow::Owned(parser_messages::with_joined_surrogates(source))
    } else {
        Cow::Borrowed(source)
    };
    let mut builder = Builder {
        parser: Parser::new_from_str(&source),
        problems,
        brackets: Vec::new(),
        looked: Looked::default(),
        merging: false,
    };
    let (root, empty) = (builder.document()?, source.trim().is_empty());
    if root.is_none() {
        let cause = if empty { "the file is empty" } else { "the file contains only comments" };
        let remedy = "write `key: value` lines; `rebut new FORMAT` prints a job to start from";
        problems.add(&Place::START, cause, remedy);
    }
    root
}

struct Builder<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    problems: &'a Problems,
    /// The collections that are open, for messages.
    brackets: Vec<Bracket>,
    looked: Looked,
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
                    let remedy = "put each job in its own file";
                    self.problems.add(&place(span), "a second document begins here", remedy);
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
                self.refuse(e.info(), Place::At { line, column });
                None
            }
        }
    }

    /// Reports what the parser says of the place where it stopped.
    fn refuse(&self, message: &str, at: Place) {
        let (open, problems) = (self.brackets.last(), self.problems);
        let tab = tabs::place(message, &at, problems);
        let (cause, remedy) = match &tab {
            Some(tab) => tabs::refusal(tab, problems),
            None => parser_messages::explain(message, &at, open, problems),
        };
        let at = match (tab, open) {
            (Some(tab), _) => tab,
            (None, Some(_)) => at,
            (None, None) => parser_messages::blamed(message, at, problems),
        };
        problems.add(&at, format!("this is not YAML: {cause}"), remedy);
    }

    fn value(&mut self, event: Event<'a>, span: Span, depth: usize) -> Option<Node> {
        let at = place(span);
        if depth > MAX_DEPTH {
            let cause = format!("nested more than {MAX_DEPTH} deep");
            self.problems.add(&at, cause, "reduce the nesting");
            return None;
        }
        let tagged = self.refuse_marks(&event, &at);
        let data = match event {
            Event::Scalar(text, ..) if tagged => scalar(&text, ScalarStyle::Plain),
            Event::Scalar(text, style, ..) => scalar(&text, style),
            Event::SequenceStart(..) => {
                Data::List(self.inside(&at, '[', |builder| builder.list(depth))?)
            }
            Event::MappingStart(..) => {
                Data::Map(self.inside(&at, '{', |builder| builder.map(depth))?)
            }
            _ => Data::Null,
        };
        Some(Node { place: at, data })
    }

    /// Reports anchors, aliases and tags; says whether there is a tag.
    fn refuse_marks(&self, event: &Event<'_>, at: &Place) -> bool {
        let (anchor, tagged) = marks(event);
        if anchor && !self.merging {
            let remedy = "write the value out (`defaults:` and `matrix:` save repetition); text starting with `&` or `*` must be quoted";
            self.problems.add(at, "anchors and aliases are not supported", remedy);
        } else if tagged {
            let remedy = "write the plain value; text starting with `!` must be quoted";
            self.problems.add(at, "YAML tags (`!…`) are not supported", remedy);
        }
        tagged
    }

    /// Reads what is between brackets, if the collection at `at` is written with them.
    fn inside<T>(
        &mut self,
        at: &Place,
        opening: char,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if !self.looked.at(at, self.problems).starts_with(opening) {
            return read(self);
        }
        self.brackets.push(Bracket { opening, place: at.clone() });
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
        let mut seen: HashMap<String, usize> = HashMap::new();
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
            match seen.get(&name.text) {
                Some(first) => self.duplicate(&name, &entries[*first].0),
                None => {
                    seen.insert(name.text.clone(), entries.len());
                    entries.push((name, node));
                }
            }
        }
    }

    fn name(&self, event: Event<'_>, span: Span) -> Option<Name> {
        let place = place(span);
        if let Event::Scalar(text, ..) = &event {
            self.refuse_marks(&event, &place);
            return Some(Name { place, text: text.clone().into_owned() });
        }
        let remedy = "write `key: value`; text starting with `{` or `[` must be quoted";
        self.problems.add(&place, "a key must be plain text", remedy);
        None
    }

    fn merge(&mut self, name: &Name, depth: usize) -> Option<()> {
        let remedy = "write the keys out; `defaults:` and `matrix:` save repetition";
        self.problems.add(&name.place, "merge keys (`<<`) are not supported", remedy);
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
    Place::At { line: span.start.line(), column: span.start.col() + 1 }
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
