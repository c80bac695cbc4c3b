//! A debate's id: 64 lowercase hexadecimal digits and nothing else. Ids become parts of file names, so they are parsed
//! wherever they are read: front matter, traces, journals, snapshots, names of files. Names of runs become parts of subjects.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use crate::digest;

/// How many digits an id has.
const DIGITS: usize = 64;
/// How many of them directory names and messages show.
pub const SHORT: usize = 12;
/// How many of them name a debate at least.
pub const FEWEST: usize = 4;
/// Fewer digits of two ids may be alike by chance, but for some.
pub const MOST_ALIKE: usize = 8;

/// The id of a debate: the SHA-256 of what distinguishes it from any other, in lowercase hexadecimal.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DebateId([u8; DIGITS]);

/// A text that is not an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a debate's id has {DIGITS} lowercase hexadecimal digits")]
pub struct NoId;

/// The digits of an id that directory names and messages show; all of one that has fewer.
pub fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

/// Whether these can be the first digits of an id, enough to name a debate.
pub fn may_be(named: &str) -> bool {
    named.len() >= FEWEST && named.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Whether this is an id, or its first digits, enough of them. Of both, no more than those that messages show count.
pub fn names(named: &str, id: &str) -> bool {
    may_be(named) && id.starts_with(short(named))
}

impl DebateId {
    /// The id of what this value says, by its canonical JSON.
    pub fn from_identity(identity: &Value) -> Self {
        digest::of_json(identity).parse().expect("a SHA-256 has 64 digits")
    }

    /// The first 12 digits, as directory names and messages show them.
    pub fn short(&self) -> &str {
        &self[..SHORT]
    }
}

impl FromStr for DebateId {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Self, NoId> {
        let digits = text.as_bytes().try_into().map_err(|_| NoId)?;
        if digest::is_one(text) { Ok(Self(digits)) } else { Err(NoId) }
    }
}

impl Deref for DebateId {
    type Target = str;

    fn deref(&self) -> &str {
        std::str::from_utf8(&self.0).expect("hexadecimal digits are UTF-8")
    }
}

impl fmt::Display for DebateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for DebateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for DebateId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for DebateId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// The name of a run on a NATS server, under which its debates are kept apart from those of others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunName(String);

impl FromStr for RunName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        if !text.is_empty() && text.len() <= 64 && text.bytes().all(is_plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err("use up to 64 letters, digits, `-` and `_`".to_owned())
        }
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f1_a_name_of_a_run_is_one_token_of_a_subject() {
        for wrong in ["", "a.b", "a b", "*", ">", "ä", &"x".repeat(65)] {
            assert!(wrong.parse::<RunName>().is_err(), "{wrong}");
        }
        assert!("night_2-b".parse::<RunName>().is_ok());
    }

    #[test]
    fn a3_only_64_lowercase_hexadecimal_digits_are_an_id() {
        let good = "0123456789abcdef".repeat(4);
        let id: DebateId = good.parse().unwrap();
        assert_eq!((&*id, id.short()), (good.as_str(), "0123456789ab"));
        let absolute = format!("/{}", &good[1..]);
        let upper = good.to_uppercase();
        for bad in ["", "prec", "../../x", &good[1..], &absolute, &upper] {
            assert_eq!(bad.parse::<DebateId>(), Err(NoId), "{bad}");
        }
        let (json, bad) = (format!("\"{good}\""), format!("\"{absolute}\""));
        assert_eq!(serde_json::from_str::<DebateId>(&json).unwrap(), id);
        assert!(serde_json::from_str::<DebateId>(&bad).is_err());
    }
}
