//! The four parts of a final answer (row T5): read generously, since models vary their headings.

use super::line_starts::{is_decoration, strip};
use super::{distinct, joined, one_line, split_sentences, unmarked, without_mark};

/// The parts, in the order in which the task asks for them.
const PARTS: [&str; 4] = ["Answer", "Reasoning", "Confidence", "Open points"];
/// What stands for their names where an answer is not to be known by them.
const PLAIN: [&str; 4] = ["", "", "How sure: ", "Still open: "];
/// Maximum length of what comes before the name of a part: `**`, `## 1. `, `Final `.
const MOST_PREFIX: usize = 12;

/// A final answer by its parts; a missing part is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts {
    texts: [String; 4],
}

impl Parts {
    /// The answer itself, on one line.
    pub fn answer(&self) -> String {
        one_line(&self.texts[0])
    }

    /// `high`, `medium`, `low` or a range such as `medium to high`, if the answer states it; if it is not equally sure of
    /// everything, `medium overall`, or `high or medium, depending on the part` where it names none for the whole.
    pub fn confidence(&self) -> Option<String> {
        let said = joined_levels(&one_line(&self.texts[2]).to_lowercase());
        let said = [" and high for", " and medium for", " and low for"]
            .iter()
            .fold(said, |said, part| said.replace(part, &part.replace(" and", ";")));
        let first = said.split(is_between).filter_map(level).next()?;
        // A level that begins a part of a sentence is one of its own: "Medium for the breaks".
        let parts = said.split(['.', ';', ',', ':', '(', '*', '–']);
        let begins = parts.filter_map(|part| {
            let mut words = part.split(is_between);
            level(words.find(|word| !["", "but", "and", "only"].contains(word))?)
        });
        let all = distinct([first.clone()].into_iter().chain(begins));
        Some(match all.as_slice() {
            [one] => one.clone(),
            _ if is_overall(&said) => format!("{first} overall"),
            all => format!("{}, depending on the part", joined(all, "or")),
        })
    }

    /// Whether the sentence behind this beginning of the answer names conditions, or what a cut left out of its own last sentence.
    /// Items of a list are details.
    pub fn conditions_after(&self, beginning: &str) -> bool {
        let answer = unmarked(&self.answer()).to_lowercase();
        let known = beginning.trim_end_matches(['…', '.']).to_lowercase();
        let rest = answer.strip_prefix(&known).unwrap_or_default();
        let is_cut = beginning.ends_with('…');
        let sentences = split_sentences(rest.trim_start_matches('.')).into_iter();
        let is_item =
            |said: &String| said.starts_with(|c: char| c.is_ascii_digit() || is_decoration(c));
        let mut next = sentences.take(if is_cut { 2 } else { 1 }).take_while(|said| !is_item(said));
        let conditions = ["only if", "unless", "provided that", "on condition", "as long as"];
        next.any(|said| conditions.iter().any(|words| said.contains(words)))
    }

    /// The parts, each by its name; none if another than the reasoning is missing.
    pub fn named(self) -> Vec<(&'static str, String)> {
        let all: Vec<(&str, String)> = PARTS.into_iter().zip(self.texts).collect();
        let is_missing = |(part, text): &(&str, String)| text.is_empty() && *part != "Reasoning";
        if all.iter().any(is_missing) { Vec::new() } else { all }
    }

    /// The objection if parts are missing, in words for the synthesizer.
    pub fn objection(&self) -> Option<String> {
        let missing = PARTS.into_iter().zip(&self.texts).filter(|(_, text)| text.is_empty());
        let missing: Vec<&str> = missing.map(|(part, _)| part).collect();
        let named = joined(&missing, "and");
        (!missing.is_empty()).then(|| {
            let s = if missing.len() == 1 { "" } else { "s" };
            format!("it lacks the part{s} {named}")
        })
    }
}

/// Whether the first sentence of a stated confidence is nothing but a level: `Medium.`, `Overall: high;`.
fn is_overall(said: &str) -> bool {
    let first = said.split(['.', ';', '\n', '–', '(']).next().unwrap_or_default();
    let mut words =
        first.split(is_between).filter(|word| !["", "overall", "confidence"].contains(word));
    words.next().is_some_and(|word| level(word).is_some()) && words.next().is_none()
}

