//! Files of topics and questions next to a job, whose problems are reported with their own lines.

use std::path::Path;
use std::sync::Arc;

use super::slurs::first_slur;
use crate::job::input_files;
use crate::job::matrix::cell::Assignment;
use crate::job::problem::{Place, Problems, Refusal};
use crate::job::reader::Reader;
use crate::job::tree::{Data, Node};
use crate::question::Faults;

/// The text of a file that is named at a place.
pub(in crate::job) fn source(
    place: &Place,
    name: &str,
    endings: &[&str],
    reader: Reader<'_>,
) -> Option<String> {
    let ending = Path::new(name).extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let text = if endings.contains(&ending.as_str()) {
        input_files::read_list_beside(reader.library.beside, name)
    } else {
        let cause = format!("`{name}` is not a file of this kind");
        Err((cause, format!("name a .{} file", endings.join(", ."))))
    };
    reader.problems.accept(place, text)
}

/// What of a file is wrong is told with its own lines.
pub(in crate::job) fn told<T>(
    name: &str,
    source: &str,
    problems: &Problems,
    faults: Faults,
    read: T,
) -> Option<T> {
    let source = source.trim_start_matches('\u{feff}');
    let inner = Problems::new(&problems.beside(name), source);
    let is_sound = faults.is_empty();
    for fault in faults {
        let (line, column) = (fault.line, 1);
        inner.add(&Place::At { line, column }, fault.cause, fault.remedy);
    }
    problems.absorb(inner);
    is_sound.then_some(read)
}

pub(in crate::job) fn assigned(path: &str, data: Data, place: &Place) -> Assignment {
    Assignment {
        path: path.to_owned(),
        place: place.clone(),
        value: Arc::new(Node::at(place, data)),
    }
}

/// Refuses slurs in what a row is about, unless the whole job may have them.
pub(in crate::job) fn check_slurs<'t>(
    job: &Node,
    mut texts: impl Iterator<Item = &'t str>,
) -> Result<(), Refusal> {
    let allowed = job.get("allow_explicit");
    let is_allowed = allowed.is_some_and(|node| matches!(node.data, Data::Flag(true)));
    let slur = if is_allowed { None } else { texts.find_map(first_slur) };
    let Some(slur) = slur else { return Ok(()) };
    let remedy = "reword it, or set `allow_explicit: true` in the job";
    Err((format!("contains {slur}"), remedy.to_owned()))
}
