//! Who is asked by a question, and whether it is put again.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::text::overlap::terms;
use crate::text::{distinct, mentions, split_sentences};

/// Question marks.
const MARKS: [char; 2] = ['?', '？'];

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
    let before = said.rfind(MARKS).map_or("", |end| &said[..end]);
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
    let (own, others) = (asked_terms(one), asked_terms(other));
    let shared = shared(&own, &others);
    let (few, many) = (own.len().min(others.len()), own.len().max(others.len()));
    one == other || shared > 1 && shared == few && shared * 3 >= many * 2
}

/// Words of whoever asks again or complains of silence: `I ask again`, `she has not said`, `nobody answered`.
static CUE: LazyLock<Regex> = LazyLock::new(|| {
    let cue = r"(?i)\b(again|I (still )?ask)\b|(\bno|\bnever|\bnot|n't|\bnobody|\byet|\bstill)\b.{0,30}\b(said|say|told|tell|answer|explain|name)";
    Regex::new(cue).expect("a pattern of ours")
});

/// Whether a statement puts a question again without a question mark: `She has not said who pays for the machine`. Such an English
/// sentence says that it does and has three of the question's terms, or all if they are fewer.
pub fn puts_again(said: &str, question: &str) -> bool {
    let asked = asked_terms(question);
    let puts = |sentence: &String| {
        let is_cued = !sentence.contains(MARKS) && CUE.is_match(sentence);
        is_cued && shared(&asked, &terms(sentence)) >= asked.len().clamp(1, 3)
    };
    split_sentences(said).iter().any(puts)
}

/// The terms of a text's last question; of a demand, which has no question mark, all.
fn asked_terms(text: &str) -> BTreeMap<String, u32> {
    let question = split_sentences(text).into_iter().rfind(|it| it.contains(MARKS));
    terms(question.as_deref().unwrap_or(text))
}

fn shared(one: &BTreeMap<String, u32>, other: &BTreeMap<String, u32>) -> usize {
    one.keys().filter(|term| other.contains_key(*term)).count()
}

#[cfg(test)]
mod tests {
    use super::{asks_again, puts_again};

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

    #[test]
    fn m7_a_question_is_put_again_without_a_question_mark_where_a_sentence_has_its_words() {
        let ladder = "A ladder lets trout up, so Ann: why demolish before trying it?";
        let price = "Ann, how should the desk tell who needs a book from who wants it kept, if not by a price?";
        let silent =
            "I ask again: why demolish the weir before a ladder for trout has been tried, when";
        assert!(puts_again(&format!("The wall holds. {silent}"), ladder));
        assert!(puts_again("Ann has not said how the desk is to tell need from whim.", price));
        assert!(!puts_again("The wall is sound. A ladder costs little.", ladder));
        let rural = "Voters in rural villages must travel to booths again and pay for it.";
        let travel = "Rural voters must travel, and booths in villages cost money.";
        let booths = "Ann, who pays for booths in rural villages?";
        assert!(!puts_again(travel, booths) && puts_again(&format!("I ask: {rural}"), booths));
        assert!(
            !puts_again("Why demolish it before trying a ladder?", ladder),
            "found by its mark"
        );
        let demand = "I ask Ann to name the price.";
        assert!(puts_again("Ann still has to name its price, which I ask for.", demand));
        assert!(!puts_again("So it is.", demand) && !puts_again("So it is.", "Why?"));
    }
}