/// Words for levels of confidence, and what each stands for.
const LEVELS: [(&str, &str); 4] =
    [("high", "high"), ("medium", "medium"), ("moderate", "medium"), ("low", "low")];
/// What joins the two levels of a range, which is then one word.
const RANGE: char = '~';

/// A text with a mark between the two levels of each range: `medium~high` for `medium to high` and `medium-high`.
fn joined_levels(said: &str) -> String {
    let mut said = said.replace(RANGE, " ");
    for (from, _) in LEVELS {
        for (to, _) in LEVELS {
            let joined = format!("{from}{RANGE}{to}");
            for between in [" to ", "-to-", "-"] {
                said = said.replace(&format!("{from}{between}{to}"), &joined);
            }
        }
    }
    said
}

/// Whether a character is in no word and no range.
fn is_between(c: char) -> bool {
    !c.is_alphabetic() && c != RANGE
}

/// A level of confidence, or a range from one to another.
fn level(word: &str) -> Option<String> {
    let one = |word: &str| LEVELS.iter().find(|(own, _)| *own == word).map(|(_, level)| *level);
    let ends = word.split_once(RANGE).unwrap_or((word, word));
    let (from, to) = (one(ends.0)?, one(ends.1)?);
    Some(if from == to { from.to_owned() } else { format!("{from} to {to}") })
}

/// Reads a final answer.
pub fn read(text: &str) -> Parts {
    let mut parts = Parts::default();
    let mut current = None;
    for line in text.lines() {
        let rest = match heading(line) {
            Some((part, rest)) if parts.texts[part].is_empty() => {
                current = Some(part);
                rest
            }
            _ => line,
        };
        if let Some(part) = current {
            let so_far = &mut parts.texts[part];
            if so_far.is_empty() {
                so_far.push_str(rest.trim_start());
            } else {
                so_far.push('\n');
                so_far.push_str(rest);
            }
        }
    }
    parts
}

/// An answer without the mark of a cut and the names of its parts, by which it would be known beside another answer; the last two
/// are named in words that any answer may use.
pub fn plain(text: &str) -> String {
    let mut named = [false; PARTS.len()];
    let line = |line: &str| match heading(line).filter(|(part, _)| !named[*part]) {
        Some((part, rest)) => {
            named[part] = true;
            format!("{}{rest}", PLAIN[part])
        }
        None => line.to_owned(),
    };
    let lines: Vec<String> = without_mark(text).lines().map(line).collect();
    let lines: Vec<&str> = lines
        .chunk_by(|one, other| one.trim().is_empty() == other.trim().is_empty())
        .flat_map(|same| if same[0].trim().is_empty() { &same[..1] } else { same })
        .map(String::as_str)
        .collect();
    lines.join("\n").trim().to_owned()
}

