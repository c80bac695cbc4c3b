//! What the documentation says of the program is what the program says: generated parts, schemas, links, rows. With
//! `SNAPSHOTS=overwrite` generated parts and schemas are rewritten.

mod example;
mod fields;
mod settings;
mod source_paths;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use crate::formats::FORMATS;
use crate::harness::{Place, list, name_of, read, with_job};

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end of generated -->";
/// Commands whose help differs only in what they are about.
const WITHOUT_A_FILE: [&str; 4] = ["moderated", "duel", "roundtable", "dialectic"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Markdown file for readers.
fn pages() -> Vec<PathBuf> {
    let top =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "output/README.md"];
    let mut pages: Vec<PathBuf> = top.iter().map(|name| root().join(name)).collect();
    let docs = walkdir::WalkDir::new(root().join("docs/src"));
    let files = docs.into_iter().map(|entry| entry.expect("an entry").into_path());
    pages.extend(files.filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    pages
}

/// Compares a file with what it should be, or rewrites it.
fn is_current(path: &Path, wanted: &str) {
    if std::env::var_os("SNAPSHOTS").is_some_and(|how| how == "overwrite") {
        std::fs::write(path, wanted).expect("a file is written");
        return;
    }
    let is = read(path);
    let differs = is.lines().zip(wanted.lines()).find(|(a, b)| a != b);
    assert!(is == wanted, "{}: first {differs:?}; SNAPSHOTS=overwrite rewrites it", path.display());
}

/// The help of every command.
fn help(place: &Place) -> String {
    let help_of = |args: &[&str]| place.rebut(args).stdout.trim_end().to_owned();
    let whole = help_of(&["--help"]);
    let mut text = format!("## rebut\n\n```text\n{whole}\n```\n");
    let (_, listed) = whole.split_once("Commands:\n").expect("a list of commands");
    let names = listed
        .lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| *name != "help" && !WITHOUT_A_FILE.contains(name)) {
        let own = help_of(&[name, "--help"]);
        let _ = write!(text, "\n## rebut {name}\n\n```text\n{own}\n```\n");
        if name == "label" {
            for of in ["export", "import", "vote"] {
                let own = help_of(&[name, of, "--help"]);
                let _ = write!(text, "\n### rebut {name} {of}\n\n```text\n{own}\n```\n");
            }
        }
        if name == "knockout" {
            let others = WITHOUT_A_FILE.map(|other| format!("`rebut {other}`")).join(", ");
            let _ = write!(text, "\n{others}: the same arguments and options.\n");
        }
    }
    text
}

fn generated(name: &str) -> String {
    match name.split_once(" of ") {
        Some(("settings", of)) => settings::table(of),
        Some(("example", part)) => example::part(part),
        Some(("fields", schema)) => fields::tables(&printed_schema(schema)),
        None if name == "personas" => personas(),
        _ => help(&Place::new()),
    }
}

/// Every built-in persona with the first sentence of its values.
fn personas() -> String {
    let mut table = "| persona | holds or does |\n|---|---|\n".to_owned();
    for path in list(&root().join("templates/personas")) {
        let text = read(&path);
        let (_, values) = text.split_once("## Values\n\n").expect("a persona has values");
        let line = values.lines().next().unwrap_or_default();
        let first = line.split(". ").next().unwrap_or_default().trim_end_matches('.');
        let name = name_of(&path);
        let _ = writeln!(table, "| `{}` | {first}. |", name.trim_end_matches(".md"));
    }
    table
}

fn printed_schema(of: &str) -> String {
    Place::new().rebut(&["schema", of]).stdout
}

/// A page with its generated parts as they should be.
fn renewed(page: &str) -> String {
    let mut parts = page.split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").expect("a marker ends");
        let (_, after) = rest.split_once(END).expect("an end of what is generated");
        let _ = write!(text, "{BEGIN}{name} -->\n\n{}\n{END}{after}", generated(name));
    }
    text
}

#[test]
fn j1_the_generated_parts_of_the_documentation_are_the_programs() {
    for path in pages() {
        let page = read(&path);
        if page.contains(BEGIN) {
            is_current(&path, &renewed(&page));
        }
    }
}

#[test]
fn j1_the_schemas_in_the_repository_are_the_programs() {
    for of in ["job", "panel", "trace", "report", "batch", "status", "fleet"] {
        let path = root().join(format!("schemas/{of}.schema.json"));
        is_current(&path, &printed_schema(of));
    }
}

#[test]
fn j1_every_shipped_job_names_the_schema_for_editors() {
    for entry in std::fs::read_dir(root().join("jobs")).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "yaml") {
            let first = "# yaml-language-server: $schema=../schemas/job.schema.json\n";
            assert!(read(&path).starts_with(first), "{}", path.display());
        }
    }
}

#[test]
fn j1_every_format_has_a_page_with_flow_settings_and_excerpt() {
    for format in FORMATS {
        let path = root().join(format!("docs/src/formats/{}.md", format.name));
        let page = read(&path);
        for part in ["```mermaid", "## How it goes", "## How it ends", "## Settings", "## Limits"] {
            assert!(page.contains(part), "{}: no {part}", format.name);
        }
        let (_, excerpt) = page.split_once("## An excerpt").unwrap_or_default();
        assert!(excerpt.contains("```text"), "{}: no excerpt", format.name);
    }
}

/// Where a page's links lead, and the anchors of its headings.
fn links_and_anchors(page: &str) -> (Vec<String>, BTreeSet<String>) {
    let (mut links, mut anchors, mut heading) = (Vec::new(), BTreeSet::new(), None::<String>);
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                links.push(dest_url.to_string());
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let text = heading.take().unwrap_or_default().to_lowercase();
                let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
                let anchor: String = text.chars().filter(kept).collect();
                anchors.insert(anchor.replace(' ', "-"));
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    (links, anchors)
}

