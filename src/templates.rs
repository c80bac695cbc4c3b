//! Built-in and overriding minijinja templates: prompts, texts of the record, personas, artifacts. Strict: a name that
//! is not there is an error. Everything in `artifacts/` and `report/`
//! escapes for Markdown unless a filter says how, and `.html.j2` for HTML.

use std::collections::BTreeMap;
use std::path::Path;

use include_dir::{Dir, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, merge_maps};
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value,
};
use serde::Serialize;
use serde_json::Value as Json;
use walkdir::WalkDir;

use crate::files::{self, FileError};
use crate::{digest, text};

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// Folders whose templates shape requests or stand on the record; a debate's snapshot holds these, and a rehearsal's
/// also what the rehearsal says.
const SNAPSHOT: [&str; 3] = ["prompts/", "record/", "emergency/"];
/// Folders that shape one format only.
const OF_FORMAT: [(&str, &str); 1] = [("reasoning/", "dialectic")];
/// Folders to which a directory of overriding templates may add files.
const OPEN: [&str; 2] = ["personas/", "reasoning/"];

/// A template that cannot be read, parsed or rendered.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The template's text or its use of a name is wrong; the message holds minijinja's whole chain.
    #[error("template {name}: {message}")]
    Bad {
        /// The template's name, such as `prompts/ballot.md.j2`.
        name: String,
        /// What is wrong, with the line.
        message: String,
    },
    /// A file of overriding templates cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A directory of overriding templates cannot be read.
    #[error("cannot read the templates in {}: {reason}", path.display())]
    Directory {
        /// The directory.
        path: std::path::PathBuf,
        /// Why.
        reason: String,
    },
    /// A file in the directory of overriding templates that no built-in template answers to.
    #[error("{} overrides no template: there is no built-in {name}", path.display())]
    Unknown {
        /// The file.
        path: std::path::PathBuf,
        /// Its name below the directory.
        name: String,
    },
}

/// A set of templates by name, ready to render.
#[derive(Clone)]
pub struct Templates {
    sources: BTreeMap<String, String>,
    environment: Environment<'static>,
}

impl std::fmt::Debug for Templates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Templates")
            .field("names", &self.sources.keys())
            .finish_non_exhaustive()
    }
}

impl Templates {
    /// The built-in templates, those found in `overrides` in their place. New personas and reasoning
    /// templates may be added there.
    pub fn load(overrides: Option<&Path>) -> Result<Self, TemplateError> {
        let mut sources = built_in();
        for (name, source) in overrides
            .map(read_overrides)
            .transpose()?
            .unwrap_or_default()
        {
            sources.insert(name, source);
        }
        Self::from_sources(sources)
    }

    /// Templates from a snapshot.
    pub fn from_sources(sources: BTreeMap<String, String>) -> Result<Self, TemplateError> {
        let mut environment = environment();
        for (name, source) in sources.iter().filter(|(name, _)| name.ends_with(".j2")) {
            let added = environment.add_template_owned(name.clone(), source.clone());
            added.map_err(|e| bad(name, &e))?;
        }
        Ok(Self {
            sources,
            environment,
        })
    }

    /// The templates that shape a debate of a format, by name: what its snapshot holds. A folder among prompts or texts of
    /// the record belongs to the format that it is named after.
    pub fn snapshot(&self, format: &str, rehearsal: bool) -> BTreeMap<String, String> {
        let in_folder = |name: &str| {
            let below = SNAPSHOT.iter().find_map(|folder| name.strip_prefix(folder));
            below.is_some_and(|rest| {
                rest.split_once('/')
                    .is_none_or(|(folder, _)| folder == format)
            })
        };
        let of_format = |name: &str| {
            let mut folders = OF_FORMAT.iter();
            folders.any(|(folder, whose)| name.starts_with(folder) && *whose == format)
        };
        let shaping = |name: &str| {
            in_folder(name) || of_format(name) || (rehearsal && name.starts_with("rehearsal/"))
        };
        self.sources
            .iter()
            .filter(|(name, _)| shaping(name))
            .map(|(n, s)| (n.clone(), s.clone()))
            .collect()
    }

