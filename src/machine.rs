//! This machine's limits for the process: open files and memory. Only this machine is to blame for a shortage.

use std::error::Error;
use std::io;
use std::path::Path;

/// Descriptors for what is open whatever the debates do: standard streams, the runtime, lists, live files, name look-ups.
pub const RESERVED: u64 = 32;
/// Descriptors that an open debate may need at a time: claim, journal, and what it commits.
const PER_DEBATE: u64 = 4;

/// Raises the limit on open files as far as the system allows, and returns it: descriptors of this process.
pub fn raise_file_limit() -> u64 {
    // Where it cannot be raised, the usual one of old systems is a safe guess.
    rlimit::increase_nofile_limit(u64::MAX).unwrap_or(256)
}

/// The bytes that may still be written where a path is, or where it will be; `None` if that cannot be told.
#[cfg(unix)]
pub fn free_space(path: &Path) -> Option<u64> {
    let there = path.ancestors().find_map(|path| {
        let named = path.as_os_str();
        let path = if named.is_empty() { Path::new(".") } else { path };
        rustix::fs::statvfs(path).ok()
    })?;
    there.f_bavail.checked_mul(there.f_frsize)
}

/// This machine's name; empty if it has none.
#[cfg(unix)]
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The same elsewhere.
#[cfg(not(unix))]
pub fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// The directory in which this process runs; empty if it cannot be told in a line.
pub fn working_directory() -> String {
    let path =
        std::env::current_dir().ok().and_then(|path| path.into_os_string().into_string().ok());
    path.filter(|path| !path.contains(char::is_control)).unwrap_or_default()
}

/// Elsewhere nothing tells.
#[cfg(not(unix))]
pub fn free_space(_: &Path) -> Option<u64> {
    None
}

/// How many debates may be open with this many descriptors, while so many calls may be in flight. At least one.
pub fn most_debates(file_limit: u64, in_flight: usize) -> usize {
    let left = file_limit.saturating_sub(RESERVED);
    let sockets = (in_flight as u64).min(left / 2);
    usize::try_from((left - sockets) / PER_DEBATE).map_or(usize::MAX, |most| most.max(1))
}

/// Whether something failed because this process may open no more files (EMFILE), nobody here may (ENFILE), or there is
/// no memory (ENOMEM): the same may do a moment later.
pub fn is_short(error: &(dyn Error + 'static)) -> bool {
    io_causes(error).any(|cause| {
        let code = cause.raw_os_error();
        cause.kind() == io::ErrorKind::OutOfMemory || code.is_some_and(|it| CODES.contains(&it))
    })
}

/// Whether something failed because there is no room on a disk, or this user may have no more of it (ENOSPC, EDQUOT).
pub fn is_full(error: &(dyn Error + 'static)) -> bool {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    io_causes(error).any(|cause| matches!(cause.kind(), StorageFull | QuotaExceeded))
}

/// What the operating system said, however deep it lies.
pub fn io_causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e io::Error> {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.filter_map(|cause| cause.downcast_ref())
}

/// EMFILE and ENFILE, which have these numbers on every Unix.
#[cfg(unix)]
const CODES: [i32; 2] = [24, 23];
/// `ERROR_TOO_MANY_OPEN_FILES`, `WSAEMFILE`, `WSAENOBUFS`.
#[cfg(windows)]
const CODES: [i32; 3] = [4, 10024, 10055];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::FileError;

    #[test]
    #[cfg(unix)]
    fn a4_a_shortage_is_told_from_other_errors_however_deep_it_lies() {
        let of = |code| FileError {
            action: "open",
            path: "claim".into(),
            source: io::Error::from_raw_os_error(code),
        };
        for short in [12, 23, 24] {
            assert!(is_short(&of(short)), "{short}");
            let wrapped = io::Error::other(of(short));
            assert!(is_short(&wrapped), "{short}, as the cause of another");
        }
        for other in [2, 13, 28, 111] {
            assert!(!is_short(&of(other)), "{other}");
        }
        let full = [2, 13, 24, 28, 111].map(|code| is_full(&io::Error::other(of(code))));
        assert_eq!(full, [false, false, false, true, false]);
    }

    #[test]
    fn a4_open_debates_are_bounded_by_what_files_may_be_opened() {
        let bounds = [
            ((1024, 2), 247),
            ((1024, 4096), 124),
            ((64, 2), 7),
            ((10, 2), 1),
            ((20_000, 64), 4976),
        ];
        for ((limit, in_flight), most) in bounds {
            assert_eq!(most_debates(limit, in_flight), most, "{limit}, {in_flight}");
        }
        assert!(most_debates(u64::MAX, 2) > 1_000_000);
    }
}
