//! The beginning and the end of a long answer: what it comes to stands first, what it leaves open last.

use crate::text;

/// Characters that a gap takes.
const GAP: usize = 6;

/// Lines of a text from both its ends, by turns, as many as fit into `most` characters; a heading goes with what it heads.
/// What is left out between them is marked.
pub(super) fn excerpt(answer: &str, most: usize) -> String {
    let units = units(answer);
    let mut picked = vec![false; units.len()];
    let mut room = most;
    for at in from_both_ends(units.len()) {
        let length = units[at].chars().count() + 1 + GAP;
        if length <= room {
            room -= length;
            picked[at] = true;
        }
    }
    match picked.first() {
        Some(true) => joined(&units, &picked),
        _ => text::shorten(units.first().map_or("", String::as_str), most),
    }
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

/// `0, 4, 1, 3, 2` of five.
fn from_both_ends(count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |turn| match turn % 2 {
        0 => turn / 2,
        _ => count - 1 - turn / 2,
    })
}

fn joined(units: &[String], picked: &[bool]) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for (unit, picked) in units.iter().zip(picked) {
        match picked {
            true => lines.push(unit),
            false if lines.last() != Some(&text::LEFT_OUT) => lines.push(text::LEFT_OUT),
            false => {}
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn a9_an_excerpt_has_both_ends_of_an_answer() {
        let answer = "## Answer\n\nYes, it should.\n\n1. One reason of some length.\n2. Two.\n\n## Open\n\n- Who pays?";
        let all = "## Answer\nYes, it should.\n1. One reason of some length.\n2. Two.\n## Open\n- Who pays?";
        assert_eq!(excerpt(answer, 200), all);
        let ends = "## Answer\nYes, it should.\n[…]\n2. Two.\n## Open\n- Who pays?";
        assert_eq!(excerpt(answer, 80), ends);
        assert_eq!(excerpt(answer, 40), "## Answer\nYes, it should.\n[…]");
        assert_eq!(excerpt(answer, 20), "## Answer Yes, it…");
        assert_eq!(excerpt("", 20), "");
    }
}
