//! Commands quoted for a shell.

use super::separated;

/// A command, word by word, as a POSIX shell reads it back.
pub fn command(words: impl Iterator<Item = String>) -> String {
    separated(words.map(|word| quoted(&word)), " ")
}

/// A word as a POSIX shell reads it back.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=:@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j9c_only_what_a_shell_would_change_is_quoted() {
        assert_eq!(quoted("jobs/a.yaml"), "jobs/a.yaml");
        assert_eq!(quoted("x.fallback=[a]"), "'x.fallback=[a]'");
        assert_eq!(quoted("It's so"), r"'It'\''s so'");
        assert_eq!(quoted(""), "''");
    }
}
