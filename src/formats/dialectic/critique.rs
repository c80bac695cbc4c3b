//! The content of a critique (row T3): its issues, the status of earlier points, the skeptic's score and signal. It is
//! requested as a structured reply (`form`) and put into words (`words`). The code below reads one that came as prose.
//!
//! A line that begins with a mark is a point; list markers, emphasis and numbers may precede the mark. A mark with
//! nothing after it heads a list: each item of the list is a point. The numbers of issues are ours, not the skeptic's.

mod form;
mod labels;
mod mark;
mod points;
mod said;
mod strategy;
mod words;

pub(super) use self::form::{in_form, schema};
use self::labels::is_nothing;
use self::mark::Mark;
pub use self::mark::{Resolution, Severity};
use self::points::{MarkedPoint, Points};
pub use self::said::Issue;
pub(super) use self::said::{Critique, Settled};
use self::strategy::{strategy, without_strategy};
use super::lines::word;
use crate::text;
use crate::text::line_starts::{is_decoration, is_variation};

/// The signal, without its mark.
const SIGNAL: &str = "ready for synthesis";
/// The words before a stated score.
const SCORE: &str = "quality score";
/// The word before one that has a line of its own.
const ON_ITS_OWN: &str = "quality";

/// The words before what would fix a point.
const MENDS: [&str; 5] = ["To fix it: ", "Repair: ", "Mend: ", "Remedy: ", "Fix: "];

/// Reads a critique that came as prose.
pub(super) fn read(text: &str) -> Critique {
    let mut critique = Critique::default();
    let mut points = Points::default();
    for line in text.lines() {
        if is_signal(line) {
            critique.signalled = true;
            points.end();
        } else if let Some(score) = score(line) {
            critique.score = score.or(critique.score);
            points.end();
        } else {
            points.take(line);
        }
    }
    critique.marked = !points.found.is_empty();
    points.found.iter().for_each(|found| critique.add(found));
    critique
}

impl Critique {
    fn raise(&mut self, severity: Severity, text: &str) {
        let text = text::one_line(&text.replace("**", ""));
        if text.is_empty() || is_nothing(&text) {
            return;
        }
        self.critical |= severity == Severity::Critical;
        let (fault, mend) = mend_apart(without_strategy(&text));
        self.issues.push(Issue {
            severity,
            strategy: strategy(&text).map(str::to_owned),
            claim: None,
            text: fault.to_owned(),
            mend: mend.map(str::to_owned),
        });
    }

    fn add(&mut self, found: &MarkedPoint) {
        match found.mark {
            Mark::Issue(severity) => self.raise(severity, &found.text),
            Mark::Settled(resolution) => {
                let words = text::one_line(&found.text.replace("**", ""));
                let settled = found.numbers.iter().map(|n| Settled {
                    n: *n,
                    resolution,
                    words: words.clone(),
                });
                self.settled.extend(settled);
                let says = !found.text.is_empty() && !is_nothing(&found.text);
                self.unnumbered += u32::from(found.numbers.is_empty() && says);
                self.critical |= resolution != Resolution::Resolved && found.text.contains('🔴');
            }
        }
    }
}

/// What is wrong, and what would fix it if a label separates the two: `It does not. Repair: show the step.`
fn mend_apart(text: &str) -> (&str, Option<&str>) {
    let label = |label: &&str| Some((text.find(*label)?, label.len()));
    let Some((at, length)) = MENDS.iter().find_map(label) else { return (text, None) };
    let (fault, mend) = (text[..at].trim_end(), text[at + length..].trim());
    if fault.ends_with(['.', '!', '?', '”', '"']) && !mend.is_empty() {
        (fault, Some(mend))
    } else {
        (text, None)
    }
}

