//! `matrix`, `exclude`, `include`: one job's cells, each a set of assignments of values to paths (row J2).

use super::problem::{Place, Problems};
use super::tree::{Data, Name, Node};

/// The most cells one job may have.
pub(super) const MAX_CELLS: usize = 100_000;

/// Keys that describe the file and not a debate: they cannot vary.
const FIXED: [&str; 8] = [
    "matrix",
    "exclude",
    "include",
    "repeat",
    "name",
    "format",
    "output",
    "allow_cloud",
];

/// A value for a path, with where both were written.
#[derive(Debug, Clone)]
pub(super) struct Assignment {
    /// The dotted path, such as `x.model`.
    pub(super) path: String,
    /// Where the path was written.
    pub(super) place: Place,
    /// The value.
    pub(super) value: Node,
}

/// One combination: its assignments in the order of the file.
pub(super) type Cell = Vec<Assignment>;

/// All cells of a job, in order. Without a matrix there is one, which changes nothing.
pub(super) fn cells(job: &Node, problems: &Problems) -> Vec<Cell> {
    let axes = axes(job, problems);
    let count = axes
        .iter()
        .try_fold(1_usize, |n, axis| n.checked_mul(axis.len()));
    if count.is_none_or(|n| n > MAX_CELLS) {
        let place = job.get("matrix").map_or(&job.place, |node| &node.place);
        problems.add(
            place,
            format!("the matrix has more than {MAX_CELLS} cells"),
            "split the job",
        );
        return Vec::new();
    }
    let mut cells = product(&axes);
    let known: Vec<&str> = axes
        .iter()
        .flatten()
        .flatten()
        .map(|a| a.path.as_str())
        .collect();
    for pattern in listed(job, "exclude", problems) {
        check_exclude(&pattern, &known, problems);
        cells.retain(|cell| !matches(cell, &pattern));
    }
    cells.extend(listed(job, "include", problems));
    cells
}

fn product(axes: &[Vec<Cell>]) -> Vec<Cell> {
    axes.iter().fold(vec![Cell::new()], |cells, axis| {
        cells
            .iter()
            .flat_map(|cell| {
                axis.iter()
                    .map(move |item| [cell.clone(), item.clone()].concat())
            })
            .collect()
    })
}

fn axes(job: &Node, problems: &Problems) -> Vec<Vec<Cell>> {
    let Some(matrix) = job.get("matrix") else {
        return Vec::new();
    };
    if !matches!(matrix.data, Data::Map(_) | Data::Null) {
        problems.add(
            &matrix.place,
            format!(
                "`matrix` is a mapping from paths to lists, not {}",
                matrix.kind()
            ),
            "write `matrix: {x.model: [llama3, mistral]}`",
        );
    }
    let axes: Vec<Vec<Cell>> = matrix
        .entries()
        .iter()
        .filter_map(|(name, values)| axis(name, values, problems))
        .collect();
    check_twice(&axes, problems);
    axes
}

fn axis(name: &Name, values: &Node, problems: &Problems) -> Option<Vec<Cell>> {
    let Data::List(items) = &values.data else {
        problems.add(
            &values.place,
            format!(
                "`matrix.{}` must be a list of values, not {}",
                name.text,
                values.kind()
            ),
            "write `[one, two]`",
        );
        return None;
    };
    if items.is_empty() {
        problems.add(
            &values.place,
            format!(
                "`matrix.{}` is empty, so there would be no debate",
                name.text
            ),
            "list a value or remove the key",
        );
        return None;
    }
    Some(
        items
            .iter()
            .map(|item| item_assignments(name, item, problems))
            .collect(),
    )
}

/// A mapping in an axis assigns several paths together; any other value is assigned to the axis's own path.
fn item_assignments(name: &Name, item: &Node, problems: &Problems) -> Cell {
    if let Data::Map(entries) = &item.data {
        return entries
            .iter()
            .map(|(key, value)| assignment(key, value, problems))
            .collect();
    }
    vec![assignment(name, item, problems)]
}

fn assignment(name: &Name, value: &Node, problems: &Problems) -> Assignment {
    let first = name.text.split('.').next().unwrap_or_default();
    if FIXED.contains(&first) {
        problems.add(
            &name.place,
            format!("`{first}` cannot vary inside a job"),
            "write a job file for each value",
        );
    }
    Assignment {
        path: name.text.clone(),
        place: name.place.clone(),
        value: value.clone(),
    }
}

fn check_twice(axes: &[Vec<Cell>], problems: &Problems) {
    let mut seen: Vec<&str> = Vec::new();
    for axis in axes {
        let mut own: Vec<&Assignment> = axis.iter().flatten().collect();
        own.sort_by(|a, b| a.path.cmp(&b.path));
        own.dedup_by(|a, b| a.path == b.path);
        for a in own {
            if seen.contains(&a.path.as_str()) {
                problems.add(
                    &a.place,
                    format!("`{}` is set by two keys of the matrix", a.path),
                    "let one key set it",
                );
            }
            seen.push(&a.path);
        }
    }
}

fn listed(job: &Node, key: &str, problems: &Problems) -> Vec<Cell> {
    let Some(node) = job.get(key) else {
        return Vec::new();
    };
    let Data::List(items) = &node.data else {
        if !matches!(node.data, Data::Null) {
            problems.add(
                &node.place,
                format!(
                    "`{key}` is a list of mappings from paths to values, not {}",
                    node.kind()
                ),
                "write `- {x.model: llama3}` lines",
            );
        }
        return Vec::new();
    };
    items
        .iter()
        .filter_map(|item| one_listed(key, item, problems))
        .collect()
}

fn one_listed(key: &str, item: &Node, problems: &Problems) -> Option<Cell> {
    if item.entries().is_empty() {
        problems.add(
            &item.place,
            format!(
                "an entry of `{key}` maps paths to values, not {}",
                item.kind()
            ),
            "write `- {x.model: llama3}`",
        );
        return None;
    }
    Some(
        item.entries()
            .iter()
            .map(|(name, value)| assignment(name, value, problems))
            .collect(),
    )
}

fn check_exclude(pattern: &Cell, known: &[&str], problems: &Problems) {
    for a in pattern.iter().filter(|a| !known.contains(&a.path.as_str())) {
        let remedy = super::keys::did_you_mean(&a.path, known.iter().copied())
            .unwrap_or_else(|| "exclude by paths of the matrix".to_owned());
        problems.add(
            &a.place,
            format!("`{}` does not vary in this matrix", a.path),
            remedy,
        );
    }
}

fn matches(cell: &Cell, pattern: &Cell) -> bool {
    pattern.iter().all(|p| {
        cell.iter()
            .any(|a| a.path == p.path && a.value.json() == p.value.json())
    })
}
