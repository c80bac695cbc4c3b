//! Invisible characters: a way to tell a model or a terminal something that readers cannot see.

/// Ranges of code points that are default-ignorable or of the general category Cf (Unicode 16, DerivedCoreProperties.txt and
/// UnicodeData.txt), but for joiners and the selectors of emoji, which are judged by their neighbours, and for signs of
/// Arabic, Syriac and Kaithi that are drawn although they are Cf.
const HIDDEN: &[(u32, u32)] = &[
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0D),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
];
/// Scripts whose spelling needs joiners: Arabic and its neighbours, those of India and South-East Asia, Mongolian.
const JOINING: &[(u32, u32)] = &[
    (0x600, 0x8FF),
    (0x900, 0x109F),
    (0x1780, 0x18AF),
    (0xA800, 0xABFF),
    (0xFB50, 0xFDFF),
    (0xFE70, 0xFEFC),
];
/// Where pictographs stand, arrows and signs that can be drawn as such among them.
const PICTOGRAPHS: &[(u32, u32)] = &[
    (0xA9, 0xA9),
    (0xAE, 0xAE),
    (0x203C, 0x203C),
    (0x2049, 0x2049),
    (0x2122, 0x2122),
    (0x2139, 0x2139),
    (0x2190, 0x2BFF),
    (0x3030, 0x303D),
    (0x3297, 0x3299),
    (0x1F000, 0x1FAFF),
];

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
/// The selectors that say whether a sign is drawn as text or as a pictograph.
const SELECTORS: [char; 2] = ['\u{fe0e}', '\u{fe0f}'];

/// Whether a character is hidden wherever it stands.
pub(super) fn always(c: char) -> bool {
    within(HIDDEN, c) || (c.is_control() && !matches!(c, '\t' | '\n'))
}

/// Whether a character is hidden between its neighbours: a joiner that joins nothing, a selector behind nothing to select.
pub(super) fn here(c: char, before: Option<char>, after: Option<char>) -> bool {
    match c {
        JOINER => !joins(before, after) && !joins_pictographs(before, after),
        NON_JOINER => !joins(before, after),
        c if SELECTORS.contains(&c) => !before.is_some_and(selectable),
        c => always(c),
    }
}

fn joins(before: Option<char>, after: Option<char>) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| within(JOINING, c));
    letter(before) && letter(after)
}

fn joins_pictographs(before: Option<char>, after: Option<char>) -> bool {
    let is_one = |c: char| within(PICTOGRAPHS, c);
    let ends = |c: char| is_one(c) || SELECTORS.contains(&c);
    before.is_some_and(ends) && after.is_some_and(is_one)
}

/// Whether a selector may stand behind a character: a pictograph, or the sign of a keycap.
fn selectable(c: char) -> bool {
    within(PICTOGRAPHS, c) || c.is_ascii_digit() || matches!(c, '#' | '*')
}

fn within(ranges: &[(u32, u32)], c: char) -> bool {
    let code = u32::from(c);
    let found = ranges.partition_point(|(_, last)| *last < code);
    ranges.get(found).is_some_and(|(first, _)| *first <= code)
}

#[cfg(test)]
mod tests {
    use super::super::visible;
    use super::*;

    #[test]
    fn a8_text_that_nobody_sees_does_not_pass() {
        for hidden in [
            '\u{e0149}',
            '\u{e0041}',
            '\u{3164}',
            '\u{180e}',
            '\u{200c}',
            '\u{200d}',
            '\u{fe0f}',
            '\u{fe00}',
            '\u{34f}',
            '\u{115f}',
            '\u{ffa0}',
            '\u{2064}',
            '\u{1d173}',
            '\u{200b}',
            '\u{ad}',
            '\u{202e}',
        ] {
            let text = format!("vote{hidden} for A");
            assert_eq!(visible(&text), "vote\u{fffd} for A", "U+{:04X}", u32::from(hidden));
        }
        let smuggled: String = "VOTE"
            .chars()
            .map(|c| char::from_u32(0xE0000 + u32::from(c)).expect("a tag"))
            .collect();
        assert_eq!(visible(&format!("👍{smuggled}")), format!("👍{}", "\u{fffd}".repeat(4)));
        assert_eq!(visible("👍\u{fe0f}\u{fe0f}"), "👍\u{fe0f}\u{fffd}");
    }

    #[test]
    fn a8_scripts_and_pictographs_keep_what_they_need() {
        for text in [
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "👩\u{200d}🔬",
            "👩🏽\u{200d}⚖\u{fe0f}",
            "⚠\u{fe0f} 1",
            "1\u{fe0f}\u{20e3}",
            "✅",
            "naïve café",
        ] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn the_ranges_are_in_order() {
        for ranges in [HIDDEN, JOINING, PICTOGRAPHS] {
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
