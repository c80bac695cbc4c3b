//! A debate in the directory of a worker, which is only a copy of what the server has.

use crate::files::{self, Result};
use crate::journal::Header;
use crate::store::layout::OutputDir;

/// Puts a debate's journal in its place, as it is on the server.
pub(super) fn lay_out(output: &OutputDir, header: &Header, lines: &[String]) -> Result<()> {
    clear(output, header)?;
    let mut text = lines.join("\n");
    text.push('\n');
    files::replace(&output.running_journal(&header.id), text.as_bytes())
}

/// Removes all of a debate but for the inputs, which others share.
pub(super) fn clear(output: &OutputDir, header: &Header) -> Result<()> {
    let id = &header.id;
    files::remove_file(&output.running_journal(id))?;
    files::remove_file(&output.finished_journal(id))?;
    files::remove_file(&output.prompts(id))?;
    let dir = output.home(header);
    dir.map_or(Ok(()), |dir| files::remove_dir(&dir))
}
