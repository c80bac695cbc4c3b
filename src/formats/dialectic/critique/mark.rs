//! The marks that lines of a critique begin with.

use serde::{Deserialize, Serialize};

/// How grave an issue is; graver ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::formats::dialectic) enum Severity {
    /// 🔴
    Critical,
    /// 🟡
    Major,
    /// 🟢
    Minor,
}

/// How an earlier point stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::formats::dialectic) enum Resolution {
    /// ✅
    Resolved,
    /// ⚠️
    Partial,
    /// ❌
    Unresolved,
}

/// What a line begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Issue(Severity),
    Settled(Resolution),
}

/// The mark that a character is, if any.
pub(super) fn mark_of(c: char) -> Option<Mark> {
    Some(match c {
        '🔴' => Mark::Issue(Severity::Critical),
        '🟡' => Mark::Issue(Severity::Major),
        '🟢' => Mark::Issue(Severity::Minor),
        '✅' => Mark::Settled(Resolution::Resolved),
        '⚠' => Mark::Settled(Resolution::Partial),
        '❌' => Mark::Settled(Resolution::Unresolved),
        _ => return None,
    })
}