/// Whether a line is nothing but the signal: the phrase with its mark, possibly with emphasis and a list marker. A sentence
/// that mentions it does not count, nor does a quotation.
fn is_signal(line: &str) -> bool {
    let around = |c: char| c.is_whitespace() || is_variation(c) || "*_#-+•.!".contains(c);
    let bare = line.trim_matches(around);
    let without = bare.trim_matches(|c| c == '✅' || around(c));
    let words: Vec<&str> = without.split_whitespace().collect();
    bare.len() > without.len() && bare.contains('✅') && words.join(" ").to_lowercase() == SIGNAL
}

/// The score on a line that states one; the inner value is `None` if it is off the scale of 1 to 10.
fn score(line: &str) -> Option<Option<f64>> {
    let folded = line.to_lowercase();
    let (stated, is_alone) = match folded.split_once(SCORE) {
        Some((_, stated)) => (stated, false),
        None => (behind_decoration(&folded).strip_prefix(ON_ITS_OWN)?, true),
    };
    let mut rest = behind_decoration(stated);
    while let ("is" | "of" | "now", after) = word(rest) {
        rest = behind_decoration(after);
    }
    let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    let (digits, after) = rest.split_at(end.unwrap_or(rest.len()));
    let digits = digits.trim_end_matches(['.', ',']).replace(',', ".");
    let value: f64 = digits.parse().ok()?;
    if is_alone && !after.starts_with('/') && !behind_decoration(after).is_empty() {
        return None;
    }
    let fits = (1.0..=10.0).contains(&value) && is_of_ten(after);
    Some(fits.then_some(value))
}

fn behind_decoration(text: &str) -> &str {
    text.trim_start_matches(|c| is_decoration(c) || c == '=')
}

/// Whether the text after a number leaves the number on a scale of ten.
fn is_of_ten(after: &str) -> bool {
    let after = after.trim_start_matches(|c: char| c.is_whitespace() || c == '*');
    let whole = after.strip_prefix('/').map(|rest| word(rest.trim_start()).0);
    !after.starts_with('%') && whole.is_none_or(|whole| whole == "10")
}

#[cfg(test)]
mod tests {
    use crate::properties::properties;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn issues(text: &str) -> Vec<(Severity, Option<String>, String)> {
        let all = read(text).issues.into_iter();
        all.map(|issue| (issue.severity, issue.strategy, issue.text)).collect()
    }

    #[test]
    fn t3_a_line_that_begins_with_a_mark_is_a_point() {
        let gap = || Some("logical_gap".to_owned());
        for line in [
            "🔴 logical_gap: a step is missing",
            "- 🔴 **1. Logical gap** – a step is missing",
            "1. 🔴 Logical Gap: a step is missing",
            "**🔴 CRITICAL: LOGICAL-GAP: a step is missing**",
            "> ### 🔴 Critical issue 1: logical gap: a step is missing",
            "| 🔴 | logical gap: a step is missing",
            "🔴\u{fe0f} Critical – logical_gap: a step\nis missing",
        ] {
            let expected = (Severity::Critical, gap(), "a step is missing".to_owned());
            assert_eq!(issues(line), [expected], "{line}");
        }
        for line in [
            "There is no 🔴 left.",
            "The 🔴 mark stands for critical points.",
            "🔴 Critical issues: none.",
            "🟡 No major points remain.",
            "🔴 None beyond point 1.",
            "🔴 Critical: No critical issues were found.",
            "🔴 There are no critical issues.",
            "### 🔴 Critical\n*None beyond points 1 and 3.*",
            "🔴 Critical\n- N/A",
            "🟢",
        ] {
            assert_eq!(issues(line), [], "{line}");
        }
    }

    #[test]
    fn t3_a_text_keeps_what_is_no_label() {
        for (line, expected) in [
            ("🟡 50% of cities are smaller", "50% of cities are smaller"),
            ("🟡 Major cities are left out", "Major cities are left out"),
            ("🟡 Point 3 of it is wrong", "Point 3 of it is wrong"),
            ("🟡 1.5 million is too much", "1.5 million is too much"),
            ("🟡 an edge case: zero riders", "an edge case: zero riders"),
        ] {
            let found = issues(line);
            assert_eq!(found[0].2, expected);
        }
    }

