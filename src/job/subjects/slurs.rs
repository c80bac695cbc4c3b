//! Severe slurs in a subject. The filter's library finds words inside words, across words, and with digits for letters; here only
//! whole words count, as they are usually spelled, so that ordinary topics pass.

use rustrict::{Censor, Type};

/// What may follow the library's word in a whole word: a plural, or the last letter that its list leaves off.
const ENDINGS: [&str; 6] = ["", "s", "es", "z", "o", "os"];
/// Names that the library takes for slurs: a country and an agency. In small letters they are slurs.
const NAMES: [&str; 2] = ["Niger", "NGA"];
/// Words that the library takes for slurs: a frost, and an organisation and its members, who are debated.
const ORDINARY: [&str; 6] = ["hoar", "kkk", "klansman", "klansmen", "klanswoman", "klanswomen"];
/// Words that are ordinary near another: chinks in the armour, and a breed of cats.
const ORDINARY_NEAR: [(&str, &str); 3] =
    [("chink", "armour"), ("chink", "armor"), ("coon", "maine")];

/// The first severe slur of a text, in words for a message: its first letter, and an asterisk for each other.
pub(super) fn first_slur(text: &str) -> Option<String> {
    let words = || text.split(|c: char| !c.is_alphabetic());
    let slur = words().find(|word| is_slur(word) && !is_ordinary(word, words()))?;
    let first: String = slur.chars().take(1).collect();
    let masked = first + &"*".repeat(slur.chars().count() - 1);
    Some(format!("`{masked}`, which the filter considers a severe slur"))
}

fn is_slur(word: &str) -> bool {
    let mut censor = Censor::from_str(word);
    let censor = censor.with_censor_threshold(Type::OFFENSIVE & Type::SEVERE);
    let censored = censor.censor();
    let ending = censored.trim_start_matches('*').to_lowercase();
    censored.starts_with('*') && ENDINGS.contains(&ending.as_str())
}

fn is_ordinary<'t>(word: &str, text: impl Iterator<Item = &'t str>) -> bool {
    let lower = word.to_lowercase();
    if NAMES.contains(&word) || ORDINARY.contains(&lower.as_str()) {
        return true;
    }
    let text: Vec<String> = text.map(str::to_lowercase).collect();
    let is_near = |(of, near): &(&str, &str)| {
        lower.trim_end_matches('s') == *of && text.iter().any(|it| it == near)
    };
    ORDINARY_NEAR.iter().any(is_near)
}
