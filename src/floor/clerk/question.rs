//! The question that a statement asks, verbatim: the clerk only says whether there is one.

use crate::text::{self, overlap::is_stop_word};

/// Maximum characters of a question.
const MOST: usize = 300;
/// Maximum characters of a question with the sentence before it.
const WITH_CONTEXT: usize = 240;
/// Words with a meaning that may stand before one that refers to a sentence before: behind more, it mostly refers to these.
const NAMING: usize = 3;
/// Words for what a sentence before names. Of other languages a question stands alone.
const REFERRING: [&str; 14] = [
    "it", "they", "them", "this", "these", "those", "he", "she", "him", "her", "two", "both",
    "either", "neither",
];
/// The words that announce a question. Who names somebody besides says whom it is for.
const ANNOUNCING: &str =
    "my one a last first second so question let me i ask you then two three things questions";
/// Words of which a demand has one, besides a name. Of other languages only questions with a mark are known.
const DEMANDING: [&str; 6] = ["ask", "invite", "challenge", "urge", "request", "tell"];

/// What a text asks: its last question; without a question mark, its last demand of somebody. Small clerks say of nearly every
/// statement that it asks something, so that the words must show it.
pub(super) fn asked(statement: &str, names_another: impl Fn(&str) -> bool) -> Option<String> {
    last(statement).or_else(|| demanded(statement, names_another))
}

/// A demand such as `I ask Ann to name its size.`
fn demanded(statement: &str, names_another: impl Fn(&str) -> bool) -> Option<String> {
    let sentences = text::split_sentences(statement);
    let is_demand = |sentence: &&String| demands(sentence) && names_another(sentence);
    let demand = sentences.iter().rfind(is_demand)?.trim_start_matches(is_mark);
    Some(closed(&text::shorten(demand, MOST), None))
}

fn demands(sentence: &str) -> bool {
    let mut words = text::plain_words(sentence);
    words.any(|word| DEMANDING.contains(&&*word.to_lowercase()))
}

/// The last question of a text.
fn last(statement: &str) -> Option<String> {
    let end = statement.rfind(['?', '？'])?;
    let before = &statement[..end];
    // A full stop within a number does not end a sentence, nor does a single line break.
    let ends = [". ", ".\n", "! ", "!\n", "? ", "?\n", "\n\n", "。", "！", "？"];
    let begins =
        ends.iter().filter_map(|end| Some(before.rfind(end)? + end.len())).max().unwrap_or(0);
    let asked = text::one_line(before[begins..].trim_matches(is_mark));
    let asked = without_lead_in(&asked);
    let behind = statement[end..].chars().nth(1);
    asked.contains(char::is_alphanumeric).then(|| {
        let asked = format!("{asked}?");
        let whole = with_context(&before[..begins], &asked);
        closed(&whole.unwrap_or_else(|| text::shorten(&asked, MOST)), behind)
    })
}

/// A question without words that only announce it: `My question: who pays`.
fn without_lead_in(asked: &str) -> &str {
    let announces = |lead: &str| {
        let mut words = lead.split(' ').map(str::to_lowercase);
        words.all(|word| ANNOUNCING.split(' ').any(|known| known == word))
    };
    match asked.split_once(": ") {
        Some((lead, question)) if announces(lead) => question,
        _ => asked,
    }
}

/// A text without half a pair of quotation marks: with the mark that stands behind it, if that closes what it quotes, or else
/// without its last one.
fn closed(said: &str, behind: Option<char>) -> String {
    let marks = |said: &str| said.matches(text::is_quotation_mark).count();
    if marks(said).is_multiple_of(2) {
        return said.to_owned();
    }
    match behind.filter(|next| text::is_quotation_mark(*next)) {
        Some(next) => text::unquoted(&format!("{said}{next}")).to_owned(),
        None => {
            let halves = said.rsplit_once(text::is_quotation_mark);
            let whole =
                halves.map(|(before, after)| format!("{before}{after}")).unwrap_or_default();
            whole.trim_start_matches(is_mark).to_owned()
        }
    }
}

/// A question that cannot be understood alone, behind the sentence of its paragraph that stands before it.
fn with_context(before: &str, asked: &str) -> Option<String> {
    let paragraph = before.rsplit("\n\n").next().filter(|_| refers_back(asked))?;
    let context = text::split_sentences(paragraph).pop()?;
    let whole = format!("{} {asked}", context.trim_start_matches(is_mark));
    let is_short = whole.chars().count() <= WITH_CONTEXT;
    (is_short && !context.contains('?')).then_some(whole)
}

