//! The words of a text, whatever its script.

use unicode_segmentation::UnicodeSegmentation;

/// The words of a text by the rules of Unicode (UAX #29), in lower case; punctuation and spaces are between them.
/// `don’t` is one word, with a straight apostrophe. Where a script sets no spaces, a word is one character
/// (Han, Hiragana, Thai, …) or one run (Katakana).
pub fn words(text: &str) -> Vec<String> {
    let lower = |word: &str| word.to_lowercase().replace('’', "'");
    text.unicode_words().map(lower).collect()
}

/// The words of a text as they stand, each a run of letters and digits: `don’t` is two.
pub fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u2_words_are_found_in_any_script() {
        assert_eq!(words("Don’t **stop**: ÉTUDES—3.5%!"), ["don't", "stop", "études", "3.5"]);
        assert_eq!(words("न्याय और κόσμος"), ["न्याय", "और", "κόσμος"]);
        assert_eq!(words("自由意志はデータ"), ["自", "由", "意", "志", "は", "データ"]);
        assert!(words(" … \n—").is_empty());
    }
}
