//! Who is asked by a question.

use crate::text::overlap::terms;
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

/// Whether a question asks what an earlier one of the same speaker asked: one has all terms of the other, and few more. A word less
/// may be whom it is for, or what it is about.
pub fn asks_again(one: &str, other: &str) -> bool {
    let [own, others] = [one, other].map(|question| {
        let mut sentences = split_sentences(question).into_iter();
        terms(&sentences.rfind(|it| it.contains(['?', '？'])).unwrap_or_default())
    });
    let shared = own.keys().filter(|term| others.contains_key(*term)).count();
    let (few, many) = (own.len().min(others.len()), own.len().max(others.len()));
    one == other || shared > 1 && shared == few && shared * 3 >= many * 2
}

#[cfg(test)]
mod tests {
    use super::asks_again;

    #[test]
    fn m7_a_question_in_other_words_is_the_same_only_if_it_has_all_words_of_the_shorter_one() {
        let asked = "It fails in June. Who pays for a rented machine then?";
        assert!(asks_again(asked, "If it fails in May, who pays for a rented machine?"));
        assert!(!asks_again(asked, "Who pays for the walls?"));
        assert!(asks_again("Why?", "Why?") && !asks_again("Why?", "How?"));
        let of_ann = "Ann, who pays for the rented machine?";
        assert!(asks_again(of_ann, "Who pays for the rented machine?"));
        for other in
            ["Ben, who pays for the rented machine?", "Ann, who insures the rented machine?"]
        {
            assert!(!asks_again(of_ann, other), "{other}");
        }
    }
}
