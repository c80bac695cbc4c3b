//! Wraps text into lines of a given width.

use super::one_line;

/// A text behind a label, in lines of at most `width` characters that all begin at the same column.
pub fn labelled(label: &str, column: usize, text: &str, width: usize) -> Vec<String> {
    let (first, others) = (format!("{label:column$}"), " ".repeat(column));
    wrapped(text, &first, &others, width)
}

/// A text in lines of at most `width` characters, broken between words, and inside those that are longer.
pub fn broken(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let mut letters: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + letters.len() > width {
            lines.push(String::new());
            used = 0;
        }
        let mut gap = if used > 0 { " " } else { "" };
        while !letters.is_empty() {
            let rest = letters.split_off(letters.len().min(width.max(1)));
            used += gap.len() + letters.len();
            let line = lines.last_mut().into_iter();
            line.for_each(|line| line.extend(gap.chars().chain(letters.iter().copied())));
            letters = rest;
            gap = "";
            if !letters.is_empty() {
                lines.push(String::new());
                used = 0;
            }
        }
    }
    lines
}

/// A paragraph in lines of at most `width` characters, its first line behind one indent and the others behind another; nothing
/// without text.
pub fn wrapped(text: &str, first: &str, others: &str, width: usize) -> Vec<String> {
    let text = one_line(text);
    if text.is_empty() {
        return Vec::new();
    }
    let indents = std::iter::once(first).chain(std::iter::repeat(others));
    let lines = broken(&text, width.saturating_sub(others.chars().count()));
    indents.zip(lines).map(|(indent, line)| indent.to_owned() + &line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_a_paragraph_is_broken_between_words() {
        assert_eq!(broken("a bc def", 4), ["a bc", "def"]);
        assert_eq!(broken("abcdefgh i", 3), ["abc", "def", "gh", "i"]);
        assert_eq!(wrapped("", "- ", "", 80), Vec::<String>::new());
    }
}
