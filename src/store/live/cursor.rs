//! A reader's position in a debate's log, which survives restarts of the run and the viewer, and the commit.

use std::fmt;

use flate2::Crc;

/// A position in the log of a debate: the number of an event, and a checksum of everything up to it. An event with the same
/// number but another checksum belongs to another course of the debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The number of the last event read.
    pub seq: u64,
    /// The checksum of all lines up to it.
    pub sum: u32,
}

impl Cursor {
    /// Reads what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (seq, sum) = text.split_once('-')?;
        let digits = sum.len() == 8 && seq.len() <= 20 && seq.bytes().all(|b| b.is_ascii_digit());
        Some(Self {
            seq: seq.parse().ok().filter(|_| digits)?,
            sum: u32::from_str_radix(sum, 16).ok()?,
        })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:08x}", self.seq, self.sum)
    }
}

/// The checksum of the lines of a log so far.
#[derive(Debug, Default)]
pub(super) struct RunningSum {
    seq: u64,
    crc: Crc,
}

impl RunningSum {
    /// Takes the line of the next logged event, without its end, and returns the position after it. `None` if another event is
    /// next.
    pub(super) fn take(&mut self, seq: u64, line: &[u8]) -> Option<Cursor> {
        if seq != self.seq + 1 {
            return None;
        }
        self.seq = seq;
        self.crc.update(line);
        self.crc.update(b"\n");
        Some(self.at())
    }

    /// The position in the log.
    pub(super) fn at(&self) -> Cursor {
        Cursor { seq: self.seq, sum: self.crc.sum() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l3_a_cursor_reads_back_and_nothing_else_is_one() {
        let mut sum = RunningSum::default();
        assert_eq!(sum.take(2, b"two"), None, "the first is missing");
        let first = sum.take(1, b"one").unwrap();
        let second = sum.take(2, b"two").unwrap();
        assert_eq!(Cursor::parse(&first.to_string()), Some(first));
        assert_ne!(first.sum, second.sum);
        for bad in
            ["", "1", "1-", "-1234abcd", "1-1234abc", "+1-1234abcd", "1-1234abcg", "x-1234abcd"]
        {
            assert_eq!(Cursor::parse(bad), None, "{bad}");
        }
    }
}
