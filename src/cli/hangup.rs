//! Whether this process was started so that a terminal's end does not concern it, as `nohup` and `trap '' HUP` do. Who has
//! installed a handler of its own can no longer tell: to be asked before.

use std::process::{Command, Stdio};

/// SIGHUP's number on every Unix.
const HANGUP: u32 = 1;

/// Whether SIGHUP is ignored.
pub(super) fn is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").ok();
    let by_status = status.as_deref().and_then(of_status);
    by_status.or_else(of_child).unwrap_or(false)
}

/// What Linux says of a process: a mask of ignored signals in hexadecimal digits, the first one last.
fn of_status(status: &str) -> Option<bool> {
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
    Some(mask & (1 << (HANGUP - 1)) != 0)
}

/// What a child shows, where nothing else does: it inherits what is ignored, so it lives through the signal or does not.
fn of_child() -> Option<bool> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "kill -HUP $$"]);
    let silent = shell.stdin(Stdio::null()).stdout(Stdio::null());
    Some(silent.stderr(Stdio::null()).status().ok()?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j10c_an_ignored_hangup_is_read_from_the_mask() {
        let status =
            |mask: &str| format!("SigBlk:\t0000000000000001\nSigIgn:\t{mask}\nSigCgt:\t1\n");
        assert_eq!(of_status(&status("0000000000000001")), Some(true));
        assert_eq!(of_status(&status("0000000000001003")), Some(true));
        assert_eq!(of_status(&status("0000000000001002")), Some(false));
        assert_eq!(of_status("Name:\tx\n"), None);
    }

    #[test]
    fn j10c_a_child_shows_the_same_as_the_mask() {
        if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
            assert_eq!(of_child(), of_status(&status));
        }
    }
}
