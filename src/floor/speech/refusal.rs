//! Replies that decline the task. By pattern they are only suspected: somebody may argue that one cannot help everyone.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::pattern;

/// A refusal is short; a longer text argues.
const MOST_WORDS: usize = 120;
/// It says so at its beginning.
const LOOKED_AT: usize = 400;

/// First-person declining, in the words that chat models use.
static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
    let cannot = r"(?:can(?:no|['’])t|cannot|won['’]t|will not|(?:am|['’]m)\s+(?:not able|unable|not going)\s+to|(?:must|have to|would)\s+(?:\w+\s+)?(?:decline|refuse)(?:\s+to)?|(?:am|['’]m)\s+not\s+(?:comfortable|willing)(?:\s+to|\s+with)?|decline\s+to|don['’]t\s+feel\s+comfortable)";
    let task = r"(?:help|assist|provid|writ|creat|generat|produc|mak|argu|engag|participat|tak|fulfil|comply|continu|discuss|debat|defend|advocat|promot|support|endors|present|offer|giv|do\b|express|respond|answer|adopt|play|role)";
    let other = r"ich kann (?:leider )?(?:nicht|keine|das nicht)|tut mir leid|je (?:ne peux|suis désolé)|no puedo|lo siento|não posso|non posso|mi dispiace|我(?:不能|无法)|申し訳";
    pattern(&format!(
        r"(?i)\bI\s*{cannot}\W+(?:\w+\W+){{0,4}}?{task}|\bI(?:['’]m| am) sorry,? but\b|\bas an AI\b|{other}"
    ))
});

/// Whether a reply may decline its task.
pub(super) fn is_suspected(text: &str) -> bool {
    let beginning: String = text.chars().take(LOOKED_AT).collect();
    text.split_whitespace().count() <= MOST_WORDS && REFUSAL.is_match(&beginning)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSALS: &[&str] = &[
        "I'm sorry, but I can't help with that.",
        "I cannot argue for this position.",
        "I can't assist with that request.",
        "I'm unable to participate in this debate.",
        "I am not able to provide arguments against voting rights.",
        "As an AI language model, I don't take sides on political questions.",
        "I'm not comfortable arguing this side.",
        "I won't write a statement that promotes this view.",
        "I must decline to make this argument.",
        "I have to respectfully decline to take this position.",
        "I apologize, but I cannot fulfill this request.",
        "Sorry, I can’t create content that argues for that.",
        "I will not engage in this discussion.",
        "I'm not going to argue that people deserve less.",
        "Unfortunately, I cannot generate this kind of content.",
        "I don't feel comfortable defending this claim.",
        "As an AI, I don't have personal opinions.",
        "I would prefer not to; I can't take a stance on abortion.",
        "I'm sorry, but this topic is too sensitive for me to debate.",
        "I decline to play this role.",
        "Ich kann bei diesem Thema leider nicht helfen. Tut mir leid.",
    ];

    #[test]
    fn m2_refusals_in_their_usual_words_are_suspected() {
        for text in REFUSALS {
            assert!(is_suspected(text), "{text}");
        }
    }

    #[test]
    fn m2_ordinary_statements_are_not_suspected() {
        for text in [
            "Voting should be compulsory, because democracy needs everyone.",
            "A doctor may refuse to perform an abortion; that freedom matters.",
            "We cannot help everyone, but we can help many.",
            "My opponent refuses to answer the question of cost.",
            "The state can't provide for those who do not vote.",
            "Citizens will not take part if they see no sense in it.",
            "I am sorry for those who wait, and so we should act.",
            "Machines cannot argue, yet they persuade.",
            "I can argue this in two steps.",
            "It is not comfortable to hear, but it is true.",
        ] {
            assert!(!is_suspected(text), "{text}");
        }
        let long = format!(
            "I cannot argue that costs do not matter. {}",
            "They do matter a lot here. ".repeat(30)
        );
        assert!(
            !is_suspected(&long),
            "who goes on to argue does not decline"
        );
    }
}
