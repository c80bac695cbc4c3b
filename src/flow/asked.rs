//! Who is asked by a question.

use crate::text::{distinct, mentions, split_sentences};

/// Somebody on another side than a question's.
#[derive(Clone, Copy)]
pub struct Other<'a> {
    /// The id.
    pub id: &'a str,
    /// The displayed name.
    pub name: &'a str,
    /// The side.
    pub side: &'a str,
}

/// Who is asked: all on the only other side, or of several sides, those whom the question names; if it names none, whoever was
/// rebutted, or those named last before it in its paragraph of what was `said`. `everyone` has the names of all participants.
pub fn asked<'a>(
    question: &str,
    said: &str,
    mut others: Vec<Other<'a>>,
    everyone: impl Iterator<Item = &'a str> + Clone,
    rebutted: Option<&str>,
) -> Vec<Other<'a>> {
    if distinct(others.iter().map(|other| other.side)).len() == 1 {
        return others;
    }
    let names = |text: &str, other: &Other<'_>| mentions::names(text, other.name, everyone.clone());
    let before = said.rfind(['?', '？']).map_or("", |end| &said[..end]);
    let before = split_sentences(before.rsplit("\n\n").next().unwrap_or_default());
    let own = [question].into_iter();
    let mut texts =
        own.chain(before.iter().rev().map(String::as_str).filter(|_| rebutted.is_none()));
    let naming = texts.find(|text| others.iter().any(|other| names(text, other)));
    others.retain(|other| match naming {
        Some(text) => names(text, other),
        None => Some(other.id) == rebutted,
    });
    others
}
