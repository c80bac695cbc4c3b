//! Who is asked by a question.

use crate::text::{distinct, mentions};

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
/// rebutted. `everyone` has the names of all participants.
pub fn asked<'a>(
    question: &str,
    mut others: Vec<Other<'a>>,
    everyone: impl Iterator<Item = &'a str> + Clone,
    rebutted: Option<&str>,
) -> Vec<Other<'a>> {
    if distinct(others.iter().map(|other| other.side)).len() == 1 {
        return others;
    }
    let is_named = |other: &Other<'_>| mentions::names(question, other.name, everyone.clone());
    let names_any = others.iter().any(is_named);
    others.retain(|other| if names_any { is_named(other) } else { Some(other.id) == rebutted });
    others
}
