//! File operations whose errors name the path: reading, atomic replacement, synced append, claims.
//!
//! There are two kinds of files. A file that the user names is read wherever its links lead. `rebut`'s own files, in
//! `.rebut` and in dated directories, are never written through a link: an output directory may come from someone else.

mod append;
mod claim;
mod error;
mod lines;
mod names;
mod own;
mod reading;
mod shared_sync;
mod staged;

pub use self::append::Appender;
pub use self::claim::{Claim, sweep_claims};
pub use self::error::{FileError, Result};
pub use self::lines::LockedLines;
pub use self::names::{
    bytes_below, create_dir, dirs, list, name_of, relative, remove_dir, remove_empty_dir,
    remove_file, rename, sync_dir, to_append, touch, write_new, write_new_private,
};
pub use self::own::{DirLock, OpenPath, is_own_dir, make_private, no_link, own_dir, own_dirs};
pub use self::reading::{
    first_line, open_own, read, read_at_most, read_own, read_own_at_most, read_private,
    read_stream, read_text, whole_lines,
};
pub use self::shared_sync::{ContentSync, NameSync};
pub use self::staged::{
    Staged, StagedDir, remove_if_free, replace, replace_private, replace_unsynced, sweep,
    sweep_dirs, sweep_for,
};
