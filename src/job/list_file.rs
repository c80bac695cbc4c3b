//! Files of topics and questions beside a job: read, and told of with their own lines.

use std::path::Path;

use super::cell::Assignment;
use super::input_files;
use super::problem::{Place, Problems, Refusal};
use super::reader::Reader;
use super::tree::{Data, Node};
use crate::question::Faults;

/// What of a file is wrong is told with its own lines.
pub(super) fn told<T>(
    name: &str,
    source: &str,
    problems: &Problems,
    faults: Faults,
    read: T,
) -> Option<T> {
    let inner = Problems::new(
        &problems.beside(name),
        source.trim_start_matches('\u{feff}'),
    );
    let is_sound = faults.is_empty();
    for fault in faults {
        let place = Place::At {
            line: fault.line,
            column: 1,
        };
        inner.add(&place, fault.cause, fault.remedy);
    }
    problems.absorb(inner);
    is_sound.then_some(read)
}

pub(super) fn source(
    job: &Node,
    keys: &[&str],
    name: &str,
    endings: &[&str],
    reader: Reader<'_>,
) -> Option<String> {
    let node = keys.iter().try_fold(job, |node, key| node.get(key));
    let place = node.map_or(&job.place, |node| &node.place);
    let text = file_text(name, endings, reader.library.beside);
    reader.problems.accept(place, text)
}

fn file_text(name: &str, endings: &[&str], beside: &Path) -> Result<String, Refusal> {
    let ending = Path::new(name)
        .extension()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    if !endings.contains(&ending.as_str()) {
        let cause = format!("`{name}` is no file of this kind");
        return Err((cause, format!("name a .{} file", endings.join(", ."))));
    }
    input_files::read_list_beside(beside, name)
}

pub(super) fn assigned(path: &str, data: Data, place: &Place) -> Assignment {
    Assignment {
        path: path.to_owned(),
        place: place.clone(),
        value: Node {
            place: place.clone(),
            data,
        },
    }
}

/// Whether the whole job may have slurs in what it is about.
pub(super) fn allows_slurs(job: &Node) -> bool {
    job.get("allow_explicit")
        .is_some_and(|node| matches!(node.data, Data::Flag(true)))
}
