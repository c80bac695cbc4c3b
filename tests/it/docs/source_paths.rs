//! Paths of source files in documentation lead to files.

use std::collections::BTreeSet;
use std::path::PathBuf;

use regex::Regex;
use walkdir::WalkDir;

use super::root;
use crate::harness::{list, read};

/// What the guide to adding a format makes up: the format, and a role in it.
const MADE_UP: [&str; 2] = ["interview", "ROLE"];

/// What explains the source to people who change it.
fn pages() -> Vec<PathBuf> {
    let top = ["ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    let design = list(&root().join("docs/src/design"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    top.into_iter().chain(design).collect()
}

/// Every path below a directory of sources, relative to the root.
fn existing() -> BTreeSet<String> {
    let below = ["src", "crates", "tests", "benches", "templates"];
    let entries = below
        .iter()
        .flat_map(|name| WalkDir::new(root().join(name)))
        .map(|entry| entry.expect("an entry").into_path());
    let relative = entries.map(|path| {
        let path = path.strip_prefix(root()).expect("below the root");
        path.to_string_lossy().into_owned()
    });
    relative.collect()
}

/// `tests/{a,b}/` as the paths that it stands for.
fn expanded(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else {
        return vec![path.to_owned()];
    };
    let (each, after) = rest.split_once('}').expect("a closing brace");
    let each = each.split(',');
    each.map(|part| format!("{before}{part}{after}")).collect()
}

/// The paths that a line names. After "`src/job/`:" a name stands for a file there; elsewhere it may stand for a file anywhere.
fn named(line: &str) -> Vec<String> {
    let span = Regex::new(r"`([^`]+)`(:?)").expect("a pattern");
    let rooted =
        Regex::new(r"^(src|crates|tests|benches|templates)/[\w./{},-]*$").expect("a pattern");
    let bare = Regex::new(r"^[\w/]+(\.rs|/)$").expect("a pattern");
    let (mut within, mut paths) = (String::new(), Vec::new());
    for found in span.captures_iter(line) {
        let path = &found[1];
        if rooted.is_match(path) {
            within = if path.ends_with('/') && &found[2] == ":" {
                path.to_owned()
            } else {
                String::new()
            };
            paths.extend(expanded(path));
        } else if bare.is_match(path) && !(within.is_empty() && path.ends_with('/')) {
            paths.push(format!("{within}{path}"));
        }
    }
    paths
}

fn leads_somewhere(path: &str, existing: &BTreeSet<String>) -> bool {
    let path = path.trim_end_matches('/');
    let anywhere = format!("/{path}");
    existing.contains(path)
        || !path.contains('/') && existing.iter().any(|it| it.ends_with(&anywhere))
}

#[test]
fn every_source_path_in_the_documentation_exists() {
    let existing = existing();
    let mut seen = 0;
    for page in pages() {
        for (line, text) in (1..).zip(read(&page).lines()) {
            for path in named(text) {
                if MADE_UP.iter().any(|part| path.contains(part)) {
                    continue;
                }
                let is_there = leads_somewhere(&path, &existing);
                assert!(is_there, "{}:{line}: there is no {path}", page.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "only {seen} paths were found");
}

#[test]
fn paths_are_read_with_the_directory_that_a_list_begins_with() {
    let line = "| `src/run/`: `queue.rs`, `live/`; `src/flow/`, `sheet.rs`, `trace.json`; `tests/{a,b}/` |";
    let named = named(line);
    assert_eq!(
        named,
        [
            "src/run/",
            "src/run/queue.rs",
            "src/run/live/",
            "src/flow/",
            "sheet.rs",
            "tests/a/",
            "tests/b/"
        ]
    );
    let existing = BTreeSet::from(["src/flow", "src/flow/sheet.rs"].map(str::to_owned));
    let lost = named.iter().filter(|path| !leads_somewhere(path, &existing));
    assert_eq!(lost.count(), 5, "all but `src/flow/` and its file");
}