    /// These templates without those that are not in a debate's snapshot.
    pub fn shaping(&self, format: &str, rehearsal: bool) -> Self {
        let sources = self.snapshot(format, rehearsal);
        let mut environment = self.environment.clone();
        for name in self.sources.keys().filter(|n| !sources.contains_key(*n)) {
            environment.remove_template(name);
        }
        Self {
            sources,
            environment,
        }
    }

    /// The text of a file as it stands, such as a persona.
    pub fn source(&self, name: &str) -> Option<&str> {
        self.sources.get(name).map(String::as_str)
    }

    /// The SHA-256 of one template's text.
    pub fn digest(&self, name: &str) -> Option<String> {
        self.source(name)
            .map(|source| digest::of_bytes(source.as_bytes()))
    }

    /// The stems of the files in a folder.
    pub fn names(&self, folder: &str) -> Vec<&str> {
        let below = |name: &'_ str| {
            name.strip_prefix(folder)
                .and_then(|rest| rest.strip_prefix('/'))
                .map(str::len)
        };
        let stem = |name: &'_ str| -> Option<(usize, usize)> {
            let file = &name[name.len() - below(name)?..];
            (!file.contains('/')).then(|| {
                (
                    name.len() - file.len(),
                    file.find('.').unwrap_or(file.len()),
                )
            })
        };
        self.sources
            .keys()
            .filter_map(|name| stem(name).map(|(start, length)| &name[start..start + length]))
            .collect()
    }

    /// Renders a template with the fields of `context`.
    pub fn render(&self, name: &str, context: impl Serialize) -> Result<String, TemplateError> {
        self.render_value(name, Value::from(Serde(context)))
    }

    /// Renders a template with the fields of `own`, and those of `common` behind them.
    pub fn render_with(
        &self,
        name: &str,
        common: &Common,
        own: &Json,
    ) -> Result<String, TemplateError> {
        // The last map that has a field gives it.
        let context = merge_maps([common.0.clone(), Value::from(Serde(own))]);
        self.render_value(name, context)
    }

    fn render_value(&self, name: &str, context: Value) -> Result<String, TemplateError> {
        let rendered = self
            .environment
            .get_template(name)
            .and_then(|t| t.render(context));
        rendered.map_err(|e| bad(name, &e))
    }
}

/// Fields that many renderings share, made ready once.
#[derive(Debug, Clone)]
pub struct Common(Value);

impl Common {
    /// The fields of an object.
    pub fn of(fields: &Json) -> Self {
        Self(Value::from(Serde(fields)))
    }
}

fn bad(name: &str, error: &Error) -> TemplateError {
    let mut message = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    TemplateError::Bad {
        name: name.to_owned(),
        message,
    }
}

fn built_in() -> BTreeMap<String, String> {
    let mut sources = BTreeMap::new();
    collect(&BUILT_IN, &mut sources);
    sources
}

fn collect(dir: &Dir<'_>, into: &mut BTreeMap<String, String>) {
    for file in dir.files() {
        let name = file.path().to_string_lossy().replace('\\', "/");
        into.insert(name, file.contents_utf8().unwrap_or_default().to_owned());
    }
    dir.dirs().for_each(|sub| collect(sub, into));
}

fn read_overrides(dir: &Path) -> Result<BTreeMap<String, String>, TemplateError> {
    let built_in = built_in();
    let mut found = BTreeMap::new();
    for entry in WalkDir::new(dir).sort_by_file_name() {
        let entry = entry.map_err(|e| TemplateError::Directory {
            path: dir.to_path_buf(),
            reason: e.to_string(),
        })?;
        let Ok(below) = entry.path().strip_prefix(dir) else {
            continue;
        };
        let name = below.to_string_lossy().replace('\\', "/");
        if !entry.file_type().is_file() || name.starts_with('.') {
            continue;
        }
        if !built_in.contains_key(&name) && !OPEN.iter().any(|open| name.starts_with(open)) {
            return Err(TemplateError::Unknown {
                path: entry.path().to_path_buf(),
                name,
            });
        }
        found.insert(name, files::read_text(entry.path())?);
    }
    Ok(found)
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(
        SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()
            .unwrap_or_default(),
    );
    environment.set_auto_escape_callback(|name| {
        if name.ends_with(".html.j2") {
            AutoEscape::Html
        } else if name.starts_with("artifacts/") || name.starts_with("report/") {
            AutoEscape::Custom("markdown".into())
        } else {
            AutoEscape::None
        }
    });
    environment.set_formatter(format);
    environment.add_filter("block", |value: &str| Value::from_safe_string(block(value)));
    environment.add_filter("flat", flat);
    environment.add_filter("sentence", |value: &str| text::sentence(value));
    environment.add_filter("shorten", |value: &str, max: usize| {
        text::shorten(value, max)
    });
    environment.add_filter("label", |value: &str| {
        Value::from_safe_string(mermaid_label(value))
    });
    environment.add_filter("count", |n: u64, noun: &str| text::count(n, noun));
    environment.add_filter("fixed", |value: f64, places: usize| {
        format!("{value:.places$}")
    });
    environment
}

