//! Which points a proposal answers (row T3): lines that begin with `ACCEPT` or `DEFEND` and a number.

use super::lines::{number, numbers, plain, word};

/// How a proposal answers a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Accept,
    Defend,
}

/// Which points a proposal answers and how; the first answer to a point counts.
pub(super) fn read(text: &str) -> Vec<(u32, Answer)> {
    let mut all: Vec<(u32, Answer)> = Vec::new();
    for (n, answer) in text.lines().flat_map(of_line) {
        if all.iter().all(|(known, _)| *known != n) {
            all.push((n, answer));
        }
    }
    all
}

/// The number stands behind the word or, as a list has it, before it.
fn of_line(line: &str) -> Vec<(u32, Answer)> {
    let unmarked = |c: char| matches!(c, '🔴' | '🟡' | '🟢');
    let (before, rest) = number(plain(line).trim_start_matches(unmarked));
    let (first, behind) = word(plain(rest).trim_start_matches(unmarked).trim_start());
    let answer = match first.to_ascii_uppercase().as_str() {
        "ACCEPT" | "ACCEPTED" => Answer::Accept,
        "DEFEND" | "DEFENDED" => Answer::Defend,
        _ => return Vec::new(),
    };
    let after = numbers(behind);
    let answered = if after.is_empty() {
        before.into_iter().collect()
    } else {
        after
    };
    answered.into_iter().map(|n| (n, answer)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t3_answers_are_read_from_lines_that_begin_with_their_word() {
        use Answer::{Accept, Defend};
        for (text, expected) in [
            ("ACCEPT 1: it is so.", vec![(1, Accept)]),
            ("- **DEFEND 2** – because", vec![(2, Defend)]),
            ("3. ACCEPT: it is so", vec![(3, Accept)]),
            ("Point 4: defend, since", vec![(4, Defend)]),
            ("🔴 ACCEPT #5", vec![(5, Accept)]),
            (
                "ACCEPT 1, 2 and 3: all",
                vec![(1, Accept), (2, Accept), (3, Accept)],
            ),
            ("I accept 6 of them", vec![]),
            ("ACCEPT N: write so", vec![]),
            (
                "ACCEPT 1: yes\nDEFEND 1: no\nDEFEND 2: no",
                vec![(1, Accept), (2, Defend)],
            ),
            ("2. DEFEND 7: the number behind counts", vec![(7, Defend)]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
