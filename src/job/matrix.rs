//! `matrix`, `exclude`, `include`: one job's cells, each a set of assignments of values to paths (row J2).

pub(super) mod assign;
pub(super) mod cell;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use self::cell::{Assignment, Cell, PatternLookup, overlap};
use super::problem::Problems;
use super::problem::suggestions;
use super::shape::{Key, Shape, by_name, list, nullable};
use super::tree::{Data, Name, Node};

/// Maximum cells per job.
pub(super) const MAX_CELLS: usize = 100_000;
/// Maximum paths per cell: every pair of them is compared.
const MOST_PATHS: usize = 1_000;

/// Keys that describe the file and not a debate: they cannot vary.
const FIXED: [&str; 19] = [
    "matrix",
    "exclude",
    "include",
    "repeat",
    "priority",
    "name",
    "format",
    "output",
    "allow_cloud",
    "models",
    "topics",
    "questions",
    "question",
    "assign",
    "swap",
    "arm",
    "arms",
    "match",
    "panel",
];

/// The keys of a matrix.
pub(super) fn keys() -> [Key; 3] {
    let values = by_name(list(Shape::Any, 1..=MAX_CELLS));
    let cells = || nullable(list(by_name(Shape::Any), 0..=MAX_CELLS));
    let doc = "Paths and lists of values; every combination is a debate. A mapping in a list sets several paths together";
    let excluded = "Cells to exclude: those that match all keys of an entry";
    [
        Key::new("matrix", doc, values, json!({})),
        Key::new("exclude", excluded, cells(), json!([])),
        Key::new("include", "Cells to add, one per entry", cells(), json!([])),
    ]
}

/// All cells of a job, in order; `first` is an axis before those of the matrix. Without any there is one cell, which changes
/// nothing.
pub(super) fn cells(job: &Node, first: Option<Vec<Cell>>, problems: &Problems) -> Vec<Cell> {
    let axes = axes(job, first, problems);
    let count = axes.iter().try_fold(1_usize, |n, axis| n.checked_mul(axis.len()));
    if count.is_none_or(|n| n > MAX_CELLS) {
        let cause = format!("the matrix has more than {MAX_CELLS} cells");
        problems.add(job.place_of_key("matrix"), cause, "split the job");
        return Vec::new();
    }
    let mut cells = product(&axes);
    exclude(job, &mut cells, problems);
    cells.extend(listed(job, "include", problems));
    if cells.is_empty() {
        let cause = "every cell is excluded, so there would be no debate";
        problems.add(job.place_of_key("exclude"), cause, "remove an entry of `exclude`");
    }
    cells
}

/// Drops the values that the cells were made from: each of perhaps many cells is read from a copy of the job.
pub(super) fn forget(job: &mut Node) {
    let Data::Map(entries) = &mut job.data else { return };
    let made_from = |name: &Name| ["matrix", "exclude", "include"].contains(&&*name.text);
    for (_, values) in entries.iter_mut().filter(|(name, _)| made_from(name)) {
        values.data = Data::Null;
    }
}

/// Every path that the matrix of a job sets.
pub(super) fn paths(job: &Node) -> Vec<String> {
    let axes = axes(job, None, &Problems::new(Path::new(""), ""));
    axes.into_iter().flatten().flatten().map(|a| a.path).collect()
}

/// Drops the cells that an entry of `exclude` matches; an entry that matches none is a problem.
fn exclude(job: &Node, cells: &mut Vec<Cell>, problems: &Problems) {
    let known: BTreeSet<&str> = cells.iter().flatten().map(|a| a.path.as_str()).collect();
    let mut patterns = listed(job, "exclude", problems);
    patterns.retain(|pattern| check_exclude(pattern, &known, problems));
    let lookup = PatternLookup::new(&patterns);
    let mut matched = vec![false; patterns.len()];
    cells.retain(|cell| {
        let by = lookup.matching(cell);
        by.iter().for_each(|pattern| matched[*pattern] = true);
        by.is_empty()
    });
    let idle = patterns.iter().zip(matched).filter(|(_, matched)| !matched);
    for first in idle.filter_map(|(pattern, _)| pattern.first()) {
        let cause = "this entry of `exclude` matches no cell";
        let remedy = "an entry excludes cells that match all its values (a quoted \"3\" is text); correct it or remove it";
        problems.add(&first.place, cause, remedy);
    }
}