/// Writes a value where a template prints it: as it is, or escaped for one line of Markdown.
fn format(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    if !matches!(state.auto_escape(), AutoEscape::Custom(_)) {
        return minijinja::escape_formatter(out, state, value);
    }
    let text = match value {
        _ if value.is_undefined() => return Err(Error::from(ErrorKind::UndefinedError)),
        _ if value.is_none() => String::new(),
        _ if value.is_safe() => value.to_string(),
        _ => inline(&value.to_string()),
    };
    out.write_str(&text).map_err(Error::from)
}

/// Text as one line of Markdown in which nothing is markup, a link, an image, HTML or a table's cell.
pub fn inline(value: &str) -> String {
    let line = text::one_line(value);
    let mut escaped = String::with_capacity(line.len());
    let mut before = ' ';
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        match c {
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => escaped.extend(['\\', c]),
            '_' if !(before.is_alphanumeric() && after.is_alphanumeric()) => {
                escaped.push_str("\\_");
            }
            '#' if before == ' ' => escaped.push_str("\\#"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            _ => escaped.push(c),
        }
        before = c;
    }
    unlinked(&unlisted(&escaped))
}

/// One line whose first characters open neither a list nor a rule, should a template print it where a block can begin.
fn unlisted(line: &str) -> String {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    let after = rest.chars().nth(1).unwrap_or(' ');
    let opens = match rest.chars().next() {
        Some('.' | ')') => digits > 0 && after == ' ',
        Some('-' | '+' | ':') => digits == 0 && !after.is_alphanumeric(),
        _ => false,
    };
    if opens {
        format!("{number}\\{rest}")
    } else {
        line.to_owned()
    }
}

/// Text in which no bare address becomes a link: GitHub makes links of `http://…` and `www.…`.
fn unlinked(escaped: &str) -> String {
    let mut out = String::with_capacity(escaped.len());
    for (at, c) in escaped.char_indices() {
        let before = |word: &str| {
            let start = at.checked_sub(word.len());
            let found = start.and_then(|start| escaped.get(start..at));
            found.is_some_and(|found| found.eq_ignore_ascii_case(word))
        };
        if (c == '/' && before(":")) || (c == '.' && before("www")) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Text as Markdown paragraphs and lists that cannot open a heading, rule, fence, front matter, table, HTML, link or image.
pub fn block(value: &str) -> String {
    let lines = text::visible(value);
    let lines: Vec<String> = lines.trim().lines().map(block_line).collect();
    unlinked(&lines.join("\n"))
}

fn block_line(line: &str) -> String {
    let mut escaped = line
        .replace('\\', "\\\\")
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('`', "\\`")
        .replace('|', "\\|");
    // Brackets are only text unless a target or a definition follows.
    if ["](", "]:", "][", "[["]
        .iter()
        .any(|link| escaped.contains(link))
    {
        escaped = escaped.replace('[', "\\[").replace(']', "\\]");
    }
    // Signs alone may be a rule or underline a heading, even if they look like a list.
    if is_signs(escaped.trim()) {
        return format!("\\{}", escaped.trim());
    }
    let (containers, rest) = list_marks(&escaped);
    let body = rest.trim();
    let opens = body.starts_with(['#', '=', '>', ':']) || body.starts_with("~~~") || is_signs(body);
    format!("{containers}{}{body}", if opens { "\\" } else { "" })
}

/// Whether a line holds only what rules, underlines of headings and delimiters of tables are made of.
fn is_signs(line: &str) -> bool {
    let sign = |c| matches!(c, '-' | '=' | '*' | '_' | '+' | ':' | ' ' | '\t');
    !line.is_empty() && line.chars().all(sign)
}

/// Splits the marks of lists (`- `, `2. `) off a line, however many, with at most three blanks before the first: what
/// stands behind them can open a block just as a line can.
fn list_marks(line: &str) -> (String, &str) {
    let mut rest = line.trim_start();
    let mut marks = " ".repeat((line.len() - rest.len()).min(3));
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let ordered = (1..=9).contains(&digits) && rest[digits..].starts_with(['.', ')']);
        let length = if ordered {
            digits + 1
        } else {
            usize::from(rest.starts_with(['-', '+', '*']))
        };
        if length == 0 || !rest[length..].starts_with([' ', '\t']) {
            return (marks, rest);
        }
        marks.push_str(&rest[..length]);
        marks.push(' ');
        rest = rest[length..].trim_start();
    }
}

/// JSON in which every character that [`text::visible`] would replace, and what could open HTML or a link, is an escape.
pub fn inert_json(json: &str) -> String {
    let is_plain = |c: char| matches!(c, ' '..='~') && !matches!(c, '<' | '>' | '&');
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_plain(c) || !(matches!(c, '<' | '>' | '&') || text::acts(c)) {
            out.push(c);
        } else {
            let units = c
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect::<String>();
            out.push_str(&units);
        }
    }
    // Outside strings, JSON never has these two in a row.
    out.replace("](", "]\\u0028")
}

