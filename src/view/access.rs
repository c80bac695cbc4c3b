//! Who may look, and at what.

use std::path::Path;

use crate::digest;
use crate::files;
use crate::store::layout::OutputDir;

/// Bytes of a key.
const KEY: usize = 16;

/// Who may look, and at what.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Names of this machine that a browser may use.
    pub names: Vec<String>,
    /// What who looks must know; `None` if nothing is asked.
    pub key: Option<String>,
    /// Whether prompts, calls and files are hidden.
    pub public: bool,
}

/// The key of an output directory, kept in a file that only its owner reads, so that browsers which know it may come back after
/// a restart. One that others could have read is replaced. Where none can be kept, it is good for this time.
pub fn key(output: &OutputDir) -> Result<String, String> {
    let path = output.of_viewers().join("key");
    if let Some(kept) = kept(&path) {
        return Ok(kept);
    }
    let key = new_key()?;
    let _ = files::remove_file(&path);
    let dir = files::own_dir(&output.of_viewers());
    let _ = dir.and_then(|()| files::write_new_private(&path, key.as_bytes()));
    Ok(key)
}

fn kept(path: &Path) -> Option<String> {
    let bytes = files::read_private(path, 2 * KEY as u64).ok()?;
    let is_key = digest::is_hex(&bytes, 2 * KEY);
    String::from_utf8(bytes).ok().filter(|_| is_key)
}

/// 128 bits that nobody can guess, as hexadecimal digits.
pub(super) fn new_key() -> Result<String, String> {
    let mut bytes = [0_u8; KEY];
    getrandom::fill(&mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
