//! Compiles the regular expressions that this folder states.

use regex::Regex;

/// What is between words: ASCII and Latin-1 without letters and digits, and Unicode's general blocks of punctuation, symbols and pictures; not the
/// punctuation of single scripts.
const BETWEEN: &str = r"\x00-/:-@\[-^`{-\xA9\xAB-\xB4\xB6-\xB9\xBB-\xBF\xD7\xF7\x{2000}-\x{206F}\x{20A0}-\x{20CF}\x{2190}-\x{2BFF}\x{2E00}-\x{2E7F}\x{3000}-\x{3004}\x{3008}-\x{3020}\x{3030}\x{FE00}-\x{FE0F}\x{FE30}-\x{FE6F}\x{FEFF}-\x{FF0F}\x{FF1A}-\x{FF20}\x{FF3B}-\x{FF40}\x{FF5B}-\x{FF65}\x{1F000}-\x{1FAFF}";

/// Compiles one of our own patterns; the tests show that they all compile. In them, `\w` is a character of a word and `\W` one between
/// words as [`BETWEEN`] has it: with Unicode's own tables, which have hundreds of ranges, a pattern of many words takes
/// tens of milliseconds to compile in every run, and so do these where `(?i)` looks for the other case of each; none has one
/// beyond the class. They stand in no class of a pattern.
pub(super) fn pattern(pattern: &str) -> Regex {
    let within = pattern
        .replace(r"\W", &format!("(?-i:[{BETWEEN}])"))
        .replace(r"\w", &format!("(?-i:[^{BETWEEN}])"));
    Regex::new(&within).expect("a pattern of ours")
}
