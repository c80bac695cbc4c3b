//! Commands quoted for a shell.

use super::separated;

/// A command, word by word, as a POSIX shell reads it back.
pub fn command(words: impl Iterator<Item = String>) -> String {
    separated(words.map(|word| quoted(&word)), " ")
}

/// A command to be run in a directory.
pub fn within(dir: &str, command: &str) -> String {
    format!("cd {} && {command}", quoted(dir))
}

/// The words of such a command.
pub fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted => word.extend(chars.next()),
            ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words
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

    #[test]
    fn j9c_the_words_of_a_command_are_those_it_was_made_of() {
        let all = ["rebut", "run", "mine.yaml", "It's so", r"a\b", "", "x y  z"];
        let all = all.map(str::to_owned);
        assert_eq!(words(&command(all.iter().cloned())), all);
    }
}
