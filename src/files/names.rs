//! Operations on directory entries: creating, listing, renaming, removing, syncing.

use std::borrow::Cow;
use std::fs::{self, DirEntry, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::{Result, naming, unless};
use super::own::{OpenPath, own, private};

/// The last part of a path.
pub fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// Why a directory cannot be created under a name that is taken.
const NO_DIRECTORY: &str = "what has that name is not a directory, but perhaps a link to nowhere";

/// Creates a directory and its parents; existing ones are fine.
pub fn create_dir(path: &Path) -> Result<()> {
    let made = match fs::create_dir_all(path) {
        // Otherwise it would say that the file exists.
        Err(_) if path.is_file() => Err(io::Error::new(ErrorKind::NotADirectory, "it is a file")),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(io::Error::new(error.kind(), NO_DIRECTORY))
        }
        made => made,
    };
    made.map_err(naming("create the directory", path))
}

/// Removes a directory tree; one that is not there is fine.
pub fn remove_dir(path: &Path) -> Result<()> {
    let removed = unless(ErrorKind::NotFound, fs::remove_dir_all(path));
    removed.map(drop).map_err(naming("remove the directory", path))
}

/// Removes a directory that holds nothing; any other stays.
pub fn remove_empty_dir(path: &Path) {
    let _ = fs::remove_dir(path);
}

/// Removes a file; one that is not there is fine.
pub fn remove_file(path: &Path) -> Result<()> {
    let removed = unless(ErrorKind::NotFound, fs::remove_file(path));
    removed.map(drop).map_err(naming("remove", path))
}

/// Renames within one file system and syncs the directory that holds the new name.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(naming("rename", from))?;
    sync_parent(to)
}

/// A path as seen from a directory, with `/` between the parts. Both are absolute.
pub fn relative(path: &Path, base: &Path) -> String {
    let shared = path.components().zip(base.components()).take_while(|(a, b)| a == b).count();
    let up = base.components().skip(shared).map(|_| "..".into());
    let down = path.components().skip(shared).map(|part| part.as_os_str().to_string_lossy());
    let parts: Vec<Cow<'_, str>> = up.chain(down).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// Writes a new file; the caller syncs what it stands in, and renames it.
pub fn write_new(path: &Path, content: &[u8]) -> Result<()> {
    write_to(File::create_new(path), path, content)
}

fn write_to(file: io::Result<File>, path: &Path, content: &[u8]) -> Result<()> {
    let written = file.and_then(|mut file| file.write_all(content));
    written.map_err(naming("write", path))
}

/// The same for what only the owner may read.
pub fn write_new_private(path: &Path, content: &[u8]) -> Result<()> {
    let file = private(OpenOptions::new().write(true).create_new(true)).open(path);
    write_to(file, path, content)
}

/// Opens our own file that is there, to add to it.
pub fn to_append(path: &Path) -> Result<OpenPath> {
    let file = own(OpenOptions::new().append(true), path);
    file.map(|file| OpenPath::new(path, file)).map_err(naming("open", path))
}

/// Makes an empty file of our own, or says of the one that is there that it was changed at this time.
pub fn touch(path: &Path, at: SystemTime) -> Result<()> {
    let file = own(OpenOptions::new().create(true).append(true), path);
    file.and_then(|file| file.set_modified(at)).map_err(naming("write", path))
}

/// Syncs a directory, so that the names in it survive a power cut.
pub fn sync_dir(path: &Path) -> Result<()> {
    File::open(path).and_then(|dir| dir.sync_all()).map_err(naming("sync", path))
}

pub(super) fn sync_parent(path: &Path) -> Result<()> {
    path.parent().map_or(Ok(()), sync_dir)
}

/// The bytes of all files below a path, as far as they can be looked at; links count for nothing.
pub fn bytes_below(path: &Path) -> u64 {
    let Ok(found) = path.symlink_metadata() else { return 0 };
    if !found.is_dir() {
        return if found.is_file() { found.len() } else { 0 };
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| bytes_below(&entry.path())).sum()
}

/// The directories in a directory and when each was changed, as far as that is known, by name; links are none.
pub fn dirs(path: &Path) -> Result<Vec<(String, Option<SystemTime>)>> {
    let entries = fs::read_dir(path).map_err(naming("list", path))?;
    let dir = |entry: io::Result<DirEntry>| {
        let entry = entry.ok()?;
        let found = entry.metadata().ok().filter(Metadata::is_dir)?;
        Some((entry.file_name().into_string().ok()?, found.modified().ok()))
    };
    let mut dirs: Vec<(String, Option<SystemTime>)> = entries.filter_map(dir).collect();
    dirs.sort_unstable();
    Ok(dirs)
}

/// The entries of a directory, by name; a directory that is not there has none.
pub fn list(path: &Path) -> Result<Vec<PathBuf>> {
    let entries = unless(ErrorKind::NotFound, fs::read_dir(path))
        .map_err(naming("list", path))?
        .into_iter()
        .flatten();
    let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(naming("list", path))?;
    paths.sort();
    Ok(paths)
}
