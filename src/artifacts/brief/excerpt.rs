//! The beginning of a long answer: of each of its parts, since what it comes to stands first and what it leaves open last.

use crate::text::{self, answer_parts};

/// Characters that the mark of what is left out takes.
pub(super) const GAP: usize = 6;
/// Characters below which the beginning of a text says nothing.
const LEAST: usize = 60;

/// The beginning of a line to the end of a sentence, marked as such, without a quotation that has no room as a whole: its end may
/// qualify its beginning. Nothing where there is no room for words.
pub(super) fn begun(line: &str, most: usize) -> Option<String> {
    if line.chars().count() <= most {
        return Some(line.to_owned());
    }
    let mut begins = text::beginning(line, most.saturating_sub(GAP));
    if let Some(at) = unclosed(&begins) {
        begins = text::cut_at_sentence(&begins[..at])?.to_owned();
    }
    match begins.chars().count() {
        ..LEAST => None,
        _ if begins.ends_with('…') => Some(begins),
        _ => Some(format!("{begins} {}", text::LEFT_OUT)),
    }
}

/// Where the outermost quotation begins that does not end.
fn unclosed(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '“' => open.push(at),
            '”' => {
                open.pop();
            }
            _ => {}
        }
    }
    open.first().copied()
}

/// The beginnings of an answer's parts, each behind its name, in `most` characters. The first is what matters most: it has all
/// the room that those behind it leave, of which none has more than a quarter.
pub(super) fn of_parts(parts: &[(&str, String)], most: usize) -> String {
    let first = parts.first().map_or("", |(_, text)| text);
    let mut room = most;
    let mut begun = Vec::new();
    for (place, (name, text)) in parts.iter().enumerate().rev() {
        // It stands under a heading of ours.
        let is_title = place == 0 && name.to_lowercase().contains("answer");
        let name = if is_title { "" } else { name };
        let share = if place == 0 { room } else { room.min(most / 4) };
        if let Some(part) = part(name, text, first, share) {
            room = room.saturating_sub(part.chars().count() + 1);
            begun.insert(0, part);
        }
    }
    begun.join("\n")
}

/// The beginning of a part behind its name, to the end of a sentence; nothing where there is no room for words.
fn part(name: &str, text: &str, first: &str, most: usize) -> Option<String> {
    let name = match name {
        "" => String::new(),
        name => format!("{name}: "),
    };
    let said = readable(text, first);
    let room = most.saturating_sub(name.chars().count() + GAP);
    let begins = begins(said.trim_start_matches("- "), room);
    let is_whole = begins == text.trim_start_matches("- ");
    let says = is_whole && !text.is_empty() || begins.chars().count() >= LEAST;
    let mark = if is_whole || begins.ends_with('…') {
        String::new()
    } else {
        format!(" {}", text::LEFT_OUT)
    };
    says.then(|| format!("{name}{begins}{mark}"))
}

/// The lines that fit, and of the next one the sentences that do.
fn begins(text: &str, most: usize) -> String {
    let mut kept = String::new();
    for line in text.lines() {
        let gap = usize::from(!kept.is_empty());
        let room = most.saturating_sub(kept.chars().count() + gap);
        let is_whole = line.chars().count() <= room;
        let said = if is_whole { line.to_owned() } else { text::beginning(line, room) };
        // Behind something whole, half a sentence adds nothing.
        if gap > 0 && (said.is_empty() || !is_whole && said.ends_with('…')) {
            break;
        }
        kept.push_str(&"\n"[..gap]);
        kept.push_str(&said);
        if !is_whole {
            break;
        }
    }
    kept
}

/// A part without the sentences that need a sign of which the first part says nothing, such as the `P` of `P = L + F`: it is
/// explained in what is left out.
fn readable(text: &str, first: &str) -> String {
    let unknown: Vec<&str> =
        signs(text).filter(|sign| signs(first).all(|it| it != *sign)).collect();
    if text == first || unknown.is_empty() {
        return text.to_owned();
    }
    let is_clear = |said: &String| !signs(said).any(|sign| unknown.contains(&sign));
    let line = |line: &str| {
        let clear = text::split_sentences(line).into_iter().filter(is_clear);
        text::separated(clear, " ")
    };
    let lines = text.lines().map(line).filter(|line| !line.is_empty());
    text::separated(lines, "\n")
}

/// The single capital letters of a text that are no words.
fn signs(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
    words
        .filter(|word| word.len() == 1 && !["A", "I"].contains(word))
        .filter(|word| word.chars().all(char::is_uppercase))
}

/// The parts of an answer by their names, without how it came to it where they are known.
pub(in crate::artifacts) fn of_answer(answer: &str) -> Vec<(&str, String)> {
    match answer_parts::read(answer).essentials() {
        none if none.is_empty() => parts(answer),
        essentials => essentials,
    }
}

