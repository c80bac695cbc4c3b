//! What `index.jsonl` tells of directories that have not changed since it was written. It is read line by line: all of it at once
//! would take more memory than what is kept of it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::time::SystemTime;

use super::index_line::Line;
use super::interner::Interner;
use super::row::Row;
use crate::files;
use crate::store::layout::OutputDir;
use crate::view::public;

/// Bytes that are read at once.
const BLOCK: usize = 256 << 10;

/// The rows of its lines, by the days and names of their directories.
#[derive(Default)]
pub(in crate::view) struct StoredIndex {
    rows: Vec<Arc<Row>>,
    written: Option<SystemTime>,
}

impl StoredIndex {
    pub(in crate::view) fn read(output: &OutputDir, public: bool, words: &mut Interner) -> Self {
        match files::open_own(&output.root().join("index.jsonl")) {
            Ok(file) => Self::of_lines(file, public, words),
            Err(_) => Self::default(),
        }
    }

    fn of_lines(file: File, public: bool, words: &mut Interner) -> Self {
        let written = file.metadata().and_then(|found| found.modified());
        let (mut lines, mut line) = (BufReader::with_capacity(BLOCK, file), Vec::new());
        let mut rows = Vec::new();
        while matches!(lines.read_until(b'\n', &mut line), Ok(1..)) {
            rows.extend(row(&line, public, words).map(Arc::new));
            line.clear();
        }
        // Of two lines on one directory, the last one counts.
        rows.sort_by(|one, other| one.place().cmp(&other.place()));
        Self { rows, written: written.ok() }
    }

    /// The debate in this directory; the path in a list is compared, and never followed.
    pub(in crate::view) fn of(
        &self,
        day: &str,
        name: &str,
        at: Option<SystemTime>,
    ) -> Option<Arc<Row>> {
        if at? > self.written? {
            return None;
        }
        let end = self.rows.partition_point(|row| row.place() <= (day, name));
        let row = self.rows.get(end.checked_sub(1)?)?;
        (row.place() == (day, name)).then(|| Arc::clone(row))
    }
}

fn row(line: &[u8], public: bool, words: &mut Interner) -> Option<Row> {
    let line: Line<'_> = serde_json::from_slice(line).ok()?;
    Row::new(&public::listed(line, public), words)
}
