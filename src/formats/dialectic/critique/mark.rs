//! The marks at the beginning of lines in a critique.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How grave an issue is, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// 🔴
    Critical,
    /// 🟡
    Major,
    /// 🟢
    Minor,
}

/// The status of an earlier point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// ✅
    Resolved,
    /// ⚠️
    Partial,
    /// ❌
    Unresolved,
}

impl Severity {
    /// All severities, the gravest first.
    pub const ALL: [Self; 3] = [Self::Critical, Self::Major, Self::Minor];

    /// The mark of an issue of this severity.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Critical => "🔴",
            Self::Major => "🟡",
            Self::Minor => "🟢",
        }
    }
}

impl Resolution {
    /// The mark of a point with this status.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Resolved => "✅",
            Self::Partial => "⚠️",
            Self::Unresolved => "❌",
        }
    }

    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Partial => "resolved in part",
            Self::Unresolved => "not resolved",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The mark at the beginning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Issue(Severity),
    Settled(Resolution),
}

/// The mark for which a character stands, if any.
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