fn product(axes: &[Vec<Cell>]) -> Vec<Cell> {
    axes.iter().fold(vec![Cell::new()], |cells, axis| {
        let extended = |cell: &Cell| {
            let cell = cell.clone();
            axis.iter().map(move |item| [cell.clone(), item.clone()].concat())
        };
        cells.iter().flat_map(extended).collect()
    })
}

fn axes(job: &Node, first: Option<Vec<Cell>>, problems: &Problems) -> Vec<Vec<Cell>> {
    let Some(matrix) = job.get("matrix") else { return first.into_iter().collect() };
    if !matches!(matrix.data, Data::Map(_) | Data::Null) {
        let remedy = "write `matrix: {x.model: [llama3, mistral]}`";
        matrix.refuse(problems, "`matrix` is a mapping from paths to lists", remedy);
    }
    let axes = matrix.entries().iter().filter_map(|(name, values)| axis(name, values, problems));
    let axes: Vec<_> = first.into_iter().chain(axes).collect();
    check_twice(&axes, problems);
    axes
}

fn axis(name: &Name, values: &Node, problems: &Problems) -> Option<Vec<Cell>> {
    let path = &name.text;
    if let Data::List(items) = &values.data {
        if items.is_empty() {
            let cause = format!("`matrix.{path}` is empty, so there would be no debate");
            problems.add(&values.place, cause, "list a value or remove the key");
        }
        // A mapping assigns several paths together; any other value is assigned to the axis's own path.
        let assigned = |item: &Node| match &item.data {
            Data::Map(entries) => assignments(entries, problems),
            _ => assignment(name, item, problems).into_iter().collect(),
        };
        let axis: Vec<Cell> = items.iter().map(assigned).collect();
        return Some(axis).filter(|axis| !axis.is_empty());
    }
    let remedy = match values.entries() {
        [(Name { text, .. }, _), ..] => {
            format!("join the keys with a dot: `{path}.{text}: [one, two]`")
        }
        [] => "list every value: `[one, two]`".to_owned(),
    };
    values.refuse(problems, &format!("`matrix.{path}` must be a list of values"), remedy);
    None
}

fn assignments(entries: &[(Name, Node)], problems: &Problems) -> Cell {
    let assigned = |(name, value): &(Name, Node)| assignment(name, value, problems);
    entries.iter().filter_map(assigned).collect()
}

/// The value for a path; `None` after reporting that the path is of a key that cannot vary.
fn assignment(name: &Name, value: &Node, problems: &Problems) -> Option<Assignment> {
    let first = name.text.split('.').next().unwrap_or_default();
    if FIXED.contains(&first) {
        let cause = format!("`{first}` cannot vary inside a job");
        problems.add(&name.place, cause, instead(&name.text));
        return None;
    }
    Some(Assignment {
        path: name.text.clone(),
        place: name.place.clone(),
        value: Arc::new(value.clone()),
    })
}

/// What to write in place of a path that cannot vary.
fn instead(path: &str) -> &'static str {
    match path {
        "models" => COMPARE_MODELS,
        "repeat" => "write `repeat: 3` outside the matrix: each debate then runs with three seeds",
        _ => "write one job file per value",
    }
}

/// How to compare models.
pub(super) const COMPARE_MODELS: &str = "to compare models with each other, `rebut new tournament --models llama3,mistral --judges qwen3` writes a job; `matrix: {defaults.model: [llama3, mistral]}` lets each debate with itself";