#[test]
fn the_links_of_the_documentation_lead_somewhere() {
    let book = root().join("docs/src").canonicalize().expect("a book");
    for path in pages() {
        let (links, _) = links_and_anchors(&read(&path));
        for link in links.iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let dir = path.parent().expect("a directory");
            let target = if file.is_empty() { path.clone() } else { dir.join(file) };
            assert!(target.exists(), "{} links to {link}", path.display());
            let stays = target.canonicalize().is_ok_and(|to| to.starts_with(&book));
            let leaves = path.starts_with(&book) && !stays;
            assert!(!leaves, "{} leaves the book: {link}", path.display());
            let found = anchor.is_empty() || links_and_anchors(&read(&target)).1.contains(anchor);
            assert!(found, "{} links to {link}", path.display());
        }
    }
}

#[test]
fn the_book_lists_every_page() {
    let source = root().join("docs/src");
    let (listed, _) = links_and_anchors(&read(&source.join("SUMMARY.md")));
    for path in pages() {
        let Ok(page) = path.strip_prefix(&source) else {
            continue;
        };
        let page = page.to_string_lossy().replace('\\', "/");
        assert!(page == "SUMMARY.md" || listed.contains(&page), "{page} is not in SUMMARY.md");
    }
}

/// The `rebut` commands in a page's blocks of shell.
fn commands_in(page: &str) -> Vec<&str> {
    let (mut commands, mut fence) = (Vec::new(), "");
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(kind) => fence = kind,
            None if matches!(fence, "sh" | "console") => {
                commands.extend(line.trim_start_matches("$ ").strip_prefix("rebut "));
            }
            None => {}
        }
    }
    commands
}

#[test]
fn the_rebut_commands_in_the_documentation_are_understood() {
    let place = Place::new();
    for path in pages() {
        let page = read(&path);
        for line in commands_in(&page) {
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_whitespace();
            let help = place.rebut(&[words.next().unwrap_or_default(), "--help"]);
            assert_eq!(help.code, 0, "{}: rebut {line}", path.display());
            for flag in words.filter(|word| word.starts_with("--")) {
                let flag = flag.split('=').next().unwrap_or_default();
                assert!(help.stdout.contains(flag), "{}: rebut {line}", path.display());
            }
        }
    }
}

#[test]
fn f1_the_configuration_in_the_guide_is_the_file_that_is_shipped() {
    let guide = root().join("docs/src/guide");
    let page = read(&guide.join("machines.md"));
    let file = read(&guide.join("nats.conf"));
    assert!(page.contains(&format!("```text\n{file}```")));
}

/// The rows that names of tests begin with, such as `j9a`.
fn rows_of_tests() -> BTreeSet<String> {
    let name = Regex::new(r"fn ([a-z][0-9]+[a-c]?)_").expect("a pattern");
    let mut rows = BTreeSet::new();
    for dir in ["src", "crates", "tests"] {
        for entry in walkdir::WalkDir::new(root().join(dir)).into_iter().flatten() {
            if entry.path().extension().is_some_and(|ending| ending == "rs") {
                let source = read(entry.path());
                rows.extend(name.captures_iter(&source).map(|found| found[1].to_owned()));
            }
        }
    }
    rows
}

#[test]
fn the_requirements_and_the_tests_name_each_other() {
    let page = read(&root().join("docs/src/design/requirements.md"));
    let row = Regex::new(r"(?m)^\| ([A-Z][0-9]+[a-c]?) \| (.*)$").expect("a pattern");
    let tests = rows_of_tests();
    let shows = |test: &str, row: &str| {
        let part = row.strip_prefix(test);
        part.is_some_and(|part| !part.starts_with(|c: char| c.is_ascii_digit()))
    };
    let rows: Vec<(String, &str)> = row
        .captures_iter(&page)
        .map(|found| (found[1].to_lowercase(), found.get(2).map_or("", |text| text.as_str())))
        .collect();
    for test in &tests {
        let found = rows.iter().any(|(row, _)| shows(test, row));
        assert!(found, "a test names row {test}, which is not in the requirements");
    }
    for (row, text) in &rows {
        let excused = text.starts_with("*Planned.*") || text.contains("Shown by tests of");
        let shown = tests.iter().any(|test| shows(test, row));
        assert!(shown || excused, "row {row} has no test and does not say why");
    }
}

#[test]
fn a5_the_readme_in_the_output_directory_is_left_alone() {
    let place = with_job("topic: Should zoos be closed?\nrounds: 1\n");
    let readme = read(&root().join("output/README.md"));
    let path = place.write("output/README.md", &readme);
    assert_eq!(place.run(&["--rehearse", "job.yaml"]).code, 0);
    for command in ["index", "stats"] {
        let ended = place.rebut(&[command, "output"]);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{command}");
    }
    assert_eq!(read(&path), readme);
    assert_eq!(place.debates().len(), 1);
}

#[test]
fn the_files_that_the_documentation_names_exist() {
    let name = r"`((?:src|crates|tests|templates|benches|jobs|docs|schemas)/[\w/.-]+)`";
    let name = Regex::new(name).expect("a pattern");
    for path in pages() {
        for found in name.captures_iter(&read(&path)) {
            let example = found[1].contains("interview") || found[1].contains("ROLE");
            let exists = example || root().join(&found[1]).exists();
            assert!(exists, "{} names {}", path.display(), &found[1]);
        }
    }
}
