//! Built-in and overriding minijinja templates: prompts, texts of the record, personas, artifacts. Strict: a name that
//! is missing is an error. Everything in `artifacts/` and `report/` escapes for Markdown unless a filter says otherwise, and
//! `.html.j2` for HTML.

mod cited;
mod escape;
mod inline;
mod markdown_table;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use include_dir::{Dir, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, merge_maps};
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value,
};
use serde::Serialize;
use serde_json::Value as Json;
use walkdir::WalkDir;

pub use self::escape::{block, inert_json};
pub use self::inline::inline;

use self::escape::{flat, mermaid_label};
use crate::files::{self, FileError};
use crate::html::escape::escaped;
use crate::html::{self, Assets, prose};
use crate::{digest, text};

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");
/// Templates of formats that are added to the built-in ones, by name.
static ADDED: OnceLock<Vec<(&str, &str)>> = OnceLock::new();

/// Adds templates to the built-in ones, once.
pub(crate) fn add(templates: Vec<(&'static str, &'static str)>) {
    ADDED.get_or_init(|| templates);
}

/// Folders whose templates shape requests or stand on the record; a debate's snapshot holds these, and a rehearsal's
/// also what the rehearsal says.
const SNAPSHOT: [&str; 3] = ["prompts/", "record/", "emergency/"];
/// Folders to which a directory of overriding templates may add files.
const OPEN: [&str; 2] = ["personas/", "reasoning/"];

/// The sheet that every page of a server has.
const VIEWED: &str = "view/view.css";

/// What reading or rendering a template comes to.
pub type Result<T, E = TemplateError> = std::result::Result<T, E>;

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
        /// The reason.
        reason: String,
    },
    /// A file in the directory of overriding templates without a built-in template of its name.
    #[error("{} overrides no template: there is no built-in {name}", path.display())]
    Unknown {
        /// The file.
        path: std::path::PathBuf,
        /// Its name below the directory.
        name: String,
    },
    /// A link in the directory of overriding templates, which could lead to any file.
    #[error("{} is a link, and links are not followed here; put the file itself there", .0.display())]
    Link(std::path::PathBuf),
}

/// A set of templates by name, ready to render.
#[derive(Clone)]
pub struct Templates {
    sources: Arc<BTreeMap<String, String>>,
    /// Parses a template when it is first asked for: a command needs few of them.
    environment: Environment<'static>,
    /// Whether pages load their sheets and scripts from a server.
    served: bool,
}

impl std::fmt::Debug for Templates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Templates").field("names", &self.sources.keys()).finish_non_exhaustive()
    }
}

impl Templates {
    /// The built-in templates, replaced by those in `overrides`, which may also add personas and reasoning templates.
    pub fn load(overrides: Option<&Path>) -> Result<Self> {
        let overriding = overrides.map(read_overrides).transpose()?.unwrap_or_default();
        let names: Vec<String> = overriding.keys().cloned().collect();
        let mut sources = built_in();
        sources.extend(overriding);
        Self::unparsed(sources).parsed(&names)
    }

    /// Templates from a snapshot.
    pub fn from_sources(sources: BTreeMap<String, String>) -> Result<Self> {
        let names: Vec<String> = sources.keys().cloned().collect();
        Self::unparsed(sources).parsed(&names)
    }

    /// Templates from a snapshot of which few are asked for; a fault is told by whoever asks.
    pub(crate) fn unparsed(sources: BTreeMap<String, String>) -> Self {
        let sources = Arc::new(sources);
        let mut environment = environment();
        environment.set_loader(loader(&sources));
        Self { sources, environment, served: false }
    }

    /// The same; what others have written is parsed now, so that its faults are told at once.
    fn parsed(self, names: &[String]) -> Result<Self> {
        for name in names.iter().filter(|name| is_rendered(name)) {
            self.environment.get_template(name).map_err(|e| bad(name, &e))?;
        }
        Ok(self)
    }

