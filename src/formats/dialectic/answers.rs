//! Which points a proposal answers (row T3): lines that begin with `ACCEPT`, `PARTLY` or `DEFEND` and a number.

use serde::{Deserialize, Serialize};

use super::lines::{number, numbers, plain, word};
use crate::text;
use crate::text::without_mark;

/// The first sentence of a proposal after its answers to points, or before them if nothing follows, in so many characters.
pub fn opening(proposal: &str, most: usize) -> String {
    let lines: Vec<&str> = without_mark(proposal).lines().collect();
    let is_answer = |line: &&str| !of_line(line).0.is_empty();
    let behind = lines.iter().rposition(is_answer).map_or(0, |last| last + 1);
    let claim = first_sentence(&lines[behind..], most);
    if claim.is_empty() {
        let own: Vec<&str> = lines.into_iter().filter(|line| !is_answer(line)).collect();
        first_sentence(&own, most)
    } else {
        claim
    }
}

fn first_sentence(lines: &[&str], most: usize) -> String {
    let own = lines
        .iter()
        .copied()
        .filter(|line| !line.trim_start().starts_with('#'))
        .skip_while(|line| plain(line).trim().is_empty());
    text::gist(&text::separated(own, "\n"), most)
}

/// How a proposal answers a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It concedes the point.
    Accept,
    /// It concedes a part of the point.
    Part,
    /// It upholds what the point attacks.
    Defend,
}

impl Answer {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accept => "accepted",
            Self::Part => "partly accepted",
            Self::Defend => "defended",
        }
    }
}

/// The points that a proposal answers, and how. The first answer to a point counts.
pub(super) fn read(text: &str) -> Vec<(u32, Answer)> {
    let mut all: Vec<(u32, Answer)> = Vec::new();
    for (n, answer) in text.lines().flat_map(|line| of_line(line).0) {
        if all.iter().all(|(known, _)| *known != n) {
            all.push((n, answer));
        }
    }
    all
}

/// What a proposal says to a point, behind the word and the number.
pub fn said_to(proposal: &str, n: u32) -> Option<String> {
    let is_to = |line: &&str| of_line(line).0.iter().any(|(answered, _)| *answered == n);
    let line = text::unmarked(proposal.lines().find(is_to)?);
    let (_, said) = of_line(&line);
    let marks = [':', '–', '—', '-', '.', ',', ')', ' '];
    text::if_any(said.trim_start_matches(marks).to_owned())
}

/// The answers on a line, and what is behind them. The number comes after the word or, as in a list, before it.
fn of_line(line: &str) -> (Vec<(u32, Answer)>, &str) {
    let unmarked = |c: char| matches!(c, '🔴' | '🟡' | '🟢');
    let begun = plain(line).trim_start_matches(unmarked).trim_start();
    let first = answer(begun).map(|found| (None, found));
    let behind_number = || {
        let (before, rest) = number(begun);
        Some((before, answer(plain(rest).trim_start_matches(unmarked).trim_start())?))
    };
    let Some((before, (answer, behind))) = first.or_else(behind_number) else {
        return (Vec::new(), line);
    };
    let (mut answered, rest) = numbers(behind);
    if answered.is_empty() {
        answered.extend(before);
    }
    (answered.into_iter().map(|n| (n, answer)).collect(), rest)
}

/// The word for an answer at the beginning of a text, and the rest.
fn answer(text: &str) -> Option<(Answer, &str)> {
    let (first, rest) = word(text);
    let answer = match first.to_ascii_uppercase().as_str() {
        "ACCEPT" | "ACCEPTED" => Answer::Accept,
        // Not PART: an answer may be headed "Part 1".
        "PARTLY" | "PARTIAL" | "PARTIALLY" => Answer::Part,
        "DEFEND" | "DEFENDED" => Answer::Defend,
        _ => return None,
    };
    Some((answer, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t3_the_claim_of_a_proposal_is_its_first_sentence_behind_the_answers() {
        for (text, expected) in [
            ("No, the town should not do this. It costs.", "No, the town should not do this."),
            (
                "## Responses\n\n- **DEFEND 1** – because.\n- ACCEPT 2: so it is.\n\n---\n\n## Improved answer\n\n**No: keep the fares as they are.** They pay.",
                "No: keep the fares as they are.",
            ),
            (
                "I answered a sentence and not the point.\n\nACCEPT 1: yes.\n\n## My answer\n\nKeep the fares as they are. They pay.",
                "Keep the fares as they are.",
            ),
            (
                "The town should keep its fares.\n\nACCEPT 1: yes.",
                "The town should keep its fares.",
            ),
            ("ACCEPT 1: yes.", ""),
        ] {
            assert_eq!(opening(text, 160), expected, "{text}");
        }
    }

    #[test]
    fn t3_what_a_line_says_to_a_point_is_told_without_its_word() {
        for (line, n, expected) in [
            ("## Replies\n- **ACCEPT 1** – it is *so*: yes.", 1, Some("it is so: yes.")),
            ("**PARTLY 2, 3**: half.", 3, Some("half.")),
            ("3. ACCEPT: no, it is so", 3, Some("no, it is so")),
            ("ACCEPT 1. Fares fall – by half.", 1, Some("Fares fall – by half.")),
            ("DEFEND 3 because 2:1 holds", 3, Some("because 2:1 holds")),
            ("ACCEPT 1 (price: too low)", 1, Some("(price: too low)")),
            ("ACCEPT 1, 3 studies were added", 1, Some("3 studies were added")),
            ("DEFEND 4", 4, None),
            ("DEFEND 4", 5, None),
        ] {
            assert_eq!(said_to(line, n).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn t3_answers_are_read_from_lines_that_begin_with_their_word() {
        use Answer::{Accept, Defend, Part};
        for (text, expected) in [
            ("ACCEPT 1: it is so.", vec![(1, Accept)]),
            ("- **DEFEND 2** – because", vec![(2, Defend)]),
            ("3. ACCEPT: it is so", vec![(3, Accept)]),
            ("Point 4: defend, since", vec![(4, Defend)]),
            ("🔴 ACCEPT #5", vec![(5, Accept)]),
            ("ACCEPT 1, 2 and 3: all", vec![(1, Accept), (2, Accept), (3, Accept)]),
            ("I accept 6 of them", vec![]),
            ("ACCEPT N: write so", vec![]),
            ("ACCEPT 1: yes\nDEFEND 1: no\nDEFEND 2: no", vec![(1, Accept), (2, Defend)]),
            ("**PARTLY 8**: the first half", vec![(8, Part)]),
            ("Part 1: the plan\nPartly true", vec![]),
            ("2. DEFEND 7: the number behind counts", vec![(7, Defend)]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
