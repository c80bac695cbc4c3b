//! Putting values at paths of a job: what a cell of the matrix assigns, and what `--set` and `--seed` say.

use std::path::Path;
use std::sync::Arc;

use super::Overrides;
use super::matrix::{self, Assignment};
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
    let varied = matrix::paths(tree);
    for (path, value, flag) in set.chain(seed) {
        let place = Place::Flag(Arc::from(flag));
        if let Some(other) = varied.iter().find(|other| matrix::overlap(other, &path)) {
            problems.add(
                &place,
                format!("`{other}` is set by the job's matrix"),
                "leave the flag out, or remove the key from the matrix",
            );
        } else if let Some(value) = parse_value(&value, &place, problems) {
            assign(tree, &Assignment { path, place, value }, problems);
        }
    }
}

/// Reads the value of a flag; what is wrong with it is reported at the flag.
fn parse_value(value: &str, place: &Place, problems: &Problems) -> Option<Node> {
    if value.trim().is_empty() {
        let remedy = "write a value behind the `=`; `null` means none";
        problems.add(place, "the value is empty", remedy);
        return None;
    }
    let inner = Problems::of(Path::new("--set"), value);
    let node = tree::parse(value, &inner);
    let faults = inner.into_sorted();
    for fault in &faults {
        let remedy = format!("{} (inside the quotes of the shell)", fault.remedy);
        problems.add(place, format!("in the value: {}", fault.cause), remedy);
    }
    node.filter(|_| faults.is_empty())
        .map(|node| node.moved_to(place))
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
        let remedy = "a path is keys joined by dots, lists count from 0: `y.0.persona`; what is the same for all stands under `defaults`";
        problems.add(
            &assignment.place,
            format!("cannot set `{}`: {cause}", assignment.path),
            remedy,
        );
    }
}