    /// The templates that shape a debate of a format, by name: what its snapshot holds. A folder among prompts or texts of
    /// the record belongs to the format that it is named after; `folders` are its own beside these.
    pub fn snapshot(
        &self,
        format: &str,
        folders: &[&str],
        rehearsal: bool,
    ) -> BTreeMap<String, String> {
        let in_folder = |name: &str| {
            let below = SNAPSHOT
                .iter()
                .find_map(|folder| name.strip_prefix(folder))
                .map(|rest| rest.split_once('/').map(|(folder, _)| folder));
            below.is_some_and(|folder| folder.is_none_or(|folder| folder == format))
        };
        let of_format = |name: &str| folders.iter().any(|folder| name.starts_with(folder));
        let mut snapshot = BTreeMap::clone(&self.sources);
        snapshot.retain(|name, _| {
            in_folder(name) || of_format(name) || (rehearsal && name.starts_with("rehearsal/"))
        });
        snapshot
    }

    /// These templates without those that are not in a debate's snapshot.
    pub fn shaping(&self, format: &str, folders: &[&str], rehearsal: bool) -> Self {
        let sources = Arc::new(self.snapshot(format, folders, rehearsal));
        let mut environment = self.environment.clone();
        environment.set_loader(loader(&sources));
        for name in self.sources.keys().filter(|n| !sources.contains_key(*n)) {
            environment.remove_template(name);
        }
        Self { sources, environment, served: self.served }
    }

    /// The same with one more text that is not rendered, such as a rehearsal's script.
    #[must_use]
    pub fn with_text(&self, name: &str, text: &str) -> Self {
        let mut with = self.clone();
        Arc::make_mut(&mut with.sources).insert(name.to_owned(), text.to_owned());
        with
    }

    /// The text of a file as it is, such as a persona.
    pub fn source(&self, name: &str) -> Option<&str> {
        self.sources.get(name).map(String::as_str)
    }

    /// What a page carries or loads: these sheets and scripts, in order.
    pub(crate) fn assets(&self, sheets: &[&str], scripts: &[&str]) -> Assets {
        if !self.served {
            return Assets::new(self.texts(sheets), self.texts(scripts));
        }
        let mut sheets = sheets.to_vec();
        if !sheets.contains(&VIEWED) {
            sheets.push(VIEWED);
        }
        let served = |names: &[&str]| html::asset_name(names, &self.texts(names));
        let script = (!scripts.is_empty()).then(|| served(scripts));
        Assets::served(served(&sheets), script)
    }

    /// The same for a server: pages load their sheets and scripts from it.
    #[must_use]
    pub fn served(&self) -> Self {
        Self { served: true, ..self.clone() }
    }

    /// What a server gives under a name that `assets` made.
    pub fn asset(&self, name: &str) -> Option<String> {
        let (stems, kind) = html::asset_parts(name)?;
        let is_it = |file: &str, stem: &str| {
            file.ends_with(&format!(".{kind}")) && html::asset_stem(file) == stem
        };
        let file = |stem: &&str| self.sources.keys().find(|file| is_it(file, stem));
        let files: Vec<&str> =
            stems.iter().map(|stem| file(stem).map(String::as_str)).collect::<Option<_>>()?;
        let text = self.texts(&files);
        (html::asset_name(&files, &text) == name).then_some(text)
    }

    /// The texts of sheets or scripts, one behind the other, as browsers are given them.
    fn texts(&self, names: &[&str]) -> String {
        let sent = |name: &&str| match self.source(name)? {
            sheet if name.ends_with(".css") => Some(html::compact(sheet)),
            script => Some(Cow::Borrowed(script)),
        };
        names.iter().filter_map(sent).collect()
    }

    /// The SHA-256 of one template's text.
    pub fn digest(&self, name: &str) -> Option<String> {
        Some(digest::of_bytes(self.source(name)?.as_bytes()))
    }

    /// The SHA-256 of all texts in a folder.
    pub(crate) fn digest_of(&self, folder: &str) -> String {
        let own = self.sources.iter().filter(|(name, _)| name.starts_with(folder));
        digest::of_json(&own.map(|(name, text)| (name.clone(), text.clone())).collect())
    }

    /// The stems of the files in a folder.
    pub fn names(&self, folder: &str) -> Vec<&str> {
        let names = self.sources.keys();
        let files = names
            .filter_map(|name| name.strip_prefix(folder)?.strip_prefix('/'))
            .filter(|file| !file.contains('/'));
        files.filter_map(|file| file.split('.').next()).collect()
    }

