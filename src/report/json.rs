//! Findings as streamed JSON: the whole text is never held in memory.

use std::io::{self, Write};

use crate::stats::findings::Findings;
use crate::templates::inert_json;

/// The findings themselves.
pub fn json(findings: &Findings, to: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(Inert(to), findings)?;
    writeln!(to)
}

/// Makes what passes through inert. serde_json writes strings in whole characters, and `](` never across two writes.
struct Inert<'w>(&'w mut dyn Write);

impl Write for Inert<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_all(inert_json(text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
