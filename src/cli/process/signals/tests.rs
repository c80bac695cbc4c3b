//! Whether a hangup is ignored.

use super::*;

#[test]
fn j10c_an_ignored_hangup_is_read_from_the_mask() {
    let status = |mask: &str| format!("SigBlk:\t0000000000000001\nSigIgn:\t{mask}\nSigCgt:\t1\n");
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
