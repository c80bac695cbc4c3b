//! A part of all debates, for machines that share a batch without a common server (row F3).

use std::num::NonZeroU64;
use std::str::FromStr;

/// Digits of an id that determine its part: 64 bits of a digest, evenly distributed.
const DIGITS: usize = 16;

/// Part `K` of `N`. Every debate is in exactly one part, whatever the other flags: only its id decides, or that of the
/// question that it shares with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) struct Shard {
    /// The part, from 1.
    number: u64,
    of: NonZeroU64,
}

impl Shard {
    /// Whether this digest is in this part: that of a debate's id, or of the question shared by debates and controls.
    pub(in crate::cli) fn has(self, digest: &str) -> bool {
        let digits = u64::from_str_radix(&digest[..DIGITS], 16);
        digits.is_ok_and(|digits| digits % self.of == self.number - 1)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let both = text.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.parse().ok()?, of.parse::<NonZeroU64>().ok()?);
            (1..=of.get()).contains(&number).then_some((number, of))
        });
        both.map(|(number, of)| Self { number, of })
            .ok_or_else(|| "use K/N with K from 1 to N, for example 2/8".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::DebateId;

    #[test]
    fn f3_every_debate_is_in_one_part() {
        let ids = (0..7_000_u64).map(|n| {
            let digest = crate::digest::of_bytes(&n.to_le_bytes());
            digest.parse::<DebateId>().unwrap()
        });
        let shards: Vec<Shard> = (1..=7).map(|k| format!("{k}/7").parse().unwrap()).collect();
        let mut sizes = [0; 7];
        for id in ids {
            let of: Vec<usize> = (0..7).filter(|at| shards[*at].has(&id)).collect();
            assert_eq!(of.len(), 1, "{id:?}");
            sizes[of[0]] += 1;
        }
        assert!(sizes.iter().all(|size| (900..=1_100).contains(size)), "{sizes:?}");
    }

    #[test]
    fn f3_a_part_is_one_of_those_there_are() {
        for wrong in ["0/3", "4/3", "1", "1/0", "a/b", "-1/2", "1/2/3", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
