//! Whether a query calls for a debate (row R4).

use crate::formats::roundtable::settings::{Roundtable, Trigger};
use crate::text::plain_words;

/// Whether the specialists debate; otherwise the chair answers alone.
pub(super) fn is_met(settings: &Roundtable, query: &str) -> bool {
    settings.trigger == Trigger::Always || found(settings, query).is_some()
}

/// The first keyword found in the query. None is looked for if there is always a debate.
pub(super) fn found<'k>(settings: &'k Roundtable, query: &str) -> Option<&'k str> {
    match settings.trigger {
        Trigger::Always => None,
        Trigger::Auto => keyword(query, &settings.trigger_keywords),
    }
}

fn keyword<'k>(query: &str, keywords: &'k [String]) -> Option<&'k str> {
    let query = words(query);
    keywords.iter().find(|keyword| holds(&query, keyword)).map(String::as_str)
}

/// Whether the query has consecutive words that begin with those of the keyword.
fn holds(query: &[String], keyword: &str) -> bool {
    let wanted = words(keyword);
    let begin = |(word, wanted): (&String, &String)| word.starts_with(wanted.as_str());
    !wanted.is_empty()
        && query.windows(wanted.len()).any(|words| words.iter().zip(&wanted).all(begin))
}

/// The words of a text in lower case.
fn words(text: &str) -> Vec<String> {
    plain_words(text).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Option<String> {
        let keywords = Roundtable::default().trigger_keywords;
        keyword(query, &keywords).map(str::to_owned)
    }

    #[test]
    fn r4_keywords_are_beginnings_of_words_in_either_case() {
        assert_eq!(found("Is TESLA a good InvestMENT?").as_deref(), Some("invest"));
        assert_eq!(found("What is your opinion?").as_deref(), Some("opinion"));
        assert_eq!(found("Our evaluation is due"), None, "evaluate is longer");
        assert_eq!(found("Please evaluate (and soon)").as_deref(), Some("evaluate"));
        assert_eq!(found("Reinvesting is no beginning of that word"), None);
        assert_eq!(found("What is the capital of France?"), None);
    }

    #[test]
    fn r4_keywords_of_several_words_stand_one_behind_the_other() {
        assert_eq!(found("So, SHOULD I\n  buy it?").as_deref(), Some("should i buy"));
        assert_eq!(found("should I really buy it?"), None);
        assert_eq!(found("buy I should"), None);
        assert_eq!(found("should i"), None);
    }

    #[test]
    fn r4_an_empty_query_or_keyword_is_never_met() {
        assert_eq!(keyword("", &["a".to_owned()]), None);
        assert_eq!(keyword("a b", &["?!".to_owned()]), None);
        assert_eq!(keyword("Ökonomie ist wichtig", &["ökonom".to_owned()]), Some("ökonom"));
    }

    #[test]
    fn r4_always_needs_no_keyword() {
        let mut settings = Roundtable::default();
        assert!(is_met(&settings, "What is the capital of France?"));
        settings.trigger = Trigger::Auto;
        assert!(!is_met(&settings, "What is the capital of France?"));
        assert!(is_met(&settings, "Assess the capital of France."));
    }
}