/// A Markdown text without its title, its headings turned into labels: models take headings for structure of the prompt.
fn flat(value: &str) -> String {
    let lines = value
        .lines()
        .filter(|line| !line.starts_with("# ") && !line.trim().is_empty());
    let label = |line: &str| {
        if line.starts_with('#') {
            format!("{}:", line.trim_start_matches('#').trim())
        } else {
            line.to_owned()
        }
    };
    let text = lines.map(label).collect::<Vec<_>>().join("\n");
    // A label takes the sentence that follows it onto its line, but not a list.
    text.replace(":\n", ": ").replace(": - ", ":\n- ")
}

/// Text inside a quoted Mermaid label: words stay words, a blank apart.
fn mermaid_label(value: &str) -> String {
    let line = text::one_line(value);
    let acts = |c| {
        matches!(
            c,
            '<' | '>' | '&' | '#' | '`' | '[' | ']' | '{' | '}' | '\\'
        )
    };
    let words: String = line
        .chars()
        .map(|c| match c {
            ';' => ',',
            '"' => '\'',
            c if acts(c) => ' ',
            c => c,
        })
        .collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a8_inline_text_is_never_markup() {
        assert_eq!(
            inline("a\n# <b> | [x](y) `c` *d*"),
            "a \\# &lt;b&gt; \\| \\[x\\](y) \\`c\\` \\*d\\*"
        );
    }

    #[test]
    fn a2_labels_of_a_graph_keep_words_a_blank_apart() {
        assert_eq!(
            mermaid_label("X: on \"Why?\" <b> it; [so]"),
            "X: on 'Why?' b it, so"
        );
    }

    #[test]
    fn a8_block_text_opens_no_structure() {
        let hostile = "---\n# Title\n```sh\n<script>\n![i](http://x)\n===\n> quote\n~~~\n| a |\n- item\n1. one\n***bold***";
        let escaped = block(hostile);
        for line in escaped.lines() {
            let start = line.trim_start();
            assert!(
                !start.starts_with(['#', '`', '<', '>', '=', '|', '!'])
                    || start.starts_with("!\\["),
                "{line}"
            );
            assert!(
                !start.starts_with("---") && !start.starts_with("~~~"),
                "{line}"
            );
        }
        assert!(escaped.contains("- item\n1. one\n***bold***"));
        assert!(escaped.contains("!\\[i\\](http:\\//x)"), "{escaped}");
        assert_eq!(
            block("One.\n\n[Time limit reached]"),
            "One.\n\n[Time limit reached]"
        );
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error_with_the_template_named() {
        let sources = BTreeMap::from([("prompts/x.md.j2".to_owned(), "{{ missing }}".to_owned())]);
        let error = Templates::from_sources(sources)
            .and_then(|t| t.render("prompts/x.md.j2", json!({})))
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("template prompts/x.md.j2: undefined value"),
            "{error}"
        );
    }
}