    /// Renders a template with the fields of `context`.
    pub fn render(&self, name: &str, context: impl Serialize) -> Result<String> {
        self.render_value(name, Value::from(Serde(context)))
    }

    /// Renders a template with the fields of `own`, and those of `common` behind them.
    pub fn render_with(&self, name: &str, common: &SharedFields, own: &Json) -> Result<String> {
        // The last map that has a field gives it.
        let context = merge_maps([common.0.clone(), Value::from(Serde(own))]);
        self.render_value(name, context)
    }

    fn render_value(&self, name: &str, context: Value) -> Result<String> {
        let template = self.environment.get_template(name);
        let rendered = template.and_then(|template| template.render(context));
        rendered.map_err(|e| bad(name, &e))
    }
}

/// Fields shared by many renderings, converted once.
#[derive(Debug, Clone)]
pub struct SharedFields(Value);

impl SharedFields {
    /// The fields of an object.
    pub fn new(fields: &Json) -> Self {
        Self(Value::from(Serde(fields)))
    }
}

/// Gives the texts of templates to be parsed.
fn loader(
    sources: &Arc<BTreeMap<String, String>>,
) -> impl Fn(&str) -> Result<Option<String>, Error> + Send + Sync + use<> {
    let sources = Arc::clone(sources);
    move |name| Ok(sources.get(name).filter(|_| is_rendered(name)).cloned())
}

/// Whether a file is a template, and no text such as a persona or a sheet.
fn is_rendered(name: &str) -> bool {
    name.ends_with(".j2")
}

fn bad(name: &str, error: &Error) -> TemplateError {
    let mut message = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    TemplateError::Bad { name: name.to_owned(), message }
}

fn built_in() -> BTreeMap<String, String> {
    let mut sources = BTreeMap::new();
    collect(&BUILT_IN, &mut sources);
    let added = ADDED.get().into_iter().flatten();
    sources.extend(added.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    sources
}

fn collect(dir: &Dir<'_>, into: &mut BTreeMap<String, String>) {
    for file in dir.files() {
        let name = file.path().to_string_lossy().replace('\\', "/");
        into.insert(name, file.contents_utf8().unwrap_or_default().to_owned());
    }
    dir.dirs().for_each(|sub| collect(sub, into));
}

fn read_overrides(dir: &Path) -> Result<BTreeMap<String, String>> {
    let built_in = built_in();
    let mut found = BTreeMap::new();
    for entry in WalkDir::new(dir).sort_by_file_name() {
        let entry = entry.map_err(|e| TemplateError::Directory {
            path: dir.to_path_buf(),
            reason: e.to_string(),
        })?;
        let Ok(below) = entry.path().strip_prefix(dir) else { continue };
        let name = below.to_string_lossy().replace('\\', "/");
        if name.starts_with('.') {
            continue;
        }
        if entry.path_is_symlink() && !below.as_os_str().is_empty() {
            return Err(TemplateError::Link(entry.into_path()));
        }
        if !entry.file_type().is_file() {
            continue;
        }
        if !built_in.contains_key(&name) && !OPEN.iter().any(|open| name.starts_with(open)) {
            return Err(TemplateError::Unknown { path: entry.path().to_path_buf(), name });
        }
        found.insert(name, files::read_text(entry.path())?);
    }
    Ok(found)
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true);
    environment.set_syntax(syntax.build().unwrap_or_default());
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
    environment.add_filter("prose", |value: &str| {
        Value::from_safe_string(prose(value).trim_end().to_owned())
    });
    environment.add_filter("flat", flat);
    environment.add_filter("with_commands", with_commands);
    environment.add_filter("sentence", |value: &str| text::sentence(value));
    environment.add_filter("said", text::without_emphasis);
    environment.add_filter("linked", linked);
    environment.add_filter("shorten", |value: &str, max: usize| text::shorten(value, max));
    environment.add_filter("label", |value: &str| Value::from_safe_string(mermaid_label(value)));
    environment.add_filter("count", |n: u64, noun: &str| text::count(n, noun));
    environment.add_filter("fixed", text::fixed);
    environment.add_filter("possessive", text::possessive);
    environment
}

