//! Who may look, and at what.

/// Hex digits of a key: 128 bits.
const KEY: usize = 16;

/// Who may look, and at what.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Names of this machine that a browser may use.
    pub names: Vec<String>,
    /// What who looks has to know; `None` where nothing is asked.
    pub key: Option<String>,
    /// Whether prompts, calls and files are hidden.
    pub public: bool,
}

/// A key that nobody can guess.
pub fn key() -> Result<String, String> {
    let mut bytes = [0_u8; KEY];
    getrandom::fill(&mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