/// Reports paths that overlap: two axes may not set them, nor one combination of an axis.
fn check_twice(axes: &[Vec<Cell>], problems: &Problems) {
    let most = |axis: &Vec<Cell>| axis.iter().map(Vec::len).max().unwrap_or(0);
    if axes.iter().map(most).sum::<usize>() > MOST_PATHS {
        if let Some(first) = axes.iter().flatten().flatten().next() {
            let cause = format!("the matrix sets more than {MOST_PATHS} paths in a cell");
            problems.add(&first.place, cause, "split the job");
        }
        return;
    }
    let mut seen: Vec<&str> = Vec::new();
    for axis in axes {
        let own: BTreeMap<&str, &Assignment> =
            axis.iter().flatten().rev().map(|a| (a.path.as_str(), a)).collect();
        for (path, a) in &own {
            if let Some(other) = seen.iter().find(|other| overlap(path, other)) {
                let cause = if path == other {
                    format!("`{path}` is set by two keys of the matrix")
                } else {
                    format!("`{path}` overlaps `{other}`, which the matrix sets too")
                };
                problems.add(&a.place, cause, "set it with one key only");
            }
        }
        seen.extend(own.keys());
        axis.iter().for_each(|item| check_item(item, problems));
    }
}

fn check_item(item: &Cell, problems: &Problems) {
    for (i, a) in item.iter().enumerate() {
        if let Some(other) = item[..i].iter().find(|other| overlap(&a.path, &other.path)) {
            let (path, other) = (&a.path, &other.path);
            let cause = format!("`{path}` overlaps `{other}`, which the same entry sets");
            problems.add(&a.place, cause, "set it with one key only");
        }
    }
}

fn listed(job: &Node, key: &str, problems: &Problems) -> Vec<Cell> {
    let Some(node) = job.get(key).filter(|_| job.gives(key)) else { return Vec::new() };
    if let Data::List(items) = &node.data {
        return items.iter().filter_map(|item| one_listed(key, item, problems)).collect();
    }
    let wanted = format!("`{key}` is a list of mappings from paths to values");
    node.refuse(problems, &wanted, "write `- {x.model: llama3}` lines");
    Vec::new()
}

fn one_listed(key: &str, item: &Node, problems: &Problems) -> Option<Cell> {
    if item.entries().is_empty() {
        let wanted = format!("an entry of `{key}` maps paths to values");
        item.refuse(problems, &wanted, "write `- {x.model: llama3}`");
        return None;
    }
    let cell = assignments(item.entries(), problems);
    check_item(&cell, problems);
    Some(cell).filter(|cell| !cell.is_empty())
}

/// Whether all keys of an entry of `exclude` vary; those that do not are problems.
fn check_exclude(pattern: &Cell, known: &BTreeSet<&str>, problems: &Problems) -> bool {
    let why = if known.is_empty() { ": there is no matrix" } else { " in this matrix" };
    let is_fixed = |a: &&Assignment| !known.contains(&*a.path);
    for a in pattern.iter().filter(is_fixed) {
        let known = known.iter().copied().filter(|_| !problems.is_full());
        let near = suggestions::did_you_mean(&a.path, known);
        let remedy = near.unwrap_or_else(|| "exclude by paths of the matrix".to_owned());
        problems.add(&a.place, format!("`{}` does not vary{why}", a.path), remedy);
    }
    !pattern.iter().any(|a| is_fixed(&a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::yaml;

    #[test]
    fn j2_cells_share_the_values_of_an_axis() {
        let source = "matrix: {topic: [a long text], seed: [1, 2, 3]}";
        let problems = Problems::new(Path::new("job.yaml"), source);
        let job = yaml::parse(source, &problems).expect("a job");
        let cells = cells(&job, None, &problems);
        assert_eq!(cells.len(), 3);
        assert!(Arc::ptr_eq(&cells[0][0].value, &cells[2][0].value));
    }
}
