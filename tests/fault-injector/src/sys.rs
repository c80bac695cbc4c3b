//! System calls, made directly: the C library's functions of these names are this library's own.

use std::ffi::CString;

use libc::{c_int, c_long};

/// Opens the log for appending.
pub(crate) fn open_log(path: &[u8]) -> c_int {
    let path = CString::new(path).expect("an environment variable has no NUL");
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC;
    // SAFETY: `path` is NUL-terminated and lives until the call returns.
    let fd =
        unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, 0o644) };
    c_int::try_from(fd).expect("a file descriptor is an int")
}

/// Writes what one call takes.
pub(crate) fn write(fd: c_int, bytes: &[u8]) -> c_long {
    // SAFETY: pointer and length are those of one slice.
    unsafe { libc::syscall(libc::SYS_write, fd, bytes.as_ptr(), bytes.len()) }
}

/// Where a symbolic link of `/proc/self` points.
pub(crate) fn link(path: &str) -> Vec<u8> {
    let path = CString::new(path).expect("no NUL");
    let mut target = vec![0_u8; 4096];
    // SAFETY: `path` is NUL-terminated; the kernel writes at most `target.len()` bytes into `target`.
    let length = unsafe {
        libc::syscall(
            libc::SYS_readlinkat,
            libc::AT_FDCWD,
            path.as_ptr(),
            target.as_mut_ptr(),
            target.len(),
        )
    };
    target.truncate(usize::try_from(length).unwrap_or(0));
    target
}

/// Ends the program as `kill -9` does.
pub(crate) fn die() -> ! {
    // SAFETY: neither call touches memory.
    unsafe { libc::syscall(libc::SYS_kill, libc::getpid(), libc::SIGKILL) };
    unreachable!("SIGKILL cannot be caught")
}

pub(crate) fn errno() -> c_int {
    // SAFETY: the pointer is valid as long as the thread lives.
    unsafe { *libc::__errno_location() }
}

pub(crate) fn set_errno(errno: c_int) {
    // SAFETY: the pointer is valid as long as the thread lives.
    unsafe { *libc::__errno_location() = errno }
}