    #[test]
    fn t3_every_strategy_is_known_by_its_words() {
        for (text, expected) in [
            ("hidden_assumption", "hidden_assumption"),
            ("Hidden assumptions", "hidden_assumption"),
            ("COUNTER-EXAMPLE", "counter_example"),
            ("Counterexample", "counter_example"),
            ("logical gap", "logical_gap"),
            ("Weak evidence", "weak_evidence"),
            ("alternative-explanation", "alternative_explanation"),
            ("edge_cases", "edge_case"),
            ("Overgeneralization", "overgeneralisation"),
            ("over-generalisation", "overgeneralisation"),
            ("Practical consequences", "practical_consequence"),
        ] {
            assert_eq!(strategy(&format!("{text}: so it is")), Some(expected));
        }
        assert_eq!(strategy("it is a knowledge case"), None);
        assert_eq!(strategy("weak evidence for a logical gap"), Some("weak_evidence"));
    }

    #[test]
    fn t3_a_mark_alone_heads_a_list() {
        let text = "### 🔴 Critical issues\n\n- Edge case: nobody rides.\n- It is too dear.\n\n### 🟡 Major\n1. Weak evidence: none is given.\n\n### Praise\n- It is clear.";
        let found = issues(text);
        let texts: Vec<(Severity, &str)> = found.iter().map(|i| (i.0, i.2.as_str())).collect();
        assert_eq!(
            texts,
            [
                (Severity::Critical, "nobody rides."),
                (Severity::Critical, "It is too dear."),
                (Severity::Major, "none is given."),
            ]
        );
    }

    #[test]
    fn t3_resolutions_name_points_with_and_without_a_variation_selector() {
        use Resolution::{Partial, Resolved, Unresolved};
        for (line, expected) in [
            ("✅ 1: done", vec![(1, Resolved)]),
            ("- **✅ RESOLVED** (2): done", vec![(2, Resolved)]),
            ("⚠️ 3 is better", vec![(3, Partial)]),
            ("⚠ 3 is better", vec![(3, Partial)]),
            ("⚠️ PARTIALLY RESOLVED – Point 4", vec![(4, Partial)]),
            ("5. ❌ not addressed", vec![(5, Unresolved)]),
            ("✅ 1, 2 and 3", vec![(1, Resolved), (2, Resolved), (3, Resolved)]),
            ("🔴 ❌ 6: still wrong", vec![(6, Unresolved)]),
            ("✅ Resolved\n- 7: yes\n- Point 8", vec![(7, Resolved), (8, Resolved)]),
        ] {
            let found = read(line);
            let settled = found.settled.iter().map(|it| (it.n, it.resolution));
            assert_eq!(settled.collect::<Vec<_>>(), expected, "{line}");
            assert!(found.marked && found.issues.is_empty(), "{line}");
        }
        assert_eq!(read("✅ the first one is settled").unnumbered, 1);
    }

    #[test]
    fn t4_a_critical_mark_counts_but_where_its_point_is_resolved() {
        for (text, critical) in [
            ("🔴 a step is missing", true),
            ("❌ 1 🔴: nothing changed", true),
            ("⚠️ 1 (🔴): a little better", true),
            ("✅ 1 🔴: it is settled now", false),
            ("🟡 a word is unclear\nNo 🔴 is left.", false),
            ("🔴 Critical: none\n🟢 a typing error", false),
        ] {
            assert_eq!(read(text).critical, critical, "{text}");
        }
    }

