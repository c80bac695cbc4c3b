//! Records as in RFC 4180.

use csv::{Terminator, WriterBuilder};

/// Records with CRLF behind them and quotes where they are needed. All have equally many cells.
pub fn records<R>(records: impl IntoIterator<Item = R>) -> Vec<u8>
where
    R: IntoIterator<Item: AsRef<[u8]>>,
{
    let mut writer = WriterBuilder::new();
    let mut writer = writer.terminator(Terminator::CRLF).from_writer(Vec::new());
    for record in records {
        // Memory takes what is written.
        writer.write_record(record).expect("a record");
    }
    writer.into_inner().expect("memory takes it")
}