/// An answer by the headings in it; what stands before the first has none, and a heading with nothing below it is none.
fn parts(answer: &str) -> Vec<(&str, String)> {
    let mut parts: Vec<(&str, String)> = vec![("", String::new())];
    for line in answer.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        let (name, said) = match heading(line) {
            Some((name, said)) => (Some(name), said),
            None => (None, line),
        };
        parts.extend(name.map(|name| (name, String::new())));
        if let Some((_, text)) = parts.last_mut().filter(|_| !said.is_empty()) {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(gap);
            text.push_str(said);
        }
    }
    parts.retain(|(_, text)| !text.is_empty());
    parts
}

/// The heading that a line is or begins with, and what it says behind that: `## Open`, `**Open**`, `**2. Open.** Who pays?`
fn heading(line: &str) -> Option<(&str, &str)> {
    let (label, rest) = match line.strip_prefix("**") {
        Some(bold) => bold.split_once("**")?,
        None => (behind_marks(line)?, ""),
    };
    let name = unnumbered(label);
    let is_numbered = name.len() < label.len();
    let name = name.trim_end_matches(['.', ':', ' ']);
    let is_heading =
        is_numbered || rest.is_empty() || label.ends_with(':') || rest.starts_with(':');
    is_heading.then(|| (name, rest.trim_start_matches([':', ' '])))
}

/// A Markdown heading without its marks.
fn behind_marks(line: &str) -> Option<&str> {
    let behind = line.trim_start_matches('#');
    behind.strip_prefix(' ').filter(|_| behind != line)
}

/// A heading without the number that it begins with: `Open` of `2. Open`.
fn unnumbered(heading: &str) -> &str {
    let behind = heading.trim_start_matches(|c: char| c.is_ascii_digit());
    let name = behind.strip_prefix(['.', ')']);
    name.filter(|_| behind != heading).map_or(heading, str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::{of_parts, parts, unclosed};

    fn part(name: &'static str, text: &str) -> (&'static str, String) {
        (name, text.to_owned())
    }

    #[test]
    fn a9_an_answer_is_told_apart_by_its_headings() {
        let answer = "# Answer of all ✅\n\n**1. The answer.** Not yet.\n\nIt costs.\n\n## Why\n1. **Cost.** It is dear.\n\n**Open**\n**Dissent:** None.";
        let own = [
            part("The answer", "Not yet.\nIt costs."),
            part("Why", "1. **Cost.** It is dear."),
            part("Dissent", "None."),
        ];
        assert_eq!(parts(answer), own);
        assert_eq!(parts("**No.** It costs."), [part("", "**No.** It costs.")]);
        for text in ["**3 million people** would lose.", "#1 reason is cost."] {
            assert_eq!(parts(text), [part("", text)]);
        }
        assert_eq!(parts(""), []);
    }

    #[test]
    fn a9_of_an_answer_in_parts_each_is_begun_and_the_first_has_most_room() {
        let parts = [
            part("Answer", "Yes. It should begin in May, and not before that."),
            part("Confidence", "low."),
            part(
                "Open points",
                "Who pays for the second year of this, and for the third year of it? Nobody said, and it may be very dear to those who are asked to.",
            ),
        ];
        let all = "Yes. It should begin in May, and not before that.\nConfidence: low.\nOpen points: Who pays for the second year of this, and for the third year of it? Nobody said, and it may be very dear to those who are asked to.";
        assert_eq!(of_parts(&parts, 1000), all);
        let begun = "Yes. It should begin in May, and not before that.\nConfidence: low.\nOpen points: Who pays for the second year of this, and for the third year of it? […]";
        assert_eq!(of_parts(&parts, 400), begun);
        // What would say too little is left out.
        let first = "Yes. It should begin in May, and not before that.\nConfidence: low.";
        assert_eq!(of_parts(&parts, 200), first);
        assert_eq!(of_parts(&[], 200), "");
    }

    #[test]
    fn a9_an_answer_is_begun_line_by_line_to_the_end_of_a_sentence() {
        let text = "Yes, it should, and the reasons for this are the following two:\n1. One reason of some length. It has more.\n2. Two.";
        let of = |most| of_parts(&[part("", text)], most);
        assert_eq!(of(200), text);
        assert_eq!(
            of(105),
            "Yes, it should, and the reasons for this are the following two:\n1. One reason of some length. […]"
        );
        assert_eq!(of(80), "Yes, it should, and the reasons for this are the following two: […]");
        assert_eq!(of(40), "");
    }

    #[test]
    fn a9_the_outermost_open_quotation_is_found() {
        for (text, cut) in
            [("It said “so”. ", "It fell: “As “one” said, "), ("", "”; “Not “all” of it")]
        {
            let begins = format!("{text}{cut}");
            let at = begins.len() - cut.len() + cut.find('“').expect("a mark");
            assert_eq!(unclosed(&begins), Some(at), "{begins}");
        }
        assert_eq!(unclosed("“A” and “B”"), None);
    }

    #[test]
    fn a9_a_sign_that_the_answer_explains_elsewhere_is_not_shown() {
        let open = "If P falls, L must be cut. Whether more frequent buses add anything to this should be tested first.";
        let parts = [part("Answer", "No. It should pay for L first."), part("Open", open)];
        let said = "No. It should pay for L first.\nOpen: Whether more frequent buses add anything to this should be tested first. […]";
        assert_eq!(of_parts(&parts, 1000), said);
    }
}
