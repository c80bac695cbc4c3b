//! The beginning of a long answer: what it comes to stands first.

use crate::text;

/// Characters that the mark of what is left out takes.
const GAP: usize = 6;

/// Characters below which a sentence is a label such as `3. **Relief.**`
const LEAST: usize = 24;

/// A text from its beginning to the end of a sentence, as much as fits into `most` characters; a heading goes with what it
/// heads. What is left out is marked.
pub(in crate::artifacts) fn excerpt(answer: &str, most: usize) -> String {
    let units = units(answer);
    let whole = units.join("\n");
    if whole.chars().count() <= most {
        return whole;
    }
    let mut kept: Vec<String> = Vec::new();
    let mut room = most.saturating_sub(GAP);
    for unit in &units {
        let length = unit.chars().count() + 1;
        if length > room {
            kept.extend(sentences(unit, room));
            break;
        }
        room -= length;
        kept.push(unit.clone());
    }
    match kept.is_empty() {
        true => text::shorten(units.first().map_or("", String::as_str), most),
        false => kept.join("\n") + "\n" + text::LEFT_OUT,
    }
}

/// The beginnings of an answer's parts, each behind its name, in `most` characters. The first is what matters most: it has all
/// the room that those behind it leave, of which none has more than a quarter.
pub(in crate::artifacts) fn of_parts(parts: &[(&str, String)], most: usize) -> String {
    let mut room = most;
    let mut begun = Vec::new();
    for (place, (name, text)) in parts.iter().enumerate().rev() {
        let share = if place == 0 { room } else { most / 4 };
        if let Some(part) = part(name, text, share) {
            room = room.saturating_sub(part.chars().count() + 1);
            begun.insert(0, part);
        }
    }
    begun.join("\n")
}

/// The beginning of a part behind its name, to the end of a sentence; nothing where there is no room for words.
fn part(name: &str, text: &str, most: usize) -> Option<String> {
    let room = most.saturating_sub(name.chars().count() + 2 + GAP);
    let begins = text::beginning(text, room);
    let length = begins.chars().count();
    let is_whole = length >= text.chars().count();
    (is_whole || length >= LEAST).then(|| match is_whole {
        true => format!("{name}: {begins}"),
        false => {
            let begins = begins.trim_end_matches('…');
            format!("{name}: {begins} {}", text::LEFT_OUT)
        }
    })
}

/// The whole sentences of a line that fit, behind its headings.
fn sentences(unit: &str, most: usize) -> Option<String> {
    let at = unit.rfind('\n').map_or(0, |end| end + 1);
    let (headings, line) = unit.split_at(at);
    let said = text::beginning(line, most.checked_sub(headings.chars().count())?);
    let says = !said.ends_with('…') && said.chars().count() >= LEAST;
    says.then(|| format!("{headings}{said}"))
}

/// Lines with words, each behind the headings above it.
fn units(answer: &str) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    let mut heading = String::new();
    for line in answer.lines().filter(|line| !line.trim().is_empty()) {
        let bare = line.trim();
        if bare.starts_with('#') || (bare.starts_with("**") && bare.ends_with("**")) {
            heading.push_str(bare);
            heading.push('\n');
        } else {
            units.push(std::mem::take(&mut heading) + line);
        }
    }
    units.extend((!heading.is_empty()).then(|| heading.trim_end().to_owned()));
    units
}

#[cfg(test)]
mod tests {
    use super::{excerpt, of_parts};

    #[test]
    fn a9_an_excerpt_has_the_beginning_of_an_answer_to_the_end_of_a_sentence() {
        let answer = "## Answer\n\nYes, it should.\n\n1. One reason of some length. It has more.\n2. Two.\n\n## Open\n\n- Who pays?";
        let all = "## Answer\nYes, it should.\n1. One reason of some length. It has more.\n2. Two.\n## Open\n- Who pays?";
        assert_eq!(excerpt(answer, 200), all);
        let beginning = "## Answer\nYes, it should.\n1. One reason of some length.\n[…]";
        assert_eq!(excerpt(answer, 70), beginning);
        assert_eq!(excerpt(answer, 40), "## Answer\nYes, it should.\n[…]");
        assert_eq!(excerpt(answer, 20), "## Answer Yes, it…");
        assert_eq!(excerpt("", 20), "");
    }

    #[test]
    fn a9_of_an_answer_in_parts_each_is_begun_and_the_first_has_most_room() {
        let part = |name, text: &str| (name, text.to_owned());
        let parts = [
            part(
                "Answer",
                "Yes. It should begin in May, and not before that.",
            ),
            part("Confidence", "low."),
            part(
                "Open points",
                "Who pays for the second year? Nobody said, and it may be dear.",
            ),
        ];
        let all = "Answer: Yes. It should begin in May, and not before that.\nConfidence: low.\nOpen points: Who pays for the second year? Nobody said, and it may be dear.";
        assert_eq!(of_parts(&parts, 400), all);
        let begun = "Answer: Yes. It should begin in May, and not before that.\nConfidence: low.\nOpen points: Who pays for the second year? […]";
        assert_eq!(of_parts(&parts, 200), begun);
    }
}