    #[test]
    fn t4_the_signal_is_a_line_of_its_own_with_its_mark() {
        for line in [
            "Ready for Synthesis ✅",
            "**Ready for Synthesis ✅**",
            "- ready  for SYNTHESIS ✅.",
            "✅ Ready for Synthesis",
            "### Ready for Synthesis ✅\u{fe0f}",
            "__Ready for Synthesis__ ✅",
        ] {
            let found = read(&format!("🟢 a word is unclear\n{line}"));
            assert!(found.signalled, "{line}");
            assert_eq!((found.issues.len(), found.settled.len()), (1, 0), "{line}");
        }
        for line in [
            "not Ready for Synthesis ✅",
            "Ready for Synthesis",
            "Ready for Synthesis ❌",
            "\"Ready for Synthesis ✅\"",
            "`Ready for Synthesis ✅`",
            "> Ready for Synthesis ✅",
            "I cannot write Ready for Synthesis ✅ yet.",
            "If you give it 8 or more, write \"Ready for Synthesis ✅\" on a last line of its own.",
            "✅",
        ] {
            assert!(!read(line).signalled, "{line}");
        }
    }

    #[test]
    fn t4_the_last_stated_score_on_the_scale_counts() {
        for (text, expected) in [
            ("Quality score: 7/10", Some(7.0)),
            ("**Quality Score:** 7.5 / 10", Some(7.5)),
            ("- quality score = 6,5", Some(6.5)),
            ("The quality score is now 8.", Some(8.0)),
            ("**Quality:** 6/10", Some(6.0)),
            ("Quality: 6", Some(6.0)),
            ("Quality: 2 gaps remain", None),
            ("Quality of 5 sources is low", None),
            ("Its quality is 3.", None),
            ("Quality score: 4/10\nQuality score: 5/10", Some(5.0)),
            ("Quality score: 6/10\nQuality score: 60/100", Some(6.0)),
            ("Quality score: 11/10", None),
            ("Quality score: 0/10", None),
            ("Quality score: 8/100", None),
            ("Quality score: 9%", None),
            ("Quality score: N/10", None),
            ("Score: 7/10", None),
        ] {
            assert_eq!(read(text).score, expected, "{text}");
        }
    }

    #[test]
    fn t3_a_point_that_begins_with_a_denial_is_a_point() {
        for text in [
            "Nothing supports the 40% figure.",
            "None of the causes is shown.",
            "No major source is cited.",
            "No critical risk is costed.",
        ] {
            let critique = read(&format!("🔴 {text}"));
            assert!(critique.critical && critique.issues.len() == 1, "{text}");
        }
        for text in
            ["None.", "Critical: none", "No critical issues remain.", "N/A", "Nothing new to add"]
        {
            let critique = read(&format!("🔴 {text}"));
            assert!(!critique.critical && critique.issues.is_empty(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(properties(256))]
        #[test]
        fn t3_whatever_a_skeptic_writes_is_read_and_what_follows_moves_no_number(
            parts in prop::collection::vec(select(vec![
                "🔴", "🟡", "🟢", "✅", "⚠️", "⚠", "❌", "\u{fe0f}", " ", "\n", "\n\n", "- ", "1. ", "**", "#", ":", "12",
                "logical gap", "critical", "none", "Quality score", "7/10", "Ready for Synthesis ✅", "and", ",", "é",
            ]), 0..40),
            more in "\\PC{0,40}",
        ) {
            let text = parts.concat();
            let all = read(&text);
            let longer = read(&format!("{text}\n\n🟢 {more}"));
            prop_assert!(longer.issues.len() >= all.issues.len());
            let begin = &longer.issues[..all.issues.len()];
            // A mark that stands alone may take the added line; nothing else changes.
            let same = begin.iter().zip(&all.issues).filter(|(a, b)| a == b).count();
            prop_assert_eq!(same, all.issues.len());
            prop_assert_eq!(&longer.settled[..all.settled.len()], &all.settled[..]);
            prop_assert!(all.marked || all.issues.is_empty() && all.settled.is_empty());
        }
    }
}
