//! Putting values at paths of a job: what a cell of the matrix assigns, and what `--set` and `--seed` say.

use std::path::Path;
use std::sync::Arc;

use super::Overrides;
use super::matrix::Assignment;
use super::problem::{Place, Problems};
use super::tree::{self, Data, Node};

/// Applies what the command line says to the whole job.
pub(super) fn apply(tree: &mut Node, overrides: &Overrides, problems: &Problems) {
    let seed = overrides.seed.map(|seed| {
        (
            "seed".to_owned(),
            seed.to_string(),
            format!("--seed {seed}"),
        )
    });
    let set = overrides
        .set
        .iter()
        .map(|(path, value)| (path.clone(), value.clone(), format!("--set {path}={value}")));
    let varied: Vec<String> = matrix_paths(tree);
    for (path, value, flag) in set.chain(seed) {
        let place = Place::Flag(Arc::from(flag));
        if varied.contains(&path) {
            problems.add(
                &place,
                format!("`{path}` is set by the job's matrix"),
                "leave the flag out, or remove the key from the matrix",
            );
            continue;
        }
        let inner = Problems::of(Path::new("--set"), &value);
        let node = tree::parse(&value, &inner).map(|node| node.moved_to(&place));
        let Some(node) = node else {
            problems.add(
                &place,
                format!("`{value}` is no value"),
                "quote it for the shell and, if it holds `: ` or `#`, once more for YAML",
            );
            continue;
        };
        assign(
            tree,
            &Assignment {
                path,
                place,
                value: node,
            },
            problems,
        );
    }
}

fn matrix_paths(tree: &Node) -> Vec<String> {
    let axes = tree.get("matrix").map(Node::entries).unwrap_or_default();
    let together = axes.iter().filter_map(|(_, node)| {
        if let Data::List(items) = &node.data {
            Some(items)
        } else {
            None
        }
    });
    let inner = together
        .flatten()
        .flat_map(Node::entries)
        .map(|(name, _)| name.text.clone());
    axes.iter()
        .map(|(name, _)| name.text.clone())
        .chain(inner)
        .collect()
}

/// Puts one value at its path.
pub(super) fn assign(tree: &mut Node, assignment: &Assignment, problems: &Problems) {
    let path: Vec<&str> = assignment.path.split('.').collect();
    let list_missing = path.first() == Some(&"y") && tree.get("y").is_none();
    if list_missing {
        let four = (0..4)
            .map(|_| Node::empty_map(assignment.place.clone()))
            .collect();
        let node = Node {
            place: assignment.place.clone(),
            data: Data::List(four),
        };
        tree.set(&["y"], &assignment.place, node)
            .unwrap_or_default();
    }
    if let Err(cause) = tree.set(&path, &assignment.place, assignment.value.clone()) {
        let remedy = "a path is keys joined by dots, lists count from 0: `y.0.persona`";
        problems.add(
            &assignment.place,
            format!("cannot set `{}`: {cause}", assignment.path),
            remedy,
        );
    }
}