/// Whether a question is one word, or has one that means something before it: none of `Is it fair to charge them?` does.
fn refers_back(asked: &str) -> bool {
    let asked = asked.to_lowercase();
    let words: Vec<&str> = text::plain_words(&asked).collect();
    let naming = words.iter().enumerate().filter(|(_, word)| !is_stop_word(word));
    let until = naming.map(|(place, _)| place).nth(NAMING).unwrap_or(words.len());
    let is_empty = |place: usize| {
        let announces =
            words[place] == "it" && place > 0 && ["is", "was"].contains(&words[place - 1]);
        announces && words[place..].iter().any(|word| ["that", "to", "if"].contains(word))
    };
    words.len() == 1
        || (0..until).any(|place| REFERRING.contains(&words[place]) && !is_empty(place))
}

/// Whether a character at a sentence's edge belongs to marks around it.
fn is_mark(c: char) -> bool {
    c.is_whitespace() || "*_>-".contains(c)
}

#[cfg(test)]
mod tests {
    use super::{asked, last};

    #[test]
    fn m7_the_last_question_is_quoted() {
        for (text, expected) in [
            ("I say so. Who pays for it? Nobody.", Some("I say so. Who pays for it?")),
            ("Fares fell. Is it fair that drivers pay?", Some("Is it fair that drivers pay?")),
            (
                "Fares fell. If trams and buses run late, who takes them home?",
                Some("If trams and buses run late, who takes them home?"),
            ),
            ("A corner is kept open.\n\nWho stands in it?", Some("Who stands in it?")),
            (
                "Breaks stay calm. A corner is kept open for the older ones. Who stands in it?",
                Some("A corner is kept open for the older ones. Who stands in it?"),
            ),
            (
                "I think she does. Y-1, if you would let people stay away, whom do you expect to speak for them?",
                Some(
                    "Y-1, if you would let people stay away, whom do you expect to speak for them?",
                ),
            ),
            ("Why? And who\npays for it?", Some("And who pays for it?")),
            ("Fine. My question: who pays?", Some("who pays?")),
            ("My question to Ann: who pays?", Some("My question to Ann: who pays?")),
            (
                "Trees die. So let me ask you two things: who pays, and when?",
                Some("who pays, and when?"),
            ),
            ("Fine. Would 3.5 percent be enough?", Some("Would 3.5 percent be enough?")),
            ("He asked: \"who pays?\"", Some("He asked: \"who pays?\"")),
            ("Fine. \"Who\", I ask Ann, \"pays?\" Nobody.", Some("\"Who\", I ask Ann, \"pays?\"")),
            ("Fine. “Who pays?” Nobody.", Some("Who pays?")),
            ("Fine. \"Who pays? Nobody.\"", Some("Who pays?")),
            ("Gut. «Wer zahlt? Niemand.»", Some("Wer zahlt?")),
            ("\"**Who pays?**\"", Some("Who pays?")),
            (
                "Yes. \"Fares\" fell, so I say \"why? Tell me.\"",
                Some("\"Fares\" fell, so I say why?"),
            ),
            (
                "Ann asked for a car park and now calls it unneeded. Which of the two holds?",
                Some("Ann asked for a car park and now calls it unneeded. Which of the two holds?"),
            ),
            ("Fares fell. Why?", Some("Fares fell. Why?")),
            ("Nobody pays.", None),
            ("?", None),
        ] {
            assert_eq!(last(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn m7_a_demand_without_a_question_mark_is_quoted() {
        let names_ann = |sentence: &str| sentence.contains("Ann");
        for (text, expected) in [
            (
                "So it is. I ask Ann to name its size, of 3.5 at least. That is all.",
                Some("I ask Ann to name its size, of 3.5 at least."),
            ),
            ("Fares fell.\n\n> Ann, tell us\nwho paid. I wait.", Some("Ann, tell us who paid.")),
            ("I ask who paid.", None),
            ("Ann has shown one case, the condor.", None),
            ("Ann, who pays? Name him, Ann.", Some("Ann, who pays?")),
            ("…", None),
            ("", None),
        ] {
            assert_eq!(asked(text, names_ann).as_deref(), expected, "{text}");
        }
    }
}
