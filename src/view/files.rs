//! The files of a finished debate, as plain text. What is asked for is compared with the names that are in its directory;
//! it is never made part of a path.

use std::path::{Path as FsPath, PathBuf};

use axum::extract::{Path, State};
use axum::http::StatusCode;

use super::app::App;
use super::respond::{Answer, answer_aside, missing, see, text};
use crate::artifacts::page;
use crate::files::{self, name_of};

/// Maximum bytes of a file that is given.
const MOST: u64 = 64 << 20;

/// Files that have prompts in them, or may have: those who may not see these get none.
pub(super) async fn of_debate(
    State(app): State<App>,
    Path((id, path)): Path<(String, String)>,
) -> Answer {
    answer_aside(move || {
        let row = app.row(&id).filter(|_| !app.access.public);
        let file = row.and_then(|row| find(&row.path(&app.output), &path));
        match file.and_then(|file| files::read_own_at_most(&file, MOST).ok()) {
            Some(bytes) => text(StatusCode::OK, bytes),
            None => missing(&app, "No such file."),
        }
    })
    .await
}

/// A file below a directory, found part by part in the lists of names; directories and files that are links are none.
fn find(dir: &FsPath, path: &str) -> Option<PathBuf> {
    path.split('/').try_fold(dir.to_path_buf(), |dir, part| {
        let all = files::list(&dir).ok().filter(|_| files::is_own_dir(&dir))?;
        all.into_iter().find(|entry| name_of(entry) == part)
    })
}

/// Addresses as they are in the report, which is written to the output directory: they lead to the debate's page.
pub(super) async fn of_list(
    State(app): State<App>,
    Path((day, debate, path)): Path<(String, String, String)>,
) -> Answer {
    answer_aside(move || {
        let row = match day.as_str() {
            // As the viewer's own report has it.
            "d" => app.row(&debate),
            // Directories have the names of jobs.
            _ if app.access.public => None,
            day => app.index(|index| index.in_directory(day, &debate).cloned()),
        };
        match row {
            Some(row) if path == page::NAME => see(&format!("/d/{}", row.id.as_str())),
            _ => missing(&app, "No such page."),
        }
    })
    .await
}
