//! Setting values at paths of a job: those of a matrix cell, and those of `--set` and `--seed`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::cell::{Assignment, overlap};
use crate::job::overrides::{Change, Overrides};
use crate::job::problem::{Place, Problems, Refusal};
use crate::job::tree::Node;
use crate::job::yaml;

/// The default entries of the lists that a job may leave out, by the list's key.
pub(in crate::job) type DefaultLists = BTreeMap<String, Vec<Value>>;

/// Applies the overrides of the command line to the whole job.
pub(in crate::job) fn apply(
    tree: &mut Node,
    overrides: &Overrides,
    lists: &DefaultLists,
    problems: &Problems,
) {
    let varied = super::paths(tree);
    for Change { path, value, flag } in overrides.changes.iter().cloned() {
        let place = Place::Flag(Arc::from(flag));
        if let Some(other) = varied.iter().find(|other| overlap(other, &path)) {
            let cause = format!("`{other}` is set by the job's matrix");
            problems.add(&place, cause, "drop the flag, or remove the key from the matrix");
        } else if let Some(value) = parse_value(&value, &place, problems) {
            let value = Arc::new(value);
            assign(tree, &Assignment { path, place, value }, lists, problems);
        }
    }
}

/// Reads the value of a flag; its problems are reported at the flag.
fn parse_value(value: &str, place: &Place, problems: &Problems) -> Option<Node> {
    if value.trim().is_empty() {
        problems.add(place, "the value is empty", "write a value after the `=`; `null` means none");
        return None;
    }
    let inner = Problems::new(Path::new("--set"), value);
    let node = yaml::parse(value, &inner);
    let faults = inner.into_sorted();
    for fault in &faults {
        let remedy = format!("{} (inside the quotes of the shell)", fault.remedy);
        problems.add(place, format!("in the value: {}", fault.cause), remedy);
    }
    let mut node = node.filter(|_| faults.is_empty())?;
    node.move_to(place);
    Some(node)
}

/// Puts one value at its path. A list on the way that the file omits is made of its default entries.
pub(in crate::job) fn assign(
    tree: &mut Node,
    assignment: &Assignment,
    lists: &DefaultLists,
    problems: &Problems,
) {
    let Assignment { path, place, value } = assignment;
    let keys: Vec<&str> = path.split('.').collect();
    let set = write_out(tree, &keys, place, lists, problems)
        .and_then(|()| tree.set(&keys, place, Node::clone(value)).map_err(no_place));
    problems.accept_named(&format!("cannot set `{path}`:"), place, set);
}

fn no_place(cause: String) -> Refusal {
    let remedy = "a path is keys joined by dots, list entries counted from 0: `y.0.persona`; settings for everyone belong under `defaults`";
    (cause, remedy.to_owned())
}

/// Writes the default entries of a list into the job where a path leads into it and the job leaves it out.
fn write_out(
    tree: &mut Node,
    path: &[&str],
    place: &Place,
    lists: &DefaultLists,
    problems: &Problems,
) -> Result<(), Refusal> {
    let [key, index, ..] = path else { return Ok(()) };
    let Some(entries) = lists.get(*key).filter(|_| tree.get(key).is_none()) else { return Ok(()) };
    let count = entries.len();
    if index.parse().is_ok_and(|index: usize| index >= count) {
        let counted = match count {
            0 => "none".to_owned(),
            _ => format!("{count} (they count from 0)"),
        };
        let cause = format!("a job that lists no `{key}` has {counted}");
        return Err((cause, format!("list the {key} first")));
    }
    let list = parse_value(&json!(entries).to_string(), place, problems);
    list.map_or(Ok(()), |list| tree.set(&[key], place, list).map_err(no_place))
}
