//! The files of a finished debate, as plain text. What is asked for is compared with the names that stand in its directory;
//! it is never made part of a path.

use std::path::{Path as FsPath, PathBuf};

use axum::extract::{Path, State};
use axum::http::StatusCode;

use super::app::App;
use super::respond::{Answer, answer_aside, missing, see, text};
use crate::artifacts::page;
use crate::files::{self, name_of};
use crate::store::live::ShortId;

/// The most bytes of a file that is given.
const MOST: u64 = 64 << 20;

/// Files that have prompts in them, or may have: those who may not see these get none.
pub(super) async fn of_debate(
    State(app): State<App>,
    Path((id, path)): Path<(String, String)>,
) -> Answer {
    answer_aside(move || {
        let id = ShortId::parse(&id).filter(|_| !app.access.public);
        let dir = id.and_then(|id| app.index(|index| Some(index.get(&id)?.path.clone())));
        let file = dir.and_then(|dir| find(&dir, &path));
        match file.and_then(|file| files::read_own_at_most(&file, MOST).ok()) {
            Some(bytes) => text(StatusCode::OK, bytes),
            None => missing(&app, "There is no such file."),
        }
    })
    .await
}

/// A file below a directory, found part by part in the lists of names; directories and files that are links are none.
fn find(dir: &FsPath, path: &str) -> Option<PathBuf> {
    let (first, rest) = match path.split_once('/') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    let all = files::list(dir).ok()?;
    let found = all.into_iter().find(|entry| name_of(entry) == first)?;
    match rest {
        None => Some(found),
        Some(rest) if files::is_own_dir(&found) => find(&found, rest),
        Some(_) => None,
    }
}

/// Addresses as they stand in the report, which is written to the output directory: they lead to the debate's page.
pub(super) async fn of_list(
    State(app): State<App>,
    Path((day, debate, path)): Path<(String, String, String)>,
) -> Answer {
    answer_aside(move || {
        let id = app.index(|index| {
            let row = match day.as_str() {
                // As the viewer's own report has it.
                "d" => index.get(&ShortId::parse(&debate)?),
                // Directories have the names of jobs.
                _ if app.access.public => None,
                day => index.in_directory(day, &debate),
            };
            Some(row?.id.clone())
        });
        match id {
            Some(id) if path == page::NAME => see(&format!("/d/{id}")),
            _ => missing(&app, "There is no such page."),
        }
    })
    .await
}