/// Writes a value where a template prints it: as it is, or escaped for HTML or for one line of Markdown.
fn format(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let Some(escape) = escape_of(state) else {
        return minijinja::escape_formatter(out, state, value);
    };
    let text = match value {
        _ if value.is_undefined() => return Err(Error::from(ErrorKind::UndefinedError)),
        _ if value.is_none() => String::new(),
        _ if value.is_safe() => value.to_string(),
        _ => escape(&value.to_string()),
    };
    out.write_str(&text).map_err(Error::from)
}

/// What somebody said, escaped, in which the numbers of statements are links; on a page, to these addresses.
fn linked(state: &State<'_, '_>, said: &str, addresses: Option<Value>) -> Value {
    let said = escape_of(state).map_or_else(|| said.to_owned(), |escape| escape(said));
    Value::from_safe_string(cited::linked(&said, addresses.as_ref()))
}

/// How a template's values are escaped; `None` where none are.
fn escape_of(state: &State<'_, '_>) -> Option<fn(&str) -> String> {
    match state.auto_escape() {
        AutoEscape::Custom(_) => Some(inline),
        AutoEscape::Html => Some(|text| escaped(&text::visible(text))),
        _ => None,
    }
}

/// A sentence of ours, in which commands in backticks are code. All else in it is escaped: it may name models and topics.
fn with_commands(state: &State<'_, '_>, sentence: &str) -> Value {
    let (tick, open, close) = match state.auto_escape() {
        AutoEscape::Custom(_) => (r"\`", "`", "`"),
        AutoEscape::Html => ("`", "<code>", "</code>"),
        _ => ("`", "`", "`"),
    };
    let escaped = escape_of(state).map_or(sentence.to_owned(), |escape| escape(sentence));
    let (mut all, mut rest) = (String::new(), &*escaped);
    while let Some((before, command, after)) = first_command(rest, tick) {
        all.extend([before, open, command, close]);
        rest = after;
    }
    Value::from_safe_string(all + rest)
}

/// The first command between two ticks, with what stands before and after it.
fn first_command<'t>(text: &'t str, tick: &str) -> Option<(&'t str, &'t str, &'t str)> {
    text.match_indices(tick).find_map(|(at, _)| {
        let (command, after) = text[at + tick.len()..].split_once(tick)?;
        is_command(command).then_some((&text[..at], command, after))
    })
}

/// Whether a text is a command or flags that our sentences name, without anything that acts in a shell.
fn is_command(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_.:/=,".contains(c);
    let beginnings = ["rebut ", "ollama ", "--"];
    beginnings.iter().any(|it| text.starts_with(it)) && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn s5_only_commands_are_code_in_a_sentence() {
        let shown = |name: &str| {
            let text = "{{ text | with_commands }}".to_owned();
            let templates = Templates::from_sources(BTreeMap::from([(name.to_owned(), text)]));
            let text = "*a* <b>: not `rebut $(x)` or `c`, with `--retry degraded`, see `ollama pull qwen3:8b`";
            templates.unwrap().render(name, json!({ "text": text })).unwrap()
        };
        assert_eq!(
            shown("report/x.md.j2").trim(),
            r"\*a\* &lt;b&gt;: not \`rebut $(x)\` or \`c\`, with `--retry degraded`, see `ollama pull qwen3:8b`"
        );
        assert_eq!(
            shown("report/x.html.j2").trim(),
            "*a* &lt;b&gt;: not `rebut $(x)` or `c`, with <code>--retry degraded</code>, see <code>ollama pull qwen3:8b</code>"
        );
    }

    #[test]
    fn every_built_in_template_can_be_parsed() {
        let names: Vec<String> = built_in().into_keys().collect();
        let parsed = Templates::unparsed(built_in()).parsed(&names);
        assert!(parsed.is_ok(), "{parsed:?}");
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error_with_the_template_named() {
        let sources = BTreeMap::from([("prompts/x.md.j2".to_owned(), "{{ missing }}".to_owned())]);
        let error = Templates::from_sources(sources)
            .and_then(|t| t.render("prompts/x.md.j2", json!({})))
            .unwrap_err();
        assert!(
            error.to_string().starts_with("template prompts/x.md.j2: undefined value"),
            "{error}"
        );
    }
}