/// The part that begins on a line, and the text after its heading. A colon, a dash or nothing follows a heading, a full stop one that
/// is marked as such.
fn heading(line: &str) -> Option<(usize, &str)> {
    let marked = line.trim_start().starts_with(['#', '*', '_']);
    let bare = line.trim_start_matches(|c: char| is_decoration(c) || c.is_ascii_digit());
    let bare = strip(bare, "final ").unwrap_or(bare);
    let prefix = line.len() - bare.len();
    let mut parts = PARTS.iter().enumerate();
    let (at, rest) = parts.find_map(|(at, part)| Some((at, strip(bare, part)?)))?;
    let ends = rest.trim_start_matches(['*', '_', ' ']);
    let separated = ends.is_empty()
        || ends.starts_with([':', '–', '—'])
        || (ends.starts_with(['-', '.']) && marked);
    let rest = ends.trim_start_matches(|c: char| is_decoration(c) && c != '(');
    (prefix <= MOST_PREFIX && separated).then_some((at, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t5_the_four_parts_are_read_however_they_are_headed() {
        for text in [
            "Answer: Yes.\nReasoning: It helps.\nConfidence: high, since it was tried.\nOpen points: none.",
            "**Answer:** Yes.\n\n**Reasoning:** It helps.\n\n**Confidence:** High\n\n**Open points:** none.",
            "## Answer\nYes.\n\n## Reasoning\nIt helps.\n\n## Confidence\nHigh.\n\n## Open Points\n- none.",
            "1. **Answer**: Yes.\n2. **Reasoning**: It helps.\n3. **Confidence**: high\n4. **Open points**: none.",
            "# Final Answer\n\nYes.\n\n# Reasoning\n\nIt helps.\n# Confidence\nhigh\n# Open points\nnone.",
            "ANSWER – Yes.\nREASONING – It helps.\nCONFIDENCE – high\nOPEN POINTS – none.",
            "**Answer.** Yes.\n**Reasoning.** It helps.\n**Confidence.** high\n**Open points.** none.",
        ] {
            let parts = read(text);
            assert_eq!(
                (parts.answer().as_str(), parts.confidence().as_deref()),
                ("Yes.", Some("high")),
                "{text}"
            );
            assert_eq!((parts.texts[1].trim(), parts.objection()), ("It helps.", None), "{text}");
            assert!(parts.texts[3].trim().ends_with("none."), "{text}");
        }
    }

    #[test]
    fn t5_an_answer_that_is_not_equally_sure_of_all_says_so() {
        for (said, expected) in [
            ("high, since it was tried", "high"),
            (
                "High for lessons, as said. Medium for the breaks.",
                "high or medium, depending on the part",
            ),
            ("**Medium.** High for the budget; moderate for the rest; low for L", "medium overall"),
            ("high on cost, but low on speed", "high or low, depending on the part"),
            ("Overall high; low on speed", "high overall"),
            ("**Medium-high**, as it was tried", "medium to high"),
            (
                "Medium to high for the first and medium for the second. Both rest on little.",
                "medium to high or medium, depending on the part",
            ),
            ("moderate: the low price and high demand are guesses", "medium"),
            ("Medium to low, since little was tried", "medium to low"),
            ("Medium-low.", "medium to low"),
            ("High to medium", "high to medium"),
            ("low to high", "low to high"),
            ("Close to high.", "high"),
            ("High-confidence, as it was tried", "high"),
            ("**Medium to high.** High for the budget; low for L", "medium to high overall"),
        ] {
            let text =
                format!("Answer: Yes.\nReasoning: .\nConfidence: {said}\nOpen points: none.");
            assert_eq!(read(&text).confidence().as_deref(), Some(expected), "{said}");
        }
    }

    #[test]
    fn t5_conditions_behind_the_beginning_of_an_answer_are_seen() {
        let parts = read("Answer: **Yes.** It starts only if two thirds agree.");
        assert!(parts.conditions_after("Yes."));
        assert!(!parts.conditions_after("Yes. It starts only if two thirds agree."));
        let long = read(
            "Answer: Buy the homes of those who leave, one by one. This holds only if the state pays.",
        );
        assert!(
            long.conditions_after("Buy the homes…") && !long.conditions_after("Buy…, one by one.")
        );
        let cut =
            read("Answer: Buy the homes of those who leave, unless it is dear. It starts in May.");
        assert!(cut.conditions_after("Buy the homes…"), "the cut hides it");
        assert!(!read("Answer: Yes. It starts in May.").conditions_after("Yes."));
        let items = "Answer: Yes.\n1. Loans renew unless the book is reserved.";
        assert!(!read(items).conditions_after("Yes."), "a detail");
    }

    #[test]
    fn t5_without_its_headings_an_answer_reads_as_any_other() {
        let text = "**Answer:** Yes.\n\n## Reasoning\nIt helps.\n\nConfidence: high.\n\nOpen points: none.";
        let bare = "Yes.\n\nIt helps.\n\nHow sure: high.\n\nStill open: none.";
        assert_eq!(plain(text), bare);
        let other = "Yes. Answer the question first: it helps.";
        assert_eq!(plain(other), other);
    }

    #[test]
    fn t5_what_is_missing_is_named() {
        let parts = read("Yes, they should.\nAnswer the question first.\nConfidence: about 70%.");
        assert_eq!((parts.answer().as_str(), parts.confidence()), ("", None));
        assert_eq!(
            parts.objection().expect("an objection"),
            "it lacks the parts Answer, Reasoning and Open points"
        );
        let parts = read("Answer: Yes.\nReasoning: It helps.\nConfidence: high.");
        assert_eq!(parts.objection().expect("an objection"), "it lacks the part Open points");
    }
}
