//! Putting values at paths of a job: what a cell of the matrix assigns, and what `--set` and `--seed` say.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::cell::{Assignment, overlap};
use super::matrix;
use super::overrides::{Change, Overrides};
use super::problem::{Place, Problems};
use super::tree::{Data, Node};
use super::words::Refusal;
use super::yaml;

/// The default entries of the lists that a job may leave out, by the list's key.
pub(super) type DefaultLists = BTreeMap<String, Vec<Value>>;

/// Applies what the command line says to the whole job.
pub(super) fn apply(
    tree: &mut Node,
    overrides: &Overrides,
    lists: &DefaultLists,
    problems: &Problems,
) {
    let varied = matrix::paths(tree);
    for Change { path, value, flag } in overrides.changes.iter().cloned() {
        let place = Place::Flag(Arc::from(flag));
        if let Some(other) = varied.iter().find(|other| overlap(other, &path)) {
            problems.add(
                &place,
                format!("`{other}` is set by the job's matrix"),
                "leave the flag out, or remove the key from the matrix",
            );
        } else if let Some(value) = parse_value(&value, &place, problems) {
            assign(tree, &Assignment { path, place, value }, lists, problems);
        }
    }
}

/// Reads the value of a flag; what is wrong with it is reported at the flag.
fn parse_value(value: &str, place: &Place, problems: &Problems) -> Option<Node> {
    if value.trim().is_empty() {
        let remedy = "write a value after the `=`; `null` means none";
        problems.add(place, "the value is empty", remedy);
        return None;
    }
    let inner = Problems::new(Path::new("--set"), value);
    let node = yaml::parse(value, &inner);
    let faults = inner.into_sorted();
    for fault in &faults {
        let remedy = format!("{} (inside the quotes of the shell)", fault.remedy);
        problems.add(place, format!("in the value: {}", fault.cause), remedy);
    }
    node.filter(|_| faults.is_empty())
        .map(|node| node.moved_to(place))
}

/// Puts one value at its path. A list on the way that the file leaves out is made of its default entries.
pub(super) fn assign(
    tree: &mut Node,
    assignment: &Assignment,
    lists: &DefaultLists,
    problems: &Problems,
) {
    let path: Vec<&str> = assignment.path.split('.').collect();
    if let Err((cause, remedy)) =
        write_out(tree, &path, assignment, lists).and_then(|()| set(tree, &path, assignment))
    {
        let cause = format!("cannot set `{}`: {cause}", assignment.path);
        problems.add(&assignment.place, cause, remedy);
    }
}

fn set(tree: &mut Node, path: &[&str], assignment: &Assignment) -> Result<(), Refusal> {
    let remedy = "a path is keys joined by dots, with list entries counted from 0: `y.0.persona`; what applies to everyone belongs under `defaults`";
    tree.set(path, &assignment.place, assignment.value.clone())
        .map_err(|cause| (cause, remedy.to_owned()))
}

/// Writes the default entries of a list into the job where a path leads into it and the job leaves it out.
fn write_out(
    tree: &mut Node,
    path: &[&str],
    assignment: &Assignment,
    lists: &DefaultLists,
) -> Result<(), Refusal> {
    let [key, index, ..] = path else {
        return Ok(());
    };
    let Some(entries) = lists.get(*key).filter(|_| tree.get(key).is_none()) else {
        return Ok(());
    };
    if index
        .parse()
        .is_ok_and(|index: usize| index >= entries.len())
    {
        let count = match entries.len() {
            0 => "none".to_owned(),
            count => format!("{count} (they count from 0)"),
        };
        let cause = format!("a job that lists no `{key}` has {count}");
        return Err((cause, format!("list the {key} first")));
    }
    let place = &assignment.place;
    let entries = entries.iter().map(|entry| Node::of_json(entry, place));
    let list = Node {
        place: place.clone(),
        data: Data::List(entries.collect()),
    };
    let made = Assignment {
        path: (*key).to_owned(),
        place: place.clone(),
        value: list,
    };
    set(tree, &[key], &made)
}
