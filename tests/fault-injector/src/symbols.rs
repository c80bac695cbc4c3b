//! The functions of the C library that Rust's standard library calls for files and sockets, in their own names. Each
//! makes the system call itself; what is watched goes through [`operation`] first.
//!
//! SAFETY of every function here: as for the C function of its name. The arguments are handed to the system call
//! unchanged; beyond that, only strings and buffers are read that the C function would read too.

use std::ffi::CStr;

use libc::{
    AT_FDCWD, SYS_fdatasync, SYS_fsync, SYS_ftruncate, SYS_mkdirat, SYS_openat, SYS_recvfrom,
    SYS_renameat2, SYS_sendto, SYS_syncfs, SYS_unlinkat, SYS_write, SYS_writev, c_char, c_int,
    c_long, c_uint, c_void, iovec, off_t, size_t, ssize_t, syscall,
};

use crate::{is_watched, opening, operation, received, sent, sys};

fn nothing() {}

/// What a file descriptor stands for: a path, or `socket:[…]`.
fn opened(fd: c_int) -> Vec<u8> {
    sys::link(&format!("/proc/self/fd/{fd}"))
}

/// The absolute path behind a pointer, relative ones seen from `dir`.
///
/// # Safety
/// `path` points to a NUL-terminated string.
unsafe fn path(dir: c_int, path: *const c_char) -> Vec<u8> {
    // SAFETY: as for this function.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    if path.starts_with(b"/") {
        return path.to_vec();
    }
    let mut from = if dir == AT_FDCWD { sys::link("/proc/self/cwd") } else { opened(dir) };
    from.push(b'/');
    from.extend_from_slice(path);
    from
}

/// The bytes of a buffer; an empty one may be null.
///
/// # Safety
/// `data` points to `length` bytes.
unsafe fn bytes<'a>(data: *const c_void, length: size_t) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: as for this function.
    unsafe { std::slice::from_raw_parts(data.cast(), length) }
}

/// Does an operation that has no parts; it is watched if its path is.
fn on_path(what: &str, path: &[u8], whole: impl Fn() -> c_long) -> c_int {
    let result = if is_watched(path) {
        let what = format!("{what} {}", String::from_utf8_lossy(path));
        operation(&what, b"", nothing, whole)
    } else {
        whole()
    };
    result as c_int
}

/// Writes to a file descriptor; `whole` does it in one system call.
fn writing(fd: c_int, data: &[u8], whole: impl Fn() -> c_long) -> ssize_t {
    let path = opened(fd);
    if path.starts_with(b"socket:") {
        sent(data);
    }
    let result = if is_watched(&path) {
        let what = format!("write {}", String::from_utf8_lossy(&path));
        let half = || {
            sys::write(fd, &data[..data.len() / 2]);
        };
        operation(&what, data, half, whole)
    } else {
        whole()
    };
    result as ssize_t
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn write(fd: c_int, data: *const c_void, length: size_t) -> ssize_t {
    // SAFETY: the caller vouches for the buffer.
    let bytes = unsafe { bytes(data, length) };
    // SAFETY: the caller's own arguments.
    writing(fd, bytes, || unsafe { syscall(SYS_write, fd, data, length) })
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn writev(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t {
    // SAFETY: the caller vouches for the array.
    let slices = unsafe { std::slice::from_raw_parts(parts, count as usize) };
    let bytes: Vec<u8> = slices
        .iter()
        // SAFETY: the caller vouches for each buffer.
        .flat_map(|part| unsafe { bytes(part.iov_base, part.iov_len) })
        .copied()
        .collect();
    // SAFETY: the caller's own arguments.
    writing(fd, &bytes, || unsafe { syscall(SYS_writev, fd, parts, count) })
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn send(fd: c_int, data: *const c_void, length: size_t, flags: c_int) -> ssize_t {
    // SAFETY: the caller vouches for the buffer.
    sent(unsafe { bytes(data, length) });
    // SAFETY: the caller's own arguments.
    (unsafe { syscall(SYS_sendto, fd, data, length, flags, 0, 0) }) as ssize_t
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn recv(fd: c_int, data: *mut c_void, length: size_t, flags: c_int) -> ssize_t {
    // SAFETY: the caller's own arguments.
    let result = unsafe { syscall(SYS_recvfrom, fd, data, length, flags, 0, 0) };
    received(result);
    result as ssize_t
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn fsync(fd: c_int) -> c_int {
    // SAFETY: no memory is touched.
    on_path("fsync", &opened(fd), || unsafe { syscall(SYS_fsync, fd) })
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn syncfs(fd: c_int) -> c_int {
    // SAFETY: no memory is touched.
    on_path("syncfs", &opened(fd), || unsafe { syscall(SYS_syncfs, fd) })
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn fdatasync(fd: c_int) -> c_int {
    // SAFETY: no memory is touched.
    on_path("fdatasync", &opened(fd), || unsafe { syscall(SYS_fdatasync, fd) })
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn ftruncate64(fd: c_int, length: off_t) -> c_int {
    // SAFETY: no memory is touched.
    on_path("ftruncate", &opened(fd), || unsafe { syscall(SYS_ftruncate, fd, length) })
}

/// # Safety
/// See the top of this file. The mode, variadic in C, arrives as any third argument does; where C callers leave it out
/// it is not looked at.
#[unsafe(no_mangle)]
unsafe extern "C" fn open64(name: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: the caller's own arguments.
    let whole = || unsafe { syscall(SYS_openat, AT_FDCWD, name, flags, mode) };
    // SAFETY: the caller vouches for the string.
    let path = unsafe { path(AT_FDCWD, name) };
    if flags & libc::O_CREAT == 0 {
        return opening(&path, whole) as c_int;
    }
    on_path("create", &path, whole)
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn mkdir(name: *const c_char, mode: c_uint) -> c_int {
    // SAFETY: the caller vouches for the string.
    on_path("mkdir", &unsafe { path(AT_FDCWD, name) }, || unsafe {
        syscall(SYS_mkdirat, AT_FDCWD, name, mode)
    })
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn unlink(name: *const c_char) -> c_int {
    // SAFETY: the caller vouches for the string.
    on_path("unlink", &unsafe { path(AT_FDCWD, name) }, || unsafe {
        syscall(SYS_unlinkat, AT_FDCWD, name, 0)
    })
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn unlinkat(dir: c_int, name: *const c_char, flags: c_int) -> c_int {
    // SAFETY: the caller vouches for the string.
    on_path("unlink", &unsafe { path(dir, name) }, || unsafe {
        syscall(SYS_unlinkat, dir, name, flags)
    })
}

/// # Safety
/// See the top of this file.
#[unsafe(no_mangle)]
unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    // SAFETY: the caller vouches for the strings.
    let (source, target) = unsafe { (path(AT_FDCWD, from), path(AT_FDCWD, to)) };
    let what = format!("rename {} to", String::from_utf8_lossy(&source));
    // SAFETY: the caller's own arguments.
    let whole = || unsafe { syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0) };
    on_path(&what, &target, whole)
}
